"""A path as people give it, made ready to be followed: checked, evenly sampled, corners rounded."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from footfall.errors import InputError
from footfall.maths.arrays import Floats, frozen_floats
from footfall.search.branch_and_bound import Line

SPACING_M = 0.01
SHORTEST_M = 0.05
LONGEST_M = 20_000.0
"""A day's march: two million points."""
_SAME_M = 1e-6
_ARC_STEP = math.radians(3.0)


def prepare_path(
    path: ArrayLike, *, closed: bool = False, rounds: int = 1, corner_radius_m: float = 0.0
) -> Line:
    """The path through the points (N, 2), x and z, as points 1 cm apart along it.

    closed           goes back to its first point; followed `rounds` times
    corner_radius_m  corners are rounded by arcs of this radius, or what there is room for

    Repeated points are left out, sharp corners and crossings stay.
    """
    points = frozen_floats(path, (None, 2), "path")
    if rounds < 1 or not (math.isfinite(corner_radius_m) and corner_radius_m >= 0.0):
        raise InputError(
            f"{rounds} rounds with corners of {corner_radius_m:g} m",
            remedy="at least one round, and a radius of 0 or more",
        )
    if closed and len(points):
        points = np.concatenate([points, points[:1]])
    points = _without_repeats(points)
    length = float(np.hypot(*np.diff(points, axis=0).T).sum())
    if length < SHORTEST_M:
        raise InputError(
            f"the path is {length:g} m long", remedy=f"it must be at least {SHORTEST_M:g} m"
        )
    if length * rounds > LONGEST_M:
        raise InputError(
            f"the path is {length * rounds:.0f} m long", remedy=f"at most {LONGEST_M:.0f} m"
        )
    if corner_radius_m > 0.0:
        points = rounded(points, corner_radius_m, closed)
    if rounds > 1:
        if not closed:
            raise InputError("an open path has one round", remedy="close it, or rounds=1")
        points = np.concatenate([points, *[points[1:]] * (rounds - 1)])
    return sampled_line(points)


def rounded(points: Floats, radius_m: float, closed: bool = False) -> Floats:
    """A polyline (N, 2) whose corners are arcs of `radius_m`, or of what half its legs allow."""
    legs = np.diff(points, axis=0)
    lengths = np.hypot(*legs.T)
    ahead = legs / lengths[:, None]
    inner = [_arc(points[k], ahead[k - 1], ahead[k], 0.5 * lengths[k - 1 : k + 1].min(), radius_m)
             for k in range(1, len(points) - 1)]  # fmt: skip
    if closed:
        seam = _arc(points[0], ahead[-1], ahead[0], 0.5 * min(lengths[0], lengths[-1]), radius_m)
        # The seam is walked from its middle to its end, and at last from its beginning to there.
        half = len(seam) // 2
        return np.concatenate([seam[half:], *inner, seam[: half + 1]])
    return np.concatenate([points[:1], *inner, points[-1:]])


def _arc(corner: Floats, before: Floats, after: Floats, room_m: float, radius_m: float) -> Floats:
    """(M, 2) the arc that replaces a corner, M odd."""
    turn = math.atan2(before[1] * after[0] - before[0] * after[1], float(before @ after))
    if abs(turn) < 1e-6:
        return corner[None]
    # A full turn back has no arc; a short cap then stands for it.
    bend = math.tan(0.5 * min(abs(turn), math.radians(170.0)))
    cut = min(radius_m * bend, room_m)
    radius = cut / bend
    aside = np.array([before[1], -before[0]]) * math.copysign(1.0, turn)
    count = 2 * max(1, math.ceil(abs(turn) / _ARC_STEP / 2.0)) + 1
    angle = np.linspace(0.0, abs(turn), count)[:, None]
    arc = corner - before * cut + radius * (np.sin(angle) * before + (1 - np.cos(angle)) * aside)
    return np.asarray(arc)


def _without_repeats(points: Floats) -> Floats:
    if len(points) == 0:
        raise InputError("the path has no points", remedy="give at least two")
    moved = np.hypot(*np.diff(points, axis=0).T) > _SAME_M
    return np.asarray(points[np.concatenate([[True], moved])])


def sampled_line(points: Floats) -> Line:
    """A polyline (N, 2) sampled evenly along its length, first and last point kept."""
    at = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    length = float(at[-1])
    count = max(2, math.ceil(length / SPACING_M - 1e-9) + 1)
    even = np.linspace(0.0, length, count)
    return Line(
        np.stack([np.interp(even, at, points[:, k]) for k in range(2)], axis=1),
        length / (count - 1),
    )


def line_points(line: Line, way_m: ArrayLike) -> Floats:
    """(..., 2) the points `way_m` (...) along a line; beyond its ends it goes on straight."""
    place = np.asarray(way_m, dtype=np.float64) / line.spacing_m
    k = np.clip(place.astype(np.int64), 0, len(line.points) - 2)
    u = (place - k)[..., None]
    return np.asarray(line.points[k] + u * (line.points[k + 1] - line.points[k]))


def line_heading(line: Line, way_m: float, over_m: float = 0.25) -> float:
    """The way a line goes from `way_m` on, radians, seen over a short stretch."""
    a, b = line_points(line, [way_m, min(way_m + over_m, max(line.length_m, way_m + SPACING_M))])
    return math.atan2(b[0] - a[0], b[1] - a[1])
