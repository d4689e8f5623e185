"""Plain numbers for the pictures of a plan, so that any process can draw them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from footfall.errors import InputError
from footfall.maths.arrays import Bools, Floats
from footfall.maths.polyline import distances_along
from footfall.task import Plan, Segment, SourceClip

_BODY_EVERY_M = 1.0
_MOST_BODIES = 60


@dataclass(frozen=True, eq=False)
class PlanSketch:
    """A plan as its map and its timeline show it.

    fps       frames a second            seconds   from the first frame to the last
    path      (N, 2) what it follows     hips      (T, 2) where the hips go
    bodies    (K, B, 2, 2) ends of the body's capsules seen from above, about every metre
    radii     (B,) how thick they are    contacts  (T, 4) which points of the feet touch
    prints    (F, 4) x, z, yaw and foot of each footprint
    segments  what it is made of         method    which planner made it
    footholds (H, 3) x, z and yaw of those that footprints were chosen from
    anytime   (K, 4) how it got better: seconds searched, cost, bound, states expanded
    """

    fps: float
    seconds: float
    path: Floats
    hips: Floats
    bodies: Floats
    radii: Floats
    contacts: Bools
    prints: Floats
    segments: tuple[Segment, ...]
    method: str
    footholds: Floats
    anytime: Floats

    def facts(self) -> dict[str, Any]:
        """Return the sketch as plain values, for JSON."""
        arrays = {k: v.tolist() for k, v in vars(self).items() if isinstance(v, np.ndarray)}
        return {**vars(self), **arrays, "segments": [asdict(s) for s in self.segments]}


def sketch_plan(plan: Plan) -> PlanSketch:
    """Return the sketch of a plan that holds a motion."""
    from footfall.body.capsules import body_capsules

    clip = plan.clip
    if clip is None:
        raise InputError(f"there is no motion to draw ({plan.status})", remedy=plan.reason)
    gone = distances_along(clip.root[:, [0, 2]])
    count = int(np.clip(gone[-1] / _BODY_EVERY_M, 1, _MOST_BODIES)) + 1
    frames = np.unique(np.searchsorted(gone, np.linspace(0.0, gone[-1], count)))
    frames = frames[frames < len(clip)]
    poses = clip[frames].world
    capsules = body_capsules(clip.skeleton)
    hips = clip.positions[:, clip.skeleton.role("hips")]
    prints = [(f.p[0], f.p[2], f.yaw, f.foot) for f in plan.footprints]
    return PlanSketch(
        fps=clip.fps,
        seconds=clip.seconds,
        path=np.zeros((0, 2)) if plan.path is None else plan.path,
        hips=hips[:, [0, 2]],
        bodies=capsules.placed(poses)[..., [0, 2]],
        radii=np.asarray(capsules.radii),
        contacts=np.zeros((len(clip), 4), np.bool_) if clip.contacts is None else clip.contacts,
        prints=np.array(prints, float).reshape(-1, 4),
        segments=plan.segments,
        method=plan.method,
        footholds=np.zeros((0, 3)) if plan.footholds is None else plan.footholds.round(3),
        anytime=np.zeros((0, 4)) if plan.anytime is None else plan.anytime,
    )


def read_sketch(facts: Mapping[str, Any]) -> PlanSketch:
    """Return the sketch that `PlanSketch.facts` wrote."""
    segments = tuple(
        Segment(s["first"], s["stop"], s["why"], tuple(SourceClip(**c) for c in s["sources"]))
        for s in facts["segments"]
    )
    bodies = np.array(facts["bodies"], float).reshape(-1, len(facts["radii"]), 2, 2)
    return PlanSketch(
        fps=float(facts["fps"]),
        seconds=float(facts["seconds"]),
        path=np.array(facts["path"], float).reshape(-1, 2),
        hips=np.array(facts["hips"], float).reshape(-1, 2),
        bodies=bodies,
        radii=np.array(facts["radii"], float),
        contacts=np.array(facts["contacts"], np.bool_).reshape(-1, 4),
        prints=np.array(facts["prints"], float).reshape(-1, 4),
        segments=segments,
        method=str(facts["method"]),
        footholds=np.array(facts["footholds"], float).reshape(-1, 3),
        anytime=np.array(facts["anytime"], float).reshape(-1, 4),
    )


def degrees_of(print_: Floats) -> float:
    """Return how far a footprint (x, z, yaw, foot) is turned in a picture from above."""
    return -math.degrees(float(print_[2]))
