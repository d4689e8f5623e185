"""A plan for people: its measures, its files, and a map from above."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.body.capsules import body_capsules
from footfall.body.clip import Clip
from footfall.body.kinematics import forward_kinematics, joint_positions
from footfall.errors import InputError
from footfall.files.atomic import make_folder_of
from footfall.maths.arrays import Floats
from footfall.report.plots.files import figure_file, save_figure
from footfall.task import Plan
from footfall.world.scene import Scene, rectangle

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PICTURES = (".png", ".gif", ".webp")
_FEET = ("#2f6fb0", "#c2571a")
_SOLE_M = (0.26, 0.10)
_BODY_EVERY_M = 1.0
_MOST_BODIES = 60
_MARGIN_M = 1.0


def measures_of(plan: Plan, abstraction: str = "gaussian") -> dict[str, float]:
    """What can be measured of a planned motion, units in the names; empty if there is none.

    abstraction  how the walked way is read before it is compared with the path
    """
    from footfall.measures.deviation import path_deviation
    from footfall.measures.skating import skating

    clip = plan.clip
    if clip is None:
        return {}
    seconds = clip.seconds
    found: dict[str, float] = {"seconds": seconds}
    if plan.path is not None and len(plan.path) > 1:
        off = path_deviation(clip, plan.path, abstraction)
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
    return {name: value for name, value in found.items() if math.isfinite(value)}


def facts_of(plan: Plan, measures: Mapping[str, float] | None = None) -> dict[str, Any]:
    """A plan as plain values for JSON, without its arrays."""
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
    }


def save_plan(plan: Plan, files: Sequence[str | Path], scene: Scene | None = None) -> list[Path]:
    """Write a planned motion as each of the files; GLB files hold the scene as well.

    .png, .gif and .webp are pictures of the motion; a name that ends in .map.png (or .svg, .pdf)
    is the map from above, one in .timeline.png (…) shows which clips it is made of.
    """
    from footfall.files.formats import save
    from footfall.report.plots.timeline import save_timeline
    from footfall.report.render.in_scene import save_in_scene
    from footfall.report.render.render import render

    if plan.clip is None:
        raise InputError(f"there is no motion to save ({plan.status})", remedy=plan.reason)
    out = []
    for file in map(Path, files):
        suffix = file.suffix.lower()
        make_folder_of(file)
        if file.stem.endswith(".map"):
            save_plan_map(plan, file, scene)
        elif file.stem.endswith(".timeline"):
            save_timeline(plan, file)
        elif suffix in PICTURES:
            render(plan.clip, file)
        elif suffix in (".glb", ".gltf") and scene is not None:
            save_in_scene(plan.clip, scene, file)
        else:
            save(plan.clip, file)
        out.append(file)
    return out


def save_plan_map(plan: Plan, path: str | Path, scene: Scene | None = None) -> Path:
    """Draw a plan from above: scene, path, footprints, and the body along its way.

    Left footprints are blue, right ones orange; the path is dashed.
    """
    from footfall.report.plots.scene_map import scene_figure

    path = figure_file(path)
    if plan.clip is None:
        raise InputError(f"there is no motion to draw ({plan.status})", remedy=plan.reason)
    bare = _plain_around(plan) if scene is None else replace(scene, queries=(), paths=())
    figure = scene_figure(bare)
    axes = figure.axes[0]
    _draw_bodies(axes, plan.clip)
    if plan.path is not None:
        axes.plot(plan.path[:, 0], plan.path[:, 1], color="#7b3fa0", linewidth=1.3, ls=(0, (4, 2)))
    hips = _hips(plan.clip)
    axes.plot(hips[:, 0], hips[:, 1], color="#39424e", linewidth=0.9)
    _draw_footprints(axes, plan)
    for place, colour in ((hips[0], "#1b7f5a"), (hips[-1], "#b3312c")):
        axes.plot(*place, "o", color=colour, markersize=6, zorder=6)
    way = float(np.linalg.norm(np.diff(hips, axis=0), axis=1).sum())
    axes.set_title(
        f"{bare.name}: the pelvis goes {way:.1f} m in {plan.clip.seconds:.1f} s",
        fontsize=11,
        loc="left",
    )
    return save_figure(figure, path)


def _plain_around(plan: Plan) -> Scene:
    """A level floor as large as the motion and its path."""
    assert plan.clip is not None
    points = [_hips(plan.clip)] if plan.path is None else [_hips(plan.clip), plan.path]
    every = np.concatenate(points)
    return Scene("plain", rectangle(every.min(axis=0) - _MARGIN_M, every.max(axis=0) + _MARGIN_M))


def _hips(clip: Clip) -> Floats:
    """(T, 2) the way of the hips."""
    return np.asarray(joint_positions(clip)[:, clip.skeleton.role("hips")][:, [0, 2]])


def _draw_footprints(axes: Axes, plan: Plan) -> None:
    from matplotlib.patches import Ellipse

    for f in plan.footprints:
        axes.add_patch(
            Ellipse(
                (f.p[0], f.p[2]),
                _SOLE_M[1],
                _SOLE_M[0],
                angle=-math.degrees(f.yaw),
                facecolor=_FEET[f.foot],
                edgecolor="none",
                alpha=0.85,
                zorder=5,
            )
        )


def _draw_bodies(axes: Axes, clip: Clip) -> None:
    """The outline of the body seen from above, about every metre of its way."""
    from shapely import linestrings, union_all

    from footfall.report.plots.scene_map import patch

    way = np.concatenate(
        [[0.0], np.cumsum(np.linalg.norm(np.diff(clip.root[:, [0, 2]], axis=0), axis=1))]
    )
    count = int(np.clip(way[-1] / _BODY_EVERY_M, 1, _MOST_BODIES)) + 1
    frames = np.unique(np.searchsorted(way, np.linspace(0.0, way[-1], count)))
    frames = frames[frames < len(clip)]
    poses = forward_kinematics(clip.skeleton, clip.root[frames], clip.rotations[frames])
    capsules = body_capsules(clip.skeleton)
    for ends in capsules.placed(poses)[..., [0, 2]]:
        lines: Any = linestrings(ends)
        outline = union_all(
            [line.buffer(r, quad_segs=6) for line, r in zip(lines, capsules.radii, strict=True)]
        )
        axes.add_patch(
            patch(outline, facecolor="#39424e26", edgecolor="#39424e66", linewidth=0.5, zorder=3)
        )
