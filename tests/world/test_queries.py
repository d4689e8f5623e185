"""The batched queries against linear programming, shapely, trimesh and plain formulas."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.errors import InputError
from footfall.world.collision.queries import body_clearance, capsule_clearance, point_clearance
from footfall.world.collision.shape_kernels import HIGH, LOW, C, F, H, box_meets
from footfall.world.obstacles import Obstacle, ObstaclePart, matrix, yaw_rotation
from footfall.world.scene import Scene, rectangle
from footfall.world.snapshot import WORK
from tests.sweeps import THOROUGH, examples
from tests.world.oracles import (
    box_meets_triangle,
    box_rows,
    convex_sets_meet,
    least_along,
    point_box,
    point_cylinder,
    point_triangles,
    prism_rows,
    winding,
)
from tests.world.scenes import (
    blob,
    mixed_scene,
    triangles_of,
    turned_box,
    upright_box,
    upright_cylinder,
)

seeds = st.integers(0, 2**31)


def alone(obstacle: Obstacle) -> Scene:
    return Scene("alone", rectangle([-99, -99], [99, 99]), obstacles=(obstacle,))


def box_of(obstacle):
    return obstacle.position, matrix(obstacle.rotation), obstacle.parts[0].half


# ---- boxes ----------------------------------------------------------------------------------


def foot_box(centre, frame, half):
    """Return a `WORK` record that holds an upright box, as `place_foot` writes it."""
    work = np.zeros(1, WORK).view(np.recarray)[0]
    work.box[C : C + 3], work.box[F : F + 9], work.box[H : H + 3] = centre, frame.ravel(), half
    reach = np.abs(frame) @ half
    work.box[LOW : LOW + 3], work.box[HIGH : HIGH + 3] = centre - reach, centre + reach
    return work


def test_a_foots_box_meets_what_linear_programming_says_it_does(rng):
    boxes = [turned_box(rng, 1.0) for _ in range(40)]
    rounds = [
        upright_cylinder(*rng.uniform(-1, 1, 2), *rng.uniform([0.1, 0.2], [0.6, 1.5]), -0.5)
        for _ in range(40)
    ]
    faces = [
        Obstacle("mesh", (ObstaclePart("mesh", np.zeros(3), np.zeros(3), triangles=[[0, 1, 2]],
                                       vertices=rng.normal(size=(3, 3))),), np.zeros(3))
        for _ in range(40)
    ]  # fmt: skip
    outcomes = []
    for thing in [*boxes, *rounds, *faces]:
        c, h = rng.uniform(-1, 1, 3), rng.uniform(0.1, 0.5, 3)
        f = matrix(yaw_rotation(rng.uniform(-np.pi, np.pi)))
        hit = bool(box_meets(alone(thing).snapshot().world.table, 0, foot_box(c, f, h)))
        rows = box_rows(c, f, h)
        if thing.kind == "box":
            assert hit == convex_sets_meet(rows, box_rows(*box_of(thing)))
        elif thing.kind == "cylinder":
            half = thing.parts[0].half
            middle = thing.position + thing.parts[0].centre
            ends = (middle[1] - half[1], middle[1] + half[1])
            inner = prism_rows(middle[0], middle[2], half[0] * np.cos(np.pi / 96), *ends, 96)
            outer = prism_rows(middle[0], middle[2], half[0], *ends, 96)
            assert hit >= convex_sets_meet(rows, inner)
            assert hit <= convex_sets_meet(rows, outer)
        else:
            assert hit == box_meets_triangle(c, f, h, triangles_of(thing)[0])
        outcomes.append(hit)
    assert 20 < sum(outcomes) < 100


# ---- distances ------------------------------------------------------------------------------


@examples(15)
@given(seeds)
def test_point_clearance_is_the_least_signed_distance_of_all_obstacles(seed):
    rng = np.random.default_rng(seed)
    scene = mixed_scene(rng, 12)
    points = rng.uniform(-5, 5, (150, 3)) * [1, 0.4, 1]
    each = []
    for thing in scene.obstacles:
        if thing.kind == "box":
            each.append(point_box(points, *box_of(thing)))
        elif thing.kind == "cylinder":
            half = thing.parts[0].half
            each.append(
                point_cylinder(points, thing.position + thing.parts[0].centre, half[0], half[1])
            )
        else:
            corners = triangles_of(thing)
            inside = np.abs(winding(points, corners)) > 0.5
            each.append(point_triangles(points, corners) * np.where(inside, -1.0, 1.0))
    expected = np.array(each)
    distance, which = point_clearance(scene, points)
    assert distance == pytest.approx(expected.min(axis=0), abs=1e-9)
    assert expected[which, np.arange(len(points))] == pytest.approx(distance, abs=1e-9)


def test_capsule_clearance_agrees_with_the_least_distance_along_the_axis(rng):
    many, few = (40, 3) if THOROUGH else (12, 1)
    things = [turned_box(rng, 0.5) for _ in range(many)]
    things += [upright_cylinder(*rng.uniform(-1, 1, 2), 0.4, 0.9) for _ in range(many)]
    things += [blob(rng, rng.uniform(-1, 1, 3), 0.5) for _ in range(few)]
    for thing in things:
        ends = rng.uniform(-2.0, 2.0, (4, 2, 3))
        ours, which = capsule_clearance(alone(thing), ends, 0.1)
        assert (which == 0).all()
        for n, (a, b) in enumerate(ends):
            assert ours[n] == pytest.approx(axis_distance(thing, a, b) - 0.1, abs=2e-6)


def axis_distance(thing, a, b) -> float:
    """The least distance of the points between a and b; below 0 within a mesh."""
    if thing.kind == "box":
        return least_along(lambda p: np.maximum(point_box(p, *box_of(thing)), 0.0), a, b)
    if thing.kind == "cylinder":
        half, middle = thing.parts[0].half, thing.position + thing.parts[0].centre
        return least_along(
            lambda p: np.maximum(point_cylinder(p, middle, half[0], half[1]), 0.0), a, b
        )
    corners = triangles_of(thing)
    least = min(least_along(lambda p, t=t: point_triangles(p, t[None]), a, b) for t in corners)
    return -least if np.abs(winding(a[None], corners))[0] > 0.5 else least


@examples(25)
@given(seeds)
def test_body_clearance_is_the_distance_to_footprints(seed):
    from shapely import Point
    from shapely.affinity import rotate, translate
    from shapely.geometry import box as rectangle_of

    rng = np.random.default_rng(seed)
    things, shapes = [], []
    for _ in range(8):
        x, z, yaw = *rng.uniform(-4, 4, 2), rng.uniform(-3, 3)
        size = rng.uniform(0.2, 1.5, 3)
        base = rng.choice([0.0, 0.5, 2.5])
        things.append(upright_box(x, z, size, yaw, base))
        # A turn to the left takes z towards x: clockwise in the (x, z) plane.
        flat = rectangle_of(-size[0] / 2, -size[2] / 2, size[0] / 2, size[2] / 2)
        shape = translate(rotate(flat, -np.degrees(yaw), origin=(0, 0)), x, z)
        if base < 1.8 and base + size[1] > 0.25:
            shapes.append(shape)
    scene = Scene("boxes", rectangle([-5, -5], [5, 5]), obstacles=tuple(things))
    points = rng.uniform(-5, 5, (60, 2))
    distance, _ = body_clearance(scene, points, base=0.0)
    expected = [
        min((-s.exterior.distance(Point(p)) if s.contains(Point(p)) else s.distance(Point(p)))
            for s in shapes) if shapes else np.inf
        for p in points
    ]  # fmt: skip
    assert distance == pytest.approx(np.array(expected), abs=1e-9)


def test_body_clearance_of_leaning_boxes_sees_only_what_is_in_the_band(rng):
    from scipy.spatial import ConvexHull
    from shapely import Point
    from shapely.geometry import MultiPoint

    for _ in range(30 if THOROUGH else 10):
        thing = turned_box(rng, 0.3)
        c, f, h = box_of(thing)
        signs = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])
        corners = (signs * h) @ f.T + c
        low, high = 0.0, 0.35
        # Points of the part in the band: a dense cloud on the hull's edges and faces.
        weights = rng.dirichlet(np.full(8, 0.08), 60000)
        cloud = weights @ corners
        cloud = cloud[(cloud[:, 1] >= low) & (cloud[:, 1] <= high)]
        if len(cloud) < 100:
            continue
        shape = MultiPoint(cloud[ConvexHull(cloud[:, [0, 2]]).vertices][:, [0, 2]]).convex_hull
        points = rng.uniform(-1.5, 1.5, (20, 2))
        ours, _ = body_clearance(alone(thing), points, body_height=high, step_height=1e-9, base=low)
        for p, d in zip(points, ours, strict=True):
            # The cloud lies inside the true part, so it can only be further away.
            assert d <= shape.distance(Point(p)) + 1e-9
            assert d >= shape.distance(Point(p)) - 0.12 or d < 0


@examples(20)
@given(seeds, st.integers(1, 40))
def test_broad_phase_changes_no_answer(seed, count):
    rng = np.random.default_rng(seed)
    scene = mixed_scene(rng, count, spread=float(rng.choice([0.5, 4.0, 40.0])))
    points = rng.uniform(-8, 8, (40, 3))
    every = [point_clearance(alone(o), points)[0] for o in scene.obstacles]
    ours, _ = point_clearance(scene, points)
    assert ours == pytest.approx(np.min(every, axis=0), abs=1e-12)
    ends = rng.uniform(-8, 8, (40, 2, 3)) * [1.0, 0.3, 1.0]
    every = [capsule_clearance(alone(o), ends, 0.1)[0] for o in scene.obstacles]
    assert capsule_clearance(scene, ends, 0.1)[0] == pytest.approx(np.min(every, axis=0), abs=1e-12)


def test_reach_hides_what_is_further_and_nothing_nearer(rng):
    scene = mixed_scene(rng, 20)
    points = rng.uniform(-6, 6, (300, 3))
    full, _ = point_clearance(scene, points)
    short, which = point_clearance(scene, points, reach=0.5)
    assert short == pytest.approx(np.minimum(full, 0.5))
    assert ((which == -1) == (full >= 0.5)).all()


# ---- misuse ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda s: point_clearance(s, [[0.0, np.nan, 0.0]]), "finite"),
        (lambda s: point_clearance(s, [[0.0, 0.0]]), "shape"),
        (lambda s: point_clearance(s, [[0.0, 0.0, 0.0]], reach=0.0), "reach"),
        (lambda s: capsule_clearance(s, [[[0.0] * 3] * 2], -1.0), "radius"),
        (lambda s: body_clearance(s, [[0.0, 0.0]], body_height=0.1), "step_height"),
    ],
)  # fmt: skip
def test_misuse_is_one_sentence(rng, ask, says):
    with pytest.raises(InputError, match=says):
        ask(mixed_scene(rng, 3))


def test_an_empty_scene_answers_that_nothing_is_near():
    scene = Scene("empty", rectangle([-1, -1], [1, 1]))
    assert point_clearance(scene, [[0.0, 0.0, 0.0]])[0][0] == np.inf
    assert point_clearance(scene, np.zeros((0, 3)))[0].shape == (0,)
