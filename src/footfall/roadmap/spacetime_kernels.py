"""The compiled search of a roadmap over time, among things that move. Import lazily: numba.

A label is a state (foothold * postures + posture) reached at a time. Labels of one state that are
reached within one cell of time are one: the cheapest counts. Where a body is at rest it may wait.

`table` is the `TableArrays` of a `MoveTable`, `world` the `TimedWorld` of `spacetime`.
"""

from __future__ import annotations

import math

from footfall.maths.jit_kernels import inner_kernel, lean_kernel
from footfall.roadmap.lay_kernels import heading, lay
from footfall.search.heap_kernels import pop, push

CELL_S = 0.2
"""Labels of one state that are reached within so long are one; waiting goes on by as much."""
MARGIN_M = 0.05
"""Movers are kept away from by as much more."""
NO_PATH, CANCELLED, TOO_MANY, NO_ROOM = -1, -2, -3, -4


@inner_kernel
def _is_disc_free(x, z, r, low, high, first, last, movers):  # type: ignore[no-untyped-def]
    """Return whether a disc meets no mover in cells from `first` to `last`; later all stays."""
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
def _is_move_free(time, a, b, m, table, world):  # type: ignore[no-untyped-def]
    """Return whether a move from a to b that begins at a time keeps clear of all movers."""
    movers, discs, body, cell_s = world.movers, world.discs, world.bodies[m], world.cell_s
    if movers.shape[1] == 0:
        return True
    far, bearing = heading(a, b)
    laid, origin = lay(a, b, far, bearing, table.moves[m], table.limits), body.origin
    c, s, scale = math.cos(laid.bearing), math.sin(laid.bearing), laid.scale
    co, so = math.cos(origin[3]), math.sin(origin[3])
    for n in range(body.slice_first, body.slice_stop):
        k = n - body.slice_zero
        since = max(k * cell_s - body.begin, 0.0)
        first = int((time + since) / cell_s + 1e-6)
        last = int((time + min((k + 1) * cell_s - body.begin, body.seconds)) / cell_s)
        u = min(since / max(body.seconds, 1e-6), 1.0)
        rise = u * (b[1] - a[1])
        for part in range(discs.shape[1]):
            d = discs[n, part]
            dx, dz = d[0] - origin[0], d[1] - origin[2]
            x, z = scale * (co * dx - so * dz), scale * (so * dx + co * dz)
            wx = a[0] + c * x + s * z + u * laid.rest_x
            wz = a[2] + c * z - s * x + u * laid.rest_z
            y = a[1] + rise - origin[1]
            if not _is_disc_free(wx, wz, d[2] + MARGIN_M, y + d[3], y + d[4], first, last, movers):
                return False
    return True


@inner_kernel
def _is_wait_free(time, until, a, posture, world):  # type: ignore[no-untyped-def]
    """Return whether a body at rest in a posture on a foothold keeps clear of all movers."""
    rest, cell_s = world.rests[world.rest_of[posture]], world.cell_s
    c, s = math.cos(a[3]), math.sin(a[3])
    x, z = a[0] + c * rest[0] + s * rest[1], a[2] + c * rest[1] - s * rest[0]
    return _is_disc_free(
        x, z, rest[2] + MARGIN_M, a[1] + rest[3], a[1] + rest[4], int(time / cell_s + 1e-6),
        int(until / cell_s), world.movers,
    )  # fmt: skip


@inner_kernel
def _slot(seen, key):  # type: ignore[no-untyped-def]
    """Return where a key is, or where it may be put, in a table of a power of two."""
    mask = len(seen) - 1
    n = ((key * 0x9E3779B97F4A7C1) >> 20) & mask
    while seen[n].key != -1 and seen[n].key != key:
        n = (n + 1) & mask
    return n


@lean_kernel
def search_in_time(graph, table, world, guess, goal_from, begins, options, flag, memory):  # type: ignore[no-untyped-def]
    """A*: from states at a time to a goal, keeping clear of what moves.

    graph        `TimedGraph` of `spacetime`; extra edges are told by -2 - number
    guess        (N * postures,) what it costs at least
    goal_from    (N,) the time from which on a goal may be stayed at; infinite for other footholds
    begins       states (A,) to begin in
    options      a record: when, the last time that is looked at, how much the guess counts
    memory       `TimedMemory`; all keys of what was seen are -1

    Returns the last label, or NO_PATH, CANCELLED, TOO_MANY, or NO_ROOM for what was seen.
    """
    nodes, extra, rest_of, postures = graph.nodes, graph.extra, world.rest_of, table.limits.postures
    keys, items, seen, labels = memory.keys, memory.items, memory.seen, memory.labels
    times, made, opened, held = int(options.latest / CELL_S) + 2, 0, 0, 0
    for state in begins:
        label = labels[made]
        label.state, label.time, label.cost = state, options.begin, 0.0
        label.parent, label.edge = -1, -1
        push(keys, items, made, options.greed * guess[state], made)
        made += 1
    count = made
    while count > 0:
        _, number = pop(keys, items, count)
        count -= 1
        state, time, here = labels[number].state, labels[number].time, labels[number].cost
        cell = state * times + int(time / CELL_S + 1e-6)
        known = seen[_slot(seen, cell)]
        if known.key != -1 and known.cost <= here:
            continue
        if known.key == -1:
            held += 1
        known.key, known.cost = cell, here
        opened += 1
        if opened % 256 == 0 and flag[0] != 0:
            return CANCELLED
        node, posture = state // postures, state % postures
        waiting = rest_of[posture] >= 0
        if waiting and time >= goal_from[node]:
            return number
        if 2 * held > len(seen):
            return NO_ROOM
        more, e, stop = graph.extra_first[state], 0, 0
        if state < len(graph.out_start) - 1:
            e, stop = graph.out_start[state], graph.out_start[state + 1]
        while e < stop or more >= 0 or waiting:
            head, cost, m, what = node, world.wait_cost * CELL_S, -1, -1
            if e < stop:
                edge, what = graph.edges[e], e
                e += 1
                if graph.closed[what]:
                    continue
                head, cost, m = edge.head, edge.cost, edge.move
            elif more >= 0:
                edge, what = extra[more], -2 - more
                head, cost, m = edge.head, edge.cost, edge.move
                more = graph.extra_after[more]
            else:
                waiting = False
            then, to = time + CELL_S, state
            if m >= 0:
                then, to = time + world.bodies[m].seconds, head * postures + table.moves[m].ends
            if then > options.latest or not guess[to] < math.inf:
                continue
            there = here + cost
            known = seen[_slot(seen, to * times + int(then / CELL_S + 1e-6))]
            if known.key != -1 and known.cost <= there:
                continue
            if m >= 0:
                free = _is_move_free(time, nodes[node], nodes[head], m, table, world)
            else:
                free = _is_wait_free(time, then, nodes[node], posture, world)
            if not free:
                continue
            if made >= len(labels):
                return TOO_MANY
            label = labels[made]
            label.state, label.time, label.cost = to, then, there
            label.parent, label.edge = number, what
            push(keys, items, count, there + options.greed * guess[to], made)
            count += 1
            made += 1
    return NO_PATH


@lean_kernel
def first_free(nodes, postures, world, out):  # type: ignore[no-untyped-def]
    """Fill the time from which on a body can stay at rest on footholds (G, 4) for good.

    postures  (G,) in which it rests; infinite where something stays
    """
    count, cell_s = world.movers.shape[0], world.cell_s
    for g in range(len(nodes)):
        out[g] = 0.0
        for k in range(count - 1, -1, -1):
            at = (k + 0.5) * cell_s
            if not _is_wait_free(at, at, nodes[g], postures[g], world):
                out[g] = (k + 1) * cell_s if k < count - 1 else math.inf
                break


@lean_kernel
def check_path(footholds, path_moves, waits, time, table, world):  # type: ignore[no-untyped-def]
    """Return the first move of a path that meets a mover, or the wait (W,) before it; -1 for none.

    time  when it begins
    """
    for n in range(len(path_moves)):
        m = path_moves[n]
        if waits[n] > 0.0:
            posture, until = table.moves[m].begins, time + waits[n]
            if world.rest_of[posture] < 0 or not _is_wait_free(
                time, until, footholds[n], posture, world
            ):
                return n
            time = until
        if not _is_move_free(time, footholds[n], footholds[n + 1], m, table, world):
            return n
        time += world.bodies[m].seconds
    return -1
