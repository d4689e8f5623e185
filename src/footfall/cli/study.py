"""`footfall study make|serve|report`: people grade how natural blends look."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from footfall.cli.options import Force, Seed, command, make_group
from footfall.cli.output import Output

study_app = make_group("study", "Let people grade how natural blends of motion look.")
Folder = Annotated[Path, typer.Argument(help="The study's folder.")]


@study_app.command("make")
@command
def make(
    folder: Folder,
    output: Output,
    library: Annotated[str, typer.Option("--library", "-l")] = "default:basten",
    repeats: int = 3,
    originals: int = 5,
    shown: int | None = None,
    seed: Seed = 0,
) -> None:
    """Make the clips of a study: blends at five distances of three pose metrics, and originals.

    library    What the clips are made from: walks, if there are any.
    repeats    Blends at each distance of each metric: 3 are 45 blends.
    originals  Clips without a blend.
    shown      How many clips each person grades (default: 40, or all).

    Examples:

      footfall study make out/study

      footfall study make out/small --repeats 1 --originals 2
    """
    from footfall.studio.rating.pool import make_study

    with output.progress("making clips") as progress:
        pool = make_study(
            folder, library=library, repeats=repeats, originals=originals, shown=shown,
            seed=seed, progress=progress,
        )  # fmt: skip
    output.say(f"{len(pool.clips)} clips, of which each person grades {pool.shown}")
    output.say(f"  let people grade them: footfall study serve {folder}")
    output.result({"folder": str(folder), "clips": len(pool.clips), "shown": pool.shown})


@study_app.command("serve")
@command
def serve(
    folder: Folder,
    output: Output,
    port: Annotated[int, typer.Option("--port", min=0, max=65535)] = 8766,
    host: str = "127.0.0.1",
    token: str = "",
) -> None:
    """Serve the page on which people grade clips, until Ctrl-C. Grades are kept in the folder.

    port   0 takes any that is free.
    host   The address to listen on; others than this machine's need the token.
    token  What the address must carry (default: a random one where it is needed).

    Examples:

      footfall study serve out/study

      footfall study serve out/study --host 192.168.1.20 --port 9001
    """
    from footfall.studio.rating.serve import serve_study

    def show(address: str) -> None:
        output.say(f"the study is at {address}")
        output.say("  Ctrl-C stops it; grades are kept")
        sys.stdout.flush()  # a reader of a pipe waits for the address

    serve_study(folder, host=host, port=port, token=token, started=show)
    output.say("stopped")
    output.result({"folder": str(folder)})


@study_app.command("report")
@command
def report(
    folder: Folder,
    output: Output,
    to: Annotated[Path | None, typer.Option("--output", "-o")] = None,
    force: Force = False,
) -> None:
    """Report mean grades by distance with confidence intervals, and Tukey's test.

    to  The report (default: report.md in the study's folder).

    Examples:

      footfall study report out/study
    """
    from footfall.files.results import replacing
    from footfall.studio.rating.report import report_study

    path = to or folder / "report.md"
    with replacing([path], [], force=force):
        found = report_study(folder, path)
    output.say(f"{found.raters} raters, {found.grades} grades")
    for metric in found.metrics:
        end = metric.plateau_ends
        verdict = f"the grade first falls from {end}" if end else "no significant fall"
        output.say(f"  {metric.metric.replace('_', ' ')}: {verdict}")
    output.files([path])
    output.result({"files": [str(path)], **found.as_dict()})
