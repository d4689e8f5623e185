"""A long task searched window by window.

Each window goes on from where the former was left, and what is proven is proven for each.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from footfall.maths.arrays import Floats
from footfall.maths.polyline import distances_along
from footfall.optimal.finish import finish_motion
from footfall.optimal.goals import Constraint
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.options import OptimalOptions
from footfall.optimal.plan_legs import Joined, join_found
from footfall.optimal.plan_problem import (
    BEHIND_M,
    Problem,
    point_at,
    scene_world,
    stretch_of,
    with_environment,
)
from footfall.optimal.plan_search import begin_search, explain_ending, say_bound
from footfall.optimal.plan_whole import NARROWER_M
from footfall.optimal.search import Found
from footfall.optimal.starts import Starts
from footfall.optimal.world import narrow_world
from footfall.task import NO_CLIP, Plan, Watch

_GAIN = 0.6
"""The share of a window that is kept before the next is searched from there."""
_AHEAD_M = 0.6


def solve_windows(
    graph: InterpolatedGraph, problem: Problem, options: OptimalOptions, watch: Watch
) -> Iterator[Plan]:
    """The plan of a task that is longer than a window."""
    windows = math.ceil(problem.sketch.length_m / (_GAIN * options.window_m))
    each_s = options.search_s / windows
    trouble = ""
    for narrower in NARROWER_M:
        kept = _search_windows(graph, problem, options, watch, each_s, narrower)
        if isinstance(kept, Plan):
            yield kept
            return
        made = finish_motion(graph, kept.path, problem.query, problem.constraints)
        watch.check()
        if made.found:
            yield replace(made, cost=kept.cost, bound=math.inf, path=problem.sketch.points,
                          notes=(*made.notes, *kept.notes))  # fmt: skip
            return
        trouble = trouble or made.reason
    yield Plan(NO_CLIP, trouble, path=problem.sketch.points)


def _search_windows(
    graph: InterpolatedGraph, problem: Problem, options: OptimalOptions, watch: Watch,
    each_s: float, narrower: float,
) -> Joined | Plan:  # fmt: skip
    """All windows one after the other, or the plan that says why one has no path."""
    kept = Joined.empty()
    length, here, done, gone_s = problem.sketch.length_m, 0.0, 0, 0.0
    starts = problem.starts
    while True:
        end = here + options.window_m
        last = end > length - 0.25 * options.window_m
        part = _window(graph, problem, here, length if last else end, done, last, gone_s)
        part = replace(part, starts=starts, world=narrow_world(part.world, narrower))
        found = _best_in(graph, part, options, watch, each_s, here / length)
        if isinstance(found, Plan):
            return found
        count = len(found.edges) if last else _count_kept(problem, found, here, options)
        met = found.met[found.met <= count][: len(part.constraints) - (0 if last else 1)]
        note = f"{here:.0f} to {min(end, length):.0f} m: {say_bound(found.bound)}"
        kept = join_found(graph, kept, found, count, met, note)
        gone_s += float(graph.edge_seconds[found.edges[:count]].sum())
        done += len(met)
        if last:
            return kept
        starts = Starts(found.nodes[count : count + 1], found.poses[count : count + 1])
        here = max(_along(problem, found.poses[count, :2], here), here + 0.5)


def _window(
    graph: InterpolatedGraph, problem: Problem, here: float, end: float, done: int, last: bool,
    gone_s: float,
) -> Problem:  # fmt: skip
    """The part of a problem between two distances along its sketch."""
    sketch = problem.sketch
    part = stretch_of(sketch, here - BEHIND_M, end + _AHEAD_M)
    left = [replace(c, by_s=c.by_s - gone_s) for c in problem.constraints[done:]]
    chosen = left if last else [c for c in left if c.along_m <= end - _AHEAD_M]
    if not last:
        at = point_at(sketch.points, distances_along(sketch.points), end)
        chosen.append(replace(_end_of_window(graph, at), along_m=end))
    world = scene_world(graph, problem.query, part)
    begins = max(here - BEHIND_M, 0.0)
    chosen = with_environment(graph, world, part, chosen, begins)
    chosen = [c for c in chosen if c.stage >= 0 or c.along_m > here]
    return Problem(problem.query, part, world, chosen, problem.starts)


def _end_of_window(graph: InterpolatedGraph, at: Floats) -> Constraint:
    """The root near a point of the sketch, on its feet."""
    count = len(graph.node_a)
    upright = (graph.node_signature & ~3) == 0
    return Constraint(
        -1, upright & (graph.node_signature > 0), np.zeros((count, 3)),
        np.array([at[0], math.nan, at[1]]), _AHEAD_M, np.zeros(count),
    )  # fmt: skip


def _best_in(
    graph: InterpolatedGraph, part: Problem, options: OptimalOptions, watch: Watch, each_s: float,
    share: float,
) -> Found | Plan:  # fmt: skip
    """The best path of a window in its time; as long as it takes for the first."""
    best: Found | None = None
    began = time.perf_counter()
    search = begin_search(graph, part, options, watch.deadline, watch)
    for best in search:
        note = f"searching, {best.expansions:,} states expanded"
        watch.tell(share, cost=best.cost, bound=best.bound, note=note)
        if time.perf_counter() - began > each_s:
            break
    watch.check()
    return explain_ending(graph, part, search) if best is None else best


def _count_kept(problem: Problem, found: Found, here: float, options: OptimalOptions) -> int:
    """How many edges of a window are kept: to the first node beyond a share of it."""
    for n in range(1, len(found.edges)):
        if _along(problem, found.poses[n, :2], here) > here + _GAIN * options.window_m:
            return n
    return len(found.edges)


def _along(problem: Problem, at: Floats, beyond: float) -> float:
    """How far along the sketch a place is, not before `beyond`."""
    points = problem.sketch.points
    along = distances_along(points)
    dense = np.arange(max(beyond - 1.0, 0.0), along[-1] + 0.1, 0.1)
    near = np.stack([np.interp(dense, along, points[:, k]) for k in range(2)], axis=1)
    window = dense <= beyond + 40.0
    return float(dense[window][np.hypot(*(near[window] - at).T).argmin()])
