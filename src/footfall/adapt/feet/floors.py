"""The floors that a clip stands on: level, whatever the recording made of them.

Captured floors wander by centimetres: markers slip, calibrations tilt. Every contact's own height
is compared with the one before it; small differences are drift and go away, large ones are real
(a stair, a block) and stay.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.adapt.feet import constants
from footfall.adapt.feet.holds import Holds
from footfall.body.feet import Foot
from footfall.body.kinematics import WorldPoses
from footfall.maths.arrays import Floats, Ints


@dataclass(frozen=True, eq=False)
class LevelFloors:
    """Holds put on level floors, the first of them at y = 0, and what was wrong with them.

    holds     of each foot
    drift_m   the most that one was off its floor
    skate_m   the most that a held foot moved away from its mean place
    floors_m  the heights of the floors, the first one 0
    """

    holds: list[Holds]
    drift_m: float
    skate_m: float
    floors_m: tuple[float, ...]


def level_floors(feet: list[Foot], poses: WorldPoses, holds: list[Holds]) -> LevelFloors | None:
    """Return the holds of a clip on level floors; None if there are none."""
    heights = np.concatenate([held.spots[:, 1] for held in holds])
    if len(heights) == 0:
        return None
    floors, targets = _find_floors(
        np.concatenate([held.middles for held in holds]), heights,
        constants.FEET.real_step * feet[0].leg_m,
    )  # fmt: skip
    drift = float(np.abs(heights - floors[0] - targets).max())
    skate, level = 0.0, []
    for foot, held in zip(feet, holds, strict=True):
        if len(held):
            away = (held.ankles(foot) - poses.positions[:, foot.ankle])[held.held][:, [0, 2]]
            skate = max(skate, float(np.linalg.norm(away, axis=1).max()))
        own, targets = targets[: len(held)], targets[len(held) :]
        level.append(held.at(np.column_stack([held.spots[:, 0], own, held.spots[:, 2]])))
    return LevelFloors(level, drift, skate, tuple(floor - floors[0] for floor in floors))


def _find_floors(middles: Ints, heights: Floats, step_m: float) -> tuple[list[float], Floats]:
    """Return the floors' heights and, for each hold (N,), its height above the first floor."""
    targets = np.zeros(len(heights))
    order = np.argsort(middles, kind="stable")
    groups = [[int(order[0])]]
    for hold in order[1:]:
        near = float(np.median(heights[groups[-1][-3:]]))
        if abs(heights[hold] - near) > step_m:
            groups.append([])
        groups[-1].append(int(hold))
    floors = [float(np.median(heights[group])) for group in groups]
    for group, floor in zip(groups, floors, strict=True):
        targets[group] = floor - floors[0]
    return floors, targets
