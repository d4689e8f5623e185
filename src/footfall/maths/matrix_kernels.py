"""Rotation matrices as rows of nine numbers, for kernels. Import lazily: it brings in numba."""

from __future__ import annotations

from footfall.maths.jit_kernels import inner_kernel


@inner_kernel
def matrix(q):  # type: ignore[no-untyped-def]
    """The nine numbers of a unit quaternion's matrix, row by row."""
    x, y, z = 2.0 * q[1], 2.0 * q[2], 2.0 * q[3]
    xx, yy, zz = x * q[1], y * q[2], z * q[3]
    xy, xz, yz = x * q[2], x * q[3], y * q[3]
    wx, wy, wz = x * q[0], y * q[0], z * q[0]
    return (
        1.0 - yy - zz, xy - wz, xz + wy,
        xy + wz, 1.0 - xx - zz, yz - wx,
        xz - wy, yz + wx, 1.0 - xx - yy,
    )  # fmt: skip


@inner_kernel
def turn(rows, k, v):  # type: ignore[no-untyped-def]
    """The matrix in row k of an (n, 9) array, times v."""
    return (
        rows[k, 0] * v[0] + rows[k, 1] * v[1] + rows[k, 2] * v[2],
        rows[k, 3] * v[0] + rows[k, 4] * v[1] + rows[k, 5] * v[2],
        rows[k, 6] * v[0] + rows[k, 7] * v[1] + rows[k, 8] * v[2],
    )


@inner_kernel
def unturn(rows, k, v):  # type: ignore[no-untyped-def]
    """The inverse of the matrix in row k of an (n, 9) array, times v."""
    return (
        rows[k, 0] * v[0] + rows[k, 3] * v[1] + rows[k, 6] * v[2],
        rows[k, 1] * v[0] + rows[k, 4] * v[1] + rows[k, 7] * v[2],
        rows[k, 2] * v[0] + rows[k, 5] * v[1] + rows[k, 8] * v[2],
    )


@inner_kernel
def compose(above, p, rows, k):  # type: ignore[no-untyped-def]
    """Row p of `above` times row k of `rows`: the nine numbers of the product."""
    one = turn(above, p, (rows[k, 0], rows[k, 3], rows[k, 6]))
    two = turn(above, p, (rows[k, 1], rows[k, 4], rows[k, 7]))
    three = turn(above, p, (rows[k, 2], rows[k, 5], rows[k, 8]))
    return (
        one[0], two[0], three[0], one[1], two[1], three[1], one[2], two[2], three[2],
    )  # fmt: skip
