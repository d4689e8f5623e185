"""Finishing steps that are taken back leave feet where they stand."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.adapt.feet.lock import with_contacts
from footfall.gait.footprints import footprints_of
from footfall.measures.skating import skating
from footfall.task.finish import Finished, fade_spans, take_back
from tests.clips import steady


@pytest.mark.parametrize("moved_m", [0.02, 0.05])
def test_feet_do_not_slide_where_a_step_is_taken_back(moved_m: float) -> None:
    clip = with_contacts(steady(seconds=5.0))
    after = clip.with_root(clip.root + np.array([moved_m, 0.0, 0.0]))
    plain, finished = (Finished(c, footprints_of(c)) for c in (clip, after))
    middle = len(clip) // 2
    spans = [(middle - 10, middle + 10)]
    found = take_back(plain, finished, spans).clip
    before, faded, held = (
        skating(c).drift_max_mm for c in (clip, fade_spans(clip, after, spans), found)
    )
    assert faded > before + 200.0 * moved_m  # the fade alone slides
    assert held < before + 0.15 * (faded - before)
    inside = slice(middle - 5, middle + 5)
    assert np.abs(found.root[inside] - clip.root[inside]).max() < 0.5 * moved_m
