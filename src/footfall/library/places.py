"""Where Footfall keeps what it can make again: the user's cache folder."""

from __future__ import annotations

import os
from pathlib import Path


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
    from footfall.library.cache import address

    full = source.resolve()
    return cache_root() / "libraries" / f"{full.name[:40] or 'root'}-{address(str(full))[:12]}"
