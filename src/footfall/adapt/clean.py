"""Cleaning a clip: no skating, no floor that drifts along the clip.

Captured floors wander by centimetres: markers slip, calibrations tilt. Every contact's own height
is compared with the one before it; small differences are drift and go away, large ones are real
(a stair, a block) and stay.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from footfall.adapt.foot_lock import LockOptions, follow_holds, holds_of, with_contacts
from footfall.adapt.holds import Hold
from footfall.body.clip import Clip
from footfall.body.kinematics import world_poses

REAL_STEP_M = 0.09
"""Contacts whose heights differ by more than this stand on different floors."""


@dataclass(frozen=True)
class Cleaned:
    """The clean clip, and what was wrong with it.

    drift_m   the most that a contact was off its floor
    skate_m   the most that a touching foot moved away from its mean place
    floors_m  the heights of the floors the clip stands on, the first one 0
    """

    clip: Clip
    drift_m: float
    skate_m: float
    floors_m: tuple[float, ...]


def clean(clip: Clip, options: LockOptions = LockOptions()) -> Cleaned:  # noqa: B008
    """`clip` with held feet that stand still on level floors, the first of them at y = 0."""
    poses = world_poses(clip)
    clip = with_contacts(clip, poses)
    feet, holds = holds_of(clip, poses)
    floors, targets = _floors([hold for held in holds for hold in held])
    drift = skate = 0.0
    level = []
    for foot, held in zip(feet, holds, strict=True):
        moved = []
        for hold in held:
            height = targets[id(hold)]
            drift = max(drift, abs(hold.spot[1] - floors[0] - height))
            before = poses.positions[hold.frames, foot.ankle]
            away = (hold.ankles(foot) - before)[:, [0, 2]]
            skate = max(skate, float(np.linalg.norm(away, axis=1).max()))
            spot = np.array([hold.spot[0], height, hold.spot[2]])
            moved.append(replace(hold, spot=spot))
        level.append(moved)
    fixed = follow_holds(clip, poses, feet, level, None, options)
    return Cleaned(fixed, drift, skate, tuple(f - floors[0] for f in floors))


def _floors(holds: list[Hold]) -> tuple[list[float], dict[int, float]]:
    """The floors' heights, and for each hold (by id) the height it belongs to above the first."""
    if not holds:
        return [0.0], {}
    ordered = sorted(holds, key=lambda hold: hold.first)
    groups = [[ordered[0]]]
    for hold in ordered[1:]:
        near = float(np.median([h.spot[1] for h in groups[-1][-3:]]))
        if abs(hold.spot[1] - near) > REAL_STEP_M:
            groups.append([hold])
        else:
            groups[-1].append(hold)
    heights = [float(np.median([h.spot[1] for h in group])) for group in groups]
    targets = {
        id(hold): height - heights[0]
        for group, height in zip(groups, heights, strict=True)
        for hold in group
    }
    return heights, targets
