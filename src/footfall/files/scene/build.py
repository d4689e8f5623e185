"""Build ground, obstacles and paths from the checked tables of a scene file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.errors import InputError
from footfall.files.scene.mesh import mesh_file, read_mesh
from footfall.files.scene.origins import remember
from footfall.maths.arrays import Floats
from footfall.maths.quaternions import multiply
from footfall.world import props
from footfall.world.ground import FLAT
from footfall.world.moving import KeyedMotion
from footfall.world.obstacles import Colour, Obstacle, ObstaclePart, yaw_rotation
from footfall.world.scene import Hole, Scene, Water, simple_polygon

if TYPE_CHECKING:
    from footfall.files.scene import schema


def build_waters(specs: Sequence[schema.WaterSpec]) -> tuple[Water, ...]:
    """Return the waters of a scene file."""
    out = []
    for n, spec in enumerate(specs):
        polygon = None if spec.polygon is None else np.array(spec.polygon)
        out.append(_place_obstacles(f"water {n + 1}", Water, spec.level, polygon, spec.name))
    return tuple(out)


def build_holes(specs: Sequence[schema.HoleSpec]) -> tuple[Hole, ...]:
    """Return the holes of a scene file."""
    out = []
    for n, spec in enumerate(specs):
        where = f"hole {n + 1}"
        if (spec.polygon is None) == (spec.at is None or spec.size is None):
            raise InputError(
                "a hole has one shape", where=where, remedy="give polygon, or at and size"
            )
        if spec.polygon is not None:
            polygon = np.array(spec.polygon)
        else:
            half = 0.5 * np.array(spec.size)
            turn = np.radians(spec.yaw_deg)
            c, s = np.cos(turn), np.sin(turn)
            corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half
            polygon = np.array(spec.at) + corners @ np.array([[c, -s], [s, c]])
        out.append(_place_obstacles(where, Hole, polygon, spec.depth, spec.name))
    return tuple(out)


def _place_obstacles(where: str, make: Callable[..., Any], *values: Any) -> Any:
    try:
        return make(*values)
    except InputError as error:
        raise error.at(where) from error


def build_obstacles(
    specs: Sequence[schema.AnyObstacleSpec], scene: Scene, folder: Path
) -> tuple[Obstacle, ...]:
    """Return the obstacles of a scene file, on the ground of `scene`."""
    floors = _floors(specs, scene)
    out = []
    for n, spec in enumerate(specs):
        label = f" {spec.name!r}" if spec.name else ""
        where = f"obstacle {n + 1} ({spec.kind}){label}"
        obstacle = _place_obstacles(where, _obstacle, spec, float(floors[n]), folder, where)
        out.append(remember(obstacle, spec, folder))
    return tuple(out)


def _floors(specs: Sequence[Any], scene: Scene) -> Floats:
    """Return (N,) height of the ground under each obstacle; the bottom of a hole that holds it."""
    points = np.array([_middle(spec) for spec in specs]).reshape(-1, 2)
    if scene.ground.kind == FLAT:
        floors = np.full(len(points), scene.ground.level)
    elif len(scene.ground.triangles):
        floors = scene.height(points)
    else:
        floors = scene.ground.height(points) if len(points) else np.zeros(0)
    for hole in scene.holes:
        from shapely import contains_xy
        from shapely.geometry import Polygon

        inside = contains_xy(Polygon(hole.polygon), points[:, 0], points[:, 1])
        floors = np.where(inside, floors - hole.depth, floors)
    return floors


def _middle(spec: Any) -> list[float]:
    if spec.kind == "wall":
        return [0.5 * (spec.start[0] + spec.end[0]), 0.5 * (spec.start[1] + spec.end[1])]
    return [spec.at[0], spec.at[-1]]


def _obstacle(spec: Any, floor: float, folder: Path, where: str) -> Obstacle:
    fixed = spec.base if spec.kind == "wall" else spec.at[1] if len(spec.at) == 3 else None
    base = floor if fixed is None else fixed
    if not np.isfinite(base):
        raise InputError(f"there is no ground at {_middle(spec)}", remedy="give at = [x, y, z]")
    if spec.kind == "wall":
        colour = _colour(spec.colour, props.PLASTER)
        return props.wall(
            spec.start, spec.end, spec.thickness, spec.height, base, colour, spec.name
        )
    parts, points, duck = _parts(spec, folder, where)
    rotation = yaw_rotation(float(np.radians(spec.yaw_deg)))
    if spec.kind == "box" and (spec.pitch_deg or spec.roll_deg):
        pitch, roll = 0.5 * np.radians(spec.pitch_deg), 0.5 * np.radians(spec.roll_deg)
        lean = multiply([np.cos(pitch), np.sin(pitch), 0, 0], [np.cos(roll), 0, 0, np.sin(roll)])
        rotation = multiply(rotation, lean)
    if spec.kind == "parts" and spec.rotation is not None:
        rotation = np.array(spec.rotation)
    position = np.array([spec.at[0], base, spec.at[-1]])
    motion = None if spec.motion is None else _motion(spec.motion, spec.yaw_deg)
    kind = spec.what if spec.kind == "parts" else spec.kind
    return Obstacle(kind, parts, position, rotation, spec.name, motion, points, duck)


def _motion(spec: schema.MotionSpec, yaw_deg: float) -> KeyedMotion:
    count = len(spec.times)
    yaws = [yaw_deg] * count if spec.yaws_deg is None else spec.yaws_deg
    if not count == len(spec.positions) == len(yaws):
        raise InputError(
            f"the motion has {count} times, {len(spec.positions)} positions and {len(yaws)} yaws",
            remedy="give as many of each",
        )
    rotations = np.array([yaw_rotation(float(np.radians(yaw))) for yaw in yaws])
    if spec.rotations is not None:
        rotations = np.array(spec.rotations)
    return KeyedMotion(np.array(spec.times), np.array(spec.positions), rotations, spec.loop)


Built = tuple[tuple[ObstaclePart, ...], dict[str, Floats], float]


def _parts(spec: Any, folder: Path, where: str) -> Built:
    """Parts, named points and the free height below of an obstacle."""
    if spec.kind == "parts":
        points = {name: np.array(at) for name, at in spec.points.items()}
        return tuple(_solid_part(part) for part in spec.part), points, spec.free_below
    if spec.kind in ("chair", "table", "bar", "beam"):
        return _furniture(spec)
    return _plain_parts(spec, folder, where), {}, 0.0


def _plain_parts(spec: Any, folder: Path, where: str) -> tuple[ObstaclePart, ...]:
    """Parts of an obstacle that is nothing but its shape."""
    kind = spec.kind
    if kind == "group":
        return tuple(_piece(piece, spec.colour) for piece in spec.part)
    usual = {"box": props.PLASTER, "column": props.MARBLE}
    colour = _colour(spec.colour, usual.get(kind, props.STONE))
    walkable = kind in ("platform", "stone") or getattr(spec, "walkable", False)
    if kind in ("box", "platform"):
        return props.box_parts(spec.size, colour, walkable)
    if kind in ("cylinder", "stone"):
        return props.cylinder_parts(spec.radius, spec.height, colour, walkable)
    if kind == "column":
        return props.column_parts(spec.radius, spec.height, colour)
    if kind == "stairs":
        return props.stairs_parts(spec.width, spec.steps, spec.rise, spec.run, spec.landing, colour)
    if kind == "prism":
        polygon = simple_polygon(np.array(spec.polygon), "prism")
        return props.prism_parts(polygon, spec.height, colour, walkable)
    mesh = read_mesh(mesh_file(spec.file, folder, where), spec.up, spec.unit)
    return props.mesh_parts(*mesh, colour, walkable)


def _furniture(spec: Any) -> Built:
    if spec.kind == "chair":
        seat = {"seat": np.array([0.0, spec.seat, 0.0])}
        return props.chair_parts(spec.seat, spec.width, spec.depth, spec.back), seat, 0.0
    if spec.kind == "table":
        parts = props.table_parts(spec.size, _colour(spec.colour, props.WOOD))
        if spec.item is None:
            return parts, {}, 0.0
        x, z = spec.item
        if abs(x) > 0.5 * spec.size[0] or abs(z) > 0.5 * spec.size[2]:
            raise InputError(f"item is {spec.item}", remedy="it must lie on the table's top")
        cup = props.post([x, spec.size[1] + 0.06, z], 0.035, 0.12, props.BRASS)
        return (*parts, cup), {"item": np.array([x, spec.size[1] + 0.06, z])}, 0.0
    if spec.kind == "bar":
        return props.bar_parts(spec.clearance, spec.width), {}, spec.clearance
    return props.beam_parts(spec.length, spec.width, spec.height), {}, 0.0


def _piece(piece: Any, colour: str | None) -> ObstaclePart:
    paint = _colour(piece.colour or colour, props.PLASTER)
    x, y, z = piece.at
    if piece.shape == "box":
        centre = [x, y + 0.5 * piece.size[1], z]
        yaw = float(np.radians(piece.yaw_deg))
        return props.block(centre, piece.size, paint, piece.walkable, yaw)
    centre = [x, y + 0.5 * piece.height, z]
    return props.post(centre, piece.radius, piece.height, paint, piece.walkable)


def _solid_part(spec: schema.SolidPartSpec) -> ObstaclePart:
    if (spec.shape == "mesh") != (spec.vertices is not None and spec.triangles is not None):
        raise InputError(
            f"a part is a {spec.shape}", remedy="a mesh has vertices and triangles, others none"
        )
    red, green, blue = spec.colour
    return ObstaclePart(
        spec.shape, np.array(spec.centre), np.array(spec.half), np.array(spec.rotation),
        np.array(spec.vertices or [], dtype=float).reshape(-1, 3),
        np.array(spec.triangles or [], dtype=np.int32).reshape(-1, 3),
        spec.walkable, spec.solid, (red, green, blue),
    )  # fmt: skip


def _colour(code: str | None, other: Colour) -> Colour:
    """Return a code like "#8a5a2b" (sRGB) as linear red, green, blue."""
    if code is None:
        return other
    v = [int(code[i : i + 2], 16) / 255.0 for i in (1, 3, 5)]
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in v)
    return (r, g, b)
