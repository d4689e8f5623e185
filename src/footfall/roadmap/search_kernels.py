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
from footfall.roadmap.edge_kernels import SWEPT, check_edge, edge_memory
from footfall.roadmap.lay_kernels import SCALE, adaptation, bin_of, lay, twist_change
from footfall.search.heap_kernels import pop, push
from footfall.world.collision.foot_kernels import gather

_STATE, _ENTRY, _EXIT = 0, 1, 2
"""What waits in the queue: number = 4 * index + one of these."""
_SECTORS = 16
"""Directions that are told apart when the moves to the roadmap are thinned out."""


@inner_kernel
def _least_cost(a, b, m, moves, costs, limits, laid):  # type: ignore[no-untyped-def]
    """What a move from one foothold to another costs at least, and how much it is changed.

    Both are infinite if it does not fit.
    """
    lay(b[0] - a[0], b[2] - a[2], a[3], b[3], moves[0][m], moves[1][m], moves[2][m], moves[3][m],
        moves[4][m], limits[5], laid)  # fmt: skip
    how = adaptation(laid, moves[0][m], limits[0], limits[1], limits[5])
    how += twist_change(laid, m, moves[16], 0.0)
    if not how < math.inf:
        return math.inf, math.inf
    return costs[1][m] * (costs[0][m] * laid[SCALE] + costs[2] * how), how


@inner_kernel
def _full_cost(a, b, m, moves, costs, limits, ground, memory, laid):  # type: ignore[no-untyped-def]
    """What a move costs in the scene; infinite where a foot cannot stand or the body not pass."""
    sole, world, has_closed, scratch, _, raster, level = ground
    least, _ = _least_cost(a, b, m, moves, costs, limits, laid)
    if not least < math.inf:
        return math.inf
    reach = limits[SWEPT]
    near = gather(
        world[2], world[8], world[9], world[10], a[0], a[2], reach, reach, True, memory[8]
    )
    scene = (world, has_closed, scratch, raster, level)
    more = check_edge(a, b, laid, m, moves, costs, limits, sole, scene, near, memory)
    return least + costs[1][m] * more


@inner_kernel
def _layer_after(layer, a, b, far, stages, masks):  # type: ignore[no-untyped-def]
    """The layer after going from one foothold to another.

    far     the other paths that the second foothold is far from, a bit for each
    stages  (V + 1, 4) x, z, reach, and what is left from there on: the via points and the goal
    """
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
def _guess(a, layer, stages, masks, least):  # type: ignore[no-untyped-def]
    """The least that the path from a foothold to the goal can cost."""
    row = layer // masks
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
def list_entries(nodes, moves, costs, limits, bins, rest, ends, layers, least, few):  # type: ignore[no-untyped-def]
    """The moves that may lead from the starts to the roadmap, or to the goals at once.

    few    how many of those that promise most are wanted, and beside them, of those that lead the
           same way to the same posture, the least changed one and the shortest one; 0 for all

    Returns start, foothold (goals come after the N footholds), move (R, 3) and least cost (R,).
    """
    leave_starts, leave_items, reaches = rest[0], rest[1], rest[4]
    starts, start_posture, may_leave, goals, goal_posture, may_arrive = ends
    stages, far, masks = layers
    begins, end_of, postures = moves[12], moves[13], costs[4]
    laid = np.empty(6)
    room, count = 1024, 0
    rows, cost = np.empty((room, 3), np.int32), np.empty(room)
    hope = np.empty(room)
    groups = _SECTORS * postures if few else 0
    best, kept = np.full((groups, 2), math.inf), np.empty((groups, 2), np.int64)
    last_layer = len(stages) * masks - 1
    for n in range(len(nodes) + len(goals) - 1, -1, -1):
        goal = n - len(nodes)
        there = goals[goal] if goal >= 0 else nodes[n]
        for a in range(len(starts)):
            posture, here = start_posture[a], starts[a]
            dx, dz = there[0] - here[0], there[2] - here[2]
            if dx * dx + dz * dz > reaches[posture] ** 2:
                continue
            if goal >= 0 and _layer_after(0, here, there, 0, stages, masks) != last_layer:
                continue
            cell = bin_of(here, there, bins, laid)
            if cell < 0:
                continue
            for r in range(leave_starts[cell], leave_starts[cell + 1]):
                m = leave_items[r]
                if begins[m] != posture or not may_leave[m]:
                    continue
                if goal >= 0 and not (end_of[m] == goal_posture[goal] and may_arrive[m]):
                    continue
                at_least, how = _least_cost(here, there, m, moves, costs, limits, laid)
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
                    layer = _layer_after(0, here, there, far[n], stages, masks)
                    hope[count] += _guess(there, layer, stages, masks, least)
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
def _list_exits(  # type: ignore[no-untyped-def]
    s, n, layer, here, best, nodes, moves, costs, limits, bins, rest, ends, layers, laid, exits,
    exit_rows, exit_cost, keys, items, count,
):  # fmt: skip
    """Put the moves that may lead from a state to the goals into the queue.

    There is room for them. Returns how many exits there are, and how many entries in the queue.
    """
    arrive_starts, arrive_items, reaches = rest[2], rest[3], rest[5]
    goals, goal_posture, may_arrive = ends[3], ends[4], ends[5]
    stages, _, masks = layers
    begins, end_of, node = moves[12], moves[13], nodes[n]
    posture, last = s % costs[4], len(stages) - 1
    reach = reaches[posture] + stages[last, 2]
    dx, dz = stages[last, 0] - node[0], stages[last, 1] - node[2]
    if dx * dx + dz * dz > reach * reach:
        return exits, count
    for b in range(len(goals)):
        if _layer_after(layer, node, goals[b], 0, stages, masks) != len(stages) * masks - 1:
            continue
        cell = bin_of(node, goals[b], bins, laid)
        if cell < 0:
            continue
        for r in range(arrive_starts[cell], arrive_starts[cell + 1]):
            m = arrive_items[r]
            if begins[m] != posture or end_of[m] != goal_posture[b] or not may_arrive[m]:
                continue
            at_least, _ = _least_cost(node, goals[b], m, moves, costs, limits, laid)
            if here + at_least < best:
                exit_rows[exits, 0], exit_rows[exits, 1], exit_rows[exits, 2] = s, b, m
                exit_cost[exits] = at_least
                push(keys, items, count, here + at_least, 4 * exits + _EXIT)
                exits += 1
                count += 1
    return exits, count


@inner_kernel
def _queue_entries(  # type: ignore[no-untyped-def]
    entries, entry_cost, nodes, starts, layers, least, exit_rows, exit_cost, keys, items,
):  # fmt: skip
    """Put the moves from the starts into the queue; how many lead to the goals at once."""
    stages, far, masks = layers
    exits = 0
    for row in range(len(entries)):
        a, n, m = entries[row, 0], entries[row, 1], entries[row, 2]
        if n >= len(nodes):
            exit_rows[exits, 0], exit_rows[exits, 1] = -1 - a, n - len(nodes)
            exit_rows[exits, 2], exit_cost[exits] = m, entry_cost[row]
            push(keys, items, row, entry_cost[row], 4 * exits + _EXIT)
            exits += 1
        else:
            layer = _layer_after(0, starts[a], nodes[n], far[n], stages, masks)
            key = entry_cost[row] + _guess(nodes[n], layer, stages, masks, least)
            push(keys, items, row, key, 4 * row + _ENTRY)
    return exits


@inner_kernel
def _expand(  # type: ignore[no-untyped-def]
    s, n, layer, best, graph, end_of, postures, layers, closed_edges, least, cost, parent, touched,
    seen, keys, items, count,
):  # fmt: skip
    """Go on from a state by every edge; how many states were seen, and wait in the queue."""
    nodes, out_start, _, edge_head, edge_cost, edge_move = graph
    stages, far, masks = layers
    many, all_layers = len(nodes), len(stages) * masks
    row = n * postures + s % postures
    for e in range(out_start[row], out_start[row + 1]):
        if closed_edges[e]:
            continue
        head, after = edge_head[e], 0
        there = cost[s] + edge_cost[e]
        if all_layers > 1:
            after = _layer_after(layer, nodes[n], nodes[head], far[head], stages, masks)
        t = (after * many + head) * postures + end_of[edge_move[e]]
        if parent[t] != 0 and there >= cost[t]:
            continue
        if parent[t] == 0:
            touched[seen] = t
            seen += 1
        cost[t], parent[t] = there, 1 + e * all_layers + layer
        ahead = there + _guess(nodes[head], after, stages, masks, least)
        if ahead < best:
            push(keys, items, count, ahead, 4 * t)
            count += 1
    return seen, count


@inner_kernel
def _trace(s, graph, begins, postures, all_layers, parent, steps):  # type: ignore[no-untyped-def]
    """Write the edges that led to a state, the last first; how many, and the entry before them."""
    nodes, _, edge_tail, _, _, edge_move = graph
    made = 0
    while s >= 0 and parent[s] > 0:
        e, layer = (parent[s] - 1) // all_layers, (parent[s] - 1) % all_layers
        if made < len(steps):
            steps[made] = e
        made += 1
        s = (layer * len(nodes) + edge_tail[e]) * postures + begins[edge_move[e]]
    return made, -1 if s < 0 else -1 - parent[s]


@kernel
def search_roadmap(  # type: ignore[no-untyped-def]
    graph, moves, costs, limits, bins, rest, ends, layers, closed, ground, least, entries,
    entry_cost, most_exits, flag, cost, parent, touched, steps,
):  # fmt: skip
    """The cheapest path from any of the starts to any of the goals.

    graph   footholds (N, 4), first edge of each foothold in each posture, tails, heads, costs and
            moves of the edges
    moves, costs, limits, bins   as `connect` takes them
    rest    moves from rest by bins (starts, items), those to rest likewise, and how far either get
            (postures,)
    ends    starts (A, 4), their postures (A,), moves that may leave them (M,); goals likewise
    layers  (V + 1, 4) stages as `_layer_after` takes them; (N,) bits of the other paths that each
            foothold is far from; how many values these bits have
    closed  (E,) edges, and (C, 3) joins: kind, foothold, move
    ground  sole, world, has_closed, scratch, found, raster, level
    least   what a metre costs at least; 0 gives Dijkstra's search
    entries, entry_cost   as `list_entries` gives them; the costs are written
    most_exits   how many moves to rest a bin holds at most
    cost, parent, touched   (S,) memory; parent is all zero, before and after
    steps   (W,) written: the edges of the path, from its end

    Returns the cost (infinite for none), how many steps there are, the exit (state or -1 - start,
    goal, move), what it costs, the entry (-1 for none), and how many states were opened and how
    many entries and exits hold.
    """
    nodes, out_start, starts, goals = graph[0], graph[1], ends[0], ends[3]
    stages, far, masks = layers
    closed_edges, joins = closed
    end_of, postures, many = moves[13], costs[4], len(nodes)
    laid = np.empty(6)
    memory = edge_memory(ground[1][2].shape[0])
    more_exits = len(goals) * most_exits
    room, exit_room = 2 * len(entries) + 4096, len(entries) + more_exits + 256
    keys, items = np.empty(room), np.empty(room, np.int64)
    exit_rows, exit_cost = np.empty((exit_room, 3), np.int64), np.empty(exit_room)
    exits = _queue_entries(
        entries, entry_cost, nodes, starts, layers, least, exit_rows, exit_cost, keys, items
    )
    count = len(entries)
    best, which, opened, entered, left, popped, seen = math.inf, -1, 0, 0, 0, 0, 0
    while count > 0:
        key, item = pop(keys, items, count)
        count -= 1
        if key >= best:
            break
        popped += 1
        if popped % 256 == 0 and flag[0] != 0:
            best, which = math.inf, -1
            break
        kind, index = item % 4, item // 4
        if kind == _ENTRY:
            a, n, m = entries[index, 0], entries[index, 1], entries[index, 2]
            layer = _layer_after(0, starts[a], nodes[n], far[n], stages, masks)
            s = (layer * many + n) * postures + end_of[m]
            if (parent[s] != 0 and cost[s] <= entry_cost[index]) or _is_closed(joins, 0, n, m):
                continue
            there = _full_cost(starts[a], nodes[n], m, moves, costs, limits, ground, memory, laid)
            if not there < math.inf:
                continue
            entered += 1
            entry_cost[index] = there
            if parent[s] == 0 or there < cost[s]:
                if parent[s] == 0:
                    touched[seen] = s
                    seen += 1
                cost[s], parent[s] = there, -1 - index
                key = there + _guess(nodes[n], layer, stages, masks, least)
                push(keys, items, count, key, 4 * s)
                count += 1
        elif kind == _EXIT:
            s, b, m = exit_rows[index, 0], exit_rows[index, 1], exit_rows[index, 2]
            n = -1 if s < 0 else (s // postures) % many
            if _is_closed(joins, 1, n, m):
                continue
            tail = starts[-1 - s] if s < 0 else nodes[n]
            step = _full_cost(tail, goals[b], m, moves, costs, limits, ground, memory, laid)
            if not step < math.inf:
                continue
            left += 1
            exit_cost[index] = step
            total = step + (0.0 if s < 0 else cost[s])
            if total < best:
                best, which = total, index
        else:
            s, n, layer = index, (index // postures) % many, index // (postures * many)
            if key > cost[s] + _guess(nodes[n], layer, stages, masks, least) + 1e-9:
                continue
            opened += 1
            row = n * postures + s % postures
            while count + out_start[row + 1] - out_start[row] + more_exits > room:
                keys = np.append(keys, np.empty(room))
                items = np.append(items, np.empty(room, np.int64))
                room *= 2
            while exits + more_exits > exit_room:
                exit_rows = np.append(exit_rows, np.empty((exit_room, 3), np.int64), axis=0)
                exit_cost = np.append(exit_cost, np.empty(exit_room))
                exit_room *= 2
            exits, count = _list_exits(
                s, n, layer, cost[s], best, nodes, moves, costs, limits, bins, rest, ends, layers,
                laid, exits, exit_rows, exit_cost, keys, items, count,
            )  # fmt: skip
            seen, count = _expand(
                s, n, layer, best, graph, end_of, postures, layers, closed_edges, least, cost,
                parent, touched, seen, keys, items, count,
            )  # fmt: skip
    made, entry, last = 0, -1, max(which, 0)
    if which >= 0:
        made, entry = _trace(
            exit_rows[which, 0], graph, moves[12], postures, len(stages) * masks, parent, steps
        )
    for k in range(seen):
        parent[touched[k]] = 0
    return (best, made, exit_rows[last], exit_cost[last], entry, opened, entered, left)
