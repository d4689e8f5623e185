"""A worker process and its limits: queries go in, rows come out, also when the worker dies."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from queue import Empty, SimpleQueue
from subprocess import Popen
from typing import Any

from footfall.batch.planning import KILLED, failed_row
from footfall.batch.worker import WorkerSettings, resident_mb
from footfall.cache_paths import kernels_root
from footfall.errors import InputError
from footfall.library.store.folder import exclusive
from footfall.processes import start_module, usable_cores
from footfall.task.plan import OUT_OF_TIME

MODULE = "footfall.batch.worker"
DEATHS = 2
"""Workers that may die while they plan a query; then it is reported and skipped."""
_POLL_S = 0.2
_COMPILE_LOCK = "batch-compiles"

Row = dict[str, Any]


@dataclass(frozen=True)
class Limits:
    """What one query may take: seconds, and megabytes of memory of its worker; None: any."""

    seconds: float | None = None
    memory_mb: float | None = None


class WorkerProcess:
    """A process that plans; it is started when it is needed, and again after it died."""

    def __init__(self, settings: WorkerSettings, limits: Limits) -> None:
        self.settings, self.limits = settings, limits
        self.deaths = 0
        self._child: Popen[str] | None = None
        self._answers: SimpleQueue[str] = SimpleQueue()
        self._stop = threading.Event()

    def plan(self, key: str, table: Mapping[str, Any]) -> Row:
        """Return the row of a query, whatever happens to the worker."""
        why = ""
        for _ in range(DEATHS):
            row = self._try(key, table)
            if isinstance(row, dict):
                return row
            why = row
            self.deaths += 1
        return {**failed_row(key, KILLED, f"its worker died {DEATHS} times ({why})"), "again": True}

    def close(self) -> None:
        """End the process; planning in another thread returns soon."""
        self._stop.set()
        self._end()

    def _try(self, key: str, table: Mapping[str, Any]) -> Row | str:
        """Return the row of a query, or in a few words how its worker died."""
        began = time.monotonic()
        child = self._start_child()
        try:
            assert child.stdin is not None
            child.stdin.write(json.dumps({"key": key, "table": dict(table)}) + "\n")
            child.stdin.flush()
        except OSError:
            return self._death(child)
        while not self._stop.is_set():
            with suppress(Empty):
                line = self._answers.get(timeout=_POLL_S)
                if not line:
                    return self._death(child)
                answer = json.loads(line)
                if answer["leave"]:
                    self._end()
                return dict(answer["row"])
            if self.limits.seconds and time.monotonic() - began > self.limits.seconds:
                self._end()
                why = f"the time limit of {self.limits.seconds:g} s was over"
                return {**failed_row(key, OUT_OF_TIME, why), "again": True}
            if self.limits.memory_mb and resident_mb(child.pid) > self.limits.memory_mb:
                self._end()
                return f"it held more than {self.limits.memory_mb:.0f} MB"
        raise Stopping

    def _start_child(self) -> Popen[str]:
        if self._child is None:
            Path(self.settings.folder).mkdir(parents=True, exist_ok=True)
            child = self._child = start_module(MODULE)
            self._answers = SimpleQueue()
            threading.Thread(target=_read, args=(child, self._answers), daemon=True).start()
            assert child.stdin is not None
            with suppress(OSError):
                child.stdin.write(json.dumps(self.settings.as_dict()) + "\n")
        return self._child

    def _death(self, child: Popen[str]) -> str:
        code = child.wait()
        self._end()
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        child.kill()
        child.wait()
        if child.stdin is not None:
            with suppress(OSError):
                child.stdin.close()


class Stopping(BaseException):
    """Raised in a thread that waits for a worker, when the batch ends."""


def share_cores(settings: WorkerSettings, workers: int) -> WorkerSettings:
    """Return the settings with the cores that each of several workers may use."""
    return replace(settings, cores=max(1, usable_cores() // workers))


def compile_on_host(methods: Iterable[str]) -> None:
    """Compile the kernels that methods need; one process of this host does it, others wait."""
    from footfall.task.method import method_names
    from footfall.verbs.warmup import compile_kernels
    from footfall.verbs.warmup_jobs import planning_jobs

    named = dict.fromkeys(methods)
    if set(named) - set(method_names()):  # "auto": any of them
        named = dict.fromkeys([*named, *method_names()])
    jobs = dict.fromkeys(job for name in named for job in planning_jobs(name))
    try:
        with exclusive(kernels_root() / _COMPILE_LOCK):
            compile_kernels(jobs)
    except InputError:  # nothing can be kept: each process compiles for itself
        return


def _read(child: Popen[str], answers: SimpleQueue[str]) -> None:
    """Hand on the lines of a process; an empty one says that it has ended."""
    assert child.stdout is not None
    with child.stdout as lines:
        for line in lines:
            answers.put(line)
    answers.put("")
