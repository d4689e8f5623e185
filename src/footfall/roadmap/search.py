"""The online search: drafts for a problem, one path over footholds after the other.

After a draft was rejected, the search closes the moves that were played in the failing spans and
looks for the next path. It stops when drafts no longer get better.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from footfall.roadmap.drafts import make_draft
from footfall.roadmap.failures import judge_failure
from footfall.roadmap.grow import grow_about, grow_roadmap, may_grow
from footfall.roadmap.legs import Leg, find_legs, split_query, straighten_legs
from footfall.roadmap.model import Roadmap
from footfall.roadmap.options import RoadmapOptions
from footfall.roadmap.paths import Closed, FootholdPath, NoPath, nothing_closed, path_prints
from footfall.roadmap.refine import smooth_prints
from footfall.task import NO_CLIP, Query, Via, Watch
from footfall.task.draft import Draft
from footfall.task.effort import LEAST_J_KG_M, STOPPING_J_KG
from footfall.task.problem import Problem, Rejection
from footfall.task.verify import Finding, Report
from footfall.world.scene import Scene

Drafts = Generator[Draft, None, FootholdPath | NoPath]
"""Drafts; at the end the path of the draft that passed, or why there is none."""
_PATIENCE = 12
"""The search stops after this many drafts that fail as often as others, at known places."""
_WORTH_IT, _GAIN = 1.3, 0.03
"""Footholds are added about paths that cost more than this times the straight way, as long as each
round saves this share."""
_SAME_PLACE_M = 0.4
"""Failures that are nearer to each other are at the same place."""


@dataclass(eq=False)
class Progress:
    """Whether rejected drafts still get better.

    fewest  the least number of failures of a draft
    places  where drafts failed, (x, z) in metres
    stale   how many drafts in a row failed as often as others, at known places
    """

    fewest: float = np.inf
    places: list[tuple[float, float]] = field(default_factory=list)
    stale: int = 0

    def goes_on(self, report: Report) -> bool:
        """Take note of a report, and return whether another draft is worth trying."""
        failures = report.failures
        fresh = [f.place for f in failures if not self._is_known(f.place)]
        better = bool(fresh) or len(failures) < self.fewest
        self.fewest = min(self.fewest, len(failures))
        self.places += fresh
        self.stale = 0 if better else self.stale + 1
        return self.stale < _PATIENCE

    def _is_known(self, place: tuple[float, float]) -> bool:
        return any(np.hypot(place[0] - x, place[1] - z) < _SAME_PLACE_M for x, z in self.places)


def draft_query(
    roadmap: Roadmap, scene: Scene, problem: Problem, watch: Watch, options: RoadmapOptions,
    unlike: Sequence[FootholdPath] = (),
) -> Drafts:  # fmt: skip
    """Yield drafts for a problem among obstacles that stand still.

    Where footholds are too few, a denser copy of the roadmap is searched, for this problem alone.

    unlike  paths each of which the draft leaves by some distance somewhere
    """
    closed = nothing_closed(roadmap)
    for rounds in range(options.denser + 1):
        found, closed, roadmap = yield from _draft_paths(
            roadmap, scene, problem, watch, options, unlike, closed
        )
        if not isinstance(found, NoPath) or found.between is None or unlike:
            return found
        first, last = (e.footholds[:, [0, 2]].mean(axis=0) for e in found.between)
        stops = [first, *(np.array([p.x, p.z]) for p in found.passing), last]
        verdict = judge_failure(roadmap, scene, stops)
        if found.leaves or not verdict.sparse:
            found = NoPath(verdict.status, verdict.reason, between=found.between)
        watch.check()
        if not verdict.sparse or rounds == options.denser or not may_grow(roadmap):
            return found
        watch.tell(0.1, note="making the roadmap denser")
        assert found.between is not None
        denser = grow_roadmap(
            roadmap, scene, *found.between, verdict.line, problem.query.seed, watch.check
        )
        roadmap, closed = denser, closed.of_denser(roadmap, denser)
    raise AssertionError("the last round returns")


def _draft_paths(
    roadmap: Roadmap, scene: Scene, problem: Problem, watch: Watch, options: RoadmapOptions,
    unlike: Sequence[FootholdPath], closed: Closed,
) -> Generator[Draft, None, tuple[FootholdPath | NoPath, Closed, Roadmap]]:  # fmt: skip
    """Yield drafts on the roadmap, with more footholds about paths.

    Return the path, or why there is none, what was closed, and the roadmap.
    """
    split = split_query(roadmap, scene, problem.query)
    if isinstance(split, NoPath):
        return split, closed, roadmap
    starts, legs = split
    progress, grown, before = Progress(), 0, np.inf
    more = options.search, unlike, options.apart_m
    worth = _WORTH_IT * _least_cost(problem.query)
    began = time.perf_counter()
    while True:
        watch.check()
        path = find_legs(roadmap, scene, starts, legs, watch.flag, closed, *more)
        watch.check()
        if isinstance(path, NoPath):
            return path, closed, roadmap
        if grown < options.resample and worth < path.cost <= (1.0 - _GAIN) * before:
            grown, before = grown + 1, path.cost
            denser = grow_about(roadmap, scene, path, problem.query.seed, watch.check)
            roadmap, closed = denser, closed.of_denser(roadmap, denser)
            continue
        searched = {"search": time.perf_counter() - began}
        for sweeps in dict.fromkeys((options.sweeps, 0)):
            rounds = options.smoothing if sweeps == options.sweeps else 0
            draft = _refine(roadmap, scene, problem.query, path, sweeps, rounds)
            draft = replace(draft, timings={**searched, **draft.timings})
            yield draft
            rejection = problem.rejection_of(draft)
            if rejection is None:
                return path, closed, roadmap
            if find_late(rejection.report) is not None:
                late = NoPath(NO_CLIP, str(rejection.report.failures[0]), True, True)
                return late, closed, roadmap
        assert rejection is not None
        known, legs, began = closed, _nearer(legs, rejection), time.perf_counter()
        closed = close_failing(closed, path, rejection)
        if closed.count == known.count or not progress.goes_on(rejection.report):
            return NoPath(NO_CLIP, str(rejection.report.failures[0]), True, True), closed, roadmap


def _least_cost(query: Query) -> float:
    """Return what the straight way past the places of a query costs a person."""
    straight = float(np.hypot(*np.diff(query.points, axis=0).T).sum())
    return LEAST_J_KG_M * straight + STOPPING_J_KG


def _refine(
    roadmap: Roadmap, scene: Scene, query: Query, path: FootholdPath, sweeps: int, rounds: int
) -> Draft:
    """Make a draft of a path that is straightened first, and whose footprints are smoothed."""
    began = time.perf_counter()
    if sweeps:
        goal = None if query.goal is None else query.goal.place
        path = straighten_legs(roadmap, scene, path, sweeps, query.start, goal)
    prints, starts = path_prints(roadmap.table, scene, path)
    path, prints = smooth_prints(roadmap, scene, path, prints, starts, rounds)
    refined = time.perf_counter()
    draft = make_draft(roadmap, scene, path, prints, starts)
    timings = {"refining": refined - began, "motion": time.perf_counter() - refined}
    return replace(draft, timings=timings)


def close_failing(closed: Closed, path: FootholdPath, rejection: Rejection) -> Closed:
    """Close the moves of a path that were played where a draft of it failed."""
    for n in rejection.draft.made_of.moves_in(rejection.spans):
        closed = closed.with_move(path, n)
    return closed


def find_late(report: Report) -> Finding | None:
    """Return the failure that a stage is done too late, if there is one."""
    return next((f for f in report.failures if f.unit == "s"), None)


def _nearer(legs: list[Leg], rejection: Rejection) -> list[Leg]:
    """Return the legs; if a place on the way was missed, at half the distance of such places."""
    if not any(f.check == Via.kind for f in rejection.report.failures):
        return legs
    return [
        replace(leg, passing=tuple(replace(p, reach=0.5 * p.reach) for p in leg.passing))
        for leg in legs
    ]
