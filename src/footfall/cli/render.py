"""`footfall render CLIP -o sheet.png|walk.gif|walk.webp`: pictures of a clip."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from footfall.cli.output import Json, Output, Quiet, Seed
from footfall.cli.reading import FirstFrame, Roles, SourceFps, SourceScale, SourceUp, read_options


def render(
    clip: Annotated[Path, typer.Argument(help="The clip to draw.")],
    to: Annotated[
        Path,
        typer.Option("--output", "-o", help="A .png sheet, or a .gif or .webp animation."),
    ] = Path("out/render.png"),
    views: Annotated[
        str | None,
        typer.Option(
            "--views",
            help="With commas between: side,front,top on a sheet; corner,side,front,top animated.",
        ),
    ] = None,
    instants: Annotated[
        int | None,
        typer.Option("--instants", help="Figures on a sheet (default: as many as stand clear)."),
    ] = None,
    width: Annotated[
        int | None,
        typer.Option("--width", help="Pixels across (a sheet 1800; each view animated 640)."),
    ] = None,
    height: Annotated[
        int | None,
        typer.Option("--height", help="Pixels down, of an animation (three quarters of --width)."),
    ] = None,
    source_scale: SourceScale = None,
    source_up: SourceUp = None,
    source_fps: SourceFps = None,
    first_frame: FirstFrame = "auto",
    roles: Roles = None,
    as_json: Json = False,
    quiet: Quiet = False,
    seed: Seed = 0,
) -> None:
    """Draw a clip: the mannequin from the side, the front and above, or as an animation.

    Examples:

      footfall render walk.bvh -o walk.png

      footfall render walk.bvh -o walk.png --views side --instants 5

      footfall render walk.bvh -o walk.gif --width 480

      footfall render walk.bvh -o walk.webp --views corner,front --width 320 --height 360
    """
    from footfall.files.formats import load
    from footfall.report.render.render import render as draw

    output = Output(as_json=as_json, quiet=quiet)
    options = read_options(source_scale, source_up, source_fps, first_frame, roles)
    with output.progress("drawing") as progress:
        draw(
            load(clip, options),
            to,
            views=None if views is None else [v.strip() for v in views.split(",") if v.strip()],
            instants=instants,
            width=width,
            height=height,
            progress=progress,
        )
    output.say(f"{to}")
    output.result({"picture": str(to)})


def add_to(app: typer.Typer) -> None:
    """Make this verb known."""
    app.command("render")(render)
