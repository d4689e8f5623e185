"""Curves from value to value: steps that ease in and out, and cubics and quintics through keys.

All are evaluated at many places at once. The cubics are those of `scipy.interpolate`, whose
import takes longer than most that they are used for.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from footfall.errors import InputError
from footfall.maths.arrays import Floats

Keys = Sequence[tuple[float, float]]
"""Pairs of a time in seconds and a value."""


def smoothstep(u: ArrayLike) -> Floats:
    """Return the cubic from 0 to 1 with level ends, clamped beyond."""
    u = np.clip(u, 0.0, 1.0)
    return np.asarray(u * u * (3.0 - 2.0 * u))


def smootherstep(u: ArrayLike) -> Floats:
    """Return the quintic of least jerk from 0 to 1 with level ends, C², clamped beyond."""
    u = np.clip(u, 0.0, 1.0)
    return np.asarray(u**3 * (10.0 - 15.0 * u + 6.0 * u * u))


def fading_slope(u: ArrayLike) -> Floats:
    """Return a value that leaves 0 at u = 0 with slope 1 and is 0 again from u = 1 on, C² there."""
    u = np.clip(u, 0.0, 1.0)
    return np.asarray(u - u**3 * (6.0 - 8.0 * u + 3.0 * u * u))


def hermite(u: Floats, ends: Floats, slopes: Floats) -> Floats:
    """Return the cubics from ends[0] to ends[1] with slopes[0] and slopes[1] there."""
    out, back = u * (1.0 - u) ** 2, -(u**2) * (1.0 - u)
    step = u**2 * (3.0 - 2.0 * u)
    return np.asarray(ends[0] + (ends[1] - ends[0]) * step + slopes[0] * out + slopes[1] * back)


def through_keys(keys: Keys, times: Floats) -> Floats:
    """Return (T,) least-jerk quintics from key to key, exactly level where keys agree."""
    at, values = _ordered(keys)
    t = np.clip(times, at[0], at[-1])
    n = _intervals(at, t)
    u = (t - at[n]) / (at[n + 1] - at[n])
    return np.asarray(values[n] + (values[n + 1] - values[n]) * smootherstep(u))


def monotone_cubic(keys: Keys, times: Floats, *, level_ends: bool = False) -> Floats:
    """Return (T,) the cubic through keys that never overshoots them (Fritsch & Butland 1984).

    level_ends  whether it leaves the first key and arrives at the last with no slope; else as a
                parabola through three keys would
    """
    at, values = _ordered(keys)
    if len(at) == 1:
        return np.full(len(times), values[0])
    wide = np.diff(at)
    rise = np.diff(values) / wide
    slopes = np.zeros(len(at))
    a, b = 2.0 * wide[1:] + wide[:-1], wide[1:] + 2.0 * wide[:-1]
    same = rise[:-1] * rise[1:] > 0.0
    left, right = np.where(same, rise[:-1], 1.0), np.where(same, rise[1:], 1.0)
    slopes[1:-1] = np.where(same, (a + b) / (a / left + b / right), 0.0)
    if not level_ends:
        slopes[0], slopes[-1] = _end_slope(wide, rise), _end_slope(wide[::-1], rise[::-1])
    return _piecewise(at, values[:, None], slopes[:, None], np.clip(times, at[0], at[-1]))[:, 0]


def _end_slope(wide: Floats, rise: Floats) -> float:
    """Return the slope of a monotone cubic at its first key."""
    if len(wide) == 1:
        return float(rise[0])
    slope = ((2.0 * wide[0] + wide[1]) * rise[0] - wide[0] * rise[1]) / (wide[0] + wide[1])
    if slope * rise[0] <= 0.0:
        return 0.0
    if rise[0] * rise[1] <= 0.0 and abs(slope) > 3.0 * abs(rise[0]):
        return float(3.0 * rise[0])
    return float(slope)


def cubic_spline(
    at: ArrayLike, rows: Floats, times: Floats, slopes: tuple[Floats, Floats] | None = None
) -> Floats:
    """Return (T, D) the C² cubic through rows (K, D) at knots `at` (K,), at `times` (T,).

    slopes  (D,) at the first and the last knot; without them the first two and the last two
            cubics are one each ("not a knot"), which takes four knots
    """
    at = np.asarray(at, dtype=np.float64)
    wide = np.diff(at)
    rise = np.diff(rows, axis=0) / wide[:, None]
    below, level, above = wide.copy(), np.ones(len(at)), wide.copy()
    right = np.empty_like(rows, dtype=np.float64)
    below[:-1], above[1:] = wide[1:], wide[:-1]
    level[1:-1] = 2.0 * (wide[:-1] + wide[1:])
    right[1:-1] = 3.0 * (wide[1:, None] * rise[:-1] + wide[:-1, None] * rise[1:])
    if slopes is not None:
        below[-1], above[0] = 0.0, 0.0
        right[0], right[-1] = slopes
    else:
        level[0], above[0], right[0] = _not_a_knot(wide[0], wide[1], rise[0], rise[1])
        level[-1], below[-1], right[-1] = _not_a_knot(wide[-1], wide[-2], rise[-1], rise[-2])
    return _piecewise(at, rows, tridiagonal(below, level, above, right), times)


def _not_a_knot(
    first: float, second: float, rise: Floats, then: Floats
) -> tuple[float, float, Floats]:
    """Return the row of the spline's equations at an end: slope, neighbour's slope, right side."""
    both = first + second
    return second, both, ((first + 2.0 * both) * second * rise + first**2 * then) / both


def tridiagonal(below: Floats, level: Floats, above: Floats, right: Floats) -> Floats:
    """Return (K, D) the solution of a diagonally dominant tridiagonal system.

    below  (K - 1,) the entries left of the diagonal, level (K,) on it, above (K - 1,) right of it
    """
    low, middle, high = below.tolist(), level.tolist(), above.tolist()
    last = len(middle) - 1
    for k in range(last):
        low[k] /= middle[k]
        middle[k + 1] -= low[k] * high[k]
    out = []
    for column in right.T.tolist():
        for k in range(last):
            column[k + 1] -= low[k] * column[k]
        column[last] /= middle[last]
        for k in range(last - 1, -1, -1):
            column[k] = (column[k] - high[k] * column[k + 1]) / middle[k]
        out.append(column)
    return np.array(out).T


def quintic_through(
    at: ArrayLike, places: Floats, speeds: Floats, accelerations: Floats, times: Floats
) -> Floats:
    """Return (T, D) C² quintics through places (K, D) with given speeds and accelerations."""
    at = np.asarray(at, dtype=np.float64)
    t = np.clip(times, at[0], at[-1])
    n = _intervals(at, t)
    w = np.diff(at)[n][:, None]
    u = (t - at[n])[:, None] / w
    v = 1.0 - u
    rows = [
        places[n] * (1.0 + 3.0 * u + 6.0 * u * u) + speeds[n] * w * u * (1.0 + 3.0 * u)
        + accelerations[n] * w * w * u * u / 2.0,
        places[n + 1] * (1.0 + 3.0 * v + 6.0 * v * v) - speeds[n + 1] * w * v * (1.0 + 3.0 * v)
        + accelerations[n + 1] * w * w * v * v / 2.0,
    ]  # fmt: skip
    return np.asarray(rows[0] * v**3 + rows[1] * u**3)


def _piecewise(at: Floats, rows: Floats, slopes: Floats, times: Floats) -> Floats:
    """Return (T, D) the cubics through rows (K, D) with slopes (K, D) at knots (K,)."""
    n = _intervals(at, times)
    wide = np.diff(at)[n][:, None]
    u = (times - at[n])[:, None] / wide
    ends = np.stack([rows[n], rows[n + 1]])
    return hermite(u, ends, np.stack([slopes[n], slopes[n + 1]]) * wide)


def _intervals(at: Floats, times: Floats) -> Floats:
    """Return (T,) the knot at or before each time, so that there is one after it."""
    return np.clip(np.searchsorted(at, times, side="right") - 1, 0, len(at) - 2)


def _ordered(keys: Keys) -> tuple[Floats, Floats]:
    at, values = np.array(keys, np.float64).T
    if (np.diff(at) <= 0.0).any():
        raise InputError("the keys of a curve are not in order", remedy="each later than the last")
    return at, values


@lru_cache(maxsize=1024)
def spline_slopes(count: int) -> Floats:
    """Return (N, N) takes N values to the slopes of the cubic spline through them, one apart.

    As `scipy.interpolate.CubicSpline` has it (not a knot), whose import takes half a second.
    """
    rise = np.diff(np.eye(count), axis=0)
    if count < 4:
        ends = 0.5 * (rise[:-1] + rise[1:]) if count == 3 else rise[:0]
        bend = 0.5 * (rise[-1] - rise[0])
        return np.concatenate([[rise[0] - bend], ends, [rise[-1] + bend]])
    inside = np.zeros((count, count))
    values = np.zeros((count, count))
    for n in range(1, count - 1):
        inside[n, n - 1 : n + 2] = 1.0, 4.0, 1.0
        values[n] = 3.0 * (rise[n - 1] + rise[n])
    inside[0, :2], inside[-1, -2:] = (1.0, 2.0), (2.0, 1.0)
    values[0], values[-1] = 2.5 * rise[0] + 0.5 * rise[1], 0.5 * rise[-2] + 2.5 * rise[-1]
    return np.asarray(np.linalg.solve(inside, values))
