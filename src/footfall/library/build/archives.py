"""Archives as sources of a library, and folders that stay only if the build succeeds."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from footfall.library.fetch.unpack import unpack
from footfall.library.store.folder import CACHE_NAME, SOURCES_NAME

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
