"""`footfall fit CLIP --scene hills`: put a flat clip on a terrain with locked feet."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from footfall.cli.output import Json, Output, Quiet, Seed
from footfall.cli.reading import FirstFrame, Roles, SourceFps, SourceScale, SourceUp, read_options
from footfall.cli.writing import Formats, targets, write_all


def fit(
    clip: Annotated[Path, typer.Argument(help="The clip to put on the ground.")],
    scene: Annotated[
        str, typer.Option("--scene", help="A built-in scene, a scene file, or a GLB/OBJ level.")
    ],
    at: Annotated[
        str | None,
        typer.Option("--at", help="Where it starts: x,z or x,z,yaw in metres and degrees."),
    ] = None,
    strides: Annotated[
        float | None,
        typer.Option("--strides", help="Length of strides against the clip's (default: as fits)."),
    ] = None,
    to: Annotated[
        Path, typer.Option("--output", "-o", help="A file, or a stem for --formats.")
    ] = Path("out/fit"),
    formats: Formats = "glb,bvh",
    source_scale: SourceScale = None,
    source_up: SourceUp = None,
    source_fps: SourceFps = None,
    first_frame: FirstFrame = "auto",
    roles: Roles = None,
    as_json: Json = False,
    quiet: Quiet = False,
    seed: Seed = 0,
) -> None:
    """Put a clip on a terrain: feet locked to the ground, body following.

    Examples:

      footfall fit walk.bvh --scene hills -o out/walk

      footfall fit walk.bvh --scene stairs --at 0,1,90 -o out/climb.glb
    """
    from footfall.report.fitting import fit as put

    output = Output(as_json=as_json, quiet=quiet)
    files = targets(to, formats)
    options = read_options(source_scale, source_up, source_fps, first_frame, roles)
    with output.progress("fitting") as progress:
        done = put(clip, scene, at=at, strides=strides, read=options)
        progress(0.5)
        models = [f for f in files if f.suffix.lower() in (".glb", ".gltf")]
        for file in models:
            done.save_with_scene(file)
        write_all(done.clip, [f for f in files if f not in models])
        progress(1.0)
    output.say(
        f"{clip} on {done.scene.name}: climbs {done.climb_m:.2f} m, at most {done.rise_m:.2f} m a "
        f"step, strides {done.strides:.0%} of the clip's"
    )
    if done.problem:
        output.say(f"  note: {done.problem}")
    if done.off_ground:
        output.say(f"  note: {done.off_ground} footprints had no ground under them")
    if done.in_water:
        output.say(f"  note: {done.in_water} footprints lie under water")
    for file in files:
        output.say(f"  {file}")
    output.result(
        {
            "scene": done.scene.name,
            "problem": done.problem,
            "climb_m": done.climb_m,
            "rise_m": done.rise_m,
            "strides": done.strides,
            "off_ground": done.off_ground,
            "in_water": done.in_water,
            "files": [str(f) for f in files],
        }
    )


def add_to(app: typer.Typer) -> None:
    """Make this verb known."""
    app.command("fit")(fit)
