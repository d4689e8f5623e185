"""The sole of a character: what has to be on the ground where a footprint is."""

from __future__ import annotations

from footfall.body.feet import foot_points
from footfall.body.skeleton import Skeleton
from footfall.world.collision.queries import FootBox


def sole_of(skeleton: Skeleton) -> tuple[FootBox, float]:
    """The sole of a character, and how far its middle is before the place of a footprint."""
    heel, ball, tip = foot_points(skeleton).side("left")
    rest = skeleton.rest_positions
    z = [float((rest[p.joint] + p.offset)[2]) for p in (heel, ball, tip)]
    length = z[2] - z[0]
    return FootBox(length=length, width=0.36 * length), 0.5 * (z[2] + z[0]) - 0.5 * (z[1] + z[0])
