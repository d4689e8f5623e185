"""Compiled distances to outlines held in a grid. Import this module lazily: it brings in numba.

Everywhere, `segments` (S, 4) are the outline edges x0, z0, x1, z1 with free space on their left
(in the plane x to the right, z up), and the grid is `frame` (3,) = origin x, origin z, cell size;
`shape` (2,) = columns, rows; `starts` (C + 1,) and `items` list the edges of each cell.
Lengths are metres.
"""

from __future__ import annotations

import math

from footfall.maths.jit_kernels import lean_kernel


@lean_kernel
def grid_counts(segments, frame, shape, counts, items, fill):  # type: ignore[no-untyped-def]
    """Count (or with `fill`, list) the edges of each cell; `counts` then holds the cell starts."""
    columns, rows = shape[0], shape[1]
    inverse = 1.0 / frame[2]
    for s in range(segments.shape[0]):
        ax, az = (segments[s, 0] - frame[0]) * inverse, (segments[s, 1] - frame[1]) * inverse
        bx, bz = (segments[s, 2] - frame[0]) * inverse, (segments[s, 3] - frame[1]) * inverse
        low = max(0, (math.floor(min(az, bz) - 1e-9)))
        high = min(rows - 1, (math.floor(max(az, bz) + 1e-9)))
        for j in range(low, high + 1):
            if abs(bz - az) > 1e-12:  # the part of the edge within this row
                t0, t1 = (j - az) / (bz - az), (j + 1 - az) / (bz - az)
                if t0 > t1:
                    t0, t1 = t1, t0
                t0, t1 = max(0.0, t0), min(1.0, t1)
                xa, xb = ax + t0 * (bx - ax), ax + t1 * (bx - ax)
            else:
                xa, xb = ax, bx
            first = max(0, (math.floor(min(xa, xb) - 1e-9)))
            last = min(columns - 1, (math.floor(max(xa, xb) + 1e-9)))
            for i in range(first, last + 1):
                cell = j * columns + i
                if fill:
                    items[counts[cell]] = s
                counts[cell] += 1


@lean_kernel
def point_to_edge(x, z, segments, s):  # type: ignore[no-untyped-def]
    """Squared distance from a point to an edge, and where on the edge (0 to 1) it is reached."""
    ax, az = segments[s, 0], segments[s, 1]
    ux, uz = segments[s, 2] - ax, segments[s, 3] - az
    t = ((x - ax) * ux + (z - az) * uz) / (ux * ux + uz * uz)
    t = min(1.0, max(0.0, t))
    dx, dz = x - ax - t * ux, z - az - t * uz
    return dx * dx + dz * dz, t


@lean_kernel
def nearest_edge(x, z, segments, frame, shape, starts, items, limit):  # type: ignore[no-untyped-def]
    """Distance to the nearest edge (at most `limit`), that edge (-1: none) and where on it."""
    columns, rows = shape[0], shape[1]
    cell_size = frame[2]
    ci = min(columns - 1, max(0, int((x - frame[0]) / cell_size)))
    cj = min(rows - 1, max(0, int((z - frame[1]) / cell_size)))
    # the free border around the point's own cell: ring k is at least k cells less this far away
    left = min(x - frame[0] - ci * cell_size, frame[0] + (ci + 1) * cell_size - x)
    below = min(z - frame[1] - cj * cell_size, frame[1] + (cj + 1) * cell_size - z)
    border = min(left, below)
    best, best_edge, best_t = limit * limit, -1, 0.0
    for ring in range(max(columns, rows)):
        reach = (ring - 1) * cell_size + border
        if ring > 0 and reach > 0.0 and reach * reach > best:
            break
        j0, j1 = max(0, cj - ring), min(rows - 1, cj + ring)
        for j in range(j0, j1 + 1):
            edge_row = abs(j - cj) == ring
            i0, i1 = max(0, ci - ring), min(columns - 1, ci + ring)
            step = 1
            if not edge_row:
                step = max(1, 2 * ring)
                i0, i1 = ci - ring, ci + ring
            for i in range(i0, i1 + 1, step):
                if i < 0 or i >= columns:
                    continue
                cell = j * columns + i
                for k in range(starts[cell], starts[cell + 1]):
                    d2, t = point_to_edge(x, z, segments, items[k])
                    if d2 < best:
                        best, best_edge, best_t = d2, items[k], t
    return math.sqrt(best), best_edge, best_t


@lean_kernel
def clearances(points, segments, turns, frame, shape, starts, items, out, edges):  # type: ignore[no-untyped-def]
    """Signed distance of points (N, 2) to the outlines, negative outside free space.

    `turns` (S,) is the sign of the turn at the end of each edge, `edges` (N,) gets the nearest one.
    Nearest to a corner, the point is free exactly when free space is reflex there.
    """
    for n in range(points.shape[0]):
        x, z = points[n, 0], points[n, 1]
        d, s, t = nearest_edge(x, z, segments, frame, shape, starts, items, 1e9)
        ux, uz = segments[s, 2] - segments[s, 0], segments[s, 3] - segments[s, 1]
        side = ux * (z - segments[s, 1]) - uz * (x - segments[s, 0])
        if t == 1.0 and turns[s, 1] != 0.0:
            side = -turns[s, 1]
        elif t == 0.0 and turns[s, 0] != 0.0:
            side = -turns[s, 0]
        out[n] = d if side > 0.0 else -d
        edges[n] = s


@lean_kernel
def edge_to_edge(ax, az, bx, bz, cx, cz, dx, dz):  # type: ignore[no-untyped-def]
    """Squared distance between the segments ab and cd; zero where they cross."""
    ux, uz, vx, vz = bx - ax, bz - az, dx - cx, dz - cz
    c1 = ux * (cz - az) - uz * (cx - ax)
    c2 = ux * (dz - az) - uz * (dx - ax)
    c3 = vx * (az - cz) - vz * (ax - cx)
    c4 = vx * (bz - cz) - vz * (bx - cx)
    if ((c1 > 0.0) != (c2 > 0.0)) and ((c3 > 0.0) != (c4 > 0.0)):
        return 0.0
    uu, vv = ux * ux + uz * uz, vx * vx + vz * vz
    best = 1e300
    for k in range(4):
        if k == 0:
            px, pz, ox, oz, wx, wz, ww = cx, cz, ax, az, ux, uz, uu
        elif k == 1:
            px, pz, ox, oz, wx, wz, ww = dx, dz, ax, az, ux, uz, uu
        elif k == 2:
            px, pz, ox, oz, wx, wz, ww = ax, az, cx, cz, vx, vz, vv
        else:
            px, pz, ox, oz, wx, wz, ww = bx, bz, cx, cz, vx, vz, vv
        t = 0.0
        if ww > 0.0:
            t = min(1.0, max(0.0, ((px - ox) * wx + (pz - oz) * wz) / ww))
        ex, ez = px - ox - t * wx, pz - oz - t * wz
        best = min(best, ex * ex + ez * ez)
    return best


@lean_kernel
def stretch_clearance(ax, az, bx, bz, segments, frame, shape, starts, items, reach, enough):  # type: ignore[no-untyped-def]
    """Distance from the segment ab to the outlines, looked for up to `reach`.

    It looks from a towards b and stops, with what it has, as soon as that is below `enough`.
    """
    columns, rows = shape[0], shape[1]
    inverse = 1.0 / frame[2]
    low, high = min(az, bz), max(az, bz)
    j0 = max(0, (math.floor((low - reach - frame[1]) * inverse)))
    j1 = min(rows - 1, (math.floor((high + reach - frame[1]) * inverse)))
    slope_z = bz - az
    length = math.hypot(bx - ax, slope_z)
    # how far the sides of the band of half width `reach` lie from the segment, along x
    widen = reach * length / abs(slope_z) if abs(slope_z) > 1e-9 else 1e9
    best = reach * reach
    enough2 = enough * enough
    for row in range(j1 - j0 + 1):
        j = j0 + row if bz >= az else j1 - row
        z0, z1 = frame[1] + j * frame[2], frame[1] + (j + 1) * frame[2]
        xa, xb = min(ax, bx), max(ax, bx)
        if widen < 1e8:
            t0, t1 = (z0 - az) / slope_z, (z1 - az) / slope_z
            if t0 > t1:
                t0, t1 = t1, t0
            x0, x1 = ax + t0 * (bx - ax), ax + t1 * (bx - ax)
            xa = max(xa - reach, min(x0, x1) - widen)
            xb = min(xb + reach, max(x0, x1) + widen)
        else:
            xa, xb = xa - reach, xb + reach
        i0 = max(0, (math.floor((xa - frame[0]) * inverse)))
        i1 = min(columns - 1, (math.floor((xb - frame[0]) * inverse)))
        for column in range(i1 - i0 + 1):
            cell = j * columns + (i0 + column if bx >= ax else i1 - column)
            for k in range(starts[cell], starts[cell + 1]):
                s = items[k]
                d2 = edge_to_edge(
                    ax, az, bx, bz,
                    segments[s, 0], segments[s, 1], segments[s, 2], segments[s, 3],
                )  # fmt: skip
                if d2 < best:
                    best = d2
                    if best < enough2:
                        return math.sqrt(best)
    return math.sqrt(best)


@lean_kernel
def stretch_clearances(ends, reaches, segments, frame, shape, starts, items, out):  # type: ignore[no-untyped-def]
    """Distances of segments `ends` (N, 4) to the outlines, each looked for up to `reaches` (N,)."""
    for n in range(ends.shape[0]):
        out[n] = stretch_clearance(
            ends[n, 0], ends[n, 1], ends[n, 2], ends[n, 3],
            segments, frame, shape, starts, items, reaches[n], 0.0,
        )  # fmt: skip


@lean_kernel
def crosses(ax, az, bx, bz, segments, frame, shape, starts, items):  # type: ignore[no-untyped-def]
    """Whether the segment ab properly crosses an outline; touching does not count."""
    columns, rows = shape[0], shape[1]
    inverse = 1.0 / frame[2]
    ux, uz = bx - ax, bz - az
    tolerance = 1e-9 * (abs(ux) + abs(uz))
    x0, z0 = (ax - frame[0]) * inverse, (az - frame[1]) * inverse
    x1, z1 = (bx - frame[0]) * inverse, (bz - frame[1]) * inverse
    j, j_last = (math.floor(z0)), (math.floor(z1))
    step = -1 if j_last < j else 1
    while True:
        if 0 <= j < rows:
            xa, xb = x0, x1
            if abs(z1 - z0) > 1e-12:
                t0, t1 = (j - z0) / (z1 - z0), (j + 1 - z0) / (z1 - z0)
                if t0 > t1:
                    t0, t1 = t1, t0
                t0, t1 = max(0.0, t0), min(1.0, t1)
                xa, xb = x0 + t0 * (x1 - x0), x0 + t1 * (x1 - x0)
            i0 = max(0, (math.floor(min(xa, xb) - 1e-9)))
            i1 = min(columns - 1, (math.floor(max(xa, xb) + 1e-9)))
            for i in range(i0, i1 + 1):
                cell = j * columns + i
                for k in range(starts[cell], starts[cell + 1]):
                    s = items[k]
                    cx, cz, dx, dz = segments[s, 0], segments[s, 1], segments[s, 2], segments[s, 3]
                    c1 = ux * (cz - az) - uz * (cx - ax)
                    c2 = ux * (dz - az) - uz * (dx - ax)
                    if (c1 > tolerance and c2 < -tolerance) or (c1 < -tolerance and c2 > tolerance):
                        vx, vz = dx - cx, dz - cz
                        small = 1e-9 * (abs(vx) + abs(vz))
                        c3 = vx * (az - cz) - vz * (ax - cx)
                        c4 = vx * (bz - cz) - vz * (bx - cx)
                        if (c3 > small and c4 < -small) or (c3 < -small and c4 > small):
                            return True
        if j == j_last:
            return False
        j += step


@lean_kernel
def corner_gap(corners, v, own, reach, segments, frame, shape, starts, items):  # type: ignore[no-untyped-def]
    """Distance from corner v to the nearest edge ahead of it, and its foot there: gap, x, z.

    `corners` (V, 6) holds x, z and the two normals that bound the directions a body can be in
    when it touches the corner; `own` (V, 2) are the two edges that meet in it. No edge ahead
    within `reach` metres: 1e9.
    """
    columns, rows = shape[0], shape[1]
    x, z = corners[v, 0], corners[v, 1]
    best, foot_x, foot_z = 1e18, x, z
    ci = min(columns - 1, max(0, int((x - frame[0]) / frame[2])))
    cj = min(rows - 1, max(0, int((z - frame[1]) / frame[2])))
    for ring in range(max(columns, rows)):
        nearest = (ring - 1) * frame[2]
        if ring > 1 and (nearest * nearest > best or nearest > reach):
            break
        for j in range(max(0, cj - ring), min(rows - 1, cj + ring) + 1):
            step = 1 if abs(j - cj) == ring or ring == 0 else 2 * ring
            for i in range(ci - ring, ci + ring + 1, step):
                if i < 0 or i >= columns:
                    continue
                cell = j * columns + i
                for k in range(starts[cell], starts[cell + 1]):
                    s = items[k]
                    if s == own[v, 0] or s == own[v, 1]:
                        continue
                    d2, t = point_to_edge(x, z, segments, s)
                    if d2 >= best:
                        continue
                    fx = segments[s, 0] + t * (segments[s, 2] - segments[s, 0])
                    fz = segments[s, 1] + t * (segments[s, 3] - segments[s, 1])
                    wx, wz = fx - x, fz - z
                    ahead = (
                        corners[v, 2] * wz - corners[v, 3] * wx >= 0.0
                        and wx * corners[v, 5] - wz * corners[v, 4] >= 0.0
                        and wx * (corners[v, 2] + corners[v, 4])
                        + wz * (corners[v, 3] + corners[v, 5])
                        > 0.0
                    )
                    if ahead or d2 < 1e-12:
                        best, foot_x, foot_z = d2, fx, fz
    return math.sqrt(best), foot_x, foot_z


@lean_kernel
def corner_gaps(corners, own, reach, segments, frame, shape, starts, items, gaps, feet):  # type: ignore[no-untyped-def]
    """Fill the gap (V,) ahead of every corner and the foot (V, 2) across it, see `corner_gap`."""
    for v in range(corners.shape[0]):
        gaps[v], feet[v, 0], feet[v, 1] = corner_gap(
            corners, v, own, reach, segments, frame, shape, starts, items
        )


@lean_kernel
def reach_sideways(points, normals, radius, farthest, segments, frame, shape, starts, items, out):  # type: ignore[no-untyped-def]
    """How far each point (N, 2) may move along plus and minus its normal: `out` (N, 2).

    The point keeps `radius` clear all the way, or what it has where that is less.
    """
    for n in range(points.shape[0]):
        x, z = points[n, 0], points[n, 1]
        limit = radius + farthest
        here, _, _ = nearest_edge(x, z, segments, frame, shape, starts, items, limit)
        keep = min(radius, here)
        for side in range(2):
            sign = 1.0 if side == 0 else -1.0
            moved, d = 0.0, here
            for turn in range(40):
                if moved >= farthest or (turn > 0 and d - keep < 1e-4):
                    break
                if d - keep >= farthest - moved:
                    moved = farthest
                    break
                # touching at first, the point may still get off to this side: try a little step
                ahead = min(farthest, moved + max(d - keep, 0.005))
                d, _, _ = nearest_edge(
                    x + sign * ahead * normals[n, 0], z + sign * ahead * normals[n, 1],
                    segments, frame, shape, starts, items, limit,
                )  # fmt: skip
                if d < keep:
                    break
                moved = ahead
            out[n, side] = moved


@lean_kernel
def push_clear(points, radius, segments, frame, shape, starts, items):  # type: ignore[no-untyped-def]
    """Move points (N, 2) of free space nearer than `radius` off their edge, but for the two ends.

    A point that this brings nearer to another edge than it was stays where it is.
    """
    for n in range(1, points.shape[0] - 1):
        x, z = points[n, 0], points[n, 1]
        at_first, d = -1.0, 0.0
        for _ in range(5):
            d, s, t = nearest_edge(x, z, segments, frame, shape, starts, items, radius)
            if at_first < 0.0:
                at_first = d
            if s < 0 or d >= radius - 1e-9 or d < 1e-9:
                break
            fx = segments[s, 0] + t * (segments[s, 2] - segments[s, 0])
            fz = segments[s, 1] + t * (segments[s, 3] - segments[s, 1])
            x, z = fx + (x - fx) * radius / d, fz + (z - fz) * radius / d
        else:
            d, _, _ = nearest_edge(x, z, segments, frame, shape, starts, items, radius)
        if d > at_first:
            points[n, 0], points[n, 1] = x, z
