"""`footfall plan`: a motion from here to there, along a path, or through stages in order."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from footfall.cli.options import Force, To, command
from footfall.cli.output import Output
from footfall.cli.pages import Open, check_open, show_page
from footfall.cli.stopping import STOPPING
from footfall.cli.task_options import TaskOptions
from footfall.cli.warmup import compile_first
from footfall.cli.writing import Formats, targets

if TYPE_CHECKING:
    from footfall.plots.picture_process import PictureProcess
    from footfall.task import Plan
    from footfall.task.file import Task

NO_MOTION, INTERRUPTED = 1, 130
_PICTURES = (".map", ".timeline", ".anytime")
"""What pictures of a plan are called, after its own name."""

_LABELS = {
    "path_m": "path to follow", "length_m": "walked, without sway",
    "seconds": "time", "speed_m_s": "speed",
    "deviation_rms_cm": "off the path (RMS)", "deviation_max_cm": "off the path at most",
    "end_error_cm": "end error", "drift_max_mm": "drift of planted feet at most",
    "drift_mean_mm": "drift of planted feet",
    "inner_stops": "stops on the way", "stopped_seconds": "time stopped on the way",
    "turned_deg": "turning, all together", "net_turn_deg": "turning, net",
    "crabwise_share": "share of moving time crabwise", "bend_lean_ratio": "lean in bends / v·ω/g",
    "seam_jolt_ratio": "jolts at seams / elsewhere", "step_length_cv": "variation of step length",
    "step_time_cv": "variation of step time", "duration_ratio": "time / what a person needs",
    "foot_yaw_in_deg": "foot turned in at most", "foot_yaw_out_deg": "foot turned out at most",
    "shank_gap_cm": "least gap of the shanks", "knee_jump_deg": "knee change in 1/30 s at most",
}  # fmt: skip


@command
def plan(
    output: Output,
    task: Annotated[Path | None, typer.Argument()] = None,
    asked: TaskOptions = TaskOptions(),  # noqa: B008
    methods: bool = False,
    save_as: Annotated[Path | None, typer.Option("--save-task")] = None,
    to: To = Path("out/walk"),
    formats: Formats = "glb,bvh",
    open_page: Open = False,
    force: Force = False,
) -> None:
    """Plan a motion: along a path, or from one place to another through a scene.

    Writes the motion, a map from above and a timeline (and of an anytime search how cost and
    bound fell), and prints how well it follows the path.
    Exit code 1 says that there is no such motion, and the reason is printed. Ctrl-C saves the
    best motion so far.

    task     A task file (TOML); the options overrule it.
    methods  Show the methods and their options, and exit.
    save_as  Write all this as a task file too.
    to       A file, or a stem for --formats.

    Examples:
      footfall plan --path zigzag -o out/zigzag
      footfall plan --scene room --query "to the window" -o out/room
      footfall plan --from 0,0 --via 1,3 --to 3,8,90 --speed 1.2 -o out/walk.glb
      footfall plan --path zigzag -o out/zigzag.html --open
      footfall plan task.toml --library takes --character hero.glb
      footfall plan --path zigzag --method graph --set metric=joint_angles
      footfall plan examples/tasks/pick.toml --method optimal --seconds 30 --epsilon 10
    """
    from footfall.files.results import replacing

    if methods:
        _show_methods(output)
        return
    files = _with_pictures(targets(to, formats))
    check_open(open_page, files)
    table = asked.table(task)
    made = _make_task(task, table)
    named = [table.get(key) for key in ("scene", "path", "library", "character")]
    inputs = [task, *(one for one in named if isinstance(one, str))]
    with replacing(files if save_as is None else [*files, save_as], inputs, force=force):
        if save_as is not None:
            from footfall.task.file import save_task

            save_task(made, save_as)
        _run(made, files, output, open_page)


def _run(asked: Task, files: list[Path], output: Output, open_page: bool) -> None:
    from footfall.library.library import check_library_name
    from footfall.verbs.planner import check_query
    from footfall.verbs.warmup_jobs import planning_jobs

    check_library_name(asked.library)
    check_query(asked.query, asked.method, dict(asked.options))
    with _pictures_beside(asked) as pictures:
        compile_first(output, planning_jobs(_likely_method(asked)))
        made, interrupted = _solve(asked, output)
        _show(made, interrupted, asked, files, pictures, output)
    show_page(open_page and made.clip is not None, files)
    if interrupted:
        raise SystemExit(INTERRUPTED)
    if not made.found:
        raise typer.Exit(NO_MOTION)


def _likely_method(asked: Task) -> str:
    """Return the method that will plan this task, as far as that is known without its clips."""
    from footfall.task.method import AUTO, Refusal, rank_methods

    if asked.method != AUTO or asked.options:
        return asked.method
    ranked = rank_methods(asked.query, None)
    return asked.method if isinstance(ranked, Refusal) else ranked[0][0].name


@contextmanager
def _pictures_beside(asked: Task) -> Iterator[PictureProcess | None]:
    """Start a process that will draw the pictures, where there is a second core."""
    from footfall.plots.picture_process import PictureProcess
    from footfall.processes import usable_cores

    if usable_cores() < 2:
        yield None
        return
    beside = PictureProcess(asked.scene)
    try:
        yield beside
    finally:
        beside.close()


def _solve(asked: Task, output: Output) -> tuple[Plan, bool]:
    """Return the best plan, and whether somebody interrupted the search for a better one."""
    from footfall.task import CANCELLED, Plan
    from footfall.verbs.planner import planner

    made = Plan(CANCELLED, "it was interrupted before a motion was found")
    with output.watch("planning") as watch:
        try:
            ready = planner(
                asked.method, library=asked.library, character=asked.character, **asked.options
            )
            for better in ready.plans(asked.query, watch):
                made = better
                if made.clip is not None:  # an interrupt saves it
                    STOPPING.allow_saving()
        except KeyboardInterrupt:
            return made, True
    return made, False


def _show(
    made: Plan, interrupted: bool, asked: Task, files: list[Path],
    pictures: PictureProcess | None, output: Output,
) -> None:  # fmt: skip
    """Write the motion and its pictures, and print what there is to say."""
    from footfall.files.atomic import make_folder_of
    from footfall.verbs.plan_results import facts_of, measures_of, save_plan

    written = files if made.clip is not None else []
    if made.anytime is None:
        written = [f for f in written if not f.stem.endswith(".anytime")]
    drawn = [f for f in written if f.stem.endswith(_PICTURES)]
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
        if math.isfinite(made.bound):
            output.say(f"  cost {made.cost:.4g}, at most {made.bound:.2f} times the least")
    units = {"m": " m", "cm": " cm", "mm": " mm", "seconds": " s", "s": " m/s", "deg": "°"}
    output.table([
        (_LABELS.get(name, name), f"{value:.2f}{units.get(name.rsplit('_', 1)[-1], '')}")
        for name, value in measures.items()
    ])  # fmt: skip
    for note in made.notes:
        output.say(f"  note: {note}")
    for file in written:
        output.say(f"  {file}")


def _make_task(file: Path | None, table: dict[str, Any]) -> Task:
    from footfall.task.file import make_task

    return make_task(table, *(("", "walk") if file is None else (file.name, file.stem)))


def _with_pictures(files: list[Path]) -> list[Path]:
    """Return the files and, beside the first, the pictures of the plan."""
    first = files[0]
    return [*files, *(first.with_name(f"{first.stem}{kind}.png") for kind in _PICTURES)]


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
