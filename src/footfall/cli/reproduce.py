"""`footfall reproduce`: a paper's experiments, as tables and plots beside its figures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from footfall.cli.options import Force, Seed, command
from footfall.cli.output import Output


@command
def reproduce(
    paper: str,
    output: Output,
    libraries: Annotated[list[str] | None, typer.Option("--library", "-l")] = None,
    runs: int | None = None,
    experiment: str | None = None,
    quick: bool = False,
    to: Annotated[Path | None, typer.Option("--output", "-o")] = None,
    seed: Seed = 0,
    force: Force = False,
) -> None:
    """Run a paper's experiments and write a report with its printed figures beside ours.

    paper       Which paper: basten, choi, park or safonova.
    libraries   What to run it on: default, a library or a folder of clips; repeat
                for more.
    runs        Of basten: walks for each combination (default: as in the paper); of
                park: seconds of the pointer chase; of safonova: targets of Table 1
                (30; 179 in the paper).
    experiment  Of choi: island, crevice, room, dungeon or all; of safonova:
                targets, motions, compression, heuristics, strategies, course or
                all.
    quick       Of choi and safonova: a fifth or less of all, in minutes.
    to          Stem of the report: STEM.md, STEM.html.

    Examples:
      footfall reproduce basten -o out/basten
      footfall reproduce basten --runs 4 -o out/quick
      footfall reproduce basten -l default -l my/mocap -o out/basten
      footfall reproduce choi -o out/choi
      footfall reproduce choi --experiment dungeon --quick -o out/dungeon
      footfall reproduce safonova --experiment targets --runs 179 -o out/safonova
    """
    from footfall.files.results import replacing
    from footfall.papers.document import document_files
    from footfall.papers.findings import count_held
    from footfall.papers.reproduce import reproduce as run

    stem = to or Path("out") / paper
    wishes = {"experiment": experiment, "quick": quick or None}
    wishes = {name: value for name, value in wishes.items() if value is not None}
    with (
        replacing(document_files(stem), libraries or (), force=force),
        output.progress("running experiments") as progress,
    ):
        done = run(
            paper, libraries or ["default"], stem, runs=runs, seed=seed, progress=progress, **wishes
        )
    for shown in done.databases:
        output.say(f"on {shown.database}: {count_held(shown.findings)} findings hold")
        for row in shown.findings:
            output.say(f"  {row.verdict:<3}  {row.claim}")
            printed = f" (paper: {row.printed})" if row.printed else ""
            output.say(f"       {row.ours}{printed}")
    output.files([done.markdown, done.page])
    output.result(
        {
            "files": [str(done.markdown), str(done.page)],
            "databases": [shown.as_dict() for shown in done.databases],
        }
    )
