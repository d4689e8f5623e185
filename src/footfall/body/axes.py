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
_ANY_LEG_M, _GROWN_LEG_M, _USUAL_LEG_M = (0.35, 1.4), (0.59, 1.08), 0.85

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
    """Return the unit vector (3,) that an axis name stands for."""
    if axis not in AXES:
        raise InputError(f"there is no axis {axis!r}", remedy=choices(AXES, axis))
    vector = np.zeros(3)
    vector["xyz".index(axis[-1])] = -1.0 if axis[0] == "-" else 1.0
    return vector


def nearest_axis(direction: Floats) -> str:
    """Return the name of the axis nearest to `direction` (3,)."""
    k = int(np.argmax(np.abs(direction)))
    return ("-" if direction[k] < 0.0 else "") + "xyz"[k]


def to_y_up(up: str) -> Floats:
    """Return (3, 3) the proper rotation from a world with the up axis `up` to one with Y up."""
    if up not in _TO_Y_UP:
        raise InputError(f"there is no axis {up!r}", remedy=choices(AXES, up))
    return np.array(_TO_Y_UP[up], dtype=np.float64)


def detect_unit(leg: float) -> tuple[float, bool]:
    """Return metres per unit for a leg (hip to knee to ankle) of `leg` units, and if it is sure.

    The unit makes a leg of a grown person (0.59 to 1.08 m, statures of 1.2 to 2.2 m): metres,
    centimetres and millimetres are tried first, then inches, the Acclaim unit, decimetres and
    feet, whichever comes nearest to 0.85 m. If none does, metres, centimetres or millimetres may
    make the leg of a child or a giant (0.35 to 1.4 m).
    """
    if not (math.isfinite(leg) and leg > 0.0):
        return 1.0, False

    def nearest(units: tuple[float, ...]) -> float:
        return min(units, key=lambda unit: abs(math.log(leg * unit / _USUAL_LEG_M)))

    for units, (least, most) in (
        (_COMMON_UNITS, _GROWN_LEG_M), (_OTHER_UNITS, _GROWN_LEG_M), (_COMMON_UNITS, _ANY_LEG_M),
    ):  # fmt: skip
        unit = nearest(units)
        if least <= leg * unit <= most:
            return unit, True
    unit = nearest((*_COMMON_UNITS, *_OTHER_UNITS))
    return unit, _ANY_LEG_M[0] <= leg * unit <= _ANY_LEG_M[1]


def other_unit(leg: float, unit: float) -> float | None:
    """Return another common unit that would make a leg of `leg` units human, if there is one."""
    least, most = _ANY_LEG_M
    return next((u for u in _COMMON_UNITS if u != unit and least <= leg * u <= most), None)
