"""A clip on one page: from the side, from the front and from above."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from footfall.body.clip import Clip
from footfall.body.mesh import SkinnedMesh
from footfall.maths.arrays import Ints
from footfall.processes import thread_pool
from footfall.render.instants import (
    PosedBodies,
    RootPath,
    are_crowded,
    bodies_at,
    even_instants,
    even_pick,
    floor_of,
    leaves_out,
    root_path,
    spaced_instants,
)
from footfall.render.panels import Panel, PanelLook, lineup, middle_of, overview, plan_view, strip
from footfall.render.pictures import INK, SOFT, Page

_WIDTH = 1800
"""The width for which sizes below are given."""
_APART_M = 0.68
_LONGEST_M = 14.0
"""A way longer than this would make the bodies too small; they stand side by side instead."""
_MANY = 9

Placed = tuple[Panel, int, int, str]
"""A panel, its left and top on the page and its caption."""


def sheet(
    clip: Clip,
    body: SkinnedMesh,
    *,
    views: Sequence[str],
    instants: int | None = None,
    width: int = _WIDTH,
    progress: Callable[[float], None] | None = None,
) -> Any:
    """The page as a Pillow image."""
    tell = progress or (lambda fraction: None)
    way = root_path(clip)
    unit = width / _WIDTH
    right = np.array([way.direction[0], 0.0, way.direction[1]])
    look = PanelLook(unit, floor_of(clip, body), way.points[0], right)
    frames, travels = _choose_instants(clip, way, instants)
    bodies = bodies_at(clip, body, frames)
    if travels and not way.straight and are_crowded(bodies, 0.45):
        travels, bodies = False, bodies_at(clip, body, even_instants(clip, instants or _MANY))
    tell(0.1)
    top = round(168 * unit)
    if travels and way.straight:
        placed, height = _straight(clip, bodies, look, width, way, views, top)
    else:
        placed, height = _compose_gathered(clip, bodies, look, width, way, views, top, travels)
    page = Page((width, height), unit)
    _header(page, clip, way, width)
    done = 0
    with thread_pool(len(placed)) as pool:
        for (panel, left, upper, caption), picture in zip(
            placed, pool.map(lambda p: p[0].drawn(), placed), strict=True
        ):
            page.paste(picture, left, upper)
            page.rule(left + 64 * unit, left + panel.size[0] - 64 * unit, upper - 22 * unit)
            _annotate(page, panel, left, upper, caption)
            done += 1
            tell(0.1 + 0.9 * done / len(placed))
    return page.image


def _choose_instants(clip: Clip, way: RootPath, instants: int | None) -> tuple[Ints, bool]:
    """The frames to show, and whether their bodies can stand where they are."""
    travels = 1.3 <= way.extent <= _LONGEST_M
    if travels:
        spaced = spaced_instants(clip, way, _APART_M, 14)
        if len(spaced) > 2 and not leaves_out(clip, spaced):
            return (spaced if instants is None else even_instants(clip, instants)), True
    return even_instants(clip, instants or (_MANY if way.extent > 0.5 else 8)), False


def _straight(
    clip: Clip, bodies: PosedBodies, look: PanelLook, width: int, way: RootPath,
    views: Sequence[str], top: int,
) -> tuple[list[Placed], int]:  # fmt: skip
    """Side over plan at one scale, like the elevation and the plan of a drawing; then fronts."""
    unit = look.unit
    across = bodies.vertices @ look.right
    scale = min((width - 150 * unit) / (float(np.ptp(across)) + 0.1), 290 * unit)
    placed: list[Placed] = []
    if "side" in views:
        panel = strip(bodies, look, width, scale, way)
        placed.append((panel, 0, top, "side"))
        top += panel.size[1] + round(48 * unit)
    if "top" in views:
        deep = float(np.ptp(bodies.vertices @ look.away)) + 0.5
        size = (width, round(max(deep * scale, 150 * unit)))
        middle = middle_of(bodies, look)
        along = bodies.vertices @ look.away
        middle = middle + look.away * ((along.min() + along.max()) / 2 - middle @ look.away)
        panel = plan_view(clip, bodies, look, size, way, scale=scale, middle=middle)
        placed.append((panel, 0, top, "above"))
        top += panel.size[1] + round(48 * unit)
    if "front" in views:
        panel = lineup(bodies, look, width, min(scale, 250 * unit), front=True)
        placed.append((panel, 0, top, "front"))
        top += panel.size[1]
    return placed, top + round(24 * unit)


def _compose_gathered(
    clip: Clip, bodies: PosedBodies, look: PanelLook, width: int, way: RootPath,
    views: Sequence[str], top: int, travels: bool,
) -> tuple[list[Placed], int]:  # fmt: skip
    """A wide picture of all instants; under it the fronts, and beside them the plan."""
    unit = look.unit
    placed: list[Placed] = []
    if "side" in views:
        if travels:
            panel = overview(bodies, look, (width, round(0.40 * width)), way)
        else:
            panel = lineup(bodies, look, width, 290 * unit, front=False)
        placed.append((panel, 0, top, "side"))
        top += panel.size[1] + round(48 * unit)
    both = "front" in views and "top" in views
    left = round(0.64 * width) if both else width
    below = top
    if "front" in views:
        some = bodies.only(even_pick(np.arange(len(bodies)), 7)) if both else bodies
        panel = lineup(some, look, left, 250 * unit, front=True)
        placed.append((panel, 0, top, "front"))
        below = max(below, top + max(panel.size[1], round(400 * unit) if both else 0))
    if "top" in views:
        size = (width - left, below - top) if both else (width, round(0.45 * width))
        panel = plan_view(clip, bodies, look, size, way, crowded=not travels)
        placed.append((panel, left if both else 0, top, "above"))
        below = max(below, top + size[1])
    return placed, below + round(24 * unit)


def _header(page: Page, clip: Clip, way: RootPath, width: int) -> None:
    unit = page.unit
    margin = 64 * unit
    name = page.shortened(clip.name or "clip", width - 2 * margin, 38, bold=True)
    page.text(margin, 84 * unit, name, size=38, colour=INK, bold=True)
    facts = ["1 frame" if len(clip) == 1 else f"{clip.seconds:.2f} s", f"{clip.fps:g} fps"]
    facts.append(f"{way.distance:.2f} m")
    if clip.seconds > 0.0:
        facts.append(f"{way.distance / clip.seconds:.2f} m/s")
    page.text(margin, 122 * unit, "   ·   ".join(facts), size=21, colour=SOFT)


def _annotate(page: Page, panel: Panel, left: int, top: int, caption: str) -> None:
    unit = page.unit
    tracked = "\u2009".join(caption.upper())
    page.text(left + 64 * unit, top + 4 * unit, tracked, size=14, colour=SOFT, bold=True)
    written: set[str] = set()
    for label in panel.labels:
        if label.group in written:
            continue
        fits = page.text(
            left + label.x, top + label.y, label.words, size=17, colour=label.colour,
            anchor=label.anchor, clear=True, halo=label.halo,
        )  # fmt: skip
        if fits and label.group:
            written.add(label.group)
    if caption == "above":
        page.scale_bar(
            left + panel.size[0] - 64 * unit, top + panel.size[1] - 16 * unit,
            panel.pixels_per_metre,
        )  # fmt: skip
