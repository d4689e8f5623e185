"""Skating: locked feet have none, slid feet as much as they were slid."""

from __future__ import annotations

from dataclasses import astuple, replace

import numpy as np
import pytest

from footfall.measures.skating import contact_drifts, planted_mask, skate_per_frame, skating
from footfall.measures.tracks import evenly, foot_tracks
from tests.clips import real_clip
from tests.measures.motions import reversed_clip, sliding, standing, walk


def test_locked_feet_do_not_drift():
    found = skating(walk())
    assert found.contacts > 10
    assert found.drift_max_mm < 0.1


def test_a_standing_figure_skates_by_no_definition():
    found = skating(standing())
    values = (
        found.skate_cm, found.skate_3d_cm, found.drift_max_mm, found.slide_mann_cm_per_frame,
        found.slide_nemf_cm_per_frame, found.skating_ratio,
    )  # fmt: skip
    assert max(values) < 1e-9
    assert found.planted_share > 0.4


def test_moving_a_clip_a_centimetre_a_frame_skates_six_in_planted_double_support():
    clip = standing(fps=30.0)
    still, moved = foot_tracks(clip), foot_tracks(sliding(clip, 0.01))
    assert planted_mask(still).all()
    assert 100.0 * (skate_per_frame(moved) - skate_per_frame(still)) == pytest.approx(6.0)


def test_moving_a_walk_a_centimetre_a_frame_skates_three_for_each_planted_foot():
    clip = walk(seconds=6.0, fps=30.0)
    still, moved = foot_tracks(clip), foot_tracks(sliding(clip, 0.01))
    one = planted_mask(still)
    one = one[1:].any(axis=1) & one[:-1].any(axis=1)
    assert 30 < one.sum() < len(one)
    rise = 100.0 * (skate_per_frame(moved) - skate_per_frame(still))
    assert rise[one].mean() == pytest.approx(3.0, rel=0.1)
    assert rise[~one] == pytest.approx(0.0)


def test_drift_is_half_of_how_far_a_contact_is_dragged():
    clip = sliding(walk(), 0.001)
    drifts = contact_drifts(foot_tracks(clip))
    assert drifts
    for drift in drifts:
        dragged = 0.001 * (drift.stop - drift.first - 1)
        assert drift.max_m == pytest.approx(0.5 * dragged, abs=1e-4)


@pytest.mark.parametrize("speed", [0.9, 1.5])
def test_playing_a_clip_backwards_leaves_its_skating_as_it_was(speed):
    clip = sliding(walk(speed=speed, seconds=3.37, fps=47.0), 0.002)
    assert astuple(skating(reversed_clip(clip))) == pytest.approx(astuple(skating(clip)), rel=1e-6)


def test_twice_the_frame_rate_skates_the_same():
    slow = sliding(walk(seconds=6.0, fps=60.0), 0.004)
    fast = sliding(walk(seconds=6.0, fps=120.0), 0.002)
    one, two = skating(slow), skating(fast)
    for name in ("skate_cm", "skate_cm_per_m", "skate_3d_cm", "slide_mann_cm_per_frame",
                 "slide_nemf_cm_per_frame", "drift_max_mm", "drift_mean_mm"):  # fmt: skip
        assert getattr(two, name) == pytest.approx(getattr(one, name), rel=0.05), name
    assert two.skating_ratio == pytest.approx(one.skating_ratio, abs=0.03)


def test_a_floor_that_is_off_does_not_hide_planted_feet():
    clip = walk()
    high = replace(clip, root=clip.root + np.array([0.0, 0.3, 0.0]))
    assert astuple(skating(high)) == pytest.approx(astuple(skating(clip)), rel=1e-9)


def test_frames_at_a_rate_of_their_own_are_the_frames_themselves():
    values = np.random.default_rng(1).normal(size=(31, 2))
    assert evenly(values, 30.0, 30.0) == pytest.approx(values, abs=1e-12)
    assert evenly(values, 60.0, 30.0) == pytest.approx(values[::2], abs=1e-12)


def test_more_skating_is_more_by_every_definition():
    clip = walk()
    clean, slid = skating(clip), skating(sliding(clip, 0.01))
    assert slid.skate_cm_per_frame > clean.skate_cm_per_frame + 0.5
    assert slid.drift_mean_mm > clean.drift_mean_mm + 5.0
    assert slid.slide_mann_cm_per_frame > clean.slide_mann_cm_per_frame + 0.2
    assert slid.slide_nemf_cm_per_frame > clean.slide_nemf_cm_per_frame + 0.2
    assert slid.skating_ratio > clean.skating_ratio + 0.2


@pytest.mark.mocap
@pytest.mark.parametrize("name", ["cmu/16_16.bvh", "cmu/46_01.bvh", "cmu/69_31.bvh"])
def test_recorded_walks_skate_about_as_much_as_the_papers(mocap, name):
    # Table 1: 0.20, 0.28 and 0.39 cm for three recorded walks.
    found = skating(real_clip(mocap / name))
    assert 0.1 < found.skate_cm_per_frame < 0.8
    assert 1.0 < found.drift_mean_mm < 15.0
