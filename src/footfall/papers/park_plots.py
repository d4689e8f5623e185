"""Pictures of Park, Shin & Shin's experiments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from footfall.papers.drawing import make_axes, png_of_figure
from footfall.papers.park_runs import ChaseRun, PathRun
from footfall.papers.park_times import Timing
from footfall.papers.statistics import linear_fit


def draw_paths(walked: Sequence[PathRun]) -> bytes:
    """Return the paths and the walks along them, from above."""
    figure, axes = make_axes(len(walked), wide=3.4, high=3.4)
    for axis, run in zip(axes, walked, strict=True):
        axis.plot(-run.path[:, 0], run.path[:, 1], color="#c9d2dc", linewidth=4)
        axis.plot(-run.course[:, 0], run.course[:, 1], color="#c1432f", linewidth=1.2)
        axis.set_title(f"{run.name}, {run.achieved_m_s:.2f} m/s", fontsize=10)
        axis.set_aspect("equal")
        axis.set_xlabel("m")
    return png_of_figure(figure)


def draw_chase(run: ChaseRun) -> bytes:
    """Return the pointer and its chaser from above; speed, turn and style over time."""
    figure, axes = make_axes(2, high=3.4)
    axes[0].plot(
        -run.pointer[:, 0], run.pointer[:, 1], color="#9aa7b5", linewidth=1, label="pointer"
    )
    axes[0].plot(-run.course[:, 0], run.course[:, 1], color="#c1432f", linewidth=1.4, label="body")
    axes[0].set_aspect("equal")
    axes[0].legend(frameon=False, fontsize=8)
    seconds = np.linspace(0.0, run.seconds, len(run.achieved))
    for k, (name, colour) in enumerate(
        (("speed, m/s", "#c1432f"), ("turn, rad/s", "#2f6fc1"), ("style", "#4d9a5b"))
    ):
        axes[1].plot(seconds, run.achieved[:, k], color=colour, linewidth=1.1, label=name)
    axes[1].legend(frameon=False, fontsize=8)
    axes[1].set_xlabel("s")
    return png_of_figure(figure)


def draw_times(examples: Sequence[Timing], crowds: Sequence[Timing]) -> bytes:
    """Time of blending and of a frame against examples; time of a frame against characters."""
    figure, axes = make_axes(2, wide=4.6, high=3.4)
    x = [t.count for t in examples]
    for y, label, colour in (
        ([t.blend_us for t in examples], "blending, all with weight", "#c1432f"),
        ([t.frame_us for t in examples], "a whole frame", "#2f6fc1"),
    ):
        _draw_line(axes[0], x, y, label, colour)
    axes[0].set_xlabel("examples")
    axes[0].set_ylabel("µs a character")
    _draw_line(
        axes[1], [t.count for t in crowds], [t.frame_us / 1000.0 for t in crowds],
        "a whole frame", "#2f6fc1",
    )  # fmt: skip
    axes[1].set_xlabel("characters")
    axes[1].set_ylabel("ms")
    for axis in axes:
        axis.set_ylim(bottom=0.0)
        axis.legend(frameon=False, fontsize=8)
    return png_of_figure(figure)


def _draw_line(axis: Any, x: Sequence[float], y: Sequence[float], label: str, colour: str) -> None:
    """Points and the straight line through them."""
    slope, r2 = linear_fit(x, y)
    start = float(np.mean(y)) - slope * float(np.mean(x))
    axis.plot(x, y, "o", color=colour, label=f"{label} (R² {r2:.3f})")
    axis.plot(x, [start + slope * v for v in x], color=colour, linewidth=0.8, alpha=0.5)
