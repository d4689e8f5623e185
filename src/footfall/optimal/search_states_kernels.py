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
_X_STEPS, _YAW_STEPS = 254.0, 65534.0
_LOWER = 1.0 - 1.2e-7
"""No estimate gets higher by being kept in 32 bits."""
_ONE = np.uint64(1)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_PER_TURN = 1.0 / (2.0 * pi)


@spliced_kernel
def metres_left(field, frame, met, x, z):  # type: ignore[no-untyped-def]
    """The metres that are left at least, linear between the corners of a square."""
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
        key >> cells.node_at,
        (key >> cells.column_at) & ((1 << (cells.node_at - cells.column_at)) - 1),
        (key >> cells.row_at) & ((1 << (cells.column_at - cells.row_at)) - 1),
        (key >> cells.yaw_at) & ((1 << (cells.row_at - cells.yaw_at)) - 1),
        (key >> cells.met_at) & ((1 << (cells.yaw_at - cells.met_at)) - 1),
        (key >> cells.blend_at) & ((1 << (cells.met_at - cells.blend_at)) - 1),
        key & ((1 << cells.blend_at) - 1),
    )


@spliced_kernel
def merged_key(cells, group, key):  # type: ignore[no-untyped-def]
    """The key of all states that count as one with that of a key."""
    node, i, k, yaw, met, blends, time = parts_of(cells, key)
    # Half a cell more, so that no quotient is a whole number that is missed by rounding.
    i, k = int((i + 0.5) * cells.per_wide), int((k + 0.5) * cells.per_wide)
    turn = int((yaw + 0.5) * cells.per_turn)
    return key_of_state(cells, group[node], i, k, turn, met, blends, time)


@spliced_kernel
def write_key(cells, row):  # type: ignore[no-untyped-def]
    """Write the key of a successor."""
    time = 0
    if cells.times > 1:
        time = row.ticks // cells.span
        row.ticks -= time * cells.span
    row.key = key_of_state(cells, row.to, row.i, row.k, row.turn, row.met, row.blends, time)
    row.merged = row.key


@spliced_kernel
def merge_keys(cells, group, rows, count):  # type: ignore[no-untyped-def]
    """Write the keys of all states that count as one with successors of a coarse search."""
    for n in range(count):
        rows[n].merged = merged_key(cells, group, rows[n].key)


@spliced_kernel
def read_slots(states, slots, shift, rows, left, count):  # type: ignore[no-untyped-def]
    """Read what the slots of successors hold, and the costs of the states that these are.

    All slots are read in one go, and then the states, so that the memory is waited for twice, not
    twice for each. Fills `left` with all successors.
    """
    for n in range(count):
        row = rows[n]
        # 63 bits, each of which depends on all of the key.
        mixed = np.uint64(row.merged)
        mixed = (mixed ^ (mixed >> np.uint64(32))) * _GOLDEN
        mixed = (mixed ^ (mixed >> np.uint64(29))) * _GOLDEN
        row.hash = np.int64(mixed >> np.uint64(1))
        row.held, left[n] = slots[(row.hash >> 31) >> shift], n
    for n in range(count):
        if rows[n].held != 0:
            rows[n].known = states[(rows[n].held & LOW) - 1].cost


@spliced_kernel
def find_state(states, slots, shift, cells, group, row):  # type: ignore[no-untyped-def]
    """The slot of a successor, and its state; -1 if it has none yet."""
    last, tag = slots.shape[0] - 1, row.hash >> 31
    at = tag >> shift
    while True:
        held = slots[at]
        if held == 0:
            return at, -1
        if held >> 31 == tag:
            state = (held & LOW) - 1
            key = states[state].key
            if (merged_key(cells, group, key) if cells.coarse else key) == row.merged:
                return at, state
        at = (at + 1) & last


@spliced_kernel
def put_state(states, slot, old, new, true_graph, parent, edge, row):  # type: ignore[no-untyped-def]
    """Write a successor that is cheaper than all before into the state of its key, or a new one.

    old  the state of its key, -1 if it has none yet;  new  the number of the next new state
    """
    state = old
    if old < 0 or (not true_graph and states.rows[old].mark & EXPANDED):
        mark, state = 0, new
        if old >= 0:
            before = states.rows[old]
            mark = before.mark & CLOSED  # so that it waits for the next improvement, as it would
            before.mark &= CLOSED | EXPANDED
        states.slots[slot] = (row.hash >> 31 << 31) | (state + 1)
        states.rows[state].mark = mark
    out = states.rows[state]
    out.key, out.cost, out.estimate = row.key, row.cost, row.estimate * _LOWER
    out.parent, out.edge = parent, edge
    out.x, out.z = floor(row.u * _X_STEPS + 0.5), floor(row.v * _X_STEPS + 0.5)
    out.yaw, out.ticks = floor(row.w * _YAW_STEPS + 0.5), row.ticks
    return state


@spliced_kernel
def pose_of(row, cells, i, k, yaw):  # type: ignore[no-untyped-def]
    """x, z and yaw of a state: its record, and what its key holds."""
    x, z, turn = float(i), float(k), float(yaw)
    if not cells.snap:
        x += row.x / _X_STEPS
        z += row.z / _X_STEPS
        turn += row.yaw / _YAW_STEPS
    return cells.x + x * cells.cell_m, cells.z + z * cells.cell_m, turn * cells.wide


# ---- what is left, as the tables of estimates have it ----------------------------------------


@spliced_kernel
def keep_promising(guide, limit, rows, left, count):  # type: ignore[no-untyped-def]
    """Estimate what is left of successors; keep those in `left` that may cost less than `limit`."""
    table, lines, slopes, asks, kept = guide.table, guide.lines, guide.slopes, guide.asks, 0
    for n in range(count):
        row, most = rows[left[n]], 0.0
        met, node = row.met, row.to
        if met < asks.shape[0]:
            if table[met, node, 0] >= FAR:
                continue
            ask, metres = asks[met], metres_left(guide.field, guide.frame, met, row.x, row.z)
            step = min(int((metres - ask.later) * guide.per_step), table.shape[2] - 1)
            most = max(guide.rate * metres + table[met, node, max(step, 0)], 0.0)
            for j in range(guide.level):
                most = max(most, slopes[j, 0] * metres + lines[met, node, j])
            if guide.guess.shape[3] > 0:
                most = max(most, _guess(guide.guess, guide.done, guide.frame, ask, row))
            if guide.level < lines.shape[2] and not isnan(ask.yaw):
                most = max(most, _by_turns(lines, slopes, guide.level, ask, row, metres, most))
            if guide.guess.shape[3] > 0:
                most += _by_pose(guide.footing, guide.frame, row.x, row.z, row.yaw)
        row.estimate = most
        if row.cost + most < limit:
            left[kept] = left[n]
            kept += 1
    return kept


@spliced_kernel
def _guess(guess, done, frame, ask, row):  # type: ignore[no-untyped-def]
    """A guess of what is left: the cheapest path by node, and what makes up for where it leads.

    No less than what it costs to get to where things are begun, and to do what comes next there:
    the cheapest path by node knows nothing of what stands in its way.
    """
    met, node, c, s = row.met, row.to, row.cosine, row.sine
    mx, mz, turn, paid = (
        done[met, node, 0], done[met, node, 1], done[met, node, 2], done[met, node, 3],
    )  # fmt: skip
    to_x, to_z = row.x + mx * c + mz * s, row.z - mx * s + mz * c
    left = _by_pose(guess[met], frame, to_x, to_z, row.yaw + turn)
    first = _by_pose(guess[met], frame, row.x, row.z, row.yaw)
    return max(paid + left, min(paid, ask.begun) + first)


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
def _by_turns(lines, slopes, level, ask, row, metres, enough):  # type: ignore[no-untyped-def]
    """What is left by lines with a slope for radians, the short way round or the long one.

    What they say together is convex in the radians, so it rises on both sides of the least. Once it
    is no more than `enough` it matters no longer how much less it is.
    """
    away = (ask.yaw - row.yaw) * _PER_TURN
    away = (away - floor(away + 0.5)) * 2.0 * pi
    least = np.inf
    for side in range(3):  # the short way, then more and more to the left, and to the right
        turn = away
        while side == 0 or least > enough:
            if side > 0:
                turn += 2.0 * pi if side == 1 else -2.0 * pi
            most = -FAR
            for j in range(level, lines.shape[2]):
                turned = slopes[j, 1] * turn - abs(slopes[j, 1]) * ask.within_rad
                most = max(most, slopes[j, 0] * metres + turned + lines[row.met, row.to, j])
            if not most < least:
                break
            least = most
            if side == 0:
                break
    return least
