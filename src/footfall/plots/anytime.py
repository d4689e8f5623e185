"""Draw cost and bound of a plan over the time of its search."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from footfall.plots.files import figure_file, save_figure
from footfall.plots.plan_sketch import PlanSketch

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COST, _LEAST, _BOUND = "#4c78a8", "#54a24b", "#e45756"


def save_anytime(sketch: PlanSketch, path: str | Path) -> Path:
    """Draw how cost and bound fell as a picture; the file that was written."""
    path = figure_file(path)
    return save_figure(anytime_figure(sketch), path)


def anytime_figure(sketch: PlanSketch) -> Figure:
    """Draw the best cost and the least possible one above, and the bound below, over time."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    seconds, cost, bound, expansions = sketch.anytime.T
    figure = Figure(figsize=(7.0, 4.6), layout="constrained")
    FigureCanvasAgg(figure)
    upper, lower = figure.subplots(2, 1, sharex=True)
    least = np.maximum.accumulate(np.where(np.isfinite(bound), cost / bound, 0.0))
    upper.step(seconds, cost, where="post", color=_COST, marker=".", label="cost of the motion")
    upper.step(seconds, least, where="post", color=_LEAST, label="the least is at least")
    upper.set_ylabel("effort")
    upper.set_ylim(bottom=0.0)
    upper.legend(fontsize=8, loc="best")
    shown = np.isfinite(bound)
    lower.step(seconds[shown], bound[shown], where="post", color=_BOUND, marker=".")
    lower.axhline(1.0, color="0.7", linewidth=0.8)
    lower.set_ylabel("at most this many times the least")
    lower.set_xlabel("seconds of search")
    if seconds[-1] > 20.0 * max(seconds[0], 1e-3):
        lower.set_xscale("log")
    else:
        lower.set_xlim(0.0, 1.05 * max(float(seconds[-1]), 1e-3))
    upper.set_title(f"{int(expansions[-1]):,} states expanded", fontsize=9)
    return figure
