"""Foot placements against shapely and against the reasons they should have."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shapely.geometry import Polygon
from shapely.geometry import box as rectangle_of

from footfall.errors import InputError
from footfall.world.collision.queries import REASONS, FootBox, foot_placements
from footfall.world.ground import spline_ground
from footfall.world.obstacles import Obstacle, ObstaclePart
from footfall.world.scene import Hole, Scene, Water, rectangle
from tests.sweeps import examples
from tests.world.scenes import blob, upright_box, upright_cylinder

FLOOR = rectangle([-5, -5], [5, 5])


def reasons(scene, feet, **options):
    return [REASONS[r] for r in foot_placements(scene, feet, **options).reason]


def sole(x, z, yaw, foot):
    """The sole as a polygon: u along (sin, cos), v along (cos, -sin)."""
    s, c = np.sin(yaw), np.cos(yaw)
    hl, hw = foot.length / 2, foot.width / 2
    corners = [(hl, hw), (hl, -hw), (-hl, -hw), (-hl, hw)]
    return Polygon([(x + u * s + v * c, z + u * c - v * s) for u, v in corners])


@examples(30)
@given(st.integers(0, 2**31))
def test_on_flat_ground_a_sole_is_valid_where_shapely_says_it_is_clear(seed):
    rng = np.random.default_rng(seed)
    foot = FootBox()
    hole = rng.uniform(-4, 3, 2) + np.array(
        [[0, 0], [1.2, 0.1], [1.0, 1.5], [0.4, 0.5], [-0.1, 1.1]]
    )
    things, shapes = [], []
    for _ in range(10):
        x, z = rng.uniform(-4.5, 4.5, 2)
        width, height, depth = rng.uniform(0.05, 1.0, 3)
        things.append(upright_box(x, z, [width, height, depth]))
        shapes.append(rectangle_of(x - width / 2, z - depth / 2, x + width / 2, z + depth / 2))
    scene = Scene("flat", FLOOR, obstacles=tuple(things), holes=(Hole(hole),))
    feet = np.column_stack([rng.uniform(-5.2, 5.2, (200, 2)), rng.uniform(-4, 4, 200)])
    ours = foot_placements(scene, feet, foot).reason
    for (x, z, yaw), reason in zip(feet, ours, strict=True):
        under = sole(x, z, yaw, foot)
        if not Polygon(FLOOR).contains(under) or Polygon(hole).intersects(under):
            expected = 1
        else:
            expected = 5 if any(s.intersects(under) for s in shapes) else 0
        assert reason == expected


def test_every_reason_is_given_where_it_belongs():
    heights = np.zeros((12, 12))
    heights[:, 8:] += np.linspace(0.0, 4.0, 4) ** 1.5
    ground = spline_ground(heights, (-5, -5), (10, 10))
    scene = Scene("reasons", FLOOR, ground,
                  obstacles=(upright_box(-3, 3, [0.5, 1, 0.5]),
                             upright_box(0, 3, [1, 0.15, 1], walkable=True)),
                  waters=(Water(0.5, rectangle([-5, -5], [-3, -3])),))  # fmt: skip
    feet = [
        [-1, 0, 0.3],
        [-6, 0, 0],
        [-4, -4, 0],
        [0.5, 3.0, 0],
        [3.9, 0, 0.5],
        [-3, 3.2, 0],
        [0, 3, 1.0],
    ]
    assert reasons(scene, feet) == [
        "valid", "no ground", "water", "uneven", "too steep", "obstacle", "valid",
    ]  # fmt: skip
    assert foot_placements(scene, feet).height[-1] == pytest.approx(0.15)


def test_the_sole_lies_in_the_plane_of_the_ground(rng):
    slope = np.array([0.25, -0.15])
    x = np.linspace(-5, 5, 30)
    control = slope[0] * x[None, :] + slope[1] * x[:, None]
    from footfall.world.ground import grid_ground

    scene = Scene("plane", FLOOR, grid_ground(control, (-5, -5), (10, 10)))
    feet = np.column_stack([rng.uniform(-4, 4, (50, 2)), rng.uniform(-3, 3, 50)])
    placed = foot_placements(scene, feet)
    normal = np.array([-slope[0], 1.0, -slope[1]])
    assert placed.valid.all()
    assert placed.normal == pytest.approx(np.tile(normal / np.linalg.norm(normal), (50, 1)))
    assert placed.height == pytest.approx(feet[:, :2] @ slope)


def test_a_stone_carries_a_sole_that_fits_and_none_that_hangs_over():
    stone = upright_cylinder(0, 0, 0.3, 1.0, base=-1.0, walkable=True)
    scene = Scene("stone", FLOOR, obstacles=(stone,),
                  holes=(Hole(np.array([[-2, -2], [2, -2], [2, 2], [-2, 2]])),))  # fmt: skip
    assert reasons(scene, [[0, 0, 0.4], [0.0, 0.2, 0.0], [0.2, 0.0, 0.0], [1, 1, 0]]) == [
        "valid", "no ground", "valid", "no ground",
    ]  # fmt: skip


def test_below_chooses_the_storey_and_the_slab_above_does_not_block_a_low_foot():
    slab = upright_box(0, 0, [2, 0.2, 2], base=2.5, walkable=True)
    scene = Scene("storeys", FLOOR, obstacles=(slab,))
    placed = foot_placements(scene, [[0, 0, 0], [0, 0, 0]], below=[10.0, 1.0])
    assert placed.valid.all()
    assert placed.height == pytest.approx([2.7, 0.0])


def test_a_foot_inside_a_closed_mesh_collides(rng):
    big = blob(rng, [0.0, 0.0, 0.0], 2.0)
    scene = Scene("rock", FLOOR, obstacles=(big,))
    assert reasons(scene, [[0.0, 0.0, 0.0], [4.0, 4.0, 0.0]]) == ["obstacle", "valid"]


def test_a_leaning_walkable_box_is_a_ramp():
    lean = np.radians(15.0)
    turn = np.array([np.cos(lean / 2), np.sin(lean / 2), 0, 0])
    part = ObstaclePart("box", np.zeros(3), np.array([1.0, 0.1, 2.0]), turn, walkable=True)
    scene = Scene("ramp", FLOOR, obstacles=(Obstacle("ramp", (part,), np.array([0.0, 0.3, 0.0])),))
    placed = foot_placements(scene, [[0.0, -1.0, 0.0]])
    assert placed.valid.all()
    assert placed.normal[0] == pytest.approx([0.0, np.cos(lean), np.sin(lean)])
    assert scene.normal([[0.0, 0.5]])[0] == pytest.approx([0.0, np.cos(lean), np.sin(lean)])


def test_a_foot_of_no_size_is_refused():
    with pytest.raises(InputError, match="width is -1"):
        FootBox(width=-1.0)
