"""A foot over time, and how it rolls: over its heel, flat, over ball and toes.

What carries a standing foot never moves, so its contacts are exact.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.body.feet import Foot
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats, Ints


@dataclass(frozen=True, eq=False)
class FootPath:
    """One foot over T frames.

    ankle     (T, 3) and turned (T, 4): the foot in the world
    toes_up   (T,) how far the toes are bent up against the foot, radians
    heel_on   (T,) and toe_on (T,): which part carries
    """

    ankle: Floats
    turned: Floats
    toes_up: Floats
    heel_on: Bools
    toe_on: Bools

    @property
    def held(self) -> Bools:
        """(T,) whether any part carries."""
        return self.heel_on | self.toe_on


@dataclass(frozen=True)
class ToeRange:
    """Toes bend freely up to one angle and never beyond another, radians."""

    free: float
    most: float

    def bend(self, angle: Floats) -> Floats:
        """(T,) how far toes bend on a foot whose heel is up by an angle."""
        over = np.maximum(angle - self.free, 0.0)
        if not over.any():
            return np.asarray(angle)
        room = max(self.most - self.free, 1e-9)
        return np.asarray(np.minimum(angle, self.free) + room * np.tanh(over / room))


GOING_TOES = ToeRange(float(np.radians(50.0)), float(np.radians(58.0)))
"""Of those who walk and run."""
ACTING_TOES = ToeRange(float(np.radians(58.0)), float(np.radians(58.0)))
"""Of those who step and jump."""


@dataclass(frozen=True, eq=False)
class Rolling:
    """How a foot stands at F frames, of one stance after another.

    origin  (F, 3) where the ankle would be if the foot were flat;  yaw  (F,) where it points
    pitch   (F,) positive rolls over the heel, negative over the ball, which stays where it is
            as long as the toes bend freely
    stands  (F,) whether any part carries still; else the foot has left
    """

    frames: Ints
    origin: Floats
    yaw: Floats
    pitch: Floats
    stands: Bools


def with_stances(path: FootPath, foot: Foot, rolling: Rolling, toes: ToeRange) -> FootPath:
    """The path with these stances in it, and no others."""
    at, pitch = rolling.frames, rolling.pitch
    ankle, turned, toes_up = path.ankle.copy(), path.turned.copy(), path.toes_up.copy()
    heel_on, toe_on = (np.zeros(len(ankle), np.bool_) for _ in range(2))
    ankle[at] = rolling.origin + ankle_shift(foot, rolling.yaw, pitch, toes)
    turned[at] = pitched_foot(rolling.yaw, pitch)
    toes_up[at] = toes.bend(-np.minimum(pitch, 0.0))
    heel_on[at], toe_on[at] = (pitch >= 0.0) & rolling.stands, (pitch <= 0.0) & rolling.stands
    return FootPath(ankle, turned, toes_up, heel_on, toe_on)


def pitched_foot(yaw: Floats, pitch: Floats) -> Floats:
    """(T, 4) how a foot is turned that points to `yaw` (T,) with its toes up by `pitch` (T,)."""
    return quat.multiply(quat.from_yaw(yaw), quat.about_axis(0, -pitch))


def ankle_shift(foot: Foot, yaw: Floats, pitch: Floats, toes: ToeRange) -> Floats:
    """(T, 3) from where the ankle of the flat foot is to where it is at pitches (T,)."""
    ball_ahead, ball_up = shift_on_ball(foot, np.minimum(pitch, 0.0), toes)
    heel_ahead, heel_up = _turned(foot.heel, pitch)
    on_heel = pitch >= 0.0
    ahead = np.where(on_heel, foot.heel[2] - heel_ahead, ball_ahead)
    up = np.where(on_heel, foot.heel[1] - heel_up, ball_up)
    return np.stack([ahead * np.sin(yaw), up, ahead * np.cos(yaw)], axis=1)


def shift_on_ball(foot: Foot, pitch: Floats, toes: ToeRange) -> tuple[Floats, Floats]:
    """How far ahead and up (T,) an ankle goes from that of the flat foot, at pitches <= 0."""
    arm_ahead, arm_up = _turned(foot.ball_joint, pitch)
    toe_ahead, toe_up = _turned(foot.ball_joint - foot.tip, pitch + toes.bend(-pitch))
    return foot.tip[2] + toe_ahead - arm_ahead, foot.tip[1] + toe_up - arm_up


def _turned(point: Floats, pitch: Floats) -> tuple[Floats, Floats]:
    """Ahead and up (T,) of a point of the foot that is pitched up."""
    cos, sin = np.cos(pitch), np.sin(pitch)
    return point[2] * cos - point[1] * sin, point[2] * sin + point[1] * cos


def sole_points(foot: Foot, path: FootPath) -> Floats:
    """(T, 3, 3) heel, ball and tip of the sole in the world."""
    toes = quat.multiply(path.turned, quat.about_axis(0, -path.toes_up))
    joint = path.ankle + quat.rotate(path.turned, foot.ball_joint)
    return np.stack(
        [
            path.ankle + quat.rotate(path.turned, foot.heel),
            joint + quat.rotate(toes, foot.ball - foot.ball_joint),
            joint + quat.rotate(toes, foot.tip - foot.ball_joint),
        ],
        axis=1,
    )
