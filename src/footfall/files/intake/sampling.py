"""Looking at a few frames of a motion on its way in, at little cost."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from footfall.body.kinematics import forward_kinematics
from footfall.body.rest import ReferencePose, pose_reference
from footfall.body.roles import SIDES
from footfall.body.skeleton import Skeleton
from footfall.maths.arrays import Floats, Ints
from footfall.maths.quaternions import reference_orientation

_STEEPEST_FOOT = np.radians(-40.0)  # a runner's foot may never be flat; no foot is built steeper


def sample_frames(frames: int, most: int) -> Ints:
    """Return at most `most` frame indices, evenly spread."""
    step = max(1, -(-frames // most))
    return np.arange(0, frames, step, dtype=np.int32)


def sampled_positions(
    skeleton: Skeleton, keep: Ints, root: Floats, rotations: Floats, frames: Ints,
    joints: Sequence[int],
) -> Floats:  # fmt: skip
    """Return (F, len(joints), 3) world positions at some frames, computing only the chains needed.

    keep says which column of `rotations` (T, J, 4) each joint of the skeleton has.
    """
    chain = _chains(skeleton, joints)
    index = {joint: k for k, joint in enumerate(chain)}
    above = skeleton.parents.tolist()
    parents = np.array([-1, *(index[above[j]] for j in chain[1:])], dtype=np.int32)
    part = Skeleton(tuple(skeleton.names[j] for j in chain), parents, skeleton.offsets[chain])
    poses = forward_kinematics(part, root[frames], rotations[np.ix_(frames, keep[chain])])
    return poses.positions[:, [index[j] for j in joints]]


def mean_reference(
    skeleton: Skeleton, keep: Ints, root: Floats, rotations: Floats, axes: Floats
) -> ReferencePose:
    """Return the motion's mean posture over its more upright half, root rotation left out.

    Feet and toes are averaged over the frames where that foot stands flat: low and slow.
    axes  (3, 3) turns the file's world to y up
    """
    frames = sample_frames(len(root), 400)
    roles = skeleton.roles
    top = roles.get("head", roles.get("neck", roles["chest"]))
    feet = [roles[f"{s}_ankle"] for s in SIDES]
    toes = [roles.get(f"{s}_toe", roles[f"{s}_ankle"]) for s in SIDES]
    places = (
        sampled_positions(skeleton, keep, root, rotations, frames, [top, *feet, *toes]) @ axes.T
    )
    height = places[:, 0, 1] - places[:, 1:3, 1].min(1)
    upright = np.flatnonzero(height >= np.median(height))
    some = rotations[np.ix_(frames[upright], keep)]
    local = reference_orientation(np.swapaxes(some, 0, 1))
    local[0] = (1.0, 0.0, 0.0, 0.0)
    pitch: dict[str, float] = {}
    for k, side in enumerate(SIDES):
        flat = _flat_frames(places[:, 1 + k], places[:, 3 + k])
        if len(flat) and toes[k] != feet[k]:
            foot = (places[:, 3 + k] - places[:, 1 + k])[flat]
            angle = float(np.median(np.arctan2(foot[:, 1], np.hypot(foot[:, 0], foot[:, 2]))))
            pitch[side] = min(max(angle, _STEEPEST_FOOT), 0.0)
            local[toes[k]] = reference_orientation(rotations[frames[flat], keep[toes[k]]])
    still = pose_reference(skeleton, local)
    return ReferencePose(still.orientations, still.positions, still.tips, False, pitch)


def _flat_frames(ankle: Floats, toe: Floats) -> Ints:
    """Indices of frames where a foot stands: the slowest third, of these the lower half.

    ankle, toe  (F, 3) positions
    """
    if len(ankle) < 6:
        return np.arange(len(ankle), dtype=np.int32)
    speed = np.linalg.norm(np.gradient(ankle, axis=0), axis=1) + np.linalg.norm(
        np.gradient(toe, axis=0), axis=1
    )
    slow = np.flatnonzero(speed <= np.quantile(speed, 0.33)).astype(np.int32)
    low = ankle[slow, 1]
    return np.asarray(slow[low <= np.median(low)])


def _chains(skeleton: Skeleton, joints: Sequence[int]) -> list[int]:
    return sorted({0}.union(joints, *(skeleton.ancestors(joint) for joint in joints)))
