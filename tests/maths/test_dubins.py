"""Paths that turn back on themselves are led round loops; all others stay as they are."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.files.scene.read import load_scene
from footfall.maths.dubins import loop_hairpins, shortest_turning_path
from footfall.maths.polyline import Polyline, prepare_path
from tests.sweeps import examples

RADIUS = 0.45
HAIRPINS = [
    [[0.0, 0.0], [0.0, 5.0], [0.05, 5.0], [0.05, 0.0]],
    [[0.0, 0.0], [0.0, 5.0], [0.0, 0.0]],
    [[0.0, 0.0], [0.0, 5.0], [2.0, 1.0]],
    [[0.0, 0.0], [4.0, 3.0], [0.3, 0.0], [4.0, 2.0]],
]
poses = st.tuples(st.floats(-4, 4), st.floats(-4, 4), st.floats(-math.pi, math.pi))


def turns(points: np.ndarray) -> np.ndarray:
    """(N-2,) by how much a line through points turns at each of them, radians a metre."""
    legs = np.diff(points, axis=0)
    ahead = np.arctan2(legs[:, 0], legs[:, 1])
    step = np.arctan2(np.sin(np.diff(ahead)), np.cos(np.diff(ahead)))
    return np.abs(step) / np.maximum(np.hypot(*legs[1:].T), 1e-9)


@examples(150)
@given(poses, poses, st.floats(0.2, 2.0))
def test_a_turning_path_leads_from_pose_to_pose(begin, end, radius) -> None:
    points = shortest_turning_path(begin, end, radius)
    np.testing.assert_allclose(points[0], begin[:2], atol=1e-9)
    np.testing.assert_allclose(points[-1], end[:2], atol=1e-6)
    straight = math.hypot(end[0] - begin[0], end[1] - begin[1])
    length = np.hypot(*np.diff(points, axis=0).T).sum()
    assert straight * 0.999 - 1e-9 <= length <= straight + 8.0 * math.pi * radius
    if len(points) > 40:
        for yaw, leg in ((begin[2], points[2] - points[0]), (end[2], points[-1] - points[-3])):
            assert abs(math.remainder(math.atan2(leg[0], leg[1]) - yaw, math.tau)) < 0.15


@pytest.mark.parametrize("points", HAIRPINS)
def test_a_hairpin_becomes_a_loop_near_it(points) -> None:
    line = prepare_path(points)
    looped = loop_hairpins(line, RADIUS)
    assert looped is not line
    np.testing.assert_allclose(looped.points[[0, -1]], line.points[[0, -1]], atol=1e-9)
    assert line.gaps(looped.points).max() < 1.1 * RADIUS
    assert Polyline(looped.points).gaps(line.points).max() < 1.1 * RADIUS
    # Every 5 cm of it, so that the corners of single centimetres do not count.
    assert turns(looped.points[::5]).max() < 1.25 / RADIUS


def test_other_paths_stay_as_they_are() -> None:
    for scene in ("paths", "zigzag"):
        for path in load_scene(scene).paths:
            line = prepare_path(path.points)
            assert loop_hairpins(line, RADIUS) is line
    too_short = prepare_path([[0.0, 0.0], [0.0, 0.6], [0.1, 0.0]])
    assert loop_hairpins(too_short, RADIUS) is too_short
