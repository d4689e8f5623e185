"""Legs of whole clips brought to where their feet are to be, in closed form."""

from __future__ import annotations

import numpy as np

from footfall.body.feet import Foot
from footfall.body.ik import LimbPose, reach
from footfall.body.kinematics import WorldPoses
from footfall.body.skeleton import Skeleton
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats

_SWIVEL = np.array([1.0, 0.0, 0.0])


def solve_leg(
    skeleton: Skeleton, poses: WorldPoses, rotations: Floats, foot: Foot, ankle: Floats,
    sole: Floats, turn: Floats, soft: float = 0.0005,
) -> None:  # fmt: skip
    """Write the rotations (T, J, 4) of a leg whose ankle is at (T, 3), the foot turned (T, 4).

    poses  where everything is before     turn  (T, 4) by how much the leg turns in the hip first
    soft   share of the leg's length over which it gets soft before it is straight
    """
    places, world, parents = poses.positions, poses.rotations, skeleton.parents
    hip = places[:, foot.hip]
    middle, end = (hip + quat.rotate(turn, places[:, j] - hip) for j in (foot.knee, foot.ankle))
    upper, lower = (quat.multiply(turn, world[:, j]) for j in (foot.hip, foot.knee))
    found = reach(
        LimbPose(hip, middle, end, upper, lower, quat.rotate(upper, _SWIVEL)), ankle, soft
    )
    # Joints between (twist bones) turn along with the bone above them.
    above_knee = quat.multiply(
        quat.multiply(found.upper, quat.conjugate(world[:, foot.hip])),
        world[:, int(parents[foot.knee])],
    )
    above_ankle = quat.multiply(
        quat.multiply(found.lower, quat.conjugate(world[:, foot.knee])),
        world[:, int(parents[foot.ankle])],
    )
    rotations[:, foot.hip] = _against(world[:, int(parents[foot.hip])], found.upper)
    rotations[:, foot.knee] = _against(above_knee, found.lower)
    rotations[:, foot.ankle] = _against(above_ankle, sole)


def _against(parent: Floats, world: Floats) -> Floats:
    return quat.normalise(quat.multiply(quat.conjugate(parent), world))
