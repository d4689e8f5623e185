"""`footfall demo`: paths through a scene over footholds, as GLB, BVH and pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from footfall.cli.options import Force, Seed, To, command
from footfall.cli.output import Output
from footfall.cli.warmup import compile_first

if TYPE_CHECKING:
    from footfall.verbs.demo import Answer, Shown

NO_MOTION = 1


@command
def demo(
    output: Output,
    to: To = Path("out/demo"),
    scene: str = "dungeon",
    clip: Path | None = None,
    seed: Seed = 0,
    force: Force = False,
) -> None:
    """Plan through the dungeon with the default clips; write a page, GLB, BVH and pictures.

    One roadmap answers all queries of the scene. A query that cannot be answered is reported with
    its reason; exit code 1 says that none could. OUT.html plays all motions in the scene,
    OUT.glb holds them; OUT.NAME.bvh each motion. With --clip, read, write and draw that
    clip instead.

    to     The stem of what is written.
    scene  A built-in scene, or a scene file, with queries.
    clip   A clip of yours to read, write and draw instead.

    Examples:
      footfall demo
      footfall demo --scene room -o out/room
      footfall demo --clip walk.bvh -o out/mine
    """
    from footfall.files.results import replacing
    from footfall.verbs.demo import METHOD, demo_files
    from footfall.verbs.demo import demo as show
    from footfall.verbs.warmup_jobs import SHOWING, demo_jobs

    files = demo_files(to, clip, scene)
    with replacing(files, [clip, scene], force=force):
        compile_first(output, SHOWING if clip else demo_jobs(METHOD))
        with output.progress("showing" if clip else "planning and drawing") as progress:
            shown = show(to, scene=scene, clip=clip, seed=seed, progress=progress)
    if shown.inspection is not None:
        output.say(f"{shown.inspection.file}: {shown.inspection.headline}")
        output.table(shown.inspection.rows(joints=False))
        output.notes(shown.inspection.notes)
    else:
        _tell(shown, scene, output)
    if shown.files:
        output.say("written:")
        output.files(shown.files)
        pages = [file for file in shown.files if file.suffix == ".html"]
        if pages:
            output.say(f"watch it in a browser: {pages[0].resolve().as_uri()}")
        elif shown.answers:
            output.say("the page that plays it is missing: the player was built without Node.js")
    output.result(_facts(shown))
    if shown.answers and not shown.found:
        raise typer.Exit(NO_MOTION)


def _tell(shown: Shown, scene: str, output: Output) -> None:
    answers = shown.answers
    output.say(f"through the {scene}: {len(shown.found)} of {len(answers)} queries answered")
    output.table([(answer.query, _row(answer)) for answer in answers])


def _row(answer: Answer) -> str:
    """Return what there is to say of one query in a line."""
    plan, made = answer.plan, answer.measures
    if not plan.found:
        return f"{plan.status}: {plan.reason}"
    solved = 1000.0 * plan.timings.get("solve", 0.0)
    return (
        f"{made['length_m']:.1f} m in {made['seconds']:.1f} s, {len(plan.footprints)} footprints, "
        f"{len(plan.segments)} segments of clips; feet drift {made['drift_max_mm']:.2f} mm at "
        f"most; planned in {solved:.0f} ms"
    )


def _facts(shown: Shown) -> dict[str, Any]:
    from footfall.verbs.plan_results import facts_of

    return {
        "clip": None if shown.inspection is None else shown.inspection.as_dict(),
        "queries": [
            {
                "query": answer.query,
                **facts_of(answer.plan, answer.measures),
                "file": None if answer.file is None else str(answer.file),
            }
            for answer in shown.answers
        ],
        "files": [str(f) for f in shown.files],
    }
