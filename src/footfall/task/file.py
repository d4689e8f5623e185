"""Task files: a query written down in TOML, with what is to answer it.

    scene = "room"            # a built-in scene or a file
    from = [-2.45, -2.6, 0]   # x, z and the heading in degrees
    to = [2.9, 2.3, 60]       # or: query = "to the window", or: path = "route.svg"
    speed = 1.2

    [[stages]]                # instead of to, query and path: what to do, in order
    do = "via"
    at = [1.0, 0.5]

Files are named from the task file's own folder. Keys are the names of `Query` and of the stages:
whatever is added there can be read and written here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from footfall.errors import InputError, choices
from footfall.files.atomic import write_bytes_atomically
from footfall.files.scene.read import load_scene
from footfall.files.task.paths import PathData, load_path, path_of_table
from footfall.files.text import read_text
from footfall.task.query import Query
from footfall.task.stages import STAGES, Follow, GoTo, Place, Stage
from footfall.toml import toml_table
from footfall.world.scene import Scene

MOST_BYTES = 8 << 20
HOW = ("name", "method", "library", "character", "options")
"""The keys of a task that are not part of its query."""
GOING = ("query", "to", "path", "scale", "corridor_m", "stages")
"""The keys that say where to go."""
_AS_THEY_ARE = ("speed", "style", "prefer", "time_s", "seed")
SceneReader = Callable[[str], Scene]
KEYS = ("scene", "from", *GOING, *_AS_THEY_ARE, *HOW)


@dataclass(frozen=True, eq=False)
class Task:
    """A query and what is to answer it.

    query      what to do
    name       what the task is called
    scene      the name or the file of the query's scene; None for an endless plain
    method     a planner's name, or "auto"
    library    a library's name, a folder or a file
    character  a file whose skeleton the motion is made for
    options    options of the method
    """

    query: Query
    name: str = ""
    scene: str | None = None
    method: str = "auto"
    library: str = "default"
    character: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


# ---- reading ----------------------------------------------------------------------------


def load_task(file: str | Path) -> Task:
    """Return the task in a TOML file."""
    path = Path(file)
    return make_task(read_task_table(path), path.name, path.stem)


def read_task_table(path: Path) -> dict[str, Any]:
    """Return the keys and values of a task file, its files named from here."""
    if path.suffix.lower() != ".toml":
        raise InputError("this is no task file", where=path.name, remedy="a task is a .toml file")
    return resolve_files(toml_table(read_text(path, MOST_BYTES), path.name), path.parent)


def parse_task(text: str, folder: Path | None = None, file: str = "task.toml") -> Task:
    """Return a task from the text of a task file; other files are looked for in `folder`."""
    return make_task(resolve_files(toml_table(text, file), folder or Path()), file, Path(file).stem)


def make_task(
    table: Mapping[str, Any], file: str = "", name: str = "", scenes: SceneReader = load_scene
) -> Task:
    """Return the task of keys and values; errors name `file`, and `scenes` reads scenes."""
    try:
        return _make_task(table, file, name, scenes)
    except InputError as error:
        if not file or error.where.startswith(file):
            raise
        raise error.at(file) from None


def _make_task(table: Mapping[str, Any], file: str, name: str, scenes: SceneReader) -> Task:
    for key in table:
        if key not in KEYS:
            raise InputError(f"there is no key {str(key)[:40]!r}", remedy=choices(KEYS, str(key)))
    for key in ("name", "method", "library", "character", "scene", "query", "style"):
        if key in table and not isinstance(table[key], str):
            raise InputError(f"{key} is {str(table[key])[:40]}", remedy="it must be text in quotes")
    for key in ("speed", "time_s", "scale", "corridor_m"):
        _check_positive(key, table.get(key))
    for key in ("prefer", "options"):
        if not isinstance(table.get(key, {}), Mapping):
            raise InputError(f"{key} is {str(table[key])[:40]}", remedy=f"it is a table [{key}]")
    _check_going(table)
    scene = scenes(table["scene"]) if "scene" in table else None
    start, stages = _stages(table, scene, file)
    return Task(
        query=Query(start, stages, scene, **{k: table[k] for k in _AS_THEY_ARE if k in table}),
        name=table.get("name", name),
        scene=table.get("scene"),
        method=table.get("method", "auto"),
        library=table.get("library", "default"),
        character=table.get("character"),
        options=dict(table.get("options", {})),
    )


def _check_positive(key: str, value: object) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"{key} is {str(value)[:40]!r}", remedy="it must be a number")
    if not (math.isfinite(value) and value > 0):
        raise InputError(f"the {key} is {value}", remedy="it must be > 0")


def _check_going(table: Mapping[str, Any]) -> None:
    if "query" in table and "scene" not in table:
        raise InputError("query is given without a scene", remedy="add scene")
    if "stages" in table:
        beside = [key for key in GOING if key in table and key != "stages"]
        if beside:
            raise InputError(f"stages and {beside[0]} are given", remedy="give one of them")
    elif "path" not in table and "query" not in table and not {"from", "to"} <= set(table):
        raise InputError(
            "the task has nowhere to go",
            remedy="give path, or from and to, or scene and query, or stages",
        )


def _stages(
    table: Mapping[str, Any], scene: Scene | None, file: str
) -> tuple[Place | None, tuple[Stage, ...]]:
    """Return where the task begins and what there is to do."""
    start = _place("from", table["from"]) if "from" in table else None
    if "stages" in table:
        return start, _listed_stages(table["stages"], scene, file)
    stages: list[Stage] = []
    if "path" in table:
        path = _find_path(table["path"], table.get("scale"), scene, file)
        corridor = {"corridor_m": table["corridor_m"]} if "corridor_m" in table else {}
        stages.append(Follow(path.points, **corridor))
    if "query" in table and scene is not None:
        asked = scene.query(table["query"])
        start = start or Place(asked.start.x, asked.start.z, asked.start.yaw)
        if "to" not in table:
            stages.append(GoTo(asked.goal.x, asked.goal.z, asked.goal.yaw))
    if "to" in table:
        goal = _place("to", table["to"])
        stages.append(GoTo(goal.x, goal.z, goal.yaw))
    return start, tuple(stages)


def _listed_stages(listed: object, scene: Scene | None, file: str) -> tuple[Stage, ...]:
    if not isinstance(listed, list) or not all(isinstance(s, Mapping) for s in listed):
        raise InputError("stages is no list of tables", remedy="write each under [[stages]]")
    out = []
    for number, table in enumerate(listed):
        try:
            out.append(_stage(table, scene, file))
        except InputError as error:
            raise error.at(f"stages[{number}]") from None
    return tuple(out)


def _find_path(given: object, scale: float | None, scene: Scene | None, file: str) -> PathData:
    """Return a path: drawn in the task, one of the scene's by name, a built-in one, or a file."""
    if isinstance(given, Mapping):
        return path_of_table(dict(given), "path" if not file else f"{file}: path", "path", scale)
    if not isinstance(given, str):
        raise InputError(f"path is {str(given)[:40]}", remedy="it must be text in quotes")
    for own in () if scene is None else scene.paths:
        if own.name == given:
            return PathData(own.name, own.points)
    return load_path(given, scale)


def _numbers(key: str, given: object, least: int, most: int) -> list[float]:
    if not isinstance(given, list | tuple):
        raise InputError(f"{key} is {str(given)[:40]}", remedy="it is a list like [0, 2.5]")
    if not least <= len(given) <= most:
        need = f"at least {least}" if len(given) < least else f"at most {most}"
        raise InputError(f"{key} has {len(given)} entries", remedy=f"it needs {need}")
    for n, value in enumerate(given):
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InputError(f"{key}[{n}] is {str(value)[:40]!r}", remedy="it must be a number")
        if not math.isfinite(value):
            raise InputError(f"{key}[{n}] is {value}", remedy="it must be a finite number")
    return [float(value) for value in given]


def _place(key: str, given: object) -> Place:
    x, z, *yaw = _numbers(key, given, 2, 3)
    return Place(x, z, *(math.radians(angle) for angle in yaw))


# ---- stages as tables -------------------------------------------------------------------


def _stage(table: Mapping[str, Any], scene: Scene | None, file: str) -> Stage:
    """Return the stage that a table means; its keys are the stage's own names."""
    word = table.get("do")
    if not isinstance(word, str) or word not in STAGES:
        raise InputError(f"do is {str(word)[:40]!r}", remedy=choices(STAGES, str(word)))
    kind = STAGES[word]
    names = {f.name for f in fields(kind)}
    valid = ["do", *_keys(kind)]
    given: dict[str, Any] = {}
    for key, value in table.items():
        if key == "do":
            continue
        if key not in valid:
            raise InputError(f"{word!r} has no key {key!r}", remedy=choices(valid, str(key)))
        if key == "at":
            given |= _read_at(value, names)
        elif key == "stand":
            given[key] = _place(key, value)
        elif key == "path":
            given[key] = _find_path(value, None, scene, file).points
        elif key == "within_deg":
            given["within_rad"] = math.radians(_numbers(key, [value], 1, 1)[0])
        else:
            given[key] = value
    needed = [f.name for f in fields(kind) if f.default is MISSING and f.name not in given]
    if needed:
        key = "at" if needed[0] in "xyz" else needed[0]
        raise InputError(f"{word!r} has no {key}", remedy=f"give {key}")
    return kind(**given)


def _keys(kind: type[Stage]) -> list[str]:
    """Return the keys of a stage in a file: `at` for its coordinates, angles in degrees."""
    names = [f.name for f in fields(kind)]
    keys = ["at"] if "x" in names else []
    keys += [n for n in names if n not in ("x", "y", "z", "yaw", "within_rad")]
    return [*keys, "within_deg"] if "within_rad" in names else keys


def _read_at(value: object, names: set[str]) -> dict[str, float]:
    if "y" in names:
        return dict(zip("xyz", _numbers("at", value, 3, 3), strict=True))
    place = _place("at", value)
    found = {"x": place.x, "z": place.z}
    return found if place.yaw is None else {**found, "yaw": place.yaw}


def stage_table(stage: Stage) -> dict[str, Any]:
    """Return a stage as a table for a task file; what is as usual is left out."""
    table: dict[str, Any] = {"do": stage.kind}
    values = {f.name: (getattr(stage, f.name), f.default) for f in fields(stage)}
    if "y" in values:
        table["at"] = [values[name][0] for name in "xyz"]
    elif "x" in values:
        table["at"] = _at_list(Place(*(values[name][0] for name in ("x", "z", "yaw"))))
    for name, (value, usual) in values.items():
        if name in ("x", "y", "z", "yaw") or value is None:
            continue
        if isinstance(value, np.ndarray):
            table[name] = {"points": value.tolist()}
        elif value == usual:
            continue
        elif name == "within_rad":
            table["within_deg"] = math.degrees(value)
        else:
            table[name] = _at_list(value) if isinstance(value, Place) else value
    return table


def _at_list(place: Place) -> list[float]:
    yaw = [] if place.yaw is None else [math.degrees(place.yaw)]
    return [float(place.x), float(place.z), *yaw]


# ---- writing ----------------------------------------------------------------------------


def save_task(task: Task | Query, path: str | Path) -> Path:
    """Write a task, or a query, as a task file; the file that was written.

    A scene that has no name and no file of its own is written beside it.
    """
    path = Path(path)
    if path.suffix.lower() != ".toml":
        raise InputError("a task is a .toml file", where=path.name, remedy="name it so")
    if isinstance(task, Query):
        task = Task(task)
    if not isinstance(task, Task):
        raise InputError(f"the task is {str(task)[:60]!r}", remedy="give a Task or a Query")
    import tomlkit

    text = tomlkit.dumps(task_table(task, lambda scene: _keep_scene(scene, path)))
    write_bytes_atomically(path, text.encode())
    return path


def task_table(task: Task, keep_scene: Callable[[Scene], str]) -> dict[str, Any]:
    """Return a task as the table that a task file holds; what is as usual is left out.

    keep_scene  gives the name or file of a scene that has none
    """
    query = task.query
    table: dict[str, Any] = {"name": task.name} if task.name else {}
    if query.scene is not None:
        table["scene"] = task.scene or keep_scene(query.scene)
    for f in fields(query):
        value = getattr(query, f.name)
        if f.name in _AS_THEY_ARE and value is not None and value != f.default and value != {}:
            table[f.name] = dict(value) if isinstance(value, Mapping) else value
    for f in fields(task):
        value = getattr(task, f.name)
        if f.name in HOW and f.name != "name" and value not in (None, {}, f.default):
            table[f.name] = dict(value) if isinstance(value, Mapping) else value
    if query.start is not None:
        table["from"] = _at_list(query.start)
    table["stages"] = [stage_table(stage) for stage in query.stages]
    # Tables come last in TOML: whatever follows them would belong to them.
    plain = {k: v for k, v in table.items() if not isinstance(v, Mapping) and k != "stages"}
    return plain | {k: v for k, v in table.items() if k not in plain}


def _keep_scene(scene: Scene, path: Path) -> str:
    from footfall.files.scene.read import builtin_scenes
    from footfall.files.scene.write import save_scene

    if scene.name in builtin_scenes():
        return scene.name
    file = path.with_name(f"{path.stem}.scene.toml")
    save_scene(scene, file)
    return file.name


def resolve_files(table: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return a task's table with the files that it names found from the task's own folder."""
    out = dict(table)
    for key in ("scene", "path", "library", "character"):
        if isinstance(out.get(key), str):
            out[key] = _beside(out[key], folder)
    stages = out.get("stages")
    if isinstance(stages, list):
        out["stages"] = [
            {**s, "path": _beside(s["path"], folder)}
            if isinstance(s, Mapping) and isinstance(s.get("path"), str)
            else s
            for s in stages
        ]
    return out


def _beside(name: str, folder: Path) -> str:
    """Return a file named in a task, found from the task's folder; a name stays a name."""
    stem, mark, part = name.partition("#")
    try:
        here = folder / stem
        found = here.exists() or Path(stem).suffix != ""
    except (OSError, ValueError):
        return name
    return f"{here}{mark}{part}" if found else name
