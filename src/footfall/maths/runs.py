"""Runs: stretches of a row of booleans, and what is measured over them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.maths.arrays import Bools, Floats, Ints


def runs(mask: Bools) -> Ints:
    """Return (N, 2) first index and stop of every stretch of true in (T,)."""
    # np.diff that adds the ends takes longer than all of this.
    longer = np.zeros(len(mask) + 2, np.bool_)
    longer[1:-1] = mask
    return np.flatnonzero(longer[1:] != longer[:-1]).reshape(-1, 2).astype(np.int32)


def mask_of(spans: Ints, frames: int) -> Bools:
    """Return (T,) true inside any of the stretches (N, 2)."""
    steps = np.zeros(frames + 1, np.int32)
    np.add.at(steps, spans[:, 0], 1)
    np.add.at(steps, spans[:, 1], -1)
    return np.asarray(np.cumsum(steps[:-1]) > 0)


def means(values: Floats, spans: Ints) -> Floats:
    """Return (N, ...) the mean of values (T, ...) over each of the stretches (N, 2), none empty."""
    total = np.concatenate([np.zeros((1, *values.shape[1:])), np.cumsum(values, axis=0)])
    count = (spans[:, 1] - spans[:, 0]).reshape(-1, *(1,) * (values.ndim - 1))
    return np.asarray((total[spans[:, 1]] - total[spans[:, 0]]) / count)


def mean_where(values: Floats, mask: Bools, spans: Ints) -> Floats:
    """Return (N, D) means of values (T, D) over the masked frames of each stretch, or all."""
    share = means(mask.astype(np.float64), spans)
    some = means(values * mask[:, None], spans) / np.maximum(share, 1e-12)[:, None]
    return np.where(share[:, None] > 0.0, some, means(values, spans))


def minima(values: Floats, spans: Ints) -> Floats:
    """Return (N,) the least of values (T,) over each of the disjoint stretches (N, 2)."""
    return _reduce(np.minimum, values, spans)


def maxima(values: Floats, spans: Ints) -> Floats:
    """Return (N,) the greatest of values (T,) over each of the disjoint stretches (N, 2)."""
    return _reduce(np.maximum, values, spans)


def middle(spans: Ints, share: float = 0.5) -> Ints:
    """Return (N, 2) the middle `share` of each stretch, at least one frame."""
    length = spans[:, 1] - spans[:, 0]
    cut = ((1.0 - share) / 2.0 * length).astype(np.int32)
    cut = np.minimum(cut, (length - 1) // 2)
    return np.stack([spans[:, 0] + cut, spans[:, 1] - cut], axis=1)


def without_short_gaps(mask: Bools, longest: float) -> Bools:
    """Return the mask (T,) with gaps of at most `longest` frames between two stretches filled."""
    gaps = runs(~mask)
    inside = (gaps[:, 0] > 0) & (gaps[:, 1] < len(mask))
    short = gaps[inside & (gaps[:, 1] - gaps[:, 0] <= longest)]
    return mask | mask_of(short, len(mask))


def without_short_runs(mask: Bools, shortest: float) -> Bools:
    """Return the mask (T,) without stretches under `shortest` frames; those at the ends stay."""
    spans = runs(mask)
    inside = (spans[:, 0] > 0) & (spans[:, 1] < len(mask))
    return mask & ~mask_of(spans[inside & (spans[:, 1] - spans[:, 0] < shortest)], len(mask))


def rows_of_spans(first: NDArray[Any], which: NDArray[Any]) -> tuple[Ints, Ints]:
    """Return the rows of some spans, one span behind the other, and (N + 1,) where each begins.

    first  (E + 1,) where spans begin that lie one behind the other;  which (N,) of them
    """
    counts = np.diff(first)[which]
    start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    return np.repeat(first[:-1][which] - start[:-1], counts) + np.arange(start[-1]), start


def _reduce(ufunc: np.ufunc, values: Floats, spans: Ints) -> Floats:
    if len(spans) == 0:
        return np.zeros(0)
    # reduceat wants starts and stops in one row; a stop at the very end has no frame to name.
    longer = np.append(values, values[-1])
    return np.asarray(ufunc.reduceat(longer, spans.reshape(-1))[::2])


def widen(mask: Bools, by: int) -> Bools:
    """Return (T,) the mask widened by a number of entries before and after."""
    total = np.concatenate([np.zeros(1, np.int64), np.cumsum(mask)])
    low = np.maximum(np.arange(len(mask)) - by, 0)
    high = np.minimum(np.arange(len(mask)) + by + 1, len(mask))
    return np.asarray(total[high] > total[low])
