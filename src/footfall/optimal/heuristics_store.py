"""What is found out of a graph for its estimates, in the user's cache.

Prices and potentials depend on the graph alone, not on scenes or tasks, and take longer to find
than a short walk takes to search. They are kept under an address made of all that they come from.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from footfall.library.store.arrays import Arrays, ArrayStore, address
from footfall.maths.arrays import Floats

_STORE = ArrayStore("graph-price", most_kept=24)
_MADE_BY = ("heuristics_nodes.py", "heuristics_kernels.py")


def prices_address(start: Any, heads: Any, costs: Any, lengths: Any, turns: Any) -> str:
    """The address of what is found out of edges: from where, to where, at what cost, how far."""
    digest = blake2b(digest_size=20)
    for array in (start, heads, costs, lengths, turns):
        digest.update(np.ascontiguousarray(array).data)
    return address("prices", _own_version(), digest.hexdigest())


def cached_prices(key: str, nodes: int) -> dict[str, tuple[float, Floats]] | None:
    """Prices by name, each with its potentials; None if there are none that can be trusted."""
    found = _STORE.load(key)
    if found is None or not _is_sound(*found, nodes):
        return None
    arrays, facts = found
    return {name: (float(price), arrays[name]) for name, price in facts.items()}


def keep_prices(key: str, prices: Mapping[str, tuple[float, Floats]]) -> None:
    """Keep prices by name; where the cache cannot be written nothing is kept."""
    arrays: Arrays = {name: potential for name, (_, potential) in prices.items()}
    _STORE.keep(key, arrays, {name: price for name, (price, _) in prices.items()})


def _is_sound(arrays: Arrays, facts: Mapping[str, Any], nodes: int) -> bool:
    """Whether prices are numbers, each with a number for each node."""
    numbers = all(isinstance(price, float) for price in facts.values())
    return numbers and set(arrays) == set(facts) and all(
        array.dtype == np.float64 and array.shape == (nodes,) for array in arrays.values()
    )  # fmt: skip


@cache
def _own_version() -> str:
    """A hash of the code that finds prices: those found by another are found anew."""
    digest = blake2b(digest_size=16)
    for name in _MADE_BY:
        digest.update((Path(__file__).parent / name).read_bytes())
    return digest.hexdigest()
