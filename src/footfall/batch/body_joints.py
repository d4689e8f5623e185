"""The 22 body joints of SMPL, from the roles of any humanoid skeleton.

Footfall's skeletons rest in a T-pose with all rotations the identity, as SMPL does. So a joint's
rotation in the world is the same on both, and only the tree differs. A joint that a skeleton
lacks turns with the joint above it; `_BETWEEN` and `_TIPS` state where it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footfall.files.npz.amass import BODY_NAMES, BODY_PARENTS
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats

if TYPE_CHECKING:
    from footfall.body.clip import Clip
    from footfall.body.skeleton import Skeleton

JOINTS = 22
NAMES, PARENTS = BODY_NAMES[:JOINTS], BODY_PARENTS[:JOINTS]
_OTHER_ROLES = {"pelvis": "hips", "spine1": "spine", "spine3": "chest", "foot": "toe",
                "collar": "clavicle"}  # fmt: skip
_BETWEEN = {
    "spine1": ("pelvis", "spine3", 1.0 / 3.0), "spine2": ("spine1", "spine3", 0.5),
    "neck": ("spine3", "head", 0.5), "left_collar": ("spine3", "left_shoulder", 0.5),
    "right_collar": ("spine3", "right_shoulder", 0.5),
}  # fmt: skip
"""Joints that may be missing: the two joints that they are between, and how far along."""
_TIPS = {"head": "neck", "left_foot": "left_ankle", "right_foot": "right_ankle"}
"""Joints that may be missing: the joint whose farthest end site they are."""


def role_of(name: str) -> str:
    """Return the role that plays a joint of SMPL; `spine2` has none."""
    side, _, part = name.rpartition("_")
    return f"{side}_{_OTHER_ROLES.get(part, part)}" if side else _OTHER_ROLES.get(part, part)


def find_joints(skeleton: Skeleton) -> dict[str, int]:
    """Return the joint of a skeleton for each joint of SMPL that it has."""
    found = {name: skeleton.roles[role_of(name)] for name in NAMES
             if role_of(name) in skeleton.roles}  # fmt: skip
    for name in NAMES:
        if name not in found and name not in _BETWEEN and name not in _TIPS:
            skeleton.role(role_of(name))  # an error names the joint that is missing
    if "spine1" in found:
        chain = skeleton.chain(found["spine1"], found["spine3"])
        if len(chain) > 2:
            found["spine2"] = chain[len(chain) // 2]
    return found


def body_positions(clip: Clip) -> Floats:
    """Return where the 22 joints are in the world (T, 22, 3), in metres."""
    joints = find_joints(clip.skeleton)
    places = {name: clip.positions[:, joint] for name, joint in joints.items()}
    for name, above in _TIPS.items():
        if name not in places:
            places[name] = _tip(clip, joints.get(above, joints["spine3"]))
    for name, (below, top, share) in _BETWEEN.items():
        if name not in places:
            places[name] = (1.0 - share) * places[below] + share * places[top]
    return np.stack([places[name] for name in NAMES], axis=1)


def body_rotations(clip: Clip) -> Floats:
    """Return the rotations (T, 22, 4) of the joints against those above in SMPL's tree.

    They are w x y z and continuous in time. That of the pelvis is in the world.
    """
    joints, world = find_joints(clip.skeleton), np.empty((len(clip), JOINTS, 4))
    for joint, name in enumerate(NAMES):
        own = joints.get(name)
        world[:, joint] = (
            world[:, PARENTS[joint]] if own is None else clip.world.rotations[:, own]
        )  # fmt: skip
    local = world.copy()
    local[:, 1:] = quat.multiply(quat.conjugate(world[:, list(PARENTS[1:])]), world[:, 1:])
    return quat.continuous(quat.normalise(local))


def _tip(clip: Clip, joint: int) -> Floats:
    """Return the farthest end site of a joint (T, 3), or the joint itself."""
    ends = np.flatnonzero(clip.skeleton.end_joints == joint)
    if not len(ends):
        return clip.positions[:, joint]
    lengths = np.linalg.norm(clip.skeleton.end_offsets[ends], axis=1)
    return clip.end_positions[:, ends[int(np.argmax(lengths))]]
