"""Meshes of a scene: OBJ and GLB files beside it, and whole levels or scans as scenes.

A file may come from anywhere, so it must lie in the scene file's own folder, be of a sane size
before it is parsed, and promise no more data than it holds.
"""

from __future__ import annotations

import io
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

from footfall.body.axes import to_y_up
from footfall.errors import FileFormatError, InputError, choices
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.safe_open import MissingFileError, check_regular, read_regular
from footfall.world.ground import Ground, mesh_ground
from footfall.world.obstacles import Obstacle
from footfall.world.props import mesh_parts

MAX_BYTES = 256 * 1024 * 1024
MAX_TRIANGLES = 2_000_000
_KINDS = (".glb", ".obj")


def mesh_file(name: str, folder: Path, where: str) -> Path:
    """Return the path of a mesh that a scene names, if it is safe and sensible to open."""
    return file_beside(name, folder, where, _KINDS, "is no mesh that can be read")


def file_beside(
    name: str, folder: Path, where: str, suffixes: tuple[str, ...], otherwise: str
) -> Path:
    """Return the path of a file that a scene in `folder` names, if it is safe and sensible to open.

    otherwise  what is wrong with a name that has none of the suffixes
    """
    path = (folder / name).resolve()
    if Path(name).is_absolute() or not path.is_relative_to(folder.resolve()):
        raise FileFormatError(
            f"{name!r} is outside the scene's folder", where=where, remedy="put it beside the scene"
        )
    if path.suffix.lower() not in suffixes:
        remedy = choices(suffixes, path.suffix)
        raise FileFormatError(f"{name!r} {otherwise}", where=where, remedy=remedy)
    return sane_file(path, where)


def sane_file(path: Path, where: str) -> Path:
    """Return `path`, if it is a regular file of a size that can be read."""
    try:
        size = check_regular(path).st_size
    except MissingFileError as error:
        raise FileFormatError(f"the file {path.name!r} is missing", where=where) from error
    except InputError as error:
        raise FileFormatError(f"{path.name!r}: {error.problem}", where=where) from error
    if size > MAX_BYTES:
        raise FileFormatError(
            f"{path.name!r} has {size / 1e6:.0f} MB", where=where,
            remedy=f"at most {MAX_BYTES / 1e6:.0f} MB are read",
        )  # fmt: skip
    return path


def read_mesh(path: Path, up: str = "y", unit: float = 1.0) -> tuple[Floats, Ints]:
    """Vertices (V, 3) in metres, Y up, and triangles (F, 3) of an OBJ or GLB file."""
    content = read_regular(path, MAX_BYTES)
    where = path.name
    if path.suffix.lower() == ".glb":
        _check_glb(content, where)
    vertices, triangles = _parse(content, path.suffix.lower()[1:], where)
    if len(triangles) == 0:
        raise FileFormatError("the mesh has no triangles", where=where)
    if len(triangles) > MAX_TRIANGLES:
        raise FileFormatError(
            f"the mesh has {len(triangles)} triangles", where=where,
            remedy=f"at most {MAX_TRIANGLES} are read; decimate it",
        )  # fmt: skip
    if not np.isfinite(vertices).all() or np.abs(vertices).max() * unit > 1e5:
        raise FileFormatError(
            "a vertex is not finite or further than 100 km", where=where, remedy="repair the mesh"
        )
    if triangles.min() < 0 or triangles.max() >= len(vertices):
        raise FileFormatError("a triangle names a vertex that is not there", where=where)
    return _merge_vertices((vertices * unit) @ to_y_up(up).T, triangles)


def _parse(content: bytes, kind: str, where: str) -> tuple[Floats, Ints]:
    import trimesh

    try:
        options: dict[str, Any] = {"skip_materials": True} if kind == "obj" else {}
        loaded = trimesh.load(io.BytesIO(content), file_type=kind, process=False, **options)
        if isinstance(loaded, trimesh.Scene):
            pieces = [m for m in loaded.dump() if isinstance(m, trimesh.Trimesh) and len(m.faces)]
        else:
            pieces = [loaded] if isinstance(loaded, trimesh.Trimesh) else []
        starts = np.cumsum([0, *(len(p.vertices) for p in pieces)])
        vertices = [np.asarray(p.vertices, dtype=np.float64) for p in pieces]
        faces = [np.asarray(p.faces) + s for p, s in zip(pieces, starts, strict=False)]
        if any(a.ndim != 2 or a.shape[1] != 3 for a in (*vertices, *faces)):
            raise ValueError
    except Exception as error:  # a foreign parser may fail in any way on a damaged file
        raise FileFormatError("the mesh cannot be read", where=where) from error
    if not pieces:
        raise FileFormatError("the file holds no triangles", where=where)
    return np.concatenate(vertices), np.concatenate(faces).astype(np.int32)


def _check_glb(content: bytes, where: str) -> None:
    """Refuse a GLB whose accessors promise more than the file can hold."""
    try:
        magic, _, _, length, chunk = struct.unpack_from("<4sIIII", content)
        if magic != b"glTF" or chunk != 0x4E4F534A or length > len(content) - 20:
            raise ValueError
        document = json.loads(content[20 : 20 + length])
        counts = [int(a.get("count", 0)) for a in document.get("accessors", [])]
        nodes = len(document.get("nodes", []))
    except (ValueError, struct.error, AttributeError, TypeError, RecursionError) as error:
        raise FileFormatError("this is no GLB file", where=where) from error
    if any(c < 0 or c > len(content) for c in counts) or nodes > 100_000:
        raise FileFormatError("the GLB promises more data than it holds", where=where)


def _merge_vertices(vertices: Floats, triangles: Ints) -> tuple[Floats, Ints]:
    """Vertices at the same place made one, so that closed meshes are seen to be closed."""
    unique, inverse = np.unique(np.round(vertices, 6), axis=0, return_inverse=True)
    faces = inverse.reshape(-1)[triangles].astype(np.int32)
    flat = (
        (faces[:, 0] == faces[:, 1]) | (faces[:, 1] == faces[:, 2]) | (faces[:, 0] == faces[:, 2])
    )
    return unique, np.ascontiguousarray(faces[~flat])


def level_from_mesh(
    vertices: Floats, triangles: Ints, max_slope: float, step_height: float
) -> tuple[Ground, tuple[Obstacle, ...]]:
    """Return a level as ground (triangles up to `max_slope` radians) and obstacles.

    Groups of steep triangles that are no higher than a step (risers, kerbs) are no obstacle.
    """
    corners = vertices[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normals, axis=1)
    sound = length > 1e-12
    up = np.zeros(len(triangles))
    up[sound] = normals[sound, 1] / length[sound]
    walkable = sound & (up >= np.cos(max_slope))
    if not walkable.any():
        raise InputError("the level has no floor to walk on", remedy="check its up axis and unit")
    obstacle = sound & ~walkable & ~_low_groups(vertices, triangles, sound & ~walkable, step_height)
    ground = mesh_ground(*_part(vertices, triangles[walkable]))
    if not obstacle.any():
        return ground, ()
    parts = mesh_parts(*_part(vertices, triangles[obstacle]))
    return ground, (Obstacle("level", parts, np.zeros(3), name="level"),)


def _low_groups(vertices: Floats, triangles: Ints, chosen: Bools, step_height: float) -> Bools:
    """Return (F,) chosen triangles whose connected group spans no more height than a step."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    faces = triangles[chosen]
    links = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]]])
    count = len(vertices)
    graph = coo_matrix((np.ones(len(links)), (links[:, 0], links[:, 1])), shape=(count, count))
    _, group = connected_components(graph, directed=False)
    low, high = np.full(count, np.inf), np.full(count, -np.inf)
    y = vertices[faces, 1]
    np.minimum.at(low, group[faces[:, 0]], y.min(axis=1))
    np.maximum.at(high, group[faces[:, 0]], y.max(axis=1))
    out = np.zeros(len(triangles), dtype=np.bool_)
    out[chosen] = (high - low)[group[faces[:, 0]]] <= step_height
    return out


def _part(vertices: Floats, triangles: Ints) -> tuple[Floats, Ints]:
    used, faces = np.unique(triangles, return_inverse=True)
    return vertices[used], faces.reshape(-1, 3).astype(np.int32)
