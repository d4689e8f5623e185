"""Figures 8 to 12 of van Basten & Egges, drawn from our runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from footfall.graph.model import MotionGraph
from footfall.maths.arrays import Floats
from footfall.papers import basten_paper as paper
from footfall.papers.basten_results import AbstractionResults
from footfall.papers.drawing import make_axes, png_of_figure
from footfall.plots.distances import distance_figure

_COLOURS = ("#b23a48", "#2a7f62", "#8d6a9f", "#1f5fa8", "#c98a1b")
_LABELS = ("pelvis", "joint combination", "extrema", "Gaussian", "B-spline")


def matrices_picture(graphs: Sequence[MotionGraph]) -> bytes:
    """Figure 2: the distances of all pairs of frames by every metric, with the transitions."""
    return png_of_figure(distance_figure(graphs))


def skating_picture(found: AbstractionResults) -> bytes:
    """Figure 8: foot skating of each abstraction over the thresholds, all paths."""
    return _over_thresholds(found.skating_cm, "foot skating (cm a frame)", found.recorded[0].mean())


def amplitude_picture(found: AbstractionResults) -> bytes:
    """Figure 9: how far each abstraction is from the recorded amplitude."""
    return _bars(found.off_amplitude_cm(), "distance from the recorded amplitude (cm)")


def straight_picture(found: AbstractionResults) -> bytes:
    """Figure 11: the amplitude on the straight path over the thresholds."""
    values = found.amplitude_cm[:, :, :1]
    return _over_thresholds(values, "amplitude, straight path (cm)", found.recorded[1][0])


def wavelength_picture(found: AbstractionResults) -> bytes:
    """Figure 12: how far each abstraction is from the recorded wavelength, over the thresholds."""
    return _over_thresholds(found.off_wavelength_cm(), "distance from the wavelength (cm)", None)


def trajectories_picture(examples: dict[str, tuple[Floats, Floats]]) -> bytes:
    """Figure 10: query path (N, 2) and pelvis (T, 2) by the name of the abstraction."""
    figure, rows = make_axes(1, len(examples), wide=7.0, high=1.6, sharex=True)
    for axes, (name, (path, pelvis)) in zip(rows, examples.items(), strict=True):
        along, across = _along(path, pelvis)
        axes.axhline(0.0, color="black", linewidth=1.2)
        axes.plot(along, 100.0 * across, color="#b23a48", linewidth=1.4)
        axes.set_ylabel(f"{name}\n(cm)")
        axes.set_ylim(-9.0, 9.0)
    rows[-1].set_xlabel("along the path (m)")
    return png_of_figure(figure)


def _along(path: Floats, points: Floats) -> tuple[Floats, Floats]:
    """Return how far along a path (N, 2) and how far to its left each point (T, 2) is."""
    steps = np.diff(path, axis=0)
    lengths = np.maximum(np.linalg.norm(steps, axis=1), 1e-12)
    start = np.concatenate([[0.0], np.cumsum(lengths)[:-1]])
    gap = points[:, None] - path[None, :-1]
    share = np.clip(np.einsum("tni,ni->tn", gap, steps) / lengths**2, 0.0, 1.0)
    off = gap - share[..., None] * steps
    best = np.argmin(np.einsum("tni,tni->tn", off, off), axis=1)
    at = np.arange(len(points))
    along = start[best] + share[at, best] * lengths[best]
    left = np.stack([steps[:, 1], -steps[:, 0]], axis=1) / lengths[:, None]
    return along, np.einsum("ti,ti->t", off[at, best], left[best])


def _over_thresholds(values: Floats, label: str, recorded: float | None) -> bytes:
    figure, (axes,) = make_axes(wide=7.0, high=3.6)
    for k, name in enumerate(_LABELS):
        means = np.nanmean(values[k], axis=(1, 2))
        error = np.nanstd(np.nanmean(values[k], axis=1), axis=1) / np.sqrt(values.shape[-1])
        axes.errorbar(paper.THRESHOLDS, means, error, label=name, color=_COLOURS[k], capsize=2.0)
    if recorded is not None:
        axes.axhline(recorded, color="#1d2733", linestyle=":", label="recorded")
    axes.set_xlabel("graph, named by the paper's threshold")
    axes.set_ylabel(label)
    axes.legend(frameon=False, fontsize=8, ncols=3)
    return png_of_figure(figure)


def _bars(values: Floats, label: str) -> bytes:
    figure, (axes,) = make_axes(wide=7.0)
    means = np.nanmean(values, axis=(1, 2, 3))
    error = np.nanmean(values, axis=(1, 2)).std(axis=1) / np.sqrt(values.shape[-1])
    axes.bar(_LABELS, means, yerr=error, color=_COLOURS, capsize=3.0)
    axes.set_ylabel(label)
    return png_of_figure(figure)
