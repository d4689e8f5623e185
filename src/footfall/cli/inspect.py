"""`footfall inspect FILE…`: what a clip holds, and what was found out about it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from footfall.cli.output import Json, Output, Quiet, Seed
from footfall.cli.reading import FirstFrame, Roles, SourceFps, SourceScale, SourceUp, read_options


def inspect(
    files: Annotated[list[Path], typer.Argument(help="Clips: BVH, AMC, GLB, glTF, NPZ, USD.")],
    source_scale: SourceScale = None,
    source_up: SourceUp = None,
    source_fps: SourceFps = None,
    first_frame: FirstFrame = "auto",
    roles: Roles = None,
    joints: Annotated[
        bool, typer.Option("--joints", help="List the joints and their roles.")
    ] = False,
    as_json: Json = False,
    quiet: Quiet = False,
    seed: Seed = 0,
) -> None:
    """Tell what clips hold: skeleton, roles, units, axes, rate, travel, and anything suspicious.

    Examples:

      footfall inspect walk.bvh

      footfall inspect takes/*.bvh --json
    """
    from footfall.errors import InputError
    from footfall.report.inspection import inspect as look

    output = Output(as_json=as_json, quiet=quiet)
    options = read_options(source_scale, source_up, source_fps, first_frame, roles)
    found, failed = [], []
    with output.progress("inspecting") as progress:
        for number, file in enumerate(files):
            try:
                found.append(look(file, options))
            except InputError as error:
                if len(files) == 1:
                    raise
                failed.append(str(error))
            progress((number + 1) / len(files))
    for inspection in found:
        output.say(f"{inspection.file}: {inspection.headline}")
        output.table(inspection.rows(joints=joints))
        for note in inspection.notes:
            output.say(f"  note: {note}")
    for sentence in failed:
        typer.echo(f"footfall: {sentence}", err=True)
    output.result({"clips": [i.as_dict() for i in found], "errors": failed})
    if failed:
        raise typer.Exit(2)


def add_to(app: typer.Typer) -> None:
    """Make this verb known."""
    app.command("inspect")(inspect)
