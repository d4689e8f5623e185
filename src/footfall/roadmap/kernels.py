"""Compiled parts of roadmaps: which moves lead from foothold to foothold. Import lazily: numba."""

from __future__ import annotations

import math

import numpy as np

from footfall.maths.jit_kernels import inner_kernel, kernel
from footfall.roadmap.edge_kernels import SWEPT, check_edge
from footfall.roadmap.lay_kernels import (
    FIRST_OFF,
    LAST_OFF,
    SCALE,
    adaptation,
    bin_of,
    lay,
    lay_edge,
    twist_change,
    wrap,
)
from footfall.world.collision.foot_kernels import gather


@kernel
def fill_bins(  # type: ignore[no-untyped-def]
    chord, turn_first, turn_last, end_x, end_z, twists, own_cost, dearness, pair, pairs, usual,
    step_m, distances, angles, keep, most_scale, most_turn, short, weight, starts, items,
):  # fmt: skip
    """List, for every bin of distance and of both directions, the moves that may fit there.

    Of those that are alike the `keep` cheapest are listed, of usual ones two, seen from the middle
    of the bin.
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
                    how += twist_change(laid, m, twists, 2.0 * turn_slack)
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
                    n = min(keep, 2) - 1 if usual[m] else keep - 1
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
def _change(m, a, b, where, moves, limits, laid):  # type: ignore[no-untyped-def]
    """How much a move between two footholds is changed; infinite where it is too much."""
    chord, short = moves[0][m], limits[5]
    if chord < short:
        lay(where[0], where[1], a[3], b[3], chord, moves[1][m], moves[2][m], moves[3][m],
            moves[4][m], short, laid)  # fmt: skip
        how = adaptation(laid, chord, limits[0], limits[1], short)
        return how + twist_change(laid, m, moves[16], 0.0)
    off = abs(1.0 - where[2] / chord)
    if off > limits[0]:
        return math.inf
    laid[FIRST_OFF] = wrap(a[3] - where[3] - moves[1][m])
    laid[LAST_OFF] = wrap(b[3] - where[3] - moves[2][m])
    turn = max(abs(laid[FIRST_OFF]), abs(laid[LAST_OFF]))
    if turn > limits[1]:
        return math.inf
    return off + turn + twist_change(laid, m, moves[16], 0.0)


@inner_kernel
def _list_candidates(  # type: ignore[no-untyped-def]
    a, first, stop, heads, targets, moves, bins, bin_starts, bin_items, limits, choice, wanted,
    laid, where, groups, used,
):  # fmt: skip
    """List the best moves of each group, the best first; how many groups there are.

    wanted  (postures,) those that moves may begin in
    groups  counts, pairs, moves, changes and ranks; a group is a pair of postures and a direction
    """
    pair, dearness, sectors = choice[0], choice[3], choice[4]
    counts, cand_pair, cand_move, cand_change, cand_rank = groups
    begins, room = moves[12], cand_pair.shape[1]
    touched = 0
    for q in range(first, stop):
        b = targets[heads[q]]
        cell = bin_of(a, b, bins, where)
        if cell < 0:
            continue
        ahead = (where[3] - a[3]) / (2.0 * math.pi)
        sector = min(int((ahead - math.floor(ahead)) * sectors), sectors - 1)
        for r in range(bin_starts[cell], bin_starts[cell + 1]):
            m = bin_items[r]
            if not wanted[begins[m]]:
                continue
            how = _change(m, a, b, where, moves, limits, laid)
            if not how < math.inf:
                continue
            rank = how + dearness[m]
            group = pair[m] * sectors + sector
            n = counts[group]
            if n == 0:
                used[touched] = group
                touched += 1
            elif n == room:
                if cand_rank[group, n - 1] <= rank:
                    continue
                n -= 1
            counts[group] = n + 1
            while n > 0 and cand_rank[group, n - 1] > rank:
                cand_pair[group, n] = cand_pair[group, n - 1]
                cand_move[group, n] = cand_move[group, n - 1]
                cand_change[group, n] = cand_change[group, n - 1]
                cand_rank[group, n] = cand_rank[group, n - 1]
                n -= 1
            cand_pair[group, n], cand_move[group, n] = q, m
            cand_change[group, n], cand_rank[group, n] = how, rank
    return touched


@kernel
def connect(  # type: ignore[no-untyped-def]
    first, stop, pair_start, heads, footholds, targets, moves, costs, bins, bin_starts, bin_items,
    limits, quotas, sole, scene, memory, choice, pairs, kinds, states, out_tail, out_head,
    out_move, out_cost,
):  # fmt: skip
    """The edges that leave the tails from `first` up to `stop`; how many, or -1 for want of room.

    heads     the targets that each tail is tried with, from pair_start (F + 1,) on
    moves     see `MoveTable.arrays`
    costs     own cost, dearness, weights of changes and climbs, postures, weight of gaps
    bins      step, distances, angles
    limits    scale, turn, rise, slope, roughness, short, lift and more, see `edge_kernels`
    scene     world, has_closed, scratch, and the raster of sure ground with its level
    quotas    (postures,) edges of one tail in one posture, usual ones and others; of those that
              are alike in one direction; how many are tried; how often a kind may fail between
              two footholds
    choice    pair of postures, kind, and whether it is usual, of each move; dearness; sectors;
              (postures,) those that usual moves begin in
    states    (F, postures) or (1, postures) which postures of the tails edges begin in

    Of the moves that fit, the usual and the least changed ones are looked at first; others only
    where usual ones fail, and between footholds that none of them joins. What no foot can stand on
    or a body cannot pass is left out.
    """
    begins = moves[12]
    own_cost, dearness, change_weight, _, postures, _ = costs
    per_state, per_group, tries, failures = quotas
    kind, usual, sectors, settled = choice[1], choice[2], choice[4], choice[5]
    world, ends, reach = scene[0], moves[13], limits[SWEPT]
    laid, where = np.empty(6), np.empty(4)
    many, most = pairs * sectors, 1
    for tail in range(first, stop):
        most = max(most, pair_start[tail + 1] - pair_start[tail])
    groups = (np.zeros(many, np.int64), np.empty((many, tries), np.int64),
              np.empty((many, tries), np.int64), np.empty((many, tries)),
              np.empty((many, tries)))  # fmt: skip
    used, in_state, best = (
        np.empty(many, np.int64),
        np.zeros((postures, 2), np.int64),
        np.empty(many),
    )
    failed, joined = np.zeros((most, kinds), np.uint8), np.zeros(most, np.bool_)
    made = 0
    for tail in range(first, stop):
        wanted = states[tail if states.shape[0] > 1 else 0]
        if not wanted.any():
            continue
        a, start = footholds[tail], pair_start[tail]
        touched = _list_candidates(
            a, start, pair_start[tail + 1], heads, targets, moves, bins, bin_starts, bin_items,
            limits, choice, wanted, laid, where, groups, used,
        )  # fmt: skip
        if touched == 0:
            continue
        near = gather(
            world[2], world[8], world[9], world[10], a[0], a[2], reach, reach, True, memory[8]
        )
        for n in range(touched):
            rare = 0.0 if usual[groups[2][used[n], 0]] else 10.0
            best[n] = groups[4][used[n], 0] + rare
        in_state[:], joined[:], failed[:], trouble = 0, False, 0, False
        for n in np.argsort(best[:touched]):
            group = used[n]
            taken = 0
            for t in range(groups[0][group]):
                m, q = groups[2][group, t], groups[1][group, t]
                state, rare = begins[m], 0 if usual[m] else 1
                if in_state[state, rare] >= per_state[state] or taken >= per_group:
                    break
                if failed[q - start, kind[m]] >= failures:
                    continue
                # In the open nobody leaps, and who can walk there does, unless to take off.
                if not usual[m] and (not trouble or (joined[q - start] and settled[ends[m]])):
                    continue
                b = targets[heads[q]]
                lay(b[0] - a[0], b[2] - a[2], a[3], b[3], moves[0][m], moves[1][m], moves[2][m],
                    moves[3][m], moves[4][m], limits[5], laid)  # fmt: skip
                climb = check_edge(a, b, laid, m, moves, costs, limits, sole, scene, near, memory)
                if not climb < math.inf:
                    failed[q - start, kind[m]] += 1
                    trouble = True
                    continue
                if made == len(out_tail):
                    return -1
                out_tail[made], out_head[made], out_move[made] = tail, heads[q], m
                change = change_weight * groups[3][group, t] + climb
                out_cost[made] = dearness[m] * (own_cost[m] * laid[SCALE] + change)
                made += 1
                taken += 1
                in_state[state, rare] += 1
                joined[q - start] |= usual[m]
            groups[0][group] = 0
    return made


@kernel
def connect_all(  # type: ignore[no-untyped-def]
    first, stop, pair_start, heads, footholds, targets, moves, costs, bins, bin_starts, bin_items,
    limits, sole, scene, memory, may_begin, may_end, out_tail, out_head, out_move, out_cost,
):  # fmt: skip
    """All edges that leave the tails from `first` up to `stop`; how many, or -1 for want of room.

    may_begin, may_end   (postures,) which postures edges may begin and end in
    """
    begins, ends = moves[12], moves[13]
    own_cost, dearness, change_weight, _, _, _ = costs
    world, reach = scene[0], limits[SWEPT]
    laid, where = np.empty(6), np.empty(4)
    made = 0
    for tail in range(first, stop):
        a = footholds[tail]
        near = gather(
            world[2], world[8], world[9], world[10], a[0], a[2], reach, reach, True, memory[8]
        )
        for q in range(pair_start[tail], pair_start[tail + 1]):
            b = targets[heads[q]]
            cell = bin_of(a, b, bins, where)
            if cell < 0:
                continue
            for r in range(bin_starts[cell], bin_starts[cell + 1]):
                m = bin_items[r]
                if not (may_begin[begins[m]] and may_end[ends[m]]):
                    continue
                how = _change(m, a, b, where, moves, limits, laid)
                if not how < math.inf:
                    continue
                lay(where[0], where[1], a[3], b[3], moves[0][m], moves[1][m], moves[2][m],
                    moves[3][m], moves[4][m], limits[5], laid)  # fmt: skip
                climb = check_edge(a, b, laid, m, moves, costs, limits, sole, scene, near, memory)
                if not climb < math.inf:
                    continue
                if made == len(out_tail):
                    return -1
                out_tail[made], out_head[made], out_move[made] = tail, heads[q], m
                change = change_weight * how + climb
                out_cost[made] = dearness[m] * (own_cost[m] * laid[SCALE] + change)
                made += 1
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
