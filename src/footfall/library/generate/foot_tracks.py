"""Feet that stay exactly where they stand: tracks of ankle, foot and toes from stance to stance.

A stance rolls over the heel, flat, over the ball and over the tip of the toes; the point that
carries never moves. In between the foot swings as the given motion has it, with a correction
that travels smoothly (C¹) from one stance to the next.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.adapt.holds import Foot
from footfall.gait.runs import runs
from footfall.library.generate.gait.rolling import Leg, bent, rolled
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats

_MORE_LIFT = 0.9
_QUICK_S, _QUICK_TURN_S = (0.16, 0.06), (0.05, 0.06)
"""How long after leaving and before landing a foot's speed, and its turning, are told by its
stance."""
_SOON = 0.4
"""Within this share of a swing a foot turns as it wants to again."""
_X = np.array([1.0, 0.0, 0.0])


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


def standing_track(
    foot: Foot, wished: FootTrack, held: Bools, weight: Floats, leg: Leg | None = None
) -> FootTrack:
    """The track nearest to a wished one that stands still while `held` (T,).

    weight  (T,) how much each frame has to say in where the foot stands
    leg     if given, heels rise as far as the leg above them asks for
    """
    ankle, turned = wished.ankle.copy(), wished.turned.copy()
    toes = wished.toes_up.copy()
    heel_on, toe_on = np.zeros(len(held), np.bool_), np.zeros(len(held), np.bool_)
    rolls = rolled(foot, ankle, turned, held, weight, leg)
    at = rolls.frames
    ankle[at], turned[at], toes[at] = rolls.ankle, rolls.turned, rolls.toes_up
    heel_on[at], toe_on[at] = rolls.heel_on, rolls.toe_on
    return FootTrack(ankle, turned, toes, heel_on, toe_on)


def with_swings(
    foot: Foot, stands: FootTrack, wished: FootTrack, held: Bools, clearance_m: Floats, rate: float
) -> FootTrack:
    """A track that stands while `held` (T,), with swings from each stance to the next.

    clearance_m  (T,) how high the sole is to pass over the ground in mid-swing
    rate         frames per second
    """
    quick = [
        (max(round(out * rate), 2), max(round(back * rate), 2))
        for out, back in (_QUICK_S, _QUICK_TURN_S)
    ]
    ankle, turned, toes = stands.ankle.copy(), stands.turned.copy(), stands.toes_up.copy()
    for first, stop in runs(~held):
        _swing(wished, ankle, turned, toes, int(first), int(stop), quick)
        _clear(foot, ankle, turned, toes, clearance_m, int(first), int(stop), len(held))
    return FootTrack(ankle, turned, toes, stands.heel_on, stands.toe_on)


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


def _swing(
    wished: FootTrack, ankle: Floats, turned: Floats, toes: Floats, first: int, stop: int,
    quick: list[tuple[int, int]],
) -> None:  # fmt: skip
    """Carry the corrections of the stances before and after through frames [first, stop).

    quick  frames in which the speeds at both ends pass, of places and of turns
    """
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
    ankle[span] = wished.ankle[span] + _hermite(move[0], move[1], count, quick[0], 1.0)
    twist = quat.from_rotation_vector(_hermite(turn[0], turn[1], count, quick[1], _SOON))
    turned[span] = quat.normalise(quat.multiply(twist, wished.turned[span]))
    toes[span] = bent(
        wished.toes_up[span] + _hermite(bend[0], bend[1], count, quick[1], _SOON)[:, 0]
    )


def _turn_off(wished: FootTrack, turned: Floats, ends: tuple[int, int]) -> Floats:
    """(2, 3) rotation vectors from the wished orientations to those that were made."""
    frames = list(ends)
    return quat.to_rotation_vector(
        quat.multiply(turned[frames], quat.conjugate(wished.turned[frames]))
    )


def _hermite(
    before: Floats | None, after: Floats | None, count: int, quick: tuple[int, int], within: float
) -> Floats:
    """(count, D) values between two ends, each given by itself and its inner neighbour (2, D).

    Values go, quintic, within a share of the way from the one end and come in as much before the
    other; what the speeds differ by is gone `quick` frames after the one end and comes as many
    before the other. Where an end is missing the other's value holds.
    """
    if before is None or after is None:
        within = 1.0
    if before is None:
        before = np.zeros((2, 1)) if after is None else after[[0, 0]]
    if after is None:
        after = before[[0, 0]]
    span = count + 1
    frames = np.arange(1, span)[:, None]
    u = frames / span
    soon, late = min(span, quick[0]), min(span, quick[1])
    leaving, coming = (before[0] - before[1]) * soon, (after[0] - after[1]) * late
    gone, come = _quintic(u / within), _quintic((u - 1.0 + within) / within)
    out, back = _slope(frames / soon), _slope((span - frames) / late)
    return np.asarray(before[0] * (1.0 - gone) + after[0] * come + leaving * out + coming * back)


def _quintic(u: Floats) -> Floats:
    """From 0 to 1 over 0 to 1, with no slope and no curvature at both."""
    u = np.clip(u, 0.0, 1.0)
    return np.asarray(u**3 * (10.0 - 15.0 * u + 6.0 * u**2))


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
    lowest = sole_points(foot, ankle[span], turned[span], toes[span])[..., 1].min(axis=1)
    lift = np.zeros(stop - first)
    if first > 0 and stop < frames:
        # Mean curves lift the foot less than anybody does.
        lift += _MORE_LIFT * wanted[span] * np.sin(np.pi * u**0.6) ** 2
    middle = bump > 0.3
    for target in (wanted[span], np.zeros(stop - first)):
        short = np.maximum(target * bump - lowest - lift, 0.0)
        lift += float(np.max(short[middle] / bump[middle], initial=0.0)) * bump
    ankle[span, 1] += lift + np.maximum(-lowest - lift, 0.0)
