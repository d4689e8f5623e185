"""Walks that follow a line, looked for a long way ahead: the best few hundred side by side.

Branch and bound is exact but sees a few seconds ahead: its work grows exponentially. A beam sees
as far as one likes in linear time, and is not exact: of all walks under way at a frame, only the
best go on, ranked by their cost so far plus the lower bound of what must follow.
"""

from __future__ import annotations

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
from footfall.search.branch_and_bound import (
    NO_FLAG,
    WALK,
    GraphPlace,
    Tracks,
    line_arrays,
    start_walks,
)

WIDTH, PER_NODE = 170, 4
LEAST_ROWS, MOST_ROWS = 1 << 12, 1 << 18
"""How many walks the memory that is kept has room for: at most 22 MB."""
MOST_ADMITTED = 4096
"""Beams wider than this keep all walks and sort them out later."""
NEVER = -1_000_000
"""A frame of a walk so long ago that it does not count."""


class WalkCosts(NamedTuple):
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
    """Return what a walk of these edges (W,) has played, of which it played so many frames (W,)."""
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
    """A good walk through a graph.

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


class Beam(NamedTuple):
    """Memory of a search, F frames long.

    heads     (F + 1,) the last walk that came to each frame, -1 for none
    keys      (F + 1, K) the smallest keys of these: larger ones would not go on there
    admitted  (F + 1,) how many these are
    closed    (S, 4) segments that ended, as `Played.segments`;  ended (1,) how many
    kept      walks that go on from a frame;  order (R,), counts (N,) memory to find them
    progress  (5,) how far the search came (`beam_kernels.FRAME` and on)
    width     how many walks go on from each frame;  per_node  how many of them at one node
    """

    heads: NDArray[np.int64]
    keys: Floats
    admitted: NDArray[np.int64]
    closed: NDArray[np.int64]
    ended: NDArray[np.int64]
    kept: NDArray[np.int64]
    order: NDArray[np.int64]
    counts: NDArray[np.int64]
    progress: NDArray[np.int64]
    width: int
    per_node: int


def beam_walk(
    tracks: Tracks, line: EvenPolyline, places: Sequence[GraphPlace], frames: int,
    costs: WalkCosts, *, played: Played = NOTHING_PLAYED, width: int = WIDTH,
    per_node: int = PER_NODE, flag: NDArray[np.uint8] | None = None,
) -> BeamWalk:  # fmt: skip
    """Return a good walk of `frames` frames from one of the places.

    costs      what walks cost beside their distances
    played     what the walk has played before
    width      how many walks are followed at a time; per_node  how many of them at one node
    flag       (1,) the search ends without a walk once this is not 0
    """
    from footfall.search.beam_kernels import MADE, NO_ROOM, OPENED, STOPPED, search_beam

    if frames < 1 or width < 1 or per_node < 1 or not places:
        raise InputError("a beam of no walks, or of no frames", remedy="all must be at least 1")
    if len(places) > 1 and any(p.edge >= 0 for p in places):
        raise InputError("a beam begins at one place in an edge, or at nodes", remedy="give one")
    starts = start_walks(places)
    starts["first"], starts["began"] = played.first, played.began
    starts["closed"] = len(played.segments) - 1
    beam = _make_beam(tracks.nodes, len(places), played, frames, width, per_node)
    arguments = tracks.coarse_arrays, costs, line_arrays(line)
    stop = NO_FLAG if flag is None else flag
    with _working_memory(2 * width * frames + 2 * len(places)) as walks:
        walks[: len(starts)] = starts
        while True:
            beam = beam._replace(order=np.empty(len(walks), np.int64))
            end = search_beam(*arguments, beam, walks, stop)
            if end != NO_ROOM:
                break
            walks = np.concatenate([walks, np.empty_like(walks)])
        made = 0 if end == STOPPED else int(beam.progress[MADE])
        return _trace_best(walks[:made], len(starts), frames, int(beam.progress[OPENED]))


def _make_beam(
    nodes: int, begun: int, played: Played, frames: int, width: int, per_node: int
) -> Beam:
    # Some more are admitted than go on, for not all of them may at one node.
    admitted = min(width + width // 2, MOST_ADMITTED)
    # Of segments that ended there is one at most for each walk that goes on.
    closed = np.empty((len(played.segments) + width * frames + begun, 4), np.int64)
    closed[: len(played.segments)] = played.segments
    return Beam(
        np.full(frames + 1, -1), np.empty((frames + 1, admitted)), np.zeros(frames + 1, np.int64),
        closed, np.array([len(played.segments)]), np.arange(max(width, begun)),
        np.empty(0, np.int64), np.zeros(nodes, np.int64), np.array([0, begun, 0, begun, 0]),
        width, per_node,
    )  # fmt: skip


def _trace_best(walks: NDArray[np.void], begun: int, frames: int, opened: int) -> BeamWalk:
    """Return the cheapest of walks (R,) at the last frame, of equals the first."""
    ends = begun + np.flatnonzero(walks["frames"][begun:] == frames)
    if not len(ends):
        return BeamWalk(np.zeros(0, np.int32), -1, np.inf, opened)
    best = state = int(ends[np.argmin(walks["cost"][ends])])
    edges = []
    while (before := int(walks["parent"][state])) >= 0:
        edges.append(int(walks["edge"][state]))
        state = before
    return BeamWalk(np.array(edges[::-1], np.int32), state, float(walks["cost"][best]), opened)


_free_memory: deque[NDArray[np.void]] = deque(maxlen=4)


@contextmanager
def _working_memory(rows: int) -> Iterator[NDArray[np.void]]:
    """Memory for the walks of a beam, used again: fresh memory costs a third of the search."""
    rows = min(max(rows, LEAST_ROWS), MOST_ROWS)
    try:
        memory = _free_memory.pop()
    except IndexError:
        memory = np.empty(0, WALK)
    if len(memory) < rows:
        memory = np.empty(rows, WALK)
    try:
        yield memory
    finally:
        _free_memory.append(memory)
