"""Settings of a library: those of all clips, and corrections of single ones."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from footfall.body.clip import CONTACT_POINTS, TOUCH_PARTS
from footfall.errors import InputError, choices
from footfall.files.options import ReadOptions

DEFAULT_FPS = 30.0
FOOTPRINTS = ("scaled", "exact")
"""What `retarget` can do with them."""
Spans = tuple[tuple[float, float], ...]
"""First and last time of each contact, seconds."""
CONTACT_NAMES = (*CONTACT_POINTS, *TOUCH_PARTS)
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
        # The character counts by its shape, mirror images by their originals.
        for name in ("character", "mirror"):
            del facts[name]
        return facts


def check_read(read: object) -> None:
    """Raise an InputError unless this is a table of `ReadOptions`."""
    if not isinstance(read, Mapping):
        raise InputError("read is no table", remedy="like read = { fps = 60 }")
    for name in read:
        if name not in READ_KEYS:
            raise InputError(f"read names {name!r}", remedy=choices(READ_KEYS, str(name)))


@dataclass(frozen=True)
class Corrections:
    """What a person says about a clip, against what was found.

    tags      all tags of the clip; None leaves those that were found
    contacts  point of a foot, hand or seat (CONTACT_NAMES) -> the times it touches, seconds from
              the first frame of the clip; those that are not named stay as found
    licence   the terms this clip comes under
    skip      whether the clip is left out
    read      what to overrule when its file is read (see `ReadOptions`)
    values    names and numbers of one's own, like how heavy the load is that it shows
    """

    tags: tuple[str, ...] | None = None
    contacts: Mapping[str, Spans] = field(default_factory=dict)
    licence: str = ""
    skip: bool = False
    read: Mapping[str, Any] = field(default_factory=dict)
    values: Mapping[str, float] = field(default_factory=dict)

    @property
    def key(self) -> dict[str, Any]:
        """What the clip's cache depends on."""
        return {"contacts": dict(self.contacts), "read": dict(self.read)}
