"""Cheapest paths through a graph on reduced costs.

Costs are reduced by a *price* for each metre and each radian of a path. A path of so many metres
that turns so far costs that much, and on top at least what the cheapest path costs less its price.
Whatever the prices are, that is never too high, as long as no cycle costs less than its price.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.maths.arrays import Floats
from footfall.maths.runs import rows_of_spans
from footfall.search.shortest_path import FAR

Numbers = NDArray[np.int64] | NDArray[np.int32]
STEP_M, LAYERS = 0.1, 16
FAR_M = STEP_M * (LAYERS - 1)
"""Paths are distinguished by their length up to this many steps."""
_EQUAL = 1e-9
_LEAST_RAD = 0.05
_WIDE_M = 5.0
_MOST_KEPT = 100
"""Tables that are kept of a graph."""
_AT_ONCE = 4_000_000


class Price(NamedTuple):
    """The price by which costs are reduced, for each metre and each radian turned left."""

    metre: float
    radian: float = 0.0


class ReducedCosts:
    """A graph of N nodes whose E edges lead some metres and turn.

    least      no edge costs less for a metre
    sustained  no cycle costs less for a metre
    slack_rad  how much farther than it says each edge may turn
    prices     what was found out: prices by name, each with its potentials (N,)
    is_new     whether any of that was found out here
    """

    def __init__(
        self, start: ArrayLike, heads: ArrayLike, costs: ArrayLike, lengths: Floats,
        turns: Floats, slack_rad: float = 0.0,
        prices: dict[str, tuple[float, Floats]] | None = None,
    ) -> None:  # fmt: skip
        self.start = np.ascontiguousarray(start, np.int64)
        self.heads = np.ascontiguousarray(heads, np.int64)
        nodes = len(self.start) - 1
        self.tails = np.repeat(np.arange(nodes), np.diff(self.start))
        self.costs, self.lengths = np.asarray(costs, np.float64), lengths
        self.turns, self.slack_rad = turns, slack_rad
        self._tolerance = _EQUAL * float(np.median(self.costs)) if len(self.costs) else 0.0
        goes = lengths > 1e-9
        self.least = float((self.costs[goes] / lengths[goes]).min()) if goes.any() else 0.0
        self.order = np.argsort(self.heads, kind="stable")
        self.back_start = np.zeros(nodes + 1, np.int64)
        self.back_start[1:] = np.cumsum(np.bincount(self.heads, minlength=nodes))
        self.steps = np.clip(np.ceil(lengths / STEP_M - 1e-9), 0, LAYERS).astype(np.int64)
        self._potentials: dict[Price, Floats] = {}
        self._reduced: dict[Price, Floats] = {}
        self._tables: dict[tuple[Price, int, bytes], Floats] = {}
        self.prices, self.is_new = {} if prices is None else prices, False
        self.sustained, potential = self.priced("metre", self._sustained)
        self._potentials[Price(self.sustained)] = potential

    def priced(self, name: str, find: Callable[[], tuple[float, Floats]]) -> tuple[float, Floats]:
        """Return a price and its potentials by name, found out once."""
        if name not in self.prices:
            self.prices[name], self.is_new = find(), True
        return self.prices[name]

    def _sustained(self) -> tuple[float, Floats]:
        first = max(float(np.median(self.costs / np.maximum(self.lengths, 0.05))), self.least)
        return self._highest(self.costs, self.lengths, first)

    def radian(self, metre: float, side: int) -> float:
        """Return the highest price of a radian to one side (1 left, -1 right) per metre."""
        name = f"radian {side} {self.slack_rad!r} {metre!r}"
        price, potential = self.priced(name, lambda: self._radian(metre, side))
        self._potentials[Price(metre, side * price)] = potential
        return price

    def _radian(self, metre: float, side: int) -> tuple[float, Floats]:
        paid = self.costs - metre * self.lengths
        turns = side * self.turns + self.slack_rad
        first = float(np.median(self.costs / np.maximum(np.abs(self.turns), _LEAST_RAD)))
        return self._highest(paid, turns, first)

    def radius(self, side: int) -> float:
        """Return the metres of a radian in the sharpest cycle to one side (1 left, -1 right)."""
        find = partial(self._highest, self.lengths, side * self.turns, _WIDE_M)
        return self.priced(f"radius {side}", find)[0]

    def _highest(self, costs: Floats, gains: Floats, price: float) -> tuple[float, Floats]:
        """Return the highest price of a gain without negative cycles, and potentials.

        From a cycle that undercuts it to the next. No cycle has costs below 0.
        """
        from footfall.search.shortest_path_kernels import settle_potentials

        while True:
            potential = np.zeros(len(self.start) - 1)
            parent = np.full(len(potential), -1, np.int64)
            first = settle_potentials(
                self.start, self.heads, costs, gains, price, self._tolerance, potential, parent
            )
            if first < 0:
                return price, potential
            cycle = [int(parent[first])]
            while (node := int(self.tails[cycle[-1]])) != first:
                cycle.append(int(parent[node]))
            gained = float(gains[cycle].sum())
            if not gained > 0.0:  # a cycle that costs nothing, as far as numbers go
                return 0.0, np.zeros(len(self.start) - 1)
            price = min(max(float(costs[cycle].sum()) / gained, 0.0), price * (1.0 - _EQUAL))

    def costs_to(self, nodes: Numbers, begin: Floats, price: Price, layers: int = 1) -> Floats:
        """Return (N, B + 1) the least cost from each node to any of some, less its price.

        Of paths of b steps and more. It may be less than 0. Kept for the next time.

        begin  what it costs from each of `nodes` on
        """
        from footfall.search.shortest_path_kernels import search_layers

        key = (price, layers, nodes.tobytes() + begin.tobytes())
        if key not in self._tables:
            potential = self._potential(price)
            sources = np.flatnonzero(begin < FAR)
            value = begin[sources] + potential[nodes[sources]]
            lowest = float(value.min(initial=0.0))
            found = np.full((len(potential), layers), np.inf)
            room = len(self.heads) * layers + len(sources)
            search_layers(
                self.back_start, self.tails[self.order], self._costs(price),
                self.steps[self.order], nodes[sources].astype(np.int64), value - lowest, -1,
                np.empty(room), np.empty(room, np.int64), found, np.empty(0, np.int64),
            )  # fmt: skip
            found += lowest - potential[:, None]
            while len(self._tables) >= _MOST_KEPT:
                del self._tables[next(iter(self._tables))]
            self._tables[key] = np.where(np.isfinite(found), found, FAR)
        return self._tables[key]

    def costs_on(self, nodes: Numbers, costs: Floats, price: Price) -> Floats:
        """Return (M, B + 1) costs from some nodes by at least one edge, given (N, B + 1)."""
        out = np.full((len(nodes), costs.shape[1]), FAR)
        paid = self.costs - price.metre * self.lengths
        paid -= price.radian * self.turns + abs(price.radian) * self.slack_rad
        counts = np.diff(self.start)[nodes]
        begin = np.concatenate([[0], np.cumsum(counts)])
        layers = np.arange(costs.shape[1])
        rows = np.flatnonzero(counts)  # so many at once as are easily kept
        for part in np.array_split(rows, begin[-1] * len(layers) // _AT_ONCE + 1):
            edges, first = rows_of_spans(self.start, nodes[part])
            shorter = np.maximum(layers - self.steps[edges, None], 0)
            found = paid[edges, None] + costs[self.heads[edges, None], shorter]
            if len(part):
                out[part] = np.minimum(np.minimum.reduceat(found, first[:-1]), FAR)
        return out

    def _potential(self, price: Price) -> Floats:
        """Return (N,) what makes all reduced costs positive: Johnson 1977."""
        if price not in self._potentials:
            assert not price.radian  # `radian` found them
            name = f"settled {price.metre!r}"
            self._potentials[price] = self.priced(name, lambda: self._settled(price.metre))[1]
        return self._potentials[price]

    def _settled(self, metre: float) -> tuple[float, Floats]:
        from footfall.search.shortest_path_kernels import settle_potentials

        potential = np.zeros(len(self.start) - 1)
        if metre > self.least:
            parent = np.full(len(potential), -1, np.int64)
            settle_potentials(
                self.start, self.heads, self.costs, self.lengths, metre, self._tolerance,
                potential, parent,
            )  # fmt: skip
        return metre, potential

    def _costs(self, price: Price) -> Floats:
        """Return (E,) the reduced costs of the edges, backward; none is below 0."""
        if price not in self._reduced:
            potential = self._potential(price)
            reduced = self.costs - price.metre * self.lengths - price.radian * self.turns
            reduced -= abs(price.radian) * self.slack_rad
            reduced += potential[self.tails] - potential[self.heads]
            self._reduced[price] = np.maximum(reduced, 0.0)[self.order]
        return self._reduced[price]
