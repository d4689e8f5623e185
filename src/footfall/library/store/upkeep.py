"""Whether a library on disk still fits its sources, and whether its caches are sound."""

from __future__ import annotations

from footfall.library.build.sources import CACHE_NAME, stamp_of
from footfall.library.library import INDEX_NAME, Library
from footfall.library.store.clips import ClipStore
from footfall.library.store.index import read_index


def upkeep(library: Library) -> dict[str, list[str]]:
    """Clip name -> sentences on its source and its cache; nothing for those that are in order."""
    if library.folder is None:
        return {}
    index = read_index(library.folder / CACHE_NAME / INDEX_NAME)
    stamps = index.stamps if index else {}
    cache = ClipStore(library.folder / CACHE_NAME / "clips")
    found: dict[str, list[str]] = {}
    for entry in library.entries:
        if entry.mirrored:
            continue
        told = []
        path, before = library.folder / entry.source, stamps.get(entry.source)
        if not path.is_file():
            told.append(f"its source is not there ({entry.source})")
        elif before is not None and stamp_of(path, before).digest != before.digest:
            told.append("its source has changed since the library was built")
        if cache.facts(entry.key) is None:
            told.append("its cache is damaged or missing and will be made again")
        if told:
            found[entry.name] = told
    return found
