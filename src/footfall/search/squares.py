"""Distances over the corners of squares, of which some are open: paths run through these alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from footfall.maths.arrays import Bools, Floats
from footfall.search.shortest_path import FAR, SparseGraph, graph_of_edges, search_all

_STEPS = (
    ((0, 1), ((0, 0), (-1, 0)), "either"), ((1, 0), ((0, 0), (0, -1)), "either"),
    ((1, 1), ((0, 0),), "all"), ((1, -1), ((0, -1),), "all"),
    ((1, 2), ((0, 0), (0, 1)), "all"), ((2, 1), ((0, 0), (1, 0)), "all"),
    ((1, -2), ((0, -1), (0, -2)), "all"), ((2, -1), ((0, -1), (1, -1)), "all"),
)  # fmt: skip
"""Steps from corner to corner, the squares beside or below each, seen from the corner that it
leaves, and whether all of these have to be open. Each also leads back."""


def open_squares(corridor: Bools, first: Floats, cell: float, reach: float) -> Bools:
    """Return (I, K) whether squares hold a point within `reach` of open cells (X, Z).

    All is in lengths of a square: `first` (2,) is where the middle of the first cell is, seen
    from the first corner of the squares, and `cell` is how wide cells are. A border of squares
    beyond the cells is looked at as well.
    """
    counts = np.ceil(np.array(corridor.shape) * cell + 2.0).astype(int) + 1
    total = np.zeros((corridor.shape[0] + 1, corridor.shape[1] + 1), np.int32)
    total[1:, 1:] = corridor.astype(np.int32).cumsum(axis=0).cumsum(axis=1)
    low, high = [], []
    for axis in (0, 1):  # from which to which cell a square is reached
        middle = first[axis] + np.arange(corridor.shape[axis]) * cell
        number = np.arange(counts[axis])
        low.append(np.searchsorted(np.floor(middle + reach), number))
        high.append(np.searchsorted(np.floor(middle - reach), number, side="right"))
    (a, c), (b, d) = low, high
    inside = total[np.ix_(b, d)] - total[np.ix_(a, d)] - total[np.ix_(b, c)] + total[np.ix_(a, c)]
    return np.asarray(inside > 0)


def corners_of(squares: Bools) -> Bools:
    """Return (I + 1, K + 1) the corners of squares (I, K)."""
    corners = np.zeros((squares.shape[0] + 1, squares.shape[1] + 1), np.bool_)
    for i in (0, 1):
        for k in (0, 1):
            corners[i : i + squares.shape[0], k : k + squares.shape[1]] |= squares
    return corners


def corner_graph(squares: Bools) -> SparseGraph:
    """Return the corners of squares (I, K), joined in 16 directions through open ones.

    Costs are lengths, in those of a square.
    """
    columns, rows = squares.shape[0] + 1, squares.shape[1] + 1
    number = np.arange(columns * rows).reshape(columns, rows)
    padded = np.pad(squares, 2)
    tails: list[NDArray[np.int64]] = []
    heads: list[NDArray[np.int64]] = []
    lengths = []
    for (di, dk), beside, how in _STEPS:
        near = [padded[2 + i : 2 + i + columns, 2 + k : 2 + k + rows] for i, k in beside]
        free = np.logical_or.reduce(near) if how == "either" else np.logical_and.reduce(near)
        a = slice(0, columns - di), slice(max(-dk, 0), rows - max(dk, 0))
        b = slice(di, columns), slice(max(dk, 0), rows + min(dk, 0))
        one, other = number[a][free[a]], number[b][free[a]]
        tails += [one, other]
        heads += [other, one]
        lengths.append(np.full(2 * len(one), np.sqrt(float(di * di + dk * dk))))
    return graph_of_edges(
        np.concatenate(tails), np.concatenate(heads), np.concatenate(lengths), number.size
    )


def corner_distances(graph: SparseGraph, begin: Floats) -> Floats:
    """Return (I, K) from each corner to any that has less than inf, and on as `begin` (I, K) says.

    It is `FAR` where no path leads.
    """
    sources = np.flatnonzero(begin.ravel() < FAR)
    found = search_all(graph, sources, source_costs=begin.ravel()[sources]).costs
    return np.minimum(found, FAR).reshape(begin.shape)


def pose_costs(
    opened: Bools, dear: Floats, moves: NDArray[np.int64], costs: Floats, cost: Floats
) -> None:
    """Fill the least costs from corners and yaws (I + 1, K + 1, Y) to those where paths may end.

    opened  (I + 1, K + 1) corners that may be gone to;  dear  how many times as much moves cost
    moves   (Y, M, 5) from a yaw: corners to the side and ahead, those of half the way, yaws
    costs   (Y, M) of moves
    cost    what it costs from where paths may end, inf elsewhere; overwritten

    What waits is kept in buckets, each as wide as the cheapest move (Dial 1969): what is in one is
    final, in whatever order it is taken.
    """
    from footfall.search.squares_kernels import fill_pose_costs

    known = cost.copy()
    begins = np.flatnonzero(cost < FAR)
    begins = begins[np.argsort(cost.ravel()[begins], kind="stable")]
    dearest = float(costs.max() * dear.max())
    width = max(float(costs.min() * dear.min()), dearest / 65536.0, 1e-12)
    room = 2 * cost.size + moves.shape[1]
    while len(begins):
        first = np.full(int(dearest / width) + 3, -1, np.int64)
        queue, keys = np.empty((room, 2), np.int64), np.empty(room)
        flat = cost.reshape(-1)
        if fill_pose_costs(opened, dear, moves, costs, begins, width, first, queue, keys, flat):
            return
        cost[:], room = known, 2 * room
