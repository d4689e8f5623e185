"""`python -m footfall.batch.worker`: plans one query after the other, a line of JSON for each.

The first line states the settings. Each further line is a query; the answer is its row. Motions
go to a folder that the parent empties. When its input ends, for instance because the parent was
killed, the worker leaves at once, also in the middle of a search.
"""

from __future__ import annotations

import json
import mmap
import os
import signal
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

Message = dict[str, Any]
_THREADS = ("OPENBLAS", "MKL", "OMP", "NUMBA")


@dataclass(frozen=True)
class WorkerSettings:
    """Settings that a worker process gets once, when it starts.

    folder    where it leaves files
    formats   of the motions
    cores     how many threads it may use
    cache_mb  when the process is larger than this, planners are dropped, the oldest use first
    """

    folder: str
    formats: tuple[str, ...] = ("bvh",)
    cores: int = 1
    cache_mb: float = 2000.0

    def as_dict(self) -> dict[str, Any]:
        """Return the settings as plain values for JSON."""
        return {**vars(self), "formats": list(self.formats)}


def main() -> None:
    """Answer lines until there are no more."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what libraries print is no answer
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    lines: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=_read, args=(lines,), daemon=True).start()
    given = json.loads(lines.get())
    settings = WorkerSettings(**{**given, "formats": tuple(given["formats"])})
    for name in _THREADS:
        os.environ[f"{name}_NUM_THREADS"] = str(settings.cores)
    os.environ["FOOTFALL_CORES"] = str(settings.cores)
    from footfall.batch.planning import QueryPlanner  # numpy counts its threads when imported

    planner = QueryPlanner(settings)
    while True:
        message = json.loads(lines.get())
        began = time.perf_counter()
        row = planner.row(message["key"], message["table"])
        row["timings"]["worker"] = time.perf_counter() - began
        leave = planner.is_full()
        answers.write(json.dumps({"row": row, "leave": leave}, allow_nan=False) + "\n")
        answers.flush()
        if leave:
            return


def _read(lines: SimpleQueue[str]) -> None:
    for line in sys.stdin:
        lines.put(line)
    os._exit(0)


def resident_mb(pid: int | str = "self") -> float:
    """Return how much memory a process holds, megabytes; 0 where that is not known."""
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:  # noqa: PTH123
            return int(file.read().split()[1]) * mmap.PAGESIZE / 1e6
    except (OSError, ValueError, IndexError):
        return _resident_by_psutil(pid)


def _resident_by_psutil(pid: int | str) -> float:
    try:
        import psutil
    except ImportError:
        return 0.0
    try:
        return float(psutil.Process(None if pid == "self" else int(pid)).memory_info().rss) / 1e6
    except psutil.Error:
        return 0.0


def finite(values: Mapping[str, float]) -> dict[str, float]:
    """Return numbers as JSON takes them: those that are finite."""
    return {name: float(v) for name, v in values.items() if abs(v) < float("inf")}


if __name__ == "__main__":
    main()
