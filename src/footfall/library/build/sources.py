"""The files a library is made from: found in folders, named, and known by their content."""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from footfall.errors import InputError
from footfall.files.formats import readable_suffixes
from footfall.library.store.folder import CACHE_NAME, MANIFEST_NAME, SOURCES_NAME
from footfall.library.store.index import Stamp
from footfall.safe_open import check_regular, open_regular

MIRRORED = "_mirrored"
_BLOCK = 1 << 20
_FRESH_NS = 2_000_000_000


def clip_files(source: Path) -> list[Path]:
    """Return the clips of a source: the file, or all in a folder and below, in order.

    Names alone decide: what turns out to be no regular file is refused when its turn comes.
    """
    if not source.exists():
        raise InputError("there is no such file or folder", where=str(source))
    if not source.is_dir():
        check_regular(source)
        return [source]
    suffixes = set(readable_suffixes()) - {".asf"}
    found = []
    for folder, names, files in os.walk(source):
        inner = Path(folder)
        # Hidden folders hold caches; a library within a folder is a library of its own.
        names[:] = [
            n for n in names if not n.startswith(".") and not (inner / n / MANIFEST_NAME).exists()
        ]
        found += [
            inner / name
            for name in files
            if not name.startswith(".") and Path(name).suffix.lower() in suffixes
        ]
    return sorted(found)


def stamp_of(path: Path, before: Stamp | None = None) -> Stamp:
    """Return the stamp of a file; its content is read only if size or time differ from `before`."""
    companions = _companions(path)
    status = check_regular(path)
    try:
        size, mtime = status.st_size, status.st_mtime_ns
        if (
            before is not None
            and not companions
            and (before.size, before.mtime_ns) == (size, mtime)
        ):
            return before
        digest = hashlib.sha256()
        for part in (path, *companions):
            with open_regular(part) as file:
                while block := file.read(_BLOCK):
                    digest.update(block)
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=str(path)) from None
    # What was written a moment ago may be written again within the same tick of the clock.
    fresh = time.time_ns() - mtime < _FRESH_NS
    return Stamp(size, 0 if fresh else mtime, digest.hexdigest())


def _companions(path: Path) -> list[Path]:
    """Files beside a clip that it cannot be read without."""
    wanted = {".amc": ".asf", ".gltf": ".bin"}.get(path.suffix.lower())
    if wanted is None:
        return []
    return sorted(p for p in path.parent.iterdir() if p.suffix.lower() == wanted and p.is_file())


def relative(path: Path, folder: Path) -> str:
    """Return `path` as it is written in a library in `folder`: relative where that is possible."""
    try:
        return Path(os.path.relpath(_full(path), folder.resolve())).as_posix()
    except ValueError:  # another drive
        return _full(path).as_posix()


def _full(path: Path) -> Path:
    """Return the path from the root; a link that is a clip itself keeps its own name."""
    return path.resolve() if path.is_dir() else path.parent.resolve() / path.name


def clip_names(paths: Iterable[str], known: Mapping[str, str]) -> dict[str, str]:
    """Path -> name for files given as relative paths; `known` (path -> name) names are kept.

    A name is the file's stem; where that is taken, its folder is put before it, then a number
    after it.
    """
    paths = list(paths)
    names = {path: known[path] for path in paths if path in known}
    taken = set(known.values())
    for path in paths:
        if path in names:
            continue
        file = Path(path)
        stem, folder = file.stem or "clip", file.parent.name
        wishes = [stem, f"{folder}_{stem}"] if folder not in ("", ".", "..") else [stem]
        number = 2
        while wishes[0] in taken or f"{wishes[0]}{MIRRORED}" in taken:
            wishes.pop(0)
            if not wishes:
                wishes, number = [f"{stem}_{number}"], number + 1
        names[path] = wishes[0]
        taken.add(wishes[0])
    return names


# Archives as sources of a library, and folders that stay only if the build succeeds.

ARCHIVE_SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2")


def is_archive(source: Path) -> bool:
    """Return whether a source is a file that is unpacked before it is read."""
    return source.name.lower().endswith(ARCHIVE_SUFFIXES) and source.is_file()


def unpack_sources(sources: list[Path], folder: Path) -> list[Path]:
    """Unpack the archives among the sources into the library's folder; return all sources.

    An archive of the same name that was unpacked before is replaced.
    """
    return [_unpack(source, folder) if is_archive(source) else source for source in sources]


def _unpack(archive: Path, folder: Path) -> Path:
    from footfall.library.fetch.unpack import unpack  # most libraries are not made from archives

    name = archive.name
    stem = name[: -max(len(s) for s in ARCHIVE_SUFFIXES if name.lower().endswith(s))]
    target, fresh = folder / SOURCES_NAME / stem, folder / CACHE_NAME / "unpacked"
    shutil.rmtree(fresh, ignore_errors=True)  # what a killed build left
    unpack(archive, fresh)
    shutil.rmtree(target, ignore_errors=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh.rename(target)
    return target


@contextmanager
def remove_on_failure(folder: Path) -> Iterator[None]:
    """Remove a folder, with those above it, if they are new and the body fails.

    What was there before stays. So does what an interrupted build has made: the next one goes on.
    """
    new = [at for at in (folder, *folder.parents) if not at.exists()]
    try:
        yield
    except Exception:
        if new:
            shutil.rmtree(new[-1], ignore_errors=True)
        raise
