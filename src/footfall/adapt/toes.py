"""Toes that lie flat while they carry, and bend as in the source otherwise."""

from __future__ import annotations

import numpy as np

from footfall.adapt.foot_track import LockOptions
from footfall.adapt.holds import FLAT, Foot, Holds
from footfall.body.kinematics import WorldPoses
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats
from footfall.maths.easing import smoothstep

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
    flat = against(turned[lie], holds.flat[holds.owner[lie]])
    more = np.zeros((len(own), 3))
    more[lie] = quat.to_rotation_vector(quat.multiply(quat.conjugate(own[lie]), flat))
    _fade(more, lie, _fade_frames(own, more, fps, options))
    return quat.multiply(own, quat.from_rotation_vector(more))


def _fade_frames(own: Floats, more: Floats, fps: float, options: LockOptions) -> Floats:
    """(T,) how many frames what lying flat takes (T, 3) needs to fade.

    So long that the toes need not be faster than they ever are in the source.
    """
    angle = np.sqrt(np.einsum("ti,ti->t", more, more))
    if 1.5 * angle.max() <= _SHARE * _SLOWEST_RAD_S * options.toe_ease_s:
        return np.full(len(own), options.toe_ease_s * fps)
    step = max(1, round(fps / _RATE_HZ))
    turns = quat.angle_between(own[step:], own[:-step]) if len(own) > step else np.zeros(1)
    fastest = max(float(turns.max()) * fps / step, _SLOWEST_RAD_S)
    seconds = np.minimum(1.5 * angle / (_SHARE * fastest), _LONGEST_S)
    return np.asarray(fps * np.maximum(seconds, options.toe_ease_s))


def _fade(more: Floats, lie: Bools, frames: Floats) -> None:
    """Let turns (T, 3) fade within `frames` (T,) before and after those that lie."""
    known, free = np.flatnonzero(lie), np.flatnonzero(~lie)
    next_ = np.searchsorted(known, free)
    before, after = known[np.maximum(next_ - 1, 0)], known[np.minimum(next_, known.size - 1)]
    late = np.where(before < free, smoothstep(1.0 - (free - before) / frames[before]), 0.0)
    early = np.where(after > free, smoothstep(1.0 - (after - free) / frames[after]), 0.0)
    both = late[:, None] * more[before] + early[:, None] * more[after]
    more[free] = both / np.maximum(late + early, 1.0)[:, None]


def against(parent: Floats, world: Floats) -> Floats:
    """Rotations (..., 4) in the world as they are against a parent's."""
    return quat.normalise(quat.multiply(quat.conjugate(parent), world))
