"""Building a library: only what changed is done again, many clips at a time, never half.

Every clip is written under an address made of its file's content, the settings, the corrections
made by hand and the code, so a build that was killed goes on where it stopped. `library.toml` and
the index are replaced whole, at the end, by one builder at a time.

Threads read and check files; clips are made one at a time here, or by worker processes where the
work is worth their start (see `workers`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from footfall.body.edit import round_clip
from footfall.body.mirror import swap_left_right
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError
from footfall.files.formats import readable_suffixes
from footfall.library.build.make import doubtful_ups, up_note, with_up
from footfall.library.build.request import check_jobs, check_path, source_paths, update_manifest
from footfall.library.build.settings import Corrections, LibrarySettings
from footfall.library.build.sources import (
    MIRRORED,
    clip_files,
    clip_names,
    is_archive,
    relative,
    remove_on_failure,
    stamp_of,
    unpack_sources,
)
from footfall.library.entry import Defect, Entry
from footfall.library.library import Library, library_in
from footfall.library.store import manifest as toml
from footfall.library.store.arrays import Facts, address, remove
from footfall.library.store.clips import ClipStore
from footfall.library.store.code import code_version
from footfall.library.store.folder import (
    CACHE_NAME,
    MANIFEST_NAME,
    clips_folder,
    exclusive,
    index_path,
)
from footfall.library.store.index import Index, Skipped, Stamp, read_index, text_sum, write_index
from footfall.library.store.manifest import Manifest, SourceOrigin

if TYPE_CHECKING:
    from concurrent.futures import Future

    from footfall.body.clip import Clip
    from footfall.library.build.workers import MakerPool

BYTES_IN_FLIGHT = 32 << 20
"""Files worked on at the same time are together no larger than this, so memory stays bounded."""
WORTH_PROCESSES_BYTES = 100 << 20
"""New files together larger than this (some ten seconds of work) are shared among processes."""

Progress = Callable[[float], None]


@dataclass(frozen=True)
class BuildResult:
    """What a build did.

    library  the library as it is now
    made     the names of the clips that were made or made again
    kept     how many were there already
    """

    library: Library
    made: tuple[str, ...]
    kept: int

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """The files that could not be used, and why."""
        return self.library.skipped


def build_library(
    folder: str | Path,
    sources: Iterable[str | Path] | None = None,
    *,
    add: bool = False,
    licence: str = "",
    origin: SourceOrigin | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    waiting: Callable[[], None] | None = None,
    **changes: Any,
) -> BuildResult:
    """Make the library in `folder` from files and folders, or bring it up to date.

    sources  files, folders and archives; None: those in its `library.toml`
    add      put the sources to those that are there, instead of in their place
    licence  the terms the sources come under
    origin   where the sources were fetched from
    jobs     how many clips are worked on at a time; None: as many as there are cores
    waiting  is called if another build of the same library has to be waited for
    changes  settings (see `LibrarySettings`); those not named stay as they are
    """
    folder, jobs = check_path(folder, "the library's folder"), check_jobs(jobs)
    given = None if sources is None else source_paths(sources)
    if not isinstance(licence, str):
        raise InputError(f"licence is {licence!r}", remedy="a text")
    if given is not None and not any(is_archive(s) or clip_files(s) for s in given):
        where = ", ".join(str(s) for s in given)
        known = "known: " + ", ".join(readable_suffixes())
        raise InputError("there are no clips", where=where, remedy=known)
    if given is None and not (folder / MANIFEST_NAME).is_file():
        raise InputError(
            "is no library", where=str(folder), remedy="say what to build it from, files or folders"
        )
    lock = folder / CACHE_NAME / "lock"
    with remove_on_failure(folder), exclusive(lock, waiting=waiting) as held:
        if not held:
            raise InputError("another build of it does not end", where=str(folder))
        _clear(folder)
        given = given and unpack_sources(given, folder)
        text = update_manifest(folder, given, add, (licence, origin), changes)
        build = _Build(folder, toml.parse(text), jobs, progress or (lambda share: None))
        return build.run()


def add_to_library(
    folder: str | Path, sources: Iterable[str | Path], **options: Any
) -> BuildResult:
    """Put more files and folders into a library; options are those of `build_library`."""
    return build_library(folder, sources, add=True, **options)


def remake_clip(folder: Path, character: Skeleton, entry: Entry) -> Clip:
    """Make the clip of an entry whose cache is lost again from its source (not mirrored)."""
    from footfall.library.build.make import make_clip
    from footfall.library.build.workers import one_blas_thread

    manifest = toml.parse(toml.read_text(folder / MANIFEST_NAME))
    path = folder / entry.source
    if not path.is_file():
        raise InputError(
            f"the cache of clip {entry.name!r} is damaged and its source is not there",
            where=str(path), remedy="bring it back, or build the library anew",
        )  # fmt: skip
    corrections = with_up(manifest.of(entry.of or entry.name), entry.up)
    with one_blas_thread():
        made = make_clip(path, character, manifest.settings, corrections)
    key = clip_key(stamp_of(path), character, manifest.settings, corrections)
    if key == entry.key:
        # A builder that holds the lock may be tidying; the clip is there all the same.
        with exclusive(folder / CACHE_NAME / "lock", wait_s=0.0) as held:
            if held:
                ClipStore(clips_folder(folder)).write(key, made.clip, made.facts)
    return round_clip(made.clip)


def clip_key(
    stamp: Stamp, character: Skeleton, settings: LibrarySettings, corrections: Corrections
) -> str:
    """Return the address of a clip: all that it is made of and by."""
    parts = (stamp.digest, character.fingerprint, settings.key, corrections.key, code_version())
    return address(*parts)


@dataclass(frozen=True)
class _ClipJob:
    """A clip to make: its name, its file (also as written in the library), its licence.

    up  the file's up axis, if the other clips of its skeleton settled it
    """

    name: str
    path: Path
    source: str
    licence: str
    up: str = ""


@dataclass(frozen=True)
class _JobResult:
    """What became of a job: facts of a clip, or the sentence why there is none.

    first_key  the address it had before the other clips settled its up axis
    """

    job: _ClipJob
    key: str = ""
    stamp: Stamp | None = None
    facts: Facts | None = None
    made: bool = False
    problem: str = ""
    first_key: str = ""


@dataclass
class _Build:
    """One build, under the lock."""

    folder: Path
    manifest: Manifest
    jobs: int
    progress: Progress

    def __post_init__(self) -> None:
        from footfall.library.build.make import load_character
        from footfall.library.build.workers import Budget

        self.budget = Budget(BYTES_IN_FLIGHT)
        self.character = load_character(self.manifest.settings.character, self.folder)
        self.cache = ClipStore(clips_folder(self.folder))
        self.before = read_index(index_path(self.folder))
        self.tried = {s.key: s.problem for s in self.before.skipped if s.key} if self.before else {}

    def run(self) -> BuildResult:
        self.cache.tidy()  # only what a killed build left half-written
        todo, missing = self._list_jobs()
        done = self._settle_up(self._make_all(todo, self.progress))
        index = self._index(done, missing)
        return self._finish(index, done)

    def _list_jobs(self) -> tuple[list[_ClipJob], list[str]]:
        """Return the clips to make, and the sources that are not there now."""
        found: dict[str, tuple[Path, str]] = {}
        missing = []
        for line in self.manifest.sources:
            root = self.folder / line.path
            if not root.exists():
                missing.append(line.path)
                continue
            for path in clip_files(root):
                found.setdefault(relative(path, self.folder), (path, line.licence))
        known = {e.source: e.name for e in self.before.entries if not e.of} if self.before else {}
        known |= {source: name for name, source in self.manifest.files.items() if source}
        names = clip_names(found, known)
        jobs = [_ClipJob(names[s], path, s, licence) for s, (path, licence) in found.items()]
        return [job for job in jobs if not self.manifest.of(job.name).skip], missing

    def _make_all(self, todo: list[_ClipJob], progress: Progress) -> list[_JobResult]:
        """Return every job done, in order; few clips are in memory at any time."""
        from concurrent.futures import ThreadPoolExecutor

        from footfall.library.build.workers import FileClipMaker, MakerPool

        done: dict[str, _JobResult] = {}
        pending: set[Future[_JobResult]] = set()
        maker = FileClipMaker(self.character, self.manifest.settings, self.cache.folder)
        self.makers: MakerPool = MakerPool(maker, self._processes(todo))
        pool = ThreadPoolExecutor(self.jobs, thread_name_prefix="footfall")
        try:
            for job in todo:
                pending.add(pool.submit(self._make_one, job))
                if len(pending) > 2 * self.jobs:
                    pending = _collect(pending, done)
                    progress(len(done) / len(todo))
            while pending:
                pending = _collect(pending, done)
                progress(len(done) / len(todo))
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
            self.makers.close()
        return [done[job.source] for job in todo]

    def _settle_up(self, done: list[_JobResult]) -> list[_JobResult]:
        """Make clips whose up axis is doubtful again, with that of their skeleton's other clips."""
        ups = doubtful_ups([d.facts for d in done])
        again = [(d, replace(d.job, up=up)) for d, up in zip(done, ups, strict=True) if up]
        if not again:
            return done
        made = self._make_all([job for _, job in again], lambda share: None)
        settled = {
            first.job.source: replace(second, first_key=first.key)
            for (first, _), second in zip(again, made, strict=True)
        }
        return [settled.get(d.job.source, d) for d in done]

    def _corrections(self, job: _ClipJob) -> Corrections:
        return with_up(self.manifest.of(job.name), job.up)

    def _processes(self, todo: list[_ClipJob]) -> int:
        """Return how many worker processes are worth their start: none for little work."""
        known = self.before.stamps if self.before else {}
        new = sum(_size(j.path) for j in todo if j.source not in known)
        return self.jobs if self.jobs > 1 and new >= WORTH_PROCESSES_BYTES else 0

    def _make_one(self, job: _ClipJob) -> _JobResult:
        """Return one clip: from the cache if it is there and sound, else made and kept."""
        from footfall.library.build.workers import file_job

        key, stamp = "", None
        try:
            job.source.encode()
            corrections = self._corrections(job)
            stamp = stamp_of(job.path, self.before.stamps.get(job.source) if self.before else None)
            key = clip_key(stamp, self.character, self.manifest.settings, corrections)
            if key in self.tried:
                return _JobResult(job, key, stamp, problem=self.tried[key])
            facts = self.cache.facts(key)
            if facts is not None:
                return _JobResult(job, key, stamp, facts)
            with self.budget.of(stamp.size):
                outcome = self.makers.make(file_job(job.path, key, corrections))
            known = key if outcome.facts is not None or outcome.lasting else ""
            made = outcome.facts is not None
            return _JobResult(job, known, stamp, outcome.facts, made, outcome.problem)
        except UnicodeEncodeError:
            name = ascii(job.path.name)
            return _JobResult(job, problem=f"{name}: its name is no UTF-8 text; rename it")
        except InputError as error:
            return _JobResult(job, problem=" ".join(str(error).split()))

    def _index(self, done: list[_JobResult], missing: list[str]) -> Index:
        entries: list[Entry] = []
        for one in done:
            if one.facts is not None:
                entries += self._entries(one)
        skipped = [Skipped(d.job.source, d.problem, d.key) for d in done if d.facts is None]
        stamps = {d.job.source: d.stamp for d in done if d.stamp is not None}
        for path in missing:
            skipped.append(Skipped(path, f"{path}: there is no such file or folder now"))
            entries += self._entries_without(path, {e.name for e in entries})
        return Index(
            self.character, self.manifest.settings.fps, tuple(entries), tuple(skipped), stamps,
            code=code_version(),
        )  # fmt: skip

    def _entries_without(self, path: str, taken: set[str]) -> list[Entry]:
        """Clips of a source that is not there now but was: nothing is lost by a missing disk."""
        if self.before is None or self.before.character != self.character:
            return []
        return [
            entry
            for entry in self.before.entries
            if (entry.source == path or entry.source.startswith(path.rstrip("/") + "/"))
            and entry.name not in taken
            and not self.manifest.of(entry.of or entry.name).skip
            and self.cache.facts(entry.key) is not None
        ]

    def _entries(self, one: _JobResult) -> list[Entry]:
        assert one.facts is not None
        facts, corrections = one.facts, self.manifest.of(one.job.name)
        file_licence = str(facts["source"].get("licence", ""))
        entry = Entry(
            name=one.job.name,
            tags=tuple(facts["tags"]) if corrections.tags is None else corrections.tags,
            seconds=facts["seconds"],
            fps=facts["fps"],
            frames=facts["frames"],
            travel_m=facts["travel_m"],
            source=one.job.source,
            source_fps=facts["source_fps"],
            licence=corrections.licence or one.job.licence or file_licence,
            key=one.key,
            problems=tuple(Defect(p["kind"], p["text"]) for p in facts["problems"]),
            notes=(*facts["notes"], *([up_note(one.job.up)] if one.job.up else [])),
            up=one.job.up,
            values=tuple(sorted(corrections.values.items())),
        )
        if not self.manifest.settings.mirror:
            return [entry]
        image = replace(
            entry,
            name=entry.name + MIRRORED,
            tags=tuple(swap_left_right(tag) for tag in entry.tags),
            mirrored=True,
            of=entry.name,
        )
        return [entry, image]

    def _finish(self, index: Index, done: list[_JobResult]) -> BuildResult:
        """Replace `library.toml` and the index, then remove what nobody needs any more."""
        found = {
            d.job.name: (d.job.source, tuple(d.facts["tags"])) for d in done if d.facts is not None
        }
        path = self.folder / MANIFEST_NAME
        text = toml.read_text(path)  # read again: it may have been edited meanwhile
        known = text_sum(text) if toml.parse(text) == self.manifest else ""
        new = toml.with_clips(text, found)
        if new != text:
            toml.write_text(path, new)
        write_index(
            index_path(self.folder), replace(index, manifest=text_sum(new) if known else "")
        )
        self.cache.tidy({e.key for e in index.entries} | {d.first_key for d in done})
        made = tuple(d.job.name for d in done if d.made)
        kept = sum(d.facts is not None and not d.made for d in done)
        return BuildResult(library_in(self.folder, index), made, kept)


def _collect(
    pending: set[Future[_JobResult]], done: dict[str, _JobResult]
) -> set[Future[_JobResult]]:
    """Wait for at least one job; put those that are through into `done`, return the others."""
    from concurrent.futures import FIRST_COMPLETED, wait

    ready, rest = wait(pending, return_when=FIRST_COMPLETED)
    for future in ready:
        one = future.result()
        done[one.job.source] = one
    return rest


def _clear(folder: Path) -> None:
    """Remove what killed builds left under temporary names; nobody else writes here now."""
    pattern = re.compile(r"\.(library|index)-[a-z0-9_]{8}\.(toml|json)")
    for place in (folder, folder / CACHE_NAME):
        for file in list(place.iterdir()):
            if pattern.fullmatch(file.name):
                remove(file)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # gone, or a link to nowhere: said when its turn comes
        return 0
