"""Checks of a query's stages on a finished motion: in order, in time, each with its tolerance.

Each stage is met at the earliest frame that fits and is no earlier than that of the stage before.
Later frames would leave less time for what follows, so no other assignment can do better.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.maths.arrays import Floats
from footfall.task.query import Query
from footfall.task.stages import (
    WITHIN_M,
    WITHIN_RAD,
    Duck,
    Follow,
    GoTo,
    Pick,
    PutDown,
    Sit,
    Stage,
    StandOn,
    StandUp,
    Via,
)
from footfall.task.verify.anatomy import hip_heights, knee_angles, wrap
from footfall.task.verify.corridor import find_progress
from footfall.task.verify.duck import crossing_tops
from footfall.task.verify.motion import BALL, HEEL, TIP, Motion, speeds
from footfall.task.verify.report import Finding, Values
from footfall.world.scene import Scene

TOE_RAD, SEAT_RAD, VIA_RAD, DUCK_RAD = (math.radians(a) for a in (10.0, 15.0, 15.0, 30.0))
"""How far headings may be off where a stage has no tolerance of its own."""
SWAY_M = 0.05
"""The hips of a mean body sway this far about the path that the body as a whole follows."""
SEATED_M_S = 0.25
"""The largest speed of the hips while sitting, for a mean body."""
TAKES_M_S = 0.8
"""A hand that takes or puts something is slower than this, for a mean body."""
UPRIGHT_LEGS, UPRIGHT_KNEES_DEG = 0.85, 45.0
"""The least height of hips and the largest flexion of knees while standing."""


@dataclass(frozen=True, eq=False)
class _Outcome:
    """How a stage went.

    frame   the frame at which it is met, or the best one
    value, limit, unit   what was compared
    met     whether it is met          detail  what is wrong, in words
    least   whether the limit is the least that is allowed
    span    the frames of it; None for that one frame
    """

    frame: int
    value: float
    limit: float
    met: bool
    unit: str = "m"
    detail: str = ""
    least: bool = False
    span: tuple[int, int] | None = None


def check_stages(
    motion: Motion, query: Query, scene: Scene | None, values: Values
) -> Iterator[Finding]:
    """Yield what a motion misses of a query, and enter the values of all stages."""
    yield from _check_start(motion, query, values)
    since = 0
    for number, stage in enumerate(query.stages):
        last = number == len(query.stages) - 1
        name = f"stage {number + 1}, {stage.kind!r}"
        check = _CHECKS[type(stage)]
        outcome = check(motion, stage, scene, since, last)
        sign = -1.0 if outcome.least else 1.0
        values.enter(f"{name}: {outcome.unit}", sign * outcome.value, sign * outcome.limit)
        if not outcome.met:
            early = check(motion, stage, scene, 0, last) if since else outcome
            before = f" after stage {number}, but before it" if early.met else ""
            yield _stage_finding(motion, stage.kind, name, outcome, before)
            continue
        since = outcome.frame
        seconds = since / motion.fps
        if stage.by_s is not None:
            values.enter(f"{name}: s", seconds, stage.by_s)
            if seconds > stage.by_s + 1e-9:
                late = _Outcome(since, seconds, stage.by_s, False, "s", "it is done late,")
                yield _stage_finding(motion, stage.kind, name, late)


def _stage_finding(
    motion: Motion, check: str, name: str, outcome: _Outcome, why: str = ""
) -> Finding:
    first, stop = outcome.span or (outcome.frame, outcome.frame + 1)
    return Finding(
        check, name, outcome.frame / motion.fps, first, stop, outcome.value, outcome.limit,
        outcome.unit, True, motion.place(outcome.frame),
        f"{outcome.detail}{f' (met{why})' if why else ''}", outcome.least,
        name=f"{name}: {outcome.unit}",
    )  # fmt: skip


def _check_start(motion: Motion, query: Query, values: Values) -> Iterator[Finding]:
    """Yield how the motion begins elsewhere, or faces elsewhere, than was asked."""
    point = query.points[0]
    away = float(np.hypot(*(motion.ground[0] - point)))
    values.enter("start: m", away, WITHIN_M)
    if away > WITHIN_M:
        wrong = _Outcome(0, away, WITHIN_M, False, "m", "it begins away from it by")
        yield _stage_finding(motion, "start", "start", wrong)
    yaw = None if query.start is None else query.start.yaw
    if yaw is not None:
        off = abs(math.remainder(float(motion.facing[0]) - yaw, math.tau))
        values.enter("start: °", math.degrees(off), math.degrees(WITHIN_RAD))
        if off > WITHIN_RAD:
            limit = math.degrees(WITHIN_RAD)
            wrong = _Outcome(0, math.degrees(off), limit, False, "°", "it begins turned away by")
            yield _stage_finding(motion, "start", "start", wrong)


# ---- places ---------------------------------------------------------------------------------


def _at_place(
    motion: Motion, x: float, z: float, within_m: float, yaw: float | None, within_rad: float,
    frames: slice,
) -> _Outcome:  # fmt: skip
    """Return the first of some frames at which the root is at a place, and faces as asked."""
    first = frames.start
    away = np.hypot(motion.ground[frames, 0] - x, motion.ground[frames, 1] - z)
    near = away <= within_m
    if not near.any():
        at = int(away.argmin())
        return _Outcome(first + at, float(away[at]), within_m, False, "m", "it stays away by")
    if yaw is None:
        at = int(near.argmax())
        return _Outcome(first + at, float(away[at]), within_m, True)
    off = np.abs(wrap(motion.facing[frames] - yaw))
    fits = near & (off <= within_rad)
    if fits.any():
        at = int(fits.argmax())
        return _Outcome(first + at, float(away[at]), within_m, True)
    at = int(np.where(near, off, np.inf).argmin())
    limit = math.degrees(within_rad)
    return _Outcome(
        first + at, math.degrees(off[at]), limit, False, "°", "it is there turned away by"
    )


def _go_to(m: Motion, stage: GoTo, scene: Scene | None, since: int, last: bool) -> _Outcome:
    ends = slice(len(m) - 1, len(m)) if last else slice(since, len(m))
    found = _at_place(m, stage.x, stage.z, stage.within_m, stage.yaw, stage.within_rad, ends)
    if not (last and found.met):
        return found
    # It is done when the body arrives to stay, not when it has stood for a while.
    away = np.hypot(m.ground[since:, 0] - stage.x, m.ground[since:, 1] - stage.z)
    gone = np.flatnonzero(away > stage.within_m)
    arrived = since + (int(gone[-1]) + 1 if len(gone) else 0)
    return _Outcome(arrived, found.value, stage.within_m, True)


def _via(m: Motion, stage: Via, scene: Scene | None, since: int, last: bool) -> _Outcome:
    frames = slice(since, len(m))
    return _at_place(m, stage.x, stage.z, stage.within_m, stage.yaw, VIA_RAD, frames)


def _follow(m: Motion, stage: Follow, scene: Scene | None, since: int, last: bool) -> _Outcome:
    """Return where the path is left, or how far it ends from the end of the path.

    The way from the start to the path is free. A path that is not the last stage is done where
    the body comes as near to its end as the corridor is wide.
    """
    room = stage.corridor_m + SWAY_M * m.size
    reaches = np.hypot(*(m.hips[since:][:, [0, 2]] - stage.path[0]).T) <= room
    since += int(reaches.argmax())
    within = WITHIN_M if last else max(WITHIN_M, stage.corridor_m)
    end = m.ground[-1:] if last else m.ground[since:]
    away = np.hypot(*(end - stage.path[-1]).T)
    at = len(m) - len(end) + int(away.argmin())
    if away.min() > within:
        detail = "it ends away from the end of the path by"
        return _Outcome(at, float(away.min()), within, False, "m", detail)
    near = np.flatnonzero(away <= within).astype(np.int32) + np.int32(len(m) - len(end))
    found = find_progress(m.hips[since:][:, [0, 2]], stage.path, room, near - since)
    if found.arrives >= 0:
        return _Outcome(since + found.arrives, found.worst_m, room, True)
    span = (since + found.first, since + found.stop)
    frame = since + found.worst
    if found.worst_m <= room:
        detail = "it leaves out of the path"
        return _Outcome(frame, found.skipped_m, stage.corridor_m, False, "m", detail, span=span)
    detail = "it leaves the path by"
    return _Outcome(frame, found.worst_m, stage.corridor_m, False, "m", detail, span=span)


# ---- feet, hands, seat ----------------------------------------------------------------------


def _stand_on(m: Motion, stage: StandOn, scene: Scene | None, since: int, last: bool) -> _Outcome:
    best = _Outcome(since, math.inf, stage.within_m, False, "m", "no foot is put there, only to")
    wanted = {"left": (0,), "right": (1,)}.get(stage.foot, (0, 1))
    place = np.array([stage.x, stage.z])
    for foot, first, stop in m.stances:
        if foot not in wanted or stop <= since:
            continue
        sole = _standing_sole(m, foot, first, stop)
        heel, ball, tip = sole
        points = np.stack([ball, 0.5 * (heel + ball), 0.5 * (heel + tip)])
        away = float(np.hypot(*(points - place).T).min())
        frame = max(first, since)
        toes = math.atan2(*(ball - heel))
        off = 0.0 if stage.yaw is None else abs(math.remainder(toes - stage.yaw, math.tau))
        if away <= stage.within_m and off <= TOE_RAD:
            return _Outcome(frame, away, stage.within_m, True)
        if away <= stage.within_m:
            limit = math.degrees(TOE_RAD)
            return _Outcome(frame, math.degrees(off), limit, False, "°", "its toes are turned by")
        if away < best.value:
            detail = "no foot is put there, the nearest is off by"
            best = _Outcome(frame, away, stage.within_m, False, "m", detail, span=(first, stop))
    return best


def _standing_sole(motion: Motion, foot: int, first: int, stop: int) -> Floats:
    """Return (3, 2) x and z of heel, ball and tip of a foot while it stands flattest."""
    span = slice(first, stop)
    flat = motion.flat[span, foot]
    soles = motion.soles[span, foot][:, [HEEL, BALL, TIP]][..., [0, 2]]
    return np.asarray((soles[flat] if flat.any() else soles).mean(axis=0))


def _by_hand(
    m: Motion, stage: Pick | PutDown, scene: Scene | None, since: int, last: bool
) -> _Outcome:
    place = np.array([stage.x, stage.y, stage.z])
    away = np.sqrt(((m.hands[since:] - place) ** 2).sum(axis=2))
    hands = {"left": (0,), "right": (1,)}.get(stage.hand, (0, 1))
    slow = speeds(m.hands[since:], m.fps) <= TAKES_M_S * math.sqrt(m.size)
    nearest = away[:, hands].min(axis=1)
    fits = ((away <= stage.within_m) & slow)[:, hands].any(axis=1)
    at = int(fits.argmax() if fits.any() else nearest.argmin())
    which = "the hand" if stage.hand == "either" else f"the {stage.hand} hand"
    if nearest[at] <= stage.within_m and not fits.any():
        fast = float(speeds(m.hands[since:], m.fps)[at, hands].min())
        detail = f"{which} passes the point at"
        return _Outcome(since + at, fast, TAKES_M_S * math.sqrt(m.size), False, "m/s", detail)
    return _Outcome(
        since + at, float(nearest[at]), stage.within_m, bool(fits.any()), "m",
        f"{which} misses the point by",
    )  # fmt: skip


def _sit(m: Motion, stage: Sit, scene: Scene | None, since: int, last: bool) -> _Outcome:
    seat = m.seat[since:]
    floor = m.soles[since:, :, :, 1].min(axis=(1, 2))
    place = np.stack(
        [np.full(len(seat), stage.x), floor + stage.height_m, np.full(len(seat), stage.z)], axis=1
    )
    away = np.sqrt(((seat - place) ** 2).sum(axis=1))
    slow = speeds(m.hips[since:], m.fps) <= SEATED_M_S * math.sqrt(m.size)
    off = np.zeros(len(seat)) if stage.yaw is None else np.abs(wrap(m.facing[since:] - stage.yaw))
    near = (away <= stage.within_m) & slow
    fits = near & (off <= SEAT_RAD)
    if fits.any():
        at = int(fits.argmax())
        return _Outcome(since + at, float(away[at]), stage.within_m, True)
    if near.any():
        at = int(np.where(near, off, np.inf).argmin())
        value, limit = math.degrees(off[at]), math.degrees(SEAT_RAD)
        return _Outcome(since + at, value, limit, False, "°", "it sits turned away by")
    at = int(np.where(slow, away, away + 10.0).argmin())
    detail = "the hips rest away from the seat by"
    return _Outcome(since + at, float(away[at]), stage.within_m, False, "m", detail)


def _stand_up(m: Motion, stage: StandUp, scene: Scene | None, since: int, last: bool) -> _Outcome:
    height, knees = hip_heights(m), knee_angles(m).max(axis=1)
    upright = np.isfinite(height) & (height >= UPRIGHT_LEGS) & (knees <= UPRIGHT_KNEES_DEG)
    lowest = since + int(np.where(np.isfinite(height[since:]), height[since:], 9.0).argmin())
    if height[lowest] >= UPRIGHT_LEGS:
        detail = "it never sits: the hips stay as high as"
        return _Outcome(lowest, float(height[lowest]), UPRIGHT_LEGS, False, "legs", detail)
    after = upright[lowest:]
    if after.any():
        at = lowest + int(after.argmax())
        return _Outcome(at, float(height[at]), UPRIGHT_LEGS, True, "legs", least=True)
    rises = np.where(np.isfinite(height[lowest:]), height[lowest:], -1.0)
    at = lowest + int(rises.argmax())
    detail = "it does not stand up: the hips rise to"
    return _Outcome(at, float(height[at]), UPRIGHT_LEGS, False, "legs", detail, least=True)


def _duck(m: Motion, stage: Duck, scene: Scene | None, since: int, last: bool) -> _Outcome:
    found = _at_place(
        m, stage.x, stage.z, stage.within_m, stage.yaw, DUCK_RAD, slice(since, len(m))
    )
    if not found.met:
        return found
    tops = crossing_tops(m, stage, scene, since)
    detail = "while it passes, the body is as high as"
    return _Outcome(
        tops.frame, tops.top_m, stage.height_m, tops.top_m <= stage.height_m, "m", detail,
        span=tops.span,
    )  # fmt: skip


_Check = Callable[[Motion, Any, Scene | None, int, bool], _Outcome]
_CHECKS: dict[type[Stage], _Check] = {
    GoTo: _go_to, Via: _via, Follow: _follow, StandOn: _stand_on, Pick: _by_hand,
    PutDown: _by_hand, Sit: _sit, StandUp: _stand_up, Duck: _duck,
}  # fmt: skip
