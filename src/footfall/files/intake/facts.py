"""What a clip knows beyond its joints, as JSON, for formats that can carry it along."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.body.clip import CONTACT_POINTS, TOUCH_PARTS, Clip, Labels
from footfall.maths.arrays import Bools

_HEX = "0123456789abcdef"
_WIDTHS = {"contacts": len(CONTACT_POINTS), "touches": len(TOUCH_PARTS)}


def clip_facts(clip: Clip) -> dict[str, Any]:
    """Name, frame rate, tags, contacts and touches; labels as a hexadecimal digit a frame."""
    facts: dict[str, Any] = {"name": clip.name, "fps": clip.fps, "tags": list(clip.tags)}
    for name, labels in (("contacts", clip.contacts), ("touches", clip.touches)):
        if labels is not None:
            digits = np.frombuffer(_HEX.encode(), "S1")[labels @ _bits(_WIDTHS[name])]
            facts[name] = digits.tobytes().decode()
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


def stated_labels(facts: dict[str, Any], frames: int, notes: list[str]) -> Labels:
    """Contacts and touches, if they fit the number of frames; a note if they do not."""

    def read(name: str, what: str) -> Bools | None:
        digits, bits = facts.get(name), _bits(_WIDTHS[name])
        if digits is None:
            return None
        valid = _HEX[: 2 * int(bits[0])]
        if not isinstance(digits, str) or len(digits) != frames or set(digits) - set(valid):
            notes.append(f"the {what} do not fit the frames and were left out.")
            return None
        values = np.array([valid.index(d) for d in digits], np.uint8)
        return (values[:, None] & bits) > 0

    return Labels(
        contacts=read("contacts", "foot contacts"),
        touches=read("touches", "touches of hands and seat"),
    )


def _bits(count: int) -> NDArray[np.uint8]:
    """The value of each column in a digit, the first column the highest."""
    return np.asarray(1 << np.arange(count - 1, -1, -1), np.uint8)
