"""A query answered by a roadmap: a path over footholds, made straight, made a motion, checked."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from footfall.maths.arrays import Floats
from footfall.roadmap.failures import judge_failure
from footfall.roadmap.grow import grow_roadmap, may_grow
from footfall.roadmap.joins import Ends
from footfall.roadmap.legs import Leg, find_legs, miss_feet, split_query, straighten_legs
from footfall.roadmap.model import Roadmap
from footfall.roadmap.motion import JoinedMotion, make_motion
from footfall.roadmap.refine import ROUNDS, SWEEPS, smooth_prints
from footfall.roadmap.search import (
    APART_M,
    Closed,
    FootholdPath,
    NoPath,
    nothing_closed,
    path_prints,
)
from footfall.task import FOUND, NO_CLIP, GoTo, Plan, Query, Segment, SourceClip, Watch
from footfall.task.check import check_stages, find_troubles
from footfall.task.stages import Place
from footfall.world.collision.motion_check import Trouble
from footfall.world.scene import Scene

_TRIES = 24
"""So often another path is looked for where the body touches something."""


Grow = Callable[[Roadmap, Ends, Ends, Floats], Roadmap]


@dataclass(frozen=True)
class Wishes:
    """How a query is to be answered.

    sweeps   how often paths are straightened     search   "a*" or "dijkstra"
    apart_m  how far from each other different paths get somewhere
    smoothing  how often the differences of their footprints from the clips' are smoothed
    denser   how often the roadmap is made denser where it fails
    """

    sweeps: int = SWEEPS
    search: str = "a*"
    apart_m: float = APART_M
    smoothing: int = ROUNDS
    denser: int = 0


def plan_on_roadmap(
    roadmap: Roadmap, scene: Scene, start: Place, goal: Place, watch: Watch, sweeps: int = 4
) -> Plan:
    """A motion from standing at the start to standing at the goal."""
    query = Query(start, GoTo(goal.x, goal.z, goal.yaw), scene)
    return answer(roadmap, scene, query, watch, Wishes(sweeps))[0]


def answer(
    roadmap: Roadmap, scene: Scene, query: Query, watch: Watch, wishes: Wishes,
    unlike: Sequence[FootholdPath] = (), grow: Grow | None = None,
) -> tuple[Plan, FootholdPath | NoPath]:  # fmt: skip
    """A motion that does what a query asks, and its path over footholds; or why there is none.

    unlike  paths each of which it leaves by some distance somewhere
    grow    makes the roadmap denser between starts and goals, along a line
    """
    for rounds in range(wishes.denser + 1):
        made, path = _answer(roadmap, scene, query, watch, wishes, unlike)
        if not isinstance(path, NoPath) or path.between is None or unlike:
            break
        first, last = (e.footholds[:, [0, 2]].mean(axis=0) for e in path.between)
        stops = [first, *(np.array([p.x, p.z]) for p in path.passing), last]
        verdict = judge_failure(roadmap, scene, stops)
        if path.leaves or not verdict.sparse:
            made = Plan(verdict.status, verdict.reason)
        watch.check()
        if not verdict.sparse or rounds == wishes.denser or not may_grow(roadmap):
            break
        watch.tell(0.1, note="making the roadmap denser")
        if grow is None:
            roadmap = grow_roadmap(roadmap, scene, *path.between, verdict.line, check=watch.check)
        else:
            roadmap = grow(roadmap, *path.between, verdict.line)
    return made, path


def _answer(
    roadmap: Roadmap, scene: Scene, query: Query, watch: Watch, wishes: Wishes,
    unlike: Sequence[FootholdPath],
) -> tuple[Plan, FootholdPath | NoPath]:  # fmt: skip
    """The same on the roadmap as it is."""
    began = time.perf_counter()
    split = split_query(roadmap, scene, query)
    if isinstance(split, NoPath):
        return Plan(split.status, split.reason), split
    starts, legs = split
    closed, wrong = nothing_closed(roadmap), ""
    for _ in range(_TRIES):
        watch.check()
        path = find_legs(
            roadmap, scene, starts, legs, watch.flag, closed, wishes.search, unlike, wishes.apart_m
        )
        watch.check()
        found = time.perf_counter()
        if isinstance(path, NoPath):
            return Plan(path.status, wrong or path.reason), path
        for sweeps in (wishes.sweeps, 0) if wishes.sweeps else (0,):
            rounds = wishes.smoothing if sweeps == wishes.sweeps else 0
            made, motion = _make(roadmap, scene, query, path, sweeps, rounds)
            timings = {"search": found - began, **made.timings}
            made = replace(made, timings={**timings, "all": time.perf_counter() - began})
            troubles = find_troubles(made, scene)
            missed = check_stages(made, query) or miss_feet(made, query)
            if not troubles and not missed:
                return made, path
        wrong = missed or str(troubles[0])
        closed = _close(closed, path, motion, troubles)
        if missed:
            legs = _nearer(legs)
    return Plan(NO_CLIP, wrong), NoPath(NO_CLIP, wrong, True, True)


def _make(
    roadmap: Roadmap, scene: Scene, query: Query, path: FootholdPath, sweeps: int, rounds: int
) -> tuple[Plan, JoinedMotion]:
    """The motion of a path, made straight before; it is not checked yet."""
    began = time.perf_counter()
    goal = None if query.goal is None else query.goal.place
    path = straighten_legs(roadmap, scene, path, sweeps, query.start, goal)
    prints, starts = path_prints(roadmap.table, scene, path)
    path, prints = smooth_prints(roadmap, scene, path, prints, starts, rounds)
    refined = time.perf_counter()
    motion = make_motion(roadmap.moves, path, prints, starts, scene)
    made = _plan(roadmap, path, motion)
    timings = {"refining": refined - began, "motion": time.perf_counter() - refined}
    return replace(made, timings=timings), motion


def _close(
    closed: Closed, path: FootholdPath, motion: JoinedMotion, troubles: Sequence[Trouble]
) -> Closed:
    """Close the moves of a path that are in trouble, by the frames that are."""
    for trouble in troubles:
        frame = 0.5 * (trouble.first + trouble.stop - 1)
        n = int(np.searchsorted(motion.starts, frame, side="right")) - 1
        closed = closed.with_move(path, min(max(n, 0), len(path) - 1))
    return closed


def _nearer(legs: Sequence[Leg]) -> list[Leg]:
    """The legs, passing places on the way at half the distance."""
    return [
        replace(leg, passing=tuple(replace(p, reach=0.5 * p.reach) for p in leg.passing))
        for leg in legs
    ]


def _plan(roadmap: Roadmap, path: FootholdPath, motion: JoinedMotion) -> Plan:
    moves, clip = roadmap.moves, motion.clip
    segments = []
    for n, m in enumerate(path.moves.tolist()):
        first = int(motion.starts[n])
        stop = int(motion.starts[n + 1]) if n + 1 < len(path) else len(clip)
        if stop > first:
            source = SourceClip(moves.clips[moves.clip[m]].name, int(moves.first[m]))
            segments.append(Segment(first, stop, "clip", (source,)))
    return Plan(
        FOUND, clip=clip, footholds=roadmap.nodes[:, [0, 2, 3]], footprints=motion.footprints,
        segments=tuple(segments), cost=path.cost,
    )  # fmt: skip
