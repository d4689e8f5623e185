"""Datasets: the motions of a batch in one or more layouts, with a card and their sources.

    DIR/index.parquet            a row per motion: shard, frames, caption, tags, measures, segments
    DIR/shards/00000.safetensors KEY/root, KEY/rotations, KEY/positions, KEY/contacts, …
    DIR/skeletons.json           names, parents and offsets of the joints of each skeleton
    DIR/README.md                the card: size, quality, sources and licences
    DIR/amass, humanml3d, lerobot   the same in the layouts of others, each with a card

Every frame names the clip and the frame that it comes from, and every clip its licence. Motions
made of clips whose licence forbids to pass them on are left out and counted. The files depend on
the motions alone: they are in the order of the hashes of their queries.
"""

from __future__ import annotations

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

from footfall.batch.dataset_motion import MEASURES, DatasetMotion
from footfall.batch.layouts import (
    AMASS,
    LEROBOT,
    SHARDS,
    AmassLayout,
    HumanMLLayout,
    Layout,
    check_layouts,
)  # fmt: skip
from footfall.batch.shard_layout import ShardLayout
from footfall.batch.store import RESULTS, Row, parse_row
from footfall.batch.target import Target, open_target
from footfall.errors import InputError, MissingDependencyError, check_range
from footfall.files.atomic import write_bytes_atomically
from footfall.files.formats import load
from footfall.task.plan import FOUND

if TYPE_CHECKING:
    from footfall.body.clip import Clip

SHARD_MB = 256.0
CARD = "README.md"
_FORBIDS = re.compile(
    r"\bND\b|no[ -]?deriv|no redistribution|not (be )?redistribut|all rights reserved|"
    r"proprietary|internal use|no sharing|non-?redistributable", re.I,
)  # fmt: skip


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
    results: str | Path | Target,
    folder: str | Path,
    shard_mb: float = SHARD_MB,
    layout: Sequence[str] = (SHARDS,),
) -> DatasetSummary:
    """Write the motions of a finished batch as a dataset.

    results   where the batch was written to; its motions are there as .npz
    folder    where the dataset goes
    shard_mb  megabytes that a file of many motions has at most, unless one alone has more
    layout    how: "safetensors" in the folder itself, "amass", "humanml3d" and "lerobot" in
              folders of these names in it
    """
    check_range("the size of shards", shard_mb, above=0.0, unit="MB")
    names = check_layouts(layout)
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise MissingDependencyError("pyarrow", "dataset", "a dataset") from None
    source = open_target(results) if isinstance(results, str | Path) else results
    places = {name: Path(folder) if name == SHARDS else Path(folder, name) for name in names}
    layouts = {name: _open_layout(name, place, shard_mb) for name, place in places.items()}
    done = DatasetSummary()
    for row in sorted_rows(source):
        origin = json.loads(_fetch(source, row, "plan"))
        if not _admit(origin, done):
            continue
        motion = DatasetMotion(row, origin, _read_clip(source, row))
        for one in layouts.values():
            one.add(motion)
        _count(done, motion)
    if not done.motions:
        raise InputError("no motion can be part of a dataset", where=source.address,
                         remedy="plan some, or use clips that may be passed on")  # fmt: skip
    for name, one in layouts.items():
        one.close()
        done.shards += one.shards if isinstance(one, ShardLayout) else 0
        write_bytes_atomically(places[name] / CARD, card(done, one).encode())
    return done


def _open_layout(name: str, folder: Path, shard_mb: float) -> Layout:
    if name == LEROBOT:
        from footfall.batch.lerobot_layout import LeRobotLayout

        return LeRobotLayout(folder, shard_mb)
    if name == SHARDS:
        return ShardLayout(folder, shard_mb)
    return AmassLayout(folder) if name == AMASS else HumanMLLayout(folder)


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


def _count(done: DatasetSummary, motion: DatasetMotion) -> None:
    row, origin = motion.row, motion.origin
    done.motions += 1
    done.hours += motion.clip.seconds / 3600.0
    done.verified += bool(row["verified"])
    licences = {source["licence"] for source in origin["sources"].values()}
    done.unknown += "" in licences
    done.licences.update(licences - {""})
    done.tags.update(set(origin["tags"]))
    for name in MEASURES:
        if row["measures"].get(name) is not None:
            done.measures.setdefault(name, []).append(row["measures"][name])


def card(done: DatasetSummary, layout: Layout) -> str:
    """Return the card of a layout: size, quality, sources and licences."""
    quality = [
        (name, f"{statistics.median(values):.3g}", f"{np.percentile(values, 95):.3g}")
        for name, values in done.measures.items()
    ]
    parts = [
        "# Motions planned with Footfall",
        f"{done.motions} motions, {done.hours:.2f} hours, {layout.about} {done.verified} of them "
        "passed verification: their stages, collisions, footing and anatomy were checked.",
        _table(("measure", "median", "95 %"), quality),
        "## Sources",
        f"Every frame names the clip and frame that it comes from ({layout.tracing}).",
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
