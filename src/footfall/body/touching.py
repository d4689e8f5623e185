"""Contacts as bits of one number: feet, hands, seat; and the forces a sole can take."""

from __future__ import annotations

import numpy as np

from footfall.maths.arrays import Bools, Bytes
from footfall.maths.constants import MEAN_LEG_M

LEFT_FOOT, RIGHT_FOOT, LEFT_HAND, RIGHT_HAND, SEAT = 1, 2, 4, 8, 16
FEET, HANDS = LEFT_FOOT | RIGHT_FOOT, LEFT_HAND | RIGHT_HAND
PARTS = ("left_foot", "right_foot", "left_hand", "right_hand", "seat")
"""The name of each bit, the lowest first."""

FOOT_HALF_WIDTH = 0.045 / MEAN_LEG_M
"""In leg lengths: a sole is this wide to either side of the line from heel to tip."""
MOST_FRICTION = 1.0
LOADED = 0.3
"""Share of body weight below which friction and the centre of pressure are unknown."""


def touching_bits(contacts: Bools, touches: Bools | None = None) -> Bytes:
    """Return (T,) bits for contacts of the feet (T, 4) and of hands and seat (T, 3)."""
    feet = np.asarray(contacts.reshape(-1, 2, 2).any(axis=2))
    others = np.zeros((len(feet), 3), np.bool_) if touches is None else touches
    weights = np.array([LEFT_FOOT, RIGHT_FOOT, LEFT_HAND, RIGHT_HAND, SEAT], np.uint8)
    return np.asarray(np.concatenate([feet, others], axis=1) @ weights, np.uint8)
