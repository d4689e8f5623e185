"""The blend space of a library: of the clips that walk and run, cut once and kept.

    space = space_of("takes")                # a library, its name or folder, a folder of clips

Strides of a library on disk are kept in the user's cache under an address made of the clips, the
settings and the code; what was made of anything else is never found.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

import numpy as np

from footfall.blending.build import SpaceSettings, assemble_space, build_space
from footfall.blending.examples import SAMPLES, Example
from footfall.blending.model import BlendSpace
from footfall.errors import FileFormatError, InputError
from footfall.library.gaits import RUNNING, WALKING, describe_tags, names_of_gait
from footfall.library.library import Library, open_library
from footfall.library.store.arrays import Arrays, ArrayStore, Facts, address
from footfall.library.store.code import rooms_version

_KEPT = ArrayStore("blendspace", most_kept=24)
_ROOMS = ("blending",)
_EACH = ("begin_s", "seconds", "speed_m_s", "turn_rad_s", "style", "place", "rotations",
         "contacts", "gap")  # fmt: skip
"""What is kept of every example as arrays."""


def space_of(
    library: Library | str | Path, settings: SpaceSettings = SpaceSettings()  # noqa: B008
) -> BlendSpace:  # fmt: skip
    """The blend space of the clips of a library that walk or run and do nothing else.

    Numbers that were given to its clips (see `Entry.values`) are parameters of it.
    """
    return space_of_clips(walks_and_runs(open_library(library)), settings)


def walks_and_runs(library: Library) -> Library:
    """The part of a library that walks or runs and does nothing else."""
    names = [name for gait in (WALKING, RUNNING) for name in names_of_gait(library, gait)]
    if not names:
        raise InputError(
            f"none of the library's {len(library)} clips shows walking or running alone "
            f"(they show {describe_tags(library)})",
            remedy="clips that walk or run",
        )
    return library.only(names)


def space_of_clips(library: Library, settings: SpaceSettings = SpaceSettings()) -> BlendSpace:  # noqa: B008
    """The blend space of all clips of a library."""
    key = _address(library, settings)
    found = _KEPT.load(key) if key else None
    if found is not None:
        with suppress(InputError, KeyError, TypeError, ValueError, IndexError):
            return _load(library, *found)
    own = {entry.name: dict(entry.values) for entry in library.entries}
    space = build_space(tuple(library), settings=settings, own=own)
    if key:
        _KEPT.keep(key, *_flatten(space))
    return space


def _address(library: Library, settings: SpaceSettings) -> str:
    """Where the space of a library is kept; "" for clips that are in memory alone."""
    if not library.entries or not all(entry.key for entry in library.entries):
        return ""
    parts = [(e.key, e.name, e.mirrored, e.values) for e in library.entries]
    fingerprint = library.character.fingerprint
    return address(rooms_version(*_ROOMS), asdict(settings), fingerprint, library.fps, parts)


def _flatten(space: BlendSpace) -> tuple[Arrays, Facts]:
    """The examples of a space as arrays and facts."""
    arrays = {name: np.array([getattr(e, name) for e in space.examples]) for name in _EACH}
    arrays |= {"stand_turns": space.stand_turns, "stand_place": space.stand_place}
    facts = {
        "parameters": list(space.basis.names),
        "examples": [[e.clip.name, e.name, e.mirrored, dict(e.own)] for e in space.examples],
    }
    return arrays, facts


def _load(library: Library, arrays: Arrays, facts: Facts) -> BlendSpace:
    """The space that `_flatten` took apart; an error if it does not fit the library."""
    clips = {name: library.clip(name) for name in {row[0] for row in facts["examples"]}}
    joints, count = len(library.character), len(facts["examples"])
    if arrays["rotations"].shape != (count, SAMPLES, joints, 4):
        raise FileFormatError("its examples are of another shape")
    columns = [arrays[name] for name in _EACH]
    examples = []
    for n, (clip, name, mirrored, own) in enumerate(facts["examples"]):
        values = {key: column[n] for key, column in zip(_EACH, columns, strict=True)}
        for key in ("begin_s", "speed_m_s", "turn_rad_s", "style", "gap"):
            values[key] = float(values[key])
        examples.append(Example(clips[clip], name, mirrored=bool(mirrored), own=own, **values))
    names = tuple(str(name) for name in facts["parameters"])
    return assemble_space(tuple(examples), names, arrays["stand_turns"], arrays["stand_place"])
