"""Culling and merging: what is lost, and what is not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from footfall.library.library import open_library
from footfall.optimal.build import MotionGraph, motion_graph, state_kinds
from footfall.optimal.cull import Paths, best_paths
from footfall.optimal.merge import merge_states, state_clouds
from footfall.papers.safonova_compression import frame_costs


@pytest.fixture(scope="module")
def full() -> MotionGraph:
    library = open_library("default:safonova")
    names = [n for n in library.names if n.startswith(("park_walk_1", "start", "stop", "jump_1"))]
    return motion_graph(list(library.only(names[:24])))


@pytest.fixture(scope="module")
def paths(full: MotionGraph) -> Paths:
    return best_paths(full.phases, full.switches, full.switch_costs, full.effort)


def costs_over_frames(full: MotionGraph) -> np.ndarray:
    """(S, S) the least cost between any two states over all frames and transitions, by scipy."""
    states = full.phases.states
    return np.asarray(dijkstra(frame_costs(full), indices=states)[:, states])


def test_culling_leaves_the_least_cost_between_any_two_states_as_it_was(
    full: MotionGraph, paths: Paths
) -> None:
    count = len(full.phases.states)
    matrix = csr_array((paths.cost, (paths.first, paths.last)), shape=(count, count))
    kept, before = dijkstra(matrix), costs_over_frames(full)
    assert np.array_equal(np.isfinite(kept), np.isfinite(before))
    finite = np.isfinite(before)
    assert np.count_nonzero(finite) > 0.3 * finite.size
    assert np.abs(kept[finite] - before[finite]).max() < 1e-9 * before[finite].max()


def test_one_path_is_kept_for_each_ordered_pair(paths: Paths) -> None:
    pairs = np.stack([paths.first, paths.last], axis=1)
    assert len(np.unique(pairs, axis=0)) == len(pairs)


def test_paths_stay_in_what_touches_and_cost_what_their_pieces_cost(
    full: MotionGraph, paths: Paths
) -> None:
    phases = full.phases
    for n in range(0, len(paths), 97):
        pieces = paths.pieces[paths.piece_start[n] : paths.piece_start[n + 1]]
        shown = np.concatenate([np.arange(a, b + 1) for a, b in pieces])
        touching = phases.signature[phases.states[paths.first[n]]]
        assert (phases.signature[shown] == touching).all()
        assert pieces[0, 0] == phases.states[paths.first[n]]
        end = phases.states[paths.last[n]]
        at_rest = bool(phases.rest[paths.last[n]])
        assert pieces[-1, 1] == (end if at_rest else end - 1)
        work = sum(float(full.effort[a:b].sum()) for a, b in pieces)
        work += 0.0 if at_rest else float(full.effort[end - 1])
        assert paths.cost[n] == pytest.approx(work + paths.transition[n], rel=1e-9)


def test_merged_states_are_alike_all_of_them_with_all(full: MotionGraph) -> None:
    phases = full.phases
    kinds = state_kinds(phases, full.footing)
    stands_for = merge_states(phases, kinds, 0.08)
    clouds = state_clouds(phases, phases.states)
    assert len(np.unique(stands_for)) < 0.6 * len(stands_for)
    for state in np.unique(stands_for):
        members = np.flatnonzero(stands_for == state)
        assert (kinds[members] == kinds[state]).all()
        gaps = clouds[members][:, None] - clouds[members][None]
        assert np.linalg.norm(gaps, axis=-1).max() <= 0.08 + 1e-9


def test_the_most_similar_states_are_merged_first(full: MotionGraph) -> None:
    kinds = state_kinds(full.phases, full.footing)
    few = merge_states(full.phases, kinds, 0.03)
    more = merge_states(full.phases, kinds, 0.08)
    together = few[:, None] == few[None]
    assert ((more[:, None] == more[None]) | ~together).all()
