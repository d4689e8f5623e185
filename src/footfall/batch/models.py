"""Prepared models on a cluster: what one host has made is sent to the others, not made again.

Clips, graphs, roadmaps and all else that is prepared lie in a host's cache as safetensors files,
named by the address of what they are made of. They travel as bytes. A file that was damaged on
its way is noticed when it is loaded, because it carries its own checksum.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from footfall.cache_paths import cache_root
from footfall.files.atomic import write_bytes_atomically
from footfall.library.store.arrays import SUFFIX

_NAME = re.compile(rf"[a-z0-9_-]+(/[a-z0-9_-]+)*/[0-9a-f]{{40}}{re.escape(SUFFIX)}")


def cache_name() -> str:
    """Return what identifies the cache of a host; workers of one host may share a cache."""
    return f"{socket.gethostname()}:{cache_root()}"


def find_models(since: float) -> Iterator[str]:
    """Yield the names of models that were made or used since a time, seconds since 1970."""
    root = cache_root()
    for file in root.rglob(f"*{SUFFIX}"):
        name = file.relative_to(root).as_posix()
        with suppress(OSError):  # it was removed meanwhile
            if is_model(name) and file.stat().st_mtime >= since:
                yield name


def is_model(name: str) -> bool:
    """Return whether this is the name of a model; anything else is not sent or taken."""
    return _NAME.fullmatch(name) is not None


def missing_models(names: Sequence[str]) -> tuple[str, list[str]]:
    """Return the name of this host's cache, and which models are not in it."""
    return cache_name(), [name for name in names if is_model(name) and not _place(name).exists()]


def read_model(name: str) -> bytes:
    """Return the bytes of a model; nothing if it is not there any more."""
    try:
        return _place(name).read_bytes() if is_model(name) else b""
    except OSError:
        return b""


def put_model(name: str, data: bytes) -> None:
    """Keep a model that another host has made."""
    if is_model(name) and not _place(name).exists():
        write_bytes_atomically(_place(name), data)


def _place(name: str) -> Path:
    return cache_root() / name
