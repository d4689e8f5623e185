"""Paths along rough sketches."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from shapely import Point, box

from footfall.errors import InputError
from footfall.world.corridor.corridor_map import build_corridor_map

BOUNDS = box(0, 0, 12, 8)
COLUMN = Point(6, 4).buffer(0.8)
RADIUS = 0.3


def _winding(points: np.ndarray, centre: tuple[float, float]) -> float:
    """Turns that a path makes about a point."""
    angle = np.unwrap(np.arctan2(*(points - np.array(centre)).T[::-1]))
    return float((angle[-1] - angle[0]) / (2 * np.pi))


@pytest.mark.parametrize("side", [-1, 1])
def test_the_path_passes_a_column_on_the_side_that_was_drawn(side: int) -> None:
    sketch = [(1, 4), (6, 4 + 2.5 * side), (11, 4)]
    path = build_corridor_map(BOUNDS, COLUMN).follow(sketch, RADIUS)
    assert path.status == "found"
    assert np.sign(_winding(path.points, (6, 4))) == -side


def test_a_loop_around_a_column_is_kept() -> None:
    turn = np.linspace(np.pi, -np.pi * 1.9, 60)
    loop = np.stack([6 + 1.6 * np.cos(turn), 4 + 1.6 * np.sin(turn)], axis=1)
    sketch = np.concatenate([[(1, 4)], loop, [(11, 5)]])
    path = build_corridor_map(BOUNDS, COLUMN).follow(sketch, RADIUS)
    assert path.status == "found"
    assert abs(_winding(path.points, (6, 4)) - _winding(sketch, (6, 4))) < 0.01


def test_a_sketch_through_obstacles_is_led_around_them() -> None:
    blocked = shapely.unary_union([COLUMN, box(9, 0, 9.1, 5)])
    path = build_corridor_map(BOUNDS, blocked).follow([(1, 4), (11, 4)], RADIUS)
    assert path.status == "found"
    line = shapely.LineString(path.points)
    assert BOUNDS.difference(blocked).boundary.distance(line) >= RADIUS - 1e-6


def test_a_free_sketch_is_followed_and_its_shake_removed() -> None:
    x = np.linspace(1, 11, 400)
    drawn = np.stack([x, 4 + 2 * np.sin(0.6 * x)], axis=1)
    shaken = drawn + np.random.default_rng(1).normal(0, 0.02, drawn.shape)
    path = build_corridor_map(BOUNDS, box(0, 0, 0.1, 0.1)).follow(shaken, RADIUS)
    off = shapely.distance(shapely.LineString(drawn), shapely.points(path.points))
    assert off.max() < 0.25
    assert path.turn_radius_m > 0.5


def test_ends_inside_obstacles_are_pulled_out() -> None:
    path = build_corridor_map(BOUNDS, COLUMN).follow([(6.3, 4.2), (11, 7.95)], RADIUS)
    assert path.status == "found"
    assert path.clearances.min() >= RADIUS - 1e-6
    assert np.linalg.norm(path.points[0] - (6, 4)) < 1.3


def test_a_sketch_into_a_closed_room_is_no_path() -> None:
    ring = Point(6, 4).buffer(2).difference(Point(6, 4).buffer(1.5))
    path = build_corridor_map(BOUNDS, ring).follow([(1, 4), (6, 4)], RADIUS)
    assert path.status == "no path"


@pytest.mark.parametrize("sketch", [[(1, 1)], [(1, 1), (1, 1)], [(1, 1), (np.inf, 2)], [(1, 2, 3)]])
def test_what_is_no_sketch_is_refused(sketch: list[tuple[float, ...]]) -> None:
    with pytest.raises(InputError):
        build_corridor_map(BOUNDS, COLUMN).follow(sketch, RADIUS)
