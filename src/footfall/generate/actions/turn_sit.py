"""Walking up to a seat, turning round before it, and sitting down on it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from footfall.body.clip import Clip
from footfall.body.roles import SIDES
from footfall.errors import check_range
from footfall.generate.actions.action import Action, perform
from footfall.generate.actions.footwork import Book, hips_height
from footfall.generate.actions.postures import STANDING, PostureKeys
from footfall.generate.actions.sitting import (
    HIGHEST,
    LOWEST,
    SEAT_TO_HIPS_M,
    SEATED_S,
    feel_for_seat,
    hands_in_lap,
    sitting_posture,
)
from footfall.generate.bodies.balancing import Pin
from footfall.generate.feet.steps import FOREVER_S, PlannedStance, Swing
from footfall.generate.feet.walking_steps import (
    Landing,
    Move,
    feet_together,
    plan_steps,
    step_off_gently,
)
from footfall.generate.performer import MEAN_PERFORMER, Performer
from footfall.generate.sides import SIGNS, side_index
from footfall.maths.arrays import Floats
from footfall.maths.constants import MEAN_LEG_M
from footfall.maths.easing import Keys

_SPREAD = 0.2
"""Between the ankles of standing feet, leg lengths."""
_NEVER_S = 100.0
"""So long after sitting down one would rise again."""


@dataclass(frozen=True)
class _Step:
    """A step of who turns to the left: where the ankle goes, leg lengths, and the foot points.

    outer  whether it is the right foot's;  yaw_deg  where the body faces when it lands
    arms   how far they swing;  look_deg  how far the head is turned ahead of the chest
    """

    outer: bool
    x: float
    z: float
    foot_deg: float
    yaw_deg: float
    arms: float
    look_deg: float
    swing_s: float
    both_s: float
    lift: float = 0.018


_STEPS = (
    _Step(True, -0.08, 0.46, -4.0, -3.0, 0.9, 4.0, 0.42, 0.10),
    _Step(False, 0.1, 0.96, 14.0, 7.0, 0.8, 22.0, 0.42, 0.11),
    _Step(True, -0.03, 1.3, 72.0, 46.0, 0.5, 36.0, 0.42, 0.12),
    _Step(False, 0.0, 1.07, 122.0, 100.0, 0.3, 34.0, 0.42, 0.13),
    _Step(True, 0.27, 1.3175, 168.0, 148.0, 0.2, 30.0, 0.44, 0.14),
    _Step(False, -0.03, 1.3175, 191.0, 176.0, 0.1, 24.0, 0.42, 0.16),
)
"""The outer foot steps round the inner one, which follows; then both go back to the seat."""


def turn_sit(
    seat_m: float = 0.45, *, side: str = "left", who: Performer = MEAN_PERFORMER, seed: int = 0
) -> Clip:
    """From standing, walk up to a seat `seat_m` high, turn round to a side before it, and sit
    down; ends seated, facing where it came from."""
    leg_m, inner = who.leg_m, side_index(side, "side")
    check_range("the height of the seat", seat_m, LOWEST * leg_m, HIGHEST * leg_m, unit="m")
    rng = np.random.default_rng([seed, 80])
    vary = 1.0 + 0.07 * np.clip(rng.normal(size=6), -2.0, 2.0) * (seed != 0)
    tempo = rng.uniform(0.95, 1.06, len(_STEPS)) if seed else np.ones(len(_STEPS))
    moves = [_move(step, inner, leg_m, float(t)) for step, t in zip(_STEPS, tempo, strict=True)]
    moves[0] = step_off_gently(moves[0])
    stances, landings = plan_steps(moves, feet_together(_SPREAD * leg_m))
    hips = (seat_m + SEAT_TO_HIPS_M * leg_m / MEAN_LEG_M) / leg_m
    lean = landings[-1].on_s + 0.1
    touch = lean + 0.22 + (1.33 - 0.389 * hips) * float(vary[0])
    never = touch + _NEVER_S
    times = lean, touch, never, never + 1.0, never + 2.0
    drop = (hips - 1.089) * leg_m + 0.007 * leg_m / MEAN_LEG_M
    walking = [k for k in hips_height(landings, leg_m) if k[0] < lean + 0.1]
    final = [[s for s in stances if s.side == n][-1] for n in range(2)]
    back = (0.44 - 0.2 * hips) * leg_m
    aside = -who.style.ahead
    plain = Action(
        name=f"turn_sit_{seat_m:.2f}_{side}", tags=("sit_down", "sit"), seconds=touch + SEATED_S,
        stances=stances, posture=PostureKeys(),
        height=(*walking, (lean + 0.2, 0.0), (touch, drop)),
        weight=_weight(stances, landings), facing=_facing(landings, inner),
        pin=Pin(0.5 * (final[0].x + final[1].x), 0.5 * (final[0].z + final[1].z) + back, touch,
                FOREVER_S, 0.85 * (touch - lean - 0.2)),
        touches=(("seat", touch, FOREVER_S),),
    )  # fmt: skip

    def bent(degrees: float) -> Action:
        sits = sitting_posture(hips, times, vary, seed, aside, SIGNS[inner], degrees)
        return replace(plain, posture=_posture(landings, inner, sits))

    action, seated = feel_for_seat(bent, who, seat_m, -1, aside)
    hands = hands_in_lap(seated, -1, leg_m, times, aside)
    return perform(replace(action, hands=hands), who)


def _move(step: _Step, inner: int, leg_m: float, tempo: float) -> Move:
    """The step of who turns to the side `inner`, 0 left or 1 right."""
    sign, foot = SIGNS[inner], 1 - inner if step.outer else inner
    turns = step.foot_deg > 30.0
    return Move(
        foot, sign * step.x * leg_m, step.z * leg_m, swing_s=step.swing_s * tempo,
        both_s=step.both_s * tempo, yaw_deg=sign * step.foot_deg,
        swing=Swing(
            lift_m=step.lift * leg_m, out_m=0.02 * leg_m * turns,
            pitches=((0.3, -13.0), (0.8, -1.0)) if turns else ((0.3, -30.0), (0.8, 10.0)),
        ),
        strike_deg=-3.0 if turns else 7.0, leave_deg=19.0 if turns else 26.0, leave_s=0.24,
    )  # fmt: skip


def _posture(landings: Sequence[Landing], inner: int, sits: PostureKeys) -> PostureKeys:
    """The walk and the turn, the head first, and then the sitting down."""
    sign, first = SIGNS[inner], landings[0].off_s
    book: Book = {
        "twist": [(first - 0.2, 0.0)], "look": [(first - 0.2, 0.0)],
        "trunk": [(first - 0.35, STANDING["trunk"]), (first + 0.1, 4.0)],
        "head": [(first - 0.5, STANDING["head"]), (first, 16.0), (landings[2].on_s, 20.0),
                 (landings[4].on_s, 18.0)],
    }  # fmt: skip
    for name in SIDES:
        for part in ("arm", "elbow", "out"):
            book[f"{name}_{part}"] = [(first - 0.3, STANDING[f"{name}_{part}"])]
    for step, landing in zip(_STEPS, landings, strict=True):
        at = landing.on_s
        book["look"].append((at - 0.1, sign * step.look_deg))
        forward = SIGNS[landing.move.side] * step.arms
        book["twist"].append((at, 7.0 * forward + 0.16 * sign * step.look_deg))
        for n, name in enumerate(SIDES):
            swing = SIGNS[n] * forward
            book[f"{name}_arm"].append((at, -4.0 - 14.0 * swing))
            book[f"{name}_elbow"].append((at, 26.0 - 6.0 * swing))
            book[f"{name}_out"].append((at, 9.0 + 4.0 * (step.foot_deg > 30.0)))
    for name in ("look", "twist"):
        book[name].append((landings[-1].on_s + 0.35, 0.0))
    for name, keys in sits.keys.items():
        book[name] = [k for k in book.get(name, []) if k[0] < keys[0][0] - 0.1] + list(keys)
    return replace(sits, keys=book)


def _facing(landings: Sequence[Landing], inner: int) -> Keys:
    """Where the body faces when its feet land."""
    sign = SIGNS[inner]
    turning = [
        (landing.on_s, sign * step.yaw_deg)
        for step, landing in zip(_STEPS, landings, strict=True)
    ]  # fmt: skip
    return [(landings[0].off_s - 0.2, 0.0), *turning, (landings[-1].on_s + 0.4, sign * 180.0)]


def _weight(stances: Sequence[PlannedStance], landings: Sequence[Landing]) -> tuple[Keys, Keys]:
    """Where the weight presses: on the foot that stands, and in the end between both."""
    last = [next(s for s in stances if s.side == n) for n in range(2)]
    keys = [(landings[0].off_s - 0.5, _between(last))]
    for landing in landings:
        side = landing.move.side
        carrier = last[1 - side]
        keys += [(landing.off_s, _sole(carrier, 0.35)), (landing.on_s, _sole(carrier, 0.75))]
        last[side] = next(s for s in stances if s.side == side and s.begin_s >= landing.on_s - 1e-6)
    keys.append((landings[-1].on_s + 0.45, _between(last)))
    return tuple([(at, float(place[axis])) for at, place in keys] for axis in range(2))  # type: ignore[return-value]


def _between(feet: Sequence[PlannedStance]) -> Floats:
    return np.asarray(0.5 * (_sole(feet[0], 0.5) + _sole(feet[1], 0.5)))


def _sole(stance: PlannedStance, along: float) -> Floats:
    """(2,) a point of a sole, 0 at the heel and 1 at the ball, a little to the inside."""
    yaw, ahead = math.radians(stance.yaw_deg), -0.05 + 0.17 * along
    inside = -0.012 * SIGNS[stance.side]
    return np.array([
        stance.x + inside * math.cos(yaw) + ahead * math.sin(yaw),
        stance.z - inside * math.sin(yaw) + ahead * math.cos(yaw),
    ])  # fmt: skip
