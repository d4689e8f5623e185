"""Vectors and quaternions as plain tuples, for kernels. Import lazily: it brings in numba.

Vectors are (x, y, z), quaternions (w, x, y, z). Rows are read from and written to arrays by
`vector`, `quaternion` and `put`; everything between is numbers, which LLVM puts into the caller.
"""

from __future__ import annotations

import math

from footfall.maths.jit_kernels import inner_kernel


@inner_kernel
def vector(rows, j):  # type: ignore[no-untyped-def]
    """Row j of an (n, 3) array."""
    return (rows[j, 0], rows[j, 1], rows[j, 2])


@inner_kernel
def quaternion(rows, j):  # type: ignore[no-untyped-def]
    """Row j of an (n, 4) array."""
    return (rows[j, 0], rows[j, 1], rows[j, 2], rows[j, 3])


@inner_kernel
def put(rows, j, values):  # type: ignore[no-untyped-def]
    """Write a tuple into row j."""
    for i in range(len(values)):
        rows[j, i] = values[i]


@inner_kernel
def xyz(values):  # type: ignore[no-untyped-def]
    """The three values of a record's field as a tuple."""
    return (values[0], values[1], values[2])


@inner_kernel
def wxyz(values):  # type: ignore[no-untyped-def]
    """The four values of a record's field as a tuple."""
    return (values[0], values[1], values[2], values[3])


@inner_kernel
def write(field, values):  # type: ignore[no-untyped-def]
    """Write a tuple into a record's field."""
    for i in range(len(values)):
        field[i] = values[i]


@inner_kernel
def add(a, b):  # type: ignore[no-untyped-def]
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@inner_kernel
def sub(a, b):  # type: ignore[no-untyped-def]
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@inner_kernel
def scale(a, k):  # type: ignore[no-untyped-def]
    return (a[0] * k, a[1] * k, a[2] * k)


@inner_kernel
def dot(a, b):  # type: ignore[no-untyped-def]
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inner_kernel
def cross(a, b):  # type: ignore[no-untyped-def]
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@inner_kernel
def length(a):  # type: ignore[no-untyped-def]
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@inner_kernel
def unit(a):  # type: ignore[no-untyped-def]
    return scale(a, 1.0 / max(length(a), 1e-12))


@inner_kernel
def multiply(a, b):  # type: ignore[no-untyped-def]
    """The product a b: b acts first."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@inner_kernel
def conjugate(q):  # type: ignore[no-untyped-def]
    return (q[0], -q[1], -q[2], -q[3])


@inner_kernel
def normalise(q):  # type: ignore[no-untyped-def]
    k = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return (q[0] * k, q[1] * k, q[2] * k, q[3] * k)


@inner_kernel
def against(parent, world):  # type: ignore[no-untyped-def]
    """The rotation against the parent that gives `world`."""
    return normalise(multiply(conjugate(parent), world))


@inner_kernel
def rotate(q, v):  # type: ignore[no-untyped-def]
    axis = (q[1], q[2], q[3])
    t = scale(cross(axis, v), 2.0)
    return add(add(v, scale(t, q[0])), cross(axis, t))


@inner_kernel
def exp_half(v):  # type: ignore[no-untyped-def]
    """The quaternion that turns by 2|v| about v."""
    half = length(v)
    if half < 1e-8:
        return normalise((1.0, v[0], v[1], v[2]))
    k = math.sin(half) / half
    return (math.cos(half), v[0] * k, v[1] * k, v[2] * k)


@inner_kernel
def log_half(q):  # type: ignore[no-untyped-def]
    """The half-angle vector of a quaternion, the short way round."""
    if q[0] < 0.0:
        q = (-q[0], -q[1], -q[2], -q[3])
    axis = (q[1], q[2], q[3])
    sine = length(axis)
    if sine < 1e-12:
        return axis
    return scale(axis, math.atan2(sine, q[0]) / sine)


@inner_kernel
def about(axis, angle):  # type: ignore[no-untyped-def]
    """A turn by `angle` about a unit axis."""
    s = math.sin(0.5 * angle)
    return (math.cos(0.5 * angle), axis[0] * s, axis[1] * s, axis[2] * s)


@inner_kernel
def between(u, v):  # type: ignore[no-untyped-def]
    """The smallest turn from direction u to direction v."""
    u, v = unit(u), unit(v)
    twice = length(add(u, v))
    if twice < 1e-9:
        side = (0.0, 0.0, 1.0) if abs(u[2]) < 0.7 else (1.0, 0.0, 0.0)
        axis = unit(cross(u, side))
        return (0.0, axis[0], axis[1], axis[2])
    axis = scale(cross(u, v), 1.0 / twice)
    return normalise((0.5 * twice, axis[0], axis[1], axis[2]))


@inner_kernel
def slerp(a, b, t):  # type: ignore[no-untyped-def]
    """From a to b the short way."""
    turn = log_half(multiply(conjugate(a), b))
    return multiply(a, exp_half(scale(turn, t)))


@inner_kernel
def yaw(turn):  # type: ignore[no-untyped-def]
    """The turn about the vertical that faces where `turn` faces."""
    ahead = rotate(turn, (0.0, 0.0, 1.0))
    return about((0.0, 1.0, 0.0), math.atan2(ahead[0], ahead[2]))


@inner_kernel
def smooth(u):  # type: ignore[no-untyped-def]
    """From 0 to 1 as `u` is, level at both ends."""
    u = min(max(u, 0.0), 1.0)
    return u * u * (3.0 - 2.0 * u)
