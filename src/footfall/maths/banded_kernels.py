"""Compiled solution of banded systems. Import lazily: it brings in numba.

`scipy.linalg.solveh_banded` does the same, but its import takes a quarter of a second, which every
command would pay that plans a path.
"""

from __future__ import annotations

from footfall.maths.jit_kernels import lean_kernel


@lean_kernel
def solve_banded(bands, right):  # type: ignore[no-untyped-def]
    """Solve a symmetric positive definite system for right sides (N, M), in place.

    bands  (D + 1, N) the matrix at (i + d, i); overwritten by its factors
    """
    wide, count = bands.shape
    for i in range(count):
        below = min(wide, count - i)
        for d in range(1, below):
            share = bands[d, i] / bands[0, i]
            for e in range(d, below):
                bands[e - d, i + d] -= share * bands[e, i]
            for m in range(right.shape[1]):
                right[i + d, m] -= share * right[i, m]
    for i in range(count - 1, -1, -1):
        for m in range(right.shape[1]):
            total = right[i, m]
            for d in range(1, min(wide, count - i)):
                total -= bands[d, i] * right[i + d, m]
            right[i, m] = total / bands[0, i]
