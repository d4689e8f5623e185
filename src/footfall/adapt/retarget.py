"""Retargeting: a clip on a character of other size and proportions, footprints kept.

`transfer` carries the posture over; then the feet are put back on their footprints and the legs
are solved. Footprints are either *scaled* with the legs, so that a child takes a child's steps,
or *exact*, so that the character steps where the source stepped.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.adapt.carry import leg_ratio
from footfall.adapt.foot_lock import follow_holds, holds_of, with_contacts
from footfall.adapt.foot_track import LockOptions
from footfall.adapt.holds import foot_of
from footfall.adapt.transfer import transfer
from footfall.body.clip import Clip
from footfall.body.kinematics import world_poses
from footfall.body.roles import SIDES
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError, choices

FOOTPRINTS = ("scaled", "exact")


def retarget(
    clip: Clip,
    character: Skeleton,
    footprints: str = "scaled",
    options: LockOptions = LockOptions(),  # noqa: B008
    settle: bool | None = None,
) -> Clip:
    """`clip` on `character` with its feet held on the footprints of the source.

    settle  as in `clean`
    """
    if footprints not in FOOTPRINTS:
        raise InputError(f"footprints is {footprints!r}", remedy=choices(FOOTPRINTS, footprints))
    poses = world_poses(clip)
    settle = clip.contacts is None if settle is None else settle
    clip = with_contacts(clip, poses)
    _, holds = holds_of(clip, poses, settle)
    factor = leg_ratio(clip.skeleton, character)
    moved = transfer(clip, character)
    if footprints == "exact":
        moved = _travelling_as_far(moved, factor)
        scaled = holds
    else:
        scaled = [held.scaled(factor) for held in holds]
    feet = [foot_of(character, side) for side in SIDES]
    return follow_holds(moved, world_poses(moved), feet, scaled, None, options)


def _travelling_as_far(clip: Clip, factor: float) -> Clip:
    """The clip with its horizontal way as long as before it was scaled; its heights stay."""
    level = np.array([1.0 / factor, 1.0, 1.0 / factor])
    return replace(clip, root=clip.root * level)
