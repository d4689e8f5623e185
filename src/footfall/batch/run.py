"""`batch`: plan many queries and keep a result of each, on this machine or on a cluster."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from footfall.batch.layouts import SHARDS, check_layouts
from footfall.batch.queries import BatchQuery, Queries
from footfall.batch.store import Results, Row, only_one, read_results
from footfall.batch.supervise import Limits, share_cores
from footfall.batch.target import Target, open_target
from footfall.batch.worker import WorkerSettings
from footfall.errors import InputError, check_range, check_whole
from footfall.processes import usable_cores

TIME_LIMIT_S = 900.0
_CACHE_SHARE, _MEMORY_SHARE = 0.5, 0.9


@dataclass(frozen=True)
class BatchNews:
    """How far a batch is: queries that ended, of how many, a second, and seconds that are left."""

    done: int
    total: int
    rate: float
    left_s: float
    dashboard: str = ""

    @property
    def share(self) -> float:
        """How much is done, 0 to 1."""
        return self.done / max(self.total, 1)

    def __str__(self) -> str:
        if not self.rate:
            return f"{self.done} of {self.total}"
        left = self.left_s
        words = f"{left:.0f} s" if left < 120 else f"{left / 60:.0f} min" if left < 7200 else (
            f"{left / 3600:.1f} h"
        )  # fmt: skip
        return f"{self.done} of {self.total}, {self.rate:.2g} a second, {words} left"


@dataclass(frozen=True)
class BatchSummary:
    """What came of a batch.

    output     the folder or address with `results.jsonl` and the motions
    queries    how many there are           planned  how many of them were planned in this run
    statuses   how many queries ended how   found    how many of them found a motion
    problems   one sentence for each query that cannot be read or was given up
    seconds    that this run took           digest   the hash of all results and motions
    motion_s   seconds of motion altogether  table   medians by method, for people
    files      reports that were written    notes    one sentence for each thing worth knowing
    """

    output: str
    queries: int
    planned: int
    statuses: dict[str, int]
    problems: tuple[str, ...]
    seconds: float
    digest: str
    motion_s: float = 0.0
    table: tuple[tuple[str, str], ...] = ()
    files: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def found(self) -> int:
        return self.statuses.get("found", 0)

    def as_dict(self) -> dict[str, Any]:
        """Return the summary as plain values for JSON."""
        return {**vars(self), "found": self.found, "problems": list(self.problems),
                "files": list(self.files),
                "table": dict(self.table), "notes": list(self.notes)}  # fmt: skip


def batch(
    queries: str | Path,
    output: str | Path,
    *,
    formats: Sequence[str] = ("bvh",),
    workers: int | None = None,
    scheduler: str | None = None,
    time_limit_s: float | None = TIME_LIMIT_S,
    memory_limit_mb: float | None = None,
    seed: int = 0,
    report: bool = True,
    dataset: str | Path | None = None,
    layout: Sequence[str] = (SHARDS,),
    force: bool = False,
    progress: Callable[[BatchNews], None] | None = None,
) -> BatchSummary:
    """Plan every query of a file; write results and motions as they end.

    A batch that was interrupted goes on where it ended, and ends with the same files.

    queries          a .jsonl file with one task per line, or a .toml file that spans tasks
    output           a folder, or an address that fsspec knows
    formats          of the motions, like ("bvh", "glb")
    workers          processes; None: one per core. With Dask installed they are its workers
    scheduler        the address of a Dask scheduler, to use its workers
    time_limit_s     seconds after which a query is given up; None: never
    memory_limit_mb  megabytes that a worker may hold; None: its share of this machine
    seed             of queries that state none, and of what is drawn
    report           whether a page with plots and a sheet of pictures are written
    dataset          a folder for the motions as a dataset for learning; see `write_dataset`
    layout           of the dataset: "safetensors", "amass", "humanml3d", "lerobot"
    force            replace a results file that is not Footfall's
    """
    limits = _limits(time_limit_s, memory_limit_mb, workers, scheduler)
    formats = check_formats([*formats, "npz"] if dataset else formats)
    layout = _check_layout(layout, dataset)
    asked = Queries(queries, seed)
    target = open_target(output)
    began = time.perf_counter()
    with only_one(target):
        results = Results(target, formats, force=force)
        try:
            results.open()
            run = _Run(asked, results, target, progress or (lambda news: None))
            run.go(formats, limits, workers, scheduler)
            digest = results.put_in_order(asked)
            if dataset:
                run.notes.append(_write_dataset(target, dataset, layout))
            return _finish(run, digest, report, time.perf_counter() - began)
        finally:
            results.close()


def _check_layout(names: Sequence[str], dataset: str | Path | None) -> tuple[str, ...]:
    found = check_layouts(names)
    if dataset is None and found != (SHARDS,):
        raise InputError("a layout is given without a dataset", remedy="give a folder for it")
    return found


def _write_dataset(target: Target, folder: str | Path, layout: Sequence[str]) -> str:
    """Write the dataset; return a sentence on what it holds."""
    from footfall.batch.dataset import write_dataset

    done = write_dataset(target, folder, layout=layout)
    shards = f"in {done.shards} shards" if done.shards else ""
    others = ", ".join(name for name in layout if name != SHARDS)
    form = " and ".join(filter(None, (shards, others and f"as {others}")))
    return (
        f"the dataset {folder} has {done.motions} motions, {done.hours:.2f} hours, {form}; "
        f"{sum(done.excluded.values())} left out for their licence"
    )


def check_formats(formats: Sequence[str]) -> tuple[str, ...]:
    """Return the formats of motions as suffixes without dots; an InputError names a wrong one."""
    from footfall.batch.layouts import check_choices
    from footfall.files.formats import writable_suffixes

    known = [suffix.lstrip(".") for suffix in writable_suffixes()]
    return check_choices("format", formats, known)


def _limits(
    seconds: float | None, memory_mb: float | None, workers: int | None, scheduler: str | None
) -> Limits:
    if workers is not None:
        check_whole("the number of workers", workers, 1, 100_000)
        if scheduler is not None:
            raise InputError("workers and a scheduler are given", remedy="give one of them")
    if seconds is not None:
        check_range("the time limit", seconds, above=0.0, unit="seconds")
    if memory_mb is not None:
        check_range("the memory limit", memory_mb, least=100.0, unit="MB")
    elif scheduler is None:
        memory_mb = _MEMORY_SHARE * _machine_mb() / (workers or usable_cores())
    return Limits(seconds, memory_mb)


def _machine_mb() -> float:
    import os

    if hasattr(os, "sysconf"):  # not on Windows
        with suppress(ValueError, OSError):
            return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 1e6
    return 8000.0


@dataclass
class _Run:
    """A batch under way."""

    queries: Queries
    results: Results
    target: Target
    progress: Callable[[BatchNews], None]
    planned: int = 0
    dashboard: str = ""
    notes: list[str] = field(default_factory=list)

    def go(
        self, formats: tuple[str, ...], limits: Limits, workers: int | None, scheduler: str | None
    ) -> None:
        """Plan what is not planned yet."""
        cache = 4000.0 if limits.memory_mb is None else _CACHE_SHARE * limits.memory_mb
        settings = WorkerSettings(str(self.results.workroom), formats, cache_mb=cache)
        with closing(self._rows(settings, limits, workers, scheduler)) as rows:
            self._keep(rows)

    def _rows(
        self, settings: WorkerSettings, limits: Limits, workers: int | None, scheduler: str | None
    ) -> Generator[Row, None, None]:
        from footfall.batch.cluster import ClusterSettings, has_dask, run_cluster
        from footfall.batch.local import run_local

        count = workers or usable_cores()
        if scheduler is None and (workers is None or not has_dask()):
            return run_local(self._remaining_queries(), settings, limits, count, self.target)
        if scheduler is None:
            settings = share_cores(settings, count)
        left = len(self.queries) - len(self.results)
        return run_cluster(
            self._remaining_queries(), self.queries.inputs, settings, limits,
            ClusterSettings(scheduler or "", count), self.target, left, self.notes,
        )  # fmt: skip

    def _remaining_queries(self) -> Iterator[BatchQuery]:
        begun: set[bytes] = set()
        for query in self.queries:
            key = bytes.fromhex(query.key)
            if query.key not in self.results and key not in begun:
                begun.add(key)
                yield query

    def _keep(self, rows: Iterable[Row]) -> None:
        began, total = time.perf_counter(), len(self.queries)
        first = len(self.results)
        self.progress(BatchNews(first, total, 0.0, 0.0, self.dashboard))
        for row in rows:
            if row["key"] in self.results:  # a lost scheduler's jobs may come twice
                continue
            self.results.append(row)
            self.planned += 1
            rate = self.planned / (time.perf_counter() - began)
            done = first + self.planned
            left = max(total - done, 0) / rate
            self.progress(BatchNews(done, total, rate, left, self.dashboard))


def _finish(run: _Run, digest: str, report: bool, seconds: float) -> BatchSummary:
    """Count what came of the queries, and write the reports."""
    from footfall.batch.report import collect, write_report

    found = collect(read_results(run.results.file))
    summary = BatchSummary(
        run.target.address, len(run.queries), run.planned, dict(found.statuses),
        tuple(found.problems), seconds, digest, round(found.motion_s, 3), tuple(found.table()),
        notes=tuple(run.notes),
    )  # fmt: skip
    if not report:
        return summary
    files, notes = write_report(found, summary.as_dict(), run.target)
    return replace(summary, files=files, notes=(*summary.notes, *notes))
