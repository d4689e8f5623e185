"""Move feet that stand over an edge, or touch something, onto ground that carries them freely.

Searches may let soles stand a little over an edge: on a narrow beam, or before a hole, a step that
fits nearly is found far sooner than one that fits exactly. They may also let heels come too near
to the legs of a chair. When the motion is finished each such foot is moved to a good place, by no
more than it has to be, and the legs follow.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from footfall.adapt.feet.holds import Holds
from footfall.body.capsules import body_capsules
from footfall.body.feet import Foot
from footfall.body.skeleton import Skeleton
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats
from footfall.task.sole import sole_of
from footfall.world.collision.queries import capsule_clearance, foot_placements
from footfall.world.scene import Scene

_FARTHEST_M, _STEP_M, _ANGLES = 0.075, 0.005, 16
"""How far a foot is moved at most, in which steps that is tried, and in how many directions."""
_MARGIN_M = 0.004
"""How much larger than it is the sole of a foot that is moved has to find room."""
_TOUCH_M = 0.008
"""A foot this deep in something is moved; `verify` allows a little more."""
_ON_LEVEL_M = 0.02


def put_on_footholds(
    skeleton: Skeleton, feet: list[Foot], holds: list[Holds], scene: Scene
) -> list[Holds]:
    """Return the holds of each foot, those that stand badly moved to the nearest good place."""
    box, _ = sole_of(skeleton)
    plain = replace(box, height=0.01)
    roomy = replace(plain, length=box.length + 2 * _MARGIN_M, width=box.width + 2 * _MARGIN_M)
    things = scene.keep("unwalkable", lambda: _unwalkable(scene))
    moved = []
    for foot, held in zip(feet, holds, strict=True):
        soles = _soles(foot, held)
        spots = np.array(held.spots)
        touched = _depths(skeleton, foot, held.flat, spots, things) > _TOUCH_M
        for n in np.flatnonzero(~foot_placements(scene, soles, plain).valid | touched).tolist():
            placed = foot_placements(scene, soles[n] + _WAYS, roomy)
            there = spots[n] + np.insert(_WAYS[:, :2], 1, 0.0, axis=1)
            flat = np.broadcast_to(held.flat[n], (len(there), 4))
            clear = _depths(skeleton, foot, flat, there, things) <= _TOUCH_M - _MARGIN_M
            best = _nearest(placed.valid & clear, placed.height - held.spots[n, 1])
            if best is not None:
                spots[n] = there[best]
        moved.append(replace(held, spots=spots))
    return moved


def _depths(skeleton: Skeleton, foot: Foot, flat: Floats, spots: Floats, things: Scene) -> Floats:
    """Return (N,) metres that a flat foot is inside of things, with its ball at spots (N, 3).

    flat  (N, 4) its orientations
    """
    if not things.obstacles or not len(spots):
        return np.zeros(len(spots))
    capsules, rest = body_capsules(skeleton), skeleton.rest_positions
    own = np.flatnonzero(
        np.isin(capsules.joints, [foot.ankle, -1 if foot.toe is None else foot.toe])
    )
    at = rest[capsules.joints[own]] - rest[foot.ankle] - foot.ball
    ends = spots[:, None, None] + quat.rotate(flat[:, None, None], capsules.ends[own] + at[:, None])
    radii = np.tile(capsules.radii[own], len(spots))
    away, _ = capsule_clearance(things, ends.reshape(-1, 2, 3), radii, reach=0.05)
    return np.asarray(-away.reshape(len(spots), -1).min(axis=1))


def _unwalkable(scene: Scene) -> Scene:
    """Return the scene with only what nobody steps on."""
    others = (o for o in scene.obstacles if not any(part.walkable for part in o.parts))
    return replace(scene, obstacles=tuple(others))


def _soles(foot: Foot, holds: Holds) -> Floats:
    """Return (N, 3) x, z and yaw of the middle of the sole of each hold."""
    yaw = quat.yaw_of(holds.flat)
    ahead = float(0.5 * (foot.tip[2] + foot.heel[2]) - foot.ball[2])
    x, z = holds.spots[:, 0] + ahead * np.sin(yaw), holds.spots[:, 2] + ahead * np.cos(yaw)
    return np.stack([x, z, yaw], axis=1)


def _nearest(valid: Bools, higher: Floats) -> int | None:
    """Return the first place of those that are good: on the level of the foot if there is one."""
    level = np.flatnonzero(valid & (np.abs(higher) <= _ON_LEVEL_M))
    good = level if len(level) else np.flatnonzero(valid)
    return int(good[0]) if len(good) else None


def _ways() -> Floats:
    """Return (W, 3) how a foot may be moved, x, z and no turn, the shortest first."""
    rows = [
        (r * math.sin(a), r * math.cos(a), 0.0)
        for r in np.arange(_STEP_M, _FARTHEST_M + 1e-9, _STEP_M).tolist()
        for a in (np.arange(_ANGLES) * math.tau / _ANGLES).tolist()
    ]
    return np.array(rows)


_WAYS = _ways()
