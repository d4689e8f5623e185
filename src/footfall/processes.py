"""Run work on several cores: threads of this process, or processes beside it.

The processes are not those of `multiprocessing`, which run the caller's script again and unpickle
what they receive. They run a module of Footfall and receive lines of text.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakSet

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

Job = TypeVar("Job")
Child = TypeVar("Child", bound=Popen[Any])

_CHILDREN: WeakSet[Popen[Any]] = WeakSet()
_LISTING = RLock()
"""Held while children are added or listed. A signal may list them while its thread adds one."""


def usable_cores() -> int:
    """Return how many cores this process may use, at least 1.

    FOOTFALL_CORES may state fewer. Linux may allow only some; macOS and Windows cannot tell.
    """
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    stated = os.environ.get("FOOTFALL_CORES", "")
    return max(1, min(cores, int(stated) if stated.isdecimal() else cores))


@contextmanager
def thread_pool(most: int | None = None) -> Iterator[ThreadPoolExecutor]:
    """Open a pool of one thread per usable core, at most `most`.

    If the body raises, for instance because of Ctrl-C, work that has not begun is dropped.
    """
    from concurrent.futures import ThreadPoolExecutor

    cores = usable_cores()
    pool = ThreadPoolExecutor(cores if most is None else max(1, min(cores, most)))
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def share_out(work: Callable[[Job], object], jobs: Sequence[Job]) -> None:
    """Call `work` with every job, on all cores: kernels do not hold Python's lock."""
    if usable_cores() == 1 or len(jobs) < 2:
        for job in jobs:
            work(job)
        return
    with thread_pool() as pool:
        for _ in pool.map(work, jobs):
            pass


def start_module(module: str) -> Popen[str]:
    """Start `python -m module` with this very Footfall; lines go in and come out as text.

    It is out of reach of the terminal's Ctrl-C, which is for the program that started it.
    """
    import footfall

    package = str(Path(footfall.__path__[0]).parent)
    paths = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH"))))
    child = Popen(
        [sys.executable, "-P", "-m", module],
        stdin=PIPE, stdout=PIPE, stderr=DEVNULL, text=True, start_new_session=True,
        env={**os.environ, "PYTHONPATH": paths},
    )  # fmt: skip
    return register_child(child)


def register_child(child: Child) -> Child:
    """Let a process end with this program, however this program ends."""
    with _LISTING:
        _CHILDREN.add(child)
    return child


def kill_children() -> None:
    """Kill the processes that this program has started and that still run."""
    with _LISTING:
        children = list(_CHILDREN)
    for child in children:
        if child.poll() is None:
            child.kill()
