"""Compiled evaluation of height fields. Import this module lazily: it brings in numba.

A ground is the tuple (kind, level, x0, z0, size_x, size_z, heights, patches, weights) that
`footfall.world.ground.pack_ground` makes.
"""

from __future__ import annotations

import math

import numba
import numpy as np

_jit = numba.njit(cache=True, nogil=True, error_model="numpy")


@_jit
def _bicubic(c, s, r):  # type: ignore[no-untyped-def]
    """Value and both slopes of sum c[p, q] s^p r^q, by Horner's rule."""
    a0 = c[0, 0] + r * (c[0, 1] + r * (c[0, 2] + r * c[0, 3]))
    a1 = c[1, 0] + r * (c[1, 1] + r * (c[1, 2] + r * c[1, 3]))
    a2 = c[2, 0] + r * (c[2, 1] + r * (c[2, 2] + r * c[2, 3]))
    a3 = c[3, 0] + r * (c[3, 1] + r * (c[3, 2] + r * c[3, 3]))
    d0 = c[0, 1] + r * (2.0 * c[0, 2] + 3.0 * r * c[0, 3])
    d1 = c[1, 1] + r * (2.0 * c[1, 2] + 3.0 * r * c[1, 3])
    d2 = c[2, 1] + r * (2.0 * c[2, 2] + 3.0 * r * c[2, 3])
    d3 = c[3, 1] + r * (2.0 * c[3, 2] + 3.0 * r * c[3, 3])
    value = a0 + s * (a1 + s * (a2 + s * a3))
    along_s = a1 + s * (2.0 * a2 + 3.0 * s * a3)
    along_r = d0 + s * (d1 + s * (d2 + s * d3))
    return value, along_s, along_r


@_jit
def _bicubic_value(c, s, r):  # type: ignore[no-untyped-def]
    a0 = c[0, 0] + r * (c[0, 1] + r * (c[0, 2] + r * c[0, 3]))
    a1 = c[1, 0] + r * (c[1, 1] + r * (c[1, 2] + r * c[1, 3]))
    a2 = c[2, 0] + r * (c[2, 1] + r * (c[2, 2] + r * c[2, 3]))
    a3 = c[3, 0] + r * (c[3, 1] + r * (c[3, 2] + r * c[3, 3]))
    return a0 + s * (a1 + s * (a2 + s * a3))


@_jit
def field_height(ground, x, z):  # type: ignore[no-untyped-def]
    """Height at (x, z); NaN where there is no ground."""
    kind, level, x0, z0, size_x, size_z, heights, patches, weights = ground
    if kind == 0:
        return level if math.isfinite(x + z) else math.nan
    u, v = x - x0, z - z0
    if kind == 3 or not (u >= 0.0 and v >= 0.0 and u <= size_x and v <= size_z):
        return math.nan
    if kind == 1:
        nz, nx = heights.shape[0] - 1, heights.shape[1] - 1
        u, v = u * nx / size_x, v * nz / size_z
        i, j = min(int(u), nx - 1), min(int(v), nz - 1)
        s, r = u - i, v - j
        low = heights[j, i] + s * (heights[j, i + 1] - heights[j, i])
        high = heights[j + 1, i] + s * (heights[j + 1, i + 1] - heights[j + 1, i])
        return low + r * (high - low)
    mz, mx = patches.shape[0], patches.shape[1]
    u, v = u * mx / size_x, v * mz / size_z
    i, j = min(int(u), mx - 1), min(int(v), mz - 1)
    value = _bicubic_value(patches[j, i], u - i, v - j)
    if weights.shape[0]:
        value /= _bicubic_value(weights[j, i], u - i, v - j)
    return value


@_jit
def field_slope(ground, x, z):  # type: ignore[no-untyped-def]
    """Height and its slopes dy/dx, dy/dz at (x, z); NaN where there is no ground."""
    kind, level, x0, z0, size_x, size_z, heights, patches, weights = ground
    if kind == 0:
        return (level if math.isfinite(x + z) else math.nan), 0.0, 0.0
    u, v = x - x0, z - z0
    if kind == 3 or not (u >= 0.0 and v >= 0.0 and u <= size_x and v <= size_z):
        return math.nan, math.nan, math.nan
    if kind == 1:
        nz, nx = heights.shape[0] - 1, heights.shape[1] - 1
        kx, kz = nx / size_x, nz / size_z
        u, v = u * kx, v * kz
        i, j = min(int(u), nx - 1), min(int(v), nz - 1)
        s, r = u - i, v - j
        a, b = heights[j, i], heights[j, i + 1]
        c, d = heights[j + 1, i], heights[j + 1, i + 1]
        value = (a + s * (b - a)) * (1.0 - r) + (c + s * (d - c)) * r
        return value, ((b - a) * (1.0 - r) + (d - c) * r) * kx, (c - a + s * (d - c - b + a)) * kz
    mz, mx = patches.shape[0], patches.shape[1]
    kx, kz = mx / size_x, mz / size_z
    u, v = u * kx, v * kz
    i, j = min(int(u), mx - 1), min(int(v), mz - 1)
    value, gx, gz = _bicubic(patches[j, i], u - i, v - j)
    if weights.shape[0]:
        w, wx, wz = _bicubic(weights[j, i], u - i, v - j)
        value /= w
        gx, gz = (gx - value * wx) / w, (gz - value * wz) / w
    return value, gx * kx, gz * kz


@_jit
def field_heights(ground, points, out):  # type: ignore[no-untyped-def]
    """Fill heights (N,) at points (N, 2)."""
    for n in range(points.shape[0]):
        out[n] = field_height(ground, points[n, 0], points[n, 1])


@_jit
def field_normals(ground, points, out):  # type: ignore[no-untyped-def]
    """Fill unit normals (N, 3) at points (N, 2): n is along (-dy/dx, 1, -dy/dz)."""
    for n in range(points.shape[0]):
        value, gx, gz = field_slope(ground, points[n, 0], points[n, 1])
        k = 1.0 / math.sqrt(1.0 + gx * gx + gz * gz) if value == value else np.nan
        out[n, 0], out[n, 1], out[n, 2] = -gx * k, k, -gz * k
