"""The compiled loop that rewrites local rotations. Import lazily: it brings in numba."""

from __future__ import annotations

import math

import numpy as np

from footfall.maths.jit_kernels import kernel
from footfall.maths.vector_kernels import multiply, put, quaternion


@kernel
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
            q = quaternion(rotations[t], keep[k])
            if not plain[k]:
                q = multiply(multiply(quaternion(left, k), q), quaternion(right, k))
            w, x, y, z = q
            square = w * w + x * x + y * y + z * z
            scale = 1.0
            if not abs(square - 1.0) < 1e-12:
                if square < 1e-20:
                    w, x, y, z = 1.0, 0.0, 0.0, 0.0
                else:
                    scale = 1.0 / math.sqrt(square)
            if w * before[k, 0] + x * before[k, 1] + y * before[k, 2] + z * before[k, 3] < 0.0:
                scale = -scale
            q = (w * scale, x * scale, y * scale, z * scale)
            put(before, k, q)
            put(out[t], k, q)
