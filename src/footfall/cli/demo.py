"""`footfall demo`: a clip's whole way, from file to GLB, BVH and pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from footfall.cli.output import Json, Output, Quiet, Seed


def demo(
    to: Annotated[Path, typer.Option("--output", "-o", help="The stem of what is written.")] = Path(
        "out/demo"
    ),
    clip: Annotated[
        Path | None, typer.Option("--clip", help="A clip of yours instead of the built-in walk.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
    seed: Seed = 0,
) -> None:
    """Show a clip's whole way: read it, understand it, write GLB and BVH, draw it.

    Examples:

      footfall demo

      footfall demo --clip walk.bvh -o out/mine
    """
    from footfall.report.demo import demo as show

    output = Output(as_json=as_json, quiet=quiet)
    with output.progress("showing") as progress:
        shown = show(to, clip=clip, seed=seed, progress=progress)
    output.say(f"{shown.inspection.file}: {shown.inspection.headline}")
    output.table(shown.inspection.rows(joints=False))
    for note in shown.inspection.notes:
        output.say(f"  note: {note}")
    output.say("written:")
    for file in shown.files:
        output.say(f"  {file}")
    output.result({"clip": shown.inspection.as_dict(), "files": [str(f) for f in shown.files]})


def add_to(app: typer.Typer) -> None:
    """Make this verb known."""
    app.command("demo")(demo)
