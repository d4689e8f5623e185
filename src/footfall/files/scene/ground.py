"""The ground of a scene file: its own rows, another file, or bumps, channels and noise."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from footfall.errors import FileFormatError, InputError, choices
from footfall.files.scene.mesh import file_beside, mesh_file, read_mesh
from footfall.maths.arrays import Floats
from footfall.world.ground import (
    MAX_CONTROL_POINTS,
    MAX_GRID_HEIGHTS,
    Ground,
    flat_ground,
    greville,
    grid_ground,
    mesh_ground,
    spline_ground,
)

if TYPE_CHECKING:
    from footfall.files.scene import schema

_HEIGHT_FILES = (".csv", ".npy", ".png")


def build_ground(spec: schema.GroundSpec, outline: Floats, folder: Path) -> Ground:
    """Return the ground of a scene whose floor has this outline (P, 2)."""
    low, high = outline.min(axis=0), outline.max(axis=0)
    origin = low if spec.origin is None else np.array(spec.origin)
    size = (high - low) if spec.size is None else np.array(spec.size)
    _refuse_unused(spec)
    if spec.kind == "flat":
        return flat_ground(spec.level)
    if spec.kind == "mesh":
        if spec.vertices is not None and spec.triangles is not None and spec.file is None:
            return mesh_ground(spec.vertices, spec.triangles)
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


def _refuse_unused(spec: schema.GroundSpec) -> None:
    """Refuse keys that have no effect on this kind of ground."""
    both = {"kind", "level", "origin", "size", "heights", "points", "file", "scale", "bump"}
    used = {
        "flat": {"kind", "level"},
        "grid": both | {"channel", "noise"},
        "bspline": both | {"channel", "noise", "weights"},
        "mesh": {"kind", "file", "up", "unit", "vertices", "triangles"},
    }[spec.kind]
    for key in sorted(spec.model_fields_set - used):
        raise InputError(
            f"{key} has no meaning", where=f"ground ({spec.kind})", remedy=choices(used)
        )


def _heights(spec: schema.GroundSpec, origin: Floats, size: Floats, folder: Path) -> Floats:
    """Return (nz, nx) heights from the file's own rows, another file, or a number of points."""
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


def _shape(spec: schema.GroundSpec, shape: tuple[int, ...], origin: Floats, size: Floats) -> Floats:
    """Return (nz, nx) bumps, channels and noise at the points of the field."""
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
        out += (
            spec.noise.amplitude * noise * (np.clip(border / rim, 0.0, 1.0) if rim > 1e-6 else 1.0)
        )
    return out


def _fade(t: Floats) -> Floats:
    """Return 1 at t <= 0, 0 at t >= 1, smooth between."""
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
    path = file_beside(name, folder, where, _HEIGHT_FILES, "holds no heights")
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
