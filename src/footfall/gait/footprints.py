"""Footprints (p, q, t, Δ), Choi, Lee & Shin 2003, Eq. 1: where, which way, when, how long."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.body.roles import SIDES
from footfall.gait.contacts import Contacts, Stance
from footfall.gait.foot_motion import BALL, HEEL, FootMotion
from footfall.maths.arrays import Bools, Floats
from footfall.maths.quaternions import from_yaw


@dataclass(frozen=True, eq=False)
class Footprint:
    """One foot on the ground.

    foot       0 left, 1 right
    p          (3,) halfway between heel and ball, at the height of the sole, metres
    q          (4,) w x y z: the foot's direction, a turn about the vertical
    t          the middle of its stance, seconds
    delta      half the duration of its stance, seconds
    stance     which of `Contacts.stances` it comes from
    """

    foot: int
    p: Floats
    q: Floats
    t: float
    delta: float
    stance: int

    @property
    def side(self) -> str:
        return SIDES[self.foot]

    @property
    def yaw(self) -> float:
        """The direction of the foot, radians, positive to the left of +Z."""
        return 2.0 * float(np.arctan2(self.q[2], self.q[0]))


def footprints(contacts: Contacts) -> tuple[Footprint, ...]:
    """A footprint for every stance, ordered by the middle of its time."""
    prints = [_footprint(contacts, n, stance) for n, stance in enumerate(contacts.stances)]
    return tuple(sorted(prints, key=lambda f: (f.t, f.foot)))


def _footprint(contacts: Contacts, number: int, stance: Stance) -> Footprint:
    motion, foot = contacts.motion, stance.foot
    frames = slice(stance.first, stance.stop)
    where = _steadiest(contacts.points[frames, 2 * foot : 2 * foot + 2])
    heel = motion.points[frames, foot, HEEL][where].mean(axis=0)
    ball = motion.points[frames, foot, BALL][where].mean(axis=0)
    p = 0.5 * (heel + ball)
    p[1] = stance.level_m
    yaw = np.arctan2(ball[0] - heel[0], ball[2] - heel[2])
    half = 0.5 * (stance.end_s - stance.begin_s)
    return Footprint(foot, p, from_yaw(yaw), stance.middle_s, half, number)


def _steadiest(points: Bools) -> Bools:
    """(n,) the frames in which heel and toes are down; else the toes; else all."""
    flat = np.asarray(points.all(axis=1))
    if flat.any():
        return flat
    return np.asarray(points[:, 1]) if points[:, 1].any() else np.ones(len(points), np.bool_)


def sole_direction(motion: FootMotion, foot: int) -> Floats:
    """(T,) the direction from heel to ball over the ground, radians, left of +Z positive."""
    way = motion.points[:, foot, BALL] - motion.points[:, foot, HEEL]
    return np.asarray(np.arctan2(way[:, 0], way[:, 2]))
