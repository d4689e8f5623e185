"""Polylines: held to shapely, and to what their callers rely on."""

from __future__ import annotations

import math

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from footfall.errors import InputError
from footfall.maths.arrays import Floats
from footfall.maths.polyline import (
    EvenPolyline,
    Polyline,
    curvatures,
    directions,
    distances_along,
    prepare_path,
    rounded_corners,
    without_repeats,
)

COORDINATES = st.floats(-50.0, 50.0).map(lambda x: round(x, 3))
CORNERS = hnp.arrays(np.float64, st.tuples(st.integers(2, 12), st.just(2)), elements=COORDINATES)
POINTS = hnp.arrays(np.float64, st.tuples(st.integers(1, 9), st.just(2)), elements=COORDINATES)


def of_length(points: Floats) -> Floats:
    """The points without repeats, and never less than two."""
    kept = without_repeats(points, 1e-3)
    return kept if len(kept) > 1 else np.array([kept[0], kept[0] + [1.0, 2.0]])


@given(CORNERS)
def test_lengths_are_those_of_shapely(points: Floats) -> None:
    line = Polyline(points)
    assert line.length_m == pytest.approx(shapely.LineString(points).length, abs=1e-9)
    assert (np.diff(line.distances) >= 0.0).all()


@given(CORNERS, st.lists(st.floats(0.0, 1.0), min_size=1, max_size=8))
def test_points_along_are_those_of_shapely(points: Floats, shares: list[float]) -> None:
    points = of_length(points)
    line, oracle = Polyline(points), shapely.LineString(points)
    at = np.array(shares) * line.length_m
    expected = shapely.get_coordinates(shapely.line_interpolate_point(oracle, at))
    np.testing.assert_allclose(line.at(at), expected, atol=1e-7)


@given(CORNERS, POINTS)
def test_nearest_points_are_as_near_as_shapelys(points: Floats, others: Floats) -> None:
    line, oracle = Polyline(of_length(points)), shapely.LineString(of_length(points))
    gaps = np.hypot(*(line.at(line.nearest(others)) - others).T)
    np.testing.assert_allclose(gaps, shapely.distance(oracle, shapely.points(others)), atol=1e-7)
    np.testing.assert_allclose(line.gaps(others), gaps, atol=1e-12)


@given(CORNERS, st.floats(0.0, 1.0), st.floats(0.05, 3.0))
def test_a_point_of_the_curve_is_found_again_near_its_hint(
    points: Floats, share: float, off: float
) -> None:
    for line in (Polyline(of_length(points)), Polyline(of_length(points)).resample(0.02)):
        at = np.array([share * line.length_m])
        along = line.nearest(line.at(at), near_m=at + off, within_m=off + 0.05)
        assert np.hypot(*(line.at(along) - line.at(at)).T) < 1e-6
        assert abs(along - at - off) <= off + 0.05 + line.distances[1:].max()


def test_a_hint_parts_the_branches_of_a_crossing() -> None:
    line = Polyline(np.array([[0.0, -5.0], [0.0, 5.0], [5.0, 5.0], [5.0, 0.0], [-5.0, 0.0]]))
    for even in (line, line.resample()):
        first, second = even.nearest([[0.1, 0.1], [0.1, 0.1]], near_m=[5.2, 24.5])
        assert first == pytest.approx(5.1, abs=1e-9)
        assert second == pytest.approx(24.9, abs=1e-9)


def test_beyond_its_ends_a_curve_goes_on_straight() -> None:
    corner = Polyline(np.array([[0.0, 0.0], [0.0, 2.0], [3.0, 2.0]]))
    for line in (corner, corner.resample()):
        np.testing.assert_allclose(line.at([-1.5, 6.0]), [[0.0, -1.5], [4.0, 2.0]], atol=1e-9)
        outside = [[0.3, -1.5], [4.0, 1.0]]
        np.testing.assert_allclose(line.nearest(outside), [0.0, 5.0], atol=1e-9)
        np.testing.assert_allclose(line.nearest(outside, beyond_ends=True), [-1.5, 6.0], atol=1e-9)
        near = line.nearest(outside, near_m=[-1.0, 5.5], beyond_ends=True)
        np.testing.assert_allclose(near, [-1.5, 6.0], atol=1e-9)


@given(CORNERS, st.floats(0.05, 4.0))
def test_even_points_are_evenly_along_the_curve(points: Floats, spacing: float) -> None:
    line = Polyline(of_length(points))
    even = line.resample(spacing)
    assert even.spacing_m <= spacing * (1.0 + 1e-9)
    assert even.length_m == pytest.approx(line.length_m)
    np.testing.assert_allclose(even.points, line.at(even.distances), atol=1e-7)
    np.testing.assert_allclose(even.points[[0, -1]], line.points[[0, -1]], atol=1e-12)


def test_points_too_far_apart_are_no_even_polyline() -> None:
    with pytest.raises(InputError, match="apart"):
        EvenPolyline(np.array([[0.0, 0.0], [0.0, 1.0]]), 0.5)
    with pytest.raises(InputError, match="no length"):
        EvenPolyline(np.zeros((3, 2)), 0.0)


@pytest.mark.parametrize("points", [[[0.0, 0.0]], np.zeros((0, 2)), [[0.0, np.nan], [1.0, 0.0]],
                                    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]])  # fmt: skip
def test_what_is_no_curve_is_refused(points: object) -> None:
    with pytest.raises(InputError):
        Polyline(points)  # type: ignore[arg-type]


@given(st.floats(-3.1, 3.1), st.floats(0.0, 5.0))
def test_the_heading_of_a_straight_line_is_its_yaw(yaw: float, at: float) -> None:
    line = Polyline(np.array([[0.0, 0.0], [5.0 * math.sin(yaw), 5.0 * math.cos(yaw)]]))
    assert line.heading(at) == pytest.approx(yaw, abs=1e-6)
    assert line.resample().heading(at) == pytest.approx(yaw, abs=1e-6)


@pytest.mark.parametrize("left", [1.0, -1.0])
def test_a_circle_has_its_curvature_and_tangents(left: float) -> None:
    turn = np.linspace(0.0, 3.0, 301)
    circle = np.stack([left * (2.0 - 2.0 * np.cos(turn)), 2.0 * np.sin(turn)], axis=1)
    np.testing.assert_allclose(curvatures(circle)[2:-2], 0.5 * left, rtol=1e-3)
    ahead = np.stack([left * np.sin(turn), np.cos(turn)], axis=1)
    np.testing.assert_allclose(directions(circle)[1:-1], ahead[1:-1], atol=1e-9)


def test_where_a_path_rests_it_keeps_its_direction() -> None:
    path = np.array([[0.0, 0.0]] * 4 + [[1.0, 0.0]] * 4 + [[1.0, 1.0]])
    np.testing.assert_allclose(np.hypot(*directions(path).T), 1.0)
    np.testing.assert_allclose(directions(path)[[0, 5]], [[1.0, 0.0]] * 2)


@given(CORNERS, st.floats(0.1, 3.0))
def test_rounded_corners_cut_corners_only(points: Floats, radius: float) -> None:
    points = of_length(points)
    arcs = rounded_corners(points, radius)
    np.testing.assert_allclose(arcs[[0, -1]], points[[0, -1]])
    assert distances_along(arcs)[-1] <= distances_along(points)[-1] + 1e-9
    # A full turn back becomes a half circle, as wide as two radii.
    assert Polyline(points).gaps(arcs).max() <= 2.0 * radius + 1e-9


def test_repeated_points_change_nothing() -> None:
    corners = np.array([[0.0, 0.0], [1.0, 3.0], [4.0, 3.0]])
    again = prepare_path(np.repeat(corners, 3, axis=0))
    np.testing.assert_allclose(again.points, prepare_path(corners).points, atol=1e-9)


def test_a_closed_path_goes_round_as_often_as_asked() -> None:
    square = np.array([[0.0, 0.0], [0.0, 2.0], [2.0, 2.0], [2.0, 0.0]])
    path = prepare_path(square, closed=True, rounds=3)
    assert path.length_m == pytest.approx(24.0)
    np.testing.assert_allclose(path.at([0.0, 8.0, 24.0]), 0.0, atol=1e-9)
    with pytest.raises(InputError, match="one round"):
        prepare_path(square, rounds=2)
