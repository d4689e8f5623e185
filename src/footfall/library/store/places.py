"""Where libraries are: by name, on disk, and in the user's cache folder."""

from __future__ import annotations

from pathlib import Path

from footfall.folders import cache_root

DEFAULT_NAME = "default"
"""What the library of default clips is called wherever a library is asked for."""


def cache_folder(source: Path) -> Path:
    """Where the library of a plain folder (or file) is kept."""
    from footfall.library.store.arrays import address

    full = source.resolve()
    return cache_root() / "libraries" / f"{full.name[:40] or 'root'}-{address(str(full))[:12]}"


def default_group(where: object) -> str | None:
    """The group that a library's name means: "default" is "", "default:park" is "park".

    None for anything else, which is a place on disk: "./default" is a folder of that name.
    A Path is a place as well, unless there is nothing there.
    """
    text = str(where)
    if not isinstance(where, str | Path) or text.partition(":")[0] != DEFAULT_NAME:
        return None
    if isinstance(where, Path) and where.exists():
        return None
    return text.partition(":")[2]
