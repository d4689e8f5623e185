"""The default library: generated clips that need no download.

library = open_library("default")           # all of them
library = open_library("default:park")      # one group, and only that is generated

The clips are generated when they are first asked for and kept in the user's cache folder, under
an address made of the generator's code and figures and of the versions that it runs on. They are
generated with BLAS on one thread and rounded (see `maths.rounding`): neither the CPU nor how many
cores there are changes a byte.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from footfall.cache_paths import cache_root
from footfall.errors import FootfallError, InputError, choices
from footfall.generate.performer import MEAN_PERFORMER, Performer, performer_from
from footfall.library.entry import Entry
from footfall.library.library import Library
from footfall.library.store.arrays import Facts, address
from footfall.library.store.code import code_version
from footfall.library.store.folder import DEFAULT_NAME, INDEX_NAME, exclusive
from footfall.library.store.index import Index, read_index, write_index
from footfall.processes import usable_cores

if TYPE_CHECKING:
    from footfall.body.clip import Clip
    from footfall.body.skeleton import Skeleton
    from footfall.library.build.workers import ClipOutcome, Job
    from footfall.library.store.clips import ClipStore

FPS = 30.0
"""As in the papers; clips that are generated at 60 Hz give every second frame, exactly."""
_SAME_AS = {"dungeon": "choi"}
"""What the catalogue of gaits calls a group that the actions belong to as well."""
_WALKING = {"walk", "stand", "backward"} | {
    f"{kind}_{side}" for kind in ("turn_in_place", "sidestep") for side in ("left", "right")
}
_NOT_WALKING = {"run"}
_MOST_WORKERS, _CLIPS_A_WORKER = 8, 8
"""A worker takes as long to start as several clips take to make."""
_UNUSED_S = 30 * 24 * 3600.0

Progress = Callable[[float], None]


def default_library(
    group: str = "",
    *,
    seed: int = 0,
    performer: Performer | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Library:
    """Return the default clips on the default character, or one group (see `default_groups`).

    seed       of what differs from stride to stride; the same seed gives the same bytes
    performer  who performs them, on a body of their own; None: the mean performer
    jobs       how many clips are generated at a time; None: as many as there are cores
    """
    folder = cache_root() / DEFAULT_NAME / code_version()
    return DefaultStore(folder, seed, jobs, performer).open(group, progress)


def default_names(group: str = "") -> tuple[str, ...]:
    """Return the names of the default clips, or of one group, in order; nothing is generated."""
    group = _SAME_AS.get(group, group)
    if group and group not in default_groups():
        raise no_group(group)
    return tuple(c.name for c in _catalogue().values() if not group or group in c.groups)


def default_groups() -> tuple[str, ...]:
    """Return the groups there are, most of them the databases of the papers."""
    return tuple(dict.fromkeys(g for clip in _catalogue().values() for g in clip.groups))


def no_group(group: str) -> InputError:
    """Return the error for an unknown group."""
    remedy = choices(default_groups(), group)
    return InputError(f"the default library has no group {group!r}", remedy=remedy)


@dataclass(frozen=True)
class _DefaultClip:
    """How a default clip is made by a performer from a seed, and the groups it belongs to."""

    name: str
    groups: tuple[str, ...]
    make: Callable[[Performer, int], Clip]


@cache
def _catalogue() -> dict[str, _DefaultClip]:
    """Return every default clip by name: gait first, then actions."""
    from footfall.generate.actions.catalogue import ACTIONS
    from footfall.generate.gait.catalogue import gait_entries

    found = []
    for number, gait in enumerate(gait_entries()):

        def make_gait(who: Performer, seed: int, n: int = number) -> Clip:
            return gait_entries()[n].make(who, 1000 * seed + n)

        found.append(_DefaultClip(gait.name, _groups(gait.groups, gait.tags), make_gait))
    for action in ACTIONS.values():
        make_action = partial(_make_action, action.name)
        found.append(_DefaultClip(action.name, _groups(action.groups, ()), make_action))
    return {clip.name: clip for clip in found}


def _make_action(name: str, who: Performer, seed: int) -> Clip:
    from footfall.generate.actions.catalogue import action_clip

    return action_clip(name, who, seed)


def _groups(groups: Iterable[str], gait_tags: Iterable[str]) -> tuple[str, ...]:
    """Return the groups of a clip as they are called here."""
    own = list(dict.fromkeys(_SAME_AS.get(group, group) for group in groups))
    tags = set(gait_tags)
    walks = "choi" in own and tags & _WALKING and not tags & _NOT_WALKING
    if walks and "safonova" not in own:
        own.append("safonova")  # each of their three databases has walking
    return tuple(own)


@dataclass(frozen=True)
class DefaultClipMaker:
    """Generates default clips into the cache in `folder`: a job is a clip's `name`."""

    folder: Path
    version: str
    seed: int
    performer: Performer | None = None

    def message(self) -> dict[str, Any]:
        who = None if self.performer is None else self.performer.facts()
        plain = {"version": self.version, "seed": self.seed, "performer": who}
        return {"kind": DEFAULT_NAME, **plain, "folder": str(self.folder.resolve())}

    @classmethod
    def from_message(cls, message: Mapping[str, Any]) -> DefaultClipMaker:
        """Return the maker that wrote the message; a ValueError if the code has changed since."""
        if message["version"] != code_version():
            raise ValueError("the generator has changed")
        who = message["performer"]
        performer = None if who is None else performer_from(who)
        return cls(Path(message["folder"]), message["version"], int(message["seed"]), performer)

    def key(self, name: str) -> str:
        """Return the address of a clip in the cache."""
        return address(DEFAULT_NAME, self.version, name, self.seed, FPS, *self.who)

    @property
    def who(self) -> tuple[str, ...]:
        """The performer's part of an address; empty for the mean one."""
        return () if self.performer is None else (json.dumps(self.performer.facts()),)

    def make(self, job: Job) -> ClipOutcome:
        from footfall.library.build.workers import ClipOutcome
        from footfall.library.store.clips import ClipStore, plain_facts

        name = str(job["name"])
        try:
            clip = generate_clip(name, self.seed, self.performer)
            facts = plain_facts(clip)
            ClipStore(self.folder).write(self.key(name), clip, facts)
        except FootfallError as error:
            return ClipOutcome(problem=" ".join(str(error).split()))
        return ClipOutcome(facts)


def generate_clip(name: str, seed: int = 0, performer: Performer | None = None) -> Clip:
    """Return a default clip at the library's rate, its groups among its tags; nothing is kept."""
    from footfall.body.edit import resample

    one = _catalogue()[name]
    clip = one.make(performer or MEAN_PERFORMER, seed)
    tags = [tag for tag in clip.tags if tag not in {*one.groups, *_SAME_AS}]
    clip = clip.named(name).tagged((*tags, *one.groups))
    return clip if abs(clip.fps - FPS) < 1e-9 else resample(clip, FPS)


class DefaultStore:
    """The default clips of one version, one seed and one performer on disk.

    shared  whether other versions, seeds and performers are kept in the folder, or beside it
    """

    def __init__(
        self, folder: Path, seed: int = 0, jobs: int | None = None,
        performer: Performer | None = None, *, shared: bool = True,
    ) -> None:  # fmt: skip
        if not (isinstance(seed, int) and 0 <= seed < 2**31):
            raise InputError(f"the seed is {seed!r}", remedy="a whole number from 0")
        if jobs is not None and not (isinstance(jobs, int) and jobs >= 1):
            raise InputError(f"jobs is {jobs!r}", remedy="a whole number from 1")
        if performer is not None and not isinstance(performer, Performer):
            raise InputError(f"the performer is {performer!r}", remedy="give a Performer")
        who = None if performer == MEAN_PERFORMER else performer
        self.folder, self.jobs, self.shared = folder, jobs, shared
        self.maker = DefaultClipMaker(folder / "clips", code_version(), seed, who)

    def open(self, group: str, progress: Progress | None = None) -> Library:
        """Return the library of a group, generated where it is not there."""
        group = _SAME_AS.get(str(group), str(group))
        if not all(c.isalnum() or c == "_" for c in group):  # it is to be part of a file's name
            raise no_group(group)
        index = self.read(group) or self.make(group, progress or (lambda share: None))
        if not index.entries:  # a part of all clips that are kept already, and none belongs to it
            raise no_group(group)
        load = partial(self.load, index.character)
        return Library(index.character, index.fps, index.entries, load)

    @cached_property
    def cache(self) -> ClipStore:
        from footfall.library.store.clips import ClipStore  # opening needs no clips

        return ClipStore(self.maker.folder)

    def read(self, group: str) -> Index | None:
        """Return the index of a group, from its own file or from that of all."""
        for of in dict.fromkeys(("", group) if self.shared else (group,)):
            index = read_index(self._index_path(of))
            if index is not None and index.manifest == self._label(of):
                _note_use(self.folder / "lock")
                wanted = (e for e in index.entries if not group or group in e.groups)
                return replace(index, entries=tuple(wanted))
        return None

    def make(self, group: str, progress: Progress) -> Index:
        """Generate what is missing of a group and write its index."""
        from footfall.generate.skeleton import performer_skeleton

        names = default_names(group)
        try:
            with exclusive(self.folder / "lock") as held:
                if not held:
                    raise InputError("another process generates it and does not end")
                self.cache.tidy()  # what a killed one left half-written
                facts = self.complete(names, progress)
                character = performer_skeleton(self.maker.performer or MEAN_PERFORMER)
                entries = tuple(self._entry(name, facts[name]) for name in facts)
                index = Index(character, FPS, entries, manifest=self._label(group))
                write_index(self._index_path(group), index)
                if self.shared:
                    _forget_unused(self.folder)
                else:
                    self.cache.tidy({entry.key for entry in entries})
        except InputError as error:
            error = error.at("the default library")
            if "cannot be written" not in error.problem:
                raise error from None
            remedy = "set FOOTFALL_CACHE to a folder that can"
            raise InputError(error.problem, where=error.where, remedy=remedy) from None
        return index

    def complete(self, names: tuple[str, ...], progress: Progress) -> dict[str, Facts]:
        """Generate the clips that are not in the cache; name -> facts of all."""
        found = {name: self.cache.facts(self.maker.key(name)) for name in names}
        lacking = [name for name, facts in found.items() if facts is None]
        if lacking:
            found |= self._generate(lacking, progress)
        return {name: facts for name, facts in found.items() if facts is not None}

    def _generate(self, names: list[str], progress: Progress) -> dict[str, Facts | None]:
        from concurrent.futures import ThreadPoolExecutor, as_completed

        from footfall.library.build.workers import MakerPool

        jobs = self.jobs or min(usable_cores(), _MOST_WORKERS)
        jobs = min(jobs, -(-len(names) // _CLIPS_A_WORKER))
        makers = MakerPool(self.maker, jobs)
        pool = ThreadPoolExecutor(jobs, thread_name_prefix="footfall")
        found: dict[str, Facts | None] = {}
        try:
            works = {pool.submit(makers.make, {"name": name}): name for name in names}
            for work in as_completed(works):
                outcome = work.result()
                if outcome.facts is None:
                    raise InputError(outcome.problem, where=f"clip {works[work]}")
                found[works[work]] = outcome.facts
                progress(len(found) / len(names))
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
            makers.close()
        return found

    def load(self, character: Skeleton, entry: Entry) -> Clip:
        """Return the clip of an entry; one whose cache is damaged or missing is generated again."""
        clip = self.cache.clip(entry.key, character, entry.name)
        if clip is None:
            with exclusive(self.folder / "lock"):
                self.complete((entry.name,), lambda share: None)
            clip = self.cache.clip(entry.key, character, entry.name)
        if clip is None:
            where = str(self.cache.folder)
            raise InputError(f"the clip {entry.name!r} cannot be kept there", where=where)
        return clip

    def _entry(self, name: str, facts: Facts) -> Entry:
        return Entry(
            name=name,
            tags=tuple(facts["tags"]),
            seconds=facts["seconds"],
            fps=facts["fps"],
            frames=facts["frames"],
            travel_m=facts["travel_m"],
            source_fps=facts["fps"],
            licence=str(facts["source"].get("licence", "")),
            key=self.maker.key(name),
            groups=_catalogue()[name].groups,
        )

    def _index_path(self, group: str) -> Path:
        if not self.shared:
            return self.folder / INDEX_NAME
        who = "".join(f"-{address(text)[:16]}" for text in self.maker.who)
        return self.folder / f"index-{group or 'all'}-{self.maker.seed}{who}.json"

    def _label(self, group: str) -> str:
        return address(DEFAULT_NAME, self.maker.version, group, self.maker.seed, *self.maker.who)


def _note_use(lock: Path) -> None:
    """Remember that this version is used; others are removed after a while."""
    try:
        if time.time() - lock.stat().st_mtime > _UNUSED_S / 30:
            os.utime(lock)
    except OSError:  # a cache that cannot be written to can still be read
        return


def _forget_unused(folder: Path) -> None:
    """Remove what other versions of the generator made, if nobody has used it for a month."""
    import shutil

    for other in folder.parent.iterdir():
        try:
            old = time.time() - (other / "lock").stat().st_mtime > _UNUSED_S
        except OSError:
            continue
        if old and other != folder:
            with exclusive(other / "lock", wait_s=0.0) as held:
                if held:
                    shutil.rmtree(other, ignore_errors=True)
