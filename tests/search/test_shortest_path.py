"""Dijkstra and A* against scipy's, on random graphs."""

from __future__ import annotations

import itertools
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from footfall.errors import InputError
from footfall.search.shortest_path import SparseGraph, cancel_flag, find_path, search_all
from tests.sweeps import examples


def _random_graph(seed: int) -> tuple[SparseGraph, csr_array]:
    """A graph with every cost > 0, for scipy counts a zero as no edge."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 40))
    has = rng.random((count, count)) < rng.uniform(0.02, 0.3)
    dense = np.where(has, rng.integers(1, 30, (count, count)) * 0.25, 0.0)
    sparse = csr_array(dense)
    return SparseGraph(sparse.indptr, sparse.indices, sparse.data), sparse


def _path_cost(sparse: csr_array, nodes: np.ndarray) -> float:
    return float(sum(sparse[a, b] for a, b in itertools.pairwise(nodes)))


@examples(200)
@given(seed=st.integers(0, 2**31), sources=st.integers(1, 3))
def test_costs_are_those_of_scipy(seed: int, sources: int) -> None:
    graph, sparse = _random_graph(seed)
    rng = np.random.default_rng(seed + 1)
    first = rng.integers(0, len(graph), sources)
    begin = rng.integers(0, 8, sources) * 0.5
    tree = search_all(graph, first, source_costs=begin)
    exact = (dijkstra(sparse, indices=first) + begin[:, None]).min(axis=0)
    np.testing.assert_array_equal(tree.costs, exact)
    assert tree.complete
    for node in range(len(graph)):
        path = tree.path_to(node)
        assert (len(path) == 0) == np.isinf(exact[node])
        if len(path):
            start = begin[first == path[0]].min()
            assert start + _path_cost(sparse, path) == exact[node]


@examples(200)
@given(seed=st.integers(0, 2**31), share=st.floats(0.0, 1.0))
def test_estimates_that_are_never_too_high_leave_the_path_a_shortest_one(
    seed: int, share: float
) -> None:
    graph, sparse = _random_graph(seed)
    rng = np.random.default_rng(seed + 1)
    start, goal = rng.integers(0, len(graph), 2)
    exact = dijkstra(sparse.T, indices=goal)
    # Admissible and mostly not consistent: nodes are then expanded more than once.
    estimates = np.where(rng.random(len(graph)) < share, exact, 0.0)
    found = find_path(graph, [start], [goal], estimates=estimates)
    assert found.cost == exact[start]
    assert found.status == ("found" if np.isfinite(exact[start]) else "no path")
    if found.status == "found":
        assert (found.nodes[0], found.nodes[-1]) == (start, goal)
        assert _path_cost(sparse, found.nodes) == exact[start]


@examples(50)
@given(seed=st.integers(0, 2**31), limit=st.floats(0.0, 20.0))
def test_nothing_beyond_the_limit_is_reached_and_all_within_it_is(seed: int, limit: float) -> None:
    graph, sparse = _random_graph(seed)
    exact = dijkstra(sparse, indices=0)
    costs = search_all(graph, [0], limit=limit).costs
    np.testing.assert_array_equal(costs, np.where(exact <= limit, exact, np.inf))


def test_the_nearest_of_several_goals_is_found() -> None:
    graph = SparseGraph([0, 1, 2, 3, 3], [1, 2, 3], [1.0, 1.0, 1.0])
    assert find_path(graph, [0], [3, 2]).nodes.tolist() == [0, 1, 2]
    assert find_path(graph, [3], [0]).status == "no path"
    assert find_path(graph, [2], [2]).cost == 0.0


def test_a_flag_set_from_another_thread_ends_the_search() -> None:
    side = 1500
    node = np.arange(side * side)
    right, below = node % side < side - 1, node // side < side - 1
    pairs = np.concatenate(
        [np.stack([node[right], node[right] + 1]), np.stack([node[below], node[below] + side])], 1
    )
    order = np.argsort(pairs[0], kind="stable")
    start = np.searchsorted(pairs[0][order], np.arange(side * side + 1))
    costs = np.random.default_rng(0).uniform(1.0, 2.0, len(order))
    graph = SparseGraph(start, pairs[1][order], costs)
    find_path(graph, [0], [1])  # compiled before the timer runs
    cancel = cancel_flag()
    threading.Timer(0.02, lambda: cancel.fill(1)).start()
    found = find_path(graph, [0], [side * side - 1], cancel=cancel)
    assert found.status == "cancelled"
    assert not search_all(graph, [0], cancel=np.ones(1, np.uint8)).complete


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        (([0, 2], [0], [1.0]), "does not count"),
        (([0, 1], [1], [1.0]), "not there"),
        (([0, 1], [0], [-1.0]), ">= 0"),
        (([0, 1], [0.5], [1.0]), "whole numbers"),
        (([0, 1], [0], [np.nan]), ">= 0"),
    ],
)
def test_arrays_that_are_no_graph_are_refused(arrays: tuple[list, ...], words: str) -> None:
    with pytest.raises(InputError, match=words):
        SparseGraph(*arrays)


def test_nodes_that_are_not_there_are_refused() -> None:
    graph = SparseGraph([0, 1, 1], [1], [1.0])
    with pytest.raises(InputError, match="sources name a node"):
        search_all(graph, [2])
    with pytest.raises(InputError, match="goals name a node"):
        find_path(graph, [0], [-1])
    with pytest.raises(InputError, match="estimates"):
        find_path(graph, [0], [1], estimates=[0.0])
