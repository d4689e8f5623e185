"""Fields of a scene on a grid agree with the exact queries they are sampled from."""

from __future__ import annotations

import numpy as np
import pytest

from footfall import load_scene
from footfall.world.collision.queries import FootBox, body_clearance, foot_placements
from footfall.world.fields import (
    Grid,
    clearance_field,
    find_patches,
    footing_field,
    height_field,
    level_patches,
    outside_distance,
    scene_grid,
    sure_footing_field,
)

SOLE = FootBox(0.26, 0.1)


@pytest.fixture(scope="module", params=["stairs", "room", "rivers"])
def scene(request):
    return load_scene(request.param)


def test_a_cell_contains_its_own_middle(scene):
    grid = scene_grid(scene, 0.2, 20_000)
    cells = np.stack(np.unravel_index(np.arange(0, len(grid.points), 97), grid.shape), axis=-1)
    for cell in cells:
        assert grid.cell(*grid.middle(cell)) == tuple(cell)


def test_a_part_of_a_grid_has_exactly_the_middles_of_the_whole(scene):
    grid = scene_grid(scene, 0.17, 20_000)
    first, stop = np.array([3, 2]), np.array([9, 11])
    whole = grid.points.reshape(*grid.shape, 2)[3:9, 2:11]
    part = grid.part(first, stop).points.reshape(6, 9, 2)
    np.testing.assert_array_equal(part, whole)


def test_heights_are_those_of_the_scene_and_computed_once(scene):
    grid = scene_grid(scene, 0.25, 20_000)
    field = height_field(scene, grid)
    np.testing.assert_array_equal(field.ravel(), scene.height(grid.points))
    assert height_field(scene, scene_grid(scene, 0.25, 20_000)) is field


def test_ground_that_carries_any_foot_carries_one_in_each_direction(scene):
    grid = scene_grid(scene, 0.25, 20_000)
    sure = np.isfinite(sure_footing_field(scene, grid, SOLE)).ravel()
    assert sure.any()
    assert np.isfinite(footing_field(scene, grid, SOLE)).ravel()[sure].all()
    for yaw in np.linspace(0.0, np.pi, 7):
        at = np.column_stack([grid.points[sure], np.full(sure.sum(), yaw)])
        assert foot_placements(scene, at, SOLE).valid.all()


def test_clearance_is_the_distance_to_the_nearest_obstacle(scene):
    grid = scene_grid(scene, 0.3, 20_000)
    height = height_field(scene, grid)
    away, owner = clearance_field(scene, grid, height, (0.7, 1.4))
    exact, which = body_clearance(
        scene, grid.points, body_height=1.4, step_height=0.7, base=height.ravel(), reach=1.0
    )
    np.testing.assert_array_equal(away.ravel(), exact)
    np.testing.assert_array_equal(owner.ravel(), which)


def test_patches_are_parted_by_steps_that_are_too_high():
    height = np.zeros((6, 6))
    height[3:] = 0.3
    patch = level_patches(height, 0.1)
    assert len(np.unique(patch)) == 2
    assert (patch[:3] == patch[0, 0]).all()
    assert (patch[3:] == patch[5, 5]).all()


def test_distances_in_cells_are_those_of_brute_force():
    rng = np.random.default_rng(2)
    there = rng.random((30, 41)) < 0.02
    out = outside_distance(there, 0.5)
    seeds = np.argwhere(there)
    each = np.stack(np.meshgrid(*map(np.arange, there.shape), indexing="ij"), -1)
    brute = np.sqrt(((each[:, :, None] - seeds) ** 2).sum(-1)).min(-1)
    np.testing.assert_allclose(out, 0.5 * brute)


def test_patches_are_joined_by_sides_alone():
    there = np.array([[1, 1, 0, 1], [0, 0, 1, 0], [1, 0, 1, 1]], bool)
    expected = [[1, 1, 0, 2], [0, 0, 3, 0], [4, 0, 3, 3]]
    np.testing.assert_array_equal(find_patches(there), expected)


def test_a_grid_with_a_pose_has_its_points_turned_and_moved():
    grid = Grid(-1.0, -1.0, 0.25, (8, 8), pose=(0.3, -0.2, 0.7))
    own = grid.own_points
    c, s = np.cos(0.7), np.sin(0.7)
    turned = np.stack([own[:, 0] * c + own[:, 1] * s, own[:, 1] * c - own[:, 0] * s], axis=1)
    turned += np.array([0.3, -0.2])
    np.testing.assert_allclose(grid.points, turned, atol=1e-12)
