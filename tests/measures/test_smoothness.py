"""Smoothness: planted pops are found where they are, and there are none where there are none."""

from __future__ import annotations

from dataclasses import astuple, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.errors import InputError
from footfall.maths import quaternions as quat
from footfall.measures.smoothness import (
    find_pops,
    log_dimensionless_jerk,
    mean_jerk,
    pop_ratios,
    smoothness,
    spectral_arc_length,
)
from tests.clips import steady
from tests.measures.motions import frames, reversed_clip, standing, walk
from tests.sweeps import examples


def popped(clip, frame, degrees=8.0):
    """The clip with all joints but the feet turned by so much from a frame on."""
    turn = quat.from_rotation_vector(np.radians(degrees) * np.array([0.6, 0.0, 0.8]))
    rotations = np.array(clip.rotations)
    feet = [clip.skeleton.role(f"{s}_ankle") for s in ("left", "right")]
    which = [j for j in range(1, len(clip.skeleton)) if j not in feet]
    rotations[frame:, which] = quat.multiply(rotations[frame:, which], turn)
    return replace(clip, rotations=quat.continuous(rotations))


def new_pops(spoiled, clip):
    """The frames that pop in a spoiled clip and not in the one it was made from."""
    return sorted(set(find_pops(spoiled)) - set(find_pops(clip)))


@pytest.mark.parametrize("fps", [30.0, 60.0])
@pytest.mark.parametrize("speed", [0.6, 0.9, 1.3, 1.7])
def test_no_default_walk_pops(fps, speed):
    assert find_pops(steady("walk", speed, seconds=6.0, fps=fps, variation=0.5)) == []


@examples(10)
@given(st.integers(20, 200))
def test_a_planted_pop_is_found_at_its_frame(frame):
    clip = walk()
    (found,) = new_pops(popped(clip, frame), clip)
    assert abs(found - frame) <= 1


def test_a_jump_of_the_root_is_a_pop():
    clip = walk()
    root = np.array(clip.root)
    root[100:] += [0.03, 0.0, 0.0]
    (found,) = new_pops(replace(clip, root=root), clip)
    assert abs(found - 100) <= 1


def test_a_jump_of_velocity_is_a_pop():
    clip = walk()
    root = np.array(clip.root)
    root[:, 0] += 0.6 * np.maximum(np.arange(len(root)) - 120, 0) / clip.fps
    (found,) = new_pops(replace(clip, root=root), clip)
    assert abs(found - 120) <= 1


def test_the_ratio_is_high_at_the_transition_that_pops_and_not_at_one_that_does_not():
    clip = popped(walk(), 100, degrees=25.0)
    bad, good = pop_ratios(clip, [100, 160])
    assert bad.min() > 3.0
    assert good.max() < 0.7 * bad.min()
    assert smoothness(clip, [100, 160]).flagged_transitions >= 1


def test_a_cut_from_one_stride_to_another_pops():
    clip = walk()
    cut = frames(clip, np.r_[0:80, 97:240])
    assert any(abs(found - 80) <= 2 for found in find_pops(cut))


def test_a_transition_outside_of_the_clip_is_wrong_input():
    with pytest.raises(InputError, match="frame 999"):
        smoothness(walk(), [999])


def test_playing_a_clip_backwards_leaves_its_smoothness_as_it_was():
    clip = walk(3.3)
    assert astuple(smoothness(reversed_clip(clip))) == pytest.approx(
        astuple(smoothness(clip)), rel=0.02
    )


def test_jerk_does_not_depend_on_the_frame_rate():
    one, two = smoothness(walk(5.0, 60.0)), smoothness(walk(5.0, 120.0))
    assert two.jerk_m_s3 == pytest.approx(one.jerk_m_s3, rel=0.02)
    assert two.log_dimensionless_jerk == pytest.approx(one.log_dimensionless_jerk, abs=0.05)
    assert two.sparc == pytest.approx(one.sparc, rel=0.02)
    assert smoothness(walk(5.0, 30.0)).jerk_m_s3 == pytest.approx(one.jerk_m_s3, rel=0.05)


def test_the_jerk_of_a_sine_is_that_of_its_third_derivative():
    time = np.arange(0.0, 6.0, 1.0 / 60.0)
    rate = 2.0 * np.pi * 1.0
    track = np.stack([0.1 * np.sin(rate * time), 0.1 * np.cos(rate * time), 0.0 * time], axis=1)
    assert mean_jerk(track[:, None], 60.0) == pytest.approx(0.1 * rate**3, rel=0.01)


def test_a_minimum_jerk_reach_is_as_smooth_as_the_literature_says():
    t = np.linspace(0.0, 1.0, 1001)
    speed = 30.0 * t**2 - 60.0 * t**3 + 30.0 * t**4
    velocity = np.stack([speed, 0.0 * t, 0.0 * t], axis=1)
    # Minimum jerk: the integral of its squared jerk is 720, its peak speed 1.875.
    assert log_dimensionless_jerk(velocity, 1000.0) == pytest.approx(
        -np.log(720.0 / 1.875**2), abs=0.01
    )
    # Balasubramanian et al. give about -1.4 for it, at any speed and size.
    sparc = spectral_arc_length(speed, 1000.0)
    assert sparc == pytest.approx(-1.41, abs=0.05)
    assert spectral_arc_length(7.0 * speed, 1000.0) == pytest.approx(sparc)


def test_two_reaches_are_less_smooth_than_one():
    t = np.linspace(0.0, 1.0, 501)
    one = 30.0 * t**2 - 60.0 * t**3 + 30.0 * t**4
    assert spectral_arc_length(np.concatenate([one, one]), 500.0) < spectral_arc_length(one, 500.0)


def test_a_figure_that_stands_still_has_no_jerk_and_no_pops():
    found = smoothness(standing())
    assert (found.pops, found.pop_ratio) == (0, 1.0)
    assert found.jerk_m_s3 == pytest.approx(0.0, abs=1e-6)
    assert np.isnan(found.sparc)
