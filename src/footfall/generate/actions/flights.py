"""Jumps out of a run, over gaps and hurdles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from footfall.body.clip import Clip
from footfall.body.edit import slice_clip
from footfall.body.roles import SIDES
from footfall.errors import check_range
from footfall.generate.actions.action import Action, lower_to_reach, perform
from footfall.generate.actions.postures import PostureKeys
from footfall.generate.feet.steps import PlannedStance, Swing
from footfall.generate.performer import MEAN_PERFORMER, Performer
from footfall.generate.sides import SIGNS, side_index
from footfall.maths.arrays import Floats
from footfall.maths.constants import GRAVITY, MEAN_LEG_M

_ROUND_DEG, _ROUND_MORE_DEG, _ROUND_OUT = 16.0, 58.0, 0.26
"""How far the knee that trails goes round to its side, how much more so the more there is to clear,
leg lengths; and how far out its foot goes for that, leg lengths for each of them."""


def running_jump(
    length_m: float = 1.6, *, lead: str = "right", who: Performer = MEAN_PERFORMER, seed: int = 0
) -> Clip:
    """Out of a run, jump `length_m` from one foot to the other, and run on.

    The clip begins and ends in the run; the take-off ankle is at z = 0.
    """
    leg_m = who.leg_m
    check_range("the length of a running jump", length_m, 1.3 * leg_m, 2.5 * leg_m, unit="m")
    clear = 0.22 + 0.09 * length_m / leg_m
    return _leap(f"running_jump_{length_m:.2f}_{lead}", ("jump", "run"), length_m, clear, lead,
                 who, seed)  # fmt: skip


def hurdle(
    height_m: float = 0.4, *, lead: str = "right", who: Performer = MEAN_PERFORMER, seed: int = 0
) -> Clip:
    """Out of a run, jump over something `height_m` high, and run on.

    The thing stands 1.3 leg lengths in front of the take-off ankle, which is at z = 0.
    """
    leg_m = who.leg_m
    check_range("the height of a hurdle", height_m, 0.1 * leg_m, 0.75 * leg_m, unit="m")
    clear = 0.21 + 1.03 * height_m / leg_m
    return _leap(f"hurdle_{height_m:.2f}_{lead}", ("hurdle", "jump", "run"), 2.05 * leg_m, clear,
                 lead, who, seed)  # fmt: skip


def _leap(
    name: str, tags: tuple[str, ...], length_m: float, clear: float, lead: str, who: Performer,
    seed: int,
) -> Clip:  # fmt: skip
    side = side_index(lead)
    cut: list[float] = []
    action = lower_to_reach(
        lambda low: _run_leap(name, tags, length_m, clear, side, who.leg_m, seed, low, cut), who, 6
    )
    whole = perform(action, who)
    return slice_clip(whole, cut[0], cut[1])


def _run_leap(
    name: str, tags: tuple[str, ...], length_m: float, clear: float, lead: int, leg_m: float,
    seed: int, low: Floats, cut: list[float],
) -> Action:  # fmt: skip
    """Four contacts of running, the leap from the fourth, four contacts after it."""
    size = float(np.sqrt(leg_m / MEAN_LEG_M))
    air = 0.11 * size
    # The run goes upright until the foot is planted from which the leap is made, and again after
    # the first step that follows it.
    level = [0.03 * leg_m - low[part] for part in (0, 0, 0, 1, 4, 5, 5, 5)]
    high, land = 0.1 * leg_m - low[2], -0.057 * leg_m - low[3]
    up = (1.0 + 1.6 * clear) * size
    flight = (up + np.sqrt(up * up + 2.0 * GRAVITY * (high - land))) / GRAVITY
    ahead, behind = 0.34 * leg_m, 0.2 * leg_m
    speed = (length_m - ahead - behind) / flight
    run = speed / 1.02
    # The faster, the shorter the feet stand: a leg sweeps only so far.
    ground, push, catch = 0.48 * leg_m / run, 0.72 * leg_m / run, 0.72 * leg_m / run
    contacts: list[Contact] = []
    places: list[tuple[float, float]] = []
    now, at = 0.3, 0.0
    for n in range(8):
        leap = n == 3
        c = push if leap else catch if n == 4 else ground * (1.0 if n < 3 else 1.2)
        f = flight if leap else air
        off = at + run * c
        foot = off - ahead if leap else at + behind if n == 4 else at + 0.42 * run * c
        contacts.append(Contact(
            now, now + c, foot, land if n == 4 else level[n],
            high if leap else level[n] + 0.02 * leg_m, f, speed if leap else run,
            58.0 if n == 4 else 0.0,
        ))  # fmt: skip
        places.append((at, off))
        now, at = now + c + f, off + (speed if leap else run) * f
    zero = contacts[3].z
    contacts = [replace(c, z=c.z - zero) for c in contacts]
    places = [(a - zero, b - zero) for a, b in places]
    sides = [(1 - lead) if n % 2 == 1 else lead for n in range(8)]
    knots = flight_knots(contacts, [0.0] * 8, places, air)
    cut[:] = [contacts[1].off_s + 0.02, 0.45 * contacts[6].on_s + 0.55 * contacts[6].off_s]
    return Action(
        name=name, tags=tags, seconds=contacts[-1].off_s,
        stances=_leap_feet(contacts, sides, clear, leg_m),
        posture=_leap_posture(contacts, sides, clear, lead, seed), centre=tuple(knots),
        parts=(contacts[3].on_s - 0.5 * air, 0.5 * (contacts[3].on_s + contacts[3].off_s),
               contacts[4].on_s - 0.5 * flight, 0.5 * (contacts[4].on_s + contacts[4].off_s),
               contacts[5].on_s - 0.5 * air),
    )  # fmt: skip


def _leap_feet(
    contacts: Sequence[Contact], sides: Sequence[int], clear: float, leg_m: float
) -> tuple[PlannedStance, ...]:
    plain = Swing(folds=((0.3, 0.0, 74.0), (0.62, 34.0, 84.0), (0.85, 40.0, 46.0)),
                  pitches=((0.3, -50.0), (0.7, -14.0)), settle=0.3,
                  going=(0.0, 0.4, 0.5))  # fmt: skip
    tall = max(0.0, clear - 0.3)
    before, jump, after = contacts[2], contacts[3], contacts[4]
    total = after.on_s - before.off_s
    off = (jump.off_s - before.off_s) / total
    # The lead leg: knee high at take-off, reaching out at the top, coming down to land.
    top = off + 0.45 * (1.0 - off)
    high = 23.0 + 75.0 * (clear + 0.05) - 8.0
    # Shortly before it lands the leg is where the body's speed brings it, and a little bent.
    last_s = 0.075
    ahead = np.degrees(np.arctan2(0.2 * leg_m + 0.75 * jump.speed * last_s, 0.95 * leg_m))
    leading = Swing(
        folds=((0.45 * off, 6.0, 92.0), (0.8 * off, 34.0, 100.0), (off, 58.0, 90.0),
               (top, min(high, 86.0), 44.0 + 14.0 * tall),
               (1.0 - last_s / total, float(ahead) + 18.0, 38.0)),
        pitches=((0.25, -46.0), (off, -6.0), (top, -2.0 + 26.0 * tall)), settle=0.1,
        going=(0.0, 0.8, 1.2),
    )  # fmt: skip
    whole = contacts[5].on_s - jump.off_s
    air = (after.on_s - jump.off_s) / whole
    trailing = Swing(
        folds=((0.4 * air, -12.0, 72.0), (0.72 * air, 16.0 + 46.0 * tall, 96.0 + 40.0 * tall),
               (air, 24.0, 94.0), (0.5 + 0.5 * air, 44.0, 78.0)),
        pitches=((0.35 * air, -60.0), (air, -24.0), (0.5 + 0.5 * air, -6.0)), settle=0.3,
        out_m=_ROUND_OUT * tall * leg_m, peak=0.72 * air,
    )  # fmt: skip
    stands = []
    for n, (c, side) in enumerate(zip(contacts, sides, strict=True)):
        sign = SIGNS[side]
        swing = leading if n == 4 else trailing if n == 5 else plain
        stands.append(PlannedStance(
            side, 0.045 * sign * leg_m, c.z, c.on_s, c.off_s, yaw_deg=5.0 * sign,
            strike_deg=-28.0 if n == 4 else 5.0, flat_s=0.08 if n == 4 else 0.06,
            leave_deg=44.0 if n != 3 else 50.0, leave_s=0.14, swing=swing,
        ))  # fmt: skip
    return tuple(stands)


def _leap_posture(
    contacts: Sequence[Contact], sides: Sequence[int], clear: float, lead: int, seed: int
) -> PostureKeys:
    keys: dict[str, list[tuple[float, float]]] = {n: [] for n in ("yaw", "twist", "list")}
    for n, (c, side) in enumerate(zip(contacts, sides, strict=True)):
        sign = SIGNS[side]
        big = 1.35 if n == 3 else 1.0
        keys["yaw"].append((c.off_s, 7.0 * sign * big))
        keys["twist"].append((c.off_s, -17.0 * sign * big))
        keys["list"].append((0.5 * (c.on_s + c.off_s), 3.0 * sign))
    jump, after = contacts[3], contacts[4]
    tall, top = max(0.0, clear - 0.3), 0.5 * (jump.off_s + after.on_s)
    # The trunk bends over the foot that is planted, and over the thigh that leads.
    keys["trunk"] = [(jump.on_s - 0.2, 10.0), (jump.on_s + 0.1, 20.0), (jump.off_s, 16.0),
                     (top, 17.0 + 12.0 * tall), (after.on_s, 10.0), (after.on_s + 0.12, 14.0),
                     (after.off_s, 13.0), (after.off_s + 0.3, 10.0)]  # fmt: skip
    keys["head"] = [(0.0, 10.0), (jump.on_s, 13.0), (after.on_s, 11.0), (after.off_s, 8.0)]
    for n, arm in enumerate(SIDES):
        keys |= _leap_arm(arm, n == lead, contacts, [side == n for side in sides])
    # Over the leg that leads, and back over the one that lands.
    over = 8.8 * SIGNS[lead]
    keys["lean"] = [(jump.on_s, 0.0), (jump.off_s + 0.02, -0.5 * over), (top, 0.6 * over),
                    (after.on_s + 0.08, over), (after.off_s + 0.12, 0.0)]  # fmt: skip
    # The higher it goes, the further the knee that trails goes round.
    trail, aside = SIDES[1 - lead], _ROUND_DEG + _ROUND_MORE_DEG * tall
    keys[f"{trail}_knee_out"] = [(jump.off_s, 0.0), (top + 0.02, aside), (after.on_s - 0.06,
                                 0.8 * aside), (after.on_s + 0.12, 0.0)]  # fmt: skip
    return PostureKeys(keys, 0.04, seed)


def _leap_arm(
    arm: str, leads: bool, contacts: Sequence[Contact], own: Sequence[bool]
) -> dict[str, list[tuple[float, float]]]:
    """Keys of an arm: that of a runner, but in the long flight it opens and goes wide for balance,
    and comes down with the body; that of the leg that leads goes further out.

    own  of each contact, whether the foot on the arm's side stands
    """
    jump, after = contacts[3], contacts[4]
    top, wide = 0.5 * (jump.off_s + after.on_s), 46.0 if leads else 38.0
    swing, bend = [], []
    for n, c in enumerate(contacts):
        big = 1.2 if n == 3 else 1.0
        swing.append((c.off_s + 0.02, big * (24.0 if own[n] else -46.0)))
        bend.append((c.off_s, 92.0 if own[n] else 74.0))
        if n == 3:
            swing += [(top, -26.0 if leads else 12.0), (after.on_s, -4.0 if leads else -16.0)]
            bend += [(top, 54.0 if leads else 72.0), (after.on_s, 66.0 if leads else 58.0)]
    return {
        f"{arm}_arm": swing, f"{arm}_elbow": bend,
        f"{arm}_out": [(jump.on_s + 0.06, 13.0), (jump.off_s + 0.1, 0.9 * wide), (top, wide),
                       (after.on_s, 0.5 * wide), (after.on_s + 0.16, 14.0)],
    }  # fmt: skip


# Contacts with the ground and flights between them: how the centre of mass goes over both.

Knot = tuple[float, Floats, Floats, Floats]


@dataclass(frozen=True)
class Contact:
    """A time on the ground, and the flight after it.

    on_s, off_s   touch-down and take-off
    z             of the ankle
    low, high     heights of the centre of mass at both against quiet stance, metres
    flight_s      how long the flight lasts;  speed  over the ground in it, m/s
    brake         how hard the ground pushes soon after the touch-down, m/s², if that is to be said
    """

    on_s: float
    off_s: float
    z: float
    low: float
    high: float
    flight_s: float
    speed: float
    brake: float = 0.0


def landing_knot(
    on_s: float, place: Floats, speed: Floats, brake: float, soon_s: float = 0.033
) -> Knot:
    """The knot shortly after a landing with `speed` (3,) at `place` (3,), when the ground pushes
    up by `brake`, m/s²: the sooner it does, the slower knees bend."""
    gain = np.array([0.0, 0.5 * (brake - GRAVITY), -2.0 * speed[2]])
    after = speed + gain * soon_s
    where = place + 0.5 * (speed + after) * soon_s
    return on_s + soon_s, where, after, np.array([0.0, brake, -4.0 * speed[2]])


def flight_knots(
    contacts: Sequence[Contact], x: Sequence[float], places: Sequence[tuple[float, float]],
    before: float,
) -> list[Knot]:  # fmt: skip
    """Knots of the centre of mass over contacts; places (z at touch-down, z at take-off).

    before  seconds of flight before the first contact, or 0 if it begins on the ground
    """
    knots: list[Knot] = []
    free = np.array([0.0, -GRAVITY, 0.0])
    fall, speed, side = -GRAVITY * 0.5 * before, contacts[0].speed, 0.0
    for n, c in enumerate(contacts):
        on = np.array([x[n], c.low, places[n][0]])
        coming = np.array([side, fall, speed])
        knots.append((c.on_s, on, coming, free))
        if c.brake:
            knots.append(landing_knot(c.on_s, on, coming, c.brake))
        land = contacts[n + 1].low if n + 1 < len(contacts) else c.low
        up = (land - c.high) / c.flight_s + 0.5 * GRAVITY * c.flight_s
        off = np.array([x[n], c.high, places[n][1]])
        side = (x[n + 1] - x[n]) / c.flight_s if n + 1 < len(x) else 0.0
        knots.append((c.off_s, off, np.array([side, up, c.speed]), free))
        fall, speed = up - GRAVITY * c.flight_s, c.speed
    return knots
