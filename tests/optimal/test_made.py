"""Clips that were made are shown as what they were made of."""

from __future__ import annotations

import pytest

from footfall.optimal.made import STANCE, STEPS, made_name, read_made


@pytest.mark.parametrize("clip", ["stop_left_1", "walk @3 (2)", "made steps"])
@pytest.mark.parametrize("how", [STEPS, STANCE])
def test_a_made_clip_tells_what_it_was_made_of(clip: str, how: str) -> None:
    assert read_made(made_name(clip, 34, how, 7)) == (clip, 34, how)


@pytest.mark.parametrize("clip", ["stop_left_1", "walk @3 (2)", "made steps", "in another stance"])
def test_a_recorded_clip_is_itself(clip: str) -> None:
    assert read_made(clip) == (clip, 0, "")
