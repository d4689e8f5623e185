"""What estimates by place and by length say, against distances found in other ways."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from footfall.files.scene.read import load_scene
from footfall.optimal import heuristics_nodes
from footfall.optimal.heuristics import Heuristic, make_guide
from footfall.optimal.heuristics_nodes import GraphFacts
from footfall.optimal.heuristics_places import open_squares_of
from footfall.optimal.heuristics_poses import dear_corners, guess_by_pose, walking_squares
from footfall.optimal.problem import World
from footfall.optimal.search_arrays import Guide
from footfall.optimal.world import make_world
from footfall.search.reduced_costs import Price
from tests.optimal.synthetic import STAND, block, make_goals, make_graph, make_plain


def metres(guide: Guide, x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """The metres that a guide says are left, as plain numpy reads them."""
    u, v = (x - guide.frame[0]) * guide.frame[2], (z - guide.frame[1]) * guide.frame[2]
    i, k, field = u.astype(int), v.astype(int), guide.field[0].astype(float)
    u, v = u - i, v - k
    low = field[i, k] * (1 - u) + field[i + 1, k] * u
    return low * (1 - v) + (field[i, k + 1] * (1 - u) + field[i + 1, k + 1] * u) * v


@pytest.mark.parametrize("heuristic", ["euclid", "pos", "chain"])
@pytest.mark.parametrize("within_m", [0.02, 0.1, 0.5])
def test_in_the_open_nothing_is_farther_than_the_straight_line(
    heuristic: Heuristic, within_m: float
) -> None:
    graph = make_graph(np.random.default_rng(0), 2, 2)
    rng = np.random.default_rng(1)
    for _ in range(10):
        x, z = rng.uniform(0.5, 3.5, 2)
        goals = make_goals(graph, ("stand", float(x), float(z)), within_m=within_m)
        guide = make_guide(graph, make_plain((4.0, 4.0)), goals, heuristic)
        at = rng.uniform(0.0, 4.0, (2, 20_000))
        near = np.stack([x, z])[:, None] + rng.normal(0.0, 0.2, (2, 20_000))
        at = np.concatenate([at, np.clip(near, 0.0, 4.0)], axis=1)
        straight = np.hypot(at[0] - x, at[1] - z)
        found = np.maximum(metres(guide, *at), 0.0)
        assert (found <= np.maximum(straight - within_m, 0.0) + 1e-6).all()
        assert (found >= straight / 1.06 - within_m - 0.3).all()  # and not by much less


def walked(world: World, x: float, z: float) -> np.ndarray:
    """Metres along the corridor's cells in 8 directions, which is never too few."""
    shape = world.corridor.shape
    cells = np.arange(world.corridor.size).reshape(shape)
    tails, heads, costs = [], [], []
    for di, dk in ((1, 0), (0, 1), (1, 1), (1, -1)):
        a = cells[: shape[0] - di, max(-dk, 0) : shape[1] - max(dk, 0)]
        b = cells[di:, max(dk, 0) : shape[1] + min(dk, 0)]
        free = (world.corridor.ravel()[a] & world.corridor.ravel()[b]).ravel()
        tails.append(a.ravel()[free])
        heads.append(b.ravel()[free])
        costs.append(np.full(free.sum(), np.hypot(di, dk) * world.cell_m))
    ends = np.concatenate(tails), np.concatenate(heads)
    sparse = csr_array((np.concatenate(costs), ends), (cells.size, cells.size))
    start = cells[round(x / world.cell_m), round(z / world.cell_m)]
    return np.asarray(dijkstra(sparse, directed=False, indices=start)).reshape(shape)


def test_between_obstacles_nothing_is_farther_than_one_can_walk() -> None:
    graph = make_graph(np.random.default_rng(0), 2, 2)
    rng = np.random.default_rng(2)
    for _ in range(15):
        world = make_plain((4.0, 4.0), 0.05)
        for _ in range(int(rng.integers(2, 9))):
            (a, b), (c, d) = rng.uniform(0.0, 3.8, 2), rng.uniform(0.1, 1.8, 2)
            block(world, (a, a + c), (b, b + d))
        free = np.argwhere(world.corridor)
        x, z = free[rng.integers(len(free))] * world.cell_m
        goals = make_goals(graph, ("stand", float(x), float(z)), within_m=0.1)
        guide = make_guide(graph, world, goals, "pos")
        truth = walked(world, x, z)[world.corridor]
        found = metres(guide, *(free * world.cell_m).T)
        assert (found <= np.maximum(truth - 0.1, 0.0) + world.cell_m + 1e-6).all()


def test_no_cycle_costs_less_for_a_metre_than_is_said_and_one_costs_just_that() -> None:
    for seed in range(5):
        graph = make_graph(np.random.default_rng(seed), 3, 3)
        facts = GraphFacts(graph, 0.0)
        assert facts.sustained > facts.least
        for rate, whether in ((facts.sustained * 0.999, False), (facts.sustained * 1.001, True)):
            assert has_negative_cycle(graph, rate) == whether


def has_negative_cycle(graph, rate: float, gains=None) -> bool:  # type: ignore[no-untyped-def]
    """Bellman & Ford in numpy: whether costs less `rate` for a metre (or a gain) fall for ever."""
    tails = np.repeat(np.arange(len(graph.node_a)), np.diff(graph.edge_start))
    reduced = graph.edge_cost - rate * (graph.edge_length if gains is None else gains)
    potential = np.zeros(len(graph.node_a))
    for _ in range(2 * len(potential)):
        lower = potential.copy()
        np.minimum.at(lower, graph.edge_to, potential[tails] + reduced)
        if np.allclose(lower, potential, rtol=0.0, atol=1e-12):
            return False
        potential = lower
    return True


def test_who_stands_far_away_has_to_set_off_and_to_stop() -> None:
    graph = make_graph(np.random.default_rng(0), 3, 3)
    goals = make_goals(graph, ("stand", 2.0, 2.0))
    table = make_guide(graph, make_plain(), goals, "chain").table[0, STAND]
    assert (np.diff(table) >= 0.0).all()
    assert 0.0 < table[0] < table[-1]  # who may stop, but elsewhere, has to go on in any case


def test_regions_on_the_path_take_nothing_off_the_metres_to_the_goal() -> None:
    graph = make_graph(np.random.default_rng(0), 2, 2)
    world = make_plain((2.0, 6.0))
    goal = ("stand", 1.0, 5.5)
    goals = make_goals(graph, ("be", 1.0, 2.0), ("be", 1.0, 3.0), goal, within_m=0.1)
    wide = replace(goals, within_m=np.array([1.5, 1.5, 0.1]))
    at = np.full(50, 1.0), np.linspace(0.3, 1.0, 50)
    alone = metres(make_guide(graph, world, make_goals(graph, goal), "pos"), *at)
    assert (metres(make_guide(graph, world, wide, "pos"), *at) >= alone - 0.3).all()
    narrow = metres(make_guide(graph, world, goals, "pos"), *at)
    assert (narrow >= alone - 0.6).all()


def test_who_faces_the_other_way_has_to_turn() -> None:
    graph = make_graph(np.random.default_rng(0), 3, 3)
    guide = make_guide(graph, make_plain(), make_goals(graph, ("stand", 2.0, 2.0), yaw=0.5))
    left = {slope for slope in guide.slopes[guide.level :, 1] if slope > 0.0}
    right = {slope for slope in guide.slopes[guide.level :, 1] if slope < 0.0}
    assert left
    assert right
    assert guide.asks["yaw"].tolist() == [0.5]
    # No cycle turns for less.
    facts = GraphFacts(graph, 0.0)
    turns = graph.edge_move[:, 2]
    for rate, whether in ((0.999, False), (1.001, True)):
        price = rate * facts.radian(0.0, 1)
        assert has_negative_cycle(graph, price, turns) == whether


def test_the_guess_is_nothing_where_a_constraint_is_met_and_more_facing_the_other_way() -> None:
    graph = make_graph(np.random.default_rng(0), 3, 3)
    goals = make_goals(graph, ("stand", 2.0, 2.0), yaw=0.0)
    guess = guess_by_pose(GraphFacts(graph, 0.0), make_plain((4.0, 4.0)), goals)[0]
    frame = make_guide(graph, make_plain((4.0, 4.0)), goals).frame
    i, k = np.rint((np.array([2.0, 2.0]) - frame[:2]) * frame[2]).astype(int)
    assert guess[i, k, 0] == 0.0
    half = guess.shape[2] // 2
    assert (guess[i, k, 2:-1] > 0.0).all()
    assert guess[i, k - 10, 0] < guess[i, k - 10, half]  # a metre behind: ahead, or round first
    assert np.isfinite(guess).all()


def test_the_guess_leads_round_what_stands_about_and_along_what_carries_feet() -> None:
    scene = load_scene("course")
    world = make_world(scene, np.array([[0.0, -8.0], [0.0, 7.4]]))
    squares, frame = open_squares_of(world)
    upright = walking_squares(world, squares, frame)

    def square(x: float, z: float) -> tuple[int, int]:
        return int((x - frame[0]) * frame[2]), int((z - frame[1]) * frame[2])

    assert squares[square(0.02, 7.4)]
    assert not upright[square(0.02, 7.4)]  # the chair
    assert upright[square(0.02, 6.9)]
    assert upright[square(0.02, 3.6)]  # the bar is ducked under
    dear = dear_corners(world, frame, (squares.shape[0] + 1, squares.shape[1] + 1))
    assert dear[square(0.05, -7.5)] == 1.0
    assert dear[square(0.05, -4.6)] < 2.0 < dear[square(0.25, -4.6)]  # on the beam, and beside it


def test_prices_are_kept_for_the_next_process_and_the_same_there(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("FOOTFALL_CACHE", str(tmp_path))
    monkeypatch.setattr(heuristics_nodes, "_WORTH_KEEPING", 0)
    graph = make_graph(np.random.default_rng(5), 3, 4)
    found = [GraphFacts(graph, 0.01, 0.02) for _ in range(2)]
    for facts in found:
        facts.radian(0.5 * facts.sustained, 1)
        facts.keep()
    assert len(list(tmp_path.rglob("*.safetensors"))) == 1
    monkeypatch.setattr(GraphFacts, "_highest", None)  # nothing is found out again
    again = GraphFacts(graph, 0.01, 0.02)
    assert again.sustained == found[0].sustained
    metre = 0.5 * again.sustained
    assert again.radian(metre, 1) == found[0].radian(metre, 1)
    at = np.array([0])
    for price in (Price(again.sustained), Price(metre, again.radian(metre, 1))):
        tables = [facts.costs_to(at, np.zeros(1), price) for facts in (found[0], again)]
        np.testing.assert_array_equal(*tables)


def test_prices_of_another_graph_or_damaged_ones_are_not_taken(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("FOOTFALL_CACHE", str(tmp_path))
    monkeypatch.setattr(heuristics_nodes, "_WORTH_KEEPING", 0)
    graph = make_graph(np.random.default_rng(5), 3, 4)
    facts = GraphFacts(graph, 0.01)
    facts.keep()
    other = GraphFacts(replace(graph, edge_cost=2.0 * graph.edge_cost), 0.01)
    assert other.sustained == pytest.approx(2.0 * facts.sustained)
    file = next(tmp_path.rglob("*.safetensors"))
    content = bytearray(file.read_bytes())
    content[-5] ^= 0xFF
    file.write_bytes(content)
    assert GraphFacts(graph, 0.01).sustained == facts.sustained
