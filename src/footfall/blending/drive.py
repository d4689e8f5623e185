"""Drivers: what a live character is asked for, frame by frame, to do what somebody wants.

A driver sees where the character is and what it does, and answers with a speed and a turn:

    driver = FollowPath(path, 1.3, turn_limits(space))
    while not driver.done:
        walker.step(dt, *driver.steer(walker.places[0], walker.achieved[0], dt))
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol

import numpy as np

from footfall.blending.model import LATERAL_M_S2, MOST_TURN_RAD_S, BlendSpace, example_turns
from footfall.blending.track import SPACING_M, Track, speeds_along
from footfall.maths.arrays import Floats
from footfall.maths.polyline import curvatures, directions, prepare_path, rounded_corners
from footfall.maths.rounding import FINE, round_to_grid

_BRAKE_M_S2, _LAG_S, _TURN_LAG_S = 1.5, 0.36, 0.2
"""How hard it slows down for bends, and how long wishes for speed and turn take to be followed."""
_STOP_M_S2, _STOP_PER_S2 = 1.0, 0.25
"""How hard it slows down to stop, and how much harder with each metre that is left."""
_DONE_S = 1.5
"""How long it is asked to stand at the end until it surely does."""
_CREEP_M_S, _THERE_M, _THERE_RAD = 0.16, 0.02, math.radians(1.5)
_BACK_M, _BACK_S, _BACK_PER_S = 0.5, 0.8, 3.0
"""Over how much path, or seconds of it, it comes back onto it, and how quickly it turns there."""
_CORNER, _SLOWEST_M_S = 0.6, 0.3
"""Facing further off than this, radians, it slows down to turn; no bend is taken more slowly."""
_DRAWN_M, _SMOOTH_M = 0.01, 0.15
"""How closely corners are seen in a drawn path, and how far its bends are smoothed."""


class Driver(Protocol):
    """Something that steers: place (3,) x, z, heading and parameters (P,) in, wishes out."""

    done: bool

    def steer(self, place: Floats, now: Floats, dt: float) -> tuple[float, float]: ...


@dataclass(frozen=True)
class TurnLimits:
    """How fast a character turns at most, rad/s: turns (K,) at speeds (K,), m/s."""

    speeds: Floats
    turns: Floats

    def at(self, speed: float) -> float:
        """The most turn, rad/s, at a speed."""
        return float(np.interp(speed, self.speeds, self.turns))

    def fastest(self, curvatures: Floats, wished: Floats) -> Floats:
        """(N,) the fastest that bends of curvatures (N,) can be gone along, at most as wished."""
        fine = np.linspace(self.speeds[0], self.speeds[-1], 200)
        # Of all speeds at which somebody can turn so much the highest, whatever is between.
        bends = np.interp(fine, self.speeds, self.turns) / np.maximum(fine, 1e-6)
        can = (np.abs(curvatures)[:, None] <= bends[None]) & (fine[None] <= wished[:, None])
        best = np.where(can, fine[None], 0.0).max(axis=1, initial=0.0)
        full = np.interp(wished, self.speeds, self.turns) >= np.abs(curvatures) * wished
        return np.where(full, wished, best)


@lru_cache(maxsize=16)
def turn_limits(space: BlendSpace, share: float = 0.9, style: float | None = None) -> TurnLimits:
    """Return how fast characters turn at every speed of a space; a little is spared.

    That is what examples show, or what the acceleration in curves allows that people choose.
    style  0 walks, 1 runs; None goes by the speed
    """
    speeds, shown = example_turns(space)
    gaits = np.clip([space.style_at(v, style) for v in speeds.tolist()], 0.0, 1.0)
    borne = np.interp(gaits, [0.0, 1.0], LATERAL_M_S2) / np.maximum(speeds, 1e-3)
    most = max(MOST_TURN_RAD_S, float(shown.max()))
    return TurnLimits(speeds, share * np.minimum(np.maximum(shown, borne), most))


@dataclass(eq=False)
class FollowPath:
    """Follow a path (N, 2) at a speed, slower in bends, and stand at its end.

    speed  m/s; or a profile (K, 2): metres along the path and the speed there
    yaw    to turn to at the end, if that matters
    cut_m  how far it cuts corners at most, where its speed needs it
    speed_limits  (N,) the speeds that bends and wishes allow at its points, m/s
    """

    path: Floats
    speed: float | Floats
    limits: TurnLimits
    yaw: float | None = None
    cut_m: float = 0.3
    done: bool = False
    _track: Track = field(init=False, repr=False)
    speed_limits: Floats = field(init=False, repr=False)
    _most: list[float] = field(init=False, repr=False)
    _bends: list[float] = field(init=False, repr=False)
    _headings: list[float] = field(init=False, repr=False)
    _arrived: bool = False
    _still_s: float = 0.0
    _slow_s: float = 0.0

    def __post_init__(self) -> None:
        self._track = track = Track(self._cut_corners())
        bends = round_to_grid(curvatures(track.points), FINE)
        ahead = directions(track.points)
        self._bends = bends.tolist()
        headings = np.unwrap(np.arctan2(ahead[:, 0], ahead[:, 1]))
        self._headings = round_to_grid(headings, FINE).tolist()
        wished = speeds_along(self.speed, track.distances)
        most = np.maximum(self.limits.fastest(bends, wished), _SLOWEST_M_S)
        self.speed_limits = most = np.minimum(most, wished)
        brake = 2.0 * _BRAKE_M_S2 * np.diff(track.distances)
        for n in range(len(most) - 2, -1, -1):
            most[n] = min(most[n], math.sqrt(most[n + 1] ** 2 + brake[n]))
        self._most = most.tolist()

    def _cut_corners(self) -> Floats:
        """(N, 2) the path with corners cut as people do, as far as its speed needs it."""
        from shapely import LineString

        from footfall.maths.filters import smooth_to_ends

        drawn = prepare_path(self.path)
        points = np.array(LineString(drawn.points).simplify(_DRAWN_M).coords)
        fastest = float(speeds_along(self.speed, drawn.distances).max())
        radius = fastest / self.limits.at(fastest)
        even = prepare_path(rounded_corners(points, radius, cut_m=self.cut_m)).resample(SPACING_M)
        return round_to_grid(smooth_to_ends(even.points, _SMOOTH_M / SPACING_M), FINE)

    @property
    def points(self) -> Floats:
        """(N, 2) what is followed: the path with its corners cut."""
        return self._track.points

    @property
    def length_m(self) -> float:
        return self._track.length_m

    @property
    def along(self) -> float:
        """How far along the path it is, metres."""
        return self._track.along

    def steer(self, place: Floats, now: Floats, dt: float) -> tuple[float, float]:
        """What to ask for now."""
        x, z, heading = float(place[0]), float(place[1]), float(place[2])
        going = max(float(now[0]), 0.0)
        track = self._track
        along = track.advance(x, z, max(0.5, going))
        if self._arrived:
            return self._turn_to_yaw(heading, dt)
        rest = track.length_m - along
        self._slow_s = self._slow_s + dt if rest < 0.15 else 0.0
        left = max(rest - _LAG_S * going, 0.0)
        if left <= _THERE_M or self._slow_s > 3.0:
            self._arrived = True
            return self._turn_to_yaw(heading, dt)
        wish = track.value_at(self._most, along + _LAG_S * going)
        stops = math.sqrt(2.0 * (_STOP_M_S2 + _STOP_PER_S2 * left) * left)
        wish = min(wish, max(stops, min(_CREEP_M_S, 4.0 * rest)))
        # The path's own turn as it will be when a wish is felt, and back onto it.
        ahead = track.value_at(self._headings, along)
        on_x, on_z = track.at(along)
        aside = (x - on_x) * math.cos(ahead) - (z - on_z) * math.sin(ahead)
        back = math.atan2(aside, max(_BACK_M, _BACK_S * going))
        off = _wrap(ahead - back - heading)
        turn = going * track.value_at(self._bends, along + _TURN_LAG_S * going) + _BACK_PER_S * off
        if abs(off) > _CORNER:
            wish *= max(0.0, 1.0 - (abs(off) - _CORNER) / 0.6)
            turn = math.copysign(max(abs(turn), min(1.5, 2.0 * abs(off))), off)
        most = max(self.limits.at(going), 0.3)
        if abs(turn) > 1.2 * most:  # who cannot turn enough goes slower
            wish *= max(1.2 * most / abs(turn), 0.5)
        return wish, min(max(turn, -1.2 * most), 1.2 * most)

    def _turn_to_yaw(self, heading: float, dt: float) -> tuple[float, float]:
        """At the end: turn to where it shall face, then stand for a moment."""
        off = 0.0 if self.yaw is None else _wrap(self.yaw - heading)
        if abs(off) > _THERE_RAD and self._still_s == 0.0:
            turn = min(1.4, max(2.0 * abs(off), 0.12))
            return 0.0, math.copysign(turn, off)
        self._still_s += dt
        self.done = self._still_s > _DONE_S
        return 0.0, 0.0


@dataclass(eq=False)
class Chase:
    """Go after a point that moves, like a pointer: faster the further it is, and stand near it.

    target   x and z, moved by whoever owns it     near_m  how near it comes
    speeds   slowest and fastest, m/s              limits  how fast it can turn
    """

    limits: TurnLimits
    target: tuple[float, float] = (0.0, 0.0)
    near_m: float = 0.4
    speeds: tuple[float, float] = (0.5, 3.5)
    done: bool = False

    def steer(self, place: Floats, now: Floats, dt: float) -> tuple[float, float]:
        """What to ask for now."""
        del dt
        tx, tz = self.target
        if not (math.isfinite(tx) and math.isfinite(tz)):
            return 0.0, 0.0
        dx, dz = tx - float(place[0]), tz - float(place[1])
        away = math.hypot(dx, dz)
        if away < self.near_m:
            return 0.0, 0.0
        off = _wrap(math.atan2(dx, dz) - float(place[2]))
        slow, fast = self.speeds
        wish = min(max(0.9 * (away - self.near_m) + slow, slow), fast)
        if abs(off) > _CORNER:
            wish *= max(0.0, 1.0 - (abs(off) - _CORNER) / 0.8)
        most = self.limits.at(max(float(now[0]), 0.0))
        return wish, min(max(2.0 * off, -most), most)


def _wrap(angle: float) -> float:
    return math.remainder(angle, math.tau)
