"""Axes by name, and how large a unit is: found from the body itself."""

from __future__ import annotations

import math

import numpy as np

from footfall.errors import InputError, choices
from footfall.maths.arrays import Floats

AXES = ("x", "y", "z", "-x", "-y", "-z")
"""The names of axes: the letter, with a minus for the opposite direction."""

CMU_UNIT_M = 0.0254 / 0.45
"""Metres per unit of Acclaim files that state `length 0.45`, and of BVH files made from them."""

_COMMON_UNITS = (1.0, 0.01, 0.001)
_OTHER_UNITS = (0.0254, CMU_UNIT_M, 0.1, 0.3048)
_SHORTEST_LEG_M, _LONGEST_LEG_M, _USUAL_LEG_M = 0.35, 1.4, 0.85

# Rotations that bring an up axis to +y. For z up it is the usual (x, y, z) -> (x, z, -y).
_TO_Y_UP = {
    "y": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "z": ((1, 0, 0), (0, 0, 1), (0, -1, 0)),
    "x": ((0, -1, 0), (1, 0, 0), (0, 0, 1)),
    "-y": ((1, 0, 0), (0, -1, 0), (0, 0, -1)),
    "-z": ((1, 0, 0), (0, 0, -1), (0, 1, 0)),
    "-x": ((0, 1, 0), (-1, 0, 0), (0, 0, 1)),
}


def axis_vector(axis: str) -> Floats:
    """The unit vector (3,) that an axis name stands for."""
    if axis not in AXES:
        raise InputError(f"there is no axis {axis!r}", remedy=choices(AXES, axis))
    vector = np.zeros(3)
    vector["xyz".index(axis[-1])] = -1.0 if axis[0] == "-" else 1.0
    return vector


def nearest_axis(direction: Floats) -> str:
    """The name of the axis nearest to `direction` (3,)."""
    k = int(np.argmax(np.abs(direction)))
    return ("-" if direction[k] < 0.0 else "") + "xyz"[k]


def to_y_up(up: str) -> Floats:
    """(3, 3) the proper rotation that turns a world whose up axis is `up` into one with y up."""
    if up not in _TO_Y_UP:
        raise InputError(f"there is no axis {up!r}", remedy=choices(AXES, up))
    return np.array(_TO_Y_UP[up], dtype=np.float64)


def detect_unit(leg: float) -> tuple[float, bool]:
    """Metres per unit for a leg (hip to knee to ankle) of `leg` units, and whether it is sure.

    Metres, centimetres and millimetres come first if one of them makes a human leg (0.35 to
    1.4 m); then inches, the Acclaim unit, decimetres and feet, whichever comes nearest to 0.85 m.
    """
    if not (math.isfinite(leg) and leg > 0.0):
        return 1.0, False
    for unit in _COMMON_UNITS:
        if _SHORTEST_LEG_M <= leg * unit <= _LONGEST_LEG_M:
            return unit, True
    every = (*_COMMON_UNITS, *_OTHER_UNITS)
    unit = min(every, key=lambda u: abs(math.log(leg * u / _USUAL_LEG_M)))
    return unit, _SHORTEST_LEG_M <= leg * unit <= _LONGEST_LEG_M
