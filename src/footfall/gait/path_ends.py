"""A path continued beyond its ends, so that smoothing knows what comes before and after.

The last stride is repeated: a lag is looked for at which the end of the path looks like the part
before, turned and moved. Sway and curvature then go on as they were. Where nothing repeats (short
paths, starts and stops) the path is reflected about its end point, which keeps place and tangent
(Rosin's "duplicating and reflecting", as van Basten & Egges use it).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from footfall.maths.arrays import Floats

WINDOW_M = 1.2
LEAST_LAG_M, MOST_LAG_M = 0.7, 2.6
WORST_MATCH = 0.6
"""How far, as a share of the wiggle in the window, the repeated part may be off …"""
NEVER_WORSE_M = 0.002
"""… unless it is off by less than this anyway, root mean square."""

_Complex = NDArray[np.complex128]


def extend_path(points: Floats, step_m: float, more_m: float) -> tuple[Floats, int]:
    """Return the path (N, 2), sampled every `step_m`, with at least `more_m` added at both ends.

    Also how many samples were added before.
    """
    path = points[:, 1] + 1j * points[:, 0]
    count = int(np.ceil(more_m / step_m))
    after = _continue(path, step_m, count)
    before = _continue(path[::-1], step_m, count)[::-1]
    longer = np.concatenate([before, path, after])
    return np.stack([longer.imag, longer.real], axis=1), count


def _continue(path: _Complex, step_m: float, count: int) -> _Complex:
    """Return (count,) samples that go on after the end of a path."""
    lag, turn = _repetition(path, step_m)
    if lag == 0:
        return _reflect(path, count)
    out = np.empty(count, np.complex128)
    # The last stride, moved from its beginning to its end, again and again.
    part = path[-lag:]
    anchor, end = path[-lag - 1], path[-1]
    for first in range(0, count, lag):
        part = end + (part - anchor) * turn
        anchor = end
        end = part[-1]
        take = min(lag, count - first)
        out[first : first + take] = part[:take]
    return out


def _repetition(path: _Complex, step_m: float) -> tuple[int, complex]:
    """Return the lag in samples at which the end of the path repeats, and its turn; 0 if none."""
    window = int(WINDOW_M / step_m)
    most = min(int(MOST_LAG_M / step_m), len(path) - window - 1)
    least = int(LEAST_LAG_M / step_m)
    if window < 8 or most <= least:
        return 0, 1.0
    lags = np.arange(least, most + 1)
    # Only what the lags reach, about its own mean: sums of squares then keep their digits.
    near = path[len(path) - window - most :]
    near = near - near.mean()
    end = near[-window:] - near[-window:].mean()
    sums = np.concatenate([[0.0], np.cumsum(near)])
    squares = np.concatenate([[0.0], np.cumsum(near.real**2 + near.imag**2)])
    starts = most - lags
    mean = (sums[starts + window] - sums[starts]) / window
    spread = squares[starts + window] - squares[starts] - window * np.abs(mean) ** 2
    # The end is about its mean, so the means of the parts do not count in the products.
    inner = np.correlate(near[: most - least + window], end, mode="valid").conj()[starts]
    left = spread + np.sum(np.abs(end) ** 2) - 2.0 * np.abs(inner)
    left = np.maximum(left / window, 0.0)
    # The first lag that is about as good as the best: two strides repeat as well as one.
    good = left <= max(1.5 * left.min(), left.min() + 1e-8)
    first = int(np.argmax(good))
    while first + 1 < len(left) and left[first + 1] < left[first]:
        first += 1
    wiggle = _wiggle(end)
    if np.sqrt(left[first]) > max(WORST_MATCH * wiggle, NEVER_WORSE_M):
        return 0, 1.0
    lag = int(lags[first])
    return lag, complex(inner[first] / np.abs(inner[first]))


def _wiggle(part: _Complex) -> float:
    """Root mean square distance of a part of a path from the parabola that fits it best."""
    basis = _parabolas(len(part))
    rest = part - basis @ (part @ basis)
    return float(np.sqrt(np.mean(np.abs(rest) ** 2)))


@lru_cache(maxsize=8)
def _parabolas(count: int) -> Floats:
    """Return (count, 3) an orthonormal basis of the parabolas over `count` even steps."""
    along = np.linspace(-1.0, 1.0, count)
    return np.linalg.qr(np.stack([np.ones(count), along, along**2], axis=1))[0]


def _reflect(path: _Complex, count: int) -> _Complex:
    """Return (count,) samples: the path reflected about its end point, and about that again."""
    mirrored = (
        np.pad(path, (0, count), mode="reflect", reflect_type="odd")
        if len(path) > 1
        else (np.full(len(path) + count, path[-1]))
    )
    return np.asarray(mirrored[len(path) :])
