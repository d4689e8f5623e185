"""Phase graphs of real clips keep the same promises."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from footfall.body.kinematics import forward_kinematics
from footfall.library.library import open_library
from footfall.optimal.build import Compression, compress_library


@pytest.fixture(scope="module", params=["accad_male1", "cmu"])
def compression(request: pytest.FixtureRequest, mocap: Path) -> Compression:
    return compress_library(open_library(mocap / request.param))


def test_real_walks_are_joined_with_all_that_can_be_reached(compression: Compression) -> None:
    some, count = compression.tags["walk"]
    assert some >= 0.8 * count
    graph = compression.graph
    assert graph.state_rest.any()
    assert len(graph.edge_cost) < 12 * len(graph.state_rest)


def test_real_feet_stay_where_they_stand(compression: Compression) -> None:
    """On one foot the ankle of a sole that is not turned does not move either."""
    graph = compression.graph
    world = forward_kinematics(graph.skeleton, graph.frame_root, graph.frame_rotations)
    slips = []
    for bit, name in ((1, "left"), (2, "right")):
        ankle = graph.skeleton.role(f"{name}_ankle")
        for edge in np.flatnonzero(graph.state_signature[graph.edge_from] == bit):
            a, b = graph.edge_first[edge : edge + 2]
            sole = world.rotations[a:b, ankle]
            still = np.abs(np.einsum("ti,ti->t", sole[1:], sole[:-1])) > np.cos(np.radians(0.1))
            moved = np.linalg.norm(np.diff(world.positions[a:b, ankle], axis=0), axis=1)
            slips.append(moved[still])
    assert len(np.concatenate(slips)) > 100
    assert np.percentile(np.concatenate(slips), 95) < 5e-4
    # Recorded feet slide now and then while nothing else carries the body.
    assert np.percentile(np.concatenate(slips), 99) < 2e-3


def test_real_edges_begin_and_end_in_the_poses_of_their_states(compression: Compression) -> None:
    graph = compression.graph
    first = graph.edge_first[:-1]
    turned = np.einsum(
        "eji,eji->ej", graph.frame_rotations[first], graph.state_rotations[graph.edge_from]
    )
    assert np.abs(np.abs(turned) - 1.0).max() < 1e-9
    assert np.abs(graph.frame_root[first] - graph.state_root[graph.edge_from]).max() < 1e-6
