"""Motion graphs as files, and those of libraries kept in the user's cache by address.

Loading makes every check that building makes: see `MotionGraph`, and `library.store.arrays` for
what notices damage.
"""

from __future__ import annotations

import math
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from footfall.errors import FileFormatError, InputError
from footfall.graph.model import MotionGraph
from footfall.library.store.arrays import (
    Arrays,
    ArrayStore,
    Facts,
    check_types,
    load_arrays,
    save_arrays,
)
from footfall.library.store.index import skeleton_facts, skeleton_from_facts

KIND = "graph"
_KEPT = ArrayStore(KIND, most_kept=24)
_TYPES: dict[str, type[np.generic]] = {
    "clip_start": np.int32, "root": np.float64, "rotations": np.float64, "contacts": np.uint8,
    "node_frame": np.int32, "edge_from": np.int32, "edge_to": np.int32, "edge_kind": np.int32,
    "edge_first": np.int32, "edge_enter": np.int32, "edge_alignment": np.float64,
    "edge_distance": np.float64,
}  # fmt: skip


def save_graph(graph: MotionGraph, path: str | Path) -> Path:
    """Write a graph to a file; returns its path."""
    return save_arrays(path, KIND, _arrays(graph), _facts(graph))


def load_graph(path: str | Path) -> MotionGraph:
    """Return the graph in a file that `save_graph` wrote."""
    path = Path(path)
    try:
        return _graph(*load_arrays(path, KIND), path)
    except FileFormatError as error:
        remedy = error.remedy or "make it again: footfall graph build"
        raise FileFormatError(error.problem, where=str(path), remedy=remedy) from None


def cached_graph(key: str) -> MotionGraph | None:
    """Return the graph kept under this address; None unless it is there and valid."""
    found = _KEPT.load(key)
    if found is not None:
        with suppress(FileFormatError):
            return _graph(*found, _KEPT.path(key))
    return None


def keep_graph(key: str, graph: MotionGraph) -> None:
    """Keep a graph under this address; where the cache cannot be written nothing is kept."""
    _KEPT.keep(key, _arrays(graph), _facts(graph))


def _arrays(graph: MotionGraph) -> Arrays:
    return {name: np.asarray(getattr(graph, name), kind) for name, kind in _TYPES.items()}


def _facts(graph: MotionGraph) -> Facts:
    return {
        "character": skeleton_facts(graph.skeleton),
        "fps": graph.fps,
        "names": list(graph.names),
        "window": graph.window,
        "metric": graph.metric,
        "threshold": graph.threshold,
        "minima": graph.minima,
    }


def _graph(arrays: Arrays, facts: Facts, path: Path) -> MotionGraph:
    try:
        return MotionGraph(
            skeleton=skeleton_from_facts(facts["character"]),
            fps=_from_zero(facts["fps"]),
            names=tuple(str(name) for name in facts["names"]),
            window=int(facts["window"]),
            metric=str(facts["metric"]),
            threshold=_from_zero(facts["threshold"]),
            minima=int(facts["minima"]),
            **check_types(arrays, _TYPES, path),
        )
    except InputError as error:
        raise FileFormatError(error.problem, where=str(path), remedy=error.remedy) from None
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        raise FileFormatError("its description is not complete", where=str(path)) from None


def _from_zero(value: Any) -> float:
    number = float(value)
    if not (math.isfinite(number) and number >= 0.0):
        raise ValueError(number)
    return number
