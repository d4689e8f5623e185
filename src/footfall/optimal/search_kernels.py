"""The search of the interpolated graph unrolled in the world. Import lazily: it brings in numba.

States are as `search_states_kernels` says. A state that is taken off OPEN has its successors listed
(`_list_successors`), which are then looked for among those known, and only those that are new or
cheaper are tried in the world.
"""

from __future__ import annotations

from math import cos, floor, isnan, pi, sin, sqrt

from footfall.maths.jit_kernels import inner_kernel, kernel, lean_kernel, spliced_kernel
from footfall.optimal.search_arrays import FULLEST
from footfall.optimal.search_states_kernels import (
    CLOSEST,
    ENTRIES,
    GENERATED,
    GOAL,
    NEAR_AT,
    STATES,
    estimate_at,
    find_state,
    is_near,
    key_of_state,
    merged_key,
    parts_of,
    pose_of,
    put_state,
)
from footfall.optimal.world_kernels import edge_clears, edge_lands, ground_under
from footfall.search.ara_kernels import (
    CANCELLED,
    EQUAL,
    EXPANDED,
    FINISHED,
    FULL,
    LOW,
    PAUSED,
    WAITING,
    hash_of,
    key_of,
    offer_state,
    rekey_states,
    sort_heap,
    take_state,
)
from footfall.search.lanes_kernels import USED, put_in_lane, take_from_lanes
from footfall.search.shortest_path import FAR

ROOM = 4
"""How a loop ends for want of slots: the table is to be made larger."""
_POLL_EVERY = 256
_CHORD_M = 0.1
"""The root may be in the corridor at every point so far from the next."""


# ---- what is asked of an arrival -------------------------------------------------------------


@inner_kernel
def _count_met(aims, world, body, met, node, x, z, c, s, yaw, ticks):  # type: ignore[no-untyped-def]
    """How many constraints are met once a node is reached at a pose, if `met` were before."""
    while met < aims.nodes.shape[0]:
        if not aims.nodes[met, node] or ticks > aims.until[met]:
            return met
        px, pz = aims.point[met, node, 0], aims.point[met, node, 2]
        dx = x + px * c + pz * s - aims.place[met, 0]
        dz = z - px * s + pz * c - aims.place[met, 2]
        away, within = dx * dx + dz * dz, aims.within_m[met]
        along = dx * aims.slab[met, 0] + dz * aims.slab[met, 1]
        if away > within * within or along < aims.slab[met, 2] or along > aims.slab[met, 3]:
            return met
        if not isnan(aims.yaw[met]):
            turn = (yaw + aims.facing[met, node] - aims.yaw[met]) / (2.0 * pi)
            if abs(turn - floor(turn + 0.5)) * 2.0 * pi > aims.within_rad[met]:
                return met
        if not isnan(aims.place[met, 1]):
            ground = ground_under(world, body, node, x, z, c, s)
            dy = ground + aims.point[met, node, 1] - aims.place[met, 1]
            if not away + dy * dy <= within * within:
                return met
        met += 1
    return met


@spliced_kernel
def _room_at(world, x, z):  # type: ignore[no-untyped-def]
    """How far the corridor reaches around a place, metres, at least."""
    frame, room = world.frame, world.room
    i, k = floor((x - frame[0]) * frame[2] + 0.5), floor((z - frame[1]) * frame[2] + 0.5)
    if i < 0 or k < 0 or i >= room.shape[0] or k >= room.shape[1]:
        return -1.0
    return float(room[i, k])


@spliced_kernel
def _root_stays_in(world, x, z, to_x, to_z, around):  # type: ignore[no-untyped-def]
    """Whether the line between two places of the root is within the corridor, but its start.

    around  how far the corridor reaches around the start
    """
    frame, corridor = world.frame, world.corridor
    dx, dz = to_x - x, to_z - z
    both = around + _room_at(world, to_x, to_z)
    if both > 0.0 and both * both > dx * dx + dz * dz:
        return True
    steps = int(sqrt(dx * dx + dz * dz) / _CHORD_M) + 1
    each = 1.0 / steps
    for n in range(steps, 0, -1):  # it is the end that is outside, if anything is
        i = floor((x + dx * (n * each) - frame[0]) * frame[2] + 0.5)
        k = floor((z + dz * (n * each) - frame[1]) * frame[2] + 0.5)
        if i < 0 or k < 0 or i >= corridor.shape[0] or k >= corridor.shape[1]:
            return False
        if corridor[i, k] == 0:
            return False
    return True


@kernel
def add_starts(nodes, poses, first, space, states, counts, goal):  # type: ignore[no-untyped-def]
    """Make states of the starts: nodes (K,) at poses (K, 3). They cost nothing, and wait.

    first  how many constraints are met already
    """
    routes, guide, aims, world, body, cells = space
    wide = 2.0 * pi / cells.yaws
    for n in range(nodes.shape[0]):
        node, x, z, yaw = nodes[n], poses[n, 0], poses[n, 1], poses[n, 2]
        u, v, w = (x - cells.x) / cells.cell_m, (z - cells.z) / cells.cell_m, yaw / wide
        i, k, turn = floor(u + 0.5), floor(v + 0.5), floor(w + 0.5)
        if i < 0 or k < 0 or i >= cells.columns or k >= cells.rows:
            continue
        u, v, w = u - i, v - k, w - turn
        if cells.snap:
            x, z, yaw = cells.x + i * cells.cell_m, cells.z + k * cells.cell_m, turn * wide
        c, s = cos(yaw), sin(yaw)
        met = _count_met(aims, world, body, first, node, x, z, c, s, yaw, 0)
        at_goal = met == aims.nodes.shape[0]
        estimate = 0.0
        if not at_goal:
            estimate = estimate_at(guide, met, node, x, z, yaw, c, s)
        if estimate >= FAR:
            continue
        key = key_of_state(cells, node, i, k, turn % cells.yaws, met, 0, 0)
        if cells.coarse:
            key |= int(is_near(cells, guide, world, i, k, turn % cells.yaws, met)) << NEAR_AT
        merged = merged_key(cells, routes.group, key)
        mixed = hash_of(merged)
        slot, old = find_state(states, cells, routes.group, merged, mixed)
        if old >= 0:
            continue
        state = put_state(
            states, counts, slot, mixed, old, key, 0.0, estimate, -1, 0, (u, v, w, 0.0), True
        )
        if at_goal:
            counts[GOAL], goal[0] = state, 0.0
        else:
            states.mark[state] = WAITING


# ---- the loop --------------------------------------------------------------------------------


@kernel
def begin_states(states, counts, epsilon, prune, goal):  # type: ignore[no-untyped-def]
    """Let all states that wait be OPEN, keyed for `epsilon`."""
    limit = goal[0] * (1.0 - EQUAL) if prune else FAR
    counts[ENTRIES] = rekey_states(
        states.cost, states.estimate, states.mark, counts[STATES], epsilon, limit,
        states.heap_keys, states.heap_items,
    )  # fmt: skip


@kernel
def begin_lanes(states, lanes, counts, epsilon):  # type: ignore[no-untyped-def]
    """Let all states that wait be in lanes, keyed for `epsilon`."""
    for state in range(counts[STATES]):
        if states.mark[state] & WAITING:
            cost, estimate = states.cost[state], states.estimate[state]
            put_in_lane(lanes, state, key_of(cost, estimate, epsilon), estimate)


@lean_kernel
def expand_states(  # type: ignore[no-untyped-def]
    space, epsilon, reopen, prune, most, cancel, states, lanes, scratch, counts, goal
):
    """Expand up to `most` states by cost plus `epsilon` times estimate: how it ended, how many.

    With lanes it ends as soon as the goal is reached for less. Writes states, lanes, counts and
    `goal` (2,): the least cost of the goal, and the least estimate of a state that was expanded.
    """
    routes, cells = space.routes, space.cells
    in_lanes, known = lanes.roots.shape[0] > 0, goal[0]
    for expanded in range(most):
        if expanded % _POLL_EVERY == 0 and cancel[0] != 0:
            return CANCELLED, expanded
        if in_lanes:
            if goal[0] < known:
                return FINISHED, expanded
            at = take_from_lanes(lanes, states)
        else:
            limit = goal[0] * (1.0 - EQUAL)
            at, counts[ENTRIES] = take_state(
                states.mark, states.heap_keys, states.heap_items, counts[ENTRIES], limit
            )
        if at < 0:
            return FINISHED, expanded
        node = parts_of(cells, states.key[at])[0]
        more = routes.start[node + 1] - routes.start[node]
        end = _make_room(states, lanes, counts, more, epsilon)
        if end != PAUSED:
            # It is expanded again once there is room.
            states.mark[at] = WAITING | (states.mark[at] & EXPANDED)
            if in_lanes:
                if lanes.counts[USED] < lanes.keys.shape[0]:
                    put_in_lane(lanes, at, states.cost[at], states.estimate[at])
                return end, expanded
            counts[ENTRIES] = sort_heap(
                states.cost, states.estimate, states.mark, counts[STATES], epsilon,
                states.heap_keys, states.heap_items,
            )  # fmt: skip
            return end, expanded
        if states.estimate[at] < goal[1]:
            goal[1], counts[CLOSEST] = states.estimate[at], at
        _expand_state(at, space, epsilon, reopen, prune, states, lanes, scratch, counts, goal)
    return PAUSED, most


@inner_kernel
def _make_room(states, lanes, counts, more, epsilon):  # type: ignore[no-untyped-def]
    """Whether there is room for so many states more: PAUSED if so, else FULL or ROOM."""
    have = counts[STATES]
    if have + more > states.key.shape[0]:
        return FULL
    if have + more > FULLEST * states.slots.shape[0]:
        return ROOM
    if lanes.roots.shape[0] > 0:
        return FULL if lanes.counts[USED] + more + 1 > lanes.keys.shape[0] else PAUSED
    if counts[ENTRIES] + more > states.heap_keys.shape[0]:
        counts[ENTRIES] = sort_heap(
            states.cost, states.estimate, states.mark, have, epsilon, states.heap_keys,
            states.heap_items,
        )  # fmt: skip
        if counts[ENTRIES] + more > states.heap_keys.shape[0]:
            return FULL
    return PAUSED


@spliced_kernel
def _expand_state(  # type: ignore[no-untyped-def]
    at, space, epsilon, reopen, prune, states, lanes, scratch, counts, goal
):
    """Relax all successors of a state."""
    routes, guide, aims, world, body, cells = space
    node, i, k, turn, met, blends, time = parts_of(cells, states.key[at])
    ticks = time * cells.span + states.ticks[at]
    x, z, yaw = pose_of(states, cells, at, i, k, turn)
    c, s = cos(yaw), sin(yaw)
    ground, around = ground_under(world, body, node, x, z, c, s), _room_at(world, x, z)
    limit = goal[0] if prune and goal[0] < FAR else FAR
    rows = _list_successors(
        space, node, (x, z, yaw, c, s), met, blends, ticks, states.cost[at], limit, scratch, counts
    )
    # All slots are read in one go, and then the states that they hold, so that the memory is
    # waited for twice, not twice for each.
    whole, part = scratch.whole, scratch.part
    for n in range(rows):
        whole[n, 3] = states.slots[(whole[n, 2] >> 31) >> states.shift]
    for n in range(rows):
        if whole[n, 3] != 0:
            part[n, 8] = states.cost[(whole[n, 3] & LOW) - 1]
    first = routes.start[node]
    for n in range(rows):
        mixed, to_met, reached = whole[n, 2], whole[n, 4], part[n, 0]
        slot, old = (mixed >> 31) >> states.shift, -1
        if whole[n, 3] != 0 or states.slots[slot] != 0:
            slot, old = find_state(states, cells, routes.group, whole[n, 5], mixed)
            if old >= 0 and not cells.coarse and states.cost[old] <= reached:
                continue
        edge, to_x, to_z, to_yaw = whole[n, 0], part[n, 1], part[n, 2], part[n, 3]
        to, to_c, to_s = routes.to[edge], 1.0, 0.0
        if cells.snap:
            to_c, to_s = cos(to_yaw), sin(to_yaw)
        else:
            turn_c, turn_s = routes.turned[edge, 0], routes.turned[edge, 1]
            to_c, to_s = c * turn_c - s * turn_s, s * turn_c + c * turn_s
        if not _root_stays_in(world, x, z, to_x, to_z, around) or not edge_lands(
            world, body, to, ground + routes.rise[edge], to_x, to_z, to_c, to_s
        ):
            continue
        at_goal, estimate = to_met == aims.nodes.shape[0], 0.0
        if at_goal:
            if reached >= goal[0]:
                continue
        else:
            estimate = estimate_at(guide, to_met, to, to_x, to_z, to_yaw, to_c, to_s)
        if not reached + estimate < limit:
            continue
        # Of those that count as one the most promising is kept.
        if (
            cells.coarse
            and old >= 0
            and states.cost[old] + states.estimate[old] - estimate <= reached
        ):
            continue
        if not edge_clears(world, body, edge, node, to, ground, x, z, c, s):
            continue
        state = put_state(
            states, counts, slot, mixed, old, whole[n, 1], reached, estimate, at, edge - first,
            (part[n, 4], part[n, 5], part[n, 6], part[n, 7]), cells.snap and not cells.coarse,
        )  # fmt: skip
        if at_goal:
            goal[0], counts[GOAL] = reached, state
            continue
        if lanes.roots.shape[0] > 0:
            states.mark[state] = (states.mark[state] & EXPANDED) | WAITING
            put_in_lane(lanes, state, key_of(reached, estimate, epsilon), estimate)
            continue
        counts[ENTRIES] = offer_state(
            state, key_of(reached, estimate, epsilon), states.mark, states.heap_keys,
            states.heap_items, counts[ENTRIES], reopen,
        )  # fmt: skip


@spliced_kernel
def _list_successors(  # type: ignore[no-untyped-def]
    space, node, pose, met, blends, ticks, cost, limit, scratch, counts
):
    """Write where the successors of a state are, and their keys; return how many they are.

    pose  x, z, yaw, its cosine and sine
    Left out are those that lead nowhere, out of the world, or cost `limit` and more already.
    """
    routes, guide, aims, world, body, cells = space
    x, z, yaw, c, s = pose
    whole, part = scratch.whole, scratch.part
    wide, per_m = 2.0 * pi / cells.yaws, 1.0 / cells.cell_m
    per_rad = 1.0 / wide
    rows = 0
    for edge in range(routes.start[node], routes.start[node + 1]):
        to = routes.to[edge]
        leads, reached = aims.leads[met, to], cost + routes.cost[edge]
        if leads == 0 or not reached < limit:
            continue
        mx, mz = routes.move[edge, 0], routes.move[edge, 1]
        to_x, to_z = x + mx * c + mz * s, z - mx * s + mz * c
        u, v = (to_x - cells.x) * per_m, (to_z - cells.z) * per_m
        to_i, to_k = floor(u + 0.5), floor(v + 0.5)
        if to_i < 0 or to_k < 0 or to_i >= cells.columns or to_k >= cells.rows:
            continue
        to_yaw = yaw + routes.move[edge, 2]
        w = to_yaw * per_rad
        to_turn = floor(w + 0.5)
        if cells.snap:
            to_x, to_z = cells.x + to_i * cells.cell_m, cells.z + to_k * cells.cell_m
            to_yaw = to_turn * wide
        to_blends, to_ticks = blends, ticks
        if cells.limited:
            to_blends += routes.blend[edge]
            if to_blends >= cells.blends:
                continue
        if cells.times > 1:
            to_ticks += routes.ticks[edge]
            if to_ticks > aims.until[met]:
                continue
        to_met = met
        if leads > 1:
            to_met = _count_met(
                aims, world, body, met, to, to_x, to_z, cos(to_yaw), sin(to_yaw), to_yaw, to_ticks
            )
        if to_met > met and (
            to_met == aims.nodes.shape[0] or aims.until[to_met] >= cells.times * cells.span
        ):
            to_ticks = 0  # nothing left is to be met within a time
        time, cell_yaw = 0, to_turn
        if cells.times > 1:
            time = to_ticks // cells.span
        while cell_yaw < 0:  # a remainder would cost as much as all the rest
            cell_yaw += cells.yaws
        while cell_yaw >= cells.yaws:
            cell_yaw -= cells.yaws
        key = key_of_state(cells, to, to_i, to_k, cell_yaw, to_met, to_blends, time)
        if cells.coarse:
            key |= int(is_near(cells, guide, world, to_i, to_k, cell_yaw, to_met)) << NEAR_AT
        merged = merged_key(cells, routes.group, key)
        whole[rows, 0], whole[rows, 1], whole[rows, 2] = edge, key, hash_of(merged)
        whole[rows, 4], whole[rows, 5] = to_met, merged
        part[rows, 0], part[rows, 1], part[rows, 2], part[rows, 3] = reached, to_x, to_z, to_yaw
        part[rows, 4], part[rows, 5], part[rows, 6] = u - to_i, v - to_k, w - to_turn
        part[rows, 7] = to_ticks - time * cells.span
        rows += 1
    counts[GENERATED] += routes.start[node + 1] - routes.start[node]
    return rows


# ---- paths -----------------------------------------------------------------------------------


@lean_kernel
def trace_states(states, routes, cells, last, edges, keys, poses):  # type: ignore[no-untyped-def]
    """The path to a state, backward from the last: how many edges.

    Writes edges (L,), keys (L + 1,) and poses (L + 1, 3) as far as they have room.
    """
    count, state = 0, last
    while True:
        _, i, k, yaw, _, _, _ = parts_of(cells, states.key[state])
        if count < keys.shape[0]:
            keys[count] = states.key[state]
            poses[count, 0], poses[count, 1], poses[count, 2] = pose_of(
                states, cells, state, i, k, yaw
            )
        parent = states.parent[state]
        if parent < 0:
            return count
        if count < edges.shape[0]:
            before = parts_of(cells, states.key[parent])[0]
            edges[count] = routes.start[before] + states.edge[state]
        count += 1
        state = parent


@lean_kernel
def path_is_good(edges, nodes, poses, met, first, space):  # type: ignore[no-untyped-def]
    """Whether a path at given poses is free and meets its constraints; their times apart.

    met    (M,) at which node of the path each constraint is met
    first  how many of them were met before it began
    """
    routes, aims, world, body = space.routes, space.aims, space.world, space.body
    for n in range(edges.shape[0]):
        edge, node, to = edges[n], nodes[n], nodes[n + 1]
        x, z, yaw = poses[n, 0], poses[n, 1], poses[n, 2]
        to_x, to_z, to_yaw = poses[n + 1, 0], poses[n + 1, 1], poses[n + 1, 2]
        c, s = cos(yaw), sin(yaw)
        ground = ground_under(world, body, node, x, z, c, s)
        if not _root_stays_in(world, x, z, to_x, to_z, -1.0) or not edge_lands(
            world, body, to, ground + routes.rise[edge], to_x, to_z, cos(to_yaw), sin(to_yaw)
        ):
            return False
        if not edge_clears(world, body, edge, node, to, ground, x, z, c, s):
            return False
    for m in range(first, met.shape[0]):
        node, x, z, yaw = nodes[met[m]], poses[met[m], 0], poses[met[m], 1], poses[met[m], 2]
        if _count_met(aims, world, body, m, node, x, z, cos(yaw), sin(yaw), yaw, 0) <= m:
            return False
    return True
