"""Safonova's experiments: problems ask what the paper's do, and findings hold as figures say."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from footfall.errors import InputError
from footfall.library.library import Library, open_library
from footfall.optimal.build import Size, motion_graph
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.plan_problem import PathProblem
from footfall.optimal.product import ProductSettings, build_product
from footfall.optimal.search import SearchOptions
from footfall.optimal.store import make_graph
from footfall.papers import safonova
from footfall.papers import safonova_paper as paper
from footfall.papers import safonova_results as results
from footfall.papers.findings import Claim
from footfall.papers.reproduce import reproduce
from footfall.papers.safonova_compression import CompressionRun, database_clips, loss_of_culling
from footfall.papers.safonova_problems import (
    make_problem,
    motion_queries,
    pick_from_place_problem,
    pick_reaches,
    sample_strides,
    sample_targets,
    stride_problem,
    three_rivers,
    without_interpolation,
)
from footfall.papers.safonova_runs import (
    HeuristicRun,
    Limits,
    MotionRun,
    Solution,
    SuccessRun,
    TimedSearch,
    best_of,
)
from footfall.task.method import Refusal
from tests.sweeps import THOROUGH

NAMES = (
    "park_walk_1.1", "park_walk_1.4", "start_left_1", "stop_left_1", "start_right_1",
    "stop_right_1", "stand_1", "pick_0.50_0.20", "pick_0.50_0.35", "pick_0.75_0.20",
    "pick_0.75_0.35",
)  # fmt: skip


@pytest.fixture(scope="module")
def library() -> Library:
    return open_library("default:safonova").only(NAMES)


@pytest.fixture(scope="module")
def graph(library: Library) -> InterpolatedGraph:
    return make_graph(library)


@pytest.fixture(scope="module")
def plain(graph: InterpolatedGraph) -> InterpolatedGraph:
    return without_interpolation(graph)


def test_without_interpolation_each_state_and_each_edge_of_the_motion_graph_is_there_once(
    graph: InterpolatedGraph, plain: InterpolatedGraph
) -> None:
    phases = graph.phases
    assert sorted(plain.node_a.tolist()) == list(range(len(phases.state_rest)))
    assert sorted(plain.edge_a.tolist()) == list(range(len(phases.edge_from)))
    assert (plain.edge_a == plain.edge_b).all()
    tails = np.repeat(np.arange(len(plain.node_a)), np.diff(plain.edge_start))
    assert (plain.node_a[tails] == phases.edge_from[plain.edge_a]).all()
    assert (plain.node_a[plain.edge_to] == phases.edge_to[plain.edge_a]).all()


def test_a_graph_made_with_no_weights_is_the_graph_without_interpolation(
    plain: InterpolatedGraph,
) -> None:
    made = build_product(plain.phases, ProductSettings(weights=0))
    assert np.array_equal(made.node_a, plain.node_a)
    assert np.array_equal(made.edge_start, plain.edge_start)
    assert sorted(made.edge_a.tolist()) == sorted(plain.edge_a.tolist())
    assert made.edge_cost.sum() == pytest.approx(plain.edge_cost.sum())


def test_targets_are_enclosed_by_hands_and_are_others_for_another_seed(
    plain: InterpolatedGraph,
) -> None:
    from scipy.spatial import Delaunay

    targets = sample_targets(plain, 30, 0)
    hull = Delaunay(pick_reaches(plain))
    at = [[t.reach_m, t.height_m] for t in targets]
    assert (hull.find_simplex(at, tol=1e-6) >= 0).all()
    assert len({t.height_m for t in targets}) == 30
    assert sample_targets(plain, 30, 0) == targets
    assert sample_targets(plain, 30, 1) != targets
    assert not sample_targets(without_hands(plain), 30, 0)


def without_hands(graph: InterpolatedGraph) -> InterpolatedGraph:
    return replace(graph, node_signature=graph.node_signature & 3)


def test_who_picks_from_a_place_stands_as_near_to_it_as_the_hand_is_to_the_target(
    graph: InterpolatedGraph, plain: InterpolatedGraph
) -> None:
    made = 0
    for target in sample_targets(plain, 12, 3)[: None if THOROUGH else 2]:
        problem = pick_from_place_problem(graph, target, 0.1)
        if isinstance(problem, Refusal):
            continue
        found = best_of(TimedSearch(graph, problem, SearchOptions(), 1.0), np.inf)
        if found is None:
            continue
        made += 1
        root = found.poses[found.met[0], :2]
        assert np.hypot(*(root - [0.0, 2.0])) < 0.1 + 0.1 + 0.05
    assert made > 0


def test_strides_are_walked_with_one_cycle(
    graph: InterpolatedGraph, plain: InterpolatedGraph
) -> None:
    strides = sample_strides(plain, 3)
    assert strides is not None
    assert (np.diff(strides.lengths) > 0.0).all()
    problem = stride_problem(plain, strides, float(strides.lengths[0]), 0.11)
    assert isinstance(problem, PathProblem)
    found = best_of(TimedSearch(plain, problem, SearchOptions(), 3.0), np.inf)
    assert found is not None
    lands = (plain.node_signature & ~plain.node_before & 3)[found.nodes[1:]] > 0
    assert lands.sum() == 2


def test_a_search_ends_after_its_seconds_of_the_processor(graph: InterpolatedGraph) -> None:
    query = motion_queries(graph)[2]
    problem = make_problem(graph, query)
    assert isinstance(problem, PathProblem)
    timed = TimedSearch(graph, problem, SearchOptions("snap", "euclid", (1.0,), look=False), 0.1)
    list(timed)
    assert timed.search.ending == "cancelled"


def test_the_rivers_become_narrower_and_the_last_is_a_step_wide() -> None:
    scene = three_rivers()
    wide = [float(np.ptp(hole.polygon[:, 1])) for hole in scene.holes]
    assert wide == sorted(wide, reverse=True)
    assert wide[-1] < 0.4


def test_databases_are_parts_of_the_clips_that_do_what_they_say() -> None:
    library = open_library("default:safonova")
    acts, picks, walks = (set(database_clips(library, one)) for one in paper.DATABASES)
    assert walks < acts
    assert walks < picks
    assert not {name for name in picks - walks if not name.startswith("pick")}
    assert {"jump_0.8", "sit_0.45", "beam_left"} <= acts - picks


def test_culling_loses_nothing_by_another_implementation(library: Library) -> None:
    full = motion_graph(list(library))
    assert loss_of_culling(full) < 1e-9


# ---- findings -------------------------------------------------------------------------------


def verdicts(rows: list[Claim]) -> list[bool | None]:
    return [row.holds for row in rows]


def success(shares: tuple[tuple[float, ...], tuple[float, ...]], which: int = 0) -> SuccessRun:
    met = np.arange(100)[None, None] < np.array(shares)[:, :, None]
    costs = np.where(met, np.array([1.0, 1.3])[:, None, None], np.nan)
    return SuccessRun(paper.SUCCESS[which], met, costs)


def test_interpolation_is_worth_something_only_where_it_meets_more_targets() -> None:
    assert (
        verdicts(results.success_findings([success(((99, 100, 100), (31, 70, 99)))])) == [True] * 3
    )
    worse = success(((80, 85, 90), (60, 70, 72)))
    assert verdicts(results.success_findings([worse])) == [False, False, False]


def test_costs_are_compared_of_targets_that_both_meet() -> None:
    run = success(((96, 99, 100), (16, 45, 87)), 1)
    assert run.ratio(0) == pytest.approx(1.3)
    rows = results.success_findings([run])
    assert rows[3].holds is True
    assert rows[4].holds is False  # as dear at every tolerance
    none = replace(run, costs=np.full(run.costs.shape, np.nan))
    assert verdicts(results.success_findings([none]))[3:] == [None, None]


def solution(epsilon: float, seconds: float, cost: float, steps: int) -> Solution:
    return Solution(epsilon, seconds, cost, epsilon, 10, steps, 0, 0, None)  # type: ignore[arg-type]


def test_better_motions_are_cheaper_later_and_other_ones() -> None:
    rows = (solution(10.0, 0.1, 2e6, 4), solution(2.0, 0.5, 1.5e6, 6), solution(1.0, 2.0, 1e6, 7))
    query = None
    run = MotionRun(paper.MOTIONS[0], query, None, rows, 1.0)  # type: ignore[arg-type]
    assert verdicts(results.motion_findings([run])) == [True] * 4
    same = replace(run, rows=(rows[2], rows[2]))
    assert verdicts(results.motion_findings([same])) == [True, False, False, False]
    unproven = replace(run, rows=rows[:2])
    assert verdicts(results.motion_findings([unproven]))[2] is None
    assert verdicts(results.motion_findings([replace(run, rows=())])) == [False]


def test_compression_is_judged_by_its_first_and_last_size() -> None:
    sizes = (Size("a", 4000, 100_000), Size("b", 400, 10_000), Size("c", 100, 1000))
    run = CompressionRun(paper.DATABASES[2], 30, sizes, 2.0, 1e-12, (0.0, 0.1))
    assert verdicts(results.compression_findings([run])) == [True] * 3
    lossy = replace(run, sizes=(sizes[0], sizes[1], Size("c", 300, 4000)), lost=0.01)
    assert verdicts(results.compression_findings([lossy])) == [False] * 3
    assert verdicts(results.size_findings()) == [True]


def test_estimates_are_judged_by_the_states_that_they_save() -> None:
    mean = np.array([[90, 90, 99], [80, 80, 99], [60, 60, 50], [10, 10, 50], [11, 11, 60]]) * 1e3
    spread = np.repeat(mean[:, :, None], 4, axis=2)
    solved = np.ones(spread.shape, np.bool_)
    solved[:2, 2] = False
    run = HeuristicRun(("a", "b", "c", "d", "e"), spread, spread, solved, np.ones(spread.shape), 99)
    assert verdicts(results.heuristic_findings(run)) == [True] * 5
    costs = run.costs.copy()
    costs[4, 2] = 1.2
    assert verdicts(results.heuristic_findings(replace(run, costs=costs)))[-1] is False
    worse = replace(run, expansions=np.ones(spread.shape), solved=np.ones(spread.shape, np.bool_))
    assert verdicts(results.heuristic_findings(worse))[:4] == [False, False, True, False]


# ---- the command -----------------------------------------------------------------------------


def test_all_experiments_run_on_few_clips_and_say_what_these_lack(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(safonova, "_QUICK", Limits(0.1, 0.3, 1000, 0.2, 1000))
    monkeypatch.setattr(safonova, "_FEW_STRIDES", 2)
    monkeypatch.setattr(safonova, "_FEW_PROBLEMS", 1)
    told: list[float] = []
    done = reproduce(
        "safonova",
        [library],
        tmp_path / "few",
        runs=1,
        quick=True,
        progress=told.append,  # type: ignore[list-item]
    )
    text, page = done.markdown.read_text(), done.page.read_text()
    for words in ("Table 1", "Table 2", "Table 3", "Table 4", "Figure 13", "do not sit or jump"):
        assert words in text
    assert "99 /" in text  # printed numbers stand beside ours
    assert page.count("<img") >= 2
    assert told == sorted(told)
    assert told[-1] == pytest.approx(1.0)
    rows = {row.claim: row for row in done.databases[0].findings}
    assert rows["the course is planned: beam, holes, bar and chair"].holds is False
    assert "no clip sits" in rows["the course is planned: beam, holes, bar and chair"].ours
    json.dumps(done.databases[0].as_dict(), allow_nan=False)


@pytest.mark.parametrize(
    ("wishes", "said"),
    [
        ({"experiment": "table"}, "there is no experiment 'table'"),
        ({"runs": 0}, "runs is 0"),
        ({"seed": -1}, "the seed is -1"),
    ],
)
def test_misuse_is_one_sentence(tmp_path: Path, wishes, said) -> None:
    with pytest.raises(InputError, match=said):
        reproduce("safonova", output=tmp_path / "report", **wishes)
