"""A query answered among things that move: obstacles with known motions, and other people."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from footfall.body.clip import Clip
from footfall.gait.footprints import footprints_of
from footfall.maths.arrays import Floats, Ints
from footfall.roadmap.joins import Ends, standing_ends
from footfall.roadmap.legs import Leg, join_paths, split_query, straighten_legs
from footfall.roadmap.model import Roadmap
from footfall.roadmap.motion import make_motion
from footfall.roadmap.movers import Movers, join_movers, movers_of_clips, movers_of_scene, widen
from footfall.roadmap.people import nearest_meeting
from footfall.roadmap.plan import Wishes
from footfall.roadmap.search import Closed, FootholdPath, NoPath, nothing_closed, path_prints
from footfall.roadmap.spacetime import TimedPath, find_path_in_time, time_path
from footfall.roadmap.waiting import place_frames, wait_in_clip
from footfall.task import FOUND, NO_PATH, Plan, Query, Segment, SourceClip, Watch
from footfall.task.check import check_stages, find_troubles
from footfall.task.stages import Place
from footfall.world.changes import without_moving
from footfall.world.scene import Scene

_WIDER_M = (0.0, 0.1, 0.2, 0.35)
"""So much further movers are kept away from, one after the other, where they were touched."""
_LOOSE_M = 0.15
"""So much nearer than the discs of bodies say a straight path may pass movers, if it can."""
_TRIES = 8
_TOUCH_M = 0.0
"""People whose bodies are nearer than this touch each other."""


@dataclass(frozen=True, eq=False)
class TimedAnswer:
    """What came of a query in time: its plan, and its path with the frames (W,) its moves begin."""

    plan: Plan
    timed: TimedPath | None = None
    starts: Ints | None = None


def plan_in_time(
    roadmap: Roadmap, scene: Scene, query: Query, watch: Watch, wishes: Wishes | None = None,
    others: Sequence[tuple[Clip, float]] = (), begins_s: float = 0.0,
) -> Plan:  # fmt: skip
    """A motion that keeps clear of what moves in a scene, and of other people.

    roadmap   of what stands still in the scene
    others    their clips, and when these begin      begins_s   when the motion begins, seconds
    """
    return answer_in_time(roadmap, scene, query, watch, wishes, others, begins_s).plan


def answer_in_time(
    roadmap: Roadmap, scene: Scene, query: Query, watch: Watch, wishes: Wishes | None = None,
    others: Sequence[tuple[Clip, float]] = (), begins_s: float = 0.0,
) -> TimedAnswer:  # fmt: skip
    """The same, with its path."""
    still = without_moving(scene)
    split = split_query(roadmap, still, query)
    if isinstance(split, NoPath):
        return TimedAnswer(Plan(split.status, split.reason))
    starts, legs = split
    return walk_legs(
        roadmap, scene, starts, _rest_legs(roadmap, still, legs), watch, wishes or Wishes(),
        others, begins_s, query,
    )  # fmt: skip


def walk_legs(
    roadmap: Roadmap, scene: Scene, starts: Ends, goals: Sequence[Ends], watch: Watch,
    wishes: Wishes, others: Sequence[tuple[Clip, float]], begins_s: float, query: Query | None,
) -> TimedAnswer:  # fmt: skip
    """A motion over all goals, each the next one's start, that touches nothing on its way."""
    began = time.perf_counter()
    still = without_moving(scene)
    movers = join_movers([movers_of_scene(scene, begins_s), movers_of_clips(others, begins_s)])
    closed, wider, wrong = nothing_closed(roadmap), 0, ""
    for _ in range(_TRIES):
        watch.check()
        seen = widen(movers, _WIDER_M[wider])
        timed = _find(roadmap, still, starts, goals, seen, watch, closed)
        watch.check()
        if isinstance(timed, NoPath):
            return TimedAnswer(Plan(timed.status, wrong or timed.reason))
        found = time.perf_counter()
        for sweeps in (wishes.sweeps, 0) if wishes.sweeps else (0,):
            straight = _straighten(roadmap, still, timed, sweeps, query, seen)
            if straight is None:
                continue
            made = make_timed(roadmap, still, straight)
            timings = {"search": found - began, "all": time.perf_counter() - began}
            plan = replace(made.plan, timings=timings)
            wrong, near = _wrong(plan, scene, others, begins_s, query)
            if not wrong:
                return replace(made, plan=plan)
        if near and wider < len(_WIDER_M) - 1:
            wider += 1
        else:
            closed = _close(closed, made, timed, plan, still)
    return TimedAnswer(Plan(NO_PATH, wrong))


def _rest_legs(roadmap: Roadmap, scene: Scene, legs: Sequence[Leg]) -> list[Ends]:
    """Where legs come to rest; at places on the way as well, so that one can wait there."""
    goals = []
    for leg in legs:
        for place in leg.passing:
            at = Place(place.x, place.z, None)
            ends, valid = standing_ends(roadmap.table, scene, at, False, (place.reach, np.pi))
            goals.append(ends.only(valid))
        goals.append(leg.goals)
    return goals


def _find(
    roadmap: Roadmap, scene: Scene, starts: Ends, goals: Sequence[Ends], movers: Movers,
    watch: Watch, closed: Closed,
) -> TimedPath | NoPath:  # fmt: skip
    """The path over all goals."""
    moves = roadmap.moves
    parts: list[TimedPath] = []
    now = 0.0
    for number, goal in enumerate(goals):
        last = number == len(goals) - 1
        part = find_path_in_time(
            roadmap, scene, starts, goal, movers, now, watch.flag, closed, stays=last
        )
        if isinstance(part, NoPath):
            return replace(part, between=(starts, goal))
        parts.append(part)
        now += part.seconds(moves)
        rest = np.array([moves.ends[part.path.moves[-1]]], np.int32)
        starts = Ends(part.path.footholds[-1:], rest, np.ones(len(moves), np.bool_))
    path = join_paths([p.path for p in parts])
    waits = np.concatenate([p.waits for p in parts])
    stops = {*path.rests, *np.flatnonzero(waits).tolist()} - {0}
    return TimedPath(
        replace(path, rests=tuple(sorted(stops))), waits, float(sum(p.cost for p in parts))
    )


def _straighten(
    roadmap: Roadmap, scene: Scene, timed: TimedPath, sweeps: int, query: Query | None,
    movers: Movers,
) -> TimedPath | None:  # fmt: skip
    """The path made straight, with waits that suit it; None where there are none."""
    if not sweeps:
        return timed
    goal = None if query is None or query.goal is None else query.goal.place
    start = None if query is None else query.start
    path = straighten_legs(roadmap, scene, timed.path, sweeps, start, goal)
    # Moves may have been joined to one: a wait is told by where it is, which stays.
    waits = np.zeros(len(path))
    for n in np.flatnonzero(timed.waits).tolist():
        away = np.abs(path.footholds[:-1] - timed.path.footholds[n]).max(axis=1)
        if n and away.min() > 1e-9:
            return None
        waits[int(np.argmin(away)) if n else 0] += timed.waits[n]
    straight = replace(timed, path=path, waits=waits)
    for by_m in (0.0, -_LOOSE_M):  # discs are wider than bodies; the check has the last word
        found = time_path(roadmap.table, straight, widen(movers, by_m))
        if found is not None:
            return found
    return None


def make_timed(roadmap: Roadmap, scene: Scene, timed: TimedPath) -> TimedAnswer:
    """The motion of a path in time; it is not checked yet."""
    path = timed.path
    prints, starts = path_prints(roadmap.table, scene, path)
    motion = make_motion(roadmap.moves, path, prints, starts, scene)
    waiting = np.flatnonzero(timed.waits > 0.0)
    clip, times = wait_in_clip(
        motion.clip, motion.starts[waiting].tolist(), timed.waits[waiting].tolist()
    )
    begins = place_frames(times, motion.starts)
    plan = _plan(roadmap, path, clip, begins, timed.waits)
    return TimedAnswer(plan, timed, begins)


def _plan(roadmap: Roadmap, path: FootholdPath, clip: Clip, starts: Ints, waits: Floats) -> Plan:
    moves = roadmap.moves
    segments = []
    for n, m in enumerate(path.moves.tolist()):
        first = int(starts[n])
        stop = int(starts[n + 1]) if n + 1 < len(path) else len(clip)
        source = SourceClip(moves.clips[moves.clip[m]].name, int(moves.first[m]))
        pause = min(round(float(waits[n]) * clip.fps), stop - first)
        if pause:
            segments.append(Segment(first, first + pause, "wait", (source,)))
        if stop > first + pause:
            segments.append(Segment(first + pause, stop, "clip", (source,)))
    return Plan(
        FOUND, clip=clip, footholds=roadmap.nodes[:, [0, 2, 3]], footprints=footprints_of(clip),
        segments=tuple(segments), cost=path.cost,
    )  # fmt: skip


def _wrong(
    plan: Plan, scene: Scene, others: Sequence[tuple[Clip, float]], begins_s: float,
    query: Query | None,
) -> tuple[str, bool]:  # fmt: skip
    """What is wrong with a plan, in a sentence, and whether something that moves is to blame."""
    assert plan.clip is not None
    missed = "" if query is None else check_stages(plan, query)
    if missed:
        return missed, False
    for clip, at in others:
        meeting = nearest_meeting(plan.clip, clip, begins_s, at)
        if meeting.distance_m < _TOUCH_M:
            return f"the walk touches somebody after {meeting.seconds - begins_s:.1f} s", True
    troubles = find_troubles(plan, scene, begins_s)
    if not troubles:
        return "", False
    still = find_troubles(plan, without_moving(scene))
    return str(troubles[0]), not still


def _close(closed: Closed, made: TimedAnswer, timed: TimedPath, plan: Plan, scene: Scene) -> Closed:
    """Close the moves that are in trouble with what stands still; else the dearest of the path."""
    assert made.starts is not None
    troubles = find_troubles(plan, scene)
    rows = [
        int(np.searchsorted(made.starts, 0.5 * (t.first + t.stop - 1), side="right")) - 1
        for t in troubles
    ] or [int(np.argmax(timed.path.costs))]
    for n in rows:
        closed = closed.with_move(timed.path, min(max(n, 0), len(timed.path) - 1))
    return closed
