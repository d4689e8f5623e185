"""What a clip knows beyond its joints, as JSON, for formats that can carry it along."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.body.clip import Clip
from footfall.maths.arrays import Bools

_HEX = "0123456789abcdef"
_BITS = np.array([8, 4, 2, 1], np.uint8)


def clip_facts(clip: Clip) -> dict[str, Any]:
    """Name, frame rate, tags and contacts; contacts as one hexadecimal digit a frame."""
    facts: dict[str, Any] = {"name": clip.name, "fps": clip.fps, "tags": list(clip.tags)}
    if clip.contacts is not None:
        digits = np.frombuffer(_HEX.encode(), "S1")[clip.contacts @ _BITS]
        facts["contacts"] = digits.tobytes().decode()
    return facts


def stated_fps(facts: dict[str, Any]) -> float | None:
    """The frame rate, if it is one."""
    fps = facts.get("fps")
    return float(fps) if isinstance(fps, int | float) and 0.0 < fps <= 100_000.0 else None


def stated_name(facts: dict[str, Any]) -> str:
    """The clip's name, empty if there is none."""
    name = facts.get("name")
    return name if isinstance(name, str) else ""


def stated_tags(facts: dict[str, Any]) -> tuple[str, ...]:
    """The clip's tags."""
    tags = facts.get("tags")
    return tuple(t for t in tags if isinstance(t, str)) if isinstance(tags, list) else ()


def stated_contacts(facts: dict[str, Any], frames: int, notes: list[str]) -> Bools | None:
    """(T, 4) contacts, if they fit the number of frames; a note if they do not."""
    digits = facts.get("contacts")
    if digits is None:
        return None
    if not isinstance(digits, str) or len(digits) != frames or set(digits) - set(_HEX):
        notes.append("the foot contacts do not fit the frames and were left out.")
        return None
    values = np.array([_HEX.index(d) for d in digits], np.uint8)
    return (values[:, None] & _BITS) > 0
