"""`footfall demo`: a walk through a furnished room, as GLB, BVH and pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from footfall.cli.options import Force, Seed, with_groups
from footfall.cli.output import Output
from footfall.cli.warmup import compile_first

if TYPE_CHECKING:
    from footfall.report.demo import Shown


@with_groups
def demo(
    output: Output,
    to: Annotated[Path, typer.Option("--output", "-o", help="The stem of what is written.")] = Path(
        "out/demo"
    ),
    clip: Annotated[
        Path | None, typer.Option("--clip", help="A clip of yours instead: read, written, drawn.")
    ] = None,
    seed: Seed = 0,
    force: Force = False,
) -> None:
    """Plan a walk through a room with the default clips; write GLB, BVH and pictures, measure it.

    With --clip, show that clip's whole way instead: read it, understand it, write it, draw it.

    Examples:

      footfall demo

      footfall demo --clip walk.bvh -o out/mine
    """
    from footfall.files.results import replacing
    from footfall.report.demo import QUERY, SCENE, demo_files
    from footfall.report.demo import demo as show
    from footfall.report.warmup_jobs import PLANNING, SHOWING

    files = demo_files(to, clip)
    with replacing(files, [clip], force=force):
        compile_first(output, SHOWING if clip else (*PLANNING, *SHOWING))
        with output.progress("showing") as progress:
            shown = show(to, clip=clip, seed=seed, progress=progress)
    if shown.plan is not None:
        output.say(f"through the {SCENE} {QUERY}: {len(shown.plan.footprints)} footprints")
        output.table([(said, f"{value:.2f} {unit}") for said, value, unit in _measure_rows(shown)])
    else:
        output.say(f"{shown.inspection.file}: {shown.inspection.headline}")
        output.table(shown.inspection.rows(joints=False))
    output.notes(shown.inspection.notes)
    output.say("written:")
    output.files(shown.files)
    output.result(
        {
            "clip": shown.inspection.as_dict(),
            "measures": shown.measures,
            "files": [str(f) for f in shown.files],
        }
    )


def _measure_rows(shown: Shown) -> list[tuple[str, float, str]]:
    rows = [
        ("walked, without sway", "length_m", "m"),
        ("time", "seconds", "s"),
        ("off the path (RMS)", "deviation_rms_cm", "cm"),
        ("end error", "end_error_cm", "cm"),
        ("drift of planted feet at most", "drift_max_mm", "mm"),
    ]
    measures = shown.measures or {}
    return [(said, measures[name], unit) for said, name, unit in rows if name in measures]


def add_to(app: typer.Typer) -> None:
    """Make this verb known."""
    app.command("demo")(demo)
