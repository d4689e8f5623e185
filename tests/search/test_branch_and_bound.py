"""Branch and bound over walks, against trying every walk."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.errors import InputError
from footfall.maths import planar
from footfall.maths.polyline import EvenPolyline
from footfall.search.branch_and_bound import (
    GraphPlace,
    Tracks,
    best_walk,
    keep_walk,
    line_arrays,
    start_walks,
    tracks_of,
)
from tests.sweeps import examples

SPACING_M = 0.05


def random_tracks(
    seed: int, nodes: int = 5, edges: int = 11, longest: int = 6, bound_frames: int = 48
) -> Tracks:
    """A random graph; every node but perhaps a few can be left."""
    rng = np.random.default_rng(seed)
    from_ = np.sort(rng.integers(0, nodes, edges))
    counts = rng.integers(1, longest + 1, edges)
    start = np.concatenate([[0], np.cumsum(counts)])
    points = rng.normal(0.0, 0.3, (start[-1], 2))
    steps = rng.uniform(0.002, 0.2, start[-1])
    change = rng.normal(0.0, 1.0, (edges, 3)) * np.array([0.3, 0.3, 0.8])
    to = rng.integers(0, nodes, edges)
    return tracks_of(from_, to, start, points, steps, change, nodes, bound_frames)


def random_line(seed: int, samples: int = 60) -> EvenPolyline:
    rng = np.random.default_rng(seed + 1000)
    turn = np.cumsum(rng.normal(0.0, 0.3, samples))
    points = np.cumsum(SPACING_M * np.stack([np.sin(turn), np.cos(turn)], axis=1), axis=0)
    return EvenPolyline(points, SPACING_M)


def line_at(line: EvenPolyline, way: float) -> np.ndarray:
    place = way / line.spacing_m
    k = min(max(math.floor(place), 0), len(line.points) - 2)
    return line.points[k] + (place - k) * (line.points[k + 1] - line.points[k])


def cost_of(
    tracks: Tracks, line: EvenPolyline, place: GraphPlace, edges: list[int], frames: int
) -> float:
    """The cost of a walk, one frame after the other, by the definition."""
    total, pose, way, inside, played = 0.0, np.array(place.pose), place.way_m, place.inside, 0
    for edge in edges:
        first, stop = tracks.edge_start[edge] + inside, tracks.edge_start[edge + 1]
        for i in range(first, stop):
            if played == frames:
                return total
            way += tracks.way[i] - (tracks.way[i - 1] if i > tracks.edge_start[edge] else 0.0)
            off = planar.apply_to_ground(pose, tracks.points[i]) - line_at(line, way)
            total, played = total + float(off @ off), played + 1
        x, z, cosine, sine = tracks.change[edge]
        pose = planar.compose(pose, [x, z, math.atan2(sine, cosine)])
        inside = 0
    return total


def every_walk(tracks: Tracks, place: GraphPlace, frames: int) -> list[list[int]]:
    done, open_ = [], [([], place.node, 0)]
    if place.edge >= 0:
        left = tracks.edge_start[place.edge + 1] - tracks.edge_start[place.edge] - place.inside
        open_ = [([place.edge], int(tracks.edge_to[place.edge]), int(left))]
    while open_:
        edges, node, played = open_.pop()
        if played >= frames:
            done.append(edges)
            continue
        for edge in range(tracks.out_start[node], tracks.out_start[node + 1]):
            count = int(tracks.edge_start[edge + 1] - tracks.edge_start[edge])
            open_.append(([*edges, edge], int(tracks.edge_to[edge]), played + count))
    return done


@examples(100)
@given(st.integers(0, 10**6), st.integers(1, 12), st.booleans(), st.sampled_from([0, 3, 48]))
def test_the_best_walk_is_the_best_of_all_walks(
    seed: int, frames: int, inside: bool, bound_frames: int
) -> None:
    tracks, line = random_tracks(seed, bound_frames=bound_frames), random_line(seed)
    place = GraphPlace(seed % 5, (0.1, -0.2, 0.7), 0.3)
    if inside:
        edge = seed % tracks.edges
        played = seed % int(tracks.edge_start[edge + 1] - tracks.edge_start[edge])
        place = replace(place, edge=edge, inside=played)
    found = best_walk(tracks, line, place, frames)
    costs = [cost_of(tracks, line, place, w, frames) for w in every_walk(tracks, place, frames)]
    if not costs:
        assert not found.found
        assert found.cost == math.inf
        return
    assert found.cost == pytest.approx(min(costs), rel=1e-9)
    assert cost_of(tracks, line, place, found.edges.tolist(), frames) == pytest.approx(found.cost)
    assert not found.capped


@examples(40)
@given(st.integers(0, 10**6))
def test_the_bound_is_never_more_than_the_truth(seed: int) -> None:
    tracks, line = random_tracks(seed), random_line(seed)
    from footfall.search.branch_kernels import rest_bound

    rng = np.random.default_rng(seed)
    x, z, yaw, way = rng.normal(size=4)
    for node in range(tracks.nodes):
        place = GraphPlace(node, (x, z, yaw), abs(way))
        walks = every_walk(tracks, place, 7)
        costs = [cost_of(tracks, line, place, w, 7) for w in walks]
        walk = start_walks([place]).view(np.recarray)[0]
        bound = rest_bound(tracks.reach, node, 7, walk, line_arrays(line), math.inf)
        assert bound <= min(costs, default=math.inf)


def test_the_bound_saves_work() -> None:
    line, origin = random_line(3), GraphPlace(0, (0, 0, 0))
    opened = [
        best_walk(random_tracks(3, 8, 24, bound_frames=frames), line, origin, 20).opened
        for frames in (0, 48)
    ]
    assert opened[1] < opened[0]


@given(st.integers(0, 10**6))
def test_looking_further_ahead_never_costs_more(seed: int) -> None:
    """Of walks of 12 frames, searched 1, 2, 3, … frames at a time, one search of 12 is best."""
    tracks, line = random_tracks(seed), random_line(seed)
    whole = best_walk(tracks, line, GraphPlace(0, (0.0, 0.0, 0.0)), 12)
    if not whole.found:
        return
    for frames in (1, 2, 3, 4, 6):
        place, total = GraphPlace(0, (0.0, 0.0, 0.0)), 0.0
        for _ in range(12 // frames):
            part = best_walk(tracks, line, place, frames)
            total += part.cost
            if not part.found:
                break
            place = keep_walk(tracks, place, part.edges, frames, at_node=False).place
        assert whole.cost <= total + 1e-9


@given(st.integers(0, 10**6), st.integers(1, 11))
def test_keeping_part_of_a_walk_and_going_on_gives_the_same_frames(seed: int, keep: int) -> None:
    tracks, line = random_tracks(seed), random_line(seed)
    start = GraphPlace(0, (0.3, 0.2, 0.1), 0.1)
    whole = best_walk(tracks, line, start, 12)
    if not whole.found:
        return
    kept = keep_walk(tracks, start, whole.edges, keep, at_node=False)
    assert int((kept.stop - kept.begin).sum()) == keep
    rest = best_walk(tracks, line, kept.place, 12 - keep)
    before = cost_of(tracks, line, start, kept.edges.tolist(), keep)
    assert before + rest.cost == pytest.approx(whole.cost, rel=1e-9)


@given(st.integers(0, 10**6), st.integers(1, 11))
def test_keeping_up_to_a_node_ends_at_a_node(seed: int, keep: int) -> None:
    tracks, line = random_tracks(seed), random_line(seed)
    whole = best_walk(tracks, line, GraphPlace(0, (0.0, 0.0, 0.0)), 12)
    if not whole.found:
        return
    kept = keep_walk(tracks, GraphPlace(0, (0.0, 0.0, 0.0)), whole.edges, keep, at_node=True)
    counts = kept.stop - kept.begin
    assert kept.place.edge == -1
    assert kept.place.node == tracks.edge_to[kept.edges[-1]]
    assert counts.sum() >= keep > counts[:-1].sum()


def test_equal_walks_are_told_apart_the_same_way_each_time() -> None:
    points = np.zeros((4, 2))
    tracks = tracks_of(
        np.zeros(4, np.int32), np.zeros(4, np.int32), np.arange(5), points, np.full(4, 0.1),
        np.zeros((4, 3)), 1,
    )  # fmt: skip
    line = EvenPolyline(np.stack([np.zeros(50), SPACING_M * np.arange(50)], axis=1), SPACING_M)
    walk = best_walk(tracks, line, GraphPlace(0, (0.0, 0.0, 0.0)), 5)
    assert walk.edges.tolist() == [0, 0, 0, 0, 0]


def test_a_capped_search_says_so_and_gives_the_best_it_saw() -> None:
    tracks = random_tracks(5, nodes=12, edges=60, longest=2, bound_frames=0)
    line = random_line(5)
    free = best_walk(tracks, line, GraphPlace(0, (0.0, 0.0, 0.0)), 16, cap=10**6)
    capped = best_walk(tracks, line, GraphPlace(0, (0.0, 0.0, 0.0)), 16, cap=40)
    assert capped.capped
    assert capped.opened == 40
    assert capped.found
    assert capped.cost >= free.cost


def test_a_hopeless_search_ends_at_the_cap() -> None:
    """All walks alike and nothing to cut by: 3^200 of them."""
    tracks = tracks_of(
        np.zeros(3, np.int32), np.zeros(3, np.int32), np.arange(4), np.ones((3, 2)),
        np.zeros(3), np.zeros((3, 3)), 1, 0,
    )  # fmt: skip
    far = EvenPolyline(np.array([[1e3, 0.0], [1e3, 0.05]]), SPACING_M)
    walk = best_walk(tracks, far, GraphPlace(0, (0.0, 0.0, 0.0)), 200, cap=5000)
    assert walk.found
    assert walk.opened <= 5000


@pytest.mark.parametrize(
    ("points", "spacing"),
    [([[0.0, 0.0]], 0.1), ([[0.0, 0.0], [0.0, 1.0]], 0.1), ([[0, 0], [0, 0.1]], math.nan)],
)
def test_a_line_that_is_none_is_refused(points: list[list[float]], spacing: float) -> None:
    with pytest.raises(InputError):
        EvenPolyline(np.array(points), spacing)


def test_an_edge_without_frames_is_refused() -> None:
    with pytest.raises(InputError, match="plays no frame"):
        tracks_of(
            np.zeros(1, np.int32), np.zeros(1, np.int32), np.array([0, 0]), np.zeros((0, 2)),
            np.zeros(0), np.zeros((1, 3)), 1,
        )  # fmt: skip
