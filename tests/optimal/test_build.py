"""The phase graph: what every graph promises to those who search it."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.body.kinematics import forward_kinematics
from footfall.library.library import open_library
from footfall.optimal.build import build_phase_graph
from footfall.optimal.model import PhaseGraph


@pytest.fixture(scope="module")
def graph() -> PhaseGraph:
    return build_phase_graph(open_library("default:safonova"))


def yawed(points: np.ndarray, yaw: np.ndarray) -> np.ndarray:
    x, z = points[..., 0], points[..., 2]
    sin, cos = np.sin(yaw)[:, None], np.cos(yaw)[:, None]
    return np.stack([x * cos + z * sin, points[..., 1], z * cos - x * sin], axis=-1)


def test_edges_lead_from_what_touches_to_a_state_before_which_it_touched(graph: PhaseGraph) -> None:
    assert np.array_equal(graph.state_signature[graph.edge_from], graph.state_before[graph.edge_to])


def test_edges_begin_and_end_exactly_in_the_poses_of_their_states(graph: PhaseGraph) -> None:
    states = forward_kinematics(graph.skeleton, graph.state_root, graph.state_rotations).positions
    shown = forward_kinematics(graph.skeleton, graph.frame_root, graph.frame_rotations).positions
    assert np.abs(shown[graph.edge_first[:-1]] - states[graph.edge_from]).max() < 1e-6
    ends = yawed(states[graph.edge_to], graph.edge_move[:, 2])
    ends[..., 0] += graph.edge_move[:, :1]
    ends[..., 1] += graph.edge_rise[:, None]
    ends[..., 2] += graph.edge_move[:, 1:2]
    assert np.abs(shown[graph.edge_first[1:] - 1] - ends).max() < 1e-6


def test_states_are_seen_from_the_ground_below_the_root(graph: PhaseGraph) -> None:
    assert np.abs(graph.state_root[:, [0, 2]]).max() < 1e-9
    facing = 2.0 * np.arctan2(graph.state_rotations[:, 0, 2], graph.state_rotations[:, 0, 0])
    assert np.abs(np.sin(facing)).max() < 0.2


def test_every_state_can_be_reached_from_every_other(graph: PhaseGraph) -> None:
    for tails, heads in (graph.edge_from, graph.edge_to), (graph.edge_to, graph.edge_from):
        reached = np.zeros(len(graph.state_rest), bool)
        reached[0] = True
        while not reached[heads[reached[tails]]].all():
            reached[heads[reached[tails]]] = True
        assert reached.all()


def test_costs_are_positive_and_no_two_edges_are_parallel(graph: PhaseGraph) -> None:
    assert (graph.edge_cost > 0.0).all()
    pairs = np.stack([graph.edge_from, graph.edge_to], axis=1)
    assert len(np.unique(pairs, axis=0)) == len(pairs)


def test_a_motion_may_rest_standing_and_sitting(graph: PhaseGraph) -> None:
    resting = set(graph.state_signature[graph.state_rest].tolist())
    assert {3, 19} <= resting
