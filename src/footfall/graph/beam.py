"""Walks that follow a line, looked for a long way ahead: the best few hundred side by side.

Branch and bound is exact but sees a few seconds ahead: its work grows exponentially. A beam sees
as far as one likes in linear time, and is not exact: of all walks under way at a frame, only the
best go on, ranked by their cost so far plus the lower bound of what must follow.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.errors import InputError
from footfall.graph.branch_and_bound import NO_FLAG, GraphPlace, Tracks
from footfall.maths.arrays import Floats, Ints
from footfall.maths.polyline import EvenPolyline

WIDTH, PER_NODE = 200, 4
LEAST_ROWS, MOST_ROWS = 1 << 12, 1 << 18
"""How many walks the memory that is kept has room for: at most 23 MB."""


@dataclass(frozen=True, eq=False)
class BeamWalk:
    """A good walk of so many frames.

    edges   (W,) in order; the first may have begun before, the last may go on after
    start   which of the places it begins at
    cost    sum of squared distances, m², and the costs of its edges; inf if there is no walk
    opened  how many nodes were opened
    """

    edges: Ints
    start: int
    cost: float
    opened: int

    @property
    def found(self) -> bool:
        return len(self.edges) > 0


def beam_walk(
    tracks: Tracks, line: EvenPolyline, places: Sequence[GraphPlace], frames: int,
    *, edge_cost: Floats | None = None, width: int = WIDTH, per_node: int = PER_NODE,
    flag: NDArray[np.uint8] | None = None,
) -> BeamWalk:  # fmt: skip
    """A good walk of `frames` frames from one of the places, of which one may lie in an edge.

    edge_cost  (E,) what taking each edge costs beside the distances, m²; None for nothing
    width      how many walks are followed at a time; per_node  how many of them at one node
    flag       (1,) the search ends without a walk once this is not 0
    """
    from footfall.graph import beam_kernels

    if frames < 1 or width < 1 or per_node < 1 or not places:
        raise InputError("a beam of no walks, or of no frames", remedy="all must be at least 1")
    if len(places) > 1 and any(p.edge >= 0 for p in places):
        raise InputError("a beam begins at one place in an edge, or at nodes", remedy="give one")
    poses = np.array([[p.pose[0], p.pose[1], math.cos(p.pose[2]), math.sin(p.pose[2])]
                      for p in places])  # fmt: skip
    chosen = np.zeros(frames + 1, np.int64)
    with _working_memory(2 * width * frames + 2 * len(places)) as (numbers, whole):
        cost, count, start, opened = beam_kernels.beam_walk(
            tracks.out_start, tracks.edge_to, tracks.edge_start, tracks.points, tracks.way,
            tracks.change, tracks.coarse_reach,
            np.zeros(tracks.edges) if edge_cost is None else np.asarray(edge_cost, np.float64),
            line.points, 1.0 / line.spacing_m, np.array([max(p.node, 0) for p in places], np.int64),
            places[0].edge, places[0].inside, poses, np.array([p.way_m for p in places]),
            frames, width, per_node, NO_FLAG if flag is None else flag,
            numbers, whole, chosen,
        )  # fmt: skip
    return BeamWalk(chosen[:count].astype(np.int32), int(start), float(cost), int(opened))


_free_memory: deque[tuple[Floats, NDArray[np.int64]]] = deque(maxlen=4)


@contextmanager
def _working_memory(rows: int) -> Iterator[tuple[Floats, NDArray[np.int64]]]:
    """Memory for the walks of a beam, used again: fresh memory costs a third of the search.

    A beam that needs more than this gets it by itself.
    """
    rows = min(max(rows, LEAST_ROWS), MOST_ROWS)
    try:
        memory = _free_memory.pop()
    except IndexError:
        memory = np.empty((0, 7)), np.empty((0, 4), np.int64)
    if len(memory[0]) < rows:
        memory = np.empty((rows, 7)), np.empty((rows, 4), np.int64)
    try:
        yield memory
    finally:
        _free_memory.append(memory)
