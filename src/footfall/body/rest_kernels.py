"""The compiled loop that rewrites local rotations. Import lazily: it brings in numba."""

from __future__ import annotations

import math

import numpy as np

from footfall.maths.jit_kernels import kernel


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


@kernel
def chosen_positions(parents, offsets, root, rotations, frames, columns, places):  # type: ignore[no-untyped-def]
    """Fill world positions places (F, C, 3) of some joints at some frames.

    The C joints form a tree of their own: parents (C,), offsets (C, 3); columns (C,) says which
    column of rotations (T, J, 4) each has, root (T, 3) where the first one is.
    """
    count = columns.shape[0]
    turns = np.empty((count, 4))
    for f in range(frames.shape[0]):
        t = frames[f]
        for c in range(count):
            j = columns[c]
            a, b, e, d = (
                rotations[t, j, 0], rotations[t, j, 1], rotations[t, j, 2], rotations[t, j, 3],
            )  # fmt: skip
            if c == 0:
                places[f, 0, 0], places[f, 0, 1], places[f, 0, 2] = (
                    root[t, 0],
                    root[t, 1],
                    root[t, 2],
                )
                turns[0, 0], turns[0, 1], turns[0, 2], turns[0, 3] = a, b, e, d
                continue
            p = parents[c]
            w, x, y, z = turns[p, 0], turns[p, 1], turns[p, 2], turns[p, 3]
            ox, oy, oz = offsets[c, 0], offsets[c, 1], offsets[c, 2]
            cx, cy, cz = 2.0 * (y * oz - z * oy), 2.0 * (z * ox - x * oz), 2.0 * (x * oy - y * ox)
            places[f, c, 0] = places[f, p, 0] + ox + w * cx + y * cz - z * cy
            places[f, c, 1] = places[f, p, 1] + oy + w * cy + z * cx - x * cz
            places[f, c, 2] = places[f, p, 2] + oz + w * cz + x * cy - y * cx
            turns[c, 0] = w * a - x * b - y * e - z * d
            turns[c, 1] = w * b + x * a + y * d - z * e
            turns[c, 2] = w * e - x * d + y * a + z * b
            turns[c, 3] = w * d + x * e - y * b + z * a
