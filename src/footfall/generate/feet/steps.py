"""Planned steps: where a foot stands and when, how it rolls there and swings in between."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from footfall.body.feet import Foot
from footfall.generate.feet.foot_path import (
    ACTING_TOES,
    FootPath,
    Rolling,
    ankle_shift,
    pitched_foot,
    sole_points,
    with_stances,
)
from footfall.generate.feet.swings import arc_over
from footfall.generate.sides import SIGNS
from footfall.maths.arrays import Floats, Ints
from footfall.maths.easing import cubic_spline, hermite, smootherstep, smoothstep

FOREVER_S = 1e6
_FLAT_RAD = 1e-3
_KICK_M_S = 0.3
"""How fast feet leave the ground: they do not peel off."""
_CLEAR_M = 0.0005
_EDGE_FROM, _EDGE_ARC = 0.2, 0.25
"""An arc over edges is highest no nearer to the ends of a swing than this, and counts from this
part of its height on."""
_THIGH, _SHANK, _ANKLE = 0.395 / 0.824, 0.429 / 0.824, 0.089
"""Lengths of thigh and shank, and the height of the ankle, in leg lengths."""


@dataclass(frozen=True)
class Swing:
    """How a foot comes to where it stands.

    lift_m     how high it goes above the straight path;  peak  at which part of the swing
    hold       which part of the swing it stays up there
    late       which part of the swing it only rises before it goes forward
    pitches    (part of the swing, degrees toes up) in between
    turns      how much sooner than its way its turn is done: the leg has waited for it to leave
    out_m      how far it swings out to its own side
    folds      (part of the swing, hip, knee in degrees): in flight the leg goes through these
               instead, and the foot with it
    settle     share of the body's speed that the foot still has when it lands, besides rolling
    going      how much faster (3,), m/s, than it rolls it leaves;  coming  its speed then, instead
    ground     (until which part of the swing, metres) how high the ground is that it goes over,
               unless it is that of either end, half way each
    treads     (z, metres) how high the ground is from there on, instead: edges that no point of
               the foot goes through;  clear_m  how far over them it passes
    """

    lift_m: float = 0.05
    peak: float = 0.45
    hold: float = 0.0
    late: float = 0.0
    pitches: tuple[tuple[float, float], ...] = ()
    turns: float = 1.12
    out_m: float = 0.0
    folds: tuple[tuple[float, float, float], ...] = ()
    settle: float = 0.25
    going: tuple[float, float, float] = (0.0, 0.0, 0.0)
    coming: tuple[float, float, float] | None = None
    ground: tuple[tuple[float, float], ...] = ()
    treads: tuple[tuple[float, float], ...] = ()
    clear_m: float = 0.0


@dataclass(frozen=True)
class PlannedStance:
    """A foot that stands.

    side                0 left, 1 right
    x, z, y             where the ankle of the flat foot stands over, and how high the ground is
    begin_s, end_s      strike and lift-off
    yaw_deg             where the foot points, to the left
    strike_deg, flat_s  toes up (on the heel) or down (on the ball) when it lands, and how soon flat
    leave_deg, leave_s  how far the heel is up when the toes leave, and how long it takes to rise
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
    swing: Swing = Swing()

    def pitch(self, times: Floats) -> Floats:
        """(T,) radians toes up."""
        landed = np.clip((times - self.begin_s) / self.flat_s, 0.0, 1.0)
        pitch = self.strike_deg * (1.0 - landed) ** 2 * (1.0 + 0.5 * landed)
        rising = np.clip((times - self.end_s + self.leave_s) / self.leave_s, 0.0, 1.0)
        return np.asarray(np.radians(pitch - self.leave_deg * rising**2.3))


@dataclass(frozen=True, eq=False)
class Carried:
    """What carries a foot through T frames.

    times   (T,) seconds, evenly spaced
    centre  (T, 3) the centre of mass, with which feet fly
    to_hip  (3,) from it to the hip joint of this leg
    raised  (T,) how far, radians, the heel is up besides, because the ankle bends no further
    """

    times: Floats
    centre: Floats
    to_hip: Floats
    raised: Floats

    def centre_at(self, second: float) -> tuple[Floats, Floats]:
        """(3,) the centre of mass and its speed at a time."""
        pace = np.gradient(self.centre, self.times[1] - self.times[0], axis=0)
        columns = [*self.centre.T, *pace.T]
        found = np.array([np.interp(second, self.times, column) for column in columns])
        return found[:3], found[3:]


def follow_steps(foot: Foot, stances: Sequence[PlannedStance], by: Carried) -> FootPath:
    """The path of a foot over its stances, which are in order of time."""
    times = by.times
    count = len(times)
    path = FootPath(
        np.zeros((count, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)), np.zeros(count),
        np.zeros(count, np.bool_), np.zeros(count, np.bool_),
    )  # fmt: skip
    standing = []
    for stance in stances:
        on = (times >= stance.begin_s - 1e-9) & (times <= stance.end_s + 1e-9)
        frames = np.flatnonzero(on).astype(np.int32)
        standing.append(_roll(foot, stance, times[frames], frames, by))
    parts = ([getattr(r, part.name) for r in standing] for part in fields(Rolling))
    path = with_stances(path, foot, Rolling(*map(np.concatenate, parts)), ACTING_TOES)
    swings = []
    for before, after in itertools.pairwise(stances):
        inside = (times > before.end_s + 1e-9) & (times < after.begin_s - 1e-9)
        if inside.any():
            frames = np.flatnonzero(inside).astype(np.int32)
            swings.append(_SwingPath(foot, before, after, frames, by))
            swings[-1].put(path)
    points = sole_points(foot, path) if swings else path.ankle[:, None]
    for swing in swings:
        path.ankle[swing.frames, 1] += swing.lift(points[swing.frames])
    return path


def _roll(foot: Foot, stance: PlannedStance, times: Floats, frames: Ints, by: Carried) -> Rolling:
    """A stance at times within it, rolling over heel and ball, which stay where they are."""
    pitch = stance.pitch(times) - np.interp(times, by.times, by.raised)
    pitch = np.maximum(np.where(np.abs(pitch) < _FLAT_RAD, 0.0, pitch), -ACTING_TOES.most)
    origin = np.tile([stance.x, stance.y - foot.heel[1], stance.z], (len(times), 1))
    yaw = np.full(len(times), np.radians(stance.yaw_deg))
    return Rolling(frames, origin, yaw, pitch, np.ones(len(times), np.bool_))


class _SwingPath:
    """A foot between two stances at some frames, joining both in place and speed."""

    def __init__(
        self, foot: Foot, before: PlannedStance, after: PlannedStance, frames: Ints, by: Carried
    ) -> None:
        self.before, self.after, self.swing = before, after, after.swing
        self.frames, self.by, self.leg_m = frames, by, float(-foot.heel[1]) / _ANKLE
        self.seconds = after.begin_s - before.end_s
        self.s = (by.times[frames] - before.end_s) / self.seconds
        step = 0.25 * float(by.times[-1] - by.times[0]) / (len(by.times) - 1)
        ankles, pitches = [], []
        for stance, at in ((before, before.end_s - step), (after, after.begin_s)):
            roll = _roll(foot, stance, np.array([at, at + step]), frames[:0], by)
            ankles.append(roll.origin + ankle_shift(foot, roll.yaw, roll.pitch, ACTING_TOES))
            pitches.append(roll.pitch)
        self.places = np.stack([ankles[0][1], ankles[1][0]])
        self.speeds = np.diff(ankles, axis=1)[:, 0] / step
        self.pitches = np.array([pitches[0][1], pitches[1][0]])
        self.rates = np.diff(pitches, axis=1)[:, 0] / step

    def put(self, path: FootPath) -> None:
        """Write the swing into a path, in place."""
        s = self.s
        yaws = np.radians([self.before.yaw_deg, self.after.yaw_deg])
        yaw = yaws[0] + (yaws[1] - yaws[0]) * smootherstep(self.swing.turns * s)
        bent, ready = np.clip(-self.pitches, 0.0, ACTING_TOES.most)
        path.ankle[self.frames] = self._fly() if self.swing.folds else self._step()
        path.turned[self.frames] = pitched_foot(yaw, self._pitch())
        path.toes_up[self.frames] = bent * (1.0 - smootherstep(s / 0.45))
        path.toes_up[self.frames] += ready * smootherstep((s - 0.7) / 0.3)

    def lift(self, points: Floats) -> Floats:
        """(N,) how much higher it is to go so that no point of it, (N, P, 3), is in the ground."""
        s = np.asarray((np.arange(len(points)) + 1.0) / (len(points) + 1.0), np.float64)
        dip = (self._floor(s, points) - points[..., 1]).max(axis=1)
        over = np.zeros(len(s))
        if self.swing.treads:
            over = self._clear_edges(s, dip)
        return over + arc_over(dip - over + _CLEAR_M, (4.0 * s * (1.0 - s)) ** 0.5)

    def _floor(self, s: Floats, points: Floats) -> Floats:
        """(N, P) how high the ground is under points, or under all of them, (N, 1)."""
        if self.swing.treads:
            floor = np.full(points.shape[:2], min(self.before.y, self.after.y))
            for edge, height in self.swing.treads:
                floor = np.where(points[..., 2] >= edge, height, floor)
            return floor
        level = np.full(len(s), self.after.y)
        for until, height in reversed(self.swing.ground or ((0.5, self.before.y),)):
            level = np.where(s < until, height, level)
        return level[:, None]

    def _clear_edges(self, s: Floats, dip: Floats) -> Floats:
        """(N,) an arc that is highest where the foot would be deepest (N,) in an edge."""
        inside = (s > _EDGE_FROM) & (s < 1.0 - _EDGE_FROM)
        if not inside.any():
            return np.zeros(len(s))
        top = float(s[inside][np.argmax(dip[inside])])
        arc = smoothstep(s / top) * smoothstep((1.0 - s) / (1.0 - top))
        return arc_over(dip + self.swing.clear_m * arc, arc, np.asarray(arc > _EDGE_ARC))

    def _step(self) -> Floats:
        """(N, 3) the ankle of a step over the ground."""
        swing, s = self.swing, self.s
        straight = self.places[1] - self.places[0]
        ahead = straight / max(float(np.linalg.norm(straight)), 1e-9)
        ahead = ahead * (swing.late == 0.0) + [0.0, 1.0, 0.0]
        kicks = _KICK_M_S * np.stack([ahead, 0.6 * ahead * [1.0, -1.0, 1.0]])
        slopes = (self.speeds + kicks) * self.seconds * (1.0 - swing.late)
        late = np.clip((s - swing.late) / (1.0 - swing.late), 0.0, 1.0)[:, None]
        soon = np.clip(s / (1.0 - swing.late), 0.0, 1.0)[:, None]
        path = hermite(late, self.places, slopes)
        path[:, 1] = hermite(soon, self.places[:, 1:2], slopes[:, 1:2])[:, 0]
        arc = smoothstep(s / (swing.peak - 0.5 * swing.hold))
        arc *= smoothstep((1.0 - s) / (1.0 - swing.peak - 0.5 * swing.hold))
        path[:, 1] += swing.lift_m * arc
        path[:, 0] += swing.out_m * SIGNS[self.after.side] * arc
        return path

    def _fly(self) -> Floats:
        """(N, 3) the ankle of a foot that goes with the body, through the folds of its leg."""
        swing = self.swing
        (left, off), (landed, on) = (
            self.by.centre_at(t) for t in (self.before.end_s, self.after.begin_s)
        )
        leaving = self.speeds[0] + swing.going - off
        coming = self.speeds[1] + (swing.settle - 1.0) * on
        if swing.coming is not None:
            coming = np.array(swing.coming) - on
        middle = [self._fold(hip, knee) for _, hip, knee in swing.folds]
        knots = [0.0, *(part for part, *_ in swing.folds), 1.0]
        rows = np.stack([self.places[0] - left, *middle, self.places[1] - landed])
        slopes = (leaving * self.seconds, coming * self.seconds)
        path = self.by.centre[self.frames] + cubic_spline(knots, rows, self.s, slopes)
        arc = smootherstep(self.s / swing.peak) * smootherstep((1.0 - self.s) / (1.0 - swing.peak))
        path[:, 0] += swing.out_m * SIGNS[self.after.side] * arc
        return path

    def _fold(self, hip_deg: float, knee_deg: float) -> Floats:
        """(3,) from the centre of mass to the ankle of a leg folded so against the vertical."""
        hip, shin = np.radians(hip_deg), np.radians(hip_deg - knee_deg)
        thigh = _THIGH * self.leg_m * np.array([0.0, -np.cos(hip), np.sin(hip)])
        shank = _SHANK * self.leg_m * np.array([0.0, -np.cos(shin), np.sin(shin)])
        return np.asarray(self.by.to_hip + thigh + shank)

    def _pitch(self) -> Floats:
        """(N,) radians toes up."""
        passing = self.swing.pitches
        knots = [0.0, *(part for part, _ in passing), 1.0]
        values = [self.pitches[0], *(np.radians(p) for _, p in passing), self.pitches[1]]
        slopes = np.clip(self.rates * self.seconds, -4.0, 4.0) * [1.0, 0.4]
        ends = (slopes[:1], slopes[1:])
        return cubic_spline(knots, np.array(values)[:, None], self.s, ends)[:, 0]
