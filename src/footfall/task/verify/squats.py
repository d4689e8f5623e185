"""Whether hips go lower than anything asks for.

Limits of a crouch follow the sources, which may squat, sit and pick things up. A viewer who sees
a person go from one place to another accepts none of that, unless something hangs low there.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from footfall.body.roles import SIDES
from footfall.maths.arrays import Bools, Floats
from footfall.maths.runs import widen
from footfall.task.query import Query
from footfall.task.stages import Duck, Pick, PutDown, Sit, StandUp
from footfall.task.verify.motion import Motion, worst_span
from footfall.task.verify.report import Finding, Values
from footfall.world.scene import Scene

LOWEST_LEGS = 0.62
"""Hips are at least so high above the lower ankle, leg lengths: viewers see a squat below 0.6."""
_OF_USUAL = 0.8
"""A person who crouches all the time squats below this share of how high its hips come."""
_LANDS_S = 0.1
"""So long before a foot stands, and after, the body is not in flight either."""
_HANGS_LEGS, _NEAR_LEGS = (0.5, 2.2), 1.0
"""What hangs so high above the ankle, and is so near, is a reason to crouch."""


def check_squats(
    motion: Motion, query: Query, scene: Scene | None, values: Values
) -> Iterator[Finding]:
    """Yield the deepest squat of a query that has no stage and no style to squat for."""
    if query.style is not None or any(
        isinstance(stage, (Pick, PutDown, Sit, StandUp, Duck)) for stage in query.stages
    ):
        return
    left, right = (motion.role(f"{side}_ankle")[:, 1] for side in SIDES)
    ankles = np.minimum(left, right)
    depth = (ankles - motion.hips[:, 1]) / motion.leg_m
    stands = widen(np.asarray(motion.foot_contacts.any(axis=1)), round(_LANDS_S * motion.fps))
    depth = np.where(stands, depth, -np.inf)
    least = LOWEST_LEGS
    if stands.any():
        least = min(least, _OF_USUAL * round(float(np.quantile(-depth[stands], 0.9)), 3))
    low = depth > -least
    if scene is not None and low.any():
        depth[low] = np.where(_hangs_low(motion, scene, low, ankles[low]), -np.inf, depth[low])
    at = int(depth.argmax())
    worst = round(float(depth[at]), 6)
    values.enter("squat", worst, -least)
    if worst > -least:
        first, stop = worst_span(depth, -least, at)
        yield Finding(
            "squat", "hips", at / motion.fps, first, stop, -worst, least, "legs", True,
            motion.place(at), least=True, name="squat",
        )  # fmt: skip


def _hangs_low(motion: Motion, scene: Scene, rows: Bools, ankles: Floats) -> Bools:
    """(N,) whether something hangs over or beside the body, lower than it stands high."""
    solids = scene.snapshot().solids
    low, high = solids.low[solids.solid], solids.high[solids.solid]
    at = motion.hips[rows]
    apart = np.maximum(np.maximum(low - at[:, None], at[:, None] - high), 0.0)
    above = low[:, 1] - ankles[:, None]
    hangs = (above > _HANGS_LEGS[0] * motion.leg_m) & (above < _HANGS_LEGS[1] * motion.leg_m)
    near = np.hypot(apart[..., 0], apart[..., 2]) < _NEAR_LEGS * motion.leg_m
    return np.asarray((hangs & near).any(axis=1))
