"""Compiled sweeps of moves: what a body passes through where a move is laid. Import lazily: numba.

A laid move takes its body along: the trunk goes with the middle of the footprints, each foot with
its own, what is between with both. *Rows* are the moments of a move that are looked at. Boxes
hold what parts of the body sweep over a few rows; where a box meets something, the capsules of
those rows say whether the body does.
"""

from __future__ import annotations

import math

import numpy as np

from footfall.maths.jit_kernels import inner_kernel, kernel
from footfall.roadmap.lay_kernels import BEARING, FIRST_OFF, LAST_OFF, REST_X, REST_Z, SCALE
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

MIDDLE, HALF, ANCHOR, ANCHOR_HALF, ARM, SHARE, SHARE_HALF, PART, FIRST_ROW, STOP_ROW, BESIDE = (
    0, 3, 6, 8, 10, 11, 12, 13, 14, 15, 16,
)  # fmt: skip
"""Columns of the boxes: middle and half sizes, seen from the first footprint; middle and half
sizes, in the plane, of where the anchors are, the places between footprints that parts of the body
go with; how far parts are from their anchors; how far along they are; which part, which rows; how
far apart the feet stand where the move begins and ends."""
COLUMNS = 17


@kernel
def find_between(rows_of, frames, print_start, spans, foot, between, weights):  # type: ignore[no-untyped-def]
    """Fill between which footprints each part of the body is, and how far it is towards the second.

    rows_of   (M + 1,) the rows of each move       frames  (R,) their moments, frames of the clip
    spans     (P, 3) first and last moment of each footprint, and its middle
    between   (R, 3, 2) numbers of footprints, counted from the move's first, of trunk and feet
    """
    order = np.empty(64, np.int64)
    for m in range(len(rows_of) - 1):
        a, b = print_start[m], print_start[m + 1]
        for part in range(3):
            count = 0
            for p in range(a, b):
                if part == 0 or foot[p] == part - 1:
                    n = count
                    while n > 0 and spans[order[n - 1], 2] > spans[p, 2]:
                        order[n] = order[n - 1]
                        n -= 1
                    order[n] = p
                    count += 1
            if count == 0:
                for r in range(rows_of[m], rows_of[m + 1]):
                    between[r, part] = between[r, 0]
                    weights[r, part] = weights[r, 0]
                continue
            for r in range(rows_of[m], rows_of[m + 1]):
                f = frames[r]
                n = 0
                while n + 1 < count and spans[order[n + 1], 2 if part == 0 else 0] <= f:
                    n += 1
                one, other = order[n], order[min(n + 1, count - 1)]
                begin = spans[one, 2 if part == 0 else 1]
                end = spans[other, 2 if part == 0 else 0]
                share = 0.0
                if f > begin and end > begin:
                    share = min((f - begin) / (end - begin), 1.0)
                between[r, part, 0], between[r, part, 1] = one - a, other - a
                weights[r, part] = share


@inner_kernel
def _along(part, r, first_print, between, weights, share):  # type: ignore[no-untyped-def]
    """How far along its move a part of the body is in a row."""
    w = weights[r, part]
    one, other = between[r, part, 0], between[r, part, 1]
    return (1.0 - w) * share[first_print + one] + w * share[first_print + other]


@inner_kernel
def _put_box(box, low, high, alow, ahigh, arm, ulow, uhigh, part, rows):  # type: ignore[no-untyped-def]
    """Write a box by its corners, those of its anchors, and how far along it is."""
    for i in range(3):
        box[MIDDLE + i], box[HALF + i] = 0.5 * (low[i] + high[i]), 0.5 * (high[i] - low[i])
    for i in range(2):
        box[ANCHOR + i] = 0.5 * (alow[i] + ahigh[i])
        box[ANCHOR_HALF + i] = 0.5 * (ahigh[i] - alow[i])
    box[ARM], box[SHARE], box[SHARE_HALF] = arm, 0.5 * (ulow + uhigh), 0.5 * (uhigh - ulow)
    box[PART], box[FIRST_ROW], box[STOP_ROW] = part, rows[0], rows[1]


@kernel
def fill_boxes(  # type: ignore[no-untyped-def]
    rows_of, row_ends, ends, ties, radii, part_start, origin, bearing, print_start, places, share,
    between, weights, box_of, boxes, reach, rows_a_box,
):  # fmt: skip
    """Fill the boxes of moves from box_of (M + 1,) on, and how far each body reaches (M,).

    The first box of a move holds all of it, the others each part over a few rows.
    """
    low, high = np.empty(3), np.empty(3)
    alow, ahigh, at = np.empty(2), np.empty(2), np.empty((2, 2))
    for m in range(len(rows_of) - 1):
        c, s = math.cos(bearing[m]), math.sin(bearing[m])
        n = box_of[m] + 1
        wlow, whigh = np.full(3, math.inf), np.full(3, -math.inf)
        walow, wahigh = np.full(2, math.inf), np.full(2, -math.inf)
        warm, reach[m] = 0.0, 0.0
        for part in range(3):
            for first in range(rows_of[m], rows_of[m + 1], rows_a_box):
                stop = min(first + rows_a_box, rows_of[m + 1])
                low[:], high[:] = math.inf, -math.inf
                alow[:], ahigh[:] = math.inf, -math.inf
                arm, ulow, uhigh = 0.0, math.inf, -math.inf
                # The next row belongs to both boxes: what is between two moments is in one.
                for r in range(first, min(stop + 1, rows_of[m + 1])):
                    k = row_ends[r]
                    for tied in range(2):
                        which = 0 if tied == 0 else part
                        w, p = weights[r, which], print_start[m] + between[r, which, 0]
                        q = print_start[m] + between[r, which, 1]
                        ax = (1.0 - w) * places[p, 0] + w * places[q, 0]
                        az = (1.0 - w) * places[p, 2] + w * places[q, 2]
                        at[tied, 0], at[tied, 1] = ax, az
                        alow[0], ahigh[0] = min(alow[0], ax), max(ahigh[0], ax)
                        alow[1], ahigh[1] = min(alow[1], az), max(ahigh[1], az)
                        u = _along(which, r, print_start[m], between, weights, share)
                        ulow, uhigh = min(ulow, u), max(uhigh, u)
                    for b in range(part_start[part], part_start[part + 1]):
                        for e in range(2):
                            px, py, pz = ends[k, b, e, 0], ends[k, b, e, 1], ends[k, b, e, 2]
                            x, y, z = px - origin[m, 0], py - origin[m, 1], pz - origin[m, 2]
                            qx, qz = c * x - s * z, s * x + c * z
                            for i, q in enumerate((qx, y, qz)):
                                low[i] = min(low[i], q - radii[b])
                                high[i] = max(high[i], q + radii[b])
                            for tied in range(2):
                                if (ties[b, e] > 0.0) if tied == 0 else (ties[b, e] < 1.0):
                                    dx, dz = qx - at[tied, 0], qz - at[tied, 1]
                                    arm = max(arm, math.sqrt(dx * dx + dz * dz))
                for i in range(3):
                    wlow[i], whigh[i] = min(wlow[i], low[i]), max(whigh[i], high[i])
                for i in range(2):
                    walow[i], wahigh[i] = min(walow[i], alow[i]), max(wahigh[i], ahigh[i])
                warm = max(warm, arm)
                rows = first, min(stop + 1, rows_of[m + 1])
                _put_box(boxes[n], low, high, alow, ahigh, arm, ulow, uhigh, part, rows)
                n += 1
        beside = 0.0
        for p in range(print_start[m], print_start[m + 1]):
            if share[p] == 0.0 or share[p] == 1.0:
                root = print_start[m] if share[p] == 0.0 else print_start[m + 1] - 1
                dx, dz = places[p, 0] - places[root, 0], places[p, 2] - places[root, 2]
                beside = max(beside, math.sqrt(dx * dx + dz * dz))
        boxes[box_of[m] : box_of[m + 1], BESIDE] = beside
        rows = rows_of[m], rows_of[m + 1]
        _put_box(boxes[box_of[m]], wlow, whigh, walow, wahigh, warm, 0.0, 1.0, -1, rows)
        reach[m] = max(-wlow[0], -wlow[2], whigh[0], whigh[2])


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
def _core_is_free(a, laid, delta, m, moves, rise, table, hit, hits, memory):  # type: ignore[no-untyped-def]
    """Whether the pelvis, as a ball, is in no primitive, looked at now and then."""
    sweep, places, segment, prints = moves[14], memory[0], memory[1], memory[3]
    rows_of, row_ends, anchors = sweep[0], sweep[3], sweep[5]
    for r in range(rows_of[m] + 1, rows_of[m + 1], 3):
        _lay_part(0, r, a, laid, delta, m, moves, rise, prints, places[0])
        _take(places[0], anchors[row_ends[r], 0], segment[0], 0)
        x, y, z = segment[0, 0], segment[0, 1], segment[0, 2]
        for h in range(hits):
            b = hit[h]
            if (
                table[b, LOW + 1] <= y <= table[b, HIGH + 1]
                and is_upright(table, b)
                and plane_distance(table, b, x, z) < sweep[13]
            ):
                return False
    return True


@inner_kernel
def _lay_part(part, r, a, laid, delta, m, moves, rise, prints, out):  # type: ignore[no-untyped-def]
    """How a part of the body goes to where it is in a row: with the footprints it is between.

    Writes cos and sin of how it is turned, a place in the clip, and where that comes to be.
    """
    sweep, first, places, share = moves[14], moves[5][m], moves[6], moves[8]
    origin, bearing, between, weights = sweep[1], sweep[2], sweep[7], sweep[8]
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
def _rows_are_free(n, a, laid, delta, m, moves, rise, table, hit, hits, memory):  # type: ignore[no-untyped-def]
    """Whether no capsule of a box's part and rows touches any of the primitives."""
    sweep, boxes = moves[14], moves[10]
    row_ends, ends, anchors, ties, radii, part_start, soft, extents = (
        sweep[3], sweep[4], sweep[5], sweep[6], sweep[9], sweep[10], sweep[11], sweep[12],
    )  # fmt: skip
    places, segment, work, prints = memory
    part = int(boxes[n, PART])
    for r in range(int(boxes[n, FIRST_ROW]), int(boxes[n, STOP_ROW])):
        k = row_ends[r]
        _lay_part(0, r, a, laid, delta, m, moves, rise, prints, places[0])
        if part > 0:
            _lay_part(part, r, a, laid, delta, m, moves, rise, prints, places[1])
        else:
            _take(places[0], anchors[k, 0], segment[0], 0)
        close, x, z = 0, segment[0, 0], segment[0, 2]
        for h in range(hits):
            if part > 0 or plane_distance(table, hit[h], x, z) <= extents[k]:
                hit[hits + close] = hit[h]
                close += 1
        if close == 0:
            continue
        for b in range(part_start[part], part_start[part + 1]):
            _lay_capsule(ends[k, b], ties[b], places, segment)
            for h in range(hits, hits + close):
                if _touches(table, hit[h], segment[0], radii[b], soft[b], work):
                    return False
    return True


@inner_kernel
def _lay_capsule(ends, ties, places, segment):  # type: ignore[no-untyped-def]
    """Write where the axis of a capsule comes to be."""
    for e in range(2):
        w = ties[e]
        if w > 0.0:
            _take(places[0], ends[e], segment[0], 3 * e)
        if w < 1.0:
            _take(places[1], ends[e], segment[1], 3 * e)
            for i in range(3 * e, 3 * e + 3):
                both = w * segment[0, i] + (1.0 - w) * segment[1, i]
                segment[0, i] = both if w > 0.0 else segment[1, i]


@inner_kernel
def is_swept_free(a, laid, m, top, moves, rise, table, near, count, memory, hit):  # type: ignore[no-untyped-def]
    """Whether no part of a body touches a solid primitive in a laid move.

    top          what can be stood on and is no higher is stepped on, not walked into
    rise         (P,) how much higher than in the clip its footprints are
    near, count  the solid primitives that are near enough
    hit          (2, 2 B) memory for those that a box meets
    """
    box_start, boxes = moves[9], moves[10]
    first = box_start[m]
    c, s = math.cos(laid[BEARING]), math.sin(laid[BEARING])
    delta = laid[BEARING] - moves[14][2][m]
    off = max(abs(laid[FIRST_OFF]), abs(laid[LAST_OFF]))
    swing, stretch = 2.0 * math.sin(0.5 * off), laid[SCALE] - 1.0
    rest = math.sqrt(laid[REST_X] ** 2 + laid[REST_Z] ** 2)
    lowest, highest = 0.0, 0.0
    for n in range(moves[5][m + 1] - moves[5][m]):
        lowest, highest = min(lowest, rise[n]), max(highest, rise[n])
    listed = count
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
            b = near[i] if n == first else hit[0, i]
            if table[b, WALKABLE] != 0.0 and table[b, HIGH + 1] <= top:
                continue
            if _meets(table, b, px, pz, c, s, hx, hz, low, high):
                hit[into, hits] = b
                hits += 1
        if n == first:
            if hits == 0:
                return True
            listed = hits
            if not _core_is_free(a, laid, delta, m, moves, rise, table, hit[0], hits, memory):
                return False
        elif hits and not _rows_are_free(
            n, a, laid, delta, m, moves, rise, table, hit[1], hits, memory
        ):
            return False
    return True
