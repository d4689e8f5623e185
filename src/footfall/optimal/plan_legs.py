"""A task searched leg by leg, for a first path soon; and paths that are joined of several."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from footfall.maths.arrays import Ints
from footfall.optimal.goals import Constraint
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.options import OptimalOptions
from footfall.optimal.plan_problem import PathProblem, begin_search, say_bound, time_after
from footfall.optimal.problem import Path
from footfall.optimal.search import LOOKS, SOON, Found, Look
from footfall.optimal.starts import Starts
from footfall.task import Watch
from footfall.task.method import Refusal

LEG_SHARE, LEG_STATES, LEG_BOUND = 0.25, 20_000, 1.4
"""A leg may take this share of the time that is left, and this many states after the first
looks. Its motion is good enough if it costs at most this many times the least."""
IN_TIME_STATES = 60_000
"""States that are expanded to find out whether something can be done by a time."""


@dataclass(frozen=True, eq=False)
class Joined(Path):
    """The path of a task that is searched in parts, as far as it is found, and its cost.

    notes       what is proven of each part
    expansions  states that were expanded for it
    """

    notes: tuple[str, ...]
    cost: float
    expansions: int

    @classmethod
    def empty(cls) -> Joined:
        """No path yet."""
        none: Ints = np.zeros(0, np.int32)
        return cls(none, none, np.zeros((0, 3)), none, (), 0.0, 0)


def search_legs(
    graph: InterpolatedGraph, problem: PathProblem, options: OptimalOptions, watch: Watch
) -> Joined | None:
    """A path for a task of several legs, one after the other; None where none is soon found."""
    legs = _legs(problem.constraints)
    return _search_legs(graph, problem, legs, options, watch) if len(legs) > 1 else None


def search_in_time(
    graph: InterpolatedGraph, problem: PathProblem, options: OptimalOptions, watch: Watch
) -> Joined | Refusal | None:
    """A path for a task that is to be done by a time, the fastest that is soon found.

    It is a refusal if a stage takes longer at least; None for tasks without a time, and where none
    is found in time. Who only saves effort walks slowly and comes too late: here seconds are costs.
    """
    timed = [n for n, c in enumerate(problem.constraints) if math.isfinite(c.by_s)]
    if not timed:
        return None
    seconds = np.asarray(graph.edge_seconds, np.float64)
    hurried = graph.keep("seconds", lambda: replace(graph, edge_cost=seconds))
    for number in timed:
        last, found = problem.constraints[number], None
        free = [replace(c, by_s=math.inf) for c in problem.constraints[: number + 1]]
        part, by = replace(problem, constraints=free), time_after(watch, LEG_SHARE)
        search = begin_search(hurried, part, options, by, watch)
        search.anytime.most = min(search.anytime.most, IN_TIME_STATES)
        for found in search:
            if found.cost <= last.by_s or found.cost / found.bound > last.by_s:
                break
        watch.check()
        if found is not None and found.cost / found.bound > last.by_s:
            what = f"stage {last.stage + 1}, {problem.query.stages[last.stage].kind!r}"
            return Refusal(
                f"{what}: it is to be done within {last.by_s:g} s, and takes "
                f"{found.cost / found.bound:.1f} s at least; in {found.cost:.1f} s it can be done"
            )
    made = _search_legs(hurried, problem, _legs(problem.constraints), options, watch, LOOKS[:SOON])
    return made and replace(made, cost=float(graph.edge_cost[made.edges].sum()), notes=())


def _search_legs(
    graph: InterpolatedGraph, problem: PathProblem, legs: list[list[Constraint]],
    options: OptimalOptions, watch: Watch, looks: tuple[Look, ...] = LOOKS,
) -> Joined | None:  # fmt: skip
    """A path that does one thing after the other, each as cheaply as is soon found; or None.

    What is cheapest for one thing may be dear for the next: it is a beginning, not the best.
    """
    kept, starts, gone_s = Joined.empty(), problem.starts, 0.0
    for number, leg in enumerate(legs):
        left = [replace(c, by_s=c.by_s - gone_s) for c in leg]
        part = replace(problem, constraints=left, starts=starts)
        search = begin_search(graph, part, options, time_after(watch, LEG_SHARE), watch)
        search.looks, search.anytime.most = looks, min(search.anytime.most, LEG_STATES)
        found = None
        for found in search:
            watch.tell(0.0, note=f"searching leg {number + 1} of {len(legs)}")
            if found.bound <= LEG_BOUND:
                break
        watch.check()
        if found is None:
            return None
        note = f"leg {number + 1}: {say_bound(found.bound)}"
        kept = join_found(graph, kept, found, len(found.edges), found.met, note)
        starts = Starts(found.nodes[-1:], found.poses[-1:])
        gone_s += float(graph.edge_seconds[found.edges].sum())
    return kept


def _legs(constraints: list[Constraint]) -> list[list[Constraint]]:
    """The constraints in groups, each of which ends with an exact one."""
    out: list[list[Constraint]] = [[]]
    for constraint in constraints:
        out[-1].append(constraint)
        if constraint.is_exact:
            out.append([])
    return [leg for leg in out if leg]


def join_found(
    graph: InterpolatedGraph, kept: Joined, found: Found, count: int, met: Ints, note: str
) -> Joined:
    """A path with the first `count` edges of another at its end."""
    before = len(kept.edges)
    nodes, poses = found.nodes[: count + 1], found.poses[: count + 1]
    if before:
        nodes, poses = nodes[1:], poses[1:]
    edges = found.edges[:count]
    return Joined(
        np.concatenate([kept.edges, edges]), np.concatenate([kept.nodes, nodes]),
        np.concatenate([kept.poses, poses]), np.concatenate([kept.met, met + before]),
        (*kept.notes, note), kept.cost + float(graph.edge_cost[edges].sum()),
        kept.expansions + found.expansions,
    )  # fmt: skip
