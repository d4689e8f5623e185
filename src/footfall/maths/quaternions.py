"""Batched unit quaternions.

Quaternions are `(..., 4)` arrays in the order w, x, y, z; vectors are `(..., 3)`. Leading
dimensions broadcast. Two logarithms are in use in this field and both are here by name:

* *rotation vector*: axis times the full angle (scipy, Lee et al. 2002 weights),
* *half-angle vector*: axis times half the angle (Choi, Park, Lee & Shin).

`multiply(a, b)` rotates by `b` first, then by `a`: rotate(multiply(a, b), v) equals
rotate(a, rotate(b, v)).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from footfall.errors import InputError, choices
from footfall.maths.arrays import Floats

IDENTITY: Floats = np.array([1.0, 0.0, 0.0, 0.0])
IDENTITY.setflags(write=False)


def multiply(a: ArrayLike, b: ArrayLike) -> Floats:
    """Return the product `a b` (b acts first). Shapes `(..., 4)`, broadcast."""
    from footfall.maths.quaternion_kernels import multiply_rows

    return _by_rows(multiply_rows, a, b)


def _by_rows(
    kernel: Callable[[Floats, Floats, Floats], None], left: ArrayLike, right: ArrayLike
) -> Floats:
    """Return what a kernel makes of rows, shaped as these broadcast and as wide as `right`."""
    a, b = np.ascontiguousarray(left, np.float64), np.ascontiguousarray(right, np.float64)
    shape = a.shape[:-1]
    if b.shape[:-1] != shape:
        shape = np.broadcast_shapes(shape, b.shape[:-1])
    rows = []
    for part in (a, b):
        if part.shape[:-1] != shape[len(shape) + 1 - part.ndim :]:  # not a part that repeats
            part = np.ascontiguousarray(np.broadcast_to(part, (*shape, part.shape[-1])))
        rows.append(part.reshape(-1, part.shape[-1]))
    out = np.empty((*shape, b.shape[-1]))
    kernel(rows[0], rows[1], out.reshape(-1, b.shape[-1]))
    return out


def cross(a: Floats, b: Floats) -> Floats:
    """Cross products of vectors (..., 3); np.cross spends most of its time on bookkeeping."""
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    out = np.empty(np.broadcast_shapes(a.shape, b.shape))
    out[..., 0] = ay * bz - az * by
    out[..., 1] = az * bx - ax * bz
    out[..., 2] = ax * by - ay * bx
    return out


def conjugate(q: ArrayLike) -> Floats:
    """Return the inverse of a unit quaternion."""
    out = np.array(q, dtype=np.float64)
    out[..., 1:] *= -1.0
    return out


def normalise(q: ArrayLike) -> Floats:
    """Return `q` scaled to unit length; a zero quaternion becomes the identity."""
    q = np.asarray(q, dtype=np.float64)
    length = _length(q)[..., None]
    if length.min(initial=1.0) > 1e-300:
        return np.asarray(q / length)
    return np.where(length > 1e-300, q / np.where(length > 1e-300, length, 1.0), IDENTITY)


def rotate(q: ArrayLike, v: ArrayLike) -> Floats:
    """Return the vectors `v` (..., 3) turned by the unit quaternions `q` (..., 4)."""
    from footfall.maths.quaternion_kernels import rotate_rows

    return _by_rows(rotate_rows, q, v)


def dot(a: ArrayLike, b: ArrayLike) -> Floats:
    """Return the inner product over the last dimension; shapes `(..., n)`, broadcast."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    return np.asarray(np.einsum("...i,...i->...", a, b))


def toward(q: ArrayLike, reference: ArrayLike) -> Floats:
    """Return `q` or `-q` (the same rotation), whichever lies in the hemisphere of `reference`."""
    q = np.asarray(q, dtype=np.float64)
    return np.where(dot(q, reference)[..., None] < 0.0, -q, q)


def continuous(q: ArrayLike, axis: int = 0) -> Floats:
    """Return the rotations with signs such that neighbours along `axis` share a hemisphere."""
    frames = np.moveaxis(np.array(q, dtype=np.float64), axis, 0)
    if len(frames) > 1:
        away = dot(frames[1:], frames[:-1]) < 0.0
        if away.any():
            frames[1:] *= np.cumprod(np.where(away, -1.0, 1.0), axis=0)[..., None]
    return np.ascontiguousarray(np.moveaxis(frames, 0, axis))


# ---------------------------------------------------------------- exponentials and logarithms


def exp_half_angle(v: ArrayLike) -> Floats:
    """Return the quaternion of half-angle vectors `v` (..., 3): a turn by 2|v| about v."""
    v = np.asarray(v, dtype=np.float64)
    half = _length(v)
    out = np.empty((*v.shape[:-1], 4))
    out[..., 0] = np.cos(half)
    out[..., 1:] = v * np.sinc(half / np.pi)[..., None]
    return out


def log_half_angle(q: ArrayLike) -> Floats:
    """Return the half-angle vector (..., 3) of unit quaternions, of length 0 to pi.

    The sign of `q` is taken as it is: a `q` with negative w gives a vector longer than pi/2.
    Bring `q` into a hemisphere first (`toward`) where the short way is meant. For `-1`, whose
    axis is not defined, the axis is x.
    """
    q = np.asarray(q, dtype=np.float64)
    w, v = q[..., 0], q[..., 1:]
    sine = _length(v)
    tiny = sine < 1e-150
    factor = np.where(tiny, 1.0, np.arctan2(sine, w) / np.where(tiny, 1.0, sine))
    out = v * factor[..., None]
    return np.where((tiny & (w < 0.0))[..., None], np.array([np.pi, 0.0, 0.0]), out)


def from_rotation_vector(v: ArrayLike) -> Floats:
    """Return the quaternion of rotation vectors `v` (..., 3): a turn by |v| radians about v."""
    return exp_half_angle(0.5 * np.asarray(v, dtype=np.float64))


def to_rotation_vector(q: ArrayLike) -> Floats:
    """Return the rotation vector (..., 3), the short way round: of length 0 to pi."""
    return 2.0 * log_half_angle(toward(q, IDENTITY))


def from_axis_angle(axis: ArrayLike, angle: ArrayLike) -> Floats:
    """Return a turn by `angle` (...) radians about `axis` (..., 3); none for a zero axis."""
    unit = _unit(np.asarray(axis, dtype=np.float64))
    return from_rotation_vector(unit * np.asarray(angle, dtype=np.float64)[..., None])


def about_axis(axis: int, angle: ArrayLike) -> Floats:
    """Turns (..., 4) by angles (...), radians, about the x (0), y (1) or z (2) axis."""
    half = 0.5 * np.asarray(angle, dtype=np.float64)
    out = np.zeros((*half.shape, 4))
    out[..., 0], out[..., 1 + axis] = np.cos(half), np.sin(half)
    return out


def power(q: ArrayLike, exponent: ArrayLike) -> Floats:
    """Return `q` to the real power `exponent` (...), taken the short way."""
    times = np.asarray(exponent, dtype=np.float64)[..., None]
    return exp_half_angle(times * log_half_angle(toward(q, IDENTITY)))


def slerp(a: ArrayLike, b: ArrayLike, t: ArrayLike) -> Floats:
    """Return the rotation from `a` (t = 0) to `b` (t = 1) at constant speed, the short way.

    The path starts at `a` itself and ends at `b` or `-b`. It extrapolates outside 0 to 1. At a
    half turn, where both ways are equally long, the one without a change of sign is taken.
    """
    a = np.asarray(a, dtype=np.float64)
    b = toward(b, a)
    t = np.asarray(t, dtype=np.float64)
    # The angle is at most pi/2 here, so the sinc below is never near zero and no case is special.
    angle = 2.0 * np.arctan2(_length(a - b), _length(a + b)) / np.pi
    whole = np.sinc(angle)
    from_a = (1.0 - t) * np.sinc((1.0 - t) * angle) / whole
    from_b = t * np.sinc(t * angle) / whole
    return normalise(from_a[..., None] * a + from_b[..., None] * b)


# ----------------------------------------------------------------------------------- measures


def angle_between(a: ArrayLike, b: ArrayLike) -> Floats:
    """Return the full angle (...) from rotation `a` to rotation `b`, radians, 0 to pi."""
    difference = multiply(conjugate(a), b)
    return np.asarray(2.0 * np.arctan2(_length(difference[..., 1:]), np.abs(difference[..., 0])))


def between(u: ArrayLike, v: ArrayLike) -> Floats:
    """Return the smallest rotation that turns direction `u` (..., 3) to direction `v` (..., 3).

    Lengths do not matter; where one is zero there is no turn. Opposite directions turn by pi
    about an axis that depends on `u` alone.
    """
    u = np.asarray(u, dtype=np.float64)
    v = np.asarray(v, dtype=np.float64)
    u, v = np.broadcast_arrays(_unit(u), _unit(v))
    q = _small_between(u, v)
    far = dot(u, v) < 0.0
    if far.any():
        q[far] = _far_between(u[far], v[far])
    none = (_length(u) < 0.5) | (_length(v) < 0.5)
    return np.where(none[..., None], IDENTITY, q)


def from_yaw(yaw: ArrayLike) -> Floats:
    """Return a turn by `yaw` (...) radians about +y; positive turns left (+z toward +x)."""
    half = 0.5 * np.asarray(yaw, dtype=np.float64)
    zero = np.zeros_like(half)
    return np.stack([np.cos(half), zero, np.sin(half), zero], axis=-1)


def yaw_of(q: ArrayLike) -> Floats:
    """Return the heading (...) of the forward axis +z turned by `q`, radians, -pi to pi.

    Where the forward axis points straight up or down, the turn about +y is taken instead.
    """
    q = np.asarray(q, dtype=np.float64)
    forward = rotate(q, np.array([0.0, 0.0, 1.0]))
    level = np.hypot(forward[..., 0], forward[..., 2]) > 1e-9
    heading = np.arctan2(forward[..., 0], forward[..., 2])
    twist = 2.0 * np.arctan2(q[..., 2], q[..., 0])
    return np.where(level, heading, np.arctan2(np.sin(twist), np.cos(twist)))


# ------------------------------------------------------------------------------------ averages


def reference_orientation(q: ArrayLike, weights: ArrayLike | None = None) -> Floats:
    """Return the mean rotation (..., 4) of `q` (..., N, 4) after Park et al. 2002, §5.3.

    It minimises the weighted sum of squared sines of the half angles: the first eigenvector of
    the sum of w q qᵀ. Signs of the inputs do not matter. Weights (..., N) are not negative;
    the paper has them equal, as is the default. The result's sign follows the first input.
    """
    q, weights = _check_weights(q, weights)
    scatter = np.einsum("...n,...ni,...nj->...ij", weights, q, q)
    return toward(np.linalg.eigh(scatter)[1][..., -1], q[..., 0, :])


def weighted_mean(q: ArrayLike, weights: ArrayLike | None = None) -> Floats:
    """Return the mean rotation (..., 4) of `q` (..., N, 4) with weights (..., N).

    It minimises the weighted sum of squared angles: starting at the reference orientation of
    Park et al. 2002 (§5.3), add the mean of the logarithms about it until that is zero.
    """
    q, weights = _check_weights(q, weights)
    share = weights / weights.sum(axis=-1, keepdims=True)
    mean = reference_orientation(q, weights)
    for _ in range(64):
        local = toward(multiply(conjugate(mean)[..., None, :], q), IDENTITY)
        step = np.einsum("...n,...ni->...i", share, log_half_angle(local))
        mean = normalise(multiply(mean, exp_half_angle(step)))
        if np.max(np.abs(step), initial=0.0) < 1e-15:
            break
    return mean


def random_rotations(rng: np.random.Generator, shape: int | tuple[int, ...] = ()) -> Floats:
    """Rotations (*shape, 4) drawn evenly over all rotations."""
    leading = (shape,) if isinstance(shape, int) else shape
    return normalise(rng.standard_normal((*leading, 4)))


# ---------------------------------------------------------------------- matrices, Euler angles


def to_matrix(q: ArrayLike) -> Floats:
    """Rotation matrices (..., 3, 3) that turn column vectors as unit `q` does."""
    q = np.asarray(q, dtype=np.float64)
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    out = np.empty((*q.shape[:-1], 3, 3))
    out[..., 0, 0] = 1.0 - 2.0 * (y * y + z * z)
    out[..., 1, 1] = 1.0 - 2.0 * (x * x + z * z)
    out[..., 2, 2] = 1.0 - 2.0 * (x * x + y * y)
    out[..., 0, 1], out[..., 1, 0] = 2.0 * (x * y - w * z), 2.0 * (x * y + w * z)
    out[..., 0, 2], out[..., 2, 0] = 2.0 * (x * z + w * y), 2.0 * (x * z - w * y)
    out[..., 1, 2], out[..., 2, 1] = 2.0 * (y * z - w * x), 2.0 * (y * z + w * x)
    return out


def from_matrix(matrix: ArrayLike) -> Floats:
    """Unit quaternions, w not negative, of proper rotation matrices (..., 3, 3).

    The matrix gives 4 q qᵀ; of its rows the one with the largest diagonal is the most exact.
    """
    m = np.asarray(matrix, dtype=np.float64)
    xx, yy, zz = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    outer = np.empty((*m.shape[:-2], 4, 4))
    outer[..., 0, 0] = 1.0 + xx + yy + zz
    outer[..., 1, 1] = 1.0 + xx - yy - zz
    outer[..., 2, 2] = 1.0 - xx + yy - zz
    outer[..., 3, 3] = 1.0 - xx - yy + zz
    outer[..., 0, 1] = outer[..., 1, 0] = m[..., 2, 1] - m[..., 1, 2]
    outer[..., 0, 2] = outer[..., 2, 0] = m[..., 0, 2] - m[..., 2, 0]
    outer[..., 0, 3] = outer[..., 3, 0] = m[..., 1, 0] - m[..., 0, 1]
    outer[..., 1, 2] = outer[..., 2, 1] = m[..., 0, 1] + m[..., 1, 0]
    outer[..., 1, 3] = outer[..., 3, 1] = m[..., 0, 2] + m[..., 2, 0]
    outer[..., 2, 3] = outer[..., 3, 2] = m[..., 1, 2] + m[..., 2, 1]
    best = np.argmax(np.einsum("...ii->...i", outer), axis=-1)
    row = np.take_along_axis(outer, best[..., None, None], axis=-2)[..., 0, :]
    return toward(normalise(row), IDENTITY)


EULER_ORDERS = (
    "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "XYX", "XZX", "YXY", "YZY", "ZXZ", "ZYZ",
)  # fmt: skip


def from_euler(angles: ArrayLike, order: str) -> Floats:
    """Return the rotation of Euler `angles` (..., 3), radians, in the sequence `order`.

    `order` is read as BVH channels are: "ZXY" with angles (a, b, c) is Z(a) X(b) Y(c), the last
    acting first on a vector, each axis turned along by those before it.
    """
    first, second, third = _euler_axes(order)
    half = 0.5 * np.asarray(angles, dtype=np.float64)
    turns = np.zeros((3, *half.shape[:-1], 4))
    for turn, axis, position in zip(turns, (first, second, third), range(3), strict=True):
        turn[..., 0] = np.cos(half[..., position])
        turn[..., 1 + axis] = np.sin(half[..., position])
    return multiply(multiply(turns[0], turns[1]), turns[2])


def to_euler(q: ArrayLike, order: str) -> Floats:
    """Euler angles (..., 3), radians, of unit `q` in the sequence `order` (as `from_euler`).

    The first and last lie in -pi to pi, the middle in -pi/2 to pi/2 (0 to pi where the first
    axis comes back third). In gimbal lock, where only a sum of first and last counts, the last
    is 0. Method: Bernardes & Viollet 2022, direct from the quaternion.
    """
    k, j, i = _euler_axes(order)
    q = np.asarray(q, dtype=np.float64)
    proper = i == k
    if proper:
        k = 3 - i - j
    sign = float((i - j) * (j - k) * (k - i) // 2)
    w, x, y, z = q[..., 0], q[..., 1 + i], q[..., 1 + j], sign * q[..., 1 + k]
    a, b, c, d = (w, x, y, z) if proper else (w - y, x + z, y + w, z - x)
    low, high = np.hypot(c, d), np.hypot(a, b)
    middle = 2.0 * np.arctan2(low, high)
    plus, minus = np.arctan2(b, a), np.arctan2(d, c)
    last = np.where((low < 1e-10) | (high < 1e-10), 0.0, plus - minus)
    first = np.where(low < 1e-10, 2.0 * plus, np.where(high < 1e-10, 2.0 * minus, plus + minus))
    if not proper:
        first, middle = sign * first, middle - 0.5 * np.pi
    return np.stack([_wrap(first), middle, _wrap(last)], axis=-1)


# ------------------------------------------------------------------------------------- helpers


def _length(v: Floats) -> Floats:
    return np.asarray(np.sqrt(np.einsum("...i,...i->...", v, v)))


def _unit(v: Floats) -> Floats:
    """Vectors scaled to length 1; zero vectors stay zero. Safe against under- and overflow."""
    largest = np.max(np.abs(v), axis=-1, keepdims=True)
    v = v / np.where(largest > 0.0, largest, 1.0)
    length = _length(v)[..., None]
    return np.asarray(v / np.where(length > 0.0, length, 1.0))


def _perpendicular(u: Floats) -> Floats:
    """Return some vector across each unit `u`, the same for the same `u`."""
    axis = np.eye(3)[np.argmin(np.abs(u), axis=-1)]
    return cross(u, axis)


def _small_between(u: Floats, v: Floats) -> Floats:
    """Return the rotation from unit `u` to unit `v`, exact where they are less than 90° apart."""
    middle = _unit(u + v)
    return normalise(np.concatenate([dot(u, middle)[..., None], cross(u, middle)], axis=-1))


def _far_between(u: Floats, v: Floats) -> Floats:
    """Return the rotation from unit `u` to unit `v`, (N, 3) each, more than 90° apart.

    By way of -u, half a turn about the same axis: u + v would cancel.
    """
    across = cross(u, v)
    axis = np.where(_length(across)[..., None] > 1e-12, across, _perpendicular(u))
    axis = _unit(axis - u * dot(axis, u)[..., None])
    half_turn = np.concatenate([np.zeros((*axis.shape[:-1], 1)), axis], axis=-1)
    return multiply(_small_between(-u, v), half_turn)


def _wrap(angle: Floats) -> Floats:
    return np.asarray(angle - 2.0 * np.pi * np.round(angle / (2.0 * np.pi)))


def _euler_axes(order: str) -> tuple[int, int, int]:
    if order.upper() not in EULER_ORDERS:
        raise InputError(
            f"there is no Euler order {order!r}", remedy=choices(EULER_ORDERS, order.upper())
        )
    first, second, third = ("XYZ".index(letter) for letter in order.upper())
    return first, second, third


def _check_weights(q: ArrayLike, weights: ArrayLike | None) -> tuple[Floats, Floats]:
    q = np.asarray(q, dtype=np.float64)
    given = 1.0 if weights is None else np.asarray(weights, dtype=np.float64)
    spread = np.broadcast_to(given, q.shape[:-1])
    if not (np.all(spread >= 0.0) and np.all(spread.sum(axis=-1) > 0.0)):
        raise InputError(
            "a mean has no weight", remedy="no weight may be negative and not all zero"
        )
    return q, spread
