"""Sampling, low-pass and derivatives over frames."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, Slerp

from footfall.errors import InputError
from footfall.maths import quaternions as qs
from footfall.maths import signals

seeds = st.integers(0, 2**32 - 1)


def turning(times):
    angles = np.stack([np.sin(5 * times), 0.5 * np.cos(4 * times), np.sin(3 * times)], axis=-1)
    return qs.continuous(qs.from_euler(angles, "ZXY"))


@pytest.mark.parametrize("smooth", [True, False])
@pytest.mark.parametrize("frames", [1, 2, 3, 40])
def test_sampling_at_the_frames_gives_the_frames(smooth, frames, rng):
    values, q = rng.normal(size=(frames, 2, 3)), qs.random_rotations(rng, (frames, 2))
    times = np.arange(frames) / 29.97
    np.testing.assert_array_equal(signals.sample(values, 29.97, times, smooth), values)
    np.testing.assert_allclose(signals.sample_rotations(q, 29.97, times, smooth), q, atol=4e-16)


def test_sampling_outside_holds_the_ends(rng):
    values, q = rng.normal(size=(5, 3)), qs.random_rotations(rng, 5)
    np.testing.assert_array_equal(signals.sample(values, 10.0, [-1.0, 9.0]), values[[0, -1]])
    np.testing.assert_allclose(signals.sample_rotations(q, 10.0, [-1.0, 9.0]), q[[0, -1]])


def test_rough_sampling_is_linear_and_slerp(rng):
    values, q = rng.normal(size=(9, 2)), turning(np.arange(9) / 10.0)
    times = rng.uniform(0.0, 0.8, 50)
    frames = np.arange(9) / 10.0
    expected = np.stack([np.interp(times, frames, column) for column in values.T], axis=1)
    np.testing.assert_allclose(signals.sample(values, 10.0, times, False), expected, atol=1e-14)
    oracle = Slerp(frames, Rotation.from_quat(q, scalar_first=True))(times)
    found = signals.sample_rotations(q, 10.0, times, False)
    assert qs.angle_between(found, oracle.as_quat(scalar_first=True)).max() < 1e-14


@given(st.tuples(*[st.floats(-3.0, 3.0)] * 3), st.integers(3, 20))
def test_smooth_sampling_is_exact_for_parabolas(coefficients, frames):
    def curve(t):
        return np.polynomial.polynomial.polyval(t, coefficients)

    times = np.linspace(0.0, (frames - 1) / 30.0, 77)
    found = signals.sample(curve(np.arange(frames) / 30.0), 30.0, times)
    np.testing.assert_allclose(found, curve(times), atol=1e-12)


@given(seeds)
def test_smooth_sampling_is_exact_for_a_turn_at_constant_rate(seed):
    rng = np.random.default_rng(seed)
    start, rate = qs.random_rotations(rng), rng.uniform(-20.0, 20.0, 3)
    times = np.linspace(0.0, 0.5, 31)
    q = qs.multiply(start, qs.from_rotation_vector(np.arange(16)[:, None] / 30.0 * rate))
    expected = qs.multiply(start, qs.from_rotation_vector(times[:, None] * rate))
    assert qs.angle_between(signals.sample_rotations(q, 30.0, times), expected).max() < 1e-12


def test_smooth_sampling_is_nearer_to_the_motion_than_slerp():
    fine = np.arange(241) / 240.0
    exact, coarse = turning(fine), turning(fine[::8])
    error = {
        smooth: qs.angle_between(signals.sample_rotations(coarse, 30.0, fine, smooth), exact).max()
        for smooth in (True, False)
    }
    assert error[True] < 0.2 * error[False]


def test_smooth_rotations_have_continuous_angular_velocity():
    q = turning(np.arange(20) / 10.0)
    h = 1e-5
    for frame in range(1, 19):
        a, b, c = signals.sample_rotations(q, 10.0, frame / 10.0 + np.array([-h, 0.0, h]))
        before = qs.to_rotation_vector(qs.multiply(b, qs.conjugate(a))) / h
        after = qs.to_rotation_vector(qs.multiply(c, qs.conjugate(b))) / h
        np.testing.assert_allclose(before, after, atol=2e-2)


def test_sampled_signs_stay_continuous(rng):
    q = qs.continuous(
        qs.multiply(turning(np.arange(60) / 30.0)[:, None], qs.random_rotations(rng, 4))
    )
    found = signals.sample_rotations(q, 30.0, np.linspace(0.0, 59 / 30.0, 500))
    assert np.all(qs.dot(found[1:], found[:-1]) > 0.9)


@given(st.integers(1, 500), st.sampled_from([30.0, 59.94, 120.0]), st.sampled_from([24.0, 60.0]))
def test_sample_times_cover_the_clip_and_do_not_leave_it(frames, fps, new_fps):
    times = signals.sample_times(frames, fps, new_fps)
    last = (frames - 1) / fps
    assert times[0] == 0.0
    assert last - 1.0 / new_fps < times[-1] <= last + 1e-7


def test_nearest_frames_are_nearest():
    np.testing.assert_array_equal(
        signals.nearest_frames(4, 10.0, [-1.0, 0.0, 0.049, 0.05, 0.16, 0.3, 5.0]),
        [0, 0, 0, 1, 2, 3, 3],
    )


# ------------------------------------------------------------------------------------- low-pass


def amplitude_after(frequency, cutoff):
    times = np.arange(2400) / 120.0
    out = signals.low_pass(np.sin(2 * np.pi * frequency * times), 120.0, cutoff)[600:-600]
    phase = np.exp(-2j * np.pi * frequency * times[600:-600])
    return 2.0 * (out * phase).mean()


@pytest.mark.parametrize("cutoff", [3.0, 6.0, 20.0])
def test_low_pass_lets_through_half_the_power_at_its_frequency_without_lag(cutoff):
    gain = amplitude_after(cutoff, cutoff) / -1j
    assert abs(gain) == pytest.approx(np.sqrt(0.5), abs=2e-3)
    assert np.angle(gain) == pytest.approx(0.0, abs=2e-3)
    assert abs(amplitude_after(cutoff / 4.0, cutoff)) > 0.99
    assert abs(amplitude_after(min(cutoff * 2.5, 55.0), cutoff)) < 0.1


@given(st.integers(1, 60), st.floats(0.01, 14.9), st.floats(-5, 5), st.floats(-5, 5))
def test_low_pass_keeps_straight_lines_even_in_short_clips(frames, cutoff, offset, slope):
    line = offset + slope * np.arange(frames)[:, None] * np.ones(2)
    np.testing.assert_allclose(signals.low_pass(line, 30.0, cutoff), line, atol=1e-9)


@pytest.mark.parametrize("cutoff", [0.0, -1.0, 15.0, 99.0, float("nan")])
def test_low_pass_refuses_frequencies_it_cannot_have(cutoff):
    with pytest.raises(InputError, match="15 Hz"):
        signals.low_pass(np.zeros(20), 30.0, cutoff)


def test_low_pass_of_rotations_removes_jitter_and_turns_along(rng):
    times = np.arange(240) / 120.0
    calm = turning(times * 0.5)
    jitter = qs.from_rotation_vector(0.02 * rng.normal(size=(240, 3)))
    rough = qs.multiply(calm, jitter) * rng.choice([-1.0, 1.0], (240, 1))
    out = signals.low_pass_rotations(rough, 120.0, 6.0)
    assert qs.angle_between(out, calm)[12:-12].mean() < 0.4 * qs.angle_between(rough, calm).mean()
    turn = qs.random_rotations(rng)
    turned = signals.low_pass_rotations(qs.multiply(turn, rough), 120.0, 6.0)
    assert qs.angle_between(turned, qs.multiply(turn, out)).max() < 1e-12


# ---------------------------------------------------------------------------------- derivatives


@given(st.tuples(*[st.floats(-3.0, 3.0)] * 3), st.integers(3, 30))
def test_differentiate_is_exact_for_parabolas_at_the_ends_too(coefficients, frames):
    times = np.arange(frames) / 30.0
    values = np.polynomial.polynomial.polyval(times, coefficients)
    slope = np.polynomial.polynomial.polyval(times, np.polynomial.polynomial.polyder(coefficients))
    np.testing.assert_allclose(signals.differentiate(values, 30.0), slope, atol=1e-10)


def test_differentiate_short_signals():
    np.testing.assert_array_equal(signals.differentiate(np.ones((1, 3)), 30.0), np.zeros((1, 3)))
    np.testing.assert_allclose(signals.differentiate([0.0, 2.0], 10.0), [20.0, 20.0])
