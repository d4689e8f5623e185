"""Legs of whole clips brought to where their feet are to be, in closed form."""

from __future__ import annotations

import numpy as np

from footfall.body.feet import Foot
from footfall.body.kinematics import WorldPoses
from footfall.body.skeleton import Skeleton
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats


def solve_leg(
    skeleton: Skeleton, poses: WorldPoses, rotations: Floats, foot: Foot, ankle: Floats,
    sole: Floats, turn: Floats | None = None, soft: float = 0.0005,
) -> None:  # fmt: skip
    """Write the rotations (T, J, 4) of a leg whose ankle is at (T, 3), the foot turned (T, 4).

    poses  where everything is before     turn  (T, 4) by how much the leg turns in the hip first
    soft   share of the leg's length over which it gets soft before it is straight
    """
    from footfall.adapt.feet.leg_kernels import solve_legs

    places, turns = np.array(poses.positions), np.array(poses.rotations)
    hip = places[:, foot.hip]
    if turn is not None:
        leg = skeleton.chain(foot.hip, foot.ankle)
        turns[:, leg] = quat.multiply(turn[:, None], turns[:, leg])
        below = leg[1:]
        places[:, below] = hip[:, None] + quat.rotate(
            turn[:, None], places[:, below] - hip[:, None]
        )
    joints = np.array([[foot.hip, foot.knee, foot.ankle, -1]])
    solve_legs(
        skeleton.parents, joints, places, turns, np.array(hip[None]), np.array(ankle[None]),
        np.array(sole[None]), np.empty((1, 0, 4)), np.empty((0, 4)),
        np.full((1, len(places)), soft), rotations,
    )  # fmt: skip
