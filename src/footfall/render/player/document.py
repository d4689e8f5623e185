"""The motion document: motions with their bodies and scene as one value for JSON.

`web/src/viewer/document.ts` states its form.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.body.clip import CONTACT_POINTS, TOUCH_PARTS, Clip
from footfall.body.mannequin import mannequin
from footfall.body.mesh import SkinnedMesh
from footfall.body.skeleton import Skeleton
from footfall.maths.arrays import Bools, Floats
from footfall.maths.runs import runs
from footfall.render.player.packing import Packed, Packing
from footfall.render.player.scene_document import scene_document, seats_document
from footfall.render.player.values import flow_rows, verified_rows
from footfall.world.scene import Scene

if TYPE_CHECKING:
    from footfall.gait.footprints import Footprint
    from footfall.task.plan import Plan

FORMAT, VERSION = "footfall-motion", 1
_APART_M = 0.02


@dataclass(frozen=True, eq=False)
class PlayedMotion:
    """A motion to play.

    plan      where the clip comes from, if it was planned
    measures  its flow and other measures by name, units in the names
    start_s   when it begins, seconds
    """

    clip: Clip
    plan: Plan | None = None
    measures: Mapping[str, float] = field(default_factory=dict)
    start_s: float = 0.0
    name: str = ""


def motion_document(
    motions: Sequence[PlayedMotion], scene: Scene | None = None, *, title: str = "",
    meshes: Mapping[Skeleton, SkinnedMesh] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Return motions that play together, with their scene, as one value for JSON.

    meshes  bodies to show instead of the mannequin, by their skeletons
    """
    packing = Packing()
    skeletons = list(dict.fromkeys(motion.clip.skeleton for motion in motions))
    bodies = [
        _body(s, (meshes or {}).get(s) or mannequin(s), packing) for s in skeletons
    ]  # fmt: skip
    shown = [_motion(m, skeletons.index(m.clip.skeleton), scene, packing) for m in motions]
    world = None if scene is None else scene_document(scene, packing)
    # Where no scene has seats, those that are sat on are shown.
    seats = seats_document([m.clip for m in motions], packing) if scene is None else []
    return {
        "format": FORMAT, "version": VERSION, "title": title, "buffer": packing.buffer(),
        "scene": world, "seats": seats, "bodies": bodies, "motions": shown,
    }  # fmt: skip


def _body(skeleton: Skeleton, skinned: SkinnedMesh, packing: Packing) -> dict[str, Any]:
    mesh = skinned.mesh
    weights = np.rint(skinned.weights * 255.0)
    # Rounded weights sum to 255 again: the largest of each vertex takes the difference.
    rows, largest = np.arange(len(weights)), weights.argmax(axis=1)
    weights[rows, largest] += 255.0 - weights.sum(axis=1)
    return {
        "names": list(skeleton.names),
        "parents": skeleton.parents.tolist(),
        "roles": dict(skeleton.roles),
        "offsets": packing.add(skeleton.offsets, "f4"),
        "vertices": packing.add_rounded(mesh.vertices),
        "normals": packing.add_units(mesh.normals, "i1"),
        "triangles": packing.add(mesh.triangles, "u4", delta=True),
        "faceMaterials": packing.add(mesh.face_materials, "u1"),
        "materials": [
            {"name": m.name, "colour": list(m.colour), "roughness": m.roughness}
            for m in mesh.materials
        ],
        "joints": packing.add(skinned.joints, "u2", delta=True),
        "weights": packing.add(weights, "u1") | {"scale": [1.0 / 255.0]},
    }


def _motion(
    motion: PlayedMotion, body: int, scene: Scene | None, packing: Packing
) -> dict[str, Any]:
    clip, plan = motion.clip, motion.plan
    report = None if plan is None else plan.report
    segments = () if plan is None else plan.segments
    return {
        "name": motion.name or clip.name or "motion",
        "body": body,
        "fps": clip.fps,
        "frames": len(clip),
        "start": motion.start_s,
        "root": packing.add_rounded(clip.root),
        "rotations": packing.add_units(clip.rotations, "i2"),
        "footprints": [_footprint(print_) for print_ in _footprints(clip, plan)],
        "lines": _lines(clip, plan, scene, packing),
        "contacts": _contact_lanes(clip),
        "segments": [
            {"first": s.first, "stop": s.stop, "why": s.why, "label": s.label} for s in segments
        ],
        "seams": [s.first for s in segments[1:]],
        "status": "" if plan is None else plan.status,
        "reason": "" if plan is None else plan.reason,
        "method": "" if plan is None else plan.method,
        "cost": None if plan is None else _finite(plan.cost),
        "bound": None if plan is None else _finite(plan.bound),
        "verified": verified_rows(report),
        "flow": flow_rows(motion.measures),
        "findings": [
            {"sentence": str(f), "seconds": f.seconds, "first": f.first, "stop": f.stop,
             "hard": f.hard}
            for f in (() if report is None else report.findings)
        ],
        "notes": [] if plan is None else list(plan.notes),
    }  # fmt: skip


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _footprints(clip: Clip, plan: Plan | None) -> Sequence[Footprint]:
    from footfall.gait.footprints import footprints_of

    if plan is not None and plan.footprints:
        return plan.footprints
    return footprints_of(clip) if clip.contacts is not None and clip.skeleton.roles else ()


def _footprint(print_: Footprint) -> dict[str, Any]:
    return {
        "foot": int(print_.foot),
        "p": np.round(print_.p, 4).tolist(),
        "q": np.round(print_.q, 5).tolist(),
        "t": round(float(print_.t), 4),
        "delta": round(float(print_.delta), 4),
    }


def _lines(
    clip: Clip, plan: Plan | None, scene: Scene | None, packing: Packing
) -> dict[str, Packed]:
    """Return the root's way, its abstraction and the path to follow, on the ground."""
    from footfall.gait.path import path_abstraction

    below = clip.root[:, 1]
    ways: dict[str, tuple[Floats, Floats | None]] = {"root": (clip.root[:, [0, 2]], below)}
    if clip.skeleton.roles and len(clip) > 2:
        smooth = path_abstraction(clip, "gaussian")
        ways["abstraction"] = (smooth, below if len(smooth) == len(clip) else None)
    if plan is not None and plan.path is not None and len(plan.path) > 1:
        ways["path"] = (plan.path, None)
    return {
        name: packing.add_rounded(_on_ground(points, heights, scene))
        for name, (points, heights) in ways.items()
    }


def _on_ground(points: Floats, below: Floats | None, scene: Scene | None) -> Floats:
    """(N, 3) points of a line that are some way apart, on the highest surface below a height."""
    keep = [0]
    for n in range(1, len(points)):
        if np.hypot(*(points[n] - points[keep[-1]])) >= _APART_M:
            keep.append(n)
    if keep[-1] != len(points) - 1:
        keep.append(len(points) - 1)
    few = points[keep]
    if scene is None:
        return np.insert(few, 1, 0.0, axis=1)
    heights = scene.height(few, below=None if below is None else below[keep])
    known = np.flatnonzero(np.isfinite(heights))
    if len(known) == 0:
        return np.insert(few, 1, 0.0, axis=1)
    return np.insert(few, 1, np.interp(np.arange(len(few)), known, heights[known]), axis=1)


def _contact_lanes(clip: Clip) -> list[dict[str, Any]]:
    """Return a lane for each part that touches something: its frames in pairs [first, stop)."""
    lanes: list[tuple[str, Bools]] = []
    if clip.contacts is not None:
        lanes += [(n, clip.contacts[:, k]) for k, n in enumerate(CONTACT_POINTS)]
    if clip.touches is not None:
        lanes += [(n, clip.touches[:, k]) for k, n in enumerate(TOUCH_PARTS)
                  if clip.touches[:, k].any()]  # fmt: skip
    return [
        {"name": name.replace("_", " "), "spans": np.asarray(runs(mask)).reshape(-1).tolist()}
        for name, mask in lanes
    ]
