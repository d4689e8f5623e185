"""Copying parts of arrays, for kernels. Import lazily: it brings in numba.

`out[:count] = values[:count]` does the same, but brings in numba's code for shapes that do not
fit and for saying so, which takes longer to compile than most kernels.
"""

from __future__ import annotations

from footfall.maths.jit_kernels import inner_kernel


@inner_kernel
def copy_values(values, out, count):  # type: ignore[no-untyped-def]
    """Write the first `count` of `values` (N,) to `out`."""
    for n in range(count):
        out[n] = values[n]


@inner_kernel
def copy_rows(rows, out, count):  # type: ignore[no-untyped-def]
    """Write the first `count` of `rows` (N, C) to `out`."""
    for n in range(count):
        for c in range(rows.shape[1]):
            out[n, c] = rows[n, c]


@inner_kernel
def reverse(values, count):  # type: ignore[no-untyped-def]
    """Turn the order of the first `count` of `values` (N,) round."""
    for n in range(count // 2):
        values[n], values[count - 1 - n] = values[count - 1 - n], values[n]
