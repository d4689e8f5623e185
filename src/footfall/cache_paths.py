"""Locations in the user's cache, the only folder that is written to without a request."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from pathlib import Path


def cache_root() -> Path:
    """Return the user's cache folder: FOOTFALL_CACHE, else the system's custom."""
    stated = os.environ.get("FOOTFALL_CACHE")
    if stated:
        return Path(stated)
    if os.name == "nt":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData" / "Local") / "footfall"
    custom = os.environ.get("XDG_CACHE_HOME")
    return (Path(custom) if custom else Path.home() / ".cache") / "footfall"


def kernels_root() -> Path:
    """Return the folder of compiled kernels: FOOTFALL_KERNELS, else one in the cache."""
    stated = os.environ.get("FOOTFALL_KERNELS")
    return Path(stated) if stated else cache_root() / "kernels"


def keep_bytecode() -> None:
    """Keep compiled Python modules in the user's cache if they may not stand beside sources.

    Container images often set PYTHONDONTWRITEBYTECODE, to keep packages clean. Every command
    would then compile numpy, numba and Footfall from source, for about two seconds.
    """
    folder = cache_root() / "bytecode"
    if not sys.dont_write_bytecode or sys.pycache_prefix is not None:
        return
    try:
        if not make_private(folder):  # bytecode is code: only this user may write it
            return
    except OSError:
        return
    sys.dont_write_bytecode = False
    sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"] = str(folder)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def make_folder(folder: Path) -> None:
    """Make a folder and those above it; those of the cache are private to this user (0700)."""
    if folder.is_dir():
        return
    above = folder.parent
    if above != folder:
        make_folder(above)
    private = any(root == folder or root in folder.parents for root in _roots())
    folder.mkdir(mode=0o700 if private else 0o777, exist_ok=True)


def is_private(path: Path) -> bool:
    """Return whether a file or folder belongs to this user, and no other user may write to it.

    Windows keeps the files of users apart by itself; there it is always true.
    """
    if not hasattr(os, "getuid"):
        return True
    try:
        found = (path.lstat(), path.stat())
    except (OSError, ValueError):
        return False
    others = stat.S_IWGRP | stat.S_IWOTH
    return all(status.st_uid == os.getuid() for status in found) and not found[1].st_mode & others


def make_private(folder: Path) -> bool:
    """Make a folder that only this user may write to; return whether it is one now.

    Folders of this user that others may write to are closed to them, but never the one that
    FOOTFALL_KERNELS names: it may hold other things.
    """
    make_folder(folder)
    if not is_private(folder) and not _is_stated(folder):
        with suppress(OSError):
            folder.chmod(0o700)
    return is_private(folder)


def _is_stated(folder: Path) -> bool:
    stated = os.environ.get("FOOTFALL_KERNELS")
    return bool(stated) and folder == Path(stated or "")


def _roots() -> tuple[Path, Path]:
    return cache_root(), kernels_root()
