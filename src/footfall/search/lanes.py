"""States that wait in lanes by how much they seem to have left, as plain arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Lanes(NamedTuple):
    """What waits, in lanes by how much seems to be left; none for one heap for all.

    roots     (L,) the first entry of each lane; -1 if it is empty
    per_cost  how many lanes there are for a cost of 1
    keys, items, child, sibling  of entries: a state's key, the state, the trees
    counts    (3,) entries used, the lane whose turn it is, sweeps
    """

    roots: Any
    per_cost: float
    keys: Any
    items: Any
    child: Any
    sibling: Any
    counts: Any


def make_lanes(count: int, most_left: float, most: int) -> Lanes:
    """Make `count` lanes for `most` entries, whose cost to go is `most_left` at most."""
    none: Any = np.int32
    return Lanes(
        np.full(count, -1, none), count / most_left if most_left > 0.0 else 0.0,
        np.empty(most, np.float32), np.empty(most, none), np.empty(most, none),
        np.empty(most, none), np.zeros(3, np.int64),
    )  # fmt: skip
