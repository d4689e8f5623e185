"""Inverse kinematics of two-bone limbs in closed form."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats


@dataclass(frozen=True, eq=False)
class HingeLimb:
    """World rotations (T, 4) of the two bones of a limb that reaches its target."""

    upper: Floats
    lower: Floats


def reach_with_leg(
    hip: Floats, ankle: Floats, hinge: Floats, thigh_m: float, shank_m: float
) -> HingeLimb:
    """Rotate thigh and shank so that a leg from `hip` (T, 3) ends at `ankle` (T, 3).

    `hinge` (T, 3) is the knee's axis in the world before; the knee keeps its side by taking the
    nearest axis that is square to the line from hip to ankle (the swivel circle's nearest
    point). Bones hang along -Y of their frames at rest and the knee bends about their +X. A
    target out of reach is met in direction, with a straight leg.
    """
    line = ankle - hip
    distance = np.linalg.norm(line, axis=-1, keepdims=True)
    along = line / np.maximum(distance, 1e-12)
    axis = hinge - along * np.sum(hinge * along, axis=-1, keepdims=True)
    axis /= np.maximum(np.linalg.norm(axis, axis=-1, keepdims=True), 1e-12)
    most, least = thigh_m + shank_m, abs(thigh_m - shank_m)
    reach = np.clip(distance[..., 0], least + 1e-9, most)
    at_hip = _corner(thigh_m, reach, shank_m)
    at_knee = np.pi - _corner(thigh_m, shank_m, reach)
    # A positive turn about the knee's axis swings a bone backwards, so the thigh leads the line.
    upper = quat.rotate(quat.from_axis_angle(axis, -at_hip), along)
    lower = quat.rotate(quat.from_axis_angle(axis, at_knee - at_hip), along)
    return HingeLimb(_frame(axis, upper), _frame(axis, lower))


def _corner(a: Floats | float, b: Floats | float, opposite: Floats | float) -> Floats:
    """The angle between sides a and b of a triangle, stable for thin ones (Kahan's form)."""
    a, b, c = np.broadcast_arrays(
        np.asarray(a, np.float64), np.asarray(b, np.float64), np.asarray(opposite, np.float64)
    )
    s = 0.5 * (a + b + c)
    numerator = np.maximum((s - a) * (s - b), 0.0)
    denominator = np.maximum(s * (s - c), 0.0)
    return 2.0 * np.arctan2(np.sqrt(numerator), np.sqrt(denominator))


def _frame(axis: Floats, bone: Floats) -> Floats:
    """The rotation (T, 4) whose +X is `axis` and whose -Y points along `bone`."""
    up = -bone
    return quat.from_matrix(np.stack([axis, up, np.cross(axis, up)], axis=-1))
