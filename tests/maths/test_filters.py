"""Orientation filters: fixed points, equivariance and the published coefficients."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.errors import InputError
from footfall.maths import filters
from footfall.maths import quaternions as qs

seeds = st.integers(0, 2**32 - 1)
MASKS = [None, [1, 2, 1], [1, 1, 1], [1, 3, 8, 3, 1], filters.binomial_mask(3), [1.0]]


def wiggle(rng, frames=20, angle=0.6):
    steps = qs.from_rotation_vector(rng.uniform(-angle, angle, (frames, 3)))
    q = [qs.random_rotations(rng)]
    for step in steps[1:]:
        q.append(qs.multiply(q[-1], step))
    return np.array(q)


@pytest.mark.parametrize("mask", MASKS)
def test_a_turn_at_constant_rate_is_a_fixed_point(mask, rng):
    rate = rng.uniform(-0.5, 0.5, 3)
    q = qs.multiply(
        qs.random_rotations(rng), qs.from_rotation_vector(np.arange(15)[:, None] * rate)
    )
    assert qs.angle_between(filters.filter_orientations(q, mask), q).max() < 1e-14


@given(seeds, st.sampled_from(MASKS))
def test_the_filter_turns_along_from_the_left_and_the_right(seed, mask):
    rng = np.random.default_rng(seed)
    q, a, b = wiggle(rng), qs.random_rotations(rng), qs.random_rotations(rng)
    before = qs.multiply(qs.multiply(a, filters.filter_orientations(q, mask)), b)
    after = filters.filter_orientations(qs.multiply(qs.multiply(a, q), b), mask)
    assert qs.angle_between(before, after).max() < 1e-13


@given(seeds)
def test_the_filter_ignores_signs_and_keeps_them(seed):
    rng = np.random.default_rng(seed)
    q = wiggle(rng)
    signs = rng.choice([-1.0, 1.0], (len(q), 1))
    out = filters.filter_orientations(q)
    np.testing.assert_allclose(filters.filter_orientations(signs * q), signs * out, atol=1e-14)


def test_the_binomial_filter_is_chois_equation(rng):
    q = wiggle(rng)
    w = qs.log_half_angle(qs.multiply(qs.conjugate(q[:-1]), q[1:]))
    out = filters.filter_orientations(q)
    for j in range(2, len(q) - 2):
        change = (-w[j - 2] - 5.0 * w[j - 1] + 5.0 * w[j] + w[j + 1]) / 16.0
        expected = qs.multiply(q[j], qs.exp_half_angle(change))
        assert qs.angle_between(out[j], expected) < 1e-14
    near_end = qs.multiply(q[1], qs.exp_half_angle((w[1] - w[0]) / 4.0))
    assert qs.angle_between(out[1], near_end) < 1e-14
    np.testing.assert_allclose(out[[0, -1]], q[[0, -1]], atol=1e-15)


@given(st.integers(1, 8), seeds, st.sampled_from(MASKS))
def test_short_sequences_keep_their_ends_and_length(frames, seed, mask):
    rng = np.random.default_rng(seed)
    q = wiggle(rng, frames)
    out = filters.filter_orientations(q, mask)
    assert out.shape == q.shape
    np.testing.assert_allclose(out[[0, -1]], q[[0, -1]], atol=1e-15)


def test_smoothing_again_and_again_straightens(rng):
    q = wiggle(rng, 12, 0.3)
    for _ in range(400):
        q = filters.filter_orientations(q)
    straight = qs.slerp(q[0], q[-1], np.arange(12) / 11.0)
    assert qs.angle_between(q, straight).max() < 1e-6


def test_positions_are_convolved_with_the_mask(rng):
    values = rng.normal(size=(30, 2))
    out = filters.filter_positions(values, [1, 3, 8, 3, 1])
    mask = np.array([1, 3, 8, 3, 1]) / 16.0
    for c in range(2):
        np.testing.assert_allclose(
            out[2:-2, c], np.convolve(values[:, c], mask, "valid"), atol=1e-14
        )
    np.testing.assert_allclose(out[1], (3 * values[0] + 8 * values[1] + 3 * values[2]) / 14.0)


def test_small_rotations_filter_like_vectors(rng):
    v = 1e-6 * rng.normal(size=(20, 3))
    out = qs.to_rotation_vector(filters.filter_orientations(qs.from_rotation_vector(v)))
    np.testing.assert_allclose(out, filters.filter_positions(v), atol=1e-11)


@pytest.mark.parametrize("mask", [[1, 2], [1, 2, 3], [1, -2, 1], [], [np.nan]])
def test_masks_that_cannot_be_are_refused(mask):
    with pytest.raises(InputError, match="mask"):
        filters.filter_orientations(np.tile(qs.IDENTITY, (9, 1)), mask)


@pytest.mark.parametrize("sigma", [0.1, 0.7, 3.0, 40.0])
def test_gaussian_smoothing_is_that_of_scipy(sigma: float) -> None:
    from scipy.ndimage import gaussian_filter1d

    values = np.random.default_rng(1).normal(size=(50, 2, 3))
    expected = gaussian_filter1d(values, sigma, axis=0, mode="nearest")
    assert np.abs(filters.smooth_gaussian(values, sigma) - expected).max() < 1e-13
    assert np.abs(filters.smooth_gaussian(values[:, 0, 0], sigma) - expected[:, 0, 0]).max() < 1e-13


@pytest.mark.parametrize("half_width", [0, 1, 7, 60])
def test_a_running_maximum_is_that_of_scipy(half_width: int) -> None:
    from scipy.ndimage import maximum_filter1d

    values = np.random.default_rng(2).normal(size=50)
    expected = maximum_filter1d(values, 2 * half_width + 1, mode="nearest")
    assert (filters.running_max(values, half_width) == expected).all()


@pytest.mark.parametrize("half_width", [0, 1, 7, 60])
def test_running_minima_and_means_are_those_of_scipy(half_width: int) -> None:
    from scipy.ndimage import minimum_filter1d, uniform_filter1d

    values = np.random.default_rng(3).normal(size=(50, 2, 3))
    size = 2 * half_width + 1
    least = minimum_filter1d(values, size, 0, mode="nearest")
    mean = uniform_filter1d(values, size, 0, mode="nearest")
    assert (filters.running_min(values, half_width) == least).all()
    np.testing.assert_allclose(filters.running_mean(values, half_width), mean, atol=1e-13)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=40), st.sampled_from([0.0, 0.5, 1.0, 2.5]))
def test_peaks_are_those_of_scipy(heights, prominence):
    from scipy.signal import find_peaks

    values = np.array(heights, dtype=np.float64)
    expected = find_peaks(values, prominence=prominence)[0]
    assert filters.find_peaks(values, prominence).tolist() == expected.tolist()
