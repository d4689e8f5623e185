"""Search a long task window by window.

Each window goes on from where the former was left. What is proven is proven for each window, and
nothing of the whole.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from footfall.maths.arrays import Floats, Ints
from footfall.maths.polyline import Polyline
from footfall.optimal.avoid import ROUNDS, Avoided
from footfall.optimal.draft import path_drafts
from footfall.optimal.goals import Constraint
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.options import OptimalOptions
from footfall.optimal.plan_legs import Joined, join_found
from footfall.optimal.plan_problem import (
    BEHIND_M,
    PathProblem,
    begin_search,
    explain_ending,
    say_bound,
    scene_world,
    stretch_of,
    tell_found,
    time_after,
    with_environment,
)
from footfall.optimal.search import Found
from footfall.optimal.starts import Starts
from footfall.task import Watch
from footfall.task.draft import Draft
from footfall.task.method import Refusal
from footfall.task.problem import Problem
from footfall.task.routes import note_detours

_GAIN = 0.6
"""The share of a window that is kept before the next is searched from there."""
_AHEAD_M = 0.6


def search_windows(
    graph: InterpolatedGraph, problem: PathProblem, asked: Problem, options: OptimalOptions,
    watch: Watch,
) -> Iterator[Draft | Refusal]:  # fmt: skip
    """Yield drafts of a task that is longer than a window, until one passes."""
    windows = math.ceil(problem.sketch.length_m / (_GAIN * options.window_m))
    avoided = Avoided()
    for _ in range(ROUNDS):
        each_s = (time_after(watch, 1.0) - time.perf_counter()) / windows
        kept = _search_windows(graph, problem, options, watch, each_s, avoided)
        if isinstance(kept, Refusal):
            yield kept
            return
        rejection = None
        for made in path_drafts(graph, kept, problem.query, problem.constraints):
            notes = (*kept.notes, *note_detours(asked.query))
            draft = replace(made, cost=kept.cost, path=problem.sketch.points, notes=notes)
            yield draft
            watch.check()
            rejection = asked.rejection_of(draft)
            if rejection is None:
                return
        if rejection is not None:
            avoided.add(graph, rejection)


def _search_windows(
    graph: InterpolatedGraph, problem: PathProblem, options: OptimalOptions, watch: Watch,
    each_s: float, avoided: Avoided,
) -> Joined | Refusal:  # fmt: skip
    """Search all windows, one after the other; or return why one has no path."""
    kept = Joined.empty()
    length, here, spent_s = problem.sketch.length_m, 0.0, 0.0
    starts, left = problem.starts, list(problem.constraints)
    while True:
        end = here + options.window_m
        last = end > length - 0.25 * options.window_m
        part = _window(graph, problem, starts, here, length if last else end, left, last, spent_s)
        found = _best_in(graph, part, options, watch, each_s, here / length, avoided)
        if isinstance(found, Refusal):
            return found
        count = len(found.edges) if last else _count_kept(problem, found, here, options)
        met = _met_stages(part, found, count)
        note = f"{here:.0f} to {min(end, length):.0f} m: {say_bound(found.bound)}"
        kept = join_found(graph, kept, found, count, met, note)
        spent_s += float(graph.edge_seconds[found.edges[:count]].sum())
        left = left[len(met) :]
        if last:
            return kept
        starts = Starts(found.nodes[count : count + 1], found.poses[count : count + 1])
        here = max(_along(problem, found.poses[count, :2], here), here + 0.5)


def _met_stages(part: PathProblem, found: Found, count: int) -> Ints:
    """Return at which nodes the constraints of stages are met, of those that are kept.

    A window has constraints of its own as well, of gaps, bars and its end; they are not counted.
    """
    pairs = zip(part.constraints, found.met.tolist(), strict=False)
    return np.array([at for c, at in pairs if c.stage >= 0 and at <= count], np.int32)


def _window(
    graph: InterpolatedGraph, problem: PathProblem, starts: Starts, here: float, end: float,
    left: list[Constraint], last: bool, spent_s: float,
) -> PathProblem:  # fmt: skip
    """Return the part of a problem between two distances along its sketch.

    left     the constraints of stages that are not met yet
    spent_s  seconds before it
    """
    sketch = problem.sketch
    part = stretch_of(sketch, here - BEHIND_M, end + _AHEAD_M)
    chosen = [replace(c, by_s=c.by_s - spent_s) for c in left]
    if not last:
        chosen = [c for c in chosen if c.along_m <= end - _AHEAD_M]
        at = Polyline(sketch.points).at(end)
        chosen.append(replace(_end_of_window(graph, at), along_m=end))
    world = scene_world(graph, problem.query, part, starts.poses[0])
    begins = max(here - BEHIND_M, 0.0)
    chosen = with_environment(graph, world, part, chosen, begins)
    chosen = [c for c in chosen if c.stage >= 0 or c.along_m > here]
    if not last:  # what lies beyond the end is for the next window
        chosen = [c for c in chosen if c.along_m <= end]
    return PathProblem(problem.query, part, world, chosen, starts)


def _end_of_window(graph: InterpolatedGraph, at: Floats) -> Constraint:
    """The root near a point of the sketch, on its feet."""
    count = len(graph.node_a)
    upright = (graph.node_signature & ~3) == 0
    return Constraint(
        -1, upright & (graph.node_signature > 0), np.zeros((count, 3)),
        np.array([at[0], math.nan, at[1]]), _AHEAD_M, np.zeros(count),
    )  # fmt: skip


def _best_in(
    graph: InterpolatedGraph, part: PathProblem, options: OptimalOptions, watch: Watch,
    each_s: float, share: float, avoided: Avoided,
) -> Found | Refusal:  # fmt: skip
    """Return the best path of a window in its time; or why there is none."""
    best: Found | None = None
    began = time.perf_counter()
    search = begin_search(graph, part, options, watch.deadline, watch, avoided)
    for best in search:
        tell_found(watch, best, share)
        if time.perf_counter() - began > each_s:
            break
    watch.check()
    return explain_ending(graph, part, search) if best is None else best


def _count_kept(problem: PathProblem, found: Found, here: float, options: OptimalOptions) -> int:
    """How many edges of a window are kept: to the first node beyond a share of it."""
    for n in range(1, len(found.edges)):
        if _along(problem, found.poses[n, :2], here) > here + _GAIN * options.window_m:
            return n
    return len(found.edges)


def _along(problem: PathProblem, at: Floats, beyond: float) -> float:
    """How far along the sketch a place is, not before `beyond`."""
    line = Polyline(problem.sketch.points)
    dense = np.arange(max(beyond - 1.0, 0.0), min(line.length_m, beyond + 40.0) + 0.1, 0.1)
    return float(dense[np.hypot(*(line.at(dense) - at).T).argmin()])
