"""A scene as the grids that the search of the interpolated graph reads.

A grid covers the box around a sketch. The body may be anywhere within the corridor around it; a
sole may stand where the ground carries it: not in water, not over holes, not on an edge. Stones,
beams and platforms are ground. What stands or hangs about is kept as metres to the nearest of it,
once over all heights, and once for each band of heights, so that what the body sweeps low is
judged by what lies low: one steps over things, ducks under them, sits on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from footfall.body.size import MEAN_BODY, BodySize
from footfall.errors import InputError
from footfall.maths import planar
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.problem import World
from footfall.optimal.search_arrays import CELL, BodyArrays, WorldArrays
from footfall.world.collision.queries import FootBox, body_clearance
from footfall.world.fields import Grid, inside_distance, placement_field
from footfall.world.obstacles import TRIANGLE, Obstacle, ObstaclePart, Solids
from footfall.world.scene import Scene, rectangle

CELL_M, MOST_CELLS = 0.025, 2_000_000
CORRIDOR_M = 0.5
"""How far the root may be from the sketch, unless something else is asked for."""
SLACK_M, _SPARE_M = 0.035, 0.01
"""How far over an edge the search lets a sole stand, which finishing moves onto the ground; and how
far beside where it was searched for a finished sole may be."""
BAND_M = 0.05
"""How high each band of heights is."""
_EDGE_OF_BAND_M = 1e-4
"""What ends where a band begins is not in it."""
_FAR_M = 2.5
"""What is farther from a cell is as good as nowhere."""
_EDGE_M = 0.04
"""Ground that rises more than this from cell to cell has an edge there."""
_POINT_M, _POINT_HIGH_M = 0.02, 0.10
"""A point of a sole as a square, and how high the free box above it is for the mean body."""


def make_world(
    scene: Scene | None, sketch: Floats, corridor_m: float = CORRIDOR_M,
    touched: Sequence[Floats] = (), rooms: Floats | None = None, cell_m: float = CELL_M,
    seats: Sequence[Floats] = (), pose: Floats | None = None,
    size: BodySize = MEAN_BODY,
) -> World:  # fmt: skip
    """Return the grids around a sketch (P, 2), x and z.

    corridor_m  how far from the sketch the root may be
    touched     points (3,) that a hand or the seat is to be at: what carries them may be touched
    rooms       (R, 3) x, z, radius: where the root may be as well
    seats       points (3,) that are sat on: a body that sits may lean on what they belong to
    pose        (3,) x, z and yaw of the axes that the grids have; by default those of the scene
    size        of the body

    The last world of a scene is kept: tries of one task share it.
    """
    pose = np.zeros(3) if pose is None else pose
    rooms = np.zeros((0, 3)) if rooms is None else rooms
    arrays = (sketch, rooms, pose, np.array(touched), np.array(seats))
    key = (corridor_m, cell_m, size, *(np.asarray(a, np.float64).tobytes() for a in arrays))
    known = None if scene is None else _LAST.get(scene)
    if known is not None and known[0] == key:
        return known[1]
    made = _make_world(scene, sketch, corridor_m, touched, rooms, cell_m, seats, pose, size)
    if scene is not None:
        _LAST[scene] = key, made
    return made


_LAST: WeakKeyDictionary[Scene, tuple[Any, World]] = WeakKeyDictionary()


def _make_world(
    scene: Scene | None, sketch: Floats, corridor_m: float, touched: Sequence[Floats],
    rooms: Floats, cell_m: float, seats: Sequence[Floats], pose: Floats, size: BodySize,
) -> World:  # fmt: skip
    discs = np.array(rooms)
    sketch = seen_from(pose, sketch)
    discs[:, :2] = seen_from(pose, discs[:, :2])
    corners = np.concatenate([sketch, discs[:, :2]])
    around = np.concatenate([np.full(len(sketch), corridor_m), discs[:, 2]])[:, None]
    around += size.reach_m
    low, high = (corners - around).min(axis=0), (corners + around).max(axis=0)
    axes = pose
    if scene is None:
        scene, axes = Scene("plain", rectangle(low - 1.0, high + 1.0)), np.zeros(3)
    refuse_moving(scene)
    grid = _grid_of(low, high, cell_m, axes)
    cell_m, shape, points, there = grid.cell_m, grid.shape, grid.own_points, grid.points
    point = FootBox(_POINT_M, _POINT_M, size.in_proportion(_POINT_HIGH_M))
    placed = placement_field(scene, grid, point, float(axes[2]))
    stands = placed.valid & ~_edges(placed.height.reshape(shape), cell_m).ravel()
    near = _near_sketch(points, sketch, corridor_m)
    for x, z, radius in discs.tolist():
        near |= np.hypot(points[:, 0] - x, points[:, 1] - z) <= radius
    near &= _in_scene(scene, there)
    ground = placed.height[stands & near] if (stands & near).any() else np.zeros(1)
    base_y = float(ground.min()) - 0.3
    bands = int(np.ceil((float(ground.max()) + size.headroom_m - base_y) / BAND_M))
    body = _for_bodies(scene, touched, size)
    band_layer, layers = _band_layers(body, there, base_y, bands)
    seat_layer, layers = _without_seats(body, seats, there, base_y, band_layer, layers)
    height = np.where(np.isfinite(placed.height), placed.height, float(np.median(ground)))
    bodies = height, base_y, band_layer, layers
    fits = [_free_at(y, *bodies) for y in np.arange(size.root_low_m, size.root_high_m, BAND_M)]
    free = near & np.logical_or.reduce(fits)
    ceiling = np.full(len(height), np.inf)
    for above in np.arange(size.overhead_m, size.headroom_m, BAND_M)[::-1]:
        ceiling = np.where(_free_at(above, *bodies), ceiling, above)
    clearance = layers.min(axis=0, initial=_FAR_M)
    return World(
        cell_m, low, free.reshape(shape), stands.reshape(shape),
        np.where(stands, height, np.nan).reshape(shape), clearance.reshape(shape),
        ceiling.reshape(shape),
        foothold_m=inside_distance(stands.reshape(shape), cell_m),
        base_y=base_y, band_m=BAND_M, band_layer=band_layer,
        layers=layers.reshape(len(layers), *shape), seat_layer=seat_layer, pose=pose,
        size=size,
    )  # fmt: skip


def _grid_of(low: Floats, high: Floats, cell_m: float, axes: Floats) -> Grid:
    """Return the grid of a box along axes (3,); cells are larger where there were too many."""
    cell_m = max(cell_m, float(np.sqrt(np.prod(high - low) / MOST_CELLS)))
    counts = np.ceil((high - low) / cell_m).astype(int) + 1
    (x, z), (turn_x, turn_z, yaw) = low.tolist(), axes.tolist()
    shape = int(counts[0]), int(counts[1])
    return Grid(x, z, cell_m, shape, middle_at=0.0, pose=(turn_x, turn_z, yaw))


def seen_from(pose: Floats, points: Floats) -> Floats:
    """(..., 2) places of the scene along other axes, without what rounding adds to a turn."""
    return np.round(planar.apply_to_ground(planar.inverse(pose), points), 9)


def poses_seen_from(pose: Floats, poses: Floats) -> Floats:
    """(..., 3) poses of the scene along other axes, without what rounding adds to a turn."""
    own = planar.compose(planar.inverse(pose), poses)
    own[..., 2] = yaws_seen_from(pose, np.asarray(poses)[..., 2])
    return np.asarray(np.round(own, 9))


def yaws_seen_from(pose: Floats, yaws: Floats) -> Floats:
    """(...) yaws of the scene along other axes, above -pi."""
    own = np.round(planar.wrap_angle(yaws - pose[2]), 9)
    return np.asarray(np.where(own <= -np.round(np.pi, 9), own + 2.0 * np.pi, own))


def _edges(height: Floats, cell_m: float) -> Bools:
    """(X, Z) cells beside which the ground is much higher or lower."""
    most = max(_EDGE_M, cell_m)
    out = np.zeros(height.shape, np.bool_)
    for axis in (0, 1):
        steep = np.abs(np.diff(height, axis=axis)) > most
        low, high = [(0, 0), (0, 0)], [(0, 0), (0, 0)]
        low[axis], high[axis] = (0, 1), (1, 0)
        out |= np.pad(steep, low) | np.pad(steep, high)
    return out


def refuse_moving(scene: Scene) -> None:
    """Raise an InputError where something in the scene moves."""
    for number, obstacle in enumerate(scene.obstacles):
        if obstacle.motion is not None:
            name = obstacle.name or f"obstacle {number + 1}"
            raise InputError(
                f"{obstacle.kind} {name!r} moves, and optimal plans among things that stand still",
                where=f"scene {scene.name}", remedy="plan with method roadmap",
            )  # fmt: skip


def _in_scene(scene: Scene, points: Floats) -> Bools:
    """(N,) which points lie in a scene: nobody goes round a wall where the world ends."""
    from shapely import contains_xy, prepare

    bounds = scene.bounds
    prepare(bounds)
    found: Bools = contains_xy(bounds, points[:, 0], points[:, 1])
    return found


def _near_sketch(points: Floats, sketch: Floats, corridor_m: float) -> Bools:
    """(N,) which points lie within `corridor_m` of the sketch."""
    from shapely import LineString, Point, contains_xy, prepare

    moves = len(sketch) > 1 and float(np.ptp(sketch, axis=0).max()) > 1e-9
    line = LineString(sketch) if moves else Point(sketch[0])
    area = line.buffer(corridor_m, quad_segs=16)
    prepare(area)
    found: Bools = contains_xy(area, points[:, 0], points[:, 1])
    return found


def _for_bodies(scene: Scene, touched: Sequence[Floats], size: BodySize) -> Scene:
    """Return the scene with what feet stand on, and what carries `touched` points, lower.

    Feet are lifted onto what is stood on, and a hand sinks into what it touches.
    """
    obstacles = (_sunk(obstacle, touched, size) for obstacle in scene.obstacles)
    return replace(scene, obstacles=tuple(obstacles))


def _sunk(obstacle: Obstacle, touched: Sequence[Floats], size: BodySize) -> Obstacle:
    """The obstacle with what is stood on, and what is touched, lower."""
    parts = []
    for part in obstacle.parts:
        low = size.sunk_m if part.walkable else 0.0
        if any(_carries(part, obstacle.position, obstacle.rotation, p) for p in touched):
            low = max(low, size.touched_m)
        down = np.array([0.0, low, 0.0])
        parts.append(replace(part, centre=part.centre - down, vertices=part.vertices - down))
    return replace(obstacle, parts=tuple(parts))


def _carries(part: ObstaclePart, position: Floats, turn: Floats, point: Floats) -> bool:
    """Whether a point lies on the top of a part, or close to it."""
    from footfall.maths.quaternions import conjugate, rotate

    here = rotate(conjugate(turn), point - position)
    low, high = _bounds(part)
    if part.kind != "mesh":
        here = rotate(conjugate(part.rotation), here - part.centre)
    beside = np.maximum(low - here, here - high)
    return bool(beside[0] <= 0.1 and beside[2] <= 0.1 and -0.2 <= high[1] - here[1] <= 0.05)


def _band_layers(
    scene: Scene, points: Floats, base_y: float, bands: int
) -> tuple[Ints, Any]:  # (B,), (L, N) float32
    """Metres to the nearest thing in each band of heights.

    Bands that meet the same things share a layer; those that meet nothing have none, -1.
    """
    solids = scene.snapshot().solids
    solids = solids.at(solids.solid & _within(solids, points))
    of: dict[bytes, int] = {}
    layers: list[Any] = []
    band_layer = np.full(bands, -1, np.int32)
    for band in range(bands):
        low = base_y + band * BAND_M
        inside, top = low + _EDGE_OF_BAND_M, low + BAND_M - _EDGE_OF_BAND_M
        met = (solids.low[:, 1] < top) & (solids.high[:, 1] > inside)
        if not met.any():
            continue
        # What stands upright is the same at every height; faces of meshes and tilted boxes are not.
        varies = met & ((solids.kind == TRIANGLE) | (solids.frame[:, 1, 1] < 1.0 - 1e-9))
        key = met.tobytes() + (band.to_bytes(4, "little") if varies.any() else b"")
        if key not in of:
            of[key] = len(layers)
            away, _ = body_clearance(
                scene, points, body_height=top - inside, step_height=0.0, base=inside, reach=_FAR_M
            )
            layers.append(np.maximum(away, 0.0).astype(np.float32))
        band_layer[band] = of[key]
    return band_layer, np.array(layers, np.float32).reshape(len(layers), len(points))


def _without_seats(
    scene: Scene, seats: Sequence[Floats], points: Floats, base_y: float, band_layer: Ints,
    layers: Any,
) -> tuple[Ints, Any]:  # fmt: skip
    """The layer (B,) of each band for who sits, and the layers with those that it needs as well.

    Who sits is in the middle of what is sat on: between its arms, with the back on its back.
    """
    others = tuple(o for o in scene.obstacles if not any(_holds(o, seat) for seat in seats))
    if len(others) == len(scene.obstacles):
        return band_layer, layers
    free = replace(scene, obstacles=others)
    seat_layer, more = _band_layers(free, points, base_y, len(band_layer))
    seat_layer = np.where(seat_layer >= 0, seat_layer + len(layers), -1).astype(np.int32)
    return seat_layer, np.concatenate([layers, more])


def _holds(obstacle: Obstacle, point: Floats) -> bool:
    """Whether a point belongs to an obstacle that nobody walks on: is in it, or close above."""
    from footfall.maths.quaternions import conjugate, rotate

    here = rotate(conjugate(obstacle.rotation), point - obstacle.position)
    for part in obstacle.parts:
        low, high = _bounds(part)
        own = here if part.kind == "mesh" else rotate(conjugate(part.rotation), here - part.centre)
        beside = np.maximum(low - own, own - high)
        if not part.walkable and (beside <= [0.1, 0.2, 0.1]).all():
            return True
    return False


def _bounds(part: ObstaclePart) -> tuple[Floats, Floats]:
    """The lowest and the highest corner of a part in its own frame."""
    if part.kind == "mesh":
        return part.vertices.min(axis=0), part.vertices.max(axis=0)
    return -part.half, part.half


def _within(solids: Solids, points: Floats) -> Bools:
    """Which primitives are near the points, seen from above."""
    low, high = points.min(axis=0) - _FAR_M, points.max(axis=0) + _FAR_M
    near: Bools = (
        (solids.low[:, [0, 2]] <= high).all(axis=1) & (solids.high[:, [0, 2]] >= low).all(axis=1)
    )  # fmt: skip
    return near


def _band_at(y: Floats, base_y: float, bands: int) -> Ints:
    return np.clip(np.floor((y - base_y) / BAND_M), 0, bands - 1).astype(np.int32)


def _free_at(above: float, height: Floats, base_y: float, band_layer: Ints, layers: Any) -> Bools:
    """(N,) whether nothing is in the way at a height above the ground (N,)."""
    layer = band_layer[_band_at(height + above, base_y, len(band_layer))]
    if not len(layers):
        return np.ones(len(height), np.bool_)
    free: Bools = (layer < 0) | (layers[layer, np.arange(len(height))] > 0.0)
    return free


def pack_world(world: World) -> WorldArrays:
    """A world as the arrays that `world_kernels` read."""
    size = world.size
    sole = [max(half + _SPARE_M - SLACK_M, _SPARE_M) for half in size.half_sole]
    frame = np.array([
        *world.origin, 1.0 / world.cell_m, world.base_y, 1.0 / world.band_m, *sole, size.landing_m,
        size.uneven_m, size.seat_high_m, size.low_spare_m, size.spare_m, size.shank_m,
        size.shank_spare_m,
    ])  # fmt: skip
    foothold_m = world.foothold_m
    if not foothold_m.size:
        foothold_m = inside_distance(world.foothold, world.cell_m)
    centimetres = np.minimum(100.0 * world.layers, 250.0).astype(np.uint8)
    # Places may be half a cell's diagonal from the middles of their cells.
    room = inside_distance(np.asarray(world.corridor, np.bool_), world.cell_m)
    cells = np.zeros(world.corridor.shape, CELL)
    cells["corridor"], cells["foothold"], cells["height"] = (
        world.corridor, foothold_m, world.height,
    )  # fmt: skip
    cells["clearance"], cells["room"] = world.clearance, room - 1.42 * world.cell_m
    return WorldArrays(
        frame, cells, np.stack([world.band_layer, world.seat_layer]).astype(np.int32),
        np.ascontiguousarray(centimetres), np.ascontiguousarray(world.seats, np.float64),
    )  # fmt: skip


def pack_body(graph: InterpolatedGraph) -> BodyArrays:
    """What of a graph the world is asked about, as the arrays that `world_kernels` read."""
    discs = np.ascontiguousarray(graph.edge_discs, np.float32)
    used = discs[:, :, 2] > 0.0
    away = np.where(used, np.hypot(discs[:, :, 0], discs[:, :, 1]) + discs[:, :, 2], 0.0)
    points = np.zeros((len(graph.node_feet), 3, 4), np.float32)
    points[:, :2], points[:, 2, :3] = graph.node_feet, graph.node_seat[:, :3]
    return BodyArrays(
        np.column_stack([graph.node_before, graph.node_signature]).astype(np.int32), points,
        discs, away.max(axis=1, initial=0.0).astype(np.float32),
    )  # fmt: skip


def standing_nodes(world: WorldArrays, body: BodyArrays, nodes: Ints, poses: Floats) -> Bools:
    """(N,) which nodes stand well in a world at poses (N, 3: x, z, yaw)."""
    from footfall.optimal.world_kernels import nodes_stand

    out = np.zeros(len(nodes), np.bool_)
    nodes_stand(world, body, np.ascontiguousarray(nodes, np.int32), _turns(poses), out)
    return out


def _turns(poses: Floats) -> Floats:
    """(N, 4) x, z, cosine and sine of the yaw, of poses (N, 3)."""
    poses = np.asarray(poses, np.float64).reshape(-1, 3)
    return np.column_stack([poses[:, :2], np.cos(poses[:, 2]), np.sin(poses[:, 2])])


def widen_seats(world: World, by_m: float) -> World:
    """The world with seats that may be sat on `by_m` metres further from their middles."""
    return replace(world, seats=world.seats + np.array([0.0, 0.0, 0.0, by_m]))
