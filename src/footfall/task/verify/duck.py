"""Measure how high a body is while it passes under something."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.body.capsules import Capsules, body_capsules
from footfall.body.roles import SIDES
from footfall.body.skeleton import subtree
from footfall.maths.arrays import Bools, Floats
from footfall.maths.runs import runs
from footfall.task.stages import Duck
from footfall.task.verify.motion import Motion
from footfall.world.obstacles import BOX, place
from footfall.world.scene import Scene

HALF_BAR_M = 0.05
"""Half the depth of a passage, along the way, where the scene has nothing to duck under."""
_LEAST_UNDER_M, _MOST_UNDER_M = 0.3, 2.0


@dataclass(frozen=True)
class Crossing:
    """The greatest height of the body above the ground while it passes, metres, and when."""

    top_m: float
    frame: int
    span: tuple[int, int]


def crossing_tops(motion: Motion, stage: Duck, scene: Scene | None, since: int) -> Crossing:
    """Return how high the body is at most while trunk or head pass a place.

    With something to duck under in the scene, that is passed; otherwise the best place within the
    stage's tolerance.
    """
    capsules = body_capsules(motion.clip.skeleton)
    ends = capsules.placed(motion.clip.world)
    tops = (ends[..., 1] + capsules.radii[:, None]).max(axis=(1, 2))
    near = np.hypot(motion.ground[:, 0] - stage.x, motion.ground[:, 1] - stage.z)
    near[:since] = np.inf
    middle = int(near.argmin())
    base = _ground(motion, scene, middle)
    way, low, high = _zones(motion, stage, scene, middle, near)
    reach = _reach(motion, ends, capsules, way)
    best = Crossing(np.inf, middle, (middle, middle + 1))
    for zone in zip(low.tolist(), high.tolist(), strict=True):
        inside: Bools = (reach[:, 0] < zone[1]) & (reach[:, 1] > zone[0])
        inside[:since] = False
        span = next(((a, b) for a, b in runs(inside).tolist() if b > middle), (middle, middle + 1))
        worst = span[0] + int(tops[span[0] : span[1]].argmax())
        if tops[worst] - base < best.top_m:
            best = Crossing(float(tops[worst]) - base, worst, span)
    return best


def _ground(motion: Motion, scene: Scene | None, frame: int) -> float:
    """Return the height of the ground under the body at a frame."""
    if scene is None:
        return 0.0
    height = float(scene.ground.height(motion.ground[frame][None])[0])
    return height if np.isfinite(height) else float(motion.soles[frame, :, :, 1].min())


def _direction(motion: Motion, frame: int) -> Floats:
    """Return (2,) the way the body goes about a frame."""
    reach = round(0.5 * motion.fps)
    way = motion.ground[min(frame + reach, len(motion) - 1)] - motion.ground[max(frame - reach, 0)]
    length = float(np.hypot(*way))
    if length > 1e-3:
        return np.asarray(way / length)
    return np.array([np.sin(motion.facing[frame]), np.cos(motion.facing[frame])])


def _reach(motion: Motion, ends: Floats, capsules: Capsules, way: Floats) -> Floats:
    """Return (T, 2) from where to where trunk and head reach along a direction, metres."""
    skeleton = motion.clip.skeleton
    limbs = [j for side in SIDES for part in ("hip", "shoulder")
             for j in subtree(skeleton, skeleton.role(f"{side}_{part}"))]  # fmt: skip
    own = ~np.isin(capsules.joints, limbs)
    along = ends[:, own][..., [0, 2]] @ way
    radii = capsules.radii[own]
    return np.stack(
        [(along.min(axis=2) - radii).min(axis=1), (along.max(axis=2) + radii).max(axis=1)], axis=1
    )


def _zones(
    motion: Motion, stage: Duck, scene: Scene | None, middle: int, near: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return (2,) a direction and (K,) spans of zones along it: one bar, or many places."""
    bar = _overhead(stage, scene)
    if bar is not None:
        way, middle_m, half_m = bar
        return way, np.array([middle_m - half_m]), np.array([middle_m + half_m])
    way = _direction(motion, middle)
    at = np.asarray(motion.ground[near <= stage.within_m] @ way)
    return way, at - HALF_BAR_M, at + HALF_BAR_M


def _overhead(stage: Duck, scene: Scene | None) -> tuple[Floats, float, float] | None:
    """Return the nearest thing to duck under: its thin direction, middle and half depth."""
    if scene is None or not scene.obstacles:
        return None
    solids = place(scene.obstacles, range(len(scene.obstacles)), None)
    ground = float(scene.ground.height(np.array([[stage.x, stage.z]]))[0])
    under = solids.low[:, 1] - (ground if np.isfinite(ground) else 0.0)
    here = np.array([stage.x, stage.z])
    low, high = solids.low[:, [0, 2]], solids.high[:, [0, 2]]
    away = np.hypot(*np.maximum(np.maximum(low - here, here - high), 0.0).T)
    away[(under < _LEAST_UNDER_M) | (under > _MOST_UNDER_M)] = np.inf
    at = int(away.argmin())
    if away[at] > stage.within_m:
        return None
    if solids.kind[at] == BOX:
        axes = [(float(solids.half[at, k]), solids.frame[at][[0, 2], k]) for k in (0, 2)]
    else:
        half = 0.5 * (high[at] - low[at])
        axes = [(float(half[k]), np.eye(2)[k]) for k in range(2)]
    half_m, axis = min(axes, key=lambda one: one[0])
    way = axis / max(float(np.hypot(*axis)), 1e-9)
    return way, float(0.5 * (low[at] + high[at]) @ way), half_m
