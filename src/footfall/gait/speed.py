"""Speed over the ground, without the sway of single steps."""

from __future__ import annotations

import numpy as np

from footfall.body.clip import Clip
from footfall.maths.arrays import Floats
from footfall.maths.signals import low_pass

MOVING_M_S = 0.4
"""Slower than this nobody goes anywhere."""


def ground_speeds(clip: Clip) -> Floats:
    """Return (T,) the speed of the root over the ground, m/s."""
    if len(clip) < 2:
        return np.zeros(len(clip))
    root = low_pass(clip.root[:, [0, 2]], clip.fps, 1.0)
    return np.asarray(np.linalg.norm(np.gradient(root, axis=0), axis=1) * clip.fps)


def usual_speed(clip: Clip) -> float:
    """Return the median speed over the ground while a clip goes, m/s; 0 if it never does."""
    speed = ground_speeds(clip)
    going = speed > MOVING_M_S
    return float(np.median(speed[going])) if going.any() else 0.0
