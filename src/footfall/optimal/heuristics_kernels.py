"""Distances on the ground for the estimates of the search. Import lazily: it brings in numba."""

from __future__ import annotations

from math import cos, floor, sin, sqrt

import numpy as np

from footfall.maths.jit_kernels import inner_kernel, kernel, lean_kernel
from footfall.optimal.search_arrays import FAR
from footfall.search.heap_kernels import pop, push


@lean_kernel
def open_squares(corridor, frame, margin_m, squares):  # type: ignore[no-untyped-def]
    """Which squares (I, K) hold any point within `margin_m` of a cell where the root may be.

    frame  (4,) squares a metre; x and z of the first cell's middle from the corner of the first
           square, metres; cells a metre
    """
    reach = margin_m + 0.5 / frame[3]
    for i in range(corridor.shape[0]):
        x = frame[1] + i / frame[3]
        low_i = max(floor((x - reach) * frame[0]), 0)
        high_i = min(floor((x + reach) * frame[0]), squares.shape[0] - 1)
        for k in range(corridor.shape[1]):
            if corridor[i, k] == 0:
                continue
            z = frame[2] + k / frame[3]
            low_k = max(floor((z - reach) * frame[0]), 0)
            high_k = min(floor((z + reach) * frame[0]), squares.shape[1] - 1)
            for a in range(low_i, high_i + 1):
                for b in range(low_k, high_k + 1):
                    squares[a, b] = True


@inner_kernel
def _is_open(squares, i, k):  # type: ignore[no-untyped-def]
    return 0 <= i < squares.shape[0] and 0 <= k < squares.shape[1] and squares[i, k]


@inner_kernel
def _may_go(squares, i, k, di, dk):  # type: ignore[no-untyped-def]
    """Whether the line from corner (i, k) to (i + di, k + dk) runs in open squares."""
    left, low = (i if di > 0 else i - 1), (k if dk > 0 else k - 1)
    if dk == 0:
        return _is_open(squares, left, k) or _is_open(squares, left, k - 1)
    if di == 0:
        return _is_open(squares, i, low) or _is_open(squares, i - 1, low)
    if not _is_open(squares, left, low):
        return False
    if abs(di) == 2:
        return _is_open(squares, left + (1 if di > 0 else -1), low)
    if abs(dk) == 2:
        return _is_open(squares, left, low + (1 if dk > 0 else -1))
    return True


@kernel
def corner_distances(squares, distance):  # type: ignore[no-untyped-def]
    """Squares from each corner (I + 1, K + 1) to any other, and as many as `distance` says there.

    Paths run through open squares (I, K) in 16 directions. Where none leads it is `FAR`. Writes
    `distance`, which is inf at first but where paths may end.
    """
    columns, rows = distance.shape
    room = 17 * columns * rows
    keys, items, count = np.empty(room), np.empty(room, np.int64), 0
    for i in range(columns):
        for k in range(rows):
            if distance[i, k] < FAR:
                push(keys, items, count, distance[i, k], i * rows + k)
                count += 1
    while count > 0:
        far, item = pop(keys, items, count)
        count -= 1
        i, k = item // rows, item % rows
        if far > distance[i, k]:
            continue
        for di in range(-2, 3):
            for dk in range(-2, 3):
                if max(abs(di), abs(dk)) == 2 and abs(di * dk) != 2:
                    continue
                to_i, to_k = i + di, k + dk
                if to_i < 0 or to_k < 0 or to_i >= columns or to_k >= rows:
                    continue
                reached = far + sqrt(float(di * di + dk * dk))
                if reached < distance[to_i, to_k] and _may_go(squares, i, k, di, dk):
                    distance[to_i, to_k] = reached
                    push(keys, items, count, reached, to_i * rows + to_k)
                    count += 1
    for i in range(columns):
        for k in range(rows):
            if distance[i, k] > FAR:
                distance[i, k] = FAR


# ---- by node -----------------------------------------------------------------------------------


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
def costs_by_an_edge(start, heads, paid, steps, nodes, costs, out):  # type: ignore[no-untyped-def]
    """The least cost (M, B + 1) from some nodes (M,) by at least one edge, by length of the path.

    paid, steps  (E,) what an edge costs, and how many steps it is long
    costs        (N, B + 1) from the node that it leads to
    Writes `out`, which is as high as can be at first.
    """
    for n in range(nodes.shape[0]):
        for e in range(start[nodes[n]], start[nodes[n] + 1]):
            for layer in range(out.shape[1]):
                found = paid[e] + costs[heads[e], max(layer - steps[e], 0)]
                out[n, layer] = min(out[n, layer], found)


# ---- the least cost of a metre -----------------------------------------------------------------


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
        if turn % 4 == 0:  # a cycle that undercuts would be gone round for ever
            at = _node_of_cycle(parent, tails, seen)
            if at >= 0:
                return at


@inner_kernel
def _node_of_cycle(parent, tails, seen):  # type: ignore[no-untyped-def]
    """A node that comes back to itself by parents; -1 if there is none."""
    seen[:] = -1
    for first in range(parent.shape[0]):
        node = first
        while seen[node] < 0 and parent[node] >= 0:
            seen[node] = first
            node = tails[node]
        if seen[node] == first and parent[node] >= 0:
            return node
        if seen[node] < 0:
            seen[node] = first
    return -1


# ---- by pose -----------------------------------------------------------------------------------


@kernel
def pose_costs(squares, dear, moves, costs, cost):  # type: ignore[no-untyped-def]
    """The least cost from each corner and yaw (I + 1, K + 1, Y) to any other, and as it says there.

    moves (Y, M, 5) lead from a yaw: corners to the side and ahead, those of half the way, yaws;
    costs (Y, M) are theirs, dear (I + 1, K + 1) times as much at a corner. Corners that touch no
    open square are not gone to. Writes `cost`, which is inf at first but where paths may end.

    What waits is kept in buckets, each as wide as the cheapest move (Dial 1969): what is in one is
    final, in whatever order it is taken.
    """
    columns, rows, yaws = cost.shape
    opened = np.empty((columns, rows), np.bool_)
    for i in range(columns):
        for k in range(rows):
            opened[i, k] = _touches(squares, i, k)
    flat = cost.reshape(-1)
    begins = np.flatnonzero(flat < FAR)
    if begins.shape[0] == 0:
        return
    begins = begins[np.argsort(flat[begins])]
    dearest = costs.max() * dear.max()
    wide = max(costs.min() * dear.min(), dearest / 65536.0, 1e-12)
    first = np.full(int(dearest / wide) + 3, -1, np.int64)  # the first entry of each bucket
    room = 1024 + begins.shape[0]
    items, after, keys = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room)
    used, free, waiting, begun = 0, -1, 0, 0
    bucket = int(flat[begins[0]] / wide)
    while waiting > 0 or begun < begins.shape[0]:
        if waiting == 0:
            bucket = max(bucket, int(flat[begins[begun]] / wide))
        slot = bucket % first.shape[0]
        while begun < begins.shape[0] and int(flat[begins[begun]] / wide) <= bucket:
            if used == room:
                items, after, keys, room = _more_room(items, after, keys)
            items[used], keys[used], after[used] = begins[begun], flat[begins[begun]], first[slot]
            first[slot] = used
            used, waiting, begun = used + 1, waiting + 1, begun + 1
        while first[slot] >= 0:
            entry = first[slot]
            item, near = items[entry], keys[entry]
            first[slot], after[entry] = after[entry], free
            free, waiting = entry, waiting - 1
            if near > flat[item]:
                continue
            yaw, k, i = item % yaws, item // yaws % rows, item // (rows * yaws)
            for m in range(moves.shape[1]):
                before = yaw - moves[0, m, 4]
                before += yaws if before < 0 else (-yaws if before >= yaws else 0)
                i0, k0 = i - moves[before, m, 0], k - moves[before, m, 1]
                if i0 < 0 or k0 < 0 or i0 >= columns or k0 >= rows:
                    continue
                reached, at = near + costs[before, m] * dear[i0, k0], (i0 * rows + k0) * yaws
                at += before
                if reached >= flat[at] or not opened[i0, k0]:
                    continue
                half_i, half_k = i0 + moves[before, m, 2], k0 + moves[before, m, 3]
                if half_i < 0 or half_k < 0 or half_i >= columns or half_k >= rows:
                    continue
                if not opened[half_i, half_k]:
                    continue
                flat[at] = reached
                if free < 0 and used == room:
                    items, after, keys, room = _more_room(items, after, keys)
                entry = free
                if free >= 0:
                    free = after[free]
                else:
                    entry, used = used, used + 1
                to = max(int(reached / wide), bucket) % first.shape[0]
                items[entry], keys[entry], after[entry] = at, reached, first[to]
                first[to], waiting = entry, waiting + 1
        bucket += 1


@kernel
def _more_room(items, after, keys):  # type: ignore[no-untyped-def]
    """Three arrays twice as long, and how long they are."""
    return (
        np.append(items, np.empty_like(items)), np.append(after, np.empty_like(after)),
        np.append(keys, np.empty_like(keys)), 2 * items.shape[0],
    )  # fmt: skip


@inner_kernel
def _touches(squares, i, k):  # type: ignore[no-untyped-def]
    """Whether a corner belongs to an open square."""
    return (
        _is_open(squares, i, k) or _is_open(squares, i - 1, k)
        or _is_open(squares, i, k - 1) or _is_open(squares, i - 1, k - 1)
    )  # fmt: skip


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
