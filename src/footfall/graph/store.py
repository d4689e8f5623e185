"""Motion graphs as files: safetensors with JSON beside them, never anything that runs.

A file carries a checksum of its content, so that one that is damaged or cut off is noticed, and
loading makes every check that building makes. Graphs of a library are kept in the user's cache
folder, addressed by a hash of the clips and of all settings.
"""

from __future__ import annotations

import json
import math
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FileFormatError, InputError
from footfall.files.atomic import write_bytes_atomically
from footfall.folders import cache_root
from footfall.graph.model import MotionGraph
from footfall.library.store.cache import tensor_sum
from footfall.library.store.index import skeleton_facts, skeleton_from_facts

FORMAT = "footfall graph 1"
MOST_KEPT = 24
"""How many graphs the cache holds; the one not used for the longest time goes first."""

_TENSORS: dict[str, type[np.generic]] = {
    "clip_start": np.int32, "root": np.float64, "rotations": np.float64, "contacts": np.uint8,
    "node_frame": np.int32, "edge_from": np.int32, "edge_to": np.int32, "edge_kind": np.int32,
    "edge_first": np.int32, "edge_enter": np.int32, "edge_alignment": np.float64,
    "edge_distance": np.float64,
}  # fmt: skip
_SUM_DIGITS = 64


def save_graph(graph: MotionGraph, path: str | Path) -> Path:
    """Write a graph to a file; the file that was written."""
    from safetensors.numpy import save

    path = Path(path)
    tensors = {
        name: np.ascontiguousarray(getattr(graph, name), dtype=kind)
        for name, kind in _TENSORS.items()
    }
    label = json.dumps(
        {
            "character": skeleton_facts(graph.skeleton),
            "fps": graph.fps,
            "names": list(graph.names),
            "window": graph.window,
            "metric": graph.metric,
            "threshold": graph.threshold,
            "minima": graph.minima,
        },
        sort_keys=True,
    )
    # One word of metadata: several would be written in an order that is not always the same.
    write_bytes_atomically(path, save(tensors, {FORMAT: tensor_sum(tensors, label) + label}))
    return path


def load_graph(path: str | Path) -> MotionGraph:
    """The graph in a file that `save_graph` wrote."""
    path = Path(path)
    if not path.is_file():
        raise InputError("there is no such file", where=str(path), remedy="check the name")
    tensors, label = _read(path)
    try:
        told = json.loads(label)
        return MotionGraph(
            skeleton=skeleton_from_facts(told["character"]),
            fps=_positive(told["fps"]),
            names=tuple(str(name) for name in told["names"]),
            window=int(told["window"]),
            metric=str(told["metric"]),
            threshold=_positive(told["threshold"]),
            minima=int(told["minima"]),
            **tensors,
        )
    except InputError as error:
        raise FileFormatError(error.problem, where=str(path), remedy=error.remedy) from None
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        raise _damaged(path, "its description is not complete") from None


def cached_graph(key: str) -> MotionGraph | None:
    """The graph that is kept under this address; None if there is none that can be trusted."""
    path = _place(key)
    try:
        graph = load_graph(path)
    except (InputError, OSError):
        return None
    with suppress(OSError):
        os.utime(path)
    return graph


def keep_graph(key: str, graph: MotionGraph) -> None:
    """Keep a graph under this address; where the cache cannot be written nothing is kept."""
    with suppress(InputError, OSError):
        save_graph(graph, _place(key))
        files = sorted(_place(key).parent.glob("*.safetensors"), key=lambda f: f.stat().st_mtime)
        for file in files[:-MOST_KEPT]:
            file.unlink(missing_ok=True)


def _place(key: str) -> Path:
    return cache_root() / "graphs" / f"{key}.safetensors"


def _read(path: Path) -> tuple[dict[str, NDArray[Any]], str]:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            words = (file.metadata() or {}).get(FORMAT, "")
            if not words:
                raise _damaged(path, "it is no motion graph")
            tensors = {name: file.get_tensor(name) for name in _TENSORS}
    except (SafetensorError, OSError, ValueError) as error:
        raise _damaged(path, "it cannot be read") from error
    label = words[_SUM_DIGITS:]
    if words[:_SUM_DIGITS] != tensor_sum(tensors, label):
        raise _damaged(path, "its content does not match its checksum")
    if any(tensors[name].dtype != kind for name, kind in _TENSORS.items()):
        raise _damaged(path, "its arrays are of other types")
    return tensors, label


def _damaged(path: Path, what: str) -> FileFormatError:
    return FileFormatError(what, where=str(path), remedy="make it again: footfall graph build")


def _positive(value: Any) -> float:
    number = float(value)
    if not (math.isfinite(number) and number >= 0.0):
        raise ValueError(number)
    return number
