"""Compiled shortest paths over sparse graphs in plain arrays. Import lazily: it brings in numba."""

from __future__ import annotations

from math import cos, sin

import numpy as np

from footfall.maths.jit_kernels import kernel, lean_kernel
from footfall.search.heap_kernels import pop, push
from footfall.search.shortest_path import FAR


@lean_kernel
def search_layers(  # type: ignore[no-untyped-def]
    out_start, heads, edge_costs, steps, sources, source_costs, goal, keys, items, costs, parents
):
    """Fill the least costs from the sources to all nodes (N, B), by how long paths are at least.

    steps    (E,) how long edges are; costs[n, b] is of paths of b steps or more, inf at first
    goal     the search ends once this node is reached; -1 for none
    keys, items  memory for a heap of E * B + S entries
    parents  (N,) filled with the nodes before; (0,) if they are not wanted, or B is not 1
    """
    layers, count = costs.shape[1], 0
    for n in range(sources.shape[0]):
        if source_costs[n] < costs[sources[n], 0]:
            costs[sources[n], 0] = source_costs[n]
            push(keys, items, count, source_costs[n], sources[n] * layers)
            count += 1
    while count > 0:
        cost, item = pop(keys, items, count)
        count -= 1
        node, layer = item // layers, item % layers
        if cost > costs[node, layer] or (layer + 1 < layers and costs[node, layer + 1] <= cost):
            continue  # a path that is no dearer is longer: all that this one leads to it leads to
        if node == goal:
            return
        for e in range(out_start[node], out_start[node + 1]):
            head, to = heads[e], min(layer + steps[e], layers - 1)
            reached = cost + edge_costs[e]
            if reached < costs[head, to]:
                push(keys, items, count, reached, head * layers + to)
                count += 1
                if parents.shape[0] > 0:
                    parents[head] = node
                while to >= 0 and reached < costs[head, to]:  # it is also one of less length
                    costs[head, to] = reached
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
