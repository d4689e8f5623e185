"""The cheapest path over a grid of cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from footfall.maths.arrays import Floats, Ints
from footfall.search.shortest_path import SparseGraph, search_all

Longs = NDArray[np.int64]
Slices = tuple[slice, slice]
Steps = tuple[tuple[int, int], ...]
EIGHT = ((0, 1), (1, 0), (1, 1), (1, -1))
"""Steps to the eight neighbours of a cell; each also leads back."""
SIXTEEN = (*EIGHT, (1, 2), (2, 1), (1, -2), (2, -1))
"""Those and the moves of a knight, for straighter lines."""


def find_cell_path(
    prices: Floats, cell_m: float, start: tuple[int, int], goal: tuple[int, int],
    steps: Steps = EIGHT, surcharge: Callable[[Slices, Slices], Floats] | None = None,
) -> Ints:  # fmt: skip
    """Return the cells (L, 2) of the cheapest path from start to goal.

    prices     (I, J) what a metre costs in each cell; a step costs the mean of its two cells
    surcharge  what a step costs beside that, for all pairs of cells of two parts of the grid
    """
    costs = []
    for (di, dj), a, b in _steps_between(prices.shape, steps):
        cost = 0.5 * (prices[a] + prices[b]) * cell_m * float(np.hypot(di, dj))
        if surcharge is not None:
            cost = cost + surcharge(a, b)
        costs += [cost.ravel()] * 2
    start_of, heads, order = _edges_between(prices.shape, steps)
    graph = SparseGraph(start_of, heads, np.concatenate(costs)[order])
    number = np.arange(prices.size).reshape(prices.shape)
    end = int(number[goal])
    nodes = search_all(graph, [int(number[start])], goal=end).path_to(end)
    return np.stack(np.unravel_index(nodes, prices.shape), axis=1).astype(np.int32)


def _steps_between(
    shape: tuple[int, ...], steps: Steps
) -> Iterator[tuple[tuple[int, int], Slices, Slices]]:
    """Yield each step with the parts of a grid that it leads from and to."""
    for di, dj in steps:
        a = slice(0, shape[0] - di), slice(max(-dj, 0), shape[1] - max(dj, 0))
        b = slice(di, shape[0]), slice(max(dj, 0), shape[1] + min(dj, 0))
        yield (di, dj), a, b


@lru_cache(maxsize=8)
def _edges_between(shape: tuple[int, ...], steps: Steps) -> tuple[Longs, Longs, Longs]:
    """Return where the edges of each cell begin, their heads, and their order among all steps."""
    number = np.arange(shape[0] * shape[1], dtype=np.int64).reshape(shape)
    tails, heads = [], []
    for _, a, b in _steps_between(shape, steps):
        tails += [number[a].ravel(), number[b].ravel()]
        heads += [number[b].ravel(), number[a].ravel()]
    tail = np.concatenate(tails)
    order = np.argsort(tail, kind="stable").astype(np.int64)
    start = np.zeros(number.size + 1, np.int64)
    np.cumsum(np.bincount(tail, minlength=number.size), out=start[1:])
    return start, np.concatenate(heads)[order], order


def pull_straight(line: Floats, cost: Callable[[Floats, Floats], float]) -> Floats:
    """Return a line (N, 2) without points where the straight line costs no more.

    cost  of the straight line between two points
    """
    each = np.array([cost(a, b) for a, b in pairwise(line)])
    total = np.concatenate([[0.0], np.cumsum(each)])
    kept, here = [0], 0
    while here < len(line) - 1:
        step = len(line) - 1
        while step > here + 1 and cost(line[here], line[step]) > 1.02 * (total[step] - total[here]):
            step = here + max((step - here) // 2, 1)
        kept.append(step)
        here = step
    return line[kept]
