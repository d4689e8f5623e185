"""Refining: paths get straighter and their moves less changed, and stay valid, sweep by sweep."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from footfall.roadmap import refine_kernels
from footfall.roadmap.connect import connect, edge_prints
from footfall.roadmap.joins import stances_of
from footfall.roadmap.moves import Moves
from footfall.roadmap.paths import FootholdPath, NoPath, find_path, nothing_closed, path_prints
from footfall.roadmap.refine import (
    YAW_M,
    list_stops,
    path_changes,
    smooth_prints,
    straighten_path,
    zigzag,
)
from footfall.roadmap.smooth_kernels import local_mapping
from footfall.roadmap.table import MoveTable
from footfall.task.stages import Place
from footfall.world.collision.queries import foot_placements
from tests.roadmap.small_world import choi_roadmap, choi_table
from tests.sweeps import THOROUGH

SCENES = ("island", "room", "crevice")
QUERIES = 12 if THOROUGH else 4


@cache
def paths_of(name: str) -> tuple[tuple[FootholdPath, Place, Place], ...]:
    """Paths between random footholds, the headings left open, of a few moves at least."""
    scene, roadmap = choi_roadmap(name)
    rng = np.random.default_rng(3)
    found: list[tuple[FootholdPath, Place, Place]] = []
    for _ in range(5 * QUERIES):
        a, b = roadmap.nodes[rng.integers(len(roadmap.nodes), size=2)]
        start, goal = Place(float(a[0]), float(a[2])), Place(float(b[0]), float(b[2]))
        path = find_path(roadmap, scene, start, goal)
        if not isinstance(path, NoPath) and len(path) >= 3:
            found.append((path, start, goal))
        if len(found) == QUERIES:
            break
    assert len(found) >= QUERIES // 2
    return tuple(found)


def wrap(angle):
    return (angle + np.pi) % (2.0 * np.pi) - np.pi


def turned(path: FootholdPath) -> float:
    """How much the line through the footholds turns, from their places alone."""
    steps = np.diff(path.footholds[:, [0, 2]], axis=0)
    steps = steps[np.hypot(*steps.T) > 0.05]
    return float(np.abs(wrap(np.diff(np.arctan2(steps[:, 0], steps[:, 1])))).sum())


def changed(moves: Moves, path: FootholdPath) -> float:
    """The mean of Eq. 5 over the moves, from footholds and the clips' own footprints."""
    found = []
    for n, m in enumerate(path.moves.tolist()):
        own = moves.prints[moves.clip[m]]
        one, other = own[moves.first_print[m]], own[moves.last_print[m]]
        a, b = path.footholds[n], path.footholds[n + 1]
        step, target = (other.p - one.p)[[0, 2]], (b - a)[[0, 2]]
        chord = float(np.hypot(*step))
        if chord >= 0.45:
            turn = np.arctan2(*target) - np.arctan2(*step)
            off = abs(1.0 - np.hypot(*target) / chord)
        else:
            first, last = a[3] - one.yaw, b[3] - other.yaw
            turn = first + 0.5 * wrap(last - first)
            c, s = np.cos(turn), np.sin(turn)
            moved = np.array([c * step[0] + s * step[1], c * step[1] - s * step[0]])
            off = np.hypot(*(target - moved)) / 0.45
        angle = max(abs(wrap(a[3] - one.yaw - turn)), abs(wrap(b[3] - other.yaw - turn)))
        found.append(off + angle)
    return float(np.mean(found))


@cache
def refine_all(name: str, sweeps: int, **options: bool) -> list[FootholdPath]:
    scene, roadmap = choi_roadmap(name)
    return [
        straighten_path(roadmap, scene, path, sweeps, start=start, goal=goal, **options)
        for path, start, goal in paths_of(name)
    ]


@pytest.mark.parametrize("name", SCENES)
def test_no_sweep_makes_any_path_turn_more_change_more_or_cost_more(name):
    moves = choi_table().moves
    before = refine_all(name, 0)
    for sweeps in (1, 2, 3, 4, 8) if THOROUGH else (1, 2, 3, 4):
        after = refine_all(name, sweeps)
        for one, other in zip(before, after, strict=True):
            assert turned(other) <= turned(one) + 1e-9
            assert changed(moves, other) <= changed(moves, one) + 1e-9
            assert other.cost <= one.cost + 1e-9
        before = after


@pytest.mark.parametrize("name", SCENES)
def test_every_one_of_four_sweeps_lowers_turning_and_change_over_all_paths(name):
    moves = choi_table().moves
    measured = [
        (sum(turned(p) for p in some), np.mean([changed(moves, p) for p in some]))
        for some in (refine_all(name, sweeps) for sweeps in range(5))
    ]
    turns, changes = np.array(measured).T
    assert (np.diff(turns) < 0.0).all()
    assert (np.diff(changes) < 0.0).all()
    assert changes[4] <= 0.5 * changes[0] + 0.06
    if name != "room":  # in a room there is furniture to go around, however straight
        straight_enough = np.pi / 3.0 * len(paths_of(name))
        assert turns[4] <= max(turns[0] * 2.0 / 3.0, straight_enough)


@pytest.mark.parametrize("name", SCENES)
def test_after_every_sweep_moves_are_such_that_a_roadmap_would_have(name):
    """The local planner, asked anew, finds every move of a refined path, at the same cost."""
    scene, roadmap = choi_roadmap(name)
    for sweeps in (1, 4):
        for path in refine_all(name, sweeps):
            count = len(path)
            pairs = np.arange(count), np.arange(count)
            feet = np.ascontiguousarray(path.footholds)
            edges = connect(
                roadmap.table,
                scene,
                feet[:-1].copy(),
                feet[1:].copy(),
                pairs,
                many=True,
                sure=roadmap.sure,
            )
            rows = zip(edges.tail.tolist(), edges.move.tolist(), edges.cost, strict=True)
            costs = {(tail, move): cost for tail, move, cost in rows}
            for n, m in enumerate(path.moves.tolist()):
                assert costs[n, m] == pytest.approx(path.costs[n], abs=1e-6)


@pytest.mark.parametrize("name", SCENES)
def test_every_footprint_of_a_refined_path_is_on_valid_ground(name):
    scene, roadmap = choi_roadmap(name)
    ahead = roadmap.moves.sole_ahead
    for path in refine_all(name, 4):
        prints, starts = edge_prints(roadmap.table, path.footholds, path.footholds, path.as_edges())
        base = path.footholds[np.repeat(np.arange(len(path)), np.diff(starts)), 1]
        soles = prints[:, [0, 2, 3]] + 0.0
        soles[:, 0] += ahead * np.sin(prints[:, 3])
        soles[:, 1] += ahead * np.cos(prints[:, 3])
        below = base + prints[:, 1] + 0.45
        # Where a move ends the path itself knows how high that is.
        below[starts[1:] - 1] = path.footholds[1:, 1] + 0.2
        assert foot_placements(scene, soles, roadmap.moves.foot_box, below=below).valid.all()


@pytest.mark.parametrize("name", SCENES)
def test_moves_of_a_refined_path_go_on_in_the_posture_they_left_off(name):
    moves = choi_table().moves
    for path in refine_all(name, 4):
        assert (moves.ends[path.moves[:-1]] == moves.begins[path.moves[1:]]).all()
        assert moves.begins[path.moves[0]] in moves.standing
        assert moves.ends[path.moves[-1]] in moves.standing


def test_each_move_is_exchanged_for_one_of_its_type_where_that_is_asked():
    moves = choi_table().moves
    for (path, _, _), after in zip(
        paths_of("island"), refine_all("island", 4, merge=False, any_posture=False), strict=True
    ):
        assert len(after) == len(path)
        assert (moves.begins[after.moves] == moves.begins[path.moves]).all()
        assert (moves.ends[after.moves] == moves.ends[path.moves]).all()


def test_given_ends_stay_where_they_are_and_open_headings_turn_about_their_place():
    scene, roadmap = choi_roadmap("island")
    stances, moves = stances_of(roadmap.moves), roadmap.moves
    turned_ends = 0
    for path, start, goal in paths_of("island"):
        fixed = straighten_path(roadmap, scene, path)
        np.testing.assert_array_equal(fixed.footholds[[0, -1]], path.footholds[[0, -1]])
        free = straighten_path(roadmap, scene, path, start=start, goal=goal)
        ends = (free.footholds[0], start, moves.begins[free.moves[0]]), (
            free.footholds[-1], goal, moves.ends[free.moves[-1]],
        )  # fmt: skip
        for foot, place, posture in ends:
            left = stances.left[np.flatnonzero(stances.postures == posture)[0]]
            yaw = foot[3] - left[2]
            c, s = np.cos(yaw), np.sin(yaw)
            middle = foot[[0, 2]] - [c * left[0] + s * left[1], c * left[1] - s * left[0]]
            np.testing.assert_allclose(middle, place.point, atol=1e-9)
        turned_ends += abs(free.footholds[0, 3] - path.footholds[0, 3]) > 0.01
        given = replace(start, yaw=0.1)
        held = straighten_path(roadmap, scene, path, start=given, goal=goal)
        np.testing.assert_array_equal(held.footholds[0], path.footholds[0])
    assert turned_ends > 0


def without_longest(name: str) -> list[FootholdPath]:
    """Paths that may not use the longest move of those there are."""
    scene, roadmap = choi_roadmap(name)
    found = []
    for path, start, goal in paths_of(name):
        closed = nothing_closed(roadmap)
        closed = closed.with_move(path, int(np.argmax(roadmap.moves.chord[path.moves])))
        other = find_path(roadmap, scene, start, goal, closed=closed)
        found.append(path if isinstance(other, NoPath) else other)
    return found


def test_footholds_are_left_out_where_one_move_leads_all_the_way_and_nothing_else_is_lost():
    fewer = 0
    for name in SCENES:
        scene, roadmap = choi_roadmap(name)
        for path in without_longest(name):
            merged = straighten_path(roadmap, scene, path, 4)
            assert len(merged) <= len(path)
            assert len(merged) == len(merged.edges) == len(merged.costs)
            assert len(merged) == len(merged.footholds) - 1
            assert set(merged.edges.tolist()) <= set(path.edges.tolist())
            fewer += len(merged) < len(path)
    assert fewer > 0


def test_the_measures_of_a_path_are_those_of_plain_arithmetic():
    _, roadmap = choi_roadmap("room")
    for path, _, _ in paths_of("room"):
        assert zigzag(path) == pytest.approx(turned(path), abs=1e-9)
        mean = path_changes(roadmap.table, path).mean()
        assert mean == pytest.approx(changed(roadmap.moves, path), abs=1e-6)


def _print_differences(
    table: MoveTable, path: FootholdPath, prints: np.ndarray, starts: np.ndarray
) -> float:
    """The squares of how far stops are from where their clips would have them (Fig. 6), summed."""
    rows, _, steps = list_stops(table, path, starts)
    total, short = 0.0, table.moves.size.short_m
    for k in range(1, len(rows) - 1):
        before, at, after = prints[rows[k - 1 : k + 2]]
        x, z, yaw = local_mapping(before, after, steps[k - 1], steps[k], short)
        turn = YAW_M * np.angle(np.exp(1j * (yaw - at[3])))
        total += (x - at[0]) ** 2 + (z - at[2]) ** 2 + turn**2
    return float(total)


@pytest.mark.parametrize("name", SCENES)
def test_smoothing_brings_footprints_nearer_to_where_their_clips_would_have_them(name):
    scene, roadmap = choi_roadmap(name)
    squares = []
    for path in refine_all(name, 4):
        prints, starts = path_prints(roadmap.table, scene, path)
        row = []
        for rounds in (0, 1, 2, 4):
            after, made = smooth_prints(roadmap, scene, path, prints, starts, rounds)
            row.append(_print_differences(roadmap.table, after, made, starts))
        assert (np.diff(row) <= 1e-12).all()
        squares.append(row)
    total = np.sum(squares, axis=0)
    assert (np.diff(total) < 0.0).all()
    assert total[2] < 0.9 * total[0]


@pytest.mark.parametrize("name", SCENES)
def test_smoothing_keeps_the_path_valid_and_makes_it_no_worse(name):
    scene, roadmap = choi_roadmap(name)
    moves, ahead = roadmap.moves, roadmap.moves.sole_ahead
    for path in refine_all(name, 4):
        prints, starts = path_prints(roadmap.table, scene, path)
        after, made = smooth_prints(roadmap, scene, path, prints, starts)
        soles = made[:, [0, 2, 3]]
        soles[:, 0] += ahead * np.sin(made[:, 3])
        soles[:, 1] += ahead * np.cos(made[:, 3])
        found = foot_placements(scene, soles, moves.foot_box, below=made[:, 1] + 0.2)
        assert found.valid.all()
        assert np.abs(found.height - made[:, 1]).max() < 0.02
        assert turned(after) <= turned(path) + 1e-9
        assert changed(moves, after) <= changed(moves, path) + 1e-9
        assert after.cost <= path.cost + 1e-6
        np.testing.assert_array_equal(made[[0, -1]], prints[[0, -1]])
        np.testing.assert_allclose(made[starts[1:-1]], made[starts[1:-1] - 1], atol=1e-5)
        np.testing.assert_allclose(made[starts[1:-1]], after.footholds[1:-1], atol=1e-5)


def filtered(feet: np.ndarray) -> np.ndarray:
    """All inner footholds filtered at once, each from its neighbours as they were."""
    out = feet.copy()
    for j in range(1, len(feet) - 1):
        out[j, [0, 2, 3]] = refine_kernels.filter_foothold(feet, j, len(feet) - 1)
    return out


def walk(rng: np.random.Generator, count: int = 9) -> np.ndarray:
    return np.column_stack([
        rng.normal(size=count), np.zeros(count), np.arange(count), rng.uniform(-0.7, 0.7, count)
    ])  # fmt: skip


def test_footholds_on_a_line_that_turn_at_a_constant_rate_stay_where_they_are():
    line = np.column_stack([
        0.3 * np.arange(9.0), np.zeros(9), 0.8 * np.arange(9.0), -3.0 + 0.6 * np.arange(9.0)
    ])  # fmt: skip
    line[:, 3] = wrap(line[:, 3])
    after = filtered(line)
    np.testing.assert_allclose(after[:, :3], line[:, :3], atol=1e-12)
    np.testing.assert_allclose(wrap(after[:, 3] - line[:, 3]), 0.0, atol=1e-12)


def test_a_zigzag_of_the_highest_frequency_is_gone_after_one_filter():
    feet = np.column_stack([
        0.3 * (-1.0) ** np.arange(9), np.zeros(9), np.arange(9.0), 0.4 * (-1.0) ** np.arange(9)
    ])  # fmt: skip
    after = filtered(feet)
    np.testing.assert_allclose(after[1:-1, 0], 0.0, atol=1e-12)
    np.testing.assert_allclose(after[2:-2, 3], 0.0, atol=1e-12)


def test_the_filter_commutes_with_moving_and_turning_the_whole_path(rng):
    feet = walk(rng)
    c, s = np.cos(2.3), np.sin(2.3)

    def placed(path: np.ndarray) -> np.ndarray:
        x, z = path[:, 0], path[:, 2]
        return np.column_stack(
            [c * x + s * z + 4.0, path[:, 1], c * z - s * x - 1.0, wrap(path[:, 3] + 2.3)]
        )

    one, other = filtered(placed(feet)), placed(filtered(feet))
    np.testing.assert_allclose(one[:, :3], other[:, :3], atol=1e-12)
    np.testing.assert_allclose(wrap(one[:, 3] - other[:, 3]), 0.0, atol=1e-12)


def test_the_filter_weighs_positions_binomially_and_turns_as_equation_8_corrected(rng):
    feet = walk(rng)
    after = filtered(feet)
    for k in (0, 2):
        want = np.convolve(feet[:, k], np.array([1, 4, 6, 4, 1]) / 16.0, "valid")
        np.testing.assert_allclose(after[2:-2, k], want, atol=1e-12)
        edge = feet[[0, 1, 2], k] @ [0.25, 0.5, 0.25]
        assert after[1, k] == pytest.approx(edge, abs=1e-12)
    # Small turns add up, so that filtering them is filtering the angles themselves.
    want = np.convolve(feet[:, 3], np.array([1, 4, 6, 4, 1]) / 16.0, "valid")
    np.testing.assert_allclose(wrap(after[2:-2, 3] - want), 0.0, atol=1e-12)
