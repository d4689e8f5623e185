"""The points of the body that touch things: of the hands, and of the seat."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from footfall.body.capsules import body_capsules
from footfall.body.feet import mean_leg
from footfall.body.skeleton import Skeleton
from footfall.maths.arrays import Floats

SEAT_TO_HIPS = 0.1
"""In leg lengths: the hip joints of a person who sits are this far above the seat."""


@lru_cache(maxsize=64)
def hand_point(skeleton: Skeleton, side: str) -> Floats:
    """(3,) the middle of the "left" or "right" hand, which takes things, in the wrist's frame."""
    capsules = body_capsules(skeleton)
    own = capsules.joints == skeleton.role(f"{side}_wrist")
    return np.asarray(capsules.ends[own].mean(axis=(0, 1)))


def seat_to_hips(skeleton: Skeleton) -> float:
    """Return how far the hip joints of a person who sits are above the seat, metres."""
    return SEAT_TO_HIPS * mean_leg(skeleton)


def touch_point(skeleton: Skeleton, part: str) -> tuple[str, Floats]:
    """Return the role of a joint, and the point (3,) in its frame that touches.

    part  "left_hand" or "right_hand"; "seat", which is the middle of the hip joints
    """
    if part == "seat":
        rest = skeleton.rest_positions
        middle = 0.5 * (rest[skeleton.role("left_hip")] + rest[skeleton.role("right_hip")])
        return "hips", np.asarray(middle - rest[skeleton.role("hips")])
    side = part.removesuffix("_hand")
    return f"{side}_wrist", hand_point(skeleton, side)
