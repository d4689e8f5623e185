"""One contract that every planner keeps: what a plan holds, what is a status, what an error."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from footfall.errors import InputError
from footfall.library.library import Library
from footfall.planning import METHODS, check_motion, options_of, plan
from footfall.task import (
    FOUND,
    GOAL_NOT_VALID,
    NO_CLIP,
    NO_PATH,
    START_NOT_VALID,
    Place,
    Plan,
    Query,
)
from footfall.world.scene import Scene

pytestmark = pytest.mark.parametrize("method", METHODS)
BEND = np.array([[0.0, 0.0], [0.0, 4.0], [2.0, 7.0]])


@pytest.fixture(scope="module")
def made(walks: Library) -> dict[str, Plan]:
    """Each method's plan along a bend."""
    return {m: plan(Query(path=BEND), method=m, library=walks) for m in METHODS}


def test_a_found_plan_has_a_motion_on_the_librarys_character(method, made, walks):
    found = made[method]
    assert (found.status, found.reason, found.found) == (FOUND, "", True)
    assert found.clip is not None
    assert found.clip.skeleton == walks.character
    assert found.clip.fps == walks.fps
    assert found.path is not None
    assert np.allclose(found.path[[0, -1]], BEND[[0, -1]], atol=0.02)
    assert math.isfinite(found.cost)
    assert found.bound >= 1.0


def test_segments_cover_every_frame_and_name_clips_of_the_library(method, made, walks):
    found = made[method]
    ends = [(s.first, s.stop) for s in found.segments]
    assert ends[0][0] == 0
    assert ends[-1][1] == len(found.clip)
    assert all(a[1] == b[0] for a, b in pairwise(ends))
    for segment in found.segments:
        for name in segment.clip.split("+"):
            assert name.removesuffix(" mirrored") in walks


def test_a_segment_shows_the_frames_it_says_it_does(method, made, walks):
    found = made[method]
    plain = [
        s for s in found.segments if s.why in ("clip", "start", "stop") and s.stop - s.first > 8
    ]
    assert plain
    for segment in plain:
        source = walks.clip(segment.clip)
        middle = (segment.stop - segment.first) // 2
        frame = segment.source_first + middle
        # The head's own rotation is left alone by all that is done to legs and path.
        head = source.skeleton.role("head")
        dot = np.abs(np.sum(
            source.rotations[frame, head] * found.clip.rotations[segment.first + middle, head]
        ))  # fmt: skip
        assert dot > 1.0 - 1e-4


def test_the_motion_begins_at_the_start_and_ends_at_the_goal(method, made):
    clip = made[method].clip
    assert np.linalg.norm(clip.root[0, [0, 2]] - BEND[0]) < 0.3
    assert np.linalg.norm(clip.root[-1, [0, 2]] - BEND[-1]) < 0.3


def test_footprints_are_in_order_and_alternate_while_walking(method, made):
    prints = made[method].footprints
    assert len(prints) >= 8
    assert all(a.t <= b.t for a, b in pairwise(prints))
    feet = [p.foot for p in prints[1:-2]]
    assert sum(a != b for a, b in pairwise(feet)) >= len(feet) - 3


def test_the_same_seed_gives_the_same_motion(method, walks):
    query = Query(path=BEND[:2], seed=5)
    one, two = (plan(query, method=method, library=walks).clip for _ in range(2))
    assert np.array_equal(one.root, two.root)
    assert np.array_equal(one.rotations, two.rotations)


def test_timings_and_progress_are_told(method, walks):
    shares: list[float] = []
    found = plan(Query(path=BEND[:2]), method=method, library=walks, progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert all(seconds >= 0.0 for seconds in found.timings.values())
    assert "all" in found.timings


def test_nothing_is_touched_on_the_way_around_an_obstacle(method, walks, yard: Scene):
    query = Query(start=Place(0.0, -3.5), goal=Place(0.0, 3.5), scene=yard)
    found = plan(query, method=method, library=walks)
    assert found.status == FOUND, found.reason
    assert check_motion(found, yard) == ()
    through = plan(Query(start=query.start, goal=query.goal), method=method, library=walks)
    assert "touches box" in check_motion(through, yard)[0]


@pytest.mark.parametrize(
    ("start", "goal", "status", "says"),
    [
        ((0, 0), (0, 4), START_NOT_VALID, "lies in box"),
        ((-4.2, -4.2), (0, 4), START_NOT_VALID, "under water"),
        ((0, -4), (-4, 4), GOAL_NOT_VALID, "in a hole"),
        ((0, -4), (9, 4), GOAL_NOT_VALID, "out of the scene"),
        ((0, -4), (0, -0.9), GOAL_NOT_VALID, "from what blocks the way"),
        ((0, -4), (4.2, 4.2), NO_PATH, "close off the goal"),
        ((0, -4), (0, -4), GOAL_NOT_VALID, "nothing to walk"),
    ],
)
def test_what_cannot_be_is_a_status_with_a_reason(method, walks, yard, start, goal, status, says):
    query = Query(start=Place(*start), goal=Place(*goal), scene=yard)
    found = plan(query, method=method, library=walks)
    assert found.status == status
    assert says in found.reason
    assert found.clip is None


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ([(0, -4), (0, 4)], "lies in box (obstacle 1) at (0.00, -0.7"),
        ([(3, -4), (3, -9)], "is out of the scene 'yard' at (3.00, -5.0"),
        ([(-2, 4), (-4, 4)], "lies in a hole"),
        ([(2, 2), (2, 2), (2, 2)], "0.00 m long"),
    ],
)
def test_a_path_that_cannot_be_walked_is_a_status(method, walks, yard, path, says):
    found = plan(Query(path=np.array(path, float), scene=yard), method=method, library=walks)
    assert (found.status, found.clip) == (NO_PATH, None)
    assert says in found.reason


def test_misuse_is_an_error_that_names_the_choices(method, walks):
    query = Query(path=BEND)
    with pytest.raises(InputError, match="did you mean"):
        plan(query, method=method[:-1], library=walks)
    with pytest.raises(InputError, match=f"{method} has no option 'colour'; choose one of"):
        plan(query, method=method, library=walks, colour="red")
    assert options_of(method)
    with pytest.raises(InputError, match="neither a path nor both ends"):
        Query(start=Place(0, 0))
    with pytest.raises(InputError, match="it must be finite"):
        Query(path=np.array([[0.0, 0.0], [math.nan, 1.0]]))


def test_clips_that_do_not_walk_are_no_reason_to_fail_but_a_status(method, walks):
    from footfall.library.library import library_of

    standing = library_of([walks.clip("start").tagged(("stand",))])
    found = plan(Query(path=BEND), method=method, library=standing)
    assert found.status == NO_CLIP
    assert "shows walking" in found.reason
