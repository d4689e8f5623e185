"""Compiled sweeps of moves: what a body passes through where a move is laid. Import lazily: numba.

A laid move takes its body along: the trunk goes with the middle of the footprints, each foot with
its own, what is between with both. *Rows* are the moments of a move that are looked at. Boxes
hold what parts of the body sweep over a few rows; where a box meets something, the capsules of
those rows say whether the body does.
"""

from __future__ import annotations

import math

from footfall.maths.jit_kernels import inner_kernel
from footfall.roadmap.lay_kernels import BEARING, FIRST_OFF, LAST_OFF, REST_X, REST_Z, SCALE
from footfall.roadmap.sweep_columns import (
    ANCHOR,
    ANCHOR_HALF,
    ARM,
    BESIDE,
    FIRST_ROW,
    HALF,
    MIDDLE,
    PART,
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
    WALKABLE,
    C,
    F,
    H,
    is_upright,
    plane_distance,
    segment_distance,
)


@inner_kernel
def _meets(t, b, x, z, c, s, hx, hz, low, high):  # type: ignore[no-untyped-def]
    """Whether an upright box may touch primitive b; it surely does not where the answer is no."""
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
    if t[b, KIND] == BOX and is_upright(t, b):
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
def _lay_part(part, r, a, laid, delta, m, moves, rise, prints, out):  # type: ignore[no-untyped-def]
    """How a part of the body goes to where it is in a row: with the footprints it is between.

    Writes cos and sin of how it is turned, a place in the clip, and where that comes to be.
    """
    sweep, first, places, share = moves.sweep, moves.print_start[m], moves.places, moves.share
    origin, bearing, between, weights = sweep.origin, sweep.bearing, sweep.between, sweep.weights
    w, one, other = weights[r, part], between[r, part, 0], between[r, part, 1]
    v = 1.0 - w
    u = v * share[first + one] + w * share[first + other]
    turn = delta + (1.0 - u) * laid[FIRST_OFF] + u * laid[LAST_OFF]
    x = v * places[first + one, 0] + w * places[first + other, 0]
    z = v * places[first + one, 2] + w * places[first + other, 2]
    c, s = math.cos(bearing[m]), math.sin(bearing[m])
    out[0], out[1] = math.cos(turn), math.sin(turn)
    out[2], out[3] = origin[m, 0] + c * x + s * z, origin[m, 2] + c * z - s * x
    out[4] = v * prints[one, 0] + w * prints[other, 0]
    out[5] = v * prints[one, 2] + w * prints[other, 2]
    out[6] = a[1] - origin[m, 1] + v * rise[one] + w * rise[other]


@inner_kernel
def _take(place, p, out, at):  # type: ignore[no-untyped-def]
    """Write where a point of a part of the body comes to be."""
    x, z = p[0] - place[2], p[2] - place[3]
    out[at] = place[4] + place[0] * x + place[1] * z
    out[at + 1] = p[1] + place[6]
    out[at + 2] = place[5] + place[0] * z - place[1] * x


@inner_kernel
def _touches(table, b, segment, radius, soft, work):  # type: ignore[no-untyped-def]
    """Whether a capsule touches primitive b; into what can be walked on it sinks by `soft`."""
    for i in range(3):
        if (
            max(segment[i], segment[3 + i]) + radius < table[b, LOW + i]
            or min(segment[i], segment[3 + i]) - radius > table[b, HIGH + i]
        ):
            return False
    d = segment_distance(table, b, segment, work)
    return d < radius - (soft if table[b, WALKABLE] != 0.0 else 0.0)


@inner_kernel
def _rows_are_free(n, a, laid, delta, m, moves, solids, hit, hits, work, memory):  # type: ignore[no-untyped-def]
    """Whether no capsule of a box's part and rows touches any of the primitives."""
    sweep, boxes, rise, prints = moves.sweep, moves.boxes, memory.rise, memory.prints
    places, segment = memory.places, memory.segment
    part = int(boxes[n, PART])
    for r in range(int(boxes[n, FIRST_ROW]), int(boxes[n, STOP_ROW])):
        k = sweep.row_ends[r]
        _lay_part(0, r, a, laid, delta, m, moves, rise, prints, places[0])
        if part > 0:
            _lay_part(part, r, a, laid, delta, m, moves, rise, prints, places[1])
        else:
            _take(places[0], sweep.anchors[k, 0], segment[0], 0)
        close, x, z = 0, segment[0, 0], segment[0, 2]
        for h in range(hits):
            if part > 0 or plane_distance(solids, hit[h], x, z) <= sweep.extents[k]:
                hit[hits + close] = hit[h]
                close += 1
        if close == 0:
            continue
        for b in range(sweep.part_start[part], sweep.part_start[part + 1]):
            for e in range(2):
                w, end = sweep.ties[b, e], sweep.ends[k, b, e]
                if w > 0.0:
                    _take(places[0], end, segment[0], 3 * e)
                if w < 1.0:
                    _take(places[1], end, segment[1], 3 * e)
                    for i in range(3 * e, 3 * e + 3):
                        both = w * segment[0, i] + (1.0 - w) * segment[1, i]
                        segment[0, i] = both if w > 0.0 else segment[1, i]
            for h in range(hits, hits + close):
                if _touches(solids, hit[h], segment[0], sweep.radii[b], sweep.soft[b], work):
                    return False
    return True


@inner_kernel
def _core_is_free(a, laid, delta, m, moves, solids, hits, memory):  # type: ignore[no-untyped-def]
    """Whether the pelvis, as a ball, is in none of the first `hits` of memory.hit[0]."""
    sweep, places, segment = moves.sweep, memory.places, memory.segment
    for r in range(sweep.rows_of[m] + 1, sweep.rows_of[m + 1], 3):
        _lay_part(0, r, a, laid, delta, m, moves, memory.rise, memory.prints, places[0])
        _take(places[0], sweep.anchors[sweep.row_ends[r], 0], segment[0], 0)
        x, y, z = segment[0, 0], segment[0, 1], segment[0, 2]
        for h in range(hits):
            b = memory.hit[0, h]
            if (
                solids[b, LOW + 1] <= y <= solids[b, HIGH + 1]
                and is_upright(solids, b)
                and plane_distance(solids, b, x, z) < sweep.core
            ):
                return False
    return True


@inner_kernel
def is_swept_free(a, laid, m, top, moves, ground, near, memory):  # type: ignore[no-untyped-def]
    """Whether no part of a body touches a solid primitive in a laid move.

    top    what can be stood on and is no higher is stepped on, not walked into
    near   how many primitives of memory.solids are near enough
    memory.rise   (P,) how much higher than in the clip its footprints are
    """
    box_start, boxes, sweep, solids = moves.box_start, moves.boxes, moves.sweep, ground.world[2]
    rise, hit, first = memory.rise, memory.hit, box_start[m]
    c, s = math.cos(laid[BEARING]), math.sin(laid[BEARING])
    delta = laid[BEARING] - sweep.bearing[m]
    off = max(abs(laid[FIRST_OFF]), abs(laid[LAST_OFF]))
    swing, stretch = 2.0 * math.sin(0.5 * off), laid[SCALE] - 1.0
    rest = math.sqrt(laid[REST_X] ** 2 + laid[REST_Z] ** 2)
    lowest, highest = 0.0, 0.0
    for n in range(moves.print_start[m + 1] - moves.print_start[m]):
        lowest, highest = min(lowest, rise[n]), max(highest, rise[n])
    listed = near
    for n in range(first, box_start[m + 1]):
        box = boxes[n]
        more = swing * box[ARM] + box[SHARE_HALF] * rest
        more += (abs(stretch) + swing) * box[BESIDE]
        hx = box[HALF] + abs(stretch) * box[ANCHOR_HALF] + more
        hz = box[HALF + 2] + abs(stretch) * box[ANCHOR_HALF + 1] + more
        x, z = box[MIDDLE] + stretch * box[ANCHOR], box[MIDDLE + 2] + stretch * box[ANCHOR + 1]
        px = a[0] + c * x + s * z + box[SHARE] * laid[REST_X]
        pz = a[2] + c * z - s * x + box[SHARE] * laid[REST_Z]
        low = a[1] + box[MIDDLE + 1] - box[HALF + 1] + lowest
        high = a[1] + box[MIDDLE + 1] + box[HALF + 1] + highest
        hits, into = 0, 0 if n == first else 1
        for i in range(listed):
            b = memory.solids[i] if n == first else hit[0, i]
            if solids[b, WALKABLE] != 0.0 and solids[b, HIGH + 1] <= top:
                continue
            if _meets(solids, b, px, pz, c, s, hx, hz, low, high):
                hit[into, hits] = b
                hits += 1
        if n == first:
            if hits == 0:
                return True
            listed = hits
            if not _core_is_free(a, laid, delta, m, moves, solids, hits, memory):
                return False
        elif hits and not _rows_are_free(
            n, a, laid, delta, m, moves, solids, hit[1], hits, ground.scratch[0], memory
        ):
            return False
    return True
