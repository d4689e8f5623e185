"""A task searched as a whole: a motion soon, better ones as time goes on, with a bound."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from footfall.optimal.failures import find_barrier
from footfall.optimal.finish import Path, finish_motion
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.options import OptimalOptions
from footfall.optimal.plan_legs import Joined, search_in_haste, search_legs
from footfall.optimal.plan_problem import Problem, set_up
from footfall.optimal.plan_search import begin_search, explain_ending, tell_found
from footfall.optimal.plan_stones import search_stones
from footfall.optimal.search import PathSearch
from footfall.optimal.world import narrow_world, widen_seats
from footfall.task import NO_CLIP, Plan, Watch
from footfall.task.method import Refusal

NARROWER_M = (0.0, 0.015, 0.03, 0.045, 0.06)
"""How much more room the body is given after a motion touched something."""
TRIES = ((0.0, 1000.0, 0.3), (0.0, 2.0, 0.6), (0.15, 2.0, 6.0))
"""How a task is tried until there is a motion: metres of more tolerance, the epsilon to begin
with at most (a large one may lead into a blind alley near the goal), and by when it has to be
found, in times that are given to better ones."""
_WIDER = 2.0
"""How many times as wide the corridor is made where nothing is found in it."""


def solve_whole(
    graph: InterpolatedGraph, problem: Problem, options: OptimalOptions, watch: Watch
) -> Iterator[Plan]:
    """Plans of a task that is searched as a whole, the first of them as soon as there is one.

    A task of several legs begins with what is found leg by leg, which the whole then betters.
    A motion that touches something is searched again with more room; where nothing meets the
    tolerances in time they are relaxed, and what is missed is spread over the steps before.
    """
    run = Run(graph, problem, options, watch)
    yield from run.begin(search_stones(graph, problem, options, watch))
    if not math.isfinite(run.best):
        yield from run.begin(search_legs(graph, problem, options, watch))
    for number, (slack_m, epsilon, share) in enumerate(TRIES):
        for narrower in NARROWER_M:
            yield from run.improve(narrower, slack_m, epsilon, share * options.search_s)
            watch.check()
            if math.isfinite(run.best):
                return
            if not run.trouble or run.is_over:
                break
        if number == 0 and not run.trouble and not run.is_over:
            yield from run.begin(search_in_haste(graph, problem, options, watch))
            if math.isfinite(run.best):
                continue
        if run.trouble or run.is_over or run.search.ending in ("no path", "out of memory"):
            break
    if run.trouble:
        yield Plan(NO_CLIP, run.trouble, path=problem.sketch.points)
    else:
        yield from _widen(run)


class Run:
    """A task being searched, with what is known so far.

    best     the cost of the best motion; inf before there is one
    first    the path and motion that it began with, if there is one
    trouble  what is wrong with the first motion, if anything is
    rows     how it got better
    """

    def __init__(
        self, graph: InterpolatedGraph, problem: Problem, options: OptimalOptions, watch: Watch
    ) -> None:
        self.graph, self.problem, self.options = graph, problem, options
        self.watch, self.began = watch, time.perf_counter()
        self.best, self.trouble = math.inf, ""
        self.rows: list[tuple[float, float, float, float]] = []
        self.first: tuple[Joined, Plan] | None = None
        self.search: PathSearch

    @property
    def is_over(self) -> bool:
        """Whether the time to find anything is over."""
        longest = self.began + TRIES[-1][2] * self.options.search_s
        return time.perf_counter() > min(self.watch.deadline, longest)

    def begin(self, joined: Joined | None) -> Iterator[Plan]:
        """The plan of a path to begin with, if there is one."""
        if joined is None:
            return
        made = finish_motion(self.graph, joined.path, self.problem.query, self.problem.constraints)
        if made.found:
            self.best, self.first = joined.cost, (joined, made)
            expanded = float(joined.expansions)
            self.rows.append((time.perf_counter() - self.began, joined.cost, math.inf, expanded))
            notes = joined.notes
            if notes:
                notes = ("searched leg by leg, so nothing is proven of the whole", *notes)
            yield self._plan(made, joined.cost, math.inf, notes)

    def improve(
        self, narrower: float, slack_m: float, epsilon: float, until_s: float
    ) -> Iterator[Plan]:
        """Plans of one search, each better than the last, the first within `until_s`."""
        problem = self.problem
        options = replace(self.options, epsilon=min(epsilon, self.options.epsilon))
        eased = replace(problem, world=widen_seats(narrow_world(problem.world, narrower), slack_m),
                        constraints=[c.relaxed(slack_m) for c in problem.constraints])  # fmt: skip
        if math.isfinite(self.best):
            until_s = options.search_s
        elif not math.isfinite(self.watch.deadline):
            # Counted in states, not in seconds, the same is found on any machine.
            until_s = TRIES[-1][2] * options.search_s
        deadline = min(self.watch.deadline, self.began + until_s)
        self.search = begin_search(self.graph, eased, options, deadline, self.watch)
        made, known = None, np.zeros(0, np.int32)
        if self.first is not None:
            joined, made = self.first
            known = joined.edges
            self.search.know(joined.edges, joined.nodes, joined.poses, joined.met, joined.cost)
        for found in self.search:
            # Once there is one there is time for better ones.
            self.search.anytime.deadline = min(self.watch.deadline, self.began + options.search_s)
            now = time.perf_counter() - self.began
            expanded = found.expansions + (0 if self.first is None else self.first[0].expansions)
            self.rows.append((now, found.cost, found.bound, float(expanded)))
            tell_found(self.watch, found, now / options.search_s)
            if made is None or not np.array_equal(known, found.edges):
                path = Path(found.edges, found.nodes, found.poses, found.met)
                made = finish_motion(self.graph, path, problem.query, problem.constraints)
                known = found.edges
            if made.found:
                self.best, self.trouble = found.cost, ""
                notes = () if slack_m == 0.0 else (
                    f"searched with {100 * slack_m:.0f} cm more tolerance, which is spread over "
                    "the steps before",
                )  # fmt: skip
                yield self._plan(made, found.cost, found.bound, notes)
            elif not math.isfinite(self.best):
                self.trouble = self.trouble or made.reason
                if narrower < NARROWER_M[-1]:
                    return

    def _plan(self, made: Plan, cost: float, bound: float, notes: tuple[str, ...]) -> Plan:
        """A motion as a plan, with what is known of its cost."""
        return replace(
            made, cost=cost, bound=max(bound, 1.0), notes=(*made.notes, *notes),
            path=self.problem.sketch.points, anytime=np.array(self.rows),
            timings={**made.timings, "search": self.rows[-1][0]},
        )  # fmt: skip


def _widen(run: Run) -> Iterator[Plan]:
    """The same in a wider corridor, once, where the corridor is our own; else why there is none."""
    own = run.options.corridor_m is None and not run.problem.query.follows
    if own and run.search.ending == "no path":
        yield from solve_wider(run.graph, run.problem, run.options, run.watch)
    else:
        yield explain_ending(run.graph, run.problem, run.search)


def solve_wider(
    graph: InterpolatedGraph, problem: Problem, options: OptimalOptions, watch: Watch
) -> Iterator[Plan]:
    """Plans in a wider corridor, where it is our own; else what closes the corridor."""
    if options.corridor_m is None and not problem.query.follows:
        wide = replace(problem.sketch, corridor_m=_WIDER * problem.sketch.corridor_m)
        again = set_up(graph, problem.query, wide)
        problem = problem if isinstance(again, Refusal) else again
    barrier = find_barrier(graph, problem.world, problem.query, problem.sketch.points)
    if barrier is not None:
        yield Plan(*barrier, path=problem.sketch.points)
    else:
        fixed = replace(options, corridor_m=problem.sketch.corridor_m)
        yield from solve_whole(graph, problem, fixed, watch)
