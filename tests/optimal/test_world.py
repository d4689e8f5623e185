"""What a scene allows the body, asked of the grids by the edges that the search would go."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from footfall.errors import InputError
from footfall.files.scene.read import load_scene
from footfall.gait.signatures import LEFT_FOOT, RIGHT_FOOT, SEAT
from footfall.optimal.search_arrays import ROUTE, BodyArrays, make_scratch
from footfall.optimal.world import make_world, pack_world
from footfall.optimal.world_kernels import ground_under, keep_clear, keep_landing, nodes_stand
from footfall.world.collision.queries import body_clearance
from footfall.world.moving import KeyedMotion
from footfall.world.obstacles import Obstacle
from footfall.world.props import box_parts
from footfall.world.scene import Scene, rectangle

TRUNK = (0.0, 0.0, 0.2, 0.5, 1.7)
LEGS = (0.0, 0.0, 0.15, 0.0, 0.9)


def step_of(length: float, discs: tuple[tuple[float, ...], ...] = (TRUNK, LEGS), rise: float = 0.0):
    """A body whose left foot swings `length` metres ahead and lands beside where its right stands.

    Node 0 stands on the right foot, node 1 on the left; edge 0 leads from one to the other.
    """
    touching = np.array([[LEFT_FOOT, RIGHT_FOOT], [RIGHT_FOOT, LEFT_FOOT]], np.int32)
    points = np.zeros((2, 3, 4), np.float32)
    points[:, 0, 0], points[:, 1, 0], points[:, 2, 1] = 0.05, -0.05, 0.45
    table = np.array([discs], np.float32)
    reach = np.array([max(np.hypot(d[0], d[1]) + d[2] for d in discs)], np.float32)
    body = BodyArrays(touching, points, table, reach)
    return body, (0.0, length, 1.0, 0.0, rise)


def can_go(world, body, move, pose) -> bool:
    """Whether edge 0 of a body can be gone from a pose (x, z, cosine and sine of the yaw)."""
    packed, (x, z, c, s), (mx, mz, mc, ms, rise) = pack_world(world), pose, move
    packed = packed._replace(cells=packed.cells.view(np.recarray))
    scratch, routes = make_scratch(1), np.zeros(1, ROUTE)
    origin, rows, routes["rise"] = scratch.origin, scratch.rows, rise
    origin["x"], origin["z"], origin["cosine"], origin["sine"] = x, z, c, s
    origin["ground"] = ground_under(packed, body, 0, x, z, c, s)
    rows["x"], rows["z"], rows["to"] = x + mx * c + mz * s, z - mx * s + mz * c, 1
    rows["cosine"], rows["sine"] = c * mc - s * ms, s * mc + c * ms
    start, rows = origin.view(np.recarray)[0], rows.view(np.recarray)
    count = keep_landing(packed, body, routes.view(np.recarray), start, rows, scratch.left, 1)
    return keep_clear(packed, body, start, rows, scratch.left, count) == 1


def may_step(world, at, length, discs=(TRUNK, LEGS), rise=0.0, yaw=0.0) -> bool:
    body, move = step_of(length, discs, rise)
    return can_go(world, body, move, (*at, np.cos(yaw), np.sin(yaw)))


def stands(world, x, z) -> bool:
    body, _ = step_of(0.5)
    out = np.zeros(1, np.bool_)
    pose = np.array([[x, z, 1.0, 0.0]])
    nodes_stand(pack_world(world), body, np.zeros(1, np.int32), pose, out)
    return bool(out[0])


def straight(scene: Scene | None, a: tuple[float, float], b: tuple[float, float], **more):
    return make_world(scene, np.array([a, b]), **more)


@pytest.fixture(scope="module")
def course():
    return straight(
        load_scene("course"), (0.0, -8.0), (0.0, 6.7), touched=[np.array([0, 0.45, 7.4])]
    )


def test_a_plain_without_a_scene_is_free_within_its_corridor():
    world = straight(None, (0.0, 0.0), (0.0, 6.0))
    assert may_step(world, (0.0, 0.0), 0.7)
    assert may_step(world, (0.4, 3.0), 0.7)
    assert not may_step(world, (0.6, 3.0), 0.7)
    assert not may_step(world, (0.0, 6.0), 0.7)


def test_feet_may_not_land_in_holes_but_bodies_go_over_them(course):
    # The first hole reaches from -1.35 to -0.65.
    assert not may_step(course, (0.0, -1.6), 0.6)
    assert may_step(course, (0.0, -1.6), 1.2)
    assert not stands(course, 0.0, -1.0)


def test_a_sole_that_overhangs_an_edge_does_not_stand(course):
    assert stands(course, 0.0, -1.55)
    assert not stands(course, 0.0, -1.40)


def test_the_beam_carries_a_sole_and_the_pit_beside_it_does_not(course):
    assert stands(course, 0.05, -4.6)
    assert not stands(course, 0.35, -4.6)
    # The beam is 12 cm above the rim: it takes a step that climbs as much, or a level one, which
    # legs make up for, but none that leads down.
    assert may_step(course, (-0.05, -6.6), 0.6, rise=0.12)
    assert may_step(course, (-0.05, -6.6), 0.6)
    assert not may_step(course, (-0.05, -6.6), 0.6, rise=-0.05)


def test_a_sole_lies_on_one_level(course):
    # Over the rim before the pit both the beam, 12 cm high, and the ground beside it carry soles.
    assert stands(course, 0.05, -6.1)
    assert not stands(course, 0.17, -6.1)
    assert stands(course, 0.25, -6.1)


def test_who_ducks_passes_the_bar_and_who_does_not_hits_it(course):
    at = (0.0, 3.6)
    assert not may_step(course, at, 0.3)
    assert may_step(course, at, 0.3, discs=((0.0, 0.0, 0.2, 0.0, 1.2),))
    near = course.ceiling[course.ceiling.shape[0] // 2, int((3.0 - course.origin[1]) / 0.025) :][
        :48
    ]
    assert 1.2 <= near.min() <= 1.3


def test_what_is_sat_on_may_be_touched_and_its_back_may_not(course):
    above_seat = ((0.0, 0.0, 0.12, 0.44, 1.3),)
    into_seat = ((0.0, 0.0, 0.12, 0.25, 1.3),)
    wide = straight(
        load_scene("course"), (0.0, 5.0), (0.0, 8.0), touched=[np.array([0.0, 0.45, 7.4])]
    )
    assert may_step(wide, (0.0, 7.35), 0.0, above_seat)
    assert not may_step(wide, (0.0, 7.35), 0.0, into_seat)
    assert not may_step(wide, (0.0, 7.55), 0.0, above_seat)


def test_who_sits_may_lean_on_the_back_of_the_chair_and_who_stands_may_not():
    chair = np.array([0.0, 0.45, 7.4])
    world = straight(load_scene("course"), (0.0, 5.0), (0.0, 8.0), seats=[chair])
    leaning = ((0.0, 0.0, 0.29, 0.42, 1.35),)
    for signature, may in ((LEFT_FOOT | RIGHT_FOOT, False), (LEFT_FOOT | RIGHT_FOOT | SEAT, True)):
        body, move = step_of(0.0, leaning)
        body.touching[:, 1] = signature
        body.points[:, :2, 2] = 0.35  # the feet are before the chair
        assert can_go(world, body, move, (0.0, 7.4, -1.0, 0.0)) == may


@pytest.mark.parametrize(
    ("seats", "may"),
    [
        ([], True),
        ([[0.0, 0.45, 1.0, 0.1]], True),
        ([[0.0, 0.45, 1.2, 0.1]], False),  # the seat is elsewhere
        ([[0.0, 0.60, 1.0, 0.1]], False),  # and here it is higher
        ([[0.0, 0.60, 1.0, 0.1], [0.05, 0.47, 1.05, 0.1]], True),
        ([[0.0, np.nan, 1.0, 0.1]], True),
    ],
)
def test_nobody_sits_where_there_is_no_seat_if_there_are_any(seats, may):
    world = straight(None, (0.0, 0.0), (0.0, 2.0))
    world = replace(world, seats=np.array(seats).reshape(-1, 4))
    for signature, allowed in (
        (LEFT_FOOT | RIGHT_FOOT, True),
        (LEFT_FOOT | RIGHT_FOOT | SEAT, may),
    ):
        body, move = step_of(0.0)
        body.touching[:, 1] = signature
        assert can_go(world, body, move, (0.0, 1.0, 1.0, 0.0)) == allowed


def test_a_seat_that_ends_where_a_band_begins_is_not_in_the_way_above_it():
    world = straight(load_scene("course"), (0.0, 5.0), (0.0, 8.0))
    before = ((0.0, 0.0, 0.25, 0.5, 1.7),)  # 5 cm above the seat, which begins at 7.2
    assert may_step(world, (0.0, 7.1), 0.0, before)
    assert not may_step(world, (0.0, 7.1), 0.0, ((0.0, 0.0, 0.25, 0.35, 1.7),))


def test_feet_that_stay_have_to_stand_as_well(course):
    body, move = step_of(0.0)
    body.touching[:, 1] = LEFT_FOOT | RIGHT_FOOT
    for aside, may in ((0.0, True), (0.08, False)):
        body.points[1, 0, 0] = 0.035 + aside  # the left foot, once the edge is gone
        body.points[0, :2, 0] = body.points[1, 1, 0] = 0.0
        assert can_go(course, body, move, (0.0, -4.6, 1.0, 0.0)) == may


def test_low_things_are_stepped_over_by_what_swings_higher():
    curb = Obstacle("box", box_parts([2.0, 0.2, 0.1]), np.array([0.0, 0.0, 1.0]), name="curb")
    world = straight(Scene("yard", rectangle([-3, -3], [3, 5]), obstacles=(curb,)), (0, 0), (0, 3))
    low, high = (0.0, 0.4, 0.1, 0.02, 0.5), (0.0, 0.4, 0.1, 0.25, 0.7)
    assert not may_step(world, (0.0, 0.6), 0.8, (low,))
    assert may_step(world, (0.0, 0.6), 0.8, (high,))
    assert not may_step(world, (0.0, 0.6), 0.4, (high,))  # it would land on it


def test_stones_are_ground_as_high_as_they_are():
    scene = load_scene("rivers")
    world = straight(scene, (0.2, -3.4), (0.2, 4.2))
    for stone in (o for o in scene.obstacles if o.name.startswith("stone")):
        x, _, z = stone.position
        i, k = np.rint((np.array([x, z]) - world.origin) / world.cell_m).astype(int)
        assert world.foothold[i, k]
        assert world.height[i, k] == pytest.approx(float(scene.height([[x, z]])[0]), abs=0.01)


def test_clearance_agrees_with_the_scene_where_nothing_is_to_be_stood_on():
    scene = load_scene("room")
    world = straight(scene, (-2.45, -2.6), (-0.7, 0.7))
    rng = np.random.default_rng(1)
    cells = rng.integers([0, 0], world.corridor.shape, (400, 2))
    points = world.origin + world.cell_m * cells
    wanted, _ = body_clearance(scene, points, 2.0, 0.0, base=0.0, reach=2.5)
    got = world.clearance[cells[:, 0], cells[:, 1]]
    np.testing.assert_allclose(got, np.maximum(wanted, 0.0), atol=1e-5)


def test_moving_obstacles_are_refused_with_who_can():
    motion = KeyedMotion(
        np.array([0.0, 1.0]), np.array([[0.0, 0, 0], [1.0, 0, 0]]), np.eye(4)[[0, 0]]
    )
    door = Obstacle("box", box_parts([1, 1, 1]), np.zeros(3), name="door", motion=motion)
    with pytest.raises(InputError, match=r"'door' moves.*plan with method roadmap"):
        straight(Scene("yard", rectangle([-3, -3], [3, 3]), obstacles=(door,)), (0, 0), (0, 1))
