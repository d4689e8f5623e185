"""`footfall render CLIP -o sheet.png|walk.gif|walk.webp`: pictures of a clip."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from footfall.cli.options import Force, with_groups
from footfall.cli.output import Output
from footfall.cli.reading import Reading


@with_groups
def render(
    clip: Annotated[Path, typer.Argument(help="The clip to draw.")],
    read: Reading,
    output: Output,
    to: Annotated[
        Path,
        typer.Option("--output", "-o", help="A .png sheet, or a .gif or .webp animation."),
    ] = Path("out/render.png"),
    scene: Annotated[
        str | None,
        typer.Option("--scene", help="Draw it in this world: a built-in scene or a scene file."),
    ] = None,
    views: Annotated[
        str | None,
        typer.Option(
            "--views",
            help="With commas between: side,front,top on a sheet; corner,side,front,top animated; "
            "one of side,corner,above on a picture in a scene.",
        ),
    ] = None,
    instants: Annotated[
        int | None,
        typer.Option("--instants", help="Bodies on a sheet (default: as many as stand clear)."),
    ] = None,
    width: Annotated[
        int | None,
        typer.Option("--width", help="Pixels across (a sheet 1800; each view animated 640)."),
    ] = None,
    height: Annotated[
        int | None,
        typer.Option("--height", help="Pixels down, of an animation (three quarters of --width)."),
    ] = None,
    force: Force = False,
) -> None:
    """Draw a clip: the mannequin from the side, the front and above, or as an animation.

    Examples:

      footfall render walk.bvh -o walk.png

      footfall render walk.bvh -o walk.png --views side --instants 5

      footfall render walk.bvh -o walk.gif --width 480

      footfall render walk.bvh -o walk.webp --views corner,front --width 320 --height 360

      footfall render out/room.bvh -o room.gif --scene room
    """
    from footfall.files.formats import load
    from footfall.files.results import replacing
    from footfall.verbs.render import render as draw

    with (
        replacing([to], [clip, scene, *read.files], force=force),
        output.progress("drawing") as progress,
    ):
        draw(
            load(clip, read.options()),
            to,
            scene=scene,
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
