"""The search of the interpolated graph unrolled in the world. Import lazily: it brings in numba.

States are as `search_states_kernels` says. A state that is taken off OPEN has its successors listed
(`_list_successors`). These are looked for among the states known, and only those that are new or
cheaper are tried in the world. Each step looks at all successors at once and leaves the numbers of
those that are still in question in `scratch.left`.
"""

from __future__ import annotations

from math import cos, floor, isnan, pi, sin

from footfall.maths.jit_kernels import lean_kernel, spliced_kernel
from footfall.optimal.search_arrays import FULLEST
from footfall.optimal.search_states_kernels import (
    CLOSEST,
    ENTRIES,
    GENERATED,
    GOAL,
    STATES,
    find_state,
    keep_promising,
    merge_keys,
    parts_of,
    pose_of,
    put_state,
    read_slots,
    write_key,
)
from footfall.optimal.world_kernels import ground_under, keep_clear, keep_landing
from footfall.search.ara_kernels import (
    CANCELLED,
    EQUAL,
    EXPANDED,
    FINISHED,
    FULL,
    PAUSED,
    WAITING,
    key_of,
    offer_state,
    take_state,
)
from footfall.search.lanes_kernels import USED, put_in_lane, take_from_lanes
from footfall.search.shortest_path import FAR

ROOM, CROWDED = 4, 5
"""How a loop ends for want of slots, or of room on the heap: either is to be made by the caller."""
_POLL_EVERY = 256


# ---- what is asked of an arrival -------------------------------------------------------------


@spliced_kernel
def _meet_constraints(aims, world, body, row):  # type: ignore[no-untyped-def]
    """How many constraints are met once a successor is reached, if its `met` were before."""
    met, node, c, s = row.met, row.to, cos(row.yaw), sin(row.yaw)
    while met < aims.each.shape[0]:
        aim = aims.each[met]
        if aims.leads[met, node] < 2 or row.ticks > aim.until:
            return met
        px, pz = aims.points[met, node, 0], aims.points[met, node, 2]
        dx = row.x + px * c + pz * s - aim.x
        dz = row.z - px * s + pz * c - aim.z
        away, within = dx * dx + dz * dz, aim.within_m
        along = dx * aim.ahead_x + dz * aim.ahead_z
        if away > within * within or along < aim.least or along > aim.most:
            return met
        if not isnan(aim.yaw):
            turn = (row.yaw + aims.points[met, node, 3] - aim.yaw) / (2.0 * pi)
            if abs(turn - floor(turn + 0.5)) * 2.0 * pi > aim.within_rad:
                return met
        if not isnan(aim.y):
            ground = ground_under(world, body, node, row.x, row.z, c, s)
            dy = ground + aims.points[met, node, 1] - aim.y
            if not away + dy * dy <= within * within:
                return met
        met += 1
    return met


@lean_kernel
def add_starts(space, states, scratch, count, counts, goal):  # type: ignore[no-untyped-def]
    """Make states of the first `count` rows of `scratch`. They cost nothing, and wait."""
    rows, left = scratch.rows, scratch.left
    for n in range(count):
        rows[n].met = _meet_constraints(space.aims, space.world, space.body, rows[n])
        write_key(space.cells[0], rows[n])
    if space.cells[0].coarse:
        merge_keys(space.cells[0], space.routes.group, rows, count)
    read_slots(states.rows, states.slots, states.shift, rows, left, count)
    for n in range(keep_promising(space.guide, FAR, rows, left, count)):
        row = rows[left[n]]
        slot, old = find_state(
            states.rows, states.slots, states.shift, space.cells[0], space.routes.group, row
        )
        if old >= 0:
            continue
        state = put_state(states, slot, old, counts[STATES], True, -1, 0, row)
        counts[STATES] += 1
        if row.met == space.aims.each.shape[0]:
            counts[GOAL], goal[0] = state, 0.0
        else:
            states.rows[state].mark = WAITING


# ---- the loop --------------------------------------------------------------------------------


@lean_kernel
def expand_states(  # type: ignore[no-untyped-def]
    space, epsilon, reopen, prune, most, cancel, states, lanes, scratch, counts, goal
):
    """Expand up to `most` states by cost plus `epsilon` times estimate: how it ended, how many.

    With lanes it ends as soon as the goal is reached for less. Writes states, lanes, counts and
    `goal` (2,): the least cost of the goal, and the least estimate of a state that was expanded.
    """
    routes, cells, start = space.routes, space.cells[0], scratch.origin[0]
    in_lanes, known = lanes.roots.shape[0] > 0, goal[0]
    for expanded in range(most):
        if expanded % _POLL_EVERY == 0 and cancel[0] != 0:
            return CANCELLED, expanded
        if in_lanes:
            if goal[0] < known:
                return FINISHED, expanded
            at = take_from_lanes(lanes, states.rows)
        else:
            limit = goal[0] * (1.0 - EQUAL)
            at, counts[ENTRIES] = take_state(
                states.rows, states.heap_keys, states.heap_items, counts[ENTRIES], limit
            )
        if at < 0:
            return FINISHED, expanded
        row = states.rows[at]
        node, i, k, turn, start.met, start.blends, time = parts_of(cells, row.key)
        end = _make_room(states, lanes, counts, routes.start[node + 1] - routes.start[node])
        if end != PAUSED:
            # It is expanded again once there is room.
            row.mark = WAITING | (row.mark & EXPANDED)
            if in_lanes and lanes.counts[USED] < lanes.entries.shape[0]:
                put_in_lane(lanes, at, row.cost, row.estimate)
            return end, expanded
        if row.estimate < goal[1]:
            goal[1], counts[CLOSEST] = row.estimate, at
        start.x, start.z, start.yaw = pose_of(row, cells, i, k, turn)
        start.cosine, start.sine = cos(start.yaw), sin(start.yaw)
        start.state, start.node, start.cost = at, node, row.cost
        start.ticks = time * cells.span + row.ticks
        start.limit = goal[0] if prune and goal[0] < FAR else FAR
        start.ground = ground_under(
            space.world, space.body, node, start.x, start.z, start.cosine, start.sine
        )
        _expand_state(space, states, scratch, epsilon, reopen, lanes, counts, goal)
        counts[GENERATED] += routes.start[node + 1] - routes.start[node]
    return PAUSED, most


@spliced_kernel
def _make_room(states, lanes, counts, more):  # type: ignore[no-untyped-def]
    """Whether there is room for so many states more: PAUSED if so, else what there is none for."""
    have = counts[STATES]
    if have + more > states.rows.shape[0]:
        return FULL
    if have + more > FULLEST * states.slots.shape[0]:
        return ROOM
    if lanes.roots.shape[0] > 0:
        return FULL if lanes.counts[USED] + more + 1 > lanes.entries.shape[0] else PAUSED
    return CROWDED if counts[ENTRIES] + more > states.heap_keys.shape[0] else PAUSED


@spliced_kernel
def _expand_state(space, states, scratch, epsilon, reopen, lanes, counts, goal):  # type: ignore[no-untyped-def]
    """Relax all successors of the state in `scratch.origin`."""
    world, body, cells = space.world, space.body, space.cells[0]
    start, rows, left = scratch.origin[0], scratch.rows, scratch.left
    count = _list_successors(space, start, rows)
    if cells.coarse:
        merge_keys(cells, space.routes.group, rows, count)
    read_slots(states.rows, states.slots, states.shift, rows, left, count)
    if not cells.coarse:
        count = _keep_new(states, cells, space.routes.group, rows, left, count)
    count = keep_landing(world, body, space.routes.edges, start, rows, left, count)
    count = keep_promising(space.guide, start.limit, rows, left, count)
    if cells.coarse:
        count = _keep_new(states, cells, space.routes.group, rows, left, count)
    count = keep_clear(world, body, start, rows, left, count)
    _put_states(space, states, scratch, count, epsilon, reopen, lanes, counts, goal)


@spliced_kernel
def _list_successors(space, start, rows):  # type: ignore[no-untyped-def]
    """Write where the successors of a state are, and their keys; return how many they are.

    Left out are those that lead nowhere, out of the world, or cost too much already.
    """
    routes, aims, cells, met = space.routes, space.aims, space.cells[0], start.met
    limited, timed = int(cells.limited), int(cells.times > 1)
    cost, limit, until, count = start.cost, start.limit, aims.each[met].until, 0
    for number in range(routes.start[start.node], routes.start[start.node + 1]):
        edge, row = routes.edges[number], rows[count]
        leads = aims.leads[met, edge.to]
        if leads == 0 or not cost + edge.cost < limit or not _place(edge, start, cells, row):
            continue
        blends, ticks = start.blends + limited * edge.blend, start.ticks + timed * edge.ticks
        if blends >= cells.blends or ticks > until:
            continue
        row.cost, row.edge, row.to, row.met = cost + edge.cost, number, edge.to, met
        row.blends, row.ticks = blends, ticks
        if leads > 1:
            row.met = _meet_constraints(aims, space.world, space.body, row)
            all_met = row.met == aims.each.shape[0]
            if row.met > met and (all_met or aims.each[row.met].until >= cells.times * cells.span):
                row.ticks = 0  # nothing left is to be met within a time
        write_key(cells, row)
        count += 1
    return count


@spliced_kernel
def _place(edge, start, cells, row):  # type: ignore[no-untyped-def]
    """Write where an edge leads, as pose and as cells; return whether that is in the world."""
    c, s = start.cosine, start.sine
    x, z = start.x + edge.x * c + edge.z * s, start.z - edge.x * s + edge.z * c
    u, v, yaw = (x - cells.x) * cells.per_m, (z - cells.z) * cells.per_m, start.yaw + edge.yaw
    w = yaw * cells.per_rad
    i, k, turn = floor(u + 0.5), floor(v + 0.5), floor(w + 0.5)
    if i < 0 or k < 0 or i >= cells.columns or k >= cells.rows:
        return False
    row.i, row.k, row.u, row.v, row.w = i, k, u - i, v - k, w - turn
    if cells.snap:
        x, z = cells.x + i * cells.cell_m, cells.z + k * cells.cell_m
        yaw = turn * cells.wide
        row.cosine, row.sine = cos(yaw), sin(yaw)
    else:
        row.cosine = c * edge.cosine - s * edge.sine
        row.sine = s * edge.cosine + c * edge.sine
    row.x, row.z, row.yaw = x, z, yaw
    while turn < 0:  # a remainder would cost as much as all the rest
        turn += cells.yaws
    while turn >= cells.yaws:
        turn -= cells.yaws
    row.turn = turn
    return True


@spliced_kernel
def _keep_new(states, cells, group, rows, left, count):  # type: ignore[no-untyped-def]
    """Keep those successors in `left` that are cheaper than the states of their keys, or new.

    A coarse search keeps the most promising of those that count as one.
    """
    kept = 0
    for n in range(count):
        row = rows[left[n]]
        if row.held != 0:
            _, old = find_state(states.rows, states.slots, states.shift, cells, group, row)
            if old >= 0 and not _is_better(states.rows[old], row, cells.coarse):
                continue
        left[kept] = left[n]
        kept += 1
    return kept


@spliced_kernel
def _is_better(old, row, coarse):  # type: ignore[no-untyped-def]
    """Whether a successor is to take the place of a known state."""
    if coarse:
        return row.cost < old.cost + old.estimate - row.estimate
    return row.cost < old.cost


@spliced_kernel
def _put_states(space, states, scratch, count, epsilon, reopen, lanes, counts, goal):  # type: ignore[no-untyped-def]
    """Make states of the successors that are left, and let them wait for their expansion."""
    cells, group, start = space.cells[0], space.routes.group, scratch.origin[0]
    true_graph, first = cells.snap and not cells.coarse, space.routes.start[start.node]
    for n in range(count):
        row = scratch.rows[scratch.left[n]]
        slot, old = find_state(states.rows, states.slots, states.shift, cells, group, row)
        at_goal = row.met == space.aims.each.shape[0]
        if old >= 0 and not _is_better(states.rows[old], row, cells.coarse):
            continue  # one that was put just now
        if at_goal and row.cost >= goal[0]:
            continue
        state = put_state(
            states, slot, old, counts[STATES], true_graph, start.state, row.edge - first, row
        )
        if state == counts[STATES]:
            counts[STATES] += 1
        key = key_of(row.cost, row.estimate, epsilon)
        if at_goal:
            goal[0], counts[GOAL] = row.cost, state
        elif lanes.roots.shape[0] > 0:
            states.rows[state].mark = (states.rows[state].mark & EXPANDED) | WAITING
            put_in_lane(lanes, state, key, row.estimate)
        else:
            counts[ENTRIES] = offer_state(
                state, key, states.rows, states.heap_keys, states.heap_items, counts[ENTRIES],
                reopen,
            )  # fmt: skip


# ---- paths -----------------------------------------------------------------------------------


@lean_kernel
def path_is_good(edges, nodes, poses, met, first, space, scratch):  # type: ignore[no-untyped-def]
    """Whether a path at given poses is free and meets its constraints; their times apart.

    met    (M,) at which node of the path each constraint is met
    first  how many of them were met before it began
    """
    world, body, start, row = space.world, space.body, scratch.origin[0], scratch.rows[0]
    for n in range(edges.shape[0]):
        start.node, start.x, start.z = nodes[n], poses[n, 0], poses[n, 1]
        start.cosine, start.sine = cos(poses[n, 2]), sin(poses[n, 2])
        row.edge, row.to, row.x, row.z = edges[n], nodes[n + 1], poses[n + 1, 0], poses[n + 1, 1]
        row.cosine, row.sine = cos(poses[n + 1, 2]), sin(poses[n + 1, 2])
        start.ground = ground_under(
            world, body, start.node, start.x, start.z, start.cosine, start.sine
        )
        scratch.left[0] = 0
        count = keep_landing(world, body, space.routes.edges, start, scratch.rows, scratch.left, 1)
        if keep_clear(world, body, start, scratch.rows, scratch.left, count) == 0:
            return False
    row.ticks = 0
    for m in range(first, met.shape[0]):
        row.x, row.z, row.yaw = poses[met[m], 0], poses[met[m], 1], poses[met[m], 2]
        row.met, row.to = m, nodes[met[m]]
        if _meet_constraints(space.aims, world, body, row) <= m:
            return False
    return True
