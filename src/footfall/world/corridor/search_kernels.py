"""Compiled search for the shortest route of a disc among corners. Import lazily: brings in numba.

The shortest route of a disc of radius r is made of straight stretches, each tangent to circles of
radius r about two corners, and of arcs on those circles. A stretch passes a corner on a side: +1
(the corner on its left, the arc runs anticlockwise in the plane x right, z up) or -1.

Everywhere, `cones` (V, 6) holds x, z of each corner and the unit normals `a` and `b`: a body that
touches the corner has its centre in a direction between a and b, anticlockwise from a.

The stretches that leave a corner are its *row*: they are found when the search first turns about
the corner, so a query costs what is near its route, however large the scene is. Named tuples of
`tangent_graph` hold what is known (`Known`) and memory to work in (`Work`).

States of the search are stretches: start to corner, corner to goal, start to goal, then pairs.
"""

from __future__ import annotations

import math

from footfall.maths.jit_kernels import lean_kernel
from footfall.search.heap_kernels import pop, push
from footfall.world.corridor.build_kernels import crosses, stretch_clearance

UNKNOWN, LAID, CLEAR, BLOCKED = 0, 1, 2, 3
NO_ROUTE, CANCELLED, PAIRS_FULL, HEAP_FULL = -1, -2, -3, -4
TOLERANCE = 1e-7
"""Clearance (m) that rounding may cost."""
ANGLE = 1e-7
_POLL_EVERY = 64


@lean_kernel
def in_cone(cones, v, x, z):  # type: ignore[no-untyped-def]
    """Whether the unit direction (x, z) is one in which a body can touch corner v."""
    ax, az, bx, bz = cones[v, 2], cones[v, 3], cones[v, 4], cones[v, 5]
    return (
        ax * z - az * x >= -ANGLE
        and x * bz - z * bx >= -ANGLE
        and x * (ax + bx) + z * (az + bz) > 0.0
    )


@lean_kernel
def see_corners(v, cones, widest, grid, found):  # type: ignore[no-untyped-def]
    """List the stretches from corner v that some disc can pass, in `found` (4V, 2): to, sides.

    How many there are. It is a superset for every radius up to `widest`: a stretch that is clear
    for a disc covers the straight line between its two corners. Sides are 2i + j for side i at v
    and j at the other (0: +1, 1: -1).
    """
    count = 0
    slack = 2.0 * widest + 1e-6
    for w in range(cones.shape[0]):
        dx, dz = cones[w, 0] - cones[v, 0], cones[w, 1] - cones[v, 1]
        square = dx * dx + dz * dz
        # Most corners cannot be touched by any stretch along this line, or against it.
        may_touch = square >= 1e-18
        for end in range(2):
            c = v if end == 0 else w
            ahead = cones[c, 2] * dx + cones[c, 3] * dz
            behind = -cones[c, 4] * dx - cones[c, 5] * dz
            if (ahead < -slack or behind < -slack) and (ahead > slack or behind > slack):
                may_touch = False
                break
        if not may_touch:
            continue
        distance = math.sqrt(square)
        dx, dz = dx / distance, dz / distance
        sine = min(1.0, 2.0 * widest / distance)
        cosine = math.sqrt(1.0 - sine * sine)
        mask = 0
        for i in range(2):
            side = 1.0 - 2.0 * i
            if in_cone(cones, v, side * dz, -side * dx) and (
                in_cone(cones, w, side * dz, -side * dx)
            ):
                mask |= 1 if i == 0 else 8
            # A stretch that changes sides is turned off the line by this, at most.
            tx, tz = dx * cosine - side * dz * sine, dz * cosine + side * dx * sine
            meets = True
            for end in range(2):  # does the sector from direction m to n meet both cones?
                c = v if end == 0 else w
                near = side if end == 0 else -side
                mx, mz, nx, nz = near * dz, -near * dx, near * tz, -near * tx
                ax, az = cones[c, 2], cones[c, 3]
                turn = 1.0 if mx * nz - mz * nx >= 0.0 else -1.0
                between = (
                    turn * (mx * az - mz * ax) >= 0.0
                    and turn * (ax * nz - az * nx) >= 0.0
                    and ax * (mx + nx) + az * (mz + nz) > 0.0
                )
                if not (between or in_cone(cones, c, mx, mz) or in_cone(cones, c, nx, nz)):
                    meets = False
            if meets:
                mask |= 2 if i == 0 else 4
        if mask == 0 or crosses(cones[v, 0], cones[v, 1], cones[w, 0], cones[w, 1], grid):
            continue
        for sides in range(4):
            if (mask >> sides) & 1:
                found[count, 0], found[count, 1] = w, sides
                count += 1
    return count


@lean_kernel
def lay(v, i, a, w, j, b, cones, radius, out):  # type: ignore[no-untyped-def]
    """Fill the stretch from point a to point b; whether a disc of `radius` can turn at both.

    v and w are the corners at a and b, or -1 for the start and the goal; i and j the sides on
    which they are passed, 0 for the start and the goal. out (9,): length, direction x, z, angle
    in the cone that it leaves, angle in the cone that it comes to, first point, last point.
    Angles count from the middle of the cone, the way the arc turns.
    """
    dx, dz = b[0] - a[0], b[1] - a[1]
    square = dx * dx + dz * dz
    shift = (j - i) * radius
    rest = square - shift * shift
    if square <= 0.0 or rest < -1e-9 * square:
        return False  # the two circles overlap too much for such a stretch
    length = math.sqrt(max(0.0, rest))
    # the vector from a to b is length * d + shift * left(d); solved for the direction d
    dx, dz = (length * dx + shift * dz) / square, (length * dz - shift * dx) / square
    out[0], out[1], out[2] = length, dx, dz
    for end in range(2):
        c, side = (v, i) if end == 0 else (w, j)
        if c >= 0:
            mx, mz = side * dz, -side * dx
            if not in_cone(cones, c, mx, mz):
                return False
            cx, cz = cones[c, 2] + cones[c, 4], cones[c, 3] + cones[c, 5]
            out[3 + end] = side * math.atan2(cx * mz - cz * mx, cx * mx + cz * mz)
    out[5], out[6] = a[0] + i * radius * dz, a[1] - i * radius * dx
    out[7], out[8] = (out[5] + length * dx, out[6] + length * dz) if w >= 0 else (b[0], b[1])
    return True


@lean_kernel
def arc_is_clear(v, cones, own, mx, mz, nx, nz, side, radius, grid):  # type: ignore[no-untyped-def]
    """Whether a disc can roll about corner v from direction m to n, both known to be clear.

    The directions that one edge blocks are one interval around that of its nearest point, so it
    is enough to ask whether that one lies between m and n.
    """
    segments, starts, items = grid.segments, grid.starts, grid.items
    x, z = cones[v, 0], cones[v, 1]
    reach = 2.0 * radius - 2.0 * TOLERANCE
    inverse = 1.0 / grid.frame[2]
    i0 = max(0, math.floor((x - reach - grid.frame[0]) * inverse))
    i1 = min(grid.shape[0] - 1, math.floor((x + reach - grid.frame[0]) * inverse))
    j0 = max(0, math.floor((z - reach - grid.frame[1]) * inverse))
    j1 = min(grid.shape[1] - 1, math.floor((z + reach - grid.frame[1]) * inverse))
    for j in range(j0, j1 + 1):
        for i in range(i0, i1 + 1):
            cell = j * grid.shape[0] + i
            for k in range(starts[cell], starts[cell + 1]):
                s = items[k]
                if s == own[v, 0] or s == own[v, 1]:
                    continue
                ax, az = segments[s, 0], segments[s, 1]
                ux, uz = segments[s, 2] - ax, segments[s, 3] - az
                t = ((x - ax) * ux + (z - az) * uz) / (ux * ux + uz * uz)
                t = min(1.0, max(0.0, t))
                wx, wz = ax + t * ux - x, az + t * uz - z
                square = wx * wx + wz * wz
                if square >= reach * reach:
                    continue
                if square < TOLERANCE * TOLERANCE:
                    t = 1.0 - round(t)
                    wx, wz = ax + t * ux - x, az + t * uz - z
                if (
                    side * (mx * wz - mz * wx) > 0.0
                    and side * (wx * nz - wz * nx) > 0.0
                    and wx * (mx + nx) + wz * (mz + nz) > 0.0
                ):
                    return False
    return True


@lean_kernel
def shortest_route(start, goal, radius, widest, cones, own, grid, known, work, cancel):  # type: ignore[no-untyped-def]
    """A* over tangent stretches; clearance is looked at only when a stretch is about to be used.

    Returns the state that reaches the goal, or why there is none: NO_ROUTE, CANCELLED, or
    PAIRS_FULL and HEAP_FULL, after which it can be asked again with more room. `work` holds the
    parents and the stretches of start and goal afterwards. own (V, 2): the edges of each corner.
    """
    rows, pairs, status, laid, used = known.rows, known.pairs, known.status, known.laid, known.used
    best, parent, closed, ends = work.best, work.parent, work.closed, work.ends
    keys, states = work.keys, work.states
    n_corners = cones.shape[0]
    direct, base = 4 * n_corners, 4 * n_corners + 1
    expanded = count = 0
    for state in range(base):  # the stretches that leave the start
        w, side = (state >> 1, 1.0 - 2.0 * (state & 1)) if state < direct else (-1, 0.0)
        if 2 * n_corners <= state < direct:
            continue
        to = cones[w] if w >= 0 else goal
        if not lay(-1, 0.0, start, w, side, to, cones, radius, ends[state]):
            continue
        best[state] = ends[state, 0]
        left = math.hypot(goal[0] - ends[state, 7], goal[1] - ends[state, 8])
        push(keys, states, count, best[state] + left, state)
        count += 1
    while count > 0:
        _, state = pop(keys, states, count)
        count -= 1
        if closed[state]:
            continue
        closed[state] = True
        pair = state - base
        here = laid[pair] if pair >= 0 else ends[state]
        if pair < 0 or status[pair] == LAID:
            px, pz, qx, qz = here[5], here[6], here[7], here[8]
            enough = radius - TOLERANCE
            # Most stretches of start and goal are blocked, which is seen faster by crossings.
            clear = (pair >= 0 or not crosses(px, pz, qx, qz, grid)) and (
                stretch_clearance(px, pz, qx, qz, grid, radius, enough) >= enough
            )
            if pair >= 0:
                status[pair] = CLEAR if clear else BLOCKED
            if not clear:
                continue
        if pair < 0 and state >= 2 * n_corners:
            return state
        expanded += 1
        if expanded % _POLL_EVERY == 0 and cancel[0] != 0:
            return CANCELLED
        w = pairs[pair, 1] if pair >= 0 else state >> 1
        side = pairs[pair, 2] & 1 if pair >= 0 else state & 1
        j = 1.0 - 2.0 * side
        if rows[w, 0] < 0:
            more = see_corners(w, cones, widest, grid, work.found)
            first = used[0]
            if first + more > pairs.shape[0]:
                return PAIRS_FULL
            for n in range(more):
                pairs[first + n, 0] = w
                pairs[first + n, 1], pairs[first + n, 2] = work.found[n, 0], work.found[n, 1]
            rows[w, 0], rows[w, 1] = first, first + more
            used[0] = first + more
        if keys.shape[0] < count + rows[w, 1] - rows[w, 0] + 1:
            return HEAP_FULL
        mx, mz, angle = j * here[2], -j * here[1], here[4]
        if known.tight[w] < 0:  # may a disc roll about all of the corner?
            known.tight[w] = not arc_is_clear(
                w, cones, own, cones[w, 2], cones[w, 3], cones[w, 4], cones[w, 5], 1.0, radius, grid
            )
        tight = known.tight[w] != 0
        bare = best[state] - radius * angle
        if not tight:  # is another arrival at the corner better, whatever follows?
            if angle >= work.least[w, side, 1] and bare >= work.least[w, side, 0]:
                continue
            if bare < work.least[w, side, 0]:
                work.least[w, side, 0], work.least[w, side, 1] = bare, angle
        for k in range(rows[w, 0], rows[w, 1] + 1):  # after its pairs, the stretch to the goal
            onward = base + k
            if k < rows[w, 1]:
                if pairs[k, 2] >> 1 != side or status[k] == BLOCKED:
                    continue
                to = pairs[k, 1]
                if status[k] == UNKNOWN:
                    i = 1.0 - 2.0 * (pairs[k, 2] & 1)
                    fits = lay(w, j, cones[w], to, i, cones[to], cones, radius, laid[k])
                    status[k] = LAID if fits else BLOCKED
                    if not fits:
                        continue
                ahead = laid[k]
            else:
                onward = 2 * n_corners + 2 * w + side
                ahead = ends[onward]
                if not lay(w, j, cones[w], -1, 0.0, goal, cones, radius, ahead):
                    continue
            turn = ahead[3] - angle
            if closed[onward] or turn < -ANGLE:
                continue
            cost = best[state] + radius * max(0.0, turn) + ahead[0]
            if cost >= best[onward]:
                continue
            if tight and not arc_is_clear(
                w, cones, own, mx, mz, j * ahead[2], -j * ahead[1], j, radius, grid
            ):
                continue
            best[onward], parent[onward] = cost, state
            left = math.hypot(goal[0] - ahead[7], goal[1] - ahead[8])
            push(keys, states, count, cost + left, onward)
            count += 1
    return NO_ROUTE
