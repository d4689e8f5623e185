"""Compiled test of single edges: ground under every footprint, and room for the body.

Import lazily: numba. `table` is the `TableArrays` of a `MoveTable`, `terrain` the `Terrain` of
`ground`.
"""

from __future__ import annotations

import math

from footfall.maths.jit_kernels import inner_kernel
from footfall.roadmap.lay_kernels import heading, lay, lay_edge
from footfall.roadmap.sweep_columns import FOUND, NEAR
from footfall.roadmap.sweep_kernels import is_swept_free
from footfall.world.collision.foot_kernels import VALID, gather, place_foot
from footfall.world.surface_kernels import surface

_GAP_STEP_M = 0.06
"""How often the ground below a step is looked at."""


@inner_kernel
def _sure_height(terrain, x, z):  # type: ignore[no-untyped-def]
    """Return the height of the ground where any foot stands well, however it points; else NaN."""
    raster, memory = terrain.raster, terrain.memory
    i = math.floor((x - memory.raster_x) / memory.raster_m)
    j = math.floor((z - memory.raster_z) / memory.raster_m)
    if i < 0 or j < 0 or i >= raster.shape[0] or j >= raster.shape[1]:
        return math.nan
    return raster[i, j]


@inner_kernel
def stand_at(x, z, yaw, below, terrain):  # type: ignore[no-untyped-def]
    """Return the height at which a foot stands well, no higher than `below`; else NaN."""
    ahead = terrain.memory.ahead
    x, z = x + ahead * math.sin(yaw), z + ahead * math.cos(yaw)
    y = _sure_height(terrain, x, z)
    if y <= below:
        return y
    code, y, _, _ = place_foot(
        terrain.world, x, z, yaw, below, terrain.foot, terrain.lists[FOUND], terrain.work
    )
    return y if code == VALID else math.nan


@inner_kernel
def _climb_of(a, b, count, scale, limits, terrain):  # type: ignore[no-untyped-def]
    """Return how unlike the clip's own climbing the ground under a laid move is, metres,
    infinite where a foot cannot stand; and how high its highest footprint is.

    Writes how much higher than in the clip each footprint is.
    """
    prints, rise, height = terrain.memory.prints, terrain.memory.rise, terrain.memory.height
    most_off = limits.rise + limits.above
    top = max(a[1], b[1])
    for n in range(1, count - 1):
        below = a[1] + prints[n, 1] + most_off
        height[n] = stand_at(prints[n, 0], prints[n, 2], prints[n, 3], below, terrain)
        if height[n] != height[n]:
            return math.inf, top
    worst = total = 0.0
    before = 0.0
    rise[0] = 0.0
    for n in range(1, count):
        y = height[n] if n < count - 1 else b[1]
        top = max(top, y)
        off = y - a[1] - prints[n, 1]
        rise[n] = y - a[1] - prints[n, 1] / scale
        worst = max(worst, abs(off - before))
        total += abs(off - before)
        before = off
        if abs(off) > most_off:
            return math.inf, top
    if worst > limits.rise:
        return math.inf, top
    return total, top


@inner_kernel
def _gap_of(a, count, limits, terrain):  # type: ignore[no-untyped-def]
    """Return how far in all the steps of a laid move lead over wide gaps, metres."""
    prints, rise = terrain.memory.prints, terrain.memory.rise
    total = 0.0
    for n in range(1, count):
        x0, z0, x1, z1 = prints[n - 1, 0], prints[n - 1, 2], prints[n, 0], prints[n, 2]
        long = math.sqrt((x1 - x0) ** 2 + (z1 - z0) ** 2)
        if long <= limits.gap:
            continue
        low = a[1] + min(prints[n - 1, 1] + rise[n - 1], prints[n, 1] + rise[n]) - limits.deep
        if _sure_height(terrain, 0.5 * (x0 + x1), 0.5 * (z0 + z1)) >= low:
            continue
        steps = int(long / _GAP_STEP_M)
        run = longest = 0
        for k in range(1, steps):
            x, z = x0 + (x1 - x0) * k / steps, z0 + (z1 - z0) * k / steps
            y, _, _, _, _ = surface(terrain.world, x, z, low + 2.0 * limits.deep)
            run = 0 if y >= low else run + 1
            longest = max(longest, run)
        total += max(longest * long / max(steps, 1) - limits.gap, 0.0)
    return total


@inner_kernel
def find_near(a, limits, terrain):  # type: ignore[no-untyped-def]
    """Write the primitives that a body may touch in a move from a foothold; how many."""
    reach = limits.swept
    return gather(terrain.world, 1, a[0], a[2], reach, reach, terrain.lists[NEAR])


@inner_kernel
def check_edge(a, b, laid, move, near, table, terrain):  # type: ignore[no-untyped-def]
    """Return what the ground under a laid move costs beside its clip; infinite where a foot cannot
    stand or the body touches something.

    near   how many primitives `find_near` found
    """
    limits = table.limits
    count = lay_edge(a, laid, move, table.prints, terrain.memory.prints[:])
    climb, top = _climb_of(a, b, count, laid.scale, limits, terrain)
    if not climb < math.inf:
        return climb
    climb *= limits.climb_weight
    if not move.leaps and limits.gap_weight > 0.0:
        climb += limits.gap_weight * _gap_of(a, count, limits, terrain)
    free = is_swept_free(a, laid, move, top + limits.lift, near, table, terrain)
    return move.dear * climb if free else math.inf


@inner_kernel
def ground_cost(a, b, m, table, terrain):  # type: ignore[no-untyped-def]
    """Return what the ground adds to the cost of a move between footholds; see `check_edge`."""
    move, limits = table.moves[m], table.limits
    far, bearing = heading(a, b)
    laid = lay(a, b, far, bearing, move, limits)
    return check_edge(a, b, laid, move, find_near(a, limits, terrain), table, terrain)
