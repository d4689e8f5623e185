"""Compiled parts of repairing: which moves may touch what changed. Import lazily: numba."""

from __future__ import annotations

import math

import numpy as np

from footfall.maths.jit_kernels import inner_kernel, kernel
from footfall.roadmap.lay_kernels import (
    BEARING,
    REST_X,
    REST_Z,
    SCALE,
    SHORT,
    STRETCH,
    TURN,
    adaptation,
    bin_of,
    lay,
)


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
def _leads_through(a, laid, m, bodies, freed, taken, high_m):  # type: ignore[no-untyped-def]
    """Whether a disc that holds a part of the body in a laid move meets a box that was freed, and
    the middle of none is in one that is taken now."""
    starts, discs, clip, origin = bodies.starts, bodies.discs, bodies.clip, bodies.origin
    begin, seconds, slice_s = bodies.begin, bodies.seconds, bodies.slice_s
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
                    and taken[k, 1] < high and max(low, a[1] + high_m) < taken[k, 4]
                ):  # fmt: skip
                    return False
            for k in range(len(freed)):
                gx = max(freed[k, 0] - wx, wx - freed[k, 3], 0.0)
                gz = max(freed[k, 2] - wz, wz - freed[k, 5], 0.0)
                found = found or gx * gx + gz * gz < d[2] * d[2]
    return found


@kernel
def touched_edges(tails, heads, edge_move, nodes, away, table, sweeps, changed, pad, out):  # type: ignore[no-untyped-def]
    """Fill which edges (E,) sweep through what changed.

    away    (N,) how far each foothold is from it     sweeps  (M, 6) the box that each move sweeps
    """
    moves, laid = table.moves, np.empty(6)
    for e in range(len(edge_move)):
        m = edge_move[e]
        out[e] = False
        if away[tails[e]] > 1.3 * moves.radius[m] + pad:
            continue
        a = nodes[tails[e]]
        lay(a, nodes[heads[e]], m, moves, table.limits[SHORT], laid)
        out[e] = _meets(a, laid, sweeps[m], changed, pad)


@kernel
def touched_pairs(tails, heads, nodes, table, sweeps, bodies, reaches, freed, taken, high_m, out):  # type: ignore[no-untyped-def]
    """Fill for which pairs of footholds some move that fits may lead through what was freed.

    freed, taken  (C, 6) boxes that are free now, and that are not any more
    reaches  (distances,) how far from the line between footholds so far apart bodies get
    high_m   nobody steps on or over what is higher
    """
    moves, bins, limits = table.moves, table.bins, table.limits
    laid, where = np.empty(6), np.empty(4)
    for q in range(len(tails)):
        out[q] = False
        a, b = nodes[tails[q]], nodes[heads[q]]
        cell = bin_of(a, b, bins, where)
        if cell < 0:
            continue
        near, reach = False, reaches[cell // (bins.angles * bins.angles)]
        for k in range(len(freed)):
            near = near or (
                min(a[0], b[0]) - reach < freed[k, 3] and max(a[0], b[0]) + reach > freed[k, 0]
                and min(a[2], b[2]) - reach < freed[k, 5] and max(a[2], b[2]) + reach > freed[k, 2]
            )  # fmt: skip
        if not near:
            continue
        for r in range(bins.starts[cell], bins.starts[cell + 1]):
            m = bins.items[r]
            lay(a, b, m, moves, limits[SHORT], laid)
            how = adaptation(laid, moves.chord[m], limits[STRETCH], limits[TURN], limits[SHORT])
            if (
                how < math.inf
                and _meets(a, laid, sweeps[m], freed, 0.0)
                and _leads_through(a, laid, m, bodies, freed, taken, high_m)
            ):
                out[q] = True
                break
