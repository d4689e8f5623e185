"""What trunk, head and arms do when a foot lands lower than the other stood: they go on down for a
moment, and come back."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from footfall.body.roles import SIDES
from footfall.generate.feet.steps import PlannedStance
from footfall.generate.sides import SIGNS
from footfall.maths.arrays import Floats

_DROP, _FULL, _POWER, _MOST = 0.06, 0.36, 2.0, 1.2
"""A foot that lands this much lower, leg lengths, is answered; from which drop on in full, and how
many times that at most."""
_GIVES_S, _ARMS_LATE_S, _HEAD_LATE_S = 0.19, 0.06, 0.05
"""How soon after landing a trunk gives most, and how much later arms and head do."""
_TRUNK_DEG, _NOD_DEG, _LEAN_DEG = 11.0, 6.0, 2.0
"""How far the trunk bends, the head nods and the trunk lists to the foot that lands."""
_OUT_DEG, _ELBOW_DEG, _COLLAR_DEG = 11.0, 17.0, 5.0
"""How far arms go out and bend, and shoulders drop."""


def answer_drops(
    angles: dict[str, Floats], stances: Sequence[PlannedStance], times: Floats, leg_m: float
) -> None:
    """Let the angles (T,), radians, answer landings from something higher, in place."""
    for landed in stances:
        drop = (_level_before(stances, landed) - landed.y) / leg_m
        if drop < _DROP:
            continue
        size = math.radians(1.0) * min((drop / _FULL) ** _POWER, _MOST)
        body, arms, head = (
            size * _give(times - landed.begin_s - late)
            for late in (0.0, _ARMS_LATE_S, _HEAD_LATE_S)
        )
        angles["trunk"] += _TRUNK_DEG * body
        angles["head"] += _NOD_DEG * head
        angles["lean"] += _LEAN_DEG * SIGNS[landed.side] * body
        for n, side in enumerate(SIDES):
            own = arms if n == landed.side else 0.75 * arms
            angles[f"{side}_out"] += _OUT_DEG * own
            angles[f"{side}_elbow"] += _ELBOW_DEG * own
            angles[f"{side}_collar"] -= _COLLAR_DEG * body


def _level_before(stances: Sequence[PlannedStance], landed: PlannedStance) -> float:
    """How high the other foot stands when one lands."""
    others = (
        s.y
        for s in stances
        if s.side != landed.side and s.begin_s < landed.begin_s <= s.end_s + 0.1
    )
    return next(others, landed.y)


def _give(since_s: Floats) -> Floats:
    """(T,) how much of it is there some seconds after: 1 at most, and soon no more."""
    share = np.maximum(since_s / _GIVES_S, 0.0)
    return np.asarray((share * np.exp(1.0 - share)) ** 2)
