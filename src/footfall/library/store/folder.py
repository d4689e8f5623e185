"""A library's place on disk: its name, the names of its files, and the lock of its one writer."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from footfall.cache_paths import cache_root, make_folder
from footfall.errors import InputError

DEFAULT_NAME = "default"
"""What the library of default clips is called wherever a library is asked for."""
MANIFEST_NAME, CACHE_NAME, INDEX_NAME = "library.toml", ".footfall", "index.json"
SOURCES_NAME = "sources"
"""The folder in a library's folder that fetched and unpacked clips go to."""
PERFORMER_NAME = "performer.toml"
"""The file that describes the performer in the folder of a library."""
_POLL_S = 0.05


def default_group(where: object) -> str | None:
    """Return the group that a library's name means: "default" is "", "default:park" is "park".

    None for anything else, which is a place on disk: "./default" is a folder of that name.
    A Path is a place as well, unless there is nothing there.
    """
    text = str(where)
    if not isinstance(where, str | Path) or text.partition(":")[0] != DEFAULT_NAME:
        return None
    if isinstance(where, Path) and where.exists():
        return None
    return text.partition(":")[2]


def cache_folder(source: Path) -> Path:
    """Return where the library of a plain folder (or file) is kept."""
    from footfall.library.store.arrays import address

    full = source.resolve()
    return cache_root() / "libraries" / f"{full.name[:40] or 'root'}-{address(str(full))[:12]}"


def index_path(folder: Path) -> Path:
    """Return the index of the library in a folder."""
    return folder / CACHE_NAME / INDEX_NAME


def clips_folder(folder: Path) -> Path:
    """Return where the clips of the library in a folder are kept."""
    return folder / CACHE_NAME / "clips"


@contextmanager
def exclusive(
    path: Path, wait_s: float = 3600.0, waiting: Callable[[], None] | None = None
) -> Iterator[bool]:
    """Hold the lock on `path` in the body; gives False if it was not free within `wait_s`.

    The operating system takes it back when its holder dies, so no lock is ever stale: the file
    stays, what counts is the lock on it.

    waiting  is called once if somebody else holds it
    """
    try:
        make_folder(path.parent)
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise InputError(f"cannot be written ({error.strerror})", where=str(path.parent)) from None
    try:
        held = _try_to_hold(handle)
        if not held and waiting is not None:
            waiting()
        end = time.monotonic() + wait_s
        while not held and time.monotonic() < end:
            time.sleep(_POLL_S)
            held = _try_to_hold(handle)
        yield held
    finally:
        os.close(handle)


def _try_to_hold(handle: int) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
