"""A roadmap from above: footholds as ticks, edges in the colours of what their clips show."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from footfall.plots.files import figure_file, save_figure
from footfall.plots.plan_map import draw_footholds
from footfall.plots.posture_graph import COLOURS
from footfall.plots.scene_map import scene_figure
from footfall.roadmap.facts import edge_behaviours
from footfall.roadmap.model import Roadmap
from footfall.roadmap.posture_graph import BEHAVIOURS, OTHER
from footfall.world.scene import Scene

_MOST_EDGES = 1200
"""Of each behaviour so many edges are drawn at most; more would hide each other."""


def save_roadmap_map(roadmap: Roadmap, path: str | Path, scene: Scene) -> Path:
    """Draw a roadmap over its scene, seen from above; what is seldom lies on top."""
    from matplotlib.collections import LineCollection

    path = figure_file(path)
    figure = scene_figure(replace(scene, queries=(), paths=()))
    axes = figure.axes[0]
    draw_footholds(axes, roadmap.nodes[:, [0, 2, 3]])
    kinds, edges, places = edge_behaviours(roadmap), roadmap.edges, roadmap.nodes[:, [0, 2]]
    names = (*BEHAVIOURS, OTHER)
    counts = np.bincount(kinds, minlength=len(names))
    rng = np.random.default_rng(0)
    for kind in np.argsort(-counts, kind="stable").tolist():
        if not counts[kind]:
            continue
        rows = np.flatnonzero(kinds == kind)
        shown = rng.permutation(rows)[:_MOST_EDGES]
        ends = np.stack([places[edges.tail[shown]], places[edges.head[shown]]], axis=1)
        faint = float(np.clip(600.0 / len(shown), 0.12, 0.7))
        lines = LineCollection(
            list(ends), colors=COLOURS[kind], linewidths=0.6, alpha=faint, zorder=2
        )
        axes.add_collection(lines)
        axes.plot([], [], color=COLOURS[kind], lw=2.5, label=f"{names[kind]} ({counts[kind]:,})")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=5, fontsize=7, frameon=False)
    title = f"{scene.name}: {len(roadmap.nodes):,} footholds, {len(edges):,} edges"
    axes.set_title(title, fontsize=11, loc="left")
    return save_figure(figure, path)
