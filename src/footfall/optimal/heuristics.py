"""Estimates of the cost that is left, for the search of the interpolated graph.

By place (`H_pos`): the root has so many metres to go to where the next constraint can be met, from
there to the next, and so on. By node (`H_img`): the cheapest path through the graph to a node that
can meet the constraint, wherever that is, on costs without what a `rate` says of their length. So
rate times metres and the cost by node count nothing twice. After the next constraint the least
that leads from any node that meets one to one that meets the next is added: the *chain*.

Two things hold the chain up that the paper does not have, and it is still never too high. The rate
is that of the cheapest cycle, not of the cheapest edge: an edge that cannot be repeated carries
nobody far. And by node only paths count that are as long as there are metres left, up to `FAR_M`:
who stands where he is to stand, but a metre away, has to set off and to stop.

chain   as said                                euclid  the straight line to the goal
max     by place, and the dearest constraint by node
pos     by place alone                         img     by node alone, on whole costs
sum     as in the paper: by place to the goal, and all constraints by node; it may be too high,
        so that nothing is proven by it
Those but the first go by the cheapest edge, as in the paper.
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

Heuristic = Literal["chain", "max", "sum", "euclid", "pos", "img"]
HEURISTICS: tuple[Heuristic, ...] = get_args(Heuristic)
ADMISSIBLE = frozenset({"chain", "max", "euclid", "pos", "img"})
SQUARE_M = 0.1
STEP_M, LAYERS = 0.1, 16
FAR_M = STEP_M * (LAYERS - 1)
"""Paths by node are told apart by their length up to this, in steps."""
_SIXTEEN = 1.0275
"""Paths in 16 directions are longer than straight ones by no more than this."""
_ROUND_M = SQUARE_M * 0.7072
"""Linear values between the corners of a square are higher than distances by no more than this."""
_CHORD_M = 0.1
"""Points of the root's path that are looked at are no farther apart (`search_kernels`)."""
_LOWER = 1.0 - 2e-7

Singles = NDArray[np.float32]


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
    facts = facts_of(graph, slack_m)
    count, nodes = goals.nodes.shape
    fields = _fields(world, goals, heuristic)
    rate, layers = facts.least, 1
    if heuristic == "chain":
        rate, layers = facts.sustained, LAYERS
    elif heuristic == "img":
        rate = 0.0
    table = np.zeros((count, nodes, layers), np.float32)
    whole = np.zeros((count, nodes), np.float32)
    if heuristic not in ("euclid", "pos"):
        each = [facts.costs_to(goals.nodes[c], rate, layers) for c in range(count)]
        table = _combine(each, goals, heuristic, fields.legs)
    if heuristic == "chain":
        each = [facts.costs_to(goals.nodes[c], 0.0, 1) for c in range(count)]
        whole = _combine(each, goals, heuristic, fields.legs)[:, :, 0].copy()
    return Guide(fields.frame, fields.metres, fields.later, table, whole, float(rate), 1.0 / STEP_M)


def _combine(each: list[Floats], goals: Goals, heuristic: Heuristic, legs: Floats) -> Singles:
    """(C, N, B + 1) the estimate by node, for each number of constraints met.

    legs  (C,) metres at least from where the constraint before is met
    """
    count = len(each)
    table = np.empty((count, *each[0].shape))
    later = 0.0
    for c in range(count - 1, -1, -1):
        table[c] = each[c]
        if c + 1 < count:
            if heuristic == "max":
                table[c] = np.maximum(each[c], table[c + 1])
            elif heuristic == "sum":
                table[c] = each[c] + table[c + 1]
            else:
                step = min(int(legs[c + 1] / STEP_M), each[c + 1].shape[1] - 1)
                later += min(float(each[c + 1][goals.nodes[c], step].min(initial=FAR)), FAR)
                table[c] += later
    return _singles(table)


def _singles(estimates: Floats) -> Singles:
    """Estimates in 32 bits, none higher than before but those that are too far anyway."""
    lower = estimates - np.abs(estimates) * (1.0 - _LOWER)
    return np.where(estimates < 0.1 * FAR, lower, FAR).astype(np.float32)


# ---- by node ---------------------------------------------------------------------------------


class GraphFacts:
    """What is found out of a graph once, each edge leading `slack_m` farther than it is long.

    least      no edge costs less for a metre
    sustained  no cycle costs less for a metre
    """

    def __init__(self, graph: InterpolatedGraph, slack_m: float) -> None:
        nodes = len(graph.edge_start) - 1
        self.start = np.ascontiguousarray(graph.edge_start, np.int64)
        self.heads = np.ascontiguousarray(graph.edge_to, np.int64)
        self.tails = np.repeat(np.arange(nodes), np.diff(self.start))
        self.costs = np.asarray(graph.edge_cost, np.float64)
        self.lengths = np.asarray(graph.edge_length, np.float64) + slack_m
        goes = self.lengths > 1e-9
        self.least = float((self.costs[goes] / self.lengths[goes]).min()) if goes.any() else 0.0
        self.order = np.argsort(self.heads, kind="stable")
        self.back_start = np.zeros(nodes + 1, np.int64)
        self.back_start[1:] = np.cumsum(np.bincount(self.heads, minlength=nodes))
        self._potentials: dict[float, Floats] = {}
        self._reduced: dict[float, Floats] = {}
        steps = np.ceil(self.lengths / STEP_M - 1e-9)[self.order]
        self.steps = np.clip(steps, 0, LAYERS).astype(np.int64)
        self.back_tails = self.tails[self.order]
        self._tables: dict[tuple[float, int, bytes], Floats] = {}
        self.sustained = self._sustained()

    def _sustained(self) -> float:
        """The least cost of a metre of any cycle: from one that undercuts to the next."""
        from footfall.optimal.heuristics_kernels import settle_potentials

        rate = max(float(np.median(self.costs / np.maximum(self.lengths, 0.05))), self.least)
        while True:
            potential = np.zeros(len(self.start) - 1)
            parent = np.full(len(potential), -1, np.int64)
            first = settle_potentials(
                self.start, self.heads, self.costs, self.lengths, rate, potential, parent
            )
            if first < 0:
                self._potentials[rate] = potential
                return rate
            cycle = [int(parent[first])]
            while (node := int(self.tails[cycle[-1]])) != first:
                cycle.append(int(parent[node]))
            rate = float(self.costs[cycle].sum() / self.lengths[cycle].sum())

    def costs_to(self, nodes: Bools, rate: float, layers: int) -> Floats:
        """(N, B + 1) the least cost from each node to any of some, less `rate` for each metre.

        Of paths of b steps and more. It may be less than 0. Kept for the next time.
        """
        from footfall.optimal.heuristics_kernels import layered_costs

        key = (rate, layers, np.packbits(nodes).tobytes())
        if key not in self._tables:
            potential, sources = self._potential(rate), np.flatnonzero(nodes)
            lowest = float(potential.min(initial=0.0))
            found = np.full((len(potential), layers), np.inf)
            layered_costs(
                self.back_start, self.back_tails, self._costs(rate), self.steps, sources,
                potential[sources] - lowest, found,
            )  # fmt: skip
            found += (lowest - potential)[:, None]
            self._tables[key] = np.where(np.isfinite(found), found, FAR)
        return self._tables[key]

    def _potential(self, rate: float) -> Floats:
        """(N,) what makes all reduced costs positive: Johnson 1977."""
        from footfall.optimal.heuristics_kernels import settle_potentials

        if rate not in self._potentials:
            potential = np.zeros(len(self.start) - 1)
            if rate > self.least:
                parent = np.full(len(potential), -1, np.int64)
                settle_potentials(
                    self.start, self.heads, self.costs, self.lengths, rate, potential, parent
                )
            self._potentials[rate] = potential
        return self._potentials[rate]

    def _costs(self, rate: float) -> Floats:
        """(E,) the reduced costs of the edges, backward; none is below 0."""
        if rate not in self._reduced:
            potential = self._potential(rate)
            reduced = self.costs - rate * self.lengths
            reduced += potential[self.tails] - potential[self.heads]
            self._reduced[rate] = np.maximum(reduced, 0.0)[self.order]
        return self._reduced[rate]


_FACTS: WeakKeyDictionary[InterpolatedGraph, dict[float, GraphFacts]] = WeakKeyDictionary()


def facts_of(graph: InterpolatedGraph, slack_m: float) -> GraphFacts:
    """The facts of a graph, found out once."""
    known = _FACTS.setdefault(graph, {})
    if slack_m not in known:
        known[slack_m] = GraphFacts(graph, slack_m)
    return known[slack_m]


# ---- by place --------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Fields:
    """Metres to go (C, I, K) on corners of squares, their frame, how many of them come after the
    next constraint (C,), and how many lie between a constraint and the one before (C,).
    """

    metres: Singles
    frame: Floats
    later: Floats
    legs: Floats


def _fields(world: World, goals: Goals, heuristic: Heuristic) -> _Fields:
    squares, frame = _open_squares(world)
    count = len(goals.place)
    shape = squares.shape[0] + 1, squares.shape[1] + 1
    field, later, legs = np.zeros((count, *shape)), np.zeros(count), np.zeros(count)
    if heuristic == "euclid":
        field[:] = _straight(goals, frame, shape) - _ROUND_M  # cut off at 0 where it is read
    elif heuristic == "sum":
        field[:] = _lower(_distances(squares, frame, goals, count - 1))
    elif heuristic != "img":
        for c in range(count - 1, -1, -1):
            away = _lower(_distances(squares, frame, goals, c))
            field[c] = away + later[c]
            if c > 0:
                at = _sources(squares, frame, goals, c - 1)
                legs[c] = min(float(away[at].min(initial=FAR)), FAR)
                later[c - 1] = later[c] + legs[c]
    return _Fields(_singles(field), frame, later, legs)


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
