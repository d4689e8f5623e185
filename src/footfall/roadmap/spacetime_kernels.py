"""The compiled search of a roadmap over time, among things that move. Import lazily: numba.

A label is a state (foothold * postures + posture) reached at a time. Labels of one state that are
reached within one cell of time are one: the cheapest counts. Where a body is at rest it may wait.

`table` is what `MoveTable.arrays` gives; `world` is `TimedWorld` of `spacetime`.
"""

from __future__ import annotations

import math

import numpy as np

from footfall.maths.jit_kernels import inner_kernel, kernel
from footfall.roadmap.lay_kernels import BEARING, REST_X, REST_Z, SCALE, SHORT, lay
from footfall.search.heap_kernels import pop, push

CELL_S = 0.2
"""Labels of one state that are reached within so long are one; waiting goes on by as much."""
MARGIN_M = 0.05
"""Movers are kept away from by as much more."""


@inner_kernel
def _is_disc_free(x, z, r, low, high, first, last, movers):  # type: ignore[no-untyped-def]
    """Whether a disc meets no mover in cells from `first` to `last`; beyond the end all stays."""
    count = movers.shape[0]
    for k in range(min(first, count - 1), min(last, count - 1) + 1):
        for m in range(movers.shape[1]):
            row = movers[k, m]
            if low > row[7] or high < row[6]:
                continue
            dx, dz = x - row[0], z - row[1]
            if row[5] < 0.0:
                if dx * dx + dz * dz < (r + row[4]) * (r + row[4]):
                    return False
                continue
            p = max(abs(row[2] * dx - row[3] * dz) - row[4], 0.0)
            q = max(abs(row[3] * dx + row[2] * dz) - row[5], 0.0)
            if p * p + q * q < r * r:
                return False
    return True


@inner_kernel
def _is_move_free(time, a, b, m, laid, table, world):  # type: ignore[no-untyped-def]
    """Whether a move from foothold a to b that begins at a time keeps clear of all movers."""
    movers, bodies = world.movers, world.bodies
    if movers.shape[1] == 0:
        return True
    starts, discs, origin, cell_s = bodies.starts, bodies.discs, bodies.origin, bodies.slice_s
    begin, seconds, clip = bodies.begin[m], bodies.seconds[m], bodies.clip[m]
    lay(a, b, m, table.moves, table.limits[SHORT], laid)
    c, s, scale = math.cos(laid[BEARING]), math.sin(laid[BEARING]), laid[SCALE]
    co, so = math.cos(origin[m, 3]), math.sin(origin[m, 3])
    k0 = int(begin / cell_s + 1e-9)
    k1 = math.ceil((begin + seconds) / cell_s - 1e-9)
    own = starts[clip]
    k1 = min(max(k1, k0 + 1), starts[clip + 1] - own)
    for k in range(k0, k1):
        since = max(k * cell_s - begin, 0.0)
        first = int((time + since) / cell_s + 1e-6)
        last = int((time + min((k + 1) * cell_s - begin, seconds)) / cell_s)
        u = min(since / max(seconds, 1e-6), 1.0)
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
def _is_wait_free(time, until, a, posture, world):  # type: ignore[no-untyped-def]
    """Whether a body at rest in a posture on a foothold keeps clear of all movers."""
    rest, cell_s = world.rests[world.rest_of[posture]], world.bodies.slice_s
    c, s = math.cos(a[3]), math.sin(a[3])
    x, z = a[0] + c * rest[0] + s * rest[1], a[2] + c * rest[1] - s * rest[0]
    return _is_disc_free(
        x, z, rest[2] + MARGIN_M, a[1] + rest[3], a[1] + rest[4], int(time / cell_s + 1e-6),
        int(until / cell_s), world.movers,
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
    graph, extra, table, world, guess, greed, goal_from, begins, latest, flag, labels
):  # fmt: skip
    """A*: from states at a time to a goal, keeping clear of what moves.

    graph, extra   `TimedGraph` and `ExtraEdges` of `spacetime`; the latter are told by -2 - number
    guess        (N * postures,) what it costs at least; greed: how much more it counts
    goal_from    (N,) the time from which on a goal may be stayed at; infinite for other footholds
    begins       states (A,) to begin in, and when; latest: the last time that is looked at
    labels       `Labels`, written

    Returns the last label, or -1 if there is none, -2 if it was cancelled, -3 if there are too
    many.
    """
    nodes, closed, out_start = graph.nodes, graph.closed, graph.out_start
    end_of, postures, rest_of = table.moves.ends, table.costs.postures, world.rest_of
    laid = np.empty(6)
    room = 4096
    keys, items, count = np.empty(room), np.empty(room, np.int64), 0
    size = 1 << 16
    seen, seen_cost, held = np.full(size, -1, np.int64), np.empty(size), 0
    times = int(latest / CELL_S) + 2
    made = 0
    for state in begins[0]:
        labels.state[made], labels.time[made] = state, begins[1]
        labels.cost[made], labels.parent[made], labels.edge[made] = 0.0, -1, -1
        push(keys, items, count, greed * guess[state], made)
        count += 1
        made += 1
    opened = 0
    while count > 0:
        _, label = pop(keys, items, count)
        count -= 1
        state, time, here = labels.state[label], labels.time[label], labels.cost[label]
        n = _slot(seen, state * times + int(time / CELL_S + 1e-6))
        if seen[n] != -1 and seen_cost[n] <= here:
            continue
        if seen[n] == -1:
            held += 1
        seen[n], seen_cost[n] = state * times + int(time / CELL_S + 1e-6), here
        opened += 1
        if opened % 256 == 0 and flag[0] != 0:
            return -2
        node, posture = state // postures, state % postures
        if rest_of[posture] >= 0 and time >= goal_from[node]:
            return label
        if 2 * held > size:
            old, old_cost = seen, seen_cost
            size *= 2
            seen, seen_cost = np.full(size, -1, np.int64), np.empty(size)
            for i in range(len(old)):
                if old[i] != -1:
                    j = _slot(seen, old[i])
                    seen[j], seen_cost[j] = old[i], old_cost[i]
        more = extra.first[state]
        e, stop = (out_start[state], out_start[state + 1]) if state < len(out_start) - 1 else (0, 0)
        waiting = rest_of[posture] >= 0
        while e < stop or more >= 0 or waiting:
            if e < stop:
                head, cost, m, what = graph.head[e], graph.cost[e], graph.move[e], e
                e += 1
                if closed[what]:
                    continue
            elif more >= 0:
                head, cost, m, what = (
                    extra.head[more],
                    extra.cost[more],
                    extra.move[more],
                    -2 - more,
                )
                more = extra.after[more]
            else:
                waiting = False
                head, cost, m, what = node, world.wait_cost * CELL_S, -1, -1
            if m >= 0:
                then, to = time + world.bodies.seconds[m], head * postures + end_of[m]
            else:
                then, to = time + CELL_S, state
            if then > latest or not guess[to] < math.inf:
                continue
            there = here + cost
            n = _slot(seen, to * times + int(then / CELL_S + 1e-6))
            if seen[n] != -1 and seen_cost[n] <= there:
                continue
            if m >= 0:
                free = _is_move_free(time, nodes[node], nodes[head], m, laid, table, world)
            else:
                free = _is_wait_free(time, then, nodes[node], posture, world)
            if not free:
                continue
            if made >= len(labels.state):
                return -3
            labels.state[made], labels.time[made] = to, then
            labels.cost[made], labels.parent[made], labels.edge[made] = there, label, what
            if count == room:
                keys = np.append(keys, np.empty(room))
                items = np.append(items, np.empty(room, np.int64))
                room *= 2
            push(keys, items, count, there + greed * guess[to], made)
            count += 1
            made += 1
    return -1


@kernel
def first_free(nodes, postures, world, out):  # type: ignore[no-untyped-def]
    """Fill the time from which on a body can stay at rest on footholds (G, 4) for good.

    postures  (G,) in which it rests; infinite where something stays
    """
    count, cell_s = world.movers.shape[0], world.bodies.slice_s
    for g in range(len(nodes)):
        out[g] = 0.0
        for k in range(count - 1, -1, -1):
            at = (k + 0.5) * cell_s
            if not _is_wait_free(at, at, nodes[g], postures[g], world):
                out[g] = (k + 1) * cell_s if k < count - 1 else math.inf
                break


@kernel
def check_path(footholds, path_moves, waits, time, table, world):  # type: ignore[no-untyped-def]
    """The first move of a path that meets a mover, or the wait (W,) before it; -1 for none.

    time  when it begins
    """
    laid = np.empty(6)
    for n in range(len(path_moves)):
        m = path_moves[n]
        if waits[n] > 0.0:
            posture, until = table.moves.begins[m], time + waits[n]
            if world.rest_of[posture] < 0 or not _is_wait_free(
                time, until, footholds[n], posture, world
            ):
                return n
            time = until
        if not _is_move_free(time, footholds[n], footholds[n + 1], m, laid, table, world):
            return n
        time += world.bodies.seconds[m]
    return -1
