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
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from footfall.errors import InputError
from footfall.maths.arrays import Floats, Ints
from footfall.maths.polyline import EvenPolyline
from footfall.search.branch_and_bound import NO_FLAG, GraphPlace, Tracks

WIDTH, PER_NODE = 170, 4
LEAST_ROWS, MOST_ROWS = 1 << 12, 1 << 18
"""How many walks the memory that is kept has room for: at most 22 MB."""
NEVER = -1_000_000
"""A frame of a walk so long ago that it does not count."""


@dataclass(frozen=True, eq=False)
class WalkCosts:
    """What walks cost beside their distances from the line, m².

    A walk plays *segments*: source frames in a row, from one transition to the next.

    edge      (E,) for taking each edge
    frame     (P,) for the frames of each edge, from its first up to each of them
    sources   (E, 3) source frames of each edge: a transition leaves its segment before the first
              of them (-1 for a piece), opens another with the second; the third is played next
    again     for each source frame that was played before, within `memory` frames
    short     for leaving a segment at once; falls to 0 after `shortest` frames
    """

    edge: Floats
    frame: Floats
    sources: Ints
    again: float = 0.0
    memory: int = 0
    short: float = 0.0
    shortest: int = 1


def free_walks(tracks: Tracks) -> WalkCosts:
    """The costs of walks that cost nothing but their distances."""
    sources = np.tile(np.array([-1, 0, 0], np.int32), (tracks.edges, 1))
    return WalkCosts(np.zeros(tracks.edges), np.zeros(len(tracks.way)), sources)


@dataclass(frozen=True, eq=False)
class Played:
    """What a walk has played up to the place where it goes on; frames of the walk count from there.

    first, began  the source frame, and the frame of the walk, that its segment began with; -1 and
                  long ago where the walk only begins
    segments      (H, 4) those that ended: their source frames, first up to stop, the frame of the
                  walk that left them, and which one was before
    """

    first: int = -1
    began: int = NEVER
    segments: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 4), np.int64))


NOTHING_PLAYED = Played()


def played_by(edges: Ints, counts: Ints, costs: WalkCosts) -> Played:
    """What a walk of these edges (W,) has played, of which it played so many frames (W,)."""
    ends = np.cumsum(counts) - int(counts.sum())
    segments: list[tuple[int, int, int, int]] = []
    first, began = -1, NEVER
    for n, (leaves, opens, _) in enumerate(costs.sources[edges].tolist()):
        if leaves >= 0:
            if first >= 0:
                segments.append((first, leaves, int(ends[n] - counts[n]), len(segments) - 1))
            first, began = opens, int(ends[n])
        elif first < 0:
            first = opens
    closed = np.array(segments, np.int64).reshape(-1, 4)
    return Played(first, began, closed)


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


class WalkBegins(NamedTuple):
    """Where a walk may begin, and what it has played before.

    nodes, poses, ways   (S,), (S, 4), (S,) the places; or, if `edge` is not -1, after `inside`
                         frames of that edge, in the first of the poses
    first_played, began  the source frame and the frame of the walk (0 or less) at which the
                         segment began that the walk is in; -1 where it begins
    history              (H, 4) segments that ended before: their source frames, FIRST up to STOP,
                         the frame of the walk that left them (0 or less), which one was BEFORE
    """

    nodes: NDArray[np.int64]
    edge: int
    inside: int
    poses: Floats
    ways: Floats
    first_played: int
    began: int
    history: NDArray[np.int64]


def beam_walk(
    tracks: Tracks, line: EvenPolyline, places: Sequence[GraphPlace], frames: int,
    *, costs: WalkCosts | None = None, played: Played = NOTHING_PLAYED, width: int = WIDTH,
    per_node: int = PER_NODE, flag: NDArray[np.uint8] | None = None,
) -> BeamWalk:  # fmt: skip
    """A good walk of `frames` frames from one of the places, of which one may lie in an edge.

    costs      what walks cost beside their distances; None for nothing
    played     what the walk has played before
    width      how many walks are followed at a time; per_node  how many of them at one node
    flag       (1,) the search ends without a walk once this is not 0
    """
    from footfall.search import beam_kernels

    if frames < 1 or width < 1 or per_node < 1 or not places:
        raise InputError("a beam of no walks, or of no frames", remedy="all must be at least 1")
    if len(places) > 1 and any(p.edge >= 0 for p in places):
        raise InputError("a beam begins at one place in an edge, or at nodes", remedy="give one")
    poses = np.array([[p.pose[0], p.pose[1], math.cos(p.pose[2]), math.sin(p.pose[2])]
                      for p in places])  # fmt: skip
    costs = costs or free_walks(tracks)
    chosen = np.zeros(frames + 1, np.int64)
    begins = WalkBegins(
        np.array([max(p.node, 0) for p in places], np.int64), places[0].edge, places[0].inside,
        poses, np.array([p.way_m for p in places]), played.first, played.began, played.segments,
    )  # fmt: skip
    with _working_memory(2 * width * frames + 2 * len(places)) as (numbers, whole):
        cost, count, start, opened = beam_kernels.beam_walk(
            tracks.out_start, tracks.edge_to, tracks.edge_start, tracks.points, tracks.way,
            tracks.change, tracks.coarse_reach,
            costs.edge, costs.frame, costs.sources, costs.again, costs.memory, costs.short,
            costs.shortest, line.points, 1.0 / line.spacing_m,
            begins, frames, width, per_node,
            NO_FLAG if flag is None else flag, numbers, whole, chosen,
        )  # fmt: skip
    return BeamWalk(chosen[:count].astype(np.int32), int(start), float(cost), int(opened))


_free_memory: deque[tuple[Floats, NDArray[np.int32]]] = deque(maxlen=4)


@contextmanager
def _working_memory(rows: int) -> Iterator[tuple[Floats, NDArray[np.int32]]]:
    """Memory for the walks of a beam, used again: fresh memory costs a third of the search.

    A beam that needs more than this gets it by itself.
    """
    rows = min(max(rows, LEAST_ROWS), MOST_ROWS)
    try:
        memory = _free_memory.pop()
    except IndexError:
        memory = np.empty((0, 7)), np.empty((0, 7), np.int32)
    if len(memory[0]) < rows:
        memory = np.empty((rows, 7)), np.empty((rows, 7), np.int32)
    try:
        yield memory
    finally:
        _free_memory.append(memory)
