"""Whether edges of the interpolated graph can be gone in a world, asked by the search.

`world` is what `pack_world` gives, `body` what `pack_body` gives. A pose is x, z and the cosine
and sine of its yaw.

An edge can be gone if `edge_lands` and `edge_clears`. Both are put into the kernel that calls them,
which should be a `lean_kernel`: counting references to the arrays of `world` and `body` would cost
ten times what the checks do.
"""

from __future__ import annotations

from math import floor, isnan, nan
from typing import Any

from footfall.maths.arrays import Bools, Floats
from footfall.maths.jit_kernels import inline_kernel, inner_kernel, lean_kernel
from footfall.optimal.model import FOOT_DISCS, TRUNK_DISCS

_FEET, _SEAT = 3, 16
_SOLE, _SOLE_WIDTH, _LANDING, _UNEVEN, _SEAT_HIGH, _LOW_SPARE, _SPARE, _SHANK, _SHANK_SPARE = (
    range(5, 14)
)  # fmt: skip
"""Columns of the frame, after the origin (x, z), cells a metre, the lowest height of the bands and
bands a metre: half of the length and width of a sole that must be on the ground, and lengths of
the body that `BodySize` explains."""
_AROUND_M = 0.05
"""Where good ground goes on this much farther than a sole is long it stands on it as a whole."""


@inner_kernel
def _column(frame: Floats, i: int, at: float) -> int:
    """The column (i 0) or row (i 1) of a coordinate."""
    cell: int = floor((at - frame[i]) * frame[2] + 0.5)
    return cell


@inner_kernel
def _corners_stand(
    frame: Floats, foothold: Any, height: Any, level: float, x: float, z: float, c: float,
    s: float, yaw: float,
) -> bool:  # fmt: skip
    """Whether the corners of a sole whose middle is at x, z stand on good ground, all on one.

    yaw  the sole's own, by which it is turned from c and s;  level  the height of its middle
    """
    # Cosine and sine by series: soles turn out by less than a right angle.
    q = yaw * yaw
    cos = 1.0 - q * (0.5 - q * (1.0 / 24.0 - q * (1.0 / 720.0 - q / 40320.0)))
    sin = yaw * (1.0 - q * (1.0 / 6.0 - q * (1.0 / 120.0 - q / 5040.0)))
    c, s = c * cos - s * sin, s * cos + c * sin
    for corner in range(4):
        ahead = frame[_SOLE] if corner & 1 else -frame[_SOLE]
        aside = frame[_SOLE_WIDTH] if corner & 2 else -frame[_SOLE_WIDTH]
        i = _column(frame, 0, x + aside * c + ahead * s)
        k = _column(frame, 1, z - aside * s + ahead * c)
        if i < 0 or k < 0 or i >= foothold.shape[0] or k >= foothold.shape[1]:
            return False
        if foothold[i, k] <= 0.0 or not abs(height[i, k] - level) <= frame[_UNEVEN]:
            return False
    return True


@inner_kernel
def ground_under(world: Any, body: Any, node: int, x: float, z: float, c: float, s: float) -> float:
    """The height of the ground that carries a node; nan where it is carried by nothing.

    It follows from the feet that touch, or, where none does, that touched before.
    """
    frame, height = world.frame, world.height
    before, signature, feet = body.before, body.signature, body.feet
    touching = signature[node] & _FEET
    if touching == 0:
        touching = before[node] & _FEET
    total, count = 0.0, 0
    for side in range(2):
        if touching >> side & 1:
            px, pz = feet[node, side, 0], feet[node, side, 2]
            i = _column(frame, 0, x + px * c + pz * s)
            k = _column(frame, 1, z - px * s + pz * c)
            if i < 0 or k < 0 or i >= height.shape[0] or k >= height.shape[1]:
                return nan
            total += height[i, k] - feet[node, side, 1]
            count += 1
    return total / count if count else nan


@inline_kernel
def feet_stand(
    world: Any, body: Any, node: int, sides: int, ground: float, x: float, z: float, c: float,
    s: float,
) -> bool:  # fmt: skip
    """Whether feet of a node (bits `sides`) stand on good ground, as high as they are.

    ground  the height of the node's ground
    """
    frame, foothold, height, feet = world.frame, world.foothold, world.height, body.feet
    for side in range(2):
        if sides >> side & 1:
            px, pz = feet[node, side, 0], feet[node, side, 2]
            at_x, at_z = x + px * c + pz * s, z - px * s + pz * c
            i, k = _column(frame, 0, at_x), _column(frame, 1, at_z)
            if i < 0 or k < 0 or i >= height.shape[0] or k >= height.shape[1]:
                return False
            if not abs(height[i, k] - ground - feet[node, side, 1]) <= frame[_LANDING]:
                return False
            if foothold[i, k] <= frame[_SOLE] + frame[
                _SOLE_WIDTH
            ] + _AROUND_M and not _corners_stand(
                frame, foothold, height, height[i, k], at_x, at_z, c, s, feet[node, side, 3]
            ):
                return False
    return True


@inner_kernel
def _sits(
    world: Any, body: Any, node: int, ground: float, x: float, z: float, c: float, s: float
) -> bool:
    """Whether a node that sits does so on one of the seats, if there are any."""
    seats, seat, high = world.seats, body.seat, world.frame[_SEAT_HIGH]
    px, pz = seat[node, 0], seat[node, 2]
    at_x, at_z = x + px * c + pz * s, z - px * s + pz * c
    for n in range(seats.shape[0]):
        dx, dz = at_x - seats[n, 0], at_z - seats[n, 2]
        off = ground + seat[node, 1] - seats[n, 1]
        if dx * dx + dz * dz <= seats[n, 3] * seats[n, 3] and not abs(off) > high:
            return True
    return bool(seats.shape[0] == 0)


@inline_kernel
def edge_lands(
    world: Any, body: Any, to: int, ground: float, to_x: float, to_z: float, to_c: float,
    to_s: float,
) -> bool:  # fmt: skip
    """Whether an edge ends in the corridor, with feet on good ground, and the seat on a seat.

    ground  the height of the ground at its end, if it rises as the edge does
    """
    frame, corridor, signature = world.frame, world.corridor, body.signature
    i, k = _column(frame, 0, to_x), _column(frame, 1, to_z)
    if i < 0 or k < 0 or i >= corridor.shape[0] or k >= corridor.shape[1]:
        return False
    if corridor[i, k] == 0 or isnan(ground):
        return False
    # Feet that stood before as well: between two clips they stand a little aside of where they did.
    if signature[to] & _SEAT and not _sits(world, body, to, ground, to_x, to_z, to_c, to_s):
        return False
    standing = signature[to] & _FEET
    return bool(feet_stand(world, body, to, standing, ground, to_x, to_z, to_c, to_s))


@inline_kernel
def edge_clears(
    world: Any, body: Any, edge: int, node: int, to: int, ground: float, x: float, z: float,
    c: float, s: float,
) -> bool:  # fmt: skip
    """Whether no disc of an edge, which begins at a pose, meets anything in the heights it spans.

    Who sits may touch what is sat on.
    """
    frame, clearance, layers, discs = world.frame, world.clearance, world.layers, body.discs
    i, k = _column(frame, 0, x), _column(frame, 1, z)
    if i < 0 or k < 0 or i >= clearance.shape[0] or k >= clearance.shape[1]:
        return False
    if clearance[i, k] > body.reach[edge]:
        return True
    sits = (body.signature[node] | body.signature[to]) & _SEAT != 0
    feet = 0 if body.signature[node] & _FEET == _FEET else FOOT_DISCS
    band_layer = world.seat_layer if sits else world.band_layer
    bands = len(band_layer)
    spare, slimmer = 100.0 * frame[_SPARE], 100.0 * frame[_SHANK_SPARE]
    for d in range(discs.shape[1]):
        radius = discs[edge, d, 2]
        if radius <= 0.0:
            break
        px, pz = discs[edge, d, 0], discs[edge, d, 1]
        i = _column(frame, 0, x + px * c + pz * s)
        k = _column(frame, 1, z - px * s + pz * c)
        if i < 0 or k < 0 or i >= clearance.shape[0] or k >= clearance.shape[1]:
            return False
        if clearance[i, k] > radius:
            continue
        low = floor((ground + discs[edge, d, 3] + frame[_LOW_SPARE] - frame[3]) * frame[4])
        high = floor((ground + discs[edge, d, 4] - frame[_SPARE] - frame[3]) * frame[4])
        needed = 100.0 * radius - spare
        shank = bands
        if TRUNK_DISCS <= d < TRUNK_DISCS + feet:
            shank = floor((ground + discs[edge, d, 4] - frame[_SHANK] - frame[3]) * frame[4]) + 1
        last = -1
        for band in range(max(low, 0), min(high, bands - 1) + 1):
            layer = band_layer[band]
            if layer < 0 or (layer == last and band != shank):
                continue
            last = layer
            if layers[layer, i, k] < needed - (slimmer if band >= shank else 0.0):
                return False
    return True


# ---- what Python calls ---------------------------------------------------------------------


@lean_kernel
def nodes_stand(world: Any, body: Any, nodes: Any, poses: Floats, out: Bools) -> None:
    """Write which nodes (N,) stand well in the world at poses (N, 4: x, z, cos, sin)."""
    for n in range(len(nodes)):
        node, x, z, c, s = nodes[n], poses[n, 0], poses[n, 1], poses[n, 2], poses[n, 3]
        ground = ground_under(world, body, node, x, z, c, s)
        sides = body.signature[node] & _FEET
        out[n] = not isnan(ground) and feet_stand(world, body, node, sides, ground, x, z, c, s)
