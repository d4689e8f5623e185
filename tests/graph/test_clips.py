"""Walking clips are chosen by what they show and how fast they go; their room is measured."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from footfall import plan
from footfall.gait.speed import ground_speeds, usual_speed
from footfall.graph.clips import cut_parts, going_spans, select_walks
from footfall.library.library import library_of
from footfall.task import GoTo, Place, Query
from footfall.task.method import Refusal
from footfall.task.routes import measure_room
from tests.clips import steady


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
    from footfall.adapt.retarget.retarget import retarget

    larger = measure_room((retarget(clip, clip.skeleton.scaled(1.3)),))
    assert larger.half_width == pytest.approx(1.3 * room.half_width, rel=0.06)
    assert larger.height == pytest.approx(1.3 * room.height, rel=0.03)


def test_the_turning_radius_is_that_of_the_curves():
    room = measure_room((walk("x", 1.1, turn=1.1),))
    assert room.turn_radius == pytest.approx(1.0, rel=0.2)
    assert np.isclose(measure_room((walk("y", 1.2),)).turn_radius, 1.5)


# ---- running ----------------------------------------------------------------------------


def run(name: str, speed: float):
    return steady("run", speed, seconds=3.0, fps=30).named(name).tagged(("run",))


def test_people_who_are_to_go_fast_run(library):
    both = library_of([walk("usual", 1.2), walk("fast", 1.9), run("jog", 2.6), run("run", 3.2)])
    assert set(select_walks(both, query(3.0)).library.names) == {"jog", "run"}
    assert set(select_walks(both, query(1.9)).library.names) == {"fast"}
    assert "run" not in select_walks(both, query()).library
    assert set(select_walks(both, query(3.0, "walk")).library.names) == {"fast"}


def test_a_library_of_runs_alone_is_run_with():
    runs = library_of([run("jog", 2.6), run("run", 3.2)])
    assert set(select_walks(runs, query()).library.names) == {"jog", "run"}
    slow = select_walks(runs, query(1.2))
    assert "no clip runs at 1.20 m/s" in slow.notes[0]


# ---- parts ------------------------------------------------------------------------------


def stalling(name: str, stall_s: float):
    """A walk that stands for a while in the middle."""
    clip = walk(name, 1.3)
    middle, count = len(clip) // 2, round(stall_s * clip.fps)
    order = np.concatenate(
        [np.arange(middle), np.full(count, middle), np.arange(middle, len(clip))]
    )
    return replace(
        clip, root=clip.root[order], rotations=clip.rotations[order],
        **clip.labels_at(order),
    )  # fmt: skip


def test_a_clip_that_stalls_gives_the_parts_before_and_after():
    clips = [walk("goes", 1.3), stalling("stalls", 1.5)]
    parts = cut_parts(library_of(clips))
    assert set(parts.library.names) == {"goes", "stalls, part 1", "stalls, part 2"}
    assert parts.origins["stalls, part 1"] == ("stalls", 0)
    name, first = parts.origins["stalls, part 2"]
    assert name == "stalls"
    assert 60 < first <= 45 + 45
    for name, (clip, first) in parts.origins.items():
        part = parts.library.clip(name)
        whole = next(c for c in clips if c.name == clip)
        np.testing.assert_array_equal(part.root, whole.root[first : first + len(part)])
        assert ground_speeds(part)[10:-10].min() > 0.5


def test_who_slows_down_to_turn_does_not_stall():
    slow, quick = walk("a", 0.45, turn=1.2), walk("b", 1.3)
    assert going_spans(slow) == [(0, len(slow))]
    assert going_spans(quick) == [(0, len(quick))]


def test_segments_name_the_clip_that_a_part_was_cut_from():
    walks = [walk("goes", 1.3), walk("goes on", 1.2), stalling("stalls", 1.5)]
    planned = plan(query(), library=library_of(walks), percentile=40.0)
    assert planned.found
    names = {source.clip for segment in planned.segments for source in segment.sources}
    assert names <= {"goes", "goes on", "stalls"}
