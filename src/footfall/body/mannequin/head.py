"""The head, with a face that shows where it looks."""

from __future__ import annotations

import numpy as np

from footfall.body.mannequin.proportions import Proportions
from footfall.body.mannequin.shapes import BODY, Frame, Part, close_rings, ring_points, smooth_rows
from footfall.body.mannequin.torso import skull_place
from footfall.maths.arrays import Floats

# Rows: height (0 chin, 1 crown), front, back, half width (shares of the head's height), squareness.
_HEAD = (
    (0.005, 0.22, 0.00, 0.07, 2.0),
    (0.035, 0.315, 0.08, 0.15, 2.1),
    (0.10, 0.355, 0.18, 0.225, 2.2),
    (0.22, 0.365, 0.29, 0.28, 2.25),
    (0.38, 0.37, 0.39, 0.315, 2.25),
    (0.54, 0.385, 0.45, 0.335, 2.25),
    (0.70, 0.37, 0.47, 0.335, 2.15),
    (0.85, 0.30, 0.41, 0.28, 2.05),
    (0.95, 0.175, 0.275, 0.175, 2.0),
    (0.99, 0.07, 0.14, 0.08, 2.0),
)
_HEAD_RINGS, _HEAD_ROUND = 15, 20


def head(body: Proportions) -> Part:
    """An egg with jaw, face plane, brow and nose, rigid on the head joint."""
    roles = body.skeleton.roles
    skull = skull_place(body)
    rows = smooth_rows(np.array(_HEAD), _HEAD_RINGS)
    rings = ring_points(rows[:, 0], rows[:, [1, 2, 3, 3]], _HEAD_ROUND, rows[:, 4], 0.4)
    _face(rings)
    upright = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    frame = Frame(skull.chin, upright * skull.tall)
    return close_rings(rings, frame, BODY, 0.4).rigid(roles.get("head", roles.get("neck", 0)))


def _face(rings: Floats) -> None:
    """Press a face plane into the front of unit rings, and raise nose and brow from it."""
    ahead = rings[..., 0]
    side, height = rings[..., 1], rings[..., 2]
    front = np.clip(ahead / 0.4, 0.0, 1.0) ** 2
    nose = np.exp(-((side / 0.055) ** 2)) * np.interp(
        height, [0.27, 0.34, 0.39, 0.57, 0.66], [0.0, 0.7, 1.0, 0.35, 0.0]
    )
    sockets = np.exp(-(((np.abs(side) - 0.15) / 0.09) ** 2) - ((height - 0.52) / 0.07) ** 2)
    ahead += front * (0.085 * nose - 0.055 * sockets)
