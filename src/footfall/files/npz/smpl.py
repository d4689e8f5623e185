"""SMPL's tree of joints, and an average character for it where no body model is given.

Names and tree are those that SMPL, SMPL+H and SMPL-X files are laid out by. The character is not
SMPL's: its lengths are the published proportions of Drillis & Contini (1966), as printed in
Winter, *Biomechanics and Motor Control of Human Movement*, fig. 4.1, for a stature of 1.70 m;
where they say nothing (spine, joint centres inside the trunk, fingers) the fractions are ours.
It stands in a T-pose, Y up, facing +Z, left arm along +X, the pelvis at the origin.
"""

from __future__ import annotations

import numpy as np

from footfall.maths.arrays import Floats

BODY_NAMES = (
    "pelvis", "left_hip", "right_hip", "spine1", "left_knee", "right_knee", "spine2",
    "left_ankle", "right_ankle", "spine3", "left_foot", "right_foot", "neck", "left_collar",
    "right_collar", "head", "left_shoulder", "right_shoulder", "left_elbow", "right_elbow",
    "left_wrist", "right_wrist", "left_hand", "right_hand",
)  # fmt: skip
BODY_PARENTS = (
    -1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 12, 13, 14, 16, 17, 18, 19, 20, 21,
)  # fmt: skip
FINGERS = ("index", "middle", "pinky", "ring", "thumb")

STATURE_M = 1.70
# Fractions of stature.
_HIP_HEIGHT, _KNEE_HEIGHT, _ANKLE_HEIGHT = 0.530, 0.285, 0.039
_SHOULDER_HEIGHT, _CHIN_HEIGHT = 0.818, 0.870
_HIP_HALF, _SHOULDER_HALF, _COLLAR_HALF = 0.050, 0.100, 0.045
_UPPER_ARM, _FOREARM, _HAND = 0.186, 0.146, 0.108
_FOOT = 0.152


def hand_names(side: str) -> tuple[str, ...]:
    """The 15 finger joints of a hand, in SMPL+H's order."""
    return tuple(f"{side}_{finger}{n}" for finger in FINGERS for n in (1, 2, 3))


def average_positions() -> dict[str, Floats]:
    """Joint and tip positions in metres, the pelvis at the origin: name -> (3,).

    Tips (`head_tip`, `left_foot_tip`, `left_hand_tip`, `left_index_tip`, …) end the chains.
    """
    pelvis = _HIP_HEIGHT + 0.010
    points: dict[str, tuple[float, float, float]] = {
        "pelvis": (0.0, 0.0, 0.0),
        "spine1": (0.0, 0.065, -0.005),
        "spine2": (0.0, 0.140, -0.005),
        "spine3": (0.0, 0.215, -0.005),
        "neck": (0.0, _SHOULDER_HEIGHT + 0.012 - pelvis, -0.015),
        "head": (0.0, _CHIN_HEIGHT + 0.012 - pelvis, 0.005),
        "head_tip": (0.0, 1.0 - pelvis, 0.005),
    }
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for name, point in {**_leg(pelvis), **_arm(pelvis)}.items():
            points[f"{side}_{name}"] = (sign * point[0], point[1], point[2])
    return {name: STATURE_M * np.array(point) for name, point in points.items()}


def _leg(pelvis: float) -> dict[str, tuple[float, float, float]]:
    heel_to_ankle = 0.25 * _FOOT
    ball = 0.70 * _FOOT - heel_to_ankle
    return {
        "hip": (_HIP_HALF, _HIP_HEIGHT - pelvis, 0.0),
        "knee": (_HIP_HALF, _KNEE_HEIGHT - pelvis, 0.0),
        "ankle": (_HIP_HALF, _ANKLE_HEIGHT - pelvis, -0.012),
        "foot": (_HIP_HALF + 0.004, 0.010 - pelvis, ball - 0.012),
        "foot_tip": (_HIP_HALF + 0.004, 0.005 - pelvis, 0.75 * _FOOT - 0.012),
    }


def _arm(pelvis: float) -> dict[str, tuple[float, float, float]]:
    height, depth = _SHOULDER_HEIGHT - pelvis, -0.010
    elbow = _SHOULDER_HALF + _UPPER_ARM
    wrist = elbow + _FOREARM
    points = {
        "collar": (_COLLAR_HALF, height - 0.010, depth),
        "shoulder": (_SHOULDER_HALF, height, depth),
        "elbow": (elbow, height, depth),
        "wrist": (wrist, height, depth),
        "hand": (wrist + 0.45 * _HAND, height, depth),
        "hand_tip": (wrist + _HAND, height, depth),
    }
    # Knuckles across the palm, then three phalanges; each finger: side step, start and length.
    rows = {
        "index": (0.013, 0.47, 0.46), "middle": (0.002, 0.48, 0.52), "ring": (-0.009, 0.46, 0.48),
        "pinky": (-0.019, 0.43, 0.38), "thumb": (0.022, 0.16, 0.38),
    }  # fmt: skip
    for finger, (across, start, length) in rows.items():
        for n, share in (("1", 0.0), ("2", 0.45), ("3", 0.75), ("_tip", 1.0)):
            reach = wrist + _HAND * (start + share * length)
            points[f"{finger}{n}"] = (reach, height, depth + across)
    return points
