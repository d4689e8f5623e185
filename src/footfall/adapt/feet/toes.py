"""Toes that lie flat while they carry, and bend as in the source otherwise."""

from __future__ import annotations

import numpy as np

from footfall.adapt.feet.holds import FLAT, Holds
from footfall.adapt.feet.track import LockOptions
from footfall.body.feet import Foot
from footfall.body.kinematics import WorldPoses
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats

_RATE_HZ = 30.0
"""Speeds are taken over so many parts of a second: noise of single frames is no motion."""
_SLOWEST_RAD_S = 2.6
"""No toes are held to be slower than this."""
_SHARE, _LONGEST_S = 0.3, 0.6
"""What lying flat takes fades at this share of the toes' own speed, but within this time."""


def bend_toes(
    foot: Foot,
    poses: WorldPoses,
    holds: Holds,
    turned: Floats,
    fps: float,
    options: LockOptions,
) -> Floats:
    """(T, 4) how the toes are bent against a foot that is turned like `turned` (T, 4).

    What lying flat takes is carried over into the swing and fades.
    """
    if foot.toe is None:
        return np.broadcast_to(quat.IDENTITY, turned.shape)
    own = against(poses.rotations[:, foot.ankle], poses.rotations[:, foot.toe])
    lie = (holds.phases >= FLAT) & holds.firm
    if not lie.any():
        return own
    from footfall.adapt.feet.lock_kernels import bend_toes as fill

    bend = np.empty_like(own)
    limits = np.array([_SHARE, _SLOWEST_RAD_S, _LONGEST_S, _RATE_HZ])
    fill(own, turned, holds.flat, holds.owner, lie, fps, options.toe_ease_s, limits, bend)
    return bend


def against(parent: Floats, world: Floats) -> Floats:
    """Rotations (..., 4) in the world as they are against a parent's."""
    return quat.normalise(quat.multiply(quat.conjugate(parent), world))
