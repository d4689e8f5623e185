"""Compiled test of foot placements. Import lazily: it brings in numba."""

from __future__ import annotations

import math

from footfall.maths.jit_kernels import inner_kernel, lean_kernel
from footfall.world.collision.query_kernels import box_meets_primitive, inside_mesh
from footfall.world.collision.shape_kernels import HIGH, LOW, SOLID, WALKABLE, C, F, H
from footfall.world.ground_kernels import field_heights
from footfall.world.surface_kernels import SEA, is_floor, is_wet, primitive_top

VALID, NO_GROUND, WATER, UNEVEN, STEEP, OBSTACLE = 0, 1, 2, 3, 4, 5
ACROSS, SAMPLES = 3, 15
"""The sole is looked at in 5 rows of 3 points, its corners among them."""
LIFT_M = 0.01
"""The foot's box begins this much above the highest point under the sole."""


@lean_kernel
def _floor_under_sole(points, rings, x, z, c, s, hl, hw):  # type: ignore[no-untyped-def]
    """Whether the sole's middle is on the floor, and whether an outline or rim passes under it."""
    reach = math.sqrt(hl * hl + hw * hw)
    left, right, near, far = x - reach, x + reach, z - reach, z + reach
    here, cut = True, False
    for k in range(rings.shape[0]):
        apart = rings[k, 4] > right or rings[k, 6] < left or rings[k, 5] > far or rings[k, 7] < near
        if rings[k, 0] == SEA or (k > 0 and apart):
            continue
        first, last = int(rings[k, 1]), int(rings[k, 2])
        inside = False
        j = last - 1
        for i in range(first, last):
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
def gather(table, lattice, starts, items, x, z, rx, rz, solid, found):  # type: ignore[no-untyped-def]
    """Collect the primitives over a rectangle of half sizes rx and rz; return their number.

    solid  whether only those that are in the way of bodies count
    """
    x0, z0, side, nx, nz = lattice[0], lattice[1], lattice[2], int(lattice[3]), int(lattice[4])
    left, right, near, far = x - rx, x + rx, z - rz, z + rz
    i0 = int(min(max((left - x0) / side, 0.0), 1e9))
    j0 = int(min(max((near - z0) / side, 0.0), 1e9))
    i1 = int(min(max((right - x0) / side, -1.0), nx - 1.0))
    j1 = int(min(max((far - z0) / side, -1.0), nz - 1.0))
    moving, count = int(lattice[5]), 0
    for j in range(j0, j1 + 2):
        # After the last row of cells come the primitives that move.
        for i in range(i0, i1 + 1 if j <= j1 else i0 + 1):
            first, stop = moving, table.shape[0]
            if j <= j1:
                first, stop = starts[j * nx + i], starts[j * nx + i + 1]
            for n in range(first, stop):
                b = items[n] if j <= j1 else n
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


@lean_kernel
def _fit_plane(y, hl, hw):  # type: ignore[no-untyped-def]
    """Mean, slopes along and across, largest residual and highest of the heights y (SAMPLES,)."""
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
    return mean, along, across, worst, top


@lean_kernel
def _sample_sole(  # type: ignore[no-untyped-def]
    meta, data, table, points, rings, x, z, c, s, hl, hw, limit, found, count, at, y, bare
):
    """Fill the heights y (SAMPLES,) under the sole; VALID, NO_GROUND or WATER."""
    for n in range(SAMPLES):
        u, v = hl * (0.5 * (n // ACROSS) - 1.0), hw * (n % ACROSS - 1.0)
        at[n, 0], at[n, 1] = x + u * s + v * c, z + u * c - v * s
        bare[n] = 1.0
    field_heights(meta, data, at, y)
    here, cut = _floor_under_sole(points, rings, x, z, c, s, hl, hw)
    for n in range(SAMPLES):
        floor = is_floor(points, rings, at[n, 0], at[n, 1]) if cut else here
        if not (floor and y[n] <= limit):
            y[n] = math.nan
    for m in range(count):
        b = found[m]
        if table[b, WALKABLE] != 0.0:
            for n in range(SAMPLES):
                top, _, _, _ = primitive_top(table, b, at[n, 0], at[n, 1])
                if top <= limit and not top < y[n]:
                    y[n], bare[n] = top, 0.0
    code = VALID
    for n in range(SAMPLES):
        if y[n] != y[n] or (cut and bare[n] != 0.0):
            return NO_GROUND
        if rings.shape[0] > 1 and is_wet(points, rings, at[n, 0], at[n, 1], y[n]):
            code = WATER
    return code


@lean_kernel
def foot_placements(  # type: ignore[no-untyped-def]
    world, feet, below, sizes, limits, has_closed, scratch, found, reason, height, normal
):
    """Fill reason (N,), height (N,) of the sole's middle and sole normal (N, 3).

    feet    (N, 3) x, z, yaw of the middle of the sole
    below   (N,) or (1,): only surfaces at or below count
    sizes   half length, half width, height of the foot's box
    limits  tangent of the steepest slope, largest height off the sole's plane
    found   (B,) memory for the primitives near a sole
    """
    meta, data, table, lattice, starts, items, points, rings, lattice_s, starts_s, items_s = world
    hl, hw = sizes[0], sizes[1]
    work, hull, box, at, (y, bare) = scratch
    for n in range(feet.shape[0]):
        x, z, yaw = feet[n, 0], feet[n, 1], feet[n, 2]
        limit = below[n] if below.shape[0] > 1 else below[0]
        c, s = math.cos(yaw), math.sin(yaw)
        rx, rz = abs(s) * hl + abs(c) * hw, abs(c) * hl + abs(s) * hw
        count = gather(table, lattice, starts, items, x, z, rx, rz, False, found)
        code = _sample_sole(
            meta, data, table, points, rings, x, z, c, s, hl, hw, limit, found, count, at, y, bare
        )
        if code == NO_GROUND:
            normal[n, 0], normal[n, 1], normal[n, 2] = math.nan, math.nan, math.nan
            reason[n], height[n] = code, math.nan
            continue
        mean, along, across, worst, top = _fit_plane(y, hl, hw)
        gx, gz = along * s + across * c, along * c - across * s
        k = 1.0 / math.sqrt(1.0 + gx * gx + gz * gz)
        normal[n, 0], normal[n, 1], normal[n, 2], height[n] = -gx * k, k, -gz * k, mean
        if code == VALID and worst > limits[1]:
            code = UNEVEN
        if code == VALID and gx * gx + gz * gz > limits[0] * limits[0]:
            code = STEEP
        if code == VALID and count:
            bottom, hh = top + LIFT_M, 0.5 * sizes[2]  # the foot's box, above the sole
            box[0, C], box[0, C + 1], box[0, C + 2] = x, bottom + hh, z
            box[0, H], box[0, H + 1], box[0, H + 2] = hw, hh, hl
            box[0, LOW], box[0, LOW + 1], box[0, LOW + 2] = x - rx, bottom, z - rz
            box[0, HIGH], box[0, HIGH + 1], box[0, HIGH + 2] = x + rx, bottom + sizes[2], z + rz
            box[0, F], box[0, F + 2], box[0, F + 6], box[0, F + 8] = c, s, -s, c
            box[0, F + 4] = 1.0
            for m in range(count):
                b = found[m]
                if table[b, SOLID] != 0.0 and box_meets_primitive(table, b, box, work, hull):
                    code = OBSTACLE
                    break
            if (
                has_closed
                and inside_mesh(table, lattice_s, starts_s, items_s, x, box[0, C + 1], z) >= 0
            ):
                code = OBSTACLE
        reason[n] = code
