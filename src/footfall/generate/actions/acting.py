"""What trunk, pelvis, head and hands do by themselves while feet, weight and hands act.

An action says where feet stand, where the weight goes and what hands take. From that follows, for
every action alike: the hip on the side of a swinging foot drops, or hikes where the foot has to go
high; the trunk bends over the foot that carries; collarbones and arms counter it; eyes look where
feet will land and hands will take; hands lag behind their arms; and nobody is quite symmetric.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from footfall.body.roles import SIDES
from footfall.generate.bodies.balancing import Hand
from footfall.generate.feet.steps import PlannedStance
from footfall.generate.sides import SIGNS
from footfall.maths.arrays import Bools, Floats
from footfall.maths.easing import cubic_spline, smoothstep, through_keys
from footfall.maths.filters import smooth_gaussian

Angles = dict[str, Floats]

_SHIFT_S = 0.085
"""How softly pelvis and trunk follow the weight, a deviation in seconds."""
_DROP_DEG, _BEND_DEG = 4.6, 3.0
"""How far the hip of a swinging leg drops, and the trunk bends over the leg that carries."""
_PLAIN, _HIGH, _HIKE, _BEND_MORE_DEG = 0.1, 0.3, 1.6, 4.4
"""A foot that goes this much higher than in plain steps, leg lengths, hikes its hip instead, and
bends the trunk further."""
_REACH_LEAN_DEG, _REACH_LIST_DEG = 5.0, 3.6
_REACH_LEAST, _REACH_UP_DEG = 0.45, 2.6
"""How far who reaches leans and lists to the side of the hand; of it, how much for near things; and
how far the hip on that side comes up for high ones."""
_REACH_COLLAR_DEG = 34.0
"""How far the collarbone comes up for what is high."""
_UNEVEN_LIST_DEG, _UNEVEN_LEAN_DEG = 2.6, 1.7
"""How far a body that goes down or up is off its middle, for want of symmetry."""
_SITS = 3.9
"""How much more so who sits down."""
_LAG_S, _LAG_MOST = 0.055, math.radians(16.0)
"""Hands lag behind their forearms by so many seconds, and by no more than this."""
_FORTH_MOST = math.radians(5.0)
"""How far collarbones go forward with their arms."""
_LOOK_S, _LOOKED_S = 0.75, 0.3
_EYES_DEG, _GAZE_MOST_DEG, _GAZE_STEPPING_DEG = 16.0, 45.5, 31.0
"""What eyes do of looking down, and what heads do at most: of those who land from a flight, and of
those who step."""
_SOONER_S, _GOES_ON_M_S = 0.26, (0.6, 1.6)
"""How much sooner who goes on after a landing looks up from it, and from which speed on until
which, m/s, more and more so."""
_EYES_UP = 0.72
"""From the centre of mass up to the eyes, leg lengths."""
_SPECIAL_M = 0.06
"""Landings this much higher or lower, or over things this high, are looked at."""
_KNOWN, _LAST = 0.45, 0.7
"""How much of it those steps are looked at that are like the ones before, and the last of them."""
_JOINS = 0.3
"""A foot that lands this near the other, leg lengths, is not looked at."""
_LEAP_S, _LEAPS_S = 0.17, 0.15
"""Who lands from a longer flight than this looks where, in full if it is longer by the second; the
steps of a run are not looked at."""
_GLANCE_DEG, _GLANCE_S = 5.5, 1.3
_ARM_MORE, _ARM_LATE_S = 0.09, 0.035
"""How much further and later one arm goes than the other."""
_PAIRED = 0.4
"""How much of that arms do which are thrown together into a leap."""
_ARM_M, _ARM_RAD_S, _ARM_FADES = 0.33, 6.4, 3.2
_ARM_SHARE, _ARM_MOST = 0.45, math.radians(14.0)
"""An arm as a pendulum: its length, how fast it swings and how soon that fades; how much of it
muscles let it, and the most."""


def act(
    angles: Angles, stances: Sequence[PlannedStance], hands: Sequence[Hand], times: Floats,
    centre: Floats, leg_m: float, seed: int, sits: bool = False, sways: float = 1.0,
) -> None:  # fmt: skip
    """Add to the angles (T,), radians, by name, what the body does by itself, in place.

    centre  (T, 3) the centre of mass
    sits    whether the body sits down: it comes down on one side first
    sways   how far the trunk bends over the foot that carries, against what is usual
    """
    rate = (len(times) - 1) / float(times[-1] - times[0])
    on = [_held(stances, side, times) for side in range(2)]
    flies = not (on[0] | on[1]).all()
    size = 0.6 if flies else 1.0
    _follow_weight(angles, stances, on, times, leg_m, rate, size, sways)
    _follow_hands(angles, hands, times, leg_m)
    _be_uneven(angles, centre, rate, leg_m, seed, _SITS if sits else 1.0)
    if not flies:
        answer_drops(angles, stances, times, leg_m)
    _look(angles, stances, times, centre, leg_m, flies)
    _glance(angles, times, seed)
    _part_ways(angles, hands, times, seed, _PAIRED if flies else 1.0)
    _swing_on(angles, hands, times, centre, rate, flies)
    _trail_hands(angles, hands, times, rate)


def _part_ways(
    angles: Angles, hands: Sequence[Hand], times: Floats, seed: int, much: float
) -> None:
    """Arms that do the same do not do it alike: one goes further, the other later, by `much`."""
    draw = np.random.default_rng([seed, 78])
    first = draw.integers(2)
    more, late = draw.uniform(0.5, 1.0, 2)
    busy = {hand.side for hand in hands}
    for n, side in enumerate(SIDES):
        if n in busy:
            continue
        size = 1.0 + much * _ARM_MORE * more * (1.0 if n == first else -1.0)
        lag = much * _ARM_LATE_S * late * (n != first)
        for part, far in (("arm", size), ("elbow", size), ("out", 1.0)):
            own = angles[f"{side}_{part}"]
            angles[f"{side}_{part}"] = own[0] + far * (np.interp(times - lag, times, own) - own[0])


def _swing_on(
    angles: Angles, hands: Sequence[Hand], times: Floats, centre: Floats, rate: float, flies: bool
) -> None:
    """Arms hang as pendulums do: they swing on when the body slows down, one more than the other,
    and the trunk a little with them; at the end all is quiet."""
    if flies:  # what arms do there is said
        return
    t = np.arange(round(1.6 * rate)) / rate
    pull = np.gradient(np.gradient(smooth_gaussian(centre[:, 2], 0.05 * rate))) * rate**2
    ring = np.exp(-_ARM_FADES * t) * np.sin(_ARM_RAD_S * t) / _ARM_RAD_S
    swing = np.convolve(-pull, ring)[: len(times)] * (_ARM_SHARE / (_ARM_M * rate))
    swing = _ARM_MOST * np.tanh(swing / _ARM_MOST)
    swing *= 1.0 - smoothstep((times - times[-1] + 0.5) / 0.45)
    loose = {side: np.ones(len(times)) for side in SIDES}
    for hand in hands:
        loose[SIDES[hand.side]] -= through_keys(hand.keys, times)
    for side, size in zip(SIDES, (1.0, 0.7), strict=True):
        hanging = np.clip(1.5 - angles[f"{side}_out"] / math.radians(30.0), 0.0, 1.0)
        own = size * np.clip(loose[side], 0.0, 1.0) * hanging * swing
        angles[f"{side}_arm"] += own
        angles[f"{side}_elbow"] += 0.5 * np.maximum(own, 0.0)
    angles["trunk"] += 0.1 * swing
    angles["twist"] -= 0.15 * swing


def _held(stances: Sequence[PlannedStance], side: int, times: Floats) -> Bools:
    """(T,) whether a foot stands."""
    held = np.zeros(len(times), np.bool_)
    for s in stances:
        if s.side == side:
            held |= (times >= s.begin_s) & (times <= s.end_s)
    return held


def _lifts(stances: Sequence[PlannedStance], times: Floats) -> Floats:
    """(T,) how high the swinging foot goes above the straight line to where it lands, metres."""
    out = np.zeros(len(times))
    for side in range(2):
        own = sorted((s for s in stances if s.side == side), key=lambda s: s.begin_s)
        for a, b in pairwise(own):
            share = np.clip((times - a.end_s) / max(b.begin_s - a.end_s, 1e-6), 0.0, 1.0)
            out = np.maximum(out, b.swing.lift_m * np.sin(math.pi * share) ** 2)
    return out


def _follow_weight(
    angles: Angles, stances: Sequence[PlannedStance], on: list[Bools], times: Floats, leg_m: float,
    rate: float, size: float, sways: float,
) -> None:  # fmt: skip
    # 1 where the left foot carries alone, -1 where the right one does.
    alone = np.where(on[0] & ~on[1], 1.0, np.where(on[1] & ~on[0], -1.0, 0.0))
    carries = size * smooth_gaussian(alone, _SHIFT_S * rate)
    high = np.clip(_lifts(stances, times) / leg_m - _PLAIN, 0.0, 1.2 * _HIGH) / _HIGH
    high = smooth_gaussian(high, 0.05 * rate)
    angles["list"] += math.radians(_DROP_DEG) * carries * (1.0 - _HIKE * high)
    bend = sways * np.radians(_BEND_DEG + _BEND_MORE_DEG * high) * carries
    angles["lean"] += bend
    for side, sign in zip(SIDES, SIGNS, strict=True):
        # The shoulder of the swinging side comes up, and its arm goes out to hold the balance.
        angles[f"{side}_collar"] -= 0.8 * sign * bend
        angles[f"{side}_out"] += np.maximum(-1.2 * sign * bend, 0.0) + 0.25 * np.abs(bend)


def _follow_hands(angles: Angles, hands: Sequence[Hand], times: Floats, leg_m: float) -> None:
    for hand in hands:
        share = through_keys(hand.keys, times)
        low = float(np.clip(1.2 - hand.at[1] / leg_m, 0.15, 1.0))
        sign = SIGNS[hand.side]
        if len(hands) == 1:
            # Near things are taken from between the knees, where the trunk stays upright.
            far = float(np.clip(hand.at[2] / (0.5 * leg_m) - 0.5, _REACH_LEAST, 1.0))
            high = float(np.clip((hand.at[1] / leg_m - 0.95) / 0.3, 0.0, 1.0))
            lists = _REACH_LIST_DEG * low * far - _REACH_UP_DEG * high
            angles["lean"] += math.radians(_REACH_LEAN_DEG) * sign * low * far * share
            angles["list"] -= math.radians(lists) * sign * share
        side = SIDES[hand.side]
        angles[f"{side}_collar"] += math.radians(_REACH_COLLAR_DEG) * max(0.5 - low, 0.0) * share
        angles[f"{side}_forth"] += math.radians(12.0 if low < 0.7 else 6.0) * share


def _be_uneven(
    angles: Angles, centre: Floats, rate: float, leg_m: float, seed: int, size: float
) -> None:
    """Who goes down or up, or bends, does it a little more on one side."""
    level = np.linspace(centre[0, 1], centre[-1, 1], len(centre))
    sunk = np.clip((level - centre[:, 1]) / (0.25 * leg_m), 0.0, 1.0)
    down = (angles["trunk"] - angles["trunk"][0]) / math.radians(45.0)
    # Bent double, there is no room left for it between chest and thighs.
    bent = np.clip(down, 0.0, 1.0) - 0.8 * np.clip(2.0 * down - 2.0, 0.0, 1.0)
    moved = smooth_gaussian(np.maximum(sunk * (size <= 1.0), bent), 0.06 * rate) * size
    draw = np.random.default_rng([seed, 76])
    side = -1.0 if draw.random() < 0.5 else 1.0
    sizes = draw.uniform(0.8, 1.2, 4)
    angles["list"] += math.radians(_UNEVEN_LIST_DEG) * side * sizes[0] * moved
    angles["lean"] -= math.radians(_UNEVEN_LEAN_DEG) * side * sizes[1] * moved
    angles["twist"] += math.radians(2.5) * side * sizes[2] * moved
    for n, name in enumerate(SIDES):
        angles[f"{name}_collar"] += math.radians(3.0) * sizes[2 + n % 2] * moved


def _look(
    angles: Angles, stances: Sequence[PlannedStance], times: Floats, centre: Floats, leg_m: float,
    flies: bool,
) -> None:  # fmt: skip
    """Heads look down to where a foot will land that has to be placed with care: in full at the
    first of them and less at the others, as they are known by then."""
    down = angles["head"].copy()
    careful = [b for a, b in _steps(stances) if _needs_care(a, b, stances, leg_m)]
    for n, b in enumerate(careful):
        begin = b.begin_s
        # Who goes on at once looks ahead again before the foot is down.
        soon = _SOONER_S * flies * _goes_on(centre, times, begin)
        share = through_keys(
            ((begin - _LOOK_S - 0.35, 0.0), (begin - 0.35 - soon, 1.0), (begin - soon, 1.0),
             (begin + _LOOKED_S - soon, 0.0)), times,
        )  # fmt: skip
        if flies:  # the shorter the flight, the less; one like the last is known
            share *= _flown(stances, b.begin_s) * (_KNOWN if n else 1.0)
        elif n:
            share *= _KNOWN if n < len(careful) - 1 else _LAST
        far = np.hypot(b.x - centre[:, 0], b.z + 0.1 * leg_m - centre[:, 2])
        high = centre[:, 1] + _EYES_UP * leg_m - b.y
        steep = np.arctan2(high, np.maximum(far, 0.3 * leg_m)) - math.radians(_EYES_DEG)
        steep = np.minimum(steep, math.radians(_GAZE_MOST_DEG if flies else _GAZE_STEPPING_DEG))
        down = np.maximum(down, angles["head"] + share * (steep - angles["head"]))
    rate = (len(times) - 1) / float(times[-1] - times[0])
    angles["head"] = smooth_gaussian(down, 0.07 * rate)


def _goes_on(centre: Floats, times: Floats, land_s: float) -> float:
    """How much, 0 to 1, a body goes on after a landing instead of coming to rest."""
    after = np.interp([land_s + 0.2, land_s + 0.5], times, centre[:, 2])
    return float(np.interp(np.diff(after)[0] / 0.3, _GOES_ON_M_S, (0.0, 1.0)))


def _steps(stances: Sequence[PlannedStance]) -> list[tuple[PlannedStance, PlannedStance]]:
    """From where to where feet step, in order of their landings."""
    found = []
    for side in range(2):
        own = sorted((s for s in stances if s.side == side), key=lambda s: s.begin_s)
        found += list(pairwise(own))
    return sorted(found, key=lambda step: step[1].begin_s)


def _needs_care(
    a: PlannedStance, b: PlannedStance, stances: Sequence[PlannedStance], leg_m: float
) -> bool:
    """Whether a step goes up, down or over something, or ends a leap."""
    other = [s for s in stances if s.side != b.side and s.begin_s < b.begin_s <= s.end_s]
    if any(math.hypot(s.x - b.x, s.y - b.y, s.z - b.z) < _JOINS * leg_m for s in other):
        return False
    special = abs(b.y - a.y) > _SPECIAL_M or b.swing.lift_m > 0.14 * leg_m
    return special or _flight_s(stances, b.begin_s) > _LEAP_S


def _flown(stances: Sequence[PlannedStance], land_s: float) -> float:
    """How much, 0 to 1, a landing is looked at for the flight before it."""
    return float(np.clip((_flight_s(stances, land_s) - _LEAP_S) / _LEAPS_S, 0.0, 1.0))


def _flight_s(stances: Sequence[PlannedStance], land_s: float) -> float:
    """How long nothing has stood when a foot lands."""
    if any(s.begin_s < land_s - 0.05 and s.end_s >= land_s - 1e-6 for s in stances):
        return 0.0
    return land_s - max((s.end_s for s in stances if s.end_s < land_s), default=land_s)


def _glance(angles: Angles, times: Floats, seed: int) -> None:
    """Heads turn a little now and then, and nod."""
    draw = np.random.default_rng([seed, 77])
    knots = np.arange(times[0] - _GLANCE_S, times[-1] + 2.0 * _GLANCE_S, _GLANCE_S)
    turns = np.clip(draw.normal(0.0, 1.0, (len(knots), 2)), -1.8, 1.8)
    curves = cubic_spline(knots, turns, times)
    angles["look"] += math.radians(_GLANCE_DEG) * curves[:, 0]
    angles["head"] += math.radians(0.35 * _GLANCE_DEG) * curves[:, 1]


def _trail_hands(angles: Angles, hands: Sequence[Hand], times: Floats, rate: float) -> None:
    """Hands that hold nothing hang loosely: they lag behind what their forearms do."""
    loose = {side: np.ones(len(times)) for side in SIDES}
    for hand in hands:
        loose[SIDES[hand.side]] -= through_keys(hand.keys, times)
    for side in SIDES:
        swing = angles[f"{side}_arm"] + angles[f"{side}_elbow"]
        speed = smooth_gaussian(np.gradient(swing) * rate, 0.04 * rate)
        lag = _LAG_MOST * np.tanh(_LAG_S * speed / _LAG_MOST)
        angles[f"{side}_wrist"] -= np.clip(loose[side], 0.0, 1.0) * lag
        forth = 0.16 * (angles[f"{side}_arm"] - angles[f"{side}_arm"][0])
        angles[f"{side}_forth"] += _FORTH_MOST * np.tanh(forth / _FORTH_MOST)


# What trunk, head and arms do when a foot lands lower than the other stood: they go on down for a
# moment, and come back.

_DROP, _FULL, _POWER, _MOST = 0.06, 0.36, 2.0, 1.2
"""A foot that lands this much lower, leg lengths, is answered; from which drop on in full, and how
many times that at most."""
_GIVES_S, _ARMS_LATE_S, _HEAD_LATE_S = 0.19, 0.06, 0.05
"""How soon after landing a trunk gives most, and how much later arms and head do."""
_TRUNK_DEG, _NOD_DEG, _LEAN_DEG = 11.0, 6.0, 2.0
"""How far the trunk bends, the head nods and the trunk lists to the foot that lands."""
_OUT_DEG, _ELBOW_DEG, _COLLAR_DEG = 11.0, 17.0, 5.0
"""How far arms go out and bend, and shoulders drop."""


def answer_drops(
    angles: dict[str, Floats], stances: Sequence[PlannedStance], times: Floats, leg_m: float
) -> None:
    """Let the angles (T,), radians, answer landings from something higher, in place."""
    for landed in stances:
        drop = (_level_before(stances, landed) - landed.y) / leg_m
        if drop < _DROP:
            continue
        size = math.radians(1.0) * min((drop / _FULL) ** _POWER, _MOST)
        body, arms, head = (
            size * _give(times - landed.begin_s - late)
            for late in (0.0, _ARMS_LATE_S, _HEAD_LATE_S)
        )
        angles["trunk"] += _TRUNK_DEG * body
        angles["head"] += _NOD_DEG * head
        angles["lean"] += _LEAN_DEG * SIGNS[landed.side] * body
        for n, side in enumerate(SIDES):
            own = arms if n == landed.side else 0.75 * arms
            angles[f"{side}_out"] += _OUT_DEG * own
            angles[f"{side}_elbow"] += _ELBOW_DEG * own
            angles[f"{side}_collar"] -= _COLLAR_DEG * body


def _level_before(stances: Sequence[PlannedStance], landed: PlannedStance) -> float:
    """How high the other foot stands when one lands."""
    others = (
        s.y
        for s in stances
        if s.side != landed.side and s.begin_s < landed.begin_s <= s.end_s + 0.1
    )
    return next(others, landed.y)


def _give(since_s: Floats) -> Floats:
    """(T,) how much of it is there some seconds after: 1 at most, and soon no more."""
    share = np.maximum(since_s / _GIVES_S, 0.0)
    return np.asarray((share * np.exp(1.0 - share)) ** 2)
