"""Speed and turn of a path: the circular arc at constant speed that fits it best.

Park, Shin & Shin 2002, Eq. 1, fit a circle and read speed and turn from it. Where we differ: the
arc z(t) = a + v (exp(i w t) - 1) / (i w) on the complex plane z + i x is linear in a and v for a
given turn rate w and stays regular for straight lines, so one search over w finds them all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.errors import InputError
from footfall.maths.arrays import Floats

MOST_TURN = 4.0
"""Turn rates up to this are looked for, rad/s."""
_NARROWINGS = 16
_GOLDEN = 0.5 * (np.sqrt(5.0) - 1.0)
_Complex = NDArray[np.complex128]


@dataclass(frozen=True, eq=False)
class Arcs:
    """N arcs at constant speed, one per path.

    speed     (N,) m/s
    turn      (N,) turn rate, rad/s, positive to the left
    heading   (N,) direction of travel at the beginning, radians left of +Z
    start     (N, 2) where they begin, x and z
    error_m   (N,) root mean square distance of the path from the arc, metres
    """

    speed: Floats
    turn: Floats
    heading: Floats
    start: Floats
    error_m: Floats

    def __len__(self) -> int:
        return len(self.speed)

    @property
    def radius(self) -> Floats:
        """(N,) metres, infinite for a straight line."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.turn == 0.0, np.inf, self.speed / np.abs(self.turn))

    def at(self, times: ArrayLike) -> Floats:
        """Return (N, M, 2) points of the arcs at `times` (N, M) or (M,), seconds from the start."""
        times = np.broadcast_to(
            np.asarray(times, dtype=np.float64), (len(self), np.shape(times)[-1])
        )
        place = self.start[:, 1] + 1j * self.start[:, 0]
        way = self.speed * np.exp(1j * self.heading)
        out = place[:, None] + way[:, None] * _unit_arc(self.turn, times)
        return np.stack([out.imag, out.real], axis=-1)


def fit_arcs(times: ArrayLike, points: ArrayLike) -> Arcs:
    """Return the arcs nearest to N paths: `points` (N, M, 2) at `times` (N, M), seconds."""
    times, points = np.asarray(times, dtype=np.float64), np.asarray(points, dtype=np.float64)
    if points.ndim != 3 or points.shape[2] != 2 or times.shape != points.shape[:2]:
        raise InputError(
            f"times have shape {times.shape} and points {points.shape}",
            remedy="they must be (N, M) and (N, M, 2)",
        )
    if points.shape[1] < 3:
        raise InputError(f"a path has {points.shape[1]} points", remedy="an arc needs three")
    since = times - times[:, :1]
    path = points[..., 1] + 1j * points[..., 0]
    turn = _best_turn(since, path)
    arc = _unit_arc(turn, since)
    centred_arc, centred = arc - arc.mean(axis=1, keepdims=True), path - path.mean(1, keepdims=True)
    size = np.maximum(_squares(centred_arc), 1e-300)
    way = np.sum(np.conj(centred_arc) * centred, axis=1) / size
    start = path.mean(axis=1) - way * arc.mean(axis=1)
    error = np.abs(path - start[:, None] - way[:, None] * arc)
    return Arcs(
        speed=np.abs(way),
        turn=np.where(np.abs(way) > 1e-9, turn, 0.0),
        heading=np.angle(way),
        start=np.stack([start.imag, start.real], axis=1),
        error_m=np.sqrt(np.mean(error**2, axis=1)),
    )


def _best_turn(since: Floats, path: _Complex) -> Floats:
    """Return (N,) the turn rates with the least error, by grid and golden-section search."""
    seconds = max(float(since[:, -1].max(initial=0.0)), 1e-6)
    # The error has a dip of about one turn over the whole time: the grid must not step over it.
    count = int(np.ceil(2.0 * MOST_TURN / min(0.25, 1.5 / seconds))) | 1
    grid = np.linspace(-MOST_TURN, MOST_TURN, count)
    centred = path - path.mean(axis=1, keepdims=True)
    best, least = np.zeros(len(path)), np.full(len(path), np.inf)
    for turn in grid:
        error = _error(np.full(len(path), turn), since, centred)
        better = error < least
        best, least = np.where(better, turn, best), np.where(better, error, least)
    step = grid[1] - grid[0]
    low, high = best - step, best + step
    one, two = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    error_one, error_two = _error(one, since, centred), _error(two, since, centred)
    for _ in range(_NARROWINGS):
        left = error_one < error_two
        low, high = np.where(left, low, one), np.where(left, two, high)
        new = np.where(left, high - _GOLDEN * (high - low), low + _GOLDEN * (high - low))
        error = _error(new, since, centred)
        one, two = np.where(left, new, two), np.where(left, one, new)
        error_one, error_two = (
            np.where(left, error, error_two), np.where(left, error_one, error),
        )  # fmt: skip
    middle, width = 0.5 * (low + high), 0.5 * (high - low)
    for _ in range(2):  # near its least place the error is a parabola
        below, here, above = (_error(middle + d * width, since, centred) for d in (-1.0, 0.0, 1.0))
        bend = np.maximum(above - 2.0 * here + below, 1e-300)
        middle = middle + width * np.clip(0.5 * (below - above) / bend, -1.0, 1.0)
        width = np.maximum(0.3 * width, 1e-5)
    return np.asarray(middle)


def _error(turn: Floats, since: Floats, centred: _Complex) -> Floats:
    """Return (N,) what is left of the squared distances when the best place and speed are taken."""
    arc = _unit_arc(turn, since)
    arc -= arc.mean(axis=1, keepdims=True)
    inner = np.abs(np.sum(np.conj(arc) * centred, axis=1)) ** 2
    return np.asarray(_squares(centred) - inner / np.maximum(_squares(arc), 1e-300))


def _unit_arc(turn: Floats, since: Floats) -> _Complex:
    """Return (N, M) the arc of speed 1 from 0 along +Z: (exp(i w t) - 1) / (i w)."""
    half = 0.5 * turn[:, None] * since
    # t sinc(wt/2) exp(i wt/2): the same, and regular where w is zero.
    half = np.where(half == 0.0, 1e-20, half)
    sine = np.sin(half)
    out = np.empty(half.shape, np.complex128)
    length = since * sine / half
    out.real = length * np.cos(half)
    out.imag = length * sine
    return out


def _squares(values: _Complex) -> Floats:
    return np.asarray(np.sum(values.real**2 + values.imag**2, axis=1))
