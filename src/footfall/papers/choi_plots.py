"""Figures 3, 5 and 8 to 11 of Choi, Lee & Shin, drawn from our runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from footfall.papers.choi_runs import ITERATIONS, Answered, ExperimentRun, SamplingRun
from footfall.papers.drawing import draw_footprints, make_axes, png_of_figure, png_of_picture
from footfall.plots.scene_map import scene_figure
from footfall.render.in_scene import picture_in_scene
from footfall.render.pictures import CHARACTERS
from footfall.roadmap.paths import FootholdPath
from footfall.roadmap.refine import straighten_path
from footfall.world.scene import Scene

_COLOURS = ("#1f5fa8", "#b23a48", "#2a7f62")


def straightening_picture(run: ExperimentRun) -> bytes | None:
    """Figure 3: the longest path found, before and after it was straightened."""
    paths = [a.path for a in run.answers if isinstance(a.path, FootholdPath)]
    if not paths:
        return None
    path = max(paths, key=len)
    figure = scene_figure(replace(run.scene, queries=(), paths=()))
    axes = figure.axes[0]
    for sweeps, colour in ((0, _COLOURS[1]), (2, "#8d6a9f"), (8, _COLOURS[0])):
        made = straighten_path(run.roadmap, run.scene, path, sweeps)
        x, _, z, yaw = made.footholds.T
        axes.plot(x, z, color=colour, linewidth=1.6, label=f"{sweeps} iterations")
        axes.quiver(x, z, -np.sin(yaw), np.cos(yaw), color=colour, width=0.004, scale=28.0)
    axes.legend(fontsize=8, loc="upper right")
    return png_of_figure(figure)


def refining_picture(runs: Sequence[ExperimentRun]) -> bytes:
    """Figure 5 as numbers: zigzag and adaptation over the iterations, as shares of the first."""
    figure, (left, right) = make_axes(2)
    for colour, run in zip(CHARACTERS, runs, strict=False):
        for axes, values in ((left, run.refined.turning), (right, run.refined.change)):
            total = values.sum(axis=1)
            if values.size and total[0] > 0.0:
                axes.plot(ITERATIONS, 100.0 * total / total[0], "o-", color=colour, markersize=3.5,
                          label=run.experiment.name)  # fmt: skip
    for axes, name in ((left, "zigzag"), (right, "adaptation")):
        axes.axhline(50.0, color="#39424e", linestyle=":", linewidth=1.0)
        axes.set(xlabel="iterations", ylabel=f"{name} (% of the first)", ylim=(0.0, 105.0))
    left.legend(frameon=False, fontsize=8)
    return png_of_figure(figure)


def sampling_picture(found: SamplingRun) -> bytes:
    """Queries solved over the number of footholds, by how these are sampled."""
    figure, (axes,) = make_axes()
    for colour, name, rows in zip(_COLOURS, found.ways, found.solved, strict=True):
        error = rows.std(axis=1) / np.sqrt(rows.shape[1])
        axes.errorbar(found.sizes, 100.0 * rows.mean(axis=1), 100.0 * error, label=name,
                      color=colour, capsize=2.0)  # fmt: skip
    axes.set(xlabel="footholds", ylabel="queries solved (%)", xscale="log", ylim=(0.0, 103.0))
    axes.minorticks_off()
    axes.set_xticks(found.sizes, [str(n) for n in found.sizes])
    axes.legend(frameon=False, fontsize=8)
    return png_of_figure(figure)


def map_picture(run: ExperimentRun) -> bytes:
    """Figures 8 to 11 from above: the footprints and the body's path of every query."""
    figure = scene_figure(replace(run.scene, queries=(), paths=()))
    axes = figure.axes[0]
    found = [a for a in run.answers if a.plan.found]
    for n, one in enumerate(found):
        assert one.plan.clip is not None
        hips = one.plan.clip.root[:, [0, 2]]
        axes.plot(*hips.T, color=CHARACTERS[n % len(CHARACTERS)], linewidth=2.0,
                  label=one.printed.query)  # fmt: skip
        draw_footprints(axes, one.plan.footprints, 0.85)
    if len(found) > 1:
        axes.legend(fontsize=8, loc="upper right")
    return png_of_figure(figure)


def body_picture(one: Answered, scene: Scene) -> bytes:
    """Return the body at instants of its motion, in the scene."""
    assert one.plan.clip is not None
    return png_of_picture(picture_in_scene(one.plan.clip, scene, view="corner", size=(1100, 620)))
