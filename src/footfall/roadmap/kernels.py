"""Compiled parts of roadmaps: which moves lead from foothold to foothold. Import lazily: numba."""

from __future__ import annotations

import math

import numpy as np

from footfall.maths.jit_kernels import inner_kernel, kernel
from footfall.roadmap.edge_kernels import check_edge, find_near
from footfall.roadmap.lay_kernels import bin_of, change_of, fit_move, heading, lay, lay_edge


@kernel
def fill_bins(moves, limits, pair, pairs, usual, keep, starts, items):  # type: ignore[no-untyped-def]
    """List, for every bin of distance and of both directions, the moves that may fit there.

    pair    (M,) which of so many `pairs` each move is    usual  (M,) which are usual

    Of those that are alike the `keep` cheapest are listed, of usual ones two, seen from the middle
    of the bin.
    Returns how many there are; a list that is too short is not written beyond its end.
    """
    angles, short = limits.angles, limits.short
    a, b = np.zeros(4), np.zeros(4)
    best_cost, best = np.empty((pairs, keep)), np.empty((pairs, keep), np.int64)
    used = np.empty(pairs, np.int64)
    turn_slack, slack = math.pi / angles, 0.5 * limits.step_m
    count = 0
    for i in range(limits.distances):
        b[2] = d = (i + 0.5) * limits.step_m
        for j in range(angles):
            a[3] = (j + 0.5) * 2.0 * math.pi / angles - math.pi
            for k in range(angles):
                b[3] = (k + 0.5) * 2.0 * math.pi / angles - math.pi
                starts[(i * angles + j) * angles + k] = count
                touched = 0
                for p in range(pairs):
                    best[p, 0] = -1
                for m in range(len(moves)):
                    move = moves[m]
                    c = move.chord
                    if c >= short:
                        if abs(1.0 - d / c) > limits.stretch + slack / c:
                            continue
                    elif abs(d - c) > limits.stretch * short + slack + 0.1:
                        continue
                    loose = slack / (c if c >= short else short) + (0.0 if c >= short else 0.15)
                    _, cost = fit_move(a, b, d, 0.0, move, limits, loose, turn_slack)
                    if not cost < math.inf:
                        continue
                    p = pair[m]
                    if best[p, 0] < 0:
                        for n in range(keep):
                            best[p, n], best_cost[p, n] = -1, math.inf
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
    starts[limits.distances * angles * angles] = count
    return count


@inner_kernel
def _list_candidates(tail, pairs, table, choice, wanted, groups, candidates):  # type: ignore[no-untyped-def]
    """List the best moves of each group, the best first; how many groups there are.

    wanted  (postures,) those that moves may begin in
    groups, candidates   (G,) and (G, tries), written; a group is a pair of postures and a
                         direction, and `order` counts those that are used
    """
    a, sectors, room = pairs.footholds[tail], choice.sectors, candidates.shape[1]
    moves, bins, limits = table.moves, table.bins, table.limits
    touched = 0
    for q in range(pairs.start[tail], pairs.start[tail + 1]):
        b = pairs.targets[pairs.heads[q]]
        cell, far, bearing = bin_of(a, b, limits)
        if cell < 0:
            continue
        ahead = (bearing - a[3]) / (2.0 * math.pi)
        sector = min(int((ahead - math.floor(ahead)) * sectors), sectors - 1)
        for r in range(bins[cell], bins[cell + 1]):
            m = bins[r]
            move = moves[m]
            if not wanted[move.begins]:
                continue
            if move.chord >= limits.short and abs(1.0 - far / move.chord) > limits.stretch:
                continue
            _, cost = fit_move(a, b, far, bearing, move, limits, 0.0, 0.0)
            if not cost < math.inf:
                continue
            rank = cost - limits.per_metre * far
            group = choice.moves[m].pair * sectors + sector
            n = groups[group].count
            if n == 0:
                groups[touched].order = group
                touched += 1
            elif n == room:
                if candidates[group, n - 1].rank <= rank:
                    continue
                n -= 1
            groups[group].count = n + 1
            while n > 0 and candidates[group, n - 1].rank > rank:
                candidates[group, n] = candidates[group, n - 1]
                n -= 1
            found = candidates[group, n]
            found.pair, found.move, found.cost, found.rank = q, m, cost, rank
    return touched


@inner_kernel
def _sort_groups(touched, choice, groups, candidates):  # type: ignore[no-untyped-def]
    """Sort the groups that are used by their best candidates, usual ones first."""
    for n in range(touched):
        group = groups[n].order
        best = candidates[group, 0]
        rank = best.rank + (0.0 if choice.moves[best.move].usual else 1e3)
        k = n
        while k > 0 and groups[k - 1].rank > rank:
            groups[k].order, groups[k].rank = groups[k - 1].order, groups[k - 1].rank
            k -= 1
        groups[k].order, groups[k].rank = group, rank


@kernel
def connect(first, stop, pairs, table, choice, states, memory, terrain, out):  # type: ignore[no-untyped-def]
    """The edges that leave the tails from `first` up to `stop`; how many, or -1 for want of room.

    pairs, choice   `PairArrays` and `Choice` of `connect`      out  (R,) edges, written
    states    (F, postures) or (1, postures) which postures of the tails edges begin in
    memory    groups and candidates, see `_list_candidates`; the counts are zero

    Of the moves that fit, the usual and the least changed ones are looked at first; others only
    where usual ones fail, and between footholds that none of them joins. What no foot can stand on
    or a body cannot pass is left out.
    """
    limits, (groups, candidates), most, made = table.limits, memory, 1, 0
    for tail in range(first, stop):
        most = max(most, pairs.start[tail + 1] - pairs.start[tail])
    in_state = np.zeros((limits.postures, choice.kinds + 1), np.int64)
    failed, joined = np.zeros((most, choice.kinds), np.int64), np.zeros(most, np.int64)
    for tail in range(first, stop):
        wanted = states[tail if states.shape[0] > 1 else 0]
        a, start = pairs.footholds[tail], pairs.start[tail]
        touched = _list_candidates(tail, pairs, table, choice, wanted, groups, candidates)
        if touched == 0:
            continue
        near = find_near(a, limits, terrain)
        _sort_groups(touched, choice, groups, candidates)
        in_state[:], joined[:], failed[:], trouble = 0, 0, 0, False
        for n in range(touched):
            group, taken = groups[n].order, 0
            for t in range(groups[group].count):
                found = candidates[group, t]
                m, q = found.move, found.pair
                move, own, pair = table.moves[m], choice.moves[m], q - start
                state, rare = move.begins, 1 - own.usual
                kind, room = rare * (own.kind + 1), choice.postures[state].most
                if in_state[state, kind] >= room // (1 + rare) or taken >= choice.alike:
                    break
                if failed[pair, own.kind] >= choice.failures:
                    continue
                # In the open nobody leaps, and who can walk there does, unless to take off.
                if rare and (not trouble or (joined[pair] and choice.postures[move.ends].settled)):
                    continue
                b = pairs.targets[pairs.heads[q]]
                far, bearing = heading(a, b)
                laid = lay(a, b, far, bearing, move, limits)
                climb = check_edge(a, b, laid, move, near, table, terrain)
                if not climb < math.inf:
                    failed[pair, own.kind] += 1
                    trouble = True
                    continue
                if made == len(out):
                    return -1
                edge = out[made]
                edge.tail, edge.head, edge.move = tail, pairs.heads[q], m
                edge.cost = found.cost + climb
                made += 1
                taken += 1
                in_state[state, kind] += 1
                joined[pair] |= own.usual
            groups[group].count = 0
    return made


@kernel
def connect_all(first, stop, pairs, table, may_begin, may_end, terrain, out):  # type: ignore[no-untyped-def]
    """All edges that leave the tails from `first` up to `stop`; how many, or -1 for want of room.

    may_begin, may_end   (postures,) which postures edges may begin and end in
    """
    bins, limits, made = table.bins, table.limits, 0
    for tail in range(first, stop):
        a = pairs.footholds[tail]
        near = find_near(a, limits, terrain)
        for q in range(pairs.start[tail], pairs.start[tail + 1]):
            b = pairs.targets[pairs.heads[q]]
            cell, far, bearing = bin_of(a, b, limits)
            if cell < 0:
                continue
            for r in range(bins[cell], bins[cell + 1]):
                move = table.moves[bins[r]]
                if not (may_begin[move.begins] and may_end[move.ends]):
                    continue
                _, cost = fit_move(a, b, far, bearing, move, limits, 0.0, 0.0)
                if not cost < math.inf:
                    continue
                laid = lay(a, b, far, bearing, move, limits)
                climb = check_edge(a, b, laid, move, near, table, terrain)
                if not climb < math.inf:
                    continue
                if made == len(out):
                    return -1
                edge = out[made]
                edge.tail, edge.head, edge.move = tail, pairs.heads[q], bins[r]
                edge.cost = cost + climb
                made += 1
    return made


@kernel
def lay_moves(edges, footholds, targets, table, starts, prints, changes):  # type: ignore[no-untyped-def]
    """Write where the footprints of edges (E,) come to be, and how much each move is changed.

    prints  (P, 4) x, rise, z, yaw, of each edge from `starts` (E,) on; the rise is what the clip
            itself climbs, scaled, and the ground has the last word
    """
    for e in range(len(edges)):
        a, b = footholds[edges[e].tail], targets[edges[e].head]
        move, (far, bearing) = table.moves[edges[e].move], heading(a, b)
        laid = lay(a, b, far, bearing, move, table.limits)
        lay_edge(a, laid, move, table.prints, prints[starts[e] : starts[e + 1]])
        changes[e], _ = change_of(laid, move, table.limits, 0.0, 0.0)
