"""Shortest paths through sparse graphs: Dijkstra's search and A*, over plain arrays.

>>> graph = SparseGraph([0, 2, 3, 3], [1, 2, 2], [1.0, 5.0, 1.5])
>>> find_path(graph, [0], [2]).nodes.tolist()
[0, 1, 2]
>>> search_all(graph, [0]).costs.tolist()
[0.0, 1.0, 2.5]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.errors import InputError
from footfall.maths.arrays import Floats

Status = Literal["found", "no path", "cancelled"]
Flag = NDArray[np.uint8]
FAR = 1e30
"""A cost that says: no path leads there. Not infinite, so that 0 times it is 0."""


def cancel_flag() -> Flag:
    """A flag (1,) that ends a search within about a thousand expansions once it is set to 1."""
    return np.zeros(1, np.uint8)


@dataclass(frozen=True, eq=False)
class SparseGraph:
    """A directed graph of N nodes and E edges, those of one node next to each other.

    out_start  (N + 1,) node n has the edges out_start[n] up to out_start[n + 1]
    heads      (E,) the node that each edge leads to       costs  (E,) not negative
    """

    out_start: NDArray[np.int64]
    heads: NDArray[np.int64]
    costs: Floats

    def __post_init__(self) -> None:
        start, heads = _whole(self.out_start, "out_start"), _whole(self.heads, "heads")
        costs = np.ascontiguousarray(self.costs, dtype=np.float64)
        if len(start) < 1 or start[0] != 0 or start[-1] != len(heads) or (np.diff(start) < 0).any():
            raise InputError("out_start does not count the heads", remedy="let it run from 0 to E")
        if heads.size and not 0 <= heads.min() <= heads.max() < len(start) - 1:
            raise InputError("an edge leads to a node that is not there")
        if costs.shape != heads.shape or not (costs >= 0.0).all():
            raise InputError("costs are not one number >= 0 for each edge")
        for name, array in (("out_start", start), ("heads", heads), ("costs", costs)):
            view = array.view()
            view.setflags(write=False)
            object.__setattr__(self, name, view)

    def __len__(self) -> int:
        return len(self.out_start) - 1


def graph_of_edges(
    tails: NDArray[np.int64], heads: NDArray[np.int64], costs: Floats, nodes: int
) -> SparseGraph:
    """Return the graph of so many nodes with edges in any order."""
    order = np.argsort(tails, kind="stable")
    start = np.concatenate([[0], np.cumsum(np.bincount(tails, minlength=nodes))])
    return SparseGraph(start, heads[order], costs[order])


@dataclass(frozen=True, eq=False)
class SearchTree:
    """What a search reached: costs (N,), infinite where it did not, and parents (N,), -1 for none.

    complete  whether all that can be reached was; False where the search was cancelled
    """

    costs: Floats
    parents: NDArray[np.int64]
    complete: bool

    def path_to(self, node: int) -> NDArray[np.int64]:
        """The nodes from a source to `node`; empty where it was not reached."""
        if not np.isfinite(self.costs[node]):
            return np.empty(0, np.int64)
        path = [node]
        while (before := int(self.parents[path[-1]])) >= 0:
            path.append(before)
        return np.array(path[::-1], np.int64)


@dataclass(frozen=True, eq=False)
class FoundPath:
    """A path through a graph: the nodes (K,) from a source to a goal, and its cost."""

    status: Status
    nodes: NDArray[np.int64]
    cost: float


def search_all(
    graph: SparseGraph,
    sources: ArrayLike,
    *,
    source_costs: ArrayLike | None = None,
    limit: float = np.inf,
    cancel: Flag | None = None,
) -> SearchTree:
    """The least costs from any of the sources (S,) to all nodes within `limit`: Dijkstra 1959."""
    no_goal, no_estimates = np.empty(0, np.bool_), np.empty(0)
    tree, _, _ = _search(graph, sources, source_costs, no_goal, no_estimates, limit, cancel)
    return tree


def find_path(
    graph: SparseGraph,
    sources: ArrayLike,
    goals: ArrayLike,
    *,
    source_costs: ArrayLike | None = None,
    estimates: ArrayLike | None = None,
    limit: float = np.inf,
    cancel: Flag | None = None,
) -> FoundPath:
    """The cheapest path from any of the sources (S,) to any of the goals: Hart et al. 1968 (A*).

    estimates  (N,) of the cost from each node to the goals, never too high; None: no guess
    limit      paths that cost more are not looked for
    """
    from footfall.search.shortest_path_kernels import AT_GOAL, CANCELLED

    is_goal = np.zeros(len(graph), np.bool_)
    is_goal[_nodes(goals, graph, "goals")] = True
    guesses = np.empty(0)
    if estimates is not None:
        guesses = np.array(estimates, dtype=np.float64)
        if guesses.shape != (len(graph),) or np.isnan(guesses).any():
            raise InputError("estimates are not one number for each node")
    tree, end, last = _search(graph, sources, source_costs, is_goal, guesses, limit, cancel)
    if end == AT_GOAL:
        return FoundPath("found", tree.path_to(last), float(tree.costs[last]))
    status: Status = "cancelled" if end == CANCELLED else "no path"
    return FoundPath(status, np.empty(0, np.int64), np.inf)


def _search(
    graph: SparseGraph, sources: ArrayLike, source_costs: ArrayLike | None,
    is_goal: Any, estimates: Floats, limit: float, cancel: Flag | None,
) -> tuple[SearchTree, int, int]:  # fmt: skip
    from footfall.search.shortest_path_kernels import CANCELLED, search_nodes

    first = _nodes(sources, graph, "sources")
    begin = np.zeros(len(first)) if source_costs is None else np.array(source_costs, np.float64)
    if begin.shape != first.shape or not (begin >= 0.0).all():
        raise InputError("source_costs are not one number >= 0 for each source")
    costs, parents = np.full(len(graph), np.inf), np.full(len(graph), -1, np.int64)
    end, last = search_nodes(
        graph.out_start, graph.heads, graph.costs, first, begin, is_goal, estimates,
        float(limit), cancel_flag() if cancel is None else cancel, costs, parents,
    )  # fmt: skip
    return SearchTree(costs, parents, end != CANCELLED), end, last


def _nodes(nodes: ArrayLike, graph: SparseGraph, name: str) -> NDArray[np.int64]:
    numbers = _whole(np.atleast_1d(nodes), name)
    if numbers.size and not 0 <= numbers.min() <= numbers.max() < len(graph):
        raise InputError(
            f"{name} name a node that is not there", remedy=f"use 0 to {len(graph) - 1}"
        )
    return numbers


def _whole(numbers: ArrayLike, name: str) -> NDArray[np.int64]:
    array = np.asarray(numbers)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise InputError(f"{name} is not a list of whole numbers")
    return np.ascontiguousarray(array, dtype=np.int64)
