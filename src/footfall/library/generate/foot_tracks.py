"""Feet that stay exactly where they stand: tracks of ankle, foot and toes from stance to stance.

A stance rolls over the heel, flat, over the ball and over the tip of the toes; the point that
carries never moves. In between the foot swings as the given motion has it, with a correction
that travels smoothly (C¹) from one stance to the next.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.ndimage import gaussian_filter1d

from footfall.adapt.holds import Foot
from footfall.gait.runs import runs
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats

_FLAT_RAD, _FLAT_EASE_RAD = np.radians(3.0), np.radians(8.0)
"""A standing foot pitched less than this is flat; within the next so much it eases out of it."""
_ROCKS_RAD = np.radians(14.0)
"""Between two flat moments of one stance a foot that pitches less than this stays flat."""
_TOES_FREE_RAD, _TOES_MOST_RAD = np.radians(68.0), np.radians(75.0)
"""Toes bend freely up to the first angle and never beyond the second; then they roll off."""
_STEEPEST_RAD = np.radians(85.0)
_HEEL_FREE_RAD = np.radians([2.0, -5.0])
"""Between these pitches of the wished foot it passes to the leg to say how far its heel rises."""
_HEEL_SMOOTH_S = 0.022
_MORE_LIFT = 0.9
_QUICK_S = (0.16, 0.06)
"""How long after leaving and before landing a foot's speed is told by its stance."""
_X, _Z = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class FootTrack:
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


@dataclass(frozen=True, eq=False)
class Leg:
    """Where the hip is (T, 3), how far from it the ankle is to be (T,), metres; frame rate."""

    hip: Floats
    length: Floats
    rate: float


def foot_track(
    foot: Foot, wished: FootTrack, held: Bools, weight: Floats, clearance_m: Floats, rate: float,
    leg: Leg | None = None, swings: bool = True,
) -> FootTrack:  # fmt: skip
    """The track nearest to a wished one that stands still while `held` (T,).

    weight       (T,) how much each frame has to say in where the foot stands
    clearance_m  (T,) how high the sole is to pass over the ground in mid-swing
    rate         frames per second
    leg          if given, heels rise as far as the leg above them asks for
    swings       whether swings are wanted too, or stances are enough
    """
    quick = (max(round(_QUICK_S[0] * rate), 2), max(round(_QUICK_S[1] * rate), 2))
    spans = runs(held)
    stands = [
        _standing(foot, wished, slice(int(first), int(stop)), weight, leg) for first, stop in spans
    ]
    ankle, turned = wished.ankle.copy(), wished.turned.copy()
    toes = wished.toes_up.copy()
    heel_on, toe_on = np.zeros(len(held), np.bool_), np.zeros(len(held), np.bool_)
    for (first, stop), stand in zip(spans, stands, strict=True):
        span = slice(int(first), int(stop))
        ankle[span], turned[span], toes[span] = stand.ankle, stand.turned, stand.toes_up
        heel_on[span], toe_on[span] = stand.heel_on, stand.toe_on
    for first, stop in runs(~held) if swings else ():
        _swing(wished, ankle, turned, toes, int(first), int(stop), quick)
        _clear(foot, ankle, turned, toes, clearance_m, int(first), int(stop), len(held))
    return FootTrack(ankle, turned, toes, heel_on, toe_on)


def sole_points(foot: Foot, ankle: Floats, turned: Floats, toes_up: Floats) -> Floats:
    """(T, 3, 3) heel, ball and tip of the sole in the world."""
    toes = quat.multiply(turned, quat.from_axis_angle(_X, -toes_up))
    joint = ankle + quat.rotate(turned, foot.ball_joint)
    return np.stack(
        [
            ankle + quat.rotate(turned, foot.heel),
            joint + quat.rotate(toes, foot.ball - foot.ball_joint),
            joint + quat.rotate(toes, foot.tip - foot.ball_joint),
        ],
        axis=1,
    )


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
    return ankle, turned, _bent(-np.minimum(pitch, 0.0))


def _standing(
    foot: Foot, wished: FootTrack, span: slice, weight: Floats, leg: Leg | None
) -> FootTrack:
    """One stance, rolling over points that stay put."""
    turned, ankle = wished.turned[span], wished.ankle[span]
    count = len(ankle)
    share = weight[span] * np.sin(np.pi * (np.arange(count) + 0.5) / count)
    ahead = quat.rotate(turned, _Z)
    heading = (ahead[:, [0, 2]] * share[:, None]).sum(axis=0)
    yaw = float(np.arctan2(heading[0], heading[1]))
    forward = np.array([np.sin(yaw), 0.0, np.cos(yaw)])
    wished_pitch = np.arctan2(ahead[:, 1], ahead @ forward)
    origins = ankle - _origin_to_ankle(foot, np.array(yaw), wished_pitch)
    origin = (origins * share[:, None]).sum(axis=0) / share.sum()
    origin[1] = -foot.heel[1]
    pitch = _flattened(wished_pitch)
    if leg is not None:
        raised = _raised(foot, forward, leg.hip[span] - origin, leg.length[span])
        pitch = _with_raised(pitch, wished_pitch, raised, leg.rate)
    # Rolling over the tip of the toes, the ball has left: nothing stays put by which others know.
    on_ball = (pitch <= 0.0) & (pitch >= -_TOES_FREE_RAD)
    return FootTrack(*pitched(foot, origin, np.array(yaw), pitch), pitch >= 0.0, on_ball)


def _raised(foot: Foot, forward: Floats, hip: Floats, length: Floats) -> Floats:
    """(T,) pitches of a foot on its ball that bring the ankle to a distance from the hip.

    hip  (T, 3) from where the ankle of the flat foot is
    """
    ahead, up = hip @ forward, hip[:, 1]
    aside = np.einsum("ti,ti->t", hip, hip) - ahead**2 - up**2
    low, high = np.full(len(hip), -_STEEPEST_RAD), np.zeros(len(hip))
    for _ in range(18):
        middle = 0.5 * (low + high)
        ankle_ahead, ankle_up = _roll(foot, middle)
        too_far = (ankle_ahead - ahead) ** 2 + (ankle_up - up) ** 2 + aside > length**2
        low, high = np.where(too_far, low, middle), np.where(too_far, middle, high)
    return np.asarray(0.5 * (low + high))


def _with_raised(pitch: Floats, wished: Floats, raised: Floats, rate: float) -> Floats:
    """(T,) pitches with heels that rise in the second part of a stance as far as legs ask for."""
    u = np.clip((_HEEL_FREE_RAD[0] - wished) / (_HEEL_FREE_RAD[0] - _HEEL_FREE_RAD[1]), 0.0, 1.0)
    share = np.maximum.accumulate(np.where(np.arange(len(u)) * 5 < 2 * len(u), 0.0, u))
    mixed = np.minimum(pitch, 0.0) * (1.0 - share) + raised * share
    # Past its end the roll goes on as it came: the foot must not slow down as it leaves.
    on = np.concatenate([mixed, 2.0 * mixed[-1] - mixed[-2::-1]])
    mixed = gaussian_filter1d(on, _HEEL_SMOOTH_S * rate, mode="nearest")[: len(pitch)]
    size = np.abs(mixed)
    u = np.clip((size - 0.3 * _FLAT_RAD) / _FLAT_RAD, 0.0, 1.0)
    return np.where(pitch > 0.0, pitch, mixed * u * u * (3.0 - 2.0 * u))


def _roll(foot: Foot, pitch: Floats) -> tuple[Floats, Floats]:
    """How far ahead and up (T,) the ankle is from where that of the flat foot is, at pitches."""
    raised = np.minimum(pitch, 0.0)
    rolled = raised + _bent(-raised)
    ahead, up = _turned(foot.heel, pitch)
    joint_ahead, joint_up = _turned(foot.ball_joint - foot.tip, rolled)
    arm_ahead, arm_up = _turned(foot.ball_joint, pitch)
    on_heel = pitch >= 0.0
    return (
        np.where(on_heel, foot.heel[2] - ahead, foot.tip[2] + joint_ahead - arm_ahead),
        np.where(on_heel, foot.heel[1] - up, foot.tip[1] + joint_up - arm_up),
    )


def _turned(point: Floats, pitch: Floats) -> tuple[Floats, Floats]:
    """Ahead and up (T,) of a point of the foot that is pitched up."""
    cos, sin = np.cos(pitch), np.sin(pitch)
    return point[2] * cos - point[1] * sin, point[2] * sin + point[1] * cos


def _origin_to_ankle(foot: Foot, yaw: Floats, pitch: Floats) -> Floats:
    """(T, 3) from where the ankle of the flat foot is to where it is at pitches (T,)."""
    ahead, up = _roll(foot, pitch)
    return np.stack([ahead * np.sin(yaw), up, ahead * np.cos(yaw)], axis=1)


def _flattened(pitch: Floats) -> Floats:
    """(T,) pitches with a flat middle, C¹."""
    size = np.abs(pitch)
    u = np.clip((size - _FLAT_RAD) / _FLAT_EASE_RAD, 0.0, 1.0)
    eased = pitch * u * u * (3.0 - 2.0 * u)
    flat = np.flatnonzero(size <= _FLAT_RAD)
    for a, b in pairwise(flat.tolist()):
        if size[a : b + 1].max() < _ROCKS_RAD:
            eased[a : b + 1] = 0.0
    return np.asarray(eased)


def _bent(angle: Floats) -> Floats:
    """(T,) how far toes bend on a foot that is raised by an angle: all the way, then less."""
    room = _TOES_MOST_RAD - _TOES_FREE_RAD
    over = np.maximum(angle - _TOES_FREE_RAD, 0.0)
    return np.asarray(np.minimum(angle, _TOES_FREE_RAD) + room * np.tanh(over / room))


def _swing(
    wished: FootTrack, ankle: Floats, turned: Floats, toes: Floats, first: int, stop: int,
    quick: tuple[int, int],
) -> None:  # fmt: skip
    """Carry the corrections of the stances before and after through frames [first, stop)."""
    frames = len(ankle)
    before = None if first == 0 else (first - 1, max(first - 2, 0))
    after = None if stop == frames else (stop, min(stop + 1, frames - 1))
    turn = [None if ends is None else _turn_off(wished, turned, ends) for ends in (before, after)]
    move = [None if ends is None else ankle[list(ends)] - wished.ankle[list(ends)]
            for ends in (before, after)]  # fmt: skip
    bend = [None if ends is None else (toes[list(ends)] - wished.toes_up[list(ends)])[:, None]
            for ends in (before, after)]  # fmt: skip
    span = slice(first, stop)
    count = stop - first
    ankle[span] = wished.ankle[span] + _hermite(move[0], move[1], count, quick)
    twist = quat.from_rotation_vector(_hermite(turn[0], turn[1], count, quick))
    turned[span] = quat.normalise(quat.multiply(twist, wished.turned[span]))
    toes[span] = _bent(wished.toes_up[span] + _hermite(bend[0], bend[1], count, quick)[:, 0])


def _turn_off(wished: FootTrack, turned: Floats, ends: tuple[int, int]) -> Floats:
    """(2, 3) rotation vectors from the wished orientations to those that were made."""
    frames = list(ends)
    return quat.to_rotation_vector(
        quat.multiply(turned[frames], quat.conjugate(wished.turned[frames]))
    )


def _hermite(
    before: Floats | None, after: Floats | None, count: int, quick: tuple[int, int]
) -> Floats:
    """(count, D) values between two ends, each given by itself and its inner neighbour (2, D).

    Values go over slowly, quintic; what the speeds differ by is gone `quick` frames after the
    one end and comes as many before the other. Where an end is missing the other's value holds.
    """
    if before is None:
        before = np.zeros((2, 1)) if after is None else after[[0, 0]]
    if after is None:
        after = before[[0, 0]]
    span = count + 1
    frames = np.arange(1, span)[:, None]
    u = frames / span
    soon, late = min(span, quick[0]), min(span, quick[1])
    leaving, coming = (before[0] - before[1]) * soon, (after[0] - after[1]) * late
    step = u**3 * (10.0 - 15.0 * u + 6.0 * u**2)
    out, back = _slope(frames / soon), _slope((span - frames) / late)
    return np.asarray(before[0] + (after[0] - before[0]) * step + leaving * out + coming * back)


def _slope(u: Floats) -> Floats:
    """The quintic that begins with slope 1 and ends at 1, and is 0 with no curvature at both."""
    u = np.minimum(u, 1.0)
    return np.asarray(u - u**3 * (6.0 - 8.0 * u + 3.0 * u**2))


def _clear(
    foot: Foot, ankle: Floats, turned: Floats, toes: Floats, wanted: Floats,
    first: int, stop: int, frames: int,
) -> None:  # fmt: skip
    """Lift a swing so that the sole passes over the ground."""
    span = slice(first, stop)
    u = (np.arange(first, stop) - (first - 1.0)) / (stop - first + 1.0)
    bump = np.sin(np.pi * u) ** 2
    if first == 0 or stop == frames:
        bump = np.ones_like(u)
    if first > 0 and stop < frames:
        # Mean curves lift the foot less than anybody does.
        ankle[span, 1] += _MORE_LIFT * wanted[span] * np.sin(np.pi * u**0.6) ** 2
    for target in (wanted[span], np.zeros(stop - first)):
        lowest = sole_points(foot, ankle[span], turned[span], toes[span])[..., 1].min(axis=1)
        short = np.maximum(target * bump - lowest, 0.0)
        middle = bump > 0.3
        need = float(np.max(short[middle] / bump[middle], initial=0.0))
        ankle[span, 1] += need * bump
    lowest = sole_points(foot, ankle[span], turned[span], toes[span])[..., 1].min(axis=1)
    ankle[span, 1] += np.maximum(-lowest, 0.0)
