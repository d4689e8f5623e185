"""A path to be followed live: where one is along it and how fast one may go there.

A driver asks every frame, for one point; plain floats answer that ten times as fast as arrays.
"""

from __future__ import annotations

import math

import numpy as np

from footfall.errors import InputError
from footfall.maths.arrays import Floats
from footfall.maths.polyline import prepare_path

SPACING_M = 0.05


class Track:
    """A path (N, 2) with points at even distances.

    points, distances   (M, 2) and (M,) of the path
    along               how far along it one has come, metres; it never goes back
    """

    def __init__(self, path: Floats) -> None:
        even = prepare_path(path).resample(SPACING_M)
        self.points, self.distances = even.points, even.distances
        self.length_m = even.length_m
        self.along = 0.0
        self._step = self.length_m / (len(self.points) - 1)
        self._x, self._z = self.points[:, 0].tolist(), self.points[:, 1].tolist()
        self._last = len(self.points) - 2
        self.end = (self._x[-1], self._z[-1])

    def advance(self, x: float, z: float, within_m: float) -> float:
        """Come to the nearest point ahead, at most so far; return how far along that is."""
        first = self._leg(self.along)
        best, found = math.inf, self.along
        for leg in range(first, self._leg(self.along + within_m) + 1):
            ax, az = self._x[leg], self._z[leg]
            lx, lz = self._x[leg + 1] - ax, self._z[leg + 1] - az
            px, pz = x - ax, z - az
            u = min(max((px * lx + pz * lz) / max(lx * lx + lz * lz, 1e-300), 0.0), 1.0)
            gap = (px - u * lx) ** 2 + (pz - u * lz) ** 2
            if gap < best:
                best, found = gap, (leg + u) * self._step
        self.along = max(self.along, found)
        return self.along

    def at(self, along: float) -> tuple[float, float]:
        """The point so far along; beyond the end it goes on straight."""
        leg = self._leg(along)
        u = along / self._step - leg
        x, z = self._x[leg], self._z[leg]
        return x + u * (self._x[leg + 1] - x), z + u * (self._z[leg + 1] - z)

    def value_at(self, values: list[float], along: float) -> float:
        """What values (M,), one for each point, are so far along."""
        leg = self._leg(along)
        u = min(max(along / self._step - leg, 0.0), 1.0)
        return values[leg] + u * (values[leg + 1] - values[leg])

    def _leg(self, along: float) -> int:
        return min(max(int(along / self._step), 0), self._last)


def speeds_along(speed: float | Floats, distances: Floats) -> Floats:
    """(M,) wished speeds at distances (M,): one for all, or rows (K, 2) of metres along and m/s."""
    profile = np.asarray(speed, float)
    if profile.ndim == 0:
        profile = np.array([[0.0, float(profile)]])
    good = profile.ndim == 2 and profile.shape[1] == 2 and len(profile) > 0
    if not (good and np.isfinite(profile).all() and (profile[:, 1] > 0.0).all()):
        raise InputError(f"a speed of {speed}", remedy="metres a second above 0, or rows (m, m/s)")
    if (np.diff(profile[:, 0]) < 0.0).any():
        raise InputError("speeds along a path are not in order", remedy="distances that grow")
    return np.asarray(np.interp(distances, profile[:, 0], profile[:, 1]))
