"""Compiled bending of a path sideways. Import this module lazily: it brings in numba."""

from __future__ import annotations

import numba
import numpy as np

_jit = numba.njit(cache=True, nogil=True, fastmath=False, error_model="numpy")


@_jit
def _elastic_rows(base, normals, bend, stay, spacing, rows, right):  # type: ignore[no-untyped-def]
    """Add up the banded normal equations of an elastic rod under tension: rows (N, 3), right (N,).

    rows[i] are the entries (i, i), (i, i + 1), (i, i + 2). With p = base + t * normal the energy
    is the sum of bend / h^3 * |second difference|^2 + 1 / h * |first difference|^2 + h * stay * t^2.
    """
    count = base.shape[0]
    rows[:] = 0.0
    right[:] = 0.0
    sizes, c = np.array([1.0, -2.0, 1.0]), np.empty(2)
    for i in range(count - 1):
        weight = 1.0 / spacing
        for j in range(2):
            c[j] = base[i + 1, j] - base[i, j]
        dot = normals[i, 0] * normals[i + 1, 0] + normals[i, 1] * normals[i + 1, 1]
        rows[i, 0] += weight
        rows[i + 1, 0] += weight
        rows[i, 1] -= weight * dot
        right[i] += weight * (c[0] * normals[i, 0] + c[1] * normals[i, 1])
        right[i + 1] -= weight * (c[0] * normals[i + 1, 0] + c[1] * normals[i + 1, 1])
        rows[i, 0] += spacing * stay
    for i in range(1, count - 1):
        weight = bend[i] / spacing**3
        for j in range(2):
            c[j] = base[i - 1, j] - 2.0 * base[i, j] + base[i + 1, j]
        for a in range(3):
            p = i - 1 + a
            right[p] -= weight * sizes[a] * (c[0] * normals[p, 0] + c[1] * normals[p, 1])
            for b in range(a, 3):
                q = i - 1 + b
                dot = normals[p, 0] * normals[q, 0] + normals[p, 1] * normals[q, 1]
                rows[p, b - a] += weight * sizes[a] * sizes[b] * dot


@_jit
def _solve_banded(rows, right, out):  # type: ignore[no-untyped-def]
    """Solve a symmetric positive definite system of half bandwidth two by L D L^T, in place."""
    count = rows.shape[0]
    for i in range(count):
        d = rows[i, 0]
        l1 = rows[i, 1] / d
        l2 = rows[i, 2] / d
        if i + 1 < count:
            rows[i + 1, 0] -= l1 * rows[i, 1]
            rows[i + 1, 1] -= l1 * rows[i, 2]
            right[i + 1] -= l1 * right[i]
        if i + 2 < count:
            rows[i + 2, 0] -= l2 * rows[i, 2]
            right[i + 2] -= l2 * right[i]
        rows[i, 1], rows[i, 2] = l1, l2
    for i in range(count - 1, -1, -1):
        value = right[i] / rows[i, 0]
        if i + 1 < count:
            value -= rows[i, 1] * out[i + 1]
        if i + 2 < count:
            value -= rows[i, 2] * out[i + 2]
        out[i] = value


@_jit
def bend_sideways(base, normals, bend, stay, hard, soft, stiffness, spacing, out):  # type: ignore[no-untyped-def]
    """Offsets `out` (N,) along normals (N, 2) that make base (N, 2) smooth; both ends stay.

    hard (N, 2) are the limits low, high that hold; soft (N, 2) those that pull with `stiffness`.
    Newton's method on a piecewise quadratic energy: each round solves one banded system for the
    limits that are exceeded, and it ends when these no longer change.
    """
    count = base.shape[0]
    rows, right = np.empty((count, 3)), np.empty(count)
    work, load = np.empty((count, 3)), np.empty(count)
    active = np.zeros(count, np.int64)
    _elastic_rows(base, normals, bend, stay, spacing, rows, right)
    wall = 1e4 / spacing
    for i in range(count):
        wall = max(wall, 10.0 * rows[i, 0])
    out[:] = 0.0
    for turn in range(30):
        changed = False
        work[:] = rows
        load[:] = right
        for i in range(1, count - 1):
            state = 0
            if out[i] < soft[i, 0]:
                work[i, 0] += stiffness * spacing
                load[i] += stiffness * spacing * soft[i, 0]
                state = 1
            elif out[i] > soft[i, 1]:
                work[i, 0] += stiffness * spacing
                load[i] += stiffness * spacing * soft[i, 1]
                state = 2
            if out[i] < hard[i, 0] - 1e-9 or (out[i] <= hard[i, 0] + 1e-9 and active[i] & 4):
                work[i, 0] += wall
                load[i] += wall * hard[i, 0]
                state |= 4
            elif out[i] > hard[i, 1] + 1e-9 or (out[i] >= hard[i, 1] - 1e-9 and active[i] & 8):
                work[i, 0] += wall
                load[i] += wall * hard[i, 1]
                state |= 8
            if state != active[i]:
                changed = True
                active[i] = state
        if turn > 0 and not changed:
            break
        for i in (0, count - 1):
            work[i, 0], load[i] = 1e12, 0.0
        _solve_banded(work, load, out)
    for i in range(count):
        out[i] = min(hard[i, 1], max(hard[i, 0], out[i]))
    out[0], out[count - 1] = 0.0, 0.0
