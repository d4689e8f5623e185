"""Remember the source of each part of a scene, so that it is written as it was read.

Parts of scenes are frozen: whoever changes one makes a new one, and that has no origin.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

_Part = TypeVar("_Part")


@dataclass(frozen=True)
class Origin:
    """The table of a scene file that a part was made from, and the folder of that file."""

    spec: Any
    folder: Path


_ORIGINS: WeakKeyDictionary[Any, Origin] = WeakKeyDictionary()


def remember(part: _Part, spec: Any, folder: Path = Path()) -> _Part:
    """Return the part itself, its origin noted; `folder` is absolute if the spec names files."""
    _ORIGINS[part] = Origin(spec, folder)
    return part


def origin_of(part: Any) -> Origin | None:
    """Return what a ground, an obstacle or a path was read from, if it was."""
    return _ORIGINS.get(part)
