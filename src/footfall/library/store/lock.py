"""One writer at a time: a lock that the operating system takes back when its holder dies.

The file stays; what counts is the lock on it. So no lock is ever stale.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from footfall.errors import InputError

_POLL_S = 0.05


@contextmanager
def exclusive(
    path: Path, wait_s: float = 3600.0, waiting: Callable[[], None] | None = None
) -> Iterator[bool]:
    """Hold the lock on `path` in the body; gives False if it was not free within `wait_s`.

    waiting  is called once if somebody else holds it
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
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
