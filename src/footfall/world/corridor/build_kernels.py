"""Compiled distances to outlines held in a grid. Import this module lazily: it brings in numba.

Everywhere, `grid` is the `Grid` of `build`. Lengths are metres.
"""

from __future__ import annotations

import math

from footfall.maths.jit_kernels import lean_kernel


@lean_kernel
def nearest_edges(points, limit, grid, found, edges):  # type: ignore[no-untyped-def]
    """Find the edge nearest to each point (N, 2), within `limit`.

    `found` (N, 2) gets the distance and where on the edge (0 to 1) it is reached, `edges` (N,)
    the edge, -1 where there is none.
    """
    segments, starts, items = grid.segments, grid.starts, grid.items
    left, below, size = grid.frame[0], grid.frame[1], grid.frame[2]
    columns, rows = grid.shape[0], grid.shape[1]
    for n in range(points.shape[0]):
        x, z = points[n, 0], points[n, 1]
        ci = min(columns - 1, max(0, int((x - left) / size)))
        cj = min(rows - 1, max(0, int((z - below) / size)))
        # the free border around the point's own cell: ring k is at least k cells less this far away
        border = min(
            min(x - left - ci * size, left + (ci + 1) * size - x),
            min(z - below - cj * size, below + (cj + 1) * size - z),
        )
        best, best_edge, best_t = limit * limit, -1, 0.0
        for ring in range(max(columns, rows)):
            reach = (ring - 1) * size + border
            if ring > 0 and reach > 0.0 and reach * reach > best:
                break
            for j in range(max(0, cj - ring), min(rows - 1, cj + ring) + 1):
                step = 1 if abs(j - cj) == ring else 2 * ring
                for i in range(ci - ring, ci + ring + 1, step):
                    if i < 0 or i >= columns:
                        continue
                    cell = j * columns + i
                    for k in range(starts[cell], starts[cell + 1]):
                        s = items[k]
                        ax, az = segments[s, 0], segments[s, 1]
                        ux, uz = segments[s, 2] - ax, segments[s, 3] - az
                        t = ((x - ax) * ux + (z - az) * uz) / (ux * ux + uz * uz)
                        t = min(1.0, max(0.0, t))
                        dx, dz = x - ax - t * ux, z - az - t * uz
                        d2 = dx * dx + dz * dz
                        if d2 < best:
                            best, best_edge, best_t = d2, s, t
        found[n, 0], found[n, 1] = math.sqrt(best), best_t
        edges[n] = best_edge


@lean_kernel
def stretch_clearance(ax, az, bx, bz, grid, reach, enough):  # type: ignore[no-untyped-def]
    """Distance from the segment ab to the outlines, looked for up to `reach`.

    It looks from a towards b and stops, with what it has, as soon as that is below `enough`.
    """
    segments, starts, items = grid.segments, grid.starts, grid.items
    left, below, size = grid.frame[0], grid.frame[1], grid.frame[2]
    columns, rows = grid.shape[0], grid.shape[1]
    inverse = 1.0 / size
    j0 = max(0, math.floor((min(az, bz) - reach - below) * inverse))
    j1 = min(rows - 1, math.floor((max(az, bz) + reach - below) * inverse))
    ux, uz = bx - ax, bz - az
    uu = ux * ux + uz * uz
    # how far the sides of the band of half width `reach` lie from the segment, along x
    widen = reach * math.hypot(ux, uz) / abs(uz) if abs(uz) > 1e-9 else 1e9
    best = reach * reach
    for row in range(j1 - j0 + 1):
        j = j0 + row if bz >= az else j1 - row
        xa, xb = min(ax, bx) - reach, max(ax, bx) + reach
        if widen < 1e8:
            x0 = ax + (below + j * size - az) / uz * ux
            x1 = ax + (below + (j + 1) * size - az) / uz * ux
            xa, xb = max(xa, min(x0, x1) - widen), min(xb, max(x0, x1) + widen)
        i0 = max(0, math.floor((xa - left) * inverse))
        i1 = min(columns - 1, math.floor((xb - left) * inverse))
        for column in range(i1 - i0 + 1):
            cell = j * columns + (i0 + column if bx >= ax else i1 - column)
            for n in range(starts[cell], starts[cell + 1]):
                s = items[n]
                cx, cz, dx, dz = segments[s, 0], segments[s, 1], segments[s, 2], segments[s, 3]
                vx, vz = dx - cx, dz - cz
                c1, c2 = ux * (cz - az) - uz * (cx - ax), ux * (dz - az) - uz * (dx - ax)
                c3, c4 = vx * (az - cz) - vz * (ax - cx), vx * (bz - cz) - vz * (bx - cx)
                d2 = 1e300
                if (c1 > 0.0) != (c2 > 0.0) and (c3 > 0.0) != (c4 > 0.0):
                    d2 = 0.0
                else:  # the nearest of the four ends to the other segment
                    vv = vx * vx + vz * vz
                    for k in range(4):
                        ox, oz, wx, wz, ww = ax, az, ux, uz, uu
                        px, pz = (cx, cz) if k == 0 else (dx, dz)
                        if k > 1:
                            ox, oz, wx, wz, ww = cx, cz, vx, vz, vv
                            px, pz = (ax, az) if k == 2 else (bx, bz)
                        t = 0.0
                        if ww > 0.0:
                            t = min(1.0, max(0.0, ((px - ox) * wx + (pz - oz) * wz) / ww))
                        ex, ez = px - ox - t * wx, pz - oz - t * wz
                        d2 = min(d2, ex * ex + ez * ez)
                if d2 < best:
                    best = d2
                    if best < enough * enough:
                        return math.sqrt(best)
    return math.sqrt(best)


@lean_kernel
def stretch_clearances(ends, reaches, grid, out):  # type: ignore[no-untyped-def]
    """Distances of segments `ends` (N, 4) to the outlines, each looked for up to `reaches` (N,)."""
    for n in range(ends.shape[0]):
        out[n] = stretch_clearance(
            ends[n, 0], ends[n, 1], ends[n, 2], ends[n, 3], grid, reaches[n], 0.0
        )


@lean_kernel
def crosses(ax, az, bx, bz, grid):  # type: ignore[no-untyped-def]
    """Whether the segment ab properly crosses an outline; touching does not count."""
    segments, starts, items = grid.segments, grid.starts, grid.items
    columns, rows = grid.shape[0], grid.shape[1]
    inverse = 1.0 / grid.frame[2]
    ux, uz = bx - ax, bz - az
    tolerance = 1e-9 * (abs(ux) + abs(uz))
    x0, z0 = (ax - grid.frame[0]) * inverse, (az - grid.frame[1]) * inverse
    x1, z1 = (bx - grid.frame[0]) * inverse, (bz - grid.frame[1]) * inverse
    j, j_last = math.floor(z0), math.floor(z1)
    step = -1 if j_last < j else 1
    while True:
        if 0 <= j < rows:
            xa, xb = x0, x1
            if abs(z1 - z0) > 1e-12:
                t0 = min(1.0, max(0.0, (j - z0) / (z1 - z0)))
                t1 = min(1.0, max(0.0, (j + 1 - z0) / (z1 - z0)))
                xa, xb = x0 + t0 * (x1 - x0), x0 + t1 * (x1 - x0)
            i0 = max(0, math.floor(min(xa, xb) - 1e-9))
            i1 = min(columns - 1, math.floor(max(xa, xb) + 1e-9))
            for i in range(i0, i1 + 1):
                cell = j * columns + i
                for k in range(starts[cell], starts[cell + 1]):
                    s = items[k]
                    cx, cz, dx, dz = segments[s, 0], segments[s, 1], segments[s, 2], segments[s, 3]
                    c1 = ux * (cz - az) - uz * (cx - ax)
                    c2 = ux * (dz - az) - uz * (dx - ax)
                    if min(c1, c2) < -tolerance and max(c1, c2) > tolerance:
                        vx, vz = dx - cx, dz - cz
                        small = 1e-9 * (abs(vx) + abs(vz))
                        c3 = vx * (az - cz) - vz * (ax - cx)
                        c4 = vx * (bz - cz) - vz * (bx - cx)
                        if min(c3, c4) < -small and max(c3, c4) > small:
                            return True
        if j == j_last:
            return False
        j += step
