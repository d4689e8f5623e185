"""The floor that a walking body can use, as polygons.

A map in the plane shows one storey: where surfaces lie above one another, the highest counts.
Raised tops (platforms, stairs, stones) are floor; the *edges* where one would have to climb or
drop more than a step are what blocks there.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.maths.arrays import Bools, Floats, Ints
from footfall.maths.runs import runs
from footfall.world.ground import GRID, PATCHES
from footfall.world.obstacles import BOX, CYLINDER, TRIANGLE, Solids

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
    raised = solids.walkable & (solids.owner >= 0)
    tops = union_all([s for s, w in zip(shapes, raised, strict=True) if w])
    bare: list[BaseGeometry] = [Polygon(h.polygon) for h in scene.holes]
    bare += _wet_floor(scene) + _steep_floor(scene, max_slope)
    if scene.ground.kind in (GRID, PATCHES):
        (x, z), (w, d) = scene.ground.origin, scene.ground.size
        bare.append(scene.bounds.difference(box(x, z, x + w, z + d)))
    blocked = [union_all(bare).difference(tops)] if bare else []
    low_water = [s for s, sunk in zip(shapes, _sunk(scene, solids), strict=True) if sunk]
    blocked += low_water
    blocked += _outlines(scene, solids, shapes, body_height, step_height, duck_height, time)
    blocked += _edges(scene, solids, shapes, step_height, time)
    if len(scene.ground.triangles):
        blocked.append(_mesh_floor(scene, step_height, max_slope, time))
    return union_all(blocked).intersection(scene.bounds)


def footprints(solids: Solids) -> list[BaseGeometry]:
    """Return the outline of every primitive seen from above. Circles are drawn from outside."""
    from shapely import area, linestrings, polygons
    from shapely.geometry import MultiPoint, Point

    corners = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)], dtype=float)
    grow = 1.0 / np.cos(np.pi / (4 * _ARC_SEGMENTS))
    shapes = np.empty(len(solids), dtype=object)
    faces = solids.kind == TRIANGLE
    flat: Any = solids.frame[faces][:, :, [0, 2]]
    drawn: Any = polygons(flat) if len(flat) else np.empty(0, dtype=object)
    thin = area(drawn) < 1e-9
    drawn[thin] = linestrings(flat[thin])
    shapes[faces] = drawn
    level = (solids.kind == BOX) & (solids.frame[:, 1, 1] > 1.0 - 1e-12)
    flat_corners = corners[[0, 1, 5, 4]] * solids.half[level][:, None]
    around = np.einsum("bij,bnj->bni", solids.frame[level], flat_corners)
    around += solids.centre[level][:, None]
    shapes[level] = polygons(around[:, :, [0, 2]]) if level.any() else []
    for b in np.flatnonzero(~faces & ~level):
        centre, frame, half = solids.centre[b], solids.frame[b], solids.half[b]
        if solids.kind[b] == CYLINDER:
            middle = Point(centre[0], centre[2])
            shapes[b] = middle.buffer(half[0] * grow, quad_segs=_ARC_SEGMENTS)
        else:
            shapes[b] = MultiPoint(((corners * half) @ frame.T + centre)[:, [0, 2]]).convex_hull
    return list(shapes)


def _ring(shape: BaseGeometry) -> Any:
    from shapely.geometry import Polygon

    return shape.exterior if isinstance(shape, Polygon) else shape


def _outlines(
    scene: Scene,
    solids: Solids,
    shapes: list[BaseGeometry],
    body_height: float,
    step_height: float,
    duck_height: float | None,
    time: float | None,
) -> list[BaseGeometry]:
    """Outlines of what stands in the body's way above the floor around it."""
    ducked = [
        i
        for i, o in enumerate(scene.obstacles)
        if duck_height is not None and o.duck > 0.0 and o.duck >= duck_height
    ]
    chosen = solids.solid & ~solids.walkable & ~np.isin(solids.owner, ducked)
    single: Ints = np.flatnonzero(chosen & (solids.kind != TRIANGLE)).astype(np.int32)
    faces: Ints = np.flatnonzero(chosen & (solids.kind == TRIANGLE)).astype(np.int32)
    owners = np.unique(solids.owner[faces])
    meshes = [faces[solids.owner[faces] == owner] for owner in owners]
    groups = [np.array([b]) for b in single] + meshes
    if not groups:
        return []
    points = _around(solids, single, meshes)
    heights = scene.height(np.concatenate(points), time=time)
    cuts = np.cumsum([0, *(len(p) for p in points)])
    out = []
    for n, group in enumerate(groups):
        floor = heights[cuts[n] : cuts[n + 1]]
        floor = floor[np.isfinite(floor)]
        if len(floor) == 0:
            continue
        low, high = float(floor.min()) + step_height, float(floor.max()) + body_height
        if not (solids.low[group, 1] < high).any() or not (solids.high[group, 1] > low).any():
            continue
        if solids.kind[group[0]] == TRIANGLE:
            out += _mesh_in_band(solids.frame[group], bool(solids.closed[group].all()), low, high)
        elif solids.kind[group[0]] == BOX and solids.frame[group[0], 1, 1] < 1.0 - 1e-12:
            out += _mesh_in_band(_box_triangles(solids, int(group[0])), True, low, high)
        else:
            out.append(shapes[group[0]])
    return out


def _around(solids: Solids, single: Ints, meshes: list[Ints]) -> list[Floats]:
    """Return (N, 2) points where the floor around each primitive and each mesh is looked up."""
    share = np.linspace(-1.0, 1.0, 7)
    grid = np.array([[u, 0.0, v] for u in share for v in share])
    local = grid * solids.half[single][:, None, :]
    points = np.einsum("bij,bnj->bni", solids.frame[single], local) + solids.centre[single][:, None]
    out = list(points[:, :, [0, 2]])
    for mesh in meshes:
        some = solids.frame[mesh[:: max(1, len(mesh) // 400)]]
        out.append(some.reshape(-1, 3)[:, [0, 2]])
    return out


def _box_triangles(solids: Solids, b: int) -> Floats:
    """Return (12, 3, 3) corners of the sides of a box."""
    signs = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)], dtype=float)
    corners = (signs * solids.half[b]) @ solids.frame[b].T + solids.centre[b]
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return np.array([corners[[q[0], *pair]] for q in quads for pair in (q[1:3], q[2:4])])


def _mesh_in_band(corners: Floats, closed: bool, low: float, high: float) -> list[BaseGeometry]:
    """Return what a mesh of triangles (F, 3, 3) covers, seen from above, between two heights.

    Every point of it lies under a piece of a face in the band, or, if the mesh is closed, in
    its section at the lower height.
    """
    from shapely import make_valid, polygonize, union_all
    from shapely.geometry import LineString, MultiPoint

    bottom, top = corners[:, :, 1].min(axis=1), corners[:, :, 1].max(axis=1)
    near = (bottom <= high) & (top >= low)
    whole = near & (bottom >= low) & (top <= high)
    out: list[BaseGeometry] = _flat_triangles(corners[whole])
    for triangle in corners[near & ~whole]:
        flat = _clip_polygon(_clip_polygon(triangle, low, 1.0), high, -1.0)
        if len(flat):
            hull = MultiPoint(flat[:, [0, 2]]).convex_hull
            thin = hull.area < 1e-6
            out.append(hull.buffer(_EDGE_M, cap_style="square") if thin else hull)
    if closed:
        crossing = (bottom < low) & (top > low)
        cuts = [_section(triangle, low) for triangle in corners[crossing]]
        lines = union_all([LineString(c) for c in cuts if len(c) == 2])
        rings = polygonize(list(getattr(lines, "geoms", [lines])))
        out += [make_valid(ring) for ring in rings.geoms if _is_inside(ring, corners, low)]
    return out


def _flat_triangles(corners: Floats) -> list[BaseGeometry]:
    """Triangles (F, 3, 3) seen from above; upright ones become thin strips."""
    from shapely import area, buffer, linestrings, polygons

    if len(corners) == 0:
        return []
    flat = corners[:, :, [0, 2]]
    shapes: Any = polygons(flat)
    thin: Any = area(shapes) < 1e-6
    strips: Any = buffer(linestrings(flat[thin]), _EDGE_M, cap_style="square", quad_segs=1)
    return [*shapes[~thin], *strips]


def _clip_polygon(polygon: Floats, level: float, side: float) -> Floats:
    """Return the part of a polygon (N, 3) above (side 1) or below (side -1) a height."""
    out = []
    for p, q in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        a, b = side * (p[1] - level), side * (q[1] - level)
        if a >= 0.0:
            out.append(p)
        if (a < 0.0) != (b < 0.0):
            out.append(p + (q - p) * (a / (a - b)))
    return np.array(out).reshape(-1, 3)


def _section(triangle: Floats, level: float) -> list[tuple[float, float]]:
    """Return where a triangle (3, 3) is cut by a height: two points (x, z)."""
    out = []
    for k in range(3):
        p, q = triangle[k], triangle[(k + 1) % 3]
        if (p[1] < level) != (q[1] < level):
            # The same edge must give the same point from either of its triangles.
            p, q = (p, q) if tuple(p) < tuple(q) else (q, p)
            w = (level - p[1]) / (q[1] - p[1])
            at = p + w * (q - p)
            out.append((round(float(at[0]), 9), round(float(at[2]), 9)))
    return out


def _crosses(p: Floats, q: Floats, at: Any) -> Bools:
    """Return (F,) whether the ray from a point along +X crosses edges pq (F, 3) in plan."""
    swap = (p[:, 2] > q[:, 2])[:, None]
    p, q = np.where(swap, q, p), np.where(swap, p, q)
    spans = (p[:, 2] > at.y) != (q[:, 2] > at.y)
    rise = np.where(spans, q[:, 2] - p[:, 2], 1.0)
    out: Bools = spans & (at.x < p[:, 0] + (q[:, 0] - p[:, 0]) * ((at.y - p[:, 2]) / rise))
    return out


def _is_inside(ring: BaseGeometry, corners: Floats, level: float) -> bool:
    """Return whether an area of a section is inside the closed mesh, by face parity."""
    at = ring.representative_point()
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    ux, uz, vx, vz = b[:, 0] - a[:, 0], b[:, 2] - a[:, 2], c[:, 0] - a[:, 0], c[:, 2] - a[:, 2]
    area = uz * vx - ux * vz
    good = np.abs(area) > 1e-15
    safe = np.where(good, area, 1.0)
    px, pz = at.x - a[:, 0], at.y - a[:, 2]
    s, r = (pz * vx - px * vz) / safe, (px * uz - pz * ux) / safe
    # Half-open crossings, so that an edge between two faces counts for one of them.
    over = _crosses(a, b, at) ^ _crosses(b, c, at) ^ _crosses(c, a, at)
    height = a[:, 1] + s * (b[:, 1] - a[:, 1]) + r * (c[:, 1] - a[:, 1])
    return bool((good & over & (height > level)).sum() % 2)


def _edges(
    scene: Scene, solids: Solids, shapes: list[BaseGeometry], step_height: float, time: float | None
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
    """Return (B,) whether a walkable top lies under water."""
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
    """Return the area where `values` (nz, nx) are positive, by marching squares."""
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
    """Return cells of a mesh ground without floor, too steep, or beside too high a step."""
    from shapely import union_all
    from shapely.geometry import box

    x, z = _raster(scene)
    points = _mesh_points(x, z)
    heights, normals, _ = scene.surfaces(points, time=time)
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
        for a, b in runs(bad[j]):
            cells.append(box(x[a] - dx, z[j] - dz, x[b - 1] + dx, z[j] + dz))
    return union_all(cells)
