"""Find a standing posture: a rest of the clips, or one made from a walk."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from footfall.adapt.edit.rests import facings
from footfall.adapt.feet.legs import solve_leg
from footfall.body.clip import Clip
from footfall.body.edit import mirror, move
from footfall.body.feet import foot_of, mean_leg
from footfall.body.kinematics import forward_kinematics
from footfall.body.roles import SIDES
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats

_EXTENSION = 0.99
"""How far legs are stretched in a made stand, as a share of their length."""
_APART = 0.21
"""How far apart feet stand, leg lengths."""
_TOE_OUT = math.radians(6.0)
_MOST_FRAMES = 60
"""How many frames of a walk are enough to determine its posture."""


@dataclass(frozen=True, eq=False)
class Standing:
    """A pose that stands, one frame at the origin that faces +Z, and where it is from.

    clip, frame  the clip and its frame that the posture is from
    speeds       (J,) the fastest that each joint turns in that clip, radians a second
    """

    pose: Clip
    clip: str
    frame: int
    speeds: Floats

    def at(self, x: float, z: float, yaw: float) -> Clip:
        """Return the pose at a place, facing a way."""
        return move(self.pose, x, z, yaw)


def stand_at_origin(clip: Clip, frame: int) -> Clip:
    """Return one frame of a clip, its root over the origin, its hips facing +Z."""
    one = clip[frame : frame + 1]
    x, z, yaw = float(one.root[0, 0]), float(one.root[0, 2]), float(facings(one)[0])
    return move(move(one, -x, -z), yaw=-yaw).derive(tags=(), contacts=np.ones((1, 4), np.bool_))


def plainest_stand(rests: Sequence[tuple[Clip, int]]) -> int:
    """Return the frame, with its clip, that stands most evenly: upright, feet side by side."""
    return int(np.argmin(np.round([_unevenness(*rest) for rest in rests], 4)))


def _unevenness(clip: Clip, frame: int) -> float:
    """Return how uneven a stand is, metres in all."""
    pose = stand_at_origin(clip, frame)
    at, skeleton = pose.positions[0], pose.skeleton
    left, right = (at[skeleton.role(f"{side}_ankle")] for side in SIDES)
    wide = abs(abs(left[0] - right[0]) - _APART * mean_leg(skeleton))
    middle = 0.5 * (left + right)
    hips = np.mean([at[skeleton.role(f"{side}_hip")] for side in SIDES], axis=0)
    head = at[skeleton.roles.get("head", skeleton.role("neck"))]
    bent = mean_leg(skeleton) - float(np.linalg.norm(hips - middle))
    leans = float(np.hypot(*(head - hips)[[0, 2]]))
    feet = abs(float(left[2] - right[2])) + 0.5 * float(wide)
    return feet + float(np.hypot(middle[0], middle[2])) + 3.0 * max(bent, 0.0) + 0.5 * leans


def stand_like(walk: Clip) -> Clip:
    """Return a stand made from a walk: its mean posture, both sides alike, on straight legs."""
    every = max(1, len(walk) // _MOST_FRAMES)
    some = walk.rotations[::every]
    image = mirror(walk, keep_skeleton=True).rotations[::every]
    heading = quat.from_yaw(-quat.yaw_of(some[:, 0])), quat.from_yaw(-quat.yaw_of(image[:, 0]))
    both = np.concatenate([some, image])
    both[:, 0] = quat.multiply(np.concatenate(heading), both[:, 0])
    rotations = quat.weighted_mean(np.swapaxes(both, 0, 1))
    skeleton = walk.skeleton
    feet = [foot_of(skeleton, side) for side in SIDES]
    for foot in feet:
        for joint in (foot.hip, foot.knee, foot.ankle, foot.toe):
            if joint is not None:
                rotations[joint] = [1.0, 0.0, 0.0, 0.0]
    root = np.zeros((1, 3))
    poses = forward_kinematics(skeleton, root, rotations[None])
    hips = poses.positions[0, [foot.hip for foot in feet]]
    leg = mean_leg(skeleton)
    ankle_height = -float(np.mean([foot.heel[1] for foot in feet]))
    root[0] = [0.0, ankle_height + _EXTENSION * leg - hips[:, 1].mean(), 0.0]
    for k, foot in enumerate(feet):
        turn = quat.from_yaw((1.0 - 2.0 * k) * _TOE_OUT)
        target = np.array([hips[k, 0], ankle_height, hips[:, 2].mean()])
        stand = forward_kinematics(skeleton, root, rotations[None])
        solve_leg(skeleton, stand, rotations[None], foot, target[None], turn[None], turn[None], 0.0)
    pose = Clip(skeleton, walk.fps, root, rotations[None], name=walk.name)
    return stand_at_origin(pose, 0)
