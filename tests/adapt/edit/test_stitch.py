"""Stitching: continuous to first order, true to both clips outside the transition."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.adapt.edit.stitch import METHODS, blend_weights, stitch
from footfall.body.clip import Clip
from footfall.body.edit import move
from footfall.errors import InputError
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


@pytest.mark.parametrize("method", METHODS)
def test_a_clip_cut_and_stitched_where_it_was_cut_is_itself(walk: Clip, method: str) -> None:
    moved = move(walk, 3.0, -2.0, 1.1)
    window = 20
    if method == "blend":
        again = stitch(walk, moved, leave=50, enter=50 + window - 1, seconds=window / FPS)
    else:
        again = stitch(walk, moved, leave=50, enter=50, seconds=window / FPS, method=method)
    assert len(again) == len(walk)
    assert again.positions == pytest.approx(walk.positions, abs=2e-6)


@pytest.mark.parametrize("method", METHODS)
def test_a_transition_between_gaits_is_continuous_to_first_order(walk: Clip, method: str) -> None:
    fast = steady("walk", 1.6, seconds=3.0, fps=FPS)
    period = round(2 * 0.55 * FPS)
    both = stitch(walk, fast, leave=2 * period, enter=period, method=method)
    assert jerkiness(both) < 1.5 * max(jerkiness(walk), jerkiness(fast))


@pytest.mark.parametrize("method", METHODS)
def test_frames_before_the_transition_are_untouched(walk: Clip, method: str) -> None:
    both = stitch(walk, move(walk, 1.0, 1.0, 0.3), leave=40, enter=60, method=method)
    assert np.array_equal(both.root[:40], walk.root[:40])
    assert np.abs(both.rotations[:40] - walk.rotations[:40]).max() == 0.0


def test_frames_after_the_transition_are_the_second_clip_moved(walk: Clip) -> None:
    both = stitch(walk, walk, leave=40, enter=60, seconds=20 / FPS)
    rest = walk[61:]
    lengths = np.linalg.norm(np.diff(both.root[-len(rest) :], axis=0), axis=1)
    assert lengths == pytest.approx(np.linalg.norm(np.diff(rest.root, axis=0), axis=1), abs=1e-9)


def test_contacts_are_handed_over_in_the_middle(walk: Clip) -> None:
    both = stitch(walk, walk, leave=40, enter=60, seconds=20 / FPS)
    assert both.contacts is not None
    assert walk.contacts is not None
    assert np.array_equal(both.contacts[:40], walk.contacts[:40])
    assert np.array_equal(both.contacts[60:], walk.contacts[61:])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"method": "wish"}, "choose one of blend"),
        ({"leave": 10_000}, "it has 0 to"),
        ({"enter": 0}, "it has 0 to"),
    ],
)
def test_what_cannot_be_stitched_is_said(walk: Clip, words: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        stitch(walk, walk, **words)  # type: ignore[arg-type]
