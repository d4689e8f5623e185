"""The unrolled search against brute force, and what it promises of its paths."""

from __future__ import annotations

import itertools
import math
import time
from dataclasses import replace

import numpy as np
import pytest

from footfall.errors import InputError
from footfall.optimal.heuristics import ADMISSIBLE, HEURISTICS, Heuristic, make_guide
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.problem import Goals, World
from footfall.optimal.search import Found, PathSearch, SearchOptions
from footfall.optimal.search_arrays import Guide
from footfall.optimal.unrolled import Coarse, pack_problem
from footfall.optimal.unrolled import Unrolled as Lanes
from footfall.search.shortest_path import cancel_flag
from tests.optimal.brute import Unrolled, layer_after, unroll
from tests.optimal.synthetic import PICK, SIT, STAND, block, make_goals, make_graph, make_plain
from tests.sweeps import THOROUGH

CELL_M, YAWS = 0.08, 12  # not as wide as the squares of the estimates
COARSE = SearchOptions(poses="snap", cell_m=CELL_M, yaws=YAWS, memory_mb=20.0)
START = (1.0, 1.0, 2.0 * math.pi / YAWS)


class Small:
    """A problem that is small enough to be known as a whole."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.graph = make_graph(rng, speeds=2, turns=2, step_m=float(rng.uniform(0.3, 0.5)))
        self.world = make_plain((2.2, 2.2), 0.05)
        for _ in range(int(rng.integers(0, 4))):
            (a, b), (c, d) = rng.uniform(0.0, 2.0, 2), rng.uniform(0.1, 0.6, 2)
            block(self.world, (a, a + c), (b, b + d))
        kinds = ("be", "stand", "pick", "sit")
        asked = [
            (kinds[rng.integers(4)], *rng.uniform(0.5, 1.7, 2).tolist())
            for _ in range(int(rng.integers(1, 4)))
        ]
        yaw = float(rng.uniform(-3.0, 3.0)) if rng.random() < 0.3 else math.nan
        self.goals = make_goals(self.graph, *asked, within_m=float(rng.uniform(0.15, 0.3)), yaw=yaw)
        self.truth = unroll(self.graph, self.world, self.goals, CELL_M, YAWS)
        pose = (np.array([np.floor(n / CELL_M + 0.5) * CELL_M]) for n in START[:2])
        layer = layer_after(self.goals, 0, STAND, *pose, np.array([START[2]]))[0]
        self.least = 0.0
        if layer < len(self.goals.place):
            at = self.truth.at(int(layer), STAND, *START, CELL_M)
            self.least = float(self.truth.to_go[at])

    def search(self, heuristic: Heuristic, **more: object) -> PathSearch:
        options = replace(COARSE, heuristic=heuristic, **more)  # type: ignore[arg-type]
        return PathSearch(self.graph, self.world, self.goals, [STAND], [START], options)


SEEDS = (0, 3, 4, 5, 9, 10) if THOROUGH else (0, 4, 9)


@pytest.fixture(scope="module", params=SEEDS)
def small(request: pytest.FixtureRequest) -> Small:
    return Small(request.param)


def estimates(guide: Guide, truth: Unrolled, layers: int) -> tuple[np.ndarray, np.ndarray]:
    """The estimate of every state, as plain numpy reads it; and where each is."""
    layer, node, i, k, turn = np.unravel_index(np.arange(len(truth.to_go)), truth.shape)
    found = np.zeros(len(truth.to_go))
    u = (i * CELL_M - guide.frame[0]) * guide.frame[2]
    v = (k * CELL_M - guide.frame[1]) * guide.frame[2]
    a, b = u.astype(int), v.astype(int)
    u, v = u - a, v - b
    for c in range(layers):
        field, here = guide.field[c].astype(float), layer == c
        mixed = (field[a, b] * (1 - u) + field[a + 1, b] * u) * (1 - v)
        mixed += (field[a, b + 1] * (1 - u) + field[a + 1, b + 1] * u) * v
        steps = np.clip(
            (mixed - guide.asks["later"][c]) * guide.per_step, 0, guide.table.shape[2] - 1
        )
        most = np.maximum(guide.rate * mixed + guide.table[c, node, steps.astype(int)], 0.0)
        turned = np.full((9, len(mixed)), -np.inf)
        for j, (metre, radian) in enumerate(guide.slopes):
            line = metre * mixed + guide.lines[c, node, j]
            if j < guide.level:
                most = np.maximum(most, line)
            elif not np.isnan(guide.asks["yaw"][c]):
                away = (
                    guide.asks["yaw"][c]
                    - turn * 2 * np.pi / YAWS
                    + 2 * np.pi * np.arange(-4, 5)[:, None]
                )
                paid = radian * away - abs(radian) * guide.asks["within_rad"][c]
                turned = np.maximum(turned, line + paid)
        found[here] = np.maximum(most, turned.min(axis=0))[here]
    return found, np.stack([i, k])


@pytest.mark.parametrize("heuristic", sorted(ADMISSIBLE))
def test_no_bound_lies_and_the_last_path_costs_what_brute_force_says(
    small: Small, heuristic: Heuristic
) -> None:
    search = small.search(heuristic)
    found = list(search)
    assert (len(found) == 0) == math.isinf(small.least)
    for one in found:
        assert one.cost <= small.least * one.bound * (1.0 + 1e-9)
    assert all(b.cost <= a.cost for a, b in itertools.pairwise(found))
    if found:
        assert found[-1].cost == pytest.approx(small.least, rel=1e-9)
        assert (found[-1].bound, search.ending) == (1.0, "best")
    else:
        assert search.ending == "no path"


@pytest.mark.parametrize("heuristic", sorted(ADMISSIBLE))
def test_estimates_are_never_too_high_and_all_but_consistent(
    small: Small, heuristic: Heuristic
) -> None:
    slack = CELL_M * math.sqrt(0.5), math.pi / YAWS
    guide = make_guide(small.graph, small.world, small.goals, heuristic, *slack)
    truth, layers = small.truth, len(small.goals.place)
    estimate, cell = estimates(guide, truth, layers)
    at = np.floor(cell * CELL_M / small.world.cell_m + 0.5).astype(int)
    at = np.minimum(at, np.array(small.world.corridor.shape)[:, None] - 1)
    free = small.world.corridor[at[0], at[1]]
    assert (estimate <= truth.to_go * (1.0 + 1e-6) + 1e-9)[free].all()
    from_free = free[truth.tails] & (estimate[truth.heads] < 1e29)
    residual = (estimate[truth.tails] - truth.costs - estimate[truth.heads])[from_free]
    # Estimates by place are linear within squares: at corners of obstacles a trifle too steep.
    assert (residual > 1e-5).mean() < 1e-4
    assert residual.max() <= 0.01 * small.graph.edge_cost.min()


def test_the_plain_sum_of_the_paper_claims_no_bound(small: Small) -> None:
    found = list(small.search("sum"))
    assert all(math.isinf(one.bound) for one in found)
    assert all(one.cost >= small.least * (1.0 - 1e-9) for one in found)


def test_reopening_finds_the_same(small: Small) -> None:
    found = list(small.search("chain", reopen=True))
    assert not found or found[-1].cost == pytest.approx(small.least, rel=1e-9)
    assert all(one.cost <= small.least * min(one.bound, one.epsilon) * (1 + 1e-9) for one in found)


def test_the_plain_sum_may_be_too_high() -> None:
    """Two constraints that one run-up serves: the sum counts it twice."""
    graph = make_graph(np.random.default_rng(0), speeds=2, turns=2)
    world = make_plain((3.0, 3.0))
    goals = make_goals(graph, ("sit", 1.5, 1.5), ("sit", 1.5, 1.5), within_m=0.5)
    walking = int(graph.edge_to[graph.edge_start[STAND]])
    plain = make_guide(graph, world, goals, "sum").table[0, walking, 0]
    chain = make_guide(graph, world, goals, "max").table[0, walking, 0]
    assert plain > chain + 0.5


# ---- on 2 cm cells ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def graph() -> InterpolatedGraph:
    return make_graph(np.random.default_rng(1), speeds=3, turns=5)


@pytest.fixture
def world() -> World:
    world = make_plain((5.0, 5.0), 0.025)
    block(world, (0.0, 3.0), (2.4, 2.8))
    return world


def run(
    graph: InterpolatedGraph, world: World, goals: Goals, **more: object
) -> tuple[list[Found], PathSearch]:
    options = SearchOptions(**{"epsilons": (10.0, 3.0), "memory_mb": 300.0, **more})  # type: ignore[arg-type]
    search = PathSearch(graph, world, goals, [STAND], [(1.0, 1.0, 0.0)], options)
    return list(search), search


@pytest.mark.parametrize("poses", ["exact", "snap"])
def test_paths_are_paths_and_meet_their_constraints_in_order(
    graph: InterpolatedGraph, world: World, poses: str
) -> None:
    goals = make_goals(graph, ("pick", 3.8, 1.8), ("stand", 1.0, 4.2), within_m=0.2)
    found, search = run(graph, world, goals, poses=poses)
    assert search.ending == "near enough"
    for one in found:
        tails = np.searchsorted(graph.edge_start, one.edges, side="right") - 1
        np.testing.assert_array_equal(tails, one.nodes[:-1])
        np.testing.assert_array_equal(graph.edge_to[one.edges], one.nodes[1:])
        assert one.cost == pytest.approx(graph.edge_cost[one.edges].sum(), rel=1e-9)
        assert one.met[0] < one.met[1] == len(one.edges)
        assert (one.nodes[one.met] == [PICK, STAND]).all()
        for c, at in enumerate(one.met):
            x, z, yaw = one.poses[at]
            px, _, pz = goals.point[c, one.nodes[at]]
            x += px * math.cos(yaw) + pz * math.sin(yaw)
            z += -px * math.sin(yaw) + pz * math.cos(yaw)
            assert math.hypot(x - goals.place[c, 0], z - goals.place[c, 2]) <= 0.2
        i, k = np.floor(one.poses[:, :2].T / world.cell_m + 0.5).astype(int)
        assert world.corridor[i, k].all()


def moved(poses: np.ndarray, moves: np.ndarray) -> np.ndarray:
    """Where moves lead from poses."""
    c, s = np.cos(poses[:, 2]), np.sin(poses[:, 2])
    return poses + np.stack(
        [moves[:, 0] * c + moves[:, 1] * s, -moves[:, 0] * s + moves[:, 1] * c, moves[:, 2]], 1
    )


def test_exact_poses_follow_from_the_moves_and_snapped_ones_are_half_a_cell_beside(
    graph: InterpolatedGraph, world: World
) -> None:
    goals = make_goals(graph, ("stand", 1.0, 4.2), within_m=0.25)
    for poses in ("exact", "snap"):
        best = run(graph, world, goals, poses=poses)[0][-1]
        off = moved(best.poses[:-1], graph.edge_move[best.edges]) - best.poses[1:]
        off[:, 2] = np.angle(np.exp(1j * off[:, 2]))
        if poses == "exact":
            assert np.abs(off).max() < 1e-9
        else:
            assert np.abs(off[:, :2]).max() <= 0.0101
            assert np.abs(off[:, 2]).max() <= math.radians(1.801)


def test_feet_that_land_keep_out_of_water(graph: InterpolatedGraph, world: World) -> None:
    river = replace(world, foothold=world.foothold.copy(), corridor=np.ones_like(world.corridor))
    river.foothold[:, 80:100] = False
    goals = make_goals(graph, ("stand", 2.0, 4.0), within_m=0.15)
    found, search = run(graph, river, goals)
    dry, _ = run(graph, replace(river, foothold=world.foothold), goals)
    assert dry
    assert search.ending in ("near enough", "no path")
    for one in found:
        x, z = one.poses[1:, 0], one.poses[1:, 1]
        # Those that stay slip in a graph that is made up.
        lands = graph.node_signature[one.nodes[1:]] & ~graph.node_signature[one.nodes[:-1]]
        for side in (0, 1):
            px, pz = (
                graph.node_feet[one.nodes[1:], side, 0],
                graph.node_feet[one.nodes[1:], side, 2],
            )
            c, s = np.cos(one.poses[1:, 2]), np.sin(one.poses[1:, 2])
            row = np.floor((z - px * s + pz * c) / river.cell_m + 0.5)
            on = lands >> side & 1 == 1
            assert not ((row[on] >= 80) & (row[on] < 100)).any(), x


def test_what_is_to_be_met_within_a_time_is(graph: InterpolatedGraph, world: World) -> None:
    def by(seconds: float) -> Goals:
        return make_goals(graph, ("stand", 1.0, 4.2), within_m=0.25, by_s=seconds)

    soon = {"epsilons": (3.0,)}
    free = run(graph, world, by(math.inf), **soon)[0][-1]
    seconds = float(graph.edge_seconds[free.edges].sum())
    found, _ = run(graph, world, by(seconds * 1.1), **soon)
    assert found
    assert all(graph.edge_seconds[one.edges].sum() <= seconds * 1.1 for one in found)
    none, search = run(graph, world, by(0.5), **soon)
    assert (none, search.ending) == ([], "no path")


@pytest.mark.parametrize("most", [0, 3])
def test_no_more_segments_are_interpolated_than_allowed(
    graph: InterpolatedGraph, world: World, most: int
) -> None:
    goals = make_goals(graph, ("be", 4.0, 1.0), within_m=0.4)
    found, _ = run(graph, world, goals, most_interpolated=most)
    for one in found:
        assert (graph.edge_a[one.edges] != graph.edge_b[one.edges]).sum() <= most
    if most:
        assert found


def test_a_state_takes_no_more_than_64_bytes(graph: InterpolatedGraph, world: World) -> None:
    goals = make_goals(graph, ("sit", 4.0, 4.0), ("stand", 1.0, 4.2))
    found, search = run(graph, world, goals, epsilons=(1.2,), memory_mb=60.0)
    assert search.domain.count > 40_000
    assert search.memory <= 64 * search.domain.count
    assert all(one.memory > 0 for one in found)


def test_memory_is_bounded_and_the_best_so_far_is_kept(
    graph: InterpolatedGraph, world: World
) -> None:
    goals = make_goals(graph, ("stand", 1.0, 4.2), within_m=0.25)
    found, search = run(graph, world, goals, epsilons=(10.0, 1.0), memory_mb=8.0)
    assert search.ending == "out of memory"
    assert search.memory <= 8e6
    assert found
    assert 1.0 < found[-1].bound < math.inf


def test_a_search_can_be_cancelled_and_ends_in_time(graph: InterpolatedGraph, world: World) -> None:
    goals = make_goals(graph, ("sit", 4.0, 4.0), ("stand", 1.0, 4.2))
    flag = cancel_flag()
    options = SearchOptions(memory_mb=300.0)
    search = PathSearch(graph, world, goals, [STAND], [(1, 1, 0)], options, cancel=flag)
    for _ in search:
        flag[0] = 1
    assert search.ending == "cancelled"
    past = time.perf_counter() - 1.0
    search = PathSearch(graph, world, goals, [STAND], [(1, 1, 0)], options, deadline=past)
    assert list(search) == []
    assert search.ending == "out of time"


def test_an_unreachable_goal_ends_with_how_near_it_comes(
    graph: InterpolatedGraph, world: World
) -> None:
    block(world, (0.0, 5.1), (2.4, 2.8))
    goals = make_goals(graph, ("stand", 1.0, 4.2), within_m=0.2)
    found, search = run(graph, world, goals)
    assert (found, search.ending, search.expansions) == ([], "no path", 0)  # known at once
    goals = make_goals(graph, ("sit", 3.0, 1.2), ("stand", 1.0, 4.2), within_m=0.3)
    found, search = run(graph, world, goals, heuristic="img", memory_mb=30.0)
    closest = search.closest()
    assert found == []
    assert closest is not None
    assert len(closest.met) == 1
    assert closest.nodes[closest.met[0]] == SIT


def test_a_start_that_meets_everything_is_a_path(graph: InterpolatedGraph, world: World) -> None:
    found, search = run(graph, world, make_goals(graph, ("stand", 1.0, 1.0)))
    assert [len(one.edges) for one in found] == [0]
    assert search.ending == "best"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"poses": "round"}, "exact, snap"),
        ({"heuristic": "best"}, ", ".join(HEURISTICS)),
        ({"most_interpolated": -1}, "0 or more"),
        ({"memory_mb": 0.01}, "too little"),
        ({"epsilons": (1.0, 2.0)}, "fall"),
        ({"cell_m": 1e-9}, "wider cells"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    graph: InterpolatedGraph, world: World, wrong: dict[str, object], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        run(graph, world, make_goals(graph, ("stand", 1.0, 4.2), within_m=0.25), **wrong)


def test_lanes_expand_the_foremost_most_often_and_forget_none() -> None:
    rng = np.random.default_rng(5)
    graph = make_graph(rng, speeds=2, turns=2, step_m=0.4)
    world, goals = make_plain((6.0, 6.0)), make_goals(graph, ("pick", 5.0, 5.0))
    packed = pack_problem(graph, world, goals, [STAND], [START], SearchOptions())
    domain = Lanes(packed, cancel_flag(), Coarse(4, 2, 0))
    domain.begin_lanes(3.0, 32)
    ends = [domain.expand(1)[0] for _ in range(3000)]
    found = ends.index(0)
    assert math.isfinite(domain.goal_cost())
    path, cost = domain.path()
    assert cost == pytest.approx(graph.edge_cost[path.edges].sum())
    assert found < 3000
    # On they go: whatever waits is expanded in the end, and no state twice.
    small = replace(COARSE, look=False)
    near = make_goals(graph, ("pick", 5.9, 0.1), within_m=1e-3)
    packed = pack_problem(graph, make_plain((1.2, 1.2)), near, [STAND], [START], small)
    domain = Lanes(packed, cancel_flag(), Coarse(2, 2, 0))
    domain.begin_lanes(3.0, 16)
    expanded = sum(domain.expand(1000)[1] for _ in range(200))
    marks = domain.states.rows["mark"][: domain.count]
    assert expanded == domain.count == int((marks & 4 > 0).sum())
