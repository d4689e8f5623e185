"""How tall a body is, from the lengths of its bones.

A rest pose is no help: end sites at toes and head may be missing, and a rest that was made from a
motion's mean posture stoops. Lengths of bones are the same in every pose and every clip of a
performer. Legs count most: skeletons agree on where hips, knees and ankles are, and differ by a
third in what they take for a trunk.
"""

from __future__ import annotations

import math
from itertools import pairwise

from footfall.body.feet import mean_leg
from footfall.body.roles import SIDES
from footfall.body.skeleton import Skeleton

_LEG, _ARM = 0.491, 0.332
"""Hip to ankle and shoulder to wrist as shares of stature (Drillis & Contini)."""
_TO_HEAD, _TO_NECK = 0.345, 0.285
"""From the hip joints along the spine to where the head, or the neck, begins; from skeletons."""
_WEIGHTS = {"legs": 0.72, "arms": 0.16, "trunk": 0.12}


def stature(skeleton: Skeleton) -> float:
    """The height of a humanoid in metres, the same in whatever pose its skeleton rests."""
    estimates = {"legs": mean_leg(skeleton) / _LEG, "arms": _arm(skeleton) / _ARM}
    trunk = _trunk(skeleton)
    if trunk is not None:
        estimates["trunk"] = trunk
    weight = sum(_WEIGHTS[part] for part in estimates)
    return sum(_WEIGHTS[part] * metres for part, metres in estimates.items()) / weight


def _arm(skeleton: Skeleton) -> float:
    """Shoulder to elbow to wrist, the mean of both sides, metres."""
    return 0.5 * sum(_along(skeleton, f"{side}_shoulder", f"{side}_wrist") for side in SIDES)


def _trunk(skeleton: Skeleton) -> float | None:
    """The stature that goes with the spine, metres; None for a body without neck and head."""
    roles, rest = skeleton.roles, skeleton.rest_positions
    top = next((role for role in ("head", "neck") if role in roles), None)
    if top is None:
        return None
    middle = 0.5 * (rest[roles["left_hip"]] + rest[roles["right_hip"]])
    length = math.dist(middle, rest[roles["hips"]]) + _along(skeleton, "hips", top)
    return length / (_TO_HEAD if top == "head" else _TO_NECK)


def _along(skeleton: Skeleton, low: str, high: str) -> float:
    """The length of the bones from one role down the tree to another, metres."""
    chain = skeleton.chain(skeleton.role(low), skeleton.role(high))
    return sum(math.dist(a, b) for a, b in pairwise(skeleton.rest_positions[chain]))
