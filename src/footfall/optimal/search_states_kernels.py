"""The states of the search: their keys, the table that finds them, where they are, what is left.

A state is a node, a cell of 2 cm, one of 100 yaws, and how many constraints were met; if asked,
also how many interpolated segments and how much time it took. With `snap` its pose is the middle
of its cell: a true graph. Otherwise it keeps the pose of its cheapest arrival; one that was
expanded is never changed, its cheaper arrival becomes a state of its own, so that no path leads
through a pose that its beginning does not reach. Import lazily: it brings in numba.
"""

from __future__ import annotations

from math import floor, isnan, pi

import numpy as np

from footfall.maths.jit_kernels import spliced_kernel
from footfall.search.ara_kernels import CLOSED, EXPANDED, LOW
from footfall.search.shortest_path import FAR

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
_ONE = np.uint64(1)
_PER_TURN = 1.0 / (2.0 * pi)


@spliced_kernel
def metres_left(guide, met, x, z):  # type: ignore[no-untyped-def]
    """The metres that are left at least, linear between the corners of a square."""
    field, frame = guide.field, guide.frame
    u, v = (x - frame[0]) * frame[2], (z - frame[1]) * frame[2]
    i, k = int(u), int(v)
    if u < 0.0 or v < 0.0 or i >= field.shape[1] - 1 or k >= field.shape[2] - 1:
        return FAR
    u, v = u - i, v - k
    left, low, place = np.uint64(i), np.uint64(k), np.uint64(met)
    at = field[place, left, low] * (1.0 - u) + field[place, left + _ONE, low] * u
    high = field[place, left, low + _ONE] * (1.0 - u) + field[place, left + _ONE, low + _ONE] * u
    return at * (1.0 - v) + high * v


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
    states, counts, slot, mixed, old, key, cost, estimate, parent, edge, within, true_graph
):
    """Write an arrival that is cheaper than all before into the state of its key, or a new one.

    within  where in its cells it is: x, z, yaw and ticks
    """
    dx, dz, dyaw, dticks = within
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
    states.ticks[state] = int(dticks)
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


# ---- what is left, as the tables of estimates have it ----------------------------------------


@spliced_kernel
def estimate_at(guide, met, node, x, z, yaw, c, s):  # type: ignore[no-untyped-def]
    """The cost that is left at least, from a node at a pose, once `met` constraints are met.

    c, s  cosine and sine of the yaw
    """
    if guide.table[met, node, 0] >= FAR:
        return FAR
    metres = metres_left(guide, met, x, z)
    step = min(int((metres - guide.later[met]) * guide.per_step), guide.table.shape[2] - 1)
    most = max(guide.rate * metres + guide.table[met, node, max(step, 0)], 0.0)
    for j in range(guide.level):
        most = max(most, guide.slopes[j, 0] * metres + guide.lines[met, node, j])
    if guide.guess.shape[3] > 0:
        most = max(most, _guess(guide, met, node, x, z, yaw, c, s))
    if guide.level < guide.lines.shape[2] and not isnan(guide.yaw[met]):
        most = max(most, _by_turns(guide, met, node, metres, yaw, most))
    if guide.guess.shape[3] > 0:
        most += _by_pose(guide.footing, guide.frame, x, z, yaw)
    return most


@spliced_kernel
def _guess(guide, met, node, x, z, yaw, c, s):  # type: ignore[no-untyped-def]
    """A guess of what is left: the cheapest path by node, and what makes up for where it leads.

    No less than what it costs to get to where things are begun, and to do what comes next there:
    the cheapest path by node knows nothing of what stands in its way.
    """
    done = guide.done
    mx, mz = done[met, node, 0], done[met, node, 1]
    to_x, to_z = x + mx * c + mz * s, z - mx * s + mz * c
    left = _by_pose(guide.guess[met], guide.frame, to_x, to_z, yaw + done[met, node, 2])
    first = _by_pose(guide.guess[met], guide.frame, x, z, yaw)
    return max(done[met, node, 3] + left, min(done[met, node, 3], guide.begun[met]) + first)


@spliced_kernel
def _by_pose(guess, frame, x, z, yaw):  # type: ignore[no-untyped-def]
    """What a table (I, K, Y) says at a pose, linear between corners and yaws."""
    yaws = guess.shape[2]
    u, v, w = (x - frame[0]) * frame[2], (z - frame[1]) * frame[2], yaw * _PER_TURN
    u = min(max(u, 0.0), guess.shape[0] - 1.001)
    v = min(max(v, 0.0), guess.shape[1] - 1.001)
    w = (w - floor(w)) * yaws
    whole_i, whole_k, whole_y = int(u), int(v), int(w)
    u, v, w = u - whole_i, v - whole_k, w - whole_y
    # Numbers without a sign are not asked whether they count from the end.
    i, k = np.uint64(whole_i), np.uint64(whole_k)
    after = np.uint64(whole_y + 1 if whole_y + 1 < yaws else 0)
    y = np.uint64(min(whole_y, yaws - 1))
    low = _between(guess[i, k, y], guess[i, k, after], w)
    low += u * (_between(guess[i + _ONE, k, y], guess[i + _ONE, k, after], w) - low)
    high = _between(guess[i, k + _ONE, y], guess[i, k + _ONE, after], w)
    there = _between(guess[i + _ONE, k + _ONE, y], guess[i + _ONE, k + _ONE, after], w)
    high += u * (there - high)
    return low + v * (high - low)


@spliced_kernel
def _between(a, b, share):  # type: ignore[no-untyped-def]
    return float(a) + share * (float(b) - float(a))


@spliced_kernel
def _by_turns(guide, met, node, metres, yaw, enough):  # type: ignore[no-untyped-def]
    """The same by lines with a slope for radians, the short way round or the long one.

    What they say together is convex in the radians, so it rises on both sides of the least. Once it
    is no more than `enough` it matters no longer how much less it is.
    """
    away = (guide.yaw[met] - yaw) * _PER_TURN
    away = (away - floor(away + 0.5)) * 2.0 * pi
    least = _by_turn(guide, met, node, metres, away)
    for side in range(2):
        turn = away
        while least > enough:
            turn += 2.0 * pi if side == 0 else -2.0 * pi
            other = _by_turn(guide, met, node, metres, turn)
            if not other < least:
                break
            least = other
    return least


@spliced_kernel
def _by_turn(guide, met, node, metres, turn):  # type: ignore[no-untyped-def]
    """What is left at least if so many radians are turned to the left."""
    most, within = -FAR, guide.within_rad[met]
    for j in range(guide.level, guide.lines.shape[2]):
        metre, radian = guide.slopes[j, 0], guide.slopes[j, 1]
        turned = radian * turn - abs(radian) * within
        most = max(most, metre * metres + turned + guide.lines[met, node, j])
    return most
