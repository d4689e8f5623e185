"""A library on another character: its clips retargeted when they are needed, and kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from footfall.body.clip import Clip
from footfall.body.skeleton import Skeleton
from footfall.cache_paths import cache_root
from footfall.errors import InputError
from footfall.library.entry import Entry
from footfall.library.store.arrays import address
from footfall.library.store.clips import ClipStore
from footfall.library.store.code import code_version

if TYPE_CHECKING:
    from footfall.library.library import Library


def find_character(given: Skeleton | str | Path) -> Skeleton:
    """Return the skeleton that is meant: itself, or that of a file."""
    if isinstance(given, str | Path):
        from footfall.files.formats import load

        return load(given).skeleton
    if not isinstance(given, Skeleton):
        raise InputError(
            f"the character is {str(given)[:80]}", remedy="give a skeleton or a file with one"
        )
    return given


def put_on_character(library: Library, character: Skeleton) -> Library:
    """Return the clips on another character; those of a library on disk are cached."""
    if character == library.character:
        return library
    cache = ClipStore(cache_root() / "characters" / character.fingerprint[:16])
    ready: dict[str, Clip] = {}

    def load(entry: Entry) -> Clip:
        if entry.name not in ready:
            ready[entry.name] = _on_character(library, entry, character, cache)
        return ready[entry.name]

    entries = tuple(replace(e, key=_key(e, character)) for e in library.entries)
    return replace(library, character=character, entries=entries, _load=load)


def _key(entry: Entry, character: Skeleton) -> str:
    return entry.key and address(entry.key, entry.mirrored, character.fingerprint, code_version())


def _on_character(library: Library, entry: Entry, character: Skeleton, cache: ClipStore) -> Clip:
    from footfall.adapt.retarget.retarget import retarget

    kept = cache.clip(entry.key, character, entry.name) if entry.key else None
    if kept is not None:
        return replace(kept, tags=entry.tags)
    clip = retarget(library.clip(entry.name), character)
    if entry.key and clip.contacts is not None:
        try:
            cache.write(entry.key, clip, {"fps": clip.fps, "tags": list(entry.tags)})
        except (InputError, OSError):  # a cache that cannot be written is no reason to fail
            return clip
    return clip
