"""Dijkstra against scipy's, on random graphs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from footfall.errors import InputError
from footfall.search.shortest_path import SparseGraph, search_all
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
    for node in range(len(graph)):
        path = tree.path_to(node)
        assert (len(path) == 0) == np.isinf(exact[node])
        if len(path):
            start = begin[first == path[0]].min()
            assert start + _path_cost(sparse, path) == exact[node]


@examples(200)
@given(seed=st.integers(0, 2**31))
def test_a_search_that_ends_at_its_goal_finds_a_shortest_path(seed: int) -> None:
    graph, sparse = _random_graph(seed)
    start, goal = np.random.default_rng(seed + 1).integers(0, len(graph), 2)
    exact = dijkstra(sparse, indices=start)[goal]
    found = search_all(graph, [start], goal=goal)
    path = found.path_to(goal)
    assert found.costs[goal] == exact
    assert (len(path) > 0) == np.isfinite(exact)
    if len(path):
        assert (path[0], path[-1]) == (start, goal)
        assert _path_cost(sparse, path) == exact


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
        search_all(graph, [0], goal=-1)
