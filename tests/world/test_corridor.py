"""The corridor map against solvers that share nothing with it."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import cKDTree
from shapely import Polygon, box

from footfall.errors import InputError
from footfall.files.scene.read import load_scene
from footfall.world.corridor.corridor_map import (
    CorridorMap,
    CorridorPath,
    build_corridor_map,
    corridor_map_of,
)
from tests.sweeps import examples
from tests.world.grid_oracle import (
    SIDE,
    connected,
    exact_length,
    grid_length,
    random_scene,
    room_for,
)

GAP = 0.7  # width of the door in the wall below
WALL = shapely.unary_union([box(4, 0, 4.2, 3), box(4, 3 + GAP, 4.2, 6)])


def _random_query(seed: int) -> tuple[Polygon, shapely.Geometry, float, np.ndarray, np.ndarray]:
    """A random scene, a body radius and two places where it fits."""
    for again in range(100):
        bounds, blocked = random_scene(seed + again * 7919)
        rng = np.random.default_rng(seed + 1)
        radius = float(rng.uniform(0.1, 0.5))
        room = room_for(bounds, blocked, radius * 1.001)
        places = rng.uniform(0, SIDE, (400, 2))
        places = places[shapely.contains_xy(room, places)]
        if len(places) >= 2:
            return bounds, blocked, radius, places[0], places[1]
    raise AssertionError("no place to stand in a hundred scenes")


def _check_clear(path: CorridorPath, free: shapely.Geometry, radius: float) -> None:
    line = shapely.LineString(path.points)
    assert free.contains(line)
    assert free.boundary.distance(line) >= radius - 1e-6


def _curvatures(path: CorridorPath) -> np.ndarray:
    step = np.linalg.norm(np.diff(path.points, axis=0), axis=1)
    return np.abs(np.diff(np.unwrap(path.headings))) / np.maximum(step, 1e-9)


@examples(240)
@given(seed=st.integers(0, 2**31))
def test_paths_are_clear_short_and_there_whenever_a_way_is(seed: int) -> None:
    bounds, blocked, radius, start, goal = _random_query(seed)
    path = build_corridor_map(bounds, blocked).path(start, goal, radius)
    if path.status == "no path":
        assert not connected(room_for(bounds, blocked, radius * 1.001), start, goal)
        return
    assert path.status == "found", path.reason
    _check_clear(path, bounds.difference(blocked), radius)
    assert path.points[0] == pytest.approx(start)
    assert path.points[-1] == pytest.approx(goal)
    shortest = grid_length(room_for(bounds, blocked, radius), start, goal)
    assert path.shortest_m <= shortest * 1.0005 + 1e-3
    assert path.length_m <= 1.1 * path.shortest_m + 1e-9


@examples(30)
@given(seed=st.integers(0, 2**31))
def test_the_shortest_route_is_that_of_the_visibility_graph(seed: int) -> None:
    bounds, blocked, radius, start, goal = _random_query(seed)
    way = build_corridor_map(bounds, blocked).shortest_route(start, goal, radius)
    exact = exact_length(bounds, blocked, radius, start, goal)
    assert (way is None) == np.isinf(exact) or not connected(
        room_for(bounds, blocked, radius * 1.001), start, goal
    )
    if way is not None and np.isfinite(exact):
        assert way.ends[-1] == pytest.approx(exact, rel=3e-3, abs=1e-4)


@examples(60)
@given(seed=st.integers(0, 2**31), turn_radius=st.floats(0.3, 1.5))
def test_curvature_stays_within_the_limit_or_the_status_says_so(
    seed: int, turn_radius: float
) -> None:
    bounds, blocked, radius, start, goal = _random_query(seed)
    path = build_corridor_map(bounds, blocked).path(start, goal, radius, turn_radius=turn_radius)
    if path.status == "no path":
        return
    _check_clear(path, bounds.difference(blocked), radius)
    tightest = 1.0 / max(float(_curvatures(path).max(initial=0.0)), 1e-9)
    if path.status == "found":
        assert tightest >= turn_radius * 0.999
    else:
        assert path.status == "too tight to turn"
        assert f"{path.turn_radius_m:.3f}" in path.reason
        assert path.turn_radius_m < turn_radius


@examples(25)
@given(seed=st.integers(0, 2**31))
def test_an_updated_map_answers_as_one_built_anew(seed: int) -> None:
    bounds, blocked, radius, start, goal = _random_query(seed)
    rng = np.random.default_rng(seed)
    before = build_corridor_map(bounds, blocked)
    x, z = rng.uniform(0, SIDE, 2)
    one = box(x, z, x + rng.uniform(0.2, 1.5), z + rng.uniform(0.2, 1.5))
    moved = blocked.difference(one) if rng.random() < 0.5 else blocked.union(one)
    if bounds.difference(moved).is_empty:
        return
    updated, anew = before.updated(moved), build_corridor_map(bounds, moved)
    a, b = updated.path(start, goal, radius), anew.path(start, goal, radius)
    assert a.status == b.status
    np.testing.assert_array_equal(a.points, b.points)
    _check_same_axis(updated, anew)


def _check_same_axis(a: CorridorMap, b: CorridorMap) -> None:
    far, _ = cKDTree(a.axis.nodes).query(b.axis.nodes)
    assert np.quantile(far, 0.99) < 1e-6
    lengths = [
        np.linalg.norm(np.diff(c.axis.nodes[c.axis.edges], axis=1), axis=2).sum() for c in (a, b)
    ]
    assert lengths[0] == pytest.approx(lengths[1], rel=1e-3)


@pytest.mark.parametrize("name", ["room", "dungeon", "plaza"])
def test_paths_through_the_built_in_scenes(name: str) -> None:
    scene = load_scene(name)
    corridors = corridor_map_of(scene)
    free = scene.bounds.difference(scene.blocked_polygons())
    radius, found = 0.25, 0
    room, a_little_less = free.buffer(-radius, quad_segs=64), free.buffer(-1.001 * radius)
    for query in scene.queries:
        start, goal = (
            np.array([query.start.x, query.start.z]),
            np.array([query.goal.x, query.goal.z]),
        )
        path = corridors.path(start, goal, radius)
        if path.status == "found":
            found += 1
            _check_clear(path, free, radius)
            cell = 0.5 if name == "plaza" else 0.1
            assert path.shortest_m <= grid_length(room, start, goal, cell) * 1.0005 + 1e-3
            assert path.length_m <= 1.1 * path.shortest_m
        elif path.status == "no path":
            assert not connected(a_little_less, start, goal)
        else:
            blocked_end = start if path.status == "start blocked" else goal
            assert not a_little_less.contains(shapely.Point(blocked_end))
    assert found >= 2


def test_a_square_has_its_diagonals_for_a_medial_axis() -> None:
    axis = build_corridor_map(box(0, 0, 4, 4), Polygon()).axis
    x, z = axis.nodes.T
    off = np.minimum(np.abs(x - z), np.abs(x + z - 4))
    assert off.max() < 1e-6
    assert axis.clearances.max() == pytest.approx(2.0, abs=0.05)


def test_between_parallel_walls_the_axis_is_half_way() -> None:
    axis = build_corridor_map(box(0, 0, 20, 2), Polygon()).axis
    middle = np.abs(axis.nodes[:, 0] - 10) < 8
    assert middle.sum() > 10
    np.testing.assert_allclose(axis.clearances[middle], 1.0, atol=1e-3)


def test_clearances_are_those_of_shapely() -> None:
    bounds, blocked = random_scene(5)
    points = np.random.default_rng(0).uniform(-1, SIDE + 1, (3000, 2))
    free = bounds.difference(blocked)
    signed = shapely.distance(free.boundary, shapely.points(points))
    signed[~shapely.contains_xy(free, points)] *= -1
    ours = build_corridor_map(bounds, blocked).clearances(points)
    np.testing.assert_allclose(ours, signed, atol=1e-9)


@pytest.mark.parametrize(("radius", "status"), [(0.5 * GAP - 1e-6, "found"), (0.36, "no path")])
def test_a_door_lets_exactly_its_width_through(radius: float, status: str) -> None:
    path = build_corridor_map(box(0, 0, 8, 6), WALL).path((1, 3.3), (7, 3.3), radius)
    assert path.status == status
    if status == "found":
        _check_clear(path, box(0, 0, 8, 6).difference(WALL), radius)
    else:
        assert "0.350 m" in path.reason


def test_where_there_is_room_the_path_keeps_off_walls() -> None:
    corridors = build_corridor_map(box(0, 0, 20, 10), box(8, 4, 12, 10))
    path = corridors.path((4, 6), (16, 6), 0.3, prefer=0.4)
    beside = (path.points[:, 0] > 9) & (path.points[:, 0] < 11)
    assert path.clearances[beside].min() > 0.55
    hugging = corridors.path((4, 6), (16, 6), 0.3, prefer=0.0)
    assert hugging.clearances[beside[: len(hugging.clearances)]].min() < 0.4


def test_points_are_even_and_headings_follow_them() -> None:
    path = build_corridor_map(box(0, 0, 8, 6), WALL).path((1, 1), (7, 1), 0.25, step=0.02)
    step = np.diff(path.points, axis=0)
    size = np.linalg.norm(step, axis=1)
    assert size.max() <= 0.02 + 1e-9
    assert size.min() > 0.9 * size.max()
    # yaw turns +z towards +x
    yaw = np.arctan2(step[:, 0], step[:, 1])
    middle = 0.5 * (path.headings[1:] + path.headings[:-1])
    assert np.abs(np.angle(np.exp(1j * (yaw - middle)))).max() < 0.01
    turning = np.diff(np.unwrap(path.headings)) / size
    np.testing.assert_allclose(
        0.5 * (path.curvatures[1:] + path.curvatures[:-1]), turning, atol=0.1
    )


def test_curvature_is_continuous() -> None:
    path = build_corridor_map(box(0, 0, 8, 6), WALL).path((1, 1), (7, 1), 0.25, step=0.01)
    assert np.abs(np.diff(path.curvatures)).max() < 0.15 * np.abs(path.curvatures).max()


def test_blocked_ends_are_a_status() -> None:
    corridors = build_corridor_map(box(0, 0, 8, 6), WALL)
    assert corridors.path((4.1, 1), (7, 1), 0.3).status == "start blocked"
    blocked = corridors.path((1, 1), (4.3, 1), 0.3)
    assert blocked.status == "goal blocked"
    assert "0.100 m from an obstacle" in blocked.reason
    assert not blocked
    assert corridors.path((1, 1), (99, 1), 0.3).status == "goal blocked"


def test_start_and_goal_may_be_the_same() -> None:
    path = build_corridor_map(box(0, 0, 8, 6), WALL).path((1, 1), (1, 1), 0.3)
    assert path.status == "found"
    assert path.length_m == 0.0
    assert np.isfinite(path.headings).all()


@pytest.mark.parametrize(
    ("start", "goal", "options", "words"),
    [
        ((np.nan, 1), (7, 1), {"radius": 0.3}, "start holds nan"),
        ((1, 1), (7, 1, 2), {"radius": 0.3}, "goal has shape"),
        ("here", (7, 1), {"radius": 0.3}, "start is no array of numbers"),
        ((1, 1), (7, 1), {"radius": 0.0}, "radius is 0.0 m"),
        ((1, 1), (7, 1), {"radius": np.nan}, "radius is nan m"),
        ((1, 1), (7, 1), {"radius": 0.3, "step": -1.0}, "step is -1.0 m"),
        ((1, 1), (7, 1), {"radius": 0.3, "turn_radius": 0.0}, "turn_radius is 0.0 m"),
    ],
)
def test_misuse_is_refused_with_one_sentence(
    start: object, goal: object, options: dict[str, float], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        build_corridor_map(box(0, 0, 8, 6), WALL).path(start, goal, **options)  # type: ignore[arg-type]


def _field_of_posts(count: int, seed: int = 0) -> tuple[Polygon, shapely.Geometry]:
    """A square with posts at random, about one on five square metres."""
    rng = np.random.default_rng(seed)
    side = float(np.sqrt(5.0 * count))
    at = rng.uniform(2.0, side - 2.0, (count, 2))
    return box(0, 0, side, side), shapely.union_all(shapely.box(*at.T, *(at.T + 0.4)))


def test_a_query_looks_only_at_what_is_near_it() -> None:
    corridors = build_corridor_map(*_field_of_posts(3000))
    assert corridors.path((1, 1), (9, 9), 0.25).status == "found"
    assert (corridors.tangents.rows[:, 0] >= 0).mean() < 0.05


def test_routes_do_not_depend_on_what_was_asked_before() -> None:
    area = _field_of_posts(300)
    fresh, used = build_corridor_map(*area), build_corridor_map(*area)
    rng = np.random.default_rng(1)
    places = rng.uniform(0.5, 1.5, (6, 2)) + np.arange(6)[:, None] * 6.0
    for place in places:
        used.shortest_route((1, 1), place, 0.3)
        used.shortest_route(place, (1, 1), 0.2)
    a, b = (m.shortest_route((1, 1), (37, 37), 0.25) for m in (fresh, used))
    assert a is not None
    assert b is not None
    np.testing.assert_array_equal(a.stretches, b.stretches)


def test_a_flag_ends_the_search_and_the_status_says_so() -> None:
    corridors = build_corridor_map(*_field_of_posts(1000))
    path = corridors.path((1, 1), (69, 69), 0.25, cancel=np.ones(1, np.uint8))
    assert path.status == "cancelled"
    assert corridors.path((1, 1), (69, 69), 0.25).status == "found"


def _tangent_pairs(cones: np.ndarray, v: int, radius: float) -> set[tuple[int, int]]:
    """Corner and sides of every stretch that is tangent at corner v and there, for one radius."""
    pairs = set()
    offset = cones[:, :2] - cones[v, :2]
    square = (offset**2).sum(axis=1)
    for sides in range(4):
        i, j = 1 - (sides & 2), 1 - 2 * (sides & 1)
        shift = (j - i) * radius
        length = np.sqrt(np.maximum(square - shift**2, 0.0))
        along = length[:, None] * offset + shift * offset[:, ::-1] * [1, -1]
        along /= np.maximum(square, 1e-12)[:, None]
        fits = (square > shift**2) & (square > 0.0)
        for side, a, b in ((i, cones[v, 2:4], cones[v, 4:]), (j, cones[:, 2:4], cones[:, 4:])):
            out = side * along[:, ::-1] * [1, -1]
            a, b = np.broadcast_arrays(a, b) if a.ndim == 2 else (a[None], b[None])
            fits &= a[:, 0] * out[:, 1] - a[:, 1] * out[:, 0] >= 0.0
            fits &= out[:, 0] * b[:, 1] - out[:, 1] * b[:, 0] >= 0.0
            fits &= (out * (a + b)).sum(axis=1) > 0.0
        pairs |= {(int(w), sides) for w in np.flatnonzero(fits)}
    return pairs


def test_corners_that_see_each_other_are_all_found_and_no_others() -> None:
    from footfall.world.corridor.search_kernels import see_corners

    corridors = build_corridor_map(*_field_of_posts(400))
    outlines, cones = corridors.outlines, corridors.outlines.corners
    free = corridors.free.buffer(1e-7)
    found = np.empty((4 * len(cones), 2), np.int32)
    for v in range(0, len(cones), 160):
        count = see_corners(v, cones, 0.3, outlines.grid, found)
        seen = {(int(w), int(sides)) for w, sides in found[:count]}
        lines = shapely.linestrings(
            np.stack([np.broadcast_to(cones[v, :2], (len(cones), 2)), cones[:, :2]], axis=1)
        )
        visible = set(np.flatnonzero(shapely.covers(free, lines)).tolist()) - {v}
        assert {w for w, _ in seen} <= visible
        for radius in (1e-3, 0.1, 0.2, 0.3):
            needed = {p for p in _tangent_pairs(cones, v, radius) if p[0] in visible}
            assert needed <= seen
            assert len(needed) > 5


def test_bad_areas_are_refused() -> None:
    bow = Polygon([(0, 0), (2, 2), (2, 0), (0, 2)])
    with pytest.raises(InputError, match="not a valid area"):
        build_corridor_map(box(0, 0, 8, 6), bow)
    with pytest.raises(InputError, match="nothing of the bounds free"):
        build_corridor_map(box(0, 0, 8, 6), box(-1, -1, 9, 9))
    with pytest.raises(InputError, match="bounds is no area"):
        build_corridor_map(shapely.Point(0, 0), WALL)  # type: ignore[arg-type]
