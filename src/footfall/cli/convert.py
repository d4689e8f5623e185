"""`footfall convert IN OUT`: between formats, characters, frame rates, axes and scales."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from footfall.cli.options import Force, with_groups
from footfall.cli.output import Output
from footfall.cli.reading import Reading

if TYPE_CHECKING:
    from footfall.body.clip import Clip


@with_groups
def convert(
    source: Annotated[Path, typer.Argument(help="The clip to read, or a folder of clips.")],
    target: Annotated[Path, typer.Argument(help="The file to write, or a folder with --to.")],
    read: Reading,
    output: Output,
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
    force: Force = False,
) -> None:
    """Convert clips between formats, characters, frame rates, axes and scales.

    Examples:

      footfall convert walk.bvh walk.glb

      footfall convert walk.amc walk.bvh --fps 30

      footfall convert walk.bvh walk_hero.glb --character hero.glb

      footfall convert takes/ out/ --to glb
    """
    from footfall.errors import InputError
    from footfall.files.results import replacing
    from footfall.verbs.convert import conversions
    from footfall.verbs.convert import convert as change

    options = read.options()
    work = conversions(source, target, to)
    inputs = [*(here for here, _ in work), character, *read.files]
    done: list[dict[str, Any]] = []
    failed: list[str] = []
    with (
        replacing([there for _, there in work], inputs, force=force),
        output.progress("converting") as progress,
    ):
        for number, (here, there) in enumerate(work):
            try:
                clip = change(
                    here, there, scale=scale, up=up, fps=fps, character=character,
                    footprints=footprints, mesh=mesh, read=options,
                )  # fmt: skip
                done.append(_facts(here, there, clip))
                output.say(f"{here} -> {there}: {len(clip)} frames at {clip.fps:g} fps")
            except InputError as error:
                if len(work) == 1:
                    raise
                failed.append(str(error))
            progress((number + 1) / len(work))
    output.notes(note for facts in done for note in facts["notes"])
    output.result({"converted": done, "errors": failed}, failed)


def _facts(source: Path, target: Path, clip: Clip) -> dict[str, Any]:
    return {
        "source": str(source),
        "target": str(target),
        "frames": len(clip),
        "fps": clip.fps,
        "joints": len(clip.skeleton),
        "notes": list(clip.source.notes) if clip.source else [],
    }


def add_to(app: typer.Typer) -> None:
    """Make this verb known."""
    app.command("convert")(convert)
