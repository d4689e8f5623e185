"""Curves on the ground drawn by points: length, resampling, nearest points, headings, corners.

A `Polyline` is a curve through points (N, 2), x and z in metres. Places on it are given by their
distance along it from its first point; beyond both ends it goes on straight. An `EvenPolyline`
has its points at even distances along the curve it was sampled from, which is what searches and
kernels take. Headings are radians left of +Z, like yaw.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from footfall.errors import InputError
from footfall.maths.arrays import Floats, Ints, frozen_floats

SAME_POINT_M = 1e-6
"""Points nearer than this to the one before are repetitions of it."""
SPACING_M = 0.01
"""How far apart the points of a prepared path are."""
SHORTEST_M, LONGEST_M = 0.05, 20_000.0
"""How long a path to follow may be: at most a day's march, two million points."""
_ARC_STEP = math.radians(3.0)
_COARSE_LEGS = 4
_BLOCK = 4096
_RESTING_M = 1e-4


def distances_along(points: Floats) -> Floats:
    """Return (N,) metres from the first of the points (N, 2) to each, along the polyline."""
    return np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])


def without_repeats(points: Floats, apart_m: float = SAME_POINT_M) -> Floats:
    """Return the points (N, 2) without those that repeat the one before."""
    moved = np.hypot(*np.diff(points, axis=0).T) > apart_m
    return np.asarray(points[np.concatenate([[True], moved])])


def directions(points: Floats) -> Floats:
    """Return (N, 2) the unit direction of a path at each point; at rest, the last one."""
    if len(points) < 2:
        return np.tile([0.0, 1.0], (len(points), 1))
    step = np.gradient(points, axis=0)
    size = np.hypot(step[:, 0], step[:, 1])
    known = size > _RESTING_M
    if not known.any():
        return np.tile([0.0, 1.0], (len(points), 1))
    last = np.maximum.accumulate(np.where(known, np.arange(len(points)), int(np.argmax(known))))
    return np.asarray(step[last] / size[last, None])


def curvatures(points: Floats) -> Floats:
    """Return (N,) the curvature of a path at its points (N, 2), 1/m, left positive."""
    if len(points) < 3:
        return np.zeros(len(points))
    first = np.gradient(points, axis=0)
    second = np.gradient(first, axis=0)
    speed = np.maximum(np.hypot(first[:, 0], first[:, 1]), _RESTING_M)
    # z to the right of x seen from above: a left turn has a negative x-z determinant.
    return np.asarray((first[:, 1] * second[:, 0] - first[:, 0] * second[:, 1]) / speed**3)


@dataclass(frozen=True, eq=False)
class Polyline:
    """A curve of straight legs through points (N, 2), x and z in metres, N at least 2.

    points     (N, 2) no two in a row the same is best, but they may be
    distances  (N,) how far along the curve each point is, metres
    """

    points: Floats
    distances: Floats = field(init=False, repr=False)

    def __post_init__(self) -> None:
        points = frozen_floats(self.points, (None, 2), "polyline")
        if len(points) < 2:
            raise InputError(f"a polyline has {len(points)} points", remedy="it takes at least two")
        object.__setattr__(self, "points", points)
        along = distances_along(points)
        object.__setattr__(self, "distances", frozen_floats(along, (None,), "distances"))

    def __len__(self) -> int:
        return len(self.points)

    @property
    def length_m(self) -> float:
        return float(self.distances[-1])

    def at(self, distance_m: ArrayLike) -> Floats:
        """Return (..., 2) points at distances (...) along it; straight beyond its ends."""
        distance = np.asarray(distance_m, dtype=np.float64)
        leg = self._legs_at(distance)
        start, size = self.distances[leg], self.distances[leg + 1] - self.distances[leg]
        u = ((distance - start) / np.where(size > 0.0, size, 1.0))[..., None]
        return np.asarray(self.points[leg] + u * (self.points[leg + 1] - self.points[leg]))

    def heading(self, distance_m: float, over_m: float = 0.25) -> float:
        """Return which way it goes from `distance_m` on, radians, seen over a short stretch."""
        last = max(self.length_m, distance_m + SPACING_M)
        a, b = self.at([distance_m, min(distance_m + over_m, last)])
        return math.atan2(b[0] - a[0], b[1] - a[1])

    def nearest(
        self, points: ArrayLike, *, near_m: ArrayLike | None = None, within_m: float = 1.0,
        beyond_ends: bool = False,
    ) -> Floats:  # fmt: skip
        """Return (T,) how far along it the nearest of its points to each of the points (T, 2) is.

        near_m       (T,) about how far along each is: only legs within `within_m` of that count,
                     which parts the two branches of a crossing
        beyond_ends  points beyond an end are matched with the straight continuation there
        """
        points = frozen_floats(points, (None, 2), "points")
        if near_m is None:
            along = self._nearest_leg_points(points, self._nearest_legs(points)[:, None])
        else:
            hint = frozen_floats(near_m, (len(points),), "near_m")
            along = np.empty(len(points))
            for first in range(0, len(points), _BLOCK):  # so that memory stays flat
                some = slice(first, first + _BLOCK)
                low, high = (
                    self._legs_at(hint[some] - within_m),
                    self._legs_at(hint[some] + within_m),
                )
                legs = self._legs_between(points[some], low, high)
                along[some] = self._nearest_leg_points(points[some], legs)
        return self._beyond(points, along) if beyond_ends else along

    def gaps(self, points: ArrayLike) -> Floats:
        """Return (T,) metres from each of the points (T, 2) to the nearest point of the curve."""
        points = frozen_floats(points, (None, 2), "points")
        return np.asarray(np.hypot(*(points - self.at(self.nearest(points))).T))

    def resample(self, spacing_m: float = SPACING_M) -> EvenPolyline:
        """Return the curve with points at even distances of at most `spacing_m`, both ends kept."""
        if not (math.isfinite(spacing_m) and spacing_m > 0.0):
            raise InputError(f"the spacing is {spacing_m:g} m", remedy="it must be above 0")
        length = self.length_m
        count = max(2, math.ceil(length / spacing_m - 1e-9) + 1)
        even = np.linspace(0.0, length, count)
        points = [np.interp(even, self.distances, self.points[:, k]) for k in range(2)]
        return EvenPolyline(np.stack(points, axis=1), length / (count - 1))

    def _legs_at(self, distance: Floats) -> Ints:
        """Return (...) the leg on which each distance along the curve lies."""
        leg = np.searchsorted(self.distances, distance, side="right") - 1
        return np.asarray(np.clip(leg, 0, len(self) - 2))

    def _legs_between(self, points: Floats, low: Ints, high: Ints) -> Ints:
        """Return (T, K) the legs from `low` to `high` (T,) that may be nearest to points (T, 2)."""
        steps = np.arange(int((high - low).max(initial=0)) + 1)
        # Padded to the widest by repeating.
        return np.asarray(np.minimum(low[:, None] + steps, high[:, None]))

    def _nearest_legs(self, points: Floats) -> Ints:
        """Return (T,) the leg nearest to each of the points (T, 2), of all."""
        import shapely

        ends = np.stack([self.points[:-1], self.points[1:]], axis=1)
        tree = shapely.STRtree(np.atleast_1d(np.asarray(shapely.linestrings(ends))))
        found = tree.query_nearest(shapely.points(points), all_matches=False)
        return np.asarray(found[1])

    def _nearest_leg_points(self, points: Floats, legs: Ints) -> Floats:
        """Return (T,) the distance along of the nearest point on any of the legs (T, K)."""
        start, leg = self.points[legs], self.points[legs + 1] - self.points[legs]
        away = points[:, None] - start
        square = np.maximum((leg**2).sum(axis=-1), 1e-300)
        u = np.clip((away * leg).sum(axis=-1) / square, 0.0, 1.0)
        gap = ((away - u[..., None] * leg) ** 2).sum(axis=-1)
        row, best = np.arange(len(points)), gap.argmin(axis=1)
        chosen, share = legs[row, best], u[row, best]
        start_m, end_m = self.distances[chosen], self.distances[chosen + 1]
        return np.asarray(start_m + share * (end_m - start_m))

    def _beyond(self, points: Floats, along: Floats) -> Floats:
        """Distances along moved out over an end where the nearest point is that end."""
        for end, sign, at_end in ((0, -1.0, along <= 0.0), (-1, 1.0, along >= self.length_m)):
            if at_end.any():
                a, b = self.at([0.0, -1.0] if end == 0 else [self.length_m, self.length_m + 1.0])
                out = np.maximum((points - a) @ (b - a), 0.0)
                along = np.where(at_end, along + sign * out, along)
        return np.asarray(along)


@dataclass(frozen=True, eq=False)
class EvenPolyline(Polyline):
    """A curve sampled at even distances: its points are `spacing_m` apart along it.

    Legs may be shorter than the spacing, where the curve that was sampled turns, but not longer.
    """

    spacing_m: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        spacing = self.spacing_m
        if not (math.isfinite(spacing) and spacing > 0.0):
            raise InputError("the line has no length", remedy="it takes two points that differ")
        legs = np.hypot(*np.diff(self.points, axis=0).T)
        # Lower bounds of searches rest on this: no curve is longer than the distance along it.
        if legs.max() > spacing * (1.0 + 1e-6) + 1e-12:
            raise InputError(
                f"points of the line are {legs.max():g} m apart",
                remedy=f"they must be {spacing:g} m apart along it",
            )
        even = spacing * np.arange(len(self.points))
        object.__setattr__(self, "distances", frozen_floats(even, (None,), "distances"))

    def _legs_at(self, distance: Floats) -> Ints:
        return np.asarray(np.clip(distance / self.spacing_m, 0, len(self) - 2)).astype(np.int64)

    def _legs_between(self, points: Floats, low: Ints, high: Ints) -> Ints:
        most = int((high - low).max(initial=0))
        if most < 4 * _COARSE_LEGS:
            return super()._legs_between(points, low, high)
        # Even legs are short: the nearest of every so-many-th point tells where to look.
        steps = np.arange(0, most + 1, _COARSE_LEGS)
        coarse = np.minimum(low[:, None] + steps, high[:, None])
        away_x = self.points[:, 0][coarse] - points[:, :1]
        away_z = self.points[:, 1][coarse] - points[:, 1:]
        nearest = (away_x * away_x + away_z * away_z).argmin(axis=1)
        near = coarse[np.arange(len(points)), nearest][:, None]
        around = near + np.arange(-_COARSE_LEGS, _COARSE_LEGS + 1)
        return np.asarray(np.clip(around, low[:, None], high[:, None]))


def rounded_corners(
    points: Floats, radius_m: float, closed: bool = False, cut_m: float = math.inf
) -> Floats:
    """Return (M, 2) points with corners as arcs of `radius_m`, or smaller on short legs.

    closed  the last point is the first, and is a corner too
    cut_m   how far arcs stay from their corners at most
    """
    legs = np.diff(points, axis=0)
    lengths = np.hypot(*legs.T)
    ahead = legs / lengths[:, None]
    room = 0.5 * np.minimum(lengths[:-1], lengths[1:])
    inner = [_arc(points[k], ahead[k - 1], ahead[k], room[k - 1], radius_m, cut_m)
             for k in range(1, len(points) - 1)]  # fmt: skip
    if closed:
        most = 0.5 * min(lengths[0], lengths[-1])
        seam = _arc(points[0], ahead[-1], ahead[0], most, radius_m, cut_m)
        # The seam is walked from its middle to its end, and at last from its beginning to there.
        half = len(seam) // 2
        return np.concatenate([seam[half:], *inner, seam[: half + 1]])
    return np.concatenate([points[:1], *inner, points[-1:]])


def _arc(
    corner: Floats, before: Floats, after: Floats, room_m: float, radius_m: float, cut_m: float
) -> Floats:
    """Return (M, 2) the arc that replaces a corner, M odd."""
    turn = math.atan2(before[1] * after[0] - before[0] * after[1], float(before @ after))
    if abs(turn) < 1e-6:
        return corner[None]
    # A full turn back has no arc; a short cap then stands for it.
    bend = math.tan(0.5 * min(abs(turn), math.radians(170.0)))
    away = max(math.hypot(1.0, bend) - 1.0, 1e-12)  # of the arc's middle from the corner, by radius
    cut = min(min(radius_m, cut_m / away) * bend, room_m)
    radius = cut / bend
    aside = np.array([before[1], -before[0]]) * math.copysign(1.0, turn)
    count = 2 * max(1, math.ceil(abs(turn) / _ARC_STEP / 2.0)) + 1
    angle = np.linspace(0.0, abs(turn), count)[:, None]
    arc = corner - before * cut + radius * (np.sin(angle) * before + (1 - np.cos(angle)) * aside)
    return np.asarray(arc)


def prepare_path(
    path: ArrayLike, *, closed: bool = False, rounds: int = 1, corner_radius_m: float = 0.0
) -> EvenPolyline:
    """Return the path through the points (N, 2) that people give, as points 1 cm apart along it.

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
    if len(points) == 0:
        raise InputError("the path has no points", remedy="give at least two")
    if closed:
        points = np.concatenate([points, points[:1]])
    points = without_repeats(points)
    length = float(distances_along(points)[-1])
    if length < SHORTEST_M:
        raise InputError(
            f"the path is {length:g} m long", remedy=f"it must be at least {SHORTEST_M:g} m"
        )
    if length * rounds > LONGEST_M:
        raise InputError(
            f"the path is {length * rounds:.0f} m long", remedy=f"at most {LONGEST_M:.0f} m"
        )
    if corner_radius_m > 0.0:
        points = rounded_corners(points, corner_radius_m, closed)
    if rounds > 1:
        if not closed:
            raise InputError("an open path has one round", remedy="close it, or rounds=1")
        points = np.concatenate([points, *[points[1:]] * (rounds - 1)])
    return Polyline(points).resample()
