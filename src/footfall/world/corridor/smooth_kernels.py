"""Compiled bending of a path with limited curvature. Import this module lazily: brings in numba."""

from __future__ import annotations

from footfall.maths.jit_kernels import lean_kernel

_ROUNDS = 400


@lean_kernel
def turn_gently(rows, right, turns, at_rest, limits, weights, work, out):  # type: ignore[no-untyped-def]
    """Fill the offsets `out` (N,) of a rod whose curvature stays within a limit, see `smooth`.

    rows (N, 3): the banded matrix, which is factored in place. limits (N, 4): hard low and high,
    soft low and high. weights (5,): of places, of curvatures, of the curvature's limit, of soft
    limits, and that limit (1/m). work (N, 5): memory, zero at first.
    """
    count = rows.shape[0]
    near, turn, grip, push, limit = weights[0], weights[1], weights[2], weights[3], weights[4]
    for i in range(count):  # L D L^T
        l1, l2 = rows[i, 1] / rows[i, 0], rows[i, 2] / rows[i, 0]
        if i + 1 < count:
            rows[i + 1, 0] -= l1 * rows[i, 1]
            rows[i + 1, 1] -= l1 * rows[i, 2]
        if i + 2 < count:
            rows[i + 2, 0] -= l2 * rows[i, 2]
        rows[i, 1], rows[i, 2] = l1, l2
        work[i, 3] = at_rest[i]
    for _ in range(_ROUNDS):
        # work: the load, the place and what it owes, the curvature and what it owes
        for i in range(count):
            work[i, 0] = right[i] + near * (work[i, 1] - work[i, 2])
        for i in range(1, count - 1):
            pull = turn * (work[i, 3] - at_rest[i] - work[i, 4])
            for a in range(3):
                work[i - 1 + a, 0] += pull * turns[i, a]
        for i in range(count):
            if i + 1 < count:
                work[i + 1, 0] -= rows[i, 1] * work[i, 0]
            if i + 2 < count:
                work[i + 2, 0] -= rows[i, 2] * work[i, 0]
        for i in range(count - 1, -1, -1):
            value = work[i, 0] / rows[i, 0]
            if i + 1 < count:
                value -= rows[i, 1] * out[i + 1]
            if i + 2 < count:
                value -= rows[i, 2] * out[i + 2]
            out[i] = value
        for i in range(1, count - 1):
            value = 1.6 * out[i] - 0.6 * work[i, 1] + work[i, 2]
            wish = value
            soft = min(limits[i, 3], max(limits[i, 2], value))
            if soft != value:
                wish = (near * value + push * soft) / (near + push)
            work[i, 1] = min(limits[i, 1], max(limits[i, 0], wish))
            work[i, 2] = value - work[i, 1]
            curve = at_rest[i]
            for a in range(3):
                curve += turns[i, a] * out[i - 1 + a]
            value = 1.6 * curve - 0.6 * work[i, 3] + work[i, 4]
            bound = min(limit, max(-limit, value))
            work[i, 3] = value
            if bound != value:
                work[i, 3] = (turn * value + grip * bound) / (turn + grip)
            work[i, 4] = value - work[i, 3]
