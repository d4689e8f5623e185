"""The sole of a character: the points that must be on the ground at a footprint."""

from __future__ import annotations

from footfall.body.size import body_size
from footfall.body.skeleton import Skeleton
from footfall.world.collision.queries import FootBox


def sole_of(skeleton: Skeleton) -> tuple[FootBox, float]:
    """Return the sole of a character, and how far its middle is before a footprint's place."""
    size = body_size(skeleton)
    box = FootBox(size.sole_m, size.sole_width_m, size.sole_high_m, roughness=size.rough_m)
    return box, size.sole_ahead_m
