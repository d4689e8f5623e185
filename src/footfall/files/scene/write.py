"""Scenes written down: what `load_scene` reads again gives the same scene, to the last digit.

What was read from a file is written as it stood there (a chair stays a chair, a mesh stays in its
own file); what was made or changed in Python is written part by part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from footfall.errors import InputError
from footfall.files.atomic import make_folder_of, write_bytes_atomically
from footfall.files.scene.origins import Origin, origin_of
from footfall.files.scene.read import MAX_SCENE_BYTES, parse_scene
from footfall.files.scene.schema import ImportSpec
from footfall.world.ground import FLAT, GRID, NONE, Ground
from footfall.world.moving import KeyedMotion
from footfall.world.obstacles import Obstacle, ObstaclePart
from footfall.world.scene import Hole, QueryEnd, Scene, ScenePath, SceneQuery, Water, rectangle

Table = dict[str, Any]


def save_scene(scene: Scene, path: str | Path) -> Path:
    """Write a scene as a .toml file; the file that was written."""
    path = Path(path)
    if not isinstance(scene, Scene):
        raise InputError(f"the scene is {str(scene)[:60]!r}", remedy="give a Scene")
    if path.suffix.lower() != ".toml":
        raise InputError("a scene is written as a .toml file", where=path.name, remedy="name it so")
    text = scene_text(scene, path.parent, path.name)
    if len(text) > MAX_SCENE_BYTES:
        raise InputError(
            f"the scene takes {len(text) / 1e6:.0f} MB of text", where=path.name,
            remedy="keep its meshes in files of their own and load them from there",
        )  # fmt: skip
    make_folder_of(path)
    write_bytes_atomically(path, text.encode())
    return path


def scene_text(scene: Scene, folder: Path | None = None, file: str = "scene.toml") -> str:
    """Return the text of a scene file to be kept in `folder`."""
    import tomlkit

    folder = (folder or Path()).resolve()
    text = tomlkit.dumps(scene_table(scene, folder))
    again = parse_scene(text, folder, file)
    # What a file said may mean something else now: a box lies on the ground, and that changed.
    parts = (scene.ground, *scene.obstacles, *scene.paths)
    others = (again.ground, *again.obstacles, *again.paths)
    if len(parts) == len(others):
        changed = [a for a, b in zip(parts, others, strict=True) if not same_values(a, b)]
    else:
        changed = list(parts)
    if not changed:
        return text
    return tomlkit.dumps(scene_table(scene, folder, changed))


def scene_table(scene: Scene, folder: Path, changed: Sequence[Any] = ()) -> Table:
    """Return a scene as the table that a scene file in `folder` holds.

    changed  parts that are not written as they were read
    """
    written = {id(part) for part in changed}

    def origin(part: Any) -> Origin | None:
        return None if id(part) in written else origin_of(part)

    table: Table = {"name": scene.name}
    if scene.description:
        table["description"] = scene.description
    half = 0.5 * (scene.outline.max(axis=0) - scene.outline.min(axis=0))
    if np.array_equal(scene.outline, rectangle(-half, half)):
        table["size"] = (2.0 * half).tolist()
    else:
        table["outline"] = scene.outline.tolist()
    ground, level = origin(scene.ground), None
    if ground is not None and isinstance(ground.spec, ImportSpec):
        level = ground.spec
        table["import"] = _as_read(ground, folder)
    else:
        table["ground"] = _ground_table(scene.ground, ground, folder)
    own = [(o, origin(o)) for o in scene.obstacles]
    lists = {
        "water": [_water_table(water) for water in scene.waters],
        "hole": [_hole_table(hole) for hole in scene.holes],
        "obstacle": [
            _obstacle_table(obstacle, source, folder)
            for obstacle, source in own
            if source is None or level is None or source.spec is not level
        ],
        "query": [_query_table(query) for query in scene.queries],
        "path": [_path_table(path, origin(path), folder) for path in scene.paths],
    }
    return table | {name: rows for name, rows in lists.items() if rows}


def same_values(a: Any, b: Any) -> bool:
    """Return whether two parts of scenes hold the same, to the last digit."""
    if is_dataclass(a):
        return type(a) is type(b) and all(
            same_values(getattr(a, f.name), getattr(b, f.name)) for f in fields(a)
        )
    if isinstance(a, Mapping):
        return a.keys() == b.keys() and all(same_values(a[k], b[k]) for k in a)
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(same_values, a, b))
    if isinstance(a, np.ndarray):
        return bool(np.array_equal(a, b, equal_nan=True))
    return bool(a == b)


def _as_read(origin: Origin, folder: Path) -> Table:
    """Return what a file said, with the names of other files as they are seen from `folder`."""
    table: Table = origin.spec.model_dump(by_alias=True, exclude_unset=True)
    if table.get("file") is not None:
        file = (origin.folder / table["file"]).resolve()
        if not file.is_relative_to(folder):
            raise InputError(
                f"the scene refers to {file.name}, which lies in another folder",
                remedy=f"save the scene in {origin.folder}, or copy {file.name} and load it there",
            )
        table["file"] = file.relative_to(folder).as_posix()
    return table


def _ground_table(ground: Ground, origin: Origin | None, folder: Path) -> Table:
    if ground.kind == FLAT:
        return {"kind": "flat", "level": ground.level}
    if ground.kind == NONE:
        if origin is not None:
            return _as_read(origin, folder)
        if not len(ground.triangles):
            raise InputError(
                "the scene has no ground", remedy="a scene file needs one, if only a flat one"
            )
        mesh = {"vertices": ground.vertices.tolist(), "triangles": ground.triangles.tolist()}
        return {"kind": "mesh", **mesh}
    # Where the field lies is written down even where the file left it to the outline.
    place = {"origin": list(ground.origin), "size": list(ground.size)}
    if origin is not None:
        return _as_read(origin, folder) | place
    table = {"kind": "grid" if ground.kind == GRID else "bspline", **place}
    if ground.control_weights.size:
        table["weights"] = ground.control_weights.tolist()
    return table | {"heights": ground.heights.tolist()}


def _obstacle_table(obstacle: Obstacle, origin: Origin | None, folder: Path) -> Table:
    if origin is not None and not isinstance(origin.spec, ImportSpec):
        return _as_read(origin, folder)
    table: Table = {"kind": "parts", "what": obstacle.kind}
    if obstacle.name:
        table["name"] = obstacle.name
    table |= {"at": obstacle.position.tolist(), "rotation": obstacle.rotation.tolist()}
    if obstacle.points:
        table["points"] = {name: point.tolist() for name, point in obstacle.points.items()}
    if obstacle.duck:
        table["free_below"] = obstacle.duck
    if obstacle.motion is not None:
        table["motion"] = _motion_table(obstacle.motion)
    return table | {"part": [_part_table(part) for part in obstacle.parts]}


def _part_table(part: ObstaclePart) -> Table:
    table: Table = {"shape": part.kind, "centre": part.centre.tolist(), "half": part.half.tolist()}
    table |= {"rotation": part.rotation.tolist(), "colour": list(part.colour)}
    table |= {"walkable": part.walkable, "solid": part.solid}
    if part.kind == "mesh":
        table |= {"vertices": part.vertices.tolist(), "triangles": part.triangles.tolist()}
    return table


def _motion_table(motion: KeyedMotion) -> Table:
    return {
        "times": motion.times.tolist(), "positions": motion.positions.tolist(),
        "rotations": motion.rotations.tolist(), "loop": motion.loop,
    }  # fmt: skip


def _water_table(water: Water) -> Table:
    table: Table = {"name": water.name} if water.name else {}
    table["level"] = float(water.level)
    return table if water.polygon is None else table | {"polygon": water.polygon.tolist()}


def _hole_table(hole: Hole) -> Table:
    table: Table = {"name": hole.name} if hole.name else {}
    return table | {"polygon": hole.polygon.tolist(), "depth": float(hole.depth)}


def _query_table(query: SceneQuery) -> Table:
    table: Table = {"name": query.name}
    table |= {"from": _end_list(query.start), "to": _end_list(query.goal)}
    table |= {"note": query.note} if query.note else {}
    return table | {"needs": list(query.needs)} if query.needs else table


def _end_list(end: QueryEnd) -> list[float]:
    return [float(end.x), float(end.z), degrees_of(float(end.yaw))]


def degrees_of(radians: float) -> float:
    """Return the shortest number of degrees that is read as these radians; else the nearest."""
    degrees = float(np.degrees(radians))
    tries = [round(degrees, digits) for digits in range(16)]
    tries += [degrees, np.nextafter(degrees, np.inf), np.nextafter(degrees, -np.inf)]
    return next((float(d) for d in tries if np.radians(d) == radians), degrees)


def _path_table(path: ScenePath, origin: Origin | None, folder: Path) -> Table:
    if origin is not None:
        return _as_read(origin, folder)
    return {"name": path.name, "points": path.points.tolist()}
