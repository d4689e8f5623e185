"""Stances from the joint curves of a gait: where each foot stands best, and how it rolls there.

All stances of a foot are worked out at once: arrays hold the frames of one stance after another,
and `owner` says which stance a frame belongs to.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.body.feet import Foot
from footfall.generate.feet.foot_path import (
    GOING_TOES,
    FootPath,
    Rolling,
    ankle_shift,
    shift_on_ball,
)
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.maths.easing import smoothstep
from footfall.maths.runs import maxima, runs

_FLAT_RAD, _FLAT_EASE_RAD = np.radians(3.0), np.radians(8.0)
"""A standing foot pitched less than this is flat; within the next so much it eases out of it."""
_ROCKS_RAD = np.radians(14.0)
"""Between two flat moments of one stance a foot that pitches less than this stays flat."""
_STEEPEST_RAD = np.radians(85.0)
_HEEL_FREE_RAD = np.radians([2.0, -5.0])
"""Between these pitches of the wished foot it passes to the leg to say how far its heel rises."""
_HEEL_SMOOTH_S = 0.018
_ROOM = 0.006
"""A leg that is as straight as this, of its length, lets the heel rise: knees must not snap."""
_BEHIND = 0.03, 0.10
"""… when it is as far behind the hips: who stands has straight legs, too."""
_BISECTIONS = 18
_Z = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class Leg:
    """A leg over T frames.

    hip     (T, 3) where it is, and length (T,) how far from it the ankle is to be, metres
    most    (T,) how far it is at most
    leaves  (T,) how far, radians, the heel is up when the foot leaves
    rises   (T,) how fast it rises at most, radians per second
    curves  (T,) how much, 0 to 1, curves say about how far it rises; the leg says the rest
    rate    frames per second
    """

    hip: Floats
    length: Floats
    most: Floats
    leaves: Floats
    rises: Floats
    curves: Floats
    rate: float


@dataclass(frozen=True, eq=False)
class _StanceFrames:
    """N stances: their frames (F,), each one's stance (F,) and, of each, first place and count."""

    frames: Ints
    owner: Ints
    first: Ints
    count: Ints

    @classmethod
    def where(cls, held: Bools) -> _StanceFrames:
        spans = runs(held)
        count = spans[:, 1] - spans[:, 0]
        return cls(
            np.flatnonzero(held).astype(np.int32),
            np.repeat(np.arange(len(spans), dtype=np.int32), count),
            (np.cumsum(count) - count).astype(np.int32),
            count,
        )

    def sums(self, values: Floats) -> Floats:
        """(N, ...) sums over each stance of values (F, ...)."""
        return np.asarray(np.add.reduceat(values, self.first, axis=0))

    @property
    def place(self) -> Ints:
        """(F,) how many frames of the same stance come before each."""
        return np.asarray(np.arange(len(self.frames)) - self.first[self.owner])


def fit_stances(
    foot: Foot, wished: FootPath, held: Bools, weight: Floats, leg: Leg | None
) -> Rolling:
    """The stances nearest to a wished path while `held` (T,).

    weight  (T,) how much each frame has to say in where the foot stands
    leg     if given, heels rise as far as the leg above them asks for
    """
    stances = _StanceFrames.where(held)
    frames, owner = stances.frames, stances.owner
    if len(frames) == 0:
        return Rolling(frames, np.zeros((0, 3)), np.zeros(0), np.zeros(0), np.zeros(0, np.bool_))
    share = weight[frames] * np.sin(np.pi * (stances.place + 0.5) / stances.count[owner])
    ahead = quat.rotate(wished.turned[frames], _Z)
    heading = stances.sums(ahead[:, [0, 2]] * share[:, None])
    yaw = np.arctan2(heading[:, 0], heading[:, 1])[owner]
    forward = np.stack([np.sin(yaw), 0.0 * yaw, np.cos(yaw)], axis=1)
    asked = np.arctan2(ahead[:, 1], np.einsum("ti,ti->t", ahead, forward))
    origins = wished.ankle[frames] - ankle_shift(foot, yaw, asked, GOING_TOES)
    origin = stances.sums(origins * share[:, None]) / stances.sums(share)[:, None]
    origin[:, 1] = -foot.heel[1]
    origin = origin[owner]
    pitch, stands = _flatten(asked, stances), np.ones(len(frames), np.bool_)
    if leg is not None:
        hip = leg.hip[frames] - origin
        raised = _heel_pitch(foot, forward, hip, leg.length[frames])
        raised += leg.curves[frames] * (np.minimum(asked, 0.0) - raised)
        most = leg.most[frames]
        away, room = _from_hip(foot, forward, hip, 0.0 * raised), _ROOM * most
        far = np.flatnonzero(away > most - room)
        nearly = (most - room * np.exp((most - room - away) / room))[far]
        needed = np.zeros(len(raised))
        behind = np.einsum("ti,ti->t", hip, forward) / most
        trails = smoothstep((behind - _BEHIND[0]) / (_BEHIND[1] - _BEHIND[0]))
        needed[far] = trails[far] * _heel_pitch(foot, forward[far], hip[far], nearly)
        pitch, stands = _raise_heels(pitch, asked, (raised, needed), trails, stances, leg)
    return Rolling(frames, origin, yaw, pitch, stands)


def _from_hip(foot: Foot, forward: Floats, hip: Floats, pitch: Floats) -> Floats:
    """(F,) how far from the hip (F, 3) the ankle of a foot on its ball is at pitches (F,)."""
    ahead, up = shift_on_ball(foot, pitch, GOING_TOES)
    line = hip - ahead[:, None] * forward - up[:, None] * [0.0, 1.0, 0.0]
    return np.asarray(np.sqrt(np.einsum("ti,ti->t", line, line)))


def _heel_pitch(foot: Foot, forward: Floats, hip: Floats, length: Floats) -> Floats:
    """(F,) pitches of a foot on its ball that bring the ankle to a distance from the hip.

    hip  (F, 3) from where the ankle of the flat foot is
    """
    ahead, up = np.einsum("ti,ti->t", hip, forward), hip[:, 1]
    aside = np.einsum("ti,ti->t", hip, hip) - ahead**2 - up**2
    low, high = np.full(len(hip), -_STEEPEST_RAD), np.zeros(len(hip))
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        ankle_ahead, ankle_up = shift_on_ball(foot, middle, GOING_TOES)
        too_far = (ankle_ahead - ahead) ** 2 + (ankle_up - up) ** 2 + aside > length**2
        low, high = np.where(too_far, low, middle), np.where(too_far, middle, high)
    return np.asarray(0.5 * (low + high))


def _raise_heels(
    pitch: Floats, asked: Floats, rising: tuple[Floats, Floats], trails: Floats,
    stances: _StanceFrames, leg: Leg,
) -> tuple[Floats, Bools]:  # fmt: skip
    """(F,) pitches with heels that rise in the second part of a stance, and (F,) whether feet have
    not left yet.

    rising  (F,) how far they rise, and how far they must;  trails (F,) whether the leg is behind
    """
    raised, needed = rising
    u = np.clip((_HEEL_FREE_RAD[0] - asked) / (_HEEL_FREE_RAD[0] - _HEEL_FREE_RAD[1]), 0.0, 1.0)
    early = stances.place * 5 < 2 * stances.count[stances.owner]
    # Added whole numbers keep the stances apart while the greatest so far is taken.
    risen = np.maximum.accumulate(np.where(early, 0.0, u) + 2.0 * stances.owner)
    share = risen - 2.0 * stances.owner
    mixed = np.minimum(pitch, 0.0) * (1.0 - share) + raised * share
    mixed = np.minimum(mixed, np.where(early, 0.0, needed))
    leaves = -leg.leaves[stances.frames]
    stands = mixed >= leaves
    rises = leg.rises[stances.frames] / leg.rate
    mixed = _begin_early(np.maximum(mixed, leaves), stances, rises)
    mixed = np.maximum(_smooth_stances(mixed, stances, _HEEL_SMOOTH_S * leg.rate), leaves)
    # Heels of trailing legs rise at once: what they lag behind, knees would have to make up for.
    flat = _FLAT_RAD * (1.0 - 0.8 * trails)
    eased = mixed * smoothstep((np.abs(mixed) - 0.3 * flat) / flat)
    return np.where(pitch > 0.0, pitch, eased), stands


def _begin_early(pitch: Floats, stances: _StanceFrames, rises: Floats) -> Floats:
    """(F,) pitches of heels that begin to rise so early that they, and toes, are never faster than
    `rises` (F,), radians per frame."""
    ago = np.cumsum(rises)
    ago -= ago[stances.first[stances.owner]]
    # Added whole heights keep the stances apart while the greatest to come is taken.
    apart = (np.pi + ago.max()) * (len(stances.count) - stances.owner)
    most = np.maximum.accumulate((apart - pitch - ago)[::-1])[::-1]
    return np.asarray(apart - ago - most)


def _smooth_stances(values: Floats, stances: _StanceFrames, sigma: float) -> Floats:
    """(F,) values smoothed within each stance by a Gaussian of `sigma` frames.

    Before its beginning a stance goes on as it began; past its end as it came: the foot must not
    slow down as it leaves.
    """
    reach = round(4.0 * sigma)
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    place, first = stances.place, stances.first[stances.owner]
    last = stances.count[stances.owner] - 1
    end = 2.0 * values[first + last]
    out = np.zeros(len(values))
    for shift, weight in zip(range(-reach, reach + 1), weights / weights.sum(), strict=True):
        at = place + shift
        past = at > last
        inside = np.clip(np.where(past, 2 * last - at, at), 0, last)
        value = values[first + inside]
        out += weight * np.where(past, end - value, value)
    return out


def _flatten(pitch: Floats, stances: _StanceFrames) -> Floats:
    """(F,) pitches with a flat middle, C¹."""
    size = np.abs(pitch)
    eased = pitch * smoothstep((size - _FLAT_RAD) / _FLAT_EASE_RAD)
    flat = np.flatnonzero(size <= _FLAT_RAD)
    inside = stances.owner[flat[1:]] == stances.owner[flat[:-1]]
    gaps = np.stack([flat[:-1], flat[1:] + 1], axis=1)[inside & (np.diff(flat) > 1)]
    if len(gaps):  # they may share an end
        small = maxima(size, (gaps - [0, 1]).astype(np.int32)) < _ROCKS_RAD
        for a, b in gaps[small].tolist():
            eased[a:b] = 0.0
    return np.asarray(eased)
