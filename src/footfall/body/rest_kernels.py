"""The compiled loop that rewrites local rotations. Import lazily: it brings in numba."""

from __future__ import annotations

import math

import numba
import numpy as np

_jit = numba.njit(cache=True, nogil=True, fastmath=False, error_model="numpy")


@_jit
def rewrite_rotations(rotations, keep, left, right, plain, out):  # type: ignore[no-untyped-def]
    """out[t, k] = left[k] rotations[t, keep[k]] right[k], unit, one hemisphere along time.

    rotations  (T, J, 4); keep (K,) rising joint indices; left, right (K, 4); plain (K,) says
    where both are the identity; out (T, K, 4) may share its memory with `rotations` from the
    first element on, because every value is read before its place is written.
    """
    frames, count = rotations.shape[0], keep.shape[0]
    before = np.zeros((count, 4))
    before[:, 0] = 1.0
    for t in range(frames):
        for k in range(count):
            j = keep[k]
            w, x, y, z = (
                rotations[t, j, 0], rotations[t, j, 1], rotations[t, j, 2], rotations[t, j, 3],
            )  # fmt: skip
            if not plain[k]:
                a, b, c, d = left[k, 0], left[k, 1], left[k, 2], left[k, 3]
                w, x, y, z = (
                    a * w - b * x - c * y - d * z, a * x + b * w + c * z - d * y,
                    a * y - b * z + c * w + d * x, a * z + b * y - c * x + d * w,
                )  # fmt: skip
                a, b, c, d = right[k, 0], right[k, 1], right[k, 2], right[k, 3]
                w, x, y, z = (
                    w * a - x * b - y * c - z * d, w * b + x * a + y * d - z * c,
                    w * c - x * d + y * a + z * b, w * d + x * c - y * b + z * a,
                )  # fmt: skip
            square = w * w + x * x + y * y + z * z
            scale = 1.0
            if not abs(square - 1.0) < 1e-12:
                if square < 1e-20:
                    w, x, y, z = 1.0, 0.0, 0.0, 0.0
                else:
                    scale = 1.0 / math.sqrt(square)
            if w * before[k, 0] + x * before[k, 1] + y * before[k, 2] + z * before[k, 3] < 0.0:
                scale = -scale
            w, x, y, z = w * scale, x * scale, y * scale, z * scale
            before[k, 0], before[k, 1], before[k, 2], before[k, 3] = w, x, y, z
            out[t, k, 0], out[t, k, 1], out[t, k, 2], out[t, k, 3] = w, x, y, z
