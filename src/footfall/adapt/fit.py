"""Fitting a clip to a ground: flat capture goes over hills, stairs and stones with locked feet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.adapt.clean import clean
from footfall.adapt.foot_lock import LockOptions, holds_of, lock_feet
from footfall.adapt.holds import Ground
from footfall.body.clip import Clip
from footfall.body.edit import place
from footfall.body.kinematics import world_poses
from footfall.errors import InputError


@dataclass(frozen=True)
class Fitted:
    """A clip on a ground.

    climb_m     from the lowest to the highest footprint
    off_ground  how many footprints had no ground under them and kept their own height
    """

    clip: Clip
    climb_m: float
    off_ground: int


def fit(
    clip: Clip,
    ground: Ground,
    at: tuple[float, float, float] | None = None,
    options: LockOptions = LockOptions(),  # noqa: B008
) -> Fitted:
    """`clip` on `ground`, starting at `at` (x, z, yaw), or where it is.

    Skating and floor drift are removed first, so that heights mean what they say.
    """
    if at is not None:
        if not np.isfinite(at).all():
            raise InputError(f"the place is {at}", remedy="three finite numbers: x, z, yaw")
        clip = place(clip, at)
    level = clean(clip, options).clip
    fitted = lock_feet(level, ground, options)
    _, holds = holds_of(fitted, world_poses(fitted), None)
    spots = np.array([hold.spot for held in holds for hold in held]).reshape(-1, 3)
    known = np.isfinite(ground.height(spots[:, [0, 2]])) if len(spots) else np.zeros(0, bool)
    climb = float(np.ptp(spots[:, 1])) if len(spots) else 0.0
    return Fitted(fitted, climb, int((~known).sum()))
