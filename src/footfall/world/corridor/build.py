"""Prepare free space for the corridor map: outlines in a grid, and corners."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from footfall.errors import InputError
from footfall.maths.arrays import Floats, Ints

if TYPE_CHECKING:
    from shapely import Geometry, MultiPolygon, Polygon

MOST_EDGES = 400_000
"""Outline edges that a map accepts, so that time and memory stay bounded."""


class Grid(NamedTuple):
    """Outline edges sorted into square cells, for kernels.

    segments (S, 4): x0, z0, x1, z1 in metres, free space on their left (x to the right, z up).
    frame (3,): origin x, origin z, cell size. shape (2,): columns, rows. The edges of cell c
    are `items[starts[c] : starts[c + 1]]`.
    """

    segments: Floats
    frame: Floats
    shape: Ints
    starts: Ints
    items: Ints


@dataclass(frozen=True, eq=False)
class Outlines:
    """The edges of free space in a grid, and the corners a body turns about.

    turns (S, 2): sign of the turn at the start and the end of each edge, -1 where an obstacle
    juts out. rings (S,): which closed outline each edge belongs to, its edges one after the
    other. corners (V, 6): x, z and the normals that bound its cone; own (V, 2): its two edges.
    """

    grid: Grid
    turns: Floats
    rings: Ints
    corners: Floats
    own: Ints

    @property
    def segments(self) -> Floats:
        """The edges (S, 4)."""
        return self.grid.segments

    def clearances(self, points: Floats) -> Floats:
        """Signed distance (N,) in metres of points (N, 2) to the outlines, negative if not free."""
        return self.nearest(points)[0]

    def nearest(self, points: Floats) -> tuple[Floats, Ints]:
        """Signed distances (N,) of points (N, 2), and the index (N,) of the nearest edge.

        Nearest to a corner, a point is free exactly when free space is reflex there.
        """
        distance, edge, part = self.nearest_edges(points, 1e9)
        ends, turns = self.segments[edge], self.turns[edge]
        along, away = ends[:, 2:] - ends[:, :2], points - ends[:, :2]
        side = along[:, 0] * away[:, 1] - along[:, 1] * away[:, 0]
        for at, turn in ((0.0, turns[:, 0]), (1.0, turns[:, 1])):
            side = np.where((part == at) & (turn != 0.0), -turn, side)
        return np.where(side > 0.0, distance, -distance), edge

    def nearest_edges(self, points: Floats, limit: float) -> tuple[Floats, Ints, Floats]:
        """Distance (N,) of points (N, 2) to the nearest edge, that edge and where on it (0 to 1).

        Edges farther than `limit` metres are not looked at: the distance is then `limit`, the
        edge -1.
        """
        from footfall.world.corridor import build_kernels

        points = np.ascontiguousarray(points, dtype=np.float64)
        found = np.empty((len(points), 2))
        edges = np.empty(len(points), np.int32)
        build_kernels.nearest_edges(points, float(limit), self.grid, found, edges)
        return found[:, 0], edges, found[:, 1]

    def stretch_clearances(self, ends: Floats, reaches: Floats) -> Floats:
        """Distance (N,) of segments `ends` (N, 4) to the outlines, at most `reaches` (N,)."""
        from footfall.world.corridor import build_kernels

        out = np.empty(len(ends))
        build_kernels.stretch_clearances(
            np.ascontiguousarray(ends), np.ascontiguousarray(reaches), self.grid, out
        )
        return out

    def push_clear(self, points: Floats, radius: float) -> Floats:
        """Points (N, 2) of free space moved `radius` metres off their edges, but for the two ends.

        A point that this brings nearer to another edge than it was stays where it is.
        """
        points = np.array(points)
        moving = np.arange(1, len(points) - 1)
        places = points[moving]
        at_first = np.full(len(moving), -1.0)
        for _ in range(6):
            near, edge, part = self.nearest_edges(places, radius)
            at_first = np.where(at_first < 0.0, near, at_first)
            rest = (edge < 0) | (near >= radius - 1e-9) | (near < 1e-9)
            better = rest & (near > at_first)
            points[moving[better]] = places[better]
            go = ~rest
            if not go.any():
                return points
            moving, places, at_first, near = moving[go], places[go], at_first[go], near[go]
            ends, part = self.segments[edge[go]], part[go, None]
            foot = ends[:, :2] + part * (ends[:, 2:] - ends[:, :2])
            last, places = places, foot + (places - foot) * radius / near[:, None]
        better = near > at_first
        points[moving[better]] = last[better]
        return points

    def reach_sideways(
        self, points: Floats, normals: Floats, radius: float, farthest: float
    ) -> Floats:
        """Return (N, 2) metres that points (N, 2) may move along plus and minus their normals.

        The point keeps `radius` clear all the way, or what it has where that is less.
        """
        limit = radius + farthest
        here = np.tile(self.nearest_edges(points, limit)[0], 2)
        start, way = np.concatenate([points, points]), np.concatenate([normals, -normals])
        keep = np.minimum(radius, here)
        reach, moved = np.zeros(len(start)), np.zeros(len(start))
        active, clear = np.arange(len(start)), here
        for turn in range(40):
            done = moved >= farthest
            if turn > 0:
                done |= clear - keep[active] < 1e-4
            open_way = ~done & (clear - keep[active] >= farthest - moved)
            reach[active] = np.where(open_way, farthest, moved)
            going = ~(done | open_way)
            active, moved, clear = active[going], moved[going], clear[going]
            if not len(active):
                break
            # touching at first, the point may still get off to this side: try a little step
            moved = np.minimum(farthest, moved + np.maximum(clear - keep[active], 0.005))
            clear = self.nearest_edges(start[active] + moved[:, None] * way[active], limit)[0]
            free = clear >= keep[active]
            active, moved, clear = active[free], moved[free], clear[free]
        reach[active] = moved
        return np.asarray(reach.reshape(2, -1).T)


def free_space(bounds: Polygon, blocked: Geometry) -> MultiPolygon:
    """Return the part of `bounds` that is not `blocked`, in a canonical order."""
    import shapely

    for name, area in (("bounds", bounds), ("blocked", blocked)):
        if not isinstance(area, shapely.Geometry):
            raise InputError(f"{name} is no area", remedy="give a shapely polygon")
        if not np.isfinite(shapely.get_coordinates(area)).all():
            raise InputError(f"{name} holds a coordinate that is not finite")
        if not shapely.is_valid(area):
            raise InputError(f"{name} is not a valid area: {shapely.is_valid_reason(area)}")
    if not bounds.area > 0.0:
        raise InputError("bounds is no area", remedy="give a shapely polygon")
    if not isinstance(blocked, shapely.Polygon | shapely.MultiPolygon):
        blocked = shapely.unary_union(blocked)  # the parts of other areas may overlap
    inside = bounds if shapely.is_empty(blocked) else bounds.difference(blocked)
    parts = [p for p in shapely.get_parts(inside) if isinstance(p, shapely.Polygon) and p.area > 0]
    if not parts:
        raise InputError("the obstacles leave nothing of the bounds free")
    clean = shapely.remove_repeated_points(shapely.MultiPolygon(parts), 1e-9)
    return shapely.orient_polygons(shapely.normalize(clean))  # type: ignore[no-any-return]


def read_outlines(free: Polygon | MultiPolygon) -> Outlines:
    """Return the edges, corners and grid of the canonical free space."""
    import shapely

    rings = shapely.get_rings(shapely.get_parts(free))
    points, number = shapely.get_coordinates(rings, return_index=True)
    last = np.append(number[1:] != number[:-1], True)
    points, number = points[~last], number[~last]  # the last point of a ring is its first
    if len(points) > MOST_EDGES:
        raise InputError(f"the outlines have over {MOST_EDGES} edges", remedy="simplify the scene")
    index = np.arange(len(points))
    first = np.searchsorted(number, number)
    count = np.bincount(number)[number]
    after, prior = first + (index - first + 1) % count, first + (index - first - 1) % count
    along = points[after] - points
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    before = along[prior]
    cross = before[:, 0] * along[:, 1] - before[:, 1] * along[:, 0]
    ahead = (before * along).sum(axis=1)
    sign = np.where((np.abs(cross) < 1e-12) & (ahead > 0), 0.0, np.sign(cross))
    juts = np.flatnonzero((cross < -1e-6) | ((ahead < 0) & (cross <= 0)))
    a, b = along[juts], before[juts]
    tips = np.stack([*points[juts].T, -a[:, 1], a[:, 0], -b[:, 1], b[:, 0]], axis=1)
    own = np.stack([juts, prior[juts]], axis=1).astype(np.int32)
    segments = np.ascontiguousarray(np.hstack([points, points[after]]))
    turns = np.stack([sign, sign[after]], axis=1)
    return Outlines(_grid(segments), turns, number.astype(np.int32), tips, own)


def _grid(segments: Floats) -> Grid:
    """Return a grid with about as many cells as it has metres or edges."""
    low = np.minimum(segments[:, :2].min(axis=0), segments[:, 2:].min(axis=0))
    high = np.maximum(segments[:, :2].max(axis=0), segments[:, 2:].max(axis=0))
    size = np.maximum(high - low, 1e-6)
    cell = max(0.5 * float(np.sqrt(size.prod() / len(segments))), float(size.max()) / 1000.0)
    columns, rows = (int(n) for n in np.floor(size / cell).astype(np.int32) + 1)
    a, b = (segments[:, :2] - low) / cell, (segments[:, 2:] - low) / cell
    edge, row = _ranges(a[:, 1], b[:, 1], rows)
    a, b = a[edge], b[edge]
    rise = np.where(np.abs(b[:, 1] - a[:, 1]) > 1e-12, b[:, 1] - a[:, 1], np.nan)
    # the part of the edge within this row; all of a level edge
    t = np.sort(np.stack([row - a[:, 1], row + 1 - a[:, 1]]) / rise, axis=0)
    t = np.where(np.isnan(t), [[0.0], [1.0]], np.clip(t, 0.0, 1.0))
    x0, x1 = a[:, 0] + t * (b[:, 0] - a[:, 0])
    part, column = _ranges(x0, x1, columns)
    cells = row[part] * columns + column
    items = edge[part][np.argsort(cells, kind="stable")].astype(np.int32)
    starts = np.zeros(columns * rows + 1, np.int32)
    np.cumsum(np.bincount(cells, minlength=columns * rows), out=starts[1:])
    frame, shape = np.array([low[0], low[1], cell]), np.array([columns, rows], np.int32)
    return Grid(segments, frame, shape, starts, items)


def _ranges(a: Floats, b: Floats, count: int) -> tuple[Any, Any]:
    """Return every cell (M,) between a (N,) and b (N,), within the grid, and its n."""
    first = np.maximum(0, np.floor(np.minimum(a, b) - 1e-9)).astype(np.int64)
    last = np.minimum(count - 1, np.floor(np.maximum(a, b) + 1e-9)).astype(np.int64)
    many = np.maximum(last - first + 1, 0)
    of = np.repeat(np.arange(len(many)), many)
    cell = np.arange(len(of)) - np.repeat(np.cumsum(many) - many - first, many)
    return of, cell
