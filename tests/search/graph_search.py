"""ARA* over a graph that is given as a whole: the domain that the search is tested with."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.errors import InputError
from footfall.maths.jit_kernels import kernel
from footfall.search.ara import EPSILONS, Anytime, rekey_states, sort_heap
from footfall.search.ara_kernels import (
    CANCELLED,
    EQUAL,
    FINISHED,
    PAUSED,
    WAITING,
    key_of,
    offer_state,
    take_state,
)
from footfall.search.shortest_path import Flag, SparseGraph, cancel_flag

_POLL_EVERY = 1024
_CROWDED = 99
STATE = np.dtype([("cost", np.float64), ("estimate", np.float64), ("mark", np.uint8)])


class AnytimeSearch(Anytime[NDArray[np.int64]]):
    """Better and better paths through a graph from a node to any of some goals.

    estimates   (N,) of the cost from each node to the goals, never too high; None: no guess
    consistent  whether no edge's estimate falls by more than the edge costs; if not, nodes whose
                cost falls after they were expanded are expanded again at once (`reopen`) or in
                the next improvement, and the bound rests on what is left alone
    """

    def __init__(
        self, graph: SparseGraph, start: int, goals: ArrayLike,
        estimates: ArrayLike | None = None, *, consistent: bool = True, reopen: bool = False,
        epsilons: Sequence[float] = EPSILONS, deadline: float = math.inf,
        cancel: Flag | None = None,
    ) -> None:  # fmt: skip
        cancel = cancel_flag() if cancel is None else cancel
        domain = _GraphDomain(graph, start, goals, estimates, consistent, reopen, cancel)
        super().__init__(domain, epsilons, deadline, cancel)


class _GraphDomain:
    """A graph that is given as a whole."""

    admissible = True

    def __init__(
        self, graph: SparseGraph, start: int, goals: ArrayLike, estimates: ArrayLike | None,
        consistent: bool, reopen: bool, cancel: Flag,
    ) -> None:  # fmt: skip
        nodes = len(graph)
        aims = np.atleast_1d(np.asarray(goals, dtype=np.int64))
        for node in (start, *aims.tolist()):
            if not 0 <= node < nodes:
                raise InputError(f"there is no node {node}", remedy=f"use 0 to {nodes - 1}")
        self.graph, self.start, self.reopen, self.cancel = graph, start, reopen, cancel
        self.sound = consistent or reopen
        self.estimates = np.zeros(nodes) if estimates is None else np.array(estimates, np.float64)
        if self.estimates.shape != (nodes,) or not (self.estimates >= 0.0).all():
            raise InputError("estimates are not one number >= 0 for each node")
        self.is_goal = np.zeros(nodes, np.bool_)
        self.is_goal[aims] = True
        self.estimates[self.is_goal] = 0.0
        self.states, self.parents = np.zeros(nodes, STATE), np.full(nodes, -1, np.int64)
        self.states["cost"], self.states["estimate"] = np.inf, self.estimates
        room = nodes + 2 * len(graph.heads) + 16
        self.keys, self.items = np.empty(room), np.empty(room, np.int64)
        self.count, self.epsilon = 0, 1.0
        self.states["cost"][start], self.states["mark"][start] = 0.0, WAITING
        self.goal = np.array([0.0, start] if self.is_goal[start] else [np.inf, -1.0])

    def begin(self, epsilon: float) -> None:
        self.epsilon = epsilon
        limit = float(self.goal[0]) * (1.0 - EQUAL)
        self.count = rekey_states(self.states, epsilon, limit, self.keys, self.items)

    def expand(self, most: int) -> tuple[int, int]:
        end, self.count, expanded = expand_nodes(
            self.graph.out_start, self.graph.heads, self.graph.costs, self.is_goal, self.epsilon,
            self.reopen, most, self.cancel, self.states, self.parents, self.keys, self.items,
            self.count, self.goal,
        )  # fmt: skip
        if end == _CROWDED:
            self.count = sort_heap(self.states, self.epsilon, self.keys, self.items)
        return PAUSED if end == _CROWDED else end, expanded

    def goal_cost(self) -> float:
        return float(self.goal[0])

    def path(self) -> tuple[NDArray[np.int64], float]:
        tails = np.searchsorted(self.graph.out_start, self.parents, side="right") - 1
        node, cost = int(self.goal[1]), 0.0
        nodes = [node]
        while node != self.start:
            cost += float(self.graph.costs[self.parents[node]])
            node = int(tails[node])
            nodes.append(node)
        return np.array(nodes[::-1], np.int64), cost

    def least_estimate(self) -> float:
        waits = self.states["mark"] & WAITING > 0
        total = self.states["cost"] + self.states["estimate"]
        return float(total[waits].min(initial=np.inf))


@kernel
def expand_nodes(  # type: ignore[no-untyped-def]
    out_start, heads, edge_costs, is_goal, epsilon, reopen, most, cancel, states, parents, keys,
    items, count, goal,
):  # fmt: skip
    """Expand up to `most` nodes by cost plus `epsilon` times estimate: how it ended, how many
    entries the heap has, how many nodes were expanded.

    Writes states (N,), parents (N,) (edges, -1 for none), the heap, and `goal` (2,): the least cost
    of a goal and its node. It ends before the heap, which needs room for more than N entries, has
    none for the edges of a node. A goal is not expanded: whatever goes on from it costs more.
    """
    for expanded in range(most):
        if expanded % _POLL_EVERY == 0 and cancel[0] != 0:
            return CANCELLED, count, expanded
        if count + heads.shape[0] > keys.shape[0]:
            return _CROWDED, count, expanded
        node, count = take_state(states, keys, items, count, goal[0] * (1.0 - EQUAL))
        if node < 0:
            return FINISHED, count, expanded
        cost = states[node].cost
        for e in range(out_start[node], out_start[node + 1]):
            head, reached = states[heads[e]], cost + edge_costs[e]
            if reached >= head.cost or not reached + head.estimate < goal[0]:
                continue
            head.cost, parents[heads[e]] = reached, e
            if is_goal[heads[e]]:
                goal[0], goal[1] = reached, heads[e]
                continue
            key = key_of(reached, head.estimate, epsilon)
            count = offer_state(heads[e], key, states, keys, items, count, reopen)
    return PAUSED, count, most
