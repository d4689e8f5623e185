"""Where and when feet step about from standing: aside, round on the spot, and in idling.

No two steps are alike: lengths, times and where feet point differ by seed; where it all ends does
not, so that it ends as it began.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from footfall.generate.feet.foot_path import FootPath
from footfall.generate.feet.steps import PlannedStance, Swing
from footfall.generate.feet.uneven import stand_unevenly
from footfall.generate.feet.walking_steps import Move, feet_together
from footfall.generate.performer import Performer
from footfall.generate.sides import SIGNS
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats
from footfall.maths.runs import runs

SPREAD = 0.105
"""Half the distance between standing feet, leg lengths."""
_TOE_OUT_DEG = 7.0
_ROLL_S, _ROLL_DEG, _SWING_DEG = 0.16, 14.0, 14.0
"""How long before it leaves a foot rolls up on its ball, how far, and how far in the air."""
_PUSH_S, _PUSH_DEG = 0.22, 25.0
"""The same of a foot that pushes the body aside."""
_BALL_DEG, _BALL_CLOSES_DEG = -6.0, -8.0
"""How far toes are down as the foot that opens lands, and the one that closes: on their balls."""
_OPENS_DEG = 4.0
"""How much further out the foot points that opens aside."""
_LENGTH_SD, _TIME_SD, _BOTH_SD, _POINTS_SD_DEG, _AHEAD_SD = 0.08, 0.06, 0.16, 2.0, 0.011
"""How much steps differ: lengths and times as shares, how long both feet stand, degrees by which
feet point otherwise, and leg lengths by which they are put further ahead. Standard deviations."""
_MOST_SD = 1.6
"""No step is further off than so many standard deviations."""
_LONGEST = 0.9
"""The longest step aside, leg lengths."""
_OPEN = 0.12
"""How much further apart, as a share, feet stay that do not close for the last time."""
_DRIFT = 0.16
"""How far people end up from where they began to turn on the spot, leg lengths."""
_WIDER = 0.55
"""How much further apart feet stand, as a share, per radian that they point apart."""
_TURN_LIFT = 0.01
"""How high feet go that turn on the spot, leg lengths, besides what they kick."""
_TWISTED_S, _SHY_DEG = 0.14, 3.0
"""How long at most both feet stand that point as far apart as hips let them, and how much less than
the body turns the first of them does."""
_TURN_STRIKE_DEG = 4.0
"""How far the toes are up as a foot that opens in a turn lands, and down as one closes."""
_TURN_TURNS = 1.05
"""How much sooner than its way the turn of a foot that opens is done."""
_TURN_CLOSES_DEG = 6.0
"""How far a foot that closes in a turn rolls up on its ball, and in the air: it goes low."""
_SHUFFLE_S, _SHUFFLE_LIFT = 0.3, 0.025
"""How long a small step of who idles takes, and how high it goes, leg lengths."""
_SHUFFLE_DEG = 6.0
"""How far at most feet point elsewhere afterwards."""
_TILTS, _SOLE_M = 0.7, 0.04
"""How much of the tilt of its leg a swinging foot has, and half the breadth of a sole."""


def home(who: Performer) -> tuple[PlannedStance, PlannedStance]:
    """Where the feet stand at first, and against the body at last."""
    feet = feet_together(2.0 * SPREAD * who.leg_m, _TOE_OUT_DEG)
    left, right = stand_unevenly(feet, who.leg_m, who.style.ahead)
    return left, right


class _Uneven:
    """By how much things differ from one step to the next, drawn from a seed."""

    def __init__(self, seed: int, size: float = 1.0) -> None:
        self._draw, self._size = np.random.default_rng([seed, 17]), size

    def off(self, deviation: float) -> float:
        """By how much this one is off."""
        off = float(np.clip(self._draw.normal(), -_MOST_SD, _MOST_SD))
        return self._size * deviation * off

    def factor(self, deviation: float) -> float:
        """By which factor this one is larger."""
        return math.exp(self.off(deviation))


def _step(stance: PlannedStance, lift_m: float, swing_s: float, both_s: float) -> Move:
    """A step to where a foot is to stand."""
    return Move(
        stance.side, stance.x, stance.z, swing_s=swing_s, both_s=both_s, strike_deg=0.0,
        yaw_deg=stance.yaw_deg, leave_deg=_ROLL_DEG, leave_s=_ROLL_S,
        swing=Swing(lift_m=lift_m, peak=0.5, pitches=((0.25, -_SWING_DEG),)),
    )  # fmt: skip


def steps_aside(who: Performer, lead: int, steps: int, length_m: float, seed: int) -> list[Move]:
    """The foot `lead` opens to its side and the other closes, so many times, by unlike lengths
    whose mean is `length_m`."""
    sign, feet, leg_m = SIGNS[lead], home(who), who.leg_m
    relative = length_m / leg_m
    swings = (0.232 + 0.352 * relative, 0.216 + 0.251 * relative)
    lift = (0.02 * relative - 0.006) * leg_m
    room = float(np.clip((_LONGEST * leg_m - length_m) / (0.2 * length_m), 0.0, 1.0))
    uneven, own = _Uneven(seed), _Uneven(seed + 1, room)
    parts = np.array([own.factor(_LENGTH_SD) for _ in range(steps)])
    ends = sign * length_m * steps * np.cumsum(parts) / parts.sum()
    moves = []
    for k, end in enumerate(ends.tolist()):
        for foot, swing_s in ((lead, swings[0]), (1 - lead, swings[1])):
            stance = replace(feet[foot], x=feet[foot].x + end)
            opens, last = foot == lead, k == steps - 1
            if not last:
                points = uneven.off(_POINTS_SD_DEG) + (_OPENS_DEG if opens else 0.0)
                stance = replace(
                    stance,
                    x=stance.x + (0.0 if opens else -sign * _OPEN * 2.0 * SPREAD * leg_m),
                    z=stance.z + uneven.off(_AHEAD_SD) * leg_m,
                    yaw_deg=stance.yaw_deg + SIGNS[foot] * points,
                )
            quick = _part_time(float(parts[k]))
            move = _step(stance, lift, swing_s * quick * uneven.factor(_TIME_SD),
                         0.13 * uneven.factor(_BOTH_SD))  # fmt: skip
            moves.append(_on_the_ball(move, opens))
    return moves


def _part_time(part: float) -> float:
    """How much longer a step takes that is longer by a factor."""
    return math.pow(part, 0.4)


def _on_the_ball(move: Move, opens: bool) -> Move:
    """A step aside: the foot that opens lands on its ball, and the other has pushed off it."""
    if opens:
        return replace(move, strike_deg=_BALL_DEG)
    swing = replace(move.swing, pitches=((0.25, -_PUSH_DEG), (0.7, -_SWING_DEG)))
    return replace(
        move, strike_deg=_BALL_CLOSES_DEG, leave_deg=_PUSH_DEG, leave_s=_PUSH_S, swing=swing
    )


def steps_round(who: Performer, angle_deg: float, count: int, foot: int, seed: int) -> list[Move]:
    """So many steps round on the spot, the first with a foot; positive angles go to the left."""
    feet, leg_m, uneven = home(who), who.leg_m, _Uneven(seed)
    swing_s = 0.27 if abs(angle_deg) < 60.0 else 0.34
    moves, yaws = [], [0.0, 0.0]
    for k in range(count):
        share = min(1.0, (k + 1.0) / (count - 1.0))
        if 0 < k < count - 2:
            share += uneven.off(0.25 * _LENGTH_SD)
        yaw = math.radians(angle_deg) * share
        yaws[foot] = yaw
        # Feet that point apart stand further apart, too.
        wide = 1.0 + _WIDER * abs(yaws[0] - yaws[1])
        out, along = wide * feet[foot].x, feet[foot].z
        drift, ahead = min(share, 1.0) * _DRIFT * leg_m, 0.5 * math.radians(angle_deg)
        stance = replace(
            feet[foot],
            x=out * math.cos(yaw) + along * math.sin(yaw) + drift * math.sin(ahead),
            z=along * math.cos(yaw) - out * math.sin(yaw) + drift * math.cos(ahead),
            yaw_deg=feet[foot].yaw_deg + math.degrees(yaw),
        )
        if count == 2 and k == 0:
            stance = replace(stance, yaw_deg=stance.yaw_deg - math.copysign(_SHY_DEG, angle_deg))
        both_s = 0.17 * uneven.factor(_BOTH_SD)
        if count == 2:
            both_s = min(both_s, _TWISTED_S)
        quick = uneven.factor(_TIME_SD)
        move = _step(stance, _TURN_LIFT * leg_m, swing_s * quick, both_s)
        moves.append(_round(move, SIGNS[foot] * angle_deg > 0.0))
        foot = 1 - foot
    return moves


def _round(move: Move, opens: bool) -> Move:
    """A step of a turn on the spot: the foot that opens turns as it goes, the other goes low."""
    if opens:
        swing = replace(move.swing, turns=_TURN_TURNS)
        return replace(move, strike_deg=_TURN_STRIKE_DEG, swing=swing)
    swing = replace(move.swing, lift_m=0.0, pitches=((0.25, -_TURN_CLOSES_DEG),))
    return replace(move, strike_deg=-_TURN_STRIKE_DEG, leave_deg=_TURN_CLOSES_DEG, swing=swing)


def small_steps(who: Performer, between_s: float, seed: int) -> list[Move]:
    """A small step of one foot, and later the same of the other."""
    draw, leg_m, feet = np.random.default_rng([seed, 9]), who.leg_m, home(who)
    foot = int(draw.integers(2))
    aside, ahead = SIGNS[foot] * draw.uniform(0.07, 0.1), draw.uniform(0.05, 0.09)
    points = _SHUFFLE_DEG * draw.uniform(-1.0, 1.0, 2)
    return [
        _step(
            replace(feet[n], x=feet[n].x + aside * leg_m, z=feet[n].z + ahead * leg_m,
                    yaw_deg=feet[n].yaw_deg + float(points[n])),
            _SHUFFLE_LIFT * leg_m, _SHUFFLE_S, between_s * who.tempo,
        )
        for n in (foot, 1 - foot)
    ]  # fmt: skip


def small_step_s(who: Performer) -> float:
    """How long a small step of who idles takes."""
    return _SHUFFLE_S / who.tempo


def tilt_with_legs(path: FootPath, hip: Floats, leg_m: float) -> FootPath:
    """The path with soles in the air that tilt as their legs do, for hips (T, 2) at x and z."""
    tilt, raised = np.zeros(len(hip)), np.zeros(len(hip))
    across = quat.rotate(path.turned, np.array([1.0, 0.0, 0.0]))[:, [0, 2]]
    out = ((path.ankle[:, [0, 2]] - hip) * across).sum(axis=1)
    for first, stop in runs(~path.held).tolist():
        share = (np.arange(stop - first) + 1.0) / (stop - first + 1.0)
        lean = np.arctan(out[first:stop] / leg_m)
        tilt[first:stop] = _TILTS * np.sin(np.pi * share) ** 2 * lean
        raised[first:stop] = _SOLE_M * np.abs(np.sin(tilt[first:stop]))
    turned = quat.multiply(path.turned, quat.about_axis(2, tilt))
    ankle = path.ankle + raised[:, None] * [0.0, 1.0, 0.0]
    return replace(path, ankle=ankle, turned=turned)
