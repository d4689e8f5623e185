"""A picture of the measures of a clip over time, and of its way from above."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from footfall.body.clip import Clip
from footfall.gait.contacts import find_contacts
from footfall.gait.path import path_abstraction
from footfall.maths.arrays import Floats
from footfall.maths.runs import runs
from footfall.measures.all import Measures, measure
from footfall.measures.ground import floating, penetration
from footfall.measures.oscillation import Sway, sways
from footfall.measures.physics import ground_wrench
from footfall.measures.skating import contact_drifts, planted_mask, skate_per_frame
from footfall.measures.smoothness import PERCENTILE, angular_acceleration, find_pops
from footfall.measures.tracks import PAPER_HZ, FootTracks, evenly, foot_tracks
from footfall.plots.contacts import FEET, FOOT_COLOURS
from footfall.plots.files import figure_file, save_figure
from footfall.world.scene import Scene

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, SOFT, BAD, PATH = "#222222", "#999999", "#b0005a", "#2b8a3e"
_LONGEST_S = 600.0
_MOST_LINKS = 120


def save_measure_plot(
    clip: Clip, file: str | Path, *, path: ArrayLike | None = None, scene: Scene | None = None,
    transitions: Sequence[int] = (), found: Measures | None = None,
) -> Path:  # fmt: skip
    """Draw the measures of a clip and save them as PNG, SVG or PDF; the file that was written."""
    target = figure_file(file)
    figure = measure_figure(clip, path=path, scene=scene, transitions=transitions, found=found)
    return save_figure(figure, target)


def measure_figure(
    clip: Clip, *, path: ArrayLike | None = None, scene: Scene | None = None,
    transitions: Sequence[int] = (), found: Measures | None = None,
) -> Figure:  # fmt: skip
    """Return the picture as a matplotlib figure."""
    from matplotlib.figure import Figure as NewFigure

    found = found or measure(clip, path=path, scene=scene, transitions=transitions)
    tracks = foot_tracks(clip, scene)
    parts = sways(path_abstraction(clip, "pelvis"), clip.fps)
    figure = NewFigure(figsize=(15.0, 12.0), layout="constrained")
    grid = figure.add_gridspec(6, 2, width_ratios=(2.6, 1.2), height_ratios=(2, 2, 1.6, 2, 2, 2.2))
    first = figure.add_subplot(grid[0, 0])
    rows = [first] + [figure.add_subplot(grid[r, 0], sharex=first) for r in range(1, 5)]
    _draw_skate(rows[0], tracks, found)
    _draw_drift(rows[1], tracks, found)
    _draw_ground(rows[2], tracks)
    _draw_pops(rows[3], clip, transitions)
    running = bool(find_contacts(clip).flights)
    _draw_force(rows[4], clip, tracks, running)
    for row in rows:
        row.grid(alpha=0.25, linewidth=0.5)
        row.tick_params(labelsize=8)
        row.label_outer()
    rows[-1].set_xlabel("time, s", fontsize=8)
    rows[-1].tick_params(labelbottom=True)
    rows[0].set_xlim(0.0, max(min(clip.seconds, _LONGEST_S), 1.0 / clip.fps))
    _draw_sway(figure.add_subplot(grid[5, 0]), parts, found)
    _draw_above(figure.add_subplot(grid[:, 1]), clip, parts, path, found)
    figure.suptitle(f"{clip.name or 'clip'}: {found.seconds:.1f} s, {found.travelled_m:.1f} m")
    return figure


def _draw_skate(axes: Axes, tracks: FootTracks, found: Measures) -> None:
    paper = tracks.at_rate(PAPER_HZ)
    times = np.arange(len(paper)) / paper.fps
    stands = planted_mask(paper)
    for foot in range(2):
        for first, stop in runs(stands[:, foot]).tolist():
            axes.axvspan(times[first], times[stop - 1], color=FOOT_COLOURS[foot], alpha=0.12, lw=0)
    axes.plot(times[1:], 100.0 * skate_per_frame(paper), color=INK, lw=1.0)
    said = f"{found.skating.skate_cm_per_frame:.2f} cm/frame"
    _beside(axes, found, "skating.skate_cm_per_frame")
    axes.set_ylabel("skate of planted\nfeet, cm/frame", fontsize=8)
    axes.set_ylim(bottom=0.0)
    _note(axes, f"{said}, {found.skating.skate_cm:.1f} cm in all (shaded: planted)")


def _draw_drift(axes: Axes, tracks: FootTracks, found: Measures) -> None:
    for one in contact_drifts(tracks):
        colour = FOOT_COLOURS[one.column // 2]
        begin, end = one.first / tracks.fps, (one.stop - 1) / tracks.fps
        height = 1000.0 * one.max_m
        axes.fill_between([begin, end], [height, height], color=colour, alpha=0.35, lw=0)
        axes.plot([begin, end], [1000.0 * one.mean_m] * 2, color=colour, lw=1.2)
    axes.set_ylabel("drift of contacts,\nmm", fontsize=8)
    axes.set_ylim(bottom=0.0, top=max(axes.get_ylim()[1], 1.0))
    kind = "by its labels" if tracks.labelled else "contacts found"
    said = f"most {found.skating.drift_max_mm:.1f} mm, mean {found.skating.drift_mean_mm:.1f} mm"
    _note(axes, f"{said} ({kind}; bars most, lines mean; blue left, red right)")


def _draw_ground(axes: Axes, tracks: FootTracks) -> None:
    times = np.arange(len(tracks)) / tracks.fps
    axes.fill_between(times, -1000.0 * penetration(tracks), color=BAD, alpha=0.6, lw=0)
    gaps = 1000.0 * floating(tracks)
    for foot in range(2):
        axes.plot(times, gaps[:, foot], color=FOOT_COLOURS[foot], lw=1.2, label=FEET[foot])
    axes.axhline(0.0, color=SOFT, lw=0.6)
    axes.set_ylabel("floating and\nsinking, mm", fontsize=8)
    low, high = axes.get_ylim()
    axes.set_ylim(min(low, -10.0), max(high, 10.0))


def _draw_pops(axes: Axes, clip: Clip, transitions: Sequence[int]) -> None:
    turn = np.linalg.norm(angular_acceleration(clip), axis=-1).max(axis=1, initial=0.0)
    usual = float(np.percentile(turn, PERCENTILE)) if len(turn) else 0.0
    times = np.arange(1, len(turn) + 1) / clip.fps
    axes.plot(times, turn / max(usual, 1e-9), color=INK, lw=0.9)
    axes.axhline(1.5, color=SOFT, lw=0.8, ls="--")
    for frame in transitions:
        axes.axvline(frame / clip.fps, color=PATH, lw=0.8)
    pops = find_pops(clip)
    for frame in pops:
        axes.plot(frame / clip.fps, axes.get_ylim()[1], "v", color=BAD, ms=7, clip_on=False)
    axes.set_ylabel("peak turn of joints,\nby 95th percentile", fontsize=8)
    axes.set_ylim(bottom=0.0)
    known = f", {len(transitions)} transitions (green)" if transitions else ""
    _note(axes, f"{len(pops)} pops{known}")


def _draw_force(axes: Axes, clip: Clip, tracks: FootTracks, running: bool) -> None:
    if len(clip) < 8:
        return
    wrench = ground_wrench(clip, tracks, running=running)
    times = clip.times
    axes.plot(times, wrench.force[:, 1], color=INK, lw=1.0, label="vertical force, bw")
    level = np.hypot(wrench.force[:, 0], wrench.force[:, 2])
    axes.plot(times, level, color=FOOT_COLOURS[0], lw=0.9, label="horizontal, bw")
    axes.plot(times, 10.0 * wrench.outside, color=BAD, lw=1.0, label="zero moment point out, dm")
    for first, stop in runs(~wrench.carried).tolist():
        axes.axvspan(first / clip.fps, (stop - 1) / clip.fps, color="#888888", alpha=0.18, lw=0)
    axes.set_ylim(-0.5, max(2.0, min(float(wrench.force[:, 1].max()) + 0.2, 4.0)))
    axes.set_ylabel("force of the ground", fontsize=8)
    axes.legend(loc="upper right", fontsize=7, ncols=3)


def _draw_sway(axes: Axes, parts: tuple[Sway, ...], found: Measures) -> None:
    start = 0.0
    for part in parts:
        axes.plot(start + part.along, 100.0 * part.offset, color=INK, lw=1.0)
        crests = part.crests
        axes.plot(start + part.along[crests], 100.0 * part.offset[crests], "o", color=BAD, ms=4)
        start += float(part.along[-1]) + 0.3
    axes.axhline(0.0, color=SOFT, lw=0.6)
    axes.set_ylabel("pelvis left of\nits path, cm", fontsize=8)
    axes.set_xlabel("way, m", fontsize=8)
    axes.grid(alpha=0.25, linewidth=0.5)
    axes.tick_params(labelsize=8)
    wave = found.oscillation
    if wave.crests > 1:
        _note(axes, f"amplitude {wave.amplitude_cm:.1f} ± {wave.amplitude_std_cm:.1f} cm, step "
              f"{wave.step_wavelength_cm:.0f} ± {wave.step_wavelength_std_cm:.0f} cm")  # fmt: skip


def _draw_above(
    axes: Axes, clip: Clip, parts: tuple[Sway, ...], path: ArrayLike | None, found: Measures
) -> None:
    """Draw the motion from above: +Z up, +X to the left."""
    pelvis = evenly(path_abstraction(clip, "pelvis"), clip.fps, PAPER_HZ)
    if path is not None:
        wanted = np.asarray(path, dtype=np.float64)
        _draw_links(axes, pelvis, wanted)
        axes.plot(wanted[:, 0], wanted[:, 1], color=PATH, lw=1.6, label="path to follow")
    for part in parts:
        label = "without sway" if part is parts[0] else None
        axes.plot(part.path[:, 0], part.path[:, 1], color=FOOT_COLOURS[0], lw=1.0, label=label)
    axes.plot(pelvis[:, 0], pelvis[:, 1], color=INK, lw=1.0, label="pelvis")
    axes.plot(*pelvis[0], "o", color=INK, ms=5)
    axes.set_aspect("equal", adjustable="datalim")
    axes.invert_xaxis()
    axes.set_xlabel("x, m", fontsize=8)
    axes.set_ylabel("z, m", fontsize=8)
    axes.tick_params(labelsize=8)
    axes.legend(loc="best", fontsize=7)
    off = found.deviation
    title = "the way from above" if off is None else (
        f"path: {off.rms_cm:.1f} cm rms, {off.nearest_rms_cm:.1f} cm to the nearest point, "
        f"end {off.end_error_cm:.0f} cm"
    )  # fmt: skip
    axes.set_title(title, fontsize=9)


def _draw_links(axes: Axes, pelvis: Floats, wanted: Floats) -> None:
    """Thin lines from the pelvis to where on the path it should be by the distance travelled."""

    def along(points: Floats) -> Floats:
        return np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])

    here, there = along(pelvis), along(wanted)
    goal = np.stack([np.interp(here, there, wanted[:, k]) for k in range(2)], axis=1)
    for n in range(0, len(pelvis), max(1, len(pelvis) // _MOST_LINKS)):
        ends: Any = np.stack([pelvis[n], goal[n]])
        axes.plot(ends[:, 0], ends[:, 1], color=BAD, lw=0.5, alpha=0.6)


def _beside(axes: Axes, found: Measures, key: str) -> None:
    if key in found.beside:
        axes.axhline(found.beside[key].mean, color=PATH, lw=0.9, ls="--")


def _note(axes: Axes, words: str) -> None:
    axes.text(0.005, 0.97, words, transform=axes.transAxes, fontsize=7.5, va="top", color="#555555")
