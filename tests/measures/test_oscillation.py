"""Oscillation: planted waves come back, on straight paths and on curves."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.measures.oscillation import oscillation, oscillation_of
from tests.clips import real_clip
from tests.measures.motions import reversed_clip, standing, walk


def wave(amplitude: float, stride: float, length: float = 14.0, fps: float = 30.0, speed=1.2):
    """(T, 2) a straight way with a sine across."""
    z = np.arange(0.0, length, speed / fps)
    return np.stack([amplitude * np.sin(2.0 * np.pi * z / stride), z], axis=1)


@given(st.floats(0.01, 0.05), st.floats(0.95, 1.7))
def test_a_planted_sine_gives_back_its_height_and_length(amplitude, stride):
    found = oscillation_of(wave(amplitude, stride), 30.0)
    assert found.amplitude_cm == pytest.approx(100.0 * amplitude, rel=0.05)
    assert found.step_wavelength_cm == pytest.approx(50.0 * stride, rel=0.02)
    assert found.stride_wavelength_cm == pytest.approx(100.0 * stride, rel=0.02)
    bend = amplitude * (2.0 * np.pi / stride) ** 2
    assert found.curvature_per_m == pytest.approx(bend, rel=0.06)
    assert found.amplitude_std_cm < 0.1 * found.amplitude_cm
    assert found.step_wavelength_std_cm < 0.05 * found.step_wavelength_cm


@pytest.mark.parametrize("radius", [2.5, 6.0])
def test_on_a_circle_the_bend_of_the_path_is_not_sway(radius):
    s = np.arange(0.0, 12.0, 0.04)
    out = radius + 0.03 * np.sin(2.0 * np.pi * s / 1.157)
    circle = np.stack([out * np.cos(s / radius), out * np.sin(s / radius)], axis=1)
    found = oscillation_of(circle, 30.0)
    assert found.amplitude_cm == pytest.approx(3.0, rel=0.06)
    assert found.stride_wavelength_cm == pytest.approx(115.7, rel=0.03)
    assert found.curvature_per_m == pytest.approx(0.885, rel=0.08)


def test_noise_of_a_few_millimetres_is_not_taken_for_steps():
    rng = np.random.default_rng(3)
    track = wave(0.03, 1.2)
    found = oscillation_of(track + rng.normal(scale=0.002, size=track.shape), 30.0)
    assert found.step_wavelength_cm == pytest.approx(60.0, rel=0.03)
    assert found.amplitude_cm == pytest.approx(3.0, rel=0.1)


def test_twice_the_frame_rate_gives_the_same_wave():
    one, two = oscillation(walk(6.0, 30.0)), oscillation(walk(6.0, 60.0))
    assert astuple(two)[:-1] == pytest.approx(astuple(one)[:-1], rel=0.05, abs=0.3)
    assert two.crests == one.crests


def test_playing_a_clip_backwards_leaves_the_wave_as_it_was():
    clip = walk(6.0)
    assert astuple(oscillation(reversed_clip(clip))) == pytest.approx(
        astuple(oscillation(clip)), rel=0.02, abs=0.05
    )


def test_standing_has_no_wave():
    found = oscillation(standing())
    assert found.crests == 0
    assert np.isnan(found.amplitude_cm)


def test_standing_before_and_after_does_not_count():
    track = wave(0.03, 1.2)
    rng = np.random.default_rng(5)
    rest = np.cumsum(rng.normal(scale=0.001, size=(90, 2)), axis=0)
    longer = np.concatenate([rest - rest[-1], track, track[-1] + rest])
    found = oscillation_of(longer, 30.0)
    assert found.step_wavelength_cm == pytest.approx(60.0, rel=0.04)
    assert found.amplitude_cm == pytest.approx(3.0, rel=0.08)


@pytest.mark.mocap
def test_a_recorded_straight_walk_sways_like_the_papers(mocap):
    # Table 1, straight: amplitude 3.91 ± 0.55 cm, wavelength 57.83 ± 1.33 cm.
    found = oscillation(real_clip(mocap / "cmu" / "16_16.bvh"))
    assert 2.5 < found.amplitude_cm < 4.5
    assert found.amplitude_std_cm < 1.0
    assert 50.0 < found.step_wavelength_cm < 70.0
    assert found.step_wavelength_std_cm < 6.0
