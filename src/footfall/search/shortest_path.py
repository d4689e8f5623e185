"""Shortest paths through sparse graphs: Dijkstra's search over plain arrays.

>>> graph = SparseGraph([0, 2, 3, 3], [1, 2, 2], [1.0, 5.0, 1.5])
>>> found = search_all(graph, [0])
>>> found.path_to(2).tolist(), found.costs.tolist()
([0, 1, 2], [0.0, 1.0, 2.5])
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.errors import InputError
from footfall.maths.arrays import Floats

Flag = NDArray[np.uint8]
FAR = 1e30
"""A cost that says: no path leads there. Not infinite, so that 0 times it is 0."""


def cancel_flag() -> Flag:
    """Return a flag (1,) that ends a search within about a thousand expansions once it is 1."""
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
    """Return the graph of `count` nodes with edges in any order."""
    order = np.argsort(tails, kind="stable")
    start = np.concatenate([[0], np.cumsum(np.bincount(tails, minlength=nodes))])
    return SparseGraph(start, heads[order], costs[order])


@dataclass(frozen=True, eq=False)
class SearchTree:
    """What a search reached: costs (N,), infinite where it did not, and parents (N,), -1 for none.

    Where it ended at a goal the costs of nodes that are farther than that may be too high.
    """

    costs: Floats
    parents: NDArray[np.int64]

    def path_to(self, node: int) -> NDArray[np.int64]:
        """Return the nodes from a source to `node`; empty where it was not reached."""
        if not np.isfinite(self.costs[node]):
            return np.empty(0, np.int64)
        path = [node]
        while (before := int(self.parents[path[-1]])) >= 0:
            path.append(before)
        return np.array(path[::-1], np.int64)


def search_all(
    graph: SparseGraph,
    sources: ArrayLike,
    *,
    source_costs: ArrayLike | None = None,
    goal: int | None = None,
) -> SearchTree:
    """Return least costs from the sources (S,) to all nodes or a goal (Dijkstra 1959)."""
    from footfall.search.shortest_path_kernels import search_layers

    first = _nodes(sources, graph, "sources")
    begin = np.zeros(len(first)) if source_costs is None else np.array(source_costs, np.float64)
    if begin.shape != first.shape or not (begin >= 0.0).all():
        raise InputError("source_costs are not one number >= 0 for each source")
    last = -1 if goal is None else int(_nodes(goal, graph, "goals")[0])
    costs, parents = np.full((len(graph), 1), np.inf), np.full(len(graph), -1, np.int64)
    room = len(graph.heads) + len(first)
    search_layers(
        graph.out_start, graph.heads, graph.costs, np.zeros(len(graph.heads), np.int64), first,
        begin, last, np.empty(room), np.empty(room, np.int64), costs, parents,
    )  # fmt: skip
    return SearchTree(costs[:, 0], parents)


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
