"""`footfall convert IN OUT`: between formats, figures, frame rates, axes and scales."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from footfall.cli.output import Json, Output, Quiet, Seed
from footfall.cli.reading import (
    BodyModel,
    FirstFrame,
    Roles,
    SourceFps,
    SourceScale,
    SourceUp,
    read_options,
)


def convert(
    source: Annotated[Path, typer.Argument(help="The clip to read, or a folder of clips.")],
    target: Annotated[Path, typer.Argument(help="The file to write, or a folder with --to.")],
    scale: Annotated[
        float | None, typer.Option("--scale", help="Metres per unit written (BVH 0.01, others 1).")
    ] = None,
    up: Annotated[str, typer.Option("--up", help="Up axis written: y or z.")] = "y",
    fps: Annotated[float | None, typer.Option("--fps", help="Frame rate written.")] = None,
    character: Annotated[
        Path | None, typer.Option("--character", help="Put the motion on this file's skeleton.")
    ] = None,
    footprints: Annotated[
        str, typer.Option("--footprints", help="With --character: scaled with the legs, or exact.")
    ] = "scaled",
    to: Annotated[
        str | None, typer.Option("--to", help="Format for a folder of clips: glb, bvh, npz, usd.")
    ] = None,
    mesh: Annotated[
        bool, typer.Option("--mesh/--no-mesh", help="Include the mannequin where it fits in.")
    ] = True,
    source_scale: SourceScale = None,
    source_up: SourceUp = None,
    source_fps: SourceFps = None,
    first_frame: FirstFrame = "auto",
    roles: Roles = None,
    body_model: BodyModel = None,
    as_json: Json = False,
    quiet: Quiet = False,
    seed: Seed = 0,
) -> None:
    """Convert clips between formats, figures, frame rates, axes and scales.

    Examples:

      footfall convert walk.bvh walk.glb

      footfall convert walk.amc walk.bvh --fps 30

      footfall convert walk.bvh hero.glb --character hero.glb

      footfall convert takes/ out/ --to glb
    """
    from footfall.conversion import conversions
    from footfall.conversion import convert as change

    output = Output(as_json=as_json, quiet=quiet)
    options = read_options(source_scale, source_up, source_fps, first_frame, roles, body_model)
    work = conversions(source, target, to)
    done, failed = [], []
    with output.progress("converting") as progress:
        for number, (here, there) in enumerate(work):
            from footfall.errors import InputError

            try:
                clip = change(
                    here,
                    there,
                    scale=scale,
                    up=up,
                    fps=fps,
                    character=character,
                    footprints=footprints,
                    mesh=mesh,
                    read=options,
                )
            except InputError as error:
                if len(work) == 1:
                    raise
                failed.append(str(error))
                continue
            finally:
                progress((number + 1) / len(work))
            notes = list(clip.source.notes) if clip.source else []
            done.append(
                {
                    "source": str(here),
                    "target": str(there),
                    "frames": len(clip),
                    "fps": clip.fps,
                    "joints": len(clip.skeleton),
                    "notes": notes,
                }
            )
            output.say(f"{here} -> {there}: {len(clip)} frames at {clip.fps:g} fps")
            for note in notes:
                output.say(f"  note: {note}")
    for sentence in failed:
        typer.echo(f"footfall: {sentence}", err=True)
    output.result({"converted": done, "errors": failed})
    if failed:
        raise typer.Exit(2)


def add_to(app: typer.Typer) -> None:
    """Make this verb known."""
    app.command("convert")(convert)
