"""The folders that Footfall writes to without being asked: the user's cache, and nothing else."""

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


def kernels_root() -> Path:
    """Where compiled kernels are kept: FOOTFALL_KERNELS, else a folder in the user's cache."""
    stated = os.environ.get("FOOTFALL_KERNELS")
    return Path(stated) if stated else cache_root() / "kernels"
