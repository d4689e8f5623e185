"""The beam over walks, against branch and bound, which is exact."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.errors import InputError
from footfall.graph.beam import beam_walk
from footfall.graph.branch_and_bound import GraphPlace, best_walk
from tests.graph.test_branch_and_bound import cost_of, random_line, random_tracks

ORIGIN = (0.0, 0.0, 0.0)


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(1, 10), st.booleans())
def test_a_beam_wide_enough_is_exact(seed: int, frames: int, inside: bool) -> None:
    tracks, line = random_tracks(seed), random_line(seed)
    place = GraphPlace(seed % 5, (0.1, -0.2, 0.7), 0.3)
    if inside:
        place = GraphPlace(-1, place.pose, 0.3, seed % tracks.edges, 0)
    wide = beam_walk(tracks, line, [place], frames, width=10**6, per_node=10**6)
    best = best_walk(tracks, line, place, frames)
    assert wide.found == best.found
    assert wide.cost == pytest.approx(best.cost, rel=1e-9)


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(1, 30), st.integers(1, 20))
def test_a_narrow_beam_is_a_walk_and_never_better_than_the_best(
    seed: int, frames: int, width: int
) -> None:
    tracks, line = random_tracks(seed, longest=4), random_line(seed)
    place = GraphPlace(0, ORIGIN)
    walk = beam_walk(tracks, line, [place], frames, width=width)
    best = best_walk(tracks, line, place, frames)
    if not walk.found:
        return
    edges = walk.edges.tolist()
    assert all(
        tracks.out_start[tracks.edge_to[a]] <= b < tracks.out_start[tracks.edge_to[a] + 1]
        for a, b in itertools.pairwise(edges)
    )
    assert cost_of(tracks, line, place, edges, frames) == pytest.approx(walk.cost, rel=1e-9)
    assert walk.cost >= best.cost * (1.0 - 1e-9)
    again = beam_walk(tracks, line, [place], frames, width=width)
    np.testing.assert_array_equal(walk.edges, again.edges)


@given(st.integers(0, 10**6))
def test_the_best_of_several_beginnings_is_taken(seed: int) -> None:
    tracks, line = random_tracks(seed), random_line(seed)
    places = [GraphPlace(n, (0.1 * n, 0.0, 0.0), 0.05 * n) for n in range(5)]
    walk = beam_walk(tracks, line, places, 8, width=10**6, per_node=10**6)
    costs = [best_walk(tracks, line, place, 8).cost for place in places]
    assert walk.cost == pytest.approx(min(costs), rel=1e-9)
    assert not walk.found or costs[walk.start] == pytest.approx(min(costs), rel=1e-9)


def test_edges_that_cost_are_kept_away_from() -> None:
    tracks, line = random_tracks(7, 4, 16), random_line(7)
    free = beam_walk(tracks, line, [GraphPlace(0, ORIGIN)], 12)
    cost = np.zeros(tracks.edges)
    cost[free.edges] = 1e3
    dear = beam_walk(tracks, line, [GraphPlace(0, ORIGIN)], 12, edge_cost=cost)
    assert np.isin(dear.edges, free.edges).sum() < np.isin(free.edges, free.edges).sum()
    assert dear.cost >= free.cost


@pytest.mark.parametrize("wrong", [{"frames": 0}, {"width": 0}, {"places": []}])
def test_a_beam_of_nothing_is_refused(wrong: dict[str, object]) -> None:
    given = {"frames": 5, "width": 5, "places": [GraphPlace(0, ORIGIN)]} | wrong
    with pytest.raises(InputError):
        beam_walk(random_tracks(1), random_line(1), **given)  # type: ignore[arg-type]


def test_no_walk_is_said() -> None:
    """A node that nothing leaves."""
    tracks = random_tracks(2, nodes=40, edges=5)
    stuck = int(np.flatnonzero(np.diff(tracks.out_start) == 0)[0])
    walk = beam_walk(tracks, random_line(2), [GraphPlace(stuck, ORIGIN)], 5)
    assert not walk.found
    assert walk.cost == math.inf
