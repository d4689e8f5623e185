"""Compiled weights of examples. Import lazily: it brings in numba."""

from __future__ import annotations

import math

from footfall.maths.jit_kernels import inner_kernel, lean_kernel

_STIFF = 1e7
"""How firmly parameters are kept, against how little weights are changed for it."""
_ROUNDS, _HALVINGS = 60, 30


@inner_kernel
def cardinal_weights(asked, basis, out):  # type: ignore[no-untyped-def]
    """Write the weights (E,) of the cardinal basis functions; some may be negative."""
    low, span, points, linear = basis.low, basis.span, basis.points, basis.linear
    count, many = points.shape
    for e in range(count):
        total = linear[0, e]
        for k in range(many):
            total += linear[k + 1, e] * (asked[k] - low[k]) / span[k]
        out[e] = total
    for j in range(count):
        square = 0.0
        for k in range(many):
            off = (asked[k] - low[k]) / span[k] - points[j, k]
            square += off * off
        u = math.sqrt(square) / basis.reach[j]
        if u < 2.0:
            bell = 2.0 / 3.0 - u * u + 0.5 * u * u * u if u < 1.0 else (2.0 - u) ** 3 / 6.0
            for e in range(count):
                out[e] += basis.radial[j, e] * bell


@inner_kernel
def _dual_value(given, rows, goal, dual, count, size):  # type: ignore[no-untyped-def]
    """What is made least over `dual`; its slope is how far the goal is missed."""
    total = 0.0
    for e in range(count):
        w = given[e]
        for k in range(size):
            w += rows[k, e] * dual[k]
        if w > 0.0:
            total += 0.5 * w * w
    for k in range(size):
        total += dual[k] * (0.5 * dual[k] / _STIFF - goal[k])
    return total


@inner_kernel
def project_weights(given, rows, goal, dual, matrix, step, trial, out):  # type: ignore[no-untyped-def]
    """Write the weights (E,) nearest to those given that are not negative and reach the goal.

    rows, goal   (P + 1, E) and (P + 1,): rows @ weights should be the goal
    dual         (P + 1,) where to begin, and what was found
    matrix, step, trial  memory
    """
    size, count = rows.shape
    value = _dual_value(given, rows, goal, dual, count, size)
    for _ in range(_ROUNDS):
        for i in range(size):
            step[i] = goal[i] - dual[i] / _STIFF
            for j in range(i + 1):
                matrix[i, j] = 0.0
            matrix[i, i] = 1.0 / _STIFF
        for e in range(count):
            w = given[e]
            for k in range(size):
                w += rows[k, e] * dual[k]
            if w <= 0.0:
                continue
            for i in range(size):
                step[i] -= rows[i, e] * w
                for j in range(i + 1):
                    matrix[i, j] += rows[i, e] * rows[j, e]
        off = 0.0
        for i in range(size):
            off = max(off, abs(step[i]))
        if off < 1e-10:
            break
        slope = 0.0
        for i in range(size):
            trial[i] = step[i]
        # Solve matrix @ x = step by Cholesky; x is left in step.
        for i in range(size):
            for j in range(i + 1):
                total = matrix[i, j]
                for k in range(j):
                    total -= matrix[i, k] * matrix[j, k]
                if i == j:
                    matrix[i, i] = math.sqrt(max(total, 1e-300))
                else:
                    matrix[i, j] = total / matrix[j, j]
        for i in range(size):
            for k in range(i):
                step[i] -= matrix[i, k] * step[k]
            step[i] /= matrix[i, i]
        for i in range(size - 1, -1, -1):
            for k in range(i + 1, size):
                step[i] -= matrix[k, i] * step[k]
            step[i] /= matrix[i, i]
        for i in range(size):
            slope -= trial[i] * step[i]
        share = 1.0
        for _ in range(_HALVINGS):
            for i in range(size):
                trial[i] = dual[i] + share * step[i]
            there = _dual_value(given, rows, goal, trial, count, size)
            if there <= value + 1e-4 * share * slope:
                break
            share *= 0.5
        if not there < value:
            break
        value = there
        for i in range(size):
            dual[i] = trial[i]
    total = 0.0
    for e in range(count):
        w = given[e]
        for k in range(size):
            w += rows[k, e] * dual[k]
        out[e] = max(w, 0.0)
        total += out[e]
    for e in range(count):
        out[e] = out[e] / total if total > 0.0 else 1.0 / count


@lean_kernel
def find_weights(asked, basis, dual, memory, out):  # type: ignore[no-untyped-def]
    """Write the weights (E,) for parameters (P,): none negative, of sum one.

    memory   (P + 5, at least E or P + 1) to work in
    dual     (P + 1,) kept from one call to the next, so that the search begins where it ended
    """
    low, span, row_weights = basis.low, basis.span, basis.row_weights
    many = len(low)
    size = many + 1
    given, goal, step, trial = memory[0], memory[1], memory[2], memory[3]
    matrix = memory[4:]
    cardinal_weights(asked, basis, given)
    goal[0] = row_weights[0]
    for k in range(many):
        goal[k + 1] = row_weights[k + 1] * (asked[k] - low[k]) / span[k]
    project_weights(given, basis.rows, goal, dual, matrix, step, trial, out)
    for k in range(size):
        if not math.isfinite(dual[k]):
            dual[k] = 0.0
