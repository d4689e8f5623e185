"""Compiled questions about what there is to stand on. Import lazily: it brings in numba.

Every kernel takes a *world*: the tuple (ground, solids, cells, moving_from, areas) that
`footfall.world.snapshot` packs.

* ground  see `ground_kernels`
* solids  (kind, centre, frame, half, low, high, walkable, solid, closed, owner)
* cells   (x0, z0, side, nx, nz, starts, items) over the primitives that stand still
* moving_from  primitives from this index on move; they are few and looked at one by one
* areas   (bounds, hole_points, hole_starts, water_points, water_starts, water_levels)
"""

from __future__ import annotations

import math

import numba

from footfall.world.ground_kernels import field_slope

_jit = numba.njit(cache=True, nogil=True, error_model="numpy")
BOX, CYLINDER, TRIANGLE = 0, 1, 2


@_jit
def in_polygon(points, first, last, x, z):  # type: ignore[no-untyped-def]
    """Even-odd test of (x, z) against the closed polygon points[first:last]."""
    inside = False
    j = last - 1
    for i in range(first, last):
        xi, zi, xj, zj = points[i, 0], points[i, 1], points[j, 0], points[j, 1]
        if (zi > z) != (zj > z) and x < (xj - xi) * (z - zi) / (zj - zi) + xi:
            inside = not inside
        j = i
    return inside


@_jit
def in_any_polygon(points, starts, x, z):  # type: ignore[no-untyped-def]
    """Whether (x, z) lies in one of the polygons."""
    for k in range(starts.shape[0] - 1):
        if in_polygon(points, starts[k], starts[k + 1], x, z):
            return True
    return False


@_jit
def box_top(centre, frame, half, x, z):  # type: ignore[no-untyped-def]
    """Where the vertical line through (x, z) leaves an oriented box: height and normal.

    The height is NaN where the line misses the box.
    """
    # Slabs along each box axis: |o_i + t d_i| <= half_i for the line (x, t, z).
    near, far = -math.inf, math.inf
    axis, sign = 0, 1.0
    for i in range(3):
        o = frame[0, i] * (x - centre[0]) - frame[1, i] * centre[1] + frame[2, i] * (z - centre[2])
        d = frame[1, i]
        if abs(d) < 1e-12:
            if abs(o) > half[i]:
                return math.nan, 0.0, 1.0, 0.0
            continue
        a, b = (-half[i] - o) / d, (half[i] - o) / d
        if a > b:
            a, b = b, a
        near = max(near, a)
        if b < far:
            far, axis, sign = b, i, 1.0 if d > 0.0 else -1.0
    if near > far:
        return math.nan, 0.0, 1.0, 0.0
    return far, sign * frame[0, axis], sign * frame[1, axis], sign * frame[2, axis]


@_jit
def triangle_top(corners, x, z):  # type: ignore[no-untyped-def]
    """Height and upward unit normal of a triangle at (x, z); NaN where it is not over (x, z)."""
    ax, ay, az = corners[0, 0], corners[0, 1], corners[0, 2]
    ux, uy, uz = corners[1, 0] - ax, corners[1, 1] - ay, corners[1, 2] - az
    vx, vy, vz = corners[2, 0] - ax, corners[2, 1] - ay, corners[2, 2] - az
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    if ny == 0.0:
        return math.nan, 0.0, 1.0, 0.0
    px, pz = x - ax, z - az
    # Barycentric coordinates in the ground plane; ny is twice the signed area there.
    s = (pz * vx - px * vz) / ny
    t = (px * uz - pz * ux) / ny
    slack = -1e-12
    if s < slack or t < slack or s + t > 1.0 - slack:
        return math.nan, 0.0, 1.0, 0.0
    k = math.copysign(1.0 / math.sqrt(nx * nx + ny * ny + nz * nz), ny)
    return ay + s * uy + t * vy, nx * k, ny * k, nz * k


@_jit
def primitive_top(solids, b, x, z):  # type: ignore[no-untyped-def]
    """Top of primitive b at (x, z): height (NaN where it is not there) and unit normal."""
    kind, centre, frame, half, low, high = (
        solids[0],
        solids[1],
        solids[2],
        solids[3],
        solids[4],
        solids[5],
    )
    if x < low[b, 0] or x > high[b, 0] or z < low[b, 2] or z > high[b, 2]:
        return math.nan, 0.0, 1.0, 0.0
    if kind[b] == CYLINDER:
        dx, dz = x - centre[b, 0], z - centre[b, 2]
        if dx * dx + dz * dz > half[b, 0] * half[b, 0]:
            return math.nan, 0.0, 1.0, 0.0
        return high[b, 1], 0.0, 1.0, 0.0
    if kind[b] == BOX:
        return box_top(centre[b], frame[b], half[b], x, z)
    return triangle_top(frame[b], x, z)


@_jit
def cell_of(cells, x, z):  # type: ignore[no-untyped-def]
    """Index of the cell that holds (x, z), or -1."""
    x0, z0, side, nx, nz = cells[0], cells[1], cells[2], cells[3], cells[4]
    if nx == 0 or not (x >= x0 and z >= z0):
        return -1
    i, j = int((x - x0) / side), int((z - z0) / side)
    return j * nx + i if i < nx and j < nz else -1


@_jit
def bare_surface(world, x, z):  # type: ignore[no-untyped-def]
    """The ground without what stands on it: height, slopes; NaN outside and in holes."""
    ground, areas = world[0], world[4]
    height, gx, gz = field_slope(ground, x, z)
    bounds = areas[0]
    if height == height and (
        (bounds.shape[0] and not in_polygon(bounds, 0, bounds.shape[0], x, z))
        or in_any_polygon(areas[1], areas[2], x, z)
    ):
        height = math.nan
    return height, gx, gz


@_jit
def surface(world, x, z, below):  # type: ignore[no-untyped-def]
    """The highest surface to stand on at (x, z), not above `below`.

    Gives height (NaN for none), unit normal, and the primitive (-1 for the ground itself).
    """
    solids, cells, moving_from = world[1], world[2], world[3]
    best, gx, gz = bare_surface(world, x, z)
    k = 1.0 / math.sqrt(1.0 + gx * gx + gz * gz)
    mx, my, mz = -gx * k, k, -gz * k
    found = -1
    if not best <= below:
        best = math.nan
    walkable, starts, items = solids[6], cells[5], cells[6]
    cell = cell_of(cells, x, z)
    first, last = 0, 0
    if cell >= 0:
        first, last = starts[cell], starts[cell + 1]
    extra = walkable.shape[0] - moving_from
    for n in range(first, last + extra):
        b = items[n] if n < last else moving_from + n - last
        if walkable[b]:
            y, nx, ny, nz = primitive_top(solids, b, x, z)
            if y <= below and not y < best:
                best, found, mx, my, mz = y, b, nx, ny, nz
    return best, mx, my, mz, found


@_jit
def is_wet(areas, x, z, height):  # type: ignore[no-untyped-def]
    """Whether a surface at (x, z) and `height` lies under water."""
    points, starts, levels = areas[3], areas[4], areas[5]
    for k in range(levels.shape[0]):
        if height < levels[k] and (
            starts[k] == starts[k + 1] or in_polygon(points, starts[k], starts[k + 1], x, z)
        ):
            return True
    return False


@_jit
def surface_heights(world, points, below, heights, normals, found):  # type: ignore[no-untyped-def]
    """Fill heights (N,), normals (N, 3) and supporting primitives (N,) at points (N, 2).

    `below` is (N,) or (1,); normals and found may be empty.
    """
    for n in range(points.shape[0]):
        limit = below[n] if below.shape[0] > 1 else below[0]
        y, a, b, c, which = surface(world, points[n, 0], points[n, 1], limit)
        heights[n] = y
        if normals.shape[0]:
            if y != y:
                a = b = c = math.nan
            normals[n, 0], normals[n, 1], normals[n, 2] = a, b, c
        if found.shape[0]:
            found[n] = which


@_jit
def wet_points(world, points, heights, out):  # type: ignore[no-untyped-def]
    """Fill whether each point (N, 2) at its height (N,) lies under water."""
    for n in range(points.shape[0]):
        out[n] = is_wet(world[4], points[n, 0], points[n, 1], heights[n])
