"""Compiled questions about what there is to stand on. Import lazily: it brings in numba.

Every kernel takes a `World` of `snapshot`, whose parts are named there.
"""

from __future__ import annotations

import math

from footfall.maths.jit_kernels import inner_kernel, lean_kernel
from footfall.world.collision.shape_kernels import BOX, CYLINDER, HIGH, KIND, LOW, WALKABLE, C, F, H

FLAT, GRID, NONE = 0, 1, 3
OUTLINE, HOLE, SEA = 0, 1, 2


@inner_kernel
def field_slope(ground, heights, x, z):  # type: ignore[no-untyped-def]
    """Return height and slopes dy/dx, dy/dz of a height field; NaN where there is no ground."""
    if ground.kind == FLAT:
        return (ground.level if math.isfinite(x + z) else math.nan), 0.0, 0.0
    u, v = x - ground.x, z - ground.z
    if ground.kind == NONE or not (
        u >= 0.0 and v >= 0.0 and u <= ground.width and v <= ground.depth
    ):
        return math.nan, math.nan, math.nan
    nx, nz = ground.columns, ground.rows
    u, v = u * ground.per_x, v * ground.per_z
    i, j = min(int(u), nx - 1), min(int(v), nz - 1)
    s, r = u - i, v - j
    if ground.kind == GRID:
        k = j * (nx + 1) + i
        a, b, c, d = heights[k], heights[k + 1], heights[k + nx + 1], heights[k + nx + 2]
        value = (a + s * (b - a)) * (1.0 - r) + (c + s * (d - c)) * r
        gx, gz = (b - a) * (1.0 - r) + (d - c) * r, c - a + s * (d - c - b + a)
        return value, gx * ground.per_x, gz * ground.per_z
    # Bicubic patches by Horner's rule: sum c[k + 4 p + q] s^p r^q, of a NURBS first the weights.
    value, gx, gz, w, wx, wz = 0.0, 0.0, 0.0, 1.0, 0.0, 0.0
    for part in range(0 if ground.weights >= 0 else 1, 2):
        k = 16 * (j * nx + i) + (ground.weights if part == 0 else 0)
        value = gx = gz = 0.0
        for p in range(3, -1, -1):
            q = k + 4 * p
            c0, c1, c2, c3 = heights[q], heights[q + 1], heights[q + 2], heights[q + 3]
            gx = value + s * gx
            value = c0 + r * (c1 + r * (c2 + r * c3)) + s * value
            gz = c1 + r * (2.0 * c2 + 3.0 * r * c3) + s * gz
        if part == 0:
            w, wx, wz = value, gx, gz
    value /= w
    gx, gz = (gx - value * wx) / w, (gz - value * wz) / w
    return value, gx * ground.per_x, gz * ground.per_z


@lean_kernel
def field_slopes(ground, heights, at, out):  # type: ignore[no-untyped-def]
    """Fill height and both slopes (N, 3) of a height field at points (N, 2)."""
    for n in range(at.shape[0]):
        out[n, 0], out[n, 1], out[n, 2] = field_slope(ground, heights, at[n, 0], at[n, 1])


@inner_kernel
def is_within(world, water, x, z, height):  # type: ignore[no-untyped-def]
    """Return whether (x, z) is on the floor, or, for `water`, a surface there lies under water.

    The floor is what is inside the outline, the first ring, and in no hole.
    """
    points, rings = world.points, world.rings
    for k in range(len(rings)):
        ring = rings[k]
        if water != (ring.kind == SEA) or (water and not height < ring.level):
            continue
        inside = ring.first == ring.stop  # water without corners is everywhere
        if ring.low_x <= x <= ring.high_x and ring.low_z <= z <= ring.high_z:
            j = ring.stop - 1
            for i in range(ring.first, ring.stop):
                xi, zi, xj, zj = points[i, 0], points[i, 1], points[j, 0], points[j, 1]
                if (zi > z) != (zj > z) and x < (xj - xi) * (z - zi) / (zj - zi) + xi:
                    inside = not inside
                j = i
        if water and inside:
            return True
        if not water and inside != (k == 0):
            return False
    return not water


@inner_kernel
def primitive_top(t, b, x, z):  # type: ignore[no-untyped-def]
    """Return the top of primitive b at (x, z): height (NaN for none) and unit normal."""
    if x < t[b, LOW] or x > t[b, HIGH] or z < t[b, LOW + 2] or z > t[b, HIGH + 2]:
        return math.nan, 0.0, 1.0, 0.0
    if t[b, KIND] == CYLINDER:
        dx, dz = x - t[b, C], z - t[b, C + 2]
        if dx * dx + dz * dz > t[b, H] * t[b, H]:
            return math.nan, 0.0, 1.0, 0.0
        return t[b, HIGH + 1], 0.0, 1.0, 0.0
    if t[b, KIND] == BOX:
        # Slabs along each box axis: |o_i + y d_i| <= half_i for the line (x, y, z).
        near, far, f, sign = -math.inf, math.inf, F, 1.0
        for i in range(3):
            o = t[b, F + i] * (x - t[b, C]) - t[b, F + 3 + i] * t[b, C + 1]
            o += t[b, F + 6 + i] * (z - t[b, C + 2])
            d, h = t[b, F + 3 + i], t[b, H + i]
            if abs(d) < 1e-12:
                if abs(o) > h:
                    return math.nan, 0.0, 1.0, 0.0
                continue
            p, q = (-h - o) / d, (h - o) / d
            near = max(near, min(p, q))
            if max(p, q) < far:
                far, f, sign = max(p, q), F + i, 1.0 if d > 0.0 else -1.0
        if near > far:
            return math.nan, 0.0, 1.0, 0.0
        return far, sign * t[b, f], sign * t[b, f + 3], sign * t[b, f + 6]
    ax, ay, az = t[b, F], t[b, F + 1], t[b, F + 2]
    ux, uy, uz = t[b, F + 3] - ax, t[b, F + 4] - ay, t[b, F + 5] - az
    vx, vy, vz = t[b, F + 6] - ax, t[b, F + 7] - ay, t[b, F + 8] - az
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    if ny == 0.0:
        return math.nan, 0.0, 1.0, 0.0
    px, pz = x - ax, z - az
    # Barycentric coordinates in the ground plane; ny is twice the signed area there.
    s, r = (pz * vx - px * vz) / ny, (px * uz - pz * ux) / ny
    if s < -1e-12 or r < -1e-12 or s + r > 1.0 + 1e-12:
        return math.nan, 0.0, 1.0, 0.0
    k = math.copysign(1.0 / math.sqrt(nx * nx + ny * ny + nz * nz), ny)
    return ay + s * uy + r * vy, nx * k, ny * k, nz * k


@inner_kernel
def cell_span(grid, cells, x, z):  # type: ignore[no-untyped-def]
    """Return from where to where `cells` lists what is at (x, z); 0, 0 for nothing."""
    u, v = (x - grid.x) / grid.side, (z - grid.z) / grid.side
    if not (u >= 0.0 and v >= 0.0 and u < grid.columns and v < grid.rows):
        return 0, 0
    cell = grid.starts + int(v) * grid.columns + int(u)
    return cells[cell], cells[cell + 1]


@inner_kernel
def surface(world, x, z, below):  # type: ignore[no-untyped-def]
    """Return the highest surface to stand on at (x, z), not above `below`.

    Gives height (NaN for none), unit normal, and the primitive (-1 for the ground itself).
    """
    table, cells, grid = world.table, world.cells, world.grids[0]
    best, gx, gz = field_slope(world.ground, world.heights, x, z)
    k = 1.0 / math.sqrt(1.0 + gx * gx + gz * gz)
    mx, my, mz = -gx * k, k, -gz * k
    found = -1
    if not (best <= below and is_within(world, False, x, z, 0.0)):
        best = math.nan
    first, last = cell_span(grid, cells, x, z)
    for n in range(first, last + len(table) - grid.moving):
        b = cells[n] if n < last else grid.moving + n - last
        if table[b, WALKABLE] != 0.0:
            y, nx, ny, nz = primitive_top(table, b, x, z)
            if y <= below and not y < best:
                best, found, mx, my, mz = y, b, nx, ny, nz
    return best, mx, my, mz, found


@lean_kernel
def surface_heights(world, at, below, heights, normals, found):  # type: ignore[no-untyped-def]
    """Fill heights (N,), normals (N, 3) and supporting primitives (N,) at points (N, 2).

    `below` is (N,) or (1,); normals and found may be empty.
    """
    for n in range(at.shape[0]):
        limit = below[n] if below.shape[0] > 1 else below[0]
        y, a, b, c, which = surface(world, at[n, 0], at[n, 1], limit)
        heights[n] = y
        if normals.shape[0]:
            if y != y:
                a = b = c = math.nan
            normals[n, 0], normals[n, 1], normals[n, 2] = a, b, c
        if found.shape[0]:
            found[n] = which
