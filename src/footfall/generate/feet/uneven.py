"""How people stand: one foot a little ahead, its toes less turned out, and more weight on it.

Nobody stands with both feet level and both arms alike. It is the same foot in all clips of a
performer, so that each of them can go on where another ends.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from footfall.generate.feet.steps import FOREVER_S, PlannedStance
from footfall.generate.sides import SIGNS

AHEAD = 0.062
"""How far ahead of the other one foot stands, leg lengths."""
TURNED_DEG = 3.0
"""How much less the toes of the foot ahead are turned out, and those of the other more."""
CARRIES = 0.53
"""How much of the weight is over the foot ahead."""
_BESIDE = 0.06
"""Feet whose distance along where they point is less than this, leg lengths, stand beside each
other."""


def stand_unevenly(
    stances: Sequence[PlannedStance], leg_m: float, ahead: float
) -> tuple[PlannedStance, ...]:
    """The stances with feet that stand beside each other at the beginning or the end put one
    ahead of the other, but before and after a step up or down: there an edge is near.

    ahead  1 if it is the left foot that is ahead, -1 if it is the right one
    """
    level = len({s.y for s in stances}) == 1
    first = [n for n, s in enumerate(stances) if s.begin_s <= -FOREVER_S]
    last = [n for n, s in enumerate(stances) if s.end_s >= FOREVER_S]
    put: dict[int, PlannedStance] = {}
    for feet in (first, last):
        if len(feet) != 2 or not _beside(stances[feet[0]], stances[feet[1]], leg_m):
            continue
        yaw = math.radians(0.5 * sum(stances[n].yaw_deg for n in feet))
        for n in feet:
            own = stances[n]
            far_m = 0.5 * AHEAD * leg_m * ahead * SIGNS[own.side] * level
            # A foot that never steps stands as it did at first.
            put.setdefault(n, replace(
                own, x=own.x + far_m * math.sin(yaw), z=own.z + far_m * math.cos(yaw),
                yaw_deg=own.yaw_deg - ahead * TURNED_DEG,
            ))  # fmt: skip
    return tuple(put.get(n, s) for n, s in enumerate(stances))


def _beside(left: PlannedStance, right: PlannedStance, leg_m: float) -> bool:
    yaw = math.radians(0.5 * (left.yaw_deg + right.yaw_deg))
    along = (left.x - right.x) * math.sin(yaw) + (left.z - right.z) * math.cos(yaw)
    return abs(along) < _BESIDE * leg_m and abs(left.y - right.y) < 1e-6
