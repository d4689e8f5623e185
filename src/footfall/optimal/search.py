"""Better and better paths through the interpolated graph, unrolled in a world.

for found in search_paths(graph, world, goals, start):
    print(found.cost, found.bound)

Poses are treated in one of two ways. "snap": a state is in the middle of its cell, so that the
states are a true graph and bounds hold exactly for it; each edge then ends up to half a cell
beside where its motion leads. "exact": states keep the pose of their cheapest arrival, so that
motions fit; states of one cell still count as one, and what is proven holds up to that.

Before the search proper there are first looks, in which many states count as one: those within
32 cm and 36 degrees at nodes nearest to one state, fewer near constraints and gaps. The most
promising of them stands for all, by a guess of the cost that is left that knows what room it takes
to turn and may be too high (`heuristics_poses`). Looks come through narrow places and into small
tolerances sooner than inflated estimates do, and what they find is a path like any other; what is
proven of it is what the estimates say of the start. Once there is a path some more looks, in which
the guess counts for less, make it cheaper.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from numpy.typing import ArrayLike

from footfall.maths.arrays import Floats, Ints
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.problem import Goals, World
from footfall.optimal.unrolled import (
    Coarse,
    SearchOptions,
    Unrolled,
    UnrolledPath,
    integrate_moves,
    pack_problem,
)
from footfall.search.ara import Anytime, Ending, Improvement
from footfall.search.shortest_path import Flag, cancel_flag

__all__ = ["Found", "PathSearch", "SearchOptions", "integrate_moves", "search_paths"]

_WIDE, _FINE = Coarse(16, 10, 2, 0.3, 0.3), Coarse(8, 5, 2, 0.6, 0.1)
_PAIRS, _WIDER = Coarse(16, 10, 1), Coarse(24, 12, 1)
LOOKS = (
    (_WIDE, 3.0, 2_000),
    (_WIDE, 8.0, 3_000),
    (_PAIRS, 8.0, 30_000),
    (_WIDER, 1.5, 40_000),
    (_WIDE, 2.0, 20_000),
    (_WIDE, 1.5, 20_000),
    (_FINE, 3.0, 30_000),
    (Coarse(4, 2, 1), 10.0, 30_000),
    (_FINE, 1.5, 300_000),
)
"""First looks, until one finds a path: how coarse, how much estimates are inflated, states
expanded at most."""
CLOSER = (
    (_PAIRS, 2.5, 20_000),
    (_WIDER, 1.5, 40_000),
    (_WIDE, 1.5, 20_000),
    (_WIDE, 1.2, 20_000),
    (_FINE, 1.2, 20_000),
)
"""Looks after that."""


@dataclass(frozen=True, eq=False)
class Found:
    """A path: K edges from a start to the goal.

    edges       (K,) of the interpolated graph     nodes  (K + 1,) that they join
    poses       (K + 1, 3) x, z and yaw of the root at each node
    met         (C,) at which of the nodes each constraint is met
    bound       cost is at most this many times the least possible; inf if nothing is proven
    epsilon     how much estimates were inflated
    expansions, generated   states expanded and successors generated so far
    states, memory   how many states are kept, and the bytes that they take
    """

    edges: Ints
    nodes: Ints
    poses: Floats
    met: Ints
    cost: float
    bound: float
    epsilon: float
    expansions: int
    generated: int
    states: int
    memory: int


def search_paths(
    graph: InterpolatedGraph, world: World, goals: Goals, nodes: ArrayLike, poses: ArrayLike,
    options: SearchOptions | None = None, *, deadline: float = math.inf,
    cancel: Flag | None = None,
) -> PathSearch:  # fmt: skip
    """Search for paths from any of some starts: nodes (S,) at poses (S, 3: x, z, yaw).

    deadline  `time.perf_counter()` at which it ends      cancel  a flag (1,) that ends it
    """
    return PathSearch(graph, world, goals, nodes, poses, options, deadline, cancel)


class PathSearch:
    """A search under way: iterate for better and better paths.

    ending  why it ended, once it did (`search.ara`)
    bound   the best that is proven so far
    """

    def __init__(
        self, graph: InterpolatedGraph, world: World, goals: Goals, nodes: ArrayLike,
        poses: ArrayLike, options: SearchOptions | None = None, deadline: float = math.inf,
        cancel: Flag | None = None,
    ) -> None:  # fmt: skip
        options = options or SearchOptions()
        flag = cancel_flag() if cancel is None else cancel
        self.options, self.flag = options, flag
        self.packed = pack_problem(graph, world, goals, nodes, poses, options)
        self.domain = Unrolled(self.packed, flag)
        self.anytime: Anytime[UnrolledPath] = Anytime(self.domain, options.epsilons, deadline, flag)
        self._looked = (0, 0)

    def __iter__(self) -> Iterator[Found]:
        if self.options.look and not math.isfinite(self.domain.goal_cost()):
            yield from self._look()
        for step in self.anytime:
            yield self._found(step.path, step.cost, step.bound, step.epsilon)

    def know(self, edges: Ints, nodes: Ints, poses: Floats, met: Ints, cost: float) -> None:
        """Begin with a path from elsewhere: only better ones are looked for."""
        self.domain.adopt(UnrolledPath(edges, nodes, poses, met), cost)
        self.anytime.begin_with(cost, math.inf)

    def _look(self) -> Iterator[Found]:
        """First paths, if there are any to be found by searches that tell few states apart."""
        least = self.domain.least_estimate()
        proven = self.domain.admissible and least > 0.0
        first = math.inf  # how much estimates were inflated in the look that found the first
        for number, (coarse, epsilon, most) in enumerate((*LOOKS, *CLOSER)):
            known = math.isfinite(self.domain.goal_cost())
            if (
                known != (number >= len(LOOKS))
                or epsilon >= first
                or self.anytime.bound <= self.anytime.last
            ):
                continue
            step = self._look_once(coarse, epsilon, most)
            if step is None or step.cost >= self.domain.goal_cost():
                continue
            first = min(first, epsilon)
            self.domain.adopt(step.path, step.cost)
            bound = max(step.cost / least, 1.0) if proven else math.inf
            self.anytime.begin_with(step.cost, bound)
            yield self._found(step.path, step.cost, bound, epsilon)

    def _look_once(
        self, coarse: Coarse, epsilon: float, most: int
    ) -> Improvement[UnrolledPath] | None:
        domain = Unrolled(self.packed, self.flag, coarse)
        search = Anytime(domain, (epsilon,), self.anytime.deadline, self.flag, most)
        step = next(iter(search), None)
        expanded, generated = self._looked
        self._looked = expanded + search.expansions, generated + domain.generated
        return step

    def _found(self, path: UnrolledPath, cost: float, bound: float, epsilon: float) -> Found:
        return Found(
            path.edges, path.nodes, path.poses, path.met, cost, bound, epsilon, self.expansions,
            self.generated, self.domain.count, self.domain.memory,
        )  # fmt: skip

    @property
    def ending(self) -> Ending | None:
        """Why it ended; None while it did not."""
        return self.anytime.ending

    @property
    def bound(self) -> float:
        """The best that is proven of the last path."""
        return self.anytime.bound

    @property
    def expansions(self) -> int:
        return self.anytime.expansions + self._looked[0]

    @property
    def generated(self) -> int:
        return self.domain.generated + self._looked[1]

    @property
    def memory(self) -> int:
        """The bytes that the states take."""
        return self.domain.memory

    def closest(self) -> UnrolledPath | None:
        """The path to the expanded state that seems the nearest to the goal; None before any."""
        return self.domain.closest()
