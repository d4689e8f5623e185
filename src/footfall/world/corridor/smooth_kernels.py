"""Compiled bending of a path sideways. Import this module lazily: it brings in numba."""

from __future__ import annotations

import numpy as np

from footfall.maths.array_kernels import copy_rows, copy_values
from footfall.maths.jit_kernels import kernel


@kernel
def _elastic_rows(base, normals, elastic, spacing, rows, right):  # type: ignore[no-untyped-def]
    """Add up the banded normal equations of an elastic rod under tension: rows (N, 3), right (N,).

    rows[i] are the entries (i, i), (i, i + 1), (i, i + 2). With p = base + t * normal the energy
    is half the sum of bend / h^3 |second difference|^2 + tension / h |first difference|^2
    + h * stay * t^2, with elastic (3,) = bend, tension, stay.
    """
    count = base.shape[0]
    rows[:] = 0.0
    right[:] = 0.0
    sizes, c = np.array([1.0, -2.0, 1.0]), np.empty(2)
    for i in range(count - 1):
        weight = elastic[1] / spacing
        for j in range(2):
            c[j] = base[i + 1, j] - base[i, j]
        dot = normals[i, 0] * normals[i + 1, 0] + normals[i, 1] * normals[i + 1, 1]
        rows[i, 0] += weight
        rows[i + 1, 0] += weight
        rows[i, 1] -= weight * dot
        right[i] += weight * (c[0] * normals[i, 0] + c[1] * normals[i, 1])
        right[i + 1] -= weight * (c[0] * normals[i + 1, 0] + c[1] * normals[i + 1, 1])
        rows[i, 0] += spacing * elastic[2]
    for i in range(1, count - 1):
        weight = elastic[0] / spacing**3
        for j in range(2):
            c[j] = base[i - 1, j] - 2.0 * base[i, j] + base[i + 1, j]
        for a in range(3):
            p = i - 1 + a
            right[p] -= weight * sizes[a] * (c[0] * normals[p, 0] + c[1] * normals[p, 1])
            for b in range(a, 3):
                q = i - 1 + b
                dot = normals[p, 0] * normals[q, 0] + normals[p, 1] * normals[q, 1]
                rows[p, b - a] += weight * sizes[a] * sizes[b] * dot


@kernel
def _factor_banded(rows):  # type: ignore[no-untyped-def]
    """Replace a symmetric positive definite matrix of half bandwidth two by its L D L^T."""
    count = rows.shape[0]
    for i in range(count):
        l1, l2 = rows[i, 1] / rows[i, 0], rows[i, 2] / rows[i, 0]
        if i + 1 < count:
            rows[i + 1, 0] -= l1 * rows[i, 1]
            rows[i + 1, 1] -= l1 * rows[i, 2]
        if i + 2 < count:
            rows[i + 2, 0] -= l2 * rows[i, 2]
        rows[i, 1], rows[i, 2] = l1, l2


@kernel
def _solve_banded(factors, right, out):  # type: ignore[no-untyped-def]
    """Solve for the right side (N,), which is used up, with what `_factor_banded` made."""
    count = factors.shape[0]
    for i in range(count):
        if i + 1 < count:
            right[i + 1] -= factors[i, 1] * right[i]
        if i + 2 < count:
            right[i + 2] -= factors[i, 2] * right[i]
    for i in range(count - 1, -1, -1):
        value = right[i] / factors[i, 0]
        if i + 1 < count:
            value -= factors[i, 1] * out[i + 1]
        if i + 2 < count:
            value -= factors[i, 2] * out[i + 2]
        out[i] = value


@kernel
def _pin_ends(rows):  # type: ignore[no-untyped-def]
    rows[0, 0] += 1e12
    rows[rows.shape[0] - 1, 0] += 1e12


@kernel
def bend_sideways(base, normals, elastic, hard, soft, stiffness, spacing, out):  # type: ignore[no-untyped-def]
    """Offsets `out` (N,) along normals (N, 2) that make base (N, 2) smooth; both ends stay.

    hard (N, 2) are the limits low, high that hold; soft (N, 2) those that pull with `stiffness`.
    elastic (3,): bend, tension, stay of `_elastic_rows`.
    Newton's method on a piecewise quadratic energy: each round solves one banded system for the
    limits that are exceeded, and it ends when these no longer change.
    """
    count = base.shape[0]
    rows, right = np.empty((count, 3)), np.empty(count)
    work, load = np.empty((count, 3)), np.empty(count)
    active = np.zeros(count, np.int64)
    _elastic_rows(base, normals, elastic, spacing, rows, right)
    _pin_ends(rows)
    wall = max(1e4 / spacing, 100.0 * elastic[0] / spacing**3)
    out[:] = 0.0
    for turn in range(30):
        changed = turn == 0
        copy_rows(rows, work, rows.shape[0])
        copy_values(right, load, right.shape[0])
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
        if not changed:
            break
        _factor_banded(work)
        _solve_banded(work, load, out)
    for i in range(count):
        out[i] = min(hard[i, 1], max(hard[i, 0], out[i]))
    out[0], out[count - 1] = 0.0, 0.0


@kernel
def _curvatures(base, normals, spacing, factors, at_rest):  # type: ignore[no-untyped-def]
    """Curvature (1/m) at each knot as second difference along the base's normal.

    It is linear in the offsets: their factors (N, 3), and the value at rest (N,).
    """
    factors[:], at_rest[:] = 0.0, 0.0
    for i in range(1, base.shape[0] - 1):
        for a in range(3):
            p = i - 1 + a
            size = (-2.0 if a == 1 else 1.0) / spacing**2
            factors[i, a] = size * (normals[p, 0] * normals[i, 0] + normals[p, 1] * normals[i, 1])
            at_rest[i] += size * (base[p, 0] * normals[i, 0] + base[p, 1] * normals[i, 1])


@kernel
def turn_gently(base, normals, elastic, hard, soft, stiffness, limit, spacing, rounds, out):  # type: ignore[no-untyped-def]
    """The same as `bend_sideways`, with curvature kept within `limit` (1/m) where that can be.

    Alternating directions (ADMM): one system, factored once, pulls the offsets and curvatures
    towards copies of them that obey the limits, which the multipliers then bring together.
    """
    count = base.shape[0]
    rows, right, load = np.empty((count, 3)), np.empty(count), np.empty(count)
    factors, at_rest = np.empty((count, 3)), np.empty(count)
    _elastic_rows(base, normals, elastic, spacing, rows, right)
    _curvatures(base, normals, spacing, factors, at_rest)
    near, turn, grip = 1000.0 * spacing, 3.0 * spacing, 300 * spacing
    push = stiffness * spacing
    for i in range(count):
        rows[i, 0] += near
        if 0 < i < count - 1:
            for a in range(3):
                for b in range(a, 3):
                    rows[i - 1 + a, b - a] += turn * factors[i, a] * factors[i, b]
    _pin_ends(rows)
    _factor_banded(rows)
    place, place_owed = np.zeros(count), np.zeros(count)
    bent, bent_owed = at_rest.copy(), np.zeros(count)
    for _ in range(rounds):
        for i in range(count):
            load[i] = right[i] + near * (place[i] - place_owed[i])
        for i in range(1, count - 1):
            pull = turn * (bent[i] - at_rest[i] - bent_owed[i])
            for a in range(3):
                load[i - 1 + a] += pull * factors[i, a]
        _solve_banded(rows, load, out)
        for i in range(1, count - 1):
            value = 1.6 * out[i] - 0.6 * place[i] + place_owed[i]
            wish = value
            if value < soft[i, 0]:
                wish = (near * value + push * soft[i, 0]) / (near + push)
            elif value > soft[i, 1]:
                wish = (near * value + push * soft[i, 1]) / (near + push)
            place[i] = min(hard[i, 1], max(hard[i, 0], wish))
            place_owed[i] = value - place[i]
            curve = at_rest[i]
            for a in range(3):
                curve += factors[i, a] * out[i - 1 + a]
            value = 1.6 * curve - 0.6 * bent[i] + bent_owed[i]
            bent[i] = value
            if value > limit:
                bent[i] = (turn * value + grip * limit) / (turn + grip)
            elif value < -limit:
                bent[i] = (turn * value - grip * limit) / (turn + grip)
            bent_owed[i] = value - bent[i]
    for i in range(count):
        out[i] = min(hard[i, 1], max(hard[i, 0], out[i]))
    out[0], out[count - 1] = 0.0, 0.0
