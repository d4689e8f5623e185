"""Compiled searches over the broad phase. Import lazily: it brings in numba.

`world` is described in `surface_kernels`. The *probe* of a search is six numbers:

* BAND     x, low, z, ., high, .     a point on the floor; obstacles between the heights count
* POINT    x, y, z                   a point in space
* CAPSULE  ax, ay, az, bx, by, bz    a segment

`scratch` is memory to work in, made by `footfall.world.snapshot.scratch`: (2, 3, 3) for separating
axes, (56, 2) hull points, (1, 32) a box as a table of one row, (15, 2) and (15,) for a sole.
"""

from __future__ import annotations

import math

from footfall.maths.jit_kernels import lean_kernel
from footfall.world.collision.shape_kernels import (
    BOX,
    CLOSED,
    CYLINDER,
    EPSILON,
    HIGH,
    KIND,
    LOW,
    OWNER,
    SOLID,
    TRIANGLE,
    C,
    F,
    H,
    box_meets_triangle,
    boxes_overlap,
    cross_axes_meet,
    is_upright,
    plane_distance,
    segment_box_hit,
    segment_cylinder_hit,
    segment_distance,
    segment_triangle_hit,
    triangle_distance,
)
from footfall.world.collision.slab_kernels import (
    box_slab_points,
    hull_distance,
    triangle_slab_points,
)
from footfall.world.surface_kernels import cell_of

BAND, POINT, CAPSULE = 0, 1, 2
ALL = -2


@lean_kernel
def _distance(t, b, mode, s, work, hull):  # type: ignore[no-untyped-def]
    """Distance of the probe from primitive b; signed but for triangles and capsules."""
    kind, x, y, z = t[b, KIND], s[0], s[1], s[2]
    if mode == CAPSULE:
        return segment_distance(t, b, s, work)
    if mode == BAND:  # in the plane, from what it has between two heights
        if is_upright(t, b):
            return plane_distance(t, b, x, z)
        if kind == BOX:
            return hull_distance(hull, box_slab_points(t, b, s[1], s[4], hull), x, z)
        n = triangle_slab_points(t, b, s[1], s[4], hull)
        return max(hull_distance(hull, n, x, z), 0.0)
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


@lean_kernel
def nearest(table, lattice, starts, items, mode, s, reach, owner, work, hull):  # type: ignore[no-untyped-def]
    """Distance to and index of the nearest solid primitive within `reach`; (reach, -1) for none.

    owner  only primitives of this obstacle, or ALL
    The rings of cells around the probe are looked at from the inside out, until nothing nearer
    than the best so far can follow. Moving primitives come first, as if in ring -1.
    """
    best, which = reach, -1
    x0, z0, side, nx, nz = lattice[0], lattice[1], lattice[2], int(lattice[3]), int(lattice[4])
    moving_from, count = int(lattice[5]), table.shape[0]
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
                    start, stop = moving_from, count
                elif whole:
                    row = j * nx
                    start, stop = starts[row + max(left, 0)], starts[row + min(right, nx - 1) + 1]
                elif run == 0 and left >= 0:
                    start, stop = starts[j * nx + left], starts[j * nx + left + 1]
                elif run == 1 and right < nx:
                    start, stop = starts[j * nx + right], starts[j * nx + right + 1]
                else:
                    continue
                for n in range(start, stop):
                    b = n if ring < 0 else items[n]
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
                    d = _distance(table, b, mode, s, work, hull)
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


@lean_kernel
def inside_mesh(table, lattice, starts, items, x, y, z):  # type: ignore[no-untyped-def]
    """The obstacle whose closed mesh holds the point (an odd number of faces above), or -1."""
    cell = cell_of(lattice, x, z)
    first, last = 0, 0
    if cell >= 0:
        first, last = starts[cell], starts[cell + 1]
    moving_from = int(lattice[5])
    count = last + table.shape[0] - moving_from
    done = -1.0
    for n in range(first, count):
        b = items[n] if n < last else moving_from + n - last
        who = table[b, OWNER]
        # An obstacle's primitives follow one another, so each is met as one run.
        if table[b, CLOSED] == 0.0 or who == done:
            continue
        done, odd = who, False
        for m in range(n, count):
            k = items[m] if m < last else moving_from + m - last
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
def nearest_all(world, mode, probes, reach, has_closed, scratch, out, which):  # type: ignore[no-untyped-def]
    """Fill signed distance (N,) and obstacle (N,) of the nearest obstacle for probes (N, 6)."""
    _, _, table, _, _, _, _, _, lattice, starts, items = world
    work, hull, _, _, _ = scratch
    for n in range(probes.shape[0]):
        s = probes[n]
        best, b = nearest(table, lattice, starts, items, mode, s, reach, ALL, work, hull)
        who = int(table[b, OWNER]) if b >= 0 else -1
        if has_closed:
            y = 0.5 * (s[1] + s[4]) if mode == BAND else s[1]
            holder = inside_mesh(table, lattice, starts, items, s[0], y, s[2])
            if holder >= 0:
                d, _ = nearest(table, lattice, starts, items, mode, s, math.inf, holder, work, hull)
                if -d < best:
                    best, who = -d, holder
        out[n], which[n] = best, who


@lean_kernel
def first_hits(world, segments, out, which):  # type: ignore[no-untyped-def]
    """Fill the fraction (N,), infinite for none, and obstacle (N,) of the first hit of segments
    (N, 6)."""
    _, _, table, _, _, _, _, _, lattice, starts, items = world
    x0, z0, side, nx, nz = lattice[0], lattice[1], lattice[2], int(lattice[3]), int(lattice[4])
    for n in range(segments.shape[0]):
        s = segments[n]
        enter, leave = 0.0, 1.0  # the part that is over the cells
        for axis in range(2):
            a, d = s[2 * axis], s[2 * axis + 3] - s[2 * axis]
            low = lattice[axis]
            high = low + lattice[3 + axis] * side
            if d != 0.0:
                p, q = (low - a) / d, (high - a) / d
                enter, leave = max(enter, min(p, q)), min(leave, max(p, q))
            elif a < low or a > high:
                enter, leave = 1.0, 0.0
        dx, dz = s[3] - s[0], s[5] - s[2]
        i = min(max(int((s[0] + enter * dx - x0) / side), 0), nx - 1)
        j = min(max(int((s[2] + enter * dz - z0) / side), 0), nz - 1)
        best, owner = math.inf, -1
        first, stop, moving = int(lattice[5]), table.shape[0], True
        while True:  # what moves comes first, then cell after cell
            for m in range(first, stop):
                b = m if moving else items[m]
                if table[b, SOLID] == 0.0:
                    continue
                if table[b, KIND] == BOX:
                    f = segment_box_hit(table, b, s)
                elif table[b, KIND] == CYLINDER:
                    f = segment_cylinder_hit(table, b, s)
                else:
                    f = segment_triangle_hit(table, b, s)
                if f < best:
                    best, owner = f, int(table[b, OWNER])
            if moving:
                moving = False
                if enter > leave or nx == 0:
                    break
            else:
                tx = tz = math.inf
                if dx != 0.0:
                    tx = (x0 + (i + (1 if dx > 0.0 else 0)) * side - s[0]) / dx
                if dz != 0.0:
                    tz = (z0 + (j + (1 if dz > 0.0 else 0)) * side - s[2]) / dz
                if min(tx, tz) >= min(best, leave):
                    break
                if tx <= tz:
                    i += 1 if dx > 0.0 else -1
                else:
                    j += 1 if dz > 0.0 else -1
                if not (0 <= i < nx and 0 <= j < nz):
                    break
            first, stop = starts[j * nx + i], starts[j * nx + i + 1]
        out[n], which[n] = best, owner


@lean_kernel
def box_meets_primitive(t, b, box, work, hull):  # type: ignore[no-untyped-def]
    """Whether an oriented box (a table of one row) touches primitive b."""
    for i in range(3):
        if t[b, LOW + i] > box[0, HIGH + i] or t[b, HIGH + i] < box[0, LOW + i]:
            return False
    if t[b, KIND] == BOX:
        return boxes_overlap(box, 0, t, b, work[0], work[1])
    if t[b, KIND] == CYLINDER:
        n = box_slab_points(box, 0, t[b, LOW + 1], t[b, HIGH + 1], hull)
        return hull_distance(hull, n, t[b, C], t[b, C + 2]) <= t[b, H]
    return box_meets_triangle(box, 0, t, b, work[0])


@lean_kernel
def box_hits(world, centres, frames, halves, has_closed, scratch, which):  # type: ignore[no-untyped-def]
    """Fill the first obstacle (N,) that each oriented box touches, or -1."""
    _, _, table, _, _, _, _, _, lattice, starts, items = world
    work, hull, box, _, _ = scratch
    x0, z0, side, nx, nz = lattice[0], lattice[1], lattice[2], int(lattice[3]), int(lattice[4])
    for n in range(centres.shape[0]):
        for i in range(3):
            c, reach = centres[n, i], 0.0
            for k in range(3):
                box[0, F + 3 * i + k] = frames[n, i, k]
                reach += abs(frames[n, i, k]) * halves[n, k]
            box[0, C + i], box[0, H + i] = c, halves[n, i]
            box[0, LOW + i], box[0, HIGH + i] = c - reach, c + reach
        i0 = int(min(max((box[0, LOW] - x0) / side, 0.0), 1e9))
        j0 = int(min(max((box[0, LOW + 2] - z0) / side, 0.0), 1e9))
        i1 = int(min(max((box[0, HIGH] - x0) / side, -1.0), nx - 1.0))
        j1 = int(min(max((box[0, HIGH + 2] - z0) / side, -1.0), nz - 1.0))
        which[n] = -1
        if i1 < i0 or j1 < j0:  # beside the cells
            j1 = j0 - 1
        for j in range(j0 - 1, j1 + 1):  # what moves comes first, as a row of its own
            moving = j < j0
            first, stop = int(lattice[5]), table.shape[0]
            if not moving:
                first, stop = starts[j * nx + i0], starts[j * nx + i1 + 1]
            for m in range(first, stop):
                b = m if moving else items[m]
                if table[b, SOLID] != 0.0 and box_meets_primitive(table, b, box, work, hull):
                    which[n] = int(table[b, OWNER])
                    break
            if which[n] >= 0:
                break
        if which[n] < 0 and has_closed:
            which[n] = inside_mesh(
                table, lattice, starts, items, centres[n, 0], centres[n, 1], centres[n, 2]
            )


@lean_kernel
def pairs_overlap(ca, fa, ha, cb, fb, hb, scratch, out):  # type: ignore[no-untyped-def]
    """Fill whether box n of the first set touches box n of the second; a set may hold one box.

    Gives the first pair that is not made of finite numbers, or -1.
    """
    r, q = scratch[0][0], scratch[0][1]
    ka, kb = (1 if ca.shape[0] > 1 else 0), (1 if cb.shape[0] > 1 else 0)
    for n in range(out.shape[0]):
        a, b = n * ka, n * kb
        dx, dy, dz = cb[b, 0] - ca[a, 0], cb[b, 1] - ca[a, 1], cb[b, 2] - ca[a, 2]
        b0, b1, b2 = hb[b, 0], hb[b, 1], hb[b, 2]
        t0, t1, t2 = 0.0, 0.0, 0.0
        meet = True
        for i in range(3):
            x, y, z = fa[a, 0, i], fa[a, 1, i], fa[a, 2, i]
            t0, t1, t2 = t1, t2, dx * x + dy * y + dz * z
            for j in range(3):
                r[i, j] = x * fb[b, 0, j] + y * fb[b, 1, j] + z * fb[b, 2, j]
                q[i, j] = abs(r[i, j]) + EPSILON
            slack = ha[a, i] + b0 * q[i, 0] + b1 * q[i, 1] + b2 * q[i, 2] - abs(t2)
            if not slack >= 0.0:
                if not slack < 0.0:
                    return n
                meet = False
                break
        out[n] = meet and cross_axes_meet(
            r, q, t0, t1, t2, ha[a, 0], ha[a, 1], ha[a, 2], b0, b1, b2
        )
    return -1
