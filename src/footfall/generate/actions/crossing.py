"""What all who go over, onto, off, up, down or under things share: plain steps from standing to
standing, and the clip of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from footfall.body.clip import Clip
from footfall.errors import check_range
from footfall.generate.actions.action import Action, perform
from footfall.generate.actions.footwork import Book, gait_angles, hips_height
from footfall.generate.actions.postures import STANDING, PostureKeys
from footfall.generate.feet.steps import Swing
from footfall.generate.feet.walking_steps import (
    Landing,
    Move,
    feet_together,
    plan_steps,
    step_off_gently,
)
from footfall.generate.performer import MEAN_PERFORMER, Performer
from footfall.generate.sides import SIGNS, side_index

_LONG_S, _KNOWN_BY, _KNOWN = 2.0, 0.4, 0.4
"""The way over longer steps than this is known by this part of it, and then looked at so much."""
_STAYS_BENT = 0.5
"""How much of the trunk's lean is left when the last foot has landed."""
SPREAD = 0.2
"""Between the ankles of standing feet, leg lengths."""
_LINE = 0.075
"""How far beside its path a walking foot stands, leg lengths."""
END_S = 0.95
"""How long a clip goes on after the last foot has landed."""


def both_sides(lead: str) -> tuple[int, int]:
    """The sides of the foot that leads and of the other."""
    first = side_index(lead)
    return first, 1 - first


def beside(side: int, leg_m: float, half: float = _LINE) -> float:
    """How far left of the path a foot stands that is `half` leg lengths beside it."""
    return half * leg_m * SIGNS[side]


def toes_out(side: int, degrees: float = 6.0) -> float:
    """Where a foot points, to the left, whose toes are out by some degrees."""
    return degrees * SIGNS[side]


def plain_step(side: int, z: float, leg_m: float, **more: object) -> Move:
    """A plain step, changed as `more` says."""
    plain = Move(
        side, beside(side, leg_m), z, yaw_deg=toes_out(side),
        swing=Swing(lift_m=0.05 * leg_m, pitches=((0.3, -32.0), (0.8, 12.0))),
    )  # fmt: skip
    return replace(plain, **more)  # type: ignore[arg-type]


def walk_over(
    name: str, tags: tuple[str, ...], moves: list[Move], who: Performer, seed: int,
    *, more: Mapping[str, list[tuple[float, float]]] | None = None, arms: float = 1.0,
    turns: float = 1.0, trunk: float = 4.0, rock: float = 0.0, gaze: float = 20.0,
    level: float = 0.0, softness_s: float = 0.075, sways: float = 1.0,
) -> Clip:  # fmt: skip
    """The clip of steps from standing to standing.

    arms, turns  how far arms swing, and hips and shoulders turn, against a plain walk
    trunk, rock  how far it leans on the way, and how much further, degrees, whenever the weight
                 goes over to the foot that has landed, less in between
    gaze         how far the head looks down at first, degrees
    sways        how far the trunk bends over the foot that carries, against what is usual
    """
    leg_m = who.leg_m
    start = feet_together(SPREAD * leg_m)
    start = (replace(start[0], y=level), replace(start[1], y=level))
    stands, landings = plan_steps(vary_steps(moves, seed), start)
    keys: Book = gait_angles(landings, leg_m, arms, turns)
    first, last = landings[0].off_s, landings[-1].on_s
    keys["trunk"] = _trunk_keys(landings, trunk, rock)
    keys["head"] = _gaze_keys(first, last, gaze)
    keys.update(more or {})
    hips = hips_height(landings, leg_m, level)
    return perform(
        Action(
            name=name, tags=tags, seconds=last + END_S, stances=stands,
            posture=PostureKeys(keys, softness_s, seed), height=hips, sways=sways,
        ),
        who,
    )  # fmt: skip


def _trunk_keys(
    landings: Sequence[Landing], trunk: float, rock: float
) -> list[tuple[float, float]]:
    """How the trunk leans over steps from standing to standing."""
    first, last = landings[0].off_s, landings[-1].on_s
    keys = [(first - 0.35, STANDING["trunk"]), (first + 0.1, trunk)]
    for b in landings[1:]:
        keys += [(b.off_s, trunk + rock), (0.45 * b.off_s + 0.55 * b.on_s, trunk - 0.7 * rock)]
    still = STANDING["trunk"]
    return [*keys, (last + 0.05, still + _STAYS_BENT * (trunk - still)), (last + 0.5, still)]


def _gaze_keys(first: float, last: float, gaze: float) -> list[tuple[float, float]]:
    """How far down heads look from the first to the last step: eyes come up as soon as the way is
    known, and when it ends."""
    keys = [(first - 0.6, STANDING["head"]), (first - 0.2, gaze)]
    if last - first > _LONG_S:
        known = first + _KNOWN_BY * (last - first)
        keys += [(known, _KNOWN * gaze), (last - 0.9, 0.6 * gaze)]
    return [*keys, (last - 0.25, _KNOWN * gaze), (last + 0.4, STANDING["head"])]


def vary_steps(moves: list[Move], seed: int) -> list[Move]:
    """The moves with the small differences that steps have."""
    if seed == 0:
        return moves
    rng = np.random.default_rng([seed, 74])
    return [
        replace(
            m, swing_s=m.swing_s * float(rng.uniform(0.95, 1.06)),
            both_s=m.both_s * float(rng.uniform(0.9, 1.15)),
            yaw_deg=m.yaw_deg + float(rng.uniform(-2.0, 2.0)),
        )
        for m in moves
    ]  # fmt: skip


def closing_step(side: int, z: float, leg_m: float, y: float = 0.0, **more: object) -> Move:
    """The step that puts a foot beside the other, to stand."""
    plain = Move(
        side, beside(side, leg_m, 0.5 * SPREAD), z, y, swing_s=0.48, yaw_deg=toes_out(side, 7.0),
        swing=Swing(lift_m=0.035 * leg_m, pitches=((0.3, -22.0), (0.8, 3.0))), strike_deg=3.0,
        leave_deg=30.0,
    )  # fmt: skip
    return replace(plain, **more)  # type: ignore[arg-type]


# Over things: steps with feet that clear them.


def step_over(
    height_m: float = 0.25, *, depth_m: float = 0.08, lead: str = "right",
    who: Performer = MEAN_PERFORMER, seed: int = 0,
) -> Clip:  # fmt: skip
    """From standing, walk up to something `height_m` high, step over it, walk on and stop.

    The thing is centred 1.3 leg lengths ahead of where the ankles start.
    """
    leg_m = who.leg_m
    check_range("the height of what is stepped over", height_m, 0.02, 0.47 * leg_m, unit="m")
    check_range("its depth", depth_m, 0.0, 0.25 * leg_m, unit="m")
    first, second = both_sides(lead)
    h = height_m / leg_m
    at = 1.3 * leg_m
    before, behind = at - 0.5 * depth_m, at + 0.5 * depth_m
    # Toes of the trailing foot stand 0.27 legs before it, the lead heel lands behind it.
    stop, land = before - (0.455 + 0.1 * h) * leg_m, behind + 0.305 * leg_m
    over = Swing(
        lift_m=(0.105 + 0.80 * h) * leg_m, peak=0.55, hold=0.18, out_m=0.03 * leg_m,
        pitches=((0.2, -28.0), (0.5, 4.0), (0.85, 12.0)),
    )  # fmt: skip
    trail = Swing(
        lift_m=(0.14 + 0.94 * h) * leg_m, peak=0.42, hold=0.16, late=0.16 * h,
        out_m=(0.02 + 0.16 * h) * leg_m,
        pitches=((0.25, -44.0), (0.55, -16.0), (0.85, 10.0)),
    )  # fmt: skip
    moves = [
        step_off_gently(plain_step(first, stop - 0.4 * leg_m, leg_m, swing_s=0.38, both_s=0.1)),
        plain_step(second, stop, leg_m, swing_s=0.38, both_s=0.08),
        plain_step(first, land, leg_m, swing_s=0.44 + 0.32 * h, swing=over,
                   leave_deg=34.0, both_s=0.1),
        plain_step(second, land + 0.5 * leg_m, leg_m, swing_s=0.47 + 0.34 * h, swing=trail,
                   leave_deg=44.0, leave_s=0.24, both_s=0.11),
        plain_step(first, land + 0.94 * leg_m, leg_m, swing_s=0.42, both_s=0.1),
        closing_step(second, land + 0.94 * leg_m, leg_m, both_s=0.14),
    ]  # fmt: skip
    raised, lead_name, trail_name = 10.0 + 20.0 * h, lead, "left" if lead == "right" else "right"
    _, landings = plan_steps(vary_steps(moves, seed), feet_together(SPREAD * leg_m))
    lead_step, trail_step = landings[2], landings[3]
    more = {
        "trunk": [(0.5, 1.5), (landings[0].on_s, 5.5), (lead_step.off_s, 4.0),
                  (lead_step.on_s, 6.0 + 4.0 * h), (trail_step.off_s + 0.25, 10.0 + 14.0 * h),
                  (trail_step.on_s, 7.0), (landings[-1].on_s + 0.4, 1.5)],
        f"{lead_name}_knee_out": [(lead_step.off_s, 0.0), (lead_step.off_s + 0.3, 3.0 + 12.0 * h),
                                  (lead_step.on_s, 0.0)],
        f"{trail_name}_knee_out": [(trail_step.off_s, 0.0),
                                   (trail_step.off_s + 0.3, 4.0 + 50.0 * h),
                                   (trail_step.on_s, 0.0)],
        "left_out": [(lead_step.off_s - 0.2, 9.0), (lead_step.on_s, raised + 8.0),
                     (trail_step.on_s + 0.3, 9.0)],
        "right_out": [(lead_step.off_s - 0.2, 9.0), (lead_step.on_s, raised + 7.0),
                      (trail_step.on_s + 0.3, 9.0)],
    }  # fmt: skip
    return walk_over(
        f"step_over_{height_m:.2f}_{lead}", ("step_over",), moves, who, seed, more=more,
        arms=1.3, turns=1.5,
    )  # fmt: skip
