"""How a library is made: what is asked for once and holds for all its clips."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any

from footfall.errors import InputError, choices
from footfall.files.options import ReadOptions

DEFAULT_FPS = 30.0
MAKERS = ("maths", "body", "files", "gait", "adapt")
"""The packages whose code decides what a clip of a library looks like."""
FOOTPRINTS = ("scaled", "exact")
"""What `retarget` can do with them."""
READ_KEYS = tuple(f.name for f in fields(ReadOptions))


@dataclass(frozen=True)
class LibrarySettings:
    """What a library is made with.

    character      "default", or a file whose skeleton all clips are put on
    fps         frames per second of every clip
    mirror      whether every clip has a mirrored copy
    clean       whether floor drift and skating are taken out
    footprints  "scaled" with the character's legs, or "exact"ly where they were
    read        what to overrule when files are read (see `ReadOptions`)
    """

    character: str = "default"
    fps: float = DEFAULT_FPS
    mirror: bool = False
    clean: bool = True
    footprints: str = "scaled"
    read: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.character, str) or not self.character:
            raise InputError("character is not a text", remedy='"default", or the name of a file')
        number = isinstance(self.fps, int | float) and not isinstance(self.fps, bool)
        if not (number and math.isfinite(self.fps) and 1.0 <= self.fps <= 1000.0):
            raise InputError(f"fps is {self.fps!r}", remedy="a number from 1 to 1000")
        for name in ("mirror", "clean"):
            if not isinstance(getattr(self, name), bool):
                raise InputError(f"{name} is {getattr(self, name)!r}", remedy="true or false")
        if self.footprints not in FOOTPRINTS:
            raise InputError(
                f"footprints is {self.footprints!r}",
                remedy=choices(FOOTPRINTS, str(self.footprints)),
            )
        check_read(self.read)
        object.__setattr__(self, "fps", float(self.fps))

    @property
    def key(self) -> dict[str, Any]:
        """What a clip's cache depends on, beside its file and its character."""
        facts = asdict(self)
        for name in ("character", "mirror"):  # the character counts by its shape, copies by the original
            del facts[name]
        return facts


def check_read(read: object) -> None:
    """Raise an InputError unless this is a table of `ReadOptions`."""
    if not isinstance(read, Mapping):
        raise InputError("read is no table", remedy="like read = { fps = 60 }")
    for name in read:
        if name not in READ_KEYS:
            raise InputError(f"read names {name!r}", remedy=choices(READ_KEYS, str(name)))


@cache
def code_version() -> str:
    """A hash of the code that makes clips: when it changes, caches are made anew."""
    package = Path(__file__).resolve().parents[2]
    digest = hashlib.sha256()
    files = [f for room in MAKERS for f in sorted((package / room).rglob("*.py"))]
    files += [package / "library" / name for name in ("store/arrays.py", "store/clips.py", "build/check.py", "build/make.py")]
    for file in files:
        try:
            digest.update(file.read_bytes())
        except OSError:  # packed into an archive: the version has to do
            from footfall import __version__

            digest.update(__version__.encode())
    return digest.hexdigest()[:16]
