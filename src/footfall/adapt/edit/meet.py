"""The last centimetres and degrees: a motion brought to where it is to begin and to end.

What is off by little fades out over the first steps, or in over the last; feet are held again
afterwards (`foot_lock`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from footfall.body.clip import Clip
from footfall.body.edit import reverse
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats
from footfall.maths.easing import smootherstep

OVER_S = 1.3
"""So long something that is off takes to fade."""


def meet_places(clip: Clip, begin: ArrayLike | None, end: ArrayLike | None) -> Clip:
    """Return the clip with its root over `begin` (2,) first and `end` (2,) last; None keeps it."""
    root = np.array(clip.root)
    for place, at in ((begin, 0), (end, -1)):
        if place is not None:
            off = np.asarray(place, dtype=np.float64) - clip.root[at, [0, 2]]
            root[:, [0, 2]] += _fade_weights(clip, at)[:, None] * off
    return clip.with_root(root)


def meet_headings(clip: Clip, begin: float, end: float) -> Clip:
    """Return the clip turned by `begin` where it stands first and `end` where it stands last, rad.

    It turns back to its own heading over its first steps, and away from it over its last.
    """
    turns = begin * _fade_weights(clip, 0) + end * _fade_weights(clip, -1)
    rotations = np.array(clip.rotations)
    rotations[:, 0] = quat.multiply(quat.from_yaw(turns), rotations[:, 0])
    return clip.with_rotations(rotations)


def _fade_weights(clip: Clip, at: int) -> Floats:
    """Return (T,) 1 until both feet have left, then fading to 0; for `at` -1 the same from the end.

    A foot that stands where it stood first must not be drawn along, or the body would be too.
    """
    if at == -1:
        return _fade_weights(reverse(clip), 0)[::-1]
    goes = 0
    if clip.contacts is not None:
        feet = clip.contacts[:, :2].any(axis=1), clip.contacts[:, 2:].any(axis=1)
        goes = max(int(np.argmin(foot)) for foot in feet)
    over = min(OVER_S, 0.6 * (clip.seconds - goes / clip.fps))
    since = clip.times - goes / clip.fps
    return 1.0 - smootherstep(since / max(over, 1e-6))
