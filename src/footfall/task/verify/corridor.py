"""Check that a motion follows a path from start to end within a corridor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.maths.arrays import Bools, Floats, Ints
from footfall.maths.polyline import Polyline, without_repeats
from footfall.maths.runs import runs

SPACING_M, MOST_POINTS = 0.05, 4000
"""The path is sampled this densely, with at most this number of points."""
_BACK_M = 0.05


@dataclass(frozen=True)
class Progress:
    """How points follow a path.

    arrives      the first point that ends a walk along the whole path; -1 if none does
    worst_m      the farthest from the path, metres, at the point `worst`
    first, stop  the points about that one which are outside of the corridor
    skipped_m    how much of the path no point comes near, one stretch, metres
    """

    arrives: int
    worst_m: float
    worst: int
    first: int
    stop: int
    skipped_m: float


def find_progress(points: Floats, path: Floats, corridor_m: float, ends: Ints) -> Progress:
    """Match points (T, 2) with a path (N, 2), both in order, within a corridor.

    ends  which points may be the last, in order; after the first that fits the path is done
    """
    curve = without_repeats(path)
    if len(curve) < 2:
        away = np.hypot(*(points - path[-1]).T)
        return Progress(int(ends[0]), float(away[ends[0]]), int(ends[0]), 0, len(points), 0.0)
    line = Polyline(curve)
    along = line.nearest(points)
    away = np.hypot(*(points - line.at(along)).T)
    inside = away[: ends[-1] + 1] <= corridor_m
    arrives = -1
    if inside.all():
        arrives = _arrives_straight(along, line.length_m, corridor_m, ends)
        if arrives < 0:
            arrives = _arrives(points, line, corridor_m, ends)
    upto = arrives if arrives >= 0 else int(ends[-1])
    worst = int(away[: upto + 1].argmax())
    first, stop = worst, worst + 1
    for a, b in runs(away > corridor_m).tolist():
        if a <= worst < b:
            first, stop = a, b
    skipped = 0.0 if arrives >= 0 else _longest_gap(points, line, corridor_m)
    return Progress(arrives, float(away[worst]), worst, first, stop, skipped)


def _arrives_straight(along: Floats, length: float, corridor_m: float, ends: Ints) -> int:
    """Return the first end up to which the nearest points go on along the path; -1 if none."""
    backward = np.flatnonzero(np.diff(along) < -_BACK_M)
    steps = np.flatnonzero(np.diff(along) > max(2.0 * corridor_m, 0.3))
    broken = min([*backward[:1].tolist(), *steps[:1].tolist(), len(along)])
    fits = ends[(ends <= broken) & (along[ends] >= length - max(corridor_m, 0.1))]
    return int(fits[0]) if len(fits) and along[0] <= max(corridor_m, 0.1) else -1


def _arrives(points: Floats, line: Polyline, corridor_m: float, ends: Ints) -> int:
    """Return the first end that the free-space diagram of points and path reaches; -1 if none.

    That is the decision of the Fréchet distance (Alt & Godau 1995) on samples: both are walked
    in order, never back, and stay within the corridor of each other.
    """
    curve = _samples(line)
    room = max(corridor_m, 0.1) + 0.5 * float(np.hypot(*(curve[1] - curve[0])))
    numbers = np.arange(len(curve))
    reached: Bools = np.zeros(len(curve), np.bool_)
    last = set(ends.tolist())
    for t, point in enumerate(points):
        free = np.hypot(*(curve - point).T) <= room
        seeds = free & reached
        seeds[1:] |= free[1:] & reached[:-1]
        if t == 0:
            seeds[0] = free[0]
        # From a seed on, the path can be walked as long as it is free.
        since = np.maximum.accumulate(np.where(seeds, numbers, -1))
        reached = free & (since > np.maximum.accumulate(np.where(free, -1, numbers)))
        if not reached.any():
            return -1
        if t in last and reached[-1]:
            return t
    return -1


def _longest_gap(points: Floats, line: Polyline, corridor_m: float) -> float:
    """Return the longest stretch of a path that no point comes near, metres."""
    curve = _samples(line)
    step = line.length_m / max(len(curve) - 1, 1)
    near = np.array([np.hypot(*(points - p).T).min() <= corridor_m for p in curve])
    spans = runs(~near)
    return float((spans[:, 1] - spans[:, 0]).max(initial=0) * step) or line.length_m


def _samples(line: Polyline) -> Floats:
    return line.resample(max(SPACING_M, line.length_m / MOST_POINTS)).points
