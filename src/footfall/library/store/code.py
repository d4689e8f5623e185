"""The version of the code that makes clips: caches made by another version are made anew."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from footfall.cache_paths import cache_root
from footfall.errors import InputError
from footfall.safe_open import read_regular

ROOMS = (
    "maths", "body", "files", "gait", "pose", "adapt", "generate", "library/default.py",
    "library/entry.py", "library/build/check.py", "library/build/make.py", "toml.py",
    "library/build/settings.py", "library/store/arrays.py", "library/store/checks.py",
    "library/store/clips.py", "world/ground.py", "world/surface_kernels.py",
    "world/collision/shape_kernels.py",
)  # fmt: skip
"""All code and figures that decide what a clip looks like, read from a file or generated."""
_PACKAGE = Path(__file__).resolve().parents[2]
_LIBRARIES = ("scipy", "numba")
_FRESH_NS = 2_000_000_000


@cache
def code_version() -> str:
    """Return a hash of all that determines clips: code, figures and library versions.

    Reading all files takes longer than opening a library does, so the hash is kept in the user's
    cache beside the times and sizes of the files, which are looked at each time.
    """
    times, newest = _times()
    note = cache_root() / "code" / f"{_digest(str(_PACKAGE))[:16]}.json"
    with suppress(InputError, OSError, ValueError, KeyError, TypeError):
        kept = json.loads(read_regular(note, 1 << 16))
        if kept["times"] == times:
            return str(kept["version"])
    version = content_version(_PACKAGE)
    # What was written a moment ago may be written again within the same tick of the clock.
    if time.time_ns() - newest > _FRESH_NS:
        from footfall.files.atomic import write_bytes_atomically

        with suppress(InputError, OSError):
            content = json.dumps({"times": times, "version": version})
            write_bytes_atomically(note, content.encode())
    return version


def content_version(package: Path) -> str:
    """Return the hash of the content of all files that count in a copy of the package."""
    from importlib.metadata import version

    libraries = [f"{name} {version(name)}" for name in (*_LIBRARIES, "footfall")]
    digest = hashlib.sha256(f"{sys.version} {np.__version__} {libraries}".encode())
    for file, _ in _files(package):
        digest.update(file.relative_to(package).as_posix().encode() + b"\0")
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


@cache
def rooms_version(*rooms: str) -> str:
    """Return a hash of the clip-making code and of some packages that use clips."""
    digest = hashlib.sha256(code_version().encode())
    for room in rooms:
        for file in sorted((_PACKAGE / room).glob("*.py")):
            digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def _times() -> tuple[str, int]:
    """Return a hash of the times and sizes of all files that count, and the newest of the times."""
    found = [(str(file), s.st_mtime_ns, s.st_size) for file, s in _files(_PACKAGE)]
    newest = max((changed for _, changed, _ in found), default=0)
    for name in _LIBRARIES:  # an installed version is replaced whole
        spec = find_spec(name)
        if spec is not None and spec.origin:
            status = Path(spec.origin).with_name("__init__.py").stat()
            found.append((spec.origin, status.st_mtime_ns, status.st_ino))
    return _digest(f"{sys.version} {np.__version__} {found}"), newest


def _files(package: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield the files that count, in order."""
    for room in ROOMS:
        path = package / room
        if path.suffix:
            yield path, path.stat()
        else:
            yield from _files_below(path)


def _files_below(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    with os.scandir(folder) as items:
        for item in sorted(items, key=lambda item: item.name):
            if item.is_dir():
                if item.name != "__pycache__":
                    yield from _files_below(folder / item.name)
            elif item.name.endswith((".py", ".json")):
                yield folder / item.name, item.stat()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
