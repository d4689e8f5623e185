"""The compiled search of a roadmap, in all postures at once. Import lazily: it brings in numba.

A state is a foothold in a posture: number = foothold * postures + posture. The graph of states is
never written down: edges know their move, and moves the postures they begin and end in.
"""

from __future__ import annotations

import math

import numpy as np

from footfall.maths.jit_kernels import kernel
from footfall.search.heap_kernels import pop, push


@kernel
def cheapest_path(  # type: ignore[no-untyped-def]
    out_start, edge_head, edge_cost, edge_move, move_ends, postures, closed_edges,
    entry_state, entry_cost, exit_state, exit_cost, guess, flag, cost, parent,
):  # fmt: skip
    """A*: from entries (A,) with their costs to the cheapest of the exits (B,), costs included.

    guess   (N,) of each foothold's cost to the goal, never too high
    cost    (S,) infinite everywhere; parent (S,), written: edge that led there, or -2 - entry

    Returns the cost, the number of the exit (-1 for none), and how many states were opened.
    """
    states = len(cost)
    exits = np.full(states, -1, np.int64)
    for b in range(len(exit_state)):
        s = exit_state[b]
        if exits[s] < 0 or exit_cost[b] < exit_cost[exits[s]]:
            exits[s] = b
    room = 1024
    keys, items, count = np.empty(room), np.empty(room, np.int64), 0
    for a in range(len(entry_state)):
        s = entry_state[a]
        if entry_cost[a] < cost[s]:
            cost[s], parent[s] = entry_cost[a], -2 - a
            if count == room:
                keys, items = (
                    np.append(keys, np.empty(room)),
                    np.append(items, np.empty(room, np.int64)),
                )
                room *= 2
            push(keys, items, count, entry_cost[a] + guess[s // postures], s)
            count += 1
    best, which, opened = math.inf, -1, 0
    while count > 0:
        key, s = pop(keys, items, count)
        count -= 1
        if key >= best:
            break
        here = cost[s]
        if key > here + guess[s // postures] + 1e-9:
            continue
        opened += 1
        if opened % 256 == 0 and flag[0] != 0:
            return math.inf, -2, opened
        if exits[s] >= 0 and here + exit_cost[exits[s]] < best:
            best, which = here + exit_cost[exits[s]], exits[s]
        for e in range(out_start[s], out_start[s + 1]):
            if closed_edges[e]:
                continue
            t = edge_head[e] * postures + move_ends[edge_move[e]]
            there = here + edge_cost[e]
            if there < cost[t]:
                cost[t], parent[t] = there, e
                ahead = there + guess[edge_head[e]]
                if ahead < best:
                    if count == room:
                        keys = np.append(keys, np.empty(room))
                        items = np.append(items, np.empty(room, np.int64))
                        room *= 2
                    push(keys, items, count, ahead, t)
                    count += 1
    return best, which, opened
