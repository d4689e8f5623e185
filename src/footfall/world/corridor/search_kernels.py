"""Compiled search for the shortest route of a disc among corners. Import lazily: brings in numba.

The shortest route of a disc of radius r is made of straight stretches, each tangent to circles of
radius r about two corners, and of arcs on those circles. A stretch leaves corner v with
orientation +1 (the corner on its left, the arc runs anticlockwise in the plane x right, z up) or
-1. `corners` (V, 6) holds x, z and the unit normals `a` and `b`: a body that touches the corner
has its centre in a direction between a and b, anticlockwise from a.
"""

from __future__ import annotations

import math

import numpy as np

from footfall.maths.jit_kernels import kernel
from footfall.world.corridor.build_kernels import crosses, point_to_edge, stretch_clearance

TOLERANCE = 1e-7
"""Clearance (m) that rounding may cost."""
_ANGLE = 1e-7


@kernel
def in_cone(corners, v, x, z):  # type: ignore[no-untyped-def]
    """Whether the unit direction (x, z) is one in which a body can touch corner v."""
    ax, az, bx, bz = corners[v, 2], corners[v, 3], corners[v, 4], corners[v, 5]
    return (
        ax * z - az * x >= -_ANGLE
        and x * bz - z * bx >= -_ANGLE
        and x * (ax + bx) + z * (az + bz) > 0.0
    )


@kernel
def _cone_meets(corners, v, mx, mz, nx, nz):  # type: ignore[no-untyped-def]
    """Whether the sector swept from direction m to n (under a half turn) meets corner v's cone."""
    if in_cone(corners, v, mx, mz) or in_cone(corners, v, nx, nz):
        return True
    ax, az = corners[v, 2], corners[v, 3]
    turn = 1.0 if mx * nz - mz * nx >= 0.0 else -1.0
    return (
        turn * (mx * az - mz * ax) >= 0.0
        and turn * (ax * nz - az * nx) >= 0.0
        and ax * (mx + nx) + az * (mz + nz) > 0.0
    )


@kernel
def tangent(ax, az, side_a, bx, bz, side_b, radius):  # type: ignore[no-untyped-def]
    """Length and unit direction of the stretch from a to b, passing them on the sides given.

    A side is +1 (the point lies left of the route), -1 (right) or 0 (the route goes through it).
    The length is negative where the two circles overlap too much for such a stretch.
    """
    dx, dz = bx - ax, bz - az
    square = dx * dx + dz * dz
    shift = (side_b - side_a) * radius
    rest = square - shift * shift
    if square <= 0.0 or rest < -1e-9 * square:
        return -1.0, 0.0, 0.0
    length = math.sqrt(max(0.0, rest))
    # the vector from a to b is length * d + shift * left(d); solved for the direction d
    return length, (length * dx + shift * dz) / square, (length * dz - shift * dx) / square


@kernel
def _meets_box(ax, az, bx, bz, box):  # type: ignore[no-untyped-def]
    """Whether the segment ab meets the box (4,) low x, low z, high x, high z."""
    first, last = 0.0, 1.0
    for axis in range(2):
        start, along = (ax, bx - ax) if axis == 0 else (az, bz - az)
        low, high = box[axis], box[axis + 2]
        if abs(along) < 1e-12:
            if start < low or start > high:
                return False
        else:
            t0, t1 = (low - start) / along, (high - start) / along
            first, last = max(first, min(t0, t1)), min(last, max(t0, t1))
    return first <= last


@kernel
def lines_meet_box(corners, v, w, box):  # type: ignore[no-untyped-def]
    """Whether the straight line from each corner v (P,) to w (P,) meets the box: (P,)."""
    out = np.empty(v.shape[0], np.bool_)
    for k in range(v.shape[0]):
        out[k] = _meets_box(
            corners[v[k], 0], corners[v[k], 1], corners[w[k], 0], corners[w[k], 1], box
        )
    return out


@kernel
def _may_touch(corners, v, dx, dz, slack):  # type: ignore[no-untyped-def]
    """Whether a stretch along (dx, dz) or against it can be tangent at v; `slack` is two radii."""
    ahead = corners[v, 2] * dx + corners[v, 3] * dz
    behind = -corners[v, 4] * dx - corners[v, 5] * dz
    return (ahead >= -slack and behind >= -slack) or (ahead <= slack and behind <= slack)


@kernel
def _tangent_sides(corners, v, w, dx, dz, distance, widest):  # type: ignore[no-untyped-def]
    """Bits 2i + j for side i at v and j at w (0: +1, 1: -1) of stretches that are tangent at both
    for some radius up to `widest`; (dx, dz) is the unit vector from v to w.
    """
    mask = 0
    if in_cone(corners, v, dz, -dx) and in_cone(corners, w, dz, -dx):
        mask |= 1
    if in_cone(corners, v, -dz, dx) and in_cone(corners, w, -dz, dx):
        mask |= 8
    sine = min(1.0, 2.0 * widest / distance)
    cosine = math.sqrt(1.0 - sine * sine)
    for i in range(2):  # a stretch that changes sides is turned off the line by this, at most
        side = 1.0 - 2.0 * i
        tx, tz = dx * cosine - side * dz * sine, dz * cosine + side * dx * sine
        if _cone_meets(corners, v, side * dz, -side * dx, side * tz, -side * tx) and (
            _cone_meets(corners, w, -side * dz, side * dx, -side * tz, side * tx)
        ):
            mask |= 2 if i == 0 else 4
    return mask


@kernel
def seen_corners(corners, widest, fresh, box, segments, frame, shape, starts, items):  # type: ignore[no-untyped-def]
    """Pairs of corners v < w that some disc can pass tangent to both, as (P, 3): v, w, mask.

    It is a superset for every radius up to `widest`: a stretch that is clear for a disc covers
    the straight line between its two corners. Left out are pairs of corners neither of which is
    `fresh` (V,) whose line misses the box.
    """
    room, count = 1024, 0
    out = np.empty((room, 3), np.int32)
    slack = 2.0 * widest + 1e-6
    for v in range(corners.shape[0]):
        vx, vz = corners[v, 0], corners[v, 1]
        for w in range(v + 1, corners.shape[0]):
            dx, dz = corners[w, 0] - vx, corners[w, 1] - vz
            if not (
                _may_touch(corners, v, dx, dz, slack) and _may_touch(corners, w, dx, dz, slack)
            ):
                continue
            if not (fresh[v] or fresh[w]) and not _meets_box(
                vx, vz, corners[w, 0], corners[w, 1], box
            ):
                continue
            distance = math.hypot(dx, dz)
            if distance < 1e-9:
                continue
            mask = _tangent_sides(corners, v, w, dx / distance, dz / distance, distance, widest)
            if mask == 0 or crosses(
                vx, vz, corners[w, 0], corners[w, 1], segments, frame, shape, starts, items
            ):
                continue
            if count == room:
                room *= 2
                grown = np.empty((room, 3), np.int32)
                grown[:count] = out
                out = grown
            out[count, 0], out[count, 1], out[count, 2] = v, w, mask
            count += 1
    return out[:count]


@kernel
def _arc_is_clear(  # type: ignore[no-untyped-def]
    v, corners, own, mx, mz, nx, nz, side, radius, segments, frame, shape, starts, items
):
    """Whether a disc can roll about corner v from direction m to n, both known to be clear.

    The directions that one edge blocks are one interval around that of its nearest point, so it
    is enough to ask whether that one lies between m and n.
    """
    x, z = corners[v, 0], corners[v, 1]
    reach = 2.0 * radius - 2.0 * TOLERANCE
    inverse = 1.0 / frame[2]
    i0 = max(0, (math.floor((x - reach - frame[0]) * inverse)))
    i1 = min(shape[0] - 1, (math.floor((x + reach - frame[0]) * inverse)))
    j0 = max(0, (math.floor((z - reach - frame[1]) * inverse)))
    j1 = min(shape[1] - 1, (math.floor((z + reach - frame[1]) * inverse)))
    for j in range(j0, j1 + 1):
        for i in range(i0, i1 + 1):
            cell = j * shape[0] + i
            for k in range(starts[cell], starts[cell + 1]):
                s = items[k]
                if s == own[v, 0] or s == own[v, 1]:
                    continue
                d2, t = point_to_edge(x, z, segments, s)
                if d2 >= reach * reach:
                    continue
                if d2 < TOLERANCE * TOLERANCE:
                    t = 1.0 - round(t)
                wx = segments[s, 0] + t * (segments[s, 2] - segments[s, 0]) - x
                wz = segments[s, 1] + t * (segments[s, 3] - segments[s, 1]) - z
                if (
                    side * (mx * wz - mz * wx) > 0.0
                    and side * (wx * nz - wz * nx) > 0.0
                    and wx * (mx + nx) + wz * (mz + nz) > 0.0
                ):
                    return False
    return True


@kernel
def _push(keys, states, count, key, state):  # type: ignore[no-untyped-def]
    """Put one entry into a binary heap of `count` entries that has room for it."""
    i = count
    while i > 0:
        up = (i - 1) >> 1
        if keys[up] <= key:
            break
        keys[i], states[i] = keys[up], states[up]
        i = up
    keys[i], states[i] = key, state


@kernel
def _pop(keys, states, count):  # type: ignore[no-untyped-def]
    """Take the least entry off a heap of `count` entries; the caller counts down."""
    key, state = keys[0], states[0]
    last_key, last_state = keys[count - 1], states[count - 1]
    i, child = 0, 1
    while child < count - 1:
        if child + 1 < count - 1 and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= last_key:
            break
        keys[i], states[i] = keys[child], states[child]
        i, child = child, 2 * child + 1
    keys[i], states[i] = last_key, last_state
    return key, state


@kernel
def _stretch(state, pairs, corners, start, goal, radius):  # type: ignore[no-untyped-def]
    """What a state stands for: corner and side at both ends (-1: start or goal), length, direction.

    States: one for each pair; then start to corner, corner to goal, start to goal.
    """
    n_pairs, n_corners = pairs.shape[0], corners.shape[0]
    v, w, i, j = -1, -1, 0.0, 0.0
    ax, az, bx, bz = start[0], start[1], goal[0], goal[1]
    end = state - n_pairs
    if end < 0:
        v, w = pairs[state, 0], pairs[state, 1]
        i, j = 1.0 - (pairs[state, 2] & 2), 1.0 - 2.0 * (pairs[state, 2] & 1)
    elif end < 2 * n_corners:
        w = end >> 1
        j = 1.0 - 2.0 * (end & 1)
    elif end < 4 * n_corners:
        v = (end - 2 * n_corners) >> 1
        i = 1.0 - 2.0 * (end & 1)
    if v >= 0:
        ax, az = corners[v, 0], corners[v, 1]
    if w >= 0:
        bx, bz = corners[w, 0], corners[w, 1]
    length, dx, dz = tangent(ax, az, i, bx, bz, j, radius)
    px, pz = ax + i * radius * dz, az - i * radius * dx
    return v, i, w, j, length, dx, dz, px, pz


@kernel
def _cone_angle(corners, v, side, mx, mz):  # type: ignore[no-untyped-def]
    """Angle of direction m from the middle of corner v's cone, counted the way the arc turns."""
    cx, cz = corners[v, 2] + corners[v, 4], corners[v, 3] + corners[v, 5]
    return side * math.atan2(cx * mz - cz * mx, cx * mx + cz * mz)


@kernel
def lay_stretches(radius, corners, pairs, known, laid):  # type: ignore[no-untyped-def]
    """Fill, for one radius, what the search asks of each pair (P,) again and again.

    laid (P, 7): length, direction, angle in the cone it leaves, in the cone it comes to, point
    it comes to. Pairs that are not tangent for this radius are marked in `known` (P,).
    """
    nowhere = np.zeros(2)
    for k in range(pairs.shape[0]):
        v, i, w, j, length, dx, dz, px, pz = _stretch(k, pairs, corners, nowhere, nowhere, radius)
        if (
            length < 0.0
            or not in_cone(corners, v, i * dz, -i * dx)
            or not in_cone(corners, w, j * dz, -j * dx)
        ):
            known[k] = 2
            continue
        laid[k, 0], laid[k, 1], laid[k, 2] = length, dx, dz
        laid[k, 3] = _cone_angle(corners, v, i, i * dz, -i * dx)
        laid[k, 4] = _cone_angle(corners, w, j, j * dz, -j * dx)
        laid[k, 5], laid[k, 6] = px + length * dx, pz + length * dz


@kernel
def shortest_route(  # type: ignore[no-untyped-def]
    start,
    goal,
    radius,
    corners,
    own,
    gaps,
    pair_starts,
    pairs,
    known,
    laid,
    segments,
    frame,
    shape,
    starts,
    items,
):
    """A* over tangent stretches; clearance is looked at only when a stretch is about to be used.

    `pairs` (P, 3) are directed (from, to, sides 2i + j), sorted by from, corner v's at
    `pair_starts[v]` up to `pair_starts[v + 1]`. `known` (P,) remembers, for this radius,
    stretches found clear (1) or blocked (2); `laid` (P, 7) is made by `lay_stretches`. Returns
    the stretches (K, 4) x0, z0, x1, z1 from start to goal with the corner after each (K, 2):
    its index and the side; K is 0 for no route.
    """
    n_pairs, n_corners = pairs.shape[0], corners.shape[0]
    first_start, first_goal = n_pairs, n_pairs + 2 * n_corners
    direct = first_goal + 2 * n_corners
    best = np.full(direct + 1, np.inf)
    parent = np.full(direct + 1, -1, np.int64)
    closed = np.zeros(direct + 1, np.bool_)
    least = np.full((n_corners, 2), np.inf)  # cost less arc at the best arrival expanded so far
    least_angle = np.full((n_corners, 2), np.inf)
    room, count = 4096, 0
    keys, states = np.empty(room), np.empty(room, np.int64)
    straight = math.hypot(goal[0] - start[0], goal[1] - start[1])
    best[direct] = straight
    _push(keys, states, count, straight, direct)
    count += 1
    arrived = -1
    for state in range(first_start, first_goal):
        _, _, w, j, length, dx, dz, px, pz = _stretch(state, pairs, corners, start, goal, radius)
        if length < 0.0 or not in_cone(corners, w, j * dz, -j * dx):
            continue
        if count == room:
            keys, states = (
                np.append(keys, np.empty(room)),
                np.append(states, np.empty(room, np.int64)),
            )
            room *= 2
        best[state] = length
        left = math.hypot(goal[0] - px - length * dx, goal[1] - pz - length * dz)
        _push(keys, states, count, length + left, state)
        count += 1
    while count > 0:
        _, state = _pop(keys, states, count)
        count -= 1
        if closed[state]:
            continue
        closed[state] = True
        _, _, w, j, length, dx, dz, px, pz = _stretch(state, pairs, corners, start, goal, radius)
        is_pair = state < first_start
        if not is_pair or known[state] == 0:
            if not is_pair and crosses(  # quickly said of most, and asked anew in each search
                px, pz, px + length * dx, pz + length * dz, segments, frame, shape, starts, items
            ):
                continue
            clear = stretch_clearance(
                px, pz, px + length * dx, pz + length * dz,
                segments, frame, shape, starts, items, radius, radius - TOLERANCE,
            ) >= radius - TOLERANCE  # fmt: skip
            if is_pair:
                known[state] = 1 if clear else 2
            if not clear:
                continue
        if w < 0:
            arrived = state
            break
        if room < count + pair_starts[w + 1] - pair_starts[w] + 1:
            grow = room + pair_starts[w + 1] - pair_starts[w] + 1
            keys, states = (
                np.append(keys, np.empty(grow)),
                np.append(states, np.empty(grow, np.int64)),
            )
            room += grow
        mx, mz = j * dz, -j * dx
        angle = laid[state, 4] if is_pair else _cone_angle(corners, w, j, mx, mz)
        tight = gaps[w] < 2.0 * radius
        side = 0 if j > 0.0 else 1
        base = best[state] - radius * angle
        if not tight:
            if angle >= least_angle[w, side] and base >= least[w, side]:
                continue
            if base < least[w, side]:
                least[w, side], least_angle[w, side] = base, angle
        for k in range(pair_starts[w], pair_starts[w + 1] + 1):
            if k == pair_starts[w + 1]:  # after its pairs, the corner's own stretch to the goal
                onward = first_goal + 2 * w + side
                _, _, _, _, reach, ex, ez, _, _ = _stretch(
                    onward, pairs, corners, start, goal, radius
                )
                if closed[onward] or reach < 0.0 or not in_cone(corners, w, j * ez, -j * ex):
                    continue
                turn = _cone_angle(corners, w, j, j * ez, -j * ex) - angle
                qx, qz = goal[0], goal[1]
            else:
                onward = k
                if closed[k] or known[k] == 2 or pairs[k, 2] >> 1 != side:
                    continue
                turn = laid[k, 3] - angle
                reach, ex, ez, qx, qz = laid[k, 0], laid[k, 1], laid[k, 2], laid[k, 5], laid[k, 6]
            if turn < -_ANGLE:
                continue
            cost = best[state] + radius * max(0.0, turn) + reach
            if cost >= best[onward]:
                continue
            if tight and not _arc_is_clear(
                w, corners, own, mx, mz, j * ez, -j * ex, j, radius,
                segments, frame, shape, starts, items,
            ):  # fmt: skip
                continue
            best[onward], parent[onward] = cost, state
            left = math.hypot(goal[0] - qx, goal[1] - qz)
            _push(keys, states, count, cost + left, onward)
            count += 1
    return _trace(arrived, parent, pairs, corners, start, goal, radius)


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
