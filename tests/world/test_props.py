"""Prisms are closed bodies of the volume that their polygon and height say."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from footfall.world.obstacles import is_closed
from footfall.world.props import extrude, triangulate
from tests.sweeps import examples


def _volume(vertices, triangles):
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    return float((a * np.cross(b, c)).sum()) / 6.0


def _star(seed: int, collinear: bool) -> np.ndarray:
    """A star-shaped polygon, with points in the middle of some edges if asked for."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(3, 30))
    angles = np.sort(rng.uniform(0, 2 * np.pi, count))
    angles = np.linspace(0, 2 * np.pi, count, endpoint=False) + 0.1 * angles / count
    ring = rng.uniform(0.3, 3.0, (count, 1)) * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    if collinear:
        middle = 0.5 * (ring + np.roll(ring, -1, axis=0))
        ring = np.stack([ring, middle], axis=1).reshape(-1, 2)
    return ring[:: 1 if rng.random() < 0.5 else -1]


@examples(150)
@given(seed=st.integers(0, 10_000), collinear=st.booleans())
def test_prisms_are_closed_and_hold_the_area_times_the_height(seed, collinear):
    ring = _star(seed, collinear)
    polygon = shapely.Polygon(ring)
    if not polygon.is_valid:
        return
    vertices, triangles = extrude(ring, 0.7)
    assert is_closed(triangles)
    assert _volume(vertices, triangles) == pytest.approx(0.7 * polygon.area)


def test_a_square_with_points_on_its_edges_is_covered_by_triangles_without_gaps():
    ring = np.array([[0, 0], [1, 0], [2, 0], [2, 1], [2, 2], [1, 2], [0, 2], [0, 1]], dtype=float)
    faces = triangulate(ring)
    assert len(faces) == 6
    assert set(faces.ravel().tolist()) == set(range(8))
