"""What a library knows about each of its clips without opening it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Problem:
    """Something wrong with a clip as it came.

    kind  one of `footfall.library.build.check.KINDS`
    text  one sentence for people
    """

    kind: str
    text: str


@dataclass(frozen=True)
class Entry:
    """One clip of a library.

    name         how the library calls it; no two are alike
    tags         what it shows; corrected by hand where `library.toml` says so
    groups       the databases of the default library it belongs to (see `default`); tags too
    seconds      from its first frame to its last
    fps          frames per second, the library's
    frames       how many there are
    travel_m     how far the hips go over the ground, metres
    source       the file it was made from, relative to the library's folder
    source_fps   the frame rate of that file
    licence      the terms it comes under, if known
    mirrored     whether it is the mirror image of the clip called `of`
    of           the name of that clip; empty if it is no mirror image
    key          the address of its cache; empty if it is kept in memory
    problems     what is wrong with it
    notes        what was recognised or repaired when its file was read
    up           the file's up axis, if it was settled by the other clips of its skeleton
    values       names and numbers that a person gave it, like how heavy the load is that it shows
    """

    name: str
    tags: tuple[str, ...] = ()
    seconds: float = 0.0
    fps: float = 30.0
    frames: int = 0
    travel_m: float = 0.0
    source: str = ""
    source_fps: float = 0.0
    licence: str = ""
    mirrored: bool = False
    of: str = ""
    key: str = ""
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    up: str = ""
    values: tuple[tuple[str, float], ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The entry as plain values, for JSON."""
        return {**vars(self), "problems": [vars(p) for p in self.problems]}


def entry_from_dict(facts: Mapping[str, Any]) -> Entry:
    """The entry that `as_dict` wrote; a KeyError, TypeError or ValueError if it is none."""
    problems = tuple(Problem(str(p["kind"]), str(p["text"])) for p in facts["problems"])
    return Entry(
        name=_text(facts["name"]),
        tags=_texts(facts["tags"]),
        seconds=float(facts["seconds"]),
        fps=float(facts["fps"]),
        frames=int(facts["frames"]),
        travel_m=float(facts["travel_m"]),
        source=_text(facts["source"]),
        source_fps=float(facts["source_fps"]),
        licence=_text(facts["licence"]),
        mirrored=bool(facts["mirrored"]),
        of=_text(facts["of"]),
        key=_text(facts["key"]),
        problems=problems,
        notes=_texts(facts["notes"]),
        groups=_texts(facts["groups"]),
        up=_text(facts["up"]),
        values=tuple((_text(name), float(value)) for name, value in facts["values"]),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value


def _texts(values: object) -> tuple[str, ...]:
    if not isinstance(values, list | tuple):
        raise TypeError(f"{values!r} is no list")
    return tuple(_text(v) for v in values)
