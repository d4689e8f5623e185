"""Footprints (p, q, t, Δ), Choi, Lee & Shin 2003, Eq. 1: where, which way, when, how long."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.body.roles import SIDES
from footfall.gait.contacts import Contacts
from footfall.gait.foot_motion import BALL, HEEL
from footfall.gait.runs import mask_of
from footfall.maths.arrays import Bools, Floats, Ints
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
        return 2.0 * math.atan2(self.q[2], self.q[0])


def footprints(contacts: Contacts) -> tuple[Footprint, ...]:
    """A footprint for every stance, ordered by the middle of its time."""
    prints = [p for foot in range(2) for p in _of_foot(contacts, foot)]
    return tuple(sorted(prints, key=lambda f: (f.t, f.foot)))


def _of_foot(contacts: Contacts, foot: int) -> list[Footprint]:
    numbers = [n for n, s in enumerate(contacts.stances) if s.foot == foot]
    stances = [contacts.stances[n] for n in numbers]
    if not stances:
        return []
    spans = np.array([(s.first, s.stop) for s in stances], np.int32)
    weights = _steadiest(contacts.points[:, 2 * foot : 2 * foot + 2], spans)
    points = contacts.motion.points[:, foot, HEEL : BALL + 1]
    sole = _sums(points * weights[:, None, None], spans) / _sums(weights, spans)[:, None, None]
    p = sole.mean(axis=1)
    p[:, 1] = [s.level_m for s in stances]
    way = sole[:, 1] - sole[:, 0]
    q = from_yaw(np.arctan2(way[:, 0], way[:, 2]))
    return [
        Footprint(foot, p[k], q[k], s.middle_s, 0.5 * s.seconds, n)
        for k, (n, s) in enumerate(zip(numbers, stances, strict=True))
    ]


def _steadiest(points: Bools, spans: Ints) -> Floats:
    """(T,) 1 for the frames of each stance in which heel and toes are down; else toes; else all."""
    flat, toes = points[:, 0] & points[:, 1], points[:, 1]
    weights = np.zeros(len(points))
    ever_flat, ever_toes = _sums(flat, spans) > 0.0, _sums(toes, spans) > 0.0
    for choice, mask in (
        (ever_flat, flat),
        (~ever_flat & ever_toes, toes),
        (~ever_flat & ~ever_toes, np.ones(len(points), np.bool_)),
    ):
        weights[mask_of(spans[choice], len(points)) & mask] = 1.0
    return weights


def _sums(values: NDArray[Any], spans: Ints) -> Floats:
    """(N, ...) the sums of values (T, ...) over stretches (N, 2) of frames."""
    total = np.cumsum(values, axis=0, dtype=np.float64)
    total = np.concatenate([np.zeros((1, *values.shape[1:])), total])
    return np.asarray(total[spans[:, 1]] - total[spans[:, 0]])
