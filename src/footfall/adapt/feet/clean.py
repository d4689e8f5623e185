"""Cleaning a clip: no skating, no floor that drifts along the clip."""

from __future__ import annotations

from dataclasses import dataclass

from footfall.adapt.feet.constants import FeetConstants
from footfall.adapt.feet.floors import LevelFloors, level_floors
from footfall.adapt.feet.lock import follow_holds, holds_of, with_contacts
from footfall.body.clip import Clip


@dataclass(frozen=True)
class Cleaned:
    """The clean clip, and what was wrong with it.

    drift_m   the most that a contact was off its floor
    skate_m   the most that a touching foot moved away from its mean place
    floors_m  the heights of the floors the clip stands on, the first one 0
    problem   why nothing could be cleaned, if so
    """

    clip: Clip
    drift_m: float
    skate_m: float
    floors_m: tuple[float, ...]
    problem: str = ""


def clean(clip: Clip, options: FeetConstants | None = None, settle: bool | None = None) -> Cleaned:
    """Return `clip` with held feet that stand still on level floors, the first of them at y = 0.

    settle  whether the clip's contacts were found, so that their ends are not firm; unless it is
            said, those that the clip carries are exact
    """
    poses = clip.world
    settle = clip.contacts is None if settle is None else settle
    clip = with_contacts(clip)
    feet, holds = holds_of(clip, settle)
    found = level_floors(feet, poses, holds)
    if found is None:
        problem = "no foot was found to stand, so nothing was changed"
        return Cleaned(clip, 0.0, 0.0, (0.0,), problem)
    fixed = follow_holds(clip, feet, found.holds, None, options)
    return Cleaned(fixed, found.drift_m, found.skate_m, found.floors_m)


def inspect_floors(clip: Clip, settle: bool) -> LevelFloors | None:
    """Return what cleaning a clip that has contacts would put right; None if no foot stands."""
    poses = clip.world
    feet, holds = holds_of(clip, settle)
    return level_floors(feet, poses, holds)
