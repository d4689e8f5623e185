"""Projection, checked against pinhole maths written out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.errors import InputError
from footfall.render.camera import Camera, fit_camera, look_at, orthographic

coordinate = st.floats(-20.0, 20.0)
point = st.tuples(coordinate, coordinate, coordinate).map(np.array)
size = st.tuples(st.integers(20, 900), st.integers(20, 900))


def camera_of(eye: np.ndarray, target: np.ndarray, perspective: bool) -> Camera:
    if perspective:
        return look_at(eye, target, field_of_view=0.7)
    return orthographic(eye, target - eye, height=3.0)


def test_a_point_on_the_axis_is_in_the_middle_of_the_picture() -> None:
    camera = look_at((1.0, 2.0, 3.0), (4.0, 1.0, -2.0), field_of_view=0.5)
    x, y, depth = camera.project([[4.0, 1.0, -2.0]], (640, 480))[0]
    assert (x, y) == pytest.approx((320.0, 240.0))
    assert depth == pytest.approx(math.sqrt(9 + 1 + 25))


def test_perspective_matches_the_pinhole_formula() -> None:
    # Looking along -z from the origin: x to the right, y up, focal length h / (2 tan(fov/2)).
    camera = look_at((0, 0, 0), (0, 0, -1), field_of_view=math.radians(60))
    focal = 480 / (2 * math.tan(math.radians(30)))
    x, y, depth = camera.project([[0.7, 0.4, -2.5]], (640, 480))[0]
    assert x == pytest.approx(320 + focal * 0.7 / 2.5)
    assert y == pytest.approx(240 - focal * 0.4 / 2.5)
    assert depth == pytest.approx(2.5)


def test_without_perspective_a_metre_is_as_large_anywhere() -> None:
    camera = orthographic((0, 0, 0), (0, 0, -1), height=4.0)
    near, far = camera.project([[1.0, 0.5, 5.0], [1.0, 0.5, -50.0]], (200, 100))
    assert near[:2] == pytest.approx([100 + 25, 50 - 12.5])
    assert far[:2] == pytest.approx(near[:2])
    assert far[2] - near[2] == pytest.approx(55.0)


def test_points_behind_the_eye_are_not_projected() -> None:
    camera = look_at((0, 0, 0), (0, 0, -1), field_of_view=1.0)
    assert np.isnan(camera.project([[0.0, 0.0, 1.0]], (10, 10))[0, :2]).all()


@given(eye=point, target=point, seen=point, size=size, perspective=st.booleans())
def test_rays_lead_back_to_the_projected_point(eye, target, seen, size, perspective) -> None:
    if np.linalg.norm(target - eye) < 0.1:
        target = eye + np.array([0.0, 0.0, 1.0])
    camera = camera_of(eye, target, perspective)
    x, y, depth = camera.project(seen[None], size)[0]
    if not math.isfinite(x) or (perspective and depth < 1e-3):
        return
    o, ox, oy, s, sx, sy = camera.rays(size)
    back = o + x * ox + y * oy + depth * (s + x * sx + y * sy)
    assert back == pytest.approx(seen, abs=1e-6 * max(1.0, abs(x), abs(y)))


@given(
    points=st.lists(point, min_size=1, max_size=12).map(np.array),
    direction=point.filter(lambda v: np.linalg.norm(v) > 0.1),
    size=size,
)
def test_a_fitted_camera_sees_every_point_inside_its_margins(points, direction, size) -> None:
    camera = fit_camera(points, direction, size=size, field_of_view=0.6, margin=0.05)
    seen = camera.project(points, size)
    free = 0.05 * min(size) - 1e-3 * max(size)
    assert (seen[:, 0] >= free).all()
    assert (seen[:, 0] <= size[0] - free).all()
    assert (seen[:, 1] >= free).all()
    assert (seen[:, 1] <= size[1] - free).all()


def test_a_fitted_camera_is_as_near_as_it_can_be() -> None:
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    seen = fit_camera(
        corners, (0.3, -0.4, -1.0), size=(400, 300), field_of_view=0.5, margin=0.1
    ).project(corners, (400, 300))
    assert seen[:, 1].min() == pytest.approx(30.0, abs=0.5)
    assert seen[:, 1].max() == pytest.approx(270.0, abs=0.5)


@pytest.mark.parametrize("field_of_view", [0.0, -1.0, 3.2, math.nan])
def test_an_impossible_field_of_view_is_refused(field_of_view: float) -> None:
    with pytest.raises(InputError, match="field of view"):
        look_at((0, 0, 0), (0, 0, 1), field_of_view=field_of_view)


def test_a_camera_that_looks_nowhere_is_refused() -> None:
    with pytest.raises(InputError, match="looks nowhere"):
        look_at((1, 1, 1), (1, 1, 1), field_of_view=0.5)


def test_looking_straight_down_still_has_a_right_side() -> None:
    camera = look_at((0, 5, 0), (0, 0, 0), field_of_view=0.5)
    assert camera.axes @ camera.axes.T == pytest.approx(np.eye(3), abs=1e-12)
    assert np.linalg.det(camera.axes) == pytest.approx(-1.0)
