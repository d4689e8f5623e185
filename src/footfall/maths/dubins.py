"""Paths that turn no more tightly than a body can: hairpins become loops.

A path that turns back on itself cannot be walked as it is drawn. Where it turns back more tightly
than by a radius, a stretch of it is exchanged for the shortest path of arcs of that radius and
straight lines (Dubins 1957) that begins and ends along the drawn one: a hairpin becomes a loop like
a drop. All else stays as it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from footfall.maths.arrays import Floats
from footfall.maths.polyline import SPACING_M, EvenPolyline, Polyline

BACK = math.radians(100.0)
"""A path that turns by more than this within two radii turns back; less is a corner."""
_REACHES = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0)
"""How far before and after a hairpin its loop may begin, in radii."""
_HEADING_M, _LONGER = 0.1, 0.2


def loop_hairpins(path: EvenPolyline, radius_m: float) -> EvenPolyline:
    """Return the path that turns back by loops of a radius; the same one where it never turns back.

    Corners that only have to be cut a little stay.
    """
    tight = _tight_stretches(path, radius_m)
    if not tight:
        return path
    parts, done = [], 0.0
    for k, (first, last) in enumerate(tight):
        after = tight[k + 1][0] if k + 1 < len(tight) else path.length_m
        loop = _loop_around(path, first, last, radius_m, done, 0.5 * (last + after))
        if loop is None:
            continue
        begin, end, points = loop
        parts += [path.at(_distances(done, begin)), points]
        done = end
    if not parts:
        return path
    parts.append(path.at(_distances(done, path.length_m)))
    return Polyline(np.concatenate(parts)).resample()


def _distances(first: float, last: float) -> Floats:
    return np.linspace(first, last, max(2, math.ceil((last - first) / SPACING_M) + 1))


def _tight_stretches(path: EvenPolyline, radius_m: float) -> list[tuple[float, float]]:
    """Return the spans in which the path turns back, seen over a radius."""
    reach = max(1, round(radius_m / path.spacing_m))
    if len(path) <= 2 * reach:
        return []
    chords = path.points[reach:] - path.points[:-reach]
    before, after = chords[:-reach], chords[reach:]
    along = (before * after).sum(axis=1)
    back = along < math.cos(BACK) * np.hypot(*before.T) * np.hypot(*after.T)
    tight = np.flatnonzero(back) + reach
    if not len(tight):
        return []
    apart = np.flatnonzero(np.diff(tight) * path.spacing_m > 2.0 * radius_m)
    firsts = tight[np.concatenate([[0], apart + 1])]
    lasts = tight[np.concatenate([apart, [len(tight) - 1]])]
    middles = 0.5 * (firsts + lasts)
    half = np.maximum(0.5 * (lasts - firsts) - 0.5 * reach, 0.0)
    ends = np.stack([middles - half, middles + half], axis=1) * path.spacing_m
    return [(float(first), float(last)) for first, last in ends]


def _loop_around(
    path: EvenPolyline, first: float, last: float, radius_m: float, low: float, high: float
) -> tuple[float, float, Floats] | None:
    """Return the loop that strays least: where it leaves the path, where it comes back, its points.

    low, high  between which distances along the path there is room for it
    """
    best, least = None, math.inf
    for reach in _REACHES:
        begin, end = first - reach * radius_m, last + reach * radius_m
        if begin < low or end > high:
            break
        points = shortest_turning_path(_pose_at(path, begin), _pose_at(path, end), radius_m)
        drawn = Polyline(path.at(_distances(begin, end)))
        # Both ways: a loop that keeps near the path but does not go to its tip is none.
        astray = max(
            float(drawn.gaps(points).max()), float(Polyline(points).gaps(drawn.points).max())
        )
        longer = Polyline(points).length_m - drawn.length_m
        if astray + _LONGER * abs(longer) < least:
            best, least = (begin, end, points), astray + _LONGER * abs(longer)
    return best


def _pose_at(path: EvenPolyline, distance_m: float) -> tuple[float, float, float]:
    (x, z), before, after = path.at(
        [distance_m, distance_m - 0.5 * _HEADING_M, distance_m + 0.5 * _HEADING_M]
    )
    return float(x), float(z), math.atan2(after[0] - before[0], after[1] - before[1])


def shortest_turning_path(
    begin: tuple[float, float, float], end: tuple[float, float, float], radius_m: float
) -> Floats:
    """Return (N, 2) the shortest path between poses (x, z, yaw) of arcs and lines.

    One of Dubins' words: two arcs and a line between them, or three arcs.
    """
    x, z, yaw = begin
    across, ahead = end[0] - x, end[1] - z
    # In coordinates where it begins at the origin, ahead along the first, left along the second.
    dx = (ahead * math.cos(yaw) + across * math.sin(yaw)) / radius_m
    dy = (across * math.cos(yaw) - ahead * math.sin(yaw)) / radius_m
    words = list(_words(dx, dy, end[2] - yaw))
    turns, lengths = min(words, key=lambda word: sum(word[1]))
    points, heading = [np.zeros((1, 2))], 0.0
    for turn, length in zip(turns, lengths, strict=True):
        t = np.linspace(0.0, length, max(2, math.ceil(length * radius_m / SPACING_M)))[1:]
        if turn == 0:
            step = np.stack([t * math.cos(heading), t * math.sin(heading)], 1)
        else:
            step = np.stack(
                [
                    turn * (np.sin(heading + turn * t) - math.sin(heading)),
                    -turn * (np.cos(heading + turn * t) - math.cos(heading)),
                ],
                1,
            )
        points.append(points[-1][-1] + step)
        heading += turn * length
    forward, left = (radius_m * np.concatenate(points)).T
    return np.stack(
        [
            x + forward * math.sin(yaw) + left * math.cos(yaw),
            z + forward * math.cos(yaw) - left * math.sin(yaw),
        ],
        axis=1,
    )


_Word = tuple[tuple[int, int, int], tuple[float, float, float]]


def _words(dx: float, dy: float, yaw: float) -> Iterator[_Word]:
    """Paths from the origin to (dx, dy, yaw) by arcs of radius 1 and lines, as turns and lengths.

    A turn is 1 to the left, -1 to the right, 0 for a line. Paths that turn right first are the
    mirror images of those that turn left.
    """
    for side in (1, -1):
        for turns, lengths in _left_words(dx, side * dy, side * yaw):
            yield (side * turns[0], side * turns[1], side * turns[2]), lengths


def _left_words(dx: float, dy: float, yaw: float) -> Iterator[_Word]:
    """Yield those whose first arc turns left: its centre is at (0, 1)."""
    tau = math.tau
    # The last arc to the left as well, its centre at (cx, cy) seen from that of the first.
    cx, cy = dx - math.sin(yaw), dy + math.cos(yaw) - 1.0
    apart, way = math.hypot(cx, cy), math.atan2(cy, cx)
    yield (1, 0, 1), (way % tau, apart, (yaw - way) % tau)
    if apart <= 4.0:
        bend = math.acos(0.25 * apart)
        first = (way + 0.5 * math.pi + bend) % tau
        middle = (math.pi + 2.0 * bend) % tau
        yield (1, -1, 1), (first, middle, (yaw - first + middle) % tau)
    # The last arc to the right.
    cx, cy = dx + math.sin(yaw), dy - math.cos(yaw) - 1.0
    apart, way = math.hypot(cx, cy), math.atan2(cy, cx)
    if apart >= 2.0:
        line = math.sqrt(apart * apart - 4.0)
        first = (way + math.atan2(2.0, line)) % tau
        yield (1, 0, -1), (first, line, (first - yaw) % tau)
