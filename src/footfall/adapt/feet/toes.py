"""Toes that lie flat while they carry, and bend as in the source otherwise."""

from __future__ import annotations

import numpy as np

from footfall.adapt.feet.constants import FeetConstants
from footfall.adapt.feet.holds import FLAT, Holds
from footfall.adapt.feet.track import lengths
from footfall.body.feet import Foot
from footfall.body.kinematics import WorldPoses
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats
from footfall.maths.easing import smoothstep

_RATE_HZ = 30.0
"""Speeds are measured over one such part of a second, so that single frames add no noise."""
_SLOWEST_RAD_S = 2.6
"""No toes are held to be slower than this."""
_SHARE, _LONGEST_S = 0.3, 0.6
"""What lying flat takes fades at this share of the toes' own speed, but within this time."""


def bend_toes(
    foot: Foot, poses: WorldPoses, holds: Holds, turned: Floats, fps: float, options: FeetConstants
) -> Floats:
    """Return (T, 4) how the toes are bent against a foot that is turned like `turned` (T, 4).

    What lying flat takes is carried over into the swing and fades.
    """
    if foot.toe is None:
        return np.broadcast_to(quat.IDENTITY, turned.shape)
    own = against(poses.rotations[:, foot.ankle], poses.rotations[:, foot.toe])
    lie = (holds.phases >= FLAT) & holds.firm
    if not lie.any():
        return own
    # The half turns that lying flat takes, and over how many frames they fade.
    at = np.flatnonzero(lie)
    along = against(turned[at], holds.flat[holds.owner[at]])
    half = np.zeros((len(own), 3))
    half[at] = 0.5 * quat.to_rotation_vector(quat.multiply(quat.conjugate(own[at]), along))
    angle = 2.0 * lengths(half)
    fade = np.full(len(own), options.toe_ease_s)
    if 1.5 * angle.max() > _SHARE * _SLOWEST_RAD_S * options.toe_ease_s:
        fade = np.clip(1.5 * angle / (_SHARE * _fastest(own, fps)), fade, _LONGEST_S)
    frames = np.arange(len(own))
    before = np.maximum.accumulate(np.where(lie, frames, -1))
    after = np.minimum.accumulate(np.where(lie, frames, len(own))[::-1])[::-1]
    shares, total = np.zeros((2, len(own))), np.zeros_like(half)
    for share, near, known in (
        (shares[0], before, before >= 0), (shares[1], after, after < len(own))
    ):  # fmt: skip
        near = np.where(known, near, 0)
        gone = np.abs(frames - near) / (fade[near] * fps)
        share[:] = np.where(known, smoothstep(1.0 - gone), 0.0)
        total += share[:, None] * half[near]
    total /= np.maximum(shares.sum(axis=0), 1.0)[:, None]
    return quat.multiply(own, quat.exp_half_angle(total))


def _fastest(own: Floats, fps: float) -> float:
    """Return the highest speed of toes (T, 4) against their foot, radians a second."""
    step = max(1, round(fps / _RATE_HZ))
    turns = quat.angle_between(own[step:], own[:-step])
    return max(_SLOWEST_RAD_S, float(turns.max(initial=0.0)) * fps / step)


def against(parent: Floats, world: Floats) -> Floats:
    """Rotations (..., 4) in the world as they are against a parent's."""
    return quat.normalise(quat.multiply(quat.conjugate(parent), world))
