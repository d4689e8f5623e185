"""Compiled parts of repairing: which moves may touch what changed. Import lazily: numba."""

from __future__ import annotations

import math

import numpy as np

from footfall.maths.jit_kernels import inner_kernel, kernel
from footfall.roadmap.lay_kernels import BEARING, REST_X, REST_Z, SCALE, adaptation, lay, wrap


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
    tails, heads, nodes, moves, sweeps, bins, bin_starts, bin_items, limits, changed, pad, out
):  # fmt: skip
    """Fill for which pairs of footholds some move that fits sweeps through what changed."""
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
            if _meets(a, laid, sweeps[m], changed, pad):
                out[q] = True
                break
