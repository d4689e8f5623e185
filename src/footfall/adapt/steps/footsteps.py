"""Footsteps: which foot steps where and when, from one stand to another.

Feet alternate; each lands where it would stand if the body were some way along between the two
stands, the last two where they stand in the end. Steps are short enough for a leg and for a hip:
in a turn the inner foot opens wide and the outer one follows by less, so that feet never cross.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from footfall.body.posture import segment_distances
from footfall.maths import planar
from footfall.maths.arrays import Floats

AHEAD, ASIDE, BACK = 0.62, 0.4, 0.35
"""The longest strides by direction, leg lengths."""
OPEN = math.radians(70.0)
"""How far a foot is turned against the other at most."""
LEAD_S, SETTLE_S, BOTH_S = 0.36, 0.44, 0.11
"""How long before the first and after the last step, and between two, both feet stand."""
SWING_S, LONGER_S, UNDER_WAY_S = 0.34, 0.1, 0.14
"""How long the shortest step is in the air, how much longer the longest, and those of walkers."""
FAST_M_S, BRAKES_M_S2 = 1.9, 2.4
"""Who is faster than this runs: feet leave before the others land. How runners brake, on mean."""
_NO_STEP_M, _NO_STEP = 0.012, math.radians(2.0)
_CLOSES, _SIDEWAYS = 0.67, 0.95
_CLEAR, _BOWS = 0.14, np.linspace(0.0, 0.16, 9)
"""How far from the foot that stands the other one passes, and how far out it may swing for that,
leg lengths."""
_TREADS, _MORE_STEPS = 0.08, 2
"""Feet that land nearer to each other than this, leg lengths, tread on each other; so many more
steps are taken to avoid it."""
_WIDER, _LEAST_ASIDE = 0.35, 0.1
"""How much further apart feet stand, as a share, per radian that they point apart; and how far
from the middle a foot stands at least while somebody turns, leg lengths."""


@dataclass(frozen=True, eq=False)
class Footing:
    """A body over its feet: planar poses of the body (3,) and of both feet (2, 3), at their balls.

    in_air  the foot that is in the air, or that has just landed or is about to leave; None if
            the body stands on both
    speed   how fast the body is, m/s
    """

    body: Floats
    feet: Floats
    in_air: int | None = None
    speed: float = 0.0


@dataclass(frozen=True, eq=False)
class Step:
    """A foot (0 left, 1 right) goes to a place (3,), x, z, yaw, from `lift_s` to `land_s`.

    bow  (2,) how far from the straight way it swings out, x and z, so as to pass the other foot
    """

    foot: int
    lift_s: float
    land_s: float
    place: Floats
    bow: Floats = field(default_factory=lambda: np.zeros(2))


@dataclass(frozen=True)
class Footsteps:
    """Steps in order of time, and how long all of it takes."""

    steps: tuple[Step, ...]
    seconds: float

    def of(self, foot: int) -> list[Step]:
        """Return the steps of one foot."""
        return [step for step in self.steps if step.foot == foot]


def plan_footsteps(
    begin: Footing, end: Footing, leg_m: float, slower: float = 1.0, longer: float = 1.0,
    first: int | None = None,
) -> Footsteps:  # fmt: skip
    """Return the fewest steps between two stances in which no foot treads on the other.

    slower  how many times as long as usual steps between two stands take
    longer  how many times as long as usual the longest stride is
    first   the foot that steps first between two stands, whatever comes of it; None for either

    Who begins in the middle of a step goes on with it; who ends in one ends when it lands.
    """
    if begin.speed > FAST_M_S and end.in_air is None:
        return _brake(begin, end)
    if end.speed > FAST_M_S and begin.in_air is None:
        return _reverse(_brake(end, begin), end)
    way = planar.relative(begin.body, end.body)
    if begin.in_air is not None or end.in_air is not None:
        shares, first = _shares(begin, end, way, leg_m)
        return _lay_steps(begin, end, way, shares, first, leg_m, slower)
    best, widest = Footsteps((), 0.0), -1.0
    # Whoever would tread on the other foot steps with that one first, or takes a step more.
    for more in range(_MORE_STEPS + 1):
        shares, usual = _shares(begin, end, way, longer * leg_m, more)
        for foot in (usual, 1 - usual) if first is None else (first,):
            steps = _lay_steps(begin, end, way, shares, foot, leg_m, slower)
            gap = _least_gap(begin, steps, leg_m)
            if gap > widest:
                best, widest = steps, gap
            if widest >= _TREADS * leg_m:
                return best
    return best


def _lay_steps(
    begin: Footing, end: Footing, way: Floats, shares: list[float], first: int, leg_m: float,
    slower: float,
) -> Footsteps:  # fmt: skip
    """Steps, by turns from the first foot on, to where the body is these shares along its way."""
    lead = LEAD_S if begin.in_air is None else 0.0
    settle = SETTLE_S if end.in_air is None else 0.0
    steps: list[Step] = []
    feet = np.array(begin.feet)
    offsets = [
        (planar.relative(begin.body, begin.feet[k]), planar.relative(end.body, end.feet[k]))
        for k in range(2)
    ]
    at = lead
    for n, share in enumerate(shares):
        foot = (first + n) % 2
        place = end.feet[foot] if share == 1.0 else _place(begin, way, share, offsets[foot], leg_m)
        gone = place - feet[foot]
        turned = abs(math.remainder(float(gone[2]), math.tau))
        if math.hypot(*gone[:2]) < _NO_STEP_M and turned < _NO_STEP and begin.in_air != foot:
            continue
        size = min(1.0, max(math.hypot(*gone[:2]) / leg_m, turned / OPEN))
        if lead == 0.0 or settle == 0.0:
            land, both = at + SWING_S + UNDER_WAY_S, BOTH_S
        else:
            land, both = at + slower * (SWING_S + LONGER_S * size), slower * BOTH_S
        bow = _bow(feet[foot], place, feet[1 - foot], foot, leg_m)
        steps.append(Step(foot, at, land, place, bow))
        feet[foot] = place
        at = land + both
    if not steps:
        return Footsteps((), lead + settle)
    return Footsteps(tuple(steps), steps[-1].land_s + settle)


def _least_gap(begin: Footing, steps: Footsteps, leg_m: float) -> float:
    """Return how near to the other foot any foot lands, metres."""
    feet = np.array(begin.feet)
    least = math.inf
    for step in steps.steps:
        feet[step.foot] = step.place
        soles = _sole(feet[:, :2], feet[:, 2], leg_m)
        heels, balls = soles[:, -1], soles[:, 0]
        flat = np.zeros((4, 1, 3))
        flat[:, 0, :2] = [heels[0], balls[0], heels[1], balls[1]]
        least = min(least, float(segment_distances(*flat)[0]))
    return least


def _bow(start: Floats, place: Floats, other: Floats, foot: int, leg_m: float) -> Floats:
    """Return (2,) how far outward a foot swings to avoid the standing foot."""
    turn = math.remainder(place[2] - start[2], math.tau)
    yaw = start[2] + 0.5 * turn
    out = np.array([math.cos(yaw), -math.sin(yaw)]) * (1.0 if foot == 0 else -1.0)
    along = np.array([0.3, 0.4, 0.5, 0.6, 0.7])
    eased = along * along * (3.0 - 2.0 * along)
    straight = start[:2] + eased[:, None] * (place[:2] - start[:2])
    stands = _sole(other[None, :2], other[2:], leg_m)[0]
    gaps = []
    for size in _BOWS * leg_m:
        swings = straight + 16.0 * size * ((along * (1.0 - along)) ** 2)[:, None] * out
        sole = _sole(swings, start[2] + eased * turn, leg_m)
        away = np.linalg.norm(sole[:, :, None] - stands, axis=-1)
        gaps.append(min(float(away.min()), _CLEAR * leg_m))
    return np.asarray(_BOWS[int(np.argmax(np.round(gaps, 2)))] * leg_m * out)


def _sole(balls: Floats, yaws: Floats, leg_m: float) -> Floats:
    """Return (N, 3, 2) ball, middle and heel of feet with these balls (N, 2) and headings (N,)."""
    back = -np.stack([np.sin(yaws), np.cos(yaws)], axis=-1)
    return np.asarray(balls[:, None] + np.array([0.0, 0.1, 0.2])[:, None] * leg_m * back[:, None])


def _place(
    begin: Footing, way: Floats, share: float, offset: tuple[Floats, Floats], leg_m: float = 0.0
) -> Floats:
    """Return where a foot stands if the body is a share of the way along."""
    body = planar.compose(begin.body, share * way)
    change = offset[1] - offset[0]
    change[2] = math.remainder(change[2], math.tau)
    own = offset[0] + share * change
    # A foot that opens goes outward as well, and nobody turns with the feet close together.
    own[0] *= 1.0 + _WIDER * abs(float(way[2])) * share * (1.0 - share) * 2.0
    if abs(float(way[2])) > _NO_STEP:
        own[0] = math.copysign(max(abs(own[0]), _LEAST_ASIDE * leg_m), own[0])
    return planar.compose(body, own)


def _shares(
    begin: Footing, end: Footing, way: Floats, leg_m: float, more: int = 0
) -> tuple[list[float], int]:
    """Return how far along the body is at each step, 0 to 1, and which foot is first.

    more  how many steps beyond the fewest
    """
    far, turn = math.hypot(*way[:2]), float(way[2])
    aside = abs(float(way[0])) / far if far > 0.05 else 0.0
    turning = min(1.0, abs(turn) / math.radians(40.0))
    follows = 1.0 - max(_CLOSES * turning, _SIDEWAYS * aside**2)
    longest = leg_m * min(_longest(way[:2]), _longest(_seen_from(way)))
    longest = max(longest, _under_way(max(begin.speed, end.speed)))
    count = 2
    while True:
        rises = [1.0 if n % 2 == 0 else follows for n in range(count - 1)]
        largest = max(rises) / sum(rises)
        if largest * far <= longest and largest * abs(turn) <= OPEN:
            break
        count += 1
    count += more
    first = _first_foot(begin, end, way, turning, aside)
    if end.in_air is not None and (first + count - 1) % 2 != end.in_air:
        if begin.in_air is None:
            first = 1 - first
        else:
            count += 1
    rises = [1.0 if n % 2 == 0 else follows for n in range(count - 1)]
    reached = np.cumsum(rises) / sum(rises)
    return [*reached[:-1].tolist(), 1.0, 1.0], first


def _first_foot(begin: Footing, end: Footing, way: Floats, turning: float, aside: float) -> int:
    if begin.in_air is not None:
        return begin.in_air
    if turning > 0.5:
        return 0 if way[2] > 0.0 else 1
    if aside > 0.6:
        return 0 if way[0] > 0.0 else 1
    gone = np.hypot(*(end.feet - begin.feet)[:, :2].T)
    return int(np.argmax(np.round(gone, 3)))


def _longest(way: Floats) -> float:
    """Return the longest stride in a direction (2,), left and ahead, leg lengths."""
    size = math.hypot(*way)
    if size < 1e-6:
        return AHEAD
    left, ahead = way / size
    return 1.0 / math.hypot(left / ASIDE, ahead / (AHEAD if ahead > 0.0 else BACK))


def _under_way(speed: float) -> float:
    """Return the longest stride while braking from a speed or reaching it, metres; 0 at rest."""
    return 0.4 + 0.35 * speed if speed > 0.0 else 0.0


def way_to_rest(speed: float) -> float:
    """Return the distance of stopping from a speed, or starting to it, in a few steps."""
    if speed > FAST_M_S:
        return 0.5 * speed**2 / BRAKES_M_S2
    return 0.5 * speed * (2.0 * (SWING_S + UNDER_WAY_S) + BOTH_S + 0.06)


def _brake(begin: Footing, end: Footing) -> Footsteps:
    """Return the steps of a runner that brakes evenly to a stand."""
    way = planar.relative(begin.body, end.body)
    far = math.hypot(*way[:2])
    takes = max(2.0 * far / begin.speed, 0.5)
    offsets = [
        (planar.relative(begin.body, begin.feet[k]), planar.relative(end.body, end.feet[k]))
        for k in range(2)
    ]

    def speed(at: float) -> float:
        u = min(at / takes, 1.0)
        return begin.speed * (1.0 - u * u * (3.0 - 2.0 * u))

    def share(at: float) -> float:
        u = min(at / takes, 1.0)
        return 2.0 * (u - u**3 + 0.5 * u**4)

    assert begin.in_air is not None
    foot, at, steps = begin.in_air, 0.0, list[Step]()
    lifts = [_stands_s(begin.speed)] * 2
    lifts[foot] = 0.0
    closing = False
    while True:
        at += min(max(0.7 / max(speed(at), 1e-3), 0.26), SWING_S + BOTH_S)
        along = share(at + 0.5 * _stands_s(speed(at)))
        closing, last = closing or along > 0.96, closing
        place = end.feet[foot] if closing else _place(begin, way, along, _level(offsets[foot]))
        steps.append(Step(foot, max(min(lifts[foot], at - 0.2), 0.0), at, place))
        lifts[foot] = at + _stands_s(speed(at))
        if last:
            return Footsteps(tuple(steps), max(at, takes) + SETTLE_S)
        foot = 1 - foot


def _stands_s(speed: float) -> float:
    """Return how long a foot stands while running or slowing down."""
    return min(max(0.45 / max(speed, 1e-3), 0.13), SWING_S + 2.0 * BOTH_S)


def _level(offset: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """Return how a foot stands at the end, also on the way: not behind the body as at first."""
    return offset[1], offset[1]


def _reverse(steps: Footsteps, began: Footing) -> Footsteps:
    """Return the same steps backwards in time; they began on the footing `began`."""
    out = []
    for foot in range(2):
        own = steps.of(foot)
        places = [began.feet[foot], *(step.place for step in own)]
        out += [
            Step(foot, steps.seconds - step.land_s, steps.seconds - step.lift_s, places[n])
            for n, step in enumerate(own)
        ]
    return Footsteps(tuple(sorted(out, key=lambda step: step.land_s)), steps.seconds)


def _seen_from(way: Floats) -> Floats:
    """Return the way (2,), left and ahead, as it is seen from where it ends."""
    back = planar.inverse(way)
    return np.asarray(-back[:2])
