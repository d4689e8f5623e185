"""From free space to what the corridor map asks: outlines in a grid, and corners."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from footfall.errors import InputError
from footfall.maths.arrays import Floats, Ints

if TYPE_CHECKING:
    from shapely import Geometry, MultiPolygon, Polygon

MOST_EDGES = 400_000
"""Outline edges that a map accepts, so that time and memory stay bounded."""


@dataclass(frozen=True, eq=False)
class Outlines:
    """The edges of free space, free on their left, in a grid; and the corners a body turns about.

    segments (S, 4): x0, z0, x1, z1 in metres. turns (S, 2): sign of the turn at the start and
    the end of each edge, -1 where an obstacle juts out. frame (3,), shape (2,), starts, items:
    the grid. corners (V, 6): x, z and the normals that bound its cone; own (V, 2): its two edges.
    rings (S,): which closed outline each edge belongs to, its edges one after the other.
    """

    segments: Floats
    turns: Floats
    rings: Ints
    frame: Floats
    shape: Ints
    starts: Ints
    items: Ints
    corners: Floats
    own: Ints

    @property
    def grid(self) -> tuple[Floats, Floats, Ints, Ints, Ints]:
        """What every kernel takes last."""
        return self.segments, self.frame, self.shape, self.starts, self.items

    def clearances(self, points: Floats) -> Floats:
        """Signed distance (N,) in metres of points (N, 2) to the outlines, negative if not free."""
        return self.nearest(points)[0]

    def nearest(self, points: Floats) -> tuple[Floats, Ints]:
        """Signed distances (N,) of points (N, 2), and the index (N,) of the nearest edge."""
        from footfall.world.corridor import build_kernels

        points = np.ascontiguousarray(points, dtype=np.float64)
        out, edges = np.empty(len(points)), np.empty(len(points), np.int32)
        build_kernels.clearances(
            points, self.segments, self.turns, self.frame, self.shape, self.starts, self.items,
            out, edges,
        )  # fmt: skip
        return out, edges

    def stretch_clearances(self, ends: Floats, reaches: Floats) -> Floats:
        """Distance (N,) of segments `ends` (N, 4) to the outlines, at most `reaches` (N,)."""
        from footfall.world.corridor import build_kernels

        out = np.empty(len(ends))
        build_kernels.stretch_clearances(
            np.ascontiguousarray(ends), np.ascontiguousarray(reaches), *self.grid, out
        )
        return out


def free_space(bounds: Polygon, blocked: Geometry) -> MultiPolygon:
    """The part of `bounds` that is not `blocked`, in one canonical order of rings and points."""
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
    """The edges, corners and grid of the canonical free space."""
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
    return Outlines(segments, turns, number.astype(np.int32), *_grid(segments), tips, own)


def _grid(segments: Floats) -> tuple[Floats, Ints, Ints, Ints]:
    """A grid with about as many cells as there are metres or edges to hold, in few arrays."""
    from footfall.world.corridor import build_kernels

    low = np.minimum(segments[:, :2].min(axis=0), segments[:, 2:].min(axis=0))
    high = np.maximum(segments[:, :2].max(axis=0), segments[:, 2:].max(axis=0))
    size = np.maximum(high - low, 1e-6)
    cell = max(0.5 * float(np.sqrt(size.prod() / len(segments))), float(size.max()) / 1000.0)
    shape = (np.floor(size / cell).astype(np.int32) + 1).astype(np.int32)
    frame = np.array([low[0], low[1], cell])
    counts = np.zeros(int(shape.prod()) + 1, np.int32)
    none = np.empty(0, np.int32)
    build_kernels.grid_counts(segments, frame, shape, counts, none, False)
    starts = np.concatenate([[0], np.cumsum(counts[:-1])]).astype(np.int32)
    items = np.empty(int(starts[-1]), np.int32)
    build_kernels.grid_counts(segments, frame, shape, starts.copy(), items, True)
    return frame, shape, starts, items
