"""ARA* against scipy's Dijkstra, on thousands of random small problems."""

from __future__ import annotations

import itertools
import math
import time
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from footfall.errors import InputError
from footfall.search.ara import Improvement
from footfall.search.ara_kernels import CANCELLED
from footfall.search.shortest_path import SparseGraph, cancel_flag
from tests.search.graph_search import AnytimeSearch
from tests.sweeps import examples

SEEDS = st.integers(0, 2**31)
EACH = 20
"""Problems for each seed that is drawn: what takes time is the drawing."""


@dataclass(frozen=True)
class Problem:
    """A graph, a start, goals, and the true costs from every node to the nearest goal."""

    graph: SparseGraph
    sparse: csr_array
    start: int
    goals: list[int]
    to_go: np.ndarray

    @property
    def least(self) -> float:
        return float(self.to_go[self.start])


def random_problem(rng: np.random.Generator, most: int = 60) -> Problem:
    """With every cost > 0, for scipy counts a zero as no edge."""
    count = int(rng.integers(2, most))
    has = rng.random((count, count)) < rng.uniform(0.02, 0.25)
    costs = rng.uniform(0.1, 5.0, (count, count)) if rng.random() < 0.5 else None
    if costs is None:
        costs = rng.integers(1, 9, (count, count)) * 0.25  # many ties
    sparse = csr_array(np.where(has, costs, 0.0))
    goals = rng.integers(0, count, int(rng.integers(1, 4))).tolist()
    to_go = dijkstra(csr_array(sparse.T), indices=sorted(set(goals))).min(axis=0)
    graph = SparseGraph(sparse.indptr, sparse.indices, sparse.data)
    return Problem(graph, sparse, int(rng.integers(count)), goals, to_go)


def consistent_estimates(problem: Problem, rng: np.random.Generator) -> np.ndarray:
    """A share of the true cost, and never more than some number: both keep it consistent."""
    return np.minimum(problem.to_go * rng.uniform(0.0, 1.0), rng.uniform(0.0, 20.0))


def admissible_estimates(problem: Problem, rng: np.random.Generator) -> np.ndarray:
    share = rng.choice([0.0, 0.3, 1.0], len(problem.to_go))
    return np.where(share > 0.0, np.minimum(problem.to_go, 1e9) * share, 0.0)


def assert_is_right(problem: Problem, found: list[Improvement[np.ndarray]]) -> None:
    """Paths are paths, costs never rise, no bound lies, and the last is the least of all."""
    assert (len(found) == 0) == math.isinf(problem.least)
    former = math.inf
    for one in found:
        assert one.path[0] == problem.start
        assert one.path[-1] in problem.goals
        cost = sum(problem.sparse[a, b] for a, b in itertools.pairwise(one.path))
        assert one.cost == pytest.approx(cost, rel=1e-9)
        assert one.cost <= former
        assert one.cost <= problem.least * one.bound * (1.0 + 1e-9)
        former = one.cost
    if found:
        assert found[-1].bound == 1.0
        assert found[-1].cost == pytest.approx(problem.least, rel=1e-9)


@examples(150)
@given(seed=SEEDS)
def test_no_bound_lies_and_the_last_path_is_the_best(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(EACH):
        problem = random_problem(rng)
        search = AnytimeSearch(
            problem.graph, problem.start, problem.goals, consistent_estimates(problem, rng)
        )
        assert_is_right(problem, list(search))
        assert search.ending == ("best" if math.isfinite(problem.least) else "no path")


@examples(150)
@given(seed=SEEDS, reopen=st.booleans())
def test_no_bound_lies_where_estimates_are_not_consistent(seed: int, reopen: bool) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(EACH):
        problem = random_problem(rng)
        search = AnytimeSearch(
            problem.graph, problem.start, problem.goals, admissible_estimates(problem, rng),
            consistent=False, reopen=reopen,
        )  # fmt: skip
        assert_is_right(problem, list(search))


@examples(60)
@given(seed=SEEDS, last=st.sampled_from([1.2, 2.0, 5.0]), consistent=st.booleans())
def test_it_ends_once_the_path_is_near_enough(seed: int, last: float, consistent: bool) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(EACH):
        problem = random_problem(rng)
        make = consistent_estimates if consistent else admissible_estimates
        search = AnytimeSearch(
            problem.graph, problem.start, problem.goals, make(problem, rng),
            consistent=consistent, epsilons=(10.0, last),
        )  # fmt: skip
        *_, best = [None, *search]
        if best is not None:
            assert best.cost <= problem.least * best.bound * (1.0 + 1e-9)
            assert best.bound <= last
            assert search.ending in ("near enough", "best")


def grid_problem(side: int, rng: np.random.Generator) -> Problem:
    """A square grid with random costs, from one corner to the other."""
    nodes = np.arange(side * side).reshape(side, side)
    pairs = [(nodes[:, :-1], nodes[:, 1:]), (nodes[:-1], nodes[1:])]
    tails = np.concatenate([np.r_[a.ravel(), b.ravel()] for a, b in pairs])
    heads = np.concatenate([np.r_[b.ravel(), a.ravel()] for a, b in pairs])
    sparse = csr_array((rng.uniform(1.0, 2.0, len(tails)), (tails, heads)))
    graph = SparseGraph(sparse.indptr, sparse.indices, sparse.data)
    to_go = dijkstra(csr_array(sparse.T), indices=[side * side - 1])[0]
    return Problem(graph, sparse, 0, [side * side - 1], to_go)


def straight_estimates(side: int) -> np.ndarray:
    rows, columns = np.divmod(np.arange(side * side), side)
    return (2.0 * side - 2.0 - rows - columns).astype(float)


def test_all_improvements_together_expand_less_than_three_times_what_the_last_needs() -> None:
    for seed in range(20):
        problem = grid_problem(40, np.random.default_rng(seed))
        estimates = straight_estimates(40)
        once = AnytimeSearch(problem.graph, 0, problem.goals, estimates, epsilons=(1.0,))
        many = AnytimeSearch(problem.graph, 0, problem.goals, estimates)
        list(once)
        list(many)
        assert many.expansions < 3 * once.expansions


def test_the_first_path_comes_long_before_the_best() -> None:
    problem = grid_problem(100, np.random.default_rng(0))
    found = list(AnytimeSearch(problem.graph, 0, problem.goals, straight_estimates(100)))
    assert found[0].expansions * 10 < found[-1].expansions
    assert len(found) > 2


def test_a_search_that_runs_out_of_time_keeps_its_best_path_and_bound() -> None:
    problem = grid_problem(100, np.random.default_rng(1))
    search = AnytimeSearch(problem.graph, 0, problem.goals, straight_estimates(100))
    found = []
    for one in search:
        found.append(one)
        search.deadline = time.perf_counter() - 1.0  # time is up after the first path
    assert len(found) == 1
    assert search.ending == "out of time"
    assert found[-1].bound > 1.0
    assert found[-1].cost <= problem.least * found[-1].bound * (1.0 + 1e-9)


def test_no_time_at_all_gives_no_path() -> None:
    problem = grid_problem(10, np.random.default_rng(1))
    search = AnytimeSearch(problem.graph, 0, problem.goals, deadline=time.perf_counter() - 1.0)
    assert list(search) == []
    assert search.ending == "out of time"


def test_compiled_expansion_ends_soon_after_the_flag_is_raised() -> None:
    problem = grid_problem(100, np.random.default_rng(2))
    whole = AnytimeSearch(problem.graph, 0, problem.goals, epsilons=(1.0,))
    list(whole)
    flag = cancel_flag()
    search = AnytimeSearch(problem.graph, 0, problem.goals, cancel=flag, epsilons=(1.0,))
    search.domain.begin(1.0)
    flag[0] = 1
    end, expanded = search.domain.expand(10 * whole.expansions)
    assert end == CANCELLED
    assert expanded * 10 < whole.expansions


def test_a_cancelled_search_keeps_what_it_found() -> None:
    problem = grid_problem(50, np.random.default_rng(3))
    flag = cancel_flag()
    search = AnytimeSearch(problem.graph, 0, problem.goals, straight_estimates(50), cancel=flag)
    found = []
    for one in search:
        found.append(one)
        flag[0] = 1
    assert len(found) == 1
    assert search.ending == "cancelled"


@pytest.mark.parametrize("epsilons", [(), (2.0, 3.0), (2.0, 0.5), (math.inf, 1.0), (2.0, 2.0)])
def test_epsilons_that_make_no_sense_are_refused(epsilons: tuple[float, ...]) -> None:
    graph = SparseGraph([0, 1, 1], [1], [1.0])
    with pytest.raises(InputError, match="epsilons"):
        AnytimeSearch(graph, 0, [1], epsilons=epsilons)


def test_a_start_that_is_a_goal_costs_nothing() -> None:
    graph = SparseGraph([0, 1, 1], [1], [1.0])
    [found] = AnytimeSearch(graph, 0, [0, 1])
    assert (found.path.tolist(), found.cost, found.bound) == ([0], 0.0, 1.0)


def test_nodes_that_are_not_there_are_refused() -> None:
    graph = SparseGraph([0, 1, 1], [1], [1.0])
    with pytest.raises(InputError, match="no node 2"):
        AnytimeSearch(graph, 0, [2])
