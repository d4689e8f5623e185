"""The search of the interpolated graph unrolled in the world. Import lazily: it brings in numba.

A state is a node, a cell of 2 cm, one of 100 yaws, and how many constraints were met; if asked,
also how many interpolated segments and how much time it took. With `snap` its pose is the middle
of its cell: a true graph. Otherwise it keeps the pose of its cheapest arrival; one that was
expanded is never changed, its cheaper arrival becomes a state of its own, so that no path leads
through a pose that its beginning does not reach.
"""

from __future__ import annotations

from math import cos, floor, isnan, pi, sin, sqrt

import numpy as np

from footfall.maths.jit_kernels import inner_kernel, kernel, lean_kernel
from footfall.optimal.search_arrays import FAR, FULLEST
from footfall.optimal.world_kernels import edge_is_free, ground_under
from footfall.search.ara_kernels import (
    CANCELLED,
    CLOSED,
    EQUAL,
    EXPANDED,
    FINISHED,
    FULL,
    PAUSED,
    WAITING,
    key_of,
    least_estimate,
    offer_state,
    rekey_states,
    sort_heap,
    take_state,
)

ROOM = 4
"""How a loop ends for want of slots: the table is to be made larger."""
STATES, ENTRIES, GENERATED, GOAL, CLOSEST = 0, 1, 2, 3, 4
"""What the counts are: states, heap entries, successors generated; the last two are states."""
_POLL_EVERY = 256
_CHORD_M = 0.1
"""The root may be in the corridor at every point so far from the next."""
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_LOW = (1 << 31) - 1
_X_STEPS, _YAW_STEPS = 254.0, 65534.0
_LOWER = 1.0 - 1.2e-7
"""No estimate gets higher by being kept in 32 bits."""


# ---- where states are ------------------------------------------------------------------------


@inner_kernel
def _key(cells, node, i, k, yaw, met, blends, time):  # type: ignore[no-untyped-def]
    key = (node * cells.columns + i) * cells.rows + k
    key = (key * cells.yaws + yaw) * cells.constraints + met
    return (key * cells.blends + blends) * cells.times + time


@inner_kernel
def _parts(cells, key):  # type: ignore[no-untyped-def]
    """What a key is made of: node, column, row, yaw, constraints met, segments, time."""
    key, time = key // cells.times, key % cells.times
    key, blends = key // cells.blends, key % cells.blends
    key, met = key // cells.constraints, key % cells.constraints
    key, yaw = key // cells.yaws, key % cells.yaws
    key, k = key // cells.rows, key % cells.rows
    return key // cells.columns, key % cells.columns, k, yaw, met, blends, time


@inner_kernel
def _estimate(guide, met, node, x, z, yaw):  # type: ignore[no-untyped-def]
    """The cost that is left at least, from a node at a pose, once `met` constraints are met."""
    if guide.table[met, node, 0] >= FAR:
        return FAR
    metres = _metres(guide, met, x, z)
    step = min(int((metres - guide.later[met]) * guide.per_step), guide.table.shape[2] - 1)
    most = max(guide.rate * metres + guide.table[met, node, max(step, 0)], 0.0)
    for j in range(guide.level):
        most = max(most, guide.slopes[j, 0] * metres + guide.lines[met, node, j])
    if guide.level < guide.lines.shape[2] and not isnan(guide.yaw[met]):
        most = max(most, _by_turns(guide, met, node, metres, yaw))
    if guide.guess.shape[3] > 0:
        most = max(most, _by_pose(guide, met, x, z, yaw) + guide.table[met, node, 0])
    return most


@inner_kernel
def _by_pose(guide, met, x, z, yaw):  # type: ignore[no-untyped-def]
    """The guess at a pose, linear between corners and yaws; `FAR` where there is none."""
    guess, frame = guide.guess, guide.frame
    yaws = guess.shape[3]
    u, v, w = (x - frame[0]) * frame[2], (z - frame[1]) * frame[2], yaw * (yaws / (2.0 * pi))
    i, k, y = int(u), int(v), floor(w)
    u, v, w = u - i, v - k, w - y
    found = 0.0
    for side in range(2):
        at = (y + side) % yaws
        low = guess[met, i, k, at] * (1.0 - u) + guess[met, i + 1, k, at] * u
        high = guess[met, i, k + 1, at] * (1.0 - u) + guess[met, i + 1, k + 1, at] * u
        found += (low * (1.0 - v) + high * v) * (w if side == 1 else 1.0 - w)
    return found


@inner_kernel
def _by_turns(guide, met, node, metres, yaw):  # type: ignore[no-untyped-def]
    """The same by lines with a slope for radians, the short way round or the long one.

    What they say together is convex in the radians, so it rises on both sides of the least.
    """
    away = (guide.yaw[met] - yaw) / (2.0 * pi)
    away = (away - floor(away + 0.5)) * 2.0 * pi
    least = _by_turn(guide, met, node, metres, away)
    for side in range(2):
        turn = away
        while True:
            turn += 2.0 * pi if side == 0 else -2.0 * pi
            other = _by_turn(guide, met, node, metres, turn)
            if not other < least:
                break
            least = other
    return least


@inner_kernel
def _by_turn(guide, met, node, metres, turn):  # type: ignore[no-untyped-def]
    """What is left at least if so many radians are turned to the left."""
    most = -FAR
    for j in range(guide.level, guide.lines.shape[2]):
        metre, radian = guide.slopes[j, 0], guide.slopes[j, 1]
        turned = radian * turn - abs(radian) * guide.within_rad[met]
        most = max(most, metre * metres + turned + guide.lines[met, node, j])
    return most


@inner_kernel
def _metres(guide, met, x, z):  # type: ignore[no-untyped-def]
    """The metres that are left at least, linear between the corners of a square."""
    field, frame = guide.field, guide.frame
    u, v = (x - frame[0]) * frame[2], (z - frame[1]) * frame[2]
    i, k = int(u), int(v)
    if u < 0.0 or v < 0.0 or i >= field.shape[1] - 1 or k >= field.shape[2] - 1:
        return FAR
    u, v = u - i, v - k
    low = field[met, i, k] * (1.0 - u) + field[met, i + 1, k] * u
    high = field[met, i, k + 1] * (1.0 - u) + field[met, i + 1, k + 1] * u
    return low * (1.0 - v) + high * v


@inner_kernel
def _is_by_a_gap(cells, world, x, z):  # type: ignore[no-untyped-def]
    """Whether it is not far to where no sole may stand."""
    frame, foothold = world[0], world[2]
    i, k = floor((x - frame[0]) * frame[2] + 0.5), floor((z - frame[1]) * frame[2] + 0.5)
    if i < 0 or k < 0 or i >= foothold.shape[0] or k >= foothold.shape[1]:
        return True
    return foothold[i, k] < cells.gap_m


@inner_kernel
def _merged(cells, routes, guide, world, key):  # type: ignore[no-untyped-def]
    """The key of all states that count as one with that of a key."""
    if not cells.coarse:
        return key
    node, i, k, yaw, met, blends, time = _parts(cells, key)
    wide, turn, near = cells.wide, cells.turn, True
    if met < guide.later.shape[0]:
        x, z = cells.x + i * cells.cell_m, cells.z + k * cells.cell_m
        near = _metres(guide, met, x, z) - guide.later[met] < cells.near_m
        if near and not isnan(guide.yaw[met]):
            away = guide.yaw[met] / (2.0 * pi) - yaw / cells.yaws
            near = abs(away - floor(away + 0.5)) < 0.125
        near = near or _is_by_a_gap(cells, world, x, z)
    if near:
        wide, turn = (wide + 3) // 4, (turn + 1) // 2
    merged = _key(cells, routes.group[node], i // wide, k // wide, yaw // turn, met, blends, time)
    return -merged if near else merged


@inner_kernel
def _hash(key):  # type: ignore[no-untyped-def]
    """63 bits, each of which depends on all of the key."""
    mixed = np.uint64(key)
    mixed = (mixed ^ (mixed >> np.uint64(32))) * _GOLDEN
    mixed = (mixed ^ (mixed >> np.uint64(29))) * _GOLDEN
    return np.int64(mixed >> np.uint64(1))


@inner_kernel
def _find(states, cells, routes, guide, world, key, mixed):  # type: ignore[no-untyped-def]
    """The slot of a merged key, and its state; -1 if it has none yet."""
    slots = states.slots
    last, tag = slots.shape[0] - 1, mixed >> 31
    at = tag >> states.shift
    while True:
        held = slots[at]
        if held == 0:
            return at, -1
        if held >> 31 == tag:
            state = (held & _LOW) - 1
            if _merged(cells, routes, guide, world, states.key[state]) == key:
                return at, state
        at = (at + 1) & last


@inner_kernel
def _hold(states, at, state, mixed):  # type: ignore[no-untyped-def]
    """Put a state into a slot."""
    states.slots[at] = (mixed >> 31 << 31) | (state + 1)


@lean_kernel
def fill_slots(old, slots, shift):  # type: ignore[no-untyped-def]
    """Put what is in a table into a larger one, that is empty; in the order of both."""
    last = slots.shape[0] - 1
    for n in range(old.shape[0]):
        if old[n] != 0:
            at = (old[n] >> 31) >> shift
            while slots[at] != 0:
                at = (at + 1) & last
            slots[at] = old[n]


# ---- what is asked of an arrival -------------------------------------------------------------


@inner_kernel
def _meets(aims, world, body, met, node, x, z, c, s, yaw, ticks):  # type: ignore[no-untyped-def]
    """Whether a node at a pose meets the next constraint, `met`."""
    if not aims.nodes[met, node] or ticks > aims.until[met]:
        return False
    px, pz = aims.point[met, node, 0], aims.point[met, node, 2]
    dx = x + px * c + pz * s - aims.place[met, 0]
    dz = z - px * s + pz * c - aims.place[met, 2]
    away = dx * dx + dz * dz
    within = aims.within_m[met]
    if away > within * within:
        return False
    if not isnan(aims.yaw[met]):
        turn = (yaw + aims.facing[met, node] - aims.yaw[met]) / (2.0 * pi)
        if abs(turn - floor(turn + 0.5)) * 2.0 * pi > aims.within_rad[met]:
            return False
    if isnan(aims.place[met, 1]):
        return True
    ground = ground_under(world, body, node, x, z, c, s)
    dy = ground + aims.point[met, node, 1] - aims.place[met, 1]
    return away + dy * dy <= within * within


@inner_kernel
def _count_met(aims, world, body, met, node, x, z, yaw, ticks):  # type: ignore[no-untyped-def]
    """How many constraints are met once a node is reached."""
    c, s = cos(yaw), sin(yaw)
    while met < aims.nodes.shape[0] and _meets(
        aims, world, body, met, node, x, z, c, s, yaw, ticks
    ):
        met += 1
    return met


@inner_kernel
def _root_stays_in(world, x, z, to_x, to_z):  # type: ignore[no-untyped-def]
    """Whether the line between two places of the root is within the corridor, but its start."""
    frame, corridor = world[0], world[1]
    dx, dz = to_x - x, to_z - z
    steps = int(sqrt(dx * dx + dz * dz) / _CHORD_M) + 1
    for n in range(1, steps + 1):
        i = floor((x + dx * n / steps - frame[0]) * frame[2] + 0.5)
        k = floor((z + dz * n / steps - frame[1]) * frame[2] + 0.5)
        if i < 0 or k < 0 or i >= corridor.shape[0] or k >= corridor.shape[1]:
            return False
        if corridor[i, k] == 0:
            return False
    return True


# ---- states made and improved ----------------------------------------------------------------


@inner_kernel
def _put_state(  # type: ignore[no-untyped-def]
    states,
    counts,
    slot,
    mixed,
    old,
    key,
    cost,
    estimate,
    parent,
    edge,
    dx,
    dz,
    dyaw,
    dticks,
    true_graph,
):
    """Write an arrival that is cheaper than all before into the state of its key, or a new one."""
    state = old
    mark = 0
    if old < 0 or (not true_graph and states.mark[old] & EXPANDED):
        if old >= 0 and states.mark[old] & CLOSED:
            mark = CLOSED  # so that it waits for the next improvement, as the old one would
        if old >= 0:
            states.mark[old] &= CLOSED | EXPANDED
        state = counts[STATES]
        counts[STATES] += 1
        _hold(states, slot, state, mixed)
        states.mark[state] = mark
    states.key[state] = key
    states.cost[state], states.estimate[state] = cost, estimate * _LOWER
    states.parent[state], states.edge[state] = parent, edge
    states.x[state] = floor(dx * _X_STEPS + 0.5)
    states.z[state] = floor(dz * _X_STEPS + 0.5)
    states.yaw[state] = floor(dyaw * _YAW_STEPS + 0.5)
    states.ticks[state] = dticks
    return state


@inner_kernel
def _pose(states, cells, state, i, k, yaw):  # type: ignore[no-untyped-def]
    """x, z and yaw of a state."""
    x, z, turn = float(i), float(k), float(yaw)
    if not cells.snap:
        x += states.x[state] / _X_STEPS
        z += states.z[state] / _X_STEPS
        turn += states.yaw[state] / _YAW_STEPS
    return cells.x + x * cells.cell_m, cells.z + z * cells.cell_m, turn * (2.0 * pi / cells.yaws)


@kernel
def add_starts(  # type: ignore[no-untyped-def]
    nodes, poses, routes, guide, aims, world, body, cells, states, counts, goal
):
    """Make states of the starts: nodes (K,) at poses (K, 3). They cost nothing, and wait."""
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
        met = _count_met(aims, world, body, 0, node, x, z, yaw, 0)
        at_goal = met == aims.nodes.shape[0]
        estimate = 0.0
        if not at_goal:
            estimate = _estimate(guide, met, node, x, z, yaw)
        if estimate >= FAR:
            continue
        key = _key(cells, node, i, k, turn % cells.yaws, met, 0, 0)
        merged = _merged(cells, routes, guide, world, key)
        mixed = _hash(merged)
        slot, old = _find(states, cells, routes, guide, world, merged, mixed)
        if old >= 0:
            continue
        state = _put_state(
            states, counts, slot, mixed, old, key, 0.0, estimate, -1, 0, u, v, w, 0, True
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
def least_of_states(states, counts):  # type: ignore[no-untyped-def]
    """The least cost plus estimate of all that waits."""
    return least_estimate(states.cost, states.estimate, states.mark, counts[STATES])


@kernel
def expand_states(  # type: ignore[no-untyped-def]
    routes, guide, aims, world, body, cells, epsilon, reopen, prune, most, cancel,
    states, scratch, counts, goal,
):  # fmt: skip
    """Expand up to `most` states by cost plus `epsilon` times estimate: how it ended, how many.

    Writes states, counts and `goal` (2,): the least cost of the goal, and the least estimate of
    a state that was expanded.
    """
    for expanded in range(most):
        if expanded % _POLL_EVERY == 0 and cancel[0] != 0:
            return CANCELLED, expanded
        entries, limit = counts[ENTRIES], goal[0] * (1.0 - EQUAL)
        at, entries = take_state(states.mark, states.heap_keys, states.heap_items, entries, limit)
        counts[ENTRIES] = entries
        if at < 0:
            return FINISHED, expanded
        node = _parts(cells, states.key[at])[0]
        more = routes.start[node + 1] - routes.start[node]
        end = _make_room(states, counts, more, epsilon)
        if end != PAUSED:
            # It is expanded again once there is room.
            states.mark[at] = WAITING | (states.mark[at] & EXPANDED)
            counts[ENTRIES] = sort_heap(
                states.cost, states.estimate, states.mark, counts[STATES], epsilon,
                states.heap_keys, states.heap_items,
            )  # fmt: skip
            return end, expanded
        if states.estimate[at] < goal[1]:
            goal[1], counts[CLOSEST] = states.estimate[at], at
        _expand_state(
            at, routes, guide, aims, world, body, cells, epsilon, reopen, prune, states, scratch,
            counts, goal,
        )  # fmt: skip
    return PAUSED, most


@inner_kernel
def _make_room(states, counts, more, epsilon):  # type: ignore[no-untyped-def]
    """Whether there is room for so many states more: PAUSED if so, else FULL or ROOM."""
    have = counts[STATES]
    if have + more > states.key.shape[0]:
        return FULL
    if have + more > FULLEST * states.slots.shape[0]:
        return ROOM
    if counts[ENTRIES] + more > states.heap_keys.shape[0]:
        counts[ENTRIES] = sort_heap(
            states.cost, states.estimate, states.mark, have, epsilon, states.heap_keys,
            states.heap_items,
        )  # fmt: skip
        if counts[ENTRIES] + more > states.heap_keys.shape[0]:
            return FULL
    return PAUSED


@inner_kernel
def _expand_state(  # type: ignore[no-untyped-def]
    at, routes, guide, aims, world, body, cells, epsilon, reopen, prune, states, scratch,
    counts, goal,
):  # fmt: skip
    """Relax all successors of a state."""
    node, i, k, turn, met, blends, time = _parts(cells, states.key[at])
    ticks = time * cells.span + states.ticks[at]
    x, z, yaw = _pose(states, cells, at, i, k, turn)
    c, s = cos(yaw), sin(yaw)
    ground = ground_under(world, body, node, x, z, c, s)
    limit = goal[0] if prune and goal[0] < FAR else FAR
    rows = _list_successors(
        node, x, z, yaw, c, s, met, blends, ticks, states.cost[at], limit, routes, guide, aims,
        world, body, cells, scratch, counts,
    )  # fmt: skip
    # All slots are read in one go, and then the states that they hold, so that the memory is
    # waited for twice, not twice for each.
    whole, part = scratch.whole, scratch.part
    for n in range(rows):
        whole[n, 3] = states.slots[(whole[n, 2] >> 31) >> states.shift]
    for n in range(rows):
        if whole[n, 3] != 0:
            part[n, 9] = states.cost[(whole[n, 3] & _LOW) - 1]
    first = routes.start[node]
    for n in range(rows):
        key, mixed, to_met = whole[n, 1], whole[n, 2], whole[n, 4]
        reached, estimate = part[n, 0], part[n, 1]
        slot, old = (mixed >> 31) >> states.shift, -1
        if whole[n, 3] != 0 or states.slots[slot] != 0:
            slot, old = _find(states, cells, routes, guide, world, whole[n, 5], mixed)
            if old >= 0:
                known = states.cost[old]
                if cells.coarse:  # of those that count as one the most promising
                    known += states.estimate[old] - estimate
                if known <= reached:
                    continue
        at_goal = to_met == aims.nodes.shape[0]
        if at_goal and reached >= goal[0]:
            continue
        edge, to_x, to_z, to_yaw = whole[n, 0], part[n, 2], part[n, 3], part[n, 4]
        if not _root_stays_in(world, x, z, to_x, to_z):
            continue
        if not edge_is_free(
            world, body, edge, node, routes.to[edge], ground, routes.rise[edge], x, z, c, s,
            to_x, to_z, cos(to_yaw), sin(to_yaw),
        ):  # fmt: skip
            continue
        state = _put_state(
            states, counts, slot, mixed, old, key, reached, estimate, at, edge - first,
            part[n, 5], part[n, 6], part[n, 7], part[n, 8], cells.snap and not cells.coarse,
        )  # fmt: skip
        if at_goal:
            goal[0], counts[GOAL] = reached, state
            continue
        counts[ENTRIES] = offer_state(
            state, key_of(reached, estimate, epsilon), states.mark, states.heap_keys,
            states.heap_items, counts[ENTRIES], reopen,
        )  # fmt: skip


@inner_kernel
def _list_successors(  # type: ignore[no-untyped-def]
    node, x, z, yaw, c, s, met, blends, ticks, cost, limit, routes, guide, aims, world, body,
    cells, scratch, counts,
):  # fmt: skip
    """Write the successors of a state that may lead to less than `limit`; how many they are."""
    whole, part = scratch.whole, scratch.part
    wide, per_m = 2.0 * pi / cells.yaws, 1.0 / cells.cell_m
    rows = 0
    for edge in range(routes.start[node], routes.start[node + 1]):
        to = routes.to[edge]
        if guide.table[met, to, 0] >= FAR and not aims.nodes[met, to]:
            continue
        mx, mz = routes.move[edge, 0], routes.move[edge, 1]
        to_x, to_z = x + mx * c + mz * s, z - mx * s + mz * c
        u, v = (to_x - cells.x) * per_m, (to_z - cells.z) * per_m
        to_i, to_k = floor(u + 0.5), floor(v + 0.5)
        if to_i < 0 or to_k < 0 or to_i >= cells.columns or to_k >= cells.rows:
            continue
        if cells.snap:
            to_x, to_z = cells.x + to_i * cells.cell_m, cells.z + to_k * cells.cell_m
        to_yaw = yaw + routes.move[edge, 2]
        w = to_yaw / wide
        to_turn = floor(w + 0.5)
        if cells.snap:
            to_yaw = to_turn * wide
        reached = cost + routes.cost[edge]
        to_blends, to_ticks = blends, ticks
        if cells.limited:
            to_blends += routes.blend[edge]
            if to_blends >= cells.blends:
                continue
        if cells.times > 1:
            to_ticks += routes.ticks[edge]
            if to_ticks > aims.until[met]:
                continue
        to_met, estimate = met, 0.0
        if aims.nodes[met, to]:
            to_met = _count_met(aims, world, body, met, to, to_x, to_z, to_yaw, to_ticks)
        if to_met < aims.nodes.shape[0]:
            estimate = _estimate(guide, to_met, to, to_x, to_z, to_yaw)
        if not reached + estimate < limit:
            continue
        if to_met > met and (
            to_met == aims.nodes.shape[0] or aims.until[to_met] >= cells.times * cells.span
        ):
            to_ticks = 0  # nothing left is to be met within a time
        time = to_ticks // cells.span
        key = _key(cells, to, to_i, to_k, to_turn % cells.yaws, to_met, to_blends, time)
        merged = _merged(cells, routes, guide, world, key)
        whole[rows, 0], whole[rows, 1], whole[rows, 2] = edge, key, _hash(merged)
        whole[rows, 4], whole[rows, 5] = to_met, merged
        part[rows, 0], part[rows, 1] = reached, estimate
        part[rows, 2], part[rows, 3], part[rows, 4] = to_x, to_z, to_yaw
        part[rows, 5], part[rows, 6], part[rows, 7] = u - to_i, v - to_k, w - to_turn
        part[rows, 8] = to_ticks - time * cells.span
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
        _, i, k, yaw, _, _, _ = _parts(cells, states.key[state])
        if count < keys.shape[0]:
            keys[count] = states.key[state]
            poses[count, 0], poses[count, 1], poses[count, 2] = _pose(
                states, cells, state, i, k, yaw
            )
        parent = states.parent[state]
        if parent < 0:
            return count
        if count < edges.shape[0]:
            before = _parts(cells, states.key[parent])[0]
            edges[count] = routes.start[before] + states.edge[state]
        count += 1
        state = parent


@lean_kernel
def path_is_good(edges, nodes, poses, met, routes, aims, world, body):  # type: ignore[no-untyped-def]
    """Whether a path at given poses is free and meets its constraints; their times apart.

    met  (M,) at which node of the path each constraint is met
    """
    for n in range(edges.shape[0]):
        edge, node, to = edges[n], nodes[n], nodes[n + 1]
        x, z, yaw = poses[n, 0], poses[n, 1], poses[n, 2]
        to_x, to_z, to_yaw = poses[n + 1, 0], poses[n + 1, 1], poses[n + 1, 2]
        c, s = cos(yaw), sin(yaw)
        ground = ground_under(world, body, node, x, z, c, s)
        if not _root_stays_in(world, x, z, to_x, to_z) or not edge_is_free(
            world, body, edge, node, to, ground, routes.rise[edge], x, z, c, s,
            to_x, to_z, cos(to_yaw), sin(to_yaw),
        ):  # fmt: skip
            return False
    for m in range(met.shape[0]):
        node, x, z, yaw = nodes[met[m]], poses[met[m], 0], poses[met[m], 1], poses[met[m], 2]
        if not _meets(aims, world, body, m, node, x, z, cos(yaw), sin(yaw), yaw, 0):
            return False
    return True
