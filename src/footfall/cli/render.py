"""`footfall render CLIP -o sheet.png|walk.gif|walk.webp`: pictures of a clip."""

from __future__ import annotations

from pathlib import Path

from footfall.cli.options import Force, To, command
from footfall.cli.output import Output
from footfall.cli.pages import Open, check_open, show_page
from footfall.cli.reading import Reading


@command
def render(
    clip: Path,
    read: Reading,
    output: Output,
    to: To = Path("out/render.png"),
    scene: str | None = None,
    views: str | None = None,
    instants: int | None = None,
    width: int | None = None,
    height: int | None = None,
    open_page: Open = False,
    force: Force = False,
) -> None:
    """Draw a clip: the mannequin from the side, the front and above, or as an animation.

    clip      The clip to draw.
    to        A .png sheet, a .gif or .webp animation, or an .html page that plays it.
    scene     Draw it in this world: a built-in scene or a scene file.
    views     With commas between: side,front,top on a sheet; corner,side,front,top
              animated; one of side,corner,above on a picture in a scene.
    instants  Bodies on a sheet (default: as many as stand clear).
    width     Pixels across (a sheet 1800; each view animated 640).
    height    Pixels down, of an animation (three quarters of --width).

    Examples:
      footfall render walk.bvh -o walk.png
      footfall render walk.bvh -o walk.png --views side --instants 5
      footfall render walk.bvh -o walk.gif --width 480
      footfall render walk.bvh -o walk.webp --views corner,front --width 320 --height 360
      footfall render walk.bvh -o walk.html --open
      footfall render out/room.bvh -o room.gif --scene room
    """
    from footfall.files.formats import load
    from footfall.files.results import replacing
    from footfall.files.scene.read import load_scene
    from footfall.render.in_scene import describe_exit
    from footfall.verbs.render import render as draw

    check_open(open_page, [to])
    with (
        replacing([to], [clip, scene, *read.files], force=force),
        output.progress("drawing") as progress,
    ):
        world = None if scene is None else load_scene(scene)
        motion = load(clip, read.options())
        draw(
            motion, to, scene=world, instants=instants, width=width, height=height,
            views=None if views is None else [v.strip() for v in views.split(",") if v.strip()],
            progress=progress,
        )  # fmt: skip
    if world is not None and (exit_ := describe_exit(motion, world)):
        output.note(exit_)
    output.say(f"{to}")
    show_page(open_page, [to])
    output.result({"picture": str(to)})
