"""The online search among things that move: obstacles with known motions, and other people."""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from dataclasses import replace

import numpy as np

from footfall.roadmap.drafts import make_draft
from footfall.roadmap.joins import Ends, standing_ends
from footfall.roadmap.legs import Leg, join_paths, split_query, straighten_legs
from footfall.roadmap.model import Roadmap
from footfall.roadmap.movers import Movers, join_movers, movers_of_clips, movers_of_scene, widen
from footfall.roadmap.options import RoadmapOptions
from footfall.roadmap.paths import Closed, NoPath, nothing_closed, path_prints
from footfall.roadmap.search import Progress, close_failing, find_late
from footfall.roadmap.spacetime import TimedPath, find_path_in_time, time_path
from footfall.task import NO_PATH, Query, Watch
from footfall.task.draft import Draft
from footfall.task.problem import Problem, Rejection
from footfall.task.stages import Place
from footfall.world.scene import Scene
from footfall.world.scene_edit import without_moving

TimedDrafts = Generator[Draft, None, TimedPath | NoPath]
"""Drafts; at the end the path of the draft that passed, or why there is none."""
_WIDER_M = (0.0, 0.1, 0.2, 0.35)
"""Movers that were touched are kept away from by this much more, one after the other."""
_LOOSE_M = 0.15
"""A straight path may pass movers by this much nearer than the discs of bodies allow."""
_BLAME_M = 0.6
"""A mover that is so near to a failure is to blame for it."""


def draft_in_time(
    roadmap: Roadmap, scene: Scene, problem: Problem, watch: Watch, options: RoadmapOptions
) -> TimedDrafts:
    """Yield drafts that keep clear of what moves in a scene, and of other people.

    roadmap   of what stands still in the scene
    """
    still = without_moving(scene)
    split = split_query(roadmap, still, problem.query)
    if isinstance(split, NoPath):
        return split
    starts, legs = split
    goals = _rest_legs(roadmap, still, legs)
    return (
        yield from draft_legs(roadmap, scene, problem, starts, goals, watch, options, problem.query)
    )


def draft_legs(
    roadmap: Roadmap, scene: Scene, problem: Problem, starts: Ends, goals: Sequence[Ends],
    watch: Watch, options: RoadmapOptions, ends: Query | None = None,
) -> TimedDrafts:  # fmt: skip
    """Yield drafts over all goals, each the start of the next, that are to touch nothing.

    ends  the query whose start and goal may be turned; None: neither
    """
    still, begins_s = without_moving(scene), problem.begins_s
    movers = join_movers(
        [movers_of_scene(scene, begins_s), movers_of_clips(problem.others, begins_s)]
    )
    closed, wider, progress = nothing_closed(roadmap), 0, Progress()
    while True:
        watch.check()
        began = time.perf_counter()
        seen = widen(movers, _WIDER_M[wider])
        timed = _find(roadmap, still, starts, goals, seen, watch, closed)
        watch.check()
        if isinstance(timed, NoPath):
            return timed
        searched = time.perf_counter() - began
        for sweeps in dict.fromkeys((options.sweeps, 0)):
            straight = _straighten(roadmap, still, timed, sweeps, ends, seen)
            if straight is None:
                continue
            draft = replace(draft_timed(roadmap, still, straight), timings={"search": searched})
            yield draft
            rejection = problem.rejection_of(draft)
            if rejection is None:
                return straight
            if find_late(rejection.report) is not None:
                return NoPath(NO_PATH, str(rejection.report.failures[0]), True, True)
        assert rejection is not None
        known = closed.count, wider
        if wider < len(_WIDER_M) - 1 and _are_near(movers, rejection):
            wider += 1
        else:
            closed = close_failing(closed, timed.path, rejection)
        if known == (closed.count, wider) or not progress.goes_on(rejection.report):
            return NoPath(NO_PATH, str(rejection.report.failures[0]), True, True)


def _are_near(movers: Movers, rejection: Rejection) -> bool:
    """Whether a mover is near where a draft first failed."""
    first = rejection.report.failures[0]
    return movers.are_near(first.place, first.seconds, _BLAME_M)


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
    # Moves may have been joined into one: a wait is identified by its place, which stays.
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


def draft_timed(roadmap: Roadmap, scene: Scene, timed: TimedPath) -> Draft:
    """Make a draft of a path in time."""
    prints, starts = path_prints(roadmap.table, scene, timed.path)
    return make_draft(roadmap, scene, timed.path, prints, starts, timed.waits)
