"""Cleaning a clip: no skating, no floor that drifts along the clip.

Captured floors wander by centimetres: markers slip, calibrations tilt. Every contact's own height
is compared with the one before it; small differences are drift and go away, large ones are real
(a stair, a block) and stay.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from footfall.adapt.foot_lock import follow_holds, holds_of, with_contacts
from footfall.adapt.foot_track import LockOptions
from footfall.body.clip import Clip, check_clip
from footfall.body.kinematics import world_poses
from footfall.maths.arrays import Floats, Ints

REAL_STEP_M = 0.09
"""Contacts whose heights differ by more than this stand on different floors."""


@dataclass(frozen=True)
class Cleaned:
    """The clean clip, and what was wrong with it.

    drift_m   the most that a contact was off its floor
    skate_m   the most that a touching foot moved away from its mean place
    floors_m  the heights of the floors the clip stands on, the first one 0
    touching  the clip with its contacts from strike to toe-off, firm or not
    problem   why nothing could be cleaned, if so
    """

    clip: Clip
    drift_m: float
    skate_m: float
    floors_m: tuple[float, ...]
    touching: Clip
    problem: str = ""


def clean(
    clip: Clip,
    options: LockOptions = LockOptions(),  # noqa: B008
    settle: bool | None = None,
) -> Cleaned:
    """`clip` with held feet that stand still on level floors, the first of them at y = 0.

    settle  whether the clip's contacts were found, so that their ends are not firm; unless it is
            said, those that the clip carries are exact
    """
    poses = world_poses(check_clip(clip))
    settle = clip.contacts is None if settle is None else settle
    clip = with_contacts(clip, poses)
    feet, holds = holds_of(clip, poses, settle)
    spots = np.concatenate([held.spots for held in holds])
    if len(spots) == 0:
        problem = "no foot was found to stand, so nothing was changed"
        return Cleaned(clip, 0.0, 0.0, (0.0,), clip, problem)
    floors, targets = _floors(np.concatenate([held.middles for held in holds]), spots[:, 1])
    drift = np.abs(spots[:, 1] - floors[0] - targets)
    skate = 0.0
    level = []
    for foot, held in zip(feet, holds, strict=True):
        if len(held):
            away = (held.ankles(foot) - poses.positions[:, foot.ankle])[held.held][:, [0, 2]]
            skate = max(skate, float(np.linalg.norm(away, axis=1).max()))
        heights, targets = targets[: len(held)], targets[len(held) :]
        level.append(held.at(np.column_stack([held.spots[:, 0], heights, held.spots[:, 2]])))
    fixed = follow_holds(clip, poses, feet, level, None, options)
    levels = tuple(floor - floors[0] for floor in floors)
    touching = replace(fixed, contacts=clip.contacts)
    return Cleaned(fixed, float(drift.max()), skate, levels, touching)


def _floors(middles: Ints, heights: Floats) -> tuple[list[float], Floats]:
    """The floors' heights, and for each hold (N,) the height it belongs to above the first."""
    targets = np.zeros(len(heights))
    order = np.argsort(middles, kind="stable")
    groups = [[int(order[0])]]
    for hold in order[1:]:
        near = float(np.median(heights[groups[-1][-3:]]))
        if abs(heights[hold] - near) > REAL_STEP_M:
            groups.append([])
        groups[-1].append(int(hold))
    floors = [float(np.median(heights[group])) for group in groups]
    for group, floor in zip(groups, floors, strict=True):
        targets[group] = floor - floors[0]
    return floors, targets
