"""Inverse kinematics of two-bone limbs in closed form.

A limb is three joints: root (hip or shoulder), middle (knee or elbow) and end (ankle or wrist).
The solution keeps what the limb was doing: the middle joint bends about its own axis, then the
whole limb swings the shortest way to its target, which carries the place of the middle joint on
its swivel circle along. All functions take T frames at once.

Where we differ from Lee & Shin 1999, who project the middle joint's old place onto the circle:
when the target moves further than the limb is bent, the old place lies on the wrong side of the
new line, and the knee flips. Carried along, it cannot.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats

_STRAIGHT = 1e-4
"""Sine of the bend below which a limb counts as straight and its own hinge is used."""


@dataclass(frozen=True, eq=False)
class LimbPose:
    """A limb in the world: joint positions (T, 3) and the upper bones' rotations (T, 4).

    hinge (T, 3) is the axis about which the middle joint bends when the limb is straight;
    a turn about it by a positive angle bends the limb further.
    """

    root: Floats
    middle: Floats
    end: Floats
    upper: Floats
    lower: Floats
    hinge: Floats


@dataclass(frozen=True, eq=False)
class LimbSolution:
    """World rotations (T, 4) of the limb's two bones, and how far the end stays off (T,) metres."""

    upper: Floats
    lower: Floats
    shortfall: Floats


def reach(limb: LimbPose, target: Floats, soft: float | Floats = 0.0) -> LimbSolution:
    """Turn the limb so that its end comes to `target` (T, 3).

    soft  the last share of the limb's length in which it approaches full stretch smoothly
          instead of snapping straight (0: exact up to full stretch), one for all or (T,);
          within the rest of the reach the end meets the target exactly
    """
    thigh, shank = limb.middle - limb.root, limb.end - limb.middle
    upper_m, lower_m = _length(thigh), _length(shank)
    line = target - limb.root
    wanted = _length(line)
    span = np.clip(
        soft_reach(wanted, upper_m + lower_m, soft), np.abs(upper_m - lower_m), upper_m + lower_m
    )
    axis = _bend_axis(thigh, shank, limb.hinge)
    bend = _turn_about(axis, thigh, shank)
    wanted_bend = np.pi - corner(upper_m, lower_m, span)
    turn = quat.from_axis_angle(axis, wanted_bend - bend)
    bent_end = thigh + quat.rotate(turn, shank)
    swing = quat.between(bent_end, np.where(wanted[:, None] > 1e-9, line, bent_end))
    return LimbSolution(
        upper=quat.normalise(quat.multiply(swing, limb.upper)),
        lower=quat.normalise(quat.multiply(swing, quat.multiply(turn, limb.lower))),
        shortfall=np.abs(wanted - span),
    )


def soft_reach(distance: Floats, longest: Floats, soft: float | Floats) -> Floats:
    """A distance that approaches `longest` smoothly within its last `soft` share (C¹)."""
    if np.all(np.asarray(soft) <= 0.0):
        return np.minimum(distance, longest)
    zone = np.maximum(soft, 1e-9) * longest
    start = longest - zone
    over = np.maximum(distance - start, 0.0)
    eased = np.minimum(start + zone * -np.expm1(-over / zone), longest)
    return np.where(distance <= start, distance, eased)


def corner(a: Floats, b: Floats, opposite: Floats) -> Floats:
    """The angle between sides a and b of a triangle, accurate for thin ones too (Kahan)."""
    s = 0.5 * (a + b + opposite)
    near = np.maximum((s - a) * (s - b), 0.0)
    far = np.maximum(s * (s - opposite), 0.0)
    return 2.0 * np.arctan2(np.sqrt(near), np.sqrt(far))


def _length(v: Floats) -> Floats:
    return np.asarray(np.sqrt(np.einsum("ti,ti->t", v, v)))


def _bend_axis(thigh: Floats, shank: Floats, hinge: Floats) -> Floats:
    """(T, 3) the unit axis the limb is bent about; near straight, the hinge made square to it."""
    normal = quat.cross(thigh, shank)
    size = _length(normal)[:, None]
    scale = (_length(thigh) * _length(shank))[:, None]
    # Where the limb bends the other way round its hinge, keep the hinge's sense.
    sense = np.where(np.einsum("ti,ti->t", normal, hinge)[:, None] < 0.0, -1.0, 1.0)
    along = thigh / np.maximum(_length(thigh)[:, None], 1e-12)
    square = hinge - along * np.einsum("ti,ti->t", hinge, along)[:, None]
    square /= np.maximum(_length(square)[:, None], 1e-12)
    bent = sense * normal / np.maximum(size, 1e-300)
    share = np.clip(size / np.maximum(scale * 10 * _STRAIGHT, 1e-300), 0.0, 1.0)
    mixed = share * bent + (1.0 - share) * square
    return np.asarray(mixed / np.maximum(_length(mixed)[:, None], 1e-12))


def _turn_about(axis: Floats, a: Floats, b: Floats) -> Floats:
    """(T,) the signed angle that turns `a` towards `b` about `axis`."""
    sine = np.einsum("ti,ti->t", quat.cross(a, b), axis)
    return np.asarray(np.arctan2(sine, np.einsum("ti,ti->t", a, b)))
