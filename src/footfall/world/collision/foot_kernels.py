"""Compiled test of foot placements. Import lazily: it brings in numba."""

from __future__ import annotations

import math

from footfall.maths.jit_kernels import inner_kernel, lean_kernel
from footfall.world.collision.query_kernels import inside_mesh
from footfall.world.collision.shape_kernels import HIGH, LOW, SOLID, WALKABLE, C, F, H, box_meets
from footfall.world.surface_kernels import SEA, field_slope, is_within, primitive_top

VALID, NO_GROUND, WATER, UNEVEN, STEEP, OBSTACLE = 0, 1, 2, 3, 4, 5
ACROSS, SAMPLES = 3, 15
"""The sole is looked at in 5 rows of 3 points, its corners among them."""
LIFT_M = 0.01
"""The foot's box begins this much above the highest point under the sole."""


@inner_kernel
def _floor_under_sole(world, x, z, c, s, foot):  # type: ignore[no-untyped-def]
    """Return whether the sole's middle is on the floor, and whether a rim passes under it."""
    points, rings, hl, hw = world.points, world.rings, foot.half_length, foot.half_width
    reach = math.sqrt(hl * hl + hw * hw)
    left, right, near, far = x - reach, x + reach, z - reach, z + reach
    here, cut = True, False
    for k in range(len(rings)):
        ring = rings[k]
        apart = ring.low_x > right or ring.high_x < left or ring.low_z > far or ring.high_z < near
        if ring.kind == SEA or (k > 0 and apart):
            continue
        inside = False
        j = ring.stop - 1
        for i in range(ring.first, ring.stop):
            px, pz, qx, qz = points[j, 0], points[j, 1], points[i, 0], points[i, 1]
            j = i
            if (qz > z) != (pz > z) and x < (px - qx) * (z - qz) / (pz - qz) + qx:
                inside = not inside
            if (
                min(px, qx) <= right
                and max(px, qx) >= left
                and min(pz, qz) <= far
                and max(pz, qz) >= near
            ):  # does the edge pass through the sole's rectangle?
                # In the sole's frame: u along the foot (sin yaw, cos yaw), v to its left.
                pu, pv = (px - x) * s + (pz - z) * c, (px - x) * c - (pz - z) * s
                du, dv = (qx - x) * s + (qz - z) * c - pu, (qx - x) * c - (qz - z) * s - pv
                enter, leave = 0.0, 1.0
                for o, d, h in ((pu, du, hl), (pv, dv, hw)):
                    if d != 0.0:
                        a, b = (-h - o) / d, (h - o) / d
                        enter, leave = max(enter, min(a, b)), min(leave, max(a, b))
                    elif abs(o) > h:
                        leave = -1.0
                if enter <= leave:
                    cut = True
        here = here and inside == (k == 0)
    return here, cut


@inner_kernel
def gather(world, solid, x, z, rx, rz, found):  # type: ignore[no-untyped-def]
    """Collect the primitives over a rectangle of half sizes rx and rz; return their number.

    solid  1 if only those that are in the way of bodies count, else 0
    """
    table, cells, grid = world.table, world.cells, world.grids[solid]
    x0, z0, side, nx, nz = grid.x, grid.z, grid.side, grid.columns, grid.rows
    left, right, near, far = x - rx, x + rx, z - rz, z + rz
    i0 = int(min(max((left - x0) / side, 0.0), 1e9))
    j0 = int(min(max((near - z0) / side, 0.0), 1e9))
    i1 = int(min(max((right - x0) / side, -1.0), nx - 1.0))
    j1 = int(min(max((far - z0) / side, -1.0), nz - 1.0))
    count = 0
    for j in range(min(j0, j1 + 1), j1 + 2):
        # After the last row of cells come the primitives that move.
        for i in range(i0, i1 + 1 if j <= j1 else i0 + 1):
            first, stop = grid.moving, len(table)
            if j <= j1:
                cell = grid.starts + j * nx + i
                first, stop = cells[cell], cells[cell + 1]
            for n in range(first, stop):
                b = cells[n] if j <= j1 else n
                if (
                    (solid and table[b, SOLID] == 0.0)
                    or table[b, LOW] > right or table[b, HIGH] < left
                    or table[b, LOW + 2] > far or table[b, HIGH + 2] < near
                ):  # fmt: skip
                    continue
                # A primitive is taken in the first of its cells that is looked at.
                own_i = int(min(max((table[b, LOW] - x0) / side, 0.0), nx - 1.0))
                own_j = int(min(max((table[b, LOW + 2] - z0) / side, 0.0), nz - 1.0))
                if j > j1 or (max(own_i, i0) == i and max(own_j, j0) == j):
                    found[count] = b
                    count += 1
    return count


@inner_kernel
def _sample_sole(world, x, z, c, s, foot, limit, found, count, work):  # type: ignore[no-untyped-def]
    """Fill the heights work.y (SAMPLES,) under the sole; VALID, NO_GROUND or WATER."""
    table, at, y = world.table, work.at, work.y
    here, cut = _floor_under_sole(world, x, z, c, s, foot)
    bare = 0  # a bit for each sample that has nothing but the ground under it
    for n in range(SAMPLES):
        u = foot.half_length * (0.5 * (n // ACROSS) - 1.0)
        v = foot.half_width * (n % ACROSS - 1.0)
        px, pz = x + u * s + v * c, z + u * c - v * s
        height, _, _ = field_slope(world.ground, world.heights, px, pz)
        floor = is_within(world, False, px, pz, 0.0) if cut else here
        at[n, 0], at[n, 1] = px, pz
        y[n] = height if floor and height <= limit else math.nan
        bare |= 1 << n
    for m in range(count):
        b = found[m]
        if table[b, WALKABLE] != 0.0:
            for n in range(SAMPLES):
                top, _, _, _ = primitive_top(table, b, at[n, 0], at[n, 1])
                if top <= limit and not top < y[n]:
                    y[n] = top
                    bare &= ~(1 << n)
    code = VALID
    for n in range(SAMPLES):
        if y[n] != y[n] or (cut and (bare >> n) & 1):
            return NO_GROUND
        if len(world.rings) > 1 and is_within(world, True, at[n, 0], at[n, 1], y[n]):
            code = WATER
    return code


@inner_kernel
def place_foot(world, x, z, yaw, limit, foot, found, work):  # type: ignore[no-untyped-def]
    """Return the reason against standing at (x, z), the height of the sole, and its slopes.

    foot   a `FOOT` record     limit  only surfaces at or below count
    found  (B,) memory for the primitives near a sole      work  a `WORK` record
    """
    table, y, hl, hw = world.table, work.y, foot.half_length, foot.half_width
    c, s = math.cos(yaw), math.sin(yaw)
    rx, rz = abs(s) * hl + abs(c) * hw, abs(c) * hl + abs(s) * hw
    count = gather(world, 0, x, z, rx, rz, found)
    code = _sample_sole(world, x, z, c, s, foot, limit, found, count, work)
    if code == NO_GROUND:
        return code, math.nan, math.nan, math.nan
    # The plane through the samples, how far they are from it, and the highest.
    mean, along, across, uu, vv = 0.0, 0.0, 0.0, 0.0, 0.0
    for n in range(SAMPLES):
        u, v = hl * (0.5 * (n // ACROSS) - 1.0), hw * (n % ACROSS - 1.0)
        mean += y[n]
        along += u * y[n]
        across += v * y[n]
        uu += u * u
        vv += v * v
    mean /= SAMPLES
    along, across = along / uu, across / vv
    worst, top = 0.0, -math.inf
    for n in range(SAMPLES):
        u, v = hl * (0.5 * (n // ACROSS) - 1.0), hw * (n % ACROSS - 1.0)
        worst = max(worst, abs(y[n] - mean - along * u - across * v))
        top = max(top, y[n])
    gx, gz = along * s + across * c, along * c - across * s
    if code == VALID and worst > foot.roughness:
        code = UNEVEN
    if code == VALID and gx * gx + gz * gz > foot.slope * foot.slope:
        code = STEEP
    if code == VALID and count:
        box, bottom, hh = work.box, top + LIFT_M, 0.5 * foot.height  # above the sole
        box[C], box[C + 1], box[C + 2] = x, bottom + hh, z
        box[H], box[H + 1], box[H + 2] = hw, hh, hl
        box[LOW], box[LOW + 1], box[LOW + 2] = x - rx, bottom, z - rz
        box[HIGH], box[HIGH + 1], box[HIGH + 2] = x + rx, bottom + foot.height, z + rz
        box[F], box[F + 2], box[F + 6], box[F + 8] = c, s, -s, c
        box[F + 4] = 1.0
        for m in range(count):
            if table[found[m], SOLID] != 0.0 and box_meets(table, found[m], work):
                code = OBSTACLE
                break
        if world.grids[1].closed and inside_mesh(world, x, bottom + hh, z) >= 0:
            code = OBSTACLE
    return code, mean, gx, gz


@lean_kernel
def foot_placements(world, feet, below, foot, found, work, reason, height, normal):  # type: ignore[no-untyped-def]
    """Fill reason (N,), height (N,) of the sole's middle and sole normal (N, 3).

    feet    (N, 3) x, z, yaw of the middle of the sole
    below   (N,) or (1,): only surfaces at or below count
    foot, found, work   see `place_foot`
    """
    for n in range(feet.shape[0]):
        limit = below[n] if below.shape[0] > 1 else below[0]
        reason[n], height[n], gx, gz = place_foot(
            world, feet[n, 0], feet[n, 1], feet[n, 2], limit, foot, found, work
        )
        k = 1.0 / math.sqrt(1.0 + gx * gx + gz * gz)
        normal[n, 0], normal[n, 1], normal[n, 2] = -gx * k, k, -gz * k
