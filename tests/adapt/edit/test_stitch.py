"""Stitching: continuous to first order, true to both clips outside the transition."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.adapt.edit.stitch import blend_weights, stitch
from footfall.body.clip import Clip
from footfall.body.edit import move
from footfall.errors import InputError
from footfall.maths import planar
from tests.clips import steady

FPS = 60.0


@pytest.fixture(scope="module")
def walk() -> Clip:
    return steady("walk", 1.3, seconds=3.0, fps=FPS)


def jerkiness(clip: Clip) -> float:
    """The largest change of joint velocity from frame to frame, metres per frame."""
    return float(np.abs(np.diff(clip.positions, 2, axis=0)).max())


def test_blend_weights_leave_one_clip_and_reach_the_other_with_zero_slope() -> None:
    whole = np.concatenate([[1.0], blend_weights(200), [0.0]])
    assert whole[-2] == 0.0
    assert abs(whole[1] - whole[0]) < 1e-4
    assert abs(whole[-2] - whole[-3]) < 1e-4
    assert (np.diff(whole) <= 0.0).all()


def test_a_clip_cut_and_stitched_where_it_was_cut_is_itself(walk: Clip) -> None:
    again = stitch(walk, walk, 50, 69, 20)
    assert len(again) == len(walk)
    assert again.positions == pytest.approx(walk.positions, abs=2e-6)


def laid(clip: Clip, here: Clip, there: Clip) -> Clip:
    """A clip moved as `there` is to lie on `here`."""
    fit = planar.align(here.positions.reshape(-1, 3), there.positions.reshape(-1, 3))
    return move(clip, *fit.pose.tolist())


def test_a_transition_between_gaits_is_continuous_to_first_order(walk: Clip) -> None:
    fast = steady("walk", 1.6, seconds=3.0, fps=FPS)
    period = round(2 * 0.55 * FPS)
    on = laid(fast, walk[2 * period : 2 * period + 20], fast[period - 19 : period + 1])
    both = stitch(walk, on, 2 * period, period, 20)
    assert jerkiness(both) < 1.5 * max(jerkiness(walk), jerkiness(fast))


def test_frames_before_the_transition_are_untouched(walk: Clip) -> None:
    both = stitch(walk, move(walk, 1.0, 1.0, 0.3), 40, 60, 20)
    assert np.array_equal(both.root[:40], walk.root[:40])
    assert np.abs(both.rotations[:40] - walk.rotations[:40]).max() == 0.0


def test_frames_after_the_transition_are_the_second_clip(walk: Clip) -> None:
    both = stitch(walk, walk, 40, 60, 20)
    assert np.array_equal(both.root[-len(walk[61:]) :], walk.root[61:])


def test_contacts_are_handed_over_in_the_middle(walk: Clip) -> None:
    both = stitch(walk, walk, 40, 60, 20)
    assert both.contacts is not None
    assert walk.contacts is not None
    assert np.array_equal(both.contacts[:40], walk.contacts[:40])
    assert np.array_equal(both.contacts[60:], walk.contacts[61:])


@pytest.mark.parametrize(("leave", "enter"), [(10_000, 60), (40, 0)])
def test_what_cannot_be_stitched_is_said(walk: Clip, leave: int, enter: int) -> None:
    with pytest.raises(InputError, match="it has 0 to"):
        stitch(walk, walk, leave, enter, 20)
