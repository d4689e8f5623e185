"""What a person says about a clip of a library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Spans = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Corrections:
    """What a person says about a clip, against what was found.

    tags      all tags of the clip; None leaves those that were found
    contacts  point of a foot (CONTACT_POINTS) -> the times it touches, seconds from the first
              frame of the clip; points that are not named stay as found
    licence   the terms this clip comes under
    skip      whether the clip is left out
    read      what to overrule when its file is read (see `ReadOptions`)
    """

    tags: tuple[str, ...] | None = None
    contacts: Mapping[str, Spans] = field(default_factory=dict)
    licence: str = ""
    skip: bool = False
    read: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> dict[str, Any]:
        """What the clip's cache depends on."""
        return {"contacts": dict(self.contacts), "read": dict(self.read)}
