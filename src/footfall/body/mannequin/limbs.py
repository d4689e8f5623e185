"""Arms and legs: rigid tapered shells with muscle off the axis, and balls at the joints.

The tables give radii in hundredths of stature towards the outer side, the inner side, the
front and the back, from the shell's start (0) to its end (1). Each shell is cut obliquely, so
that the gap over the ball opens on the side to which the joint bends.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.body.mannequin.proportions import SEGMENTS, Proportions, Side
from footfall.body.mannequin.shapes import (
    BODY,
    Part,
    along,
    ball,
    bone_frame,
    chain,
    close_rings,
    ring_points,
    smooth_rows,
)
from footfall.maths.arrays import Floats


@dataclass(frozen=True)
class Shell:
    """The form of one limb segment.

    rows  (place along the shell, outer, inner, front, back radius in hundredths of stature)
    cuts  how far the shell stays away from either joint, as a share of the ball's radius
    lean  slope of the cut at the start and at the end: metres along the limb per metre
          towards the outer side, the inner side, the front and the back
    rings how many rings the table is read off at
    """

    rows: tuple[tuple[float, float, float, float, float], ...]
    cuts: tuple[float, float]
    lean: tuple[tuple[float, ...], tuple[float, ...]]
    rings: int = 8


BALLS = {
    "shoulder": ("upper_arm", 2.9),
    "elbow": ("forearm", 1.95),
    "wrist": ("forearm", 1.4),
    "hip": ("thigh", 4.2),
    "knee": ("shank", 2.75),
    "ankle": ("shank", 1.85),
}
"""Role -> the segment whose girth it goes with, and the radius in hundredths of stature."""

SHELLS = {
    "thigh": Shell(
        (
            (0.00, 4.65, 4.0, 4.25, 4.75), (0.14, 5.05, 4.3, 4.85, 4.95),
            (0.40, 4.4, 3.85, 4.85, 4.2), (0.68, 3.4, 3.2, 3.95, 3.3),
            (0.87, 3.05, 3.0, 3.35, 2.95), (1.00, 3.0, 2.95, 3.2, 2.8),
        ),
        (0.30, 0.50),
        ((-0.50, 0.50, 0.20, -0.20), (0.0, 0.0, 0.12, -0.25)),
    ),
    "shank": Shell(
        (
            (0.00, 2.9, 2.85, 3.05, 2.75), (0.11, 2.95, 2.9, 2.8, 3.2),
            (0.24, 3.1, 3.1, 2.6, 3.8), (0.36, 3.05, 3.05, 2.45, 3.85),
            (0.55, 2.5, 2.5, 2.2, 2.95), (0.76, 1.95, 1.95, 2.0, 2.15),
            (1.00, 1.85, 1.85, 1.9, 1.9),
        ),
        (0.45, 0.60),
        ((0.0, 0.0, -0.70, 0.45), (0.0, 0.0, 0.0, 0.0)),
        rings=10,
    ),
    "upper_arm": Shell(
        (
            (0.00, 2.25, 2.8, 3.1, 3.1), (0.07, 3.05, 2.9, 3.3, 3.3),
            (0.20, 3.6, 2.8, 3.35, 3.35), (0.48, 2.5, 2.35, 2.85, 2.65),
            (0.76, 2.05, 2.05, 2.25, 2.3), (1.00, 2.05, 2.05, 2.1, 2.15),
        ),
        (0.20, 0.50),
        ((-1.32, 0.35, -0.12, -0.12), (0.0, 0.0, -0.25, 0.12)),
    ),
    "forearm": Shell(
        (
            (0.00, 2.1, 2.1, 2.1, 2.3), (0.22, 2.45, 2.15, 2.65, 2.3),
            (0.48, 2.1, 1.9, 2.25, 2.0), (0.80, 1.45, 1.4, 1.7, 1.6),
            (1.00, 1.45, 1.45, 1.65, 1.6),
        ),
        (0.45, 0.50),
        ((0.0, 0.0, 0.45, -0.60), (0.0, 0.0, 0.0, 0.0)),
    ),
}  # fmt: skip

_ROUND = 14
_DETAIL = {
    "shoulder": (12, 5), "elbow": (12, 5), "wrist": (12, 4), "hip": (10, 5), "ankle": (12, 5),
}  # fmt: skip


def ball_radius(body: Proportions, role: str) -> float:
    """The radius of the ball at a joint, metres."""
    segment, share = BALLS[role]
    return 0.01 * share * body.sizes[segment]


def limbs(body: Proportions, side: Side) -> list[Part]:
    """Shells and balls of one side's arm and leg."""
    parts = [_shell(body, side, name) for name in SHELLS]
    for role in BALLS:
        joint = side.joints[role]
        detail = _DETAIL.get(role, (12, 6))
        axis = _axis_at(side, role)
        parts.append(ball(side.points[role], ball_radius(body, role), axis, *detail).rigid(joint))
    return [side.placed(part) for part in parts]


def _axis_at(side: Side, role: str) -> Floats:
    """The direction of the bone on which a ball's poles lie."""
    for _, start, end in SEGMENTS.values():
        if role in (start, end):
            return side.points[end] - side.points[start]
    return np.array([0.0, -1.0, 0.0])


def _shell(body: Proportions, side: Side, name: str) -> Part:
    """The shell of one segment, in (outer, front, along) coordinates from its first joint."""
    shell = SHELLS[name]
    _, first, last = SEGMENTS[name]
    start, end = side.points[first], side.points[last]
    length = max(float(np.linalg.norm(end - start)), 0.02 * body.stature)
    rows = smooth_rows(np.array(shell.rows), shell.rings)
    radii = 0.01 * body.sizes[name] * rows[:, 1:]
    low = min(shell.cuts[0] * ball_radius(body, first), 0.3 * length)
    high = length - min(shell.cuts[1] * ball_radius(body, last), 0.3 * length)
    place = low + (high - low) * rows[:, 0]
    # A rounded lip at either end: the first and last ring again, drawn in.
    lip = 0.10
    place = np.concatenate([[place[0]], place, [place[-1]]])
    radii = np.concatenate([radii[:1] * (1.0 - lip), radii, radii[-1:] * (1.0 - lip)])
    place[1] += lip * radii[1].mean()
    place[-2] -= lip * radii[-2].mean()
    rings = ring_points(place, radii, _ROUND, 2.15)
    x = np.clip((place - low) / (high - low), 0.0, 1.0)[:, None]
    for slopes, fade in zip(shell.lean, ((1.0 - x) ** 2, x**2), strict=True):
        rings[..., 2] += fade * _cut(rings, slopes)
    part = close_rings(rings, bone_frame(start, end - start), BODY)
    return _bound_along(body, side, part, first, last, rings, length)


def _cut(rings: Floats, slopes: tuple[float, ...]) -> Floats:
    """How far a leaning cut shifts each point of the rings along the limb."""
    u, v = rings[..., 0], rings[..., 1]
    outer, inner, front, back = slopes
    return np.asarray(
        np.where(u > 0.0, outer * u, -inner * u) + np.where(v > 0.0, front * v, -back * v)
    )


def _bound_along(
    body: Proportions, side: Side, part: Part, first: str, last: str, rings: Floats, length: float
) -> Part:
    """Bind a shell to the joints from `first` to before `last` (twist and split bones too)."""
    skeleton = body.skeleton
    joints = chain(skeleton, side.joints[first], side.joints[last])[:-1] or [side.joints[first]]
    origin = body.positions[joints[0]]
    way = body.positions[side.joints[last]] - origin
    way = way / max(float(np.linalg.norm(way)), 1e-9)
    starts = [float((body.positions[j] - origin) @ way) for j in joints]
    local = np.concatenate([rings.reshape(-1, 3), rings[[0, -1]].mean(axis=1)])
    return part.bound(joints, along(local[:, 2], starts, 0.15 * length))
