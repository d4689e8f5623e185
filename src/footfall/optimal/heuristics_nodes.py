"""The reduced costs of an interpolated graph, found out once and kept in the user's cache.

Prices and potentials depend on the graph alone, not on scenes or tasks, and take longer to find
than a short walk takes to search. They are kept under an address made of all that they come from.
"""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from footfall.library.store.arrays import Arrays, ArrayStore, Facts, address
from footfall.optimal.model import InterpolatedGraph
from footfall.search import reduced_costs
from footfall.search.reduced_costs import ReducedCosts

_STORE = ArrayStore("graph-price", most_kept=24)
_WORTH_KEEPING = 20_000
"""Prices are stored for graphs with at least this many edges."""


class GraphFacts(ReducedCosts):
    """The reduced costs of an interpolated graph.

    slack_m, slack_rad  how much farther than it says each edge may lead, and turn
    """

    def __init__(self, graph: InterpolatedGraph, slack_m: float, slack_rad: float = 0.0) -> None:
        self.moves = np.ascontiguousarray(graph.edge_move, np.float64)
        costs = np.asarray(graph.edge_cost, np.float64)
        lengths = np.asarray(graph.edge_length, np.float64) + slack_m
        edges = graph.edge_start, graph.edge_to, costs, lengths, self.moves[:, 2].copy()
        self._address = _address(*edges) if len(costs) >= _WORTH_KEEPING else ""
        found = _STORE.load(self._address) if self._address else None
        if found is not None and not _is_sound(*found, len(graph.edge_start) - 1):
            found = None
        arrays, facts = found or ({}, {})
        known = {name: (float(price), arrays[name]) for name, price in facts.items()}
        super().__init__(*edges, slack_rad, known)

    def keep(self) -> None:
        """Keep the prices that were found for the next process, if any are new."""
        if self.is_new and self._address:
            arrays: Arrays = {name: potential for name, (_, potential) in self.prices.items()}
            prices = {name: price for name, (price, _) in self.prices.items()}
            _STORE.keep(self._address, arrays, prices)
            self.is_new = False


def _address(*arrays: Any) -> str:
    """The address of what is found out of edges."""
    digest = blake2b(digest_size=20)
    for array in arrays:
        digest.update(np.ascontiguousarray(array).data)
    return address("prices", _own_version(), digest.hexdigest())


def _is_sound(arrays: Arrays, facts: Facts, nodes: int) -> bool:
    """Whether prices are numbers, each with a number for each node."""
    numbers = all(isinstance(price, float) for price in facts.values())
    return numbers and set(arrays) == set(facts) and all(
        array.dtype == np.float64 and array.shape == (nodes,) for array in arrays.values()
    )  # fmt: skip


@cache
def _own_version() -> str:
    """A hash of the code that finds prices: those found by another are found anew."""
    own = Path(reduced_costs.__file__)
    kernels = own.with_name("shortest_path_kernels.py")
    return blake2b(own.read_bytes() + kernels.read_bytes()).hexdigest()


def facts_of(graph: InterpolatedGraph, slack_m: float, slack_rad: float) -> GraphFacts:
    """The facts of a graph, found out once."""
    key = "facts", slack_m, slack_rad
    return graph.keep(key, lambda: GraphFacts(graph, slack_m, slack_rad))
