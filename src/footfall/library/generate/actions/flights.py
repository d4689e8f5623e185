"""Chains of contacts and flights: hops, and jumps out of a run over gaps and hurdles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from footfall.body.clip import Clip
from footfall.body.edit import slice_clip
from footfall.body.roles import SIDES
from footfall.errors import InputError, check_range, check_whole, choices
from footfall.library.generate.actions.action import Action, lower_to_reach, perform
from footfall.library.generate.actions.postures import STANDING, PostureKeys
from footfall.library.generate.feet.steps import FOREVER_S, PlannedStance, Swing
from footfall.library.generate.performer import MEAN_PERFORMER, Performer
from footfall.library.generate.sides import SIGNS, side_index
from footfall.maths.arrays import Floats
from footfall.maths.constants import GRAVITY, MEAN_LEG_M

Knot = tuple[float, Floats, Floats, Floats]
_STILL = np.zeros(3)
_HOP_S, _HOP_GROUND_S, _HOP_BRAKE = 0.224, (0.3, 0.325), 19.0
"""How long hops fly, how long both legs and one stay on the ground between them, and how hard it
pushes soon after landing, m/s²."""


@dataclass(frozen=True)
class _Contact:
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


def _landing_knot(
    on_s: float, place: Floats, speed: Floats, brake: float, soon_s: float = 0.033
) -> Knot:
    """The knot shortly after a landing with `speed` (3,) at `place` (3,), when the ground pushes
    up by `brake`, m/s²: the sooner it does, the slower knees bend."""
    gain = np.array([0.0, 0.5 * (brake - GRAVITY), -2.0 * speed[2]])
    after = speed + gain * soon_s
    where = place + 0.5 * (speed + after) * soon_s
    return on_s + soon_s, where, after, np.array([0.0, brake, -4.0 * speed[2]])


def _flight_knots(
    contacts: Sequence[_Contact], x: Sequence[float], places: Sequence[tuple[float, float]],
    before: float,
) -> list[Knot]:  # fmt: skip
    """Knots of the centre of mass over contacts; places (z at touch-down, z at take-off).

    before  seconds of flight before the first contact, or 0 if it begins on the ground
    """
    knots: list[Knot] = []
    free = np.array([0.0, -GRAVITY, 0.0])
    fall, speed = -GRAVITY * 0.5 * before, contacts[0].speed
    for n, c in enumerate(contacts):
        on = np.array([x[n], c.low, places[n][0]])
        knots.append((c.on_s, on, np.array([0.0, fall, speed]), free))
        if c.brake:
            knots.append(_landing_knot(c.on_s, on, np.array([0.0, fall, speed]), c.brake))
        land = contacts[n + 1].low if n + 1 < len(contacts) else c.low
        up = (land - c.high) / c.flight_s + 0.5 * GRAVITY * c.flight_s
        off = np.array([x[n], c.high, places[n][1]])
        side = (x[n + 1] - x[n]) / c.flight_s if n + 1 < len(x) else 0.0
        knots.append((c.off_s, off, np.array([side, up, c.speed]), free))
        fall, speed = up - GRAVITY * c.flight_s, c.speed
    return knots


def hop(
    length_m: float = 0.35, *, count: int = 3, legs: str = "both", who: Performer = MEAN_PERFORMER,
    seed: int = 0,
) -> Clip:  # fmt: skip
    """From standing, `count` small hops of `length_m` each, on both legs or on one, and stand."""
    if legs not in ("both", *SIDES):
        raise InputError(f"nobody hops on {legs!r}", remedy=choices(("both", *SIDES), legs))
    check_range("the length of a hop", length_m, 0.0, 0.7 * who.leg_m, unit="m")
    check_whole("the number of hops", count, 2, 20)
    action = lower_to_reach(
        lambda low: _hop(length_m, count, legs, who.leg_m, seed, low), who, 2 * count + 1
    )
    return perform(action, who)


def _hop(length_m: float, count: int, legs: str, leg_m: float, seed: int, low: Floats) -> Action:
    """The action, lowered by `low` (2 count + 1,) about each take-off and landing in turn."""
    size = float(np.sqrt(leg_m / MEAN_LEG_M))
    single = legs != "both"
    carrier = 1 if legs == "right" else 0
    # The leg stretches over its toes and lands on them lower, a little bent: it flies on down.
    high, down = 0.095 * leg_m - low[0::2].max(), 0.05 * leg_m - low[1::2].max()
    flight, ground = _HOP_S * size, _HOP_GROUND_S[single] * size
    ready = 1.63 if single else 0.95
    middle = 0.055 * leg_m
    side = 0.11 * leg_m * SIGNS[carrier] if single else 0.0
    ahead = min(0.5 * length_m, 0.17 * leg_m)
    speed = (length_m - ahead) / flight
    contacts = []
    now = ready
    for n in range(count):
        contacts.append(_Contact(now - ground, now, n * length_m, down, high, flight, speed,
                                 _HOP_BRAKE if n else 0.0))  # fmt: skip
        now += flight + ground
    chain = _flight_knots(
        contacts, [side] * count,
        [(n * length_m + middle - 0.5 * ahead, n * length_m + middle + 0.5 * ahead)
         for n in range(count)], flight,
    )[1:]  # fmt: skip
    land = now - ground
    last_z = count * length_m + middle
    rest = [np.array([0.0, 0.0, middle]), np.array([0.0, 0.0, last_z])]
    knots: list[Knot] = [(0.0, rest[0], _STILL, _STILL), (0.3, rest[0], _STILL, _STILL)]
    if single:  # the weight goes over before the other foot leaves
        knots.append((1.0, np.array([0.92 * side, -0.015 * leg_m, middle]), _STILL, _STILL))
    dip = 0.095 * leg_m
    bottom = ready - 0.27 * size
    knots.append((bottom, np.array([side, -dip, middle]), np.array([0.0, 0.0, 0.0]),
                  np.array([0.0, 6.0 * dip / (bottom - knots[-1][0]) ** 2, 0.3 * speed]),
                  ))  # fmt: skip
    knots += chain
    on = np.array([side, down, last_z - 0.5 * ahead])
    fall = np.array([0.0, (down - high) / flight - 0.5 * GRAVITY * flight, speed])
    deep, stand = land + 0.17 * size, land + (1.05 if single else 0.8)
    knots += [
        (land, on, fall, np.array([0.0, -GRAVITY, 0.0])),
        _landing_knot(land, on, fall, _HOP_BRAKE),
        (deep, np.array([side, -dip, last_z + 0.12 * ahead]), np.array([0.0, 0.0, 0.1 * speed]),
         np.array([0.0, 6.5 * dip / (stand - deep) ** 2, -0.5 * speed])),
        (stand, rest[1], _STILL, _STILL), (stand + 0.6, rest[1], _STILL, _STILL),
    ]  # fmt: skip
    lands = [*(c.on_s for c in contacts[1:]), land]
    turns = [t for c, lands_s in zip(contacts, lands, strict=True)
             for t in (0.5 * (c.off_s + lands_s), 0.5 * (lands_s + lands_s + ground))]  # fmt: skip
    return Action(
        name=f"hop_{length_m:.2f}_{legs}", tags=("hop",), seconds=stand + 0.6,
        stances=tuple(_hop_feet(contacts, land, length_m, leg_m, single, carrier)),
        posture=PostureKeys(_hop_keys(contacts, lands, stand, single, carrier), 0.05, seed),
        centre=tuple(knots), parts=tuple(turns),
    )  # fmt: skip


def _hop_feet(
    contacts: Sequence[_Contact], land: float, length_m: float, leg_m: float, single: bool,
    carrier: int,
) -> list[PlannedStance]:  # fmt: skip
    fly = Swing(folds=((0.3, 0.0, 16.0), (0.65, 11.0, 30.0)), pitches=((0.5, -36.0),), settle=0.35)
    out: list[PlannedStance] = []
    for side, sign in enumerate(SIGNS):
        plain = PlannedStance(side, 0.11 * sign * leg_m, 0.0, yaw_deg=6.0 * sign)
        if single and side != carrier:
            out += _held_up(plain, contacts, land, length_m)
            continue
        times = [(c.on_s if n else -FOREVER_S, c.off_s) for n, c in enumerate(contacts)]
        for n, (on, off) in enumerate([*times, (land, FOREVER_S)]):
            out.append(replace(
                plain, z=n * length_m, begin_s=on, end_s=off, strike_deg=-29.0 if n else 0.0,
                flat_s=0.07, leave_deg=50.0, leave_s=0.17, swing=fly,
            ))  # fmt: skip
    return out


def _held_up(
    plain: PlannedStance, contacts: Sequence[_Contact], land: float, length_m: float
) -> list[PlannedStance]:
    """The foot of the leg that does not hop: its knee swings up with every take-off."""
    off, on = contacts[0].off_s - 0.66, land + 0.62
    goes = [((c.off_s, 42.0, 84.0), (c.off_s + c.flight_s + 0.06, 22.0, 78.0)) for c in contacts]
    folds = [(0.5 * (off + contacts[0].off_s), 26.0, 80.0), *(f for pair in goes for f in pair),
             (0.5 * (land + on), 24.0, 66.0)]  # fmt: skip
    swing = Swing(folds=tuple(((t - off) / (on - off), hip, knee) for t, hip, knee in folds),
                  pitches=((0.2, -32.0), (0.8, -20.0)),
                  going=(0.0, 0.6, -0.2), coming=(0.0, -0.6, 0.1))  # fmt: skip
    return [
        replace(plain, end_s=off, leave_deg=26.0),
        replace(plain, z=len(contacts) * length_m, begin_s=on, strike_deg=-14.0, swing=swing),
    ]


def _hop_keys(
    contacts: Sequence[_Contact], lands: Sequence[float], stand: float, single: bool, carrier: int
) -> dict[str, list[tuple[float, float]]]:
    first, land = contacts[0].off_s, lands[-1]
    pushes = [(first - 0.24, first), *((on + 0.1, c.off_s) for on, c in
                                       zip(lands[:-1], contacts[1:], strict=True))]  # fmt: skip
    sign = SIGNS[carrier]
    keys: dict[str, list[tuple[float, float]]] = {
        "trunk": [(first - 0.7, 1.5), *(k for a, b in pushes for k in ((a, 11.0), (b + 0.06, 6.0))),
                  (land + 0.18, 12.0), (stand, 1.5)],
        "head": [(first - 0.6, 6.0), (first, 12.0), (land + 0.2, 12.0), (stand, 6.0)],
    }  # fmt: skip
    for n, side in enumerate(SIDES):
        own, elbow = STANDING[f"{side}_arm"], STANDING[f"{side}_elbow"]
        late = 0.02 * n
        # Both arms help both legs; the leg that is held up swings, and arms counter it.
        back, forth = (-26.0, 16.0) if not single else (-24.0, 18.0) if n == carrier else (8.0, -20)
        fold = 52.0 if not single else 66.0 if n == carrier else 44.0
        swing = [k for a, b in pushes for k in ((a + late, back), (b + 0.04 + late, float(forth)))]
        keys[f"{side}_arm"] = [(first - 0.6, own), *swing, (land + 0.16, 0.4 * back), (stand, own)]
        keys[f"{side}_elbow"] = [(first - 0.6, elbow), (first - 0.1, fold), (land, fold),
                                 (stand + 0.1, elbow)]  # fmt: skip
        wide = 17.0 if not single else 19.0 if n == carrier else 27.0
        keys[f"{side}_out"] = [(first - 0.6, 9.0), (first, wide), (land + 0.1, wide),
                               (stand + 0.1, 9.0)]  # fmt: skip
    if single:
        keys["list"] = [(first - 0.7, 0.0), (first - 0.2, 2.0 * sign), (land + 0.3, 2.0 * sign),
                        (stand, 0.0)]  # fmt: skip
        keys["lean"] = keys["list"]
        keys["twist"] = [(first - 0.6, 0.0), *(k for a, b in pushes for k in
                         ((a, -4.0 * sign), (b + 0.04, 6.0 * sign))), (stand, 0.0)]  # fmt: skip
    return keys


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
        lambda low: _run_leap(name, tags, length_m, clear, side, who.leg_m, seed, low, cut), who, 5
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
    # The run goes upright until the foot is planted from which the leap is made.
    level = [0.03 * leg_m - low[part] for part in (0, 0, 0, 1, 4, 4, 4, 4)]
    high, land = 0.1 * leg_m - low[2], -0.05 * leg_m - low[3]
    up = (1.0 + 1.6 * clear) * size
    flight = (up + np.sqrt(up * up + 2.0 * GRAVITY * (high - land))) / GRAVITY
    ahead, behind = 0.34 * leg_m, 0.2 * leg_m
    speed = (length_m - ahead - behind) / flight
    run = speed / 1.02
    # The faster, the shorter the feet stand: a leg sweeps only so far.
    ground, push, catch = 0.48 * leg_m / run, 0.72 * leg_m / run, 0.72 * leg_m / run
    contacts: list[_Contact] = []
    places: list[tuple[float, float]] = []
    now, at = 0.3, 0.0
    for n in range(8):
        leap = n == 3
        c = push if leap else catch if n == 4 else ground * (1.0 if n < 3 else 1.2)
        f = flight if leap else air
        off = at + run * c
        foot = off - ahead if leap else at + behind if n == 4 else at + 0.42 * run * c
        contacts.append(_Contact(
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
    knots = _flight_knots(contacts, [0.0] * 8, places, air)
    cut[:] = [contacts[1].off_s + 0.02, 0.45 * contacts[6].on_s + 0.55 * contacts[6].off_s]
    return Action(
        name=name, tags=tags, seconds=contacts[-1].off_s,
        stances=_leap_feet(contacts, sides, clear, leg_m),
        posture=_leap_posture(contacts, sides, clear, lead, seed), centre=tuple(knots),
        parts=(contacts[3].on_s - 0.5 * air, 0.5 * (contacts[3].on_s + contacts[3].off_s),
               contacts[4].on_s - 0.5 * flight, 0.5 * (contacts[4].on_s + contacts[4].off_s)),
    )  # fmt: skip


def _leap_feet(
    contacts: Sequence[_Contact], sides: Sequence[int], clear: float, leg_m: float
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
        folds=((0.45 * off, 6.0, 88.0), (0.8 * off, 34.0, 100.0), (off, 58.0, 90.0),
               (top, min(high, 86.0), 44.0 + 14.0 * tall),
               (1.0 - last_s / total, float(ahead) + 18.0, 38.0)),
        pitches=((0.25, -46.0), (off, -6.0), (top, -2.0)), settle=0.1, going=(0.0, 0.7, 0.9),
    )  # fmt: skip
    whole = contacts[5].on_s - jump.off_s
    air = (after.on_s - jump.off_s) / whole
    trailing = Swing(
        folds=((0.4 * air, -12.0, 72.0), (0.72 * air, 16.0 + 46.0 * tall, 96.0 + 40.0 * tall),
               (air, 24.0, 94.0), (0.5 + 0.5 * air, 44.0, 78.0)),
        pitches=((0.35 * air, -60.0), (air, -24.0), (0.5 + 0.5 * air, -6.0)), settle=0.3,
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
    contacts: Sequence[_Contact], sides: Sequence[int], clear: float, lead: int, seed: int
) -> PostureKeys:
    keys: dict[str, list[tuple[float, float]]] = {n: [] for n in (
        "yaw", "twist", "list", "left_arm", "right_arm", "left_elbow", "right_elbow")}  # fmt: skip
    for n, (c, side) in enumerate(zip(contacts, sides, strict=True)):
        sign = SIGNS[side]
        big = 1.35 if n == 3 else 1.0
        same, other = SIDES[side], SIDES[1 - side]
        keys["yaw"].append((c.off_s, 7.0 * sign * big))
        keys["twist"].append((c.off_s, -17.0 * sign * big))
        keys["list"].append((0.5 * (c.on_s + c.off_s), 3.0 * sign))
        keys[f"{same}_arm"].append((c.off_s + 0.02, 24.0 * big))
        keys[f"{other}_arm"].append((c.off_s + 0.02, -46.0 * big))
        keys[f"{same}_elbow"].append((c.off_s, 92.0))
        keys[f"{other}_elbow"].append((c.off_s, 74.0))
    jump, after = contacts[3], contacts[4]
    keys["trunk"] = [(jump.on_s - 0.2, 10.0), (jump.on_s + 0.1, 15.0), (jump.off_s, 13.0),
                     (0.5 * (jump.off_s + after.on_s), 15.0), (after.on_s, 7.0),
                     (after.off_s, 11.0), (after.off_s + 0.3, 9.0)]  # fmt: skip
    keys["head"] = [(0.0, 10.0), (jump.on_s, 14.0), (after.on_s, 12.0), (after.off_s, 8.0)]
    for n, arm in enumerate(SIDES):  # arms go wide for balance, that of the leg that leads further
        wide = 58.0 if n == lead else 46.0
        keys[f"{arm}_out"] = [(jump.on_s + 0.06, 13.0), (jump.off_s + 0.14, wide),
                               (after.on_s, 0.8 * wide), (after.off_s + 0.1, 13.0)]  # fmt: skip
    # Over the leg that leads, and back over the one that lands.
    over = 8.0 * SIGNS[lead]
    keys["lean"] = [(jump.on_s, 0.0), (jump.off_s + 0.02, -0.5 * over),
                    (0.5 * (jump.off_s + after.on_s), 0.6 * over), (after.on_s + 0.08, over),
                    (after.off_s + 0.12, 0.0)]  # fmt: skip
    # The higher it goes, the further the knee that trails goes round.
    trail, aside = SIDES[1 - lead], 14.0 + 30.0 * max(0.0, clear - 0.3)
    keys[f"{trail}_knee_out"] = [(jump.off_s, 0.0), (0.5 * (jump.off_s + after.on_s), aside),
                                 (after.on_s + 0.1, 0.0)]  # fmt: skip
    return PostureKeys(keys, 0.04, seed)
