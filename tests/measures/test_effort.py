"""What a motion costs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from footfall.body.edit import join, resample, reverse
from footfall.generate.actions.reaching import pick
from footfall.generate.actions.sitting import sit_and_stand
from footfall.measures.all import measure
from footfall.measures.effort import effort
from footfall.verbs.measure_table import table_text
from tests.clips import real_clip, steady


def test_effort_by_the_second_does_not_depend_on_length_or_frame_rate() -> None:
    walk = steady("walk", 1.3, seconds=6.0, fps=60.0)
    whole = effort(walk)
    assert whole.effort_total == pytest.approx(whole.effort_per_second * walk.seconds)
    half = effort(walk[:181])
    assert half.effort_per_second == pytest.approx(whole.effort_per_second, rel=0.05)
    assert effort(resample(walk, 30.0)).effort_total == pytest.approx(whole.effort_total, rel=0.05)


def test_running_costs_more_and_standing_hardly_anything() -> None:
    walk, run = (effort(steady(*g, seconds=4.0, fps=60.0)) for g in (("walk", 1.3), ("run", 3.0)))
    still = pick(1.0, 0.35)[:1]
    stand = effort(join([still] * 60))
    assert stand.effort_per_second < 0.1 * walk.effort_per_second
    assert np.isnan(stand.effort_per_metre)
    assert run.effort_per_second > 2.0 * walk.effort_per_second
    assert run.effort_per_metre > walk.effort_per_metre


def test_things_on_the_floor_cost_more_to_pick_than_things_on_a_table() -> None:
    assert effort(pick(0.0, 0.35)).effort_total > 5.0 * effort(pick(1.0, 0.35)).effort_total


def test_who_sits_hardly_works_unless_the_seat_is_taken_away() -> None:
    clip = sit_and_stand(0.45)
    assert clip.touches is not None
    hovering = replace(clip, touches=np.zeros_like(clip.touches))
    assert effort(clip).effort_total < 0.5 * effort(hovering).effort_total


def test_a_clip_that_is_played_backwards_costs_the_same() -> None:
    for clip in (steady("walk", 1.3, seconds=3.0, fps=60.0), sit_and_stand(0.45)):
        assert effort(reverse(clip)).effort_total == pytest.approx(effort(clip).effort_total)


def test_a_clip_too_short_to_tell_has_no_effort() -> None:
    walk = steady("walk", 1.3, seconds=2.0, fps=30.0)[:4]
    assert np.isnan(effort(walk).effort_total)


def test_effort_is_among_the_measures_and_in_their_table() -> None:
    found = measure(steady("walk", 1.3, seconds=3.0, fps=30.0))
    assert found.as_dict()["effort"]["effort_per_metre"] > 1e5
    text = "\n".join(table_text(found))
    assert "10³ N²m²/m" in text
    assert "effort per second" in text


def test_real_walks_cost_as_much_as_default_ones(mocap: Path) -> None:
    real = effort(real_clip(mocap / "cmu" / "16_14.bvh"))
    made = effort(steady("walk", 0.9, seconds=4.0, fps=60.0))
    assert real.effort_per_metre == pytest.approx(made.effort_per_metre, rel=0.3)
