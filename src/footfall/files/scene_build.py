"""From the checked tables of a scene file to ground, obstacles and paths."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.errors import FileFormatError, InputError, choices
from footfall.files.scene_mesh import mesh_file, read_mesh, sane_file
from footfall.maths.arrays import Floats
from footfall.maths.quaternions import multiply
from footfall.world import props
from footfall.world.ground import (
    FLAT,
    MAX_CONTROL_POINTS,
    MAX_GRID_HEIGHTS,
    Ground,
    flat_ground,
    greville,
    grid_ground,
    mesh_ground,
    spline_ground,
)
from footfall.world.moving import Motion
from footfall.world.obstacles import Colour, Obstacle, Part, yaw_rotation
from footfall.world.scene import Hole, Scene, ScenePath, Water, simple_polygon

if TYPE_CHECKING:
    from footfall.files import scene_schema as schema

_HEIGHT_FILES = (".csv", ".npy", ".png")
_PATH_STEP_M = 0.02
_MAX_PATH_POINTS = 1_000_000


def build_ground(spec: schema.Ground, outline: Floats, folder: Path) -> Ground:
    """The ground of a scene whose floor has this outline (P, 2)."""
    low, high = outline.min(axis=0), outline.max(axis=0)
    origin = low if spec.origin is None else np.array(spec.origin)
    size = (high - low) if spec.size is None else np.array(spec.size)
    _refuse_unused(spec)
    if spec.kind == "flat":
        return flat_ground(spec.level)
    if spec.kind == "mesh":
        if spec.file is None:
            raise InputError("the key 'file' is missing", where="ground (mesh)")
        path = mesh_file(spec.file, folder, "ground (mesh)")
        return mesh_ground(*read_mesh(path, spec.up, spec.unit))
    heights = _heights(spec, origin, size, folder)
    try:
        if spec.kind == "grid":
            return grid_ground(heights, origin, size)
        weights = None if spec.weights is None else _rows(spec.weights, "weights")
        return spline_ground(heights, origin, size, weights)
    except InputError as error:
        raise error.at(f"ground ({spec.kind})") from error


def _refuse_unused(spec: schema.Ground) -> None:
    """A key that has no effect on this kind of ground is a mistake worth telling."""
    both = {"kind", "level", "origin", "size", "heights", "points", "file", "scale", "bump"}
    used = {
        "flat": {"kind", "level"},
        "grid": both | {"channel", "noise"},
        "bspline": both | {"channel", "noise", "weights"},
        "mesh": {"kind", "file", "up", "unit"},
    }[spec.kind]
    for key in sorted(spec.model_fields_set - used):
        raise InputError(
            f"{key} has no meaning", where=f"ground ({spec.kind})", remedy=choices(used)
        )


def _heights(spec: schema.Ground, origin: Floats, size: Floats, folder: Path) -> Floats:
    """(nz, nx) heights from the file's own rows, another file, or a number of points."""
    where = f"ground ({spec.kind})"
    given = [k for k in ("heights", "points", "file") if getattr(spec, k) is not None]
    if len(given) != 1:
        problem = f"{' and '.join(given)} are given" if given else "no heights are given"
        raise InputError(problem, where=where, remedy="give one of heights, points, file")
    if spec.heights is not None:
        heights = _rows(spec.heights, "heights") * spec.scale
    elif spec.file is not None:
        heights = _height_file(spec.file, folder, where) * spec.scale
    else:
        assert spec.points is not None
        nx, nz = spec.points
        limit = MAX_GRID_HEIGHTS if spec.kind == "grid" else MAX_CONTROL_POINTS
        if min(nx, nz) < 4 or nx * nz > limit:
            raise InputError(
                f"points is {[nx, nz]}", where=where,
                remedy=f"give at least [4, 4] and at most {limit} points in all",
            )  # fmt: skip
        heights = np.zeros((nz, nx))
    return heights + spec.level + _shape(spec, heights.shape, origin, size)


def _shape(spec: schema.Ground, shape: tuple[int, ...], origin: Floats, size: Floats) -> Floats:
    """(nz, nx) bumps, channels and noise at the points of the field."""
    nz, nx = shape
    if not (spec.bump or spec.channel or spec.noise):
        return np.zeros((nz, nx))
    if spec.kind == "bspline" and min(nx, nz) >= 4:
        x, z = greville(nx, origin[0], size[0]), greville(nz, origin[1], size[1])
    else:
        x, z = origin[0] + np.linspace(0, size[0], nx), origin[1] + np.linspace(0, size[1], nz)
    at = np.stack(np.meshgrid(x, z), axis=-1)
    out = np.zeros((nz, nx))
    for bump in spec.bump:
        r = np.linalg.norm(at - np.array(bump.at), axis=-1) / bump.radius
        out += bump.height * _fade((r - bump.flat) / max(1.0 - bump.flat, 1e-9))
    for channel in spec.channel:
        out -= channel.depth * _fade(_line_distance(at, np.array(channel.points)) / channel.width)
    if spec.noise is not None:
        noise = np.random.default_rng(spec.noise.seed).uniform(-1.0, 1.0, (nz, nx))
        border = np.minimum(
            np.minimum(at[..., 0] - origin[0], origin[0] + size[0] - at[..., 0]),
            np.minimum(at[..., 1] - origin[1], origin[1] + size[1] - at[..., 1]),
        )
        rim = spec.noise.rim
        out += spec.noise.amplitude * noise * (np.clip(border / rim, 0.0, 1.0) if rim else 1.0)
    return out


def _fade(t: Floats) -> Floats:
    """1 at t <= 0, 0 at t >= 1, smooth between."""
    t = np.clip(t, 0.0, 1.0)
    return 1.0 - t * t * (3.0 - 2.0 * t)


def _line_distance(at: Floats, points: Floats) -> Floats:
    best = np.full(at.shape[:-1], np.inf)
    for a, b in pairwise(points):
        along = b - a
        square = float(along @ along)
        w = np.clip((at - a) @ along / square, 0.0, 1.0) if square > 0 else np.zeros(best.shape)
        best = np.minimum(best, np.linalg.norm(at - a - w[..., None] * along, axis=-1))
    return best


def _rows(rows: list[list[float]], name: str) -> Floats:
    lengths = {len(row) for row in rows}
    if len(lengths) > 1:
        raise InputError(f"the rows of {name} have {min(lengths)} to {max(lengths)} numbers",
                         where="ground", remedy="give each row as many")  # fmt: skip
    return np.array(rows, dtype=np.float64)


def _height_file(name: str, folder: Path, where: str) -> Floats:
    path = (folder / name).resolve()
    if Path(name).is_absolute() or not path.is_relative_to(folder.resolve()):
        raise FileFormatError(
            f"{name!r} is outside the scene's folder", where=where, remedy="put it beside the scene"
        )
    if path.suffix.lower() not in _HEIGHT_FILES:
        remedy = choices(_HEIGHT_FILES, path.suffix)
        raise FileFormatError(f"{name!r} holds no heights", where=where, remedy=remedy)
    sane_file(path, where)
    try:
        heights = _read_heights(path)
    except InputError:
        raise
    except Exception as error:  # foreign parsers may fail in any way on a damaged file
        raise FileFormatError(f"{name!r} cannot be read", where=where) from error
    if heights.ndim != 2:
        raise FileFormatError(f"{name!r} holds no rows of heights", where=where)
    return heights


def _read_heights(path: Path) -> Floats:
    if path.suffix.lower() == ".npy":
        mapped = np.load(path, mmap_mode="r", allow_pickle=False)
        _refuse_huge(mapped.size)
        return np.array(mapped, dtype=np.float64)
    if path.suffix.lower() == ".png":
        from PIL import Image

        with Image.open(path) as image:
            _refuse_huge(image.size[0] * image.size[1])
            deep = image.mode.startswith("I")
            grey = np.asarray(image if deep else image.convert("L"), dtype=np.float64)
            return grey / (65535.0 if deep else 255.0)
    return np.loadtxt(path, delimiter=",", ndmin=2)


def _refuse_huge(count: int) -> None:
    if count > MAX_GRID_HEIGHTS:
        raise InputError(
            f"the height file holds {count} heights", remedy=f"at most {MAX_GRID_HEIGHTS}"
        )


def build_waters(specs: Sequence[schema.Water]) -> tuple[Water, ...]:
    """The waters of a scene file."""
    out = []
    for n, spec in enumerate(specs):
        polygon = None if spec.polygon is None else np.array(spec.polygon)
        out.append(_placed(f"water {n + 1}", Water, spec.level, polygon, spec.name))
    return tuple(out)


def build_holes(specs: Sequence[schema.Hole]) -> tuple[Hole, ...]:
    """The holes of a scene file."""
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
        out.append(_placed(where, Hole, polygon, spec.depth, spec.name))
    return tuple(out)


def _placed(where: str, make: Callable[..., Any], *values: Any) -> Any:
    try:
        return make(*values)
    except InputError as error:
        raise error.at(where) from error


def build_obstacles(
    specs: Sequence[schema.Obstacle], scene: Scene, folder: Path
) -> tuple[Obstacle, ...]:
    """The obstacles of a scene file, on the ground of `scene`."""
    floors = _floors(specs, scene)
    out = []
    for n, spec in enumerate(specs):
        label = f" {spec.name!r}" if spec.name else ""
        where = f"obstacle {n + 1} ({spec.kind}){label}"
        out.append(_placed(where, _obstacle, spec, float(floors[n]), folder, where))
    return tuple(out)


def _floors(specs: Sequence[Any], scene: Scene) -> Floats:
    """(N,) height of the ground under each obstacle; the bottom of a hole that holds it."""
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
    position = np.array([spec.at[0], base, spec.at[-1]])
    motion = None if spec.motion is None else _motion(spec.motion, spec.yaw_deg)
    return Obstacle(spec.kind, parts, position, rotation, spec.name, motion, points, duck)


def _motion(spec: schema.Motion, yaw_deg: float) -> Motion:
    count = len(spec.times)
    yaws = [yaw_deg] * count if spec.yaws_deg is None else spec.yaws_deg
    if not count == len(spec.positions) == len(yaws):
        raise InputError(
            f"the motion has {count} times, {len(spec.positions)} positions and {len(yaws)} yaws",
            remedy="give as many of each",
        )
    rotations = np.array([yaw_rotation(float(np.radians(yaw))) for yaw in yaws])
    return Motion(np.array(spec.times), np.array(spec.positions), rotations, spec.loop)


Built = tuple[tuple[Part, ...], dict[str, Floats], float]


def _parts(spec: Any, folder: Path, where: str) -> Built:
    """Parts, named points and the free height below of an obstacle."""
    kind = spec.kind
    if kind == "box":
        return (
            props.box_parts(spec.size, _colour(spec.colour, props.PLASTER), spec.walkable),
            {},
            0.0,
        )
    if kind == "platform":
        return props.box_parts(spec.size, _colour(spec.colour, props.STONE), True), {}, 0.0
    if kind == "cylinder":
        colour = _colour(spec.colour, props.STONE)
        return props.cylinder_parts(spec.radius, spec.height, colour, spec.walkable), {}, 0.0
    if kind == "stone":
        colour = _colour(spec.colour, props.STONE)
        return props.cylinder_parts(spec.radius, spec.height, colour, True), {}, 0.0
    if kind == "column":
        return (
            props.column_parts(spec.radius, spec.height, _colour(spec.colour, props.MARBLE)),
            {},
            0.0,
        )
    if kind == "stairs":
        colour = _colour(spec.colour, props.STONE)
        parts = props.stairs_parts(
            spec.width, spec.steps, spec.rise, spec.run, spec.landing, colour
        )
        return parts, {}, 0.0
    if kind == "prism":
        polygon = simple_polygon(np.array(spec.polygon), "prism")
        colour = _colour(spec.colour, props.STONE)
        return props.prism_parts(polygon, spec.height, colour, spec.walkable), {}, 0.0
    if kind == "mesh":
        mesh = read_mesh(mesh_file(spec.file, folder, where), spec.up, spec.unit)
        return props.mesh_parts(*mesh, _colour(spec.colour, props.STONE), spec.walkable), {}, 0.0
    if kind == "group":
        return tuple(_piece(piece, spec.colour) for piece in spec.part), {}, 0.0
    return _furniture(spec)


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


def _piece(piece: Any, colour: str | None) -> Part:
    paint = _colour(piece.colour or colour, props.PLASTER)
    x, y, z = piece.at
    if piece.shape == "box":
        centre = [x, y + 0.5 * piece.size[1], z]
        yaw = float(np.radians(piece.yaw_deg))
        return props.block(centre, piece.size, paint, piece.walkable, yaw)
    centre = [x, y + 0.5 * piece.height, z]
    return props.post(centre, piece.radius, piece.height, paint, piece.walkable)


def _colour(code: str | None, other: Colour) -> Colour:
    """A code like "#8a5a2b" (sRGB) as linear red, green, blue."""
    if code is None:
        return other
    v = [int(code[i : i + 2], 16) / 255.0 for i in (1, 3, 5)]
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in v)
    return (r, g, b)


def build_paths(specs: Sequence[schema.Path]) -> tuple[ScenePath, ...]:
    """The paths of a scene file, curves as points a few centimetres apart."""
    return tuple(
        _placed(f"path {spec.name!r}", lambda s: ScenePath(s.name, _path_points(s)), spec)
        for spec in specs
    )


def _path_points(spec: schema.Path) -> Floats:
    points = np.array(spec.points, dtype=np.float64)
    legs = np.linalg.norm(np.diff(points, axis=0), axis=1)
    if legs.min() <= 0.0:
        raise InputError("two points of the path are the same", remedy="leave one out")
    if legs.sum() / _PATH_STEP_M > _MAX_PATH_POINTS:
        raise InputError(f"the path is {legs.sum():.0f} m long", remedy="at most 20 km are allowed")
    if spec.curve == "straight":
        return points
    if spec.curve == "spline":
        from scipy.interpolate import CubicSpline

        at = np.concatenate([[0.0], np.cumsum(legs)])
        count = max(2, int(np.ceil(at[-1] / _PATH_STEP_M)) + 1)
        smooth: Floats = CubicSpline(at, points)(np.linspace(0.0, at[-1], count))
        return smooth
    return _rounded(points, legs, spec.radius)


def _rounded(points: Floats, legs: Floats, radius: float) -> Floats:
    """Straight legs with their corners rounded by arcs of `radius`."""
    out = [points[:1]]
    for k in range(1, len(points) - 1):
        a, b = (points[k] - points[k - 1]) / legs[k - 1], (points[k + 1] - points[k]) / legs[k]
        turn = float(np.arctan2(a[0] * b[1] - a[1] * b[0], a @ b))
        cut = radius * np.tan(0.5 * abs(turn))
        room = 0.5 * min(legs[k - 1], legs[k])
        if cut > room + 1e-9:
            raise InputError(
                f"radius {radius:g} is too large for the corner at {points[k].tolist()}",
                remedy=f"use at most {room / np.tan(0.5 * abs(turn)):.2f}",
            )
        count = max(2, int(np.ceil(radius * abs(turn) / _PATH_STEP_M)) + 1)
        angles = np.linspace(0.0, turn, count)
        left = np.array([-a[1], a[0]]) * np.sign(turn)
        start = points[k] - a * cut
        along = np.sin(np.abs(angles))[:, None] * a + (1.0 - np.cos(angles))[:, None] * left
        out.append(start + radius * along)
    out.append(points[-1:])
    curve = np.concatenate(out)
    # Two arcs may meet in a point, which then is there twice.
    apart = np.linalg.norm(np.diff(curve, axis=0), axis=1) > 1e-9
    return curve[np.concatenate([[True], apart])]
