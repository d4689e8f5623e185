"""A plan over time: which clips it is made of, and when which foot stands."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from footfall.maths.runs import runs
from footfall.plots.files import figure_file, save_figure
from footfall.plots.plan_sketch import PlanSketch
from footfall.task import Segment

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLOURS = (
    "#4c78a8", "#f58518", "#54a24b", "#b279a2", "#e45756", "#72b7b2", "#9d755d", "#eeca3b",
    "#ff9da6", "#79706e",
)  # fmt: skip
_FEET = (("left foot", "#2f6fb0", (0, 1)), ("right foot", "#c2571a", (2, 3)))
_INCHES_A_SECOND, _LEAST_INCHES, _LINE_S = 0.9, 7.0, 12.0
_LETTERS_AN_INCH, _LABEL_INCHES = 13.0, 0.075
_MOST_ROWS, _MOST_LINES = 24, 60


def save_timeline(sketch: PlanSketch, path: str | Path) -> Path:
    """Draw the timeline of a plan as a picture; the file that was written."""
    path = figure_file(path)
    return save_figure(timeline_figure(sketch), path)


def timeline_figure(sketch: PlanSketch) -> Figure:
    """Return the segments of a plan, a row for each clip, and the contacts of both feet below.

    A bar is as high as the weight of its clip; blends of several clips stand one below the other.
    Long plans continue on further lines, each with rows for the clips that it shows.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    count = min(max(1, math.ceil(sketch.seconds / _LINE_S)), _MOST_LINES)
    span = max(sketch.seconds / count, 1.0 / sketch.fps)
    spans = [(k * span, (k + 1) * span) for k in range(count)]
    lines = [[s for s in sketch.segments if _shares(s, sketch.fps, ends)] for ends in spans]
    rows = [_rows(line) for line in lines]
    # Laid out by hand: matplotlib's own layout draws everything twice.
    letters = max(len(name) for name in (*(name for names in rows for name in names), "right foot"))
    left, below = 0.3 + letters * _LABEL_INCHES, 0.45
    width = max(_INCHES_A_SECOND * span, _LEAST_INCHES) + left
    heights = [1.2 + 0.24 * (len(names) + 2) for names in rows]
    figure = Figure(figsize=(width, sum(heights)))
    FigureCanvasAgg(figure)
    for k, names in enumerate(rows):
        low, inner = sum(heights[k + 1 :]) + below, heights[k] - below - 0.3
        box = (left, low, width - left - 0.1, inner)
        axes = figure.add_axes(tuple(np.divide(box, (width, sum(heights)) * 2)))
        axes.set_xlim(*spans[k])
        _draw_line(axes, sketch, lines[k], names)
    by = f" by {sketch.method}" if sketch.method else ""
    clips = len({str(source) for s in sketch.segments for source in s.sources})
    title = f"{sketch.seconds:.1f} s{by}: {len(sketch.segments)} segments of {clips} clips"
    figure.axes[0].set_title(title, fontsize=10, loc="left")
    return figure


def _draw_line(axes: Axes, sketch: PlanSketch, segments: list[Segment], names: list[str]) -> None:
    place = {name: row for row, name in enumerate(names)}
    for segment in segments:
        _draw_segment(axes, segment, place, sketch.fps)
    for row, (_, colour, points) in enumerate(_FEET, start=len(names)):
        for first, stop in runs(np.asarray(sketch.contacts[:, points].any(axis=1))).tolist():
            axes.barh(row, (stop - first) / sketch.fps, 0.5, first / sketch.fps, color=colour)
    axes.set_yticks(range(len(names) + 2), [*names, *(name for name, _, _ in _FEET)], fontsize=8)
    axes.set_ylim(len(names) + 1.6, -0.6)
    axes.set_xlabel("seconds", fontsize=8)
    axes.tick_params(axis="x", labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)


def _shares(segment: Segment, fps: float, ends: tuple[float, float]) -> bool:
    return segment.first < ends[1] * fps - 1e-6 and segment.stop > ends[0] * fps + 1e-6


def _rows(segments: list[Segment]) -> list[str]:
    """Return the clips by first appearance; the last row holds those beyond the limit."""
    names = list(dict.fromkeys(str(source) for s in segments for source in s.sources))
    return names if len(names) <= _MOST_ROWS else [*names[: _MOST_ROWS - 1], "others"]


def _draw_segment(axes: Axes, segment: Segment, place: dict[str, int], fps: float) -> None:
    first, seconds = segment.first / fps, (segment.stop - segment.first) / fps
    for source in segment.sources:
        row = place.get(str(source), len(place) - 1)
        colour = _COLOURS[row % len(_COLOURS)]
        height = 0.25 + 0.6 * source.weight
        pattern = "" if len(segment.sources) == 1 else "////"
        axes.barh(
            row, seconds, height, first, color=colour, edgecolor="white", hatch=pattern,
            linewidth=0.4,
        )  # fmt: skip
        words = f"{segment.why} {source.frame}" if len(segment.sources) == 1 else ""
        if words and len(words) < seconds * _INCHES_A_SECOND * _LETTERS_AN_INCH:
            begin = max(first, axes.get_xlim()[0]) + 0.02
            axes.text(begin, row, words, va="center", fontsize=6.5, color="white", clip_on=True)
