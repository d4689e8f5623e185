"""What touches the world, as bits of one number: feet, hands, seat."""

from __future__ import annotations

LEFT_FOOT, RIGHT_FOOT, LEFT_HAND, RIGHT_HAND, SEAT = 1, 2, 4, 8, 16
FEET, HANDS = LEFT_FOOT | RIGHT_FOOT, LEFT_HAND | RIGHT_HAND
PARTS = ("left_foot", "right_foot", "left_hand", "right_hand", "seat")
"""The name of each bit, the lowest first."""


def describe_signature(signature: int) -> str:
    """What touches, in words."""
    names = [name.replace("_", " ") for bit, name in enumerate(PARTS) if signature >> bit & 1]
    return " and ".join(names) if names else "nothing"
