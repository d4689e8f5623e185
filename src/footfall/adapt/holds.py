"""Holds: where and how a foot is held on the ground while it touches.

A hold is one contact of one foot. While it lasts the foot rolls: on the heel, flat, on the ball.
Each frame of a hold belongs to one of these phases, and the hold knows the foot's flat pose on
the ground, so that every phase turns about a point that does not move.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.body.feet import foot_points
from footfall.body.kinematics import WorldPoses
from footfall.body.skeleton import Skeleton
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats, Ints

HEEL, FLAT, BALL = 1, 2, 3
"""Phases of a hold: on the heel alone, on heel and ball, on the ball alone."""

_STEEPEST = np.radians(35.0)
"""A foot that would have to tilt more than this looks for a better place nearby."""
_BUMP_M = 0.04
"""Toes whose ground is further than this off the plane of the sole have no room."""
_SHIFTS_M = np.arange(0.01, 0.205, 0.01)
"""How far along its own direction a foot looks for room."""


class Ground(Protocol):
    """What feet stand on: anything that knows its height and normal at points (N, 2)."""

    def height(self, points: ArrayLike) -> Floats: ...

    def normal(self, points: ArrayLike) -> Floats: ...


@dataclass(frozen=True, eq=False)
class Foot:
    """One foot of a figure: joints, and points of the flat sole in the ankle's frame (3,).

    ball_joint is where the foot bends; ball is the sole under it
    """

    side: str
    hip: int
    knee: int
    ankle: int
    toe: int | None
    heel: Floats
    ball: Floats
    ball_joint: Floats
    tip: Floats

    @property
    def length(self) -> float:
        """From heel to ball along the sole, metres."""
        return float(self.ball[2] - self.heel[2])


def foot_of(skeleton: Skeleton, side: str) -> Foot:
    """One foot of a humanoid skeleton in its canonical rest."""
    hip, knee, ankle = (skeleton.role(f"{side}_{part}") for part in ("hip", "knee", "ankle"))
    toe = skeleton.roles.get(f"{side}_toe")
    heel, ball, tip = foot_points(skeleton).side(side)
    rest = skeleton.rest_positions
    sole = rest[ball.joint] + ball.offset - rest[ankle]
    joint = sole if toe is None else rest[toe] - rest[ankle]
    end = rest[tip.joint] + tip.offset - rest[ankle]
    return Foot(side, hip, knee, ankle, toe, heel.offset, sole, joint, end)


@dataclass(frozen=True, eq=False)
class Hold:
    """One contact of one foot, frames `first` up to `stop`.

    phases   (n,) HEEL, FLAT or BALL of each frame
    flat     (4,) the foot's orientation when it stands flat here
    spot     (3,) where the ball of the flat sole is
    turns    (n, 4) the foot's orientation in each frame, flat in the flat phase
    """

    first: int
    stop: int
    phases: Ints
    flat: Floats
    spot: Floats
    turns: Floats

    @property
    def frames(self) -> slice:
        """The frames of the hold."""
        return slice(self.first, self.stop)

    def ankles(self, foot: Foot) -> Floats:
        """(n, 3) where the ankle is in each frame: the point that carries stays where it is."""
        origin = self.spot - quat.rotate(self.flat, foot.ball)
        heel_spot = origin + quat.rotate(self.flat, foot.heel)
        ball_spot = origin + quat.rotate(self.flat, foot.ball_joint)
        on_heel = (self.phases == HEEL)[:, None]
        pivot = np.where(on_heel, heel_spot, ball_spot)
        arm = np.where(on_heel, foot.heel, foot.ball_joint)
        return np.asarray(pivot - quat.rotate(self.turns, arm))


def find_holds(foot: Foot, poses: WorldPoses, heel_on: Bools, toe_on: Bools) -> list[Hold]:
    """The holds of one foot, from contact labels (T,) of its heel and toe.

    Every hold stands level at the height its own motion gives; `on_ground` puts it elsewhere.
    """
    turned, ankle = poses.rotations[:, foot.ankle], poses.positions[:, foot.ankle]
    phases = np.where(heel_on & toe_on, FLAT, np.where(heel_on, HEEL, np.where(toe_on, BALL, 0)))
    touching = np.flatnonzero(np.diff(np.concatenate([[0], phases > 0, [0]]).astype(np.int8)))
    holds = []
    for first, stop in touching.reshape(-1, 2):
        span = slice(int(first), int(stop))
        holds.append(_hold(foot, ankle[span], turned[span], phases[span], int(first)))
    return holds


def on_ground(hold: Hold, foot: Foot, ground: Ground) -> Hold:
    """The same hold standing on `ground`: tilted with it, and moved a little where need be.

    A foot that would straddle an edge goes along its own direction to where the whole sole has
    room, as people do on stairs; where there is none within reach it stands level on the edge.
    """
    level = quat.from_yaw(quat.yaw_of(hold.flat))
    flat, spot = _flat_pose(foot, level, hold.spot, ground)
    tilt = quat.multiply(flat, quat.conjugate(hold.flat))
    return replace(hold, flat=flat, spot=spot, turns=quat.multiply(tilt, hold.turns))


def _hold(foot: Foot, ankle: Floats, turned: Floats, phases: Ints, first: int) -> Hold:
    level_frames = phases == FLAT
    steady = level_frames if level_frames.any() else np.ones(len(phases), bool)
    heading = quat.rotate(turned[steady], np.array([0.0, 0.0, 1.0])).mean(axis=0)
    level = quat.from_yaw(float(np.arctan2(heading[0], heading[2])))
    spot = _source_spot(foot, ankle, turned, phases, level)
    turns = _rolled(turned, phases, level)
    return Hold(first, first + len(phases), phases, level, spot, turns)


def _source_spot(foot: Foot, ankle: Floats, turned: Floats, phases: Ints, level: Floats) -> Floats:
    """(3,) the sole's ball spot that suits the motion best: the mean over what carries."""
    on_ball = phases != HEEL
    if on_ball.any():
        down = quat.rotate(level, foot.ball - foot.ball_joint)
        joint = ankle[on_ball] + quat.rotate(turned[on_ball], foot.ball_joint)
        return np.asarray(joint.mean(axis=0) + down)
    heel = ankle + quat.rotate(turned, foot.heel)
    return np.asarray(heel.mean(axis=0) + quat.rotate(level, foot.ball - foot.heel))


def _flat_pose(foot: Foot, level: Floats, spot: Floats, ground: Ground) -> tuple[Floats, Floats]:
    """The flat pose on the ground: orientation (4,) and ball spot (3,)."""
    forward = quat.rotate(level, np.array([0.0, 0.0, 1.0]))[[0, 2]]
    shifts = np.concatenate([[0.0], *([s, -s] for s in _SHIFTS_M)])
    balls = spot[[0, 2]] + shifts[:, None] * forward
    heights = np.stack(
        [_heights(ground, balls + along * forward, spot[1]) for along in _along_sole(foot)]
    )
    sound = _sound(foot, *heights)
    if not sound.any():
        sound = _sound(foot, heights[0], heights[1], heights[1])
    if not sound.any():
        return level, np.array([spot[0], heights[:2, 0].max(), spot[2]])
    best = int(np.argmax(sound))
    return _lying(foot, level, balls[best], float(heights[1, best]), ground)


def _along_sole(foot: Foot) -> tuple[float, float, float]:
    """Heel, ball and tip along the foot's length, from the ball, metres."""
    return -foot.length, 0.0, float(foot.tip[2] - foot.ball[2])


def _sound(foot: Foot, heel: Floats, ball: Floats, tip: Floats) -> Bools:
    """Whether a sole with these ground heights (N,) under it lies on one surface."""
    slope = (ball - heel) / foot.length
    ahead = ball + slope * _along_sole(foot)[2]
    return np.asarray((np.abs(slope) < np.sin(_STEEPEST)) & (np.abs(tip - ahead) < _BUMP_M))


def _lying(
    foot: Foot, level: Floats, place: Floats, ball_height: float, ground: Ground
) -> tuple[Floats, Floats]:
    """The sole lying along the ground with its ball at `place`."""
    forward = quat.rotate(level, np.array([0.0, 0.0, 1.0]))[[0, 2]]
    rise = 0.0
    for _ in range(4):
        # The heel lies back along the slope, so its place depends on the slope itself.
        back = np.sqrt(max(foot.length**2 - rise**2, 0.0))
        heel_height = _heights(ground, (place - forward * back)[None], ball_height)[0]
        rise = float(np.clip(ball_height - heel_height, -foot.length, foot.length))
    pitch = quat.from_axis_angle([1.0, 0.0, 0.0], -np.arcsin(rise / foot.length))
    slope = quat.multiply(level, pitch)
    return _banked(slope, ground, place), np.array([place[0], ball_height, place[1]])


def _banked(slope: Floats, ground: Ground, place: Floats) -> Floats:
    """The pitched orientation rolled about the foot's length to lie along the ground sideways."""
    normal = ground.normal(place[None])[0]
    if not np.isfinite(normal).all():
        return slope
    local = quat.rotate(quat.conjugate(slope), normal)
    roll = float(np.clip(np.arctan2(-local[0], local[1]), -_STEEPEST, _STEEPEST))
    return quat.multiply(slope, quat.from_axis_angle([0.0, 0.0, 1.0], roll))


def _heights(ground: Ground, places: Floats, otherwise: float) -> Floats:
    found = ground.height(places)
    return np.where(np.isfinite(found), found, otherwise)


def _rolled(turned: Floats, phases: Ints, level: Floats) -> Floats:
    """(n, 4) orientations in the hold: flat while flat, else turned from there as the source is.

    A frame before or after a flat phase takes the source's turn since (or until) that phase;
    between two flat phases it goes over from the one to the other. A hold that is never flat
    keeps the source's own turn.
    """
    frames = np.arange(len(phases))
    known = np.flatnonzero(phases == FLAT)
    if known.size == 0:
        return np.array(turned)
    after: NDArray[np.intp] = known[np.clip(np.searchsorted(known, frames), 0, known.size - 1)]
    before: NDArray[np.intp] = known[
        np.clip(np.searchsorted(known, frames, side="right") - 1, 0, known.size - 1)
    ]

    def since(reference: NDArray[np.intp]) -> Floats:
        return quat.multiply(level, quat.multiply(quat.conjugate(turned[reference]), turned))

    span = np.maximum(after - before, 1)
    share = np.clip((frames - before) / span, 0.0, 1.0)
    share = np.where(frames < known[0], 1.0, np.where(frames > known[-1], 0.0, share))
    ease = share * share * (3.0 - 2.0 * share)
    turns = quat.slerp(since(before), since(after), ease)
    turns[known] = level
    return turns
