"""A scene at one moment, packed for the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from footfall.maths.arrays import Floats
from footfall.world.ground import sealed
from footfall.world.obstacles import Solids, join

_WIDTH = 32


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The primitives at one time, and the world tuple that every kernel takes.

    still, moving  primitives that stand still, and those of obstacles that move, after them
    world          eleven arrays, see `surface_kernels`
    """

    time: float
    still: Solids
    moving: Solids | None
    world: Any

    @cached_property
    def solids(self) -> Solids:
        """All primitives."""
        return self.still if self.moving is None else join([self.still, self.moving])

    @property
    def count(self) -> int:
        """How many primitives there are."""
        return len(self.still) + (0 if self.moving is None else len(self.moving))

    @cached_property
    def has_closed(self) -> bool:
        """Whether any primitive belongs to a closed mesh."""
        return any(bool(s.closed.any()) for s in (self.still, self.moving) if s is not None)

    def at_moment(self, table: Floats) -> Moment:
        """The same world with other rows in its table of primitives."""
        ground, field, _, *rest = self.world
        return Moment((ground, field, table, *rest), self.count, self.has_closed)


@dataclass(frozen=True, eq=False)
class Moment:
    """What kernels are told of a scene at one time: world tuple, number of primitives, and
    whether any belongs to a closed mesh."""

    world: Any
    count: int
    has_closed: bool


def empty_table(count: int) -> Floats:
    """Memory for a (B, 32) table; rows begin where a line of the processor's cache does."""
    memory = np.zeros(count * _WIDTH + 8)
    skip = (-memory.ctypes.data % 64) // 8
    table: Floats = memory[skip : skip + count * _WIDTH].reshape(count, _WIDTH)
    return table


def pack_solids(solids: Solids) -> Floats:
    """The primitives as the (B, 32) table that kernels take, see `shape_kernels`."""
    count = len(solids)
    table = empty_table(count)
    flags = (solids.walkable, solids.closed, solids.owner)
    table[:, 0], table[:, 1] = solids.kind, solids.solid
    table[:, 2:5], table[:, 5:8] = solids.low, solids.high
    table[:, 8], table[:, 9], table[:, 10] = flags
    table[:, 11:14], table[:, 14:23] = solids.centre, solids.frame.reshape(count, 9)
    table[:, 23:26] = solids.half
    sealed_table: Floats = sealed(table)
    return sealed_table


def scratch() -> tuple[Any, ...]:
    """Memory for kernels to work in, see `query_kernels`; one for each call, so threads may ask."""
    sole = (np.empty(15), np.empty(15))
    return np.empty((2, 3, 3)), np.empty((56, 2)), np.zeros((1, _WIDTH)), np.empty((15, 2)), sole


def pack_rings(
    outline: Floats, holes: Sequence[Floats], waters: Sequence[tuple[float, Floats | None]]
) -> tuple[Floats, Floats]:
    """Polygon corners (P, 2) and polygons (R, 8), see `surface_kernels`."""
    everywhere = np.zeros((0, 2))
    shapes = [(0.0, 0.0, outline), *((1.0, 0.0, hole) for hole in holes)]
    shapes += [(2.0, level, everywhere if p is None else p) for level, p in waters]
    rings, first = [], 0
    for what, level, corners in shapes:
        bounds = (
            [*corners.min(axis=0), *corners.max(axis=0)]
            if len(corners)
            else [-np.inf, -np.inf, np.inf, np.inf]
        )
        rings.append([what, first, first + len(corners), level, *bounds])
        first += len(corners)
    return sealed(np.concatenate([s[2] for s in shapes])), sealed(np.array(rings))
