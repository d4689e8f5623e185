"""Compiled parts of repairing: which moves may touch what changed. Import lazily: numba."""

from __future__ import annotations

import math

from footfall.maths.jit_kernels import inner_kernel, lean_kernel
from footfall.roadmap.lay_kernels import bin_of, change_of, heading, lay


@inner_kernel
def _meets(a, laid, whole, changed, pad):  # type: ignore[no-untyped-def]
    """Return whether what a laid move sweeps, widened by `pad`, meets a box that changed.

    whole    (6,) the box that holds all that the move sweeps, from its first footprint
    changed  (C, 6) least and largest x, y, z
    """
    c, s, scale = math.cos(laid.bearing), math.sin(laid.bearing), laid.scale
    wide = max(scale, 1.0)
    x, z = 0.5 * scale * (whole[0] + whole[3]), 0.5 * scale * (whole[2] + whole[5])
    hx = 0.5 * wide * (whole[3] - whole[0]) + 0.5 * abs(laid.rest_x) + pad
    hz = 0.5 * wide * (whole[5] - whole[2]) + 0.5 * abs(laid.rest_z) + pad
    mx = a[0] + c * x + s * z + 0.5 * laid.rest_x
    mz = a[2] + c * z - s * x + 0.5 * laid.rest_z
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
def _leads_through(a, laid, body, discs, freed, taken, high_m):  # type: ignore[no-untyped-def]
    """Return whether a disc that holds a part of the body in a laid move meets a box that was
    freed, and the middle of none is in one that is taken now."""
    c, s, scale, origin = math.cos(laid.bearing), math.sin(laid.bearing), laid.scale, body.origin
    co, so = math.cos(origin[3]), math.sin(origin[3])
    found = False
    for n in range(body.slice_first, body.slice_stop):
        for part in range(discs.shape[1]):
            d = discs[n, part]
            dx, dz = d[0] - origin[0], d[1] - origin[2]
            x, z = scale * (co * dx - so * dz), scale * (so * dx + co * dz)
            wx = a[0] + c * x + s * z + 0.5 * laid.rest_x
            wz = a[2] + c * z - s * x + 0.5 * laid.rest_z
            low, high = a[1] + d[3] - origin[1], a[1] + d[4] - origin[1]
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


@lean_kernel
def touched_edges(edges, nodes, away, table, bodies, changed, pad, out):  # type: ignore[no-untyped-def]
    """Fill which edges (E,) sweep through what changed.

    away    (N,) how far each foothold is from it     bodies  (M,) `BODY` records
    """
    for e in range(len(edges)):
        tail, m = edges[e].tail, edges[e].move
        move = table.moves[m]
        out[e] = False
        if away[tail] > 1.3 * move.radius + pad:
            continue
        a, b = nodes[tail], nodes[edges[e].head]
        far, bearing = heading(a, b)
        laid = lay(a, b, far, bearing, move, table.limits)
        out[e] = _meets(a, laid, bodies[m].whole[:], changed, pad)


@lean_kernel
def touched_pairs(tails, heads, nodes, table, bodies, discs, reaches, freed, taken, high_m, out):  # type: ignore[no-untyped-def]
    """Fill for which pairs of footholds some move that fits may lead through what was freed.

    freed, taken  (C, 6) boxes that are free now, and that are not any more
    reaches  (distances,) how far from the line between footholds so far apart bodies get
    high_m   nobody steps on or over what is higher
    """
    bins, limits = table.bins, table.limits
    for q in range(len(tails)):
        out[q] = False
        a, b = nodes[tails[q]], nodes[heads[q]]
        cell, far, bearing = bin_of(a, b, limits)
        if cell < 0:
            continue
        near, reach = False, reaches[cell // (limits.angles * limits.angles)]
        for k in range(len(freed)):
            near = near or (
                min(a[0], b[0]) - reach < freed[k, 3] and max(a[0], b[0]) + reach > freed[k, 0]
                and min(a[2], b[2]) - reach < freed[k, 5] and max(a[2], b[2]) + reach > freed[k, 2]
            )  # fmt: skip
        if not near:
            continue
        for r in range(bins[cell], bins[cell + 1]):
            move, body = table.moves[bins[r]], bodies[bins[r]]
            laid = lay(a, b, far, bearing, move, limits)
            change, _ = change_of(laid, move, limits, 0.0, 0.0)
            if (
                change < math.inf
                and _meets(a, laid, body.whole[:], freed, 0.0)
                and _leads_through(a, laid, body, discs, freed, taken, high_m)
            ):
                out[q] = True
                break
