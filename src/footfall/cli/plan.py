"""`footfall plan`: a motion from here to there, along a path, or through stages in order."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from footfall.cli.output import Json, Output, Quiet
from footfall.cli.warmup import compile_first
from footfall.cli.writing import Force, Formats, targets

if TYPE_CHECKING:
    from footfall.report.picture_process import PictureProcess
    from footfall.task import Plan
    from footfall.task.file import Task

NO_MOTION, INTERRUPTED = 1, 130

_LABELS = {
    "path_m": "path to follow", "length_m": "walked, without sway",
    "seconds": "time", "speed_m_s": "speed",
    "deviation_rms_cm": "off the path (RMS)", "deviation_max_cm": "off the path at most",
    "end_error_cm": "end error", "drift_max_mm": "drift of planted feet at most",
    "drift_mean_mm": "drift of planted feet",
}  # fmt: skip


def plan(
    task: Annotated[
        Path | None, typer.Argument(help="A task file (TOML); the options overrule it.")
    ] = None,
    scene: Annotated[
        str | None, typer.Option("--scene", help="A built-in scene, a scene file, or a level.")
    ] = None,
    start: Annotated[
        str | None, typer.Option("--from", help="Where to begin: x,z or x,z,yaw (metres, degrees).")
    ] = None,
    goal: Annotated[
        str | None, typer.Option("--to", help="Where to end: x,z or x,z,yaw (metres, degrees).")
    ] = None,
    via: Annotated[
        list[str] | None, typer.Option("--via", help="A place to pass through: x,z (repeatable).")
    ] = None,
    query: Annotated[
        str | None, typer.Option("--query", help="One of the scene's queries, by name.")
    ] = None,
    path: Annotated[
        str | None,
        typer.Option("--path", help="A path to follow: a name, a .toml, .svg or .csv file."),
    ] = None,
    scale: Annotated[
        float | None, typer.Option("--scale", help="Metres per unit of the path file.")
    ] = None,
    corridor: Annotated[
        float | None, typer.Option("--corridor", help="How far from the path it may be, metres.")
    ] = None,
    speed: Annotated[
        float | None, typer.Option("--speed", help="The speed that is wished for, m/s.")
    ] = None,
    style: Annotated[
        str | None, typer.Option("--style", help="The tag of the clips that are wished for.")
    ] = None,
    prefer: Annotated[
        list[str] | None,
        typer.Option("--prefer", help="TAG=FACTOR: wish for clips more or less (repeatable)."),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option("--seconds", help="How long planning may take.")
    ] = None,
    method: Annotated[
        str | None, typer.Option("--method", help="How to plan: auto, or see --methods.")
    ] = None,
    options: Annotated[
        list[str] | None,
        typer.Option("--set", help="NAME=VALUE: an option of the method (repeatable)."),
    ] = None,
    methods: Annotated[
        bool, typer.Option("--methods", help="Show the methods and their options, and leave.")
    ] = False,
    library: Annotated[
        str | None,
        typer.Option("--library", help="The clips: default, a library, a folder, one clip."),
    ] = None,
    character: Annotated[
        str | None,
        typer.Option("--character", help="A file whose skeleton the motion is made for."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="Same seed, same result (default 0).")
    ] = None,
    save_as: Annotated[
        Path | None, typer.Option("--save-task", help="Write all this as a task file too.")
    ] = None,
    to: Annotated[
        Path, typer.Option("--output", "-o", help="A file, or a stem for --formats.")
    ] = Path("out/walk"),
    formats: Formats = "glb,bvh",
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Plan a motion: along a path, or from one place to another through a scene.

    Writes the motion, a map from above and a timeline, and prints how well it follows the path.
    Exit code 1 says that there is no such motion, and the reason is printed. Ctrl-C saves the
    best motion so far.

    Examples:

      footfall plan --path zigzag -o out/zigzag

      footfall plan --scene room --query "to the window" -o out/room

      footfall plan --from 0,0 --via 1,3 --to 3,8,90 --speed 1.2 -o out/walk.glb

      footfall plan task.toml --library takes --character hero.glb

      footfall plan --path zigzag --method graph --set metric=joint_angles
    """
    from footfall.files.results import replacing

    output = Output(as_json=as_json, quiet=quiet)
    if methods:
        _show_methods(output)
        return
    files = targets(to, formats)
    given = {
        "scene": scene, "from": _place("--from", start), "to": _place("--to", goal),
        "query": query, "path": path, "scale": scale, "corridor_m": corridor, "speed": speed,
        "style": style, "prefer": _factors(prefer), "time_s": seconds, "method": method,
        "library": library, "character": character, "seed": seed,
    }  # fmt: skip
    vias = [_place("--via", place) for place in via or ()]
    table = _fill_table(task, given, vias, options or [])
    asked = _make_task(task, table)
    files = _with_pictures(files)
    named = [table.get(key) for key in ("scene", "path", "library", "character")]
    inputs = [task, *(one for one in named if isinstance(one, str))]
    results = files if save_as is None else [*files, save_as]
    with replacing(results, inputs, force=force):
        if save_as is not None:
            from footfall.task.file import save_task

            save_task(asked, save_as)
        _run(asked, files, output)


def _run(asked: Task, files: list[Path], output: Output) -> None:
    from footfall.planning import check_query
    from footfall.report.warmup_jobs import PLANNING

    check_query(asked.query, asked.method, dict(asked.options))
    with _pictures_beside(asked) as pictures:
        compile_first(output, PLANNING)
        made, interrupted = _solve(asked, output)
        _show(made, interrupted, asked, files, pictures, output)
    if interrupted:
        raise SystemExit(INTERRUPTED)
    if not made.found:
        raise typer.Exit(NO_MOTION)


@contextmanager
def _pictures_beside(asked: Task) -> Iterator[PictureProcess | None]:
    """A process that will draw the pictures, where there is a second core for it."""
    import os

    from footfall.report.picture_process import PictureProcess

    if (os.cpu_count() or 1) < 2:
        yield None
        return
    beside = PictureProcess(asked.scene)
    try:
        yield beside
    finally:
        beside.close()


def _solve(asked: Task, output: Output) -> tuple[Plan, bool]:
    """The best plan, and whether somebody interrupted the search for a better one."""
    from footfall.planning import planner
    from footfall.task import CANCELLED, Plan

    made = Plan(CANCELLED, "it was interrupted before a motion was found")
    with output.watch("planning") as watch:
        try:
            ready = planner(
                asked.method, library=asked.library, character=asked.character, **asked.options
            )
            for better in ready.plans(asked.query, watch):
                made = better
        except KeyboardInterrupt:
            return made, True
    return made, False


def _show(
    made: Plan, interrupted: bool, asked: Task, files: list[Path],
    pictures: PictureProcess | None, output: Output,
) -> None:  # fmt: skip
    """Write the motion and its pictures, and print what there is to say."""
    from footfall.files.atomic import make_folder_of
    from footfall.report.planning import facts_of, measures_of, save_plan

    written = files if made.clip is not None else []
    drawn = [f for f in written if f.stem.endswith((".map", ".timeline"))]
    if pictures is not None and drawn:
        make_folder_of(written[0])
        pictures.begin(made, drawn)
    measures = measures_of(made)
    with output.progress("writing") as progress:
        for n, file in enumerate(written):
            if pictures is None or file not in drawn:
                save_plan(made, [file], asked.query.scene)
            progress((n + 1) / len(written))
        if pictures is not None and drawn and not pictures.is_drawn():
            save_plan(made, drawn, asked.query.scene)
    facts = facts_of(made, measures)
    output.result({**facts, "interrupted": interrupted, "files": [str(f) for f in written]})
    _tell(made, measures, written, output, interrupted)


def _tell(
    made: Plan, measures: dict[str, float], written: list[Path], output: Output, interrupted: bool
) -> None:
    if interrupted and not output.quiet:
        saved = "the best motion so far is saved" if written else "there was no motion yet"
        typer.echo(f"footfall: interrupted; {saved}", err=True)
    elif not made.found and not output.quiet:
        typer.echo(f"footfall: {made.status}: {made.reason}", err=True)
    if made.found:
        by = f" by {made.method} ({made.choice})" if made.method else ""
        output.say(
            f"found{by}: {len(made.segments)} segments of clips, {len(made.footprints)} footprints"
        )
    units = {"m": " m", "cm": " cm", "mm": " mm", "seconds": " s", "s": " m/s"}
    output.table([
        (_LABELS.get(name, name), f"{value:.2f}{units.get(name.rsplit('_', 1)[-1], '')}")
        for name, value in measures.items()
    ])  # fmt: skip
    for note in made.notes:
        output.say(f"  note: {note}")
    for file in written:
        output.say(f"  {file}")


def _fill_table(
    file: Path | None, given: dict[str, Any], vias: list[list[float] | None], options: list[str]
) -> dict[str, Any]:
    """The keys and values of the task file, overruled by what the command line gives."""
    from footfall.errors import InputError
    from footfall.task.file import GOING, read_task_table

    table: dict[str, Any] = {} if file is None else read_task_table(file)
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
    if not {"path", "query", "stages"} & set(table) and not {"from", "to"} <= set(table):
        raise InputError(
            "there is nowhere to go",
            remedy="give a task file, --path, --from and --to, or --scene and --query",
        )
    if options:
        table["options"] = {**table.get("options", {}), **_set_options(table, options)}
    return table


def _make_task(file: Path | None, table: dict[str, Any]) -> Task:
    from footfall.task.file import make_task

    return make_task(table, *(("", "walk") if file is None else (file.name, file.stem)))


def _set_options(table: dict[str, Any], words: list[str]) -> dict[str, Any]:
    """What --set says, as values of the kinds that the method's options take."""
    from footfall.task.method import AUTO, find_method, method_names
    from footfall.task.options import option_names, parse_options

    given = dict(_named("--set", word, "NAME=VALUE") for word in words)
    method = table.get("method", AUTO)
    names = method_names() if method == AUTO else (method,)
    able = [find_method(n) for n in names]
    kinds = [m.Options for m in able if set(given) <= set(option_names(m.Options))]
    return parse_options((kinds or [able[0].Options])[0], given)


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


def _with_pictures(files: list[Path]) -> list[Path]:
    """The files and, beside the first, the map and the timeline."""
    first = files[0]
    return [*files, *(first.with_name(f"{first.stem}.{kind}.png") for kind in ("map", "timeline"))]


def _show_methods(output: Output) -> None:
    from footfall.task.method import find_method, method_names
    from footfall.task.options import option_rows

    found = {name: find_method(name) for name in method_names()}
    output.result({
        name: {
            "summary": method.summary,
            "stages": [stage.kind for stage in method.stages],
            "options": [dict(zip(("name", "default", "help"), row, strict=True))
                        for row in option_rows(method.Options)],
        }
        for name, method in found.items()
    })  # fmt: skip
    for name, method in found.items():
        output.say(f"{name}: {method.summary}")
        output.say(f"  stages: {', '.join(stage.kind for stage in method.stages)}")
        output.say("  options, with --set NAME=VALUE:")
        rows = option_rows(method.Options)
        output.table([(f"  {key} ({usual})", text) for key, usual, text in rows])


def add_to(app: typer.Typer) -> None:
    """Make this verb known."""
    app.command("plan")(plan)
