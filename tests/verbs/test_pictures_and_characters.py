"""Pictures of plans, drawn here or beside; clips that are kept on a character."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from PIL import Image

from footfall import GoTo, Place, Plan, Query, plan
from footfall.errors import InputError
from footfall.library.characters import put_on_character
from footfall.library.library import open_library
from footfall.plots.picture_process import PictureProcess
from footfall.plots.plan_sketch import read_sketch, sketch_plan
from footfall.plots.timeline import timeline_figure
from footfall.verbs.plan_results import facts_of, save_plan


@pytest.fixture(scope="module")
def made(walks) -> Plan:
    return plan(Query(Place(0, 0), GoTo(1, 6)), library=walks)


def test_a_timeline_has_a_bar_for_each_source_and_a_row_for_each_clip(made):
    axes = timeline_figure(sketch_plan(made)).axes[0]
    rows = [label.get_text() for label in axes.get_yticklabels()]
    clips = {str(source) for segment in made.segments for source in segment.sources}
    assert set(rows) == {*clips, "left foot", "right foot"}
    bars = sum(len(segment.sources) for segment in made.segments)
    feet = sum(len(container) for container in axes.containers) - bars
    assert feet >= len(made.footprints)


def test_a_sketch_reads_back_the_same_from_json(made):
    sketch = sketch_plan(made)
    back = read_sketch(json.loads(json.dumps(sketch.facts())))
    for name, value in vars(sketch).items():
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(getattr(back, name), value)
        else:
            assert getattr(back, name) == value


def test_pictures_drawn_beside_are_those_drawn_here(made, tmp_path):
    names = ["walk.map.png", "walk.timeline.png"]
    beside = PictureProcess(None)
    (tmp_path / "beside").mkdir()
    try:
        beside.begin(made, [tmp_path / "beside" / name for name in names])
        assert beside.is_drawn()
    finally:
        beside.close()
    save_plan(made, [tmp_path / "here" / name for name in names])
    for name in names:
        one, two = (Image.open(tmp_path / place / name) for place in ("beside", "here"))
        assert np.array_equal(np.asarray(one), np.asarray(two))


def test_a_process_that_cannot_draw_says_so(made, tmp_path):
    beside = PictureProcess("no such scene")
    try:
        beside.begin(made, [tmp_path / "walk.map.png"])
        assert not beside.is_drawn()
    finally:
        beside.close()


def test_without_a_motion_there_is_nothing_to_draw():
    with pytest.raises(InputError, match="there is no motion to draw"):
        sketch_plan(Plan("no path", "because"))


def test_segments_are_plain_values_in_json(made):
    facts = json.loads(json.dumps(facts_of(made)))
    source = facts["segments"][0]["sources"][0]
    assert set(source) == {"clip", "frame", "weight", "mirrored"}
    assert facts["method"] == "graph"
    assert facts["choice"]


def test_a_plan_is_shown_in_a_line(made):
    assert repr(made).startswith("Plan('found', ")
    assert len(repr(made)) < 120
    assert repr(Plan("no path", "because")) == "Plan('no path', 'because')"


def test_clips_on_a_character_are_retargeted_once_and_kept(takes, tmp_path, monkeypatch):
    from footfall.adapt.retarget import retarget as module

    monkeypatch.setenv("FOOTFALL_CACHE", str(tmp_path))
    library = open_library(takes).only(["straight", "left"])
    child = library.character.scaled(0.7)
    first = [clip.root for clip in put_on_character(library, child)]

    def never(*_: object) -> None:
        raise AssertionError("retargeted again")

    monkeypatch.setattr(module, "retarget", never)
    again = put_on_character(library, child)
    assert again.character == child
    for old, new in zip(first, again, strict=True):
        np.testing.assert_allclose(new.root, old, atol=1e-6)
    assert put_on_character(library, library.character) is library


def test_a_long_timeline_continues_on_further_lines(made):
    sketch = sketch_plan(made)
    frames = len(sketch.contacts)
    later = tuple(replace(s, first=s.first + k * frames, stop=s.stop + k * frames)
                  for k in range(6) for s in sketch.segments)  # fmt: skip
    seconds = (6 * frames - 1) / sketch.fps
    contacts = np.tile(sketch.contacts, (6, 1))
    figure = timeline_figure(
        replace(sketch, seconds=seconds, segments=later, contacts=contacts)
    )  # fmt: skip
    assert len(figure.axes) == np.ceil(seconds / 12.0)
    ends = [axes.get_xlim() for axes in figure.axes]
    assert (ends[0][0], ends[-1][1]) == (0.0, pytest.approx(seconds))
    assert all(a[1] == pytest.approx(b[0]) for a, b in pairwise(ends))
    boxes = [axes.get_position() for axes in figure.axes]
    assert all(a.y0 > b.y1 for a, b in pairwise(boxes))
    assert all(0.0 < box.x0 < box.x1 <= 1.0 and box.y0 > 0.0 for box in boxes)
    for axes, (first, stop) in zip(figure.axes, ends, strict=True):
        shown = {
            str(source)
            for s in later
            for source in s.sources
            if s.first < stop * sketch.fps - 1e-6 and s.stop > first * sketch.fps + 1e-6
        }
        assert {label.get_text() for label in axes.get_yticklabels()} >= shown
