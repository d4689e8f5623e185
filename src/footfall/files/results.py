"""Decide what may be overwritten: never an input, else only what Footfall wrote.

A record in the user's cache says, for every result, how large it was and when it was written. A
file that still is as the record says may be replaced; one that is unknown, or was changed since,
is somebody's work.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from footfall.cache_paths import cache_root, make_folder
from footfall.errors import InputError

_LARGEST_RECORD = 1 << 20
"""A folder's record beyond this many bytes is written anew with its last lines alone."""

State = tuple[int, int]
"""Size in bytes and time of the last change in nanoseconds."""


@contextmanager
def replacing(
    results: Iterable[str | Path], inputs: Iterable[str | Path | None] = (), *, force: bool = False
) -> Iterator[None]:
    """Refuse to write over inputs and over files of others; remember what the body writes.

    inputs  what is read; names of built-in things and None are passed over
    force   replace files of others too, though never an input
    """
    files = [Path(file) for file in results]
    check_results(files, inputs, force=force)
    before = [_state(file) for file in files]
    try:
        yield
    finally:
        remember_results(f for f, old in zip(files, before, strict=True) if _state(f) != old)


def check_results(
    results: Iterable[str | Path], inputs: Iterable[str | Path | None] = (), *, force: bool = False
) -> None:
    """Refuse results that are inputs, or that exist and are not ours unless `force` is given."""
    read = [Path(file) for file in inputs if file is not None]
    for result in map(Path, results):
        if any(_same_file(result, file) for file in read):
            raise InputError(
                "would be overwritten while it is read", where=str(result),
                remedy="name another file to write",
            )  # fmt: skip
        if not force and not is_replaceable(result):
            raise InputError(
                "is there already, and was not written by footfall as it is now",
                where=str(result), remedy="name another file, or say --force",
            )  # fmt: skip


def is_replaceable(file: Path) -> bool:
    """Return whether there is no such file yet, or only one that is as Footfall left it."""
    state = _state(file)
    return state is None or file.is_dir() or _read_record(file) == state


def remember_results(results: Iterable[str | Path]) -> None:
    """Record that these files, as they are now, were written by Footfall."""
    for file in map(Path, results):
        state = _state(file)
        if state is None:
            continue
        record = _record_of(file)
        line = json.dumps([file.name, *state]) + "\n"
        with suppress(OSError):  # without a cache, the next run will ask for --force
            make_folder(record.parent)
            if record.exists() and record.stat().st_size > _LARGEST_RECORD:
                lines = record.read_text("ascii").splitlines(keepends=True)
                record.write_text("".join(lines[len(lines) // 2 :]), "ascii")
            with record.open("a", encoding="ascii") as log:
                log.write(line)  # one short line: two processes do not mix theirs


def _read_record(file: Path) -> State | None:
    """Return what the last line about a file says, None if there is none."""
    found = None
    try:
        with _record_of(file).open(encoding="ascii", errors="replace") as log:
            for line in log:
                with suppress(ValueError, TypeError):
                    name, size, changed = json.loads(line)
                    if name == file.name:
                        found = (int(size), int(changed))
    except OSError:
        return None
    return found


def _record_of(file: Path) -> Path:
    folder = os.path.realpath(file.parent)
    name = hashlib.blake2b(os.fsencode(folder), digest_size=16).hexdigest()
    return cache_root() / "written" / name


def _state(file: Path) -> State | None:
    try:
        status = file.lstat()
    except (OSError, ValueError):
        return None
    return status.st_size, status.st_mtime_ns


def _same_file(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except (OSError, ValueError):  # one of them is not there
        return False
