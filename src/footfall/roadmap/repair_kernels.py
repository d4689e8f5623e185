"""Compiled parts of repairing: which moves may touch what changed. Import lazily: numba."""

from __future__ import annotations

import math

import numpy as np

from footfall.maths.jit_kernels import inner_kernel, kernel
from footfall.roadmap.lay_kernels import BEARING, REST_X, REST_Z, SCALE, adaptation, lay, wrap

HIGH_M = 0.6
"""Nobody steps on or over what is higher."""


@inner_kernel
def _meets(a, laid, whole, changed, pad):  # type: ignore[no-untyped-def]
    """Whether what a laid move sweeps, widened by `pad`, meets one of the boxes that changed.

    whole    (6,) the box that holds all that the move sweeps, from its first footprint
    changed  (C, 6) least and largest x, y, z
    """
    c, s, scale = math.cos(laid[BEARING]), math.sin(laid[BEARING]), laid[SCALE]
    wide = max(scale, 1.0)
    x, z = 0.5 * scale * (whole[0] + whole[3]), 0.5 * scale * (whole[2] + whole[5])
    hx = 0.5 * wide * (whole[3] - whole[0]) + 0.5 * abs(laid[REST_X]) + pad
    hz = 0.5 * wide * (whole[5] - whole[2]) + 0.5 * abs(laid[REST_Z]) + pad
    mx = a[0] + c * x + s * z + 0.5 * laid[REST_X]
    mz = a[2] + c * z - s * x + 0.5 * laid[REST_Z]
    rx, rz = abs(c) * hx + abs(s) * hz, abs(s) * hx + abs(c) * hz
    for k in range(len(changed)):
        if changed[k, 1] > a[1] + whole[4] + 0.5 or changed[k, 4] < a[1] + whole[1] - 1.0:
            continue
        bx, bz = 0.5 * (changed[k, 0] + changed[k, 3]), 0.5 * (changed[k, 2] + changed[k, 5])
        gx, gz = 0.5 * (changed[k, 3] - changed[k, 0]), 0.5 * (changed[k, 5] - changed[k, 2])
        dx, dz = bx - mx, bz - mz
        if abs(dx) > rx + gx or abs(dz) > rz + gz:
            continue
        if abs(c * dx - s * dz) > hx + abs(c) * gx + abs(s) * gz:
            continue
        if abs(s * dx + c * dz) > hz + abs(s) * gx + abs(c) * gz:
            continue
        return True
    return False


@inner_kernel
def _is_near(a, b, reach, changed):  # type: ignore[no-untyped-def]
    """Whether the bounds of two footholds, so much wider, meet one of the boxes."""
    for k in range(len(changed)):
        if (
            min(a[0], b[0]) - reach < changed[k, 3]
            and max(a[0], b[0]) + reach > changed[k, 0]
            and min(a[2], b[2]) - reach < changed[k, 5]
            and max(a[2], b[2]) + reach > changed[k, 2]
        ):
            return True
    return False


@inner_kernel
def _leads_through(a, laid, m, bodies, slice_s, freed, taken):  # type: ignore[no-untyped-def]
    """Whether a disc that holds a part of the body in a laid move meets a box that was freed, and
    the middle of none is in one that is taken now."""
    starts, discs, clip, origin, begin, seconds = bodies
    c, s, scale = math.cos(laid[BEARING]), math.sin(laid[BEARING]), laid[SCALE]
    co, so = math.cos(origin[m, 3]), math.sin(origin[m, 3])
    first = starts[clip[m]] + int(begin[m] / slice_s + 1e-9)
    stop = starts[clip[m]] + math.ceil((begin[m] + seconds[m]) / slice_s - 1e-9)
    found = False
    for n in range(first, min(max(stop, first + 1), starts[clip[m] + 1])):
        for part in range(discs.shape[1]):
            d = discs[n, part]
            dx, dz = d[0] - origin[m, 0], d[1] - origin[m, 2]
            x, z = scale * (co * dx - so * dz), scale * (so * dx + co * dz)
            wx = a[0] + c * x + s * z + 0.5 * laid[REST_X]
            wz = a[2] + c * z - s * x + 0.5 * laid[REST_Z]
            low, high = a[1] + d[3] - origin[m, 1], a[1] + d[4] - origin[m, 1]
            for k in range(len(taken)):
                if (
                    taken[k, 0] < wx < taken[k, 3] and taken[k, 2] < wz < taken[k, 5]
                    and taken[k, 1] < high and max(low, a[1] + HIGH_M) < taken[k, 4]
                ):  # fmt: skip
                    return False
            for k in range(len(freed)):
                gx = max(freed[k, 0] - wx, wx - freed[k, 3], 0.0)
                gz = max(freed[k, 2] - wz, wz - freed[k, 5], 0.0)
                found = found or gx * gx + gz * gz < d[2] * d[2]
    return found


@kernel
def touched_edges(  # type: ignore[no-untyped-def]
    tails, heads, edge_move, nodes, away, moves, sweeps, radius, short, changed, pad, out
):  # fmt: skip
    """Fill which edges (E,) sweep through what changed.

    away    (N,) how far each foothold is from it     moves   chord, first and last turn, end
    sweeps  (M, 6) the box that each move sweeps      radius  (M,) how far it gets
    """
    chord, turn_first, turn_last, end_x, end_z = moves
    laid = np.empty(6)
    for e in range(len(edge_move)):
        m = edge_move[e]
        out[e] = False
        if away[tails[e]] > 1.3 * radius[m] + pad:
            continue
        a, b = nodes[tails[e]], nodes[heads[e]]
        lay(b[0] - a[0], b[2] - a[2], a[3], b[3], chord[m], turn_first[m], turn_last[m],
            end_x[m], end_z[m], short, laid)  # fmt: skip
        out[e] = _meets(a, laid, sweeps[m], changed, pad)


@kernel
def touched_pairs(  # type: ignore[no-untyped-def]
    tails, heads, nodes, moves, sweeps, bodies, slice_s, reaches, bins, bin_starts, bin_items,
    limits, freed, taken, out,
):  # fmt: skip
    """Fill for which pairs of footholds some move that fits may lead through what was freed.

    freed, taken  (C, 6) boxes that are free now, and that are not any more
    reaches  (distances,) how far from the line between footholds so far apart bodies get
    """
    chord, turn_first, turn_last, end_x, end_z = moves
    step_m, distances, angles = bins
    most_scale, most_turn, short = limits[0], limits[1], limits[5]
    laid = np.empty(6)
    for q in range(len(tails)):
        out[q] = False
        a, b = nodes[tails[q]], nodes[heads[q]]
        dx, dz = b[0] - a[0], b[2] - a[2]
        d = math.sqrt(dx * dx + dz * dz)
        i = int(d / step_m)
        if i >= distances:
            continue
        if not _is_near(a, b, reaches[i], freed):
            continue
        bearing = math.atan2(dx, dz) if d > 0.0 else 0.0
        j = int((wrap(a[3] - bearing) + math.pi) * angles / (2.0 * math.pi))
        k = int((wrap(b[3] - bearing) + math.pi) * angles / (2.0 * math.pi))
        cell = (i * angles + min(j, angles - 1)) * angles + min(k, angles - 1)
        for r in range(bin_starts[cell], bin_starts[cell + 1]):
            m = bin_items[r]
            lay(dx, dz, a[3], b[3], chord[m], turn_first[m], turn_last[m], end_x[m], end_z[m],
                short, laid)  # fmt: skip
            if not adaptation(laid, chord[m], most_scale, most_turn, short) < math.inf:
                continue
            if _meets(a, laid, sweeps[m], freed, 0.0) and _leads_through(
                a, laid, m, bodies, slice_s, freed, taken
            ):
                out[q] = True
                break
