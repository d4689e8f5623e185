"""A roadmap: footholds, and the moves that lead from one to another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.maths.arrays import Floats
from footfall.roadmap.footholds import SureGround
from footfall.roadmap.moves import Moves
from footfall.roadmap.table import Longs, MoveTable, fill_records

EDGE = np.dtype([("tail", "i8"), ("head", "i8"), ("move", "i8"), ("cost", "f8")])


@dataclass(frozen=True, eq=False)
class Edges:
    """E edges: which foothold they leave and reach, by which move, at what cost."""

    tail: Longs
    head: Longs
    move: NDArray[np.int32]
    cost: Floats

    def __len__(self) -> int:
        return len(self.tail)

    def packed(self) -> Any:
        """The edges as kernels take them, records of `EDGE`."""
        return fill_records(
            EDGE, len(self), tail=self.tail, head=self.head, move=self.move, cost=self.cost
        )

    def only(self, rows: Any) -> Edges:
        return Edges(self.tail[rows], self.head[rows], self.move[rows], self.cost[rows])


def join_edges(parts: Iterable[Edges]) -> Edges:
    """All of them as one."""
    parts = list(parts)
    if not parts:
        return Edges(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int32),
                     np.empty(0))  # fmt: skip
    return Edges(*(np.concatenate([getattr(p, name) for p in parts])
                   for name in ("tail", "head", "move", "cost")))  # fmt: skip


@dataclass(frozen=True, eq=False)
class Roadmap:
    """Footholds (N, 4: x, height, z, yaw) and the moves between them, sorted by tail and posture.

    out_start  (N * postures + 1,) the first edge of each foothold in each posture
    """

    table: MoveTable
    nodes: Floats
    edges: Edges
    out_start: Longs = field(repr=False)
    sure: SureGround = field(repr=False)

    @property
    def moves(self) -> Moves:
        return self.table.moves

    @cached_property
    def packed(self) -> Any:
        """The edges as kernels take them."""
        return self.edges.packed()

    @cached_property
    def states(self) -> int:
        """Footholds times postures."""
        return len(self.nodes) * self.moves.postures


def assemble(table: MoveTable, nodes: Floats, edges: Edges, sure: SureGround) -> Roadmap:
    """A roadmap of footholds and edges, sorted."""
    postures = table.moves.postures
    state = edges.tail * postures + table.moves.begins[edges.move]
    order = np.lexsort((edges.cost, state))
    out_start = np.searchsorted(state[order], np.arange(len(nodes) * postures + 1))
    return Roadmap(table, nodes, edges.only(order), out_start.astype(np.int64), sure)
