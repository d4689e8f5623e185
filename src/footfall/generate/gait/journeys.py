"""Starts, stops, changes of gait, tight turns, long walks: journeys whose pace changes."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from footfall.body.clip import Clip
from footfall.errors import InputError, check_range, check_whole, choices
from footfall.generate.gait.gait_model import gait as gait_at
from footfall.generate.gait.journey import Journey, keep_going
from footfall.generate.gait.paced import perform
from footfall.generate.gait.timeline import Timeline, ease
from footfall.generate.performer import MEAN_PERFORMER, Performer
from footfall.generate.sides import SIGNS, side_index
from footfall.maths.arrays import Floats
from footfall.maths.easing import Keys, monotone_cubic

_USUAL_M_S = 1.3
_KEEPS = 0.62
"""The power by which rhythms fall with speed in walking."""
_PAD_S = 1.6
_LEAST_STEP_S = 0.5
_CHANGE_S = {"run": 1.25, "walk": 1.8}
"""How long people take to speed up into a run, and to slow down into a walk."""
_BOUNDS = 0.1
"""How much slower than their speed asks for steps follow each other that speed up into a run: they
bound."""


@dataclass(frozen=True)
class _Change:
    """How people begin or stop to go, over the seconds since they stir or since the last foot
    strikes; times before that are in steps where `in_steps` says so.

    speed      keys of the share of the speed;  like  keys of the share of it that the gait is of,
               or the least share that it is of
    going      from when to when they go over from standing to going, or back
    running    the same of walking to running
    rhythm     keys of how fast steps follow each other, against what the speed asks for
    foot_s     when the foot leaves or strikes;  phase  of its stride then, in strides, and how
               much later for each m/s below the usual walk
    aside      how far the weight goes over to the other foot first, leg lengths; from when over
               when to when
    ahead      the same of how far it goes ahead of the feet
    first      from when to when the leg that steps off goes over from standing to going: it has
               not stepped before, and is lifted less than one that pushed off behind
    idle_s     how long they stand before or after
    """

    speed: Keys
    like: Keys | float
    going: tuple[float, float]
    foot_s: float
    phase: tuple[float, float]
    idle_s: float
    running: tuple[float, float] | None = None
    rhythm: Keys = ((0.0, 1.0),)
    aside: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 2.0)
    ahead: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 2.0)
    first: tuple[float, float] | None = None
    in_steps: bool = False


_STARTS = {
    "walk": _Change(
        speed=((0.0, 0.0), (0.3, 0.03), (0.5, 0.17), (0.72, 0.5), (0.92, 0.74), (1.2, 0.9),
               (1.8, 1.0)),
        like=((0.4, 0.8), (1.6, 1.0)), going=(0.18, 0.9), foot_s=0.5, phase=(0.61, 0.1),
        rhythm=((0.3, 0.0), (0.55, 0.9), (0.8, 1.0)), aside=(0.05, 0.0, 0.54, 1.1), idle_s=0.6,
        first=(0.36, 1.14),
    ),
    "run": _Change(
        speed=((0.0, 0.0), (0.25, 0.04), (0.42, 0.15), (0.72, 0.48), (1.0, 0.72), (1.4, 0.89),
               (2.0, 1.0)),
        like=0.4, going=(0.15, 0.75), foot_s=0.42, phase=(0.70, 0.0), running=(0.66, 1.2),
        rhythm=((0.25, 0.0), (0.45, 1.1), (0.68, 1.15), (0.85, 0.88), (1.4, 1.0)), idle_s=0.6,
        aside=(0.03, 0.0, 0.5, 0.9), ahead=(0.11, 0.0, 0.6, 1.5), first=(0.15, 0.6),
    ),
}  # fmt: skip
_STARTS["back"] = _STARTS["walk"]
"""Population figures: a walker's foot leaves half a second after the first motion, and the speed
is 44, 88, 96 % of its final value over the first three steps."""
_STOPS = {
    "walk": _Change(
        speed=((-2.7, 1.0), (-1.5, 0.84), (-1.0, 0.64), (-0.5, 0.38), (0.0, 0.16), (0.36, 0.0)),
        like=((-2.0, 1.0), (-1.0, 0.85), (0.0, 0.7)), going=(-0.95, 0.28), foot_s=0.0,
        # The foot of the last step comes down early: it does not reach out any more.
        phase=(-0.06, -0.13), idle_s=1.0, in_steps=True,
    ),
    "run": _Change(
        speed=((-2.1, 1.0), (-1.5, 0.82), (-1.05, 0.55), (-0.65, 0.32), (-0.3, 0.17), (0.0, 0.07),
               (0.36, 0.0)),
        like=0.33, going=(-0.5, 0.28), foot_s=0.0, phase=(-0.12, 0.0), running=(-1.55, -0.95),
        rhythm=((-1.2, 1.0), (-0.5, 1.15), (0.0, 1.25)), idle_s=0.9,
    ),
}  # fmt: skip
_STOPS["back"] = _STOPS["walk"]
_SHOWS = {"walk": "walk", "run": "run", "back": "backward"}
"""What a gait is tagged as."""


def start(
    speed_m_s: float = _USUAL_M_S, foot: str = "right", *, gait: str = "walk",
    seconds: float = 4.0, idle_s: float | None = None, fps: float = 60.0,
    who: Performer = MEAN_PERFORMER, seed: int = 0, variation: float = 0.0,
) -> Clip:  # fmt: skip
    """Stand, then walk, run or walk backward off with one foot, the weight over the other first.

    idle_s  how long it stands; as suits the gait unless given
    """
    change = _change(_STARTS, gait)
    stirs = change.idle_s if idle_s is None else idle_s
    journey = _change_pace(change, gait, speed_m_s, seconds, stirs, fps, who, foot)
    standing = np.arange(len(journey.speed)) < journey.anchor
    tags = ("stand", "start", _SHOWS[gait])
    return perform(replace(journey, standing=standing), f"{gait}_start_{foot}_{speed_m_s:g}",
                   tags=tags, who=who, seed=seed, variation=variation)  # fmt: skip


def stop(
    speed_m_s: float = _USUAL_M_S, foot: str = "right", *, gait: str = "walk",
    seconds: float = 4.0, idle_s: float | None = None, fps: float = 60.0,
    who: Performer = MEAN_PERFORMER, seed: int = 0, variation: float = 0.0,
) -> Clip:  # fmt: skip
    """Walk, run or walk backward, then stop: `foot` steps last and closes beside the other.

    idle_s  how long it stands; as suits the gait unless given
    """
    change = _change(_STOPS, gait)
    strikes = seconds - (change.idle_s if idle_s is None else idle_s)
    journey = _change_pace(change, gait, speed_m_s, seconds, strikes, fps, who, foot)
    journey = replace(
        journey,
        going=1.0 - journey.going,
        running=1.0 - journey.running if change.running else journey.running,
        standing=np.arange(len(journey.speed)) >= journey.anchor,
        last=(side_index(foot), journey.anchor),
    )
    tags = (_SHOWS[gait], "stop", "stand")
    return perform(journey, f"{gait}_stop_{foot}_{speed_m_s:g}", tags=tags, who=who, seed=seed,
                   variation=variation)  # fmt: skip


def start_to_stop(
    speed_m_s: float, first: str, last: str, *, stops_s: float, seconds: float,
    fps: float = 60.0, who: Performer = MEAN_PERFORMER,
) -> Journey:  # fmt: skip
    """The journey of a walk that starts with the foot `first` and stops with `last`, which closes
    beside the other `stops_s` after the beginning; when its phase gets there is not looked at."""
    begin, end = _STARTS["walk"], _STOPS["walk"]
    up = _change_pace(begin, "walk", speed_m_s, seconds, begin.idle_s, fps, who, first)
    down = _change_pace(end, "walk", speed_m_s, seconds, stops_s, fps, who, last)
    frames, goes = np.arange(len(up.speed)), 1.0 - down.going
    return replace(
        up,
        speed=np.minimum(up.speed, down.speed),
        like=np.minimum(up.like, down.like),
        going=up.going * goes,
        first=None if up.first is None else (up.first[0], up.first[1] * goes),
        standing=(frames < up.anchor) | (frames >= down.anchor),
    )


def closing_phase(speed_m_s: float, foot: str) -> float:
    """The phase of a stride, in strides, at which the foot that steps last stands beside the
    other."""
    phase, slower = _STOPS["walk"].phase
    return phase + slower * max(_USUAL_M_S - speed_m_s, 0.0) + 0.5 * (1 - side_index(foot))


def _change(changes: dict[str, _Change], gait: str) -> _Change:
    if gait not in changes:
        raise InputError(f"there is no gait {gait!r} here", remedy=choices(changes, gait))
    return changes[gait]


def _change_pace(
    change: _Change, gait: str, speed_m_s: float, seconds: float, at_s: float, fps: float,
    who: Performer, foot: str,
) -> Journey:  # fmt: skip
    """The journey of a change at a time; whether it stands before or after is not said yet."""
    period = gait_at(gait, speed_m_s, 0.0, who.leg_m).period_s
    step = max(0.5 * period, _LEAST_STEP_S) if change.in_steps else 1.0
    journey = keep_going(Timeline.of(fps, seconds, _PAD_S), speed_m_s)
    t = journey.times - at_s
    speed = speed_m_s * monotone_cubic(_in_seconds(change.speed, step), t)
    if isinstance(change.like, float):
        like = np.maximum(speed, change.like * speed_m_s)
    else:
        like = speed_m_s * monotone_cubic(_in_seconds(change.like, step), t)
    first, last = change.going
    phase, slower = change.phase
    size, *over = change.aside
    falls, *along = change.ahead
    swings = side_index(foot)
    return replace(
        journey,
        speed=-speed if gait == "back" else speed,
        like=like,
        going=ease(t, step * first if first < 0.0 else first, last),
        running=ease(t, *change.running) if change.running else journey.running,
        rhythm=monotone_cubic(change.rhythm, t),
        phase=phase + slower * max(_USUAL_M_S - speed_m_s, 0.0) + 0.5 * (1 - swings),
        anchor=journey.timeline.frame(at_s + change.foot_s),
        aside=-SIGNS[swings] * size * who.leg_m * _hump(t, *over),
        ahead=falls * who.leg_m * _hump(t, *along),
        first=None if change.first is None else (swings, ease(t, *change.first)),
    )


def _in_seconds(keys: Keys, step_s: float) -> Keys:
    """The keys with those before 0 at so many steps of `step_s` seconds."""
    return [(step_s * at if at < 0.0 else at, value) for at, value in keys]


def change_gait(
    from_m_s: float = 1.5, to_m_s: float = 2.8, *, seconds: float = 5.0, fps: float = 60.0,
    phase: float = 0.0, who: Performer = MEAN_PERFORMER, seed: int = 0, variation: float = 0.0,
) -> Clip:  # fmt: skip
    """From a walk into a run or from a run into a walk, in the middle of the clip."""
    first, last = ("walk", "run") if to_m_s > from_m_s else ("run", "walk")
    gait_at(first, from_m_s, 0.0, who.leg_m)
    gait_at(last, to_m_s, 0.0, who.leg_m)
    middle, half = 0.5 * seconds, 0.5 * _CHANGE_S[last]
    speed = [(middle - half, from_m_s), (middle + half, to_m_s)]
    journey = keep_going(Timeline.of(fps, seconds, _PAD_S), speed, phase=phase)
    runs = ease(journey.times, middle - 0.45, middle + 0.45)
    if last == "run":
        bounds = _hump(journey.times, middle - 0.5, middle, middle + 0.8)
        journey = replace(journey, running=runs, rhythm=1.0 - _BOUNDS * bounds)
    else:
        journey = replace(journey, running=1.0 - runs)
    return perform(journey, f"{first}_to_{last}", tags=(first, last), who=who, seed=seed,
                   variation=variation)  # fmt: skip


def tight_turn(
    angle_deg: float = 90.0, speed_m_s: float = 1.1, *, fps: float = 60.0, phase: float = 0.0,
    approach_s: float = 1.4, who: Performer = MEAN_PERFORMER, seed: int = 0,
    variation: float = 0.0,
) -> Clip:  # fmt: skip
    """Walk up, turn within a few steps (positive to the left), walk on.

    phase  of the stride when the turn begins: which foot it is made on
    """
    size = check_range("the size of the turn", abs(angle_deg), 15.0, 225.0, unit="degrees")
    gait_at("walk", speed_m_s, 0.0, who.leg_m)
    lasts = 0.469 + 0.0111 * size
    timeline = Timeline.of(fps, 2.0 * approach_s + lasts, _PAD_S)
    journey = keep_going(timeline, speed_m_s, phase=phase)
    u = np.clip((journey.times - approach_s) / lasts, 0.0, 1.0)
    turn = math.radians(angle_deg) / lasts * 30.0 * u**2 * (1.0 - u) ** 2
    wide = np.clip((journey.times - approach_s + 0.35) / (lasts + 0.7), 0.0, 1.0)
    slowest = max(0.846 - 0.0031 * size, 0.25)
    speed = speed_m_s * (1.0 - (1.0 - slowest) * np.sin(np.pi * wide) ** 2)
    like = np.maximum(speed, 0.55 * speed_m_s)
    # People shorten their steps to turn and keep their rhythm.
    journey = replace(journey, turn=turn, speed=speed, like=like,
                      rhythm=(speed_m_s / like) ** _KEEPS,
                      anchor=journey.timeline.frame(approach_s))  # fmt: skip
    side = "left" if angle_deg > 0.0 else "right"
    tags = ("walk", f"turn_{side}" if size > 62.0 else f"curve_{side}")
    return perform(journey, f"turn_{side}_{size:g}", tags=tags, who=who, seed=seed,
                   variation=variation)  # fmt: skip


def winding(
    turns: list[tuple[float, float]], speed: list[tuple[float, float]] | float = 1.2, *,
    name: str = "winding", frames: int = 240, fps: float = 30.0, phase: float = 0.0,
    who: Performer = MEAN_PERFORMER, seed: int = 1, variation: float = 1.0,
) -> Clip:  # fmt: skip
    """A long walk whose turn (time, rad/s) and speed (time, m/s) change as the keys say."""
    check_whole("the number of frames", frames, 2, 200_000)
    journey = keep_going(Timeline.of(fps, (frames - 1) / fps, 1.8), speed, phase=phase)
    journey = replace(journey, turn=monotone_cubic(turns, journey.times))
    rates = [rate for _, rate in turns]
    sides = (("curve_left", max(rates)), ("curve_right", -min(rates)))
    tags = ("walk", *(side for side, most in sides if most > 0.2))
    return perform(journey, name, tags=tags, who=who, seed=seed, variation=variation)


def _hump(times: Floats, begin: float, peak: float, end: float) -> Floats:
    return np.asarray(ease(times, begin, peak) - ease(times, peak, end))
