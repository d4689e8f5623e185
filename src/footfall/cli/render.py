"""`footfall render CLIP -o sheet.png|walk.gif`: pictures of a clip."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from footfall.cli.output import Json, Output, Quiet, Seed
from footfall.cli.reading import FirstFrame, Roles, SourceFps, SourceScale, SourceUp, read_options


def render(
    clip: Annotated[Path, typer.Argument(help="The clip to draw.")],
    to: Annotated[
        Path, typer.Option("--output", "-o", help="A .png sheet or an animated .gif.")
    ] = Path("out/render.png"),
    width: Annotated[int | None, typer.Option("--width", help="Width in pixels.")] = None,
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

      footfall render walk.bvh -o walk.gif --width 480
    """
    from footfall.files.formats import load
    from footfall.report.render import render as draw

    output = Output(as_json=as_json, quiet=quiet)
    options = read_options(source_scale, source_up, source_fps, first_frame, roles)
    with output.progress("drawing") as progress:
        draw(load(clip, options), to, width=width, progress=progress)
    output.say(f"{to}")
    output.result({"picture": str(to)})


def add_to(app: typer.Typer) -> None:
    """Make this verb known."""
    app.command("render")(render)
