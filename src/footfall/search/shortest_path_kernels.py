"""Compiled Dijkstra and A* over a sparse graph in plain arrays. Import lazily: brings in numba."""

from __future__ import annotations

import numpy as np

from footfall.maths.jit_kernels import kernel
from footfall.search.heap_kernels import pop, push

EXHAUSTED, AT_GOAL, CANCELLED = 0, 1, 2
_POLL_EVERY = 1024


@kernel
def search_nodes(  # type: ignore[no-untyped-def]
    out_start, heads, edge_costs, sources, source_costs, is_goal, estimates, limit, cancel,
    costs, parents,
):  # fmt: skip
    """Fill least costs (N,) and parents (N,) from the sources; how it ended, and the last node.

    Nodes are expanded by cost plus estimate. `is_goal` (N,) and `estimates` (N,) may be empty:
    then all nodes within `limit` are reached, in the order of their costs. A node whose cost
    falls after it was expanded is expanded again, so estimates need only be admissible.
    """
    guided, aimed = estimates.shape[0] > 0, is_goal.shape[0] > 0
    room, count, expanded = 1024 + sources.shape[0], 0, 0
    keys, nodes = np.empty(room), np.empty(room, np.int64)
    for n in range(sources.shape[0]):
        node, cost = sources[n], source_costs[n]
        key = cost + estimates[node] if guided else cost
        if cost < costs[node] and key <= limit:
            costs[node], parents[node] = cost, -1
            push(keys, nodes, count, key, node)
            count += 1
    while count > 0:
        key, node = pop(keys, nodes, count)
        count -= 1
        cost = costs[node]
        if key > (cost + estimates[node] if guided else cost):
            continue  # a cheaper entry of this node came before
        if aimed and is_goal[node]:
            return AT_GOAL, node
        expanded += 1
        if expanded % _POLL_EVERY == 0 and cancel[0] != 0:
            return CANCELLED, -1
        first, last = out_start[node], out_start[node + 1]
        if count + last - first > room:
            more = room + last - first
            keys = np.append(keys, np.empty(more))
            nodes = np.append(nodes, np.empty(more, np.int64))
            room += more
        for e in range(first, last):
            head, reached = heads[e], cost + edge_costs[e]
            if reached < costs[head]:
                key = reached + estimates[head] if guided else reached
                if key <= limit:
                    costs[head], parents[head] = reached, node
                    push(keys, nodes, count, key, head)
                    count += 1
    return EXHAUSTED, -1
