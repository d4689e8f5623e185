"""`reproduce park`: the experiments run, and their report says what was found."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.papers import park_times
from footfall.papers.park_runs import spline_path
from footfall.papers.reproduce import reproduce
from footfall.papers.statistics import linear_fit


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """The report, with everything timed once: what the times are is not asked here."""
    timed = park_times.time_in_turns
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(park_times, "time_in_turns", lambda works, turns=1: timed(works, 1))
        patch.setattr(park_times, "_PLACES", 1)
        patch.setattr(park_times, "_CHARACTERS", (1, 20, 60))
        return reproduce("park", output=tmp_path_factory.mktemp("park") / "park", runs=3)


def test_the_report_has_every_experiment_and_its_pictures(done):
    text = done.markdown.read_text()
    for words in ("walk", "slow run", "fast run", "hills", "pointer", "examples"):
        assert words in text
    assert len(list(done.markdown.parent.glob("park_pictures/*.png"))) == 3
    assert done.page.read_text().count("data:image/png") == 3


def test_speeds_and_paths_are_as_asked_for(done):
    found = {row.claim: row.holds for row in done.databases[0].findings}
    speeds = [holds for claim, holds in found.items() if "speed is that" in claim]
    paths = [holds for claim, holds in found.items() if "keeps to the path" in claim]
    assert speeds == [True] * 3
    assert paths == [True] * 3


def test_the_path_is_smooth_and_a_line_is_found_again():
    path = spline_path()
    turns = np.diff(np.arctan2(*np.diff(path, axis=0).T))
    assert np.abs((turns + np.pi) % (2 * np.pi) - np.pi).max() < 0.1
    slope, r2 = linear_fit([1, 2, 3], [3.0, 5.0, 7.0])
    assert slope == pytest.approx(2.0)
    assert r2 == pytest.approx(1.0)
