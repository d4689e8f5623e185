"""How a standing foot rolls: over its heel, flat, over ball and toes; what carries never moves.

All stances of a foot are worked out at once: arrays hold the frames of one stance after another,
and `owner` says which stance a frame belongs to.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.adapt.holds import Foot
from footfall.gait.runs import maxima, runs
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats, Ints

_FLAT_RAD, _FLAT_EASE_RAD = np.radians(3.0), np.radians(8.0)
"""A standing foot pitched less than this is flat; within the next so much it eases out of it."""
_ROCKS_RAD = np.radians(14.0)
"""Between two flat moments of one stance a foot that pitches less than this stays flat."""
_TOES_FREE_RAD, _TOES_MOST_RAD = np.radians(43.0), np.radians(55.0)
"""Toes bend freely up to the first angle and never beyond the second; the rest of the roll goes
over their tip …"""
_LEAVES_RAD = np.radians(63.0)
"""… until the foot is pitched by this: then it leaves."""
_STEEPEST_RAD = np.radians(85.0)
_HEEL_FREE_RAD = np.radians([2.0, -5.0])
"""Between these pitches of the wished foot it passes to the leg to say how far its heel rises."""
_HEEL_SMOOTH_S = 0.022
_BISECTIONS = 18
_X, _Z = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class Leg:
    """Where the hip is (T, 3), how far from it the ankle is to be (T,), metres; frame rate."""

    hip: Floats
    length: Floats
    rate: float


@dataclass(frozen=True, eq=False)
class Rolls:
    """Stances that roll, at F frames: ankle (F, 3), foot (F, 4), toes and what carries (F,)."""

    frames: Ints
    ankle: Floats
    turned: Floats
    toes_up: Floats
    heel_on: Bools
    toe_on: Bools


@dataclass(frozen=True, eq=False)
class _Stances:
    """N stances: their frames (F,), each one's stance (F,) and, of each, first place and count."""

    frames: Ints
    owner: Ints
    first: Ints
    count: Ints

    def sums(self, values: Floats) -> Floats:
        """(N, ...) sums over each stance of values (F, ...)."""
        return np.asarray(np.add.reduceat(values, self.first, axis=0))

    @property
    def place(self) -> Ints:
        """(F,) how many frames of the same stance come before each."""
        return np.asarray(np.arange(len(self.frames)) - self.first[self.owner])


def pitched(
    foot: Foot, origin: Floats, yaw: Floats, pitch: Floats
) -> tuple[Floats, Floats, Floats]:
    """Ankles (T, 3), foot orientations (T, 4) and bends of the toes (T,) of a rolling foot.

    origin  (T, 3) where the ankle would be if the foot were flat
    yaw     (T,) and pitch (T,): positive rolls over the heel, negative over ball and toes
    """
    level = quat.from_yaw(yaw)
    ankle = origin + _origin_to_ankle(foot, yaw, pitch)
    turned = quat.multiply(level, quat.from_axis_angle(_X, -pitch))
    return ankle, turned, bent(-np.minimum(pitch, 0.0))


def rolled(
    foot: Foot, ankle: Floats, turned: Floats, held: Bools, weight: Floats, leg: Leg | None
) -> Rolls:
    """The stances nearest to wished ankles (T, 3) and orientations (T, 4) while `held` (T,).

    weight  (T,) how much each frame has to say in where the foot stands
    leg     if given, heels rise as far as the leg above them asks for
    """
    spans = runs(held)
    if len(spans) == 0:
        none = np.zeros(0, np.int32)
        nothing = np.zeros(0, np.bool_)
        return Rolls(none, np.zeros((0, 3)), np.zeros((0, 4)), np.zeros(0), nothing, nothing)
    count = spans[:, 1] - spans[:, 0]
    stances = _Stances(
        np.flatnonzero(held).astype(np.int32),
        np.repeat(np.arange(len(spans), dtype=np.int32), count),
        np.concatenate([[0], np.cumsum(count[:-1])]).astype(np.int32),
        count,
    )
    frames, owner = stances.frames, stances.owner
    share = weight[frames] * np.sin(np.pi * (stances.place + 0.5) / count[owner])
    ahead = quat.rotate(turned[frames], _Z)
    heading = stances.sums(ahead[:, [0, 2]] * share[:, None])
    yaw = np.arctan2(heading[:, 0], heading[:, 1])[owner]
    forward = np.stack([np.sin(yaw), 0.0 * yaw, np.cos(yaw)], axis=1)
    wished = np.arctan2(ahead[:, 1], np.einsum("ti,ti->t", ahead, forward))
    origins = ankle[frames] - _origin_to_ankle(foot, yaw, wished)
    origin = stances.sums(origins * share[:, None]) / stances.sums(share)[:, None]
    origin[:, 1] = -foot.heel[1]
    origin = origin[owner]
    pitch = _flattened(wished, stances)
    if leg is not None:
        raised = _raised(foot, forward, leg.hip[frames] - origin, leg.length[frames])
        pitch = _with_raised(pitch, wished, raised, stances, leg.rate)
    on_toes = (pitch <= 0.0) & (pitch >= -_LEAVES_RAD)
    return Rolls(frames, *pitched(foot, origin, yaw, pitch), pitch >= 0.0, on_toes)


def _raised(foot: Foot, forward: Floats, hip: Floats, length: Floats) -> Floats:
    """(F,) pitches of a foot on its ball that bring the ankle to a distance from the hip.

    hip  (F, 3) from where the ankle of the flat foot is
    """
    ahead, up = np.einsum("ti,ti->t", hip, forward), hip[:, 1]
    aside = np.einsum("ti,ti->t", hip, hip) - ahead**2 - up**2
    low, high = np.full(len(hip), -_STEEPEST_RAD), np.zeros(len(hip))
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        ankle_ahead, ankle_up = _roll_on_ball(foot, middle)
        too_far = (ankle_ahead - ahead) ** 2 + (ankle_up - up) ** 2 + aside > length**2
        low, high = np.where(too_far, low, middle), np.where(too_far, middle, high)
    return np.asarray(0.5 * (low + high))


def _with_raised(
    pitch: Floats, wished: Floats, raised: Floats, stances: _Stances, rate: float
) -> Floats:
    """(F,) pitches with heels that rise in the second part of a stance as far as legs ask for."""
    u = np.clip((_HEEL_FREE_RAD[0] - wished) / (_HEEL_FREE_RAD[0] - _HEEL_FREE_RAD[1]), 0.0, 1.0)
    early = stances.place * 5 < 2 * stances.count[stances.owner]
    # Added whole numbers keep the stances apart while the greatest so far is taken.
    risen = np.maximum.accumulate(np.where(early, 0.0, u) + 2.0 * stances.owner)
    share = risen - 2.0 * stances.owner
    mixed = _smoothed(
        np.minimum(pitch, 0.0) * (1.0 - share) + raised * share, stances, _HEEL_SMOOTH_S * rate
    )
    size = np.abs(mixed)
    u = np.clip((size - 0.3 * _FLAT_RAD) / _FLAT_RAD, 0.0, 1.0)
    return np.where(pitch > 0.0, pitch, mixed * u * u * (3.0 - 2.0 * u))


def _smoothed(values: Floats, stances: _Stances, sigma: float) -> Floats:
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


def _roll_on_ball(foot: Foot, pitch: Floats) -> tuple[Floats, Floats]:
    """How far ahead and up (F,) the ankle is from where that of the flat foot is, pitches <= 0."""
    cos, sin = np.cos(pitch), np.sin(pitch)
    arm = foot.ball_joint
    arm_ahead, arm_up = arm[2] * cos - arm[1] * sin, arm[2] * sin + arm[1] * cos
    toe = foot.ball_joint - foot.tip
    rolled_over = pitch + bent(-pitch)
    toe_ahead, toe_up = _turned(toe, rolled_over)
    return foot.tip[2] + toe_ahead - arm_ahead, foot.tip[1] + toe_up - arm_up


def _turned(point: Floats, pitch: Floats) -> tuple[Floats, Floats]:
    """Ahead and up (T,) of a point of the foot that is pitched up."""
    cos, sin = np.cos(pitch), np.sin(pitch)
    return point[2] * cos - point[1] * sin, point[2] * sin + point[1] * cos


def _origin_to_ankle(foot: Foot, yaw: Floats, pitch: Floats) -> Floats:
    """(T, 3) from where the ankle of the flat foot is to where it is at pitches (T,)."""
    ball_ahead, ball_up = _roll_on_ball(foot, np.minimum(pitch, 0.0))
    heel_ahead, heel_up = _turned(foot.heel, pitch)
    on_heel = pitch >= 0.0
    ahead = np.where(on_heel, foot.heel[2] - heel_ahead, ball_ahead)
    up = np.where(on_heel, foot.heel[1] - heel_up, ball_up)
    return np.stack([ahead * np.sin(yaw), up, ahead * np.cos(yaw)], axis=1)


def _flattened(pitch: Floats, stances: _Stances) -> Floats:
    """(F,) pitches with a flat middle, C¹."""
    size = np.abs(pitch)
    u = np.clip((size - _FLAT_RAD) / _FLAT_EASE_RAD, 0.0, 1.0)
    eased = pitch * u * u * (3.0 - 2.0 * u)
    flat = np.flatnonzero(size <= _FLAT_RAD)
    inside = stances.owner[flat[1:]] == stances.owner[flat[:-1]]
    gaps = np.stack([flat[:-1], flat[1:] + 1], axis=1)[inside & (np.diff(flat) > 1)]
    for a, b in gaps[_greatest(size, gaps) < _ROCKS_RAD].tolist():
        eased[a:b] = 0.0
    return np.asarray(eased)


def _greatest(size: Floats, gaps: Ints) -> Floats:
    """(N,) the greatest within stretches (N, 2) that may share an end."""
    if len(gaps) == 0:
        return np.zeros(0)
    return maxima(size, (gaps - [0, 1]).astype(np.int32))


def bent(angle: Floats) -> Floats:
    """(T,) how far toes bend on a foot that is raised by an angle: all the way, then less."""
    room = _TOES_MOST_RAD - _TOES_FREE_RAD
    over = np.maximum(angle - _TOES_FREE_RAD, 0.0)
    if not over.any():
        return np.asarray(angle)
    return np.asarray(np.minimum(angle, _TOES_FREE_RAD) + room * np.tanh(over / room))
