"""Compiled: how a move is laid between two footholds. Import lazily: numba.

A foothold is x, height, z and yaw. A move that is not short is laid along the line
between two footholds and scaled; a shorter one is laid by the directions of its feet, and what is
missing is shared out along it.

`table` is what `MoveTable.arrays` gives.
"""

from __future__ import annotations

import math

from footfall.maths.jit_kernels import inner_kernel

BEARING, SCALE, FIRST_OFF, LAST_OFF, REST_X, REST_Z = range(6)
"""How a move is laid between two footholds."""
STRETCH, TURN, RISE, SLOPE, ROUGH, SHORT, LIFT, SWEPT, GAP, DEEP, ABOVE = range(11)
"""Columns of limits: how far moves are stretched and feet turned; `BodySize` has the others."""
TWIST_WEIGHT = 100.0
"""A radian that a move is twisted beyond what is not noted counts as this many radians of other
changes, so that a detour of some metres is preferred."""


@inner_kernel
def wrap(angle):  # type: ignore[no-untyped-def]
    """An angle between -pi and pi."""
    return angle - 2.0 * math.pi * math.floor((angle + math.pi) / (2.0 * math.pi))


@inner_kernel
def bin_of(a, b, bins, where):  # type: ignore[no-untyped-def]
    """The bin of moves that may lead from one foothold to another; -1 where none gets so far.

    Writes dx, dz, distance and bearing.
    """
    angles = bins.angles
    dx, dz = b[0] - a[0], b[2] - a[2]
    d = math.sqrt(dx * dx + dz * dz)
    i = int(d / bins.step_m)
    if i >= bins.distances:
        return -1
    bearing = math.atan2(dx, dz) if d > 0.0 else 0.0
    j = int((wrap(a[3] - bearing) + math.pi) * angles / (2.0 * math.pi))
    k = int((wrap(b[3] - bearing) + math.pi) * angles / (2.0 * math.pi))
    where[0], where[1], where[2], where[3] = dx, dz, d, bearing
    return (i * angles + min(j, angles - 1)) * angles + min(k, angles - 1)


@inner_kernel
def lay(a, b, m, moves, short, laid):  # type: ignore[no-untyped-def]
    """Write how a move is laid from one foothold to another."""
    dx, dz, chord = b[0] - a[0], b[2] - a[2], moves.chord[m]
    if chord >= short:
        bearing = math.atan2(dx, dz)
        laid[SCALE] = math.sqrt(dx * dx + dz * dz) / chord
        laid[REST_X] = laid[REST_Z] = 0.0
    else:
        first, last = a[3] - moves.turn_first[m], b[3] - moves.turn_last[m]
        bearing = first + 0.5 * wrap(last - first)
        c, s = math.cos(bearing), math.sin(bearing)
        laid[SCALE] = 1.0
        laid[REST_X] = dx - (c * moves.end_x[m] + s * moves.end_z[m])
        laid[REST_Z] = dz - (c * moves.end_z[m] - s * moves.end_x[m])
    laid[BEARING] = bearing
    laid[FIRST_OFF] = wrap(a[3] - bearing - moves.turn_first[m])
    laid[LAST_OFF] = wrap(b[3] - bearing - moves.turn_last[m])


@inner_kernel
def adaptation(laid, chord, most_scale, most_turn, short):  # type: ignore[no-untyped-def]
    """How much a laid move is changed (Eq. 5); infinite where it is too much."""
    turn = max(abs(laid[FIRST_OFF]), abs(laid[LAST_OFF]))
    if chord >= short:
        off = abs(1.0 - laid[SCALE])
    else:
        off = math.sqrt(laid[REST_X] ** 2 + laid[REST_Z] ** 2) / short
    return off + turn if turn <= most_turn and off <= most_scale else math.inf


@inner_kernel
def twist_change(laid, m, twists, slack):  # type: ignore[no-untyped-def]
    """Return how much worse a laid move is because it turns feet far in or out; see `twists`.

    slack  how much further than is allowed it may be twisted, radians
    """
    twist = laid[LAST_OFF] - laid[FIRST_OFF]
    if twist < twists[m, 2] - slack or twist > twists[m, 3] + slack:
        return math.inf
    return TWIST_WEIGHT * max(twists[m, 0] - twist, twist - twists[m, 1], 0.0)


@inner_kernel
def fit_move(a, b, m, table, laid):  # type: ignore[no-untyped-def]
    """How much a move is changed between two footholds (Eq. 5), and what it costs on the level.

    Both are infinite if it does not fit. Writes how it is laid.
    """
    moves, costs, limits = table.moves, table.costs, table.limits
    lay(a, b, m, moves, limits[SHORT], laid)
    change = adaptation(laid, moves.chord[m], limits[STRETCH], limits[TURN], limits[SHORT])
    twisted = change + twist_change(laid, m, moves.twists, 0.0)
    if not twisted < math.inf:
        return math.inf, math.inf
    return change, costs.dear[m] * (costs.own[m] * laid[SCALE] + costs.change_weight * twisted)


@inner_kernel
def lay_edge(a, laid, m, moves, out):  # type: ignore[no-untyped-def]
    """Write where the footprints of a laid move come to be: x, rise, z, yaw; how many.

    A foot that stands beside the first or the last goes with that one as it is: whoever stands at
    a foothold stands there alike, whichever move comes or goes.
    """
    print_start, places, turns, share = moves.print_start, moves.places, moves.turns, moves.share
    first = print_start[m]
    count = print_start[m + 1] - first
    last = first + count - 1
    for n in range(count):
        u, k = share[first + n], first + n
        bearing = laid[BEARING]
        off = (1.0 - u) * laid[FIRST_OFF] + u * laid[LAST_OFF]
        c, s, scale = math.cos(bearing), math.sin(bearing), laid[SCALE]
        # The foothold it goes with: the first, or the last if that is where it stands.
        root = last if u == 1.0 else first
        x, z = scale * places[root, 0], scale * places[root, 2]
        out[n, 0] = a[0] + c * x + s * z + u * laid[REST_X]
        out[n, 1] = scale * places[k, 1]
        out[n, 2] = a[2] + c * z - s * x + u * laid[REST_Z]
        if u == 0.0 or u == 1.0:
            c, s, scale = math.cos(bearing + off), math.sin(bearing + off), 1.0
        x, z = scale * (places[k, 0] - places[root, 0]), scale * (places[k, 2] - places[root, 2])
        out[n, 0] += c * x + s * z
        out[n, 2] += c * z - s * x
        out[n, 3] = wrap(bearing + turns[k] + off)
    return count
