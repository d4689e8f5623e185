"""The mixed run: queries for all four methods on a number of workers, with the memory they take."""

from __future__ import annotations

import resource
import threading
import time
from pathlib import Path

import psutil

from bench.batch.queries import write_mixed
from footfall import batch
from footfall.batch.run import BatchNews
from footfall.batch.store import read_results

_EVERY_S = 2.0


class Memory:
    """The megabytes that the client and its largest worker hold, sampled while a body runs.

    samples  queries that had ended, the client's megabytes, and the largest worker's
    """

    def __init__(self) -> None:
        self.samples: list[tuple[int, float, float]] = []
        self._done, self._stop = 0, threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self) -> Memory:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def show(self, news: BatchNews) -> None:
        """Note how far the batch is."""
        self._done = news.done

    def at(self, done: int) -> tuple[float, float]:
        """Return the megabytes of client and largest worker when so many queries had ended."""
        near = min(self.samples, key=lambda sample: abs(sample[0] - done))
        return near[1], near[2]

    def _sample(self) -> None:
        client = psutil.Process()
        while not self._stop.wait(_EVERY_S):
            sizes = [0.0, *_sizes(client.children(recursive=True))]
            self.samples.append((self._done, client.memory_info().rss / 1e6, max(sizes)))


def _sizes(processes: list[psutil.Process]) -> list[float]:
    sizes = []
    for process in processes:
        try:
            sizes.append(process.memory_info().rss / 1e6)
        except psutil.Error:  # it ended meanwhile
            continue
    return sizes


def run(count: int, workers: int, folder: Path, dataset: bool) -> None:
    """Run mixed queries; print what they cost, by method, and the memory that was held."""
    folder.mkdir(parents=True, exist_ok=True)
    file, out = write_mixed(folder / "queries.jsonl", count), folder / "out"
    before, began = _cpu_s(), time.perf_counter()
    with Memory() as memory:
        done = batch(
            file, out, workers=workers, formats=("npz",), progress=memory.show,
            dataset=folder / "data" if dataset else None,
        )  # fmt: skip
    spent, seconds = _cpu_s() - before, time.perf_counter() - began
    print(f"{done.found} of {count} found, {done.motion_s / 3600.0:.2f} hours of motion, "
          f"digest {done.digest[:16]}")  # fmt: skip
    planned = max(done.planned, 1)  # a batch that was interrupted goes on
    print(f"{workers} workers: {done.planned} planned in {seconds:.0f} s, {spent:.0f} CPU s, "
          f"{1000 * spent / planned:.0f} CPU ms and {planned / seconds:.2f} a second")  # fmt: skip
    _print_methods(out)
    print("| queries ended | client, MB | largest worker, MB |\n|---|---|---|")
    for share in (0.02, 0.1, 0.25, 0.5, 0.75, 0.98):
        client, worker = memory.at(int(share * count))
        print(f"| {int(share * count)} | {client:.0f} | {worker:.0f} |")
    print(f"most: client {max(s[1] for s in memory.samples):.0f} MB, "
          f"worker {max(s[2] for s in memory.samples):.0f} MB")  # fmt: skip
    print(*done.notes, sep="\n")


def _print_methods(out: Path) -> None:
    """Print the queries, the motion and the seconds of work of each method."""
    sums: dict[str, list[float]] = {}
    for row in read_results(out / "results.jsonl"):
        sums.setdefault(row["method"], []).append(row["timings"].get("worker", 0.0))
    print("| method | queries | seconds per query | most |\n|---|---|---|---|")
    for method, seconds in sorted(sums.items()):
        mean = sum(seconds) / len(seconds)
        print(f"| {method} | {len(seconds)} | {mean:.3f} | {max(seconds):.1f} |")


def _cpu_s() -> float:
    used = [resource.getrusage(of) for of in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)
