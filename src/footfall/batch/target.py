"""Where a batch writes to: a folder, or any address that fsspec knows, like s3://bucket/walks.

Files appear whole or not at all. In a folder they are renamed into place; elsewhere each is one
upload, which object stores complete or discard.
"""

from __future__ import annotations

import errno
import shutil
from pathlib import Path
from typing import Any, Protocol

from footfall.errors import InputError, MissingDependencyError
from footfall.files.atomic import make_folder_of, write_bytes_atomically


class Target(Protocol):
    """A place for files, by names with slashes."""

    address: str
    folder: Path | None

    def put(self, name: str, data: bytes) -> None:
        """Write a file."""

    def take(self, file: Path, name: str) -> None:
        """Move a local file to its place."""

    def get(self, name: str) -> bytes | None:
        """Return the content of a file; None if there is none."""

    def size(self, name: str) -> int:
        """Return how many bytes a file has; -1 if there is none."""


def open_target(address: str | Path) -> Target:
    """Return the place that a folder or an address means."""
    text = str(address)
    if "://" not in text:
        return FolderTarget(Path(address))
    if text.startswith("file://"):
        return FolderTarget(Path(text[len("file://") :]))
    return RemoteTarget(text)


class FolderTarget:
    """A folder of this machine."""

    def __init__(self, folder: Path) -> None:
        if folder.exists() and not folder.is_dir():
            raise InputError("this is a file", where=str(folder), remedy="give a folder")
        self.folder: Path | None = folder.absolute()
        self.address = str(folder)
        self._root = folder.absolute()
        make_folder_of(self._root / "results.jsonl")

    def put(self, name: str, data: bytes) -> None:
        write_bytes_atomically(self._root / name, data)

    def take(self, file: Path, name: str) -> None:
        place = self._root / name
        make_folder_of(place)
        try:
            file.replace(place)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            write_bytes_atomically(place, file.read_bytes())
            file.unlink()

    def get(self, name: str) -> bytes | None:
        try:
            return (self._root / name).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            where = str(self._root / name)
            raise InputError(f"cannot be read ({error.strerror})", where=where) from None

    def size(self, name: str) -> int:
        try:
            return (self._root / name).stat().st_size
        except OSError:
            return -1


class RemoteTarget:
    """A place that fsspec reaches; each file is one upload."""

    folder: Path | None = None

    def __init__(self, address: str) -> None:
        self.address = address
        try:
            import fsspec
        except ImportError:
            raise MissingDependencyError("fsspec", "cluster", f"writing to {address}") from None
        try:
            self._system, self._root = fsspec.core.url_to_fs(address)
        except ImportError as error:
            raise InputError(f"{address} needs another package ({error})") from None
        except (ValueError, OSError) as error:
            raise self._refuse(address, error) from None

    def put(self, name: str, data: bytes) -> None:
        place = self._place(name)
        try:
            self._system.makedirs(place.rpartition("/")[0], exist_ok=True)
            self._system.pipe_file(place, data)
        except Exception as error:  # every system has errors of its own
            raise self._refuse(place, error) from None

    def take(self, file: Path, name: str) -> None:
        self.put(name, file.read_bytes())
        file.unlink()

    def get(self, name: str) -> bytes | None:
        try:
            return bytes(self._system.cat_file(self._place(name)))
        except FileNotFoundError:
            return None
        except Exception as error:
            raise self._refuse(name, error) from None

    def size(self, name: str) -> int:
        try:
            self._system.invalidate_cache()
            return int(self._system.info(self._place(name))["size"])
        except Exception:  # a file that cannot be looked at has to be written again
            return -1

    def _place(self, name: str) -> str:
        return f"{self._root.rstrip('/')}/{name}"

    def _refuse(self, where: str, error: Any) -> InputError:
        why = " ".join(str(error).split())[:200] or type(error).__name__
        return InputError(f"cannot be reached ({why})", where=where)


def remove_folder(folder: Path) -> None:
    """Remove a folder of temporary files, as far as possible."""
    shutil.rmtree(folder, ignore_errors=True)
