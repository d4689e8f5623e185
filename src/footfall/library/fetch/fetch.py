"""Fetching a set of motion: downloaded, checked, unpacked, built into a library.

    out/accad_male1/
      library.toml                    says where it came from, its checksum and its licence
      sources/accad_male1/            the clips as they were in the archive
      .footfall/fetch/                what has come so far, while it comes

Every step can be broken off and is taken up again. What is unpacked appears whole or not at all.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from footfall.errors import InputError
from footfall.library.build.build import BuildResult, build_library
from footfall.library.fetch.download import Patience, download
from footfall.library.fetch.registry import Dataset
from footfall.library.fetch.unpack import ArchiveLimits, unpack
from footfall.library.store import manifest as toml
from footfall.library.store.folder import CACHE_NAME, MANIFEST_NAME, SOURCES_NAME, exclusive
from footfall.library.store.manifest import SourceOrigin
from footfall.safe_open import read_regular

_RECEIPT = ".fetched.json"

StageProgress = Callable[[str, float], None]


@dataclass(frozen=True)
class FetchResult:
    """What fetching did.

    built    the library that was built
    sha256   the checksum of the file
    checked  whether it was known before; otherwise it was taken on trust, and is kept now
    there    whether the clips were there already, so that nothing was downloaded
    """

    built: BuildResult
    sha256: str
    checked: bool
    there: bool


def fetch(
    dataset: Dataset,
    folder: Path,
    *,
    again: bool = False,
    progress: StageProgress | None = None,
    patience: Patience | None = None,
    limits: ArchiveLimits | None = None,
    jobs: int | None = None,
    **changes: Any,
) -> FetchResult:
    """Fetch a set into the library in `folder` and build it.

    again     download it even if it is there; it has to be the same file then
    progress  is called with the stage ("downloading", "unpacking", "building") and its share
    changes   settings of the library (see `build_library`)
    """
    show = progress or (lambda stage, share: None)
    target = folder / SOURCES_NAME / dataset.name
    with _no_empty_folders(folder), exclusive(folder / CACHE_NAME / "fetch.lock") as held:
        if not held:
            raise InputError("another download into it does not end", where=str(folder))
        known = dataset.sha256 or _recorded_checksum(folder, dataset)
        receipt = _receipt(target)
        there = receipt is not None and receipt.url == dataset.url and not again
        if there and receipt is not None:
            if dataset.sha256 and receipt.sha256 != dataset.sha256:
                raise InputError(
                    "was fetched before and has another checksum", where=str(target),
                    remedy="remove it, or fetch it again with --again",
                )  # fmt: skip
            found = receipt.sha256
        else:
            found = _bring(dataset, folder, target, known, show, patience, limits)
        shutil.rmtree(folder / CACHE_NAME / "fetch", ignore_errors=True)
    origin = SourceOrigin(dataset.url, found)
    built = build_library(
        folder, [target], add=True, licence=dataset.licence, origin=origin, jobs=jobs,
        progress=lambda share: show("building", share), **changes,
    )  # fmt: skip
    return FetchResult(built, found, bool(known), there)


def _bring(
    dataset: Dataset,
    folder: Path,
    target: Path,
    known: str,
    show: StageProgress,
    patience: Patience | None,
    limits: ArchiveLimits | None,
) -> str:
    """Download and unpack into `target`; returns the checksum."""
    room = folder / CACHE_NAME / "fetch"
    _clear(room)
    archive = room / _file_name(dataset)
    found = download(
        dataset.url, archive, sha256=known, patience=patience,
        progress=lambda share: show("downloading", share),
    )  # fmt: skip
    fresh = room / "unpacked"
    try:
        unpack(archive, fresh, lambda share: show("unpacking", share), limits)
    finally:
        # One that cannot be unpacked is of no use: the next try begins anew.
        archive.unlink(missing_ok=True)
    receipt = {"url": dataset.url, "sha256": found, "licence": dataset.licence}
    (fresh / _RECEIPT).write_text(json.dumps(receipt) + "\n")
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists():
        target.rename(room / "old")
    fresh.rename(target)
    return found


@contextmanager
def _no_empty_folders(folder: Path) -> Iterator[None]:
    """Remove the empty folders that were made for the body, if it fails."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        yield
    except BaseException:
        inner = folder / CACHE_NAME
        if missing and {*_names(inner / "fetch"), *_names(inner)} <= {"fetch", "fetch.lock"}:
            with suppress(OSError):
                (inner / "fetch.lock").unlink()
            for path in (inner / "fetch", inner, folder / SOURCES_NAME, *missing):
                with suppress(OSError):
                    path.rmdir()
        raise


def _names(folder: Path) -> list[str]:
    try:
        return [path.name for path in folder.iterdir()]
    except OSError:
        return []


def _clear(room: Path) -> None:
    """Remove what a killed unpacking left; what has been downloaded stays."""
    for name in ("unpacked", "old"):
        shutil.rmtree(room / name, ignore_errors=True)


def _file_name(dataset: Dataset) -> str:
    """Return what the download is called on disk; its suffix may say what it is."""
    suffix = PurePosixPath(unquote(urlsplit(dataset.url).path)).suffix.lower()
    known = suffix.isascii() and suffix[1:].isalnum() and len(suffix) <= 6
    return dataset.name + (suffix if known else "")


def _receipt(target: Path) -> SourceOrigin | None:
    """Return where the clips in `target` came from; None if they are not there whole."""
    with suppress(InputError, OSError, ValueError, KeyError, TypeError):
        facts = json.loads(read_regular(target / _RECEIPT, 1 << 20))
        return SourceOrigin(str(facts["url"]), str(facts["sha256"]))
    return None


def _recorded_checksum(folder: Path, dataset: Dataset) -> str:
    """Return the checksum recorded when a set without a known one was first fetched, or ""."""
    path = folder / MANIFEST_NAME
    if not path.is_file():
        return ""
    lines = toml.parse(toml.read_text(path)).sources
    return next((s.origin.sha256 for s in lines if s.origin.url == dataset.url), "")
