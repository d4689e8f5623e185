"""`footfall fit CLIP --scene hills`: put a flat clip on a terrain with locked feet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from footfall.cli.options import Force, To, command
from footfall.cli.output import Output
from footfall.cli.pages import Open, check_open, is_page, show_page
from footfall.cli.reading import Reading
from footfall.cli.writing import Formats, is_picture, targets, write_all

if TYPE_CHECKING:
    from footfall.verbs.fit import FittedToScene


@command
def fit(
    clip: Path,
    scene: Annotated[str, typer.Option("--scene")],
    read: Reading,
    output: Output,
    at: str | None = None,
    strides: float | None = None,
    to: To = Path("out/fit"),
    formats: Formats = "glb,bvh",
    open_page: Open = False,
    force: Force = False,
) -> None:
    """Put a clip on a terrain: feet locked to the ground, body following.

    Without --at it starts where the scene's first path or query does; on a scene without either,
    at 0,0.

    clip     The clip to put on the ground.
    scene    A built-in scene, a scene file, or a GLB/OBJ level.
    at       Where it starts: x,z or x,z,yaw in metres and degrees.
    strides  Length of strides against the clip's (default: as fits).
    to       A file, or a stem for --formats.

    Examples:
      footfall fit walk.bvh --scene hills -o out/walk
      footfall fit walk.bvh --scene stairs --at=-2.5,-4.6,0 -o out/climb.glb
    """
    from footfall.files.results import replacing
    from footfall.verbs.fit import fit as put

    files = targets(to, formats)
    check_open(open_page, files)
    with (
        replacing(files, [clip, scene, *read.files], force=force),
        output.progress("fitting") as progress,
    ):
        done = put(clip, scene, at=at, strides=strides, read=read.options())
        progress(0.5)
        _write(done, files)
        progress(1.0)
    output.say(
        f"{clip} on {done.scene.name}: climbs {done.climb_m:.2f} m, at most {done.rise_m:.2f} m a "
        f"step, strides {done.strides:.0%} of the clip's"
    )
    output.notes(done.notes)
    output.files(files)
    show_page(open_page, files)
    output.result(
        {
            "scene": done.scene.name,
            "problem": done.problem,
            "climb_m": done.climb_m,
            "rise_m": done.rise_m,
            "strides": done.strides,
            "off_ground": done.off_ground,
            "depth_m": done.depth_m,
            "in_water": done.in_water,
            "files": [str(f) for f in files],
        }
    )


def _write(done: FittedToScene, files: list[Path]) -> None:
    """Models and pictures show the scene too; other formats hold the motion alone."""
    from footfall.verbs.render import render

    for file in files:
        if file.suffix.lower() in (".glb", ".gltf"):
            done.save_with_scene(file)
        elif is_picture(file):
            render(done.clip, file, scene=done.scene)
        elif is_page(file):
            from footfall.verbs.player import save_player

            save_player(done.clip, file, done.scene)
        else:
            write_all(done.clip, [file])
