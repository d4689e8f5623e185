"""Compiled outlines, seen from above, of the parts of shapes between two heights.

Import lazily: it brings in numba. Shapes are rows of a table, see `shape_kernels`.
"""

from __future__ import annotations

import math

from footfall.maths.jit_kernels import lean_kernel
from footfall.world.collision.shape_kernels import C, F, H


@lean_kernel
def box_slab_points(t, b, low, high, out):  # type: ignore[no-untyped-def]
    """Corners, seen from above, of the part of a box between two heights; how many there are.

    out  (56, 2) scratch: up to 8 corners and two cuts for each of the 12 edges
    """
    n = 0
    for corner in range(8):
        sx = t[b, H] if corner & 1 else -t[b, H]
        sy = t[b, H + 1] if corner & 2 else -t[b, H + 1]
        sz = t[b, H + 2] if corner & 4 else -t[b, H + 2]
        x = t[b, C] + t[b, F] * sx + t[b, F + 1] * sy + t[b, F + 2] * sz
        y = t[b, C + 1] + t[b, F + 3] * sx + t[b, F + 4] * sy + t[b, F + 5] * sz
        z = t[b, C + 2] + t[b, F + 6] * sx + t[b, F + 7] * sy + t[b, F + 8] * sz
        if low <= y <= high:
            out[n, 0], out[n, 1] = x, z
            n += 1
        for axis in range(3):
            if not corner & (1 << axis):
                k, f = 2.0 * t[b, H + axis], F + axis
                rise = k * t[b, f + 3]
                for level in (low, high):  # where the edge passes a height
                    if (y < level) != (y + rise < level):
                        w = (level - y) / rise
                        out[n, 0], out[n, 1] = x + w * k * t[b, f], z + w * k * t[b, f + 6]
                        n += 1
    return n


@lean_kernel
def triangle_slab_points(t, b, low, high, out):  # type: ignore[no-untyped-def]
    """The same for a triangle."""
    n = 0
    for k in range(3):
        p, q = F + 3 * k, F + 3 * ((k + 1) % 3)
        if low <= t[b, p + 1] <= high:
            out[n, 0], out[n, 1] = t[b, p], t[b, p + 2]
            n += 1
        for level in (low, high):
            if (t[b, p + 1] < level) != (t[b, q + 1] < level):
                w = (level - t[b, p + 1]) / (t[b, q + 1] - t[b, p + 1])
                out[n, 0] = t[b, p] + w * (t[b, q] - t[b, p])
                out[n, 1] = t[b, p + 2] + w * (t[b, q + 2] - t[b, p + 2])
                n += 1
    return n


@lean_kernel
def hull_distance(points, n, x, z):  # type: ignore[no-untyped-def]
    """Signed distance of (x, z) from the convex hull of points[:n]; infinite for none.

    The hull is walked by gift wrapping, each side looked at as it is found.
    """
    if n == 0:
        return math.inf
    first = 0
    for i in range(1, n):
        if points[i, 0] < points[first, 0] or (
            points[i, 0] == points[first, 0] and points[i, 1] < points[first, 1]
        ):
            first = i
    inside, best = True, math.inf
    a = first
    for _ in range(n + 1):
        b = first if a != first else (first + 1) % n
        for i in range(n):
            ux, uz = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1]
            vx, vz = points[i, 0] - points[a, 0], points[i, 1] - points[a, 1]
            turn = ux * vz - uz * vx
            if turn < 0.0 or (turn == 0.0 and vx * vx + vz * vz > ux * ux + uz * uz):
                b = i
        ux, uz = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1]
        px, pz = x - points[a, 0], z - points[a, 1]
        if ux * pz - uz * px <= 0.0:
            inside = False
        k = ux * ux + uz * uz
        w = min(max((px * ux + pz * uz) / k, 0.0), 1.0) if k > 0.0 else 0.0
        best = min(best, math.hypot(px - w * ux, pz - w * uz))
        a = b
        if a == first or k == 0.0:
            break
    return -best if inside else best
