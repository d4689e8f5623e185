"""The distances of all pairs of windows as a picture, with the transitions a graph has.

Rows are the windows that are left (from), columns those that are entered (to); dark is near.
Clips lie one after another, with lines between them (van Basten & Egges, Figure 2).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.body.clip import Clip
from footfall.graph.build import GraphSettings, graph_of
from footfall.graph.model import TRANSITION, MotionGraph
from footfall.plots.files import figure_file, save_figure
from footfall.pose.frames import Frames
from footfall.pose.metrics import METRICS, UNITS, distance_matrix, make_metric

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_PIXELS = 1100
_MOST_LABELS = 16
_ACROSS, _WITHIN = "#ff8c1a", "#19c3ff"


def save_distance_picture(graphs: MotionGraph | Sequence[MotionGraph], path: str | Path) -> Path:
    """Draw one graph, or several side by side, as PNG, SVG or PDF; the file that was written."""
    path = figure_file(path)
    figure = distance_figure([graphs] if isinstance(graphs, MotionGraph) else graphs)
    return save_figure(figure, path)


def by_every_metric(graph: MotionGraph) -> tuple[MotionGraph, ...]:
    """Graphs of the same clips by all three metrics, of about as many edges as this one has."""
    start = graph.clip_start.tolist()
    clips = [
        Clip(
            graph.skeleton, graph.fps, graph.root[a:b], graph.rotations[a:b], name,
            graph.contacts[a:b],
        )
        for name, a, b in zip(graph.names, start[:-1], start[1:], strict=True)
    ]  # fmt: skip
    seconds = graph.window / graph.fps
    return tuple(
        graph
        if metric == graph.metric
        else graph_of(
            clips, GraphSettings(metric, edges=graph.edges, window_s=seconds, fps=graph.fps)
        )
        for metric in METRICS
    )


def distance_figure(graphs: Sequence[MotionGraph]) -> Figure:
    """Return the picture as a matplotlib figure, one panel a graph."""
    from matplotlib.figure import Figure as NewFigure

    size = 6.6 if len(graphs) == 1 else 5.4
    figure = NewFigure(figsize=((size + 1.0) * len(graphs), size + 1.5), layout="compressed")
    for place, graph in enumerate(graphs):
        axes = figure.add_subplot(1, len(graphs), place + 1)
        _draw_distances(figure, axes, graph)
        _draw_clips(axes, graph, names=place == 0)
        _draw_transitions(axes, graph)
        axes.set_title(
            f"{graph.metric.replace('_', ' ')}: {graph.edges} edges, {graph.nodes} nodes\n"
            f"{graph.minima} minima, transitions up to {graph.threshold:.3g} {UNITS[graph.metric]}",
            fontsize=9,
        )
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, fontsize=8, markerscale=2.0)
    return figure


def _draw_distances(figure: Figure, axes: Axes, graph: MotionGraph) -> None:
    frames = Frames(graph.skeleton, graph.fps, graph.clip_start, graph.root, graph.rotations)
    step = max(1, -(-len(frames) // MOST_PIXELS))
    matrix = distance_matrix(make_metric(graph.metric, frames, graph.window), step)
    # The root of squared distances spreads the near ones, where transitions are.
    shown = matrix if graph.metric == "principal_components" else np.sqrt(matrix)
    shown = np.ma.masked_invalid(shown)
    image = axes.imshow(
        shown, cmap="gray", vmin=0.0, vmax=float(np.percentile(shown.compressed(), 92.0)),
        extent=(0.0, len(frames), len(frames), 0.0), interpolation="nearest",
    )  # fmt: skip
    axes.set_facecolor("#3d5a73")
    unit = "rad" if UNITS[graph.metric].startswith("rad") else "m"
    bar = figure.colorbar(image, ax=axes, shrink=0.7, pad=0.01)
    bar.set_label(f"distance, {unit}", fontsize=8)
    bar.ax.tick_params(labelsize=7)


def _draw_clips(axes: Axes, graph: MotionGraph, *, names: bool) -> None:
    borders = graph.clip_start[1:-1].tolist()
    for at in borders if len(borders) <= 4 * _MOST_LABELS else []:
        axes.axhline(at, color="#e8d44d", lw=0.5)
        axes.axvline(at, color="#e8d44d", lw=0.5)
    middles = 0.5 * (graph.clip_start[1:] + graph.clip_start[:-1])
    axes.tick_params(labelsize=7)
    if len(graph.names) <= _MOST_LABELS:
        shown = _short(graph.names)
        turned: dict[str, Any] = {"rotation": 40, "ha": "right"}
        few = len(shown) <= _MOST_LABELS // 2
        axes.set_xticks(middles, shown if few else [""] * len(shown), **turned)
        axes.set_yticks(middles, shown if names else [""] * len(shown))
    axes.set_xlabel("to", fontsize=8)
    if names:
        axes.set_ylabel("from", fontsize=8)


def _draw_transitions(axes: Axes, graph: MotionGraph) -> None:
    crossing = graph.edge_kind == TRANSITION
    first = graph.edge_first[crossing]
    second = graph.edge_enter[crossing] - graph.window
    clip = [np.searchsorted(graph.clip_start, f, side="right") for f in (first, second)]
    size = float(np.clip(4000.0 / max(len(first), 1), 0.4, 7.0))
    for colour, these, name in (
        (_ACROSS, clip[0] != clip[1], "transitions to another clip"),
        (_WITHIN, clip[0] == clip[1], "transitions in one clip"),
    ):
        where = second[these] + 0.5, first[these] + 0.5
        axes.scatter(*where, s=size, color=colour, lw=0, label=name)


def _short(names: Sequence[str]) -> list[str]:
    """Return the names without the word that all of them start with, and none too long."""
    words = {name.split("_")[0] for name in names}
    same = len(words.pop()) + 1 if len(words) == 1 and len(names) > 1 else 0
    cut = [name[same:] or name for name in names]
    return [name if len(name) <= 20 else f"{name[:19]}…" for name in cut]
