"""Lean the trunk with the slope: forward uphill, a little back downhill.

The trunk turns towards the hill about its own joints, so that hips and legs stay as they are.
The head keeps its direction and looks where it looked, and the arms keep hanging.
"""

from __future__ import annotations

import math

import numpy as np

from footfall.adapt.feet.holds import Holds
from footfall.body.clip import Clip
from footfall.body.roles import SIDES, path_between
from footfall.body.skeleton import Skeleton
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats
from footfall.maths.filters import smooth_gaussian

UPHILL, DOWNHILL = 0.4, 0.2
"""How far people's trunks lean towards the hill, as a share of its slope."""
MOST_UP, MOST_DOWN = math.radians(15.0), math.radians(6.0)
_SMOOTHING_S = 0.45
"""How slowly the lean changes: about as a step does."""
_HEAD_LEVEL = 0.6
"""How much of a lean into a curve the head makes up for."""
_STANDING_M_S = 0.25
"""Below this speed the lean fades; a standing body does not lean."""


def lean_with_slope(clip: Clip, holds: list[Holds]) -> Clip:
    """Return `clip` leaning with the slope that its footprints climb."""
    lean = slope_lean(holds, len(clip), clip.fps)
    if not np.any(np.abs(lean) > 1e-6):
        return clip
    shares = lean_shares(clip.skeleton)
    rotations = np.array(clip.rotations)
    for joint in np.flatnonzero(shares).tolist():
        # A joint, and all that hangs on it, turns by its share of the lean, in the world.
        above = clip.world.rotations[:, int(clip.skeleton.parents[joint])]
        world = quat.from_rotation_vector(shares[joint] * lean)
        local = quat.multiply(quat.multiply(quat.conjugate(above), world), above)
        rotations[:, joint] = quat.normalise(quat.multiply(local, rotations[:, joint]))
    return clip.with_rotations(quat.continuous(rotations))


def lean_shares(skeleton: Skeleton) -> Floats:
    """Return (J,) how much of a lean each joint turns by, so that the line from hips to shoulders
    leans while head and arms stay as they are; all 0 without a trunk."""
    roles, shares = skeleton.roles, np.zeros(len(skeleton))
    trunk = path_between(skeleton, roles["hips"], roles["chest"])
    if not trunk:
        return shares
    total = 1.0 / trunk_lever(skeleton, trunk)
    shares[trunk] = total / len(trunk)
    neck = carrying_head(skeleton)
    shares[neck] = -total / max(len(neck), 1)
    shares[[roles[f"{side}_shoulder"] for side in SIDES]] = -total
    return shares


def roll_shares(skeleton: Skeleton) -> Floats:
    """(J,) how much of a lean into a curve each joint turns by: the body does, soles stay level.

    The head keeps most of its direction.
    """
    roles, shares = skeleton.roles, np.zeros(len(skeleton))
    shares[0] = 1.0
    neck = carrying_head(skeleton)
    shares[neck] -= _HEAD_LEVEL / max(len(neck), 1)
    shares[[roles[f"{side}_ankle"] for side in SIDES]] = -1.0
    return shares


def slope_lean(holds: list[Holds], frames: int, fps: float) -> Floats:
    """Return (T, 3) the lean that suits the footprints, as world rotation vectors, radians."""
    if frames < 2 or any(len(held) == 0 for held in holds):
        return np.zeros((frames, 3))
    way = np.mean([_way_of_foot(held, frames) for held in holds], axis=0)
    velocity = fps * np.gradient(smooth_gaussian(way, _SMOOTHING_S * fps), axis=0)
    level = velocity * [1.0, 0.0, 1.0]
    speed = np.linalg.norm(level, axis=1)
    slope = np.arctan2(velocity[:, 1], np.maximum(speed, 1e-6))
    slope *= speed**2 / (speed**2 + _STANDING_M_S**2)
    angle = np.clip(np.where(slope > 0.0, UPHILL, DOWNHILL) * slope, -MOST_DOWN, MOST_UP)
    # Leaning along the way is a turn about what lies across it, to the left of it.
    across = np.stack([level[:, 2], np.zeros(frames), -level[:, 0]], axis=1)
    lean = angle[:, None] * across / np.maximum(speed, 1e-6)[:, None]
    return smooth_gaussian(lean, 0.5 * _SMOOTHING_S * fps)


def _way_of_foot(holds: Holds, frames: int) -> Floats:
    """Return (T, 3) a foot's way from footprint to footprint, straight."""
    edges = np.stack([holds.spans[:, 0], holds.spans[:, 1] - 1], axis=1).reshape(-1)
    spots = np.repeat(holds.spots, 2, axis=0)
    return np.stack([np.interp(np.arange(frames), edges, column) for column in spots.T], axis=1)


def carrying_head(skeleton: Skeleton) -> list[int]:
    """Return the joints that carry the head and neither arm, lowest first."""
    roles = skeleton.roles
    below = path_between(skeleton, 0, roles.get("head", roles.get("neck", 0)))
    shoulders = [roles[f"{side}_shoulder"] for side in SIDES]
    return [j for j in below if not any(skeleton.descends(s, j) for s in shoulders)]


def trunk_lever(skeleton: Skeleton, trunk: list[int]) -> float:
    """Return the lean from hips to shoulders if each joint of the trunk turns by its share.

    Joints turn only what is above them.
    """
    height, roles = skeleton.rest_positions[:, 1], skeleton.roles
    top = 0.5 * sum(float(height[roles[f"{side}_shoulder"]]) for side in SIDES)
    above = np.maximum(top - height[trunk], 0.0).mean()
    return max(float(above) / max(top - float(height[roles["hips"]]), 1e-6), 0.5)
