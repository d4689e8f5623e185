"""Feet of plans, seen in the written file by a finder that shares nothing with what holds them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from bench.limits.feet import GENEROUS_M_S, STRICT_M_S, read_written, stands

from footfall import Follow, GoTo, Place, Query, load_scene, planner, save

PATHS = {
    "straight": [[0.0, 0.0], [0.0, 6.0]],
    "u_turn": [[0.0, 0.0], [0.0, 5.0], [0.05, 5.0], [0.05, 0.0]],
    "curve": [[0.0, 0.0], [0.0, 2.0], [1.0, 4.0], [3.0, 5.0], [6.0, 5.0]],
    "short": [[0.0, 0.0], [0.0, 1.0]],
}


@pytest.fixture(scope="module", params=["graph", "blending"])
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Files of plans along paths and through a room."""
    folder = tmp_path_factory.mktemp(request.param)
    queries = {name: Query(stages=Follow(np.array(path))) for name, path in PATHS.items()}
    room = load_scene("room")
    asked = room.queries[0]
    queries["room"] = Query(
        Place(asked.start.x, asked.start.z, asked.start.yaw), GoTo(asked.goal.x, asked.goal.z),
        scene=room,
    )  # fmt: skip
    stays = planner(request.param)
    files = []
    for name, query in queries.items():
        clip = stays.plan(query).clip
        assert clip is not None
        files.append(save(clip, folder / f"{name}.bvh"))
    return files


def drifts(files: list[Path], point: str, slow_m_s: float) -> list[float]:
    return [
        stand.mm
        for file in files
        for stand in stands(read_written(file), slow_m_s)
        if stand.point.endswith(point)
    ]


# Heels go ahead a little while they come up.
@pytest.mark.parametrize(("point", "most_mm"), [("heel", 2.5), ("ball", 2.0)])
def test_feet_that_are_seen_to_stand_do(written: list[Path], point: str, most_mm: float) -> None:
    found = drifts(written, point, STRICT_M_S)
    assert len(found) > 40
    assert np.percentile(found, 95.0) < most_mm


def test_feet_do_not_creep_before_they_leave_or_after_they_land(written: list[Path]) -> None:
    found = drifts(written, "ball", GENEROUS_M_S)
    assert np.median(found) < 2.0
    assert np.percentile(found, 95.0) < 9.0
