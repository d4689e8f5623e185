"""The floor that a walking body can use, as polygons.

A map in the plane shows one storey: where surfaces lie above one another, the highest counts.
Raised tops (platforms, stairs, stones) are floor; the *edges* where one would have to climb or
drop more than a step are what blocks there.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.maths.arrays import Bools, Floats
from footfall.world.ground import GRID, PATCHES
from footfall.world.obstacles import BOX, CYLINDER, Solids

if TYPE_CHECKING:
    from shapely.geometry.base import BaseGeometry

    from footfall.world.scene import Scene

_EDGE_M = 0.01
"""Half the width of the strip that stands for an edge too high to step over."""
_SAMPLE_M = 0.1
_MAX_RASTER = 4_000_000
_ARC_SEGMENTS = 16
"""Circle segments for each quarter of a cylinder; its outline is drawn around the circle."""


def blocked_floor(
    scene: Scene,
    body_height: float,
    step_height: float,
    max_slope: float,
    duck_height: float | None,
    time: float | None,
) -> BaseGeometry:
    """See `Scene.blocked_polygons`."""
    from shapely import union_all
    from shapely.geometry import Polygon, box

    solids = scene.snapshot(time).solids
    shapes = footprints(solids)
    tops = union_all([s for s, w in zip(shapes, solids.walkable, strict=True) if w])
    bare: list[BaseGeometry] = [Polygon(h.polygon) for h in scene.holes]
    bare += _wet_floor(scene) + _steep_floor(scene, max_slope)
    if scene.ground.kind in (GRID, PATCHES):
        (x, z), (w, d) = scene.ground.origin, scene.ground.size
        bare.append(scene.bounds.difference(box(x, z, x + w, z + d)))
    blocked = [union_all(bare).difference(tops)] if bare else []
    low_water = [s for s, sunk in zip(shapes, _sunk(scene, solids), strict=True) if sunk]
    blocked += low_water
    blocked += _standing(scene, solids, shapes, body_height, step_height, duck_height, time)
    blocked += _edges(scene, solids, shapes, step_height, time)
    if len(scene.ground.triangles):
        blocked.append(_mesh_floor(scene, step_height, max_slope, time))
    return union_all(blocked).intersection(scene.bounds)


def footprints(solids: Solids) -> list[BaseGeometry]:
    """The outline of every primitive seen from above. Circles are drawn from outside."""
    from shapely.geometry import MultiPoint, Point, Polygon

    corners = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)], dtype=float)
    grow = 1.0 / np.cos(np.pi / (4 * _ARC_SEGMENTS))
    shapes: list[BaseGeometry] = []
    for b in range(len(solids)):
        centre, frame, half = solids.centre[b], solids.frame[b], solids.half[b]
        if solids.kind[b] == CYLINDER:
            middle = Point(centre[0], centre[2])
            shapes.append(middle.buffer(half[0] * grow, quad_segs=_ARC_SEGMENTS))
        elif solids.kind[b] == BOX and frame[1, 1] > 1.0 - 1e-12:
            flat = (corners[[0, 1, 5, 4]] * half) @ frame.T + centre
            shapes.append(Polygon(flat[:, [0, 2]]))
        elif solids.kind[b] == BOX:
            shapes.append(MultiPoint(((corners * half) @ frame.T + centre)[:, [0, 2]]).convex_hull)
        else:
            shapes.append(MultiPoint(frame[:, [0, 2]]).convex_hull)
    return shapes


def _ring(shape: BaseGeometry) -> Any:
    from shapely.geometry import Polygon

    return shape.exterior if isinstance(shape, Polygon) else shape


def _outline_points(shape: BaseGeometry, spacing: float) -> Floats:
    """(N, 2) points along the outline of a convex shape, and its middle."""
    ring = _ring(shape)
    count = int(np.clip(np.ceil(ring.length / spacing), 4, 400))
    on_ring = [
        ring.interpolate(t, normalized=True) for t in np.linspace(0, 1, count, endpoint=False)
    ]
    return np.array([[p.x, p.y] for p in [*on_ring, shape.centroid]])


def _standing(
    scene: Scene,
    solids: Solids,
    shapes: list[BaseGeometry],
    body_height: float,
    step_height: float,
    duck_height: float | None,
    time: float | None,
) -> list[BaseGeometry]:
    """Outlines of what stands in the body's way above the floor around it."""
    ducked = {
        i
        for i, o in enumerate(scene.obstacles)
        if duck_height is not None and o.duck > 0.0 and o.duck >= duck_height
    }
    index = [
        b
        for b in range(len(solids))
        if solids.solid[b] and not solids.walkable[b] and int(solids.owner[b]) not in ducked
    ]
    if not index:
        return []
    points = [_outline_points(shapes[b], 0.5) for b in index]
    heights = scene.height(np.concatenate(points), time=time)
    cuts = np.cumsum([0, *(len(p) for p in points)])
    out = []
    for n, b in enumerate(index):
        floor = heights[cuts[n] : cuts[n + 1]]
        floor = floor[np.isfinite(floor)]
        if len(floor) == 0:
            continue
        begins = solids.low[b, 1] < floor.max() + body_height
        if begins and solids.high[b, 1] > floor.min() + step_height:
            out.append(shapes[b])
    return out


def _edges(
    scene: Scene,
    solids: Solids,
    shapes: list[BaseGeometry],
    step_height: float,
    time: float | None,
) -> list[BaseGeometry]:
    """Strips along the rims of raised tops, where the drop beside them is more than a step."""
    from shapely import union_all
    from shapely.geometry import LineString

    out: list[BaseGeometry] = []
    for b in np.flatnonzero(solids.walkable & (solids.owner >= 0)):
        shape = shapes[int(b)]
        if shape.geom_type != "Polygon":
            continue
        ring = _ring(shape)
        count = int(np.clip(np.ceil(ring.length / _SAMPLE_M), 8, 2000))
        at = np.array(
            [ring.interpolate(t, normalized=True).coords[0] for t in np.arange(count) / count]
        )
        after = np.roll(at, -1, axis=0)
        along = after - at
        middle = 0.5 * (at + after)
        outward = np.stack([along[:, 1], -along[:, 0]], axis=1)
        outward /= np.maximum(np.linalg.norm(outward, axis=1), 1e-12)[:, None]
        if ring.is_ccw is False:
            outward = -outward
        inside = scene.height(middle - 0.02 * outward, time=time)
        beyond = scene.height(middle + 0.02 * outward, time=time)
        high = np.abs(inside - beyond) > step_height
        lines = [LineString([p, q]) for p, q in zip(at[high], after[high], strict=True)]
        if lines:
            out.append(union_all(lines).buffer(_EDGE_M, cap_style="square"))
    return out


def _sunk(scene: Scene, solids: Solids) -> Bools:
    """(B,) whether a walkable top lies under water."""
    sunk = np.zeros(len(solids), dtype=np.bool_)
    for water in scene.waters:
        below = solids.walkable & (solids.high[:, 1] < water.level)
        if water.polygon is not None:
            from shapely import contains_xy
            from shapely.geometry import Polygon

            inside = contains_xy(Polygon(water.polygon), solids.centre[:, 0], solids.centre[:, 2])
            below &= inside
        sunk |= below
    return sunk


def _wet_floor(scene: Scene) -> list[BaseGeometry]:
    """Polygons of the bare ground that lies under water."""
    from shapely.geometry import Polygon

    out: list[BaseGeometry] = []
    for water in scene.waters:
        area: BaseGeometry = scene.bounds if water.polygon is None else Polygon(water.polygon)
        if scene.ground.kind in (GRID, PATCHES):
            x, z = _raster(scene)
            heights = scene.ground.height(_mesh_points(x, z)).reshape(len(z), len(x))
            area = _level_set(x, z, np.nan_to_num(water.level - heights, nan=1.0)).intersection(
                area
            )
        elif scene.ground.level >= water.level:
            continue
        out.append(area)
    return out


def _steep_floor(scene: Scene, max_slope: float) -> list[BaseGeometry]:
    """Polygons of bare ground steeper than `max_slope` radians."""
    if scene.ground.kind not in (GRID, PATCHES):
        return []
    x, z = _raster(scene)
    up = scene.ground.normal(_mesh_points(x, z))[:, 1].reshape(len(z), len(x))
    return [_level_set(x, z, np.nan_to_num(np.cos(max_slope) - up, nan=0.0))]


def _raster(scene: Scene) -> tuple[Floats, Floats]:
    """Sample coordinates along x and z over the outline, every 10 cm or as fine as fits."""
    x0, z0, x1, z1 = scene.bounds.bounds
    step = max(_SAMPLE_M, float(np.sqrt((x1 - x0) * (z1 - z0) / _MAX_RASTER)))
    nx, nz = max(2, int(np.ceil((x1 - x0) / step)) + 1), max(2, int(np.ceil((z1 - z0) / step)) + 1)
    return np.linspace(x0, x1, nx), np.linspace(z0, z1, nz)


def _mesh_points(x: Floats, z: Floats) -> Floats:
    return np.stack(np.meshgrid(x, z), axis=-1).reshape(-1, 2)


def _level_set(x: Floats, z: Floats, values: Floats) -> BaseGeometry:
    """The area where `values` (nz, nx) are positive, by marching squares."""
    from contourpy import FillType, contour_generator
    from shapely import union_all
    from shapely.geometry import Polygon

    # A rim of samples just outside closes shapes at the border.
    lines = contour_generator(x, z, values, fill_type=FillType.OuterOffset)
    polygons = []
    for points, offsets in zip(*lines.filled(0.0, np.inf), strict=True):
        rings = [points[a:b] for a, b in pairwise(offsets)]
        polygons.append(Polygon(rings[0], rings[1:]).buffer(0.0))
    return union_all(polygons)


def _mesh_floor(
    scene: Scene, step_height: float, max_slope: float, time: float | None
) -> BaseGeometry:
    """On a mesh ground: cells without floor, too steep, or with too high a step beside them."""
    from shapely import union_all
    from shapely.geometry import box

    x, z = _raster(scene)
    points = _mesh_points(x, z)
    heights, normals, _ = scene._surfaces(points, None, time, normals=True)
    heights = heights.reshape(len(z), len(x))
    steep = normals[:, 1].reshape(heights.shape) < np.cos(max_slope)
    bad = ~np.isfinite(heights) | steep
    for axis in (0, 1):
        jump = np.abs(np.diff(np.nan_to_num(heights), axis=axis)) > step_height
        pad = [(0, 0), (0, 0)]
        pad[axis] = (0, 1)
        bad |= np.pad(jump, pad)
    dx, dz = 0.5 * (x[1] - x[0]), 0.5 * (z[1] - z[0])
    cells = []
    for j in range(len(z)):
        edges = np.flatnonzero(np.diff(np.concatenate([[0], bad[j].astype(np.int8), [0]])))
        for a, b in edges.reshape(-1, 2):
            cells.append(box(x[a] - dx, z[j] - dz, x[b - 1] + dx, z[j] + dz))
    return union_all(cells)
