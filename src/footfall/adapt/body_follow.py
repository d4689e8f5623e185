"""How the body goes along with its feet when they are held: legs stay as straight as they were."""

from __future__ import annotations

import numpy as np

from footfall.adapt.foot_track import FootTrack, LockOptions, cover, ease, leg_lengths, longest_legs
from footfall.adapt.holds import Foot, Holds
from footfall.body.kinematics import WorldPoses
from footfall.maths.arrays import Floats
from footfall.maths.filters import smooth_gaussian

_ANTICIPATION_S = 0.3
"""How long before it lands a foot begins to draw the body along."""
_LOWER_FOOT_M = 0.05
"""A foot this much lower than the other draws the body e times as much."""
_QUICK_S, _QUICK_M = 0.06, 0.015
"""What the legs still lack after that is followed within this time, up to about so far."""
_QUICK_EASE_S = 0.1
_SWINGING = 0.02
"""How much the leg of a swinging foot counts against that of a held one."""
_BENT = 0.005
"""1 - reach² at which a leg counts half as much as a straight one."""
_UPRIGHT = 0.3
"""A leg that reaches down by less than this share of its length does not carry the body."""
_LITTLE_M = 0.008
"""What the body sinks beyond this is begun earlier, so that it does not jolt."""


def body_shift(
    poses: WorldPoses,
    feet: list[Foot],
    holds: list[Holds],
    tracks: list[FootTrack],
    fps: float,
    options: LockOptions,
) -> Floats:
    """(T, 3) how the body moves along with its feet: their mean correction, the held one's most.

    In height the lower foot counts for more: who walks downhill sinks before the foot lands, and
    who climbs stays low until the weight has gone over. What is small goes quicker, so that
    legs keep their length where the recording floats above its floor or sinks into it.
    """
    moved, weights = [], []
    for foot, held, track in zip(feet, holds, tracks, strict=True):
        moved.append(track.ankle - poses.positions[:, foot.ankle])
        weights.append(0.05 + ease(held.held, _ANTICIPATION_S * fps))
    change, weight = np.stack(moved), np.stack(weights)
    rise = change[..., 1]
    low = weight * np.exp(np.clip((rise.min(axis=0) - rise) / _LOWER_FOOT_M, -20.0, 0.0))
    shift = (weight[..., None] * change).sum(axis=0) / weight.sum(axis=0)[:, None]
    shift[:, 1] = (low * rise).sum(axis=0) / low.sum(axis=0)
    shift = smooth_gaussian(shift, options.body_smoothing_s * fps)
    more = _rise_to_keep_legs(poses, feet, holds, tracks, shift, fps)
    shift[:, 1] += smooth_gaussian(_QUICK_M * np.tanh(more / _QUICK_M), _QUICK_S * fps)
    return shift


def _rise_to_keep_legs(
    poses: WorldPoses,
    feet: list[Foot],
    holds: list[Holds],
    tracks: list[FootTrack],
    shift: Floats,
    fps: float,
) -> Floats:
    """(T,) how much further the body rises so that its legs are as long as in the source.

    Both legs count, the held one's more and the straighter one's, whose knee changes most.
    """
    total, weight = np.zeros(len(shift)), np.zeros(len(shift))
    for foot, held, track in zip(feet, holds, tracks, strict=True):
        own, leg = leg_lengths(poses, foot)
        line = track.ankle - poses.positions[:, foot.hip] - shift
        down = np.sqrt(np.maximum(own**2 - line[:, 0] ** 2 - line[:, 2] ** 2, 0.0))
        carries = down > _UPRIGHT * own
        counts = _SWINGING + ease(held.held, _QUICK_EASE_S * fps)
        counts /= _BENT + 1.0 - np.minimum(own / leg, 1.0) ** 2
        total += np.where(carries, counts * (line[:, 1] + down), 0.0)
        weight += counts
    return total / weight


def sinking(
    poses: WorldPoses,
    feet: list[Foot],
    holds: list[Holds],
    tracks: list[FootTrack],
    shift: Floats,
    fps: float,
    options: LockOptions,
) -> Floats:
    """(T,) how far the body must sink so that both legs reach the feet that are held.

    Smooth and never too little; what is little comes and goes within a moment.
    """
    need = np.zeros(len(shift))
    for foot, held, track in zip(feet, holds, tracks, strict=True):
        longest = longest_legs(poses, foot, options)
        line = track.ankle - (poses.positions[:, foot.hip] + shift)
        drop = np.sqrt(np.maximum(longest**2 - line[:, 0] ** 2 - line[:, 2] ** 2, 0.0))
        need = np.maximum(need, np.where(held.held, -line[:, 1] - drop, 0.0))
    if not need.any():
        return need
    much = cover(np.maximum(need - _LITTLE_M, 0.0), round(options.body_smoothing_s * fps))
    return much + cover(np.maximum(need - much, 0.0), round(options.give_way_s * fps))
