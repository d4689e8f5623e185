"""Free flight: the centre of mass on parabolas, and forces on the ground that let it be there."""

from __future__ import annotations

import numpy as np

from footfall.maths.arrays import Floats
from footfall.maths.constants import GRAVITY
from footfall.maths.easing import fading_slope, smootherstep

_LONGEST_PUSH_S = 0.42
"""A time on the ground between two flights that is longer is more than one step of running."""
_PULL = np.array([0.0, -GRAVITY, 0.0])


def fly_freely(
    centre: Floats, flights: list[list[int]], lower: Floats, rate: float, level: bool = True
) -> Floats:
    """(T, 3) the centre of mass on parabolas in flight, and pushed smoothly in between.

    flights  last frame before each flight and first frame after it
    lower    (F, 2) how much lower, metres, than before it takes off and lands
    level    whether it lands as high as it takes off, besides that
    """
    out = centre.copy()
    slopes: list[tuple[Floats, Floats]] = []
    for (a, b), down in zip(flights, lower, strict=True):
        seconds = (b - a) / rate
        t = (np.arange(a, b + 1) - a) / rate
        start, end = centre[a].copy(), centre[b].copy()
        middle = 0.5 * (start[1] + end[1])
        start[1], end[1] = (middle if level else np.array([start[1], end[1]])) - down
        leaving = (end - start) / seconds + [0.0, 0.5 * GRAVITY * seconds, 0.0]
        out[a : b + 1] = start + leaving * t[:, None]
        out[a : b + 1, 1] -= 0.5 * GRAVITY * t**2
        slopes.append((leaving, leaving - [0.0, GRAVITY * seconds, 0.0]))
    ends = [0, *(frame for flight in flights for frame in flight), len(out) - 1]
    for k in range(len(flights) + 1):
        first, last = ends[2 * k], ends[2 * k + 1]
        landing = slopes[k - 1][1] if k > 0 else None
        leaving = slopes[k][0] if k < len(flights) else None
        short = last - first < _LONGEST_PUSH_S * rate
        if landing is not None and leaving is not None and short:
            _push(out, first, last, landing, leaving, rate)
            continue
        if leaving is not None:
            _ease(out, centre, last, -1, leaving, last - first, rate)
        if landing is not None:
            _ease(out, centre, first, 1, landing, last - first, rate)
    return out


def _push(
    out: Floats, first: int, last: int, landing: Floats, leaving: Floats, rate: float
) -> None:
    """A stance between two flights: forces that rise from nothing and end in nothing.

    Accelerations are a = g + A sin(πs) + B sin(2πs), with the given speeds and places at both
    ends: what carries is a half wave, what brakes and drives a whole one.
    """
    count = last - first
    seconds = count / rate
    s = (np.arange(count + 1) / count)[:, None]
    begin = out[first].copy()
    big = (leaving - landing - _PULL * seconds) * np.pi / (2.0 * seconds)
    half = big * seconds**2 * (s / np.pi - np.sin(np.pi * s) / np.pi**2)
    free = landing * s * seconds + 0.5 * _PULL * (s * seconds) ** 2
    small = (out[last] - begin - free[-1] - half[-1]) / (seconds**2 / (2.0 * np.pi))
    whole = s / (2.0 * np.pi) - np.sin(2.0 * np.pi * s) / (4.0 * np.pi**2)
    out[first : last + 1] = begin + free + half + small * seconds**2 * whole


def _ease(
    out: Floats, centre: Floats, frame: int, sense: int, velocity: Floats, room: int, rate: float
) -> None:
    """Ease from a take-off (sense -1, back in time) or landing (1) into the body's own motion."""
    count = min(round(0.3 * rate), room // 2)
    if count < 2:
        return
    span = frame + sense * np.arange(count + 1)
    u = (np.arange(count + 1) / count)[:, None]
    offset = out[frame] - centre[frame]
    own = (centre[span[1]] - centre[span[0]]) * rate * sense
    change = (velocity - own) * (count / rate) * sense
    eased = centre[span] + offset * (1.0 - smootherstep(u))
    out[span] = eased + change * fading_slope(u)
