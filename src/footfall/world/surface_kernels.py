"""Compiled questions about what there is to stand on. Import lazily: it brings in numba.

Every kernel takes a *world*, eleven arrays that `Scene.snapshot` packs:

* meta, data      the height field, see `ground_kernels`
* table           (B, 32) primitives, see `shape_kernels`
* lattice         (6,) x0, z0, side, columns, rows of the broad phase's cells, and the index
                  from which on primitives move: those are few and looked at one by one
* starts, items   the cells' primitives, see `broadphase`
* points, rings   (P, 2) polygon corners and (R, 8) polygons: what it is (OUTLINE, HOLE, SEA),
                  first and last corner, water level, bounds (low x, low z, high x, high z);
                  the outline comes first; water without corners is everywhere
* lattice, starts, items once more, of the cells that hold solid primitives alone
"""

from __future__ import annotations

import math

from footfall.maths.jit_kernels import lean_kernel
from footfall.world.collision.shape_kernels import BOX, CYLINDER, HIGH, KIND, LOW, WALKABLE, C, F, H
from footfall.world.ground_kernels import field_slope

OUTLINE, HOLE, SEA = 0.0, 1.0, 2.0


@lean_kernel
def in_ring(points, rings, k, x, z):  # type: ignore[no-untyped-def]
    """Even-odd test of (x, z) against polygon k."""
    if not (rings[k, 4] <= x <= rings[k, 6] and rings[k, 5] <= z <= rings[k, 7]):
        return False
    first, last = int(rings[k, 1]), int(rings[k, 2])
    inside = False
    j = last - 1
    for i in range(first, last):
        xi, zi, xj, zj = points[i, 0], points[i, 1], points[j, 0], points[j, 1]
        if (zi > z) != (zj > z) and x < (xj - xi) * (z - zi) / (zj - zi) + xi:
            inside = not inside
        j = i
    return inside


@lean_kernel
def is_floor(points, rings, x, z):  # type: ignore[no-untyped-def]
    """Whether (x, z) is inside the outline and in no hole."""
    if not in_ring(points, rings, 0, x, z):
        return False
    for k in range(1, rings.shape[0]):
        if rings[k, 0] == HOLE and in_ring(points, rings, k, x, z):
            return False
    return True


@lean_kernel
def is_wet(points, rings, x, z, height):  # type: ignore[no-untyped-def]
    """Whether a surface at (x, z) and `height` lies under water."""
    for k in range(1, rings.shape[0]):
        if (
            rings[k, 0] == SEA
            and height < rings[k, 3]
            and (rings[k, 1] == rings[k, 2] or in_ring(points, rings, k, x, z))
        ):
            return True
    return False


@lean_kernel
def primitive_top(t, b, x, z):  # type: ignore[no-untyped-def]
    """Top of primitive b at (x, z): height (NaN where it is not there) and unit normal."""
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


@lean_kernel
def cell_of(lattice, x, z):  # type: ignore[no-untyped-def]
    """Index of the cell that holds (x, z), or -1."""
    u, v = (x - lattice[0]) / lattice[2], (z - lattice[1]) / lattice[2]
    if not (u >= 0.0 and v >= 0.0 and u < lattice[3] and v < lattice[4]):
        return -1
    return int(v) * int(lattice[3]) + int(u)


@lean_kernel
def surface(meta, data, table, lattice, starts, items, points, rings, x, z, below):  # type: ignore[no-untyped-def]
    """The highest surface to stand on at (x, z), not above `below`.

    Gives height (NaN for none), unit normal, and the primitive (-1 for the ground itself).
    """
    best, gx, gz = field_slope(meta, data, x, z)
    k = 1.0 / math.sqrt(1.0 + gx * gx + gz * gz)
    mx, my, mz = -gx * k, k, -gz * k
    found = -1
    if not (best <= below and is_floor(points, rings, x, z)):
        best = math.nan
    cell = cell_of(lattice, x, z)
    first, last = 0, 0
    if cell >= 0:
        first, last = starts[cell], starts[cell + 1]
    moving_from = int(lattice[5])
    for n in range(first, last + table.shape[0] - moving_from):
        b = items[n] if n < last else moving_from + n - last
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
    meta, data, table, lattice, starts, items, points, rings, _, _, _ = world
    for n in range(at.shape[0]):
        limit = below[n] if below.shape[0] > 1 else below[0]
        y, a, b, c, which = surface(
            meta, data, table, lattice, starts, items, points, rings, at[n, 0], at[n, 1], limit
        )
        heights[n] = y
        if normals.shape[0]:
            if y != y:
                a = b = c = math.nan
            normals[n, 0], normals[n, 1], normals[n, 2] = a, b, c
        if found.shape[0]:
            found[n] = which
