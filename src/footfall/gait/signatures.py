"""What touches the world, as bits of one number: feet, hands, seat."""

from __future__ import annotations

from footfall.body.touching import (
    FEET,
    HANDS,
    LEFT_FOOT,
    LEFT_HAND,
    PARTS,
    RIGHT_FOOT,
    RIGHT_HAND,
    SEAT,
)

__all__ = [
    "FEET",
    "HANDS",
    "LEFT_FOOT",
    "LEFT_HAND",
    "PARTS",
    "RIGHT_FOOT",
    "RIGHT_HAND",
    "SEAT",
    "describe_signature",
]


def describe_signature(signature: int) -> str:
    """What touches, in words."""
    names = [name.replace("_", " ") for bit, name in enumerate(PARTS) if signature >> bit & 1]
    return " and ".join(names) if names else "nothing"
