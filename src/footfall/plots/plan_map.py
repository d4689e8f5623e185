"""A plan from above: scene, path, footprints, and the body along the path."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.maths.arrays import Floats
from footfall.maths.polyline import distances_along
from footfall.plots.files import figure_file, save_figure
from footfall.plots.plan_sketch import PlanSketch, degrees_of
from footfall.plots.scene_map import patch, scene_figure
from footfall.render.pictures import CHARACTERS
from footfall.world.scene import Scene, rectangle

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FEET = ("#2f6fb0", "#c2571a")
_SOLE_M = (0.26, 0.10)
_MARGIN_M = 1.0
_TICK_M = 0.12


def save_plan_map(sketch: PlanSketch, path: str | Path, scene: Scene | None = None) -> Path:
    """Draw a plan from above; the file that was written.

    Left footprints are blue, right ones orange; the path is dashed. Ticks are footholds that the
    footprints were chosen from.
    """
    path = figure_file(path)
    hips = sketch.hips
    bare = _plain_around(sketch) if scene is None else replace(scene, queries=(), paths=())
    figure = scene_figure(bare, layout=None if scene is None else "constrained")
    axes = figure.axes[0]
    draw_footholds(axes, sketch.footholds)
    _draw_bodies(axes, sketch)
    if len(sketch.path):
        axes.plot(*sketch.path.T, color="#7b3fa0", linewidth=1.3, ls=(0, (4, 2)))
    axes.plot(*hips.T, color="#39424e", linewidth=0.9)
    _draw_footprints(axes, sketch)
    _draw_ends(axes, hips)
    gone = float(distances_along(hips)[-1])
    title = f"{bare.name}: the pelvis goes {gone:.1f} m in {sketch.seconds:.1f} s"
    axes.set_title(title, fontsize=11, loc="left")
    if scene is None:
        # Nothing here needs matplotlib's own layout, which draws everything twice.
        width, height = figure.get_size_inches()
        figure.subplots_adjust(0.7 / width, 0.55 / height, 1.0 - 0.2 / width, 1.0 - 0.4 / height)
    return save_figure(figure, path)


def save_plans_map(sketches: Mapping[str, PlanSketch], path: str | Path, scene: Scene) -> Path:
    """Draw several plans of one scene from above, each in a colour of its own under its name."""
    path = figure_file(path)
    figure = scene_figure(replace(scene, queries=(), paths=()))
    axes = figure.axes[0]
    for n, (name, sketch) in enumerate(sketches.items()):
        if not n:
            draw_footholds(axes, sketch.footholds)
        axes.plot(*sketch.hips.T, color=CHARACTERS[n % len(CHARACTERS)], linewidth=2.2, label=name)
        _draw_footprints(axes, sketch)
        _draw_ends(axes, sketch.hips)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=3, fontsize=8, frameon=False)
    axes.set_title(f"{scene.name}: {len(sketches)} queries", fontsize=11, loc="left")
    return save_figure(figure, path)


def draw_footholds(axes: Axes, footholds: Floats) -> None:
    """Footholds (N, 3: x, z, yaw) as faint ticks that point where a foot would."""
    from matplotlib.collections import LineCollection

    if len(footholds):
        x, z, yaw = footholds.T
        ahead = _TICK_M * np.stack([np.sin(yaw), np.cos(yaw)], axis=1)
        ends = np.stack([np.stack([x, z], axis=1), np.stack([x, z], axis=1) + ahead], axis=1)
        axes.add_collection(LineCollection(list(ends), colors="#39424e44", linewidths=0.6))


def _draw_ends(axes: Axes, hips: Floats) -> None:
    for place, colour in ((hips[0], "#1b7f5a"), (hips[-1], "#b3312c")):
        axes.plot(*place, "o", color=colour, markersize=6, zorder=6)


def _plain_around(sketch: PlanSketch) -> Scene:
    """Return a level floor as large as the motion and its path."""
    every = np.concatenate([sketch.hips, sketch.path])
    return Scene("plain", rectangle(every.min(axis=0) - _MARGIN_M, every.max(axis=0) + _MARGIN_M))


def _draw_footprints(axes: Axes, sketch: PlanSketch) -> None:
    from matplotlib.patches import Ellipse

    for print_ in sketch.prints:
        axes.add_patch(
            Ellipse(
                (print_[0], print_[1]), _SOLE_M[1], _SOLE_M[0], angle=degrees_of(print_),
                facecolor=_FEET[int(print_[3])], edgecolor="none", alpha=0.85, zorder=5,
            )
        )  # fmt: skip


def _draw_bodies(axes: Axes, sketch: PlanSketch) -> None:
    """Draw the outline of the body from above."""
    from shapely import linestrings, union_all

    for ends in sketch.bodies:
        lines: Any = linestrings(ends)
        outline = union_all(
            [line.buffer(r, quad_segs=6) for line, r in zip(lines, sketch.radii, strict=True)]
        )
        axes.add_patch(
            patch(outline, facecolor="#39424e26", edgecolor="#39424e66", linewidth=0.5, zorder=3)
        )
