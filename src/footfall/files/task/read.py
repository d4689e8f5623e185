"""Task files: what to do, in TOML.

    scene = "room"            # a built-in scene or a file
    from = [-2.45, -2.6, 0]   # x, z and the way to face in degrees
    to = [2.9, 2.3, 60]       # or: query = "to the window", or: path = "route.svg"
    speed = 1.2

Files are named from the task file's own folder.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import radians
from pathlib import Path
from typing import Any

from footfall.errors import FileFormatError, InputError
from footfall.files.task.paths import PathData, load_path, path_of_table
from footfall.files.text import read_text, toml_table

_MOST_BYTES = 8 << 20


@dataclass(frozen=True, eq=False)
class Task:
    """What a task file says.

    scene          a built-in scene's name or a file; None for an endless plain
    query          the name of one of the scene's queries
    start, goal    (x, z) or (x, z, yaw) in metres and radians
    path           what to follow; `path_name` is its name where the scene may have it
    speed          metres a second that are wished for
    method         a planner's name, or "auto"
    library        a library's name, a folder or a file
    character         a file whose skeleton the motion is put on
    options        more options of the method
    """

    name: str = ""
    scene: str | None = None
    query: str | None = None
    start: tuple[float, ...] | None = None
    goal: tuple[float, ...] | None = None
    path: PathData | str | None = None
    scale: float | None = None
    speed: float | None = None
    method: str = "auto"
    library: str = "default"
    character: str | None = None
    seed: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)


def load_task(file: str | Path) -> Task:
    """The task in a TOML file."""
    path = Path(file)
    if path.suffix.lower() != ".toml":
        raise InputError("this is no task file", where=path.name, remedy="a task is a .toml file")
    return parse_task(read_text(path, _MOST_BYTES), path.parent, path.name)


def parse_task(text: str, folder: Path | None = None, file: str = "task.toml") -> Task:
    """A task from the text of a task file; other files are looked for in `folder`."""
    from pydantic import ValidationError

    from footfall.files.scene.errors import scene_error
    from footfall.files.task.schema import TaskFile

    data = toml_table(text, file)
    drawn = data.pop("path") if isinstance(data.get("path"), dict) else None
    try:
        spec = TaskFile.model_validate(data)
    except ValidationError as error:
        raise scene_error(error, data, file, TaskFile) from None
    folder = folder or Path()
    path: PathData | str | None = _beside(spec.path, folder)
    if drawn is not None:
        path = path_of_table(drawn, f"{file}: path", spec.name or Path(file).stem, spec.scale)
    _check_whole(spec, path, file)
    return Task(
        name=spec.name or Path(file).stem,
        scene=_beside(spec.scene, folder),
        query=spec.query,
        start=_place(spec.start),
        goal=_place(spec.goal),
        path=path,
        scale=spec.scale,
        speed=spec.speed,
        method=spec.method,
        library=_beside(spec.library, folder) or "default",
        character=_beside(spec.character, folder),
        seed=spec.seed,
        options=dict(spec.options),
    )


def _check_whole(spec: Any, path: PathData | str | None, file: str) -> None:
    if spec.query is not None and spec.scene is None:
        raise FileFormatError("query is given without a scene", where=file, remedy="add scene")
    if path is None and spec.query is None and (spec.start is None or spec.goal is None):
        raise FileFormatError(
            "the task has nowhere to go", where=file,
            remedy="give path, or from and to, or scene and query",
        )  # fmt: skip


def _place(values: list[float] | None) -> tuple[float, ...] | None:
    if values is None:
        return None
    return (values[0], values[1], *(radians(v) for v in values[2:]))


def _beside(name: str | None, folder: Path) -> str | None:
    """A file named in a task, found from the task's folder; a name stays a name."""
    if name is None:
        return None
    stem, mark, part = name.partition("#")
    try:
        here = folder / stem
        found = here.exists() or Path(stem).suffix != ""
    except (OSError, ValueError):
        return name
    return f"{here}{mark}{part}" if found else name


def path_of_task(task: Task) -> PathData | None:
    """The task's path, read from its file if it is not in the task itself."""
    if task.path is None or isinstance(task.path, PathData):
        return task.path
    return load_path(task.path, task.scale)
