"""Edges: which moves lead from footholds to others, in a scene."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from footfall.maths.arrays import Bools, Floats, Ints
from footfall.processes import thread_pool
from footfall.roadmap.footholds import SureGround, no_sure_ground
from footfall.roadmap.ground import ground_of
from footfall.roadmap.model import Edges, join_edges
from footfall.roadmap.table import Longs, MoveTable
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


class Choice(NamedTuple):
    """How the moves to be kept are chosen.

    pair, kind, usual   (M,) which moves are alike, what each shows, and whether it is usual
    settled    (postures,) those that usual moves begin in
    per_state  (postures,) how many leave one foothold, of usual ones and of others
    alike      of them, how many that are alike lead in one of so many directions (sectors)
    tries, failures   how many are tried, and how often a kind may fail between two footholds
    """

    pair: Longs
    pairs: int
    kind: Ints
    kinds: int
    usual: Bools
    settled: Bools
    per_state: Longs
    alike: int
    sectors: int
    tries: int
    failures: int


class EdgeArrays(NamedTuple):
    """Memory for edges."""

    tail: Longs
    head: Longs
    move: NDArray[np.int32]
    cost: Floats


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

    settings, moves = table.settings, table.moves
    tails, heads = map(np.ascontiguousarray, pairs)  # else the kernel is compiled twice
    start = np.searchsorted(tails, np.arange(len(footholds) + 1))
    joined = PairArrays(start, heads, footholds, targets)
    every = np.arange(moves.postures)
    allowed = [np.isin(every, every if some is None else some) for some in (begins, ends)]
    # From standing the most different things can be done.
    per_state = settings.out_degree * np.where(np.isin(every, moves.standing), 2, 1)
    choice = Choice(
        table.pair, table.pairs, moves.kind, int(moves.kind.max(initial=0)) + 1, table.usual,
        np.isin(every, moves.begins[table.usual]), per_state, settings.alike, _SECTORS, _TRIES,
        _FAILURES,
    )  # fmt: skip
    any_state = np.ones((1, moves.postures), np.bool_) if states is None else states
    scene.snapshot()  # before threads ask for it

    def work(span: tuple[int, int]) -> Edges:
        first, stop = span
        ground = ground_of(table, scene, sure or no_sure_ground())
        room = 128 * (stop - first) + (len(heads) if many else 0) + 1024
        while True:
            out = EdgeArrays(np.empty(room, np.int64), np.empty(room, np.int64),
                             np.empty(room, np.int32), np.empty(room))  # fmt: skip
            told = first, stop, joined, table.arrays
            if many:
                count = kernels.connect_all(*told, *allowed, *ground, out)
            else:
                count = kernels.connect(*told, choice, any_state, *ground, out)
            if count >= 0:
                return Edges(*out).only(slice(0, count))
            room *= 2

    spans = _spans(len(footholds))
    with thread_pool(len(spans)) as pool:
        parts = list(pool.map(work, spans)) if len(spans) > 1 else [work(s) for s in spans]
    return join_edges(parts)


def _spans(count: int, most: int = 64) -> list[tuple[int, int]]:
    """Stretches of at most so many."""
    return [(n, min(n + most, count)) for n in range(0, count, most)]


def edge_prints(
    table: MoveTable, footholds: Floats, targets: Floats, edges: Edges
) -> tuple[Floats, Longs]:
    """Where footprints come to be: (P, 4) x, rise, z, yaw, and (E + 1,) whose they are."""
    from footfall.roadmap.kernels import lay_prints

    counts = np.diff(table.moves.print_start)[edges.move]
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    out = np.empty((int(starts[-1]), 4))
    lay_prints(edges.tail, edges.head, edges.move, footholds, targets, table.arrays, starts, out)
    return out, starts
