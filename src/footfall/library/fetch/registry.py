"""The sets of motion that can be fetched: address, terms, contents."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from footfall.errors import InputError, choices

LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class Dataset:
    """A set of motion on the web.

    name     how it is called here
    title    its full name
    holds    what there is in it, one line
    url      an archive (zip, tar), or a single clip
    page     where a person reads about it
    licence  its terms in a few words, kept with every clip
    terms    its terms in a sentence or two
    credit   how its makers want to be named
    size     bytes; 0 if not known
    sha256   of the file; empty if not known
    """

    name: str
    url: str
    title: str = ""
    holds: str = ""
    page: str = ""
    licence: str = ""
    terms: str = ""
    credit: str = ""
    size: int = 0
    sha256: str = ""


@cache
def registry() -> dict[str, Dataset]:
    """Return every known set by name."""
    text = files("footfall.library.fetch").joinpath("registry.toml").read_text("utf-8")
    return {name: Dataset(name=name, **facts) for name, facts in tomllib.loads(text).items()}


def known_set(name: str) -> Dataset:
    """Return the set called `name`."""
    if name not in registry():
        raise InputError(
            f"there is no set {name!r}", remedy=f"{choices(registry(), name)}, or give --url"
        )
    return registry()[name]


def own_set(url: str, sha256: str = "", name: str = "", licence: str = "") -> Dataset:
    """Return a set that is not in the registry, from its address.

    Without encryption (http) anybody on the way can change a file, so that is for this machine
    alone, unless the checksum is known.
    """
    parts = _split(url)
    if parts.scheme not in ("https", "http") or not parts.hostname:
        raise InputError(f"the address is {url!r}", remedy="it begins with https://")
    if parts.username or parts.password:
        raise InputError("the address holds a password", remedy="give one without")
    if sha256 and not re.fullmatch(r"[0-9a-fA-F]{64}", sha256):
        raise InputError(f"sha256 is {sha256!r}", remedy="64 hexadecimal digits")
    if parts.scheme == "http" and parts.hostname not in LOOPBACK and not sha256:
        raise InputError(
            "the address is not encrypted", where=url, remedy="use https://, or give --sha256"
        )
    return Dataset(name or _stem(parts.path), url, licence=licence, sha256=sha256.lower())


def _split(url: str) -> _Parts:
    try:
        parts = urlsplit(url)
        port = parts.port
        if any(c.isspace() or not c.isprintable() for c in url) or port == 0:
            raise ValueError
    except ValueError:
        raise InputError(f"the address is {url!r}", remedy="like https://host/file.zip") from None
    return _Parts(parts.scheme, parts.hostname or "", parts.path, parts.username, parts.password)


@dataclass(frozen=True)
class _Parts:
    scheme: str
    hostname: str
    path: str
    username: str | None
    password: str | None


def _stem(path: str) -> str:
    """Return a name for what an address leads to, fit to be a folder's."""
    name = PurePosixPath(unquote(path)).name
    stem = re.sub(r"\.(zip|tar|tgz|tar\.gz|tar\.bz2)$", "", name, flags=re.IGNORECASE)
    return re.sub(r"[^A-Za-z0-9_-]+", "_", stem).strip("_")[:60] or "fetched"
