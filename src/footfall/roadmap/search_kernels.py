"""The compiled search of a roadmap, in all postures at once. Import lazily: it brings in numba.

A state is a foothold in a posture, in a layer: number = (layer * footholds + foothold) * postures
+ posture. The graph of states is never written down: edges know their move, and moves the postures
they begin and end in. Layers count what was passed already: the via points, in order, and which of
other paths was left far behind; a path ends in the last layer.

How start and goal are joined to the roadmap is not written down either. A move that may lead from
the start to a foothold, or from a foothold to the goal, waits in the queue with the least that it
can cost, and is laid on the ground when its turn comes.
"""

from __future__ import annotations

import math

import numpy as np

from footfall.maths.jit_kernels import inner_kernel, kernel
from footfall.roadmap.edge_kernels import ground_cost
from footfall.roadmap.lay_kernels import bin_of, fit_move
from footfall.search.heap_kernels import pop, push

_ENTRY, _EXIT = 1, 2
"""What waits in the queue: number = 4 * index + one of these, or nothing for a state."""
_SECTORS = 16
"""Directions that are told apart when the moves to the roadmap are thinned out."""


@inner_kernel
def _layer_after(layer, a, b, far, layers):  # type: ignore[no-untyped-def]
    """The layer after going from one foothold to another.

    far     the other paths that the second foothold is far from, a bit for each
    """
    stages, masks = layers.stages, layers.masks
    done, mask = layer // masks, layer % masks
    dx, dz = b[0] - a[0], b[2] - a[2]
    whole = dx * dx + dz * dz
    while done < len(stages) - 1:
        px, pz = stages[done, 0] - a[0], stages[done, 1] - a[2]
        share = min(max((px * dx + pz * dz) / whole, 0.0), 1.0) if whole > 0.0 else 0.0
        if (px - share * dx) ** 2 + (pz - share * dz) ** 2 > stages[done, 2] ** 2:
            break
        done += 1
    return done * masks + (mask | far)


@inner_kernel
def _guess(a, layer, layers, least):  # type: ignore[no-untyped-def]
    """The least that the path from a foothold to the goal can cost."""
    stages, row = layers.stages, layer // layers.masks
    dx, dz = stages[row, 0] - a[0], stages[row, 1] - a[2]
    return least * (max(math.sqrt(dx * dx + dz * dz) - stages[row, 2], 0.0) + stages[row, 3])


@inner_kernel
def _is_closed(joins, kind, foothold, m):  # type: ignore[no-untyped-def]
    """Whether a move to the roadmap or from it was closed."""
    for n in range(len(joins)):
        if joins[n, 0] == kind and joins[n, 1] == foothold and joins[n, 2] == m:
            return True
    return False


@kernel
def list_entries(nodes, table, rest, ends, layers, least, few):  # type: ignore[no-untyped-def]
    """The moves that may lead from the starts to the roadmap, or to the goals at once.

    few    how many of those that promise most are wanted, and beside them, of those that lead the
           same way to the same posture, the least changed one and the shortest one; 0 for all

    Returns start, foothold (goals come after the N footholds), move (R, 3) and least cost (R,).
    """
    starts, goals, goal_posture, may_arrive = (
        ends.starts,
        ends.goals,
        ends.goal_posture,
        ends.arrive,
    )
    begins, end_of, postures = table.moves.begins, table.moves.ends, table.costs.postures
    laid = np.empty(6)
    room, count = 1024, 0
    rows, cost = np.empty((room, 3), np.int32), np.empty(room)
    hope = np.empty(room)
    groups = _SECTORS * postures if few else 0
    best, kept = np.full((groups, 2), math.inf), np.empty((groups, 2), np.int64)
    last_layer = len(layers.stages) * layers.masks - 1
    for n in range(len(nodes) + len(goals) - 1, -1, -1):
        goal = n - len(nodes)
        there = goals[goal] if goal >= 0 else nodes[n]
        for a in range(len(starts)):
            posture, here = ends.start_posture[a], starts[a]
            dx, dz = there[0] - here[0], there[2] - here[2]
            if dx * dx + dz * dz > rest.leave_reach[posture] ** 2:
                continue
            if goal >= 0 and _layer_after(0, here, there, 0, layers) != last_layer:
                continue
            cell = bin_of(here, there, table.bins, laid)
            if cell < 0:
                continue
            for r in range(rest.leave_starts[cell], rest.leave_starts[cell + 1]):
                m = rest.leave_items[r]
                if begins[m] != posture or not ends.leave[m]:
                    continue
                if goal >= 0 and not (end_of[m] == goal_posture[goal] and may_arrive[m]):
                    continue
                how, at_least = fit_move(here, there, m, table, laid)
                if not at_least < math.inf:
                    continue
                if count == room:
                    rows = np.append(rows, np.empty((room, 3), np.int32), axis=0)
                    cost, hope = np.append(cost, np.empty(room)), np.append(hope, np.empty(room))
                    room *= 2
                rows[count, 0], rows[count, 1], rows[count, 2] = a, n, m
                cost[count] = hope[count] = at_least
                if few and goal < 0:
                    ahead = (math.atan2(dx, dz) / (2.0 * math.pi)) % 1.0
                    group = min(int(ahead * _SECTORS), _SECTORS - 1) * postures + end_of[m]
                    layer = _layer_after(0, here, there, layers.far[n], layers)
                    hope[count] += _guess(there, layer, layers, least)
                    for k, key in enumerate((how, dx * dx + dz * dz)):
                        if key < best[group, k]:
                            best[group, k], kept[group, k] = key, count
                count += 1
    if few == 0 or count <= few:
        return rows[:count], cost[:count]
    wanted = hope[:count] <= np.partition(hope[:count], few)[few]
    for group in range(groups):
        for k in range(2):
            if best[group, k] < math.inf:
                wanted[kept[group, k]] = True
    return rows[:count][wanted], cost[:count][wanted]


@inner_kernel
def _list_exits(s, here, best, nodes, table, rest, ends, layers, laid, queue):  # type: ignore[no-untyped-def]
    """Put the moves that may lead from a state to the goals into the queue; there is room."""
    exits, exit_cost, keys, items, counts = queue
    stages, masks, postures = layers.stages, layers.masks, table.costs.postures
    begins, end_of = table.moves.begins, table.moves.ends
    posture, last, many = s % postures, len(stages) - 1, len(nodes)
    node, layer = nodes[(s // postures) % many], s // (postures * many)
    reach = rest.arrive_reach[posture] + stages[last, 2]
    dx, dz = stages[last, 0] - node[0], stages[last, 1] - node[2]
    if dx * dx + dz * dz > reach * reach:
        return
    for b in range(len(ends.goals)):
        if _layer_after(layer, node, ends.goals[b], 0, layers) != len(stages) * masks - 1:
            continue
        cell = bin_of(node, ends.goals[b], table.bins, laid)
        if cell < 0:
            continue
        for r in range(rest.arrive_starts[cell], rest.arrive_starts[cell + 1]):
            m = rest.arrive_items[r]
            if begins[m] != posture or end_of[m] != ends.goal_posture[b] or not ends.arrive[m]:
                continue
            _, at_least = fit_move(node, ends.goals[b], m, table, laid)
            if here + at_least < best:
                n = counts[1]
                exits[n, 0], exits[n, 1], exits[n, 2], exit_cost[n] = s, b, m, at_least
                push(keys, items, counts[0], here + at_least, 4 * n + _EXIT)
                counts[0] += 1
                counts[1] += 1


@inner_kernel
def _trace(s, graph, begins, postures, all_layers, parent, steps):  # type: ignore[no-untyped-def]
    """Write the edges that led to a state, the last first; how many, and the entry before them."""
    edge_tail, edge_move, many, made = graph.tail, graph.move, len(graph.nodes), 0
    while s >= 0 and parent[s] > 0:
        e, layer = (parent[s] - 1) // all_layers, (parent[s] - 1) % all_layers
        if made < len(steps):
            steps[made] = e
        made += 1
        s = (layer * many + edge_tail[e]) * postures + begins[edge_move[e]]
    return made, -1 if s < 0 else -1 - parent[s]


@kernel
def search_roadmap(graph, table, rest, ends, layers, closed, places, least, entries, flag, memory):  # type: ignore[no-untyped-def]
    """The cheapest path from any of the starts to any of the goals.

    graph, rest, ends, layers   `GraphArrays`, `RestBins`, `EndArrays` and `Layers` of `paths`
    closed  (E,) edges, and (C, 3) joins: kind, foothold, move
    places  the ground, and memory for it
    least   what a metre costs at least; 0 gives Dijkstra's search
    entries   as `list_entries` gives them; their costs are written
    memory  (S,) costs, parents and states touched, and (W,) steps; parents are all zero, before
            and after; the steps are the edges of the path, from its end

    Returns the cost (infinite for none), how many steps there are, the exit (state or -1 - start,
    goal, move), what it costs, the entry (-1 for none), and how many states were opened and how
    many entries and exits hold.
    """
    nodes, out_start, starts, goals = graph.nodes, graph.out_start, ends.starts, ends.goals
    closed_edges, joins = closed
    entry, entry_cost = entries
    cost, parent, touched, steps = memory
    end_of, postures, many = table.moves.ends, table.costs.postures, len(nodes)
    all_layers, laid = len(layers.stages) * layers.masks, np.empty(6)
    more_exits = len(goals) * rest.most
    room, exit_room = 2 * len(entry) + 4096, len(entry) + more_exits + 256
    keys, items = np.empty(room), np.empty(room, np.int64)
    exits, exit_cost = np.empty((exit_room, 3), np.int64), np.empty(exit_room)
    counts = np.zeros(2, np.int64)  # of what waits, and of exits
    for row in range(len(entry)):
        a, n, m = entry[row, 0], entry[row, 1], entry[row, 2]
        if n >= many:
            k = counts[1]
            exits[k, 0], exits[k, 1], exits[k, 2], exit_cost[k] = (
                -1 - a,
                n - many,
                m,
                entry_cost[row],
            )
            push(keys, items, row, entry_cost[row], 4 * k + _EXIT)
            counts[1] += 1
        else:
            layer = _layer_after(0, starts[a], nodes[n], layers.far[n], layers)
            key = entry_cost[row] + _guess(nodes[n], layer, layers, least)
            push(keys, items, row, key, 4 * row + _ENTRY)
    counts[0] = len(entry)
    best, which, opened, entered, left, popped, seen = math.inf, -1, 0, 0, 0, 0, 0
    while counts[0] > 0:
        key, item = pop(keys, items, counts[0])
        counts[0] -= 1
        if key >= best:
            break
        popped += 1
        if popped % 256 == 0 and flag[0] != 0:
            best, which = math.inf, -1
            break
        kind, index = item % 4, item // 4
        if kind == _ENTRY:
            a, n, m = entry[index, 0], entry[index, 1], entry[index, 2]
            layer = _layer_after(0, starts[a], nodes[n], layers.far[n], layers)
            s = (layer * many + n) * postures + end_of[m]
            if (parent[s] != 0 and cost[s] <= entry_cost[index]) or _is_closed(joins, 0, n, m):
                continue
            _, step = fit_move(starts[a], nodes[n], m, table, laid)
            step += ground_cost(starts[a], nodes[n], m, table, places[0], places[1], laid)
            if not step < math.inf:
                continue
            entered += 1
            entry_cost[index] = step
            if parent[s] == 0 or step < cost[s]:
                if parent[s] == 0:
                    touched[seen] = s
                    seen += 1
                cost[s], parent[s] = step, -1 - index
                key = step + _guess(nodes[n], layer, layers, least)
                push(keys, items, counts[0], key, 4 * s)
                counts[0] += 1
        elif kind == _EXIT:
            s, b, m = exits[index, 0], exits[index, 1], exits[index, 2]
            n = -1 if s < 0 else (s // postures) % many
            if _is_closed(joins, 1, n, m):
                continue
            tail = starts[-1 - s] if s < 0 else nodes[n]
            _, step = fit_move(tail, goals[b], m, table, laid)
            step += ground_cost(tail, goals[b], m, table, places[0], places[1], laid)
            if not step < math.inf:
                continue
            left += 1
            exit_cost[index] = step
            total = step + (0.0 if s < 0 else cost[s])
            if total < best:
                best, which = total, index
        else:
            s, n, layer = index, (index // postures) % many, index // (postures * many)
            if key > cost[s] + _guess(nodes[n], layer, layers, least) + 1e-9:
                continue
            opened += 1
            row = n * postures + s % postures
            while counts[0] + out_start[row + 1] - out_start[row] + more_exits > room:
                keys = np.append(keys, np.empty(room))
                items = np.append(items, np.empty(room, np.int64))
                room *= 2
            while counts[1] + more_exits > exit_room:
                exits = np.append(exits, np.empty((exit_room, 3), np.int64), axis=0)
                exit_cost = np.append(exit_cost, np.empty(exit_room))
                exit_room *= 2
            queue = (exits, exit_cost, keys, items, counts)
            _list_exits(s, cost[s], best, nodes, table, rest, ends, layers, laid, queue)
            for e in range(out_start[row], out_start[row + 1]):
                if closed_edges[e]:
                    continue
                head, after = graph.head[e], 0
                there = cost[s] + graph.cost[e]
                if all_layers > 1:
                    after = _layer_after(layer, nodes[n], nodes[head], layers.far[head], layers)
                t = (after * many + head) * postures + end_of[graph.move[e]]
                if parent[t] != 0 and there >= cost[t]:
                    continue
                if parent[t] == 0:
                    touched[seen] = t
                    seen += 1
                cost[t], parent[t] = there, 1 + e * all_layers + layer
                ahead = there + _guess(nodes[head], after, layers, least)
                if ahead < best:
                    push(keys, items, counts[0], ahead, 4 * t)
                    counts[0] += 1
    made, first, last = 0, -1, max(which, 0)
    if which >= 0:
        made, first = _trace(
            exits[which, 0], graph, table.moves.begins, postures, all_layers, parent, steps
        )
    for k in range(seen):
        parent[touched[k]] = 0
    return best, made, exits[last], exit_cost[last], first, opened, entered, left
