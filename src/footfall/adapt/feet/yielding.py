"""Feet that are not held firmly, and give way where their leg would be overstretched."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.adapt.feet import constants
from footfall.adapt.feet.holds import Holds
from footfall.adapt.feet.track import FootTrack, Leg, ease, lengths
from footfall.maths.arrays import Floats
from footfall.maths.filters import smooth_gaussian

_FREE_S = 0.05
"""How long after a foot was firm, or before it is, it gives way all the way."""
_SMOOTH_S = 0.02


def yield_to_reach(holds: Holds, track: FootTrack, leg: Leg, hip: Floats, fps: float) -> FootTrack:
    """Return the track drawn to the hip (T, 3) where a free foot would straighten the knee.

    A knee that is nearly straight turns fast when the foot moves a little.
    """
    line = hip - track.ankle
    far = lengths(line)
    over = far - np.maximum(leg.reach, constants.FEET.bent * leg.bones)
    over[holds.firm] = 0.0
    if not (over > 0.0).any():
        return track
    over = np.maximum(over, 0.0)
    free = 1.0 - ease(holds.firm, _FREE_S * fps)
    pull = free * smooth_gaussian(over, _SMOOTH_S * fps)
    return replace(track, ankle=track.ankle + line * (pull / np.maximum(far, 1e-9))[:, None])
