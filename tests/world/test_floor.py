"""The floor a body can use."""

from __future__ import annotations

import numpy as np
import pytest
from shapely import Point, union_all
from shapely.geometry import LineString, Polygon

from footfall.world import props
from footfall.world.floor import footprints
from footfall.world.ground import mesh_ground, spline_ground
from footfall.world.obstacles import Obstacle, yaw_rotation
from footfall.world.scene import Hole, Scene, Water, rectangle
from tests.world.scenes import blob, mixed_scene, upright_box, upright_cylinder

FLOOR = rectangle([-5, -5], [5, 5])


def test_upright_obstacles_block_exactly_their_footprints(rng):
    boxes = tuple(
        upright_box(*rng.uniform(-4, 4, 2), rng.uniform(0.3, 2, 3), rng.uniform(-3, 3))
        for _ in range(12)
    )
    scene = Scene("boxes", FLOOR, obstacles=boxes)
    expected = union_all(footprints(scene.snapshot().solids)).intersection(scene.bounds)
    assert scene.blocked_polygons().symmetric_difference(expected).area < 1e-9


def test_low_and_high_things_do_not_block_but_a_bar_does_unless_one_ducks():
    bar = Obstacle("bar", props.bar_parts(1.2, 2.0), np.zeros(3), duck=1.2)
    scene = Scene("things", FLOOR, obstacles=(
        upright_box(-3, 0, [1, 0.2, 1]), upright_box(3, 0, [1, 0.5, 1], base=2.0), bar,
    ))  # fmt: skip
    blocked = scene.blocked_polygons()
    assert not blocked.contains(Point(-3, 0))
    assert not blocked.contains(Point(3, 0))
    assert blocked.contains(Point(0, 0))
    assert not scene.blocked_polygons(duck_height=1.1).contains(Point(0, 0))
    assert scene.blocked_polygons(duck_height=1.3).contains(Point(0, 0))


def test_stairs_lead_up_and_their_sides_do_not():
    stairs = Obstacle("stairs", props.stairs_parts(1.5, 6, 0.17, 0.29, landing=1.5), np.zeros(3))
    blocked = Scene("stairs", FLOOR, obstacles=(stairs,)).blocked_polygons()
    assert not blocked.intersects(LineString([(0, -1), (0, 2.5)]))
    assert blocked.intersects(LineString([(-2, 1.3), (0, 1.3)]))
    assert blocked.intersects(LineString([(0, 2.5), (0, 4)]))


def test_holes_water_and_steep_ground_block_and_stones_in_them_do_not():
    stone = upright_cylinder(0, 0, 0.3, 1.0, base=-1.0, walkable=True)
    hole = Hole(np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]))
    blocked = Scene("hole", FLOOR, obstacles=(stone,), holes=(hole,)).blocked_polygons()
    assert blocked.contains(Point(0.7, 0.7))
    assert not blocked.contains(Point(0, 0))
    heights = np.zeros((30, 30))
    heights[:, 15:] = 3.0
    cliff = Scene("cliff", FLOOR, spline_ground(heights, (-5, -5), (10, 10)), waters=(Water(1.0),))
    blocked = cliff.blocked_polygons()
    assert blocked.contains(Point(-3, 0))
    assert not blocked.contains(Point(3, 0))
    assert blocked.contains(Point(0, 0))


def test_a_closed_mesh_blocks_its_inside_and_a_prism_its_polygon(rng):
    polygon = np.array([[-1, -1], [1, -1], [1.2, 0.2], [0, 0.1], [-1, 1]])
    tall = Obstacle("prism", props.prism_parts(polygon, 3.0), np.zeros(3), yaw_rotation(0.0))
    blocked = Scene("prism", FLOOR, obstacles=(tall,)).blocked_polygons()
    assert blocked.symmetric_difference(Polygon(polygon)).area < 0.15
    assert blocked.contains(Polygon(polygon).buffer(-0.01))
    rock = Scene("rock", FLOOR, obstacles=(blob(rng, [0, 0, 0], 2.0),))
    assert rock.blocked_polygons().contains(Point(0, 0))


def test_no_point_with_an_obstacle_in_the_body_s_way_is_free(rng):
    from footfall.world.collision.queries import body_clearance

    scene = mixed_scene(rng, 30)
    points = rng.uniform(-5, 5, (2000, 2))
    inside = body_clearance(scene, points, base=0.0)[0] < -1e-6
    blocked = scene.blocked_polygons().buffer(1e-6)
    assert inside.sum() > 100
    assert all(blocked.contains(Point(p)) for p in points[inside])


def test_a_mesh_ground_blocks_where_it_is_missing_or_steps_too_high():
    import trimesh

    low = trimesh.creation.box([4.0, 0.2, 10.0])
    high = trimesh.creation.box([4.0, 0.2, 10.0])
    low.apply_translation([-3.0, 0.0, 0.0])
    high.apply_translation([1.0, 0.5, 0.0])
    both = trimesh.util.concatenate([low, high])
    up = both.face_normals[:, 1] > 0.5
    scene = Scene("mesh", FLOOR, mesh_ground(both.vertices, both.faces[up]))
    blocked = scene.blocked_polygons()
    assert blocked.contains(Point(4, 0))
    assert not blocked.contains(Point(-3, 0))
    assert not blocked.contains(Point(1, 0))
    assert blocked.intersects(LineString([(-3, 0), (1, 0)]))
    assert not scene.blocked_polygons(step_height=0.6).intersects(LineString([(-3, 0), (1, 0)]))


@pytest.mark.parametrize("count", [0, 1])
def test_an_open_floor_is_free(count):
    scene = Scene("open", FLOOR, obstacles=(upright_box(0, 0, [1, 0.1, 1]),) * count)
    assert scene.blocked_polygons().area == 0.0
