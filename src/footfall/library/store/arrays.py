"""Arrays with plain facts about them, as safetensors files: on their own, or kept by address.

    store = ArrayStore("graph", most_kept=24)              # a folder in the user's cache
    store.keep(address("graph", settings), arrays, facts)
    found = store.load(address("graph", settings))         # (arrays, facts), or None

A file carries one JSON label (its kind, its address, the facts) and a checksum of everything, so
that one that is damaged, cut off, or belongs elsewhere is noticed. Nothing in it ever runs.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.cache_paths import cache_root
from footfall.errors import FileFormatError, InputError
from footfall.files.atomic import write_bytes_atomically
from footfall.safe_open import check_regular

FORMAT = "footfall arrays 1"
SUFFIX = ".safetensors"
_SUM_DIGITS = 64

Arrays = dict[str, NDArray[Any]]
Facts = dict[str, Any]


def address(*parts: object) -> str:
    """Return the address of what is made from these plain values."""
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:40]


def save_arrays(
    path: str | Path,
    kind: str,
    arrays: Mapping[str, NDArray[Any]],
    facts: Mapping[str, Any],
    *,
    key: str = "",
) -> Path:
    """Write arrays and facts (plain values) to a file, whole or not at all; returns its path.

    kind  what the file holds, like "graph"; only that is read back from it
    key   the address it is kept under, if it is
    """
    from safetensors.numpy import save

    tensors = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    label = json.dumps({"kind": kind, "address": key, "facts": dict(facts)}, sort_keys=True)
    # One word of metadata: several would be written in an order that is not always the same.
    content = save(tensors, {FORMAT: _checksum(tensors, label) + label})
    write_bytes_atomically(Path(path), content)
    return Path(path)


def load_arrays(path: str | Path, kind: str, *, key: str | None = None) -> tuple[Arrays, Facts]:
    """Return the read-only arrays and facts of `save_arrays`; a FileFormatError if damaged.

    key  the address it must have been written under; None accepts any
    """
    path = Path(path)
    check_regular(path)
    arrays, words = _read(path)
    checksum, label = words[:_SUM_DIGITS], words[_SUM_DIGITS:]
    if checksum != _checksum(arrays, label):
        raise FileFormatError("its content does not match its checksum", where=str(path))
    try:
        stated = json.loads(label)
        found, own, facts = stated["kind"], stated["address"], dict(stated["facts"])
    except (KeyError, TypeError, ValueError, RecursionError):
        raise FileFormatError("its description is not complete", where=str(path)) from None
    if found != kind or key not in (None, own):
        raise FileFormatError(f"it is not the {kind} it should be", where=str(path))
    for array in arrays.values():
        array.flags.writeable = False
    return arrays, facts


def check_types(arrays: Arrays, types: Mapping[str, type[np.generic]], where: Path) -> Arrays:
    """Return the arrays of `types`, which must all be there with these number types."""
    if any(name not in arrays or arrays[name].dtype != kind for name, kind in types.items()):
        raise FileFormatError("its arrays are of other types", where=str(where))
    return {name: arrays[name] for name in types}


class ArrayStore:
    """A folder of arrays by address. What cannot be trusted is not there; what is unused goes."""

    def __init__(
        self, kind: str, most_kept: int | None = None, folder: str | Path | None = None
    ) -> None:
        """Open the store of one kind of arrays.

        most_kept  beyond so many, the one that was not used for the longest time is removed;
                   None keeps all
        folder     where they lie; None: a folder named after the kind in the user's cache
        """
        self.kind, self.most_kept = kind, most_kept
        self._folder = None if folder is None else Path(folder)

    @property
    def folder(self) -> Path:
        return self._folder or cache_root() / f"{self.kind}s"

    def path(self, key: str) -> Path:
        """Return the file of an address."""
        return self.folder / f"{key}{SUFFIX}"

    def load(self, key: str) -> tuple[Arrays, Facts] | None:
        """Return the arrays and facts under an address; None unless they are there and valid."""
        try:
            found = load_arrays(self.path(key), self.kind, key=key)
        except (InputError, OSError):
            return None
        if self.most_kept is not None:
            with suppress(OSError):  # a cache that cannot be written to can still be read
                os.utime(self.path(key))
        return found

    def keep(self, key: str, arrays: Mapping[str, NDArray[Any]], facts: Mapping[str, Any]) -> bool:
        """Keep arrays and facts under an address; False, with nothing kept, if that cannot be."""
        try:
            save_arrays(self.path(key), self.kind, arrays, facts, key=key)
        except (InputError, OSError):
            return False
        if self.most_kept is not None:
            self._evict(self.most_kept)
        return True

    def keys(self) -> Iterator[str]:
        """Yield the addresses of all files, sound or not."""
        for file in self._files():
            if file.suffix == SUFFIX and not file.name.startswith("."):
                yield file.stem

    def tidy(self, keep: set[str] | None = None) -> None:
        """Remove what killed writers left half-written, and all addresses but those in `keep`."""
        for file in self._files():
            whole = file.suffix == SUFFIX and not file.name.startswith(".")
            if not whole or (keep is not None and file.stem not in keep):
                remove(file)

    def _evict(self, most: int) -> None:
        used = []
        for key in self.keys():
            with suppress(OSError):  # another process may be evicting too
                used.append((self.path(key).stat().st_mtime_ns, key))
        for _, key in sorted(used)[: max(len(used) - most, 0)]:
            remove(self.path(key))

    def _files(self) -> list[Path]:
        try:
            return [Path(item.path) for item in os.scandir(self.folder) if item.is_file()]
        except OSError:
            return []


def remove(file: Path) -> None:
    """Remove a file if that is possible; a reader that has it open may keep it from going."""
    with suppress(OSError):
        file.unlink()


def _read(path: Path) -> tuple[Arrays, str]:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            words = (file.metadata() or {}).get(FORMAT, "")
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, KeyError, TypeError, ValueError) as error:
        raise FileFormatError("it cannot be read", where=str(path)) from error
    return arrays, words


def _checksum(arrays: Mapping[str, NDArray[Any]], label: str) -> str:
    """Return a checksum of arrays (names, types, shapes, values) and their facts."""
    digest = hashlib.sha256(label.encode())
    for name in sorted(arrays):
        digest.update(f"{name} {arrays[name].dtype} {arrays[name].shape}\0".encode())
        digest.update(arrays[name].reshape(-1).view(np.uint8).data)
    return digest.hexdigest()
