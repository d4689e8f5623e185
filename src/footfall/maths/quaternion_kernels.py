"""Compiled products and rotations of quaternions, row by row. Import lazily: it brings in numba.

A factor with fewer rows than the result begins again with its first row after its last.
"""

from __future__ import annotations

from footfall.maths.jit_kernels import lean_kernel


@lean_kernel
def multiply_rows(a, b, out):  # type: ignore[no-untyped-def]
    """Fill `out` (N, 4) with the products of quaternions."""
    i = j = 0
    for n in range(len(out)):
        aw, ax, ay, az = a[i, 0], a[i, 1], a[i, 2], a[i, 3]
        bw, bx, by, bz = b[j, 0], b[j, 1], b[j, 2], b[j, 3]
        out[n, 0] = aw * bw - ax * bx - ay * by - az * bz
        out[n, 1] = aw * bx + ax * bw + ay * bz - az * by
        out[n, 2] = aw * by - ax * bz + ay * bw + az * bx
        out[n, 3] = aw * bz + ax * by - ay * bx + az * bw
        i, j = i + 1, j + 1
        i, j = 0 if i == len(a) else i, 0 if j == len(b) else j


@lean_kernel
def rotate_rows(q, v, out):  # type: ignore[no-untyped-def]
    """Fill `out` (N, 3) with vectors turned by quaternions."""
    i = j = 0
    for n in range(len(out)):
        w, x, y, z = q[i, 0], q[i, 1], q[i, 2], q[i, 3]
        vx, vy, vz = v[j, 0], v[j, 1], v[j, 2]
        tx, ty, tz = 2.0 * (y * vz - z * vy), 2.0 * (z * vx - x * vz), 2.0 * (x * vy - y * vx)
        out[n, 0] = vx + w * tx + y * tz - z * ty
        out[n, 1] = vy + w * ty + z * tx - x * tz
        out[n, 2] = vz + w * tz + x * ty - y * tx
        i, j = i + 1, j + 1
        i, j = 0 if i == len(q) else i, 0 if j == len(v) else j
