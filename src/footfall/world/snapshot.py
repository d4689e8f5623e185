"""A scene at one moment, packed for the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from footfall.maths.arrays import Floats, Ints
from footfall.world.collision.broadphase import Cells
from footfall.world.ground import sealed
from footfall.world.obstacles import BOX, CYLINDER, Solids, join

_WIDTH = 32
_UPRIGHT = 1.0 - 1e-9
RING = np.dtype([
    ("kind", "i8"), ("first", "i8"), ("stop", "i8"), ("level", "f8"), ("low_x", "f8"),
    ("low_z", "f8"), ("high_x", "f8"), ("high_z", "f8"),
])  # fmt: skip
"""A polygon: OUTLINE, HOLE or SEA, its first corner and the one after its last, the water's level,
and its bounds. The outline comes first; water without corners is everywhere."""
GRID = np.dtype([
    ("x", "f8"), ("z", "f8"), ("side", "f8"), ("columns", "i8"), ("rows", "i8"), ("starts", "i8"),
    ("moving", "i8"), ("closed", "i8"),
])  # fmt: skip
"""Square cells of the broad phase: their corner, where their starts are in `World.cells`, the
index from which on primitives move, and whether any belongs to a closed mesh. (Those that move
are few and looked at one by one.)"""
WORK = np.dtype([
    ("probe", "f8", (6,)), ("axes", "f8", (2, 3, 3)), ("hull", "f8", (56, 2)), ("box", "f8", (32,)),
    ("at", "f8", (15, 2)), ("y", "f8", (15,)),
])  # fmt: skip
"""Memory to work in: the probe of a search, separating axes, corners of a hull, the box of a foot
as a row of the table of primitives, and the points under a sole with their heights."""
FOOT = np.dtype([
    ("half_length", "f8"), ("half_width", "f8"), ("height", "f8"), ("slope", "f8"),
    ("roughness", "f8"),
])  # fmt: skip
"""The box of a foot, the tangent of the steepest slope it stands on, and how uneven that may be."""


class World(NamedTuple):
    """What kernels know of a scene.

    ground, heights  the height field, see `ground`
    table            (B, 32) primitives, see `shape_kernels`
    grids, cells     (2,) the broad phase over all primitives that stand still, and over the solid
                     ones alone, and what their cells list, see `broadphase`
    points, rings    (P, 2) polygon corners and (R,) polygons
    """

    ground: np.void
    heights: Floats
    table: Floats
    grids: Any
    cells: Ints
    points: Floats
    rings: Any


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The primitives at one time, and the world that kernels take.

    still, moving  primitives that stand still, and those of obstacles that move, after them
    """

    time: float
    still: Solids
    moving: Solids | None
    world: World

    @cached_property
    def solids(self) -> Solids:
        """All primitives."""
        return self.still if self.moving is None else join([self.still, self.moving])

    @property
    def count(self) -> int:
        """How many primitives there are."""
        return len(self.still) + (0 if self.moving is None else len(self.moving))


def empty_table(count: int) -> Floats:
    """Memory for a (B, 32) table; rows begin where a line of the processor's cache does."""
    memory = np.zeros(count * _WIDTH + 8)
    skip = (-memory.ctypes.data % 64) // 8
    table: Floats = memory[skip : skip + count * _WIDTH].reshape(count, _WIDTH)
    return table


def pack_solids(solids: Solids) -> Floats:
    """Return the primitives as the (B, 32) table that kernels take, see `shape_kernels`."""
    count = len(solids)
    table = empty_table(count)
    flags = (solids.walkable, solids.closed, solids.owner)
    table[:, 0], table[:, 1] = solids.kind, solids.solid
    table[:, 2:5], table[:, 5:8] = solids.low, solids.high
    table[:, 8], table[:, 9], table[:, 10] = flags
    table[:, 11:14], table[:, 14:23] = solids.centre, solids.frame.reshape(count, 9)
    table[:, 23:26] = solids.half
    level = np.abs(solids.frame.reshape(count, 9)[:, 4]) > _UPRIGHT
    table[:, 26] = (solids.kind == CYLINDER) | ((solids.kind == BOX) & level)
    sealed_table: Floats = sealed(table)
    return sealed_table


def scratch() -> Any:
    """Return a `WORK` record; one for each call, so that threads may ask."""
    return np.zeros(1, WORK)[0]


def pack_cells(both: tuple[Cells, Cells], moving_from: int, closed: bool) -> tuple[Any, Ints]:
    """Return the grids (2,) over all and over solid primitives, and what their cells list."""
    grids, lists, first = np.zeros(2, GRID), [], 0
    for k, cells in enumerate(both):
        if k and cells is both[0]:
            grids[1] = grids[0]
            break
        grids[k] = (
            cells.x0, cells.z0, cells.side, cells.nx, cells.nz, first, moving_from, closed
        )  # fmt: skip
        lists += [cells.starts + (first + len(cells.starts)), cells.items]
        first += len(cells.starts) + len(cells.items)
    return sealed(grids), sealed(np.concatenate(lists).astype(np.int32))


def pack_rings(
    outline: Floats, holes: Sequence[Floats], waters: Sequence[tuple[float, Floats | None]]
) -> tuple[Floats, Any]:
    """Return polygon corners (P, 2) and polygons (R,), see `RING`."""
    everywhere = np.zeros((0, 2))
    shapes = [(0, 0.0, outline), *((1, 0.0, hole) for hole in holes)]
    shapes += [(2, level, everywhere if p is None else p) for level, p in waters]
    rings, first = np.zeros(len(shapes), RING), 0
    for k, (kind, level, corners) in enumerate(shapes):
        low = corners.min(axis=0, initial=np.inf) if len(corners) else (-np.inf, -np.inf)
        high = corners.max(axis=0, initial=-np.inf) if len(corners) else (np.inf, np.inf)
        rings[k] = (kind, first, first + len(corners), level, *low, *high)
        first += len(corners)
    return sealed(np.concatenate([s[2] for s in shapes])), sealed(rings)
