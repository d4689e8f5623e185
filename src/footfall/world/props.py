"""Builders of obstacles in human dimensions. Origins are on the floor, in the middle.

Chairs and bars face +z at yaw 0; stairs rise towards +z; beams and walls run along z or between
two points. All sizes are metres, angles radians.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from footfall.errors import InputError
from footfall.maths.arrays import Floats, Ints
from footfall.world.obstacles import Colour, Obstacle, ObstaclePart, yaw_rotation

WOOD: Colour = (0.42, 0.26, 0.13)
DARK_WOOD: Colour = (0.22, 0.13, 0.08)
STONE: Colour = (0.50, 0.49, 0.46)
MARBLE: Colour = (0.80, 0.79, 0.76)
PLASTER: Colour = (0.72, 0.69, 0.63)
BRASS: Colour = (0.62, 0.42, 0.12)
WARNING: Colour = (0.75, 0.22, 0.10)


def block(
    centre: ArrayLike, size: ArrayLike, colour: Colour, walkable: bool = False, yaw: float = 0.0
) -> ObstaclePart:
    """Return a box part with full sizes (3,)."""
    half = 0.5 * np.asarray(size, dtype=np.float64)
    return ObstaclePart(
        "box", np.asarray(centre, dtype=np.float64), half, yaw_rotation(yaw),
        walkable=walkable, colour=colour,
    )  # fmt: skip


def post(
    centre: ArrayLike, radius: float, height: float, colour: Colour, walkable: bool = False
) -> ObstaclePart:
    """Return an upright cylinder part."""
    half = np.array([radius, 0.5 * height, radius])
    return ObstaclePart(
        "cylinder", np.asarray(centre, dtype=np.float64), half, walkable=walkable, colour=colour
    )


def box_parts(
    size: ArrayLike, colour: Colour = PLASTER, walkable: bool = False
) -> tuple[ObstaclePart, ...]:
    """Return a box that stands on its origin."""
    return (block([0.0, 0.5 * float(np.asarray(size)[1]), 0.0], size, colour, walkable),)


def cylinder_parts(
    radius: float, height: float, colour: Colour = STONE, walkable: bool = False
) -> tuple[ObstaclePart, ...]:
    """Return an upright cylinder that stands on its origin."""
    return (post([0.0, 0.5 * height, 0.0], radius, height, colour, walkable),)


def column_parts(radius: float, height: float, colour: Colour = MARBLE) -> tuple[ObstaclePart, ...]:
    """Return a column to step on: a shaft that stands on its origin, with a wider cap and foot."""
    cap = min(0.12, 0.25 * height)
    shaft = post([0.0, 0.5 * (height - cap), 0.0], 0.85 * radius, height - cap, colour)
    return shaft, post([0.0, height - 0.5 * cap, 0.0], radius, cap, colour, walkable=True)


def stairs_parts(
    width: float, steps: int, rise: float, run: float, landing: float = 0.0, colour: Colour = STONE
) -> tuple[ObstaclePart, ...]:
    """Solid steps that rise towards +z from the origin, and a landing behind the last one."""
    parts = []
    for k in range(steps):
        depth = run if k < steps - 1 or landing == 0.0 else landing
        height = rise * (k + 1)
        centre = [0.0, 0.5 * height, run * k + 0.5 * depth]
        parts.append(block(centre, [width, height, depth], colour, walkable=True))
    return tuple(parts)


def chair_parts(
    seat: float = 0.45, width: float = 0.45, depth: float = 0.45, back: float = 0.45
) -> tuple[ObstaclePart, ...]:
    """Return a chair that faces +z: four legs, a seat and a back."""
    thick, leg = 0.04, 0.04
    x, z = 0.5 * (width - leg), 0.5 * (depth - leg)
    legs = [
        block([sx * x, 0.5 * (seat - thick), sz * z], [leg, seat - thick, leg], WOOD)
        for sx in (-1, 1)
        for sz in (-1, 1)
    ]
    top = block([0.0, seat - 0.5 * thick, 0.0], [width, thick, depth], WOOD)
    rest = block([0.0, seat + 0.5 * back, -0.5 * depth + 0.02], [width, back, 0.04], WOOD)
    return (*legs, top, rest)


def table_parts(size: ArrayLike, colour: Colour = WOOD) -> tuple[ObstaclePart, ...]:
    """Return a table: a top of size[0] x size[2] at height size[1], on four legs."""
    w, h, d = (float(v) for v in np.asarray(size, dtype=np.float64))
    thick, leg = min(0.04, 0.2 * h), 0.06
    x, z = 0.5 * w - leg, 0.5 * d - leg
    legs = [
        block([sx * x, 0.5 * (h - thick), sz * z], [leg, h - thick, leg], colour)
        for sx in (-1, 1)
        for sz in (-1, 1)
    ]
    return (*legs, block([0.0, h - 0.5 * thick, 0.0], [w, thick, d], colour))


def bar_parts(clearance: float, width: float, thickness: float = 0.06) -> tuple[ObstaclePart, ...]:
    """Return a bar across x with `clearance` free below it, on two posts outside of `width`."""
    x = 0.5 * width + 0.04
    height = clearance + thickness
    posts = [post([sx * x, 0.5 * height, 0.0], 0.04, height, STONE) for sx in (-1, 1)]
    middle = [0.0, clearance + 0.5 * thickness, 0.0]
    return (*posts, block(middle, [width, thickness, thickness], WARNING))


def beam_parts(length: float, width: float, height: float) -> tuple[ObstaclePart, ...]:
    """Return a narrow beam along Z, its top at `height`, on two feet where it is raised."""
    thick = min(0.12, height)
    top = block([0.0, height - 0.5 * thick, 0.0], [width, thick, length], WOOD, walkable=True)
    if height - thick < 0.02:
        return (top,)
    under = height - thick
    feet = [
        block([0.0, 0.5 * under, sz * (0.5 * length - 0.15)], [width + 0.2, under, 0.08], DARK_WOOD)
        for sz in (-1, 1)
    ]
    return (top, *feet)


def prism_parts(
    polygon: ArrayLike, height: float, colour: Colour = STONE, walkable: bool = False
) -> tuple[ObstaclePart, ...]:
    """Return a polygon (P, 2) about the origin, raised to `height`, as a closed mesh."""
    vertices, triangles = extrude(np.asarray(polygon, dtype=np.float64), height)
    return (
        ObstaclePart(
            "mesh", np.zeros(3), np.zeros(3), vertices=vertices, triangles=triangles,
            walkable=walkable, colour=colour,
        ),
    )  # fmt: skip


def mesh_parts(
    vertices: ArrayLike, triangles: ArrayLike, colour: Colour = STONE, walkable: bool = False
) -> tuple[ObstaclePart, ...]:
    """Triangles (F, 3) over vertices (V, 3) in the frame of the origin."""
    return (
        ObstaclePart(
            "mesh", np.zeros(3), np.zeros(3), vertices=np.asarray(vertices, dtype=np.float64),
            triangles=np.asarray(triangles, dtype=np.int32), walkable=walkable, colour=colour,
        ),
    )  # fmt: skip


def wall(
    start: ArrayLike, end: ArrayLike, thickness: float, height: float,
    base: float = 0.0, colour: Colour = PLASTER, name: str = "",
) -> Obstacle:  # fmt: skip
    """Return a wall between two ground points (x, z)."""
    a, b = np.asarray(start, dtype=np.float64), np.asarray(end, dtype=np.float64)
    along = b - a
    length = float(np.linalg.norm(along))
    if length <= 0.0:
        raise InputError("a wall begins where it ends", remedy="move its ends apart")
    middle = 0.5 * (a + b)
    yaw = float(np.arctan2(along[0], along[1]))
    parts = box_parts([thickness, height, length], colour)
    return Obstacle("wall", parts, np.array([middle[0], base, middle[1]]), yaw_rotation(yaw), name)


def extrude(polygon: Floats, height: float) -> tuple[Floats, Ints]:
    """Return a closed prism over a polygon (P, 2): vertices (2P, 3), triangles (F, 3)."""
    ring = polygon if _signed_area(polygon) > 0 else polygon[::-1]
    ring = ring[(ring != np.roll(ring, 1, axis=0)).any(axis=1)]  # no point twice in a row
    count = len(ring)
    low = np.column_stack([ring[:, 0], np.zeros(count), ring[:, 1]])
    high = low + np.array([0.0, height, 0.0])
    caps = triangulate(ring)
    # Counter-clockwise in (x, z) is clockwise seen from above (+y), so the top is turned over.
    faces = [caps[:, ::-1] + count, caps]
    here, there = np.arange(count), (np.arange(count) + 1) % count
    faces.append(np.stack([here, here + count, there], axis=1))
    faces.append(np.stack([there, here + count, there + count], axis=1))
    return np.concatenate([low, high]), np.concatenate(faces).astype(np.int32)


def triangulate(ring: Floats) -> Ints:
    """Return (F, 3) triangles of a simple counter-clockwise polygon (P, 2), by index."""
    from shapely import Polygon, constrained_delaunay_triangles, get_coordinates

    corners = get_coordinates(constrained_delaunay_triangles(Polygon(ring))).reshape(-1, 4, 2)
    number = {(x, z): n for n, (x, z) in enumerate(ring.tolist())}
    faces: Ints = np.array([[number[x, z] for x, z in face[:3]] for face in corners.tolist()],
                           dtype=np.int32)  # fmt: skip
    u, v = ring[faces[:, 1]] - ring[faces[:, 0]], ring[faces[:, 2]] - ring[faces[:, 0]]
    turned = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0] < 0.0
    faces[turned] = faces[turned][:, ::-1]
    return faces


def _signed_area(polygon: Floats) -> float:
    after = np.roll(polygon, -1, axis=0)
    return 0.5 * float((polygon[:, 0] * after[:, 1] - after[:, 0] * polygon[:, 1]).sum())
