"""`footfall clean CLIP`: remove skating and floor drift."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from footfall.cli.output import Json, Output, Quiet, Seed
from footfall.cli.reading import FirstFrame, Roles, SourceFps, SourceScale, SourceUp, read_options
from footfall.cli.writing import Formats, targets, write_all


def clean(
    clip: Annotated[Path, typer.Argument(help="The clip to clean.")],
    to: Annotated[
        Path, typer.Option("--output", "-o", help="A file, or a stem for --formats.")
    ] = Path("out/clean"),
    formats: Formats = "bvh,glb",
    source_scale: SourceScale = None,
    source_up: SourceUp = None,
    source_fps: SourceFps = None,
    first_frame: FirstFrame = "auto",
    roles: Roles = None,
    as_json: Json = False,
    quiet: Quiet = False,
    seed: Seed = 0,
) -> None:
    """Hold touching feet still, on a floor that does not drift.

    Examples:

      footfall clean walk.bvh -o walk_clean.bvh

      footfall clean walk.bvh -o out/walk --formats bvh,glb,png
    """
    from footfall.adapt.clean import clean as tidy
    from footfall.files.formats import load

    output = Output(as_json=as_json, quiet=quiet)
    files = targets(to, formats)
    options = read_options(source_scale, source_up, source_fps, first_frame, roles)
    with output.progress("cleaning") as progress:
        done = tidy(load(clip, options))
        progress(0.5)
        write_all(done.clip, files)
        progress(1.0)
    output.say(
        f"{clip}: floor drift up to {done.drift_m * 100:.1f} cm and skating up to "
        f"{done.skate_m * 100:.1f} cm removed"
    )
    if done.problem:
        output.say(f"  note: {done.problem}")
    if len(done.floors_m) > 1:
        output.say("  floors at " + ", ".join(f"{f:+.2f} m" for f in done.floors_m))
    for file in files:
        output.say(f"  {file}")
    output.result(
        {
            "problem": done.problem,
            "drift_m": done.drift_m,
            "skate_m": done.skate_m,
            "floors_m": list(done.floors_m),
            "files": [str(f) for f in files],
        }
    )


def add_to(app: typer.Typer) -> None:
    """Make this verb known."""
    app.command("clean")(clean)
