"""Compiled shortest paths over sparse graphs in plain arrays. Import lazily: it brings in numba."""

from __future__ import annotations

from math import cos, sin

import numpy as np

from footfall.maths.jit_kernels import kernel, lean_kernel
from footfall.search.heap_kernels import pop, push
from footfall.search.shortest_path import FAR


@kernel
def search_nodes(out_start, heads, edge_costs, sources, source_costs, goal, costs, parents):  # type: ignore[no-untyped-def]
    """Fill least costs (N,) and parents (N,) from the sources, in the order of these costs.

    goal  the search ends once this node is reached; -1 for none
    """
    room, count = 1024 + sources.shape[0], 0
    keys, nodes = np.empty(room), np.empty(room, np.int64)
    for n in range(sources.shape[0]):
        node, cost = sources[n], source_costs[n]
        if cost < costs[node]:
            costs[node], parents[node] = cost, -1
            push(keys, nodes, count, cost, node)
            count += 1
    while count > 0:
        cost, node = pop(keys, nodes, count)
        count -= 1
        if cost > costs[node]:
            continue  # a cheaper entry of this node came before
        if node == goal:
            return
        first, last = out_start[node], out_start[node + 1]
        if count + last - first > room:
            more = room + last - first
            keys = np.append(keys, np.empty(more))
            nodes = np.append(nodes, np.empty(more, np.int64))
            room += more
        for e in range(first, last):
            head, reached = heads[e], cost + edge_costs[e]
            if reached < costs[head]:
                costs[head], parents[head] = reached, node
                push(keys, nodes, count, reached, head)
                count += 1


@kernel
def layered_costs(back_start, tails, reduced, steps, sources, begin, out):  # type: ignore[no-untyped-def]
    """The least reduced cost from each node to a source, by how long the path is: (N, B + 1).

    out[n, b] is that of paths of b steps of length or more. Edges are backward: those that reach
    node n are back_start[n] to back_start[n + 1], from tails (E,), each steps (E,) long. Sources
    cost `begin`. `out` is inf at first.
    """
    layers = out.shape[1]
    room = 1024 + sources.shape[0]
    keys, items, count = np.empty(room), np.empty(room, np.int64), 0
    for n in range(sources.shape[0]):
        if begin[n] < out[sources[n], 0]:
            out[sources[n], 0] = begin[n]
            push(keys, items, count, begin[n], sources[n] * layers)
            count += 1
    while count > 0:
        cost, item = pop(keys, items, count)
        count -= 1
        node, layer = item // layers, item % layers
        if cost > out[node, layer] or (layer + 1 < layers and out[node, layer + 1] <= cost):
            continue  # a path that is no dearer is longer: all that this one leads to it leads to
        first, last = back_start[node], back_start[node + 1]
        if count + last - first > room:
            more = room + last - first
            keys = np.append(keys, np.empty(more))
            items = np.append(items, np.empty(more, np.int64))
            room += more
        for e in range(first, last):
            tail, to = tails[e], min(layer + steps[e], layers - 1)
            reached = cost + reduced[e]
            if reached < out[tail, to]:
                push(keys, items, count, reached, tail * layers + to)
                count += 1
                while to >= 0 and reached < out[tail, to]:  # it is also one of less length
                    out[tail, to] = reached
                    to -= 1


@kernel
def settle_potentials(  # type: ignore[no-untyped-def]
    start, to, cost, gain, price, tolerance, potential, parent
):
    """Lower potentials (N,) until no edge's reduced cost undercuts them (Bellman & Ford).

    Reduced costs are cost - price * gain. Returns -1 once they are settled, but for `tolerance`,
    else a node of a cycle that costs less than its price, to be followed by parents (N,): edges.
    Writes both.
    """
    nodes = start.shape[0] - 1
    tails = np.empty(nodes, np.int64)
    seen = np.empty(nodes, np.int64)
    turn = 0
    while True:
        changed = False
        for node in range(nodes):
            here = potential[node]
            for e in range(start[node], start[node + 1]):
                reached = here + cost[e] - price * gain[e]
                if reached < potential[to[e]] - tolerance:
                    potential[to[e]], parent[to[e]], tails[to[e]] = reached, e, node
                    changed = True
        if not changed:
            return -1
        turn += 1
        if turn % 4 != 0:
            continue
        seen[:] = -1  # a cycle that undercuts would be gone round for ever
        for first in range(nodes):
            node = first
            while seen[node] < 0 and parent[node] >= 0:
                seen[node] = first
                node = tails[node]
            if seen[node] == first and parent[node] >= 0:
                return node
            if seen[node] < 0:
                seen[node] = first


@lean_kernel
def net_moves(start, heads, costs, moves, left, ends, order, out):  # type: ignore[no-untyped-def]
    """Where the cheapest path by at least one edge leads from each node to an end, and its cost.

    left   (N,) the least cost from each node to an end (N,), from there on as well
    moves  (E, 3) of edges     order  (N,) nodes by `left`
    Writes out (N, 4): x, z, yaw and cost.
    """
    for again in range(2):  # first those that are no ends, whose paths end where these begin
        for n in range(order.shape[0]):
            node = order[n]
            if ends[node] != (again == 1):
                continue
            best, least = -1, FAR
            for e in range(start[node], start[node + 1]):
                if costs[e] + left[heads[e]] < least:
                    best, least = e, costs[e] + left[heads[e]]
            out[node, 3] = least
            if best < 0:
                continue
            mx, mz, turn = moves[best, 0], moves[best, 1], moves[best, 2]
            x, z, yaw = 0.0, 0.0, 0.0
            if not ends[heads[best]]:
                x, z, yaw = out[heads[best], 0], out[heads[best], 1], out[heads[best], 2]
            c, s = cos(turn), sin(turn)
            out[node, 0], out[node, 1] = mx + x * c + z * s, mz - x * s + z * c
            out[node, 2] = turn + yaw
