"""Times in which the body turns: how far, how sharply, and whether it goes on meanwhile."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from footfall.gait.foot_motion import FootMotion
from footfall.maths.runs import runs, without_short_gaps
from footfall.maths.signals import differentiate, low_pass

LEAST_RATE = math.radians(14.0)
"""Slower turning than this, rad/s, is swaying."""
LEAST_ANGLE = math.radians(22.0)
_CUTOFF_HZ = 0.7
_GAP_S = 0.55


@dataclass(frozen=True)
class Turn:
    """One turn to one side.

    angle        radians, positive to the left
    peak_rate    the fastest turning in it, rad/s
    way_m        how far the hips go meanwhile
    """

    begin_s: float
    end_s: float
    angle: float
    peak_rate: float
    way_m: float

    @property
    def seconds(self) -> float:
        return self.end_s - self.begin_s

    @property
    def radius_m(self) -> float:
        return self.way_m / abs(self.angle)


def find_turns(motion: FootMotion) -> tuple[Turn, ...]:
    """The turns of a clip, in order of time; what the pelvis does within a stride is left out."""
    fps = motion.fps
    cutoff = min(_CUTOFF_HZ, 0.2 * fps)
    facing = low_pass(motion.facing, fps, cutoff)
    rate = differentiate(facing, fps)
    hips = low_pass(motion.hips[:, [0, 2]], fps, cutoff)
    way = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(hips, axis=0).T))])
    found = []
    for side in (1.0, -1.0):
        turning = without_short_gaps(side * rate > LEAST_RATE, _GAP_S * fps)
        for first, stop in runs(turning).tolist():
            last = stop - 1
            angle = float(facing[last] - facing[first])
            if abs(angle) < LEAST_ANGLE:
                continue
            peak = float(np.abs(rate[first:stop]).max())
            found.append(Turn(first / fps, last / fps, angle, peak, float(way[last] - way[first])))
    return tuple(sorted(found, key=lambda t: t.begin_s))
