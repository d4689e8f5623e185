"""The cheapest path over a grid of cells."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from footfall.maths.arrays import Floats, Ints
from footfall.search.shortest_path import graph_of_edges, search_all

Slices = tuple[slice, slice]
EIGHT = ((0, 1), (1, 0), (1, 1), (1, -1))
"""Steps to the eight neighbours of a cell; each also leads back."""
SIXTEEN = (*EIGHT, (1, 2), (2, 1), (1, -2), (2, -1))
"""Those and the moves of a knight, for straighter lines."""


def find_cell_path(
    prices: Floats, cell_m: float, start: tuple[int, int], goal: tuple[int, int],
    steps: tuple[tuple[int, int], ...] = EIGHT,
    surcharge: Callable[[Slices, Slices], Floats] | None = None,
) -> Ints:  # fmt: skip
    """Return the cells (L, 2) of the cheapest path from start to goal.

    prices     (I, J) what a metre costs in each cell; a step costs the mean of its two cells
    surcharge  what a step costs beside that, for all pairs of cells of two parts of the grid
    """
    shape = prices.shape
    number = np.arange(prices.size).reshape(shape)
    tails, heads, costs = [], [], []
    for di, dj in steps:
        a = slice(0, shape[0] - di), slice(max(-dj, 0), shape[1] - max(dj, 0))
        b = slice(di, shape[0]), slice(max(dj, 0), shape[1] + min(dj, 0))
        cost = 0.5 * (prices[a] + prices[b]) * cell_m * float(np.hypot(di, dj))
        if surcharge is not None:
            cost = cost + surcharge(a, b)
        for one, other in ((a, b), (b, a)):
            tails.append(number[one].ravel())
            heads.append(number[other].ravel())
            costs.append(cost.ravel())
    graph = graph_of_edges(
        np.concatenate(tails), np.concatenate(heads), np.concatenate(costs), prices.size
    )
    end = int(number[goal])
    nodes = search_all(graph, [int(number[start])], goal=end).path_to(end)
    return np.stack(np.unravel_index(nodes, shape), axis=1).astype(np.int32)


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
