"""The index of a library: all entries in one file, so that listing opens nothing else."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from footfall.body.skeleton import Skeleton
from footfall.errors import InputError
from footfall.files.atomic import write_bytes_atomically
from footfall.library.entry import Entry, entry_from_dict
from footfall.regular import read_regular

FORMAT = "footfall library 1"


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
    """The index, or None if there is none that can be trusted."""
    try:
        head, _, body = read_regular(path).partition(b"\n")
        stated = json.loads(head)
        body = body.rstrip(b"\n")
        if stated["format"] != FORMAT or stated["sha256"] != hashlib.sha256(body).hexdigest():
            return None
        facts = json.loads(body)
        return Index(
            character=skeleton_from_facts(facts["character"]),
            fps=float(facts["fps"]),
            entries=tuple(entry_from_dict(e) for e in facts["entries"]),
            skipped=tuple(Skipped(*map(str, s)) for s in facts["skipped"]),
            stamps={k: Stamp(int(a), int(b), str(c)) for k, (a, b, c) in facts["stamps"].items()},
            manifest=str(facts["manifest"]),
            code=str(facts["code"]),
        )
    except (OSError, KeyError, TypeError, ValueError, RecursionError, InputError):
        return None


def text_sum(text: str) -> str:
    """The checksum by which an index knows its `library.toml`."""
    return hashlib.sha256(text.encode()).hexdigest()


def skeleton_facts(character: Skeleton) -> dict[str, Any]:
    """A skeleton as plain values, exact to the last bit."""
    return {
        "names": list(character.names),
        "parents": character.parents.tolist(),
        "offsets": character.offsets.tolist(),
        "end_joints": character.end_joints.tolist(),
        "end_offsets": character.end_offsets.tolist(),
        "roles": dict(character.roles),
        "girth": character.girth,
    }


def skeleton_from_facts(facts: Mapping[str, Any]) -> Skeleton:
    """The skeleton that `skeleton_facts` wrote."""
    import numpy as np

    return Skeleton(
        names=tuple(str(n) for n in facts["names"]),
        parents=facts["parents"],
        offsets=facts["offsets"],
        end_joints=np.array(facts["end_joints"], np.int32),
        end_offsets=np.array(facts["end_offsets"], float).reshape(-1, 3),
        roles={str(k): int(v) for k, v in facts["roles"].items()},
        girth=float(facts.get("girth", 1.0)),
    )
