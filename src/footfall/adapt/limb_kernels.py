"""Compiled two-bone limbs, one at a time, on plain tuples. Import lazily: it brings in numba.

`reach` is `footfall.body.ik.reach` for one limb in one frame (a test holds the two together);
loops that solve many limbs in many levels need it compiled. Vectors are (x, y, z), quaternions
(w, x, y, z).
"""

from __future__ import annotations

import math

from footfall.maths.jit_kernels import kernel

_STRAIGHT = 1e-3


@kernel
def vector(rows, j):  # type: ignore[no-untyped-def]
    """Row j of an (n, 3) array. (Slicing rows instead costs more than reading them.)"""
    return (rows[j, 0], rows[j, 1], rows[j, 2])


@kernel
def quaternion(rows, j):  # type: ignore[no-untyped-def]
    """Row j of an (n, 4) array."""
    return (rows[j, 0], rows[j, 1], rows[j, 2], rows[j, 3])


@kernel
def put(rows, j, values):  # type: ignore[no-untyped-def]
    """Write a tuple into row j."""
    for i in range(len(values)):
        rows[j, i] = values[i]


@kernel
def add(a, b):  # type: ignore[no-untyped-def]
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@kernel
def sub(a, b):  # type: ignore[no-untyped-def]
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@kernel
def scale(a, k):  # type: ignore[no-untyped-def]
    return (a[0] * k, a[1] * k, a[2] * k)


@kernel
def dot(a, b):  # type: ignore[no-untyped-def]
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def cross(a, b):  # type: ignore[no-untyped-def]
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


@kernel
def length(a):  # type: ignore[no-untyped-def]
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@kernel
def unit(a):  # type: ignore[no-untyped-def]
    return scale(a, 1.0 / max(length(a), 1e-12))


@kernel
def multiply(a, b):  # type: ignore[no-untyped-def]
    """The product a b: b acts first."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@kernel
def conjugate(q):  # type: ignore[no-untyped-def]
    return (q[0], -q[1], -q[2], -q[3])


@kernel
def normalise(q):  # type: ignore[no-untyped-def]
    k = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return (q[0] * k, q[1] * k, q[2] * k, q[3] * k)


@kernel
def against(parent, world):  # type: ignore[no-untyped-def]
    """The rotation against the parent that gives `world`."""
    return normalise(multiply(conjugate(parent), world))


@kernel
def rotate(q, v):  # type: ignore[no-untyped-def]
    axis = (q[1], q[2], q[3])
    t = scale(cross(axis, v), 2.0)
    return add(add(v, scale(t, q[0])), cross(axis, t))


@kernel
def exp_half(v):  # type: ignore[no-untyped-def]
    """The quaternion that turns by 2|v| about v."""
    half = length(v)
    if half < 1e-8:
        return normalise((1.0, v[0], v[1], v[2]))
    k = math.sin(half) / half
    return (math.cos(half), v[0] * k, v[1] * k, v[2] * k)


@kernel
def log_half(q):  # type: ignore[no-untyped-def]
    """The half-angle vector of a quaternion, the short way round."""
    if q[0] < 0.0:
        q = (-q[0], -q[1], -q[2], -q[3])
    axis = (q[1], q[2], q[3])
    sine = length(axis)
    if sine < 1e-12:
        return axis
    return scale(axis, math.atan2(sine, q[0]) / sine)


@kernel
def about(axis, angle):  # type: ignore[no-untyped-def]
    """A turn by `angle` about a unit axis."""
    s = math.sin(0.5 * angle)
    return (math.cos(0.5 * angle), axis[0] * s, axis[1] * s, axis[2] * s)


@kernel
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


@kernel
def slerp(a, b, t):  # type: ignore[no-untyped-def]
    """From a to b the short way."""
    turn = log_half(multiply(conjugate(a), b))
    return multiply(a, exp_half(scale(turn, t)))


@kernel
def _bend_axis(thigh, shank, hinge):  # type: ignore[no-untyped-def]
    normal = cross(thigh, shank)
    size = length(normal)
    along = unit(thigh)
    square = unit(sub(hinge, scale(along, dot(hinge, along))))
    sense = -1.0 if dot(normal, hinge) < 0.0 else 1.0
    bent = scale(normal, sense / max(size, 1e-300))
    share = min(size / max(length(thigh) * length(shank) * _STRAIGHT, 1e-300), 1.0)
    return unit(add(scale(bent, share), scale(square, 1.0 - share)))


@kernel
def _turn_about(axis, a, b):  # type: ignore[no-untyped-def]
    return math.atan2(dot(cross(a, b), axis), dot(a, b))


@kernel
def _soft(distance, longest, soft):  # type: ignore[no-untyped-def]
    zone = soft * longest
    start = longest - zone
    if zone <= 0.0 or distance <= start:
        return min(distance, longest)
    return start + zone * -math.expm1(-(distance - start) / zone)


@kernel
def _corner(a, b, opposite):  # type: ignore[no-untyped-def]
    """The angle between sides a and b of a triangle, accurate for thin ones too (Kahan)."""
    s = 0.5 * (a + b + opposite)
    near = max((s - a) * (s - b), 0.0)
    far = max(s * (s - opposite), 0.0)
    return 2.0 * math.atan2(math.sqrt(near), math.sqrt(far))


@kernel
def reach(root, middle, end, upper, lower, hinge, target, soft):  # type: ignore[no-untyped-def]
    """World rotations of both bones that bring the end to `target`, and what stays off (m)."""
    thigh, shank = sub(middle, root), sub(end, middle)
    a, b = length(thigh), length(shank)
    line = sub(target, root)
    wanted = length(line)
    span = min(max(_soft(wanted, a + b, soft), abs(a - b)), a + b)
    axis = _bend_axis(thigh, shank, hinge)
    bend = _turn_about(axis, thigh, shank)
    turn = about(axis, math.pi - _corner(a, b, span) - bend)
    bent_end = add(thigh, rotate(turn, shank))
    swing = between(bent_end, line if wanted > 1e-9 else bent_end)
    return (
        normalise(multiply(swing, upper)),
        normalise(multiply(swing, multiply(turn, lower))),
        abs(wanted - span),
    )


@kernel
def chain_poses(order, parents, offsets, root, rotations, places, turns):  # type: ignore[no-untyped-def]
    """World places (J, 3) and turns (J, 4) of the joints in `order` (parents first, 0 first).

    root  where joint 0 is, a tuple
    """
    put(places, 0, root)
    put(turns, 0, quaternion(rotations, 0))
    for n in range(1, len(order)):
        j = order[n]
        p = parents[j]
        above = quaternion(turns, p)
        put(places, j, add(vector(places, p), rotate(above, vector(offsets, j))))
        put(turns, j, multiply(above, quaternion(rotations, j)))


@kernel
def bend_limb(limb, parents, places, turns, shift, hinge, target, turned, soft, out):  # type: ignore[no-untyped-def]
    """Solve one limb: its end to `target`, turned as `turned`, its root moved by `shift`.

    limb    (3,) root, middle and end joint
    places, turns  world poses of the limb and the joints between
    out     (3, 4) filled with the rotations of the three joints against their parents
    Joints between (twist bones) turn along with the bone above them. Returns the shortfall, m.
    """
    r, m, e = limb[0], limb[1], limb[2]
    old_upper, old_lower = quaternion(turns, r), quaternion(turns, m)
    upper, lower, short = reach(
        add(vector(places, r), shift), add(vector(places, m), shift), add(vector(places, e), shift),
        old_upper, old_lower, rotate(old_upper, hinge), target, soft,
    )  # fmt: skip
    above_middle, above_end = upper, lower
    if parents[m] != r:
        above_middle = multiply(
            multiply(upper, conjugate(old_upper)), quaternion(turns, parents[m])
        )
    if parents[e] != m:
        above_end = multiply(multiply(lower, conjugate(old_lower)), quaternion(turns, parents[e]))
    put(out, 0, against(quaternion(turns, parents[r]), upper))
    put(out, 1, against(above_middle, lower))
    put(out, 2, against(above_end, turned))
    return short
