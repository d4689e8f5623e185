"""Starts, stops, changes of gait, tight turns, long walks: courses with a story."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from footfall.body.clip import Clip
from footfall.errors import InputError, choices
from footfall.library.generate.gait.gait_model import gait
from footfall.library.generate.gait.paced import Course, course, ease, knots, perform, working_rate
from footfall.library.generate.gait.variation import MEAN_PERFORMER, Performer
from footfall.maths.arrays import Floats

_FEET = ("left", "right")
_LEAVES = 0.61
"""The phase, in strides after its own strike, at which a foot leaves that steps off."""


_CLOSES = (0.06, 0.13)
"""How long before the usual phase the foot of the last step comes down at 1.3 m/s, as it does not
reach out any more, and how much longer for each m/s less."""


_LEAST_OFF, _LEAST_ON = 0.4, 0.33
"""Running off and stopping, steps are never slower than those of this share of the speed."""
_KEEPS = 0.62
"""The power by which rhythms fall with speed in walking."""


def start(
    speed_m_s: float = 1.3,
    foot: str = "right",
    *,
    seconds: float = 4.0,
    idle_s: float = 0.6,
    fps: float = 60.0,
    who: Performer = MEAN_PERFORMER,
    seed: int = 0,
    variation: float = 0.0,
) -> Clip:
    """Stand, then walk off with one foot: the weight shifts over the other first.

    Times and speeds are population figures: the foot leaves 0.5 s after the first motion, and
    the speed is 44, 88, 96 % of its final value over the first three steps.
    """
    gait("walk", speed_m_s, 0.0, who.leg_m)
    rate, every = working_rate(fps)
    way = course(rate, seconds, 1.6, speed_m_s)
    t, leaves = way.times - idle_s, idle_s + 0.5
    profile = [(0.0, 0.0), (0.3, 0.03), (0.5, 0.17), (0.72, 0.5), (0.92, 0.74), (1.2, 0.9),
               (1.8, 1.0)]  # fmt: skip
    side = 1.0 if _foot(foot) == "right" else -1.0
    frame = way.zero + round(leaves * rate)
    way = replace(
        way,
        speed=speed_m_s * knots(t, profile),
        like=speed_m_s * knots(t, [(0.4, 0.8), (1.6, 1.0)]),
        going=ease(t, 0.18, 0.9),
        rhythm=knots(t, [(0.3, 0.0), (0.55, 0.9), (0.8, 1.0)]),
        phase=_LEAVES + 0.1 * max(1.3 - speed_m_s, 0.0) + (0.0 if side > 0.0 else 0.5),
        anchor=frame,
        standing=np.arange(len(t)) < frame,
        aside=side * 0.046 * who.leg_m * _hump(t, 0.0, 0.62, 1.1),
    )
    name = f"start_{foot}_{speed_m_s:g}"
    return perform(way, name, seconds, every, tags=("stand", "start", "walk"), who=who,
                   seed=seed, variation=variation)  # fmt: skip


def stop(
    speed_m_s: float = 1.3,
    foot: str = "right",
    *,
    seconds: float = 4.0,
    idle_s: float = 1.0,
    fps: float = 60.0,
    who: Performer = MEAN_PERFORMER,
    seed: int = 0,
    variation: float = 0.0,
) -> Clip:
    """Walk, then stop: `foot` makes the last step and closes beside the other."""
    which = gait("walk", speed_m_s, 0.0, who.leg_m)
    rate, every = working_rate(fps)
    way = course(rate, seconds, 1.6, speed_m_s)
    strikes = seconds - idle_s
    t, step = way.times - strikes, max(0.5 * which.period_s, 0.5)
    slowing = [(-2.7 * step, 1.0), (-1.5 * step, 0.84), (-step, 0.64), (-0.5 * step, 0.38),
               (0.0, 0.16), (0.36, 0.0)]  # fmt: skip
    frame = way.zero + round(strikes * rate)
    way = replace(
        way,
        speed=speed_m_s * knots(t, slowing),
        like=speed_m_s * knots(t, [(-2.0 * step, 1.0), (-step, 0.85), (0.0, 0.7)]),
        going=1.0 - ease(t, -0.95 * step, 0.28),
        phase=-_CLOSES[0]
        - _CLOSES[1] * max(1.3 - speed_m_s, 0.0)
        + (0.0 if _foot(foot) == "right" else 0.5),
        anchor=frame,
        standing=np.arange(len(t)) >= frame,
    )
    name = f"stop_{foot}_{speed_m_s:g}"
    return perform(way, name, seconds, every, tags=("walk", "stop", "stand"), who=who, seed=seed,
                   variation=variation)  # fmt: skip


def run_start(
    speed_m_s: float = 3.0,
    foot: str = "right",
    *,
    seconds: float = 4.0,
    idle_s: float = 0.6,
    fps: float = 60.0,
    who: Performer = MEAN_PERFORMER,
    seed: int = 0,
    variation: float = 0.0,
) -> Clip:
    """Stand, lean and run off with one foot: a step or two of walking, then flights."""
    gait("run", speed_m_s, 0.0, who.leg_m)
    rate, every = working_rate(fps)
    way = course(rate, seconds, 1.6, speed_m_s)
    t, leaves = way.times - idle_s, idle_s + 0.42
    profile = [(0.0, 0.0), (0.25, 0.04), (0.42, 0.14), (0.7, 0.38), (1.0, 0.6), (1.4, 0.8),
               (2.1, 1.0)]  # fmt: skip
    side = 1.0 if _foot(foot) == "right" else -1.0
    frame = way.zero + round(leaves * rate)
    speed = speed_m_s * knots(t, profile)
    way = replace(
        way,
        speed=speed,
        like=np.maximum(speed, _LEAST_OFF * speed_m_s),
        going=ease(t, 0.15, 0.75),
        running=ease(t, 0.6, 1.15),
        rhythm=knots(t, [(0.25, 0.0), (0.45, 0.9), (0.7, 1.0)]),
        phase=_LEAVES + (0.0 if side > 0.0 else 0.5),
        anchor=frame,
        standing=np.arange(len(t)) < frame,
        aside=side * 0.03 * who.leg_m * _hump(t, 0.0, 0.5, 0.9),
    )
    name = f"run_start_{foot}_{speed_m_s:g}"
    return perform(way, name, seconds, every, tags=("stand", "start", "run"), who=who,
                   seed=seed, variation=variation)  # fmt: skip


def run_stop(
    speed_m_s: float = 3.0,
    foot: str = "right",
    *,
    seconds: float = 4.0,
    idle_s: float = 0.9,
    fps: float = 60.0,
    who: Performer = MEAN_PERFORMER,
    seed: int = 0,
    variation: float = 0.0,
) -> Clip:
    """Run, brake within a few steps and stand: `foot` makes the last step."""
    gait("run", speed_m_s, 0.0, who.leg_m)
    rate, every = working_rate(fps)
    way = course(rate, seconds, 1.6, speed_m_s)
    strikes = seconds - idle_s
    t = way.times - strikes
    slowing = [(-2.1, 1.0), (-1.5, 0.82), (-1.05, 0.55), (-0.65, 0.32), (-0.3, 0.17), (0.0, 0.07),
               (0.36, 0.0)]  # fmt: skip
    frame = way.zero + round(strikes * rate)
    speed = speed_m_s * knots(t, slowing)
    way = replace(
        way,
        speed=speed,
        like=np.maximum(speed, _LEAST_ON * speed_m_s),
        going=1.0 - ease(t, -0.5, 0.28),
        running=1.0 - ease(t, -1.55, -0.95),
        rhythm=knots(t, [(-1.2, 1.0), (-0.5, 1.15), (0.0, 1.25)]),
        phase=-_CLOSES[0] - 0.06 + (0.0 if _foot(foot) == "right" else 0.5),
        anchor=frame,
        standing=np.arange(len(t)) >= frame,
    )
    name = f"run_stop_{foot}_{speed_m_s:g}"
    return perform(way, name, seconds, every, tags=("run", "stop", "stand"), who=who, seed=seed,
                   variation=variation)  # fmt: skip


def change_gait(
    from_m_s: float = 1.5,
    to_m_s: float = 2.8,
    *,
    seconds: float = 5.0,
    fps: float = 60.0,
    phase: float = 0.0,
    who: Performer = MEAN_PERFORMER,
    seed: int = 0,
    variation: float = 0.0,
) -> Clip:
    """From a walk into a run or from a run into a walk, in the middle of the clip."""
    first, last = ("walk", "run") if to_m_s > from_m_s else ("run", "walk")
    gait(first, from_m_s, 0.0, who.leg_m)
    gait(last, to_m_s, 0.0, who.leg_m)
    rate, every = working_rate(fps)
    middle = 0.5 * seconds
    way = course(rate, seconds, 1.6, [(middle - 0.9, from_m_s), (middle + 0.9, to_m_s)],
                 phase=phase)  # fmt: skip
    runs = ease(way.times, middle - 0.45, middle + 0.45)
    way = replace(way, running=runs if last == "run" else 1.0 - runs)
    name = f"{first}_to_{last}"
    return perform(way, name, seconds, every, tags=(first, last), who=who, seed=seed,
                   variation=variation)  # fmt: skip


def tight_turn(
    angle_deg: float = 90.0,
    speed_m_s: float = 1.1,
    *,
    fps: float = 60.0,
    phase: float = 0.0,
    approach_s: float = 1.4,
    who: Performer = MEAN_PERFORMER,
    seed: int = 0,
    variation: float = 0.0,
) -> Clip:
    """Walk up, turn within a few steps (positive to the left), walk on.

    phase  of the stride when the turn begins: which foot it is made on
    """
    if not 15.0 <= abs(angle_deg) <= 225.0:
        raise InputError(f"the turn is {angle_deg:g}°", remedy="15 to 225 either way")
    gait("walk", speed_m_s, 0.0, who.leg_m)
    rate, every = working_rate(fps)
    size = abs(angle_deg)
    lasts = 0.469 + 0.0111 * size
    seconds = 2.0 * approach_s + lasts
    way = course(rate, seconds, 1.6, speed_m_s, phase=phase)
    u = np.clip((way.times - approach_s) / lasts, 0.0, 1.0)
    turn = math.radians(angle_deg) / lasts * 30.0 * u**2 * (1.0 - u) ** 2
    wide = np.clip((way.times - approach_s + 0.35) / (lasts + 0.7), 0.0, 1.0)
    slowest = max(0.846 - 0.0031 * size, 0.25)
    speed = speed_m_s * (1.0 - (1.0 - slowest) * np.sin(np.pi * wide) ** 2)
    like = np.maximum(speed, 0.55 * speed_m_s)
    # People shorten their steps to turn and keep their rhythm.
    way = replace(way, turn=turn, speed=speed, like=like, rhythm=(speed_m_s / like) ** _KEEPS,
                  anchor=way.zero + round(approach_s * rate))  # fmt: skip
    side = "left" if angle_deg > 0.0 else "right"
    tags = ("walk", f"turn_{side}" if size > 62.0 else f"curve_{side}")
    return perform(way, f"turn_{side}_{size:g}", seconds, every, tags=tags, who=who, seed=seed,
                   variation=variation)  # fmt: skip


def winding(
    turns: list[tuple[float, float]],
    speed: list[tuple[float, float]] | float = 1.2,
    *,
    name: str = "winding",
    frames: int = 240,
    fps: float = 30.0,
    phase: float = 0.0,
    who: Performer = MEAN_PERFORMER,
    seed: int = 1,
    variation: float = 1.0,
) -> Clip:
    """A long walk whose turn (time, rad/s) and speed (time, m/s) change as the points say."""
    if not 2 <= frames <= 200_000:
        raise InputError(f"the walk has {frames} frames", remedy="2 to 200000")
    rate, every = working_rate(fps)
    seconds = (frames - 1) / fps
    way = course(rate, seconds, 1.8, speed, phase=phase)
    way = replace(way, turn=knots(way.times, turns))
    return perform(way, name, seconds, every, tags=("walk", *_curves(turns)), who=who, seed=seed,
                   variation=variation)  # fmt: skip


def stand(
    seconds: float = 4.0,
    *,
    fps: float = 60.0,
    who: Performer = MEAN_PERFORMER,
    seed: int = 0,
) -> Clip:
    """Stand idle: weight goes to and fro, the chest breathes."""
    if not 0.0 < seconds <= 3600.0:
        raise InputError(f"the length is {seconds} s", remedy="above 0 and at most an hour")
    rate, every = working_rate(fps)
    way = course(rate, seconds, 1.0, 0.0)
    still = np.zeros(len(way.speed))
    way = replace(way, going=still, rhythm=still, standing=still == 0.0)
    return perform(way, "stand", seconds, every, tags=("stand",), who=who, seed=seed)


def _curves(turns: list[tuple[float, float]]) -> tuple[str, ...]:
    rates = [rate for _, rate in turns]
    found = [("curve_left", max(rates)), ("curve_right", -min(rates))]
    return tuple(name for name, most in found if most > 0.2)


def _hump(times: Floats, begin: float, peak: float, end: float) -> Floats:
    return np.asarray(ease(times, begin, peak) - ease(times, peak, end))


def _foot(name: str) -> str:
    if name not in _FEET:
        raise InputError(f"there is no foot {name!r}", remedy=choices(_FEET, name))
    return name


__all__ = [
    "Course",
    "change_gait",
    "run_start",
    "run_stop",
    "stand",
    "start",
    "stop",
    "tight_turn",
    "winding",
]
