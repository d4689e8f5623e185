"""Flight: nothing carries the body, and it falls as gravity has it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.gait.foot_motion import FootMotion
from footfall.gait.runs import runs
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.maths.signals import differentiate

GRAVITY = 9.81
FREE_SHARE = 0.5
"""A body that falls with this share of gravity, measured from frame to frame, is not carried."""
SHORTEST_S = 0.025


@dataclass(frozen=True)
class Flight:
    """A time in the air.

    begin_s, end_s  seconds
    gravity         how fast the centre of mass was pulled down, m/s² (9.81 in free fall)
    rise_m          how far the centre of mass rose above where it took off
    """

    begin_s: float
    end_s: float
    gravity: float
    rise_m: float

    @property
    def seconds(self) -> float:
        return self.end_s - self.begin_s


def pull(motion: FootMotion, spans: Ints) -> Floats:
    """(N,) mean downward acceleration of the centre of mass over each stretch (N, 2), m/s²."""
    speed = differentiate(motion.centre[:, 1], motion.fps)
    first = np.maximum(spans[:, 0] - 1, 0)
    last = np.minimum(spans[:, 1], len(motion) - 1)
    seconds = np.maximum(last - first, 1) / motion.fps
    return np.asarray((speed[first] - speed[last]) / seconds)


def free_fall(motion: FootMotion, spans: Ints) -> Bools:
    """(N,) whether the body falls freely over each of the stretches (N, 2) of frames."""
    return pull(motion, spans) > FREE_SHARE * GRAVITY


def find_flights(motion: FootMotion, carried: Bools) -> tuple[Flight, ...]:
    """The flights among the stretches in which no foot is in contact; `carried` (T,)."""
    spans = runs(~carried)
    spans = spans[spans[:, 1] - spans[:, 0] >= max(SHORTEST_S * motion.fps, 1.0)]
    falls = pull(motion, spans)
    height = motion.centre[:, 1]
    return tuple(
        Flight(
            begin_s=max(first - 0.5, 0.0) / motion.fps,
            end_s=min(stop - 0.5, len(motion) - 1.0) / motion.fps,
            gravity=float(g),
            rise_m=float(height[first:stop].max() - height[max(first - 1, 0)]),
        )
        for (first, stop), g in zip(spans.tolist(), falls, strict=True)
        if g > FREE_SHARE * GRAVITY
    )
