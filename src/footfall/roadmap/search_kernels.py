"""The compiled search of a roadmap, in all postures at once. Import lazily: it brings in numba.

A state is a foothold in a posture, in a layer: number = (layer * footholds + foothold) * postures
+ posture. The graph of states is never written down: edges know their move, and moves the postures
they begin and end in. Layers count what was passed already: the via points, in order, and which of
other paths was left far behind; a path ends in the last layer.

How start and goal are joined to the roadmap is not written down either. A move that may lead from
the start to a foothold, or from a foothold to the goal, waits in the queue with the least that it
can cost, and is laid on the ground when its turn comes.

`graph`, `ends`, `layers` and `queue` are `GraphArrays`, `EndArrays`, `Layers` and `Queue` of
`paths`, `rest` is `RestBins` of `joins`.
"""

from __future__ import annotations

import math

from footfall.maths.jit_kernels import inner_kernel, lean_kernel
from footfall.roadmap.edge_kernels import ground_cost
from footfall.roadmap.lay_kernels import bin_of, fit_move, heading
from footfall.search.heap_kernels import pop, push

_ENTRY, _EXIT = 1, 2
"""What waits in the queue: number = 4 * index + one of these, or nothing for a state."""
SECTORS = 16
"""Directions that are told apart when the moves to the roadmap are thinned out."""
NO_ROOM = -2
"""The queue, or the list of exits or entries, is full."""


@inner_kernel
def _layer_after(layer, a, b, far, layers):  # type: ignore[no-untyped-def]
    """Return the layer after going from one foothold to another.

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
def _guess(a, layer, layers):  # type: ignore[no-untyped-def]
    """Return the least that the path from a foothold to the goal can cost."""
    stages, row = layers.stages, layer // layers.masks
    dx, dz = stages[row, 0] - a[0], stages[row, 1] - a[2]
    far = max(math.sqrt(dx * dx + dz * dz) - stages[row, 2], 0.0)
    return layers.least * (far + stages[row, 3])


@lean_kernel
def list_entries(nodes, table, rest, ends, layers, entries):  # type: ignore[no-untyped-def]
    """List the moves that may lead from the starts to the roadmap, or to the goals at once.

    Fills `entries` (R,) and returns how many there are, or NO_ROOM. Goals come after the N
    footholds. The group of an entry is the way it leads and the posture it ends in, -1 at a goal.
    """
    limits, bins, count = table.limits, rest.leave, 0
    last_layer = len(layers.stages) * layers.masks - 1
    for n in range(len(nodes) + len(ends.goals) - 1, -1, -1):
        goal = n - len(nodes)
        there = ends.goals[goal] if goal >= 0 else nodes[n]
        for s in range(len(ends.starts)):
            posture, here = ends.start_posture[s], ends.starts[s]
            dx, dz = there[0] - here[0], there[2] - here[2]
            if dx * dx + dz * dz > rest.reach[0, posture] ** 2:
                continue
            if goal >= 0 and _layer_after(0, here, there, 0, layers) != last_layer:
                continue
            cell, far, bearing = bin_of(here, there, limits)
            if cell < 0:
                continue
            for r in range(bins[cell], bins[cell + 1]):
                m = bins[r]
                move = table.moves[m]
                if move.begins != posture or not ends.may[0, m]:
                    continue
                if goal >= 0 and not (move.ends == ends.goal_posture[goal] and ends.may[1, m]):
                    continue
                change, least = fit_move(here, there, far, bearing, move, limits, 0.0, 0.0)
                if not least < math.inf:
                    continue
                if count == len(entries):
                    return NO_ROOM
                entry = entries[count]
                entry.start, entry.node, entry.move, entry.cost = s, n, m, least
                entry.hope, entry.change, entry.square = least, change, dx * dx + dz * dz
                entry.group = -1
                if goal < 0:
                    ahead = (math.atan2(dx, dz) / (2.0 * math.pi)) % 1.0
                    sector = min(int(ahead * SECTORS), SECTORS - 1)
                    entry.group = sector * limits.postures + move.ends
                    layer = _layer_after(0, here, there, layers.far[n], layers)
                    entry.hope += _guess(there, layer, layers)
                count += 1
    return count


@inner_kernel
def _list_exits(s, here, best, waiting, left, nodes, table, rest, ends, layers, queue):  # type: ignore[no-untyped-def]
    """Put the moves that may lead from a state to the goals into the queue.

    Returns how many wait in it then and how many exits there are, or NO_ROOM.
    """
    stages, masks, limits = layers.stages, layers.masks, table.limits
    posture, last, many = s % limits.postures, len(stages) - 1, len(nodes)
    node = nodes[(s // limits.postures) % many]
    layer = s // (limits.postures * many)
    reach = rest.reach[1, posture] + stages[last, 2]
    dx, dz = stages[last, 0] - node[0], stages[last, 1] - node[2]
    if dx * dx + dz * dz > reach * reach:
        return waiting, left
    for b in range(len(ends.goals)):
        goal = ends.goals[b]
        if _layer_after(layer, node, goal, 0, layers) != len(stages) * masks - 1:
            continue
        cell, far, bearing = bin_of(node, goal, limits)
        if cell < 0:
            continue
        for r in range(rest.arrive[cell], rest.arrive[cell + 1]):
            m = rest.arrive[r]
            move = table.moves[m]
            if move.begins != posture or move.ends != ends.goal_posture[b] or not ends.may[1, m]:
                continue
            _, least = fit_move(node, goal, far, bearing, move, limits, 0.0, 0.0)
            if here + least < best:
                if left == len(queue.exits) or waiting == len(queue.keys):
                    return NO_ROOM, left
                leave = queue.exits[left]
                leave.state, leave.goal, leave.move, leave.cost = s, b, m, least
                push(queue.keys, queue.items, waiting, here + least, 4 * left + _EXIT)
                waiting, left = waiting + 1, left + 1
    return waiting, left


@inner_kernel
def _join_cost(kind, index, graph, table, ends, layers, entries, queue, terrain):  # type: ignore[no-untyped-def]
    """Return what a move onto the roadmap, or from it to a goal, costs on the ground there.

    It is infinite for one that cannot be used or need not be. And the state that it leads to.
    """
    nodes, states, postures, s = graph.nodes, queue.states, table.limits.postures, -1
    if kind == _ENTRY:
        entry = entries[index]
        a, b, m = ends.starts[entry.start], nodes[entry.node], entry.move
        layer = _layer_after(0, a, b, layers.far[entry.node], layers)
        s = (layer * len(nodes) + entry.node) * postures + table.moves[m].ends
        if states[s].parent != 0 and states[s].cost <= entry.cost:
            return math.inf, s
    else:
        leave, n = queue.exits[index], -1
        a, b, m = ends.goals[leave.goal], ends.goals[leave.goal], leave.move
        if leave.state < 0:
            a = ends.starts[-1 - leave.state]
        else:
            n = (leave.state // postures) % len(nodes)
            a = nodes[n]
        for k in range(len(graph.shut)):
            if graph.shut[k, 0] == n and graph.shut[k, 1] == m:
                return math.inf, s
    far, bearing = heading(a, b)
    _, cost = fit_move(a, b, far, bearing, table.moves[m], table.limits, 0.0, 0.0)
    return cost + ground_cost(a, b, m, table, terrain), s


@lean_kernel
def search_roadmap(graph, table, rest, ends, layers, entries, few, queue, flag, terrain, found):  # type: ignore[no-untyped-def]
    """Find the cheapest path from any of the starts to any of the goals.

    entries  as `list_entries` gives them; their costs are written. All others are tried where the
             first `few` lead to no goal
    queue    memory; the parents of states are all zero, before and after
    found    a `FOUND` record, written

    Returns the number of steps, -1 for no path, or NO_ROOM where a larger queue is needed. The
    steps are the edges of the path, from its end.
    """
    nodes, states, exits, edges = graph.nodes, queue.states, queue.exits, graph.edges
    keys, items, postures, many = queue.keys, queue.items, table.limits.postures, len(nodes)
    all_layers = len(layers.stages) * layers.masks
    best, which, seen, popped, left, waiting, listed = math.inf, -1, 0, 0, 0, 0, 0
    found.opened = found.entered = found.left = 0
    while waiting > 0 or (which == -1 and listed < len(entries)):
        if waiting == 0:
            first, listed = listed, few if listed == 0 else len(entries)
            for row in range(first, listed):
                entry = entries[row]
                key, item = entry.cost, 4 * left + _EXIT
                if entry.node >= many:
                    leave = exits[left]
                    leave.state, leave.goal = -1 - entry.start, entry.node - many
                    leave.move, leave.cost = entry.move, entry.cost
                    left += 1
                else:
                    a, b = ends.starts[entry.start], nodes[entry.node]
                    layer = _layer_after(0, a, b, layers.far[entry.node], layers)
                    key, item = key + _guess(b, layer, layers), 4 * row + _ENTRY
                push(keys, items, waiting, key, item)
                waiting += 1
        key, item = pop(keys, items, waiting)
        waiting -= 1
        if key >= best:
            break
        popped += 1
        if popped % 256 == 0 and flag[0] != 0:
            best, which = math.inf, -1
            break
        kind, index = item % 4, item // 4
        if kind != 0:
            step, s = _join_cost(
                kind, index, graph, table, ends, layers, entries, queue, terrain
            )  # fmt: skip
            if not step < math.inf:
                continue
            if kind == _EXIT:
                leave = exits[index]
                found.left += 1
                leave.cost = step
                total = step + (0.0 if leave.state < 0 else states[leave.state].cost)
                if total < best:
                    best, which = total, index
                continue
            found.entered += 1
            entries[index].cost = step
            state, n, layer = states[s], (s // postures) % many, s // (postures * many)
            if state.parent == 0 or step < state.cost:
                if state.parent == 0:
                    states[seen].touched = s
                    seen += 1
                state.cost, state.parent = step, -1 - index
                push(keys, items, waiting, step + _guess(nodes[n], layer, layers), 4 * s)
                waiting += 1
        else:
            s, n, layer = index, (index // postures) % many, index // (postures * many)
            here = states[s].cost
            if key > here + _guess(nodes[n], layer, layers) + 1e-9:
                continue
            found.opened += 1
            waiting, left = _list_exits(
                s, here, best, waiting, left, nodes, table, rest, ends, layers, queue
            )
            row = n * postures + s % postures
            first, stop = graph.out_start[row], graph.out_start[row + 1]
            if waiting < 0 or waiting + stop - first >= len(keys):
                which = NO_ROOM
                break
            for e in range(first, stop):
                if graph.closed[e]:
                    continue
                edge = edges[e]
                there, after = here + edge.cost, 0
                if all_layers > 1:
                    after = _layer_after(
                        layer, nodes[n], nodes[edge.head], layers.far[edge.head], layers
                    )
                t = (after * many + edge.head) * postures + table.moves[edge.move].ends
                state = states[t]
                if state.parent != 0 and there >= state.cost:
                    continue
                if state.parent == 0:
                    states[seen].touched = t
                    seen += 1
                state.cost, state.parent = there, 1 + e * all_layers + layer
                ahead = there + _guess(nodes[edge.head], after, layers)
                if ahead < best:
                    push(keys, items, waiting, ahead, 4 * t)
                    waiting += 1
    made = which
    found.cost, found.entry = best, -1
    if which >= 0:
        leave, made = exits[which], 0
        s, found.state, found.goal = leave.state, leave.state, leave.goal
        found.move, found.last = leave.move, leave.cost
        while s >= 0 and states[s].parent > 0:  # the edges that led there, the last first
            e, layer = (states[s].parent - 1) // all_layers, (states[s].parent - 1) % all_layers
            if made < len(queue.steps):
                queue.steps[made] = e
            made += 1
            s = (layer * many + edges[e].tail) * postures + table.moves[edges[e].move].begins
        found.entry = -1 if s < 0 else -1 - states[s].parent
    for k in range(seen):
        states[states[k].touched].parent = 0
    return made
