"""Compiled sweeps of moves: what a body passes through where a move is laid. Import lazily: numba.

A laid move takes its body along: the trunk goes with the middle of the footprints, each foot with
its own, what is between with both. *Rows* are the moments of a move that are looked at. Boxes
hold what parts of the body sweep over a few rows; where a box meets something, the capsules of
those rows say whether the body does.

`table` is the `TableArrays` of a `MoveTable`, `terrain` the `Terrain` of `ground`.
"""

from __future__ import annotations

import math

from footfall.maths.jit_kernels import inner_kernel
from footfall.roadmap.sweep_columns import (
    ANCHOR,
    ANCHOR_HALF,
    ARM,
    BESIDE,
    FIRST_ROW,
    HALF,
    MIDDLE,
    MOVE_HITS,
    NEAR,
    PART,
    PART_HITS,
    SHARE,
    SHARE_HALF,
    STOP_ROW,
)
from footfall.world.collision.shape_kernels import (
    BOX,
    CYLINDER,
    HIGH,
    KIND,
    LOW,
    UPRIGHT,
    WALKABLE,
    C,
    F,
    H,
    plane_distance,
    segment_distance,
)


@inner_kernel
def _meets(t, b, x, z, c, s, hx, hz, low, high):  # type: ignore[no-untyped-def]
    """Return whether an upright box may touch primitive b; surely not where the answer is no."""
    if t[b, LOW + 1] > high or t[b, HIGH + 1] < low:
        return False
    rx, rz = abs(c) * hx + abs(s) * hz, abs(s) * hx + abs(c) * hz
    if (
        t[b, LOW] > x + rx
        or t[b, HIGH] < x - rx
        or t[b, LOW + 2] > z + rz
        or t[b, HIGH + 2] < z - rz
    ):
        return False
    # Into the box's own frame: its axes are (c, -s) and (s, c) in the plane.
    dx, dz = t[b, C] - x, t[b, C + 2] - z
    if t[b, KIND] == CYLINDER:
        u = max(abs(c * dx - s * dz) - hx, 0.0)
        v = max(abs(s * dx + c * dz) - hz, 0.0)
        return u * u + v * v <= t[b, H] * t[b, H]
    if t[b, KIND] == BOX and t[b, UPRIGHT] != 0.0:
        ex, ez, gx, gz = t[b, F], t[b, F + 6], t[b, F + 2], t[b, F + 8]
        h0, h2 = t[b, H], t[b, H + 2]
        p, q = abs(c * ex - s * ez), abs(c * gx - s * gz)
        if abs(c * dx - s * dz) > hx + p * h0 + q * h2:
            return False
        p, q = abs(s * ex + c * ez), abs(s * gx + c * gz)
        if abs(s * dx + c * dz) > hz + p * h0 + q * h2:
            return False
    return True


@inner_kernel
def _place_part(part, row, a, laid, move, table, memory):  # type: ignore[no-untyped-def]
    """Return how a part of the body goes to where it is in a row: with its footprints.

    These are cos and sin of how it is turned, a place in the clip, and where that comes to be.
    """
    one, other, w = row.between[part, 0], row.between[part, 1], row.weights[part]
    p, q = table.prints[move.print_first + one], table.prints[move.print_first + other]
    rise, prints, origin, v = memory.rise, memory.prints, move.origin, 1.0 - w
    u = v * p.share + w * q.share
    turn = laid.bearing - move.bearing + (1.0 - u) * laid.first_off + u * laid.last_off
    x, z = v * p.x + w * q.x, v * p.z + w * q.z
    c, s = math.cos(move.bearing), math.sin(move.bearing)
    return (
        math.cos(turn), math.sin(turn), origin[0] + c * x + s * z, origin[2] + c * z - s * x,
        v * prints[one, 0] + w * prints[other, 0], v * prints[one, 2] + w * prints[other, 2],
        a[1] - origin[1] + v * rise[one] + w * rise[other],
    )  # fmt: skip


@inner_kernel
def _take(place, x, y, z):  # type: ignore[no-untyped-def]
    """Return where a point of a part of the body comes to be."""
    u, v = x - place[2], z - place[3]
    return (
        place[4] + place[0] * u + place[1] * v,
        y + place[6],
        place[5] + place[0] * v - place[1] * u,
    )


@inner_kernel
def _touches(solids, b, radius, soft, work):  # type: ignore[no-untyped-def]
    """Return whether the probe's capsule touches primitive b; it sinks by `soft` into the floor."""
    s = work.probe
    for i in range(3):
        if (
            max(s[i], s[3 + i]) + radius < solids[b, LOW + i]
            or min(s[i], s[3 + i]) - radius > solids[b, HIGH + i]
        ):
            return False
    d = segment_distance(solids, b, work)
    return d < radius - (soft if solids[b, WALKABLE] != 0.0 else 0.0)


@inner_kernel
def _rows_are_free(n, a, laid, move, hits, table, terrain):  # type: ignore[no-untyped-def]
    """Return whether no capsule of a box's part and rows touches any of the primitives."""
    boxes, moments, capsules, ends = table.boxes, table.moments, table.capsules, table.ends
    solids, hit, memory = terrain.world.table, terrain.lists[PART_HITS], terrain.memory
    probe, part = terrain.work.probe, int(boxes[n, PART])
    for r in range(int(boxes[n, FIRST_ROW]), int(boxes[n, STOP_ROW])):
        row = table.rows[r]
        k = row.moment
        trunk = _place_part(0, row, a, laid, move, table, memory)
        leg = _place_part(part, row, a, laid, move, table, memory) if part > 0 else trunk
        hips = moments[k].hips
        x, _, z = _take(trunk, hips[0], hips[1], hips[2])
        close = 0
        for h in range(hits):
            if part > 0 or plane_distance(solids, hit[h], x, z) <= moments[k].extent:
                hit[hits + close] = hit[h]
                close += 1
        if close == 0:
            continue
        for b in range(table.limits.parts[part], table.limits.parts[part + 1]):
            capsule = capsules[b]
            for e in range(2):
                w, end = capsule.ties[e], ends[k, b, e]
                x, y, z = _take(trunk, end[0], end[1], end[2])
                if w < 1.0:
                    u, v, t = _take(leg, end[0], end[1], end[2])
                    if w > 0.0:
                        x, y, z = (
                            w * x + (1.0 - w) * u, w * y + (1.0 - w) * v, w * z + (1.0 - w) * t
                        )  # fmt: skip
                    else:
                        x, y, z = u, v, t
                probe[3 * e], probe[3 * e + 1], probe[3 * e + 2] = x, y, z
            for h in range(hits, hits + close):
                if _touches(solids, hit[h], capsule.radius, capsule.soft, terrain.work):
                    return False
    return True


@inner_kernel
def is_swept_free(a, laid, move, top, near, table, terrain):  # type: ignore[no-untyped-def]
    """Return whether no part of a body touches a solid primitive in a laid move.

    top    what can be stood on and is no higher is stepped on, not walked into
    near   how many primitives of terrain.lists[NEAR] are near enough
    memory.rise   (P,) how much higher than in the clip its footprints are
    """
    solids, lists, memory = terrain.world.table, terrain.lists, terrain.memory
    c, s = math.cos(laid.bearing), math.sin(laid.bearing)
    off = max(abs(laid.first_off), abs(laid.last_off))
    swing, stretch = 2.0 * math.sin(0.5 * off), laid.scale - 1.0
    rest = math.sqrt(laid.rest_x**2 + laid.rest_z**2)
    lowest, highest = 0.0, 0.0
    for n in range(move.print_stop - move.print_first):
        lowest, highest = min(lowest, memory.rise[n]), max(highest, memory.rise[n])
    listed = near
    for n in range(move.box_first, move.box_stop):
        box, is_whole = table.boxes[n], n == move.box_first
        more = swing * box[ARM] + box[SHARE_HALF] * rest
        more += (abs(stretch) + swing) * box[BESIDE]
        hx = box[HALF] + abs(stretch) * box[ANCHOR_HALF] + more
        hz = box[HALF + 2] + abs(stretch) * box[ANCHOR_HALF + 1] + more
        x, z = box[MIDDLE] + stretch * box[ANCHOR], box[MIDDLE + 2] + stretch * box[ANCHOR + 1]
        px = a[0] + c * x + s * z + box[SHARE] * laid.rest_x
        pz = a[2] + c * z - s * x + box[SHARE] * laid.rest_z
        low = a[1] + box[MIDDLE + 1] - box[HALF + 1] + lowest
        high = a[1] + box[MIDDLE + 1] + box[HALF + 1] + highest
        hits = 0
        for i in range(listed):
            b = lists[NEAR if is_whole else MOVE_HITS, i]
            if solids[b, WALKABLE] != 0.0 and solids[b, HIGH + 1] <= top:
                continue
            if _meets(solids, b, px, pz, c, s, hx, hz, low, high):
                lists[MOVE_HITS if is_whole else PART_HITS, hits] = b
                hits += 1
        if not is_whole:
            if hits and not _rows_are_free(n, a, laid, move, hits, table, terrain):
                return False
            continue
        if hits == 0:
            return True
        listed = hits
        for r in range(move.row_first + 1, move.row_stop, 3):  # the pelvis, as a ball
            row = table.rows[r]
            hips = table.moments[row.moment].hips
            trunk = _place_part(0, row, a, laid, move, table, memory)
            x, y, z = _take(trunk, hips[0], hips[1], hips[2])
            for h in range(hits):
                b = lists[MOVE_HITS, h]
                if (
                    solids[b, LOW + 1] <= y <= solids[b, HIGH + 1]
                    and solids[b, UPRIGHT] != 0.0
                    and plane_distance(solids, b, x, z) < table.limits.core
                ):
                    return False
    return True
