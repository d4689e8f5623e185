"""The corridor map: the clear route through a scene for a body of any radius.

>>> from shapely import box
>>> corridors = build_corridor_map(box(0, 0, 10, 6), box(4, 0, 5, 4))
>>> path = corridors.path((1, 1), (9, 1), radius=0.3)
>>> path.status, bool(path.clearances.min() >= 0.3)
('found', True)

A path is the shortest route that keeps the body's radius clear, found exactly among the stretches
tangent to obstacle corners (so that "no path" is said only where there is none), then bent
smooth within the room beside it. The medial axis carries the clearance of every passage.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from footfall.maths.arrays import Floats, frozen_floats
from footfall.search.shortest_path import Flag
from footfall.world.corridor import build, medial
from footfall.world.corridor.query import (
    CorridorPath,
    Wishes,
    as_point,
    blocked_end,
    nothing,
    path_along,
)  # fmt: skip
from footfall.world.corridor.sketch import follow_sketch
from footfall.world.corridor.tangent_graph import Route, SearchCancelled, TangentGraph

if TYPE_CHECKING:
    from shapely import Geometry, MultiPolygon, Polygon

    from footfall.world.scene import Scene

__all__ = ["CorridorMap", "CorridorPath", "build_corridor_map", "corridor_map_of"]

_WIDEST = 1.0
"""Bodies up to this radius (m) are prepared for; a wider one takes longer when first asked for."""


@dataclass(frozen=True, eq=False)
class CorridorMap:
    """Free space, its outlines and the stretches tangent to their corners.

    Make one with `build_corridor_map`. The medial axis is worked out when it is first asked for.
    """

    bounds: Polygon
    blocked: Geometry
    free: Polygon | MultiPolygon
    outlines: build.Outlines
    tangents: TangentGraph

    @cached_property
    def axis(self) -> medial.MedialAxis:
        """The medial axis of free space: for pictures; paths do without it."""
        return medial.medial_axis(self.outlines)

    def clearances(self, points: ArrayLike) -> Floats:
        """Metres (N,) from points (N, 2) to the nearest obstacle or bound; negative if not free."""
        return self.outlines.clearances(frozen_floats(points, (None, 2), "points"))

    def path(
        self,
        start: ArrayLike,
        goal: ArrayLike,
        radius: float,
        *,
        prefer: float = 0.4,
        turn_radius: float | None = None,
        step: float = 0.05,
        cancel: Flag | None = None,
    ) -> CorridorPath:
        """Return a smooth path between ground points (2,), clear for a body of `radius` metres.

        prefer: metres kept beyond the radius where there is room, given up before the path gets
        1.1 times as long as the shortest. turn_radius: the path turns no tighter, or the status
        is "too tight to turn". step: metres between points, at most. cancel: a flag (1,) that
        ends the search once it is set; the status is then "cancelled".
        """
        wishes = Wishes(radius, prefer, turn_radius, step)
        ends = np.stack([as_point(start, "start"), as_point(goal, "goal")])
        refusal = blocked_end(self.outlines, ends, radius)
        if refusal is not None:
            return refusal
        try:
            route = self.tangents.shortest(ends[0], ends[1], radius, cancel)
            if route is None:
                return nothing("no path", self._why_no_path(ends, radius, cancel))
            return path_along(
                self.outlines, route, wishes, lambda: self._wide_route(ends, wishes, cancel)
            )
        except SearchCancelled:
            return nothing("cancelled", "the search was cancelled")

    def follow(
        self,
        sketch: ArrayLike,
        radius: float,
        *,
        prefer: float = 0.4,
        turn_radius: float | None = None,
        step: float = 0.05,
        cancel: Flag | None = None,
    ) -> CorridorPath:
        """Return a smooth path along a rough sketch (P, 2), which may touch or cross obstacles.

        Where the sketch is not free it is led around by the shortest route; elsewhere the path
        passes every obstacle on the side that was drawn (Karamouzas, Geraerts & Overmars 2009,
        whose attraction point would cut the drawn curves short).
        """
        wishes = Wishes(radius, prefer, turn_radius, step)
        points = frozen_floats(sketch, (None, 2), "sketch")
        try:
            return follow_sketch(self.tangents, self.free, points, wishes, cancel)
        except SearchCancelled:
            return nothing("cancelled", "the search was cancelled")

    def shortest_route(self, start: ArrayLike, goal: ArrayLike, radius: float) -> Route | None:
        """Return the exact shortest route of a disc of `radius` metres; None if there is none."""
        ends = as_point(start, "start"), as_point(goal, "goal")
        return self.tangents.shortest(*ends, radius)

    def updated(self, blocked: Geometry) -> CorridorMap:
        """Return the map after obstacles moved; this one if nothing that is free changed."""
        free = build.free_space(self.bounds, blocked)
        if free.equals_exact(self.free):
            return self
        return _map_of(self.bounds, blocked, free)

    def _wide_route(self, ends: Floats, wishes: Wishes, cancel: Flag | None) -> Route | None:
        """Return a route that turns no tighter than wished, away from corners."""
        wide = wishes.turn_radius
        if wide is None or wide <= wishes.radius:
            return None
        if (self.outlines.clearances(ends) < 1.01 * wide).any():
            return None
        return self.tangents.shortest(ends[0], ends[1], 1.01 * wide, cancel)

    def _why_no_path(self, ends: Floats, radius: float, cancel: Flag | None) -> str:
        """Return why the body does not pass: the width of the widest route."""
        low = self.tangents.widest_radius(ends[0], ends[1], radius, cancel)
        if low == 0.0:
            return "obstacles close off the goal from the start"
        return (
            f"the widest route from start to goal lets a radius of {low:.3f} m through, "
            f"the body has {radius:g} m"
        )


def build_corridor_map(bounds: Polygon, blocked: Geometry) -> CorridorMap:
    """Return the corridor map of the part of `bounds` (x, z in metres) that is not `blocked`."""
    return _map_of(bounds, blocked, build.free_space(bounds, blocked))


def _map_of(bounds: Polygon, blocked: Geometry, free: MultiPolygon) -> CorridorMap:
    outlines = build.read_outlines(free)
    return CorridorMap(bounds, blocked, free, outlines, TangentGraph(outlines, _WIDEST))


def corridor_map_of(scene: Scene, time: float | None = None, **what_blocks: Any) -> CorridorMap:
    """Return the corridor map of a scene at `time` seconds (None: at rest).

    what_blocks: body_height, step_height, max_slope, duck_height of `Scene.blocked_polygons`.
    """
    return build_corridor_map(scene.bounds, scene.blocked_polygons(time=time, **what_blocks))
