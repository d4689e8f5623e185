"""What cannot be done ends with the reason, and the nearest that could be."""

from __future__ import annotations

import re

import numpy as np
import pytest

from footfall import Follow, GoTo, Place, Query, planner
from footfall.errors import InputError
from footfall.task import (
    FOUND,
    GOAL_NOT_VALID,
    NO_CLIP,
    NO_PATH,
    START_NOT_VALID,
    Duck,
    Pick,
    Sit,
    StandOn,
    StandUp,
)
from footfall.world.scene import Hole, Scene, rectangle
from tests.world.scenes import upright_box


@pytest.fixture(scope="module")
def ready(walks):
    return planner("optimal", library=walks, expansions=20_000)


@pytest.mark.parametrize(
    ("stage", "says"),
    [
        (Pick(0.0, 0.8, 3.0), "stage 1, 'pick': no clip takes something with a hand"),
        (Pick(0.0, 0.8, 3.0, hand="left"), "no clip takes something with the left hand"),
        (Sit(0.0, 3.0, 0.0), "stage 1, 'sit': no clip sits down"),
        (Duck(0.0, 3.0, height_m=1.0), "no clip ducks below 1.00 m; the lowest is 1."),
    ],
)
def test_what_no_clip_shows_is_said(ready, stage, says):
    found = ready.plan(Query(Place(0, 0), stage))
    assert (found.status, found.clip) == (NO_CLIP, None)
    assert says in found.reason


def test_a_goal_behind_walls_is_no_path_and_names_what_is_in_the_way(ready):
    walls = tuple(upright_box(x, z, size) for x, z, size in (
        (0.0, 2.0, (3.0, 1.5, 0.2)), (0.0, 5.0, (3.0, 1.5, 0.2)),
        (-1.5, 3.5, (0.2, 1.5, 3.2)), (1.5, 3.5, (0.2, 1.5, 3.2)),
    ))  # fmt: skip
    scene = Scene("cell", rectangle([-4, -4], [4, 8]), obstacles=walls)
    found = ready.plan(Query(Place(0, -2), GoTo(0, 3.5), scene))
    assert found.status == NO_PATH
    assert "box (obstacle 1) is in the way" in found.reason


def test_a_gap_that_no_clip_gets_over_is_said_with_how_far_they_get(ready):
    ditch = Hole(rectangle([-4, 1], [4, 3.5]))
    scene = Scene("ditch", rectangle([-4, -4], [4, 8]), holes=(ditch,))
    found = ready.plan(Query(Place(0, -1), GoTo(0, 5), scene))
    assert found.status == NO_CLIP
    assert "no clip gets over the gap at (0.00, 2.2" in found.reason
    assert "the longest at hand is" in found.reason


def test_a_foothold_where_there_is_no_ground_is_refused_at_once(ready):
    scene = Scene("pit", rectangle([-4, -4], [4, 8]), holes=(Hole(rectangle([-4, 2], [4, 3])),))
    found = ready.plan(Query(Place(0, -1), StandOn(0.0, 2.5), scene))
    assert (found.status, found.clip) == (GOAL_NOT_VALID, None)
    assert "stage 1, 'stand on': there is no ground for a foot at (0.00, 2.50)" in found.reason


@pytest.mark.parametrize(
    ("start", "goal", "status"),
    [((0, -4), (0, 0), GOAL_NOT_VALID), ((-4.2, 4.2), (0, 3), START_NOT_VALID)],
)
def test_places_where_nobody_can_be_are_refused(ready, yard, start, goal, status):
    found = ready.plan(Query(Place(*start), GoTo(*goal), yard))
    assert (found.status, found.clip) == (status, None)


def test_a_task_that_contradicts_itself_is_refused_with_the_number_of_its_stage(ready):
    with pytest.raises(InputError, match=r"stages\[1\]: it stands up, but does not sit"):
        ready.plan(Query(Place(0, 0), (GoTo(0, 2), StandUp())))


def test_a_gap_a_little_wider_than_the_longest_step_is_refused_before_any_search(ready):
    def over(wide_m: float):
        ditch = Hole(rectangle([-4, 1], [4, 1 + wide_m]))
        scene = Scene("ditch", rectangle([-4, -4], [4, 8]), holes=(ditch,))
        return ready.plan(Query(Place(0, -1), GoTo(0, 5), scene))

    longest = float(re.findall(r"at hand is ([\d.]+) m", over(2.5).reason)[0])
    found = over(longest)  # and on both sides half a sole that must not hang over it
    assert (found.status, found.clip) == (NO_CLIP, None)
    assert f"and the longest at hand is {longest:.2f} m" in found.reason
    assert found.anytime is None or len(found.anytime) == 0


def test_who_only_stands_up_is_told_that_no_clip_begins_sitting(ready):
    found = ready.plan(Query(Place(0, 0), StandUp()))
    assert found.status == NO_CLIP
    assert "stand up" in found.reason or "sitting" in found.reason


@pytest.mark.parametrize(("corridor_m", "passes"), [(0.5, False), (0.9, False), (1.5, True)])
def test_a_path_through_a_box_is_followed_only_where_its_corridor_leaves_room(
    ready, yard, corridor_m, passes
):
    path = np.array([[0.0, -3.0], [0.0, 3.0]])
    found = ready.plan(Query(stages=Follow(path, corridor_m), scene=yard))
    assert found.status == (FOUND if passes else NO_PATH), found.reason
    if not passes:
        assert "the path lies in box (obstacle 1)" in found.reason
        assert found.anytime is None or len(found.anytime) == 0
