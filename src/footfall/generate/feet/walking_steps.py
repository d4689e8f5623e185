"""Steps one after another from standing to standing: when and where each foot stands."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from footfall.generate.feet.steps import PlannedStance, Swing

_PLAIN = Swing()
WAIT_S = 0.8
FIRST_LEAVE_DEG, FIRST_LEAVE_S = 19.0, 0.22
"""How far the heel of a foot that did not step before is up when it leaves, and how long it takes:
it is peeled off, not kicked."""
_FIRST_LIFT, _FIRST_TOES = 0.12, 0.75
"""The shares of a walker's lift and of the droop of the toes that such a foot has."""


@dataclass(frozen=True)
class Move:
    """A foot goes to (x, z) on ground `y` high in `swing_s`, after both stood for `both_s`."""

    side: int
    x: float
    z: float
    y: float = 0.0
    swing_s: float = 0.5
    both_s: float = 0.16
    swing: Swing = _PLAIN
    yaw_deg: float = 0.0
    strike_deg: float = 9.0
    leave_deg: float = 30.0
    leave_s: float = 0.26


@dataclass(frozen=True)
class Landing:
    """A move in time: when the foot leaves and lands, and how far it is ahead of the other then,
    as both point."""

    move: Move
    off_s: float
    on_s: float
    ahead_m: float


def plan_steps(
    moves: Sequence[Move], start: tuple[PlannedStance, PlannedStance], wait_s: float = WAIT_S
) -> tuple[tuple[PlannedStance, ...], tuple[Landing, ...]]:
    """The stances of both feet over all moves, one after another, and when each lands."""
    stances: list[PlannedStance] = [*start]
    landings: list[Landing] = []
    now = wait_s
    last = list(start)
    for move in moves:
        off = now if not landings else landings[-1].on_s + move.both_s
        on = off + move.swing_s
        here = last[move.side]
        there = PlannedStance(
            move.side, move.x, move.z, begin_s=on, y=move.y, yaw_deg=move.yaw_deg,
            strike_deg=move.strike_deg, flat_s=0.11, swing=move.swing,
        )  # fmt: skip
        stances[stances.index(here)] = replace(
            here, end_s=off, leave_deg=move.leave_deg, leave_s=move.leave_s
        )
        stances.append(there)
        last[move.side] = there
        other = last[1 - move.side]
        yaw = math.radians(0.5 * (move.yaw_deg + other.yaw_deg))
        way = (move.x - other.x) * math.sin(yaw) + (move.z - other.z) * math.cos(yaw)
        landings.append(Landing(move, off, on, move.z - other.z if abs(yaw) < 0.3 else way))
    return tuple(stances), tuple(landings)


def step_off_gently(move: Move) -> Move:
    """A step out of standing: the heel comes up first and the foot goes low over the ground."""
    low = tuple((part, deg if deg > 0.0 else _FIRST_TOES * deg) for part, deg in move.swing.pitches)
    return replace(
        move, leave_deg=FIRST_LEAVE_DEG, leave_s=FIRST_LEAVE_S,
        swing=replace(move.swing, lift_m=_FIRST_LIFT * move.swing.lift_m, pitches=low),
    )  # fmt: skip


def feet_together(
    spread_m: float, yaw_deg: float = 7.0, z: float = 0.0
) -> tuple[PlannedStance, PlannedStance]:
    """Both feet beside each other."""
    return (
        PlannedStance(0, 0.5 * spread_m, z, yaw_deg=yaw_deg),
        PlannedStance(1, -0.5 * spread_m, z, yaw_deg=-yaw_deg),
    )
