"""A path continued beyond its ends, so that smoothing knows what comes before and after.

The last stride is repeated: a lag is looked for at which the end of the path looks like the part
before, turned and moved. Sway and curvature then go on as they were. Where nothing repeats (short
paths, starts and stops) the path is reflected about its end point, which keeps place and tangent
(Rosin's "duplicating and reflecting", as van Basten & Egges use it).
"""

from __future__ import annotations

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


def extended(points: Floats, step_m: float, more_m: float) -> tuple[Floats, int]:
    """The path (N, 2), sampled every `step_m`, with at least `more_m` added at both ends.

    Also how many samples were added before.
    """
    path = points[:, 1] + 1j * points[:, 0]
    count = int(np.ceil(more_m / step_m))
    after = _continued(path, step_m, count)
    before = _continued(path[::-1], step_m, count)[::-1]
    longer = np.concatenate([before, path, after])
    return np.stack([longer.imag, longer.real], axis=1), count


def _continued(path: _Complex, step_m: float, count: int) -> _Complex:
    """(count,) samples that go on after the end of a path."""
    lag, turn = _repetition(path, step_m)
    if lag == 0:
        return _reflected(path, count)
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
    """The lag in samples after which the end of the path repeats, and how it turns; 0 if none."""
    window = int(WINDOW_M / step_m)
    most = min(int(MOST_LAG_M / step_m), len(path) - window - 1)
    least = int(LEAST_LAG_M / step_m)
    if window < 8 or most <= least:
        return 0, 1.0
    end = path[-window:] - path[-window:].mean()
    lags = np.arange(least, most + 1)
    starts = len(path) - window - lags
    parts = np.lib.stride_tricks.sliding_window_view(path, window)[starts]
    parts = parts - parts.mean(axis=1, keepdims=True)
    inner = parts.conj() @ end
    left = np.sum(np.abs(parts) ** 2, axis=1) + np.sum(np.abs(end) ** 2) - 2.0 * np.abs(inner)
    left = np.maximum(left / window, 0.0)
    # The first lag that is about as good as the best: two strides repeat as well as one.
    good = left <= max(1.5 * left.min(), left.min() + 1e-8)
    first = int(np.argmax(good))
    while first + 1 < len(left) and left[first + 1] < left[first]:
        first += 1
    wiggle = _wiggle(end, step_m)
    if np.sqrt(left[first]) > max(WORST_MATCH * wiggle, NEVER_WORSE_M):
        return 0, 1.0
    lag = int(lags[first])
    return lag, complex(inner[first] / np.abs(inner[first]))


def _wiggle(part: _Complex, step_m: float) -> float:
    """Root mean square distance of a part of a path from the parabola that fits it best."""
    along = np.arange(len(part)) * step_m
    trend = np.polynomial.polynomial.polyfit(along, np.stack([part.real, part.imag], axis=1), 2)
    fitted = np.polynomial.polynomial.polyval(along, trend)
    rest = part - (fitted[0] + 1j * fitted[1])
    return float(np.sqrt(np.mean(np.abs(rest) ** 2)))


def _reflected(path: _Complex, count: int) -> _Complex:
    """(count,) samples: the path reflected about its end point, and about that again."""
    mirrored = (
        np.pad(path, (0, count), mode="reflect", reflect_type="odd")
        if len(path) > 1
        else (np.full(len(path) + count, path[-1]))
    )
    return np.asarray(mirrored[len(path) :])
