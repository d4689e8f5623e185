"""Compiled parts of roadmaps: which moves fit between footholds. Import lazily: numba.

A foothold is x, height, z and yaw. A move that gets SHORT_M or further is laid along the line
between two footholds and scaled; a shorter one is laid by the directions of its feet, and what is
missing is shared out along it.
"""

from __future__ import annotations

import math

import numpy as np

from footfall.maths.jit_kernels import inner_kernel, kernel
from footfall.world.collision.query_kernels import box_hit
from footfall.world.collision.shape_kernels import HIGH, LOW, C, F, H

BEARING, SCALE, FIRST_OFF, LAST_OFF, REST_X, REST_Z = range(6)
"""How a move is laid between two footholds."""


@inner_kernel
def wrap(angle):  # type: ignore[no-untyped-def]
    """An angle between -pi and pi."""
    return angle - 2.0 * math.pi * math.floor((angle + math.pi) / (2.0 * math.pi))


@inner_kernel
def lay(dx, dz, yaw, end_yaw, chord, turn_first, turn_last, end_x, end_z, short, laid):  # type: ignore[no-untyped-def]
    """How a move is laid from a foothold to another that is (dx, dz) away."""
    if chord >= short:
        bearing = math.atan2(dx, dz)
        laid[SCALE] = math.sqrt(dx * dx + dz * dz) / chord
        laid[REST_X] = laid[REST_Z] = 0.0
    else:
        a, b = yaw - turn_first, end_yaw - turn_last
        bearing = a + 0.5 * wrap(b - a)
        c, s = math.cos(bearing), math.sin(bearing)
        laid[SCALE] = 1.0
        laid[REST_X] = dx - (c * end_x + s * end_z)
        laid[REST_Z] = dz - (c * end_z - s * end_x)
    laid[BEARING] = bearing
    laid[FIRST_OFF] = wrap(yaw - bearing - turn_first)
    laid[LAST_OFF] = wrap(end_yaw - bearing - turn_last)


@inner_kernel
def adaptation(laid, chord, most_scale, most_turn, short):  # type: ignore[no-untyped-def]
    """How much a laid move is changed (Eq. 5); infinite where it is too much."""
    turn = max(abs(laid[FIRST_OFF]), abs(laid[LAST_OFF]))
    if turn > most_turn:
        return math.inf
    if chord >= short:
        off = abs(1.0 - laid[SCALE])
    else:
        off = math.sqrt(laid[REST_X] ** 2 + laid[REST_Z] ** 2) / short
    if off > most_scale:
        return math.inf
    return off + turn


@kernel
def fill_bins(  # type: ignore[no-untyped-def]
    chord, turn_first, turn_last, end_x, end_z, own_cost, dearness, pair, pairs,
    step_m, distances, angles, keep, most_scale, most_turn, short, weight, starts, items,
):  # fmt: skip
    """List, for every bin of distance and of both directions, the moves that may fit there.

    Of each pair of postures the `keep` cheapest are listed, seen from the middle of the bin.
    Returns how many there are; a list that is too short is not written beyond its end.
    """
    laid = np.empty(6)
    best_cost, best = np.empty((pairs, keep)), np.empty((pairs, keep), np.int64)
    used = np.empty(pairs, np.int64)
    turn_slack, slack = math.pi / angles, 0.5 * step_m
    count = 0
    for i in range(distances):
        d = (i + 0.5) * step_m
        for j in range(angles):
            yaw = (j + 0.5) * 2.0 * math.pi / angles - math.pi
            for k in range(angles):
                end_yaw = (k + 0.5) * 2.0 * math.pi / angles - math.pi
                starts[(i * angles + j) * angles + k] = count
                touched = 0
                for p in range(pairs):
                    best[p, 0] = -1
                for m in range(len(chord)):
                    c = chord[m]
                    if c >= short:
                        if abs(1.0 - d / c) > most_scale + slack / c:
                            continue
                    elif abs(d - c) > most_scale * short + slack + 0.1:
                        continue
                    lay(0.0, d, yaw, end_yaw, c, turn_first[m], turn_last[m], end_x[m], end_z[m],
                        short, laid)  # fmt: skip
                    loose = slack / (c if c >= short else short) + (0.0 if c >= short else 0.15)
                    how = adaptation(laid, c, most_scale + loose, most_turn + turn_slack, short)
                    if not how < math.inf:
                        continue
                    cost = dearness[m] * (own_cost[m] * laid[SCALE] + weight * how)
                    p = pair[m]
                    if best[p, 0] < 0:
                        for n in range(keep):
                            best[p, n], best_cost[p, n] = -1, math.inf
                        best[p, 0] = -1
                        used[touched] = p
                        touched += 1
                    n = keep - 1
                    if cost >= best_cost[p, n]:
                        continue
                    while n > 0 and best_cost[p, n - 1] > cost:
                        best[p, n], best_cost[p, n] = best[p, n - 1], best_cost[p, n - 1]
                        n -= 1
                    best[p, n], best_cost[p, n] = m, cost
                for t in range(touched):
                    for n in range(keep):
                        m = best[used[t], n]
                        if m >= 0:
                            if count < len(items):
                                items[count] = m
                            count += 1
    starts[distances * angles * angles] = count
    return count


@kernel
def fit_pairs(  # type: ignore[no-untyped-def]
    tails, heads, footholds, targets, chord, turn_first, turn_last, end_x, end_z, own_cost,
    dearness, pair, step_m, distances, angles, starts, items, most_scale, most_turn, most_rise,
    short, weight, out_pair, out_move, out_cost,
):  # fmt: skip
    """The moves that fit from each tail (N,) to its head, the cheapest of each pair of postures.

    footholds  (F, 4) x, height, z, yaw of tails     targets  (G, 4) of heads
    Returns how many there are; lists that are too short are not written beyond their ends.
    """
    laid, count = np.empty(6), 0
    for n in range(len(tails)):
        a, b = footholds[tails[n]], targets[heads[n]]
        dx, dz = b[0] - a[0], b[2] - a[2]
        d = math.sqrt(dx * dx + dz * dz)
        i = int(d / step_m)
        if i >= distances or abs(b[1] - a[1]) > most_rise:
            continue
        bearing = math.atan2(dx, dz) if d > 0.0 else 0.0
        j = int((wrap(a[3] - bearing) + math.pi) * angles / (2.0 * math.pi))
        k = int((wrap(b[3] - bearing) + math.pi) * angles / (2.0 * math.pi))
        cell = (i * angles + min(j, angles - 1)) * angles + min(k, angles - 1)
        last, first_out, best = -1, count, math.inf
        for q in range(starts[cell], starts[cell + 1]):
            m = items[q]
            lay(dx, dz, a[3], b[3], chord[m], turn_first[m], turn_last[m], end_x[m], end_z[m],
                short, laid)  # fmt: skip
            how = adaptation(laid, chord[m], most_scale, most_turn, short)
            if not how < math.inf:
                continue
            cost = dearness[m] * (own_cost[m] * laid[SCALE] + weight * how)
            if pair[m] == last:
                if cost < best:
                    best = cost
                    if count <= len(out_pair):
                        out_move[count - 1], out_cost[count - 1] = m, cost
                continue
            last, best = pair[m], cost
            if count < len(out_pair):
                out_pair[count], out_move[count], out_cost[count] = n, m, cost
            count += 1
    return count


@kernel
def lay_prints(  # type: ignore[no-untyped-def]
    edge_tail, edge_head, edge_move, footholds, targets, chord, turn_first, turn_last, end_x,
    end_z, print_start, places, turns, share, short, starts, out,
):  # fmt: skip
    """Write where the footprints of edges (E,) come to be: x, rise, z, yaw from `starts` (E,) on.

    The rise is what the clip itself climbs, scaled; the ground has the last word.
    """
    laid = np.empty(6)
    for e in range(len(edge_move)):
        a, b, m = footholds[edge_tail[e]], targets[edge_head[e]], edge_move[e]
        lay(b[0] - a[0], b[2] - a[2], a[3], b[3], chord[m], turn_first[m], turn_last[m], end_x[m],
            end_z[m], short, laid)  # fmt: skip
        c, s, scale = math.cos(laid[BEARING]), math.sin(laid[BEARING]), laid[SCALE]
        for n in range(print_start[m], print_start[m + 1]):
            u, row = share[n], starts[e] + n - print_start[m]
            x, z = scale * places[n, 0], scale * places[n, 2]
            out[row, 0] = a[0] + c * x + s * z + u * laid[REST_X]
            out[row, 1] = scale * places[n, 1]
            out[row, 2] = a[2] + c * z - s * x + u * laid[REST_Z]
            off = (1.0 - u) * laid[FIRST_OFF] + u * laid[LAST_OFF]
            out[row, 3] = wrap(laid[BEARING] + turns[n] + off)


@kernel
def sweep_boxes(  # type: ignore[no-untyped-def]
    edge_tail, edge_head, edge_move, edge_low, footholds, targets, chord, turn_first, turn_last,
    end_x, end_z, box_start, boxes, short, lift, clearance, radius, world, scratch, blocked,
):  # fmt: skip
    """Tell of edges (E,) whether a box that some part of the body sweeps meets an obstacle.

    edge_low   (E,) the height above which obstacles count at least
    clearance  (F,) how far obstacles are from each tail; `radius` (M,) what a move needs at most
    """
    _, _, table, _, _, _, _, _, lattice, starts, items = world
    work, hull, box, _, _ = scratch
    laid = np.empty(6)
    for e in range(len(edge_move)):
        m = edge_move[e]
        blocked[e] = False
        if clearance[edge_tail[e]] > 1.3 * radius[m]:
            continue
        a, b = footholds[edge_tail[e]], targets[edge_head[e]]
        lay(b[0] - a[0], b[2] - a[2], a[3], b[3], chord[m], turn_first[m], turn_last[m], end_x[m],
            end_z[m], short, laid)  # fmt: skip
        c, s, scale = math.cos(laid[BEARING]), math.sin(laid[BEARING]), laid[SCALE]
        for n in range(box_start[m], box_start[m + 1]):
            low, high = max(a[1] + boxes[n, 1], edge_low[e] + lift), a[1] + boxes[n, 4]
            if high <= low:
                continue
            # Bodies keep their width when steps are stretched: the middle moves, not the size.
            x, z = 0.5 * (boxes[n, 0] + boxes[n, 3]), 0.5 * (boxes[n, 2] + boxes[n, 5])
            x, z = scale * x, scale * z
            hx, hz = 0.5 * (boxes[n, 3] - boxes[n, 0]), 0.5 * (boxes[n, 5] - boxes[n, 2])
            hx, hz = max(scale, 1.0) * hx, max(scale, 1.0) * hz
            box[0, C] = a[0] + c * x + s * z + 0.5 * laid[REST_X]
            box[0, C + 1] = 0.5 * (low + high)
            box[0, C + 2] = a[2] + c * z - s * x + 0.5 * laid[REST_Z]
            box[0, H], box[0, H + 1], box[0, H + 2] = hx, 0.5 * (high - low), hz
            for k in range(9):
                box[0, F + k] = 0.0
            box[0, F], box[0, F + 2], box[0, F + 4] = c, s, 1.0
            box[0, F + 6], box[0, F + 8] = -s, c
            rx, rz = abs(c) * hx + abs(s) * hz, abs(s) * hx + abs(c) * hz
            box[0, LOW], box[0, HIGH] = box[0, C] - rx, box[0, C] + rx
            box[0, LOW + 1], box[0, HIGH + 1] = low, high
            box[0, LOW + 2], box[0, HIGH + 2] = box[0, C + 2] - rz, box[0, C + 2] + rz
            if box_hit(table, lattice, starts, items, box, work, hull) >= 0:
                blocked[e] = True
                break
