"""To which sides clips turn, and the hint where they turn to one only."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.gait.turn_sides import hint_to_mirror, turn_rates
from tests.render.clips import walk


@pytest.mark.parametrize("turn", [0.5, -0.5])
def test_the_rate_of_a_steady_bend_is_found(turn):
    clip = walk(6.0, turn)
    assert np.median(turn_rates(clip.root, clip.fps)) == pytest.approx(turn, abs=0.05)


def test_clips_that_turn_to_one_side_suggest_their_mirror_images():
    left, right = (turn_rates(walk(6.0, turn).root, 60.0) for turn in (0.6, -0.6))
    assert "only to the left" in hint_to_mirror(left)
    assert "only to the right" in hint_to_mirror(right)
    assert "mirror=true" in hint_to_mirror(left)
    assert hint_to_mirror(np.concatenate([left, right])) == ""
    assert hint_to_mirror(np.zeros(0)) == ""


def test_a_body_that_stands_does_not_turn():
    assert len(turn_rates(np.zeros((200, 3)), 60.0)) == 0
    assert len(turn_rates(np.zeros((3, 3)), 60.0)) == 0
