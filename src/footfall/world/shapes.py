"""A scene as coloured triangles, for pictures and for export.

These are plain arrays: what draws or writes them makes meshes of its own kind out of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.maths.arrays import Floats, Ints
from footfall.world.ground import FLAT, NONE
from footfall.world.obstacles import Colour, Obstacle, ObstaclePart, matrix

if TYPE_CHECKING:
    from shapely.geometry.base import BaseGeometry

    from footfall.world.scene import Hole, Scene

WATER: Colour = (0.10, 0.30, 0.42)
FLOOR: Colour = (0.62, 0.60, 0.55)
PIT: Colour = (0.20, 0.17, 0.15)
_ROUND = 32
_MAX_FIELD_CELLS = 60_000
_TINTS = np.array(
    [
        [0.20, 0.26, 0.20], [0.16, 0.34, 0.14], [0.30, 0.44, 0.17], [0.52, 0.52, 0.24],
        [0.52, 0.40, 0.22], [0.42, 0.30, 0.20], [0.72, 0.70, 0.66],
    ]
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Shape:
    """A named surface: vertices (V, 3), normals (V, 3), triangles (F, 3), colours (F, 3) linear."""

    name: str
    vertices: Floats
    normals: Floats
    triangles: Ints
    colours: Floats


def scene_shapes(scene: Scene, time: float | None = None) -> list[Shape]:
    """Ground, water, holes and every obstacle of a scene at `time`."""
    shapes = [ground_shape(scene)]
    shapes += [_hole_shape(scene, hole, n) for n, hole in enumerate(scene.holes)]
    for n, water in enumerate(scene.waters):
        from shapely.geometry import Polygon

        area = scene.bounds if water.polygon is None else Polygon(water.polygon)
        sheet = _sheet(area.intersection(scene.bounds), water.level)
        shapes.append(_flat(water.name or f"water {n + 1}", *sheet, WATER))
    for n, obstacle in enumerate(scene.obstacles):
        shapes.append(obstacle_shape(obstacle, n, *obstacle.pose(time)))
    return [shape for shape in shapes if len(shape.triangles)]


def obstacle_shape(obstacle: Obstacle, number: int, position: Floats, rotation: Floats) -> Shape:
    """Return the shape of an obstacle, the `number`-th of its scene, at a pose."""
    name = obstacle.name or f"{obstacle.kind} {number + 1}"
    return _joined(name, [_part(p) for p in obstacle.parts], matrix(rotation), position)


def tint(share: Floats) -> Floats:
    """Return (N, 3) colours from low (0) to high (1) ground."""
    at = np.clip(share, 0.0, 1.0) * (len(_TINTS) - 1)
    return np.stack([np.interp(at, np.arange(len(_TINTS)), c) for c in _TINTS.T], axis=-1)


def ground_shape(scene: Scene) -> Shape:
    """Return the ground's surface inside the outline, without its holes."""
    from shapely import union_all
    from shapely.geometry import Polygon

    ground = scene.ground
    if ground.kind == NONE:
        vertices, triangles = ground.vertices, ground.triangles
        colours = np.broadcast_to(np.array(FLOOR), (len(triangles), 3)).copy()
        return _shaded("ground", vertices, triangles, colours)
    floor: BaseGeometry = scene.bounds
    if scene.holes:
        floor = floor.difference(union_all([Polygon(h.polygon) for h in scene.holes]))
    if ground.kind == FLAT:
        return _flat("ground", *_sheet(floor, ground.level), FLOOR)
    points, triangles = _field_mesh(floor, scene)
    heights = ground.height(points)
    vertices = np.column_stack([points[:, 0], heights, points[:, 1]])
    share = height_share(scene, heights[triangles].mean(axis=1))
    return Shape("ground", vertices, ground.normal(points), triangles, tint(np.round(share, 2)))


def height_share(scene: Scene, heights: Floats) -> Floats:
    """Return 0 for the lowest to 1 for the highest; a shore, if any, is at 0.2."""
    low, high = float(np.nanmin(heights)), float(np.nanmax(heights))
    if not scene.waters:
        return (heights - low) / max(high - low, 2.0)
    level = max(water.level for water in scene.waters)
    above = 0.2 + 0.8 * (heights - level) / max(high - level, 1.6)
    below = 0.2 * (heights - low) / max(level - low, 1e-9)
    return np.where(heights > level, above, below)


def _field_mesh(floor: BaseGeometry, scene: Scene) -> tuple[Floats, Ints]:
    """Points (N, 2) and triangles of a floor as a fine grid, cut along its rims."""
    from shapely import box, contains, intersection, intersects, prepare

    (gx, gz), (gw, gd) = scene.ground.origin, scene.ground.size
    floor = floor.intersection(box(gx, gz, gx + gw, gz + gd))
    x0, z0, x1, z1 = floor.bounds
    side = max(0.1, float(np.sqrt((x1 - x0) * (z1 - z0) / _MAX_FIELD_CELLS)))
    nx, nz = int(np.ceil((x1 - x0) / side)), int(np.ceil((z1 - z0) / side))
    x, z = np.linspace(x0, x1, nx + 1), np.linspace(z0, z1, nz + 1)
    grid = np.stack(np.meshgrid(x, z), axis=-1).reshape(-1, 2)
    i, j = (a.reshape(-1) for a in np.meshgrid(np.arange(nx), np.arange(nz)))
    cells = box(x[i], z[j], x[i + 1], z[j + 1])
    prepare(floor)
    whole = contains(floor, cells)
    a = (j * (nx + 1) + i)[whole]
    triangles = [
        np.stack([a, a + nx + 1, a + 1], axis=1),
        np.stack([a + 1, a + nx + 1, a + nx + 2], axis=1),
    ]
    points, count = [grid], len(grid)
    for cell in cells[~whole & intersects(floor, cells)]:
        corners, faces = _sheet_points(intersection(floor, cell))
        points.append(corners)
        triangles.append(faces + count)
        count += len(corners)
    every = np.concatenate(points)
    faces = np.concatenate(triangles)
    used, inverse = np.unique(faces, return_inverse=True)
    return every[used], inverse.reshape(-1, 3).astype(np.int32)


def _sheet_points(area: BaseGeometry) -> tuple[Floats, Ints]:
    """Points (N, 2) and triangles, facing up, that cover an area in the plane."""
    from shapely import constrained_delaunay_triangles, get_coordinates

    if area.is_empty or area.area < 1e-12:
        return np.zeros((0, 2)), np.zeros((0, 3), dtype=np.int32)
    pieces = [g for g in getattr(area, "geoms", [area]) if g.geom_type == "Polygon"]
    corners = []
    for piece in pieces:
        rings = get_coordinates(constrained_delaunay_triangles(piece)).reshape(-1, 4, 2)[:, :3]
        u, v = rings[:, 1] - rings[:, 0], rings[:, 2] - rings[:, 0]
        turn = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
        rings[turn > 0] = rings[turn > 0][:, ::-1]  # clockwise in (x, z) faces up
        corners.append(rings)
    points = np.concatenate(corners).reshape(-1, 2)
    faces: Ints = np.arange(len(points), dtype=np.int32).reshape(-1, 3)
    return points, faces


def _sheet(area: BaseGeometry, level: float) -> tuple[Floats, Ints]:
    points, triangles = _sheet_points(area)
    return np.insert(points, 1, level, axis=1), triangles.astype(np.int32)


def _hole_shape(scene: Scene, hole: Hole, number: int) -> Shape:
    """Return the walls and the bottom of a hole."""
    from shapely.geometry import Polygon

    ring = Polygon(hole.polygon).exterior
    count = max(len(hole.polygon), int(min(np.ceil(ring.length / 0.2), 2000)))
    share = np.unique(
        np.concatenate(
            [
                np.arange(count) / count,
                [ring.project(_point(p), normalized=True) for p in hole.polygon],
            ]
        )
    )
    rim = np.array([ring.interpolate(s, normalized=True).coords[0] for s in share if s < 1.0])
    if not ring.is_ccw:
        rim = rim[::-1]
    ground = scene.ground
    high = ground.height(rim) if ground.kind != NONE else np.zeros(len(rim))
    high = np.where(np.isfinite(high), high, ground.level)
    low = np.full(len(rim), float(high.min()) - hole.depth)
    top = np.column_stack([rim[:, 0], high, rim[:, 1]])
    bottom = np.column_stack([rim[:, 0], low, rim[:, 1]])
    here, there = np.arange(len(rim)), np.roll(np.arange(len(rim)), -1)
    n = len(rim)
    sides = np.concatenate(
        [np.stack([here, there, here + n], axis=1), np.stack([there, there + n, here + n], axis=1)]
    )
    base, faces = _sheet(Polygon(hole.polygon), float(low[0]))
    vertices = np.concatenate([top, bottom, base])
    triangles = np.concatenate([sides, faces + 2 * n])
    return _flat(hole.name or f"hole {number + 1}", vertices, triangles, PIT)


def _point(values: Floats) -> Any:
    from shapely.geometry import Point

    return Point(values)


Piece = tuple[Floats, Floats, Ints, Floats]


def _part(part: ObstaclePart) -> Piece:
    """Vertices, normals, triangles and colours of a part in its obstacle's frame."""
    if part.kind == "box":
        vertices, normals, triangles = _box()
        turn = matrix(part.rotation)
        vertices, normals = (vertices * part.half) @ turn.T + part.centre, normals @ turn.T
    elif part.kind == "cylinder":
        vertices, normals, triangles = _cylinder()
        vertices = vertices * part.half + part.centre
    else:
        shape = _flat("", part.vertices, part.triangles, part.colour)
        vertices, normals, triangles = shape.vertices, shape.normals, shape.triangles
    return vertices, normals, triangles, np.tile(part.colour, (len(triangles), 1))


def _joined(name: str, pieces: list[Piece], turn: Floats, position: Floats) -> Shape:
    starts = np.cumsum([0, *(len(p[0]) for p in pieces)])
    faces = [p[2] + s for p, s in zip(pieces, starts, strict=False)]
    return Shape(
        name,
        np.concatenate([p[0] for p in pieces]) @ turn.T + position,
        np.concatenate([p[1] for p in pieces]) @ turn.T,
        np.concatenate(faces).astype(np.int32),
        np.concatenate([p[3] for p in pieces]),
    )


@cache
def _box() -> tuple[Floats, Floats, Ints]:
    """Return a box of half size 1, every side with corners of its own."""
    vertices: list[Floats] = []
    normals: list[Floats] = []
    triangles: list[list[int]] = []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            normal = np.zeros(3)
            normal[axis] = sign
            u, v = np.roll(np.eye(3)[axis], 1), np.roll(np.eye(3)[axis], 2)
            if sign < 0:
                u, v = v, u
            start = len(vertices)
            vertices += [normal - u - v, normal + u - v, normal + u + v, normal - u + v]
            normals += [normal] * 4
            triangles += [[start, start + 1, start + 2], [start, start + 2, start + 3]]
    return np.array(vertices), np.array(normals), np.array(triangles, dtype=np.int32)


@cache
def _cylinder() -> tuple[Floats, Floats, Ints]:
    """Return an upright cylinder of radius 1 and half height 1."""
    turn = np.arange(_ROUND) * 2.0 * np.pi / _ROUND
    ring = np.column_stack([np.sin(turn), np.zeros(_ROUND), np.cos(turn)])
    up = np.array([0.0, 1.0, 0.0])
    vertices = np.concatenate([ring - up, ring + up, ring - up, ring + up, [-up, up]])
    normals = np.concatenate(
        [ring, ring, np.tile(-up, (_ROUND, 1)), np.tile(up, (_ROUND, 1)), [-up, up]]
    )
    a, b = np.arange(_ROUND), np.roll(np.arange(_ROUND), -1)
    n, low, high = _ROUND, 4 * _ROUND, 4 * _ROUND + 1
    triangles = np.concatenate(
        [
            np.stack([a, b, a + n], axis=1),
            np.stack([b, b + n, a + n], axis=1),
            np.stack([b + 2 * n, a + 2 * n, np.full(n, low)], axis=1),
            np.stack([a + 3 * n, b + 3 * n, np.full(n, high)], axis=1),
        ]
    )
    return vertices, normals, triangles.astype(np.int32)


def _flat(name: str, vertices: Floats, triangles: Ints, colour: Colour) -> Shape:
    """Faces with corners of their own, so that they are shaded flat."""
    corners = vertices[triangles].reshape(-1, 3)
    faces = np.arange(len(corners), dtype=np.int32).reshape(-1, 3)
    normals = np.repeat(_face_normals(vertices, triangles), 3, axis=0)
    return Shape(name, corners, normals, faces, np.tile(colour, (len(faces), 1)))


def _shaded(name: str, vertices: Floats, triangles: Ints, colours: Floats) -> Shape:
    """Faces that share corners, with the mean normal in each."""
    normals = np.zeros_like(vertices)
    for k in range(3):
        np.add.at(normals, triangles[:, k], _face_normals(vertices, triangles))
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = np.where(length > 1e-12, normals / np.maximum(length, 1e-12), [0.0, 1.0, 0.0])
    return Shape(name, vertices, normals, triangles, colours)


def _face_normals(vertices: Floats, triangles: Ints) -> Floats:
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    return np.where(length > 1e-15, normals / np.maximum(length, 1e-15), [0.0, 1.0, 0.0])
