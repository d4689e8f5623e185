"""A body as capsules, one or more for each joint, as thick as the mannequin is there.

What touches what is asked of capsules: they hold the whole body and are few.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from footfall.body.kinematics import WorldPoses
from footfall.body.skeleton import Skeleton
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.maths.quaternions import rotate

_GIRTH = 0.95
"""A capsule holds this share of the mannequin's points around its bone; more would make corners
of a body count as its thickness."""
_LEAST_SHARE = 0.004
"""Joints that carry less of the body than this (fingers) are part of the joint above."""


@dataclass(frozen=True, eq=False)
class Capsules:
    """B capsules in the frames of their joints.

    joints  (B,) the joint that carries each       radii  (B,) metres
    ends    (B, 2, 3) both ends of its axis against the joint, in the joint's rest frame
    feet    (B,) whether it is a foot or a toe
    """

    joints: Ints
    ends: Floats
    radii: Floats
    feet: Bools

    def __len__(self) -> int:
        return len(self.joints)

    def placed(self, poses: WorldPoses) -> Floats:
        """(T, B, 2, 3) both ends of every capsule in the world."""
        turns, places = poses.rotations[:, self.joints], poses.positions[:, self.joints]
        out = np.empty((len(places), len(self), 2, 3))
        for end in range(2):
            axis = self.ends[:, end]
            # Most capsules begin at their joint: there is nothing to turn.
            out[:, :, end] = places + rotate(turns, axis) if axis.any() else places
        return out


@lru_cache(maxsize=32)
def body_capsules(skeleton: Skeleton) -> Capsules:
    """The capsules of the mannequin of a skeleton."""
    from footfall.body.mannequin import mannequin

    body = mannequin(skeleton)
    owner = body.joints[np.arange(len(body.joints)), body.weights.argmax(axis=1)]
    owner = _gathered(skeleton, owner)
    joints, ends, radii = [], [], []
    for joint in np.unique(owner).tolist():
        points = body.mesh.vertices[owner == joint] - skeleton.rest_positions[joint]
        bones = _bones(skeleton, joint, points)
        distance = np.stack([_from_segment(points, bone) for bone in bones])
        nearest = distance.argmin(axis=0)
        for n, bone in enumerate(bones):
            mine = distance[n, nearest == n]
            if len(mine) >= 4:
                radius = float(np.quantile(mine, _GIRTH))
                joints.append(joint)
                last = not skeleton.children[joint]
                ends.append(_drawn_in(bone, radius) if last else bone)
                radii.append(radius)
    feet = [_is_foot(skeleton, joint) for joint in joints]
    return Capsules(np.array(joints, np.int32), np.array(ends), np.array(radii), np.array(feet))


def _gathered(skeleton: Skeleton, owner: Ints) -> Ints:
    """(V,) which joint carries each point, small parts given to the joint above."""
    counts = np.bincount(owner, minlength=len(skeleton))
    goes_to = np.arange(len(skeleton), dtype=np.int32)
    for joint in range(len(skeleton) - 1, 0, -1):
        if counts[joint] < _LEAST_SHARE * len(owner):
            parent = int(skeleton.parents[joint])
            counts[parent] += counts[joint]
            goes_to[goes_to == joint] = parent
    return np.asarray(goes_to[owner])


def _bones(skeleton: Skeleton, joint: int, points: Floats) -> list[Floats]:
    """The axes (2, 3) from a joint to its children; of a last joint, through its own points."""
    ends = [skeleton.offsets[child] for child in skeleton.children[joint]]
    ends += list(skeleton.end_offsets[skeleton.end_joints == joint])
    ends = [end for end in ends if np.linalg.norm(end) > 0.02]
    if not ends or len(skeleton.children[joint]) == 0:
        ends = [2.0 * points.mean(axis=0)]
    return [np.stack([np.zeros(3), end]) for end in ends]


def _from_segment(points: Floats, ends: Floats) -> Floats:
    """(P,) the distance of points (P, 3) from the segment between two ends (2, 3)."""
    along = ends[1] - ends[0]
    share = np.clip((points - ends[0]) @ along / max(float(along @ along), 1e-12), 0.0, 1.0)
    return np.asarray(np.linalg.norm(points - ends[0] - share[:, None] * along, axis=1))


def _drawn_in(bone: Floats, radius: float) -> Floats:
    """The axis made shorter at its far end, so that the round cap does not reach beyond it."""
    length = float(np.linalg.norm(bone[1] - bone[0]))
    return np.stack([bone[0], bone[0] + max(1.0 - radius / length, 0.0) * (bone[1] - bone[0])])


def _is_foot(skeleton: Skeleton, joint: int) -> bool:
    ankles = [skeleton.roles[n] for n in ("left_ankle", "right_ankle") if n in skeleton.roles]
    return any(joint == a or skeleton.descends(joint, a) for a in ankles)
