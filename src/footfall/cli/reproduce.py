"""`footfall reproduce basten`: a paper's experiments, as tables and plots beside its figures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from footfall.cli.options import Force, Seed, with_groups
from footfall.cli.output import Output

PAPERS = ("basten",)


@with_groups
def reproduce(
    paper: Annotated[str, typer.Argument(help="Which paper: basten.")],
    output: Output,
    libraries: Annotated[
        list[str] | None,
        typer.Option(
            "--library",
            "-l",
            help="What to run it on: default, a library or a folder of clips; repeat for more.",
        ),
    ] = None,
    runs: Annotated[
        int | None,
        typer.Option("--runs", help="Walks for each combination (default: as in the paper)."),
    ] = None,
    to: Annotated[
        Path | None, typer.Option("--output", "-o", help="Stem of the report: STEM.md, STEM.html.")
    ] = None,
    seed: Seed = 0,
    force: Force = False,
) -> None:
    """Run a paper's experiments and write a report with its printed figures beside ours.

    Examples:

      footfall reproduce basten -o out/basten

      footfall reproduce basten --runs 4 -o out/quick

      footfall reproduce basten -l default -l my/mocap -o out/basten
    """
    from footfall.errors import InputError, choices
    from footfall.files.results import replacing
    from footfall.report.reproduce.basten import reproduce_basten
    from footfall.report.reproduce.document import document_files

    if paper not in PAPERS:
        raise InputError(f"there is no paper {paper!r} here", remedy=choices(PAPERS, paper))
    stem = to or Path("out") / paper
    with (
        replacing(document_files(stem), libraries or (), force=force),
        output.progress("walking") as progress,
    ):
        done = reproduce_basten(
            libraries or ["default"], stem, runs=runs, seed=seed, progress=progress
        )
    for outcome in done.outcomes:
        held = sum(o.holds for o in outcome.orderings)
        output.say(f"on {outcome.database}: {held} of {len(outcome.orderings)} findings hold")
        for ordering in outcome.orderings:
            output.say(f"  {'yes' if ordering.holds else 'no ':<3}  {ordering.statement}")
            output.say(f"       {ordering.figures}")
    output.say(f"  {done.markdown}\n  {done.page}")
    output.result(
        {
            "files": [str(done.markdown), str(done.page)],
            "databases": [outcome.as_dict() for outcome in done.outcomes],
        }
    )


def add_to(app: typer.Typer) -> None:
    """Make this verb known."""
    app.command("reproduce")(reproduce)
