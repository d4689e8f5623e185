"""Flights that stay free falls: in the air a body's centre of mass goes along a parabola.

Fitting a body to its feet moves it smoothly, but not as gravity does. In the air nothing can
pull at it, so there it is put back on the parabola between leaving the ground and landing.
"""

from __future__ import annotations

import numpy as np

from footfall.body.clip import Clip
from footfall.body.mass import centre_of_mass
from footfall.maths.constants import GRAVITY
from footfall.maths.runs import runs

_LEAST_S = 0.1
"""Shorter flights are as good as none."""
_FREE = 0.3
"""What is pulled down by more or less than gravity than this share of it is no flight."""


def keep_free_falls(clip: Clip) -> Clip:
    """Return `clip` with its body on parabolas in flight, where its contacts have no foot."""
    assert clip.contacts is not None
    spans = runs(np.logical_not(clip.contacts.any(axis=1)))
    least = max(4, round(_LEAST_S * clip.fps) + 1)
    spans = spans[(spans[:, 1] - spans[:, 0] >= least)]
    # A clip that begins or ends in the air shows no flight to its end.
    spans = spans[(spans[:, 0] > 0) & (spans[:, 1] < len(clip))]
    if len(spans) == 0:
        return clip
    root = np.array(clip.root)
    for first, stop in spans.tolist():
        part = slice(first, stop)
        flown = centre_of_mass(clip[first:stop])
        t = np.arange(stop - first) / clip.fps
        pull = -2.0 * np.polyfit(t, flown[:, 1], 2)[0]
        if abs(pull - GRAVITY) > _FREE * GRAVITY:
            continue
        free = flown[0] + np.outer(t / t[-1], flown[-1] - flown[0])
        free[:, 1] += 0.5 * GRAVITY * t * (t[-1] - t)
        root[part] += free - flown
    return clip.with_root(root)
