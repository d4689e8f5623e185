"""Move feet that stand over an edge onto ground that carries them.

Searches may let soles stand a little over an edge: on a narrow beam, or before a hole, a step that
fits nearly is found far sooner than one that fits exactly. When the motion is finished each such
foot is moved onto good ground, by no more than it has to be, and the legs follow.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from footfall.adapt.holds import Holds
from footfall.body.feet import Foot
from footfall.body.skeleton import Skeleton
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats
from footfall.task.sole import sole_of
from footfall.world.collision.queries import foot_placements
from footfall.world.scene import Scene

_FARTHEST_M, _STEP_M, _ANGLES = 0.075, 0.005, 16
"""How far a foot is moved at most, in which steps that is tried, and in how many directions."""
_MARGIN_M = 0.004
"""How much larger than it is the sole of a foot that is moved has to find room."""
_ON_LEVEL_M = 0.02


def put_on_footholds(
    skeleton: Skeleton, feet: list[Foot], holds: list[Holds], scene: Scene
) -> list[Holds]:
    """Return the holds of each foot, those that stand badly moved to the nearest good ground."""
    box, _ = sole_of(skeleton)
    plain = replace(box, height=0.01)
    roomy = replace(plain, length=box.length + 2 * _MARGIN_M, width=box.width + 2 * _MARGIN_M)
    moved = []
    for foot, held in zip(feet, holds, strict=True):
        soles = _soles(foot, held)
        spots = np.array(held.spots)
        for n in np.flatnonzero(~foot_placements(scene, soles, plain).valid).tolist():
            tried = soles[n] + _WAYS
            placed = foot_placements(scene, tried, roomy)
            best = _nearest(placed.valid, placed.height - held.spots[n, 1])
            if best is not None:
                spots[n, [0, 2]] += _WAYS[best, :2]
        moved.append(replace(held, spots=spots))
    return moved


def _soles(foot: Foot, holds: Holds) -> Floats:
    """(N, 3) x, z and yaw of the middle of the sole of each hold."""
    yaw = quat.yaw_of(holds.flat)
    ahead = float(0.5 * (foot.tip[2] + foot.heel[2]) - foot.ball[2])
    x, z = holds.spots[:, 0] + ahead * np.sin(yaw), holds.spots[:, 2] + ahead * np.cos(yaw)
    return np.stack([x, z, yaw], axis=1)


def _nearest(valid: Bools, higher: Floats) -> int | None:
    """The first place of those that are good: on the level of the foot if there is one."""
    level = np.flatnonzero(valid & (np.abs(higher) <= _ON_LEVEL_M))
    good = level if len(level) else np.flatnonzero(valid)
    return int(good[0]) if len(good) else None


def _ways() -> Floats:
    """(W, 3) how a foot may be moved, x, z and no turn, the shortest first."""
    rows = [
        (r * math.sin(a), r * math.cos(a), 0.0)
        for r in np.arange(_STEP_M, _FARTHEST_M + 1e-9, _STEP_M).tolist()
        for a in (np.arange(_ANGLES) * math.tau / _ANGLES).tolist()
    ]
    return np.array(rows)


_WAYS = _ways()
