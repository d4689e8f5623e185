"""Walking clips are chosen by what they show and how fast they go; their room is measured."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.gait.speed import usual_speed
from footfall.graph.clips import cut_parts, select_walks
from footfall.library.generate.gait.steady import steady
from footfall.library.library import library_of
from footfall.route import measure_room
from footfall.task import GoTo, Place, Query
from footfall.task.method import Refusal


def walk(name: str, speed: float, tags: tuple[str, ...] = ("walk",), turn: float = 0.0):
    made = steady("walk", speed, turn_rad_s=turn, seconds=3.0, fps=30)
    return made.named(name).tagged(tags)


@pytest.fixture(scope="module")
def library():
    return library_of(
        [
            walk("slow", 0.8), walk("usual", 1.2), walk("curve", 1.1, ("walk", "curve_left"), 0.7),
            walk("begins", 1.2, ("stand", "start", "walk")),
            walk("ends", 1.2, ("walk", "stop", "stand")),
            walk("leaps", 1.2, ("walk", "jump")), walk("runs", 1.2, ("run", "walk")),
            walk("back", 0.9, ("backward",)), walk("fast", 1.9),
        ]
    )  # fmt: skip


def names(clips):
    return {clip.name for clip in clips}


def query(speed: float | None = None, style: str | None = None) -> Query:
    return Query(Place(0, 0), GoTo(0, 5), speed=speed, style=style)


def test_only_clips_that_walk_and_do_nothing_else_are_chosen(library):
    found = select_walks(library, query()).library
    assert set(found.names) == {"slow", "usual", "curve", "begins", "ends"}
    parts = cut_parts(found)
    assert names(parts.starts) == {"begins"}
    assert names(parts.stops) == {"ends"}


def test_a_wish_for_a_speed_leaves_the_clips_near_it(library):
    assert set(select_walks(library, query(1.9)).library.names) == {"fast"}
    assert "slow" not in select_walks(library, query(1.3)).library
    far = select_walks(library, query(4.0))
    assert set(far.library.names) == {"fast"}
    assert "no clip walks at 4.00 m/s" in far.notes[0]


def test_a_wish_for_a_style_leaves_the_clips_with_that_tag(library):
    assert set(select_walks(library, query(style="run")).library.names) == {"runs"}
    refusal = select_walks(library, query(style="swim"))
    assert isinstance(refusal, Refusal)
    assert "shows 'swim'" in refusal.reason


def test_a_library_without_walking_is_a_reason(library):
    found = select_walks(library.only(["back", "leaps"]), query())
    assert isinstance(found, Refusal)
    assert "none of the library's 2 clips shows walking alone" in found.reason


@pytest.mark.parametrize("speed", [0.8, 1.2, 1.7])
def test_the_speed_of_a_steady_walk_is_its_own(speed):
    assert usual_speed(walk("x", speed)) == pytest.approx(speed, rel=0.05)


def test_room_is_that_of_the_outermost_hand_and_grows_with_the_character():
    clip = walk("x", 1.2)
    room = measure_room((clip,))
    assert 0.25 < room.narrow <= room.half_width < 0.45
    assert 1.55 < room.height < 1.85
    from footfall.adapt.retarget import retarget

    larger = measure_room((retarget(clip, clip.skeleton.scaled(1.3)),))
    assert larger.half_width == pytest.approx(1.3 * room.half_width, rel=0.06)
    assert larger.height == pytest.approx(1.3 * room.height, rel=0.03)


def test_the_turning_radius_is_that_of_the_curves():
    room = measure_room((walk("x", 1.1, turn=1.1),))
    assert room.turn_radius == pytest.approx(1.0, rel=0.2)
    assert np.isclose(measure_room((walk("y", 1.2),)).turn_radius, 1.5)
