"""The batched queries against linear programming, shapely, trimesh and plain formulas."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from footfall.errors import InputError
from footfall.world.collision.queries import (
    body_clearance,
    box_hits,
    boxes_overlap,
    capsule_clearance,
    point_clearance,
    segment_hits,
)
from footfall.world.obstacles import Obstacle, ObstaclePart, matrix
from footfall.world.scene import Scene, rectangle
from tests.sweeps import THOROUGH, examples
from tests.world.oracles import (
    box_meets_triangle,
    box_rows,
    convex_sets_meet,
    first_fraction,
    least_along,
    point_box,
    point_cylinder,
    point_triangles,
    prism_rows,
    triangle_fraction,
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


def frames(rng, count):
    return Rotation.random(count, random_state=int(rng.integers(2**31))).as_matrix()


def unit_boxes(count):
    return np.zeros((count, 3)), np.tile(np.eye(3), (count, 1, 1)), np.ones((count, 3))


def alone(obstacle: Obstacle) -> Scene:
    return Scene("alone", rectangle([-99, -99], [99, 99]), obstacles=(obstacle,))


def box_of(obstacle):
    return obstacle.position, matrix(obstacle.rotation), obstacle.parts[0].half


# ---- boxes ----------------------------------------------------------------------------------


def test_boxes_overlap_agrees_with_linear_programming(rng):
    count = 400
    ca, cb = rng.normal(size=(count, 3)), rng.normal(size=(count, 3))
    fa, fb = frames(rng, count), frames(rng, count)
    ha, hb = rng.uniform(0.05, 1.0, (count, 3)), rng.uniform(0.05, 1.0, (count, 3))
    ours = boxes_overlap(ca, fa, ha, cb, fb, hb)
    for n in range(count):
        expected = convex_sets_meet(box_rows(ca[n], fa[n], ha[n]), box_rows(cb[n], fb[n], hb[n]))
        assert ours[n] == expected, n
    assert 50 < ours.sum() < 350


@given(seeds)
def test_boxes_overlap_is_symmetric_and_ignores_a_common_motion(seed):
    rng = np.random.default_rng(seed)
    ca, cb, ha, hb = rng.normal(size=(4, 20, 3))
    ha, hb = np.abs(ha) + 0.05, np.abs(hb) + 0.05
    fa, fb, turn = frames(rng, 20), frames(rng, 20), frames(rng, 1)[0]
    one = boxes_overlap(ca, fa, ha, cb, fb, hb)
    assert (one == boxes_overlap(cb, fb, hb, ca, fa, ha)).all()
    moved = boxes_overlap(ca @ turn.T + 3.0, turn @ fa, ha, cb @ turn.T + 3.0, turn @ fb, hb)
    assert (one == moved).all()


def test_parallel_boxes_touch_when_faces_meet_and_not_beyond():
    unit, frame = np.full((1, 3), 0.5), np.eye(3)[None]
    offsets = np.array([[1.0, 0, 0], [1.0 + 1e-6, 0, 0], [0, 0.999, 0], [1.0, 1.0, 1.0]])
    frames_b, halves_b = np.tile(frame, (4, 1, 1)), np.tile(unit, (4, 1))
    hit = boxes_overlap(np.zeros((1, 3)), frame, unit, offsets, frames_b, halves_b)
    assert hit.tolist() == [True, False, True, True]


def test_box_hits_agree_with_linear_programming_on_boxes_cylinders_and_triangles(rng):
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
        c, f, h = rng.uniform(-1, 1, 3), frames(rng, 1)[0], rng.uniform(0.1, 0.5, 3)
        hit = bool(box_hits(alone(thing), c, f, h)[0] == 0)
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
    segments = rng.uniform(-8, 8, (40, 2, 3)) * [1.0, 0.3, 1.0]
    every = [segment_hits(alone(o), segments)[0] for o in scene.obstacles]
    assert segment_hits(scene, segments)[0] == pytest.approx(np.min(every, axis=0), abs=1e-12)
    c, f, h = rng.uniform(-6, 6, (40, 3)), frames(rng, 40), rng.uniform(0.1, 1.0, (40, 3))
    every = [box_hits(alone(o), c, f, h) >= 0 for o in scene.obstacles]
    assert ((box_hits(scene, c, f, h) >= 0) == np.any(every, axis=0)).all()


def test_reach_hides_what_is_further_and_nothing_nearer(rng):
    scene = mixed_scene(rng, 20)
    points = rng.uniform(-6, 6, (300, 3))
    full, _ = point_clearance(scene, points)
    short, which = point_clearance(scene, points, reach=0.5)
    assert short == pytest.approx(np.minimum(full, 0.5))
    assert ((which == -1) == (full >= 0.5)).all()


# ---- segments -------------------------------------------------------------------------------


def test_segment_hits_agree_with_linear_programming(rng):
    hits = 0
    for n in range(120):
        start = rng.uniform(-2, 2, 3)
        end = -start + rng.normal(0, 0.4, 3)
        if n % 2:
            thing = turned_box(rng, 0.6)
            expected = first_fraction(*box_rows(*box_of(thing)), start, end)
        else:
            part = ObstaclePart(
                "mesh",
                np.zeros(3),
                np.zeros(3),
                vertices=rng.normal(size=(3, 3)) * 1.5,
                triangles=[[0, 1, 2]],
            )
            thing = Obstacle("mesh", (part,), np.zeros(3))
            expected = triangle_fraction(part.vertices, start, end)
        ours = segment_hits(alone(thing), [[start, end]])[0][0]
        assert (np.isinf(ours) and np.isinf(expected)) or ours == pytest.approx(expected, abs=1e-9)
        hits += np.isfinite(ours)
    assert hits > 20


def test_segments_meet_cylinders_where_the_distance_becomes_zero(rng):
    thing = upright_cylinder(0.2, -0.1, 0.5, 1.2)
    half, middle = thing.parts[0].half, thing.position + thing.parts[0].centre
    segments = rng.uniform(-1.5, 1.5, (400, 2, 3))
    fraction, _ = segment_hits(alone(thing), segments)
    t = np.linspace(0, 1, 801)
    for (a, b), f in zip(segments, fraction, strict=True):
        along = point_cylinder(a + t[:, None] * (b - a), middle, half[0], half[1])
        if np.isinf(f):
            assert along.min() > -1e-3
        else:
            assert along[t < f - 1e-9].min(initial=1.0) > -1e-9
            at = point_cylinder((a + f * (b - a))[None], middle, half[0], half[1])[0]
            assert abs(at) < 1e-9 or (f == 0.0 and at < 0.0)


# ---- misuse ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda s: point_clearance(s, [[0.0, np.nan, 0.0]]), "finite"),
        (lambda s: point_clearance(s, [[0.0, 0.0]]), "shape"),
        (lambda s: point_clearance(s, [[0.0, 0.0, 0.0]], reach=0.0), "reach"),
        (lambda s: capsule_clearance(s, [[[0.0] * 3] * 2], -1.0), "radius"),
        (lambda s: segment_hits(s, [[0.0, 0.0, 0.0]]), "segments"),
        (lambda s: body_clearance(s, [[0.0, 0.0]], body_height=0.1), "step_height"),
        (lambda s: boxes_overlap(*unit_boxes(2), *unit_boxes(3)), "equal"),
        (lambda s: boxes_overlap(*unit_boxes(1), [[0, np.nan, 0]], *unit_boxes(1)[1:]), "pair 0"),
    ],
)  # fmt: skip
def test_misuse_is_one_sentence(rng, ask, says):
    with pytest.raises(InputError, match=says):
        ask(mixed_scene(rng, 3))


def test_an_empty_scene_answers_that_nothing_is_near():
    scene = Scene("empty", rectangle([-1, -1], [1, 1]))
    assert point_clearance(scene, [[0.0, 0.0, 0.0]])[0][0] == np.inf
    assert segment_hits(scene, [[[0.0] * 3, [1.0] * 3]])[1][0] == -1
    assert box_hits(scene, [0.0] * 3, np.eye(3), [1.0] * 3)[0] == -1
    assert point_clearance(scene, np.zeros((0, 3)))[0].shape == (0,)
