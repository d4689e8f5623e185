"""Tracks of feet: the data that all parts of foot locking share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.adapt.feet.constants import FeetConstants
from footfall.body.feet import Foot
from footfall.body.kinematics import WorldPoses
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats
from footfall.maths.easing import smoothstep
from footfall.maths.filters import running_max

X_AXIS = np.array([1.0, 0.0, 0.0])
"""The axis about which knees bend and feet roll, in their own frames."""


@dataclass(frozen=True, eq=False)
class FootTrack:
    """Where a foot goes: ankle (T, 3), orientation (T, 4), how its toes are bent against it
    (T, 4), and whether its heel was raised (T,)."""

    ankle: Floats
    turned: Floats
    bend: Floats
    heel_up: Bools


@dataclass(frozen=True, eq=False)
class Leg:
    """A leg of the source: its hip (T, 3), how far that is from the ankle (T,), how long the leg
    is along its bones (T,), how far the ankle may be from the hip (T,), and its length at rest."""

    hip: Floats
    reach: Floats
    bones: Floats
    longest: Floats
    leg_m: float


@dataclass(frozen=True, eq=False)
class BodyMove:
    """How the body goes along with its feet.

    shift   (T, 3) how far all of it is moved
    tilt    (T, 4) how the pelvis alone is turned about the middle of the hips; None: not at all
    """

    shift: Floats
    tilt: Floats | None = None

    def hips(self, legs: list[Leg]) -> list[Floats]:
        """Return (T, 3) for each leg where its hip joint is then."""
        if self.tilt is None:
            return [leg.hip + self.shift for leg in legs]
        middle = 0.5 * (legs[0].hip + legs[1].hip)
        return [middle + quat.rotate(self.tilt, leg.hip - middle) + self.shift for leg in legs]


def leg_of(
    poses: WorldPoses, foot: Foot, options: FeetConstants, bones: Floats | None = None
) -> Leg:
    """Return the leg of a foot; it may stretch as asked, or as far as it does in the source.

    bones  (T,) how long it is along its bones, unless the knee of `poses` tells it
    """
    hip, knee, ankle = (poses.positions[:, j] for j in (foot.hip, foot.knee, foot.ankle))
    reach = lengths(ankle - hip)
    bones = lengths(knee - hip) + lengths(ankle - knee) if bones is None else bones
    own = np.minimum(reach, options.straightest * bones)
    return Leg(hip, reach, bones, np.maximum(options.reach * bones, own), foot.leg_m)


def cover(need: Floats, half: int) -> Floats:
    """Return (T,) a smooth curve nowhere below `need`, which it leaves within 2 `half` frames."""
    half = max(half, 1)
    mask = np.hanning(2 * half + 3)[1:-1]
    most = running_max(need, half)
    longer = np.concatenate([np.full(half, most[0]), most, np.full(half, most[-1])])
    return np.convolve(longer, mask / mask.sum(), mode="valid")


def ease(mask: Bools, frames: float) -> Floats:
    """Return (T,) 1 where true, easing to 0 within `frames` on either side."""
    away = np.minimum(since(mask), since(mask[::-1])[::-1])
    return smoothstep(1.0 - away / max(frames, 1.0))


def since(mask: Bools) -> Floats:
    """Return (T,) how many frames ago the mask was last true; very many before the first time."""
    last = np.where(mask, np.arange(len(mask)), -(10**9))
    return (np.arange(len(mask)) - np.maximum.accumulate(last)).astype(np.float64)


def lengths(v: Floats) -> Floats:
    """Return (T,) the lengths of vectors (T, 3)."""
    return np.asarray(np.sqrt(np.einsum("ti,ti->t", v, v)))
