"""Keep the program going when nobody reads its output, and report output that is lost.

A reader that has enough, as in `footfall library list | head -1`, is no error: the work is done
and its exit code counts. A full disk or a closed output is reported in one sentence.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from contextlib import suppress
from typing import Any

_READER_LEFT = (errno.EPIPE, errno.ESHUTDOWN, errno.ECONNRESET)


class _Stream(io.FileIO):
    """A standard stream that keeps in mind why it cannot be written to, instead of failing."""

    problem = ""
    lost = False

    def write(self, data: Any, /) -> int:
        if not self.lost:
            try:
                return super().write(data)
            except OSError as error:
                self.lost = True
                if error.errno not in _READER_LEFT:
                    self.problem = error.strerror or str(error)
        return memoryview(data).nbytes


class _ClosedChannel(_Stream):
    """A standard stream that was closed before the program began."""

    def write(self, data: Any, /) -> int:
        self.problem = "it is closed"
        return memoryview(data).nbytes


def guard_streams() -> None:
    """Let standard output and standard error take everything; see `output_problem`.

    Streams that were replaced, as tests do, stay as they are.
    """
    _fill_closed_handles()
    if sys.stdout is sys.__stdout__ and not _is_console(sys.stdout):
        sys.stdout = _guard(sys.stdout, 1)
    if sys.stderr is sys.__stderr__ and not _is_console(sys.stderr):
        sys.stderr = _guard(sys.stderr, 2)


def output_problem() -> str:
    """Return why standard output could not be written; empty if all of it was."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError) as error:
        return str(getattr(error, "strerror", None) or error)
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    return raw.problem if isinstance(raw, _Stream) else ""


def _is_console(stream: Any) -> bool:
    """Return whether this is a window of Windows, which takes text and never breaks."""
    return os.name == "nt" and stream is not None and stream.isatty()


def _guard(stream: Any, handle: int) -> io.TextIOWrapper:
    if stream is not None:
        with suppress(OSError, ValueError):
            stream.flush()
    kind = _ClosedChannel if stream is None else _Stream
    channel = kind(handle, "wb", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(channel),
        encoding=getattr(stream, "encoding", None) or "utf-8",
        errors="backslashreplace",  # file names may hold what the terminal's encoding cannot show
        line_buffering=handle == 2 or channel.isatty(),
    )


def _fill_closed_handles() -> None:
    """Open the null device for handles 0 to 2 that are closed, so that no file gets them."""
    for handle in range(3):
        try:
            os.fstat(handle)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free handle, which is this one
