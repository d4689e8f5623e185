"""Uniform cubic B-splines in time: evaluate, differentiate, fit."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from footfall.errors import InputError
from footfall.maths.arrays import Floats, Ints

# Row k holds the coefficients of 1, u, u², u³ of the k-th of the four bases over a span.
_BASIS = np.array(
    [[1.0, -3.0, 3.0, -1.0], [4.0, 0.0, -6.0, 3.0], [1.0, 3.0, 3.0, -3.0], [0.0, 0.0, 0.0, 1.0]]
) / 6.0  # fmt: skip

_MOST_CONTROL_POINTS = 10_000_000


def basis(u: ArrayLike, derivative: int = 0) -> Floats:
    """Return (..., 4) basis values, or their derivatives by u, at `u` (...) in 0 to 1."""
    u = np.asarray(u, dtype=np.float64)[..., None]
    out = np.zeros((*u.shape[:-1], 4))
    for power in range(3, derivative - 1, -1):
        out = out * u + _BASIS[:, power] * math.perm(power, derivative)
    return out


@dataclass(frozen=True, eq=False)
class Spline:
    """A cubic B-spline over `start` to `end`, knots `spacing` seconds apart.

    control  (K, ...) control points, K at least 4; the curve has K - 3 spans
    """

    start: float
    spacing: float
    control: Floats

    @property
    def end(self) -> float:
        """The time at which the last span ends."""
        return self.start + self.spacing * (len(self.control) - 3)

    def at(self, times: ArrayLike, derivative: int = 0) -> Floats:
        """Return (T, ...) values, or time derivatives, at `times` (T,), clamped to the range."""
        first, u = self._spans(np.asarray(times, dtype=np.float64))
        weights = basis(u, derivative) / self.spacing**derivative
        out = np.zeros((len(first), *self.control.shape[1:]))
        shape = (-1, *(1,) * (self.control.ndim - 1))
        for k in range(4):
            out += weights[:, k].reshape(shape) * self.control[first + k]
        return out

    def _spans(self, times: Floats) -> tuple[Ints, Floats]:
        place = (times - self.start) / self.spacing
        spans = len(self.control) - 3
        place = np.clip(place, 0.0, spans)
        first = np.minimum(place.astype(np.int32), spans - 1)
        return first, place - first


def zero_spline(start: float, end: float, spacing: float, shape: tuple[int, ...] = ()) -> Spline:
    """Return the zero curve over at least `start` to `end`, for values of `shape`."""
    if not (math.isfinite(start) and math.isfinite(end) and start <= end and 0.0 < spacing < 1e300):
        raise InputError(
            f"a spline from {start:g} to {end:g} s with knots {spacing:g} s apart",
            remedy="it must start before it ends and its knots must be a positive time apart",
        )
    # A hair of tolerance, so that a whole number of spans is not rounded up to one more.
    spans = max((end - start) / spacing - 1e-9, 1.0)
    if spans > _MOST_CONTROL_POINTS:
        raise InputError(f"a spline of {spans:.0f} spans", remedy="choose a larger knot spacing")
    return Spline(start, spacing, np.zeros((math.ceil(spans) + 3, *shape)))


def fit_least_squares(
    times: ArrayLike,
    values: ArrayLike,
    start: float,
    end: float,
    spacing: float,
    smoothing: float = 1e-9,
) -> Spline:
    """Return the spline with the least sum of squared errors at the data, all at once.

    `smoothing` weighs the squared fourth differences of the control points, which are zero for
    every cubic, against the data; the small default only settles what the data leaves free.
    """
    from footfall.maths.banded_kernels import solve_banded

    times, values = _data(times, values)
    blank = zero_spline(start, end, spacing, values.shape[1:])
    first, u = blank._spans(times)
    bases = basis(u)
    count = len(blank.control)
    flat = values.reshape(len(values), math.prod(values.shape[1:]))
    right = np.zeros((count, flat.shape[1]))
    band = np.zeros((5, count))  # band[d, i] is the matrix at (i + d, i)
    for k in range(4):
        np.add.at(right, first + k, bases[:, k, None] * flat)
        for d in range(4 - k):
            np.add.at(band[d], first + k, bases[:, k] * bases[:, k + d])
    difference = np.array([1.0, -4.0, 6.0, -4.0, 1.0])
    for k in range(5):
        for d in range(5 - k):
            band[d, k : max(count - 4, 0) + k] += smoothing * difference[k] * difference[k + d]
    band[0] += 1e-14  # keeps fewer than four data solvable: the shortest control points
    solve_banded(band, right)
    return Spline(start, blank.spacing, right.reshape(blank.control.shape))


def _data(times: ArrayLike, values: ArrayLike) -> tuple[Floats, Floats]:
    t, v = np.asarray(times, dtype=np.float64), np.asarray(values, dtype=np.float64)
    if t.ndim != 1 or v.ndim == 0 or len(v) != len(t):
        raise InputError(
            f"times of shape {t.shape} do not go with values of shape {v.shape}",
            remedy="one time (N,) for each value (N, ...)",
        )
    if not (np.isfinite(t).all() and np.isfinite(v).all()):
        raise InputError("a time or value to fit is not finite", remedy="all must be finite")
    return t, v
