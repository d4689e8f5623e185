"""Uniform cubic B-splines in time: evaluate, differentiate, fit.

Three fits: `fit_local` is the one-pass fit of Lee, Wolberg & Shin 1997 that displacement maps
use (scattered data, zero where there is none), `fit_multilevel` repeats it on what is left over
ever finer knots, `fit_least_squares` solves for all control points at once.
"""

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

    def refined(self) -> Spline:
        """Return the same curve over knots half as far apart."""
        c = self.control
        fine = np.empty((2 * len(c) - 3, *c.shape[1:]))
        fine[0::2] = (c[:-1] + c[1:]) / 2.0
        fine[1::2] = (c[:-2] + 6.0 * c[1:-1] + c[2:]) / 8.0
        return Spline(self.start, self.spacing / 2.0, fine)

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


def fit_local(
    times: ArrayLike, values: ArrayLike, start: float, end: float, spacing: float
) -> Spline:
    """Return the local least-squares fit of values (N, ...) at `times` (N,) in `start` to `end`.

    Each datum asks of its four control points the least change that meets it; a control point
    takes the mean of what is asked, weighted by squared bases; without data it is zero. A single
    datum (or data four spans apart) is met exactly, close data on average only.
    """
    times, values = _data(times, values)
    blank = zero_spline(start, end, spacing, values.shape[1:])
    first, u = blank._spans(times)
    bases = basis(u)
    flat = values.reshape(len(values), math.prod(values.shape[1:]))
    asked = flat / (bases * bases).sum(axis=1)[:, None]
    total = np.zeros((len(blank.control), flat.shape[1]))
    weight = np.zeros(len(blank.control))
    for k in range(4):
        np.add.at(total, first + k, bases[:, k, None] ** 3 * asked)
        np.add.at(weight, first + k, bases[:, k] ** 2)
    seen = weight > 1e-30
    total[seen] /= weight[seen, None]
    total[~seen] = 0.0
    return Spline(start, blank.spacing, total.reshape(blank.control.shape))


def fit_multilevel(
    times: ArrayLike,
    values: ArrayLike,
    start: float,
    end: float,
    spacing: float,
    levels: int = 6,
    tolerance: float = 0.0,
) -> Spline:
    """Local fits of what the coarser ones left over, knots halved each level, as one spline.

    Stops after `levels`, or when no value is missed by more than `tolerance`. The first level
    has knots `spacing` apart.
    """
    times, values = _data(times, values)
    if levels < 1:
        raise InputError(f"a fit of {levels} levels", remedy="it needs at least one")
    spline = fit_local(times, values, start, end, spacing)
    for _ in range(levels - 1):
        left = values - spline.at(times)
        if np.max(np.abs(left), initial=0.0) <= tolerance:
            break
        fine = spline.refined()
        more = fit_local(times, left, start, fine.end, fine.spacing)
        spline = Spline(start, fine.spacing, fine.control + more.control)
    return spline


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
