"""Search a query for drafts: one soon, better ones as time goes on, with a bound.

A task is searched as a whole; one that is longer than a window is searched window by window, each
going on from where the former was left, and what is proven is proven for each window.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from footfall.body.size import BodySize
from footfall.errors import InputError
from footfall.optimal.failures import find_barrier
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.options import OptimalOptions
from footfall.optimal.plan_problem import set_up
from footfall.optimal.plan_whole import search_whole, search_wider
from footfall.optimal.plan_windows import search_windows
from footfall.optimal.sketch import make_sketch
from footfall.optimal.starts import make_definite
from footfall.optimal.stones import has_stones
from footfall.optimal.touching import graph_for
from footfall.task import (
    CANCELLED,
    GOAL_NOT_VALID,
    NO_PATH,
    OUT_OF_TIME,
    START_NOT_VALID,
    Follow,
    GoTo,
    Query,
    Via,
    Watch,
)
from footfall.task.draft import Draft
from footfall.task.method import Refusal
from footfall.task.problem import Problem
from footfall.task.routes import refuse_short, walking_limits
from footfall.world.corridor.free_floor import first_blocked, walking_corridors, why_not_free

_WALKED = (GoTo, Via, Follow)
_NO_LIMIT = 2_000_000_000


def search_drafts(
    graph: InterpolatedGraph, asked: Problem, options: OptimalOptions, watch: Watch
) -> Iterator[Draft | Refusal]:
    """Yield drafts of a problem, each cheaper than the one before, or better proven."""
    query = asked.query
    short = refuse_short(query) if all(isinstance(s, _WALKED) for s in query.stages) else None
    if short is not None:
        yield short
        return
    for made in _search(graph, asked, options, watch):
        yield say_where(made, query, graph.size) if isinstance(made, Refusal) else made


def _search(
    graph: InterpolatedGraph, asked: Problem, options: OptimalOptions, watch: Watch
) -> Iterator[Draft | Refusal]:
    """Yield the drafts, or why there are none, without what is wrong with the places asked for."""
    query = make_definite(asked.query)
    whole, graph = graph, graph_for(graph, query)
    if math.isfinite(watch.deadline):
        options = replace(options, expansions=_NO_LIMIT)
    try:
        sketch = make_sketch(query, options.corridor_m, graph.size)
        problem = set_up(graph, query, sketch, options.window_m)
        stones = not isinstance(problem, Refusal) and has_stones(problem.world, sketch.points)
        if stones and sketch.gaps:
            graph = graph_for(whole, query, across=True)
            problem = set_up(graph, query, sketch, options.window_m)
    except InputError as error:  # something moves, or the scene has no floor
        yield Refusal(str(error))
        return
    if isinstance(problem, Refusal):
        yield problem
    elif sketch.length_m > 1.25 * options.window_m:
        yield from search_windows(graph, problem, asked, options, watch)
    elif find_barrier(graph, problem.world, query, sketch) is None:
        yield from search_whole(graph, problem, asked, options, watch)
    else:
        yield from search_wider(graph, problem, asked, options, watch)


def say_where(made: Refusal, query: Query, size: BodySize) -> Refusal:
    """Return a refusal that also names what is wrong with the place or path asked for.

    Much of what nobody walks over can be leapt, ducked under or stepped on: only where there is no
    motion is it a reason.
    """
    scene, goal = query.scene, query.stages[-1]
    if scene is None or scene.moves:
        return made
    limits = walking_limits(size)
    place = query.start if made.status == START_NOT_VALID else None
    if made.status == GOAL_NOT_VALID and isinstance(goal, GoTo):
        place = goal.place
    if place is not None:
        why = why_not_free(scene, walking_corridors(scene, limits), place.point, limits)
        return replace(made, reason=f"{made.reason}; it {why}") if why else made
    if not query.follows:
        closed = f"obstacles close off the goal: {made.reason}"
        return replace(made, reason=closed) if made.status == NO_PATH else made
    bad = first_blocked(scene, walking_corridors(scene, limits), query.points, limits)
    if bad is None:
        return made
    where = f"at ({bad.x:.2f}, {bad.z:.2f}), {bad.along_m:.1f} m from its beginning"
    status = made.status if made.status in (OUT_OF_TIME, CANCELLED) else NO_PATH
    return replace(made, status=status, reason=f"the path {bad.why} {where}: {made.reason}")
