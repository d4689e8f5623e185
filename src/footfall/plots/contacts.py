"""A picture of what touches when, beside the heights, speeds and falls it was seen by."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.body.clip import Clip
from footfall.gait.contacts import Contacts
from footfall.gait.footprints import footprints
from footfall.gait.tags import Sight, Tag, find_tags, look_at
from footfall.maths.arrays import Floats
from footfall.maths.constants import GRAVITY
from footfall.maths.signals import differentiate
from footfall.plots.files import figure_file, save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FEET = ("left", "right")
FOOT_COLOURS = ("#1f6fb4", "#c8452d")
POINT_COLOURS = ("#d98c00", "#2b8a3e", "#7a4fa3")
POINTS = ("heel", "ball", "toe tip")
_LONGEST_S = 600.0


def save_contact_plot(clip: Clip, path: str | Path, sight: Sight | None = None) -> Path:
    """Draw the contacts of a clip and save them as PNG, SVG or PDF; the file that was written."""
    path = figure_file(path)
    figure = contact_figure(clip, sight)
    return save_figure(figure, path)


def contact_figure(clip: Clip, sight: Sight | None = None) -> Figure:
    """Return the picture as a matplotlib figure."""
    from matplotlib.figure import Figure as NewFigure

    sight = sight or look_at(clip)
    found, tags = sight.contacts, find_tags(clip, sight)
    figure = NewFigure(figsize=(15.0, 11.5), layout="constrained")
    heights = (3, 2, 3, 2, 2.2, 1.8, 0.4 + 0.32 * max(len({t.name for t in tags}), 2))
    grid = figure.add_gridspec(7, 2, width_ratios=(3.2, 1.0), height_ratios=heights)
    first = figure.add_subplot(grid[0, 0])
    rows = [first] + [figure.add_subplot(grid[r, 0], sharex=first) for r in range(1, 7)]
    for foot in range(2):
        _draw_heights(rows[2 * foot], found, foot)
        _draw_speeds(rows[2 * foot + 1], found, foot)
    _draw_bars(rows[4], sight)
    _draw_fall(rows[5], found)
    _draw_tags(rows[6], tags)
    for row in rows:
        row.grid(alpha=0.25, linewidth=0.5)
        row.tick_params(labelsize=8)
        row.label_outer()
    rows[-1].set_xlabel("time, s")
    rows[0].set_xlim(0.0, max(min(clip.seconds, _LONGEST_S), 1.0 / clip.fps))
    _draw_ground(figure.add_subplot(grid[:, 1]), found)
    title = f"{clip.name or 'clip'}: {len(found.stances)} stances, {len(found.flights)} flights"
    figure.suptitle(f"{title}; {found.problem}" if found.problem else title)
    return figure


def _shade(axes: Axes, contacts: Contacts, foot: int) -> None:
    for stance in contacts.of_foot(foot):
        axes.axvspan(stance.begin_s, stance.end_s, color=FOOT_COLOURS[foot], alpha=0.13, lw=0)
    for flight in contacts.flights:
        axes.axvspan(flight.begin_s, flight.end_s, color="#888888", alpha=0.18, lw=0)


def _draw_heights(axes: Axes, contacts: Contacts, foot: int) -> None:
    motion, times = contacts.motion, _times(contacts)
    _shade(axes, contacts, foot)
    heights = 100.0 * motion.points[:, foot, :, 1]
    for point, (name, colour) in enumerate(zip(POINTS, POINT_COLOURS, strict=True)):
        axes.plot(times, heights[:, point], color=colour, lw=1.0, label=name)
    for stance in contacts.of_foot(foot):
        level = 100.0 * stance.level_m
        axes.plot([stance.begin_s, stance.end_s], [level, level], color="black", lw=1.5)
    axes.set_ylabel(f"{FEET[foot]} foot\nheight, cm", fontsize=8, color=FOOT_COLOURS[foot])
    if foot == 0:
        axes.legend(loc="upper right", fontsize=7, ncols=3)


def _draw_speeds(axes: Axes, contacts: Contacts, foot: int) -> None:
    motion, times = contacts.motion, _times(contacts)
    _shade(axes, contacts, foot)
    for point, colour in enumerate(POINT_COLOURS):
        axes.plot(
            times, _visible_speed(motion.speeds[:, foot, point]), color=colour, lw=0.6, alpha=0.7
        )
    axes.plot(
        times, _visible_speed(motion.slowest[:, foot]), color="black", lw=1.0, label="slowest point"
    )
    axes.plot(
        times, _visible_speed(contacts.threshold), "--", color="#b0005a", lw=1.0, label="threshold"
    )
    axes.set_yscale("log")
    axes.set_ylim(0.02, 12.0)
    axes.set_ylabel("speed, m/s", fontsize=8)
    if foot == 0:
        axes.legend(loc="upper right", fontsize=7, ncols=2)


def _draw_bars(axes: Axes, sight: Sight) -> None:
    contacts = sight.contacts
    rows: list[tuple[str, str, list[tuple[float, float]]]] = []
    for foot, colour in enumerate(FOOT_COLOURS):
        for column, name in enumerate(("heel", "toes")):
            spans = _spans(contacts.points[:, 2 * foot + column], contacts.fps)
            rows.append((f"{FEET[foot]} {name}", colour, spans))
    rows.append(("flight", "#666666", [(f.begin_s, f.seconds) for f in contacts.flights]))
    for part in dict.fromkeys(t.part for t in sight.touches):
        spans = [(t.begin_s, t.end_s - t.begin_s) for t in sight.touches if t.part == part]
        rows.append((part.replace("_", " "), "#2b8a3e", spans))
    for y, (_, colour, spans) in enumerate(rows):
        axes.broken_barh(spans, (y - 0.38, 0.76), facecolors=colour)
    axes.set_yticks(range(len(rows)), [name for name, _, _ in rows], fontsize=7)
    axes.set_ylim(len(rows) - 0.5, -0.5)


def _draw_tags(axes: Axes, tags: tuple[Tag, ...]) -> None:
    names = list(dict.fromkeys(tag.name for tag in tags))
    for tag in tags:
        y = names.index(tag.name)
        axes.broken_barh([(tag.begin_s, max(tag.end_s - tag.begin_s, 0.02))], (y - 0.4, 0.8),
                         facecolors="#c9b458")  # fmt: skip
        axes.annotate(tag.evidence, (tag.begin_s, y), fontsize=5.5, va="center", clip_on=True)
    axes.set_yticks(range(len(names)), [name.replace("_", " ") for name in names], fontsize=7)
    axes.set_ylim(max(len(names), 1) - 0.5, -0.5)


def _draw_fall(axes: Axes, contacts: Contacts) -> None:
    motion = contacts.motion
    speed = differentiate(motion.centre[:, 1], motion.fps)
    for flight in contacts.flights:
        axes.axvspan(flight.begin_s, flight.end_s, color="#888888", alpha=0.18, lw=0)
    axes.plot(_times(contacts), differentiate(speed, motion.fps) / GRAVITY, color="black", lw=0.9)
    axes.axhline(-1.0, color="#b0005a", lw=0.8, ls="--")
    axes.set_ylim(-2.2, 3.2)
    axes.set_ylabel("centre of mass,\nacceleration, g", fontsize=8)


def _draw_ground(axes: Axes, contacts: Contacts) -> None:
    """Draw the ground from above: +Z up, +X to the left."""
    motion = contacts.motion
    axes.plot(motion.hips[:, 0], motion.hips[:, 2], color="#999999", lw=1.0)
    if len(motion):
        axes.plot(*motion.hips[0, [0, 2]], "o", color="#999999", ms=4)
    for number, step in enumerate(footprints(contacts)):
        way = 0.11 * motion.leg_m * np.array([np.sin(step.yaw), np.cos(step.yaw)])
        ends = np.stack([step.p[[0, 2]] - way, step.p[[0, 2]] + way])
        colour: Any = FOOT_COLOURS[step.foot]
        axes.plot(ends[:, 0], ends[:, 1], color=colour, lw=5.0, alpha=0.5, solid_capstyle="round")
        axes.plot(*ends[1], ".", color=colour, ms=4)
        if number < 80:
            axes.annotate(str(number + 1), (step.p[0], step.p[2]), fontsize=6)
    axes.set_aspect("equal", adjustable="datalim")
    axes.invert_xaxis()
    axes.set_xlabel("x, m", fontsize=8)
    axes.set_ylabel("z, m", fontsize=8)
    axes.tick_params(labelsize=8)
    axes.set_title("footprints and hips from above", fontsize=9)


def _spans(mask: Any, fps: float) -> list[tuple[float, float]]:
    from footfall.maths.runs import runs

    return [((a - 0.5) / fps, (b - a) / fps) for a, b in runs(mask).tolist()]


def _times(contacts: Contacts) -> Floats:
    return np.arange(len(contacts)) / contacts.fps


def _visible_speed(speed: Floats) -> Floats:
    """Speeds on a logarithmic scale stay in sight."""
    return np.maximum(speed, 0.021)
