"""Toes that lie flat while they carry, and bend as in the source otherwise."""

from __future__ import annotations

import numpy as np

from footfall.adapt.foot_track import LockOptions
from footfall.adapt.holds import FLAT, Foot, Holds
from footfall.body.kinematics import WorldPoses
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats


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
    flat = against(turned[lie], holds.flat[holds.owner[lie]])
    more = np.zeros((len(own), 3))
    more[lie] = quat.to_rotation_vector(quat.multiply(quat.conjugate(own[lie]), flat))
    _fade(more, lie, options.toe_ease_s * fps)
    return quat.multiply(own, quat.from_rotation_vector(more))


def _fade(more: Floats, lie: Bools, frames: float) -> None:
    """Let turns (T, 3) fade within `frames` before and after those that lie."""
    known, free = np.flatnonzero(lie), np.flatnonzero(~lie)
    next_ = np.searchsorted(known, free)
    before, after = known[np.maximum(next_ - 1, 0)], known[np.minimum(next_, known.size - 1)]
    late, early = (
        np.clip(1.0 - np.abs(free - edge) / frames, 0.0, 1.0)[:, None] for edge in (before, after)
    )
    late, early = (share * share * (3.0 - 2.0 * share) for share in (late, early))
    both = np.where((before < free)[:, None], late * more[before], 0.0) + np.where(
        (after > free)[:, None], early * more[after], 0.0
    )
    more[free] = both / np.maximum(late + early, 1.0)


def against(parent: Floats, world: Floats) -> Floats:
    """Rotations (..., 4) in the world as they are against a parent's."""
    return quat.normalise(quat.multiply(quat.conjugate(parent), world))
