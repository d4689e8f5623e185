"""Why a place is not free is said in words that name what is there."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.errors import InputError
from footfall.files.scene.read import load_scene
from footfall.world.corridor.free_floor import (
    RouteLimits,
    first_blocked,
    walking_corridors,
    walking_routes,
    why_not_free,
)
from footfall.world.scene import Hole, QueryEnd, Scene, SceneQuery, Water, rectangle
from tests.world.scenes import upright_box


@pytest.fixture(scope="module")
def yard() -> Scene:
    return Scene(
        "yard", rectangle([-5.0, -5.0], [5.0, 5.0]),
        obstacles=(upright_box(0.0, 0.0, (1.0, 1.0, 1.0)), upright_box(-4, -4, (1.0, 0.12, 1.0))),
        holes=(Hole(rectangle([2.0, 2.0], [3.0, 3.0])),),
        waters=(Water(0.1, rectangle([-3.0, 2.0], [-2.0, 3.0])),),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ((0.0, 0.0), "lies in box (obstacle 1)"),
        ((-4.0, -4.0), "lies in box (obstacle 2)"),
        ((2.5, 2.5), "lies in a hole"),
        ((-2.5, 2.5), "lies under water"),
        ((7.0, 0.0), "is out of the scene 'yard'"),
        ((0.0, 3.0), ""),
    ],
)
def test_a_place_is_free_or_it_is_said_what_is_there(yard, place, why):
    corridors = walking_corridors(yard, RouteLimits(headroom_m=1.8))
    assert why_not_free(yard, corridors, np.array(place)) == why


def test_the_first_blocked_place_along_a_path_is_the_edge_of_what_is_there(yard):
    corridors = walking_corridors(yard, RouteLimits(headroom_m=1.8))
    bad = first_blocked(yard, corridors, np.array([[0.0, -3.0], [0.0, 3.0]]))
    assert bad is not None
    assert (bad.x, bad.z) == (0.0, pytest.approx(-0.5, abs=0.03))
    assert bad.along_m == pytest.approx(2.5, abs=0.03)
    assert first_blocked(yard, corridors, np.array([[-4.0, 0.0], [-1.0, 0.0]])) is None


def test_what_hangs_above_the_body_does_not_block():
    beam = upright_box(0.0, 0.0, (4.0, 0.2, 0.2), base=1.9)
    scene = Scene("s", rectangle([-5, -5], [5, 5]), obstacles=(beam,))
    path = np.array([[0.0, -2.0], [0.0, 2.0]])
    assert first_blocked(scene, walking_corridors(scene, RouteLimits(headroom_m=1.8)), path) is None
    assert (
        first_blocked(scene, walking_corridors(scene, RouteLimits(headroom_m=2.0)), path)
        is not None
    )


@pytest.mark.parametrize("name", ["room", "plaza", "columns", "dungeon"])
def test_the_queries_of_the_scenes_begin_and_end_on_free_floor(name):
    scene = load_scene(name)
    corridors = walking_corridors(scene, RouteLimits(headroom_m=1.75))
    for query in scene.queries:
        for place in (query.start, query.goal):
            assert why_not_free(scene, corridors, np.array([place.x, place.z])) == ""


def test_stairs_are_one_floor_for_those_who_may_climb_them():
    scene = load_scene("stairs")
    level = walking_corridors(scene, RouteLimits())
    climbing = walking_corridors(scene, RouteLimits(step_height_m=0.2))
    start, goal = ((q.x, q.z) for q in (scene.query("over").start, scene.query("over").goal))
    assert level.shortest_route(start, goal, 0.25) is None or len(level.free.geoms) > 3
    assert climbing.path(start, goal, 0.25).status == "found"
    assert len(climbing.free.geoms) < len(level.free.geoms)


def test_a_scene_keeps_the_corridors_of_each_limits_it_was_asked_for(yard):
    low, high = RouteLimits(), RouteLimits(step_height_m=0.15)
    assert walking_corridors(yard, low) is walking_corridors(yard, RouteLimits())
    assert walking_corridors(yard, high) is not walking_corridors(yard, low)
    step = np.array([-4.0, -4.0])
    assert why_not_free(yard, walking_corridors(yard, high), step, high) == ""


@pytest.mark.parametrize(
    "wrong", [{"step_height_m": -0.1}, {"slope_rad": 2.0}, {"headroom_m": 0.01}]
)
def test_limits_that_make_no_sense_are_refused(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        RouteLimits(**wrong)


@pytest.mark.parametrize(
    ("name", "query", "why"),
    [
        ("dungeon", "causeway", "islands of the free floor"),
        ("dungeon", "hurdle", "close off the goal"),
        ("columns", "field", "it needs stepping from foothold to foothold and jumping"),
    ],
)
def test_queries_without_a_walking_route_are_reported_with_the_reason(name, query, why):
    routes = {route.query: route for route in walking_routes(load_scene(name))}
    assert routes[query].status == "no route"
    assert why in routes[query].why


def test_queries_with_a_walking_route_are_reported_as_such():
    scene = load_scene("room")
    routes = walking_routes(scene)
    assert [r.status for r in routes] == ["route", "route", "route"]
    apart = np.linalg.norm(scene.queries[0].goal.point - scene.queries[0].start.point)
    assert routes[0].length_m >= apart


def test_a_goal_too_near_to_an_obstacle_is_reported_with_its_clearance():
    ends = QueryEnd(-2.0, 0.0), QueryEnd(1.3, 0.0)
    scene = Scene(
        "s", rectangle([-5, -5], [5, 5]), obstacles=(upright_box(2, 0, (1.1, 1, 1)),),
        queries=(SceneQuery("q", *ends),),
    )  # fmt: skip
    route = walking_routes(scene)[0]
    assert route.status == "no route"
    assert "the goal is 0.15 m from what blocks" in route.why


def test_what_a_query_needs_is_of_a_few_words():
    with pytest.raises(InputError, match="fly"):
        SceneQuery("q", QueryEnd(0.0, 0.0), QueryEnd(1.0, 0.0), needs=("fly",))


def test_a_passage_that_is_too_narrow_is_reported_with_its_width():
    wall = (upright_box(0, -2.7, (0.2, 2, 4.6)), upright_box(0, 2.7, (0.2, 2, 4.6)))
    ends = QueryEnd(-2.0, 0.0), QueryEnd(2.0, 0.0)
    scene = Scene(
        "s", rectangle([-5, -5], [5, 5]), obstacles=wall, queries=(SceneQuery("q", *ends),)
    )
    assert walking_routes(scene, radius=0.39)[0].status == "route"
    assert "0.80 m" in walking_routes(scene, radius=0.41)[0].why


def test_what_takes_too_long_is_not_known():
    scene = load_scene("plaza")
    routes = walking_routes(scene, seconds=0.0)
    assert routes[-1].status == "not known"
