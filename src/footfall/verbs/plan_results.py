"""A plan for people: its measures, its files, and a map from above."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from footfall.body.clip import Clip
from footfall.errors import InputError
from footfall.files.atomic import make_folder_of
from footfall.maths.arrays import Floats
from footfall.task import Plan
from footfall.world.scene import Scene

PICTURES = (".png", ".gif", ".webp")


def measures_of(plan: Plan, abstraction: str = "gaussian") -> dict[str, float]:
    """Return what can be measured of a planned motion, units in the names; empty if there is none.

    abstraction  how the walked way is read before it is compared with the path
    """
    from footfall.gait.path import path_abstraction
    from footfall.maths.polyline import distances_along
    from footfall.measures.deviation import deviation_of
    from footfall.measures.skating import skating

    clip = plan.clip
    if clip is None:
        return {}
    seconds, walked = clip.seconds, path_abstraction(clip, abstraction)
    length_m = float(distances_along(walked)[-1])
    speed = length_m / max(seconds, 1e-9)
    found = {"seconds": seconds, "length_m": length_m, "speed_m_s": speed}
    if plan.path is not None and len(plan.path) > 1:
        off = deviation_of(walked, clip.fps, plan.path)
        found |= {
            "path_m": off.path_m,
            "length_m": off.travelled_m,
            "speed_m_s": off.travelled_m / max(seconds, 1e-9),
            "deviation_rms_cm": off.nearest_rms_cm,
            "deviation_max_cm": off.nearest_max_cm,
            "end_error_cm": off.end_error_cm,
        }
    feet = skating(clip)
    found |= {"drift_max_mm": feet.drift_max_mm, "drift_mean_mm": feet.drift_mean_mm}
    found |= _flow_and_anatomy(plan, clip)
    return {name: value for name, value in found.items() if math.isfinite(value)}


def _flow_and_anatomy(plan: Plan, clip: Clip) -> dict[str, float]:
    """Return what a viewer notices first: stops, turning, crabwise steps, feet and legs."""
    from footfall.gait.flow import flow
    from footfall.measures.anatomy import anatomy

    seams = [segment.first for segment in plan.segments[1:]]
    flows, body = flow(clip, seams), anatomy(clip)
    return {
        "inner_stops": float(flows.inner_stops), "stopped_seconds": flows.time_stopped_s,
        "turned_deg": flows.turned_deg, "net_turn_deg": flows.net_turn_deg,
        "crabwise_share": flows.crabwise_share, "bend_lean_ratio": flows.bend_lean_ratio,
        "seam_jolt_ratio": flows.seam_jolt_ratio, "step_length_cv": flows.step_length_cv,
        "step_time_cv": flows.step_time_cv, "duration_ratio": flows.duration_ratio,
        "foot_yaw_in_deg": body.foot_yaw_in_deg, "foot_yaw_out_deg": body.foot_yaw_out_deg,
        "shank_gap_cm": body.shank_gap_cm, "knee_jump_deg": body.knee_jump_deg,
    }  # fmt: skip


def facts_of(plan: Plan, measures: Mapping[str, float] | None = None) -> dict[str, Any]:
    """Return a plan as plain values for JSON, without its arrays."""
    return {
        "status": plan.status,
        "reason": plan.reason,
        "frames": 0 if plan.clip is None else len(plan.clip),
        "measures": dict(measures_of(plan) if measures is None else measures),
        "footprints": len(plan.footprints),
        "segments": [asdict(segment) for segment in plan.segments],
        "cost": plan.cost if math.isfinite(plan.cost) else None,
        "bound": plan.bound if math.isfinite(plan.bound) else None,
        "method": plan.method,
        "choice": plan.choice,
        "timings": dict(plan.timings),
        "notes": list(plan.notes),
        "verified": None if plan.report is None else plan.report.as_dict(),
        "anytime": [] if plan.anytime is None else _improvements(plan.anytime),
    }


def _improvements(anytime: Floats) -> list[dict[str, float | None]]:
    """Return how a plan got better, as plain values for JSON."""
    names = ("seconds", "cost", "bound", "expansions")
    return [
        {k: v if math.isfinite(v) else None for k, v in zip(names, row, strict=True)}
        for row in anytime.tolist()
    ]


def save_plan(plan: Plan, files: Sequence[str | Path], scene: Scene | None = None) -> list[Path]:
    """Write a planned motion as each of the files; GLB and HTML files hold the scene as well.

    .png, .gif and .webp are pictures of the motion; a name that ends in .map.png (or .svg, .pdf)
    is the map from above, one in .timeline.png (…) shows which clips it is made of, one in
    .anytime.png (…) how cost and bound fell while it was searched.
    """
    from footfall.files.formats import save
    from footfall.plots.anytime import save_anytime
    from footfall.plots.plan_map import save_plan_map
    from footfall.plots.plan_sketch import sketch_plan
    from footfall.plots.timeline import save_timeline
    from footfall.render.in_scene import save_in_scene
    from footfall.verbs.render import render

    if plan.clip is None:
        raise InputError(f"there is no motion to save ({plan.status})", remedy=plan.reason)
    out = []
    for file in map(Path, files):
        suffix = file.suffix.lower()
        make_folder_of(file)
        if file.stem.endswith(".map"):
            save_plan_map(sketch_plan(plan), file, scene)
        elif file.stem.endswith(".anytime"):
            save_anytime(sketch_plan(plan), file)
        elif file.stem.endswith(".timeline"):
            save_timeline(sketch_plan(plan), file)
        elif suffix in PICTURES:
            render(plan.clip, file)
        elif suffix == ".html":
            from footfall.verbs.player import save_player

            save_player(plan, file, scene)
        elif suffix in (".glb", ".gltf") and scene is not None:
            save_in_scene(plan.clip, scene, file)
        else:
            save(plan.clip, file)
        out.append(file)
    return out
