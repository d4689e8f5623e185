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
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import IO, Any

from footfall.body.skeleton import Skeleton
from footfall.errors import FileFormatError, FootfallError, MissingJointError
from footfall.library.cache import ClipCache, Facts
from footfall.library.corrections import Corrections
from footfall.library.index import figure_facts, figure_from_facts
from footfall.library.make import make_clip
from footfall.library.settings import LibrarySettings


@dataclass(frozen=True)
class Outcome:
    """What became of a clip: its facts, or the sentence why there are none.

    lasting  the file's content is to blame, so that trying again is of no use
    """

    facts: Facts | None = None
    problem: str = ""
    lasting: bool = False


@dataclass(frozen=True)
class Recipe:
    """All that a clip is made with, beside its file: the same for a whole build."""

    figure: Skeleton
    settings: LibrarySettings
    folder: Path

    def make(self, path: Path, key: str, corrections: Corrections) -> Outcome:
        """Make a clip and keep it under `key` in the cache; whatever is wrong is an outcome."""
        try:
            made = make_clip(path, self.figure, self.settings, corrections)
            ClipCache(self.folder).write(key, made.clip, made.facts)
        except FootfallError as error:
            said = " ".join(str(error).split())
            said = said if path.name in said else f"{path.name}: {said}"
            # What is wrong with a file's content stays; what is wrong with a disk may not.
            lasting = isinstance(error, FileFormatError | MissingJointError)
            return Outcome(problem=said, lasting=lasting)
        except MemoryError:
            return Outcome(problem=f"{path.name}: it does not fit into memory")
        except Exception as error:  # one bad clip must not take the others with it
            said = " ".join(f"{type(error).__name__}: {error}".split())
            return Outcome(problem=f"{path.name}: it could not be used ({said})")
        return Outcome(made.facts)


class Makers:
    """Makes clips for many threads: one at a time here, or in as many workers as are allowed.

    The interpreter's lock lets threads make clips no faster than one after the other; processes
    do, but each takes seconds to start, so they are for long builds.
    """

    def __init__(self, recipe: Recipe, processes: int) -> None:
        self.recipe = recipe
        self.here = threading.Lock()
        self.idle: SimpleQueue[_Worker | None] = SimpleQueue()
        self.started: list[_Worker] = []
        for _ in range(0 if getattr(sys, "frozen", False) else processes):
            self.idle.put(None)  # started when its first clip comes
        self.many = processes > 0 and not self.idle.empty()

    def make(self, path: Path, key: str, corrections: Corrections) -> Outcome:
        """Make one clip; may be called from several threads."""
        if self.many:
            worker = self.idle.get()
            try:
                if worker is None:
                    worker = _Worker(self.recipe)
                    self.started.append(worker)
                return worker.make(path, key, corrections)
            except (OSError, ValueError):  # it died or never lived: the work is done here
                worker = None
            finally:
                self.idle.put(worker)
        with self.here:
            return self.recipe.make(path, key, corrections)

    def close(self) -> None:
        """Let all workers go."""
        for worker in self.started:
            worker.close()


class _Worker:
    """A process that makes one clip after another."""

    def __init__(self, recipe: Recipe) -> None:
        code = (
            f"import sys; sys.path[:] = {sys.path!r}\n"
            "from footfall.library.workers import main; main()"
        )
        self.process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self._send(
            {
                "figure": figure_facts(recipe.figure),
                "settings": asdict(recipe.settings),
                "folder": str(recipe.folder.resolve()),
            }
        )

    def make(self, path: Path, key: str, corrections: Corrections) -> Outcome:
        self._send({"path": str(path.resolve()), "key": key, "corrections": asdict(corrections)})
        assert self.process.stdout is not None
        return Outcome(**json.loads(self.process.stdout.readline()))

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
    """A worker's life: a recipe, then jobs, until the input ends."""
    # Whatever else writes to the output must not come between the answers.
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        with suppress(BrokenPipeError, KeyboardInterrupt):
            _serve(sys.stdin.buffer, answers)


def _serve(jobs: IO[bytes], answers: IO[bytes]) -> None:
    told = json.loads(jobs.readline())
    figure, folder = figure_from_facts(told["figure"]), Path(told["folder"])
    recipe = Recipe(figure, LibrarySettings(**told["settings"]), folder)
    for line in jobs:
        job = json.loads(line)
        corrections = Corrections(**job["corrections"])
        outcome = recipe.make(Path(job["path"]), job["key"], corrections)
        answers.write(json.dumps(asdict(outcome)).encode() + b"\n")
        answers.flush()
