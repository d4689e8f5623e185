"""Pairs of windows that are nearer than all pairs around them, found tile by tile.

The whole matrix of distances never exists: a tile is computed with a margin of one row and
column, searched, and forgotten. Distances are symmetric, so only pairs whose second window comes
after the first are looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock, local

import numpy as np
from numpy.typing import NDArray

from footfall.maths.arrays import Floats, Ints
from footfall.pose.metrics import Metric, TileMemory
from footfall.processes import share_out

MOST_MINIMA = 4_000_000
TILE = 256
"""Rows and columns of a tile: what belongs to it stays in a core's own cache."""


@dataclass(frozen=True, eq=False)
class Minima:
    """Local minima of the distances between windows, nearest first.

    first, second  (N,) the frames at which the windows start; first < second
    distance       (N,) to 32 bits
    counts         how many of all pairs there are by the leading bits of their distance
    pairs          how many pairs were compared: those of one clip at least a window apart
    complete       whether all minima up to the cut are there, not just the nearest
    """

    first: Ints
    second: Ints
    distance: NDArray[np.float32]
    counts: NDArray[np.int64]
    complete: bool = True

    def __len__(self) -> int:
        return len(self.first)

    @property
    def pairs(self) -> int:
        return int(self.counts.sum())

    def percentile(self, share: float) -> float:
        """Return the distance below which `share` percent of all pairs lie.

        Pairs are counted by the first 8 binary digits of their distances, so it is exact to
        0.4 %.
        """
        total = np.cumsum(self.counts)
        if not len(total) or total[-1] == 0:
            return 0.0
        wanted = share / 100.0 * float(total[-1])
        place = min(int(np.searchsorted(total, wanted)), len(total) - 1)
        low, high = (float(v) for v in _edges(np.array([place, place + 1])))
        here = float(self.counts[place])
        part = (wanted - (float(total[place]) - here)) / here if here else 0.0
        return low + min(max(part, 0.0), 1.0) * (high - low)


def find_minima(
    metric: Metric,
    cut: float = np.inf,
    *,
    most: int = MOST_MINIMA,
    tile: int = TILE,
    progress: Callable[[float], None] | None = None,
) -> Minima:
    """Return every pair of windows up to `cut` that is nearer than the eight pairs around it.

    Where a clip ends, the neighbours that are there decide; of equal neighbours the first counts.
    Pairs of one clip less than a window apart are the motion itself and left out. If there are
    more than `most`, the nearest are kept.
    """
    frames = len(metric.frames)
    keep = _Keeper(cut, most)
    tops = range(0, frames, tile)
    jobs = [(top, side) for top in tops for side in tops if side >= top]
    own = local()

    def work(job: tuple[int, int]) -> None:
        if not hasattr(own, "desk"):
            own.desk = keep.new_desk(tile)
        keep.add(*_search(metric, *job, tile, keep.cut, own.desk))
        if progress is not None:
            progress(keep.tiles / len(jobs))

    share_out(work, jobs)
    return keep.result()


@dataclass
class _Desk:
    """What one thread works with: memory for a tile, for what it finds, and its counts."""

    room: TileMemory
    pairs: NDArray[np.int32]
    values: NDArray[np.float32]
    counts: NDArray[np.int64]


def _search(
    metric: Metric, top: int, side: int, tile: int, cut: float, desk: _Desk
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Return the minima of one tile, looked at with a margin of one row and column."""
    from footfall.pose.kernels import tile_minima

    frames = len(metric.frames)
    rows = range(max(top - 1, 0), min(top + tile + 1, frames))
    columns = range(max(side - 1, 0), min(side + tile + 1, frames))
    part = metric.tile(rows, columns, desk.room)
    found = tile_minima(
        part, part.view(np.int32), metric.frames.clip, top, side, tile, metric.window,
        np.float32(cut), desk.counts, desk.pairs, desk.values,
    )  # fmt: skip
    return desk.pairs[:found].copy(), desk.values[:found].copy()


class _Keeper:
    """The nearest pairs so far; drops the farther half when there are too many."""

    def __init__(self, cut: float, most: int) -> None:
        self.cut, self.most, self.complete, self.tiles = cut, most, True, 0
        self._parts: list[tuple[NDArray[np.int32], NDArray[np.float32]]] = []
        self._desks: list[_Desk] = []
        self._count = 0
        self._lock = Lock()

    def new_desk(self, tile: int) -> _Desk:
        """Return a desk whose counts go into the result."""
        # No two neighbours are both minima, so a quarter of the pairs is the most there can be.
        most = ((tile + 1) // 2) ** 2
        desk = _Desk(
            TileMemory(), np.empty((most, 2), np.int32), np.empty(most, np.float32),
            np.zeros(1 << 16, np.int64),
        )  # fmt: skip
        with self._lock:
            self._desks.append(desk)
        return desk

    def add(self, pairs: NDArray[np.int32], values: NDArray[np.float32]) -> None:
        with self._lock:
            self.tiles += 1
            self._parts.append((pairs, values))
            self._count += len(values)
            if self._count > 2 * self.most:
                self._thin()

    def _thin(self) -> None:
        pairs = np.concatenate([pairs for pairs, _ in self._parts])
        values = np.concatenate([values for _, values in self._parts])
        if len(values) > self.most:
            order = np.argpartition(values, self.most - 1)[: self.most]
            pairs, values = pairs[order], values[order]
            self.cut, self.complete = float(values.max()), False
        self._parts, self._count = [(pairs, values)], len(values)

    def result(self) -> Minima:
        self._thin()
        pairs, values = self._parts[0]
        order = np.lexsort((pairs[:, 1], pairs[:, 0], values))
        counts = np.sum([desk.counts for desk in self._desks], axis=0)
        return Minima(
            pairs[order, 0], pairs[order, 1], values[order], counts, complete=self.complete
        )


def _edges(places: NDArray[np.int64]) -> Floats:
    """Return the distances whose leading 16 bits are `places`."""
    return (places.astype(np.int32) << 15).view(np.float32).astype(np.float64)
