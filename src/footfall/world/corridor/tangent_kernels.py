"""Compiled geometry of straight stretches tangent to corners. Import lazily: brings in numba.

`corners` (V, 6) holds x, z and the unit normals `a` and `b`: a body that touches the corner has
its centre in a direction between a and b, anticlockwise from a.
"""

from __future__ import annotations

import math

from footfall.maths.jit_kernels import lean_kernel
from footfall.world.corridor.build_kernels import crosses, point_to_edge

TOLERANCE = 1e-7
"""Clearance (m) that rounding may cost."""
ANGLE = 1e-7
BINS = 512
_MARGIN = 1e-3


@lean_kernel
def in_cone(corners, v, x, z):  # type: ignore[no-untyped-def]
    """Whether the unit direction (x, z) is one in which a body can touch corner v."""
    ax, az, bx, bz = corners[v, 2], corners[v, 3], corners[v, 4], corners[v, 5]
    return (
        ax * z - az * x >= -ANGLE
        and x * bz - z * bx >= -ANGLE
        and x * (ax + bx) + z * (az + bz) > 0.0
    )


@lean_kernel
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


@lean_kernel
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


@lean_kernel
def _may_touch(corners, v, dx, dz, slack):  # type: ignore[no-untyped-def]
    """Whether a stretch along (dx, dz) or against it can be tangent at v; `slack` is two radii."""
    ahead = corners[v, 2] * dx + corners[v, 3] * dz
    behind = -corners[v, 4] * dx - corners[v, 5] * dz
    return (ahead >= -slack and behind >= -slack) or (ahead <= slack and behind <= slack)


@lean_kernel
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


@lean_kernel
def diamond(dx, dz):  # type: ignore[no-untyped-def]
    """A number in [0, 4) that grows with the angle of (dx, dz), without a call of atan2."""
    size = abs(dx) + abs(dz)
    if dz >= 0.0:
        return dz / size if dx >= 0.0 else 1.0 - dx / size
    return 2.0 - dz / size if dx < 0.0 else 3.0 + dx / size


@lean_kernel
def _ray_depth(k, scale, ax, az, ux, uz, area):  # type: ignore[no-untyped-def]
    """How far away the line through a along u is in the direction where bin k begins."""
    p = (k % BINS) / scale
    q = p - math.floor(p)
    dx, dz = 1.0 - q, q
    if 1.0 <= p < 2.0:
        dx, dz = -q, 1.0 - q
    elif 2.0 <= p < 3.0:
        dx, dz = q - 1.0, -q
    elif p >= 3.0:
        dx, dz = q, q - 1.0
    return area * math.sqrt(dx * dx + dz * dz) / (dx * uz - dz * ux)


@lean_kernel
def _shade(x, z, segments, s, depths):  # type: ignore[no-untyped-def]
    """Lower the depths (BINS,) of directions that edge s closes off, seen from (x, z)."""
    ax, az, bx, bz = segments[s, 0] - x, segments[s, 1] - z, segments[s, 2] - x, segments[s, 3] - z
    area = ax * bz - az * bx
    if area < 0.0:
        ax, az, bx, bz, area = bx, bz, ax, az, -area
    # Edges that end at the point, or are seen end on, close nothing.
    if min(ax * ax + az * az, bx * bx + bz * bz) < 1e-6 or area < 1e-9:
        return
    scale = 0.25 * BINS
    first, last = scale * diamond(ax, az), scale * diamond(bx, bz)
    if last < first:
        last += BINS
    k = math.ceil(first + _MARGIN)
    if k + 1 > last - _MARGIN:
        return
    before = _ray_depth(k, scale, ax, az, bx - ax, bz - az, area)
    while k + 1 <= last - _MARGIN:
        after = _ray_depth(k + 1, scale, ax, az, bx - ax, bz - az, area)
        b = k % BINS
        depths[b] = min(depths[b], max(before, after))  # it is furthest at one side of the bin
        before = after
        k += 1


@lean_kernel
def shade_from(x, z, effort, segments, frame, shape, starts, items, depths):  # type: ignore[no-untyped-def]
    """Fill how far one can see at most from (x, z), for each of BINS directions: (BINS,) metres.

    Only about `effort` cells and edges near the point are looked at, so a depth may be too
    large, never too small.
    """
    depths[:] = math.inf
    columns, rows = shape[0], shape[1]
    ci = min(columns - 1, max(0, int((x - frame[0]) / frame[2])))
    cj = min(rows - 1, max(0, int((z - frame[1]) / frame[2])))
    ring = 0
    while effort > 0 and ring < max(columns, rows):
        for j in range(max(0, cj - ring), min(rows - 1, cj + ring) + 1):
            step = 1 if abs(j - cj) == ring or ring == 0 else 2 * ring
            for i in range(ci - ring, ci + ring + 1, step):
                if 0 <= i < columns:
                    cell = j * columns + i
                    effort -= 1
                    for k in range(starts[cell], starts[cell + 1]):
                        _shade(x, z, segments, items[k], depths)
                        effort -= 16
        ring += 1


@lean_kernel
def see_corners(v, corners, widest, depths, found, segments, frame, shape, starts, items):  # type: ignore[no-untyped-def]
    """List the stretches from corner v that some disc can pass, in `found` (4V, 2): to, sides.

    How many there are. It is a superset for every radius up to `widest`: a stretch that is clear
    for a disc covers the straight line between its two corners. Sides are 2i + j for side i at v
    and j at the other (0: +1, 1: -1). `depths` (BINS,) is memory to work in.
    """
    count = 0
    slack = 2.0 * widest + 1e-6
    vx, vz = corners[v, 0], corners[v, 1]
    shade_from(vx, vz, corners.shape[0] // 4, segments, frame, shape, starts, items, depths)
    for w in range(corners.shape[0]):
        dx, dz = corners[w, 0] - vx, corners[w, 1] - vz
        if not _may_touch(corners, v, dx, dz, slack):
            continue
        square = dx * dx + dz * dz
        if square < 1e-18:
            continue
        depth = depths[int(0.25 * BINS * diamond(dx, dz)) % BINS] + 1e-6
        if square > depth * depth or not _may_touch(corners, w, dx, dz, slack):
            continue
        distance = math.sqrt(square)
        mask = _tangent_sides(corners, v, w, dx / distance, dz / distance, distance, widest)
        if mask == 0 or crosses(
            vx, vz, corners[w, 0], corners[w, 1], segments, frame, shape, starts, items
        ):
            continue
        for sides in range(4):
            if (mask >> sides) & 1:
                found[count, 0], found[count, 1] = w, sides
                count += 1
    return count


@lean_kernel
def arc_is_clear(  # type: ignore[no-untyped-def]
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


@lean_kernel
def cone_angle(corners, v, side, mx, mz):  # type: ignore[no-untyped-def]
    """Angle of direction m from the middle of corner v's cone, counted the way the arc turns."""
    cx, cz = corners[v, 2] + corners[v, 4], corners[v, 3] + corners[v, 5]
    return side * math.atan2(cx * mz - cz * mx, cx * mx + cz * mz)
