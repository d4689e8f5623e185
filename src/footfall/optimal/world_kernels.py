"""Whether edges of the interpolated graph can be gone in a world, asked by the search.

`world` is what `pack_world` gives, `body` what `pack_body` gives. A pose is x, z and the cosine
and sine of its yaw. An edge can be gone if it is kept by `keep_landing` and by `keep_clear`.
"""

from __future__ import annotations

from math import floor, isnan, nan, sqrt
from typing import Any

from footfall.maths.arrays import Bools, Floats
from footfall.maths.jit_kernels import lean_kernel, spliced_kernel
from footfall.optimal.model import FOOT_DISCS, TRUNK_DISCS

_FEET, _SEAT = 3, 16
_SOLE, _SOLE_WIDTH, _LANDING, _UNEVEN, _SEAT_HIGH, _LOW_SPARE, _SPARE, _SHANK, _SHANK_SPARE = (
    range(5, 14)
)  # fmt: skip
"""Columns of the frame, after the origin (x, z), cells a metre, the lowest height of the bands and
bands a metre: half of the length and width of a sole that must be on the ground, and lengths of
the body that `BodySize` explains."""
BEFORE, NOW, HIPS = 0, 1, 2
"""Columns of `body.touching`; the row of the hips among `body.points`."""
_CHORD_M = 0.1
"""The root may be in the corridor at every point so far from the next."""
_AROUND_M = 0.05
"""Where good ground goes on this much farther than a sole is long it stands on it as a whole."""


@spliced_kernel
def _column(frame: Floats, i: int, at: float) -> int:
    """The column (i 0) or row (i 1) of a coordinate."""
    cell: int = floor((at - frame[i]) * frame[2] + 0.5)
    return cell


@spliced_kernel
def _corners_stand(
    frame: Floats, cells: Any, level: float, x: float, z: float, c: float, s: float, yaw: float
) -> bool:
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
        if i < 0 or k < 0 or i >= cells.shape[0] or k >= cells.shape[1]:
            return False
        if cells[i, k].foothold <= 0.0 or not abs(cells[i, k].height - level) <= frame[_UNEVEN]:
            return False
    return True


@spliced_kernel
def ground_under(world: Any, body: Any, node: int, x: float, z: float, c: float, s: float) -> float:
    """The height of the ground that carries a node; nan where it is carried by nothing.

    It follows from the feet that touch, or, where none does, that touched before.
    """
    frame, cells, points = world.frame, world.cells, body.points
    touching = body.touching[node, NOW] & _FEET
    if touching == 0:
        touching = body.touching[node, BEFORE] & _FEET
    total, count = 0.0, 0
    for side in range(2):
        if touching >> side & 1:
            px, pz = points[node, side, 0], points[node, side, 2]
            i = _column(frame, 0, x + px * c + pz * s)
            k = _column(frame, 1, z - px * s + pz * c)
            if i < 0 or k < 0 or i >= cells.shape[0] or k >= cells.shape[1]:
                return nan
            total += cells[i, k].height - points[node, side, 1]
            count += 1
    return total / count if count else nan


@spliced_kernel
def _feet_stand(
    frame: Floats, cells: Any, points: Any, node: int, sides: int, ground: float, x: float,
    z: float, c: float, s: float,
) -> bool:  # fmt: skip
    """Whether feet of a node (bits `sides`) stand on good ground, as high as they are.

    ground  the height of the node's ground
    """
    for side in range(2):
        if sides >> side & 1:
            px, pz = points[node, side, 0], points[node, side, 2]
            at_x, at_z = x + px * c + pz * s, z - px * s + pz * c
            i, k = _column(frame, 0, at_x), _column(frame, 1, at_z)
            if i < 0 or k < 0 or i >= cells.shape[0] or k >= cells.shape[1]:
                return False
            cell = cells[i, k]
            if not abs(cell.height - ground - points[node, side, 1]) <= frame[_LANDING]:
                return False
            whole = frame[_SOLE] + frame[_SOLE_WIDTH] + _AROUND_M
            if cell.foothold <= whole and not _corners_stand(
                frame, cells, cell.height, at_x, at_z, c, s, points[node, side, 3]
            ):
                return False
    return True


@spliced_kernel
def _sits(
    frame: Floats, seats: Any, points: Any, node: int, ground: float, x: float, z: float,
    c: float, s: float,
) -> bool:  # fmt: skip
    """Whether a node that sits does so on one of the seats, if there are any."""
    px, pz = points[node, HIPS, 0], points[node, HIPS, 2]
    at_x, at_z = x + px * c + pz * s, z - px * s + pz * c
    for n in range(seats.shape[0]):
        dx, dz = at_x - seats[n, 0], at_z - seats[n, 2]
        off = ground + points[node, HIPS, 1] - seats[n, 1]
        near = dx * dx + dz * dz <= seats[n, 3] * seats[n, 3]
        if near and not abs(off) > frame[_SEAT_HIGH]:
            return True
    return bool(seats.shape[0] == 0)


@spliced_kernel
def _line_stays_in(frame: Floats, cells: Any, x: float, z: float, dx: float, dz: float) -> bool:
    """Whether a line from x, z is within the corridor, but its start."""
    steps = int(sqrt(dx * dx + dz * dz) / _CHORD_M) + 1
    each = 1.0 / steps
    for n in range(steps, 0, -1):  # it is the end that is outside, if anything is
        i = _column(frame, 0, x + dx * (n * each))
        k = _column(frame, 1, z + dz * (n * each))
        if i < 0 or k < 0 or i >= cells.shape[0] or k >= cells.shape[1]:
            return False
        if cells[i, k].corridor == 0:
            return False
    return True


@spliced_kernel
def keep_landing(
    world: Any, body: Any, edges: Any, start: Any, rows: Any, left: Any, count: int
) -> int:
    """Keep those successors in `left` that end in the corridor, on good ground or a seat.

    edges  of the graph (`ROUTE`);  start  where they come from (`ORIGIN`)
    """
    frame, cells, kept, around = world.frame, world.cells, 0, -1.0
    i, k = _column(frame, 0, start.x), _column(frame, 1, start.z)
    if 0 <= i < cells.shape[0] and 0 <= k < cells.shape[1]:
        around = float(cells[i, k].room)
    for n in range(count):
        row = rows[left[n]]
        x, z, c, s, to = row.x, row.z, row.cosine, row.sine, row.to
        i, k = _column(frame, 0, x), _column(frame, 1, z)
        if i < 0 or k < 0 or i >= cells.shape[0] or k >= cells.shape[1]:
            continue
        ground = start.ground + edges[row.edge].rise
        if cells[i, k].corridor == 0 or isnan(ground):
            continue
        dx, dz, both = x - start.x, z - start.z, around + float(cells[i, k].room)
        near = both > 0.0 and both * both > dx * dx + dz * dz
        if not near and not _line_stays_in(frame, cells, start.x, start.z, dx, dz):
            continue
        # Feet that stood before as well: between two clips they stand a little aside of where they
        # did.
        touching = body.touching[to, NOW]
        if touching & _SEAT and not _sits(frame, world.seats, body.points, to, ground, x, z, c, s):
            continue
        if _feet_stand(frame, cells, body.points, to, touching & _FEET, ground, x, z, c, s):
            left[kept] = left[n]
            kept += 1
    return kept


@spliced_kernel
def keep_clear(world: Any, body: Any, start: Any, rows: Any, left: Any, count: int) -> int:
    """Keep those successors in `left` whose edges meet nothing on their way."""
    frame, cells, kept = world.frame, world.cells, 0
    i, k = _column(frame, 0, start.x), _column(frame, 1, start.z)
    if i < 0 or k < 0 or i >= cells.shape[0] or k >= cells.shape[1]:
        return 0
    clearance = cells[i, k].clearance
    for n in range(count):
        row = rows[left[n]]
        edge = row.edge
        before, after = body.touching[start.node, NOW], body.touching[row.to, NOW]
        if clearance > body.reach[edge] or _is_clear(
            frame, cells, world.bands, world.layers, body.discs, start, edge, before, after
        ):
            left[kept] = left[n]
            kept += 1
    return kept


@spliced_kernel
def _is_clear(
    frame: Floats, cells: Any, bands: Any, layers: Any, discs: Any, start: Any, edge: int,
    before: int, after: int,
) -> bool:  # fmt: skip
    """Whether no disc of an edge meets anything in the heights it spans.

    before, after  what touches at its start and its end: who sits may touch what is sat on
    """
    x, z, c, s, ground = start.x, start.z, start.cosine, start.sine, start.ground
    sits = 1 if (before | after) & _SEAT else 0
    feet = 0 if before & _FEET == _FEET else FOOT_DISCS
    highest = bands.shape[1]
    spare, slimmer = 100.0 * frame[_SPARE], 100.0 * frame[_SHANK_SPARE]
    for d in range(discs.shape[1]):
        radius = discs[edge, d, 2]
        if radius <= 0.0:
            break
        px, pz = discs[edge, d, 0], discs[edge, d, 1]
        i = _column(frame, 0, x + px * c + pz * s)
        k = _column(frame, 1, z - px * s + pz * c)
        if i < 0 or k < 0 or i >= cells.shape[0] or k >= cells.shape[1]:
            return False
        if cells[i, k].clearance > radius:
            continue
        low = floor((ground + discs[edge, d, 3] + frame[_LOW_SPARE] - frame[3]) * frame[4])
        high = floor((ground + discs[edge, d, 4] - frame[_SPARE] - frame[3]) * frame[4])
        needed = 100.0 * radius - spare
        shank = highest
        if TRUNK_DISCS <= d < TRUNK_DISCS + feet:
            shank = floor((ground + discs[edge, d, 4] - frame[_SHANK] - frame[3]) * frame[4]) + 1
        last = -1
        for band in range(max(low, 0), min(high, highest - 1) + 1):
            layer = bands[sits, band]
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
        sides = body.touching[node, NOW] & _FEET
        out[n] = not isnan(ground) and _feet_stand(
            world.frame, world.cells, body.points, node, sides, ground, x, z, c, s
        )
