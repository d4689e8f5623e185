"""The files that queries name, addressed by their content.

A query names a scene, a path, a library or a character by its file or folder. Its key depends on
what is in them. A cluster's workers receive the bytes once, under their address.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from footfall.errors import FootfallError
from footfall.safe_open import open_regular
from footfall.toml import toml_table

NAMED = ("scene", "path", "library", "character")
"""The keys of a task that may name a file or a folder."""
_BLOCK = 1 << 20
_LARGEST_SCENE = 4_000_000
_LARGEST_GLTF = 64 << 20


@dataclass(frozen=True)
class InputTree:
    """What one name in a query stands for: a file with those beside it that it needs, or a folder.

    name   of the file or folder itself
    files  name relative to its folder, and address, of each; a folder's own name comes first
    """

    name: str
    files: tuple[tuple[str, str], ...]

    @property
    def address(self) -> str:
        """A hash of all names and contents."""
        return hash_text(json.dumps([self.name, self.files]))


def hash_text(text: str) -> str:
    """Return the hash of some text, 32 hexadecimal digits."""
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def hash_file(path: Path) -> str:
    """Return the hash of a file's content, 64 hexadecimal digits."""
    digest = hashlib.sha256()
    with open_regular(path) as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


class Inputs:
    """Finds the files that tables of tasks name; each file is read once as long as it stays.

    sources  address -> a file with that content
    """

    def __init__(self) -> None:
        self.sources: dict[str, Path] = {}
        self._known: dict[Path, tuple[tuple[int, int], str]] = {}

    def trees(self, table: Mapping[str, Any]) -> dict[str, InputTree]:
        """Return what each file or folder that a task names stands for, by that name."""
        found = {}
        for name in named_files(table):
            path = Path(name)
            with suppress(FootfallError, OSError, ValueError):  # planning will report the problem
                if path.is_dir():
                    files = [f for f in sorted(path.rglob("*")) if _is_source(f, path)]
                elif path.is_file():
                    files = [path, *sorted(_files_beside(path))]
                else:
                    continue
                top = path.parent
                listed = ((f.relative_to(top).as_posix(), self._address(f)) for f in files)
                found[name] = InputTree(path.name, tuple(listed))
        return found

    def _address(self, path: Path) -> str:
        status = path.stat()
        stamp = status.st_size, status.st_mtime_ns
        known = self._known.get(path)
        if known is None or known[0] != stamp:
            known = self._known[path] = stamp, hash_file(path)
            self.sources[known[1]] = path
        return known[1]


def named_files(table: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names in a task that may stand for files, without the part of a drawing."""
    places = [table, *(s for s in table.get("stages", ()) if isinstance(s, Mapping))]
    for place in places:
        for key in NAMED:
            name = place.get(key)
            if isinstance(name, str) and name:
                yield name.partition("#")[0]


def replace_names(table: Mapping[str, Any], change: Callable[[str], str]) -> dict[str, Any]:
    """Return a task's table with the names of its files changed."""

    def renew(name: str) -> str:
        stem, mark, part = name.partition("#")
        return f"{change(stem)}{mark}{part}"

    def one(place: Mapping[str, Any]) -> dict[str, Any]:
        return {
            key: renew(value) if key in NAMED and isinstance(value, str) else value
            for key, value in place.items()
        }

    out = one(table)
    if isinstance(out.get("stages"), list):
        out["stages"] = [one(s) if isinstance(s, Mapping) else s for s in out["stages"]]
    return out


def _is_source(file: Path, folder: Path) -> bool:
    """Return whether a file of a library is no cache; hidden files and folders are."""
    inner = file.relative_to(folder).parts
    return file.is_file() and not any(part.startswith(".") for part in inner)


def _files_beside(path: Path) -> set[Path]:
    """Return the files that a file needs: meshes of a scene, buffers of a glTF, an ASF."""
    suffix, folder = path.suffix.lower(), path.parent
    names: list[str] = []
    if suffix == ".toml" and path.stat().st_size <= _LARGEST_SCENE:
        names = list(_texts(toml_table(path.read_text("utf-8", "replace"), path.name)))
    elif suffix == ".gltf" and path.stat().st_size <= _LARGEST_GLTF:
        with suppress(ValueError):
            names = list(_texts(json.loads(path.read_bytes())))
    elif suffix == ".amc":
        names = [file.name for file in folder.iterdir() if file.suffix.lower() == ".asf"]
    return {folder / name for name in names if _is_beside(name, path)}


def _is_beside(name: str, path: Path) -> bool:
    """Return whether a text names another file in the folder of `path`, or below it."""
    if not name or len(name) > 255 or Path(name).is_absolute() or ".." in Path(name).parts:
        return False
    try:
        return (path.parent / name).is_file() and name != path.name
    except (OSError, ValueError):
        return False


def _texts(value: object) -> Iterator[str]:
    """Yield every text in nested lists and tables."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(one)
