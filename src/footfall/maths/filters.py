"""Smoothing of sequences of rotations, positions and signals with symmetric masks.

Lee & Shin 2002 filter orientations by their logarithmic differences: with
w_i = log(q_i* q_{i+1}) the filtered q_i is q_i exp(sum of b_m w_{i+m}), which turns along when the
whole sequence is turned, in the world or in the body, and leaves a turn at constant rate as it is.

Where we differ: near the two ends the mask shrinks until it fits, so the ends stay where they are.
"""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import ArrayLike

from footfall.errors import InputError
from footfall.maths import quaternions
from footfall.maths.arrays import Floats, Ints


def binomial_mask(half_width: int = 2) -> Floats:
    """Return (2k + 1,) the binomial mask, (1, 4, 6, 4, 1)/16 for half width 2."""
    return np.array([comb(2 * half_width, i) for i in range(2 * half_width + 1)]) / 4.0**half_width


def filter_orientations(q: ArrayLike, mask: ArrayLike | None = None) -> Floats:
    """Return the rotations `q` (T, ..., 4) smoothed along the first dimension, signs kept.

    `mask` (2k + 1,) is symmetric and is scaled to sum 1; the default is binomial, k = 2.
    """
    q = np.asarray(q, dtype=np.float64)
    masks = _masks_by_half_width(mask)
    steps = quaternions.multiply(quaternions.conjugate(q[:-1]), q[1:])
    steps = quaternions.log_half_angle(quaternions.toward(steps, quaternions.IDENTITY))
    change = _mix_steps(steps, masks)
    return quaternions.normalise(quaternions.multiply(q, quaternions.exp_half_angle(change)))


def filter_positions(values: ArrayLike, mask: ArrayLike | None = None) -> Floats:
    """Values (T, ...) smoothed along the first dimension, with the masks of the rotations."""
    values = np.asarray(values, dtype=np.float64)
    return values + _mix_steps(np.diff(values, axis=0), _masks_by_half_width(mask))


def _mix_steps(steps: Floats, masks: list[Floats]) -> Floats:
    """Return (T, ...) the change of each of T entries, from the T - 1 steps between them."""
    count, widest = len(steps) + 1, len(masks) - 1
    change = np.zeros((count, *steps.shape[1:]))
    for half in range(1, widest + 1):
        inner = np.arange(half, count - half)
        if half < widest:  # only the entries that have no room for a wider mask
            inner = inner[(inner == half) | (inner == count - 1 - half)]
        if len(inner) == 0:
            break
        # A change of coordinates: weights on entries become weights on the steps between them.
        after = np.cumsum(masks[half][::-1])[::-1][half + 1 :]
        for m, weight in enumerate(after):
            change[inner] += weight * (steps[inner + m] - steps[inner - 1 - m])
    return change


def _masks_by_half_width(mask: ArrayLike | None) -> list[Floats]:
    """Return the masks of half width 0, 1, ... up to the given one, each summing to 1.

    A binomial mask shrinks to smaller binomial masks, any other to its middle part.
    """
    if mask is None:
        mask = binomial_mask()
    given = np.asarray(mask, dtype=np.float64)
    if given.ndim != 1 or len(given) % 2 == 0 or not np.allclose(given, given[::-1], atol=1e-12):
        raise InputError("the mask is not symmetric", remedy="it has an odd count, like 1, 2, 1")
    if not (np.isfinite(given).all() and given.sum() > 0.0):
        raise InputError(f"the mask sums to {given.sum():g}", remedy="its sum must be positive")
    half = len(given) // 2
    given = given / given.sum()
    if np.allclose(given, binomial_mask(half), rtol=0.0, atol=1e-12):
        return [binomial_mask(k) for k in range(half + 1)]
    parts = [given[half - k : half + k + 1] for k in range(half + 1)]
    if any(part.sum() <= 0.0 for part in parts):
        raise InputError(
            "the middle of the mask is not positive", remedy="near the ends it is used"
        )
    return [part / part.sum() for part in parts]


def smooth_gaussian(values: ArrayLike, sigma: float) -> Floats:
    """Values (T, ...) smoothed along the first dimension by a Gaussian of `sigma` frames.

    The mask reaches four deviations far; beyond the ends the first and the last value go on.
    It is `scipy.ndimage.gaussian_filter1d`, whose import alone takes a quarter of a second.
    """
    values = np.asarray(values, dtype=np.float64)
    reach = int(4.0 * sigma + 0.5)
    if reach < 1:
        return values.copy()
    mask = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    mask /= mask.sum()
    # np.pad and np.stack take longer than the rest.
    columns = values.reshape(len(values), -1).T
    longer = np.empty((len(columns), len(values) + 2 * reach))
    longer[:, :reach], longer[:, -reach:] = columns[:, :1], columns[:, -1:]
    longer[:, reach:-reach] = columns
    smooth = np.empty(values.shape)
    out = smooth.reshape(len(values), -1)
    for n, column in enumerate(longer):
        out[:, n] = np.convolve(column, mask, mode="valid")
    return smooth


def smooth_to_ends(values: Floats, sigma: float) -> Floats:
    """Values (T, ...) smoothed by a Gaussian of `sigma` frames; both ends stay, and their slopes.

    Beyond the ends the values go on as if turned about them by half a turn.
    """
    reach = min(int(4.0 * sigma + 0.5), len(values) - 1)
    if reach < 1:
        return values
    before = 2.0 * values[:1] - values[reach:0:-1]
    after = 2.0 * values[-1:] - values[-2 : -reach - 2 : -1]
    return np.asarray(smooth_gaussian(np.concatenate([before, values, after]), sigma)[reach:-reach])


def running_max(values: ArrayLike, half_width: int) -> Floats:
    """Return (T, ...) the greatest of the values within `half_width` frames of each."""
    return _extreme_within(np.maximum, values, half_width)


def running_min(values: ArrayLike, half_width: int) -> Floats:
    """Return (T, ...) the least of the values within `half_width` frames before and after each."""
    return _extreme_within(np.minimum, values, half_width)


def _extreme_within(choose: np.ufunc, values: ArrayLike, half_width: int) -> Floats:
    """Return (T, ...) the least or greatest value within `half_width` frames of each."""
    found, wide = _lengthen(values, half_width), 1
    while wide < 2 * half_width + 1:  # windows of twice the width are two windows
        step = min(wide, 2 * half_width + 1 - wide)
        found, wide = choose(found[step:], found[:-step]), wide + step
    return np.asarray(found)


def running_mean(values: ArrayLike, half_width: int) -> Floats:
    """Return (T, ...) the mean of the values within `half_width` frames; ends go on as they are."""
    around = sliding_window_view(_lengthen(values, half_width), 2 * half_width + 1, axis=0)
    return np.asarray(around.mean(axis=-1))


def _lengthen(values: ArrayLike, by: int) -> Floats:
    """Return (T + 2 by, ...) the values; beyond the ends the first and the last go on."""
    values = np.asarray(values, dtype=np.float64)
    return values[np.clip(np.arange(-by, len(values) + by), 0, len(values) - 1)]


def find_peaks(values: Floats, prominence: float) -> Ints:
    """Return (P,) where values (T,) are greater than around, by at least `prominence`.

    A peak's prominence is how far it stands above the higher of the two lowest places between
    it and greater values, or the ends. A level top counts once, in its middle.
    """
    starts = np.flatnonzero(np.diff(values, prepend=np.nan) != 0.0)
    stops = np.append(starts[1:], len(values))
    tops = values[starts]
    # Neither the first nor the last stretch is a peak: nobody knows what lies beyond.
    inner = np.flatnonzero((tops[1:-1] > tops[:-2]) & (tops[1:-1] > tops[2:])) + 1
    found = []
    for n in inner.tolist():
        before = np.flatnonzero(tops[:n] > tops[n])
        after = np.flatnonzero(tops[n + 1 :] > tops[n])
        left = tops[before[-1] if len(before) else 0 : n + 1].min()
        right = tops[n : n + 1 + (after[0] if len(after) else len(tops))].min()
        if tops[n] - max(left, right) >= prominence:
            found.append((int(starts[n]) + int(stops[n]) - 1) // 2)
    return np.array(found, dtype=np.int32)
