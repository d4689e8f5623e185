"""`footfall batch QUERIES`: many queries, on all cores."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from footfall.cli.options import Force, Seed, command
from footfall.cli.output import Output


@command
def batch(
    queries: Path,
    output: Output,
    to: Annotated[str, typer.Option("--output", "-o")] = "out/batch",
    formats: str = "bvh",
    workers: Annotated[int | None, typer.Option("--workers", min=1)] = None,
    scheduler: str | None = None,
    time_limit: float = 900.0,
    memory_limit: float | None = None,
    report: Annotated[bool, typer.Option("--report/--no-report")] = True,
    dataset: Path | None = None,
    layout: str = "safetensors",
    seed: Seed = 0,
    force: Force = False,
) -> None:
    """Plan many queries on all cores of this machine, or on a Dask cluster.

    Writes results.jsonl, the motions and a report. The same command resumes a batch that was
    interrupted. A query that cannot be read or planned is reported; the others go on.
    Exit code 1 says that no motion was found, 2 that some queries could not be read.

    queries       One task per line (.jsonl), or a .toml file that spans tasks.
    to            A folder, or an address like s3://bucket/walks.
    formats       Of the motions, separated by commas: bvh,glb,npz,usda.
    workers       Processes; with Dask installed they are its workers
                  (default: one per core, without Dask).
    scheduler     The address of a Dask scheduler, to use its workers.
    time_limit    Seconds after which a query is given up.
    memory_limit  Megabytes that a worker may hold (default: its share).
    dataset       A folder for the motions as a dataset for learning.
    layout        Of the dataset, separated by commas: safetensors,amass,humanml3d,lerobot.
    report        Write a page with plots and a sheet of pictures.

    Examples:
      footfall batch queries.jsonl -o out/walks --scheduler tcp://head:8786
      footfall batch queries.jsonl -o out/walks
      footfall batch variations.toml -o out/walks --formats bvh,glb --workers 4
    """
    from footfall.batch.run import batch as run

    with output.progress("planning") as show:
        done = run(
            queries, to, formats=formats.split(","), workers=workers, scheduler=scheduler,
            time_limit_s=time_limit, memory_limit_mb=memory_limit, report=report, dataset=dataset,
            layout=layout.split(","), seed=seed, force=force,
            progress=lambda news: show(news.share, str(news)),
        )  # fmt: skip
    output.say(f"{done.found} of {done.queries} queries found a motion, {done.motion_s:.0f} s "
               f"altogether; {done.planned} planned now in {done.seconds:.1f} s")  # fmt: skip
    output.table(done.table)
    output.notes(done.notes)
    output.say(f"  digest {done.digest[:16]}")
    output.files(f"{to.rstrip('/')}/{name}" for name in ("results.jsonl", *done.files))
    output.result(done.as_dict(), failed=done.problems)
    if not done.found:
        raise typer.Exit(1)
