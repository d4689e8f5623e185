"""Stretches of a row of booleans."""

from __future__ import annotations

import numpy as np

from footfall.maths.arrays import Bools, Ints


def runs(mask: Bools) -> Ints:
    """(N, 2) the first index and the index after the last of every stretch of true in (T,)."""
    edges = np.flatnonzero(np.diff(mask, prepend=False, append=False))
    return edges.reshape(-1, 2).astype(np.int32)
