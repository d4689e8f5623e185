"""Search a task as a whole: a draft soon, better ones as time goes on, with a bound."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from footfall.optimal.avoid import ROUNDS, Avoided
from footfall.optimal.draft import path_drafts
from footfall.optimal.failures import find_barrier
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.options import OptimalOptions
from footfall.optimal.plan_legs import Joined, search_in_time, search_legs
from footfall.optimal.plan_problem import (
    PathProblem,
    begin_search,
    explain_ending,
    set_up,
    tell_found,
    time_after,
)
from footfall.optimal.problem import Path
from footfall.optimal.search import LOOKS, SOON, Found, Look, PathSearch
from footfall.optimal.stones import search_stones
from footfall.optimal.world import widen_seats
from footfall.task import Watch
from footfall.task.draft import Draft
from footfall.task.method import Refusal
from footfall.task.problem import Problem, Rejection
from footfall.task.routes import note_detours


class Try(NamedTuple):
    """How a task is tried until there is a motion.

    slack_m  metres of more tolerance
    epsilon  to begin with, at most; a large one may lead into a blind alley near the goal
    share    of the time that is left by which a motion has to be found
    looks    first looks
    """

    slack_m: float
    epsilon: float
    share: float
    looks: tuple[Look, ...]


TRIES = (
    Try(0.0, 1000.0, 0.3, LOOKS[:SOON]),
    Try(0.06, 2.0, 0.5, LOOKS[:SOON]),
    Try(0.0, 2.0, 0.7, LOOKS[SOON:]),
    Try(0.15, 2.0, 1.0, LOOKS[SOON:]),
)
"""What is found soon with more tolerance comes before what takes long without."""
_WIDER = 2.0
"""How many times as wide the corridor is made if nothing is found in it."""
_IMPROVES = 0.7
"""The share of the time left that goes into cheaper drafts where the rest is to prove a bound."""
_PROOF = 0.25
"""The share of the states of a search that are expanded to prove a bound after drafts failed."""


def search_whole(
    graph: InterpolatedGraph, problem: PathProblem, asked: Problem, options: OptimalOptions,
    watch: Watch,
) -> Iterator[Draft | Refusal]:  # fmt: skip
    """Yield drafts of a task that is searched as a whole, the first as soon as there is one.

    A task of several legs begins with what is found leg by leg, which the whole then improves.
    After a draft failed the search keeps away from where it did. If nothing meets the tolerances
    in time they are relaxed, and what is missed is spread over the steps before.
    """
    run = Run(graph, problem, asked, options, watch)
    yield from run.begin(search_stones(graph, problem, options, watch))
    if run.draft is None:
        yield from run.begin(search_legs(graph, problem, options, watch))
    if run.draft is None:
        in_time = search_in_time(graph, problem, options, watch)
        if isinstance(in_time, Refusal):
            yield in_time
            return
        yield from run.begin(in_time)
    for each in TRIES:
        while run.failures < ROUNDS:
            run.rejection = None
            yield from run.improve(each, time_after(watch, each.share))
            watch.check()
            if run.rejection is None or run.is_over:
                break
            run.failures += 1
        if run.draft is not None:
            yield from run.prove()
            return
        if run.is_over or run.search.ending == "out of memory":
            break
        if run.search.ending == "no path" and not run.avoided:
            break
    if not run.avoided:
        yield from _widen(run)


class Run:
    """A task being searched, with what is known so far.

    until      when better drafts are no longer looked for
    draft      the best draft that passed, and `best`, its cost; None and inf before there is one
    least      no motion of the problem as asked costs less, as far as is proven
    rejection  of the last draft, if it failed; failures  how many searches ended with one
    avoided    what the search keeps away from after drafts failed
    rows       how the search improved
    """

    def __init__(
        self, graph: InterpolatedGraph, problem: PathProblem, asked: Problem,
        options: OptimalOptions, watch: Watch,
    ) -> None:  # fmt: skip
        self.graph, self.problem, self.asked, self.options = graph, problem, asked, options
        self.watch, self.began = watch, time.perf_counter()
        self.until = time_after(watch, 1.0)
        self.best, self.least = math.inf, 0.0
        self.draft: Draft | None = None
        self.rejection: Rejection | None = None
        self.avoided, self.failures = Avoided(), 0
        self.rows: list[tuple[float, float, float, float]] = []
        self.first: Joined | None = None
        self.notes = tuple(note_detours(asked.query))
        self.legs: tuple[str, ...] = ()
        self.search: PathSearch
        self.whole: PathSearch | None = None

    @property
    def is_over(self) -> bool:
        """Whether the time to find anything is over."""
        return time.perf_counter() > self.watch.deadline

    def bound_of(self, cost: float) -> float:
        """Return how many times the least possible a cost is at most, for the problem as asked."""
        return max(cost / self.least, 1.0) if self.least > 0.0 else math.inf

    def begin(self, joined: Joined | None) -> Iterator[Draft]:
        """Yield drafts of a path to begin with, if there is one."""
        if joined is None:
            return
        if joined.notes:
            self.legs = ("searched leg by leg, so nothing is proven of the whole", *joined.notes)
        self._add_row(joined.cost, joined.expansions)
        yield from self._offer(joined, joined.cost, self.legs)
        if self.rejection is None:
            self.first = joined

    def improve(self, how: Try, by: float) -> Iterator[Draft]:
        """Yield drafts of one search, each cheaper than the last, the first `by` some time.

        With more tolerance it is a relaxation of the problem as asked, so that what it proves to
        be the least cost holds for that as well. With less room, or fewer edges, it proves nothing.
        """
        problem, slack_m = self.problem, how.slack_m
        options = replace(self.options, epsilon=min(how.epsilon, self.options.epsilon))
        eased = replace(problem, world=widen_seats(problem.world, slack_m),
                        constraints=[c.relaxed(slack_m) for c in problem.constraints])  # fmt: skip
        deadline = by if self.draft is None else self._improves_until()
        search = begin_search(self.graph, eased, options, deadline, self.watch, self.avoided)
        search.looks, self.search = how.looks, search
        if not self.avoided:
            self.whole = search
        if self.draft is not None:
            search.know(self.draft.made_of.path, self.best)
        notes = () if slack_m == 0.0 else (
            f"searched with {100 * slack_m:.0f} cm more tolerance, which is spread over the steps "
            "before",
        )  # fmt: skip
        yield from self._take(search, notes)

    def prove(self) -> Iterator[Draft]:
        """Prove more of the problem as asked, if the draft that passed was found in another one."""
        if not self.avoided or self.whole is None or self.whole.ending is not None:
            return
        more = self.whole.anytime
        more.most, more.deadline = more.expansions + _PROOF * self.options.expansions, self.until
        for found in self.whole:
            self.least = max(self.least, found.cost / found.bound)
        assert self.draft is not None
        if self.bound_of(self.best) < self.draft.bound:
            yield self._proven()

    def _take(self, search: PathSearch, notes: tuple[str, ...]) -> Iterator[Draft]:
        """Yield drafts of what a search finds, until one fails."""
        waiting: Found | None = None
        for found in search:
            if search is self.whole:
                self.least = max(self.least, found.cost / found.bound)
            self._tell(found)
            if self._is_best(found):
                yield self._proven()
            elif found.cost < self.best:
                # Looks soon find better ones, and give the best again at their end.
                again, waiting = found is waiting, found
                if self.draft is None or again or math.isfinite(found.epsilon):
                    yield from self._offer(found, found.cost, notes)
                    waiting = None
                    if self.rejection is not None:
                        break
            if self.draft is not None:  # there is time for better ones
                search.anytime.deadline = self._improves_until()
        if waiting is not None:
            yield from self._offer(waiting, waiting.cost, notes)
        if self.rejection is not None:
            self.avoided.add(self.graph, self.rejection)
        elif self.draft is not None and self.bound_of(self.best) < self.draft.bound:
            yield self._proven()

    def _improves_until(self) -> float:
        """Return when to stop looking for cheaper drafts that keep away from what failed."""
        now = time.perf_counter()
        return now + (_IMPROVES if self.avoided else 1.0) * (self.until - now)

    def _offer(self, path: Path, cost: float, notes: tuple[str, ...]) -> Iterator[Draft]:
        """Yield the drafts of a path until one passes."""
        for made in path_drafts(self.graph, path, self.problem.query, self.problem.constraints):
            draft = self._with_proof(replace(
                made, cost=cost, path=self.problem.sketch.points, notes=(*notes, *self.notes)
            ))  # fmt: skip
            yield draft
            self.rejection = self.asked.rejection_of(draft)
            if self.rejection is None:
                self.best, self.draft = cost, draft
                return

    def _is_best(self, found: Found) -> bool:
        """Whether a path is that of the best draft."""
        return self.draft is not None and np.array_equal(self.draft.made_of.path.edges, found.edges)

    def _proven(self) -> Draft:
        """Return the best draft with what is proven of it by now."""
        assert self.draft is not None
        self.draft = self._with_proof(self.draft)
        return self.draft

    def _with_proof(self, draft: Draft) -> Draft:
        rows = np.array(self.rows)
        timings = {**draft.timings, "search": float(rows[-1, 0])}
        bound, notes = self.bound_of(draft.cost), draft.notes
        if math.isfinite(bound):
            found = note_of_bound(self.problem, self.options)
            notes = (*(n for n in notes if n not in (*self.legs, found)), found)
        return replace(draft, bound=bound, anytime=rows, timings=timings, notes=notes)

    def _tell(self, found: Found) -> None:
        """Pass on that a better path is found, or that more is proven."""
        expanded = found.expansions + (0 if self.first is None else self.first.expansions)
        self._add_row(found.cost, expanded)
        passed = self.rows[-1][0]
        of_time = passed / (passed + self.watch.deadline - time.perf_counter())
        tell_found(self.watch, found, max(of_time, found.expansions / self.options.expansions))

    def _add_row(self, cost: float, expanded: float) -> None:
        now = time.perf_counter() - self.began
        self.rows.append((now, cost, self.bound_of(cost), float(expanded)))


def note_of_bound(problem: PathProblem, options: OptimalOptions) -> str:
    """Return among which motions a bound holds."""
    search = options.search
    cell, turn = 100.0 * search.cell_m, 360.0 / search.yaws
    return (
        f"its bound is among motions of these clips within {problem.sketch.corridor_m:g} m of its "
        f"path, where states closer than {cell:g} cm and {turn:g}° are merged"
    )


def _widen(run: Run) -> Iterator[Draft | Refusal]:
    """Yield drafts in a wider corridor, once, if it is our own; else why there is none."""
    own = run.options.corridor_m is None and not run.problem.query.follows
    if own and run.search.ending == "no path":
        yield from search_wider(run.graph, run.problem, run.asked, run.options, run.watch)
    else:
        yield explain_ending(run.graph, run.problem, run.search)


def search_wider(
    graph: InterpolatedGraph, problem: PathProblem, asked: Problem, options: OptimalOptions,
    watch: Watch,
) -> Iterator[Draft | Refusal]:  # fmt: skip
    """Yield drafts in a wider corridor, if it is our own; else what closes the corridor."""
    if options.corridor_m is None and not problem.query.follows:
        wide = replace(problem.sketch, corridor_m=_WIDER * problem.sketch.corridor_m)
        again = set_up(graph, problem.query, wide)
        problem = problem if isinstance(again, Refusal) else again
    barrier = find_barrier(graph, problem.world, problem.query, problem.sketch)
    if barrier is not None:
        status, reason = barrier
        yield Refusal(reason, status)
    else:
        fixed = replace(options, corridor_m=problem.sketch.corridor_m)
        yield from search_whole(graph, problem, asked, fixed, watch)
