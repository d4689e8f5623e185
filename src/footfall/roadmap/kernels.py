"""Compiled parts of roadmaps: which moves lead from foothold to foothold. Import lazily: numba."""

from __future__ import annotations

import math

import numpy as np

from footfall.maths.jit_kernels import inner_kernel, kernel
from footfall.roadmap.edge_kernels import check_edge, find_near
from footfall.roadmap.lay_kernels import (
    FIRST_OFF,
    LAST_OFF,
    SCALE,
    SHORT,
    STRETCH,
    TURN,
    adaptation,
    bin_of,
    lay,
    lay_edge,
    twist_change,
    wrap,
)


@kernel
def fill_bins(table, pair, pairs, usual, keep):  # type: ignore[no-untyped-def]
    """List, for every bin of distance and of both directions, the moves that may fit there.

    pair    (M,) which of so many `pairs` each move is    usual  (M,) which are usual

    Of those that are alike the `keep` cheapest are listed, of usual ones two, seen from the middle
    of the bin.
    Returns how many there are; a list that is too short is not written beyond its end.
    """
    moves, costs, bins, limits = table.moves, table.costs, table.bins, table.limits
    angles, starts, items = bins.angles, bins.starts, bins.items
    most_scale, most_turn, short = limits[STRETCH], limits[TURN], limits[SHORT]
    laid, a, b = np.empty(6), np.zeros(4), np.zeros(4)
    best_cost, best = np.empty((pairs, keep)), np.empty((pairs, keep), np.int64)
    used = np.empty(pairs, np.int64)
    turn_slack, slack = math.pi / angles, 0.5 * bins.step_m
    count = 0
    for i in range(bins.distances):
        b[2] = d = (i + 0.5) * bins.step_m
        for j in range(angles):
            a[3] = (j + 0.5) * 2.0 * math.pi / angles - math.pi
            for k in range(angles):
                b[3] = (k + 0.5) * 2.0 * math.pi / angles - math.pi
                starts[(i * angles + j) * angles + k] = count
                touched = 0
                for p in range(pairs):
                    best[p, 0] = -1
                for m in range(len(moves.chord)):
                    c = moves.chord[m]
                    if c >= short:
                        if abs(1.0 - d / c) > most_scale + slack / c:
                            continue
                    elif abs(d - c) > most_scale * short + slack + 0.1:
                        continue
                    lay(a, b, m, moves, short, laid)
                    loose = slack / (c if c >= short else short) + (0.0 if c >= short else 0.15)
                    how = adaptation(laid, c, most_scale + loose, most_turn + turn_slack, short)
                    how += twist_change(laid, m, moves.twists, 2.0 * turn_slack)
                    if not how < math.inf:
                        continue
                    cost = costs.dear[m] * (costs.own[m] * laid[SCALE] + costs.change_weight * how)
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
    starts[bins.distances * angles * angles] = count
    return count


@inner_kernel
def _change(m, a, b, where, table, laid):  # type: ignore[no-untyped-def]
    """How much a move between two footholds is changed; infinite where it is too much.

    where   what `bin_of` wrote
    """
    moves, limits = table.moves, table.limits
    chord, short = moves.chord[m], limits[SHORT]
    if chord < short:
        lay(a, b, m, moves, short, laid)
        how = adaptation(laid, chord, limits[STRETCH], limits[TURN], short)
    else:
        off = abs(1.0 - where[2] / chord)
        if off > limits[STRETCH]:
            return math.inf
        laid[FIRST_OFF] = wrap(a[3] - where[3] - moves.turn_first[m])
        laid[LAST_OFF] = wrap(b[3] - where[3] - moves.turn_last[m])
        how = off + max(abs(laid[FIRST_OFF]), abs(laid[LAST_OFF]))
        if how - off > limits[TURN]:
            return math.inf
    return how + twist_change(laid, m, moves.twists, 0.0)


@inner_kernel
def _list_candidates(a, first, stop, pairs, table, choice, wanted, laid, where, groups, used):  # type: ignore[no-untyped-def]
    """List the best moves of each group, the best first; how many groups there are.

    wanted  (postures,) those that moves may begin in
    groups  counts, pairs, moves, changes and ranks; a group is a pair of postures and a direction
    """
    pair, sectors, dear, begins = choice.pair, choice.sectors, table.costs.dear, table.moves.begins
    counts, cand_pair, cand_move, cand_change, cand_rank = groups
    room, bins = cand_pair.shape[1], table.bins
    touched = 0
    for q in range(first, stop):
        b = pairs.targets[pairs.heads[q]]
        cell = bin_of(a, b, bins, where)
        if cell < 0:
            continue
        ahead = (where[3] - a[3]) / (2.0 * math.pi)
        sector = min(int((ahead - math.floor(ahead)) * sectors), sectors - 1)
        for r in range(bins.starts[cell], bins.starts[cell + 1]):
            m = bins.items[r]
            if not wanted[begins[m]]:
                continue
            how = _change(m, a, b, where, table, laid)
            if not how < math.inf:
                continue
            rank = how + dear[m]
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
def connect(first, stop, pairs, table, choice, states, ground, memory, out):  # type: ignore[no-untyped-def]
    """The edges that leave the tails from `first` up to `stop`; how many, or -1 for want of room.

    pairs, choice, out   `PairArrays`, `Choice` and `EdgeArrays` of `connect`
    states    (F, postures) or (1, postures) which postures of the tails edges begin in

    Of the moves that fit, the usual and the least changed ones are looked at first; others only
    where usual ones fail, and between footholds that none of them joins. What no foot can stand on
    or a body cannot pass is left out.
    """
    moves, costs, targets, heads = table.moves, table.costs, pairs.targets, pairs.heads
    kind, usual, tries = choice.kind, choice.usual, choice.tries
    laid, where = np.empty(6), np.empty(4)
    many, most = choice.pairs * choice.sectors, 1
    for tail in range(first, stop):
        most = max(most, pairs.start[tail + 1] - pairs.start[tail])
    groups = (np.zeros(many, np.int64), np.empty((many, tries), np.int64),
              np.empty((many, tries), np.int64), np.empty((many, tries)),
              np.empty((many, tries)))  # fmt: skip
    used, best = np.empty(many, np.int64), np.empty(many)
    in_state = np.zeros((costs.postures, 2), np.int64)
    failed, joined = np.zeros((most, choice.kinds), np.uint8), np.zeros(most, np.bool_)
    made = 0
    for tail in range(first, stop):
        wanted = states[tail if states.shape[0] > 1 else 0]
        if not wanted.any():
            continue
        a, start = pairs.footholds[tail], pairs.start[tail]
        touched = _list_candidates(
            a, start, pairs.start[tail + 1], pairs, table, choice, wanted, laid, where, groups, used
        )
        if touched == 0:
            continue
        near = find_near(a, table.limits, ground, memory)
        for n in range(touched):
            rare = 0.0 if usual[groups[2][used[n], 0]] else 10.0
            best[n] = groups[4][used[n], 0] + rare
        in_state[:], joined[:], failed[:], trouble = 0, False, 0, False
        for n in np.argsort(best[:touched]):
            group = used[n]
            taken = 0
            for t in range(groups[0][group]):
                m, q = groups[2][group, t], groups[1][group, t]
                state, rare = moves.begins[m], 0 if usual[m] else 1
                if in_state[state, rare] >= choice.per_state[state] or taken >= choice.alike:
                    break
                if failed[q - start, kind[m]] >= choice.failures:
                    continue
                # In the open nobody leaps, and who can walk there does, unless to take off.
                if not usual[m] and (not trouble or (
                    joined[q - start] and choice.settled[moves.ends[m]]
                )):  # fmt: skip
                    continue
                b = targets[heads[q]]
                lay(a, b, m, moves, table.limits[SHORT], laid)
                climb = check_edge(a, b, laid, m, table, ground, near, memory)
                if not climb < math.inf:
                    failed[q - start, kind[m]] += 1
                    trouble = True
                    continue
                if made == len(out.tail):
                    return -1
                out.tail[made], out.head[made], out.move[made] = tail, heads[q], m
                own = costs.own[m] * laid[SCALE] + costs.change_weight * groups[3][group, t]
                out.cost[made] = costs.dear[m] * own + climb
                made += 1
                taken += 1
                in_state[state, rare] += 1
                joined[q - start] |= usual[m]
            groups[0][group] = 0
    return made


@kernel
def connect_all(first, stop, pairs, table, may_begin, may_end, ground, memory, out):  # type: ignore[no-untyped-def]
    """All edges that leave the tails from `first` up to `stop`; how many, or -1 for want of room.

    may_begin, may_end   (postures,) which postures edges may begin and end in
    """
    moves, costs, bins = table.moves, table.costs, table.bins
    laid, where = np.empty(6), np.empty(4)
    made = 0
    for tail in range(first, stop):
        a = pairs.footholds[tail]
        near = find_near(a, table.limits, ground, memory)
        for q in range(pairs.start[tail], pairs.start[tail + 1]):
            b = pairs.targets[pairs.heads[q]]
            cell = bin_of(a, b, bins, where)
            if cell < 0:
                continue
            for r in range(bins.starts[cell], bins.starts[cell + 1]):
                m = bins.items[r]
                if not (may_begin[moves.begins[m]] and may_end[moves.ends[m]]):
                    continue
                how = _change(m, a, b, where, table, laid)
                if not how < math.inf:
                    continue
                lay(a, b, m, moves, table.limits[SHORT], laid)
                climb = check_edge(a, b, laid, m, table, ground, near, memory)
                if not climb < math.inf:
                    continue
                if made == len(out.tail):
                    return -1
                out.tail[made], out.head[made], out.move[made] = tail, pairs.heads[q], m
                own = costs.own[m] * laid[SCALE] + costs.change_weight * how
                out.cost[made] = costs.dear[m] * own + climb
                made += 1
    return made


@kernel
def lay_prints(tails, heads, edge_move, footholds, targets, table, starts, out):  # type: ignore[no-untyped-def]
    """Write where the footprints of edges (E,) come to be: x, rise, z, yaw from `starts` (E,) on.

    The rise is what the clip itself climbs, scaled; the ground has the last word.
    """
    laid = np.empty(6)
    for e in range(len(edge_move)):
        a, b, m = footholds[tails[e]], targets[heads[e]], edge_move[e]
        lay(a, b, m, table.moves, table.limits[SHORT], laid)
        lay_edge(a, laid, m, table.moves, out[starts[e] : starts[e + 1]])
