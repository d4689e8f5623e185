"""`footfall inspect FILE…`: what a clip holds, and what was found out about it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from footfall.cli.output import Json, Output, Quiet, Seed
from footfall.cli.reading import FirstFrame, Roles, SourceFps, SourceScale, SourceUp, read_options


def inspect(
    files: Annotated[
        list[Path], typer.Argument(help="Clips or folders of them: BVH, AMC, GLB, glTF, NPZ, USD.")
    ],
    source_scale: SourceScale = None,
    source_up: SourceUp = None,
    source_fps: SourceFps = None,
    first_frame: FirstFrame = "auto",
    roles: Roles = None,
    joints: Annotated[
        bool, typer.Option("--joints", help="List the joints and their roles.")
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", help="Draw the contacts of one clip: contacts.png, .svg, .pdf."),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
    seed: Seed = 0,
) -> None:
    """Tell what clips hold: skeleton, roles, units, axes, rate, travel, and anything suspicious.

    Examples:

      footfall inspect walk.bvh

      footfall inspect takes/ --json

      footfall inspect walk.bvh --plot contacts.png
    """
    from footfall.conversion import clips_in
    from footfall.errors import InputError
    from footfall.files.formats import is_folder
    from footfall.report.inspection import inspect as look

    output = Output(as_json=as_json, quiet=quiet)
    files = [clip for file in files for clip in (clips_in(file) if is_folder(file) else [file])]
    if plot is not None and len(files) > 1:
        raise InputError(f"--plot draws one clip, not {len(files)}", remedy="give one file")
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
    if plot is not None:
        from footfall.files.formats import load
        from footfall.report.plots.contacts import save_contact_plot

        save_contact_plot(load(files[0], options), plot)
    for inspection in found:
        output.say(f"{inspection.file}: {inspection.headline}")
        output.table(inspection.rows(joints=joints))
        for note in inspection.notes:
            output.say(f"  note: {note}")
    if plot is not None:
        output.say(f"  wrote {plot}")
    for sentence in failed:
        typer.echo(f"footfall: {sentence}", err=True)
    drawn = {} if plot is None else {"plot": str(plot)}
    output.result({"clips": [i.as_dict() for i in found], "errors": failed} | drawn)
    if failed:
        raise typer.Exit(2)


def add_to(app: typer.Typer) -> None:
    """Make this verb known."""
    app.command("inspect")(inspect)
