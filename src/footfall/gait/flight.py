"""Flight: nothing carries the body, and it falls as gravity has it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.gait.foot_motion import FootMotion
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.maths.constants import GRAVITY, MEAN_LEG_M
from footfall.maths.runs import middle, runs
from footfall.maths.signals import differentiate

FREE_SHARE = 0.5
"""A body that falls with this share of gravity, measured from frame to frame, is not carried."""
MIDDLE = 0.6
"""The part of a time without support that is looked at: landing and push-off spread into it."""
BALLISTIC_WITHIN = 0.35
SHORTEST_S = 0.025
RUNNING_PACE = 1.9
"""m/s, for a leg of MEAN_LEG_M: nobody walks faster in passing."""


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

    @property
    def ballistic(self) -> bool:
        """Whether it falls as bodies do, within what can be measured from frame to frame."""
        return abs(self.gravity - GRAVITY) < BALLISTIC_WITHIN * GRAVITY


def pull(motion: FootMotion, spans: Ints) -> Floats:
    """Return (N,) mean downward acceleration of the centre of mass in (N, 2) frames, m/s²."""
    speed = differentiate(motion.centre[:, 1], motion.fps)
    first = np.maximum(spans[:, 0] - 1, 0)
    last = np.minimum(spans[:, 1], len(motion) - 1)
    seconds = np.maximum(last - first, 1) / motion.fps
    return np.asarray((speed[first] - speed[last]) / seconds)


def free_fall(motion: FootMotion, spans: Ints) -> Bools:
    """Return (N,) whether the body falls freely in the middle of each stretch (N, 2) of frames."""
    return pull(motion, middle(spans, MIDDLE)) > FREE_SHARE * GRAVITY


def leaps(motion: FootMotion, spans: Ints) -> Bools:
    """Return (N,) whether the body flies over each of the stretches (N, 2) in which no foot stands.

    It falls freely, or it runs: clips that were generated, smoothed or edited need not fall as
    bodies do.
    """
    size = np.sqrt(motion.leg_m / MEAN_LEG_M)
    running = motion.pace[spans.sum(axis=1) // 2] > RUNNING_PACE * size
    return np.asarray(free_fall(motion, spans) | running)


def find_flights(motion: FootMotion, carried: Bools) -> tuple[Flight, ...]:
    """Return the flights among the stretches in which no foot is in contact; `carried` (T,)."""
    spans = runs(~carried)
    spans = spans[spans[:, 1] - spans[:, 0] >= max(SHORTEST_S * motion.fps, 1.0)]
    spans = spans[leaps(motion, spans)]
    falls = pull(motion, middle(spans, MIDDLE))
    height = motion.centre[:, 1]
    return tuple(
        Flight(
            begin_s=max(first - 0.5, 0.0) / motion.fps,
            end_s=min(stop - 0.5, len(motion) - 1.0) / motion.fps,
            gravity=float(g),
            rise_m=float(height[first:stop].max() - height[max(first - 1, 0)]),
        )
        for (first, stop), g in zip(spans.tolist(), falls, strict=True)
    )
