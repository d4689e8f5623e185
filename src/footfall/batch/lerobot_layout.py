"""The layout of LeRobot's datasets, version 3: episodes of states and actions in bounded files.

    lerobot/meta/info.json, stats.json             features and their statistics
    lerobot/meta/tasks.parquet                     captions, the index of a pandas table
    lerobot/meta/episodes/chunk-000/file-000.parquet   a row per motion: where its frames are
    lerobot/data/chunk-000/file-000.parquet        a row per frame

A state is the pelvis' position and the rotations of 22 joints; the action is the next state.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from footfall.batch.body_joints import JOINTS, NAMES, body_positions, body_rotations
from footfall.batch.dataset_motion import DatasetMotion, Tensors, frame_sources
from footfall.batch.layouts import SOURCES, SourceList, remove_others
from footfall.body.edit import resample
from footfall.files.atomic import write_bytes_atomically
from footfall.maths.signals import nearest_frames

if TYPE_CHECKING:
    import pyarrow

    from footfall.body.clip import Clip

FPS = 30
FILE_MB = 100.0
FILES_A_CHUNK = 1000
STATE_NAMES = (
    *(f"pelvis.{axis}" for axis in "xyz"),
    *(f"{name}.q{part}" for name in NAMES for part in "wxyz"),
)
WIDTHS = {"observation.state": len(STATE_NAMES), "action": len(STATE_NAMES), "source": 2}
"""Columns that hold a list, and how many numbers it has; the others hold one number."""
_FLOATS = ("observation.state", "action", "timestamp")
_FILE = "chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"


class LeRobotLayout:
    """Files of LeRobot; a data file is written when the next motion does not fit."""

    about = (f"in LeRobot's layout, version 3, at {FPS} frames a second: the state is the "
             f"position of the pelvis and {JOINTS} rotations, the action the next state. Metres, "
             "Y up, quaternions w x y z.")  # fmt: skip
    tracing = f"`source` in the data, `sources` and `segments` in `{SOURCES}`"

    def __init__(self, folder: Path, most_mb: float = FILE_MB) -> None:
        self.folder, self.list = folder, SourceList(folder)
        self.most_mb = min(most_mb, FILE_MB)
        self.files, self.bytes, self.frames = 0, 0, 0
        self.waiting: list[Tensors] = []
        self.episodes: list[dict[str, Any]] = []
        self.tasks: dict[str, int] = {}
        self.stats: dict[str, _Statistics] = {}

    def add(self, motion: DatasetMotion) -> None:
        """Add a motion as an episode."""
        episode, task = len(self.episodes), self.tasks.setdefault(motion.caption, len(self.tasks))
        columns = episode_columns(motion, episode, self.frames, task)
        size = sum(column.nbytes for column in columns.values())
        if self.waiting and self.bytes + size > self.most_mb * 1e6:
            self._write_data()
        self.waiting.append(columns)
        self.bytes += size
        length = len(columns["index"])
        chunk, file = divmod(self.files, FILES_A_CHUNK)
        self.episodes.append({
            "episode_index": episode, "tasks": [motion.caption], "length": length,
            "data/chunk_index": chunk, "data/file_index": file,
            "dataset_from_index": self.frames, "dataset_to_index": self.frames + length,
            "meta/episodes/chunk_index": 0, "meta/episodes/file_index": 0,
            "key": motion.key,
        })  # fmt: skip
        self.frames += length
        self.list.add(motion, episode_index=episode)
        for name, column in columns.items():
            self.stats.setdefault(name, _Statistics()).add(column)

    def close(self) -> None:
        """Write what is left and the tables of `meta`; remove data files of before."""
        import pyarrow

        if self.waiting:
            self._write_data()
        kept = {_file_name(number) for number in range(self.files)}
        for chunk in (self.folder / "data").glob("chunk-*"):
            here = {name.partition("/")[2] for name in kept if name.startswith(f"{chunk.name}/")}
            remove_others(chunk, "file-*.parquet", here)
        meta = self.folder / "meta"
        episodes = pyarrow.Table.from_pylist(self.episodes)
        _write_tables(meta / "episodes" / _file_name(0), [episodes])
        _write_tables(meta / "tasks.parquet", [_task_table(self.tasks)])
        _write_json(meta / "stats.json", {n: s.as_dict() for n, s in self.stats.items()})
        _write_json(meta / "info.json", self._info())
        self.list.close()

    def _write_data(self) -> None:
        """Write a data file, with a row group for each episode."""
        import pyarrow

        tables = [
            pyarrow.table({name: _arrow_column(name, c) for name, c in columns.items()})
            for columns in self.waiting
        ]
        _write_tables(self.folder / "data" / _file_name(self.files), tables)
        self.files, self.bytes, self.waiting = self.files + 1, 0, []

    def _info(self) -> dict[str, Any]:
        names = {"observation.state": STATE_NAMES, "action": STATE_NAMES,
                 "source": ("clip", "frame")}  # fmt: skip
        features = {
            name: {
                "dtype": "float32" if name in _FLOATS else "int64",
                "shape": [WIDTHS.get(name, 1)],
                "names": list(names[name]) if name in names else None,
            }
            for name in self.stats
        }  # fmt: skip
        return {
            "codebase_version": "v3.0", "robot_type": "human, 22 joints of SMPL",
            "total_episodes": len(self.episodes), "total_frames": self.frames,
            "total_tasks": len(self.tasks), "chunks_size": FILES_A_CHUNK,
            "data_files_size_in_mb": math.ceil(self.most_mb), "fps": FPS,
            "video_files_size_in_mb": 200,  # there are none, but LeRobot refuses 0
            "splits": {"train": f"0:{len(self.episodes)}"}, "data_path": f"data/{_FILE}",
            "video_path": None, "features": features,
        }  # fmt: skip


def episode_columns(motion: DatasetMotion, episode: int, first: int, task: int) -> Tensors:
    """Return the columns of a motion's frames; `first` is the dataset's number of its first."""
    clip = resample(motion.clip, FPS)
    states, frames = body_states(clip), len(clip)
    shown = nearest_frames(len(motion.clip), motion.clip.fps, clip.times)
    return {
        "observation.state": states,
        "action": np.concatenate([states[1:], states[-1:]]),
        "source": frame_sources(motion.origin, len(motion.clip))[shown].astype(np.int64),
        "timestamp": clip.times.astype(np.float32),
        "frame_index": np.arange(frames, dtype=np.int64),
        "episode_index": np.full(frames, episode, np.int64),
        "index": first + np.arange(frames, dtype=np.int64),
        "task_index": np.full(frames, task, np.int64),
    }


def body_states(clip: Clip) -> NDArray[np.float32]:
    """Return the pelvis' position and the rotations of the 22 joints, a row per frame."""
    turns = body_rotations(clip).reshape(len(clip), -1)
    return np.concatenate([body_positions(clip)[:, 0], turns], axis=1).astype(np.float32)


class _Statistics:
    """Least, most, mean and deviation of each number of a column, over all files."""

    def __init__(self) -> None:
        self.count = 0

    def add(self, column: NDArray[Any]) -> None:
        rows = column.reshape(len(column), -1).astype(np.float64)
        mean, spread = rows.mean(axis=0), ((rows - rows.mean(axis=0)) ** 2).sum(axis=0)
        low, high = rows.min(axis=0), rows.max(axis=0)
        if not self.count:
            self.count, self.mean, self.spread = len(rows), mean, spread
            self.low, self.high = low, high
            return
        total = self.count + len(rows)
        away = mean - self.mean
        self.spread = self.spread + spread + away**2 * (self.count * len(rows) / total)
        self.mean = self.mean + away * (len(rows) / total)
        self.low, self.high = np.minimum(self.low, low), np.maximum(self.high, high)
        self.count = total

    def as_dict(self) -> dict[str, list[float]]:
        """Return them under the names of LeRobot, rounded: CPUs sum in different orders."""
        values = {"min": self.low, "max": self.high, "mean": self.mean,
                  "std": np.sqrt(self.spread / self.count)}  # fmt: skip
        rounded = {name: np.round(numbers, 7).tolist() for name, numbers in values.items()}
        return {**rounded, "count": [self.count]}


def _file_name(number: int) -> str:
    chunk, file = divmod(number, FILES_A_CHUNK)
    return _FILE.format(chunk_index=chunk, file_index=file)


def _arrow_column(name: str, column: NDArray[Any]) -> pyarrow.Array:
    import pyarrow

    flat = pyarrow.array(column.ravel())
    width = WIDTHS.get(name)
    return flat if width is None else pyarrow.FixedSizeListArray.from_arrays(flat, width)


def _task_table(tasks: dict[str, int]) -> pyarrow.Table:
    """Return the table of tasks; LeRobot reads it with pandas, with the captions as its index."""
    import pyarrow

    table = pyarrow.table({"task_index": list(tasks.values()), "task": list(tasks)})
    columns = [
        {"name": name, "field_name": name, "pandas_type": kind, "numpy_type": stored,
         "metadata": None}
        for name, kind, stored in (("task_index", "int64", "int64"), ("task", "unicode", "object"))
    ]  # fmt: skip
    pandas = {"index_columns": ["task"], "column_indexes": [], "columns": columns,
              "pandas_version": "2.0.0"}  # fmt: skip
    return table.replace_schema_metadata({"pandas": json.dumps(pandas)})


def _write_tables(file: Path, tables: Sequence[pyarrow.Table]) -> None:
    """Write tables one after the other to a Parquet file."""
    import pyarrow.parquet

    out = io.BytesIO()
    with pyarrow.parquet.ParquetWriter(out, tables[0].schema, use_dictionary=False) as writer:
        for table in tables:
            writer.write_table(table)
    write_bytes_atomically(file, out.getvalue())


def _write_json(file: Path, values: dict[str, Any]) -> None:
    write_bytes_atomically(file, json.dumps(values, indent=4).encode())
