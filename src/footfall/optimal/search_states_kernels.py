"""The states of the search: their keys, the table that finds them, where they are.

A state is a node, a cell of 2 cm, one of 100 yaws, and how many constraints were met; if asked,
also how many interpolated segments and how much time it took. With `snap` its pose is the middle
of its cell: a true graph. Otherwise it keeps the pose of its cheapest arrival; one that was
expanded is never changed, its cheaper arrival becomes a state of its own, so that no path leads
through a pose that its beginning does not reach. Import lazily: it brings in numba.
"""

from __future__ import annotations

from math import floor, isnan, pi

from footfall.maths.jit_kernels import spliced_kernel
from footfall.optimal.search_estimate_kernels import metres_left
from footfall.search.ara_kernels import CLOSED, EXPANDED
from footfall.search.table_kernels import LOW

STATES, ENTRIES, GENERATED, GOAL, CLOSEST = 0, 1, 2, 3, 4
"""What the counts are: states, heap entries, successors generated; the last two are states."""
NEAR_AT = 62
"""The bit of a key that says that a coarse search tells states apart more finely there."""
_X_STEPS, _YAW_STEPS = 254.0, 65534.0
_FACING = 0.125
"""Near a constraint that faces somewhere states are told apart that face there to this share of a
turn."""
_LOWER = 1.0 - 1.2e-7
"""No estimate gets higher by being kept in 32 bits."""


@spliced_kernel
def key_of_state(cells, node, i, k, yaw, met, blends, time):  # type: ignore[no-untyped-def]
    key = node << cells.node_at | i << cells.column_at | k << cells.row_at
    return key | yaw << cells.yaw_at | met << cells.met_at | blends << cells.blend_at | time


@spliced_kernel
def parts_of(cells, key):  # type: ignore[no-untyped-def]
    """What a key is made of: node, column, row, yaw, constraints met, segments, time."""
    return (
        (key >> cells.node_at) & ((1 << (NEAR_AT - cells.node_at)) - 1),
        (key >> cells.column_at) & ((1 << (cells.node_at - cells.column_at)) - 1),
        (key >> cells.row_at) & ((1 << (cells.column_at - cells.row_at)) - 1),
        (key >> cells.yaw_at) & ((1 << (cells.row_at - cells.yaw_at)) - 1),
        (key >> cells.met_at) & ((1 << (cells.yaw_at - cells.met_at)) - 1),
        (key >> cells.blend_at) & ((1 << (cells.met_at - cells.blend_at)) - 1),
        key & ((1 << cells.blend_at) - 1),
    )


@spliced_kernel
def is_near(cells, guide, world, i, k, yaw, met):  # type: ignore[no-untyped-def]
    """Whether a coarse search tells states apart more finely in a cell."""
    if met >= guide.later.shape[0]:
        return True
    x, z = cells.x + i * cells.cell_m, cells.z + k * cells.cell_m
    near = metres_left(guide, met, x, z) - guide.later[met] < cells.near_m
    if near and not isnan(guide.own_yaw[met]):
        away = guide.own_yaw[met] / (2.0 * pi) - yaw / cells.yaws
        near = abs(away - floor(away + 0.5)) < _FACING
    if near:
        return True
    # Or whether it is not far to where no sole may stand.
    frame, foothold = world.frame, world.foothold
    i, k = floor((x - frame[0]) * frame[2] + 0.5), floor((z - frame[1]) * frame[2] + 0.5)
    if i < 0 or k < 0 or i >= foothold.shape[0] or k >= foothold.shape[1]:
        return True
    return foothold[i, k] < cells.gap_m


@spliced_kernel
def merged_key(cells, group, key):  # type: ignore[no-untyped-def]
    """The key of all states that count as one with that of a key."""
    if not cells.coarse:
        return key
    node, i, k, yaw, met, blends, time = parts_of(cells, key)
    near = key >> NEAR_AT
    per_cell, per_yaw = cells.per_wide, cells.per_turn
    if near:
        per_cell, per_yaw = cells.near_per_wide, cells.near_per_turn
    # Half a cell more, so that no quotient is a whole number that is missed by rounding.
    i, k = int((i + 0.5) * per_cell), int((k + 0.5) * per_cell)
    merged = key_of_state(cells, group[node], i, k, int((yaw + 0.5) * per_yaw), met, blends, time)
    return merged | near << NEAR_AT


@spliced_kernel
def find_state(states, cells, group, key, mixed):  # type: ignore[no-untyped-def]
    """The slot of a merged key, and its state; -1 if it has none yet."""
    slots = states.slots
    last, tag = slots.shape[0] - 1, mixed >> 31
    at = tag >> states.shift
    while True:
        held = slots[at]
        if held == 0:
            return at, -1
        if held >> 31 == tag:
            state = (held & LOW) - 1
            if merged_key(cells, group, states.key[state]) == key:
                return at, state
        at = (at + 1) & last


@spliced_kernel
def put_state(  # type: ignore[no-untyped-def]
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
        states.slots[slot] = (mixed >> 31 << 31) | (state + 1)
        states.mark[state] = mark
    states.key[state] = key
    states.cost[state], states.estimate[state] = cost, estimate * _LOWER
    states.parent[state], states.edge[state] = parent, edge
    states.x[state] = floor(dx * _X_STEPS + 0.5)
    states.z[state] = floor(dz * _X_STEPS + 0.5)
    states.yaw[state] = floor(dyaw * _YAW_STEPS + 0.5)
    states.ticks[state] = dticks
    return state


@spliced_kernel
def pose_of(states, cells, state, i, k, yaw):  # type: ignore[no-untyped-def]
    """x, z and yaw of a state."""
    x, z, turn = float(i), float(k), float(yaw)
    if not cells.snap:
        x += states.x[state] / _X_STEPS
        z += states.z[state] / _X_STEPS
        turn += states.yaw[state] / _YAW_STEPS
    return cells.x + x * cells.cell_m, cells.z + z * cells.cell_m, turn * (2.0 * pi / cells.yaws)
