"""Compiled parts of refining: footholds moved along a path. Import lazily: numba."""

from __future__ import annotations

import math

import numpy as np

from footfall.maths.jit_kernels import inner_kernel, kernel
from footfall.roadmap.kernels import (
    SCALE,
    adaptation,
    climb_of,
    is_swept_free,
    lay,
    lay_edge,
    sure_height,
    wrap,
)
from footfall.world.collision.foot_kernels import foot_placements


@inner_kernel
def _stands(x, z, yaw, below, limits, world, sole, scratch, found, has_closed, raster, level, one):  # type: ignore[no-untyped-def]
    """The height of a foothold where a foot stands well; else NaN. `one` is memory for one foot."""
    feet, limit, reason, height, normal = one
    feet[0, 0], feet[0, 1] = x + sole[3] * math.sin(yaw), z + sole[3] * math.cos(yaw)
    feet[0, 2], limit[0] = yaw, below
    y = sure_height(raster, level, feet[0, 0], feet[0, 1])
    if y <= below:
        return y
    foot_placements(
        world,
        feet,
        limit,
        sole[:3],
        limits[3:5],
        has_closed,
        scratch,
        found,
        reason,
        height,
        normal,
    )
    return height[0] if reason[0] == 0 else math.nan


@inner_kernel
def _best_move(  # type: ignore[no-untyped-def]
    a, b, begin, end, moves, costs, bins, bin_starts, bin_items, limits, sole, world, has_closed,
    scratch, found, raster, level, memory, laid,
):  # fmt: skip
    """The cheapest move from one foothold to another that begins and ends in given postures.

    Its number, or -1 for none, and what it costs.
    """
    chord, turn_first, turn_last, end_x, end_z = moves[0], moves[1], moves[2], moves[3], moves[4]
    begins, ends = moves[12], moves[13]
    own_cost, dearness, change_weight, climb_weight, _ = costs
    step_m, distances, angles = bins
    prints, feet, below, reason, height, normal = memory
    _, _, table, _, _, _, _, _, lattice, starts, items = world
    work, hull, box, _, _ = scratch
    dx, dz = b[0] - a[0], b[2] - a[2]
    d = math.sqrt(dx * dx + dz * dz)
    i = int(d / step_m)
    if i >= distances:
        return -1, math.inf
    bearing = math.atan2(dx, dz) if d > 0.0 else 0.0
    j = int((wrap(a[3] - bearing) + math.pi) * angles / (2.0 * math.pi))
    k = int((wrap(b[3] - bearing) + math.pi) * angles / (2.0 * math.pi))
    cell = (i * angles + min(j, angles - 1)) * angles + min(k, angles - 1)
    best, which = math.inf, -1
    for r in range(bin_starts[cell], bin_starts[cell + 1]):
        m = bin_items[r]
        if begins[m] != begin or ends[m] != end:
            continue
        lay(dx, dz, a[3], b[3], chord[m], turn_first[m], turn_last[m], end_x[m], end_z[m],
            limits[5], laid)  # fmt: skip
        how = adaptation(laid, chord[m], limits[0], limits[1], limits[5])
        if not how < math.inf:
            continue
        cost = dearness[m] * (own_cost[m] * laid[SCALE] + change_weight * how)
        if cost >= best:
            continue
        count = lay_edge(a, laid, m, moves, prints)
        climb, top = climb_of(
            a, b, count, limits, world, sole, scratch, feet, below, reason, height, normal, found,
            prints, has_closed, raster, level,
        )  # fmt: skip
        cost += dearness[m] * climb_weight * climb
        if cost < best and is_swept_free(
            a, laid, m, top + limits[6], moves, table, lattice, starts, items, box, work, hull
        ):
            best, which = cost, m
    return which, best


@kernel
def straighten(  # type: ignore[no-untyped-def]
    feet_at, chosen, cost, fixed, sweeps, halvings, moves, costs, bins, bin_starts, bin_items,
    limits, sole, world, has_closed, scratch, found, raster, level, postures_begin, postures_end,
):  # fmt: skip
    """Straighten a path: footholds (W + 1, 4), their moves (W,) and costs (W,), in place.

    Every foothold but those that are `fixed` goes where the binomial filter (Eq. 8) takes it, as
    far as it stands well there, a move of the same kind still leads to and from it, and the path
    gets no dearer.
    """
    count = len(chosen)
    most = 16
    memory = (np.empty((most, 4)), np.empty((most, 3)), np.empty(1), np.empty(most, np.int32),
              np.empty(most), np.empty((most, 3)))  # fmt: skip
    one = (np.empty((1, 3)), np.empty(1), np.empty(1, np.int32), np.empty(1), np.empty((1, 3)))
    laid, there = np.empty(6), np.empty(4)
    changed = 0
    for sweep in range(sweeps):
        for n in range(1, count):
            j = n if sweep % 2 == 0 else count - n
            if fixed[j]:
                continue
            inner = 2 <= j <= count - 2
            here = feet_at[j]
            w1, w2 = wrap(here[3] - feet_at[j - 1, 3]), wrap(feet_at[j + 1, 3] - here[3])
            if inner:
                w0 = wrap(feet_at[j - 1, 3] - feet_at[j - 2, 3])
                w3 = wrap(feet_at[j + 2, 3] - feet_at[j + 1, 3])
                turn = (-w0 - 5.0 * w1 + 5.0 * w2 + w3) / 16.0
            else:
                turn = (w2 - w1) / 4.0
            share = 1.0
            for _ in range(halvings + 1):
                for axis in (0, 2):
                    if inner:
                        aim = (
                            feet_at[j - 2, axis] + 4.0 * feet_at[j - 1, axis] + 6.0 * here[axis]
                            + 4.0 * feet_at[j + 1, axis] + feet_at[j + 2, axis]
                        ) / 16.0  # fmt: skip
                    else:
                        aim = 0.25 * (
                            feet_at[j - 1, axis] + 2.0 * here[axis] + feet_at[j + 1, axis]
                        )
                    there[axis] = here[axis] + share * (aim - here[axis])
                there[3] = wrap(here[3] + share * turn)
                y = _stands(
                    there[0], there[2], there[3], here[1] + limits[2], limits, world, sole,
                    scratch, found, has_closed, raster, level, one,
                )  # fmt: skip
                if y == y and abs(y - here[1]) <= limits[2]:
                    there[1] = y
                    m1, c1 = _best_move(
                        feet_at[j - 1], there, postures_begin[j - 1], postures_end[j - 1], moves,
                        costs, bins, bin_starts, bin_items, limits, sole, world, has_closed,
                        scratch, found, raster, level, memory, laid,
                    )  # fmt: skip
                    if m1 >= 0 and c1 < cost[j - 1] + cost[j]:
                        m2, c2 = _best_move(
                            there, feet_at[j + 1], postures_begin[j], postures_end[j], moves, costs,
                            bins, bin_starts, bin_items, limits, sole, world, has_closed, scratch,
                            found, raster, level, memory, laid,
                        )  # fmt: skip
                        if m2 >= 0 and c1 + c2 <= cost[j - 1] + cost[j]:
                            for axis in range(4):
                                feet_at[j, axis] = there[axis]
                            chosen[j - 1], chosen[j], cost[j - 1], cost[j] = m1, m2, c1, c2
                            changed += 1
                            break
                share *= 0.5
    return changed
