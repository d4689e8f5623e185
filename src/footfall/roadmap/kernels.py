"""Compiled parts of roadmaps: which moves fit between footholds. Import lazily: numba.

A foothold is x, height, z and yaw. A move that gets SHORT_M or further is laid along the line
between two footholds and scaled; a shorter one is laid by the directions of its feet, and what is
missing is shared out along it.
"""

from __future__ import annotations

import math

import numpy as np

from footfall.maths.jit_kernels import inner_kernel, kernel
from footfall.world.collision.foot_kernels import foot_placements
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


@inner_kernel
def is_swept_free(a, laid, m, top, moves, table, lattice, starts, items, box, work, hull):  # type: ignore[no-untyped-def]
    """Whether no box that a part of the body sweeps in a laid move meets an obstacle.

    top  the height above which obstacles count at least
    """
    box_start, boxes = moves[9], moves[10]
    c, s, scale = math.cos(laid[BEARING]), math.sin(laid[BEARING]), laid[SCALE]
    wide = max(scale, 1.0)
    for n in range(box_start[m], box_start[m + 1]):
        low, high = max(a[1] + boxes[n, 1], top), a[1] + boxes[n, 4]
        if high <= low:
            continue
        # The first box holds all others.
        # Bodies keep their width when steps get shorter: the middle moves, not the size.
        x, z = 0.5 * scale * (boxes[n, 0] + boxes[n, 3]), 0.5 * scale * (boxes[n, 2] + boxes[n, 5])
        hx, hz = 0.5 * wide * (boxes[n, 3] - boxes[n, 0]), 0.5 * wide * (boxes[n, 5] - boxes[n, 2])
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
        hit = box_hit(table, lattice, starts, items, box, work, hull) >= 0
        if n == box_start[m]:
            if not hit:
                return True
        elif hit:
            return False
    return True


@inner_kernel
def lay_edge(a, laid, m, moves, out):  # type: ignore[no-untyped-def]
    """Write where the footprints of a laid move come to be: x, rise, z, yaw; how many.

    A foot that stands beside the first or the last goes with that one as it is: whoever stands at
    a foothold stands there alike, whichever move comes or goes.
    """
    print_start, places, turns, share = moves[5], moves[6], moves[7], moves[8]
    first = print_start[m]
    count = print_start[m + 1] - first
    last = first + count - 1
    for n in range(count):
        u, k = share[first + n], first + n
        bearing = laid[BEARING]
        off = (1.0 - u) * laid[FIRST_OFF] + u * laid[LAST_OFF]
        c, s, scale = math.cos(bearing), math.sin(bearing), laid[SCALE]
        # The foothold it goes with: the first, or the last if that is where it stands.
        root = last if u == 1.0 else first
        x, z = scale * places[root, 0], scale * places[root, 2]
        out[n, 0] = a[0] + c * x + s * z + u * laid[REST_X]
        out[n, 1] = scale * places[k, 1]
        out[n, 2] = a[2] + c * z - s * x + u * laid[REST_Z]
        if u == 0.0 or u == 1.0:
            c, s, scale = math.cos(bearing + off), math.sin(bearing + off), 1.0
        x, z = scale * (places[k, 0] - places[root, 0]), scale * (places[k, 2] - places[root, 2])
        out[n, 0] += c * x + s * z
        out[n, 2] += c * z - s * x
        out[n, 3] = wrap(bearing + turns[k] + off)
    return count


@inner_kernel
def sure_height(raster, level, x, z):  # type: ignore[no-untyped-def]
    """The height of the ground where any foot stands well, whichever way it points; else NaN."""
    i, j = math.floor((x - level[0]) / level[2]), math.floor((z - level[1]) / level[2])
    if i < 0 or j < 0 or i >= raster.shape[0] or j >= raster.shape[1]:
        return math.nan
    return raster[i, j]


@inner_kernel
def climb_of(  # type: ignore[no-untyped-def]
    a, b, count, limits, world, sole, scratch, feet, below, reason, height, normal, found, prints,
    has_closed, raster, level,
):  # fmt: skip
    """How unlike the clip's own climbing the ground under a laid move is, metres a step; infinite
    where a foot cannot stand. And how high its highest footprint is."""
    most_rise, ahead = limits[2], sole[3]
    top = max(a[1], b[1])
    inner = count - 2
    highest = 0.0
    for n in range(inner):
        yaw = prints[n + 1, 3]
        feet[n, 0] = prints[n + 1, 0] + ahead * math.sin(yaw)
        feet[n, 1] = prints[n + 1, 2] + ahead * math.cos(yaw)
        feet[n, 2] = yaw
        highest = max(highest, prints[n + 1, 1])
    sure = True
    for n in range(inner):
        y = sure_height(raster, level, feet[n, 0], feet[n, 1])
        if not y <= a[1] + highest + most_rise + 0.25:
            sure = False
            break
        reason[n], height[n] = 0, y
    if inner > 0 and not sure:
        below[0] = a[1] + highest + most_rise + 0.25
        foot_placements(
            world, feet[:inner], below, sole[:3], limits[3:5], has_closed, scratch, found,
            reason[:inner], height[:inner], normal[:inner],
        )  # fmt: skip
    worst = total = 0.0
    before = 0.0
    for n in range(1, count):
        if n < count - 1:
            if reason[n - 1] != 0:
                return math.inf, top
            y = height[n - 1]
        else:
            y = b[1]
        top = max(top, y)
        off = y - a[1] - prints[n, 1]
        worst = max(worst, abs(off - before))
        total += abs(off - before)
        before = off
    if worst > most_rise:
        return math.inf, top
    return total / max(count - 1, 1), top


@kernel
def connect(  # type: ignore[no-untyped-def]
    first, stop, pair_start, heads, footholds, targets, moves, costs, bins, bin_starts, bin_items,
    limits, quotas, sole, clearance, world, has_closed, scratch, found, raster, level, may_begin,
    may_end, out_tail, out_head, out_move, out_cost,
):  # fmt: skip
    """The edges that leave the tails from `first` up to `stop`; how many, or -1 for want of room.

    heads     the targets that each tail is tried with, from pair_start (F + 1,) on
    moves     chord, turn_first, turn_last, end_x, end_z, print_start, places, turns, share,
              box_start, boxes, radius, begins, ends
    costs     own cost, dearness, weight of changes, weight of climbs, postures
    bins      step, distances, angles
    limits    scale, turn, rise, slope, roughness, SHORT_M, lift
    raster    (I, J) heights where any foot stands well, else NaN; level: its origin and step
    may_begin, may_end   (postures,) which postures edges may begin and end in
    quotas    edges of one tail in one posture, of those in one direction and last posture, sectors

    Of the moves that fit, the least changed ones are looked at first; what no foot can stand on
    or a body cannot pass is left out.
    """
    chord, turn_first, turn_last, end_x, end_z = moves[0], moves[1], moves[2], moves[3], moves[4]
    radius, begins, ends = moves[11], moves[12], moves[13]
    own_cost, dearness, change_weight, climb_weight, postures = costs
    step_m, distances, angles = bins
    most_scale, most_turn, short, lift = limits[0], limits[1], limits[5], limits[6]
    per_state, per_group, sectors = quotas
    _, _, table, _, _, _, _, _, lattice, starts, items = world
    work, hull, box, _, _ = scratch
    laid = np.empty(6)
    room = 1024
    cand_head, cand_move = np.empty(room, np.int64), np.empty(room, np.int64)
    cand_change, cand_group = np.empty(room), np.empty(room, np.int64)
    most_prints = 16
    prints, feet = np.empty((most_prints, 4)), np.empty((most_prints, 3))
    below, reason = np.empty(1), np.empty(most_prints, np.int32)
    height, normal = np.empty(most_prints), np.empty((most_prints, 3))
    in_group = np.zeros(postures * postures * sectors, np.int64)
    tries = np.zeros(postures * postures * sectors, np.int64)
    in_state = np.zeros(postures, np.int64)
    made = 0
    for tail in range(first, stop):
        a = footholds[tail]
        count = 0
        for q in range(pair_start[tail], pair_start[tail + 1]):
            head = heads[q]
            b = targets[head]
            dx, dz = b[0] - a[0], b[2] - a[2]
            d = math.sqrt(dx * dx + dz * dz)
            i = int(d / step_m)
            if i >= distances:
                continue
            bearing = math.atan2(dx, dz) if d > 0.0 else 0.0
            j = int((wrap(a[3] - bearing) + math.pi) * angles / (2.0 * math.pi))
            k = int((wrap(b[3] - bearing) + math.pi) * angles / (2.0 * math.pi))
            cell = (i * angles + min(j, angles - 1)) * angles + min(k, angles - 1)
            ahead = (bearing - a[3]) / (2.0 * math.pi)
            sector = min(int((ahead - math.floor(ahead)) * sectors), sectors - 1)
            for r in range(bin_starts[cell], bin_starts[cell + 1]):
                m = bin_items[r]
                if not (may_begin[begins[m]] and may_end[ends[m]]):
                    continue
                lay(dx, dz, a[3], b[3], chord[m], turn_first[m], turn_last[m], end_x[m], end_z[m],
                    short, laid)  # fmt: skip
                how = adaptation(laid, chord[m], most_scale, most_turn, short)
                if not how < math.inf:
                    continue
                if count == room:
                    cand_head = np.append(cand_head, np.empty(room, np.int64))
                    cand_move = np.append(cand_move, np.empty(room, np.int64))
                    cand_change = np.append(cand_change, np.empty(room))
                    cand_group = np.append(cand_group, np.empty(room, np.int64))
                    room *= 2
                cand_head[count], cand_move[count], cand_change[count] = head, m, how
                cand_group[count] = (begins[m] * postures + ends[m]) * sectors + sector
                count += 1
        order = np.argsort(cand_change[:count])
        for n in order:
            group = cand_group[n]
            m = cand_move[n]
            state = begins[m]
            if (
                in_state[state] >= per_state
                or in_group[group] >= per_group
                or tries[group] >= 4 * per_group + 4
            ):
                continue
            tries[group] += 1
            b = targets[cand_head[n]]
            lay(b[0] - a[0], b[2] - a[2], a[3], b[3], chord[m], turn_first[m], turn_last[m],
                end_x[m], end_z[m], short, laid)  # fmt: skip
            many = lay_edge(a, laid, m, moves, prints)
            climb, top = climb_of(
                a, b, many, limits, world, sole, scratch, feet, below, reason, height, normal,
                found, prints, has_closed, raster, level,
            )  # fmt: skip
            if not climb < math.inf:
                continue
            if clearance[tail] < 1.3 * radius[m] and not is_swept_free(
                a, laid, m, top + lift, moves, table, lattice, starts, items, box, work, hull
            ):
                continue
            if made == len(out_tail):
                return -1
            out_tail[made], out_head[made], out_move[made] = tail, cand_head[n], m
            change = change_weight * cand_change[n] + climb_weight * climb
            out_cost[made] = dearness[m] * (own_cost[m] * laid[SCALE] + change)
            made += 1
            in_group[group] += 1
            in_state[state] += 1
        for n in range(count):
            in_group[cand_group[n]] = 0
            tries[cand_group[n]] = 0
            in_state[begins[cand_move[n]]] = 0
    return made


@kernel
def lay_prints(tails, heads, edge_move, footholds, targets, moves, short, starts, out):  # type: ignore[no-untyped-def]
    """Write where the footprints of edges (E,) come to be: x, rise, z, yaw from `starts` (E,) on.

    The rise is what the clip itself climbs, scaled; the ground has the last word.
    """
    laid = np.empty(6)
    for e in range(len(edge_move)):
        a, b, m = footholds[tails[e]], targets[heads[e]], edge_move[e]
        lay(b[0] - a[0], b[2] - a[2], a[3], b[3], moves[0][m], moves[1][m], moves[2][m],
            moves[3][m], moves[4][m], short, laid)  # fmt: skip
        lay_edge(a, laid, m, moves, out[starts[e] : starts[e + 1]])
