"""What planners that follow paths promise beside the contract of all planners."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from footfall import Follow, GoTo, Place, Plan, Query, Via
from footfall.errors import InputError
from footfall.library.library import Library, library_of
from footfall.task import FOUND, GOAL_NOT_VALID, NO_CLIP, NO_PATH, START_NOT_VALID, Pick
from footfall.task.method import find_method, method_names
from tests.contracts.quick import quick_plan, quick_planner
from tests.verifying import scene_failures

FOLLOWERS = tuple(name for name in method_names() if Follow in find_method(name).stages)
WALKERS = tuple(name for name in FOLLOWERS if Pick not in find_method(name).stages)
"""Planners that do more than walk take a path for a sketch with a corridor: they may leap what
walkers refuse, and stand closer to things than one walks by (decision 23)."""
every_follower = pytest.mark.parametrize("method", FOLLOWERS)
every_walker = pytest.mark.parametrize("method", WALKERS)
BEND = np.array([[0.0, 0.0], [0.0, 4.0], [2.0, 7.0]])


@pytest.fixture(scope="module")
def made(walks: Library) -> dict[str, Plan]:
    """Each method's plan along a bend."""
    return {m: quick_plan(Query(stages=Follow(BEND)), m, walks) for m in FOLLOWERS}


@every_follower
def test_the_path_of_the_plan_is_the_path_that_was_asked_for(method, made):
    found = made[method]
    assert found.status == FOUND
    assert np.allclose(found.path[[0, -1]], BEND[[0, -1]], atol=0.02)


@every_follower
def test_the_motion_begins_and_ends_where_the_path_does(method, made):
    clip = made[method].clip
    assert np.linalg.norm(clip.root[0, [0, 2]] - BEND[0]) < 0.3
    assert np.linalg.norm(clip.root[-1, [0, 2]] - BEND[-1]) < 0.3


@every_follower
def test_footprints_are_in_order_and_alternate_while_walking(method, made):
    prints = made[method].footprints
    assert len(prints) >= 8
    assert all(a.t <= b.t for a, b in pairwise(prints))
    feet = [p.foot for p in prints[1:-2]]
    assert sum(a != b for a, b in pairwise(feet)) >= len(feet) - 3


@every_follower
def test_nothing_is_touched_on_the_route_around_an_obstacle(method, walks, yard):
    found = quick_plan(Query(Place(0.0, -3.5), GoTo(0.0, 3.5), yard), method, walks)
    assert found.status == FOUND, found.reason
    assert scene_failures(found, yard) == ()


@every_follower
def test_via_points_are_passed(method, walks, yard):
    via = Via(-2.0, 0.0)
    query = Query(Place(0.0, -3.5), (via, GoTo(0.0, 3.5)), yard)
    found = quick_plan(query, method, walks)
    assert found.status == FOUND, found.reason
    away = np.linalg.norm(found.clip.root[:, [0, 2]] - via.place.point, axis=1)
    assert away.min() < via.within_m


@every_follower
def test_the_start_the_path_and_the_goal_are_walked_in_this_order(method, walks):
    path = np.array([[0.0, 2.0], [0.0, 4.0]])
    query = Query(Place(0.0, 0.0), (Follow(path), GoTo(0.5, 7.0)))
    found = quick_plan(query, method, walks)
    assert found.status == FOUND, found.reason
    assert np.allclose(found.path[[0, -1]], [[0.0, 0.0], [0.5, 7.0]], atol=0.02)
    assert any("goes on to the path" in note for note in found.notes)


@every_follower
@pytest.mark.parametrize(
    ("start", "goal", "status", "says"),
    [
        ((0, 0), (0, 4), START_NOT_VALID, "lies in box"),
        ((-4.2, -4.2), (0, 4), START_NOT_VALID, "under water"),
        ((0, -4), (-4, 4), GOAL_NOT_VALID, "in a hole"),
        ((0, -4), (9, 4), GOAL_NOT_VALID, "out of the scene"),
        ((0, -4), (4.2, 4.2), NO_PATH, "close off the goal"),
        ((0, -4), (0, -4), GOAL_NOT_VALID, "nothing to walk"),
    ],
)
def test_what_cannot_be_is_a_status_with_a_reason(method, walks, yard, start, goal, status, says):
    found = quick_plan(Query(Place(*start), GoTo(*goal), yard), method, walks)
    assert found.status == status
    assert says in found.reason
    assert found.clip is None


@every_follower
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
    query = Query(stages=Follow(np.array(path, float)), scene=yard)
    found = quick_plan(query, method, walks)
    assert (found.status, found.clip) == (NO_PATH, None)
    assert says in found.reason


@every_follower
def test_a_query_says_where_to_go(method):
    with pytest.raises(InputError, match="the task has no stages"):
        Query(start=Place(0, 0))
    with pytest.raises(InputError, match="neither a path nor a start"):
        Query(stages=GoTo(1, 1))
    with pytest.raises(InputError, match="it must be finite"):
        Query(stages=Follow(np.array([[0.0, 0.0], [np.nan, 1.0]])))


@every_walker
def test_nobody_walks_to_a_goal_that_is_too_near_to_something(method, walks, yard):
    found = quick_plan(Query(Place(0, -4), GoTo(0, -0.9), yard), method, walks)
    assert (found.status, found.clip) == (GOAL_NOT_VALID, None)
    assert "from what blocks the way" in found.reason


@every_follower
def test_clips_that_do_not_walk_are_no_reason_to_fail_but_a_status(method, walks):
    standing = library_of([walks.clip("start").tagged(("stand",))])
    found = quick_plan(Query(stages=Follow(BEND)), method, standing)
    assert found.status == NO_CLIP
    # Who leaps and ducks needs no walk, but clips from rest to rest.
    assert ("shows walking" if method in WALKERS else "from rest to rest") in found.reason


# ---- seeds, history, wishes -------------------------------------------------------------


@every_walker
def test_another_seed_gives_another_motion_and_none_varies_without_variation(method, walks):
    query = Query(Place(0.0, 0.0), GoTo(0.0, 6.0))
    ready = quick_planner(method, library=walks)
    one, two = (ready.plan(replace(query, seed=seed)).clip for seed in (0, 1))
    assert len(one) != len(two) or not np.array_equal(one.rotations, two.rotations)
    options = {"variation": 0.0} | ({"variety_m2": 0.0} if method == "graph" else {})
    plain = quick_planner(method, library=walks, **options)
    one, two = (plain.plan(replace(query, seed=seed)).clip for seed in (0, 1))
    np.testing.assert_array_equal(one.rotations, two.rotations)


@every_walker
def test_earlier_queries_change_no_answer(method, walks, yard):
    """Neither found nor failed ones, nor those that needed another graph or a wider route."""
    asked = Query(Place(0.0, -3.5), GoTo(0.0, 3.5), yard)
    fresh = quick_planner(method, library=walks).plan(asked)
    used = quick_planner(method, library=walks)
    sharp = np.array([[2.0, -4.0], [2.0, -2.0], [2.4, -4.0], [3.0, 1.0]])
    used.plan(Query(stages=Follow(sharp, corridor_m=0.2), scene=yard))
    used.plan(Query(Place(0.0, -4.0), GoTo(4.2, 4.2), yard))
    used.plan(replace(asked, seed=7))
    again = used.plan(asked)
    assert (again.status, again.notes) == (fresh.status, fresh.notes)
    np.testing.assert_array_equal(again.clip.root, fresh.clip.root)
    np.testing.assert_array_equal(again.clip.rotations, fresh.clip.rotations)


@every_walker
def test_a_preference_that_is_ignored_is_noted(method, walks):
    query = Query(Place(0.0, 0.0), GoTo(0.0, 4.0), prefer={"walk": 2.0})
    made = quick_plan(query, method, walks)
    assert made.found
    assert any("ignores the wish 'prefer'" in note for note in made.notes)
