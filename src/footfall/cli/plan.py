"""`footfall plan`: a motion from here to there, or along a path."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from footfall.cli.output import Json, Output, Quiet
from footfall.cli.writing import Force, Formats, targets

if TYPE_CHECKING:
    from footfall.files.task.read import Task
    from footfall.task import Plan

NO_MOTION = 1

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
    speed: Annotated[
        float | None, typer.Option("--speed", help="The speed that is wished for, m/s.")
    ] = None,
    method: Annotated[
        str | None, typer.Option("--method", help="How to plan: auto or graph.")
    ] = None,
    library: Annotated[
        str | None,
        typer.Option("--library", help="The clips: default, a library, a folder, one clip."),
    ] = None,
    character: Annotated[
        str | None,
        typer.Option("--character", help="A file whose skeleton the motion is made for."),
    ] = None,
    metric: Annotated[
        str | None, typer.Option("--metric", help="graph: how poses are compared.")
    ] = None,
    abstraction: Annotated[
        str | None,
        typer.Option("--abstraction", help="graph: the path abstraction that follows the path."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="Same seed, same result (default 0).")
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

    Writes the motion and a map from above, and prints how well it follows the path. Exit code 1
    says that there is no such motion, and the reason is printed.

    Examples:

      footfall plan --path zigzag -o out/zigzag

      footfall plan --scene room --query "to the window" -o out/room

      footfall plan --from 0,0 --to 3,8,90 --speed 1.2 -o out/walk.glb

      footfall plan task.toml --library takes --character hero.glb
    """
    from footfall.files.results import replacing

    output = Output(as_json=as_json, quiet=quiet)
    files = targets(to, formats)
    asked = _task(task, {
        "scene": scene, "start": _place("--from", start), "goal": _place("--to", goal),
        "query": query, "path": path, "scale": scale, "speed": speed, "method": method,
        "library": library, "character": character, "seed": seed,
    })  # fmt: skip
    options = {**asked.options}
    options |= {
        k: v for k, v in (("metric", metric), ("abstraction", abstraction)) if v is not None
    }
    files = [*files, _map_beside(files[0])]
    inputs = [task, asked.scene, asked.path, asked.library, asked.character]
    with replacing(files, [one for one in inputs if isinstance(one, str | Path)], force=force):
        _run(asked, options, files, output)


def _run(asked: Task, options: dict[str, Any], files: list[Path], output: Output) -> None:
    from footfall.planning import plan as make
    from footfall.planning import query_of
    from footfall.report.planning import facts_of, measures_of, save_plan

    question = query_of(asked)
    with output.progress("planning") as progress:
        made = make(
            question, method=asked.method, library=asked.library, character=asked.character,
            progress=progress, **options,
        )  # fmt: skip
    measures = measures_of(made)
    if made.clip is not None:
        with output.progress("writing") as progress:
            for n, file in enumerate(files):
                save_plan(made, [file], question.scene)
                progress((n + 1) / len(files))
    written = [str(file) for file in files] if made.clip is not None else []
    output.result({**facts_of(made, measures), "files": written})
    _tell(made, measures, written, output)
    if not made.found:
        raise typer.Exit(NO_MOTION)


def _tell(made: Plan, measures: dict[str, float], written: list[str], output: Output) -> None:
    if made.found:
        output.say(
            f"found: {len(made.segments)} pieces of clips, {len(made.footprints)} footprints"
        )
    elif not output.quiet:
        typer.echo(f"footfall: {made.status}: {made.reason}", err=True)
    units = {"m": " m", "cm": " cm", "mm": " mm", "seconds": " s", "s": " m/s"}
    output.table([
        (_LABELS.get(name, name), f"{value:.2f}{units.get(name.rsplit('_', 1)[-1], '')}")
        for name, value in measures.items()
    ])  # fmt: skip
    for note in made.notes:
        output.say(f"  note: {note}")
    for file in written:
        output.say(f"  {file}")


def _task(file: Path | None, given: dict[str, Any]) -> Task:
    """The task of the file, overruled by what the command line gives."""
    from footfall.errors import InputError
    from footfall.files.task.read import Task, load_task

    known = {name: value for name, value in given.items() if value is not None}
    task = replace(Task() if file is None else load_task(file), **known)
    # Where to go is one thing: a path given here takes the place of the file's ends, and so on.
    if "path" in known:
        task = replace(task, start=known.get("start"), goal=known.get("goal"),
                       query=known.get("query"))  # fmt: skip
    elif {"start", "goal", "query"} & set(known):
        task = replace(task, path=None)
    if "query" in known and "path" not in known:
        task = replace(task, start=known.get("start"), goal=known.get("goal"))
    if task.query is not None and task.scene is None:
        raise InputError("--query is given without a scene", remedy="add --scene")
    whole = task.query is not None or (task.start is not None and task.goal is not None)
    if task.path is None and not whole:
        raise InputError(
            "there is nowhere to go",
            remedy="give a task file, --path, --from and --to, or --scene and --query",
        )
    return task


def _place(option: str, text: str | None) -> tuple[float, ...] | None:
    """x,z or x,z,yaw with the yaw in degrees; a tuple with the yaw in radians."""
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
    return (numbers[0], numbers[1], *(math.radians(n) for n in numbers[2:]))


def _map_beside(file: Path) -> Path:
    return file.with_name(f"{file.stem}.map.png")


def add_to(app: typer.Typer) -> None:
    """Make this verb known."""
    app.command("plan")(plan)
