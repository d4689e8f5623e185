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
from footfall.optimal.failures import find_barrier
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.options import OptimalOptions
from footfall.optimal.plan_problem import Problem, set_up
from footfall.optimal.plan_whole import solve_whole, solve_wider
from footfall.optimal.plan_windows import solve_windows
from footfall.optimal.sketch import make_sketch
from footfall.optimal.starts import face_seats
from footfall.optimal.touching import graph_for
from footfall.task import NO_CLIP, Plan, Query, Watch
from footfall.task.method import Refusal

__all__ = ["Problem", "set_up", "solve_query"]

_SEARCHED = 0.95
_NO_LIMIT = 2_000_000_000


def solve_query(
    graph: InterpolatedGraph, query: Query, options: OptimalOptions, watch: Watch
) -> Iterator[Plan]:
    """Plans of a query, each cheaper than the one before, or better proven."""
    query = face_seats(query)
    graph = graph_for(graph, query)
    if math.isfinite(watch.deadline):
        # All the time that there is, but for the last motion to be made.
        left = max(_SEARCHED * (watch.deadline - time.perf_counter()), 0.01)
        options = replace(options, search_s=left, expansions=_NO_LIMIT)
    try:
        sketch = make_sketch(query, options.corridor_m)
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
