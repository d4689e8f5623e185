"""States that wait in lanes by how much they seem to have left, as plain arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

ENTRY = np.dtype([
    ("key", np.float32), ("item", np.int32), ("child", np.int32), ("sibling", np.int32),
])  # fmt: skip
"""A state that waits: its key, its number, and the entries below and beside it in its tree."""


class Lanes(NamedTuple):
    """What waits, in lanes by how much seems to be left; none for one heap for all.

    roots     (L,) the first entry of each lane; -1 if it is empty
    per_cost  how many lanes there are for a cost of 1
    entries   of `ENTRY`
    counts    (3,) entries used, the lane whose turn it is, sweeps
    """

    roots: Any
    per_cost: float
    entries: Any
    counts: Any


def make_lanes(count: int, most_left: float, most: int) -> Lanes:
    """Make `count` lanes for `most` entries, whose cost to go is `most_left` at most."""
    return Lanes(
        np.full(count, -1, np.int32), count / most_left if most_left > 0.0 else 0.0,
        np.empty(most, ENTRY), np.zeros(3, np.int64),
    )  # fmt: skip
