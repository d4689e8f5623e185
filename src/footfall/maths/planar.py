"""Poses on the ground: a place and a heading, and how to bring one cloud of points onto another.

A planar pose is a row `(x, z, yaw)` of an array `(..., 3)`: turn by yaw about +y, then move by
x and z. As a map of points it takes x' = x cos + z sin and z' = -x sin + z cos, which is the
product of the complex number z + i x with exp(i yaw); the code below is written that way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.errors import InputError
from footfall.maths import quaternions
from footfall.maths.arrays import Floats

Complexes = NDArray[np.complex128]


def wrap_angle(angle: ArrayLike) -> Floats:
    """Return the same angle in -pi to pi."""
    angle = np.asarray(angle, dtype=np.float64)
    return np.asarray(angle - 2.0 * np.pi * np.round(angle / (2.0 * np.pi)))


def pose_of(position: ArrayLike, rotation: ArrayLike) -> Floats:
    """Return the planar pose (..., 3) of a `position` (..., 3) with a `rotation` (..., 4)."""
    position = np.asarray(position, dtype=np.float64)
    yaw = quaternions.yaw_of(rotation)
    x, z, yaw = np.broadcast_arrays(position[..., 0], position[..., 2], yaw)
    return np.stack([x, z, yaw], axis=-1)


def compose(a: ArrayLike, b: ArrayLike) -> Floats:
    """Return the pose (..., 3) that maps by `b` first, then by `a`."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    return _pose(_place(a) + _turn(a) * _place(b), a[..., 2] + b[..., 2])


def inverse(pose: ArrayLike) -> Floats:
    """Return the pose (..., 3) that undoes `pose`."""
    pose = np.asarray(pose, dtype=np.float64)
    return _pose(-_place(pose) / _turn(pose), -pose[..., 2])


def relative(a: ArrayLike, b: ArrayLike) -> Floats:
    """Pose `b` as seen from pose `a`: compose(a, relative(a, b)) is `b`."""
    return compose(inverse(a), b)


def apply_to_points(pose: ArrayLike, points: ArrayLike) -> Floats:
    """Points (..., 3) mapped by poses (..., 3), broadcast; heights stay."""
    pose, points = np.asarray(pose, dtype=np.float64), np.asarray(points, dtype=np.float64)
    moved = _place(pose) + _turn(pose) * _ground(points)
    height = np.broadcast_to(points[..., 1], moved.shape)
    return np.stack([moved.imag, height, moved.real], axis=-1)


def apply_to_ground(pose: ArrayLike, points: ArrayLike) -> Floats:
    """Ground points (..., 2), each (x, z), mapped by poses (..., 3), broadcast."""
    pose, points = np.asarray(pose, dtype=np.float64), np.asarray(points, dtype=np.float64)
    moved = _place(pose) + _turn(pose) * (points[..., 1] + 1j * points[..., 0])
    return np.stack([moved.imag, moved.real], axis=-1)


def apply_to_rotations(pose: ArrayLike, rotations: ArrayLike) -> Floats:
    """World orientations (..., 4) turned along with poses (..., 3), broadcast."""
    yaw = np.asarray(pose, dtype=np.float64)[..., 2]
    return quaternions.multiply(quaternions.from_yaw(yaw), rotations)


@dataclass(frozen=True, eq=False)
class Alignment:
    """The planar pose (..., 3) that brings one cloud nearest to another, and how near.

    distance  (...) the weighted sum of squared distances that is left, in m² times weight;
              divided by the sum of weights it compares across clouds of other sizes
    """

    pose: Floats
    distance: Floats


def align(target: ArrayLike, moving: ArrayLike, weights: ArrayLike | None = None) -> Alignment:
    """Return the planar pose that brings the points `moving` nearest to `target`, in closed form.

    Both are (..., P, 3), point by point, `weights` (..., P) not negative (default: all 1). It
    minimises the weighted sum of |target - pose(moving)|² over x, z and yaw; see Kovar et al.
    2002, §3.1. Where all directions fit alike (a single point), the yaw is 0.
    """
    a, b = np.asarray(target, dtype=np.float64), np.asarray(moving, dtype=np.float64)
    if a.shape[-2:] != b.shape[-2:] or a.shape[-1] != 3:
        raise InputError(
            f"points of shapes {a.shape} and {b.shape} cannot be aligned",
            remedy="both must be (..., P, 3) with the same P",
        )
    w = _weights(weights, a.shape[-2])
    total = w.sum(axis=-1)
    ca, cb = _ground(a), _ground(b)
    mean_a, mean_b = (ca * w).sum(axis=-1) / total, (cb * w).sum(axis=-1) / total
    raw = np.sqrt((w * np.abs(ca) ** 2).sum(axis=-1) * (w * np.abs(cb) ** 2).sum(axis=-1))
    ca, cb = ca - mean_a[..., None], cb - mean_b[..., None]
    together = (w * ca * cb.conj()).sum(axis=-1)
    # Below the square of the rounding of the means there is no direction, only noise.
    yaw = np.where(np.abs(together) > 1e-28 * raw, np.angle(together), 0.0)
    spread = (w * (np.abs(ca) ** 2 + np.abs(cb) ** 2)).sum(axis=-1)
    heights = (w * (a[..., 1] - b[..., 1]) ** 2).sum(axis=-1)
    distance = np.maximum(spread - 2.0 * np.abs(together), 0.0) + heights
    return Alignment(_pose(mean_a - mean_b * np.exp(1j * yaw), yaw), distance)


def _weights(weights: ArrayLike | None, count: int) -> Floats:
    w = np.ones(count) if weights is None else np.asarray(weights, dtype=np.float64)
    if w.shape[-1] != count or not (np.all(w >= 0.0) and np.all(w.sum(axis=-1) > 0.0)):
        raise InputError(
            f"weights of shape {w.shape} do not fit {count} points",
            remedy="one weight per point, none negative and not all zero",
        )
    return w


def _ground(points: Floats) -> Complexes:
    return np.asarray(points[..., 2] + 1j * points[..., 0])


def _place(pose: Floats) -> Complexes:
    return np.asarray(pose[..., 1] + 1j * pose[..., 0])


def _turn(pose: Floats) -> Complexes:
    return np.asarray(np.exp(1j * pose[..., 2]))


def _pose(place: NDArray[Any], yaw: NDArray[Any]) -> Floats:
    return np.stack(
        [place.imag, place.real, wrap_angle(np.broadcast_to(yaw, place.shape))], axis=-1
    )
