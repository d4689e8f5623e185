"""Drivers: what a live character is asked for, frame by frame, to do what somebody wants.

A driver sees where the character is and what it does, and answers with a speed and a turn:

    driver = FollowPath(path, 1.3, turn_limits(space))
    while not driver.done:
        walker.step(dt, *driver.steer(walker.places[0], walker.achieved[0], dt))
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Protocol

import numpy as np

from footfall.blending.model import BlendSpace
from footfall.blending.track import SPACING_M, Track, speeds_along
from footfall.maths.arrays import Floats
from footfall.maths.polyline import curvatures

_BRAKE_M_S2, _LAG_S = 1.0, 0.36
"""How hard it slows down, and how long wishes take to be followed."""
_DONE_S = 1.5
"""How long it is asked to stand at the end until it surely does."""
_CREEP_M_S, _THERE_M, _THERE_RAD = 0.16, 0.02, math.radians(1.5)
_LOOK_S, _LOOK_M = 0.55, 0.35
"""How far ahead it looks: seconds, and metres at least."""
_CORNER = 0.6
"""Facing further off than this, radians, it slows down to turn."""
_SMOOTH_M = 0.25
_SPARED = 0.9
"""How much of what it can turn a path may take: the rest brings it back to where it should be."""
_NEAR_ENOUGH = 0.02
"""What is achieved of speed and turn differs by no more of their ranges than this."""


class Driver(Protocol):
    """Something that steers: place (3,) x, z, heading and parameters (P,) in, wishes out."""

    done: bool

    def steer(self, place: Floats, now: Floats, dt: float) -> tuple[float, float]: ...


@dataclass(frozen=True)
class TurnLimits:
    """How fast a blend space can turn at which speed.

    speeds  (K,)    turns  (K,) rad/s at those, in about the style that goes with them
    most    (K,) rad/s in whatever style there is: what is worth asking for
    """

    speeds: Floats
    turns: Floats
    most: Floats

    def at(self, speed: float) -> float:
        """The most turn, rad/s, that is worth asking for at a speed."""
        speeds, most = self._plain
        n = min(max(bisect_right(speeds, speed), 1), len(speeds) - 1)
        a, b = speeds[n - 1], speeds[n]
        u = min(max((speed - a) / max(b - a, 1e-12), 0.0), 1.0)
        return most[n - 1] + u * (most[n] - most[n - 1])

    @cached_property
    def _plain(self) -> tuple[list[float], list[float]]:
        return self.speeds.tolist(), self.most.tolist()

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
    """How fast a space can turn, both ways alike, at every speed it has; a little is spared.

    style  0 walks, 1 runs; None goes by the speed
    """
    speed, turn = space.basis.values[:, 0], space.basis.values[:, 1]
    speeds = np.linspace(*_ends(speed), 24)
    turns = [min(_most_turn(space, v, style, side) for side in (1.0, -1.0)) for v in speeds]
    most = [min(_reach(speed, side * turn, v) for side in (1.0, -1.0)) for v in speeds]
    limits = [share * np.maximum(np.array(found), 0.05) for found in (turns, most)]
    return TurnLimits(speeds, *limits)


def _reach(speeds: Floats, turns: Floats, at: float) -> float:
    """The highest point over `at` of the convex hull of points."""
    best = float(turns[np.abs(speeds - at) < 1e-6].max(initial=-np.inf))
    low, high = np.flatnonzero(speeds < at), np.flatnonzero(speeds > at)
    if len(low) and len(high):
        a, b = speeds[low][:, None], speeds[high][None]
        line = turns[low][:, None] + (turns[high][None] - turns[low][:, None]) * (at - a) / (b - a)
        best = max(best, float(line.max()))
    return max(best, 0.0)


def _most_turn(space: BlendSpace, speed: float, style: float | None, side: float) -> float:
    """The most that a blend turns to a side at a speed."""
    asked = np.zeros(len(space.basis.names))
    asked[:3] = speed, 0.0, space.style_at(speed, style)
    asked[3:] = space.basis.values[:, 3:].mean(axis=0)
    low, high = 0.0, max(side * end for end in _ends(space.basis.values[:, 1]))
    for _ in range(10):
        asked[1] = side * 0.5 * (low + high)
        off = (space.basis.weights(asked)[1] - asked) / space.basis.span
        if max(abs(off[0]), abs(off[1])) < _NEAR_ENOUGH:  # the style may give a little
            low = 0.5 * (low + high)
        else:
            high = 0.5 * (low + high)
    return low


def _ends(values: Floats) -> tuple[float, float]:
    return float(values.min()), float(values.max())


@dataclass(eq=False)
class FollowPath:
    """Follow a path (N, 2) at a speed, slower in bends, and stand at its end.

    speed  m/s; or a profile (K, 2): metres along the path and the speed there
    yaw    to turn to at the end, if that matters
    """

    path: Floats
    speed: float | Floats
    limits: TurnLimits
    yaw: float | None = None
    done: bool = False
    _track: Track = field(init=False, repr=False)
    _most: list[float] = field(init=False, repr=False)
    _arrived: bool = False
    _still_s: float = 0.0
    _slow_s: float = 0.0

    def __post_init__(self) -> None:
        self._track = Track(self.path)
        self._most = self._speed_limits(speeds_along(self.speed, self._track.distances)).tolist()

    @property
    def length_m(self) -> float:
        return self._track.length_m

    @property
    def along(self) -> float:
        """How far along the path it is, metres."""
        return self._track.along

    @property
    def speed_limits(self) -> Floats:
        """(N,) the speeds that its bends and wishes allow along the path, m/s."""
        return np.array(self._most)

    def _speed_limits(self, wished: Floats) -> Floats:
        """(N,) how fast it may go at every point of the path."""
        from footfall.maths.filters import smooth_gaussian

        points = self._track.points
        width = _SMOOTH_M / SPACING_M
        eased = np.column_stack([smooth_gaussian(points[:, k], width) for k in range(2)])
        bends = np.abs(curvatures(eased)) if len(points) > 3 else np.zeros(len(points))
        most = self.limits.fastest(bends / _SPARED, wished)
        most = np.maximum(most, np.minimum(0.3, wished))
        step = np.diff(self._track.distances)
        for n in range(len(most) - 2, -1, -1):
            most[n] = min(most[n], math.sqrt(most[n + 1] ** 2 + 2.0 * _BRAKE_M_S2 * step[n]))
        return np.asarray(most)

    def steer(self, place: Floats, now: Floats, dt: float) -> tuple[float, float]:
        """What to ask for now."""
        x, z, heading = float(place[0]), float(place[1]), float(place[2])
        going = float(now[0])
        if self._arrived:
            return self._turn_to_yaw(heading, dt)
        track = self._track
        along = track.advance(x, z, max(0.5, going))
        rest = track.length_m - along
        ahead = self._look_ahead(along, rest, going)
        off = _wrap(math.atan2(ahead[0] - x, ahead[1] - z) - heading)
        away = math.hypot(track.end[0] - x, track.end[1] - z)
        self._slow_s = self._slow_s + dt if rest < 0.15 else 0.0
        if rest < 0.15 and (
            away < _THERE_M + _LAG_S * going or abs(off) > 1.3 or self._slow_s > 3.0
        ):
            self._arrived = True
            return self._turn_to_yaw(heading, dt)
        wish = track.value_at(self._most, along + _LAG_S * going)
        left = max(rest - _LAG_S * going, 0.0)
        wish = min(wish, max(math.sqrt(2.0 * _BRAKE_M_S2 * left), min(_CREEP_M_S, 4.0 * away)))
        if abs(off) > _CORNER:
            wish *= max(0.0, 1.0 - (abs(off) - _CORNER) / 0.6)
        reach = max(math.hypot(ahead[0] - x, ahead[1] - z), 0.1)
        turn = 2.0 * max(going, 0.15) * math.sin(off) / reach
        if wish < 0.3 or abs(off) > _CORNER:
            turn = max(abs(turn), min(1.5, 2.0 * abs(off))) * math.copysign(1.0, off)
        most = max(self.limits.at(max(going, 0.0)), 0.3)
        if abs(turn) > most:  # who cannot turn enough goes slower
            wish *= max(most / abs(turn), 0.5)
        return wish, min(max(turn, -most), most)

    def _look_ahead(self, along: float, rest: float, going: float) -> tuple[float, float]:
        """The point that it goes towards; at the end that is the end itself."""
        x, z = self._track.at(along + max(_LOOK_M, _LOOK_S * going))
        if rest >= 0.6:
            return x, z
        end_x, end_z = self._track.end
        share = rest / 0.6 if rest > 0.15 else 0.0
        return end_x + share * (x - end_x), end_z + share * (z - end_z)

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
