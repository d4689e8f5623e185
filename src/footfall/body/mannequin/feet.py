"""Feet with a flat sole, a heel, an instep and toes that bend at the ball."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.body.feet import foot_points
from footfall.body.mannequin.proportions import Proportions, Side
from footfall.body.mannequin.shapes import BODY, Frame, Part, along, close_rings, smoothstep, unit
from footfall.maths.arrays import Floats

# Rows: place along the shoe (0 heel, 1 toe tip; the ball at 0.72), height of the sole and of the
# top (shares of the ankle's height), width to the outer and the inner side (hundredths of stature).
# The upper dips where the toes break, and the toe cap is blunt.
_FOOT = np.array([
    (0.000, 0.20, 0.52, 0.85, 0.82), (0.010, 0.06, 0.66, 1.40, 1.36),
    (0.038, 0.00, 0.78, 1.78, 1.74), (0.100, 0.00, 0.92, 2.02, 1.98),
    (0.240, 0.00, 1.06, 2.12, 2.03), (0.400, 0.00, 0.93, 2.22, 2.00),
    (0.540, 0.00, 0.73, 2.58, 2.10), (0.650, 0.00, 0.60, 2.84, 2.30),
    (0.705, 0.00, 0.525, 2.88, 2.42), (0.735, 0.00, 0.525, 2.88, 2.46),
    (0.800, 0.00, 0.545, 2.84, 2.54), (0.890, 0.00, 0.52, 2.66, 2.56),
    (0.955, 0.00, 0.46, 2.30, 2.42), (0.988, 0.03, 0.38, 1.80, 2.00),
    (1.000, 0.10, 0.28, 1.15, 1.35),
])  # fmt: skip
_WELT = 0.45
"""How high the dark sole reaches up the sides, hundredths of stature."""
_BALL_AT = 0.72
_ROUND = 16
_WELTS = [5, 11]
_IS_SOLE = (np.arange(_ROUND) >= _WELTS[0]) & (np.arange(_ROUND) < _WELTS[1])


@dataclass(frozen=True)
class Sole:
    """Where a foot stands: heel, ball and tip along `forward` from under the ankle, metres."""

    height: float
    heel: float
    ball: float
    tip: float
    forward: Floats


def foot(body: Proportions, side: Side) -> Part:
    """One shoe, bound to the ankle and, from the ball on, to the toe joint."""
    sole = sole_of(body, side)
    ankle = side.points["ankle"]
    rows = _FOOT
    back = rows[:, 0] <= _BALL_AT
    along_back = sole.heel + (sole.ball - sole.heel) * rows[:, 0] / _BALL_AT
    along_front = sole.ball + (sole.tip - sole.ball) * (rows[:, 0] - _BALL_AT) / (1.0 - _BALL_AT)
    place = np.where(back, along_back, along_front)
    size = 0.01 * body.sizes["shank"]
    tall = float(np.clip(ankle[1] - sole.height, 2.2 * size, 6.0 * size))
    rings = _soled_rings(place, tall * rows[:, 1:3], size * rows[:, 3:5], _WELT * size)
    up = np.array([0.0, 1.0, 0.0])
    ground = np.array([ankle[0], sole.height, ankle[2]])
    frame = Frame(ground, np.stack([np.cross(up, sole.forward), up, sole.forward]))
    creased = (rows[:-1, 0] < _BALL_AT) & (rows[1:, 0] > _BALL_AT)
    part = close_rings(rings, frame, BODY, 0.15).darkened(creased[:, None] | _IS_SOLE)
    joints, starts = [side.joints["ankle"]], [0.0]
    if "toe" in side.joints:
        joints, starts = [*joints, side.joints["toe"]], [0.0, sole.ball]
    stations = (part.vertices - ground) @ sole.forward
    return side.placed(part.bound(joints, along(stations, starts, 1.3 * size)))


def _soled_rings(place: Floats, tall: Floats, wide: Floats, welt: float) -> Floats:
    """Rings (r, s, 3) in (outer, up, forward) coordinates: a dome over a sole `welt` metres thick.

    The ends of the shoe, where the bottom has left the ground, are rounded all about.
    """
    angle = 2.0 * np.pi * np.arange(_ROUND) / _ROUND + np.pi / 2.0
    cos, sin = np.cos(angle), np.sin(angle)
    # The lower half is squeezed flat: its points keep their width, the sole's corners rounded.
    across = np.sign(cos) * np.abs(cos) ** np.where(sin < 0.0, 0.55, 0.8)
    rise = np.where(sin >= 0.0, 0.30 + 0.70 * sin, 0.30 * (1.0 - np.abs(sin) ** 0.5))
    rise = np.where(sin < -0.45, 0.0, rise)
    flat = 1.0 - smoothstep(tall[:, :1] / tall[:, 1:], 0.0, 0.35)
    across = flat * across + (1.0 - flat) * cos
    rise = flat * rise + (1.0 - flat) * (0.5 + 0.5 * sin)
    u = np.where(across >= 0.0, wide[:, :1], wide[:, 1:]) * across
    v = tall[:, :1] + (tall[:, 1:] - tall[:, :1]) * rise
    v[:, _WELTS] = tall[:, :1] + np.minimum(welt, 0.25 * (tall[:, 1:] - tall[:, :1]))
    return np.stack([u, v, np.broadcast_to(place[:, None], u.shape)], -1)


def sole_of(body: Proportions, side: Side) -> Sole:
    """Lay the foot along the points of contact that the skeleton has, within what feet can be."""
    points = foot_points(body.skeleton)
    flip, ahead = np.array([side.sign, 1.0, 1.0]), np.array([1.0, 0.0, 1.0])
    ankle = side.points["ankle"] * ahead
    heel, ball, tip = (
        (body.positions[p.joint] + p.offset) * flip * ahead - ankle
        for p in points.side("left" if side.sign > 0 else "right")
    )
    size = body.sizes["shank"]
    forward = unit(ball, np.array([0.0, 0.0, 1.0]))
    to_ball = float(np.clip(ball @ forward, 0.04 * size, 0.11 * size))
    to_tip = to_ball + float(np.clip((tip - ball) @ forward, 0.025 * size, 0.07 * size))
    # The heel's point of contact lies a little inside the rounded end of the sole.
    to_heel = float(np.clip(-heel @ forward, 0.02 * size, 0.05 * size)) + 0.006 * size
    return Sole(points.sole_height, -to_heel, to_ball, to_tip, forward)
