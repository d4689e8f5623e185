"""Along a beam: feet on one line, arms out, a balance that is caught."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from footfall.body.clip import Clip
from footfall.body.roles import SIDES
from footfall.errors import check_range, check_whole
from footfall.generate.actions.action import Action, perform
from footfall.generate.actions.crossing import beside, both_sides, toes_out
from footfall.generate.actions.footwork import Book, gait_angles, hips_height
from footfall.generate.actions.postures import PostureKeys
from footfall.generate.feet.steps import Swing
from footfall.generate.feet.walking_steps import Landing, Move, feet_together, plan_steps
from footfall.generate.performer import MEAN_PERFORMER, Performer
from footfall.generate.sides import SIGNS

_LEAN_DEG, _OUT_DEG = 6.2, (60.0, 14.0)
"""How far the trunk goes to catch the balance at every step; how far out arms are held, and how far
they go up and down with it."""
_EVERY = 4
"""Of so many steps one is a wobble."""
_WOBBLE, _BACK, _HOLD_S = (1.9, 2.4), -0.6, 0.18
"""How many times as far as at other steps the trunk goes in a wobble, how far it comes back over to
the other side after it, and how much longer both feet stand then."""
_THROWN_DEG, _DROPPED_DEG, _STRETCHED_DEG = 26.0, 11.0, 9.0
"""How far up, for each of those times, the arm opposite to where the trunk goes is thrown, how far
the other one goes down, and the bend that is left of the elbow of the first."""
_LIST_DEG, _SINK_M = -5.0, 0.022
"""How far the pelvis lists with the trunk then (its left side up), for each of those times beyond
what steps have, and how far hips sink,
leg lengths."""
_LEG_OUT, _LEG_SLOW = 0.15, 1.2
"""How far out the leg that swings goes then, leg lengths, and how many times as long."""
Curve = list[tuple[float, float]]


def beam(
    steps: int = 8, *, step_m: float = 0.38, lead: str = "right", who: Performer = MEAN_PERFORMER,
    seed: int = 0,
) -> Clip:  # fmt: skip
    """Walk along a beam: feet on one line, arms out, slow careful steps, now and then a wobble.

    Starts and ends with one foot before the other.
    """
    leg_m = who.leg_m
    check_whole("the number of steps", steps, 4, 60)
    check_range("the step", step_m, 0.3 * leg_m, 0.55 * leg_m, unit="m")
    sides = both_sides(lead)
    half = 0.012
    rng = np.random.default_rng([seed, 75])
    feet = feet_together(2.0 * half * leg_m, 4.0)
    feet = tuple(replace(f, z=0.5 * step_m if f.side == sides[1] else -0.5 * step_m) for f in feet)  # type: ignore[assignment]
    wobbles = {
        n + int(rng.integers(1, _EVERY)): float(rng.uniform(*_WOBBLE))
        for n in range(0, steps - _EVERY + 1, _EVERY)
    }
    moves = [
        _careful_step(n, sides[n % 2], step_m, leg_m, half, wobbles, rng) for n in range(steps)
    ]
    stands, landings = plan_steps(moves, feet, 1.25)
    keys = gait_angles(landings, leg_m, 0.0)
    _balance(keys, landings, wobbles, rng)
    height = [
        (t, y - _SINK_M * leg_m * _near(t, landings, wobbles))
        for t, y in hips_height(landings, leg_m)
    ]
    return perform(
        Action(
            name=f"beam_{steps}_{lead}", tags=("beam",), seconds=landings[-1].on_s + 1.9,
            stances=stands, posture=PostureKeys(keys, 0.09, seed), height=height,
        ),
        who,
    )  # fmt: skip


def _careful_step(
    n: int, side: int, step_m: float, leg_m: float, half: float, wobbles: Mapping[int, float],
    rng: np.random.Generator,
) -> Move:  # fmt: skip
    """A step along the beam, and a wider and slower one where the body wobbles."""
    wobbles_now, before = n in wobbles, n - 1 in wobbles
    return Move(
        side, beside(side, leg_m, half), (0.5 + n + 1.0) * step_m,
        swing_s=0.53 * float(rng.uniform(0.85, 1.2)) * (_LEG_SLOW if wobbles_now else 1.0),
        both_s=0.22 * float(rng.uniform(0.7, 1.5)) + (_HOLD_S if before else 0.0),
        yaw_deg=toes_out(side, 4.0),
        swing=Swing(lift_m=0.07 * leg_m, out_m=(_LEG_OUT if wobbles_now else 0.076) * leg_m,
                    pitches=((0.25, -24.0), (0.75, -2.0))),
        strike_deg=-3.0, leave_deg=26.0,
    )  # fmt: skip


def _near(second: float, landings: Sequence[Landing], wobbles: Mapping[int, float]) -> float:
    """1 while a wobble lasts, else 0."""
    spans = ((landings[n].off_s + 0.1, landings[n].on_s + 0.3) for n in wobbles)
    return float(any(a <= second <= b for a, b in spans))


def _balance(
    keys: Book, landings: Sequence[Landing], wobbles: Mapping[int, float], rng: np.random.Generator
) -> None:
    """Twice a step the balance is caught: the trunk bends to one side, the arm of the other goes
    up; now and then it is nearly lost, and that arm is thrown."""
    catches: Curve = []
    for n, step in enumerate(landings):
        falls = np.clip(rng.normal(0.0, 0.6, 2), -1.3, 1.3)
        if n in wobbles:  # away from the leg that is in the air, and back over to the other side
            falls = -SIGNS[step.move.side] * wobbles[n] * np.array([1.0, _BACK])
        middle = 0.4 * step.off_s + 0.6 * step.on_s
        catches += [(middle, float(falls[0])), (step.on_s + 0.22, float(falls[1]))]
    catches.append((catches[-1][0] + 0.5, 0.0))  # and in the end it is found
    keys["lean"] = [(0.0, 0.0), *((t, _LEAN_DEG * f) for t, f in catches)]
    keys["list"] = [(0.0, 0.0), *((t, _LIST_DEG * _wild(f)) for t, f in catches)]
    for side, sign in zip(SIDES, SIGNS, strict=True):
        out, elbow = [(0.0, _OUT_DEG[0])], [(0.0, 28.0)]
        for t, fall in catches:
            up, wild = -sign * fall, -sign * _wild(fall)
            out.append((t - 0.04, _OUT_DEG[0] + _OUT_DEG[1] * (up + float(rng.uniform(-0.35, 0.35)))
                        + (_THROWN_DEG if wild > 0.0 else _DROPPED_DEG) * wild))  # fmt: skip
            loose = 30.0 + float(rng.uniform(-18, 18))
            elbow.append((t - 0.04, _STRETCHED_DEG if wild > 0.0 else loose))
        keys[f"{side}_out"], keys[f"{side}_elbow"] = out, elbow
        keys[f"{side}_arm"] = [
            (0.0, 4.0), *((s.on_s, 4.0 + float(rng.uniform(-14, 14))) for s in landings),
        ]  # fmt: skip
    keys["trunk"] = [(0.0, 3.0), *((t, 3.0 + 4.0 * abs(_wild(f))) for t, f in catches)]
    keys["head"] = [(0.0, 24.0), *((s.on_s, float(rng.uniform(14.0, 28.0))) for s in landings)]


def _wild(fall: float) -> float:
    """How much of a fall is more than what is caught at every step."""
    return math.copysign(max(abs(fall) - 1.3, 0.0), fall)
