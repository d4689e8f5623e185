"""`footfall clean CLIP`: remove skating and floor drift."""

from __future__ import annotations

from pathlib import Path

from footfall.cli.options import Force, To, command
from footfall.cli.output import Output
from footfall.cli.reading import Reading
from footfall.cli.writing import Formats, targets, write_all


@command
def clean(
    clip: Path,
    read: Reading,
    output: Output,
    to: To = Path("out/clean"),
    formats: Formats = "bvh,glb",
    force: Force = False,
) -> None:
    """Hold touching feet still, on a floor that does not drift.

    clip  The clip to clean.

    Examples:
      footfall clean walk.bvh -o walk_clean.bvh
      footfall clean walk.bvh -o out/walk --formats bvh,glb,png
    """
    from footfall.adapt.feet.clean import clean as remove_skating
    from footfall.files.formats import load
    from footfall.files.results import replacing

    files = targets(to, formats)
    with (
        replacing(files, [clip, *read.files], force=force),
        output.progress("cleaning") as progress,
    ):
        done = remove_skating(load(clip, read.options()))
        progress(0.5)
        write_all(done.clip, files)
        progress(1.0)
    output.say(
        f"{clip}: floor drift up to {done.drift_m * 100:.1f} cm and skating up to "
        f"{done.skate_m * 100:.1f} cm removed"
    )
    output.notes([done.problem] if done.problem else [])
    if len(done.floors_m) > 1:
        output.say("  floors at " + ", ".join(f"{f:+.2f} m" for f in done.floors_m))
    output.files(files)
    output.result(
        {
            "problem": done.problem,
            "drift_m": done.drift_m,
            "skate_m": done.skate_m,
            "floors_m": list(done.floors_m),
            "files": [str(f) for f in files],
        }
    )
