"""The options that fill a task: where to go, how, and by which method."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from footfall.errors import InputError


@dataclass(frozen=True)
class TaskOptions:
    """What a task file may say too; a group of options (see `footfall.cli.options`).

    scene      A built-in scene, a scene file, or a level.
    start      Where to begin: x,z or x,z,yaw (metres, degrees).
    goal       Where to end: x,z or x,z,yaw (metres, degrees).
    via        A place to pass through: x,z (repeatable).
    query      One of the scene's queries, by name.
    path       A path to follow: a name, a .toml, .svg or .csv file.
    scale      Metres per unit of the path file.
    corridor   How far from the path it may be, metres.
    speed      The speed that is wished for, m/s.
    style      The tag of the clips that are wished for.
    prefer     TAG=FACTOR: wish for clips more or less (repeatable).
    seconds    How long planning may take.
    method     How to plan: auto, or see --methods.
    options    NAME=VALUE: an option of the method (repeatable).
    epsilon    Of optimal: how much estimates are inflated at first.
    library    The clips: default, a library, a folder, one clip.
    character  A file whose skeleton the motion is made for.
    seed       Same seed, same result (default 0).
    """

    scene: str | None = None
    start: Annotated[str | None, typer.Option("--from")] = None
    goal: Annotated[str | None, typer.Option("--to")] = None
    via: list[str] | None = None
    query: str | None = None
    path: str | None = None
    scale: float | None = None
    corridor: float | None = None
    speed: float | None = None
    style: str | None = None
    prefer: list[str] | None = None
    seconds: float | None = None
    method: str | None = None
    options: Annotated[list[str] | None, typer.Option("--set")] = None
    epsilon: float | None = None
    library: str | None = None
    character: str | None = None
    seed: Annotated[int | None, typer.Option("--seed", min=0)] = None

    def table(self, file: Path | None) -> dict[str, Any]:
        """Return the keys and values of the task file, overruled by what the command line gives."""
        given = {
            "scene": self.scene, "from": _place("--from", self.start),
            "to": _place("--to", self.goal), "query": self.query, "path": self.path,
            "scale": self.scale, "corridor_m": self.corridor, "speed": self.speed,
            "style": self.style, "prefer": _factors(self.prefer), "time_s": self.seconds,
            "method": self.method, "library": self.library, "character": self.character,
            "seed": self.seed,
        }  # fmt: skip
        vias = [_place("--via", place) for place in self.via or ()]
        words = [] if self.epsilon is None else [f"epsilon={self.epsilon}"]
        return _fill_table(file, given, vias, [*(self.options or []), *words])


def _fill_table(
    file: Path | None, given: dict[str, Any], vias: list[list[float] | None], options: list[str]
) -> dict[str, Any]:
    """Return the keys and values of the task file, overruled by what the command line gives."""
    from footfall.errors import InputError
    from footfall.task.file import GOING, read_task_table

    table: dict[str, Any] = {} if file is None else read_task_table(_check_task_name(file))
    known = {key: value for key, value in given.items() if value is not None}
    # Where to go is one thing: what is given here takes the place of all that the file says of it.
    if vias or set(known) & {"from", *GOING}:
        kept = {"from"} if "path" not in known and "query" not in known else set()
        table = {k: v for k, v in table.items() if k not in {"from", *GOING} - kept}
    table |= known
    if vias:
        if "to" not in table or {"path", "query"} & set(table):
            raise InputError("--via is given without --to", remedy="give --from, --via and --to")
        goal = {"do": "go to", "at": table.pop("to")}
        table["stages"] = [*({"do": "via", "at": at} for at in vias), goal]
    if "query" in table and "scene" not in table:
        raise InputError("--query is given without a scene", remedy="add --scene")
    if {"to", "stages"} & set(table) and not {"from", "path", "query"} & set(table):
        _add_start(table)
    if not {"path", "query", "stages", "to"} & set(table):
        raise _nowhere_to_go(table.get("scene"))
    if options:
        table["options"] = {**table.get("options", {}), **_set_options(table, options)}
    return table


def _check_task_name(file: Path) -> Path:
    """Refuse the name of a scene or of a path where a task file is expected."""
    from footfall.errors import InputError
    from footfall.files.scene.read import builtin_scenes
    from footfall.files.task.paths import builtin_paths

    if file.suffix.lower() == ".toml" or file.exists():
        return file
    options = [("--scene", "scene", builtin_scenes()), ("--path", "path", builtin_paths())]
    meant = [(option, word) for option, word, names in options if str(file) in names]
    if meant:
        raise InputError(
            f"{file} is a {meant[0][1]}, not a task file",
            remedy="write " + " or ".join(f"--{option[2:]} {file}" for option, _ in meant),
        )
    return file


def _add_start(table: dict[str, Any]) -> None:
    """Begin at the origin where there is no scene; in a scene, ask where."""
    from footfall.errors import InputError

    if "scene" in table:
        raise InputError(
            f"it is not stated where to begin in the scene {table['scene']}",
            remedy="add --from x,z, or give one of its queries with --query",
        )
    if "to" in table or table["stages"][0].get("do") == "via":
        table["from"] = [0.0, 0.0]


def _nowhere_to_go(scene: object) -> InputError:
    """Return the error for a task without a goal; it lists the queries of its scene."""
    from footfall.errors import InputError
    from footfall.files.scene.read import load_scene

    if not isinstance(scene, str):
        return InputError(
            "there is nowhere to go",
            remedy="give a task file, --path, --to, or --scene and --query",
        )
    names = [repr(query.name) for query in load_scene(scene).queries]
    known = f"its queries are {', '.join(names)}" if names else "it has no queries"
    how = "choose one with --query, or" if names else "give"
    return InputError(
        f"there is nowhere to go in the scene {scene}; {known}", remedy=f"{how} --from and --to"
    )


def _set_options(table: dict[str, Any], words: list[str]) -> dict[str, Any]:
    """Return what --set says, as values of the kinds that the method's options take."""
    from footfall.task.method import AUTO, find_method, method_names
    from footfall.task.options import option_names, parse_options

    given = split_options(words)
    method = table.get("method", AUTO)
    names = method_names() if method == AUTO else (method,)
    able = [find_method(n) for n in names]
    kinds = [m.Options for m in able if set(given) <= set(option_names(m.Options))]
    return parse_options((kinds or [able[0].Options])[0], given)


def split_options(words: list[str]) -> dict[str, str]:
    """Return what --set says, by name, as it was written."""
    return dict(_named("--set", word, "NAME=VALUE") for word in words)


def _named(option: str, word: str, form: str) -> tuple[str, str]:
    from footfall.errors import InputError

    name, mark, value = word.partition("=")
    if not mark or not name.strip():
        raise InputError(f"{option} is {word[:60]!r}", remedy=f"write {form}")
    return name.strip(), value.strip()


def _factors(words: list[str] | None) -> dict[str, float] | None:
    from footfall.errors import InputError

    if not words:
        return None
    out = {}
    for word in words:
        tag, text = _named("--prefer", word, "TAG=FACTOR")
        try:
            out[tag] = float(text)
        except ValueError:
            raise InputError(f"--prefer is {word[:60]!r}", remedy="write TAG=FACTOR") from None
    return out


def _place(option: str, text: str | None) -> list[float] | None:
    """x,z or x,z,yaw with the yaw in degrees, as task files have it."""
    import math

    from footfall.errors import InputError

    if text is None:
        return None
    try:
        numbers = [float(word) for word in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (2, 3) or not all(math.isfinite(n) and abs(n) <= 1e6 for n in numbers):
        raise InputError(
            f"{option} is {text[:60]!r}", remedy="say x,z or x,z,yaw, like 0,2.5 or 0,2.5,90"
        )
    return numbers
