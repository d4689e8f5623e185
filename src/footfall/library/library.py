"""A library: many clips on one character at one frame rate, opened without reading any of them.

from footfall import open_library

library = open_library("takes")           # a library, a folder of clips, or one clip
library = open_library("default")         # the default clips; "default:park" is one group of them
for clip in library.tagged("walk"):
    ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from os.path import normpath
from pathlib import Path
from typing import TYPE_CHECKING

from footfall.errors import InputError, choices
from footfall.library.entry import Entry
from footfall.library.store.folder import (
    MANIFEST_NAME,
    PERFORMER_NAME,
    cache_folder,
    clips_folder,
    default_group,
    index_path,
)

if TYPE_CHECKING:
    from footfall.body.clip import Clip
    from footfall.body.skeleton import Skeleton
    from footfall.library.store.index import Index, Skipped


@dataclass(frozen=True, eq=False)
class Library:
    """Clips on one character.

    character   the skeleton of every clip
    fps      the frame rate of every clip
    entries  what there is, in order
    folder   where it lies; None if it is kept in memory
    skipped  the files that could not be used, and why
    """

    character: Skeleton
    fps: float
    entries: tuple[Entry, ...]
    _load: Callable[[Entry], Clip] = field(repr=False)
    folder: Path | None = None
    skipped: tuple[Skipped, ...] = ()

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Clip]:
        """Yield the clips, each loaded when it is reached."""
        return (self._load(entry) for entry in self.entries)

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __repr__(self) -> str:
        return f"Library({len(self)} clips, {self.seconds:.1f} s at {self.fps:g} fps)"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all clips, in order."""
        return tuple(entry.name for entry in self.entries)

    @property
    def tags(self) -> dict[str, int]:
        """Every tag and how many clips have it, the most frequent first."""
        from collections import Counter

        return dict(Counter(tag for e in self.entries for tag in e.tags).most_common())

    @property
    def seconds(self) -> float:
        """How long all clips last together."""
        return sum(entry.seconds for entry in self.entries)

    def entry(self, name: str) -> Entry:
        """Return what is known about the clip called `name`."""
        place = self._places.get(name)
        if place is None:
            near = list(self.names) if len(self) <= 12 else _near(name, self.names)
            remedy = choices(near, name) if near else "see: footfall library list"
            raise InputError(f"the library has no clip {name!r}", remedy=remedy)
        return self.entries[place]

    def clip(self, name: str) -> Clip:
        """Return the clip called `name`, loaded now."""
        return self._load(self.entry(name))

    def tagged(self, *tags: str) -> Library:
        """Return the part of the library whose clips have all of these tags."""
        return self.only(e.name for e in self.entries if set(tags) <= set(e.tags))

    def only(self, names: Iterable[str]) -> Library:
        """Return the part of the library with these clips, in this order."""
        return replace(self, entries=tuple(self.entry(name) for name in names))

    @cached_property
    def _places(self) -> dict[str, int]:
        return {entry.name: place for place, entry in enumerate(self.entries)}


def library_of(
    clips: Iterable[Clip], licence: str = "", values: Mapping[str, Mapping[str, float]] = {}
) -> Library:
    """Return a library of clips that are there already, kept in memory; same skeleton, same rate.

    values  numbers of one's own by the name of the clip, like {"walk": {"load": 12.0}}
    """
    from footfall.library.store.manifest import check_values

    kept: dict[str, Clip] = {}
    entries = []
    for clip in clips:
        first = next(iter(kept.values()), clip)
        _check_alike(clip, first)
        if not clip.name or clip.name in kept:
            what = f"two clips are called {clip.name!r}" if clip.name else "a clip has no name"
            raise InputError(what, remedy="give each a name of its own, with clip.named(…)")
        kept[clip.name] = clip
        own = check_values(values.get(clip.name, {}))
        entries.append(replace(_entry_of(clip, licence), values=tuple(sorted(own.items()))))
    if not entries:
        raise InputError("there are no clips", remedy="give at least one")
    for name in values:
        if name not in kept:
            raise InputError(
                f"values are given for {name!r}, which is no clip", remedy=choices(list(kept), name)
            )
    first = kept[entries[0].name]
    return Library(first.skeleton, first.fps, tuple(entries), lambda entry: kept[entry.name])


def open_library(
    where: Library | str | Path, progress: Callable[[float], None] | None = None
) -> Library:
    """Return the library in a folder; a folder of clips or one clip becomes a library on the way.

    "default" is the library of default clips, generated on first use, and "default:GROUP" one
    group of it; a folder of that name is "./default".
    A plain folder is never written to: its library is kept in the user's cache folder
    (FOOTFALL_CACHE, else the system's custom) and brought up to date each time it is opened.
    A library whose `library.toml` was edited is brought up to date as well.
    """
    if isinstance(where, Library):
        return where
    group = default_group(where)
    if group is not None:
        from footfall.library.default import default_library

        return default_library(group, progress=progress)
    check_library_name(where)
    folder = Path(where)
    if (folder / PERFORMER_NAME).is_file():
        from footfall.library.performers import open_performer

        return open_performer(folder, progress)
    if (folder / MANIFEST_NAME).is_file():
        return _open_folder(folder, progress)
    return _open_plain(folder, progress)


def check_library_name(where: object) -> None:
    """Raise an InputError unless this is a library, or names one that is there."""
    if isinstance(where, Library) or default_group(where) is not None:
        return
    if not isinstance(where, str | Path) or not str(where).strip():
        raise InputError(
            f"the library is {where!r}", remedy='give "default", a folder, or a library'
        )
    if not Path(where).exists():
        raise InputError(
            "there is no such library or folder", where=str(where), remedy="check the name"
        )


def _open_folder(folder: Path, progress: Callable[[float], None] | None) -> Library:
    """Return the library in a folder, brought up to date if its `library.toml` was edited."""
    index = _index_of(folder)
    if index is not None:
        return library_in(folder, index)
    from footfall.library.build.build import build_library

    return build_library(folder, progress=progress).library


def _open_plain(source: Path, progress: Callable[[float], None] | None) -> Library:
    """Return the library of a plain folder or clip, kept in the user's cache folder."""
    people = sorted(source.glob(f"*/{PERFORMER_NAME}")) if source.is_dir() else []
    if people:
        raise InputError(
            f"it holds the libraries of {len(people)} performers", where=str(source),
            remedy=f"name one of them, like {people[0].parent}",
        )  # fmt: skip
    home = cache_folder(source)
    index = _index_of(home)
    if index is not None and _is_current(index, source, home):
        library = library_in(home, index)
    else:
        from footfall.library.build.build import build_library

        library = build_library(home, [source], progress=progress).library
    if not len(library) and library.skipped:
        # Nothing of what was named can be used: that is wrong input, and it has a cause.
        more = len(library.skipped) - 1
        beside = f" (and {more} more files that cannot be used)" if more else ""
        where, mark, why = library.skipped[0].problem.partition(": ")
        raise InputError(f"{normpath(where) if mark else where}{mark}{why}{beside}")
    return library


def _index_of(folder: Path) -> Index | None:
    """Return the index of a library's folder, if it matches the present `library.toml`."""
    from footfall.library.store.index import read_index, text_sum
    from footfall.library.store.manifest import read_text

    index = read_index(index_path(folder))
    if index is None or index.manifest != text_sum(read_text(folder / MANIFEST_NAME)):
        return None
    return index


def _is_current(index: Index, source: Path, home: Path) -> bool:
    """Return whether nothing has changed since the library of a plain folder was built.

    Content is read only where size and time of a file do not tell.
    """
    from footfall.library.build.sources import clip_files, relative, stamp_of
    from footfall.library.store.code import code_version

    files = {relative(file, home): file for file in clip_files(source)}
    if index.code != code_version() or files.keys() != index.stamps.keys():
        return False
    try:
        return all(stamp_of(files[s], old).digest == old.digest for s, old in index.stamps.items())
    except InputError:
        return False


def library_in(folder: Path, index: Index) -> Library:
    """Return the library in a folder, as its index has it."""
    load = clip_loader(folder, index.character)
    return Library(index.character, index.fps, index.entries, load, folder, index.skipped)


def clip_loader(folder: Path, character: Skeleton) -> Callable[[Entry], Clip]:
    """Loads a clip from its cache, or makes it again where the cache is not to be trusted."""

    def load(entry: Entry) -> Clip:
        from footfall.body.clip import Source
        from footfall.library.build.make import mirror_image
        from footfall.library.store.clips import ClipStore

        cache = ClipStore(clips_folder(folder))
        clip = cache.clip(entry.key, character)
        if clip is None:
            from footfall.library.build.build import remake_clip

            clip = remake_clip(folder, character, entry)
        if entry.mirrored:
            clip = mirror_image(clip)
        source = replace(
            clip.source or Source(), file=Path(entry.source).name, licence=entry.licence
        )
        return clip.derive(name=entry.name, tags=entry.tags, source=source)

    return load


def _check_alike(clip: Clip, first: Clip) -> None:
    if clip.skeleton != first.skeleton:
        raise InputError(
            "it has another skeleton than the first", where=f"clip {clip.name}",
            remedy="put both on one character, with footfall.adapt.retarget.retarget",
        )  # fmt: skip
    if abs(clip.fps - first.fps) > 1e-9:
        raise InputError(
            f"it has {clip.fps:g} frames per second, the first has {first.fps:g}",
            where=f"clip {clip.name}", remedy="resample one of them",
        )  # fmt: skip


def _entry_of(clip: Clip, licence: str) -> Entry:
    from footfall.library.store.clips import plain_facts

    facts, source = plain_facts(clip), clip.source
    return Entry(
        name=clip.name,
        tags=clip.tags,
        seconds=clip.seconds,
        fps=clip.fps,
        frames=len(clip),
        travel_m=facts["travel_m"],
        source=source.file if source else "",
        source_fps=clip.fps,
        licence=licence or (source.licence if source else ""),
    )


def _near(name: str, names: Iterable[str]) -> list[str]:
    import difflib

    return difflib.get_close_matches(name, list(names), n=5)
