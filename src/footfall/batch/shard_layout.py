"""The layout of Footfall's own datasets: bounded safetensors shards with a Parquet index."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.batch.dataset_motion import MEASURES, DatasetMotion, Tensors, motion_tensors
from footfall.files.atomic import write_bytes_atomically

if TYPE_CHECKING:
    from footfall.body.clip import Clip

INDEX, SKELETONS = "index.parquet", "skeletons.json"


class ShardLayout:
    """Shards, the index of their motions and the skeletons of these."""

    tracing = "`source` in the shards, `sources` and `segments` in the index"

    def __init__(self, folder: Path, most_mb: float) -> None:
        self.folder = folder
        self._shard = _Shard(folder / "shards", most_mb * 1e6)
        self._index: list[dict[str, Any]] = []
        self._skeletons: dict[str, Any] = {}

    @property
    def shards(self) -> int:
        """How many files there are, once it is closed."""
        return self._shard.number

    @property
    def about(self) -> str:
        return (f"in {self.shards} shards (safetensors) with an index (Parquet). "
                "Metres, Y up, +Z forward, quaternions w x y z.")  # fmt: skip

    def add(self, motion: DatasetMotion) -> None:
        """Add a motion to a shard and to the index."""
        number = self._shard.add(motion.key, motion_tensors(motion.clip, motion.origin))
        skeleton = _skeleton_name(motion.clip, self._skeletons)
        self._index.append(_index_row(motion, number, skeleton))

    def close(self) -> None:
        """Write the last shard, the index and the skeletons; remove shards of before."""
        self._shard.close()
        _write_index(self.folder / INDEX, self._index)
        text = json.dumps(self._skeletons, indent=1)
        write_bytes_atomically(self.folder / SKELETONS, text.encode())


def _index_row(motion: DatasetMotion, shard: int, skeleton: str) -> dict[str, Any]:
    row, origin, clip = motion.row, motion.origin, motion.clip
    return {
        "key": motion.key, "shard": shard, "frames": len(clip), "fps": clip.fps,
        "seconds": clip.seconds, "skeleton": skeleton, "method": row["method"],
        "scene": origin["scene"] or "", "library": origin["library"],
        "stages": list(origin["stages"]), "tags": list(origin["tags"]),
        "caption": motion.caption, "verified": bool(row["verified"]),
        "cost": row["cost"], "bound": row["bound"],
        **{name: row["measures"].get(name) for name in MEASURES},
        "sources": motion.sources, "segments": json.dumps(origin["segments"]),
        "split": motion.split,
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

    def close(self) -> None:
        """Write what is left, and remove shards of before."""
        if self.tensors:
            self._write()
        for old in self.folder.glob("*.safetensors"):
            if old.stem.isdecimal() and int(old.stem) >= self.number:
                old.unlink()

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
