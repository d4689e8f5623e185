"""Culling: of all paths between two contact changes only the best is kept.

While a foot stands, where the body is when it is lifted depends on the poses at both ends alone,
not on what was in between (Safonova & Hodgins, §5.1). So one path for each ordered pair of states
is enough: the optimal cost between any two states stays exactly what it was.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.maths.arrays import Floats, Ints
from footfall.maths.runs import rows_of_spans
from footfall.optimal.phases import Phases
from footfall.optimal.transitions import Switches
from footfall.search.shortest_path import FAR

_MOST_PIECES = 256
FRAME = np.dtype([
    ("goes_on", np.int32),   # whether the next frame is in the same phase
    ("leads_to", np.int32),  # the state that the next frame is, or -1
    ("rests_at", np.int32),  # the state at rest that the frame is, or -1
    ("parent", np.int32),    # memory of the search: where the best path comes from,
    ("seen", np.int32),      # the search that wrote it,
    ("cost", np.float64),    # and the least cost
    ("effort", np.float64),  # from the frame to the next
])  # fmt: skip
"""A frame as `best_spans` knows it."""
SWITCH = np.dtype([("head", np.int32), ("cost", np.float64)], align=True)
"""A transition: the frame that it ends at, and what it costs on the way."""
END = np.dtype([("via", np.int32), ("cost", np.float64)], align=True)
"""A state that a search reaches: from which frame, and its least cost."""
SPAN = np.dtype([
    ("first", np.int32), ("last", np.int32), ("via", np.int32), ("pieces", np.int32),
    ("cost", np.float64),
])  # fmt: skip
"""A path: its first and last state, the frame before the last or the one at rest, how many pieces
it has, its cost."""


@dataclass(frozen=True, eq=False)
class Paths:
    """P paths from state to state, each inside one contact phase.

    first, last   (P,) states
    cost          (P,) effort of the frames that are passed, and transitions
    transition    (P,) the part of it that is transitions
    piece_start   (P + 1,) where a path's pieces begin below
    pieces        (N, 2) the first and last frame of each piece. The first frame of a piece is
                  shown instead of the last of the piece before it; the path ends with the frame
                  after its last piece, or with that piece where it ends at rest.
    """

    first: Ints
    last: Ints
    cost: Floats
    transition: Floats
    piece_start: Ints
    pieces: Ints

    def __len__(self) -> int:
        return len(self.first)

    def __getitem__(self, which: Ints) -> Paths:
        rows, start = rows_of_spans(self.piece_start, which)
        return Paths(
            self.first[which], self.last[which], self.cost[which], self.transition[which],
            start, self.pieces[rows],
        )  # fmt: skip


def best_paths(phases: Phases, switches: Switches, switch_costs: Floats, effort: Floats) -> Paths:
    """The best path of each ordered pair of states that one contact phase joins.

    switch_costs  (N,) of the transitions, by the frame that they leave
    effort        (F,) from each frame to the next
    """
    frames = _frames(phases, effort)
    spans, pieces = _find_spans(phases, frames, switches, switch_costs, effort)
    first, last, via, counts = (
        np.ascontiguousarray(spans[name]) for name in ("first", "last", "via", "pieces")
    )
    costs = np.ascontiguousarray(spans["cost"])
    start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    if not len(first):
        return Paths(first, last, costs, costs, start, pieces)
    total = np.concatenate([[0.0], np.cumsum(effort)])
    done, begun = (np.add.reduceat(total[pieces[:, n]], start[:-1]) for n in (1, 0))
    work = done - begun + np.where(frames["rests_at"][via] == last, 0.0, effort[via])
    return Paths(first, last, costs, np.maximum(costs - work, 0.0), start, pieces)


def _find_spans(
    phases: Phases, frames: NDArray[np.void], switches: Switches, switch_costs: Floats,
    effort: Floats,
) -> tuple[NDArray[np.void], Ints]:  # fmt: skip
    """All best paths (`SPAN`) and their pieces (N, 2)."""
    from footfall.search.span_kernels import PATHS, PIECES, best_spans

    out_start = np.searchsorted(switches.first, np.arange(len(frames) + 1)).astype(np.int32)
    edges = np.zeros(len(switches), SWITCH)
    edges["head"], edges["cost"] = switch_edges(switches, switch_costs, effort)
    room, states = len(frames) + len(switches) + 1, len(phases.states)
    keys, items = np.empty(room), np.empty(room, np.int64)
    ends = np.zeros(states, END)
    ends["cost"] = FAR
    spans, pieces = np.zeros(2 * states, SPAN), np.empty((2 * states * _MOST_PIECES, 2), np.int32)
    counts = np.zeros(3, np.int64)
    while not best_spans(
        frames, phases.states, out_start, edges, switches.stays, _MOST_PIECES, keys, items, ends,
        spans, pieces, counts,
    ):  # fmt: skip
        spans, pieces = np.append(spans, np.zeros_like(spans)), np.append(pieces, pieces, axis=0)
    return spans[: counts[PATHS]], pieces[: counts[PIECES]].copy()


def switch_edges(switches: Switches, switch_costs: Floats, effort: Floats) -> tuple[Ints, Floats]:
    """Transitions as edges: the frames (N,) that they end at, and what they cost on the way."""
    heads = switches.second + switches.stays
    total = np.concatenate([[0.0], np.cumsum(effort)])
    return heads, switch_costs + total[heads] - total[switches.second]


def _frames(phases: Phases, effort: Floats) -> NDArray[np.void]:
    """(F,) records of all frames: see `FRAME`."""
    out = np.zeros(len(phases.frames), FRAME)
    out["goes_on"][:-1] = phases.phase[1:] == phases.phase[:-1]
    out["leads_to"], out["rests_at"], out["seen"], out["effort"] = -1, -1, -1, effort
    number = np.arange(len(phases.states), dtype=np.int32)
    out["leads_to"][phases.states[~phases.rest] - 1] = number[~phases.rest]
    out["rests_at"][phases.states[phases.rest]] = number[phases.rest]
    return out
