"""Find turns of the body: their time, angle, sharpness and travel."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from footfall.gait.foot_motion import FootMotion
from footfall.maths.arrays import Floats
from footfall.maths.runs import runs, without_short_gaps
from footfall.maths.signals import differentiate, low_pass

LEAST_RATE = math.radians(14.0)
"""Slower turning than this, rad/s, is swaying."""
LEAST_ANGLE = math.radians(22.0)
TIGHTER = 0.3
"""A part of a turn with less than this share of its radius is a turn within a curve."""
_CUTOFF_HZ = 0.7
_GAP_S = 0.55


@dataclass(frozen=True)
class Turn:
    """One turn to one side.

    angle        radians, positive to the left
    peak_rate    the fastest turning in it, rad/s
    way_m        how far the hips go meanwhile
    path_angle   how far the hips' way turns meanwhile, radians
    core         its fastest part, a turn of its own, if that is much tighter than the whole
    """

    begin_s: float
    end_s: float
    angle: float
    peak_rate: float
    way_m: float
    path_angle: float = 0.0
    core: Turn | None = None

    @property
    def seconds(self) -> float:
        return self.end_s - self.begin_s

    @property
    def radius_m(self) -> float:
        return self.way_m / abs(self.angle)


def find_turns(motion: FootMotion) -> tuple[Turn, ...]:
    """Return the turns of a clip in order of time, without pelvis rotation within strides."""
    fps = motion.fps
    cutoff = min(_CUTOFF_HZ, 0.2 * fps)
    facing = low_pass(motion.facing, fps, cutoff)
    rate = differentiate(facing, fps)
    hips = low_pass(motion.hips[:, [0, 2]], fps, cutoff)
    way = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(hips, axis=0).T))])
    velocity = differentiate(hips, fps)
    heading = np.unwrap(np.arctan2(velocity[:, 0], velocity[:, 1]))

    def turn(first: int, last: int) -> Turn:
        return Turn(
            begin_s=first / fps,
            end_s=last / fps,
            angle=float(facing[last] - facing[first]),
            peak_rate=float(np.abs(rate[first : last + 1]).max()),
            way_m=float(way[last] - way[first]),
            path_angle=float(heading[last] - heading[first]),
        )

    found = []
    for side in (1.0, -1.0):
        turning = without_short_gaps(side * rate > LEAST_RATE, _GAP_S * fps)
        for first, stop in runs(turning).tolist():
            whole = turn(first, stop - 1)
            if abs(whole.angle) < LEAST_ANGLE:
                continue
            inner = turn(*_fastest_part(side * rate, first, stop))
            tighter = inner.angle and inner.radius_m < TIGHTER * whole.radius_m
            found.append(replace(whole, core=inner if tighter else None))
    return tuple(sorted(found, key=lambda t: t.begin_s))


def _fastest_part(rate: Floats, first: int, stop: int) -> tuple[int, int]:
    """Return the frames around the fastest turning that turn at least half as fast."""
    top = first + int(np.argmax(rate[first:stop]))
    fast = runs(rate[first:stop] > 0.5 * rate[top]) + first
    begin, end = next((a, b) for a, b in fast.tolist() if a <= top < b)
    return begin, end - 1
