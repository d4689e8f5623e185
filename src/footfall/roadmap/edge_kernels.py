"""Compiled test of single edges: ground under every footprint, and room for the body.

Import lazily: numba. `memory` is what `edge_memory` makes.
"""

from __future__ import annotations

import math

import numpy as np

from footfall.maths.jit_kernels import inner_kernel, kernel
from footfall.roadmap.lay_kernels import SCALE, lay_edge
from footfall.roadmap.sweep_kernels import is_swept_free
from footfall.world.collision.foot_kernels import foot_placements, gather
from footfall.world.surface_kernels import surface

MOST_PRINTS = 16
"""Footprints of a move, at most."""
STRETCH, TURN, RISE, SLOPE, ROUGH, SHORT, LIFT, SWEPT, GAP, DEEP, ABOVE = range(11)
"""Columns of limits: how far moves are stretched and feet turned; `BodySize` has the others."""
_GAP_STEP_M = 0.06
"""How often the ground below a step is looked at."""


@inner_kernel
def sure_height(raster, level, x, z):  # type: ignore[no-untyped-def]
    """The height of the ground where any foot stands well, whichever way it points; else NaN."""
    i, j = math.floor((x - level[0]) / level[2]), math.floor((z - level[1]) / level[2])
    if i < 0 or j < 0 or i >= raster.shape[0] or j >= raster.shape[1]:
        return math.nan
    return raster[i, j]


@inner_kernel
def climb_of(a, b, count, scale, limits, sole, scene, memory):  # type: ignore[no-untyped-def]
    """How unlike the clip's own climbing the ground under a laid move is, metres a step; infinite
    where a foot cannot stand. And how high its highest footprint is.

    Writes how much higher than in the clip each footprint is.
    """
    world, has_closed, scratch, raster, level = scene
    prints, feet, below, reason, height, normal, rise, found = (
        memory[0], memory[1], memory[2], memory[3], memory[4], memory[5], memory[6], memory[7],
    )  # fmt: skip
    most_rise, most_off, ahead = limits[RISE], limits[RISE] + limits[ABOVE], sole[3]
    top = max(a[1], b[1])
    inner = count - 2
    for n in range(inner):
        yaw = prints[n + 1, 3]
        below[0] = a[1] + prints[n + 1, 1] + most_off
        feet[n, 0] = prints[n + 1, 0] + ahead * math.sin(yaw)
        feet[n, 1] = prints[n + 1, 2] + ahead * math.cos(yaw)
        feet[n, 2] = yaw
        y = sure_height(raster, level, feet[n, 0], feet[n, 1])
        if y <= below[0]:
            reason[n], height[n] = 0, y
        else:
            foot_placements(
                world, feet[n : n + 1], below, sole[:3], limits[3:5], has_closed, scratch, found,
                reason[n : n + 1], height[n : n + 1], normal[n : n + 1],
            )  # fmt: skip
            if reason[n] != 0:
                return math.inf, top
    worst = total = 0.0
    before = 0.0
    rise[0] = 0.0
    for n in range(1, count):
        y = height[n - 1] if n < count - 1 else b[1]
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
def _gap_of(a, count, limits, scene, memory):  # type: ignore[no-untyped-def]
    """Return how far in all the steps of a laid move lead over wide gaps, metres."""
    prints, rise = memory[0], memory[6]
    world, raster, level = scene[0], scene[3], scene[4]
    total, usual, deep = 0.0, limits[GAP], limits[DEEP]
    for n in range(1, count):
        x0, z0, x1, z1 = prints[n - 1, 0], prints[n - 1, 2], prints[n, 0], prints[n, 2]
        long = math.sqrt((x1 - x0) ** 2 + (z1 - z0) ** 2)
        if long <= usual:
            continue
        low = a[1] + min(prints[n - 1, 1] + rise[n - 1], prints[n, 1] + rise[n]) - deep
        if sure_height(raster, level, 0.5 * (x0 + x1), 0.5 * (z0 + z1)) >= low:
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
def check_edge(a, b, laid, m, moves, costs, limits, sole, scene, near, memory):  # type: ignore[no-untyped-def]
    """What the ground under a laid move costs beside its clip; infinite where a foot cannot stand
    or the body touches something.

    scene  world, has_closed, scratch, raster, level
    near   how many of the primitives memory[8] are near enough to be touched
    """
    count = lay_edge(a, laid, m, moves, memory[0])
    climb, top = climb_of(a, b, count, laid[SCALE], limits, sole, scene, memory)
    if not climb < math.inf:
        return climb
    climb *= costs[3]
    if not moves[15][m] and costs[5] > 0.0:
        climb += costs[5] * _gap_of(a, count, limits, scene, memory)
    solids, hit, places, segment = memory[8], memory[9], memory[10], memory[11]
    table, work = scene[0][2], scene[2][0]
    free = is_swept_free(
        a, laid, m, top + limits[LIFT], moves, memory[6], table, solids, near,
        (places, segment, work, memory[0]), hit,
    )  # fmt: skip
    return climb if free else math.inf


@inner_kernel
def is_free_aside(a, laid, m, dx, dz, top, moves, limits, scene, memory):  # type: ignore[no-untyped-def]
    """Whether the body of a laid move touches nothing if all of it is put aside in the plane."""
    aside, rise, world = memory[12], memory[6], scene[0]
    aside[0], aside[1], aside[2], aside[3] = a[0] + dx, a[1], a[2] + dz, a[3]
    rise[:] = 0.0
    lay_edge(aside, laid, m, moves, memory[0])
    reach = limits[SWEPT]
    near = gather(
        world[2], world[8], world[9], world[10], aside[0], aside[2], reach, reach, True, memory[8]
    )
    return is_swept_free(
        aside, laid, m, top + limits[LIFT], moves, rise, world[2], memory[8], near,
        (memory[10], memory[11], scene[2][0], memory[0]), memory[9],
    )  # fmt: skip


@kernel
def edge_memory(primitives):  # type: ignore[no-untyped-def]
    """Memory for `check_edge` in a world of so many primitives; one for each thread."""
    count = max(primitives, 1)
    return (
        np.empty((MOST_PRINTS, 4)), np.empty((MOST_PRINTS, 3)), np.empty(1),
        np.empty(MOST_PRINTS, np.int32), np.empty(MOST_PRINTS), np.empty((MOST_PRINTS, 3)),
        np.empty(MOST_PRINTS), np.empty(count, np.int32), np.empty(count, np.int32),
        np.empty((2, 2 * count), np.int32), np.empty((2, 7)), np.empty((2, 6)),
        np.empty(4),
    )  # fmt: skip
