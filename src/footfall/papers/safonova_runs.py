"""Safonova & Hodgins' experiments run: targets met, motions improved, estimates compared."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from footfall.body.clip import Clip
from footfall.gait.signatures import FEET
from footfall.maths.arrays import Bools, Floats
from footfall.optimal.draft import path_drafts
from footfall.optimal.goals import make_goals
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.plan_problem import PathProblem
from footfall.optimal.search import Found, PathSearch, SearchOptions
from footfall.optimal.touching import graph_for
from footfall.papers import safonova_paper as paper
from footfall.papers.safonova_problems import (
    Item,
    Strides,
    pick_from_place_problem,
    pick_problem,
    stride_problem,
)
from footfall.search.shortest_path import cancel_flag
from footfall.task import Query
from footfall.task.method import Refusal
from footfall.task.pipeline import finish_and_verify
from footfall.task.problem import Problem

_POLL_S = 0.02
NEAR = 1.3
"""The ratio to the least cost up to which motions are compared, if there is time."""


@dataclass(frozen=True)
class Limits:
    """How long things may take, seconds of the processor.

    target   one target of Table 1               motion  one motion of Table 2 or of a figure
    states   that are expanded for a cell of Table 4; problem  seconds for it at most
    course   states that one search of the obstacle course expands
    """

    target: float = 2.0
    motion: float = 20.0
    states: int = 300_000
    problem: float = 10.0
    course: int = 100_000


class TimedSearch:
    """A search of a problem that ends after a number of CPU seconds; iterate for paths.

    On a busy machine a second of the clock is less than one of the processor.
    """

    def __init__(
        self, graph: InterpolatedGraph, problem: PathProblem, options: SearchOptions, seconds: float
    ) -> None:
        self.seconds, self.flag = seconds, cancel_flag()
        self.search = PathSearch(
            graph_for(graph, problem.query), problem.world, make_goals(problem.constraints),
            problem.starts.nodes, problem.starts.poses, options, cancel=self.flag,
        )  # fmt: skip

    def __iter__(self) -> Iterator[Found]:
        done = threading.Event()
        threading.Thread(target=self._end_in_time, args=(done,), daemon=True).start()
        try:
            yield from self.search
        finally:
            done.set()

    def _end_in_time(self, done: threading.Event) -> None:
        until = time.process_time() + self.seconds
        while not done.wait(_POLL_S):
            if time.process_time() > until:
                self.flag[0] = 1
                return


def best_of(search: TimedSearch, near: float) -> Found | None:
    """Return the first path proven near enough, else the last in its time, or None."""
    best = None
    for best in search:
        if best.bound <= near:
            break
    return best


# ---- Table 1 ---------------------------------------------------------------------------------

Task = Callable[..., PathProblem | Refusal]
"""Makes a problem of a graph and a tolerance."""


@dataclass(frozen=True, eq=False)
class SuccessRun:
    """One problem of Table 1.

    met      (2, 3, T) which targets are met: with interpolation and without, by tolerance
    costs    (2, 3, T) what the motions cost; nan where none was found, or where nobody asked
    """

    printed: paper.PrintedSuccess
    met: Bools
    costs: Floats

    @property
    def shares(self) -> Floats:
        """(2, 3) of 100."""
        return np.asarray(100.0 * self.met.mean(axis=2))

    def ratio(self, tolerance: int) -> float:
        """Return the cost without interpolation, relative to that with it."""
        both = np.isfinite(self.costs[:, tolerance]).all(axis=0)
        with_it, without = self.costs[:, tolerance][:, both].sum(axis=1)
        return float(without / with_it) if both.any() else math.nan


def meet_targets(
    graphs: tuple[InterpolatedGraph, InterpolatedGraph], targets: Sequence[Item],
    strides: Strides | None, seconds: float, step: Callable[[], None],
) -> list[SuccessRun]:  # fmt: skip
    """Table 1: all targets with interpolation and without; only problems that there are.

    What is met within a tolerance is met within a larger one, and only searched again where
    costs are asked for: in the second problem.
    """
    free, stand, cycle = paper.SUCCESS
    tasks: list[tuple[paper.PrintedSuccess, list[Task]]] = []
    if targets:
        tasks = [
            (free, [partial(pick_problem, target=target) for target in targets]),
            (stand, [partial(pick_from_place_problem, target=target) for target in targets]),
        ]
    if strides is not None:
        lengths = strides.lengths.tolist()
        tasks.append((cycle, [partial(stride_problem, strides=strides, length_m=m)
                              for m in lengths]))  # fmt: skip
    return [
        _meet(printed, graphs, each, seconds, printed is stand, step) for printed, each in tasks
    ]


def _meet(
    printed: paper.PrintedSuccess, graphs: tuple[InterpolatedGraph, InterpolatedGraph],
    tasks: Sequence[Task], seconds: float, costs_too: bool, step: Callable[[], None],
) -> SuccessRun:  # fmt: skip
    count = len(paper.TOLERANCES_M)
    met = np.zeros((2, count, len(tasks)), np.bool_)
    costs = np.full(met.shape, np.nan)
    for n, task in enumerate(tasks):
        for k, graph in enumerate(graphs):
            for i, within_m in enumerate(paper.TOLERANCES_M):
                if met[k, i, n] and not costs_too:
                    continue
                problem = task(graph, within_m=within_m)
                if isinstance(problem, Refusal):
                    continue
                search = TimedSearch(graph, problem, SearchOptions(), seconds)
                found = best_of(search, NEAR if costs_too else math.inf)
                if found is not None:
                    met[k, i:, n] = True
                    costs[k, i, n] = found.cost
        step()
    return SuccessRun(printed, met, costs)


# ---- Table 2 ---------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Solution:
    """A path as it was found: when, what is proven of it, and what it does.

    epsilon  of the row of Table 2 that it belongs to
    """

    epsilon: float
    seconds: float
    cost: float
    bound: float
    expansions: int
    steps: int
    jumps: int
    wide_jumps: int
    clip: Clip = field(repr=False)

    @property
    def strategy(self) -> str:
        """What it does, in words."""
        if not self.jumps:
            return f"{self.steps} steps"
        off = f", {self.wide_jumps} of them" if self.wide_jumps < self.jumps else ""
        off = f"{off} off both feet" if self.wide_jumps else ""
        return f"{self.steps} steps, {self.jumps} jump{'s' if self.jumps > 1 else ''}{off}"


def describe_solution(
    graph: InterpolatedGraph, problem: PathProblem, found: Found, seconds: float, epsilon: float
) -> Solution:
    """Return a path with its motion, polished if possible, and counts of steps and jumps."""
    graph = graph_for(graph, problem.query)
    asked = Problem(problem.query, graph.phases.skeleton)
    for draft in path_drafts(graph, found, problem.query, problem.constraints):
        plan, report = finish_and_verify(draft, asked)
        if report.passed:
            break
    assert plan.clip is not None
    before, after = graph.node_before[found.nodes], graph.node_signature[found.nodes]
    landed = (after & ~before & FEET) > 0
    flies = (after == 0) & (before > 0)
    return Solution(
        epsilon, seconds, found.cost, max(found.bound, 1.0), found.expansions,
        int(landed[1:].sum()), int(flies.sum()), int((flies & (before == FEET)).sum()),
        plan.clip,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class MotionRun:
    """One motion of Table 2.

    greedy  the first solution as in the paper, with estimates inflated by 10 and no first looks;
            None if there is none in the time
    rows    the first solution of each bound that was proven, and the last
    best    what is proven of the last
    reason  why there is none, if there is none
    """

    printed: paper.PrintedMotion
    query: Query
    greedy: Solution | None
    rows: tuple[Solution, ...]
    best: float = math.inf
    reason: str = ""

    @property
    def first(self) -> Solution:
        """What the best is compared with: the paper's first solution, or else ours."""
        return self.greedy or self.rows[0]


def improve_motion(
    graph: InterpolatedGraph, printed: paper.PrintedMotion, query: Query,
    problem: PathProblem | Refusal, seconds: float,
) -> MotionRun:  # fmt: skip
    """Table 2: what a motion costs when 10, 2 and 1 times the least is proven, and how soon."""
    if isinstance(problem, Refusal):
        return MotionRun(printed, query, None, (), reason=problem.reason)
    plain = SearchOptions(epsilons=paper.EPSILONS[:1], look=False)
    began = time.thread_time()
    found = next(iter(TimedSearch(graph, problem, plain, 0.5 * seconds)), None)
    took = time.thread_time() - began
    greedy = None if found is None else describe_solution(graph, problem, found, took, 10.0)
    search = TimedSearch(graph, problem, SearchOptions(epsilons=paper.EPSILONS), seconds)
    rows: list[tuple[float, Found]] = []
    began = time.thread_time()
    for found in search:
        rows.append((time.thread_time() - began, found))
    if not rows:
        reason = f"{search.search.expansions:,} states were expanded before a motion was found"
        return MotionRun(printed, query, greedy, (), reason=reason)
    solutions = [
        describe_solution(graph, problem, found, at, epsilon)
        for epsilon, at, found in _rows_by_bound(rows)
    ]
    return MotionRun(printed, query, greedy, tuple(solutions), max(search.search.bound, 1.0))


def _rows_by_bound(rows: Sequence[tuple[float, Found]]) -> list[tuple[float, float, Found]]:
    """Return, for each epsilon of Table 2, the first path that proves it, and the last path."""
    out: list[tuple[float, float, Found]] = []
    for epsilon in paper.EPSILONS:
        proven = next((row for row in rows if row[1].bound <= epsilon * (1.0 + 1e-9)), None)
        if proven is not None:
            out.append((epsilon, *proven))
    if not out or out[-1][2].cost > rows[-1][1].cost:
        out.append((rows[-1][1].bound, *rows[-1]))
    return out


# ---- Table 4 ---------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class HeuristicRun:
    """Table 4: H heuristics (the paper's plain sum last), 3 bounds, P problems.

    expansions, seconds, solved, costs  (H, 3, P); costs nan where nothing was found
    most     states that were expanded at most
    """

    names: tuple[str, ...]
    expansions: Floats
    seconds: Floats
    solved: Bools
    costs: Floats
    most: int


def compare_heuristics(
    graph: InterpolatedGraph,
    problems: Sequence[PathProblem],
    budget: Limits,
    step: Callable[[], None],
) -> HeuristicRun:
    """Table 4: states expanded until a bound is proven, with each way to estimate.

    Poses are in the middle of their cells, so that states are a true graph; nothing is looked for
    before, and each bound is searched for by itself.
    """
    names = (*(one.heuristic for one in paper.HEURISTICS), paper.PLAIN_SUM)
    shape = len(names), len(paper.BOUNDS), len(problems)
    expansions, seconds = np.zeros(shape), np.zeros(shape)
    solved, costs = np.zeros(shape, np.bool_), np.full(shape, np.nan)
    for p, problem in enumerate(problems):
        for h, name in enumerate(names):
            for e, epsilon in enumerate(paper.BOUNDS):
                options = SearchOptions("snap", name, (epsilon,), look=False)  # type: ignore[arg-type]
                search = TimedSearch(graph, problem, options, budget.problem)
                search.search.anytime.most = float(budget.states)
                began = time.thread_time()
                found = best_of(search, 0.0)
                seconds[h, e, p] = time.thread_time() - began
                expansions[h, e, p] = search.search.expansions
                solved[h, e, p] = search.search.ending in ("best", "near enough", "unproven")
                costs[h, e, p] = math.nan if found is None else found.cost
            step()
    return HeuristicRun(names, expansions, seconds, solved, costs, budget.states)
