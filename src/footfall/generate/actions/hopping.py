"""Small hops, on both legs or on one, each a little unlike the last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from footfall.body.clip import Clip
from footfall.body.roles import SIDES
from footfall.errors import InputError, check_range, check_whole, choices
from footfall.generate.actions.action import Action, lower_to_reach, perform
from footfall.generate.actions.flights import Contact, Knot, flight_knots
from footfall.generate.actions.postures import STANDING, PostureKeys
from footfall.generate.feet.steps import FOREVER_S, PlannedStance, Swing
from footfall.generate.performer import MEAN_PERFORMER, Performer
from footfall.generate.sides import SIGNS
from footfall.maths.arrays import Floats
from footfall.maths.constants import MEAN_LEG_M

_STILL = np.zeros(3)
_HOP_S, _HOP_GROUND_S, _HOP_BRAKE = 0.211, (0.31, 0.345), 19.0
"""How long hops fly, how long both legs and one stay on the ground between them, and how hard it
pushes soon after landing, m/s²."""
_LENGTHS, _FLIGHTS, _GROUNDS, _ASIDE = 0.11, 0.04, 0.09, 0.012
"""How much hops of a row differ at most, as a share: how far they go, how long they fly, how long
they stand before; and how far aside those on one leg land, leg lengths."""
_LATE_S, _STAGGER = 0.012, 0.008
"""How much later the second of two feet lands, and how far it is behind, leg lengths."""
_OVER = 0.62
"""How much of its way over the foot a body goes past the middle, to push off."""


@dataclass(frozen=True, eq=False)
class _Row:
    """How the hops of a row differ, each number from -1 to 1.

    length, flight, ground, aside   of each hop;  swing (N, 4) of arms, trunk and the other leg
    first                           the foot that lands first of two
    """

    length: Floats
    flight: Floats
    ground: Floats
    aside: Floats
    swing: Floats
    first: int

    @classmethod
    def drawn(cls, count: int, seed: int) -> _Row:
        """That of a seed: hops one after the other differ, and go as far as asked together."""
        draw = np.random.default_rng([seed, 73])
        turns = np.where(np.arange(count) % 2 == draw.integers(2), 1.0, -1.0)[:, None]
        found = turns * draw.uniform(0.3, 1.0, (count, 8))
        found[:, 0] -= found[:, 0].mean()
        found[:, [2, 3, 5, 6, 7]] *= np.where(draw.random((count, 5)) < 0.3, -1.0, 1.0)
        aside = np.append(found[:-1, 3], 0.0)
        first = int(draw.integers(2))
        return cls(found[:, 0], found[:, 1], found[:, 2], aside, found[:, 4:], first)


def hop(
    length_m: float = 0.35, *, count: int = 3, legs: str = "both", who: Performer = MEAN_PERFORMER,
    seed: int = 0,
) -> Clip:  # fmt: skip
    """From standing, `count` small hops of about `length_m` each, on both legs or on one, and
    stand; all together go `count` times as far."""
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
    row = _Row.drawn(count, seed)
    # The leg stretches over its toes and lands on them lower, a little bent: it flies on down.
    high, down = 0.095 * leg_m - low[0::2], 0.05 * leg_m - low[1::2]
    ground = _HOP_GROUND_S[single] * size
    ready = 1.63 if single else 0.95
    middle = 0.055 * leg_m
    side = 0.11 * leg_m * SIGNS[carrier] if single else 0.0
    ahead = min(0.5 * length_m, 0.17 * leg_m)
    at = np.append(0.0, np.cumsum(length_m * (1.0 + _LENGTHS * row.length)))
    x = side + np.append(0.0, _ASIDE * leg_m * row.aside * single)
    places = [(z + middle - (1.0 - _OVER) * ahead, z + middle + _OVER * ahead) for z in at]
    contacts = []
    now = ready
    for n in range(count):
        flight = _HOP_S * size * (1.0 + _FLIGHTS * row.flight[n])
        stands = ground * (1.0 + _GROUNDS * row.ground[n] * (n > 0))
        speed = (places[n + 1][0] - places[n][1]) / flight
        contacts.append(Contact(now, now + stands, at[n], down[n - 1], high[n], flight, speed,
                                _HOP_BRAKE if n else 0.0))  # fmt: skip
        now += stands + flight
    late = contacts[0].off_s - ready
    contacts = [replace(c, on_s=c.on_s - late, off_s=c.off_s - late) for c in contacts]
    land = now - late
    # Of the first of them only the take-off is meant, of the last only the landing.
    last = replace(contacts[-1], on_s=land, off_s=land + ground, low=down[-1], brake=_HOP_BRAKE)
    chain = flight_knots([*contacts, last], list(x), places, _HOP_S)[1:-1]
    rest = [np.array([0.0, 0.0, middle]), np.array([0.0, 0.0, at[-1] + middle])]
    knots: list[Knot] = [(0.0, rest[0], _STILL, _STILL), (0.3, rest[0], _STILL, _STILL)]
    if single:  # the weight goes over before the other foot leaves
        knots.append((1.0, np.array([0.92 * side, -0.015 * leg_m, middle]), _STILL, _STILL))
    dip = 0.095 * leg_m
    bottom = ready - 0.27 * size
    knots.append((bottom, np.array([side, -dip, middle]), np.array([0.0, 0.0, 0.0]),
                  np.array([0.0, 6.0 * dip / (bottom - knots[-1][0]) ** 2,
                            0.3 * contacts[0].speed])))  # fmt: skip
    knots += chain
    deep, stand = land + 0.17 * size, land + (1.05 if single else 0.8)
    knots += [
        (deep, np.array([side, -dip, at[-1] + middle + 0.12 * ahead]),
         np.array([0.0, 0.0, 0.1 * contacts[-1].speed]),
         np.array([0.0, 6.5 * dip / (stand - deep) ** 2, -0.5 * contacts[-1].speed])),
        (stand, rest[1], _STILL, _STILL), (stand + 0.6, rest[1], _STILL, _STILL),
    ]  # fmt: skip
    lands = [*(c.on_s for c in contacts[1:]), land]
    turns = [t for c, lands_s in zip(contacts, lands, strict=True)
             for t in (0.5 * (c.off_s + lands_s), lands_s + 0.5 * ground)]  # fmt: skip
    return Action(
        name=f"hop_{length_m:.2f}_{legs}", tags=("hop",), seconds=stand + 0.6,
        stances=tuple(_feet(contacts, land, list(at), x - side, leg_m, single, carrier, row)),
        posture=PostureKeys(_keys(contacts, lands, stand, single, carrier, row), 0.05, seed),
        centre=tuple(knots), parts=tuple(turns),
    )  # fmt: skip


def _feet(
    contacts: Sequence[Contact], land: float, at: Sequence[float], aside: Floats, leg_m: float,
    single: bool, carrier: int, row: _Row,
) -> list[PlannedStance]:  # fmt: skip
    # Toes leave last: the leg is at its longest shortly after.
    fly = Swing(folds=((0.22, -6.0, 8.0), (0.65, 11.0, 30.0)), pitches=((0.5, -36.0),), settle=0.35)
    out: list[PlannedStance] = []
    for side, sign in enumerate(SIGNS):
        plain = PlannedStance(side, 0.11 * sign * leg_m, 0.0, yaw_deg=6.0 * sign)
        if single and side != carrier:
            out += _held_up(plain, contacts, land, at[-1], row)
            continue
        late = 0.0 if single or side == row.first else 1.0
        times = [(c.on_s if n else -FOREVER_S, c.off_s) for n, c in enumerate(contacts)]
        for n, (on, off) in enumerate([*times, (land, FOREVER_S)]):
            stagger = 0.0 if single else _STAGGER * leg_m * (0.5 - late) * (n > 0)
            out.append(replace(
                plain, x=plain.x + aside[n], z=at[n] + 2.0 * stagger,
                begin_s=on + _LATE_S * late * (n > 0), end_s=off,
                strike_deg=-29.0 if n else 0.0, flat_s=0.07, leave_deg=50.0, leave_s=0.17,
                swing=fly,
            ))  # fmt: skip
    return out


def _held_up(
    plain: PlannedStance, contacts: Sequence[Contact], land: float, end: float, row: _Row
) -> list[PlannedStance]:
    """The foot of the leg that does not hop: its knee swings up with every take-off and its shank
    after it, and both swing back when the other foot lands."""
    off, on = contacts[0].off_s - 0.66, land + 0.62
    folds = [(0.5 * (off + contacts[0].off_s), 24.0, 80.0)]
    for n, c in enumerate(contacts):
        more, opens = row.swing[n, 0], row.swing[n, 1]
        folds += [(c.off_s, 40.0 + 7.0 * more, 84.0 + 4.0 * opens),
                  (c.off_s + 0.6 * c.flight_s, 37.0 + 6.0 * more, 64.0 + 8.0 * opens),
                  (c.off_s + c.flight_s + 0.1, 17.0 - 5.0 * more, 82.0 + 6.0 * opens)]  # fmt: skip
    folds.append((0.5 * (land + on), 22.0, 62.0))
    swing = Swing(folds=tuple(((t - off) / (on - off), hip, knee) for t, hip, knee in folds),
                  pitches=((0.2, -32.0), (0.8, -20.0)),
                  going=(0.0, 0.6, -0.2), coming=(0.0, -0.6, 0.1))  # fmt: skip
    return [
        replace(plain, end_s=off, leave_deg=26.0),
        replace(plain, z=end, begin_s=on, strike_deg=-14.0, swing=swing),
    ]


def _keys(
    contacts: Sequence[Contact], lands: Sequence[float], stand: float, single: bool, carrier: int,
    row: _Row,
) -> dict[str, list[tuple[float, float]]]:  # fmt: skip
    first, land = contacts[0].off_s, lands[-1]
    begins = [first - 0.24, *(on + 0.1 for on in lands[:-1])]
    pushes = [(begin, c.off_s, *row.swing[n]) for n, (begin, c) in
              enumerate(zip(begins, contacts, strict=True))]  # fmt: skip
    sign = SIGNS[carrier]
    keys: dict[str, list[tuple[float, float]]] = {
        "trunk": [(first - 0.7, 1.5), *(k for a, b, _, _, lean, _ in pushes for k in
                  ((a, 11.0 + 3.0 * lean), (b + 0.06, 5.5 - 1.5 * lean))),
                  (land + 0.18, 12.0), (stand, 1.5)],
        "head": [(first - 0.6, 6.0), (first, 12.0), (land + 0.2, 12.0), (stand, 6.0)],
    }  # fmt: skip
    for n, side in enumerate(SIDES):
        keys |= _arm(side, n, pushes, land, stand, single, carrier)
    if single:
        keys["list"] = [(first - 0.7, 0.0), (first - 0.2, 2.0 * sign), (land + 0.3, 2.0 * sign),
                        (stand, 0.0)]  # fmt: skip
        keys["lean"] = [(first - 0.7, 0.0), *((b, (2.0 + 2.5 * aside) * sign)
                        for _, b, _, _, _, aside in pushes), (land + 0.2, 3.0 * sign),
                        (stand, 0.0)]  # fmt: skip
        keys["twist"] = [(first - 0.6, 0.0), *(k for a, b, more, *_ in pushes for k in
                         ((a, -(4.0 + more) * sign), (b + 0.04, (6.0 + 2.0 * more) * sign))),
                         (stand, 0.0)]  # fmt: skip
    return keys


def _arm(
    side: str, n: int, pushes: Sequence[tuple[float, ...]], land: float, stand: float, single: bool,
    carrier: int,
) -> dict[str, list[tuple[float, float]]]:  # fmt: skip
    """Keys of an arm: both help both legs; the leg that is held up swings, and arms counter it."""
    rest = {part: STANDING[f"{side}_{part}"] for part in ("arm", "out", "elbow", "turn")}
    first, late = pushes[0][1], 0.02 * n
    back, forth = (-26.0, 15.0) if not single else (-26.0, 15.0) if n == carrier else (9.0, -22.0)
    fold = 50.0 if not single else 62.0 if n == carrier else 40.0
    wide = 17.0 if not single else 18.0 if n == carrier else 28.0
    swing, bend, out = [], [], []
    for a, b, more, opens, lean, aside in pushes:
        odd = lean if n == carrier else aside
        swing += [(a + late, back * (1.0 + 0.2 * more) + 3.0 * odd),
                  (b + 0.04 + late, forth * (1.0 + 0.25 * opens) - 3.0 * odd)]  # fmt: skip
        # Elbows fold where arms come forward, and open where they go back.
        turn = 13.0 if forth > back else -10.0
        bend += [(a + late, fold - turn + 4.0 * odd),
                 (b + 0.04 + late, fold + turn + 5.0 * more)]  # fmt: skip
        out += [(a, wide - 2.0), (b + 0.06, wide + 3.0 + 4.0 * aside)]
    return {
        f"{side}_arm": [(first - 0.6, rest["arm"]), *swing, (land + 0.12 + late, 0.6 * back),
                        (land + 0.4 + late, 0.4 * forth), (stand, rest["arm"])],
        f"{side}_elbow": [(first - 0.6, rest["elbow"]), *bend, (land + 0.14, fold - 8.0),
                          (stand + 0.1, rest["elbow"])],
        f"{side}_out": [(first - 0.6, rest["out"]), *out, (land + 0.1, wide),
                        (stand + 0.1, rest["out"])],
        f"{side}_turn": [(first - 0.5, rest["turn"]), (first, 30.0), (land, 30.0),
                         (stand, rest["turn"])],
    }  # fmt: skip
