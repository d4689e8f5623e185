"""Leaps out of a walk: over a gap from one foot to the other, and on.

A leap is a step of a walk that is pushed off further and faster: the walk before and after it is
that of all walks here (`gait.paced`), so that motion graphs go over from one into the other. Only
what differs is said here: the speed over the gap, when nothing stands, how the body goes down, up
and down, and what arms and eyes do.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from footfall.body.clip import Clip
from footfall.body.roles import SIDES
from footfall.errors import check_range
from footfall.generate.bodies.planting import Wish
from footfall.generate.gait.gait_model import JOINTS, speed_within
from footfall.generate.gait.journey import Journey
from footfall.generate.gait.journeys import closing_phase, start_to_stop
from footfall.generate.gait.paced import stride_phase, wish_for
from footfall.generate.gait.timeline import ease
from footfall.generate.performer import MEAN_PERFORMER, Performer
from footfall.generate.sides import SIGNS, side_index
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats
from footfall.maths.constants import GRAVITY, MEAN_LEG_M
from footfall.maths.easing import quintic_through, through_keys

SHORTEST, LONGEST = 0.95, 1.8
"""Lengths of leaps, ankle to ankle, leg lengths."""
_WALK_M_S, _FAST_M_S, _FLIGHT_S = (1.3, 1.55), (1.63, 2.54), (0.12, 0.276)
"""Of the mean performer in the shortest and in the longest of them: the speed of the walk before
and after, about that over the gap, and how long nothing stands."""
_STRIKES = 2.0
"""At which stride the foot that leaps comes down to do so: it was the first to step off."""
_OFF, _ON = 0.42, 0.5
"""Strides after its strike: when the foot that leaps leaves, and the other one lands."""
_RUNS, _SPURTS = 0.75, 0.1
"""How much of a run there is in a leap, and how much of how runners lean and sink to speed up."""
_QUICK = 0.25
"""How much quicker the step after the landing is."""
_APART = 0.034
"""How much further to its own side each foot goes, leg lengths; nobody leaps on one line."""
_OFF_HIGH, _OFF_RISES, _LANDS = -0.04, 0.2, -0.054
"""How much higher than in a walk a body is, leg lengths, when it takes off, how much more so for
each second of flight, and when it lands."""
_PUSH_M_S2, _YIELD_M_S2 = 11.0, 10.0
"""How hard a body is pushed up before and after a flight, on average, beyond its weight."""
_LONG_S = 0.22
"""Arms and knees go as far as said here in a flight of this length."""
_SLOWS_S, _CATCHES_DEG = 0.5, 7.0
"""Within how many seconds of its landing a leap is a walk again, and how far the trunk bends over
the foot then, besides what slowing down leans it back."""
_BENDS = {"pelvis": 0.35, "spine1": 1.05, "neck": -0.75, "hipL": -0.35, "hipR": -0.35,
          "shoulderL": -0.8, "shoulderR": -0.8}  # fmt: skip
"""How much of it joints do; eyes stay level, legs where they are, and arms hang."""
_OPENS_DEG = 25.0
"""How far elbows open in the air and after the landing."""
_VARIATION = 0.7
"""How much strides differ, of how much people's do."""
_END_S = 1.0
_ROUNDS, _NEAR_M, _PHASE_ROUNDS = 4, 0.004, 4
_AT = {joint: n for n, joint in enumerate(JOINTS)}


@dataclass(frozen=True)
class _Leap:
    """A leap on the way to its length.

    lead      the foot that lands, 0 left or 1 right
    flight_s  how long nothing stands;  fast_m_s  how fast it goes then
    off_s, on_s   when the one foot leaves and the other lands
    """

    lead: int
    walk_m_s: float
    flight_s: float
    fast_m_s: float
    off_s: float = 0.0
    on_s: float = 0.0


def leap(
    length_m: float = 1.15, *, lead: str = "right", who: Performer = MEAN_PERFORMER, seed: int = 0
) -> Clip:
    """From standing, walk off, leap `length_m` from one foot to the other, walk on and stop.

    lead  the foot that goes first over the gap, and lands
    """
    leg_m = who.leg_m
    check_range("the length of a leap", length_m, SHORTEST * leg_m, LONGEST * leg_m, unit="m")
    far, size = length_m / leg_m, math.sqrt(leg_m / MEAN_LEG_M)
    walk, fast, flight = (
        size * float(np.interp(far, (SHORTEST, LONGEST), of))
        for of in (_WALK_M_S, _FAST_M_S, _FLIGHT_S)
    )
    walk = speed_within("walk", walk * who.style.tempo, leg_m)
    plan = _Leap(side_index(lead), walk, flight, fast)
    for _ in range(_ROUNDS):
        clip, plan = _perform(plan, f"leap_{length_m:.2f}_{lead}", who, seed)
        short = length_m - _length(clip, plan)
        if abs(short) < _NEAR_M:
            break
        plan = replace(plan, fast_m_s=plan.fast_m_s + short / (plan.flight_s + 0.2))
    return clip


def _length(clip: Clip, plan: _Leap) -> float:
    """From where one ankle stands to where the other one does after the leap, metres."""
    places = clip.positions
    ends = []
    for side, at_s in ((1 - plan.lead, plan.off_s - 0.2), (plan.lead, plan.on_s + 0.12)):
        ankle = clip.skeleton.role(f"{SIDES[side]}_ankle")
        ends.append(float(places[round(at_s * clip.fps), ankle, 2]))
    return ends[1] - ends[0]


def _perform(plan: _Leap, name: str, who: Performer, seed: int) -> tuple[Clip, _Leap]:
    """The clip of a leap, and when it leaps."""
    trail = SIDES[1 - plan.lead]
    offset = 0.5 * plan.lead
    stops_s, wanted = 4.7, closing_phase(plan.walk_m_s, trail) + _STRIKES + 2.0
    for _ in range(_PHASE_ROUNDS):
        journey = start_to_stop(
            plan.walk_m_s, trail, trail, stops_s=stops_s, seconds=stops_s + _END_S, who=who
        )
        journey, plan = _with_leap(journey, plan, offset + _STRIKES, who, seed)
        phase = stride_phase(journey, who, seed, _VARIATION)
        at, before = (np.interp(stops_s - s, journey.times, phase) for s in (0.0, 0.1))
        stops_s += float(0.1 * (wanted - at) / (at - before))
    wish = _leap_off(wish_for(journey, who, seed, _VARIATION), journey.times, plan, who)
    return journey.timeline.clip(wish, name, ("jump", "walk")), plan


def _with_leap(
    journey: Journey, plan: _Leap, strike: float, who: Performer, seed: int
) -> tuple[Journey, _Leap]:
    """The journey with a faster, longer step from the foot that comes down at phase `strike`."""
    t = journey.times
    leaps = journey
    for _ in range(3):
        phase = stride_phase(leaps, who, seed, _VARIATION)
        off = float(np.interp(strike + _OFF, phase, t))
        on = off + plan.flight_s
        up = ease(t, off - 0.7, off - 0.03) - ease(t, on - 0.02, on + 0.5)
        speed = journey.speed + (plan.fast_m_s - plan.walk_m_s) * up
        leaps = replace(
            journey, speed=speed, like=np.maximum(journey.like, speed),
            spurts=_SPURTS,
            running=_RUNS * (ease(t, off - 0.45, off - 0.02) - ease(t, on - 0.12, on + 0.18)),
        )  # fmt: skip
    # Legs do not step any faster in the air: they wait for the ground.
    phase = stride_phase(leaps, who, seed, _VARIATION)
    off = float(np.interp(strike + _OFF, phase, t))
    on = off + plan.flight_s
    waits = ease(t, off - 0.08, off + 0.02) - ease(t, on - 0.02, on + 0.08)
    soon = ease(t, on, on + 0.12) - ease(t, on + 0.3, on + 0.6)
    lost = np.cumsum(waits * np.gradient(phase))
    share = (np.interp(on, t, phase) - strike - _ON) / np.interp(on, t, lost)
    return (
        replace(leaps, rhythm=leaps.rhythm * (1.0 - share * waits) * (1.0 + _QUICK * soon)),
        replace(plan, off_s=off, on_s=on),
    )


def _leap_off(wish: Wish, times: Floats, plan: _Leap, who: Performer) -> Wish:
    """What is wished, off the ground where it leaps."""
    t, off, on = times, plan.off_s, plan.on_s
    held = wish.held.copy()
    leaves, lands = held[:, 1 - plan.lead], held[:, plan.lead]
    leaves[(t > off - 0.25) & (t <= off)] = True
    leaves[(t > off) & (t < on + 0.1)] = False
    lands[(t > off - 0.15) & (t < on)] = False
    lands[(t >= on) & (t < on + 0.2)] = True
    # It stands until the other one does again: one leaps once.
    strike = t[(t > on + 0.12) & leaves][0]
    lands[(t >= on) & (t < strike + 0.07)] = True
    apart = ease(t, off - 1.0, off - 0.6) - ease(t, on + 0.9, on + 1.5)
    wide = _APART + max(-0.5 * who.style.width, 0.0)
    since = np.clip(t - off, 0.0, plan.flight_s)
    root = wish.root.copy()
    root[:, 1] += 0.5 * GRAVITY * since * (plan.flight_s - since)
    return replace(
        wish, held=held, root=root, rotations=_act(wish.rotations, t, plan),
        lower_m=wish.lower_m - _rise(t, plan, who.leg_m), level=False,
        apart_m=wish.apart_m + wide * who.leg_m * apart,
    )  # fmt: skip


def _rise(times: Floats, plan: _Leap, leg_m: float) -> Floats:
    """(T,) how much higher than in a walk the body is, besides its flight, metres: it goes down
    before it is pushed off, and gives way when it lands."""
    fast = 0.5 * GRAVITY * plan.flight_s
    high, land = (_OFF_HIGH + _OFF_RISES * plan.flight_s) * leg_m, _LANDS * leg_m
    push_s, yield_s = fast / _PUSH_M_S2, fast / _YIELD_M_S2
    low, deep = high - 0.6 * fast * push_s, land - 0.6 * fast * yield_s
    off, on = plan.off_s, plan.on_s
    knots = np.array([
        (off - push_s - 0.3, 0.0, 0.0, 0.0), (off - push_s, low, 0.0, _PUSH_M_S2),
        (off, high, fast, -GRAVITY), (on, land, -fast, -GRAVITY),
        (on + yield_s, deep, 0.0, _YIELD_M_S2), (on + yield_s + 0.4, 0.0, 0.0, 0.0),
    ])  # fmt: skip
    at, place, speed, push = (knots[:, [n]] for n in range(4))
    found = quintic_through(at[:, 0], place, speed, push, times)[:, 0]
    flies = (times > off) & (times < on)
    return np.where(flies, np.interp(times, [off, on], [high, land]), found)


def _act(rotations: Floats, times: Floats, plan: _Leap) -> Floats:
    """The rotations (T, J, 4) with arms that go further and wider, legs that fold and reach, and
    eyes on the landing."""
    out = rotations.copy()
    off, on = plan.off_s, plan.on_s
    size = min(plan.flight_s / _LONG_S, 1.12) ** 1.5

    def turn(joint: str, axis: int, degrees: float, *keys: tuple[float, float]) -> None:
        angle = math.radians(degrees) * through_keys(keys, times)
        n = _AT[joint]
        out[:, n] = quat.multiply(quat.about_axis(axis, angle), out[:, n])

    _swing_arms(turn, plan, size)
    # Who lands bends over the foot that catches the body, however much it slows down.
    slows = math.atan2(plan.fast_m_s - plan.walk_m_s, _SLOWS_S * GRAVITY)
    bend = _CATCHES_DEG * min(size, 1.0) + math.degrees(slows)
    falls = ((off - 0.05, 0.0), (on - 0.04, 0.8), (on + 0.1, 1.0), (on + 0.4, 0.8),
             (on + 0.85, 0.4), (on + 1.5, 0.0))  # fmt: skip
    for joint, share in _BENDS.items():
        turn(joint, 0, share * bend, *falls)
    for joint in ("neck", "head"):
        turn(joint, 0, 6.5, (off - 0.9, 0.0), (off - 0.35, 1.0), (on - 0.08, 0.9), (on + 0.4, 0.0))
    lead, trail = "LR"[plan.lead], "RL"[plan.lead]
    # The leg that leads comes up with a bent knee, reaches out for the ground, and lands nearer to
    # the body than in a walk: it has to catch it. The other one follows at once.
    for joint, degrees in (("hip", -11.0), ("knee", 26.0)):
        turn(f"{joint}{lead}", 0, degrees * size,
             (off - 0.3, 0.0), (off + 0.1 * plan.flight_s, 1.0), (on - 0.03, 0.0))  # fmt: skip
    turn(
        f"hip{lead}", 0, 5.0, (off - 0.1, 0.0), (on - 0.02, 1.0), (on + 0.25, 1.0), (on + 0.5, 0.0)
    )
    for joint, degrees in (("hip", -10.0), ("knee", 22.0)):
        turn(f"{joint}{trail}", 0, degrees, (off, 0.0), (on, 1.0), (on + 0.25, 0.0))
    return out


def _swing_arms(turn: Callable[..., None], plan: _Leap, size: float) -> None:
    """Arms that go further and wider in the air: the one that counters the leg in front is thrown
    forward and comes down while it opens, the other one comes forward for the landing."""
    off, on = plan.off_s, plan.on_s
    top, seconds = 0.5 * (off + on), plan.flight_s
    for side, name in enumerate("LR"):
        sign, front = SIGNS[side], side != plan.lead
        far, wide = (-28.0, 15.0) if front else (10.0, 24.0)
        keys = ((off - 0.25, 0.0), (off + 0.15 * seconds, 1.0), (top, 0.7), (on, -0.2),
                (on + 0.14, -0.5), (on + 0.5, 0.0)) if front else (
                (off - 0.25, 0.0), (off, 1.0), (top, 0.2), (on, -1.6), (on + 0.16, -1.2),
                (on + 0.55, 0.0))  # fmt: skip
        turn(f"shoulder{name}", 0, far * size, *keys)
        turn(f"shoulder{name}", 2, sign * wide * size,
             (off - 0.3, 0.0), (top + 0.02, 1.0), (on + 0.05, 0.7), (on + 0.4, 0.0))  # fmt: skip
        opened = on - 0.02 if front else on + 0.16
        turn(f"elbow{name}", 1, sign * _OPENS_DEG * min(size, 1.0),
             (off, 0.0), (opened, 1.0), (on + 0.18, 1.0), (on + 0.55, 0.0))  # fmt: skip
