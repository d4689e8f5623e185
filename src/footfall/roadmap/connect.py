"""Edges: which moves lead from footholds to others, in a scene."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from footfall.maths.arrays import Floats, Ints
from footfall.roadmap.footholds import SureGround, no_sure_ground
from footfall.roadmap.model import Edges, join_edges
from footfall.roadmap.moves import SHORT_M
from footfall.roadmap.table import Longs, MoveTable
from footfall.world.collision.queries import body_clearance
from footfall.world.scene import Scene
from footfall.world.snapshot import scratch

_SECTORS = 8
"""Directions that are told apart when the moves to be kept are chosen."""


def connect(
    table: MoveTable, scene: Scene, footholds: Floats, targets: Floats,
    pairs: tuple[Longs, Longs], many: bool = False, begins: Ints | None = None,
    ends: Ints | None = None, sure: SureGround | None = None,
) -> Edges:  # fmt: skip
    """What leads from footholds to targets, by pairs of their numbers, in this scene.

    many          all there is, not only what is worth keeping
    begins, ends  only what begins, or ends, in one of these postures
    sure          where any foot stands well, if that is known
    """
    from footfall.roadmap import kernels

    settings, moves = table.settings, table.moves
    tails, heads = map(np.ascontiguousarray, pairs)  # else the kernel is compiled twice
    start = np.searchsorted(tails, np.arange(len(footholds) + 1))
    per_state, per_group = (1 << 30, 1 << 20) if many else (settings.out_degree, settings.alike)
    moment = scene.snapshot()
    sole, limits = table.sole, table.limits
    clear = _clearances(table, scene, footholds)
    sure = sure or no_sure_ground()
    every = np.arange(moves.postures)
    allowed = [np.isin(every, every if some is None else some) for some in (begins, ends)]
    costs = table.costs

    def work(span: tuple[int, int]) -> Edges:
        first, stop = span
        room = 64 * (stop - first) + (len(heads) if many else 0) + 1024
        while True:
            out = Edges(
                np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int32),
                np.empty(room),
            )  # fmt: skip
            count = kernels.connect(
                first, stop, start, heads, footholds, targets, table.arrays, costs,
                table.bins, table.starts, table.items, limits,
                (per_state, per_group, _SECTORS), sole, clear, moment.world, moment.has_closed,
                scratch(), np.empty(max(len(moment.solids), 1), np.int32), sure.heights,
                sure.level, *allowed, out.tail, out.head, out.move, out.cost,
            )  # fmt: skip
            if count >= 0:
                return out.only(slice(0, count))
            room *= 2

    spans = _spans(len(footholds))
    with ThreadPoolExecutor(max_workers=len(os.sched_getaffinity(0))) as pool:
        parts = list(pool.map(work, spans)) if len(spans) > 1 else [work(s) for s in spans]
    return join_edges(parts)


def _spans(count: int, most: int = 64) -> list[tuple[int, int]]:
    """Stretches of at most so many."""
    return [(n, min(n + most, count)) for n in range(0, count, most)]


def _clearances(table: MoveTable, scene: Scene, footholds: Floats) -> Floats:
    """(F,) how far obstacles are from each foothold, as far as any move reaches."""
    reach = 1.3 * float(table.moves.radius.max(initial=1.0))
    if not len(scene.obstacles) or not len(footholds):
        return np.full(len(footholds), np.inf)
    clear, _ = body_clearance(
        scene, footholds[:, [0, 2]], base=footholds[:, 1], step_height=0.05, body_height=2.5,
        reach=reach,
    )  # fmt: skip
    return np.where(clear >= reach, np.inf, clear)


def edge_prints(
    table: MoveTable, footholds: Floats, targets: Floats, edges: Edges
) -> tuple[Floats, Longs]:
    """Where footprints come to be: (P, 4) x, rise, z, yaw, and (E + 1,) whose they are."""
    from footfall.roadmap.kernels import lay_prints

    counts = np.diff(table.moves.print_start)[edges.move]
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    out = np.empty((int(starts[-1]), 4))
    lay_prints(
        edges.tail, edges.head, edges.move, footholds, targets, table.arrays, SHORT_M, starts, out
    )
    return out, starts
