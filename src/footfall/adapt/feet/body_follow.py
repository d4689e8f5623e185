"""Move the body with its held feet: legs stay as straight as they were."""

from __future__ import annotations

import numpy as np

from footfall.adapt.feet.constants import FeetConstants
from footfall.adapt.feet.holds import Holds
from footfall.adapt.feet.track import BodyMove, FootTrack, Leg, cover, ease
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats
from footfall.maths.filters import smooth_gaussian

_ANTICIPATION_S = 0.3
"""How long before it lands a foot begins to draw the body along."""
_QUICK_S, _LEVEL_QUICK_S = 0.06, 0.03
"""What the legs still lack after that is followed within this time; on level ground sooner."""
_TILT_RAD = 0.06
"""About how far a pelvis is tilted at most where one leg is short and the other long."""
_KEEPS_LEVEL = 0.1
"""How much a pelvis stays level beside legs, of one leg length apart, that stay straight."""
_UNSEEN_RAD = 0.001
_QUICK_EASE_S = 0.1
_SWINGING = 0.02
"""How much the leg of a swinging foot counts against that of a held one."""
_BENT = 0.005
"""1 - reach² at which a leg counts half as much as a straight one."""
_UPRIGHT = 0.3
"""A leg that reaches down by less than this share of its length does not carry the body."""


def follow_feet(
    ankles: list[Floats],
    legs: list[Leg],
    holds: list[Holds],
    tracks: list[FootTrack],
    fps: float,
    options: FeetConstants,
    level: bool,
) -> BodyMove:
    """Return how the body moves along with its feet: their mean correction, the held one's most.

    In height the lower foot counts for more: who walks downhill sinks before the foot lands, and
    who climbs stays low until the weight has gone over. What is small goes quicker, so that
    legs keep their length where the recording floats above its floor or sinks into it, and the
    pelvis tilts where that takes one hip up and the other down.

    ankles  where they are (T, 3) in the source
    level   whether nothing but the recording's own floor moves the feet
    """
    moved, weights = [], []
    for ankle, held, track in zip(ankles, holds, tracks, strict=True):
        moved.append(track.ankle - ankle)
        weights.append(0.05 + ease(held.held, _ANTICIPATION_S * fps))
    change, weight, leg_m = np.stack(moved), np.stack(weights), legs[0].leg_m
    rise = change[..., 1]
    low = weight * np.exp(
        np.clip((rise.min(axis=0) - rise) / (options.lower_foot * leg_m), -20.0, 0.0)
    )
    shift = (weight[..., None] * change).sum(axis=0) / weight.sum(axis=0)[:, None]
    shift[:, 1] = (low * rise).sum(axis=0) / low.sum(axis=0)
    shift = smooth_gaussian(shift, options.body_smoothing_s * fps)
    rise, weight = _rises_to_keep_legs(legs, holds, tracks, shift, fps)
    tilt = None
    if level:
        across = legs[0].hip - legs[1].hip
        apart = np.hypot(across[:, 0], across[:, 2])
        angle = _tilt_angles(rise, weight, apart, fps)
        rise += np.outer([-0.5, 0.5], angle * apart)
        if np.abs(angle).max() > _UNSEEN_RAD:
            forward = np.stack([-across[:, 2], np.zeros(len(across)), across[:, 0]], axis=1)
            tilt = quat.from_axis_angle(forward, angle)
    more = (weight * rise).sum(axis=0) / weight.sum(axis=0)
    quick_s = _LEVEL_QUICK_S if level else _QUICK_S
    quick_m = leg_m * (options.level_quick if level else options.quick)
    shift[:, 1] += smooth_gaussian(quick_m * np.tanh(more / quick_m), quick_s * fps)
    return BodyMove(shift, tilt)


def _rises_to_keep_legs(
    legs: list[Leg], holds: list[Holds], tracks: list[FootTrack], shift: Floats, fps: float
) -> tuple[Floats, Floats]:
    """Return (2, T) how much further each hip rises so that its leg is as long as in the source.

    Also (2, T) how much that counts: a held foot's leg more, and a straight one's, whose knee
    changes most.
    """
    rise, weight = np.zeros((2, len(shift))), np.zeros((2, len(shift)))
    for k, (leg, held, track) in enumerate(zip(legs, holds, tracks, strict=True)):
        line = track.ankle - leg.hip - shift
        down = np.sqrt(np.maximum(leg.reach**2 - line[:, 0] ** 2 - line[:, 2] ** 2, 0.0))
        rise[k] = np.where(down > _UPRIGHT * leg.reach, line[:, 1] + down, 0.0)
        weight[k] = _SWINGING + ease(held.held, _QUICK_EASE_S * fps)
        weight[k] /= _BENT + 1.0 - np.minimum(leg.reach / leg.bones, 1.0) ** 2
    return rise, weight


def _tilt_angles(rise: Floats, weight: Floats, apart: Floats, fps: float) -> Floats:
    """Return (T,) the tilt of the pelvis, up on the left, that raises the hips (2, T).

    apart  (T,) how far the hip joints are from each other, metres
    """
    both = weight[0] * weight[1] / (weight[0] + weight[1])
    angle = both * apart * (rise[0] - rise[1]) / (both * apart**2 + _KEEPS_LEVEL)
    return smooth_gaussian(_TILT_RAD * np.tanh(angle / _TILT_RAD), _QUICK_S * fps)


def sinking(
    legs: list[Leg],
    holds: list[Holds],
    tracks: list[FootTrack],
    hips: list[Floats],
    fps: float,
    options: FeetConstants,
) -> Floats:
    """Return (T,) how far the body must sink so that both legs reach the feet that are held.

    Smooth and never too little; what is little comes and goes within a moment.

    hips  where each leg's hip joint (T, 3) is
    """
    need = np.zeros(len(hips[0]))
    for leg, held, track, hip in zip(legs, holds, tracks, hips, strict=True):
        line = track.ankle - hip
        drop = np.sqrt(np.maximum(leg.longest**2 - line[:, 0] ** 2 - line[:, 2] ** 2, 0.0))
        need = np.maximum(need, np.where(held.held, -line[:, 1] - drop, 0.0))
    if not need.any():
        return need
    little_m = options.little * legs[0].leg_m
    much = cover(np.maximum(need - little_m, 0.0), round(options.body_smoothing_s * fps))
    return much + cover(np.maximum(need - much, 0.0), round(options.give_way_s * fps))
