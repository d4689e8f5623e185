"""Making clips, here or in worker processes that outlive neither their work nor their parent.

Jobs go to a worker as lines of JSON, what became of them comes back the same way; the clip itself
goes from the worker to the cache. A worker whose parent is gone reads the end of its input and
leaves. No `multiprocessing`: it would run the caller's script again and unpickle what it gets.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import LifoQueue, SimpleQueue
from typing import IO, Any, Protocol

from footfall.body.skeleton import Skeleton
from footfall.errors import FileFormatError, FootfallError, MissingJointError
from footfall.library.build.settings import Corrections, LibrarySettings
from footfall.library.store.arrays import Facts
from footfall.library.store.clips import ClipStore
from footfall.library.store.index import skeleton_facts, skeleton_from_facts
from footfall.processes import register_child

_ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OPENBLAS", "MKL", "OMP")}
"""For workers: there are as many of them as cores, and see `one_blas_thread`."""

Job = Mapping[str, Any]
"""One clip to make, as plain values."""


@dataclass(frozen=True)
class ClipOutcome:
    """What became of a clip: its facts, or the sentence why there are none.

    lasting  the file's content is to blame, so that trying again is of no use
    """

    facts: Facts | None = None
    problem: str = ""
    lasting: bool = False


class ClipMaker(Protocol):
    """Makes the clips of a build with its common settings."""

    def message(self) -> dict[str, Any]:
        """Return what a worker needs to make the same clips, as plain values with its `kind`."""

    def make(self, job: Job) -> ClipOutcome:
        """Make a clip and keep it in the cache; whatever is wrong is an outcome."""


@dataclass(frozen=True)
class FileClipMaker:
    """Makes clips from files: a job is a `path`, the `key` it is kept under, and `corrections`."""

    character: Skeleton
    settings: LibrarySettings
    folder: Path

    def message(self) -> dict[str, Any]:
        return {
            "kind": "files",
            "character": skeleton_facts(self.character),
            "settings": asdict(self.settings),
            "folder": str(self.folder.resolve()),
        }

    def make(self, job: Job) -> ClipOutcome:
        from footfall.library.build.make import make_clip

        path, corrections = Path(job["path"]), Corrections(**job["corrections"])
        try:
            made = make_clip(path, self.character, self.settings, corrections)
            ClipStore(self.folder).write(job["key"], made.clip, made.facts)
        except FootfallError as error:
            problem = " ".join(str(error).split())
            problem = problem if path.name in problem else f"{path.name}: {problem}"
            # What is wrong with a file's content stays; what is wrong with a disk may not.
            lasting = isinstance(error, FileFormatError | MissingJointError)
            return ClipOutcome(problem=problem, lasting=lasting)
        except MemoryError:
            return ClipOutcome(problem=f"{path.name}: it does not fit into memory")
        except Exception as error:  # one bad clip must not take the others with it
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            return ClipOutcome(problem=f"{path.name}: it could not be used ({reason})")
        return ClipOutcome(made.facts)


def file_job(path: Path, key: str, corrections: Corrections) -> Job:
    """Return the job of making one file a clip."""
    return {"path": str(path.absolute()), "key": key, "corrections": asdict(corrections)}


def _maker_from(message: Mapping[str, Any]) -> ClipMaker:
    if message["kind"] == "default":
        from footfall.library.default import DefaultClipMaker

        return DefaultClipMaker.from_message(message)
    return FileClipMaker(
        skeleton_from_facts(message["character"]),
        LibrarySettings(**message["settings"]),
        Path(message["folder"]),
    )


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let BLAS work on one thread in the body.

    How it shares sums among threads decides on their last bits, and so on those of clips.
    """
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1, user_api="blas"):
        yield


class MakerPool:
    """Makes clips for many threads: one at a time here, or in as many workers as are allowed.

    The interpreter's lock lets threads make clips no faster than one after the other; processes
    do, but each takes seconds to start, so they are for long builds, and one alone for none.
    """

    def __init__(self, maker: ClipMaker, processes: int) -> None:
        self.maker = maker
        self.here = threading.Lock()
        self.idle: LifoQueue[_Worker | None] = LifoQueue()  # those that were started come first
        self.started: list[_Worker] = []
        self.many = processes > 1 and not getattr(sys, "frozen", False)
        for _ in range(processes if self.many else 0):
            self.idle.put(None)  # started when its first clip comes

    def make(self, job: Job) -> ClipOutcome:
        """Make one clip; may be called from several threads."""
        if self.many:
            worker = self.idle.get()
            try:
                if worker is None:
                    worker = _Worker(self.maker)
                    self.started.append(worker)
                return worker.make(job)
            except (OSError, ValueError):  # it died or never lived: the work is done here
                worker = None
            finally:
                self.idle.put(worker)
        with self.here, one_blas_thread():
            return self.maker.make(job)

    def close(self) -> None:
        """Let all workers go."""
        for worker in self.started:
            worker.close()


class Budget:
    """Lets work of a certain size in, as long as all that is in fits; what is larger goes alone."""

    def __init__(self, size: int) -> None:
        self.size, self.free, self.changed = size, size, threading.Condition()

    @contextmanager
    def of(self, size: int) -> Iterator[None]:
        part = min(size, self.size)
        with self.changed:
            self.changed.wait_for(lambda: self.free >= part)
            self.free -= part
        try:
            yield
        finally:
            with self.changed:
                self.free += part
                self.changed.notify_all()


class _Worker:
    """A process that makes one clip after another."""

    def __init__(self, maker: ClipMaker) -> None:
        code = (
            f"import sys; sys.path[:] = {sys.path!r}\n"
            "from footfall.library.build.workers import main; main()"
        )
        self.process = register_child(subprocess.Popen(
            [sys.executable, "-c", code], env={**os.environ, **_ONE_THREAD},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        ))  # fmt: skip
        self._send(maker.message())

    def make(self, job: Job) -> ClipOutcome:
        self._send(job)
        assert self.process.stdout is not None
        return ClipOutcome(**json.loads(self.process.stdout.readline()))

    def close(self) -> None:
        for pipe in (self.process.stdin, self.process.stdout):
            with suppress(OSError):
                pipe and pipe.close()
        self.process.wait()

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()


def main() -> None:
    """Run a worker: read a maker of clips, then jobs until the input ends."""
    # Whatever else writes to the output must not come between the answers.
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        lines: SimpleQueue[bytes] = SimpleQueue()
        threading.Thread(target=_listen, args=(sys.stdin.buffer, lines), daemon=True).start()
        with suppress(BrokenPipeError, KeyboardInterrupt):
            _serve(lines, answers)


def _listen(jobs: IO[bytes], lines: SimpleQueue[bytes]) -> None:
    """Pass on what comes; leave at once when nobody is there any more, even amid a clip."""
    for line in jobs:
        lines.put(line)
    os._exit(0)


def _serve(lines: SimpleQueue[bytes], answers: IO[bytes]) -> None:
    maker = _maker_from(json.loads(lines.get()))
    while True:
        outcome = maker.make(json.loads(lines.get()))
        answers.write(json.dumps(asdict(outcome)).encode() + b"\n")
        answers.flush()
