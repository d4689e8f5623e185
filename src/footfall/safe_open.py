"""Open regular files only: reading a pipe, a socket or a device may never end."""

from __future__ import annotations

import os
import stat
from io import BufferedReader
from pathlib import Path

from footfall.errors import InputError

_KINDS = {
    stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device", stat.S_IFBLK: "a device",
}  # fmt: skip


class MissingFileError(InputError):
    """There is no file of this name."""


def check_regular(path: str | Path) -> os.stat_result:
    """Return the status of a regular file, links followed; refuse anything else by its kind."""
    try:
        status = Path(path).stat()
    except FileNotFoundError:
        where = str(path)[-200:]
        raise MissingFileError(
            "there is no such file", where=where, remedy="check the name"
        ) from None
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None
    return _refuse_others(path, status)


def open_regular(path: str | Path) -> BufferedReader:
    """Return a regular file, opened for reading bytes; an InputError for anything else."""
    check_regular(path)
    try:
        # What was a file a moment ago may be a pipe now: opening must not wait for a writer.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", getattr(os, "O_BINARY", 0)))
    except OSError as error:
        raise _unreadable(path, error) from None
    try:
        _refuse_others(path, os.fstat(handle))
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def read_regular(path: str | Path, most_bytes: int | None = None) -> bytes:
    """Return the bytes of a regular file; an InputError if there are more than `most_bytes`."""
    with open_regular(path) as file:
        try:
            data = file.read(-1 if most_bytes is None else most_bytes + 1)
        except OSError as error:
            raise _unreadable(path, error) from None
    if most_bytes is not None and len(data) > most_bytes:
        raise InputError(f"is larger than {most_bytes / 1e6:.3g} MB", where=str(path))
    return data


def _refuse_others(path: str | Path, status: os.stat_result) -> os.stat_result:
    if not stat.S_ISREG(status.st_mode):
        what = _KINDS.get(stat.S_IFMT(status.st_mode), "something else")
        raise InputError(
            f"this is {what}, not a regular file", where=str(path),
            remedy="give the name of a file",
        )  # fmt: skip
    return status


def _unreadable(path: str | Path, error: OSError | ValueError) -> InputError:
    reason = str(getattr(error, "strerror", None) or type(error).__name__)
    return InputError(f"cannot be read ({reason[:80]})", where=str(path)[-200:])
