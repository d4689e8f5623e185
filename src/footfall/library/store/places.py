"""Where libraries are: by name, on disk, and in the user's cache folder."""

from __future__ import annotations

import os
from pathlib import Path

DEFAULT_NAME = "default"
"""What the library of default clips is called wherever a library is asked for."""


def cache_root() -> Path:
    """The user's cache folder: FOOTFALL_CACHE, else the system's custom."""
    stated = os.environ.get("FOOTFALL_CACHE")
    if stated:
        return Path(stated)
    if os.name == "nt":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData" / "Local") / "footfall"
    custom = os.environ.get("XDG_CACHE_HOME")
    return (Path(custom) if custom else Path.home() / ".cache") / "footfall"


def cache_folder(source: Path) -> Path:
    """Where the library of a plain folder (or file) is kept."""
    from footfall.library.store.cache import address

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
