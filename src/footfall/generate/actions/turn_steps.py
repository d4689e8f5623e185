"""Steps that turn: before a seat to sit down on it, and sideways through a narrow place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from footfall.body.clip import Clip
from footfall.body.roles import SIDES
from footfall.errors import check_range
from footfall.generate.actions.action import Action, perform
from footfall.generate.actions.crossing import vary_steps, walk_over
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
from footfall.generate.feet.steps import FOREVER_S, Swing
from footfall.generate.feet.walking_steps import (
    Landing,
    Move,
    feet_together,
    plan_steps,
    step_off_gently,
)
from footfall.generate.performer import MEAN_PERFORMER, Performer
from footfall.generate.sides import SIGNS, side_index
from footfall.maths.constants import MEAN_LEG_M
from footfall.maths.easing import Keys

_SPREAD = 0.2
"""Between the ankles of standing feet, leg lengths."""
_NEVER_S = 100.0
"""So long after sitting down one would rise again."""


@dataclass(frozen=True)
class TurnStep:
    """A step of who turns to the left: where the ankle goes, leg lengths, and the foot points.

    outer  whether it is the right foot's;  yaw_deg  where the body faces when it lands
    arms   how far they swing;  look_deg  how far the head is turned ahead of the chest
    out    how far the foot swings to its own side where it turns
    """

    outer: bool
    x: float
    z: float
    foot_deg: float
    yaw_deg: float
    arms: float
    look_deg: float
    swing_s: float = 0.42
    both_s: float = 0.11
    lift: float = 0.018
    out: float = 0.02


_STEPS = (
    TurnStep(True, -0.08, 0.46, -4.0, -3.0, 0.9, 4.0, 0.42, 0.10),
    TurnStep(False, 0.1, 0.96, 14.0, 7.0, 0.8, 22.0, 0.42, 0.11),
    TurnStep(True, -0.03, 1.3, 72.0, 46.0, 0.5, 36.0, 0.42, 0.12),
    TurnStep(False, 0.0, 1.07, 122.0, 100.0, 0.3, 34.0, 0.42, 0.13),
    TurnStep(True, 0.27, 1.3175, 168.0, 148.0, 0.2, 30.0, 0.44, 0.14),
    TurnStep(False, -0.03, 1.3175, 191.0, 176.0, 0.1, 24.0, 0.42, 0.16),
)
"""The outer foot steps round the inner one, which follows; then both go back to the seat."""
_CLOSED, _LONGEST = 0.24, 0.75
"""Between ankles that closed, and the longest step sideways, leg lengths."""
_IN = (
    TurnStep(True, -0.065, 0.62, -6.0, 0.0, 0.0, 0.0, 0.4, 0.1, 0.05),
    TurnStep(False, 0.065, 0.78, 6.0, 0.0, 0.0, 0.0, 0.39, 0.1, 0.05),
    TurnStep(True, -0.065, 0.76, -4.0, 6.0, 0.0, -6.0, 0.39, 0.1, 0.05),
    TurnStep(False, 0.06, 0.64, 48.0, 32.0, 0.0, -24.0, lift=0.05, out=0.0),
    TurnStep(True, -0.09, 0.56, 64.0, 60.0, 0.0, -42.0, lift=0.03, out=0.0),
    TurnStep(False, -0.07, -_CLOSED, 94.0, 84.0, 0.0, -48.0, 0.36, lift=0.03, out=0.0),
)
_OUT = (
    TurnStep(True, -0.14, 0.56, 40.0, 66.0, 0.0, -44.0, 0.38, lift=0.03, out=0.0),
    TurnStep(False, 0.1, 0.52, 31.0, 30.0, 0.0, -20.0, 0.41, lift=0.05, out=0.12),
    TurnStep(True, -0.065, 0.72, -4.0, 6.0, 0.0, -6.0, 0.39, 0.1, 0.05),
    TurnStep(False, 0.065, 0.74, 6.0, 0.0, 0.0, 0.0, 0.4, 0.11, 0.05),
    TurnStep(True, -0.065, 0.5, -6.0, 0.0, 0.0, 0.0, 0.4, lift=0.05),
)
"""To turn sideways, here to the left, the foot that trails points out and the other steps past it.
To turn back, the foot that leads opens and the other passes in front of it. Each z counts from the
one before."""


def turn_sit(
    seat_m: float = 0.45, *, side: str = "left", who: Performer = MEAN_PERFORMER, seed: int = 0
) -> Clip:
    """Walk from standing to a seat `seat_m` high, turn round before it, and sit down."""
    leg_m, inner = who.leg_m, side_index(side, "side")
    check_range("the height of the seat", seat_m, LOWEST * leg_m, HIGHEST * leg_m, unit="m")
    rng = np.random.default_rng([seed, 80])
    vary = 1.0 + 0.07 * np.clip(rng.normal(size=6), -2.0, 2.0) * (seed != 0)
    tempo = rng.uniform(0.95, 1.06, len(_STEPS)) if seed else np.ones(len(_STEPS))
    moves = [turn_move(step, inner, leg_m, float(t)) for step, t in zip(_STEPS, tempo, strict=True)]
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
        facing=facing_keys(_STEPS, landings, inner, 180.0),
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


def pass_sideways(
    side: str = "left", length_m: float = 0.42, *, who: Performer = MEAN_PERFORMER, seed: int = 0
) -> Clip:
    """Turn sideways out of a walk, make three pairs of steps of `length_m`, and turn back.

    The way goes on along +Z; the foot on that side leads.
    """
    leg_m, inner = who.leg_m, 1 - side_index(side, "side")
    far = check_range("a step", length_m, 0.1 * leg_m, _LONGEST * leg_m, unit="m") / leg_m
    pair = (
        TurnStep(True, -0.08, far + _CLOSED, 86.0, 89.0, 0.0, -48.0, 0.22 + 0.3 * far, 0.1,
                 0.03, 0.0),
        TurnStep(False, -0.08, -_CLOSED, 94.0, 90.0, 0.0, -48.0, 0.2 + 0.26 * far, 0.1, 0.03, 0.0),
    )  # fmt: skip
    rows = (*_IN, *3 * pair, *_OUT)
    ends = np.cumsum([row.z for row in rows]).tolist()
    moves = [turn_move(replace(row, z=z), inner, leg_m) for row, z in zip(rows, ends, strict=True)]
    moves[0] = step_off_gently(moves[0])
    _, landings = plan_steps(vary_steps(moves, seed), feet_together(_SPREAD * leg_m))
    sign = SIGNS[inner]
    look = [(b.on_s - 0.12, sign * a.look_deg) for a, b in zip(rows, landings, strict=True)]
    return walk_over(
        f"pass_{side}_{length_m:.2f}", (f"sidestep_{side}", "walk"), moves, who, seed,
        more={"look": look}, facing=facing_keys(rows, landings, inner, 0.0), in_stride=True,
        gaze=12.0, arms=1.25,
    )  # fmt: skip


def turn_move(step: TurnStep, inner: int, leg_m: float, tempo: float = 1.0) -> Move:
    """Return the step of a body that turns to the side `inner`, 0 left or 1 right."""
    sign, foot = SIGNS[inner], 1 - inner if step.outer else inner
    turns = step.foot_deg > 30.0
    return Move(
        foot, sign * step.x * leg_m, step.z * leg_m, swing_s=step.swing_s * tempo,
        both_s=step.both_s * tempo, yaw_deg=sign * step.foot_deg,
        swing=Swing(
            lift_m=step.lift * leg_m, out_m=step.out * leg_m * turns,
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


def facing_keys(
    steps: Sequence[TurnStep], landings: Sequence[Landing], inner: int, turn_deg: float
) -> Keys:
    """Return where the body faces when its feet land."""
    sign = SIGNS[inner]
    turning = [(b.on_s, sign * a.yaw_deg) for a, b in zip(steps, landings, strict=True)]
    return [(landings[0].off_s - 0.2, 0.0), *turning, (landings[-1].on_s + 0.4, sign * turn_deg)]
