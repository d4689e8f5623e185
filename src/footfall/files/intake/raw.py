"""The contents of a file before they are interpreted.

Every reader gives a `RawMotion`; `footfall.files.intake.clip` turns it into a `Clip`. Readers know
syntax; only the intake knows about bodies, units, axes and rest poses.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.body.clip import CONTACT_POINTS, TOUCH_PARTS, Clip, Labels
from footfall.maths.arrays import Bools, Floats, Ints


@dataclass(frozen=True, eq=False)
class RawMotion:
    """A tree of joints and their local transforms, in the file's own units and axes.

    A joint's local transform at frame t is: translate by `translations[t]` if it has any (they
    replace `offsets`), else by `offsets`; then rotate by `rotations[t]`.

    names            J joint names as in the file
    parents          (J,) -1 for joint 0, parents first
    offsets          (J, 3) static translations in the parent's frame
    end_joints       (E,) and end_offsets (E, 3): end sites
    rotations        (T, J, 4) local rotations, w x y z, unit
    translations     joint index -> (T, 3) local translations, for joints whose translation moves
    rest_rotations   (J, 4) local rotations of the rest (bind) pose; None means identity
    fps              frames per second as stated (after snapping 0.0333333 s to 30 fps)
    unit_m           metres per unit if the format states it, else None
    up               "x", "y", "z", "-x"… if the format states it, else None
    contacts         (T, 4) if the format carries them;  touches (T, 3) likewise
    tags             what the clip shows, if the format carries that
    notes            what the reader recognised or repaired, one sentence each
    """

    format: str
    names: tuple[str, ...]
    parents: Ints
    offsets: Floats
    end_joints: Ints
    end_offsets: Floats
    rotations: Floats
    translations: dict[int, Floats]
    fps: float
    rest_rotations: Floats | None = None
    unit_m: float | None = None
    up: str | None = None
    contacts: Bools | None = None
    touches: Bools | None = None
    tags: tuple[str, ...] = ()
    name: str = ""
    licence: str = ""
    notes: tuple[str, ...] = ()


# Joint names as files give them, made fit to stand in one line and told apart.

LONGEST = 120


def printable(name: str, longest: int = LONGEST) -> str:
    """Return the name without line breaks and other characters that cannot be shown."""
    return "".join(c for c in name[:longest] if c.isprintable()).strip()


def distinct(names: Iterable[str], notes: list[str]) -> list[str]:
    """Return the names made printable; one that occurs again gets a number, and a note says so."""
    result: list[str] = []
    taken: set[str] = set()
    again = 0
    for place, given in enumerate(names):
        base = printable(given) or f"joint_{place}"
        name, number = base, 2
        while name in taken:
            name, number = f"{base}_{number}", number + 1
        again += name != base
        taken.add(name)
        result.append(name)
    if again:
        notes.append(f"{again} joints had the name of another one and got a number.")
    return result


# What a clip knows beyond its joints, as JSON, for formats that can carry it along.

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
    """Return the frame rate, if it is one."""
    fps = facts.get("fps")
    return float(fps) if isinstance(fps, int | float) and 0.0 < fps <= 100_000.0 else None


def stated_name(facts: dict[str, Any]) -> str:
    """Return the clip's name, empty if there is none."""
    name = facts.get("name")
    return name if isinstance(name, str) else ""


def stated_tags(facts: dict[str, Any]) -> tuple[str, ...]:
    """Return the clip's tags."""
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
    """Return the value of each column in a digit, the first column the highest."""
    return np.asarray(1 << np.arange(count - 1, -1, -1), np.uint8)
