"""Planar poses: a group, and the closed-form alignment against a numerical minimiser."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from footfall.errors import InputError
from footfall.maths import planar, quaternions

length = st.floats(-100.0, 100.0)
poses = st.tuples(length, length, st.floats(-10.0, 10.0)).map(np.array)
seeds = st.integers(0, 2**32 - 1)


def same_pose(a, b, tolerance=1e-11):
    np.testing.assert_allclose(a[..., :2], b[..., :2], atol=tolerance)
    np.testing.assert_allclose(planar.wrap_angle(a[..., 2] - b[..., 2]), 0.0, atol=tolerance)


@given(poses, poses, poses)
def test_poses_form_a_group(a, b, c):
    same_pose(
        planar.compose(planar.compose(a, b), c), planar.compose(a, planar.compose(b, c)), 1e-10
    )
    same_pose(planar.compose(a, planar.inverse(a)), np.zeros(3))
    same_pose(planar.compose(a, planar.relative(a, b)), b, 1e-10)


@given(poses, poses, st.tuples(length, length, length).map(np.array))
def test_points_are_mapped_as_the_conventions_say(a, b, p):
    x, z, yaw = a
    expected = [
        p[0] * np.cos(yaw) + p[2] * np.sin(yaw) + x,
        p[1],
        -p[0] * np.sin(yaw) + p[2] * np.cos(yaw) + z,
    ]
    np.testing.assert_allclose(planar.apply_to_points(a, p), expected, atol=1e-11)
    np.testing.assert_allclose(planar.apply_to_ground(a, p[[0, 2]]), np.array(expected)[[0, 2]])
    np.testing.assert_allclose(
        planar.apply_to_points(planar.compose(a, b), p),
        planar.apply_to_points(a, planar.apply_to_points(b, p)),
        atol=1e-10,
    )


@given(poses, poses, seeds)
def test_a_body_moved_by_a_pose_has_that_pose_composed(a, b, seed):
    tilt = quaternions.from_euler([*np.random.default_rng(seed).uniform(-1.0, 1.0, 2), 0.0], "XZY")
    q = quaternions.multiply(quaternions.from_yaw(b[2]), tilt)
    before = planar.pose_of([b[0], 0.9, b[1]], q)
    after = planar.pose_of(
        planar.apply_to_points(a, [b[0], 0.9, b[1]]), planar.apply_to_rotations(a, q)
    )
    same_pose(after, planar.compose(a, before), 1e-9)


@given(poses, seeds)
def test_alignment_recovers_a_planar_move(pose, seed):
    rng = np.random.default_rng(seed)
    moving = rng.normal(size=(30, 3))
    weights = rng.uniform(0.1, 2.0, 30)
    found = planar.align(planar.apply_to_points(pose, moving), moving, weights)
    same_pose(found.pose, pose, 1e-12 * (1.0 + np.abs(pose).max()))
    assert 0.0 <= found.distance < 1e-11


@given(seeds)
def test_alignment_is_the_minimum_that_bfgs_finds(seed):
    rng = np.random.default_rng(seed)
    target, moving = rng.normal(size=(2, 8, 3)) + rng.normal(size=(2, 1, 3))
    weights = rng.uniform(0.1, 2.0, 8)

    def cost(pose):
        return weights @ ((target - planar.apply_to_points(pose, moving)) ** 2).sum(axis=1)

    found = planar.align(target, moving, weights)
    best = min(minimize(cost, [0.0, 0.0, yaw], method="BFGS").fun for yaw in (-2.0, 0.0, 2.0))
    assert found.distance == pytest.approx(best, rel=1e-7)
    assert cost(found.pose) == pytest.approx(found.distance, rel=1e-12)


@given(poses, poses, seeds)
def test_the_distance_does_not_change_when_either_cloud_moves_on_the_ground(a, b, seed):
    target, moving = np.random.default_rng(seed).normal(size=(2, 12, 3))
    before = planar.align(target, moving).distance
    moved = planar.align(
        planar.apply_to_points(a, target), planar.apply_to_points(b, moving)
    ).distance
    assert moved == pytest.approx(before, rel=1e-9)


def test_a_single_point_aligns_without_a_turn():
    found = planar.align([[3.1, 0.0, 7.7]], [[1.3, 0.5, 2.9]], [0.3])
    np.testing.assert_allclose(found.pose, [1.8, 4.8, 0.0], atol=1e-14)
    assert found.distance == pytest.approx(0.3 * 0.25)


def test_turns_of_more_than_a_right_angle_are_found(rng):
    cloud = rng.normal(size=(5, 3))
    for yaw in np.linspace(-3.1, 3.1, 25):
        found = planar.align(planar.apply_to_points([0, 0, yaw], cloud), cloud)
        assert found.pose[2] == pytest.approx(yaw, abs=1e-12)


def test_clouds_and_weights_that_do_not_fit_are_refused(rng):
    with pytest.raises(InputError, match="same P"):
        planar.align(np.zeros((4, 3)), np.zeros((5, 3)))
    with pytest.raises(InputError, match="weight"):
        planar.align(np.zeros((4, 3)), np.zeros((4, 3)), np.zeros(4))
