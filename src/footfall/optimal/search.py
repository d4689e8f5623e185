"""Better and better paths through the interpolated graph, unrolled in a world.

for found in PathSearch(graph, world, goals, nodes, poses):
    print(found.cost, found.bound)

Poses are treated in one of two ways. "snap": a state is in the middle of its cell, so that the
states are a true graph and bounds hold exactly for it; each edge then ends up to half a cell
beside where its motion leads. "exact": states keep the pose of their cheapest arrival, so that
motions fit; states of one cell still count as one, so that a dearer arrival which would have led
to a cheaper path may be dropped. Bounds hold for the paths that are left, and plans say so.

Cells lie along the axes of the world, which are those of the start: a problem that is turned or
moved together with its world has the same states, and the same answer.

Before the search proper there are first looks, led by a guess of the cost that is left that knows
what room it takes to turn, where one can walk and where ground is scarce, and may be too high
(`heuristics_poses`). In them states wait in lanes by how much seems to be left
(`search.lanes_kernels`), so that hard places are come through by trying many things there, not
everything before. What looks find is a path like any other; what is proven of it is what the
estimates say of the start. Once there is a path some more looks, in which many states count as one,
make it cheaper: those within 32 cm and 36 degrees at nodes nearest to one state, the most promising
of which stands for all.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from footfall.maths import planar
from footfall.maths.arrays import Floats, Ints
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.problem import Goals, Path, World
from footfall.optimal.unrolled import (
    Begin,
    Coarse,
    SearchOptions,
    Unrolled,
    integrate_moves,
    pack_problem,
    without_edges,
)
from footfall.optimal.world import poses_seen_from, seen_from, yaws_seen_from
from footfall.search.ara import Anytime, Ending
from footfall.search.shortest_path import Flag, cancel_flag

__all__ = ["Found", "PathSearch", "SearchOptions", "integrate_moves"]

_WIDE, _FINE = Coarse(16, 10, 2), Coarse(8, 5, 2)
_PAIRS, _WIDER = Coarse(16, 10, 1), Coarse(24, 12, 1)


class Look(NamedTuple):
    """A look: how coarse it is, how much estimates are inflated, states expanded at most, and in
    how many lanes they wait; none for one heap.
    """

    coarse: Coarse
    epsilon: float
    most: int
    lanes: int = 0


LOOKS = (
    Look(_WIDE, 3.0, 2_000),
    Look(Coarse(4, 2, 0), 3.0, 60_000, 128),
    Look(_PAIRS, 8.0, 30_000),
    Look(_FINE, 3.0, 30_000),
    Look(Coarse(2, 2, 0), 10.0, 60_000, 128),
    Look(_WIDE, 1.5, 20_000),
    Look(Coarse(4, 2, 0), 1.0, 120_000, 128),
    Look(Coarse(8, 5, 1), 3.0, 200_000, 256),
)
"""First looks, until one finds a path."""
SOON = 4
"""This many of them take little time."""
CLOSER = (
    Look(Coarse(4, 2, 0), 1.0, 40_000, 128),
    Look(_PAIRS, 2.5, 20_000),
    Look(_WIDER, 1.5, 40_000),
    Look(_WIDE, 1.5, 20_000),
    Look(_WIDE, 1.2, 20_000),
    Look(_FINE, 1.2, 20_000),
)
"""Looks after that."""
AGAIN = (
    Look(_WIDE, 1.2, 8_000),
    Look(_FINE, 1.5, 8_000),
    Look(Coarse(8, 5, 1), 1.5, 8_000),
    Look(Coarse(6, 4, 1), 1.2, 8_000),
)
"""Looks from places on the way, which is kept up to there."""
_PLACES, _ROUNDS = 6, (1, 1, 1)
"""From so many places beside those where constraints are met; in each round how many times the
states are expanded."""
_LONGER = (5, 5)
"""More rounds where there is a time limit."""
_AT_ONCE = 500


@dataclass(frozen=True, eq=False)
class Found(Path):
    """A path from a start to the goal, in the scene.

    bound       cost is at most this many times the least possible; inf if nothing is proven
    epsilon     how much estimates were inflated; inf if they may be too high anyway
    expansions, generated   states expanded and successors generated so far
    states, memory   how many states are kept, and the bytes that they take
    """

    cost: float
    bound: float
    epsilon: float
    expansions: int
    generated: int
    states: int
    memory: int


class PathSearch:
    """A search under way: iterate for better and better paths.

    It begins at any of some starts: nodes (S,) at poses (S, 3: x, z, yaw).

    deadline   `time.perf_counter()` at which it ends      cancel  a flag (1,) that ends it
    forbidden  edges that no path may have
    ending  why it ended, once it did (`search.ara`)
    bound   the best that is proven so far
    looks   first looks, until one finds a path
    """

    def __init__(
        self, graph: InterpolatedGraph, world: World, goals: Goals, nodes: ArrayLike,
        poses: ArrayLike, options: SearchOptions | None = None, *, deadline: float = math.inf,
        cancel: Flag | None = None, forbidden: Ints | None = None,
    ) -> None:  # fmt: skip
        options = options or SearchOptions()
        flag = cancel_flag() if cancel is None else cancel
        self.options, self.flag, self.pose = options, flag, world.pose
        starts = poses_seen_from(world.pose, np.asarray(poses, np.float64).reshape(-1, 3))
        own = _goals_seen_from(world.pose, goals)
        self.packed = pack_problem(graph, world, own, nodes, starts, options)
        if forbidden is not None and len(forbidden):
            routes = without_edges(self.packed.routes, forbidden)
            self.packed = replace(self.packed, routes=routes)
        self.domain = Unrolled(self.packed, flag)
        self.anytime: Anytime[Path] = Anytime(self.domain, options.epsilons, deadline, flag)
        self.looks: tuple[Look, ...] = LOOKS
        self._looked = (0, 0)
        self._tried: set[tuple[Look, bytes]] = set()

    def __iter__(self) -> Iterator[Found]:
        if self.options.look:
            yield from self._look()
        for step in self.anytime:
            yield self._found(step.path, step.cost, step.bound, step.epsilon)

    def know(self, path: Path, cost: float) -> None:
        """Begin with a path from elsewhere: only better ones are looked for."""
        own = Path(path.edges, path.nodes, poses_seen_from(self.pose, path.poses), path.met)
        self.domain.adopt(own, cost)
        self.anytime.begin_with(cost, math.inf)

    def _look(self) -> Iterator[Found]:
        """First paths, if there are any to be found by searches that tell few states apart."""
        least = self.domain.least_estimate()
        proven, best = self.domain.admissible and least > 0.0, None
        for path in self._looks():
            if path[1] < self.domain.goal_cost():
                self.domain.adopt(*path)
                bound = max(path[1] / least, 1.0) if proven else math.inf
                self.anytime.begin_with(path[1], bound)
                best = self._found(*path, bound, math.inf)
                yield best
        if best is not None:  # once more, since no better one comes soon
            yield best

    def _looks(self) -> Iterator[tuple[Path, float]]:
        """Paths that looks find: from the start, then from places on the way of the best one."""
        for look in (*self.looks, *CLOSER):
            known = math.isfinite(self.domain.goal_cost())
            if known == (look in CLOSER) and not self._is_enough():
                found = self._take_look(look, None)[0]
                if found is not None:
                    yield found
        told = self.options.most_interpolated is not None or self.packed.cells.times > 1
        if told or self.packed.cells.snap or not 0.0 < self.domain.goal_cost() < math.inf:
            return
        for times in _ROUNDS + (_LONGER if math.isfinite(self.anytime.deadline) else ()):
            before = self.domain.goal_cost()
            for place in range(len(_places_on(self.domain.path()[0], self.routes_cost))):
                for look in AGAIN:
                    again = look._replace(most=times * look.most)
                    better = None if self._is_enough() else self._look_from(place, again)
                    if better is not None:
                        yield better
            if self.domain.goal_cost() >= before and times > 1:
                return

    def _look_from(self, place: int, look: Look) -> tuple[Path, float] | None:
        """A path that is as the best up to a place on its way, and then as a look finds it."""
        path, cost = self.domain.path()
        at = _places_on(path, self.routes_cost)
        count = at[min(place, len(at) - 1)]
        met, key = int((path.met <= count).sum()), (look, path.edges[:count].tobytes())
        if key in self._tried:
            return None
        self._tried.add(key)
        begin = Begin(
            path.nodes[count : count + 1].astype("i8"), path.poses[count : count + 1], met
        )
        found, domain = self._take_look(look, begin)
        if found is None or found[1] >= float(self.routes_cost[path.edges[count:]].sum()):
            return None
        joined = domain.joined(path, count, found[0])
        if joined is None:
            return None
        return joined, cost - float(self.routes_cost[path.edges[count:]].sum()) + found[1]

    def _is_enough(self) -> bool:
        over = self.flag[0] or time.perf_counter() > self.anytime.deadline
        return bool(over) or self.anytime.bound <= self.anytime.last

    def _take_look(
        self, look: Look, begin: Begin | None
    ) -> tuple[tuple[Path, float] | None, Unrolled]:
        """What a look finds, if anything, and the states of it."""
        domain = Unrolled(self.packed, self.flag, look.coarse, begin)
        found, expanded = self._sweep(domain, look) if look.lanes else self._rush(domain, look)
        before = self._looked
        self._looked = before[0] + expanded, before[1] + domain.generated
        return found, domain

    @property
    def routes_cost(self) -> Floats:
        """(E,) what edges cost."""
        return np.asarray(self.packed.routes.edges["cost"])

    def _rush(self, domain: Unrolled, look: Look) -> tuple[tuple[Path, float] | None, int]:
        """The best path of a look with one heap, and how many states were expanded."""
        search = Anytime(domain, (look.epsilon,), self.anytime.deadline, self.flag, look.most)
        step = next(iter(search), None)
        return None if step is None else (step.path, step.cost), search.expansions

    def _sweep(self, domain: Unrolled, look: Look) -> tuple[tuple[Path, float] | None, int]:
        """The first path of a look with lanes, and how many states were expanded."""
        from footfall.search.ara_kernels import PAUSED

        domain.begin_lanes(look.epsilon, look.lanes)
        end, expanded = PAUSED, 0
        while end == PAUSED and expanded < look.most:
            if self.flag[0] or time.perf_counter() > self.anytime.deadline:
                break
            end, more = domain.expand(min(_AT_ONCE, look.most - expanded))
            expanded += more
        return domain.path() if math.isfinite(domain.goal_cost()) else None, expanded

    def _found(self, path: Path, cost: float, bound: float, epsilon: float) -> Found:
        poses = planar.compose(self.pose, path.poses)
        return Found(
            path.edges, path.nodes, poses, path.met, cost, bound, epsilon, self.expansions,
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

    def closest(self) -> Path | None:
        """Return the path to the state nearest to the goal that was expanded; None before any."""
        path = self.domain.closest()
        return path and replace(path, poses=planar.compose(self.pose, path.poses))


def _goals_seen_from(pose: Floats, goals: Goals) -> Goals:
    """Return goals along other axes than those of the scene."""
    place, slab = np.array(goals.place, np.float64), np.array(goals.slab, np.float64)
    place[:, [0, 2]] = seen_from(pose, place[:, [0, 2]])
    slab[:, :2] = seen_from(pose * [0.0, 0.0, 1.0], slab[:, :2])
    return replace(goals, place=place, yaw=yaws_seen_from(pose, goals.yaw), slab=slab)


def _places_on(path: Path, costs: Floats) -> list[int]:
    """Numbers of edges of a path after which others are looked for, the last first: where
    constraints are met, and where shares of its cost are spent."""
    spent = np.cumsum(costs[path.edges])
    shares = spent[-1] * np.arange(1, _PLACES) / _PLACES
    on_way = {0, *path.met[:-1].tolist(), *np.searchsorted(spent, shares).tolist()}
    return sorted(on_way - {len(path.edges)}, reverse=True)
