"""Grounds against scipy, trimesh and finite differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import NdBSpline, RegularGridInterpolator

from footfall.errors import InputError
from footfall.world.ground import (
    MAX_CONTROL_POINTS,
    NONE,
    Ground,
    flat_ground,
    greville,
    grid_ground,
    mesh_ground,
    spline_ground,
)
from footfall.world.scene import Scene, rectangle


def clamped(count: int) -> np.ndarray:
    return np.concatenate([[0.0] * 3, np.arange(count - 2), [count - 3.0] * 3])


def scipy_spline(control, origin, size, points):
    nz, nx = control.shape
    spline = NdBSpline((clamped(nz), clamped(nx)), control, 3)
    u = (points[:, 0] - origin[0]) / size[0] * (nx - 3)
    v = (points[:, 1] - origin[1]) / size[1] * (nz - 3)
    return spline(np.stack([v, u], axis=1))


@given(st.integers(4, 20), st.integers(4, 20), st.integers(0, 2**31))
def test_spline_ground_agrees_with_scipy_to_1e_12(nz, nx, seed):
    rng = np.random.default_rng(seed)
    control = rng.normal(size=(nz, nx))
    origin, size = rng.uniform(-50, 50, 2), rng.uniform(1, 100, 2)
    points = origin + rng.uniform(0, 1, (200, 2)) * size
    heights = spline_ground(control, origin, size).height(points)
    assert np.abs(heights - scipy_spline(control, origin, size, points)).max() < 1e-12


def test_nurbs_ground_is_the_ratio_of_two_splines(rng):
    control, weights = rng.normal(size=(9, 7)), rng.uniform(0.3, 3.0, (9, 7))
    origin, size = (-2.0, 1.0), (8.0, 5.0)
    points = np.array(origin) + rng.uniform(0, 1, (500, 2)) * size
    ours = spline_ground(control, origin, size, weights).height(points)
    ratio = scipy_spline(control * weights, origin, size, points) / scipy_spline(
        weights, origin, size, points
    )
    assert np.abs(ours - ratio).max() < 1e-12


def test_control_points_at_greville_abscissae_reproduce_a_plane(rng):
    x, z = greville(11, -3.0, 12.0), greville(8, 2.0, 7.0)
    control = 0.3 * x[None, :] - 0.2 * z[:, None] + 1.0
    points = np.array([-3.0, 2.0]) + rng.uniform(0, 1, (300, 2)) * [12.0, 7.0]
    heights = spline_ground(control, (-3.0, 2.0), (12.0, 7.0)).height(points)
    assert np.abs(heights - (0.3 * points[:, 0] - 0.2 * points[:, 1] + 1.0)).max() < 1e-12


def test_grid_ground_agrees_with_scipy(rng):
    heights = rng.normal(size=(6, 9))
    ground = grid_ground(heights, (1.0, -2.0), (4.0, 3.0))
    z, x = np.linspace(-2, 1, 6), np.linspace(1, 5, 9)
    points = np.array([1.0, -2.0]) + rng.uniform(0, 1, (500, 2)) * [4.0, 3.0]
    expected = RegularGridInterpolator((z, x), heights)(points[:, ::-1])
    assert np.abs(ground.height(points) - expected).max() < 1e-12


@pytest.mark.parametrize("kind", ["spline", "nurbs", "grid"])
def test_normals_agree_with_finite_differences(rng, kind):
    control = rng.normal(size=(10, 12))
    ground = {
        "spline": lambda: spline_ground(control, (0, 0), (9, 7)),
        "nurbs": lambda: spline_ground(control, (0, 0), (9, 7), rng.uniform(0.5, 2, (10, 12))),
        "grid": lambda: grid_ground(control, (0, 0), (9, 7)),
    }[kind]()
    points = rng.uniform(0.1, 0.9, (300, 2)) * [9, 7]
    if kind == "grid":  # between the lines where it bends
        cells = points / [9 / 11, 7 / 9]
        points = (np.floor(cells) + np.clip(cells % 1, 0.1, 0.9)) * [9 / 11, 7 / 9]
    step = 1e-6
    dx, dz = np.array([step, 0.0]), np.array([0.0, step])
    gx = (ground.height(points + dx) - ground.height(points - dx)) / (2 * step)
    gz = (ground.height(points + dz) - ground.height(points - dz)) / (2 * step)
    expected = np.stack([-gx, np.ones(len(gx)), -gz], axis=1)
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    assert np.abs(ground.normal(points) - expected).max() < 1e-7


def test_there_is_no_ground_outside():
    ground = spline_ground(np.ones((4, 4)), (0, 0), (2, 2))
    outside = [[-0.01, 1.0], [1.0, 2.01], [np.nan, 1.0], [np.inf, 0.0]]
    assert np.isnan(ground.height(outside)).all()
    assert np.isnan(ground.normal(outside)).all()
    assert ground.height([[0.0, 0.0], [2.0, 2.0]]) == pytest.approx([1.0, 1.0])
    assert np.isnan(Ground(NONE, size=(0.0, 0.0)).height([[0.0, 0.0]])).all()


def test_mesh_ground_is_the_highest_triangle_at_or_below(rng):
    import trimesh

    lower = trimesh.creation.box([4.0, 0.2, 4.0])
    upper = trimesh.creation.box([2.0, 0.2, 2.0])
    upper.apply_translation([0.0, 3.0, 0.0])
    both = trimesh.util.concatenate([lower, upper])
    ground = mesh_ground(both.vertices, both.faces)
    scene = Scene("storeys", rectangle([-3, -3], [3, 3]), ground)
    points = rng.uniform(-2.5, 2.5, (400, 2))
    on_lower = (np.abs(points) <= 2.0).all(axis=1)
    on_upper = (np.abs(points) <= 1.0).all(axis=1)
    expected = np.where(on_upper, 3.1, np.where(on_lower, 0.1, np.nan))
    assert scene.height(points) == pytest.approx(expected, nan_ok=True)
    assert scene.height(points, below=2.0)[on_lower] == pytest.approx(0.1)
    assert np.isnan(scene.height(points, below=-1.0)).all()


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: flat_ground(np.nan), "level is nan"),
        (lambda: grid_ground([[1.0]], (0, 0), (1, 1)), "2 x 2"),
        (lambda: grid_ground([[1.0, np.inf], [0.0, 0.0]], (0, 0), (1, 1)), "must be finite"),
        (lambda: spline_ground(np.zeros((3, 9)), (0, 0), (1, 1)), "4 x 4"),
        (lambda: spline_ground(np.zeros((4, 4)), (0, 0), (1, -1)), "must be > 0"),
        (lambda: spline_ground(np.zeros((4, 4)), (0, 0), (1, 1), np.zeros((4, 4))), "weights"),
        (lambda: spline_ground(np.zeros((4, MAX_CONTROL_POINTS)), (0, 0), (1, 1)), "at most"),
        (lambda: mesh_ground(np.zeros((3, 3)), [[0, 1, 3]]), "not there"),
        (lambda: flat_ground().height([[1.0, 2.0, 3.0]]), "shape"),
    ],
)
def test_bad_grounds_are_refused_in_a_sentence(make, says):
    with pytest.raises(InputError, match=says):
        make()
