"""Culling: of all paths between two contact changes only the best is kept.

While a foot stands, where the body is when it is lifted depends on the poses at both ends alone,
not on what was in between (Safonova & Hodgins, §5.1). So one path for each ordered pair of states
is enough: the optimal cost between any two states stays exactly what it was.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.maths.arrays import Floats, Ints
from footfall.optimal.phases import Phases
from footfall.optimal.transitions import Switches

_MOST_PIECES = 256


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
        counts = np.diff(self.piece_start)[which]
        start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
        rows = np.repeat(self.piece_start[:-1][which] - start[:-1], counts) + np.arange(start[-1])
        return Paths(
            self.first[which], self.last[which], self.cost[which], self.transition[which],
            start, self.pieces[rows],
        )  # fmt: skip


def best_paths(phases: Phases, switches: Switches, switch_costs: Floats, effort: Floats) -> Paths:
    """The best path of each ordered pair of states that one contact phase joins.

    switch_costs  (N,) of the transitions, by the frame that they leave
    effort        (F,) from each frame to the next
    """
    from footfall.search.span_kernels import paths_from, trace_pieces

    frames, states = len(phases.frames), len(phases.states)
    goes_on, leads_to, rests_at = _exits(phases)
    out_start = np.searchsorted(switches.first, np.arange(frames + 1)).astype(np.int32)
    total = np.concatenate([[0.0], np.cumsum(effort)])
    heads, ends = switch_edges(switches, switch_costs, effort)
    costs, parents = np.empty(frames), np.empty(frames, np.int32)
    seen = np.full(frames, -1, np.int32)
    best, via = np.full(states, np.inf), np.empty(states, np.int32)
    reached = np.empty(states, np.int32)
    runs = np.empty((_MOST_PIECES, 2), np.int32)
    rows: list[tuple[int, int, float, float]] = []
    pieces: list[Ints] = []
    for state, source in enumerate(phases.states.tolist()):
        found = paths_from(
            source, goes_on, leads_to, rests_at, effort, out_start, heads,
            ends, costs, parents, seen, state, best, via, reached,
        )  # fmt: skip
        for to in np.sort(reached[:found]).tolist():
            count = trace_pieces(parents, via[to], source, switches.stays, runs)
            if count <= _MOST_PIECES:
                path = runs[:count][::-1].copy()
                at_rest = bool(rests_at[via[to]] == to)
                work = total[path[:, 1]].sum() - total[path[:, 0]].sum()
                work += 0.0 if at_rest else effort[via[to]]
                rows.append((state, to, best[to], max(best[to] - work, 0.0)))
                pieces.append(path)
        best[reached[:found]] = np.inf
    table = np.array(rows).reshape(-1, 4)
    start = np.concatenate([[0], np.cumsum([len(path) for path in pieces])]).astype(np.int32)
    return Paths(
        table[:, 0].astype(np.int32), table[:, 1].astype(np.int32), table[:, 2], table[:, 3],
        start, np.concatenate(pieces) if pieces else np.zeros((0, 2), np.int32),
    )  # fmt: skip


def switch_edges(switches: Switches, switch_costs: Floats, effort: Floats) -> tuple[Ints, Floats]:
    """Transitions as edges: the frames (N,) that they end at, and what they cost on the way."""
    heads = switches.second + switches.stays
    total = np.concatenate([[0.0], np.cumsum(effort)])
    return heads, switch_costs + total[heads] - total[switches.second]


def _exits(phases: Phases) -> tuple[Ints, Ints, Ints]:
    """(F,) whether each frame goes on in its phase, which state it leads to, where it rests."""
    frames = len(phases.frames)
    goes_on = np.zeros(frames, np.int32)
    goes_on[:-1] = phases.phase[1:] == phases.phase[:-1]
    leads_to, rests_at = np.full(frames, -1, np.int32), np.full(frames, -1, np.int32)
    number = np.arange(len(phases.states), dtype=np.int32)
    leads_to[phases.states[~phases.rest] - 1] = number[~phases.rest]
    rests_at[phases.states[phases.rest]] = number[phases.rest]
    return goes_on, leads_to, rests_at
