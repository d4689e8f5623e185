"""Phase graphs of real clips keep the same promises."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from footfall.library.library import open_library
from footfall.optimal.build import Compression, compress_library
from tests.optimal.soles import sole_slips

SOME = ("B3_Walk", "B1_StandToWalk", "B2_WalkToStand", "B10_WalkTurnLeft45", "B13_WalkTurnRight45",
        "B22_SideStepLeft", "C03_Run", "C05_WalkToRun", "C04_RunToWalk")  # fmt: skip
LIBRARIES = [
    "some of accad_male1",
    *(pytest.param(name, marks=pytest.mark.thorough) for name in ("accad_male1", "cmu")),
]
"""A part of one of one performer, the whole of it, and one of many with four times the frames."""


@pytest.fixture(scope="module", params=LIBRARIES)
def compression(request: pytest.FixtureRequest, mocap: Path) -> Compression:
    library = open_library(mocap / request.param.split()[-1])
    if request.param.startswith("some"):
        library = library.only([f"Male1_{name}" for name in SOME])
    return compress_library(library)


def test_real_walks_are_joined_with_all_that_can_be_reached(compression: Compression) -> None:
    some, count = compression.tags["walk"]
    assert some >= 0.8 * count
    graph = compression.graph
    assert graph.state_rest.any()
    assert len(graph.edge_cost) < 12 * len(graph.state_rest)


def test_real_feet_stay_where_they_stand(compression: Compression) -> None:
    slips = np.concatenate([sole_slips(compression.graph, side) for side in ("left", "right")])
    assert np.percentile(slips, 90) < 5e-4
    # Feet that roll off over their tips give way a little where unlike steps are blended.
    assert np.percentile(slips, 97) < 3e-3


def test_real_edges_begin_and_end_in_the_poses_of_their_states(compression: Compression) -> None:
    graph = compression.graph
    first = graph.edge_first[:-1]
    turned = np.einsum(
        "eji,eji->ej", graph.frame_rotations[first], graph.state_rotations[graph.edge_from]
    )
    assert np.abs(np.abs(turned) - 1.0).max() < 1e-9
    assert np.abs(graph.frame_root[first] - graph.state_root[graph.edge_from]).max() < 1e-6
