"""Check the arguments of a build and write them to `library.toml`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from footfall.errors import InputError, choices
from footfall.library.build.settings import LibrarySettings
from footfall.library.build.sources import relative
from footfall.library.store import manifest as toml
from footfall.library.store.folder import MANIFEST_NAME
from footfall.library.store.manifest import Manifest, SourceLine, SourceOrigin
from footfall.processes import usable_cores

MOST_JOBS = 4


def update_manifest(
    folder: Path,
    given: list[Path] | None,
    add: bool,
    stated: tuple[str, SourceOrigin | None],
    changes: dict[str, Any],
) -> str:
    """Bring `library.toml` to what was asked for; returns its text.

    stated  licence and origin of the sources given
    """
    path = folder / MANIFEST_NAME
    old = toml.read_text(path) if path.exists() else None
    manifest = toml.parse(old) if old is not None else Manifest()
    settings = _changed_settings(manifest.settings, folder, changes)
    sources = manifest.sources
    if given is not None:
        # A licence stays until another is stated.
        before = {line.path: line for line in sources}
        paths = list(dict.fromkeys(relative(source, folder) for source in given))
        kept = [line for line in sources if add and line.path not in paths]
        licence, origin = stated
        lines = [before.get(path, SourceLine(path)) for path in paths]
        lines = [SourceLine(s.path, licence or s.licence, origin or s.origin) for s in lines]
        sources = (*kept, *lines)
    if old is None:
        text = toml.new_text(settings, sources)
    else:
        text = toml.with_settings(old, settings, sources)
    if text != old:
        toml.write_text(path, text)
    return text


def _changed_settings(
    settings: LibrarySettings, folder: Path, changes: dict[str, Any]
) -> LibrarySettings:
    """Return the settings with those changes that are not None; wrong ones are refused."""
    changes = {name: value for name, value in changes.items() if value is not None}
    names = list(asdict(settings))
    for wrong in sorted(changes.keys() - set(names)):
        raise InputError(f"a library has no setting {wrong!r}", remedy=choices(names, wrong))
    if changes.get("character", "default") != "default":
        from footfall.library.build.make import load_character

        character = relative(check_path(changes["character"], "character"), folder)
        load_character(character, folder)  # a wrong one is refused before anything is written
        changes["character"] = character
    return replace(settings, **changes)


def check_jobs(jobs: object) -> int:
    """Return how many clips to work on at a time, checked; None: as many as there are cores."""
    if jobs is None:
        return max(1, min(usable_cores(), MOST_JOBS))
    if not isinstance(jobs, int) or jobs < 1:
        raise InputError(f"jobs is {jobs!r}", remedy="a whole number from 1")
    return jobs


def check_path(path: object, what: str) -> Path:
    """Return a path that was given for `what`, checked."""
    if not isinstance(path, str | Path) or not str(path).strip():
        raise InputError(f"{what} is {path!r}", remedy="give a file's or a folder's name")
    return Path(path)


def source_paths(sources: object) -> list[Path]:
    """Return the sources as paths; one name alone is one source."""
    if isinstance(sources, str | Path):
        sources = [sources]
    if not isinstance(sources, Iterable):
        raise InputError(f"the sources are {sources!r}", remedy="give files and folders")
    return [check_path(source, "a source") for source in sources]
