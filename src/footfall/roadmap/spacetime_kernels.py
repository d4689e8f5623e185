"""The compiled search of a roadmap over time, among things that move. Import lazily: numba.

A label is a state (foothold * postures + posture) reached at a time. Labels of one state that are
reached within one cell of time are one: the cheapest counts. Where a body is at rest it may wait.

`movers` is (K, M, 8), see `movers`; `bodies` are the discs of clips, their starts, and of each
move its clip, origin, first second and duration; `lay_of` is chord, first and last turn, end x and
z of each move, and how far a short one gets.
"""

from __future__ import annotations

import math

import numpy as np

from footfall.maths.jit_kernels import inner_kernel, kernel
from footfall.roadmap.lay_kernels import BEARING, REST_X, REST_Z, SCALE, lay
from footfall.search.heap_kernels import pop, push

CELL_S = 0.2
"""Labels of one state that are reached within so long are one; waiting goes on by as much."""
MARGIN_M = 0.05
"""Movers are kept away from by as much more."""


@inner_kernel
def _meets(x, z, r, low, high, row):  # type: ignore[no-untyped-def]
    """Whether an upright disc meets a mover."""
    if low > row[7] or high < row[6]:
        return False
    dx, dz = x - row[0], z - row[1]
    if row[5] < 0.0:
        reach = r + row[4]
        return dx * dx + dz * dz < reach * reach
    p = max(abs(row[2] * dx - row[3] * dz) - row[4], 0.0)
    q = max(abs(row[3] * dx + row[2] * dz) - row[5], 0.0)
    return p * p + q * q < r * r


@inner_kernel
def _is_disc_free(x, z, r, low, high, first, last, movers):  # type: ignore[no-untyped-def]
    """Whether a disc meets no mover in cells from `first` to `last`; beyond the end all stays."""
    count = movers.shape[0]
    for k in range(min(first, count - 1), min(last, count - 1) + 1):
        for m in range(movers.shape[1]):
            if _meets(x, z, r, low, high, movers[k, m]):
                return False
    return True


@inner_kernel
def _is_move_free(time, a, b, m, laid, lay_of, bodies, movers, cell_s):  # type: ignore[no-untyped-def]
    """Whether a move from foothold a to b that begins at a time keeps clear of all movers."""
    if movers.shape[1] == 0:
        return True
    chord, turn_first, turn_last, end_x, end_z, short = lay_of
    starts, discs, clip, origin, begin, seconds = bodies
    lay(b[0] - a[0], b[2] - a[2], a[3], b[3], chord[m], turn_first[m], turn_last[m], end_x[m],
        end_z[m], short, laid)  # fmt: skip
    c, s, scale = math.cos(laid[BEARING]), math.sin(laid[BEARING]), laid[SCALE]
    co, so = math.cos(origin[m, 3]), math.sin(origin[m, 3])
    k0 = int(begin[m] / cell_s + 1e-9)
    k1 = math.ceil((begin[m] + seconds[m]) / cell_s - 1e-9)
    own = starts[clip[m]]
    k1 = min(max(k1, k0 + 1), starts[clip[m] + 1] - own)
    for k in range(k0, k1):
        since = max(k * cell_s - begin[m], 0.0)
        first = int((time + since) / cell_s + 1e-6)
        last = int((time + min((k + 1) * cell_s - begin[m], seconds[m])) / cell_s)
        u = min(since / max(seconds[m], 1e-6), 1.0)
        rise = u * (b[1] - a[1])
        for part in range(discs.shape[1]):
            d = discs[own + k, part]
            dx, dz = d[0] - origin[m, 0], d[1] - origin[m, 2]
            x, z = scale * (co * dx - so * dz), scale * (so * dx + co * dz)
            wx = a[0] + c * x + s * z + u * laid[REST_X]
            wz = a[2] + c * z - s * x + u * laid[REST_Z]
            y = a[1] + rise - origin[m, 1]
            if not _is_disc_free(wx, wz, d[2] + MARGIN_M, y + d[3], y + d[4], first, last, movers):
                return False
    return True


@inner_kernel
def _is_wait_free(time, until, a, rest, movers, cell_s):  # type: ignore[no-untyped-def]
    """Whether a body at rest on a foothold keeps clear of all movers; `rest` is its disc, seen
    from the foothold: x, z, radius, low, high."""
    c, s = math.cos(a[3]), math.sin(a[3])
    x, z = a[0] + c * rest[0] + s * rest[1], a[2] + c * rest[1] - s * rest[0]
    return _is_disc_free(
        x, z, rest[2] + MARGIN_M, a[1] + rest[3], a[1] + rest[4], int(time / cell_s + 1e-6),
        int(until / cell_s), movers,
    )  # fmt: skip


@kernel
def cost_to_go(  # type: ignore[no-untyped-def]
    in_start, in_edge, edge_tail_state, edge_cost, exit_state, exit_cost, entry_state, entry_cost,
    slack, out,
):  # fmt: skip
    """Fill what it costs from each state (S,) to the exits if nothing moves; infinite for never.

    in_start, in_edge  the edges that lead to each state
    What costs more than `slack` times the cheapest path from the entries is not told apart: there
    it is as much as that.
    """
    out[:] = math.inf
    is_entry = np.full(len(out), math.inf)
    for a in range(len(entry_state)):
        is_entry[entry_state[a]] = min(is_entry[entry_state[a]], entry_cost[a])
    room = 1024
    keys, items, count = np.empty(room), np.empty(room, np.int64), 0
    for b in range(len(exit_state)):
        if exit_cost[b] < out[exit_state[b]]:
            out[exit_state[b]] = exit_cost[b]
            if count == room:
                keys = np.append(keys, np.empty(room))
                items = np.append(items, np.empty(room, np.int64))
                room *= 2
            push(keys, items, count, exit_cost[b], exit_state[b])
            count += 1
    most = math.inf
    while count > 0:
        key, state = pop(keys, items, count)
        count -= 1
        if key > out[state]:
            continue
        if is_entry[state] < math.inf:
            most = min(most, slack * (key + is_entry[state]) + 300.0)
        if key > most:
            break
        for n in range(in_start[state], in_start[state + 1]):
            e = in_edge[n]
            before = edge_tail_state[e]
            there = key + edge_cost[e]
            if there < out[before]:
                out[before] = there
                if count == room:
                    keys = np.append(keys, np.empty(room))
                    items = np.append(items, np.empty(room, np.int64))
                    room *= 2
                push(keys, items, count, there, before)
                count += 1
    if most < math.inf:
        for n in range(len(out)):
            out[n] = min(out[n], most)


@inner_kernel
def _slot(keys, key):  # type: ignore[no-untyped-def]
    """Where a key is, or where it may be put, in a table of a power of two."""
    mask = len(keys) - 1
    n = ((key * 0x9E3779B97F4A7C1) >> 20) & mask
    while keys[n] != -1 and keys[n] != key:
        n = (n + 1) & mask
    return n


@kernel
def search_in_time(  # type: ignore[no-untyped-def]
    nodes, postures, out_start, edge_head, edge_cost, edge_move, closed, move_ends, first_extra,
    next_extra, extra_head, extra_cost, extra_move, guess, greed, rests, rest_of, goal_from,
    bodies, lay_of, movers, cell_s, wait_cost, entry_state, entry_time, latest, most, flag,
    label_state, label_time, label_cost, label_parent, label_edge,
):  # fmt: skip
    """A*: from entries at their times to a goal, keeping clear of what moves.

    nodes        (N, 4) the footholds of the roadmap, then those of starts and goals
    out_start    edges of the roadmap's states; closed (E,) those that may not be used
    first_extra  (N * postures,), next_extra: those that lead from starts and to goals, as linked
                 lists; they are told by -2 - number
    guess        (N * postures,) what it costs at least; greed: how much more it counts
    rests        (R, 5) the disc of a body at rest; rest_of (postures,) which one, -1 for none
    goal_from    (N,) the time from which on a goal may be stayed at; infinite for other footholds
    wait_cost    what a second of waiting costs; latest: the last time that is looked at
    label_*      written: state, time, cost, label before, edge that led there (-1 for waiting)

    Returns the last label, or -1 if there is none, -2 if it was cancelled, -3 if there are too
    many; and how many labels there are.
    """
    laid = np.empty(6)
    room = 4096
    keys, items, count = np.empty(room), np.empty(room, np.int64), 0
    size = 1 << 16
    seen, seen_cost, held = np.full(size, -1, np.int64), np.empty(size), 0
    times = int(latest / CELL_S) + 2
    labels = 0
    for n in range(len(entry_state)):
        label_state[labels], label_time[labels] = entry_state[n], entry_time[n]
        label_cost[labels], label_parent[labels], label_edge[labels] = 0.0, -1, -1
        push(keys, items, count, greed * guess[entry_state[n]], labels)
        count += 1
        labels += 1
    opened = 0
    while count > 0:
        _, label = pop(keys, items, count)
        count -= 1
        state, time, here = label_state[label], label_time[label], label_cost[label]
        n = _slot(seen, state * times + int(time / CELL_S + 1e-6))
        if seen[n] != -1 and seen_cost[n] <= here:
            continue
        if seen[n] == -1:
            held += 1
        seen[n], seen_cost[n] = state * times + int(time / CELL_S + 1e-6), here
        opened += 1
        if opened % 256 == 0 and flag[0] != 0:
            return -2, labels
        node, posture = state // postures, state % postures
        if rest_of[posture] >= 0 and time >= goal_from[node]:
            return label, labels
        if 2 * held > size:
            old, old_cost = seen, seen_cost
            size *= 2
            seen, seen_cost = np.full(size, -1, np.int64), np.empty(size)
            for i in range(len(old)):
                if old[i] != -1:
                    j = _slot(seen, old[i])
                    seen[j], seen_cost[j] = old[i], old_cost[i]
        extra = first_extra[state]
        e, stop = (out_start[state], out_start[state + 1]) if state < len(out_start) - 1 else (0, 0)
        waiting = rest_of[posture] >= 0
        while e < stop or extra >= 0 or waiting:
            if e < stop:
                head, cost, m, what = edge_head[e], edge_cost[e], edge_move[e], e
                e += 1
                if closed[what]:
                    continue
            elif extra >= 0:
                head, cost = extra_head[extra], extra_cost[extra]
                m, what = extra_move[extra], -2 - extra
                extra = next_extra[extra]
            else:
                waiting = False
                head, cost, m, what = node, wait_cost * CELL_S, -1, -1
            if m >= 0:
                then, to = time + bodies[5][m], head * postures + move_ends[m]
            else:
                then, to = time + CELL_S, state
            if then > latest or not guess[to] < math.inf:
                continue
            there = here + cost
            n = _slot(seen, to * times + int(then / CELL_S + 1e-6))
            if seen[n] != -1 and seen_cost[n] <= there:
                continue
            if m >= 0:
                if not _is_move_free(
                    time, nodes[node], nodes[head], m, laid, lay_of, bodies, movers, cell_s
                ):
                    continue
            elif not _is_wait_free(
                time, then, nodes[node], rests[rest_of[posture]], movers, cell_s
            ):
                continue
            if labels >= most:
                return -3, labels
            label_state[labels], label_time[labels] = to, then
            label_cost[labels], label_parent[labels], label_edge[labels] = there, label, what
            if count == room:
                keys = np.append(keys, np.empty(room))
                items = np.append(items, np.empty(room, np.int64))
                room *= 2
            push(keys, items, count, there + greed * guess[to], labels)
            count += 1
            labels += 1
    return -1, labels


@kernel
def first_free(nodes, rests, which, movers, cell_s, out):  # type: ignore[no-untyped-def]
    """Fill the time from which on a body can stay at rest on footholds (G, 4) for good.

    which  (G,) the disc of each; infinite where something stays
    """
    count = movers.shape[0]
    for g in range(len(nodes)):
        out[g] = 0.0
        for k in range(count - 1, -1, -1):
            at = (k + 0.5) * cell_s
            if not _is_wait_free(at, at, nodes[g], rests[which[g]], movers, cell_s):
                out[g] = (k + 1) * cell_s if k < count - 1 else math.inf
                break


@kernel
def check_path(  # type: ignore[no-untyped-def]
    footholds, path_moves, waits, begin, lay_of, bodies, rests, rest_of, move_begins, movers,
    cell_s,
):  # fmt: skip
    """The first move of a path that meets a mover, or the wait (W,) before it; -1 for none."""
    laid = np.empty(6)
    time = begin
    for n in range(len(path_moves)):
        m = path_moves[n]
        if waits[n] > 0.0:
            rest = rest_of[move_begins[m]]
            if rest < 0 or not _is_wait_free(
                time, time + waits[n], footholds[n], rests[rest], movers, cell_s
            ):
                return n
            time += waits[n]
        if not _is_move_free(
            time, footholds[n], footholds[n + 1], m, laid, lay_of, bodies, movers, cell_s
        ):
            return n
        time += bodies[5][m]
    return -1
