"""Files appear whole or not at all: written under a temporary name beside the target, renamed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from footfall.cache_paths import make_folder
from footfall.errors import InputError

_TEMPORARIES: set[Path] = set()


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """Open a temporary path in `path`'s folder that becomes `path` on success.

    Missing folders are made. When the body raises, the temporary file is removed and whatever
    was at `path` before stays as it was.
    """
    import tempfile

    path = Path(path)
    if path.is_dir():
        raise InputError("this is a folder", where=str(path), remedy="give the name of a file")
    make_folder_of(path)
    try:
        handle, name = tempfile.mkstemp(
            prefix=f".{path.stem[:40]}-", suffix=path.suffix, dir=path.parent
        )
    except OSError as error:
        raise _not_written(path, error) from None
    os.close(handle)
    temporary = Path(name)
    _TEMPORARIES.add(temporary)
    try:
        yield temporary
        # mkstemp makes files private; a finished file has the rights any new file would have.
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except OSError as error:
        raise _not_written(path, error) from None
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        _TEMPORARIES.discard(temporary)


def remove_temporaries() -> None:
    """Remove the files that are half written, for a program that ends without unwinding."""
    for temporary in list(_TEMPORARIES):
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def make_folder_of(path: Path) -> None:
    """Make the folder that a file is to go to, with those above it."""
    try:
        make_folder(path.parent)
    except OSError as error:
        raise _not_written(path, error) from None


def write_bytes_atomically(path: Path, data: bytes) -> None:
    """Write `data` to `path`; a reader sees the old file or the whole new one."""
    with atomic_file(path) as temporary:
        temporary.write_bytes(data)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _not_written(path: Path, error: OSError) -> InputError:
    reason = error.strerror or type(error).__name__
    return InputError(f"cannot be written ({reason})", where=str(path))
