"""The broad phase: a uniform grid over the ground plane that says which primitives are near.

Cells hold sorted primitive indices in one array (`starts` says where each cell begins), so a
query touches the cells near it and no others, however many obstacles are further away.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.maths.arrays import Floats, Ints

Indices = NDArray[np.integer[Any]]
_SMALLEST_CELL_M = 0.05
_MAX_CELLS = 1 << 20


@dataclass(frozen=True, eq=False)
class Cells:
    """nz x nx square cells from the corner (x0, z0).

    starts  (nz * nx + 1,) where each cell's items begin, row by row
    items   primitive indices, sorted within a cell
    """

    x0: float
    z0: float
    side: float
    nx: int
    nz: int
    starts: Ints
    items: Ints


def build_cells(low: Floats, high: Floats, which: Ints) -> Cells:
    """Cells over the ground-plane bounds `low` and `high` (B, 3) of the primitives `which`."""
    low, high = low[which], high[which]
    count = len(low)
    if count == 0:
        return Cells(0.0, 0.0, 1.0, 0, 0, np.zeros(1, np.int32), np.zeros(0, np.int32))
    low2, high2 = low[:, [0, 2]], high[:, [0, 2]]
    corner = low2.min(axis=0)
    extent = high2.max(axis=0) - corner
    side = max(_SMALLEST_CELL_M, float(np.sqrt(extent[0] * extent[1] / (2.0 * count))))
    while True:
        # Floats to cells: a huge or a needle-thin world must not ask for endless cells, and
        # long walls must not fill more cells than the memory they are worth.
        shape = np.floor(extent / side) + 1.0
        if shape[0] * shape[1] <= _MAX_CELLS:
            first = np.floor((low2 - corner) / side).astype(np.int64)
            last = np.floor((high2 - corner) / side).astype(np.int64)
            span = last - first + 1
            total = int((span[:, 0] * span[:, 1]).sum())
            if total <= 16 * count + 4096:
                break
        side *= 2.0
    nx, nz = int(shape[0]), int(shape[1])
    cells, items = _entries(first, span, nx, total)
    order = np.argsort(cells, kind="stable")
    starts = np.zeros(nx * nz + 1, dtype=np.int32)
    np.cumsum(np.bincount(cells, minlength=nx * nz), out=starts[1:])
    return Cells(
        float(corner[0]),
        float(corner[1]),
        side,
        nx,
        nz,
        starts,
        which[items[order]].astype(np.int32),
    )


def _entries(
    first: np.ndarray, span: np.ndarray, nx: int, total: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return (total,) cell and (total,) item of every (primitive, cell) pair, by item."""
    each = span[:, 0] * span[:, 1]
    items = np.repeat(np.arange(len(first)), each)
    within = np.arange(total) - np.repeat(np.cumsum(each) - each, each)
    width = span[items, 0]
    column = first[items, 0] + within % width
    row = first[items, 1] + within // width
    return row * nx + column, items


def change_cells(
    cells: Cells, low: Floats, high: Floats, where: Indices, gone: Indices, fresh: Indices
) -> Cells:
    """Return the cells with some primitives removed and others added, leaving the rest.

    low, high  (B, 3) bounds of all primitives that there are now
    where      the present index of each former primitive       gone   former indices
    fresh      indices of those that are new
    What leaves the cells, or is too many or too few for them, gets cells of its own size.
    """
    stays = np.ones(len(where), np.bool_)
    stays[gone] = False
    stays = stays[cells.items]
    corner = np.array([cells.x0, cells.z0])
    first = np.floor((low[fresh][:, ::2] - corner) / cells.side).astype(np.int64)
    last = np.floor((high[fresh][:, ::2] - corner) / cells.side).astype(np.int64)
    total = int((last - first + 1).prod(axis=1).sum())
    fits = not len(fresh) or (first.min() >= 0 and (last.max(axis=0) < (cells.nx, cells.nz)).all())
    crowd = cells.nx * cells.nz / (2.0 * max(len(low), 1))
    if not fits or total > 4096 or not 0.25 <= crowd <= 4.0:
        others = np.unique(where[cells.items[stays]])
        return build_cells(low, high, np.union1d(others, fresh).astype(np.int32))
    new, items = _entries(first, last - first + 1, cells.nx, total)
    counts = np.diff(cells.starts)
    own = np.repeat(np.arange(len(counts)), counts)[stays]
    kept, fresh = where[cells.items[stays]], fresh[items]
    # Within a cell the indices rise: what is new is put in its place.
    new_key = new * len(low) + fresh
    order = np.argsort(new_key)
    spots = np.searchsorted(own * len(low) + kept, new_key[order])
    is_new = np.zeros(len(kept) + total, np.bool_)
    is_new[spots + np.arange(total)] = True
    whole = np.empty(len(is_new), np.int32)
    whole[is_new], whole[~is_new] = fresh[order], kept
    counts = np.bincount(own, minlength=len(counts)) + np.bincount(new, minlength=len(counts))
    starts = np.zeros(len(counts) + 1, dtype=np.int32)
    np.cumsum(counts, out=starts[1:])
    return Cells(cells.x0, cells.z0, cells.side, cells.nx, cells.nz, starts, whole)
