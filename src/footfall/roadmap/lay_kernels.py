"""Compiled: how a move is laid between two footholds. Import lazily: numba.

A foothold is x, height, z and yaw. A move that is not short is laid along the line
between two footholds and scaled; a shorter one is laid by the directions of its feet, and what is
missing is shared out along it.

`move` and `limits` are a `MOVE` and a `LIMITS` record of `table`, whose `TableArrays` kernels call
`table`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from footfall.maths.jit_kernels import inner_kernel

TWIST_WEIGHT = 100.0
"""A radian that a move is twisted beyond what is not noted counts as this many radians of other
changes, so that a detour of some metres is preferred."""


class Laid(NamedTuple):
    """How a move is laid: along a bearing, scaled, its feet turned at both ends, and what is
    missing."""

    bearing: float
    scale: float
    first_off: float
    last_off: float
    rest_x: float
    rest_z: float


@inner_kernel
def wrap(angle):  # type: ignore[no-untyped-def]
    """Return an angle between -pi and pi."""
    return angle - 2.0 * math.pi * math.floor((angle + math.pi) / (2.0 * math.pi))


@inner_kernel
def heading(a, b):  # type: ignore[no-untyped-def]
    """Return distance and bearing from one foothold to another, in the plane."""
    dx, dz = b[0] - a[0], b[2] - a[2]
    far = math.sqrt(dx * dx + dz * dz)
    return far, math.atan2(dx, dz) if far > 0.0 else 0.0


@inner_kernel
def bin_of(a, b, limits):  # type: ignore[no-untyped-def]
    """Return the bin of moves that may lead from a to b, or -1, and distance and bearing."""
    angles = limits.angles
    far, bearing = heading(a, b)
    i = int(far / limits.step_m)
    if i >= limits.distances:
        return -1, far, bearing
    j = int((wrap(a[3] - bearing) + math.pi) * angles / (2.0 * math.pi))
    k = int((wrap(b[3] - bearing) + math.pi) * angles / (2.0 * math.pi))
    return (i * angles + min(j, angles - 1)) * angles + min(k, angles - 1), far, bearing


@inner_kernel
def lay(a, b, far, bearing, move, limits):  # type: ignore[no-untyped-def]
    """Return how a move is laid from a to b; `heading` gives the distance and the bearing."""
    scale, rest_x, rest_z = 1.0, 0.0, 0.0
    if move.chord >= limits.short:
        scale = far / move.chord
    else:
        first, last = a[3] - move.turn_first, b[3] - move.turn_last
        bearing = first + 0.5 * wrap(last - first)
        c, s = math.cos(bearing), math.sin(bearing)
        rest_x = b[0] - a[0] - (c * move.end_x + s * move.end_z)
        rest_z = b[2] - a[2] - (c * move.end_z - s * move.end_x)
    first, last = a[3] - bearing - move.turn_first, b[3] - bearing - move.turn_last
    return Laid(bearing, scale, wrap(first), wrap(last), rest_x, rest_z)


@inner_kernel
def change_of(laid, move, limits, loose, slack):  # type: ignore[no-untyped-def]
    """Return how much a laid move is changed (Eq. 5), and what twisting its feet in or out adds.

    loose, slack  how much further than is allowed it may be stretched, and turned, radians
    Both are infinite where it is changed too much; see `twists`.
    """
    turn = max(abs(laid.first_off), abs(laid.last_off))
    if move.chord >= limits.short:
        off = abs(1.0 - laid.scale)
    else:
        off = math.sqrt(laid.rest_x**2 + laid.rest_z**2) / limits.short
    twist, twists = laid.last_off - laid.first_off, move.twists
    if (
        turn > limits.turn + slack
        or off > limits.stretch + loose
        or twist < twists[2] - 2.0 * slack
        or twist > twists[3] + 2.0 * slack
    ):
        return math.inf, math.inf
    return off + turn, TWIST_WEIGHT * max(twists[0] - twist, twist - twists[1], 0.0)


@inner_kernel
def fit_move(a, b, far, bearing, move, limits, loose, slack):  # type: ignore[no-untyped-def]
    """Return how much a move is changed from a to b (Eq. 5), and what it costs on the level, J/kg.

    Both are infinite if it does not fit; see `change_of` for `loose` and `slack`.
    """
    laid = lay(a, b, far, bearing, move, limits)
    change, twist = change_of(laid, move, limits, loose, slack)
    if not change < math.inf:
        return math.inf, math.inf
    own = move.steady + move.pace * laid.scale * laid.scale
    return change, move.dear * (own + limits.change_weight * (change + twist))


@inner_kernel
def lay_edge(a, laid, move, prints, out):  # type: ignore[no-untyped-def]
    """Write where the footprints of a laid move come to be: x, rise, z, yaw; how many.

    A foot that stands beside the first or the last goes with that one as it is: whoever stands at
    a foothold stands there alike, whichever move comes or goes.
    """
    first, count = move.print_first, move.print_stop - move.print_first
    for n in range(count):
        own = prints[first + n]
        u, bearing = own.share, laid.bearing
        off = (1.0 - u) * laid.first_off + u * laid.last_off
        c, s, scale = math.cos(bearing), math.sin(bearing), laid.scale
        # The foothold it goes with: the first, or the last if that is where it stands.
        root = prints[first + count - 1] if u == 1.0 else prints[first]
        x, z = scale * root.x, scale * root.z
        out[n, 0] = a[0] + c * x + s * z + u * laid.rest_x
        out[n, 1] = scale * own.rise
        out[n, 2] = a[2] + c * z - s * x + u * laid.rest_z
        if u == 0.0 or u == 1.0:
            c, s, scale = math.cos(bearing + off), math.sin(bearing + off), 1.0
        x, z = scale * (own.x - root.x), scale * (own.z - root.z)
        out[n, 0] += c * x + s * z
        out[n, 2] += c * z - s * x
        out[n, 3] = wrap(bearing + own.turn + off)
    return count
