"""Datasets: the motions of a batch as bounded shards with an index, a card and their sources.

    DIR/index.parquet            a row per motion: shard, frames, caption, tags, measures, segments
    DIR/shards/00000.safetensors KEY/root, KEY/rotations, KEY/positions, KEY/contacts, …
    DIR/skeletons.json           names, parents and offsets of the joints of each skeleton
    DIR/README.md                the card: size, quality, sources and licences

Every frame names the clip and the frame that it comes from, and every clip its licence. Motions
made of clips whose licence forbids to pass them on are left out and counted. The files depend on
the motions alone: they are in the order of the hashes of their queries.
"""

from __future__ import annotations

import io
import json
import re
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from footfall.batch.inputs import hash_text
from footfall.batch.store import RESULTS, Row, parse_row
from footfall.batch.target import Target, open_target
from footfall.errors import InputError, MissingDependencyError, check_range
from footfall.files.atomic import write_bytes_atomically
from footfall.files.formats import load
from footfall.task.plan import FOUND

if TYPE_CHECKING:
    from footfall.body.clip import Clip

SHARD_MB = 256.0
INDEX, SKELETONS, CARD = "index.parquet", "skeletons.json", "README.md"
_FORBIDS = re.compile(
    r"\bND\b|no[ -]?deriv|no redistribution|not (be )?redistribut|all rights reserved|"
    r"proprietary|internal use|no sharing|non-?redistributable", re.I,
)  # fmt: skip
_ACTS = {
    "pick": "picks something up", "put down": "puts something down", "sit": "sits down",
    "stand up": "stands up", "duck": "ducks", "stand on": "steps onto something",
    "via": "passes a place",
}  # fmt: skip
_MEASURES = ("drift_max_mm", "duration_ratio", "seam_jolt_ratio", "crabwise_share", "speed_m_s",
             "length_m")  # fmt: skip

Tensors = dict[str, NDArray[Any]]


@dataclass
class DatasetSummary:
    """What a dataset holds.

    motions, hours  how many, and how long          shards   how many files they are in
    excluded        motions left out, by licence    unknown  motions with a source without licence
    """

    motions: int = 0
    hours: float = 0.0
    shards: int = 0
    verified: int = 0
    unknown: int = 0
    excluded: Counter[str] = field(default_factory=Counter)
    licences: Counter[str] = field(default_factory=Counter)
    tags: Counter[str] = field(default_factory=Counter)
    measures: dict[str, list[float]] = field(default_factory=dict)


def write_dataset(
    results: str | Path | Target, folder: str | Path, shard_mb: float = SHARD_MB
) -> DatasetSummary:
    """Write the motions of a finished batch as a dataset.

    results   where the batch was written to; its motions are there as .npz
    folder    where the dataset goes
    shard_mb  megabytes that a shard has at most, unless one motion alone has more
    """
    check_range("the size of shards", shard_mb, above=0.0, unit="MB")
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise MissingDependencyError("pyarrow", "dataset", "a dataset") from None
    source = open_target(results) if isinstance(results, str | Path) else results
    place = Path(folder)
    done, index = DatasetSummary(), []
    skeletons: dict[str, Any] = {}
    shard = _Shard(place / "shards", shard_mb * 1e6)
    for row in sorted_rows(source):
        origin = json.loads(_fetch(source, row, "plan"))
        if not _admit(origin, done):
            continue
        clip = _read_clip(source, row)
        tensors = motion_tensors(clip, origin)
        number = shard.add(row["key"], tensors)
        skeleton = _skeleton_name(clip, skeletons)
        index.append(_index_row(row, origin, clip, number, skeleton))
        _count(done, row, origin, clip)
    done.shards = shard.close()
    if not index:
        raise InputError("no motion can be part of a dataset", where=source.address,
                         remedy="plan some, or use clips that may be passed on")  # fmt: skip
    _write_index(place / INDEX, index)
    write_bytes_atomically(place / SKELETONS, json.dumps(skeletons, indent=1).encode())
    write_bytes_atomically(place / CARD, card(done).encode())
    return done


def sorted_rows(source: Target) -> Iterator[Row]:
    """Yield the rows of motions that were found, once each, by the hash of their query."""
    text = source.get(RESULTS)
    if text is None:
        raise InputError("there are no results", where=source.address, remedy="run the batch first")
    places: dict[str, tuple[int, int]] = {}
    first = 0
    for line in text.splitlines(keepends=True):
        row = parse_row(line)
        if row is not None and row["status"] == FOUND:
            places[row["key"]] = first, first + len(line)
        first += len(line)
    for key in sorted(places):
        begin, stop = places[key]
        yield json.loads(text[begin:stop])


def forbids_sharing(licence: str) -> bool:
    """Return whether a licence forbids to pass on what is made of a clip."""
    return _FORBIDS.search(licence) is not None


def _admit(origin: Mapping[str, Any], done: DatasetSummary) -> bool:
    """Return whether all sources of a motion may be passed on; count those that may not."""
    licences = {source["licence"] for source in origin["sources"].values()}
    bad = sorted(licence for licence in licences if forbids_sharing(licence))
    if bad:
        done.excluded[bad[0]] += 1
    return not bad


def _fetch(source: Target, row: Row, kind: str) -> bytes:
    file = row["files"].get(kind)
    data = None if file is None else source.get(file["name"])
    if data is None:
        raise InputError(f"the motion {row['key'][:12]} is not there as .{kind}",
                         where=source.address, remedy="plan with the format npz")  # fmt: skip
    return data


def _read_clip(source: Target, row: Row) -> Clip:
    with TemporaryDirectory(prefix="footfall-dataset-") as folder:
        file = Path(folder, "motion.npz")
        file.write_bytes(_fetch(source, row, "npz"))
        return load(file)


# ---- one motion -------------------------------------------------------------------------


def motion_tensors(clip: Clip, origin: Mapping[str, Any]) -> Tensors:
    """Return the arrays of a motion.

    root (T, 3), positions (T, J, 3), rotations (T, J, 4) w x y z   metres, Y up
    contacts (T, 4)      left heel, left toe, right heel, right toe
    footprints (N, 7)    foot (0 left), x, y, z, yaw, time, half its duration
    path (P, 2)          what it follows
    source (T, 2)        which of the index row's sources shows most, and the frame of it
    """
    frames = len(clip)
    contacts = np.zeros((frames, 4), np.uint8) if clip.contacts is None else clip.contacts
    prints = [
        [float(f["foot"] != "left"), *f["p"], f["yaw"], f["t"], f["delta"]]
        for f in origin["footprints"]
    ]
    return {
        "root": clip.root.astype(np.float32),
        "rotations": clip.rotations.astype(np.float32),
        "positions": clip.positions.astype(np.float32),
        "contacts": contacts.astype(np.uint8),
        "footprints": np.array(prints, np.float32).reshape(-1, 7),
        "path": np.array(origin["path"] or [], np.float32).reshape(-1, 2),
        "source": frame_sources(origin, frames),
    }


def frame_sources(origin: Mapping[str, Any], frames: int) -> NDArray[np.int32]:
    """Return for each frame the number of the source that shows most, and the frame of it."""
    numbers = {name: n for n, name in enumerate(origin["sources"])}
    out = np.full((frames, 2), -1, np.int32)
    for segment in origin["segments"]:
        first, stop = segment["first"], min(segment["stop"], frames)
        if segment["sources"] and stop > first:
            most = max(segment["sources"], key=lambda source: source["weight"])
            out[first:stop, 0] = numbers[most["clip"]]
            out[first:stop, 1] = most["frame"] + np.arange(stop - first)
    return out


def caption(row: Row, origin: Mapping[str, Any]) -> str:
    """Return one sentence on what a motion shows."""
    measures = row["measures"]
    speed, length = measures.get("speed_m_s", 0.0), measures.get("length_m", 0.0)
    verb = "runs" if speed > 2.2 else "walks" if length > 0.5 else "moves in place"
    words = f"A person {verb}"
    if length > 0.5:
        words += f" {length:.1f} metres at {speed:.1f} metres per second"
    if measures.get("net_turn_deg", 0.0) > 45.0:
        words += f", turning {measures['net_turn_deg']:.0f} degrees"
    if origin["scene"]:
        words += f", in the scene {Path(origin['scene']).stem}"
    acts = [_ACTS[stage] for stage in origin["stages"] if stage in _ACTS]
    return f"{words}{', and ' if acts else ''}{', then '.join(acts)}."


def _index_row(
    row: Row, origin: Mapping[str, Any], clip: Clip, shard: int, skeleton: str
) -> dict[str, Any]:
    return {
        "key": row["key"], "shard": shard, "frames": len(clip), "fps": clip.fps,
        "seconds": clip.seconds, "skeleton": skeleton, "method": row["method"],
        "scene": origin["scene"] or "", "library": origin["library"],
        "stages": list(origin["stages"]), "tags": list(origin["tags"]),
        "caption": caption(row, origin), "verified": bool(row["verified"]),
        "cost": row["cost"], "bound": row["bound"],
        **{name: row["measures"].get(name) for name in _MEASURES},
        "sources": [
            {"clip": name, "file": facts["source"], "licence": facts["licence"]}
            for name, facts in origin["sources"].items()
        ],
        "segments": json.dumps(origin["segments"]),
        "split": "test" if int(hash_text(row["key"])[:2], 16) < 13 else "train",
    }  # fmt: skip


def _skeleton_name(clip: Clip, known: dict[str, Any]) -> str:
    skeleton = clip.skeleton
    name = skeleton.fingerprint[:16]
    if name not in known:
        known[name] = {
            "names": list(skeleton.names), "parents": skeleton.parents.tolist(),
            "offsets": skeleton.offsets.tolist(),
            "roles": {role: skeleton.names[j] for role, j in skeleton.roles.items()},
        }  # fmt: skip
    return name


def _count(done: DatasetSummary, row: Row, origin: Mapping[str, Any], clip: Clip) -> None:
    done.motions += 1
    done.hours += clip.seconds / 3600.0
    done.verified += bool(row["verified"])
    licences = {source["licence"] for source in origin["sources"].values()}
    done.unknown += "" in licences
    done.licences.update(licences - {""})
    done.tags.update(set(origin["tags"]))
    for name in _MEASURES:
        if row["measures"].get(name) is not None:
            done.measures.setdefault(name, []).append(row["measures"][name])


# ---- files ------------------------------------------------------------------------------


class _Shard:
    """Tensors that wait to be written; a file is written when the next motion does not fit."""

    def __init__(self, folder: Path, most_bytes: float) -> None:
        self.folder, self.most = folder, most_bytes
        self.number, self.bytes = 0, 0
        self.tensors: Tensors = {}

    def add(self, key: str, tensors: Tensors) -> int:
        """Return the number of the shard that a motion goes to."""
        size = sum(tensor.nbytes for tensor in tensors.values())
        if self.tensors and self.bytes + size > self.most:
            self._write()
        self.tensors |= {f"{key}/{name}": np.ascontiguousarray(t) for name, t in tensors.items()}
        self.bytes += size
        return self.number

    def close(self) -> int:
        """Write what is left; return how many shards there are, and remove those of before."""
        if self.tensors:
            self._write()
        for old in self.folder.glob("*.safetensors"):
            if old.stem.isdecimal() and int(old.stem) >= self.number:
                old.unlink()
        return self.number

    def _write(self) -> None:
        from safetensors.numpy import save

        write_bytes_atomically(self.folder / shard_name(self.number), save(self.tensors))
        self.number, self.bytes, self.tensors = self.number + 1, 0, {}


def shard_name(number: int) -> str:
    """Return the name of a shard's file."""
    return f"{number:05d}.safetensors"


def _write_index(file: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    import pyarrow
    import pyarrow.parquet

    out = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([dict(row) for row in rows]), out)
    write_bytes_atomically(file, out.getvalue())


def card(done: DatasetSummary) -> str:
    """Return the dataset's card: size, quality, sources and licences."""
    quality = [
        (name, f"{statistics.median(values):.3g}", f"{np.percentile(values, 95):.3g}")
        for name, values in done.measures.items()
    ]
    parts = [
        "# Motions planned with Footfall",
        f"{done.motions} motions, {done.hours:.2f} hours, in {done.shards} shards (safetensors) "
        "with an index (Parquet). Metres, Y up, +Z forward, quaternions w x y z. "
        f"{done.verified} of them passed verification: their stages, collisions, footing and "
        "anatomy were checked.",
        _table(("measure", "median", "95 %"), quality),
        "## Sources",
        "Every frame names the clip and frame that it comes from (`source` in the shards, "
        "`sources` and `segments` in the index).",
        _table(("licence of the sources", "motions"), done.licences.items()),
        f"{done.unknown} motions have a source whose licence is not known. "
        f"{sum(done.excluded.values())} motions were left out because the licence of a source "
        "forbids to pass them on.",
    ]
    if done.excluded:
        parts.append(_table(("licence", "motions left out"), done.excluded.items()))
    return "\n\n".join(parts) + "\n"


def _table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)
