"""How much room bodies take, seen from above: how far feet and hands reach at which speed.

It is measured: a body of the kind walks at every speed for some strides, and the capsules around
its bones are seen from its path.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.blending.control import Crowd
from footfall.blending.model import BlendSpace
from footfall.body.capsules import body_capsules
from footfall.body.kinematics import forward_kinematics
from footfall.body.skeleton import Skeleton
from footfall.maths.arrays import Floats

_EVERY_M_S = 0.2
_BEFORE_S, _SEEN_S, _RATE = 3.0, 1.6, 15.0


@dataclass(frozen=True, eq=False)
class BodyReach:
    """Half the width of a standing body, metres, and how far it reaches ahead and behind (K,) at
    speeds (K,) that are evenly spaced from 0."""

    half_width_m: float
    speeds: Floats
    ahead_m: Floats
    behind_m: Floats

    def table(self) -> Floats:
        """(K, 3) how far it reaches ahead and behind beyond half its width, and the spacing."""
        spacing = np.full(len(self.speeds), self.speeds[1] - self.speeds[0])
        beyond = [np.maximum(r - self.half_width_m, 0.0) for r in (self.ahead_m, self.behind_m)]
        return np.ascontiguousarray(np.column_stack([*beyond, spacing]))


def measure_reach(space: BlendSpace, character: Skeleton) -> BodyReach:
    """How much room a character takes that walks and runs by a blend space."""
    scale = Crowd(space, character).scale
    fastest = float(space.basis.values[:, 0].max()) * scale
    many = max(2, int(np.ceil(fastest / _EVERY_M_S)) + 1)
    speeds = _EVERY_M_S * np.arange(many, dtype=np.float64)
    crowd = Crowd(space, character, len(speeds))
    crowd.put(np.zeros((len(speeds), 3)))
    for _ in range(round(_BEFORE_S * _RATE)):
        crowd.step(1.0 / _RATE, speeds, 0.0)
    capsules = body_capsules(character)
    far = np.zeros((3, len(speeds)))
    for _ in range(round(_SEEN_S * _RATE)):
        crowd.step(1.0 / _RATE, speeds, 0.0)
        poses = forward_kinematics(character, np.array(crowd.root), np.array(crowd.rotations))
        ends = capsules.placed(poses)[..., [0, 2]] - crowd.places[:, None, None, :2]
        radii = capsules.radii[None, :, None]
        seen = (ends[..., 1] + radii, radii - ends[..., 1], np.abs(ends[..., 0]) + radii)
        far = np.maximum(far, [part.max(axis=(1, 2)) for part in seen])
    # Slower than its slowest walk a body takes no less room than when it stands.
    ahead, behind = (np.maximum(row, row[0]) for row in far[:2])
    return BodyReach(float(far[2, 0]), speeds, ahead, behind)
