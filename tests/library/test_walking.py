"""Walking clips are chosen by what they show and how fast they go; their room is measured."""

from __future__ import annotations

import numpy as np
import pytest
from footfall.library.walking import room_of, walkers_of, walking_speed

from footfall.library.generate.gait.steady import steady
from footfall.library.library import library_of


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


def test_only_clips_that_walk_and_do_nothing_else_are_chosen(library):
    found = walkers_of(library)
    assert names(found.clips) == {"slow", "usual", "curve", "begins", "ends"}
    assert names(found.starts) == {"begins"}
    assert names(found.stops) == {"ends"}


def test_a_wish_for_a_speed_leaves_the_clips_near_it(library):
    assert names(walkers_of(library, 1.9).clips) == {"fast"}
    assert "slow" not in names(walkers_of(library, 1.3).clips)
    far = walkers_of(library, 4.0)
    assert names(far.clips) == {"fast"}
    assert "no clip walks at 4.00 m/s" in far.notes[0]


def test_a_library_without_walking_is_a_reason(library):
    found = walkers_of(library.only(["back", "leaps"]))
    assert found.clips == ()
    assert "none of the library's 2 clips shows walking alone" in found.reason


@pytest.mark.parametrize("speed", [0.8, 1.2, 1.7])
def test_the_speed_of_a_steady_walk_is_its_own(speed):
    assert walking_speed(walk("x", speed)) == pytest.approx(speed, rel=0.05)


def test_room_is_that_of_the_outermost_hand_and_grows_with_the_character():
    clip = walk("x", 1.2)
    room = room_of((clip,))
    assert 0.25 < room.narrow <= room.half_width < 0.45
    assert 1.55 < room.height < 1.85
    from footfall.adapt.retarget import retarget

    larger = room_of((retarget(clip, clip.skeleton.scaled(1.3)),))
    assert larger.half_width == pytest.approx(1.3 * room.half_width, rel=0.06)
    assert larger.height == pytest.approx(1.3 * room.height, rel=0.03)


def test_the_turning_radius_is_that_of_the_curves():
    room = room_of((walk("x", 1.1, turn=1.1),))
    assert room.turn_radius == pytest.approx(1.0, rel=0.2)
    assert np.isclose(room_of((walk("y", 1.2),)).turn_radius, 1.5)
