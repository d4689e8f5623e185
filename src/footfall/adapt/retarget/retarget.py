"""Retarget a clip to a character of other size and proportions, keeping footprints.

`transfer` carries the posture over; then the feet are put back on their footprints and the legs
are solved. Footprints are either *scaled* with the legs, so that a child takes a child's steps, and
sideways with the hips, so that legs do not come closer to each other; or *exact*, so that the
character steps where the source stepped.
"""

from __future__ import annotations

import math

import numpy as np

from footfall.adapt.feet.constants import FeetConstants
from footfall.adapt.feet.floors import level_floors
from footfall.adapt.feet.holds import Holds
from footfall.adapt.feet.lock import follow_holds, holds_of, with_contacts
from footfall.adapt.retarget.carry import leg_ratio
from footfall.adapt.retarget.transfer import transfer
from footfall.body.clip import Clip
from footfall.body.feet import foot_of
from footfall.body.roles import SIDES
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError, choices
from footfall.maths.arrays import Floats
from footfall.maths.runs import means

FOOTPRINTS = ("scaled", "exact")


def retarget(
    clip: Clip,
    character: Skeleton,
    footprints: str = "scaled",
    options: FeetConstants | None = None,
    settle: bool | None = None,
    level: bool = False,
) -> Clip:
    """Return `clip` on `character` with its feet held on the footprints of the source.

    settle  as in `clean`
    level   whether the floors are levelled, as by `clean`
    """
    if footprints not in FOOTPRINTS:
        raise InputError(f"footprints is {footprints!r}", remedy=choices(FOOTPRINTS, footprints))
    poses = clip.world
    settle = clip.contacts is None if settle is None else settle
    clip = with_contacts(clip)
    feet, holds = holds_of(clip, settle)
    floors = level_floors(feet, poses, holds) if level else None
    holds = holds if floors is None else floors.holds
    factor = leg_ratio(clip.skeleton, character)
    moved = transfer(clip, character)
    if footprints == "exact":
        moved = _travelling_as_far(moved, factor)
        scaled = holds
    else:
        scaled = [held.scaled(factor) for held in holds]
    poses = moved.world
    if footprints == "scaled":
        wider = 0.5 * (_hip_width(character) - factor * _hip_width(clip.skeleton))
        scaled = _beside_hips(scaled, character, poses.positions, wider)
    feet = [foot_of(character, side) for side in SIDES]
    return follow_holds(moved, feet, scaled, None, options)


def _travelling_as_far(clip: Clip, factor: float) -> Clip:
    """Return the clip with its horizontal way as long as before it was scaled; its heights stay."""
    level = np.array([1.0 / factor, 1.0, 1.0 / factor])
    return clip.with_root(clip.root * level)


def _beside_hips(
    holds: list[Holds], character: Skeleton, places: Floats, wider: float
) -> list[Holds]:
    """Holds of left and right foot as far sideways from the hips as those are wider, metres.

    A foot that is as far out as its hip goes along with it; one that is nearer to the middle, or
    beyond, in proportion.
    """
    hips = [places[:, character.role(f"{side}_hip")] for side in SIDES]
    middle, across = 0.5 * (hips[0] + hips[1]), (hips[0] - hips[1]) * [1.0, 0.0, 1.0]
    width = 0.5 * _hip_width(character) - wider
    out = []
    for held, sign in zip(holds, (1.0, -1.0), strict=True):
        if len(held) == 0 or width <= 0.0:
            out.append(held)
            continue
        side = sign * means(across, held.spans)
        side /= np.maximum(np.linalg.norm(side, axis=1, keepdims=True), 1e-9)
        aside = np.einsum("ni,ni->n", held.spots - means(middle, held.spans), side)
        share = np.clip(aside / width, -1.0, 1.0)[:, None]
        out.append(held.at(held.spots + wider * share * side))
    return out


def _hip_width(skeleton: Skeleton) -> float:
    left, right = (skeleton.rest_positions[skeleton.role(f"{side}_hip")] for side in SIDES)
    return math.dist(left, right)
