"""Edges: which moves lead from footholds to others, in a scene."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.maths.arrays import Bools, Floats, Ints
from footfall.processes import thread_pool
from footfall.roadmap.footholds import SureGround, no_sure_ground
from footfall.roadmap.ground import terrain_of
from footfall.roadmap.model import EDGE, Edges, join_edges
from footfall.roadmap.table import Longs, MoveTable, fill_records
from footfall.world.scene import Scene

_SECTORS, _TRIES, _FAILURES = 8, 8, 2
"""Directions that are told apart when the moves to be kept are chosen; how many are tried; how
often moves of a kind fail between two footholds before the others are taken to fail too."""


class PairArrays(NamedTuple):
    """Footholds (F, 4), and the targets that each is tried with: heads[start[f] : start[f + 1]]."""

    start: Longs
    heads: Longs
    footholds: Floats
    targets: Floats


_MOVE = np.dtype([("pair", "i8"), ("kind", "i8"), ("usual", "i8")])
_POSTURE = np.dtype([("most", "i8"), ("settled", "i8")])
_GROUP = np.dtype([("count", "i8"), ("order", "i8"), ("rank", "f8")])
_CANDIDATE = np.dtype([("pair", "i8"), ("move", "i8"), ("cost", "f8"), ("rank", "f8")])


class Choice(NamedTuple):
    """How the moves to be kept are chosen.

    moves     (M,) which are alike, what each shows, and whether it is usual
    postures  (postures,) how many leave one foothold, of usual ones and of others, and whether
              usual moves begin in it
    kinds     how many things moves show
    alike     how many that are alike lead in one of so many directions (sectors)
    failures  how often a kind may fail between two footholds
    """

    moves: Any
    postures: Any
    kinds: int
    alike: int
    sectors: int
    failures: int


def connect(
    table: MoveTable, scene: Scene, footholds: Floats, targets: Floats,
    pairs: tuple[Longs, Longs], many: bool = False, begins: Ints | None = None,
    ends: Ints | None = None, sure: SureGround | None = None, states: Bools | None = None,
) -> Edges:  # fmt: skip
    """What leads from footholds to targets, by pairs of their numbers, in this scene.

    many          all there is, not only what is worth keeping
    begins, ends  only what begins, or ends, in one of these postures
    sure          where any foot stands well, if that is known
    states        (F, postures) the postures that edges begin in, of each foothold; None: any
    """
    from footfall.roadmap import kernels

    tails, heads = map(np.ascontiguousarray, pairs)  # else the kernel is compiled twice
    start = np.searchsorted(tails, np.arange(len(footholds) + 1))
    joined = PairArrays(start, heads, footholds, targets)
    every = np.arange(table.moves.postures)
    allowed = [np.isin(every, every if some is None else some) for some in (begins, ends)]
    choice, groups = _choice(table), table.pairs * _SECTORS
    any_state = np.ones((1, len(every)), np.bool_) if states is None else states
    scene.snapshot()  # before threads ask for it

    def work(span: tuple[int, int]) -> Edges:
        first, stop = span
        terrain = terrain_of(table, scene, sure or no_sure_ground())
        room = 128 * (stop - first) + (len(heads) if many else 0) + 1024
        while True:
            out, told = np.empty(room, EDGE), (first, stop, joined, table.arrays)
            if many:
                count = kernels.connect_all(*told, *allowed, terrain, out)
            else:
                memory = np.zeros(groups, _GROUP), np.empty((groups, _TRIES), _CANDIDATE)
                count = kernels.connect(*told, choice, any_state, memory, terrain, out)
            if count >= 0:
                out = out[:count]
                move = out["move"].astype(np.int32)
                return Edges(out["tail"].copy(), out["head"].copy(), move, out["cost"].copy())
            room *= 2

    spans = _spans(len(footholds))
    with thread_pool(len(spans)) as pool:
        parts = list(pool.map(work, spans)) if len(spans) > 1 else [work(s) for s in spans]
    return join_edges(parts)


def _choice(table: MoveTable) -> Choice:
    settings, moves, every = table.settings, table.moves, np.arange(table.moves.postures)
    # From standing the most different things can be done.
    most = settings.out_degree * np.where(np.isin(every, moves.standing), 2, 1)
    settled = np.isin(every, moves.begins[moves.usual])
    return Choice(
        fill_records(_MOVE, len(moves), pair=table.pair, kind=moves.kind, usual=moves.usual),
        fill_records(_POSTURE, len(every), most=most, settled=settled),
        int(moves.kind.max(initial=0)) + 1, settings.alike, _SECTORS, _FAILURES,
    )  # fmt: skip


def _spans(count: int, most: int = 64) -> list[tuple[int, int]]:
    """Stretches of at most so many."""
    return [(n, min(n + most, count)) for n in range(0, count, most)]


def edge_prints(
    table: MoveTable, footholds: Floats, targets: Floats, edges: Edges
) -> tuple[Floats, Longs]:
    """Where footprints come to be: (P, 4) x, rise, z, yaw, and (E + 1,) whose they are."""
    return lay_edges(table, footholds, targets, edges)[:2]


def lay_edges(
    table: MoveTable, footholds: Floats, targets: Floats, edges: Edges
) -> tuple[Floats, Longs, Floats]:
    """Return footprints as `edge_prints` does, and (E,) how much moves are changed (Eq. 5)."""
    from footfall.roadmap.kernels import lay_moves

    counts = np.diff(table.moves.print_start)[edges.move]
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    out, changes = np.empty((int(starts[-1]), 4)), np.empty(len(edges))
    at = map(np.ascontiguousarray, (footholds, targets))
    lay_moves(edges.packed(), *at, table.arrays, starts, out, changes)
    return out, starts, changes
