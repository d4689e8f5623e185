"""Arms that keep clear of thighs and trunk: bodies have thickness, angles do not know it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from footfall.body.kinematics import WorldPoses
from footfall.body.roles import SIDES
from footfall.body.skeleton import Skeleton
from footfall.library.generate.skeleton import MEAN_LEG_M
from footfall.maths.arrays import Bools, Floats
from footfall.maths.quaternions import rotate

_ARM = (("shoulder", "elbow", 0.042), ("elbow", "wrist", 0.038), ("wrist", "", 0.026))
_BODY = (
    ("left_hip", "left_knee", 0.066), ("right_hip", "right_knee", 0.066),
    ("left_knee", "left_ankle", 0.05), ("right_knee", "right_ankle", 0.05),
    ("left_hip", "right_hip", 0.09), ("spine", "chest", 0.09), ("chest", "neck", 0.1),
    ("head", "head", 0.09),
)  # fmt: skip
"""Lines from joint to joint and how thick they are, metres, of a slim adult of the mean size."""
_UPPER_ARM = np.array([1, 1, 0, 0, 1, 1, 0, 0], np.bool_)
"""What an upper arm must keep clear of; the chest it lies against."""


def arm_depth(character: Skeleton, poses: WorldPoses, side: str, leg_m: float) -> Floats:
    """(T,) how deep, metres, an arm is in trunk, legs or head; negative is the gap."""
    from footfall.library.generate.solid_kernels import deepest

    size = leg_m / MEAN_LEG_M
    places = poses.positions
    wrist = character.role(f"{side}_wrist")
    end = int(np.flatnonzero(character.end_joints == wrist)[0])
    tip = places[:, wrist] + rotate(poses.rotations[:, wrist], character.end_offsets[end])
    lines = [
        (places[:, character.role(f"{side}_{a}")],
         places[:, character.role(f"{side}_{b}")] if b else tip)
        for a, b, _ in _ARM
    ]  # fmt: skip
    body = [(places[:, character.role(a)], places[:, character.role(b)]) for a, b, _ in _BODY]
    middle = 0.5 * (body[4][0] + body[4][1])
    body[4] = (0.5 * (body[4][0] + middle), 0.5 * (body[4][1] + middle))
    body[6] = (body[6][0], 0.4 * body[6][0] + 0.6 * body[6][1])
    out = np.empty(len(places))
    deepest(
        _stacked(lines), np.array([r for *_, r in _ARM]) * size,
        _stacked(body), np.array([r for *_, r in _BODY]) * size, _pairs(), out,
    )  # fmt: skip
    return out


def _pairs() -> Bools:
    return np.stack([_UPPER_ARM, np.ones(len(_BODY), np.bool_), np.ones(len(_BODY), np.bool_)])


def _stacked(lines: Sequence[tuple[Floats, Floats]]) -> Floats:
    return np.stack([np.stack(line, axis=1) for line in lines], axis=1)


def arm_depths(character: Skeleton, poses: WorldPoses, leg_m: float) -> list[Floats]:
    """The same of the left and the right arm."""
    return [arm_depth(character, poses, side, leg_m) for side in SIDES]
