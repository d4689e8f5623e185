"""Rotation matrices as nine numbers, row by row, for kernels. Import lazily: it brings in numba."""

from __future__ import annotations

from footfall.maths.jit_kernels import inner_kernel


@inner_kernel
def matrix(q):  # type: ignore[no-untyped-def]
    """The nine numbers of a unit quaternion's matrix."""
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
def turn(m, v):  # type: ignore[no-untyped-def]
    """The matrix m times v."""
    return (
        m[0] * v[0] + m[1] * v[1] + m[2] * v[2],
        m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
        m[6] * v[0] + m[7] * v[1] + m[8] * v[2],
    )


@inner_kernel
def unturn(m, v):  # type: ignore[no-untyped-def]
    """The inverse of the rotation m times v."""
    return (
        m[0] * v[0] + m[3] * v[1] + m[6] * v[2],
        m[1] * v[0] + m[4] * v[1] + m[7] * v[2],
        m[2] * v[0] + m[5] * v[1] + m[8] * v[2],
    )


@inner_kernel
def compose(a, b):  # type: ignore[no-untyped-def]
    """The nine numbers of the product a b."""
    one = turn(a, (b[0], b[3], b[6]))
    two = turn(a, (b[1], b[4], b[7]))
    three = turn(a, (b[2], b[5], b[8]))
    return (
        one[0], two[0], three[0], one[1], two[1], three[1], one[2], two[2], three[2],
    )  # fmt: skip
