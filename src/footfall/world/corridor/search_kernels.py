"""Compiled search for the shortest route of a disc among corners. Import lazily: brings in numba.

The shortest route of a disc of radius r is made of straight stretches, each tangent to circles of
radius r about two corners, and of arcs on those circles. A stretch leaves corner v with
orientation +1 (the corner on its left, the arc runs anticlockwise in the plane x right, z up) or
-1. `corners` (V, 6) are described in `tangent_kernels`.

The stretches that leave a corner are its *row*: they are found when the search first turns about
the corner, so a query costs what is near its route, however large the scene is. Rows are kept for
later searches in `pairs` (P, 3): from, to, sides 2i + j; corner v's at `rows[v, 0]` up to
`rows[v, 1]`, negative if not known. For each radius, `status` (P,) says what is known of a
stretch and `laid` (P, 7) its length, direction, angle in the cone that it leaves, angle in the
cone that it comes to, and the point that it comes to.

States of the search are stretches: start to corner, corner to goal, start to goal, then pairs.
"""

from __future__ import annotations

import math

import numpy as np

from footfall.maths.array_kernels import copy_rows, copy_values
from footfall.maths.jit_kernels import kernel, lean_kernel
from footfall.search.heap_kernels import pop, push
from footfall.world.corridor.build_kernels import corner_gap, crosses, stretch_clearance
from footfall.world.corridor.tangent_kernels import (
    ANGLE,
    BINS,
    TOLERANCE,
    arc_is_clear,
    cone_angle,
    in_cone,
    see_corners,
    tangent,
)

UNKNOWN, LAID, CLEAR, BLOCKED = 0, 1, 2, 3
_POLL_EVERY = 64


@lean_kernel
def _stretch(state, pairs, corners, start, goal, radius):  # type: ignore[no-untyped-def]
    """What a state stands for: corner and side at both ends (-1: start or goal), length,
    direction and first point."""
    n_corners = corners.shape[0]
    v, w, i, j = -1, -1, 0.0, 0.0
    ax, az, bx, bz = start[0], start[1], goal[0], goal[1]
    pair = state - 4 * n_corners - 1
    if pair >= 0:
        v, w = pairs[pair, 0], pairs[pair, 1]
        i, j = 1.0 - (pairs[pair, 2] & 2), 1.0 - 2.0 * (pairs[pair, 2] & 1)
    elif state < 2 * n_corners:
        w = state >> 1
        j = 1.0 - 2.0 * (state & 1)
    elif state < 4 * n_corners:
        v = (state - 2 * n_corners) >> 1
        i = 1.0 - 2.0 * (state & 1)
    if v >= 0:
        ax, az = corners[v, 0], corners[v, 1]
    if w >= 0:
        bx, bz = corners[w, 0], corners[w, 1]
    length, dx, dz = tangent(ax, az, i, bx, bz, j, radius)
    px, pz = ax + i * radius * dz, az - i * radius * dx
    return v, i, w, j, length, dx, dz, px, pz


@lean_kernel
def _lay(k, pairs, corners, radius, status, laid):  # type: ignore[no-untyped-def]
    """Fill what the search asks of pair k again and again for one radius."""
    nowhere = corners[0]
    state = k + 4 * corners.shape[0] + 1
    v, i, w, j, length, dx, dz, px, pz = _stretch(state, pairs, corners, nowhere, nowhere, radius)
    if (
        length < 0.0
        or not in_cone(corners, v, i * dz, -i * dx)
        or not in_cone(corners, w, j * dz, -j * dx)
    ):
        status[k] = BLOCKED
        return
    status[k] = LAID
    laid[k, 0], laid[k, 1], laid[k, 2] = length, dx, dz
    laid[k, 3] = cone_angle(corners, v, i, i * dz, -i * dx)
    laid[k, 4] = cone_angle(corners, w, j, j * dz, -j * dx)
    laid[k, 5], laid[k, 6] = px + length * dx, pz + length * dz


@kernel
def _grown(array, room):  # type: ignore[no-untyped-def]
    """A copy of an array (P,) with room for more."""
    out = np.zeros(room, array.dtype)
    copy_values(array, out, array.shape[0])
    return out


@kernel
def _grown_rows(array, room):  # type: ignore[no-untyped-def]
    """A copy of an array (P, C) with room for more rows."""
    out = np.zeros((room, array.shape[1]), array.dtype)
    copy_rows(array, out, array.shape[0])
    return out


@lean_kernel
def _push_first(start, goal, radius, corners, pairs, best, keys, states):  # type: ignore[no-untyped-def]
    """Put the stretches that leave the start on the heap; how many there are."""
    direct = 4 * corners.shape[0]
    best[direct] = math.hypot(goal[0] - start[0], goal[1] - start[1])
    push(keys, states, 0, best[direct], direct)
    count = 1
    for state in range(2 * corners.shape[0]):
        _, _, w, j, length, dx, dz, px, pz = _stretch(state, pairs, corners, start, goal, radius)
        if length < 0.0 or not in_cone(corners, w, j * dz, -j * dx):
            continue
        best[state] = length
        left = math.hypot(goal[0] - px - length * dx, goal[1] - pz - length * dz)
        push(keys, states, count, length + left, state)
        count += 1
    return count


@lean_kernel
def _is_clear(px, pz, qx, qz, radius, once, segments, frame, shape, starts, items):  # type: ignore[no-untyped-def]
    """Whether a disc can pass along a stretch; `once` if most are blocked, which is seen faster."""
    if once and crosses(px, pz, qx, qz, segments, frame, shape, starts, items):
        return False
    enough = radius - TOLERANCE
    return (
        stretch_clearance(
            px, pz, qx, qz, segments, frame, shape, starts, items, radius, enough
        ) >= enough
    )  # fmt: skip


@lean_kernel
def _onward(k, w, side, goal, radius, corners, pairs, rows, status, laid):  # type: ignore[no-untyped-def]
    """The stretch k of corner w's row as state, length, direction, angle left and point reached.

    After its pairs comes the corner's own stretch to the goal. State -1: it cannot be used.
    """
    base = 4 * corners.shape[0] + 1
    if k < rows[w, 1]:
        if pairs[k, 2] >> 1 != side:
            return -1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        if status[k] == UNKNOWN:
            _lay(k, pairs, corners, radius, status, laid)
        if status[k] == BLOCKED:
            return -1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        return base + k, laid[k, 0], laid[k, 1], laid[k, 2], laid[k, 3], laid[k, 5], laid[k, 6]
    state = 2 * corners.shape[0] + 2 * w + side
    _, i, _, _, length, dx, dz, _, _ = _stretch(state, pairs, corners, goal, goal, radius)
    if length < 0.0 or not in_cone(corners, w, i * dz, -i * dx):
        return -1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    angle = cone_angle(corners, w, i, i * dz, -i * dx)
    return state, length, dx, dz, angle, goal[0], goal[1]


@kernel
def shortest_route(  # type: ignore[no-untyped-def]
    start, goal, radius, widest, corners, own, gaps, rows, pairs, used, status, laid, cancel,
    segments, frame, shape, starts, items,
):  # fmt: skip
    """A* over tangent stretches; clearance is looked at only when a stretch is about to be used.

    `used` counts the pairs that are known; `gaps` (V,) are distances to the nearest other edge,
    negative if not known. Returns the stretches (K, 4) x0, z0, x1, z1 from start to goal with
    the corner after each (K, 2): its index and the side (K is 0 for no route); whether `cancel`
    ended it; and the arrays of pairs, which may have grown.
    """
    n_corners = corners.shape[0]
    base = 4 * n_corners + 1
    best = np.full(base + pairs.shape[0], np.inf)
    parent = np.full(base + pairs.shape[0], -1, np.int64)
    closed = np.zeros(base + pairs.shape[0], np.bool_)
    least = np.full((n_corners, 2), np.inf)  # cost less arc at the best arrival expanded so far
    least_angle = np.full((n_corners, 2), np.inf)
    depths, found = np.empty(BINS), np.empty((4 * n_corners, 2), np.int32)
    room = 4096 + 2 * n_corners
    keys, states = np.empty(room), np.empty(room, np.int64)
    count = _push_first(start, goal, radius, corners, pairs, best, keys, states)
    arrived, expanded, cancelled = -1, 0, False
    while count > 0:
        _, state = pop(keys, states, count)
        count -= 1
        if closed[state]:
            continue
        closed[state] = True
        _, _, w, j, length, dx, dz, px, pz = _stretch(state, pairs, corners, start, goal, radius)
        pair = state - base
        if pair < 0 or status[pair] == LAID:
            clear = _is_clear(
                px, pz, px + length * dx, pz + length * dz, radius, pair < 0,
                segments, frame, shape, starts, items,
            )  # fmt: skip
            if pair >= 0:
                status[pair] = CLEAR if clear else BLOCKED
            if not clear:
                continue
        if w < 0:
            arrived = state
            break
        expanded += 1
        if expanded % _POLL_EVERY == 0 and cancel[0] != 0:
            cancelled = True
            break
        if rows[w, 0] < 0:
            more = see_corners(
                w, corners, widest, depths, found, segments, frame, shape, starts, items
            )
            gaps[w], _, _ = corner_gap(
                corners, w, own, 2.0 * widest, segments, frame, shape, starts, items
            )
            if used + more > pairs.shape[0]:
                size = 2 * (used + more)
                pairs, laid = _grown_rows(pairs, size), _grown_rows(laid, size)
                status = _grown(status, size)
                reached = best.shape[0]
                best, parent, closed = (
                    _grown(best, base + size), _grown(parent, base + size),
                    _grown(closed, base + size),
                )  # fmt: skip
                best[reached:], parent[reached:] = np.inf, -1
            for n in range(more):
                pairs[used + n, 0] = w
                pairs[used + n, 1], pairs[used + n, 2] = found[n, 0], found[n, 1]
            rows[w, 0], rows[w, 1] = used, used + more
            used += more
        if room < count + rows[w, 1] - rows[w, 0] + 1:
            room = 2 * room + rows[w, 1] - rows[w, 0] + 1
            keys, states = _grown(keys, room), _grown(states, room)
        mx, mz = j * dz, -j * dx
        angle = laid[pair, 4] if pair >= 0 else cone_angle(corners, w, j, mx, mz)
        tight = gaps[w] < 2.0 * radius
        side = 0 if j > 0.0 else 1
        bare = best[state] - radius * angle
        if not tight:
            if angle >= least_angle[w, side] and bare >= least[w, side]:
                continue
            if bare < least[w, side]:
                least[w, side], least_angle[w, side] = bare, angle
        for k in range(rows[w, 0], rows[w, 1] + 1):
            onward, reach, ex, ez, leaves, qx, qz = _onward(
                k, w, side, goal, radius, corners, pairs, rows, status, laid
            )
            if onward < 0 or closed[onward] or leaves - angle < -ANGLE:
                continue
            cost = best[state] + radius * max(0.0, leaves - angle) + reach
            if cost >= best[onward]:
                continue
            if tight and not arc_is_clear(
                w, corners, own, mx, mz, j * ez, -j * ex, j, radius,
                segments, frame, shape, starts, items,
            ):  # fmt: skip
                continue
            best[onward], parent[onward] = cost, state
            push(keys, states, count, cost + math.hypot(goal[0] - qx, goal[1] - qz), onward)
            count += 1
    stretches, turning = _trace(arrived, parent, pairs, corners, start, goal, radius)
    return stretches, turning, cancelled, pairs, used, status, laid


@kernel
def _trace(arrived, parent, pairs, corners, start, goal, radius):  # type: ignore[no-untyped-def]
    """The stretches that lead to the state arrived at, first to last."""
    steps, state = 0, arrived
    while state >= 0:
        steps, state = steps + 1, parent[state]
    stretches, turning = np.empty((steps, 4)), np.empty((steps, 2), np.int64)
    state = arrived
    for n in range(steps - 1, -1, -1):
        _, _, w, j, length, dx, dz, px, pz = _stretch(state, pairs, corners, start, goal, radius)
        stretches[n] = px, pz, px + length * dx, pz + length * dz
        turning[n] = w, int(j)
        state = parent[state]
    return stretches, turning
