"""A query answered by anytime search: a motion soon, better ones as time goes on, with a bound.

A task is searched as a whole; one that is longer than a window is searched window by window, each
going on from where the former was left, and what is proven is proven for each window.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import replace

from footfall.errors import InputError
from footfall.optimal.environment_stones import has_stones
from footfall.optimal.failures import find_barrier
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.options import OptimalOptions
from footfall.optimal.plan_problem import Problem, set_up
from footfall.optimal.plan_whole import solve_whole, solve_wider
from footfall.optimal.plan_windows import solve_windows
from footfall.optimal.sketch import make_sketch
from footfall.optimal.starts import face_seats
from footfall.optimal.touching import graph_for
from footfall.route import note_detours, refuse_short
from footfall.task import (
    CANCELLED,
    GOAL_NOT_VALID,
    NO_CLIP,
    NO_PATH,
    OUT_OF_TIME,
    START_NOT_VALID,
    Follow,
    GoTo,
    Plan,
    Query,
    Via,
    Watch,
)
from footfall.task.method import Refusal
from footfall.world.corridor.free_floor import first_blocked, walking_corridors, why_not_free

__all__ = ["Problem", "set_up", "solve_query"]

_WALKED = (GoTo, Via, Follow)
_SEARCHED = 0.95
_NO_LIMIT = 2_000_000_000


def solve_query(
    graph: InterpolatedGraph, query: Query, options: OptimalOptions, watch: Watch
) -> Iterator[Plan]:
    """Plans of a query, each cheaper than the one before, or better proven."""
    short = refuse_short(query) if all(isinstance(s, _WALKED) for s in query.stages) else None
    if short is not None:
        yield short
        return
    notes = tuple(note_detours(query))
    for made in _solve(graph, query, options, watch):
        yield replace(made, notes=(*made.notes, *notes)) if made.found else say_where(made, query)


def _solve(
    graph: InterpolatedGraph, query: Query, options: OptimalOptions, watch: Watch
) -> Iterator[Plan]:
    """The plans, without what is said of the places that are asked for."""
    query = face_seats(query)
    whole, graph = graph, graph_for(graph, query)
    if math.isfinite(watch.deadline):
        # All the time that there is, but for the last motion to be made.
        left = max(_SEARCHED * (watch.deadline - time.perf_counter()), 0.01)
        options = replace(options, search_s=left, expansions=_NO_LIMIT)
    try:
        sketch = make_sketch(query, options.corridor_m)
        problem = set_up(graph, query, sketch, options.window_m)
        stones = isinstance(problem, Problem) and has_stones(problem.world, sketch.points)
        if stones and sketch.gaps:
            graph = graph_for(whole, query, across=True)
            problem = set_up(graph, query, sketch, options.window_m)
    except InputError as error:  # what moves, or a scene without any floor
        yield Plan(NO_CLIP, str(error))
        return
    if isinstance(problem, Refusal):
        yield replace(problem.plan(), path=sketch.points)
    elif sketch.length_m > 1.25 * options.window_m:
        yield from solve_windows(graph, problem, options, watch)
    elif find_barrier(graph, problem.world, query, sketch.points) is None:
        yield from solve_whole(graph, problem, options, watch)
    else:
        yield from solve_wider(graph, problem, options, watch)


def say_where(made: Plan, query: Query) -> Plan:
    """A plan without a motion, which says as well what is wrong with the place or path asked for.

    Much of what nobody walks over can be leapt, ducked under or stepped on: only where there is no
    motion is it a reason.
    """
    scene, goal = query.scene, query.stages[-1]
    if scene is None or scene.moves:
        return made
    place = query.start if made.status == START_NOT_VALID else None
    if made.status == GOAL_NOT_VALID and isinstance(goal, GoTo):
        place = goal.place
    if place is not None:
        why = why_not_free(scene, walking_corridors(scene), place.point)
        return replace(made, reason=f"{made.reason}; it {why}") if why else made
    if not query.follows:
        closed = f"obstacles close off the goal: {made.reason}"
        return replace(made, reason=closed) if made.status == NO_PATH else made
    bad = first_blocked(scene, walking_corridors(scene), query.points)
    if bad is None:
        return made
    where = f"at ({bad.x:.2f}, {bad.z:.2f}), {bad.along_m:.1f} m from its beginning"
    status = made.status if made.status in (OUT_OF_TIME, CANCELLED) else NO_PATH
    return replace(made, status=status, reason=f"the path {bad.why} {where}: {made.reason}")
