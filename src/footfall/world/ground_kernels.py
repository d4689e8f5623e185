"""Compiled evaluation of height fields. Import this module lazily: it brings in numba.

A ground is two arrays, made by `footfall.world.ground.pack_ground`:

* meta  (11,) kind, level, x0, z0, size_x, size_z, columns, rows, where the weights begin (or
  -1), and the cells per metre along x and z
* data  heights row by row (grid), or 16 coefficients for each patch, row by row (spline)
"""

from __future__ import annotations

import math

import numpy as np

from footfall.maths.jit_kernels import lean_kernel

FLAT, GRID, NONE = 0.0, 1.0, 3.0


@lean_kernel
def _bicubic_value(c, k, s, r):  # type: ignore[no-untyped-def]
    """sum c[k + 4 p + q] s^p r^q, by Horner's rule."""
    a0 = c[k] + r * (c[k + 1] + r * (c[k + 2] + r * c[k + 3]))
    a1 = c[k + 4] + r * (c[k + 5] + r * (c[k + 6] + r * c[k + 7]))
    a2 = c[k + 8] + r * (c[k + 9] + r * (c[k + 10] + r * c[k + 11]))
    a3 = c[k + 12] + r * (c[k + 13] + r * (c[k + 14] + r * c[k + 15]))
    return a0 + s * (a1 + s * (a2 + s * a3))


@lean_kernel
def _bicubic(c, k, s, r):  # type: ignore[no-untyped-def]
    """The same with its slopes along s and r."""
    a1 = c[k + 4] + r * (c[k + 5] + r * (c[k + 6] + r * c[k + 7]))
    a2 = c[k + 8] + r * (c[k + 9] + r * (c[k + 10] + r * c[k + 11]))
    a3 = c[k + 12] + r * (c[k + 13] + r * (c[k + 14] + r * c[k + 15]))
    d0 = c[k + 1] + r * (2.0 * c[k + 2] + 3.0 * r * c[k + 3])
    d1 = c[k + 5] + r * (2.0 * c[k + 6] + 3.0 * r * c[k + 7])
    d2 = c[k + 9] + r * (2.0 * c[k + 10] + 3.0 * r * c[k + 11])
    d3 = c[k + 13] + r * (2.0 * c[k + 14] + 3.0 * r * c[k + 15])
    along_s = a1 + s * (2.0 * a2 + 3.0 * s * a3)
    return _bicubic_value(c, k, s, r), along_s, d0 + s * (d1 + s * (d2 + s * d3))


@lean_kernel
def field_slope(meta, data, x, z):  # type: ignore[no-untyped-def]
    """Height and its slopes dy/dx, dy/dz at (x, z); NaN where there is no ground."""
    kind = meta[0]
    if kind == FLAT:
        return (meta[1] if math.isfinite(x + z) else math.nan), 0.0, 0.0
    u, v = x - meta[2], z - meta[3]
    if kind == NONE or not (u >= 0.0 and v >= 0.0 and u <= meta[4] and v <= meta[5]):
        return math.nan, math.nan, math.nan
    nx, nz = int(meta[6]), int(meta[7])
    u, v = u * meta[9], v * meta[10]
    i, j = min(int(u), nx - 1), min(int(v), nz - 1)
    s, r = u - i, v - j
    if kind == GRID:
        k = j * (nx + 1) + i
        a, b, c, d = data[k], data[k + 1], data[k + nx + 1], data[k + nx + 2]
        value = (a + s * (b - a)) * (1.0 - r) + (c + s * (d - c)) * r
        gx, gz = (b - a) * (1.0 - r) + (d - c) * r, c - a + s * (d - c - b + a)
        return value, gx * meta[9], gz * meta[10]
    k = 16 * (j * nx + i)
    value, gx, gz = _bicubic(data, k, s, r)
    if meta[8] >= 0.0:
        w, wx, wz = _bicubic(data, k + int(meta[8]), s, r)
        value /= w
        gx, gz = (gx - value * wx) / w, (gz - value * wz) / w
    return value, gx * meta[9], gz * meta[10]


@lean_kernel
def field_heights(meta, data, at, out):  # type: ignore[no-untyped-def]
    """Fill heights (N,) at points (N, 2); NaN where there is no ground.

    All in one loop, because a call that is handed arrays costs more than the evaluation.
    """
    kind, level, x0, z0, width, depth = meta[0], meta[1], meta[2], meta[3], meta[4], meta[5]
    nx, nz, weights, kx, kz = int(meta[6]), int(meta[7]), int(meta[8]), meta[9], meta[10]
    for n in range(at.shape[0]):
        u, v = at[n, 0] - x0, at[n, 1] - z0
        if kind == FLAT:
            out[n] = level if math.isfinite(u + v) else math.nan
            continue
        if kind == NONE or not (u >= 0.0 and v >= 0.0 and u <= width and v <= depth):
            out[n] = math.nan
            continue
        u, v = u * kx, v * kz
        i, j = min(int(u), nx - 1), min(int(v), nz - 1)
        s, r = u - i, v - j
        if kind == GRID:
            k = j * (nx + 1) + i
            low = data[k] + s * (data[k + 1] - data[k])
            high = data[k + nx + 1] + s * (data[k + nx + 2] - data[k + nx + 1])
            out[n] = low + r * (high - low)
            continue
        k = 16 * (j * nx + i)
        out[n] = _bicubic_value(data, k, s, r)
        if weights >= 0:
            out[n] /= _bicubic_value(data, k + weights, s, r)


@lean_kernel
def field_normals(meta, data, points, out):  # type: ignore[no-untyped-def]
    """Fill unit normals (N, 3) at points (N, 2): n is along (-dy/dx, 1, -dy/dz)."""
    for n in range(points.shape[0]):
        value, gx, gz = field_slope(meta, data, points[n, 0], points[n, 1])
        k = 1.0 / math.sqrt(1.0 + gx * gx + gz * gz) if value == value else np.nan
        out[n, 0], out[n, 1], out[n, 2] = -gx * k, k, -gz * k
