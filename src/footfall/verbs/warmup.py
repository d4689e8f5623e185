"""`warmup`: compile numerical kernels once, in as many processes as there are cores.

Kernels are compiled by use, not by lists of types: a job does a little real work, and what it
calls is what such work needs. Jobs run in processes of their own, which leave machine code in the
user's cache; each then notes which modules its kernels are of. As long as none of these changes,
`compile_kernels` has nothing to do and says so within milliseconds.
"""

from __future__ import annotations

import json
import os
import pkgutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from queue import Empty, SimpleQueue
from subprocess import Popen
from threading import Thread
from types import ModuleType
from typing import Any

from footfall.cache_paths import make_private
from footfall.processes import start_module, usable_cores

Progress = Callable[[float, str], None]
_PULSE_S = 0.5


@dataclass(frozen=True)
class Done:
    """What one job did: its seconds, kernels compiled, kernels found compiled."""

    name: str
    seconds: float
    compiled: int
    loaded: int


@dataclass(frozen=True)
class WarmedUp:
    """What `warmup` did.

    jobs       each job done, in the order in which they ended
    seconds    from begin to end; jobs run side by side      processes  in how many
    modules    how many modules of kernels there are
    """

    jobs: tuple[Done, ...]
    seconds: float
    processes: int
    modules: int

    @property
    def compiled(self) -> int:
        """How many times a kernel was compiled."""
        return sum(job.compiled for job in self.jobs)

    @property
    def loaded(self) -> int:
        """How many times a kernel was found compiled."""
        return sum(job.loaded for job in self.jobs)


def warmup(progress: Progress | None = None, processes: int | None = None) -> WarmedUp:
    """Do a little of everything, so that later nothing waits for a kernel to be compiled.

    progress   is called with the share that is done, 0 to 1, and a job that is under way
    processes  as many as there are cores; with 1 all is done in this one
    """
    from footfall.verbs.warmup_jobs import JOBS

    return _do_jobs(list(JOBS), progress, processes)


def compile_kernels(
    names: Iterable[str], progress: Progress | None = None, processes: int | None = None
) -> WarmedUp:
    """Do those of the jobs `names` (see `warmup_jobs`) that have not been done before.

    Where nothing can be kept, nothing is done: each process then compiles for itself.
    """
    left = [name for name in dict.fromkeys(names) if not is_done(name)] if _can_keep() else []
    return _do_jobs(left, progress, processes)


def kernel_modules() -> Iterator[ModuleType]:
    """Return every module of the package that holds kernels, imported."""
    return map(import_module, _module_names())


def kernels_of(module: ModuleType) -> dict[str, Any]:
    """Return the kernels that a module defines, by name."""
    return {
        name: value
        for name, value in vars(module).items()
        if hasattr(value, "py_func") and value.py_func.__module__ == module.__name__
    }


# ---- notes of what was done ---------------------------------------------------------------


def is_done(name: str) -> bool:
    """Return whether a job was done before, and nothing that it compiles has changed since."""
    from footfall.maths.jit_kernels import kernels_folder

    try:
        noted = json.loads(_note_of(name).read_text())
        return all(kernels_folder(module).name == folder for module, folder in noted.items()) and (
            all(kernels_folder(module).is_dir() for module in noted)
        )
    except (OSError, ValueError, AttributeError):
        return False


def _can_keep() -> bool:
    folder = _note_of("").parent
    try:
        return make_private(folder) and os.access(folder, os.W_OK)
    except OSError:
        return False


def _note_of(name: str) -> Path:
    from footfall.cache_paths import kernels_root

    return kernels_root() / f"done-{name.replace(' ', '-')}.json"


def _note(name: str) -> None:
    """Note the modules whose kernels this process has used so far."""
    from footfall.maths.jit_kernels import kernels_folder

    used = sorted(
        module.__name__
        for module in _imported_modules()
        if any(kernel.signatures for kernel in kernels_of(module).values())
    )
    path = _note_of(name)
    temporary = path.with_suffix(f".{os.getpid()}.tmp")
    try:
        temporary.write_text(json.dumps({one: kernels_folder(one).name for one in used}))
        temporary.replace(path)
    except OSError:  # a cache that cannot be written to: asked again next time
        temporary.unlink(missing_ok=True)


# ---- doing jobs --------------------------------------------------------------------------------


def _do_jobs(names: list[str], progress: Progress | None, processes: int | None) -> WarmedUp:
    tell = progress or (lambda share, note: None)
    start = time.perf_counter()
    count = min(len(names), processes or usable_cores())
    done: dict[str, Done] = {}
    for job in _do_aside(names, count) if count > 1 else ():
        if job is not None:
            done[job.name] = job
        current = next((name for name in names if name not in done), "")
        tell(len(done) / len(names), current)
    for name in [name for name in names if name not in done]:
        tell(len(done) / len(names), name)
        done[name] = _do_job(name)
    if names:
        tell(1.0, "")
    modules = sum(1 for _ in _module_names())
    return WarmedUp(tuple(done.values()), time.perf_counter() - start, max(count, 1), modules)


def _do_job(name: str) -> Done:
    """Do one job in this process."""
    from footfall.verbs.warmup_jobs import DEFAULT_CLIPS, JOBS

    before, start = _counts(), time.perf_counter()
    {**JOBS, **DEFAULT_CLIPS}[name]()
    seconds = time.perf_counter() - start
    _note(name)
    compiled, loaded = (b - a for a, b in zip(before, _counts(), strict=True))
    return Done(name, seconds, compiled, loaded)


def _do_aside(names: list[str], count: int) -> Iterator[Done | None]:
    """Do jobs in `count` processes, each taking the next one when it is free; None is a pulse.

    A job whose process dies is left out.
    """
    left: SimpleQueue[str] = SimpleQueue()
    ended: SimpleQueue[Done | Popen[str]] = SimpleQueue()
    for name in names:
        left.put(name)
    workers = {start_module("footfall.verbs.warmup") for _ in range(count)}
    for worker in workers:
        Thread(target=_keep_busy, args=(worker, left, ended), daemon=True).start()
    try:
        while workers:
            try:
                news = ended.get(timeout=_PULSE_S)
            except Empty:
                yield None
                continue
            if isinstance(news, Done):
                yield news
            else:
                workers.remove(news)
    finally:
        for worker in workers:
            worker.terminate()


def _keep_busy(
    worker: Popen[str], left: SimpleQueue[str], ended: SimpleQueue[Done | Popen[str]]
) -> None:
    """Give a process one job after the other until none is left, or it has died."""
    assert worker.stdin is not None
    assert worker.stdout is not None
    try:
        while True:
            worker.stdin.write(left.get_nowait() + "\n")
            worker.stdin.flush()
            ended.put(Done(**json.loads(worker.stdout.readline())))
    except (Empty, OSError, ValueError):
        with suppress(OSError):
            worker.stdin.close()
        worker.wait()
        worker.stdout.close()
    ended.put(worker)


def _work() -> None:
    """Do the jobs named on standard input, a line of JSON for each on standard output."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    for line in sys.stdin:
        done = _do_job(line.strip())
        answers.write(json.dumps(done.__dict__) + "\n")
        answers.flush()


def _module_names() -> Iterator[str]:
    import footfall

    for found in pkgutil.walk_packages(footfall.__path__, "footfall."):
        if found.name.endswith("kernels"):
            yield found.name


def _imported_modules() -> list[ModuleType]:
    return [
        module
        for name, module in list(sys.modules.items())
        if name.startswith("footfall.") and name.endswith("kernels")
    ]


def _counts() -> tuple[int, int]:
    """Return how many kernels this process has compiled and how many it has loaded from disk."""
    stats = [
        kernel.stats for module in _imported_modules() for kernel in kernels_of(module).values()
    ]
    compiled = sum(sum(s.cache_misses.values()) for s in stats)
    return compiled, sum(sum(s.cache_hits.values()) for s in stats)


if __name__ == "__main__":
    _work()
