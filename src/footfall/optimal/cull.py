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
    from footfall.search.span_kernels import best_spans

    frames = _frames(phases, effort)
    out_start = np.searchsorted(switches.first, np.arange(len(frames) + 1)).astype(np.int32)
    heads, ends = switch_edges(switches, switch_costs, effort)
    rows, costs, pieces = best_spans(
        frames, phases.states, out_start, heads, ends, switches.stays, _MOST_PIECES
    )
    first, last, via, counts = rows.T.copy()
    start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    if not len(first):
        return Paths(first, last, costs, costs, start, pieces)
    total = np.concatenate([[0.0], np.cumsum(effort)])
    done, begun = (np.add.reduceat(total[pieces[:, n]], start[:-1]) for n in (1, 0))
    work = done - begun + np.where(frames["rests_at"][via] == last, 0.0, effort[via])
    return Paths(first, last, costs, np.maximum(costs - work, 0.0), start, pieces)


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
