"""The default character: 22 joints of average proportions, standing in a T-pose on y = 0.

Names follow the custom of MotionBuilder, which most tools know.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from footfall.body.feet import sole_height
from footfall.body.skeleton import Skeleton
from footfall.generate.gait.gait_model import meta
from footfall.generate.performer import Performer
from footfall.maths.arrays import Floats
from footfall.maths.constants import MEAN_LEG_M

NAMES = {
    "pelvis": "Hips", "spine1": "Spine", "spine2": "Spine1", "chest": "Spine2",
    "neck": "Neck", "head": "Head",
    "clavL": "LeftShoulder", "shoulderL": "LeftArm", "elbowL": "LeftForeArm", "wristL": "LeftHand",
    "clavR": "RightShoulder", "shoulderR": "RightArm", "elbowR": "RightForeArm",
    "wristR": "RightHand",
    "hipL": "LeftUpLeg", "kneeL": "LeftLeg", "ankleL": "LeftFoot", "toeL": "LeftToeBase",
    "hipR": "RightUpLeg", "kneeR": "RightLeg", "ankleR": "RightFoot", "toeR": "RightToeBase",
}  # fmt: skip
ROLES = {
    "pelvis": "hips", "spine1": "spine", "chest": "chest", "neck": "neck", "head": "head",
    "clavL": "left_clavicle", "shoulderL": "left_shoulder", "elbowL": "left_elbow",
    "wristL": "left_wrist", "clavR": "right_clavicle", "shoulderR": "right_shoulder",
    "elbowR": "right_elbow", "wristR": "right_wrist", "hipL": "left_hip", "kneeL": "left_knee",
    "ankleL": "left_ankle", "toeL": "left_toe", "hipR": "right_hip", "kneeR": "right_knee",
    "ankleR": "right_ankle", "toeR": "right_toe",
}  # fmt: skip
END_SITES = ("head_top", "handL", "handR", "toe_tipL", "toe_tipR")


_TRUNK = ("spine1", "spine2", "chest", "neck", "head", "head_top")
_ARM = ("elbow", "wrist", "hand")


def default_skeleton(leg_m: float = MEAN_LEG_M) -> Skeleton:
    """The default character with legs (thigh plus shank) of `leg_m` metres."""
    return _skeleton(leg_m, {})


def performer_skeleton(who: Performer) -> Skeleton:
    """The default character with the body of a performer."""
    return _skeleton(who.leg_m, who.proportions, who.girth)


def _skeleton(leg_m: float, proportions: Mapping[str, float], girth: float = 1.0) -> Skeleton:
    figures = meta()
    joints = list(NAMES)

    def offset(joint: str) -> Floats:
        return np.array(figures["rest_offsets_L"][joint]) * _widths(joint, proportions)

    parents = [-1 if j == "pelvis" else joints.index(figures["parents"][j]) for j in joints]
    offsets = np.array([offset(j) for j in joints]) * leg_m
    ends = [joints.index(figures["parents"][e]) for e in END_SITES]
    end_offsets = np.array([offset(e) for e in END_SITES]) * leg_m
    character = Skeleton(
        names=tuple(NAMES[j] for j in joints),
        parents=np.array(parents, np.int32),
        offsets=offsets,
        end_joints=np.array(ends, np.int32),
        end_offsets=end_offsets,
        roles={role: joints.index(j) for j, role in ROLES.items()},
        girth=girth,
    )
    offsets[0, 1] = -sole_height(character)
    return replace(character, offsets=offsets)


def _widths(joint: str, proportions: Mapping[str, float]) -> Floats:
    """(3,) how much wider, longer and deeper than usual a bone is for the legs."""
    trunk, arms, shoulders, hips = (
        proportions.get(part, 1.0) for part in ("trunk", "arms", "shoulders", "hips")
    )
    if joint in _TRUNK:
        return np.full(3, trunk)
    part = joint[:-1]
    if part in ("clav", "shoulder"):
        return np.array([shoulders, trunk, trunk])
    if part in _ARM:
        return np.full(3, arms)
    return np.array([hips, 1.0, 1.0]) if part == "hip" else np.ones(3)
