"""`footfall convert IN OUT`: between formats, characters, frame rates, axes and scales."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from footfall.cli.options import Force, command
from footfall.cli.output import Output
from footfall.cli.reading import Reading

if TYPE_CHECKING:
    from footfall.body.clip import Clip


@command
def convert(
    source: Path,
    target: Path,
    read: Reading,
    output: Output,
    scale: float | None = None,
    up: str = "y",
    fps: float | None = None,
    character: Path | None = None,
    footprints: str = "scaled",
    to: str | None = None,
    mesh: Annotated[bool, typer.Option("--mesh/--no-mesh")] = True,
    force: Force = False,
) -> None:
    """Convert clips between formats, characters, frame rates, axes and scales.

    source      The clip to read, or a folder of clips.
    target      The file to write, or a folder with --to.
    scale       Metres per unit written (BVH 0.01, others 1).
    up          Up axis written: y or z.
    fps         Frame rate written.
    character   Put the motion on this file's skeleton.
    footprints  With --character: scaled with the legs, or exact.
    to          Format for a folder of clips: glb, bvh, npz, usd.
    mesh        Include the mannequin where it fits in.

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
