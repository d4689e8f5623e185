"""Up and down: stairs foot over foot, and onto and off one thing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.body.clip import Clip
from footfall.errors import check_range, check_whole
from footfall.generate.actions import crossing
from footfall.generate.actions.crossing import beside, both_sides, closing_step, toes_out, walk_over
from footfall.generate.feet.steps import Swing
from footfall.generate.feet.walking_steps import Move
from footfall.generate.performer import MEAN_PERFORMER, Performer

_OVER, _PAST = 0.035, 0.012
"""How far feet pass over edges on the way up, and on the way down, leg lengths."""
_PUSH_DEG, _PUSH_S = 46.0, 0.46
"""How far the heel of a foot is up that leaves a stair on the way up, and how long before it begins
to rise: it pushes off."""
_HANGS = ((0.26, -42.0), (0.52, -4.0), (0.9, 3.0))
"""How such a foot is pitched on its way: the toes hang while it trails."""
_LOW, _LOW_DEG = 0.3, 35.0
"""How much of the lift is left of a foot that comes from a stair to the second below, and how far
its heel is up when it leaves."""
_SWAYS = 0.6, 0.2
"""How far trunks bend over the foot that carries on the way up, and on the way down, against what
is usual: there is no time for more from stair to stair."""
_DROPPED_S = 0.07
"""How long both feet stand when one has stepped off something: as briefly as drops of all heights
have in common, two frames of the library, so that those between can be mixed."""
Treads = tuple[tuple[float, float], ...]
"""(z, metres): how high the ground is from there on."""


def _up(
    side: int, z: float, y: float, h: float, leg_m: float, treads: Treads, **more: object
) -> Move:
    swing = Swing(
        lift_m=(0.03 + 0.24 * h) * leg_m, peak=0.43, hold=0.14, late=0.2,
        pitches=((0.2, -26.0), (0.45, 2.0), (0.9, 3.0)), treads=treads, clear_m=_OVER * leg_m,
    )  # fmt: skip
    plain = Move(
        side, beside(side, leg_m), z, y, swing_s=0.57 + 0.2 * h, both_s=0.24, swing=swing,
        yaw_deg=toes_out(side), strike_deg=2.0, leave_deg=40.0, leave_s=0.3,
    )  # fmt: skip
    return replace(plain, **more)  # type: ignore[arg-type]


def _push_off(move: Move) -> Move:
    """The same step of a foot that stood on a stair, or before the first, and pushes off there."""
    return replace(
        move, leave_deg=_PUSH_DEG, leave_s=_PUSH_S, swing=replace(move.swing, pitches=_HANGS)
    )


def _down(
    side: int, z: float, y: float, h: float, leg_m: float, treads: Treads, **more: object
) -> Move:
    swing = Swing(
        lift_m=(0.033 + 0.11 * h) * leg_m, peak=0.33, hold=0.1,
        # The heel has soon left the upper edge behind.
        pitches=((0.25, -20.0), (0.7, -14.0)), treads=treads, clear_m=_PAST * leg_m,
    )  # fmt: skip
    plain = Move(
        side, beside(side, leg_m), z, y, swing_s=0.58 + 0.3 * h, both_s=0.2, swing=swing,
        yaw_deg=toes_out(side), strike_deg=-17.0, leave_deg=32.0, leave_s=0.32,
    )  # fmt: skip
    return replace(plain, **more)  # type: ignore[arg-type]


def _go_low(move: Move) -> Move:
    """The same step of a foot that comes from a stair above: hips are low then, the foot, too."""
    return replace(
        move, leave_deg=_LOW_DEG, swing=replace(move.swing, lift_m=_LOW * move.swing.lift_m)
    )


def step_onto(
    height_m: float = 0.25, *, lead: str = "right", who: Performer = MEAN_PERFORMER, seed: int = 0
) -> Clip:
    """From standing, step onto something `height_m` high, 0.5 leg lengths ahead, and stand."""
    leg_m = who.leg_m
    check_range("the height of the step", height_m, 0.05, 0.6 * leg_m, unit="m")
    first, second = both_sides(lead)
    h = height_m / leg_m
    edge = 0.5 * leg_m
    at = edge + 0.16 * leg_m
    treads = ((edge, height_m),)
    moves = [
        _up(first, at, height_m, h, leg_m, treads, swing_s=0.52 + 0.2 * h),
        closing_step(
            second, at, leg_m, height_m, swing_s=0.58 + 0.5 * h, both_s=0.16 + 0.2 * h,
            leave_deg=44.0 + 20.0 * h, leave_s=0.36, strike_deg=1.0, swing=Swing(
                lift_m=(0.05 + 0.14 * h) * leg_m, peak=0.44, hold=0.1, late=0.16 * h,
                pitches=((0.25, -44.0), (0.6, -6.0), (0.9, 2.0)), treads=treads,
                clear_m=_OVER * leg_m)),
    ]  # fmt: skip
    return walk_over(
        f"step_onto_{height_m:.2f}_{lead}", ("step_up",), moves, who, seed,
        trunk=4.0 + 10.0 * h, rock=3.0 + 12.0 * h, gaze=24.0, arms=1.5, turns=1.3,
    )  # fmt: skip


def step_off(
    height_m: float = 0.25, *, lead: str = "right", who: Performer = MEAN_PERFORMER, seed: int = 0
) -> Clip:
    """From standing on something `height_m` high, step off it forward and stand.

    The edge is 0.3 leg lengths ahead of the ankles.
    """
    leg_m = who.leg_m
    check_range("the height of the step", height_m, 0.05, 0.5 * leg_m, unit="m")
    first, second = both_sides(lead)
    h = height_m / leg_m
    at = (0.3 + 0.27) * leg_m
    treads = ((-np.inf, height_m), (0.3 * leg_m, 0.0))
    moves = [
        _down(first, at, 0.0, h, leg_m, treads),
        # What is left behind does not linger there, and comes down along.
        closing_step(
            second, at, leg_m, 0.0, swing_s=0.5 + 0.1 * h, both_s=_DROPPED_S,
            leave_deg=40.0, leave_s=0.24, strike_deg=-6.0, swing=Swing(
                lift_m=0.02 * leg_m, peak=0.3, hold=0.04, pitches=((0.3, -46.0), (0.75, -12.0)),
                treads=treads, clear_m=_PAST * leg_m)),
    ]  # fmt: skip
    return walk_over(
        f"step_off_{height_m:.2f}_{lead}", ("step_down",), moves, who, seed,
        trunk=3.0 + 6.0 * h, gaze=26.0, level=height_m, arms=1.2, turns=1.5,
    )  # fmt: skip


def stairs(
    rise_m: float = 0.17, *, tread_m: float = 0.29, count: int = 4, down: bool = False,
    lead: str = "right", in_stride: bool = False, who: Performer = MEAN_PERFORMER, seed: int = 0,
) -> Clip:  # fmt: skip
    """Climb `count` steps foot over foot (or go down them), from standing to standing.

    In stride, it begins and ends in a walk. The first riser is 0.45 leg lengths ahead of the last
    foot before it; going down the first edge is 0.26 ahead.
    """
    leg_m = who.leg_m
    check_range("the rise of a stair", rise_m, 0.08, 0.3 * leg_m, unit="m")
    check_range("the tread of a stair", tread_m, 0.3 * leg_m, 0.55 * leg_m, unit="m")
    check_whole("the number of stairs", count, 2, 40)
    sides = both_sides(lead)
    h = rise_m / leg_m
    edge = (0.26 if down else 0.45) * leg_m
    level = count * rise_m if down else 0.0
    moves = []
    step_m = -rise_m if down else rise_m
    treads = ((-np.inf, level), *(
        (edge + n * tread_m, level + (n + 1) * step_m) for n in range(count)
    ))  # fmt: skip
    rhythm = np.random.default_rng([seed, 79]).uniform(-1.0, 1.0, (count, 2))
    for n in range(count):
        z = edge + n * tread_m + (0.075 * leg_m if not down else 0.5 * tread_m + 0.02)
        make = _down if down else _up
        moves.append(make(sides[n % 2], z, treads[n + 1][1], 2.0 * h if n else h, leg_m, treads,
                          both_s=0.16 + 0.025 * float(rhythm[n, 0]),
                          swing_s=0.56 + 0.025 * float(rhythm[n, 1])))  # fmt: skip
    moves[1:] = [(_go_low if down else _push_off)(move) for move in moves[1:]]
    ends = moves[-1]
    lift = Swing(
        lift_m=(0.05 if down else 0.06 + 0.3 * h) * leg_m, peak=0.4, hold=0.12,
        late=0.0 if down else 0.24, pitches=((0.25, -30.0), (0.75, -4.0)),
        treads=treads, clear_m=(_PAST if down else _OVER) * leg_m,
    )  # fmt: skip
    last = {"swing": lift, "swing_s": 0.58, "both_s": 0.2, "leave_deg": 40.0,
            "leave_s": 0.26 if down else 0.38}  # fmt: skip
    if in_stride:
        moves[0] = replace(moves[0], both_s=0.12, swing_s=0.5)
        moves = crossing.walk_up(moves, leg_m, (-1.4, -0.7, 0.0), level)
        moves += [
            crossing.plain_step(sides[(count + n) % 2], ends.z + far * leg_m, leg_m, y=ends.y,
                       **(last if n == 0 else {"swing_s": 0.41, "both_s": 0.11}))
            for n, far in enumerate((0.7, 1.4, 2.1))
        ]  # fmt: skip
        ends, last = moves[-1], {}
    moves.append(closing_step(1 - ends.side, ends.z, leg_m, ends.y, **last,
                              strike_deg=-4.0 if down else 1.0))  # fmt: skip
    where = "down" if down else "up"
    return walk_over(
        f"stairs_{where}_{rise_m:.2f}_{lead}", (f"step_{where}",), moves, who, seed,
        trunk=0.5 if down else 10.0, rock=0.0 if down else 3.0, gaze=24.0, level=level,
        arms=1.5, turns=2.4 if down else 1.9, sways=_SWAYS[down], in_stride=in_stride,
    )  # fmt: skip
