"""The index of a library: all entries in one file, so that listing opens nothing else."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from footfall.body.roles import check_roles
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError, check_range, check_whole
from footfall.files.atomic import write_bytes_atomically
from footfall.library.entry import Entry, entry_from_dict
from footfall.library.store.checks import check_address, check_list, check_table, check_text
from footfall.safe_open import read_regular

FORMAT = "footfall library 1"
_SKELETON_LISTS = ("names", "parents", "offsets", "end_joints", "end_offsets")


@dataclass(frozen=True)
class Stamp:
    """What a file's content is known by.

    size, mtime_ns  as the file system has them; equal ones spare reading the file again
    digest          SHA-256 of the content
    """

    size: int
    mtime_ns: int
    digest: str


@dataclass(frozen=True)
class Skipped:
    """A clip that could not be used.

    source   its file, relative to the library's folder
    problem  one sentence
    key      the address it would have had; the same file is not tried again
    """

    source: str
    problem: str
    key: str = ""


@dataclass(frozen=True)
class Index:
    """Everything about a library but the frames.

    manifest  the checksum of the `library.toml` that it was made with
    stamps    source -> what its content was known by
    code      the version of the code that made the clips
    """

    character: Skeleton
    fps: float
    entries: tuple[Entry, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    stamps: Mapping[str, Stamp] = field(default_factory=dict)
    manifest: str = ""
    code: str = ""


def write_index(path: Path, index: Index) -> None:
    """Write the index, whole or not at all; its first line carries a checksum of the rest."""
    body = json.dumps(
        {
            "character": skeleton_facts(index.character),
            "fps": index.fps,
            "entries": [entry.as_dict() for entry in index.entries],
            "skipped": [[s.source, s.problem, s.key] for s in index.skipped],
            "stamps": {k: [s.size, s.mtime_ns, s.digest] for k, s in index.stamps.items()},
            "manifest": index.manifest,
            "code": index.code,
        },
        ensure_ascii=False,
    ).encode()
    head = json.dumps({"format": FORMAT, "sha256": hashlib.sha256(body).hexdigest()}).encode()
    write_bytes_atomically(path, head + b"\n" + body + b"\n")


def read_index(path: Path) -> Index | None:
    """Return the index, or None if there is none that can be used: it is then made again."""
    try:
        return parse_index(read_regular(path), str(path))
    except InputError:
        return None


def parse_index(data: bytes, where: str) -> Index:
    """Return the index in the content of a file; an InputError names the wrong value in it."""
    head, _, body = data.partition(b"\n")
    body = body.rstrip(b"\n")
    try:
        stated = check_table(_load_json(head), "the first line")
        sum_now = hashlib.sha256(body).hexdigest()
        if stated.get("format") != FORMAT or stated.get("sha256") != sum_now:
            raise InputError("it is not an index, or damaged")
        facts = check_table(_load_json(body), "the index")
        index = Index(
            character=skeleton_from_facts(facts.get("character")),
            fps=check_range("fps", facts.get("fps"), above=0.0, most=100_000.0),
            entries=tuple(map(_entry, enumerate(check_list(facts.get("entries"), "entries")))),
            skipped=tuple(map(_read_skipped, check_list(facts.get("skipped"), "skipped"))),
            stamps={k: _stamp(k, v) for k, v in check_table(facts.get("stamps"), "stamps").items()},
            manifest=check_text(facts.get("manifest"), "manifest"),
            code=check_text(facts.get("code"), "code"),
        )
        _check_parts(index)
    except InputError as error:
        raise error.at(where) from None
    return index


def _load_json(data: bytes) -> object:
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InputError(f"it is no JSON ({str(error)[:80]})") from None


def _entry(numbered: tuple[int, object]) -> Entry:
    number, facts = numbered
    try:
        return entry_from_dict(facts)
    except InputError as error:
        raise error.at(f"entry {number}") from None


def _read_skipped(values: object) -> Skipped:
    source, problem, key = check_list(values, "a skipped clip", 3)
    return Skipped(
        check_text(source, "source"), check_text(problem, "problem"), check_address(key, "key")
    )


def _stamp(source: str, values: object) -> Stamp:
    size, mtime_ns, digest = check_list(values, f"the stamp of {source}", 3)
    return Stamp(
        check_whole("size", size, 0, 2**62),
        check_whole("mtime_ns", mtime_ns, -(2**62), 2**62),
        check_address(digest, "digest"),
    )


def _check_parts(index: Index) -> None:
    """Refuse roles that make no body, and entries that do not fit each other."""
    check_roles(index.character)
    names = {entry.name for entry in index.entries}
    if len(names) < len(index.entries):
        raise InputError("two entries have the same name", where="entries")
    for entry in index.entries:
        if entry.of and entry.of not in names:
            raise InputError(f"of is {entry.of!r}, and there is no such clip", where=entry.name)
        if abs(entry.fps - index.fps) > 1e-9:
            raise InputError(f"fps is {entry.fps:g}, not {index.fps:g}", where=entry.name)


def text_sum(text: str) -> str:
    """Return the checksum by which an index knows its `library.toml`."""
    return hashlib.sha256(text.encode()).hexdigest()


def skeleton_facts(character: Skeleton) -> dict[str, Any]:
    """Return a skeleton as plain values, exact to the last bit."""
    return {
        "names": list(character.names),
        "parents": character.parents.tolist(),
        "offsets": character.offsets.tolist(),
        "end_joints": character.end_joints.tolist(),
        "end_offsets": character.end_offsets.tolist(),
        "roles": dict(character.roles),
        "girth": character.girth,
    }


def skeleton_from_facts(character: object) -> Skeleton:
    """Return the skeleton that `skeleton_facts` wrote; an InputError names what is wrong."""
    facts = check_table(character, "character")
    lists = {key: check_list(facts.get(key), key) for key in _SKELETON_LISTS}
    roles = check_table(facts.get("roles"), "roles")
    return Skeleton(
        names=tuple(check_text(name, "a joint's name") for name in lists["names"]),
        parents=_array(lists["parents"], np.int32, "parents"),
        offsets=_array(lists["offsets"], np.float64, "offsets"),
        end_joints=_array(lists["end_joints"], np.int32, "end_joints"),
        end_offsets=_array(lists["end_offsets"] or np.zeros((0, 3)), np.float64, "end_offsets"),
        roles={role: check_whole(f"role {role}", joint, 0) for role, joint in roles.items()},
        girth=check_range("girth", facts.get("girth", 1.0), 0.3, 3.0),
    )


def _array(values: object, kind: type[np.generic], name: str) -> Any:
    """Return lists of numbers as an array; an InputError for what are none."""
    try:
        found = np.asarray(values)
    except (ValueError, OverflowError):
        raise InputError(f"{name} is no array", remedy="it takes lists of one length") from None
    whole = np.issubdtype(kind, np.integer)
    if found.size and found.dtype.kind not in ("i" if whole else "if"):
        raise InputError(f"{name} holds {str(found.dtype)[:20]}", remedy="it takes numbers")
    if whole and found.size and not -(2**31) <= found.min() <= found.max() < 2**31:
        raise InputError(f"{name} reaches {found.max()}", remedy="it takes joint numbers")
    return found.astype(kind)
