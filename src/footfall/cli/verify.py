"""`footfall verify CLIP`: check any motion, optionally against a scene and a task."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from footfall.cli.options import with_groups
from footfall.cli.output import Output
from footfall.cli.reading import Reading

FAILED = 1


@with_groups
def verify(
    clip: Annotated[Path, typer.Argument(help="The motion to check: BVH, AMC, GLB, USD or NPZ.")],
    read: Reading,
    output: Output,
    scene: Annotated[
        str | None, typer.Option("--scene", help="The world of the motion: a name or a file.")
    ] = None,
    task: Annotated[
        Path | None, typer.Option("--task", help="What it was to do: a task file (TOML).")
    ] = None,
    library: Annotated[
        str | None,
        typer.Option("--library", help="Its source clips, to measure limits of the body from."),
    ] = None,
) -> None:
    """Check a motion as every plan is checked: body, task, scene.

    Prints each checked value beside the sources' own and its limit, then what fails and what is
    worth a note. Exit code 0: it passed; 1: it failed; 2: the input is not valid.

    Examples:

      footfall verify walk.bvh

      footfall verify walk.glb --library default --scene room

      footfall verify walk.bvh --task examples/tasks/pick.toml --json
    """
    from footfall.verbs.verify import report_text, verdict
    from footfall.verbs.verify import verify as check

    with output.progress("verifying"):
        report = check(clip, task=task, scene=scene, library=library, read=read.options())
    for line in report_text(report):
        output.say(line)
    output.say(f"{clip}: {verdict(report)}")
    output.result({"clip": str(clip), **report.as_dict()})
    if not report.passed:
        raise typer.Exit(FAILED)


def add_to(app: typer.Typer) -> None:
    """Make this verb known."""
    app.command("verify")(verify)
