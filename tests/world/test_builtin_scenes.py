"""The built-in scenes are what their names say, in human dimensions."""

from __future__ import annotations

import numpy as np
import pytest
from shapely import Point

from footfall.files.scene.read import builtin_scenes, load_scene
from footfall.world.collision.queries import foot_placements, is_under_water, point_clearance
from footfall.world.corridor.free_floor import RouteLimits, walking_routes
from footfall.world.scene import Scene

NAMES = [
    "column" + "s", "course", "crevice", "dungeon", "hills", "island", "paths", "plaza", "rivers",
    "room", "stairs", "zigzag",
]  # fmt: skip


@pytest.fixture(scope="module")
def scenes() -> dict[str, Scene]:
    return {name: load_scene(name) for name in builtin_scenes()}


def test_the_twelve_scenes_are_there(scenes):
    assert sorted(scenes) == NAMES
    assert all(scene.description for scene in scenes.values())


@pytest.mark.parametrize("name", NAMES)
def test_every_query_begins_and_ends_where_both_feet_can_stand(scenes, name):
    scene = scenes[name]
    for query in scene.queries:
        for end in (query.start, query.goal):
            left = np.array([np.cos(end.yaw), -np.sin(end.yaw)]) * 0.1
            feet = [[end.x + s * left[0], end.z + s * left[1], end.yaw] for s in (-1, 1)]
            assert foot_placements(scene, feet).valid.all(), (query.name, end)


@pytest.mark.parametrize("name", NAMES)
def test_every_query_can_be_walked_or_says_what_it_needs(scenes, name):
    limits = RouteLimits(step_height_m=0.2)  # stairs are walked
    for query, route in zip(
        scenes[name].queries, walking_routes(scenes[name], limits), strict=True
    ):
        assert bool(query.needs) == (route.status == "no route"), (query.name, route.why)


def test_the_armchair_can_be_walked_to_and_sat_down_on(scenes):
    room = scenes["room"]
    goal, chair = room.query("to the armchair").goal, room.obstacle("armchair")
    away = np.array([chair.position[0] - goal.x, chair.position[2] - goal.z])
    assert 0.6 < np.hypot(*away) < 1.0
    assert np.arctan2(*away) == pytest.approx(goal.yaw, abs=0.1)


def test_the_island_has_three_puddles_and_a_sea_around(scenes):
    from shapely import union_all

    island = scenes["island"]
    wet = union_all([island.blocked_polygons(max_slope=1.5)])
    areas = sorted(g.area for g in wet.geoms)
    assert len(areas) == 4
    assert all(3.0 < a < 15.0 for a in areas[:3])
    assert wet.contains(Point(-11, -11))


def test_zigzag_paths_are_33_m_long(scenes):
    assert {p.name: round(p.length, 2) for p in scenes["zigzag"].paths} == {
        "sharp": 33.0,
        "round": 33.0,
    }


def test_the_test_paths_differ_in_curvature(scenes):
    def sharpest(points):
        d = np.diff(points, axis=0)
        turn = np.abs(np.diff(np.unwrap(np.arctan2(d[:, 0], d[:, 1]))))
        length = np.linalg.norm(d, axis=1)
        return float(np.max(turn / np.minimum(length[1:], length[:-1]), initial=0.0))

    curvature = {p.name: sharpest(p.points) for p in scenes["paths"].paths}
    assert curvature["straight"] == 0.0
    assert curvature["low"] == pytest.approx(1 / 4.0, rel=0.02)
    assert curvature["high"] == pytest.approx(1 / 0.8, rel=0.03)


def test_the_dungeon_names_six_queries_and_its_moat_divides_it(scenes):
    dungeon = scenes["dungeon"]
    assert [q.name for q in dungeon.queries] == [
        "narrow passage", "causeway", "second passage", "dead end", "hurdle", "columns",
    ]  # fmt: skip
    free = dungeon.bounds.difference(dungeon.blocked_polygons())
    last = dungeon.query("columns")
    assert not any(
        g.contains(Point(last.start.x, last.start.z))
        and g.contains(Point(last.goal.x, last.goal.z))
        for g in free.geoms
    )
    first = dungeon.query("narrow passage")
    wide = free.buffer(-0.2)
    assert any(
        g.contains(Point(first.start.x, first.start.z))
        and g.contains(Point(first.goal.x, first.goal.z))
        for g in wide.geoms
    )


def steps_across(scene: Scene, start, goal, stride: float) -> bool:
    """Whether feet can get from start to goal in steps between middles of at most `stride`."""
    rng = np.random.default_rng(5)
    low, high = np.minimum(start, goal) - 1.5, np.maximum(start, goal) + 1.5
    feet = np.column_stack([rng.uniform(low, high, (6000, 2)), rng.uniform(-0.6, 0.6, 6000)])
    feet = np.concatenate([[[*start, 0.0], [*goal, 0.0]], feet])
    good = feet[foot_placements(scene, feet).valid][:, :2]
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    pairs = cKDTree(good).sparse_distance_matrix(cKDTree(good), stride, output_type="coo_matrix")
    _, label = connected_components(pairs.tocsr(), directed=False)
    return bool(label[0] == label[1])


@pytest.mark.parametrize(
    ("name", "start", "goal", "stride"),
    [
        ("rivers", (0.2, -3.4), (0.2, 4.2), 0.85),
        ("rivers", (0.5, -10.8), (0.5, -6.8), 1.9),
        ("crevice", (-1.0, 1.5), (-1.0, 5.5), 1.2),
        ("crevice", (-2.2, -8.4), (-2.2, -3.8), 1.3),
        ("columns", (-2.5, -2.6), (-2.5, 2.6), 1.15),
        ("dungeon", (-3.42, 4.0), (3.42, 0.0), 0.9),
    ],
)
def test_gaps_can_be_stepped_or_jumped_over(scenes, name, start, goal, stride):
    assert steps_across(scenes[name], start, goal, stride)


@pytest.mark.parametrize(
    ("name", "start", "goal", "stride"),
    [
        ("rivers", (0.2, -3.4), (0.2, 4.2), 0.5),
        ("crevice", (-1.0, 1.5), (-1.0, 5.5), 0.5),
        ("columns", (-2.5, -2.6), (-2.5, 2.6), 0.8),
        ("course", (0.0, -2.5), (0.0, 2.5), 0.7),
    ],
)
def test_gaps_cannot_be_crossed_without_a_long_step(scenes, name, start, goal, stride):
    assert not steps_across(scenes[name], start, goal, stride)


def test_the_course_has_its_beam_holes_bar_and_chair_in_order(scenes):
    course = scenes["course"]
    z = [course.obstacle(n).position[2] for n in ("beam", "bar", "chair")]
    assert z == sorted(z)
    beam = np.column_stack([np.zeros(12), np.linspace(-6.2, -3.0, 12)])
    assert course.height(beam) == pytest.approx(0.12)
    assert point_clearance(course, [[0.0, 1.0, 3.6], [0.0, 1.28, 3.6]])[0][1] < 0.0
    assert course.obstacle("chair").point("seat")[1] == pytest.approx(0.45)


def test_the_stairs_rise_by_their_steps_to_the_gallery(scenes):
    stairs = scenes["stairs"]
    up = stairs.height(np.column_stack([np.full(40, -2.5), np.linspace(-4.2, -1.0, 40)]))
    assert np.diff(up).min() >= 0.0
    assert np.diff(up).max() == pytest.approx(0.17)
    assert up[-1] == pytest.approx(1.36)
    ramp = stairs.height(np.column_stack([np.full(60, -2.5), np.linspace(0.0, 7.0, 60)]))
    assert np.abs(np.diff(ramp)).max() < 0.05
    assert not stairs.blocked_polygons().intersects(Point(2.5, 4.0).buffer(0.3))


def test_the_cup_on_the_table_is_within_reach(scenes):
    room = scenes["room"]
    cup = room.obstacle("dining table").point("item")
    goal = room.query("to the table").goal
    assert cup[1] == pytest.approx(0.81)
    assert np.hypot(cup[0] - goal.x, cup[2] - goal.z) < 0.9


def test_the_plaza_is_100_m_of_streets(scenes):
    plaza = scenes["plaza"]
    assert plaza.bounds.bounds == (-50.0, -50.0, 50.0, 50.0)
    free = plaza.bounds.difference(plaza.blocked_polygons()).buffer(-0.3)
    assert max(g.area for g in getattr(free, "geoms", [free])) > 0.5 * plaza.bounds.area


def test_hills_roll_but_can_be_walked(scenes):
    hills = scenes["hills"]
    points = np.random.default_rng(0).uniform(-19, 19, (4000, 2))
    heights = hills.height(points)
    assert heights.max() - heights.min() > 2.0
    assert foot_placements(hills, np.column_stack([points, np.zeros(4000)])).valid.mean() > 0.9
    assert not is_under_water(hills, points).any()
