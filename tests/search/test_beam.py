"""The beam over walks, against branch and bound, which is exact."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.errors import InputError
from footfall.search import beam
from footfall.search.beam import WalkCosts, played_by
from footfall.search.branch_and_bound import GraphPlace, Tracks, best_walk, keep_walk
from tests.search.test_branch_and_bound import cost_of, random_line, random_tracks
from tests.sweeps import examples

ORIGIN = (0.0, 0.0, 0.0)


def free_walks(tracks: Tracks) -> WalkCosts:
    """The costs of walks that cost nothing but their distances."""
    sources = np.tile(np.array([-1, 0, 0], np.int32), (tracks.edges, 1))
    return WalkCosts(np.zeros(tracks.edges), np.zeros(len(tracks.way)), sources)


def beam_walk(tracks, line, places, frames, costs=None, **options):  # type: ignore[no-untyped-def]
    return beam.beam_walk(tracks, line, places, frames, costs or free_walks(tracks), **options)


@examples(60)
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


@examples(60)
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


def test_a_beam_that_runs_out_of_memory_gets_more(monkeypatch: pytest.MonkeyPatch) -> None:
    tracks, line = random_tracks(3), random_line(3)
    place = GraphPlace(0, ORIGIN, 0.0)
    usual = beam_walk(tracks, line, [place], 60, width=400, per_node=400)
    monkeypatch.setattr(beam, "MOST_ROWS", 2)
    beam._free_memory.clear()
    for _ in range(5):  # memory that is read after its end need not crash the first time
        grown = beam_walk(tracks, line, [place], 60, width=400, per_node=400)
        assert (grown.cost, grown.edges.tolist()) == (usual.cost, usual.edges.tolist())


def test_edges_that_cost_are_kept_away_from() -> None:
    tracks, line = random_tracks(7, 4, 16), random_line(7)
    free = beam_walk(tracks, line, [GraphPlace(0, ORIGIN)], 12)
    cost = np.zeros(tracks.edges)
    cost[free.edges] = 1e3
    dear = beam_walk(
        tracks, line, [GraphPlace(0, ORIGIN)], 12, costs=free_walks(tracks)._replace(edge=cost)
    )
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


# ---- what walks cost beside their distances ---------------------------------------------


def random_costs(seed: int, tracks: Tracks) -> WalkCosts:
    """Costs of all kinds over a graph whose nodes are frames of one long clip, 6 frames apart."""
    rng = np.random.default_rng(seed + 77)
    node_of = np.repeat(np.arange(tracks.nodes), np.diff(tracks.out_start))
    passes = rng.random(tracks.edges) < 0.5
    enters = 6 * tracks.edge_to
    counts = np.diff(tracks.edge_start)
    sources = np.stack(
        [np.where(passes, 6 * node_of + 1, -1), np.where(passes, enters - 2, 6 * node_of), enters],
        axis=1,
    )
    sources[:, 2] = np.where(passes, enters, 6 * node_of + counts)
    frame = np.concatenate([np.cumsum(rng.random(n)) for n in counts])
    return WalkCosts(
        rng.random(tracks.edges), 0.01 * frame, sources.astype(np.int32),
        again=0.05, memory=12, short=0.3, shortest=7,
    )  # fmt: skip


def wishes_cost(tracks: Tracks, costs: WalkCosts, edges: list[int], frames: int) -> float:
    """What a walk costs beside its distances, one edge after the other, by the definition."""
    total, at = 0.0, 0
    first, began = -1, -(10**6)
    ended: list[tuple[int, int, int]] = []
    for edge in edges:
        start, stop = int(tracks.edge_start[edge]), int(tracks.edge_start[edge + 1])
        count = min(stop - start, frames - at)
        leaves, opens, enters = costs.sources[edge].tolist()
        played = set(range(opens, enters))
        total += costs.edge[edge] + costs.frame[start + count - 1]
        before = [(set(range(a, b))) for a, b, end in ended if end > at - costs.memory]
        if leaves >= 0 and first >= 0:
            total += costs.short * max(0.0, 1.0 - (at - began) / costs.shortest)
            before.append(set(range(first, leaves)))
        if first >= 0:
            total += costs.again * sum(len(played & past) for past in before)
        at += count
        if leaves >= 0:
            if first >= 0:
                ended.append((first, leaves, at - count))
            first, began = opens, at
        elif first < 0:
            first = opens
    return total


@examples(60)
@given(st.integers(0, 10**6), st.integers(1, 40))
def test_a_walk_costs_what_its_edges_frames_and_repetitions_do(seed: int, frames: int) -> None:
    tracks, line = random_tracks(seed, longest=4), random_line(seed)
    costs, place = random_costs(seed, tracks), GraphPlace(0, ORIGIN)
    walk = beam_walk(tracks, line, [place], frames, costs=costs, width=20)
    if walk.found:
        edges = walk.edges.tolist()
        off = cost_of(tracks, line, place, edges, frames)
        beside = wishes_cost(tracks, costs, edges, frames)
        assert walk.cost == pytest.approx(off + beside, rel=1e-9)


@examples(60)
@given(st.integers(0, 10**6), st.integers(2, 30), st.booleans())
def test_a_walk_that_goes_on_remembers_what_it_played(
    seed: int, frames: int, at_node: bool
) -> None:
    """A search cut in two costs what the whole walk does."""
    tracks, line = random_tracks(seed, longest=4), random_line(seed)
    costs, place = random_costs(seed, tracks), GraphPlace(0, ORIGIN)
    walk = beam_walk(tracks, line, [place], frames, costs=costs, width=20)
    if not walk.found:
        return
    kept = keep_walk(tracks, place, walk.edges, frames, at_node)
    counts = kept.stop - kept.begin
    played = played_by(kept.edges, counts, costs)
    more = beam_walk(tracks, line, [kept.place], 9, costs=costs, played=played, width=20)
    if not more.found:
        return
    held = kept.place.edge >= 0
    edges = [*kept.edges.tolist(), *more.edges.tolist()[1 if held else 0 :]]
    whole = int(counts.sum()) + 9
    all_of_it = wishes_cost(tracks, costs, edges, whole)
    first = wishes_cost(tracks, costs, kept.edges.tolist(), int(counts.sum()))
    off = cost_of(tracks, line, place, edges, whole)
    off -= cost_of(tracks, line, place, kept.edges.tolist(), int(counts.sum()))
    assert more.cost == pytest.approx(off + all_of_it - first, rel=1e-6, abs=1e-9)
