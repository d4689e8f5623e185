"""Estimates of the cost that is left, for the search of the interpolated graph.

By place (`H_pos`): the root has so far to go to where the next constraint can be met, from there
to the next, and so on; no edge costs less than `c_min` for each metre. By node (`H_img`): the
cheapest path through the graph to a node that can meet the constraint, wherever that is, on
costs without what `c_min` says of their length. So their sum counts nothing twice. After the
next constraint the least that leads from any node that meets one to one that meets the next is
added: the *chain*. It is never too high.

euclid  the straight line to the goal          pos  by place alone
img     by node alone, on whole costs          max  by place, and the dearest constraint by node
sum     as in the paper: by place to the goal, and all constraints by node; it may be too high,
        so that nothing is proven by it
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from footfall.errors import InputError
from footfall.maths.arrays import Bools, Floats
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.problem import Goals, World
from footfall.optimal.search_arrays import FAR, Guide
from footfall.search.shortest_path import SparseGraph, search_all

Heuristic = Literal["chain", "max", "sum", "euclid", "pos", "img"]
HEURISTICS: tuple[Heuristic, ...] = get_args(Heuristic)
SQUARE_M = 0.1
ADMISSIBLE = frozenset({"chain", "max", "euclid", "pos", "img"})
_SIXTEEN = 1.0275
"""Paths in 16 directions are longer than straight ones by no more than this."""
_ROUND_M = 0.05
"""Linear values between the corners of a square are higher by no more than this."""
_CHORD_M = 0.1
"""Points of the root's path that are looked at are no farther apart (`search_kernels`)."""
_LOWER = 1.0 - 2e-7

Singles = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Pace:
    """What the length of edges says of their cost.

    least    cost of a metre that no edge goes below
    lengths  (E,) metres that the root gets ahead by each edge, at most
    """

    least: float
    lengths: Floats


def make_guide(
    graph: InterpolatedGraph, world: World, goals: Goals, heuristic: Heuristic = "chain",
    slack_m: float = 0.0,
) -> Guide:  # fmt: skip
    """The tables that estimates are read from.

    slack_m  how much farther than its edges are long a path may lead, for each of them: half the
             diagonal of a cell where states are in the middle of cells
    """
    if heuristic not in HEURISTICS:
        raise InputError(
            f"the heuristic is {heuristic!r}", remedy=f"choose from {', '.join(HEURISTICS)}"
        )
    known = _facts_of(graph)
    per_metre = known.pace(slack_m)
    by_place = heuristic != "img"
    field, frame = _fields(graph, world, goals, heuristic, per_metre.least if by_place else 0.0)
    count, nodes = goals.nodes.shape
    table = np.zeros((count, nodes), np.float32)
    if heuristic in ("chain", "max", "sum", "img"):
        reduce_by = Pace(0.0, per_metre.lengths) if heuristic == "img" else per_metre
        each = [known.costs_to(goals.nodes[c], reduce_by) for c in range(count)]
        table = _combine(each, goals, heuristic)
    return Guide(frame, field, table)


def _combine(each: list[Floats], goals: Goals, heuristic: Heuristic) -> Singles:
    """(C, N) the estimate by node, for each number of constraints met."""
    count = len(each)
    table = np.empty((count, len(each[0])))
    later = 0.0
    for c in range(count - 1, -1, -1):
        table[c] = each[c]
        if c + 1 < count:
            if heuristic == "max":
                table[c] = np.maximum(each[c], table[c + 1])
            elif heuristic == "sum":
                table[c] = each[c] + table[c + 1]
            else:
                later += min(float(each[c + 1][goals.nodes[c]].min(initial=FAR)), FAR)
                table[c] += later
    return _singles(table)


def _singles(estimates: Floats) -> Singles:
    """Estimates in 32 bits, none higher than before but those that are too far anyway."""
    return np.where(estimates < FAR, estimates * _LOWER, FAR).astype(np.float32)


# ---- by node ---------------------------------------------------------------------------------


class _Facts:
    """What is found out of a graph once: its edges backward, and costs to sets of nodes."""

    def __init__(self, graph: InterpolatedGraph) -> None:
        nodes, edges = len(graph.edge_start) - 1, len(graph.edge_to)
        heads = np.asarray(graph.edge_to, np.int64)
        tails = np.repeat(np.arange(nodes), np.diff(graph.edge_start))
        self.order = np.argsort(heads, kind="stable")
        self.start = np.zeros(nodes + 1, np.int64)
        self.start[1:] = np.cumsum(np.bincount(heads, minlength=nodes)) if edges else 0
        self.tails = tails[self.order]
        self.costs = np.asarray(graph.edge_cost, np.float64)
        self._lengths = np.asarray(graph.edge_length, np.float64)
        self._paces: dict[float, Pace] = {}
        self._backward: dict[tuple[float, float], SparseGraph] = {}
        self._tables: dict[tuple[float, float, bytes], Floats] = {}

    def pace(self, slack_m: float) -> Pace:
        """The least cost of a metre, where each edge may lead `slack_m` farther than it is long."""
        if slack_m not in self._paces:
            lengths = self._lengths + slack_m
            goes = lengths > 1e-9
            least = float((self.costs[goes] / lengths[goes]).min()) if goes.any() else 0.0
            self._paces[slack_m] = Pace(least, lengths)
        return self._paces[slack_m]

    def costs_to(self, nodes: Bools, per_metre: Pace) -> Floats:
        """(N,) the least reduced cost from each node to any of some; kept for the next time."""
        kind = (per_metre.least, float(per_metre.lengths[0]) if len(self.costs) else 0.0)
        key = (*kind, np.packbits(nodes).tobytes())
        if key not in self._tables:
            if kind not in self._backward:
                reduced = np.maximum(self.costs - per_metre.least * per_metre.lengths, 0.0)
                self._backward[kind] = SparseGraph(self.start, self.tails, reduced[self.order])
            found = search_all(self._backward[kind], np.flatnonzero(nodes)).costs
            self._tables[key] = np.minimum(found, FAR)
        return self._tables[key]


_FACTS: WeakKeyDictionary[InterpolatedGraph, _Facts] = WeakKeyDictionary()


def _facts_of(graph: InterpolatedGraph) -> _Facts:
    if graph not in _FACTS:
        _FACTS[graph] = _Facts(graph)
    return _FACTS[graph]


# ---- by place --------------------------------------------------------------------------------


def _fields(
    graph: InterpolatedGraph, world: World, goals: Goals, heuristic: Heuristic, least: float
) -> tuple[Singles, Floats]:
    """(C, I, K) the estimate by place on corners of squares, and the frame of the corners."""
    squares, frame = _open_squares(world)
    count = len(goals.place)
    shape = squares.shape[0] + 1, squares.shape[1] + 1
    field = np.zeros((count, *shape))
    if least > 0.0 and heuristic == "euclid":
        field[:] = np.maximum(_straight(goals, frame, shape) - _ROUND_M, 0.0)
    elif least > 0.0 and heuristic == "sum":
        field[:] = _lower(_distances(squares, frame, goals, count - 1))
    elif least > 0.0:
        later = 0.0
        for c in range(count - 1, -1, -1):
            away = _lower(_distances(squares, frame, goals, c))
            field[c] = np.minimum(away + later, FAR)
            if c > 0:
                at = _sources(squares, frame, goals, c - 1)
                later += min(float(away[at].min(initial=FAR)), FAR)
    field = np.where(field < FAR, field * least, FAR)
    return _singles(field), frame


def _open_squares(world: World) -> tuple[Bools, Floats]:
    """Which squares the root may touch, and x and z of their first corner, squares a metre."""
    from footfall.optimal.heuristics_kernels import open_squares

    cell = world.cell_m
    first = np.asarray(world.origin, np.float64) - SQUARE_M
    counts = np.ceil((np.array(world.corridor.shape) * cell + 2.0 * SQUARE_M) / SQUARE_M) + 1
    squares = np.zeros((int(counts[0]), int(counts[1])), np.bool_)
    frame = np.array([1.0 / SQUARE_M, SQUARE_M, SQUARE_M, 1.0 / cell])
    corridor = np.ascontiguousarray(world.corridor, np.uint8)
    open_squares(corridor, frame, 0.5 * _CHORD_M, squares)
    return squares, np.array([*first, 1.0 / SQUARE_M])


def _distances(squares: Bools, frame: Floats, goals: Goals, c: int) -> Floats:
    """(I, K) metres from each corner to where constraint c can be met, in 16 directions."""
    from footfall.optimal.heuristics_kernels import corner_distances

    at = _sources(squares, frame, goals, c)
    distance = np.where(at, 0.0, np.inf)
    corner_distances(squares, distance)
    return np.where(distance < FAR, distance * SQUARE_M, FAR)


def _lower(distance: Floats) -> Floats:
    """What is left of distances in 16 directions that is never too much."""
    return np.where(distance < FAR, np.maximum(distance / _SIXTEEN - _ROUND_M, 0.0), FAR)


def _reaches(goals: Goals, c: int) -> tuple[float, float]:
    """How near and how far the root may be from the place of a constraint that is met."""
    points = goals.point[c][goals.nodes[c]]
    if not len(points):
        return 0.0, -1.0
    away = np.hypot(points[:, 0], points[:, 2])
    within = float(goals.within_m[c])
    return max(float(away.min()) - within, 0.0), float(away.max()) + within


def _sources(squares: Bools, frame: Floats, goals: Goals, c: int) -> Bools:
    """(I, K) the corners of open squares where the root may be when constraint c is met."""
    at = _where_met(squares.shape, frame, goals, c) & squares
    corners = np.zeros((at.shape[0] + 1, at.shape[1] + 1), np.bool_)
    for i in (0, 1):
        for k in (0, 1):
            corners[i : i + at.shape[0], k : k + at.shape[1]] |= at
    return corners


def _where_met(shape: tuple[int, ...], frame: Floats, goals: Goals, c: int) -> Bools:
    """(I, K) the squares where the root may be when constraint c is met."""
    near, far = _reaches(goals, c)
    low_x = frame[0] + np.arange(shape[0]) * SQUARE_M - goals.place[c, 0]
    low_z = frame[1] + np.arange(shape[1]) * SQUARE_M - goals.place[c, 2]
    least_x, most_x = _spans(low_x)
    least_z, most_z = _spans(low_z)
    nearest = np.hypot(least_x[:, None], least_z[None, :])
    farthest = np.hypot(most_x[:, None], most_z[None, :])
    found: Bools = (nearest <= far) & (farthest >= near)
    return found


def _spans(low: Floats) -> tuple[Floats, Floats]:
    """The least and the greatest distance from 0 to squares that begin at `low`."""
    high = low + SQUARE_M
    least = np.where((low <= 0.0) & (high >= 0.0), 0.0, np.minimum(np.abs(low), np.abs(high)))
    return least, np.maximum(np.abs(low), np.abs(high))


def _straight(goals: Goals, frame: Floats, shape: tuple[int, int]) -> Floats:
    """(I, K) metres in a straight line from each corner to where the goal can be met."""
    c = len(goals.place) - 1
    x = frame[0] + np.arange(shape[0]) * SQUARE_M - goals.place[c, 0]
    z = frame[1] + np.arange(shape[1]) * SQUARE_M - goals.place[c, 2]
    away: Floats = np.hypot(x[:, None], z[None, :]) - _reaches(goals, c)[1]
    return away
