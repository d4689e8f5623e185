"""Left and right by name and by number."""

from __future__ import annotations

from footfall.body.roles import SIDES
from footfall.errors import InputError, choices

SIGNS = (1.0, -1.0)
"""Of x on the left (0) and the right (1)."""


def side_index(name: str, what: str = "foot") -> int:
    """0 for "left" and 1 for "right"; anything else is refused."""
    if name not in SIDES:
        raise InputError(f"there is no {what} {name!r}", remedy=choices(SIDES, name))
    return SIDES.index(name)
