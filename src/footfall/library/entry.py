"""Facts about each clip of a library, known without opening it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from footfall.errors import check_range, check_whole
from footfall.library.store.checks import (
    check_address,
    check_flag,
    check_list,
    check_table,
    check_text,
)


@dataclass(frozen=True)
class Defect:
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
    problems: tuple[Defect, ...] = ()
    notes: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    up: str = ""
    values: tuple[tuple[str, float], ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the entry as plain values, for JSON."""
        return {**vars(self), "problems": [vars(p) for p in self.problems]}


def entry_from_dict(facts: object) -> Entry:
    """Return the entry that `as_dict` wrote; an InputError names what is wrong with it."""
    table = check_table(facts, "an entry")
    name = check_text(table.get("name"), "name")
    problems = (check_table(p, "a problem") for p in check_list(table.get("problems"), "problems"))
    return Entry(
        name=name,
        tags=_texts(table, "tags"),
        seconds=check_range("seconds", table.get("seconds"), 0.0),
        fps=check_range("fps", table.get("fps"), above=0.0),
        frames=check_whole("frames", table.get("frames"), 1, 2**31 - 1),
        travel_m=check_range("travel_m", table.get("travel_m"), 0.0),
        source=check_text(table.get("source"), "source"),
        source_fps=check_range("source_fps", table.get("source_fps"), 0.0),
        licence=check_text(table.get("licence"), "licence"),
        mirrored=check_flag(table.get("mirrored"), "mirrored"),
        of=check_text(table.get("of"), "of"),
        key=check_address(table.get("key"), "key"),
        problems=tuple(
            Defect(check_text(p.get("kind"), "kind"), check_text(p.get("text"), "text"))
            for p in problems
        ),
        notes=_texts(table, "notes"),
        groups=_texts(table, "groups"),
        up=check_text(table.get("up"), "up"),
        values=tuple(_value(pair) for pair in check_list(table.get("values"), "values")),
    )


def _texts(table: Mapping[str, Any], key: str) -> tuple[str, ...]:
    return tuple(check_text(value, key) for value in check_list(table.get(key), key))


def _value(pair: object) -> tuple[str, float]:
    name, value = check_list(pair, "a value", 2)
    return check_text(name, "a value's name"), check_range(f"value {name}", value)
