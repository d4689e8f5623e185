"""Pairs of windows that are nearer than all pairs around them, found tile by tile.

The whole matrix of distances never exists: a tile is computed with a margin of one row and
column, searched, and forgotten. Distances are symmetric, so only pairs whose second window comes
after the first are looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.maths.arrays import Floats, Ints
from footfall.pose.metrics import Metric

MOST_MINIMA = 4_000_000
TILE = 1024


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
        """The distance below which `share` percent of all pairs lie.

        Pairs are counted by the first 9 bits of their distances' digits, so it is exact to
        0.2 %.
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
    """Every pair of windows up to `cut` that is nearer than the eight pairs around it.

    Where a clip ends, the neighbours that are there decide; of equal neighbours the first counts.
    Pairs of one clip less than a window apart are the motion itself and left out. If there are
    more than `most`, the nearest are kept.
    """
    from footfall.pose.kernels import tile_minima

    frames = len(metric.frames)
    clip = metric.frames.clip
    keep = _Keeper(cut, most)
    counts = np.zeros(1 << 16, dtype=np.int64)
    pairs = np.empty(((tile + 2) * (tile + 2) // 4 + 2 * tile + 4, 2), dtype=np.int32)
    values = np.empty(len(pairs), dtype=np.float32)
    tops = range(0, frames, tile)
    todo = [(top, side) for top in tops for side in tops if side >= top]
    for done, (top, side) in enumerate(todo):
        rows = range(max(top - 1, 0), min(top + tile + 1, frames))
        columns = range(max(side - 1, 0), min(side + tile + 1, frames))
        part = metric.tile(rows, columns)
        found = tile_minima(
            part, part.view(np.int32), clip, rows.start, columns.start, metric.window,
            np.float32(keep.cut), top - rows.start, min(top + tile, frames) - rows.start,
            side - columns.start, min(side + tile, frames) - columns.start,
            counts, pairs, values,
        )  # fmt: skip
        keep.add(pairs[:found], values[:found])
        if progress is not None:
            progress((done + 1) / len(todo))
    first, second, distance = keep.sorted()
    return Minima(first, second, distance, counts, complete=keep.complete)


class _Keeper:
    """The nearest pairs so far; drops the farther half when there are too many."""

    def __init__(self, cut: float, most: int) -> None:
        self.cut, self.most, self.complete = cut, most, True
        self._pairs: list[NDArray[np.int32]] = []
        self._values: list[NDArray[np.float32]] = []
        self._count = 0

    def add(self, pairs: NDArray[np.int32], values: NDArray[np.float32]) -> None:
        self._pairs.append(pairs.copy())
        self._values.append(values.copy())
        self._count += len(values)
        if self._count > 2 * self.most:
            self._thin()

    def _thin(self) -> None:
        pairs, values = np.concatenate(self._pairs), np.concatenate(self._values)
        if len(values) > self.most:
            order = np.sort(np.argpartition(values, self.most)[: self.most])
            pairs, values = pairs[order], values[order]
            self.cut, self.complete = float(values.max()), False
        self._pairs, self._values, self._count = [pairs], [values], len(values)

    def sorted(self) -> tuple[Ints, Ints, NDArray[np.float32]]:
        if self._pairs:
            self._thin()
        pairs = self._pairs[0] if self._pairs else np.zeros((0, 2), np.int32)
        values = self._values[0] if self._values else np.zeros(0, np.float32)
        order = np.lexsort((pairs[:, 1], pairs[:, 0], values))
        return pairs[order, 0], pairs[order, 1], values[order]


def _edges(places: NDArray[np.int64]) -> Floats:
    """The distances whose leading 16 bits are `places`."""
    return (places.astype(np.int32) << 15).view(np.float32).astype(np.float64)
