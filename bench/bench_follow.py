"""Following paths through motion graphs: the 33 m zigzag on van Basten's size IV, a kilometre.

The paper's seconds are those of its Table 5 on one core of 2.4 GHz, for its own clips.
"""

from __future__ import annotations

import numpy as np

from bench.harness import BenchRow, best_of, quick
from footfall.adapt.edit.path_edit import edit_path
from footfall.adapt.feet.lock import lock_feet
from footfall.files.scene.read import load_scene
from footfall.graph.abstract import abstract_paths
from footfall.graph.build import build_graph
from footfall.graph.follow import follow_path
from footfall.graph.model import MotionGraph
from footfall.graph.motion import walk_clip
from footfall.library.library import open_library

SIZE_IV = {
    "point_cloud": (1263, 126.0),
    "joint_angles": (1264, 21.5),
    "principal_components": (1268, 81.0),
}
"""Edges and seconds of the paper's Tables 2 and 5."""


def rows() -> list[BenchRow]:
    """Each metric's size IV graph, both searches; then a kilometre, and the finish of it."""
    clips = list(open_library("default:basten"))
    zigzag = load_scene("zigzag").paths[0].points
    graphs = {m: build_graph(clips, metric=m, edges=n) for m, (n, _) in SIZE_IV.items()}
    out = [_search(graph, metric, zigzag) for metric, graph in graphs.items()]
    graph = graphs["point_cloud"]
    out.append(
        BenchRow("the same by beam, point_cloud",
                 best_of(lambda: follow_path(graph, zigzag, search="beam")))
    )  # fmt: skip
    out.append(BenchRow("path abstraction of the graph, gaussian", best_of(lambda: _read(graph))))
    way = np.linspace(0.0, 100.0 if quick() else 1000.0, 2000)
    far = np.stack([6.0 * np.sin(way / 8.0), way], axis=1)
    for search in ("branch_and_bound", "beam"):
        found = follow_path(graph, far, search=search)
        seconds = best_of(lambda s=search: follow_path(graph, far, search=s), repeats=2)
        out.append(BenchRow(f"{found.line.length_m:.0f} m, {search}", seconds))
    motion = walk_clip(graph, found.walk)
    made = best_of(lambda: walk_clip(graph, found.walk), repeats=3)
    done = best_of(lambda: lock_feet(edit_path(motion, found.line, found.distances)), repeats=3)
    out.append(BenchRow(f"its motion, {len(found)} frames", made))
    out.append(BenchRow("path editing and foot locking of it", done))
    return out


def _search(graph: MotionGraph, metric: str, path: np.ndarray) -> BenchRow:
    name = f"33 m zigzag, {metric}: {graph.nodes} nodes, {graph.edges} edges, {graph.frames} frames"
    seconds = best_of(lambda: follow_path(graph, path))
    return BenchRow(name, seconds, {"the paper": SIZE_IV[metric][1]}, goal="<= 0.5 s")


def _read(graph: MotionGraph) -> None:
    # Another least speed each time, so that nothing kept from before is given back.
    _read.calls = getattr(_read, "calls", 0) + 1  # type: ignore[attr-defined]
    abstract_paths(graph, "gaussian", 0.06 + 1e-9 * _read.calls)  # type: ignore[attr-defined]
