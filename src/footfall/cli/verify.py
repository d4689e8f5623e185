"""`footfall verify CLIP`: check any motion, optionally against a scene and a task."""

from __future__ import annotations

from pathlib import Path

import typer

from footfall.cli.options import command
from footfall.cli.output import Output
from footfall.cli.reading import Reading

FAILED = 1


@command
def verify(
    clip: Path,
    read: Reading,
    output: Output,
    scene: str | None = None,
    task: Path | None = None,
    library: str | None = None,
) -> None:
    """Check a motion as every plan is checked: body, task, scene.

    Prints each checked value beside the sources' own and its limit, then what fails and what is
    worth a note. Exit code 0: it passed; 1: it failed; 2: the input is not valid.

    clip     The motion to check: BVH, AMC, GLB, USD or NPZ.
    scene    The world of the motion: a name or a file.
    task     What the motion should do: a task file (TOML).
    library  Its source clips, to measure limits of the body from.

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
