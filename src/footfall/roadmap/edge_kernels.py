"""Compiled test of single edges: ground under every footprint, and room for the body.

Import lazily: numba. `table` is what `MoveTable.arrays` gives; `ground` and `memory` are `Ground`
and `EdgeMemory` of `roadmap.ground`.
"""

from __future__ import annotations

import math

from footfall.maths.jit_kernels import inner_kernel
from footfall.roadmap.lay_kernels import (
    ABOVE,
    DEEP,
    GAP,
    LIFT,
    RISE,
    ROUGH,
    SCALE,
    SHORT,
    SLOPE,
    SWEPT,
    lay,
    lay_edge,
)
from footfall.roadmap.sweep_kernels import is_swept_free
from footfall.world.collision.foot_kernels import foot_placements, gather
from footfall.world.surface_kernels import surface

_GAP_STEP_M = 0.06
"""How often the ground below a step is looked at."""


@inner_kernel
def sure_height(ground, x, z):  # type: ignore[no-untyped-def]
    """The height of the ground where any foot stands well, whichever way it points; else NaN."""
    raster, level = ground.raster, ground.level
    i, j = math.floor((x - level[0]) / level[2]), math.floor((z - level[1]) / level[2])
    if i < 0 or j < 0 or i >= raster.shape[0] or j >= raster.shape[1]:
        return math.nan
    return raster[i, j]


@inner_kernel
def stand_at(n, x, z, yaw, below, limits, ground, memory):  # type: ignore[no-untyped-def]
    """The height at which a foot stands well, no higher than `below`; NaN where it does not."""
    feet, ahead, sole = memory.feet, ground.sole[3], ground.sole
    feet[n, 0], feet[n, 1] = x + ahead * math.sin(yaw), z + ahead * math.cos(yaw)
    y = sure_height(ground, feet[n, 0], feet[n, 1])
    if y <= below:
        return y
    feet[n, 2], memory.below[0] = yaw, below
    foot_placements(
        ground.world, feet[n : n + 1], memory.below, sole[:3], limits[SLOPE : ROUGH + 1],
        ground.has_closed, ground.scratch, memory.found, memory.reason[n : n + 1],
        memory.height[n : n + 1], memory.normal[n : n + 1],
    )  # fmt: skip
    return memory.height[n] if memory.reason[n] == 0 else math.nan


@inner_kernel
def climb_of(a, b, count, scale, limits, ground, memory):  # type: ignore[no-untyped-def]
    """How unlike the clip's own climbing the ground under a laid move is, metres a step; infinite
    where a foot cannot stand. And how high its highest footprint is.

    Writes how much higher than in the clip each footprint is.
    """
    prints, rise = memory.prints, memory.rise
    most_rise, most_off = limits[RISE], limits[RISE] + limits[ABOVE]
    top = max(a[1], b[1])
    for n in range(1, count - 1):
        below = a[1] + prints[n, 1] + most_off
        y = stand_at(n, prints[n, 0], prints[n, 2], prints[n, 3], below, limits, ground, memory)
        if y != y:
            return math.inf, top
        memory.height[n] = y
    worst = total = 0.0
    before = 0.0
    rise[0] = 0.0
    for n in range(1, count):
        y = memory.height[n] if n < count - 1 else b[1]
        top = max(top, y)
        off = y - a[1] - prints[n, 1]
        rise[n] = y - a[1] - prints[n, 1] / scale
        worst = max(worst, abs(off - before))
        total += abs(off - before)
        before = off
        if abs(off) > most_off:
            return math.inf, top
    if worst > most_rise:
        return math.inf, top
    return total / max(count - 1, 1), top


@inner_kernel
def _gap_of(a, count, limits, ground, memory):  # type: ignore[no-untyped-def]
    """Return how far in all the steps of a laid move lead over wide gaps, metres."""
    prints, rise, world = memory.prints, memory.rise, ground.world
    total, usual, deep = 0.0, limits[GAP], limits[DEEP]
    for n in range(1, count):
        x0, z0, x1, z1 = prints[n - 1, 0], prints[n - 1, 2], prints[n, 0], prints[n, 2]
        long = math.sqrt((x1 - x0) ** 2 + (z1 - z0) ** 2)
        if long <= usual:
            continue
        low = a[1] + min(prints[n - 1, 1] + rise[n - 1], prints[n, 1] + rise[n]) - deep
        if sure_height(ground, 0.5 * (x0 + x1), 0.5 * (z0 + z1)) >= low:
            continue
        steps = int(long / _GAP_STEP_M)
        run = longest = 0
        for k in range(1, steps):
            x, z = x0 + (x1 - x0) * k / steps, z0 + (z1 - z0) * k / steps
            y = surface(
                world[0], world[1], world[2], world[3], world[4], world[5], world[6], world[7],
                x, z, low + 2.0 * deep,
            )[0]  # fmt: skip
            run = 0 if y >= low else run + 1
            longest = max(longest, run)
        total += max(longest * long / max(steps, 1) - usual, 0.0)
    return total


@inner_kernel
def find_near(a, limits, ground, memory):  # type: ignore[no-untyped-def]
    """Write the primitives that a body may touch in a move from a foothold; how many."""
    world, reach = ground.world, limits[SWEPT]
    return gather(
        world[2], world[8], world[9], world[10], a[0], a[2], reach, reach, True, memory.solids
    )


@inner_kernel
def check_edge(a, b, laid, m, table, ground, near, memory):  # type: ignore[no-untyped-def]
    """What the ground under a laid move costs beside its clip; infinite where a foot cannot stand
    or the body touches something.

    near   how many primitives `find_near` found
    """
    moves, costs, limits = table.moves, table.costs, table.limits
    count = lay_edge(a, laid, m, moves, memory.prints)
    climb, top = climb_of(a, b, count, laid[SCALE], limits, ground, memory)
    if not climb < math.inf:
        return climb
    climb *= costs.climb_weight
    if not moves.leaps[m] and costs.gap_weight > 0.0:
        climb += costs.gap_weight * _gap_of(a, count, limits, ground, memory)
    free = is_swept_free(a, laid, m, top + limits[LIFT], moves, ground, near, memory)
    return costs.dear[m] * climb if free else math.inf


@inner_kernel
def ground_cost(a, b, m, table, ground, memory, laid):  # type: ignore[no-untyped-def]
    """What the ground adds to the cost of a move between two footholds; see `check_edge`."""
    lay(a, b, m, table.moves, table.limits[SHORT], laid)
    near = find_near(a, table.limits, ground, memory)
    return check_edge(a, b, laid, m, table, ground, near, memory)


@inner_kernel
def is_free_aside(a, laid, m, dx, dz, top, table, ground, memory):  # type: ignore[no-untyped-def]
    """Whether the body of a laid move touches nothing if all of it is put aside in the plane."""
    aside, moves, limits = memory.aside, table.moves, table.limits
    aside[0], aside[1], aside[2], aside[3] = a[0] + dx, a[1], a[2] + dz, a[3]
    memory.rise[:] = 0.0
    lay_edge(aside, laid, m, moves, memory.prints)
    near = find_near(aside, limits, ground, memory)
    return is_swept_free(aside, laid, m, top + limits[LIFT], moves, ground, near, memory)
