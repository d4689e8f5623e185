"""Feet of an action: where they stand and when, how they roll there and swing in between.

A standing foot never moves but for rolling about its heel or its ball, so contacts are exact.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from footfall.adapt.holds import Foot
from footfall.library.generate.actions.postures import about, eased
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats, Ints

_FLAT_RAD = 1e-6
_TOES_MOST_RAD = np.radians(58.0)
FOREVER_S = 1e6
_KICK_M_S = 0.3
"""How fast feet leave the ground: they do not peel off."""


@dataclass(frozen=True)
class Swing:
    """How a foot comes to where it stands.

    lift_m     how high it goes above the straight way;  peak  at which part of the swing
    hold       which part of the swing it stays up there
    late       which part of the swing it only rises before it goes forward
    pitches    (part of the swing, degrees toes up) on the way
    out_m      how far it swings out to its own side
    folds      (part of the swing, hip, knee in degrees): in flight the leg goes through these
               instead, and the foot with it
    settle     share of the body's speed that the foot still has when it lands, besides rolling
    going      how much faster (3,), m/s, than it rolls it leaves;  coming  its speed then, instead
    """

    lift_m: float = 0.05
    peak: float = 0.45
    hold: float = 0.0
    late: float = 0.0
    pitches: tuple[tuple[float, float], ...] = ()
    out_m: float = 0.0
    folds: tuple[tuple[float, float, float], ...] = ()
    settle: float = 0.25
    going: tuple[float, float, float] = (0.0, 0.0, 0.0)
    coming: tuple[float, float, float] | None = None


@dataclass(frozen=True)
class Stand:
    """A foot that stands.

    side                0 left, 1 right
    x, z, y             where the ankle of the flat foot stands over, and how high the ground is
    begin_s, end_s      strike and lift-off
    yaw_deg             where the foot points, to the left
    strike_deg, flat_s  toes up (on the heel) or down (on the ball) when it lands, and how soon flat
    leave_deg, leave_s  how far the heel is up when the toes leave, and how long it takes to rise
    raised              (seconds, degrees) of the heel in between
    swing               how it came here
    """

    side: int
    x: float
    z: float
    begin_s: float = -FOREVER_S
    end_s: float = FOREVER_S
    y: float = 0.0
    yaw_deg: float = 0.0
    strike_deg: float = 0.0
    flat_s: float = 0.09
    leave_deg: float = 0.0
    leave_s: float = 0.2
    raised: tuple[tuple[float, float], ...] = ()
    swing: Swing = Swing()


@dataclass(frozen=True, eq=False)
class FootPath:
    """One foot over T frames: ankle (T, 3), foot (T, 4) in the world, toes bent up (T,) radians,
    whether heel (T,) and toes (T,) carry."""

    ankle: Floats
    turned: Floats
    toes_up: Floats
    heel_on: Bools
    toe_on: Bools

    @property
    def held(self) -> Bools:
        return self.heel_on | self.toe_on


@dataclass(frozen=True, eq=False)
class _Roll:
    """A stance at times (T,): ankle (T, 3), pitch (T,) toes up."""

    ankle: Floats
    pitch: Floats


def foot_path(
    foot: Foot, stands: Sequence[Stand], times: Floats, centre: Floats, hips: Floats,
    raised: Floats,
) -> FootPath:  # fmt: skip
    """The way of one foot over its stands, in order of time.

    centre  (T, 3) the centre of mass, with which feet fly
    hips    (3,) from it to the hip joint of this leg
    raised  (T,) how far, radians, the heel is up besides, because the ankle bends no further
    """
    heel = (times, raised)
    count = len(times)
    ankle, pitch, yaw = np.zeros((count, 3)), np.zeros(count), np.zeros(count)
    toes = np.zeros(count)
    held = np.zeros(count, np.bool_)
    fps = (count - 1) / (times[-1] - times[0])
    for stand in stands:
        on = (times >= stand.begin_s - 1e-9) & (times <= stand.end_s + 1e-9)
        roll = _rolled(foot, stand, times[on], heel)
        ankle[on], pitch[on], yaw[on] = roll.ankle, roll.pitch, np.radians(stand.yaw_deg)
        toes[on] = np.clip(-roll.pitch, 0.0, _TOES_MOST_RAD)
        held |= on
    for before, after in itertools.pairwise(stands):
        on = (times > before.end_s + 1e-9) & (times < after.begin_s - 1e-9)
        if on.any():
            way = _Between(foot, before, after, heel, centre, hips, fps)
            ankle[on], pitch[on], yaw[on], toes[on] = way.at(np.flatnonzero(on).astype(np.int32))
            ankle[on, 1] += _cleared(foot, before, after, ankle[on], pitch[on], toes[on])
    turned = quat.multiply(quat.from_yaw(yaw), about(0, -pitch))
    return FootPath(ankle, turned, toes, held & (pitch > -_FLAT_RAD), held & (pitch < _FLAT_RAD))


def _cleared(
    foot: Foot, before: Stand, after: Stand, ankle: Floats, pitch: Floats, toes: Floats
) -> Floats:
    """(N,) how much higher a swinging foot is to go so that no point of it is in the ground."""
    s = (np.arange(len(pitch)) + 1.0) / (len(pitch) + 1.0)
    floor = np.where(s < 0.5, before.y, after.y)
    sole = np.stack([foot.heel, foot.ball_joint])
    height = ankle[:, 1:2] + sole[:, 1] * np.cos(pitch)[:, None]
    height += sole[:, 2] * np.sin(pitch)[:, None]
    for point in (foot.ball, foot.tip):
        arm = point - foot.ball_joint
        up = pitch + toes
        tip = height[:, 1] + arm[1] * np.cos(up) + arm[2] * np.sin(up)
        height = np.concatenate([height, tip[:, None]], axis=1)
    dip = np.maximum(0.0, floor + 0.0005 - height.min(axis=1))
    if not dip.any():
        return np.zeros(len(s))
    # The lift of the worst place, in the shape of an arc that covers all others, too.
    arc = (4.0 * s * (1.0 - s)) ** 0.5
    return np.asarray(arc * float((dip / arc).max()))


def _rolled(foot: Foot, stand: Stand, times: Floats, heel: tuple[Floats, Floats]) -> _Roll:
    """A stance at times within it, rolling over heel and ball, which stay where they are."""
    pitch = _stance_pitch(stand, times) - np.interp(times, *heel)
    pitch = np.maximum(np.where(np.abs(pitch) < 1e-3, 0.0, pitch), -_TOES_MOST_RAD)
    level = quat.from_yaw(np.radians(stand.yaw_deg))
    turned = quat.multiply(level, about(0, -pitch))
    origin = np.array([stand.x, stand.y - foot.heel[1], stand.z])
    pivot = np.where((pitch > 0.0)[:, None], foot.heel, foot.ball_joint)
    return _Roll(origin + quat.rotate(level, pivot) - quat.rotate(turned, pivot), pitch)


def _stance_pitch(stand: Stand, times: Floats) -> Floats:
    landed = np.clip((times - stand.begin_s) / stand.flat_s, 0.0, 1.0)
    pitch = stand.strike_deg * (1.0 - landed) ** 2 * (1.0 + 0.5 * landed)
    rising = np.clip((times - stand.end_s + stand.leave_s) / stand.leave_s, 0.0, 1.0)
    pitch = pitch - stand.leave_deg * rising**2.3
    if stand.raised:
        pitch = pitch - eased(stand.raised, times) if len(times) > 1 else pitch
    return np.asarray(np.radians(pitch))


class _Between:
    """A foot between two stands, joining both in place and speed."""

    def __init__(
        self, foot: Foot, before: Stand, after: Stand, heel: tuple[Floats, Floats],
        centre: Floats, hips: Floats, fps: float,
    ) -> None:  # fmt: skip
        self.foot, self.before, self.after = foot, before, after
        self.times, self.centre, self.hips = heel[0], centre, hips
        self.begin, self.seconds = before.end_s, after.begin_s - before.end_s
        step = 0.25 / fps
        leaving = _rolled(foot, before, np.array([before.end_s - step, before.end_s]), heel)
        landing = _rolled(foot, after, np.array([after.begin_s, after.begin_s + step]), heel)
        self.places = np.stack([leaving.ankle[1], landing.ankle[0]])
        self.speeds = np.stack([np.diff(leaving.ankle, axis=0)[0],
                                np.diff(landing.ankle, axis=0)[0]]) / step  # fmt: skip
        if not after.swing.folds:
            way = self.places[1] - self.places[0]
            ahead = way / max(float(np.linalg.norm(way)), 1e-9)
            ahead = ahead * (after.swing.late == 0.0) + [0.0, 1.0, 0.0]
            self.speeds += np.stack([_KICK_M_S * ahead, 0.6 * _KICK_M_S * (ahead * [1, -1, 1])])
        self.pitches = np.array([leaving.pitch[1], landing.pitch[0]])
        self.rates = np.array([np.diff(leaving.pitch)[0], np.diff(landing.pitch)[0]]) / step

    def at(self, frames: Ints) -> tuple[Floats, Floats, Floats, Floats]:
        s = (self.times[frames] - self.begin) / self.seconds
        swing = self.after.swing
        ankle = self._flying(frames, s) if swing.folds else self._stepping(s)
        yaws = np.radians([self.before.yaw_deg, self.after.yaw_deg])
        yaw = yaws[0] + (yaws[1] - yaws[0]) * _smooth(s)
        bent = np.clip(-self.pitches[0], 0.0, _TOES_MOST_RAD)
        ready = np.clip(-self.pitches[1], 0.0, _TOES_MOST_RAD)
        toes = bent * (1.0 - _smooth(np.clip(s / 0.45, 0.0, 1.0)))
        toes += ready * _smooth(np.clip((s - 0.7) / 0.3, 0.0, 1.0))
        return ankle, self._pitch(s), yaw, toes

    def _stepping(self, s: Floats) -> Floats:
        swing = self.after.swing
        slopes = self.speeds * self.seconds
        ahead = np.clip((s - swing.late) / (1.0 - swing.late), 0.0, 1.0)[:, None]
        way = _hermite(ahead, self.places, slopes * (1.0 - swing.late))
        sooner = np.clip(s / (1.0 - swing.late), 0.0, 1.0)[:, None]
        way[:, 1] = _hermite(sooner, self.places[:, 1:2], slopes[:, 1:2] * (1.0 - swing.late))[:, 0]
        arc = _brisk(s / (swing.peak - 0.5 * swing.hold))
        arc *= _brisk((1.0 - s) / (1.0 - swing.peak - 0.5 * swing.hold))
        way[:, 1] += swing.lift_m * arc
        way[:, 0] += swing.out_m * (1.0 if self.after.side == 0 else -1.0) * arc
        return way

    def _flying(self, frames: Ints, s: Floats) -> Floats:
        """The foot goes with the body, through the folds of its leg."""
        ends = [
            np.array([np.interp(t, self.times, self.centre[:, k]) for k in range(3)])
            for t in (self.begin, self.begin + self.seconds)
        ]
        dt = self.times[1] - self.times[0]
        pace = np.gradient(self.centre, dt, axis=0)
        speed = [np.array([np.interp(t, self.times, pace[:, k]) for k in range(3)])
                 for t in (self.begin, self.begin + self.seconds)]  # fmt: skip
        swing = self.after.swing
        relative = [self.places[0] - ends[0], self.places[1] - ends[1]]
        leaving = self.speeds[0] + swing.going - speed[0]
        coming = self.speeds[1] + (swing.settle - 1.0) * speed[1]
        if swing.coming is not None:
            coming = np.array(swing.coming) - speed[1]
        middle = [self._folded(hip, knee) for _, hip, knee in swing.folds]
        knots = [0.0, *(part for part, *_ in swing.folds), 1.0]
        slopes = (leaving * self.seconds, coming * self.seconds)
        rows = np.stack([relative[0], *middle, relative[1]])
        return np.asarray(self.centre[frames] + _clamped(knots, rows, slopes, s))

    def _folded(self, hip_deg: float, knee_deg: float) -> Floats:
        """(3,) from the centre of mass to the ankle of a leg folded so against the vertical."""
        hip, knee = np.radians(hip_deg), np.radians(knee_deg)
        thigh, shank = self.lengths
        down = np.array([0.0, -np.cos(hip), np.sin(hip)])
        lower = np.array([0.0, -np.cos(hip - knee), np.sin(hip - knee)])
        return np.asarray(self.hips + thigh * down + shank * lower)

    @property
    def lengths(self) -> tuple[float, float]:
        return 0.395 * self._leg / 0.824, 0.429 * self._leg / 0.824

    @property
    def _leg(self) -> float:
        # The ankle is 0.089 legs high on every character of this family.
        return float(-self.foot.heel[1] / 0.089)

    def _pitch(self, s: Floats) -> Floats:
        passing = self.after.swing.pitches
        knots = [0.0, *(part for part, _ in passing), 1.0]
        values = [self.pitches[0], *(np.radians(p) for _, p in passing), self.pitches[1]]
        slopes = self.rates * self.seconds
        slopes = np.clip(slopes, -4.0, 4.0) * [1.0, 0.4]
        rows, ends = np.array(values)[:, None], (slopes[:1], slopes[1:])
        return _clamped(knots, rows, ends, s)[:, 0]


def _clamped(
    knots: Sequence[float], rows: Floats, slopes: tuple[Floats, Floats], s: Floats
) -> Floats:
    """(N, D) the cubic spline through rows (K, D) with given slopes at both ends, at `s` (N,).

    It is scipy's CubicSpline; for a handful of knots that one spends its time on checks.
    """
    at = np.array(knots)
    wide = np.diff(at)
    rise = np.diff(rows, axis=0) / wide[:, None]
    slope = np.empty_like(rows)
    slope[0], slope[-1] = slopes
    if len(at) > 2:
        bands = np.diag(2.0 * (wide[:-1] + wide[1:]))
        bands += np.diag(wide[2:], -1) + np.diag(wide[:-2], 1)
        right = 3.0 * (wide[1:, None] * rise[:-1] + wide[:-1, None] * rise[1:])
        right[0] -= wide[1] * slope[0]
        right[-1] -= wide[-2] * slope[-1]
        slope[1:-1] = np.linalg.solve(bands, right)
    n = np.clip(np.searchsorted(at, s, side="right") - 1, 0, len(wide) - 1)
    w = wide[n][:, None]
    u = (s - at[n])[:, None] / w
    return _hermite(u, np.stack([rows[n], rows[n + 1]]), np.stack([slope[n], slope[n + 1]]) * w)


def _brisk(s: Floats) -> Floats:
    s = np.clip(s, 0.0, 1.0)
    return np.asarray(s * s * (3.0 - 2.0 * s))


def _smooth(s: Floats) -> Floats:
    return np.asarray(s**3 * (10.0 - 15.0 * s + 6.0 * s * s))


def _hermite(u: Floats, places: Floats, slopes: Floats) -> Floats:
    """The cubic with given ends (2, D) and slopes (2, D): feet leave and land briskly."""
    step = u**2 * (3.0 - 2.0 * u)
    out, back = u * (1.0 - u) ** 2, -(u**2) * (1.0 - u)
    return np.asarray(
        places[0] + (places[1] - places[0]) * step + slopes[0] * out + slopes[1] * back
    )
