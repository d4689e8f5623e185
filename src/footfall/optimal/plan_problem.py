"""A query as a problem, with its sketch, world, constraints and starts; how it is searched."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace

import numpy as np

from footfall.body.capsules import seat_to_hips
from footfall.maths.arrays import Floats
from footfall.maths.polyline import Polyline
from footfall.optimal.avoid import Avoided
from footfall.optimal.environment import environment_constraints
from footfall.optimal.failures import explain_failure
from footfall.optimal.goals import Constraint, make_constraints, make_goals
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.options import OptimalOptions
from footfall.optimal.problem import World
from footfall.optimal.search import Found, PathSearch
from footfall.optimal.sketch import Sketch
from footfall.optimal.starts import Starts, find_starts
from footfall.optimal.world import make_world, seen_from
from footfall.task import NO_CLIP, OUT_OF_TIME, Query, Sit, StandUp, Watch
from footfall.task.method import Refusal
from footfall.task.stages import Pick, PutDown

_SEARCHED = 0.95
BEHIND_M = 1.5
"""How far behind a place the ground that a part of a task is searched on begins."""
_BESIDE_M, _RISES_M = 0.03, 0.5
"""How much further than where one is to sit in the end one may sit on the way there, and how far
from where a motion starts somebody may be who stands up first."""


@dataclass(frozen=True, eq=False)
class PathProblem:
    """What is searched: a part of the sketch of a query, from some starts.

    constraints  those of the part, in order
    """

    query: Query
    sketch: Sketch
    world: World
    constraints: list[Constraint]
    starts: Starts


def set_up(
    graph: InterpolatedGraph, query: Query, sketch: Sketch, window_m: float = math.inf
) -> PathProblem | Refusal:
    """Return the whole of a query, ready to be searched; or why it cannot be done.

    window_m  of a sketch that is longer only the beginning is in the world
    """
    long = sketch.length_m > 1.25 * window_m
    part = stretch_of(sketch, 0.0, window_m) if long else sketch
    pose = _start_pose(query, sketch)
    world = scene_world(graph, query, part, pose)
    constraints: list[Constraint] = []
    for number in range(len(query.stages)):
        there = scene_world(graph, query, _around(sketch, number), pose) if long else world
        made = make_constraints(graph, there, query, number, float(sketch.stages_m[number]))
        if isinstance(made, Refusal):
            return made
        constraints += made
    if not long:
        constraints = with_environment(graph, world, sketch, constraints)
    starts = find_starts(graph, world, query, _heading(sketch.points))
    if isinstance(starts, Refusal):
        return starts
    return PathProblem(query, sketch, world, constraints, starts)


def _start_pose(query: Query, sketch: Sketch) -> Floats:
    """(3,) x, z and yaw of the start; that of the sketch there if the query has none."""
    start = query.start
    if start is None or start.yaw is None:
        return np.array([*query.points[0], _heading(sketch.points)])
    return np.array([start.x, start.z, start.yaw])


def with_environment(
    graph: InterpolatedGraph, world: World, sketch: Sketch, constraints: list[Constraint],
    first_m: float = 0.0,
) -> list[Constraint]:  # fmt: skip
    """The constraints with those that the scene puts on the sketch among them."""
    found = environment_constraints(graph, world, sketch.points, sketch.reach_m, first_m=first_m)
    # Stages that are done at the same place come after: one jumps, then stands there.
    return sorted([*found, *constraints], key=lambda c: c.along_m)


def scene_world(graph: InterpolatedGraph, query: Query, sketch: Sketch, pose: Floats) -> World:
    """Return what the scene of a query allows along a sketch, along the axes of a pose."""
    seats = _seats(query)
    world = make_world(
        query.scene, sketch.points, sketch.corridor_m, _touched(query), sketch.rooms,
        seats=seats, pose=pose, size=graph.size,
    )  # fmt: skip
    hips = np.array([0.0, seat_to_hips(graph.phases.skeleton), 0.0])
    within = [s.within_m + _BESIDE_M for s in query.stages if isinstance(s, Sit)]
    given = [[*(seat + hips), near] for seat, near in zip(seats, within, strict=True)]
    if query.start is not None and _rises_first(query):
        given.append([query.start.x, math.nan, query.start.z, _RISES_M])
    rows = np.array(given).reshape(-1, 4)
    rows[:, [0, 2]] = seen_from(pose, rows[:, [0, 2]])
    return replace(world, seats=rows)


def stretch_of(sketch: Sketch, first: float, last: float) -> Sketch:
    """A sketch between two distances along it, with the rooms that are near."""
    line = Polyline(sketch.points)
    first, last = max(first, 0.0), min(last, line.length_m)
    inside = (line.distances > first) & (line.distances < last)
    ends = line.at([first, last])
    points = np.concatenate([ends[:1], sketch.points[inside], ends[1:]])
    near = [room for room in sketch.rooms if _is_near(points, room)]
    return replace(sketch, points=points, rooms=np.array(near).reshape(-1, 3))


def _around(sketch: Sketch, stage: int) -> Sketch:
    """A sketch where a stage is done."""
    here = float(sketch.stages_m[stage])
    return stretch_of(sketch, here - BEHIND_M, here + BEHIND_M)


def _is_near(points: Floats, room: Floats) -> bool:
    low, high = points.min(axis=0) - room[2], points.max(axis=0) + room[2]
    return bool((room[:2] >= low).all() and (room[:2] <= high).all())


def _rises_first(query: Query) -> bool:
    """Whether somebody stands up who did not sit down before."""
    kinds = [s for s in query.stages if isinstance(s, Sit | StandUp)]
    return bool(kinds) and isinstance(kinds[0], StandUp)


def _touched(query: Query) -> list[Floats]:
    """The points that hands are to be at."""
    held = [stage for stage in query.stages if isinstance(stage, Pick | PutDown)]
    return [np.array([stage.x, stage.y, stage.z]) for stage in held]


def _seats(query: Query) -> list[Floats]:
    """The points that are sat on."""
    out = []
    for stage in query.stages:
        if isinstance(stage, Sit):
            ground = 0.0 if query.scene is None else _floor(query, stage)
            out.append(np.array([stage.x, ground + stage.height_m, stage.z]))
    return out


def _floor(query: Query, stage: Sit) -> float:
    assert query.scene is not None
    level = float(query.scene.height(np.array([[stage.x, stage.z]]))[0])
    return level if math.isfinite(level) else 0.0


def _heading(points: Floats) -> float:
    """Which way a path goes at its beginning."""
    away = points - points[0]
    far = np.flatnonzero(np.hypot(*away.T) > 0.3)
    x, z = away[far[0]] if len(far) else (0.0, 1.0)
    return math.atan2(x, z)


# ---- searches ------------------------------------------------------------------------------


def begin_search(
    graph: InterpolatedGraph, problem: PathProblem, options: OptimalOptions, deadline: float,
    watch: Watch, avoided: Avoided | None = None,
) -> PathSearch:  # fmt: skip
    """Return a search of a problem, about to begin, that keeps away from what is avoided."""
    watch.check()
    avoided = avoided or Avoided()
    search = PathSearch(
        graph, avoided.narrow(problem.world), make_goals(problem.constraints),
        problem.starts.nodes, problem.starts.poses, options.search, deadline=deadline,
        cancel=watch.flag, forbidden=avoided.edges(graph),
    )  # fmt: skip
    # Counted in states, not in seconds, the same task has the same answer on any machine.
    search.anytime.most = float(options.expansions)
    return search


def time_after(watch: Watch, share: float) -> float:
    """Return when a share of the time that is left is over; inf where the query has no `time_s`.

    The last motion is to be made in what remains.
    """
    now = time.perf_counter()
    return now + min(share, 1.0) * _SEARCHED * (watch.deadline - now)


def tell_found(watch: Watch, found: Found, share: float) -> None:
    """Pass on that a better path is found."""
    note = f"searching, {found.expansions:,} states expanded"
    watch.tell(min(share, 0.99), cost=found.cost, bound=found.bound, note=note)


def explain_ending(graph: InterpolatedGraph, problem: PathProblem, search: PathSearch) -> Refusal:
    """Return why a search found nothing."""
    if search.ending in ("out of time", "given up"):
        expanded = f"{search.expansions:,} states"
        reason = f"the time given was over before a motion was found; {expanded} were expanded"
        if search.ending == "given up":
            reason = f"no motion was found among {expanded}; more may do (option expansions)"
        return Refusal(reason, OUT_OF_TIME)
    if search.ending == "out of memory":
        megabytes = f"{search.memory / 1e6:,.0f} MB"
        reason = f"the search needs more than the {megabytes} that it may take (option memory_mb)"
        return Refusal(reason)
    closest = search.closest()
    status, reason = explain_failure(
        graph, problem.world, problem.query, problem.sketch, problem.constraints,
        None if closest is None else (closest.poses[-1], len(closest.met)),
    )  # fmt: skip
    times = [c.by_s for c in problem.constraints if math.isfinite(c.by_s)]
    if times and status == NO_CLIP:
        reason = f"{reason}; it is to be done within {times[-1]:g} s, perhaps more time helps"
    return Refusal(reason, status)


def say_bound(bound: float) -> str:
    """What is proven, in words."""
    if not math.isfinite(bound):
        return "nothing is proven of its cost"
    return f"it costs at most {max(bound, 1.0):.2f} times the least"
