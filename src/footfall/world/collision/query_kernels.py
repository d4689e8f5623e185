"""Compiled searches over the broad phase. Import lazily: it brings in numba.

`world` is a `World` of `snapshot`, `work` a `WORK` record. The *probe* of a search is six numbers:

* BAND     x, low, z, ., high, .     a point on the floor; obstacles between the heights count
* POINT    x, y, z                   a point in space
* CAPSULE  ax, ay, az, bx, by, bz    a segment
"""

from __future__ import annotations

import math

from footfall.maths.jit_kernels import inner_kernel, lean_kernel
from footfall.world.collision.shape_kernels import (
    BOX,
    CLOSED,
    HIGH,
    KIND,
    LOW,
    OWNER,
    SOLID,
    TRIANGLE,
    UPRIGHT,
    C,
    F,
    H,
    plane_distance,
    segment_distance,
    slab_distance,
    triangle_distance,
)
from footfall.world.surface_kernels import cell_span

BAND, POINT, CAPSULE = 0, 1, 2
ALL = -2


@inner_kernel
def _distance(t, b, mode, work):  # type: ignore[no-untyped-def]
    """Return the distance of the probe from primitive b; signed but for triangles and capsules."""
    if mode == CAPSULE:
        return segment_distance(t, b, work)
    kind, s = t[b, KIND], work.probe
    x, y, z = s[0], s[1], s[2]
    if mode == BAND:  # in the plane, from what it has between two heights
        if t[b, UPRIGHT] != 0.0:
            return plane_distance(t, b, x, z)
        return slab_distance(t, b, s[1], s[4], x, z, work)
    if kind == TRIANGLE:
        return triangle_distance(t, b, x, y, z)
    dx, dy, dz = x - t[b, C], y - t[b, C + 1], z - t[b, C + 2]
    outside, deepest = 0.0, -math.inf
    for i in range(3 if kind == BOX else 2):
        if kind == BOX:
            e = abs(dx * t[b, F + i] + dy * t[b, F + 3 + i] + dz * t[b, F + 6 + i])
        else:  # an upright cylinder
            e = math.hypot(dx, dz) if i == 0 else abs(dy)
        e -= t[b, H + i]
        deepest = max(deepest, e)
        outside += max(e, 0.0) ** 2
    return math.sqrt(outside) if deepest > 0.0 else deepest


@inner_kernel
def _nearest(world, mode, reach, owner, work):  # type: ignore[no-untyped-def]
    """Return distance to and index of the nearest solid primitive within `reach`; -1 for none.

    owner  only primitives of this obstacle, or ALL
    The rings of cells around the probe are looked at from the inside out, until nothing nearer
    than the best so far can follow. Moving primitives come first, as if in ring -1.
    """
    best, which = reach, -1
    table, cells, grid, s = world.table, world.cells, world.grids[1], work.probe
    x0, z0, side, nx, nz = grid.x, grid.z, grid.side, grid.columns, grid.rows
    starts = grid.starts
    xa, xb, ya, yb, za, zb = s[0], s[0], s[1], s[1], s[2], s[2]
    if mode == CAPSULE:
        xa, xb, za, zb = min(s[0], s[3]), max(s[0], s[3]), min(s[2], s[5]), max(s[2], s[5])
        ya, yb = min(s[1], s[4]), max(s[1], s[4])
    elif mode == BAND:
        ya, yb = -math.inf, math.inf
    i0 = int(min(max((xa - x0) / side, 0.0), nx - 1.0))
    i1 = int(min(max((xb - x0) / side, 0.0), nx - 1.0))
    j0 = int(min(max((za - z0) / side, 0.0), nz - 1.0))
    j1 = int(min(max((zb - z0) / side, 0.0), nz - 1.0))
    out_x = max(x0 - xb, xa - (x0 + nx * side), 0.0)
    out_z = max(z0 - zb, za - (z0 + nz * side), 0.0)
    ring = -1
    while True:
        left, right, near, far = i0 - ring, i1 + ring, j0 - ring, j1 + ring
        first_row, last_row = max(near, 0), min(far, nz - 1)
        if ring < 0:
            first_row, last_row = 0, 0
        for j in range(first_row, last_row + 1):
            # The nearest and furthest row of a ring is one run of cells, the others two cells.
            whole = ring <= 0 or j - near == 0 or j == far
            for run in range(1 if whole else 2):
                if ring < 0:
                    start, stop = grid.moving, len(table)
                elif whole:
                    row = starts + j * nx
                    start, stop = cells[row + max(left, 0)], cells[row + min(right, nx - 1) + 1]
                elif run == 0 and left >= 0:
                    row = starts + j * nx + left
                    start, stop = cells[row], cells[row + 1]
                elif run == 1 and right < nx:
                    row = starts + j * nx + right
                    start, stop = cells[row], cells[row + 1]
                else:
                    continue
                for n in range(start, stop):
                    b = n if ring < 0 else cells[n]
                    if table[b, SOLID] == 0.0 or (owner != ALL and table[b, OWNER] != owner):
                        continue
                    if mode == BAND and (table[b, LOW + 1] > s[4] or table[b, HIGH + 1] < s[1]):
                        continue
                    # A lower bound of the distance, by the bounds of both.
                    gx = max(table[b, LOW] - xb, xa - table[b, HIGH], 0.0)
                    gy = max(table[b, LOW + 1] - yb, ya - table[b, HIGH + 1], 0.0)
                    gz = max(table[b, LOW + 2] - zb, za - table[b, HIGH + 2], 0.0)
                    gap = gx * gx + gy * gy + gz * gz
                    if gap >= best * best if best > 0.0 else gap > 0.0:
                        continue
                    d = _distance(table, b, mode, work)
                    if d < best:
                        best, which = d, b
        if ring >= 0:
            # What is left lies beyond the sides of the block seen so far, and within the cells.
            along_x = along_z = math.inf
            if left > 0:
                along_x = xa - (x0 + left * side)
            if right < nx - 1:
                along_x = min(along_x, x0 + (right + 1) * side - xb)
            if near > 0:
                along_z = za - (z0 + near * side)
            if far < nz - 1:
                along_z = min(along_z, z0 + (far + 1) * side - zb)
            along_x, along_z = max(along_x, 0.0), max(along_z, 0.0)
            beyond = min(along_x * along_x + out_z * out_z, along_z * along_z + out_x * out_x)
            if beyond >= max(best, 0.0) ** 2:
                return best, which
        if nx == 0:
            return best, which
        ring += 1


@inner_kernel
def inside_mesh(world, x, y, z):  # type: ignore[no-untyped-def]
    """Return the obstacle whose closed mesh holds a point (an odd number of faces above), or -1."""
    table, cells, grid = world.table, world.cells, world.grids[1]
    first, last = cell_span(grid, cells, x, z)
    moving = grid.moving
    count = last + len(table) - moving
    done = -1.0
    for n in range(first, count):
        b = cells[n] if n < last else moving + n - last
        who = table[b, OWNER]
        # An obstacle's primitives follow one another, so each is met as one run.
        if table[b, CLOSED] == 0.0 or who == done:
            continue
        done, odd = who, False
        for m in range(n, count):
            k = cells[m] if m < last else moving + m - last
            if table[k, CLOSED] != 0.0 and table[k, OWNER] == who:
                over, level = False, 0.0
                for e in range(3):  # does the ray along +x cross this edge, from either side?
                    p, q = F + 3 * e, F + 3 * ((e + 1) % 3)
                    px, pz, qx, qz = table[k, p], table[k, p + 2], table[k, q], table[k, q + 2]
                    if (pz > z) != (qz > z):
                        if pz > qz:
                            px, pz, qx, qz = qx, qz, px, pz
                        over ^= x < px + (qx - px) * ((z - pz) / (qz - pz))
                if over:
                    ax, ay, az = table[k, F], table[k, F + 1], table[k, F + 2]
                    ux, uz = table[k, F + 3] - ax, table[k, F + 5] - az
                    vx, vz = table[k, F + 6] - ax, table[k, F + 8] - az
                    area = uz * vx - ux * vz
                    i = ((z - az) * vx - (x - ax) * vz) / area
                    j = ((x - ax) * uz - (z - az) * ux) / area
                    level = ay + i * (table[k, F + 4] - ay) + j * (table[k, F + 7] - ay)
                    odd ^= area != 0.0 and level > y
        if odd:
            return int(who)
    return -1


@lean_kernel
def nearest_all(world, mode, probes, reaches, work, out, which):  # type: ignore[no-untyped-def]
    """Fill signed distance (N,) and obstacle (N,) of the nearest obstacle for probes (N, 6).

    reaches  (N,) or (1,) how far it is looked for
    """
    table, s = world.table, work.probe
    for n in range(probes.shape[0]):
        reach = reaches[n] if reaches.shape[0] > 1 else reaches[0]
        for i in range(6):
            s[i] = probes[n, i]
        best, owner = reach, -1
        if reach > 0.0:
            best, b = _nearest(world, mode, reach, ALL, work)
            owner = int(table[b, OWNER]) if b >= 0 else -1
        if world.grids[1].closed:
            y = 0.5 * (s[1] + s[4]) if mode == BAND else s[1]
            holder = inside_mesh(world, s[0], y, s[2])
            if holder >= 0:
                d, _ = _nearest(world, mode, math.inf, holder, work)
                if -d < best:
                    best, owner = -d, holder
        out[n], which[n] = best, owner
