"""Compiled: pairs of alike frames inside contact phases. Import lazily: it brings in numba."""

from __future__ import annotations

import math

from footfall.maths.jit_kernels import kernel


@kernel
def phase_minima(tile, frame, phase, top, side, size, near, limits, pairs, values):  # type: ignore[no-untyped-def]
    """Find the minima of a tile of distances within pairs of phases; return how many.

    tile       (R, C) distances of windows around frames, with a margin of one row and column
               where there is one
    frame      (N,) the frames that are compared, ascending;  phase (N,) of each, or -1
    top, side  the first row and column to look at, each with `size` - 1 after it
    near       frames that are nearer in time are no pair
    limits     (2,) minima up to the first, and all pairs up to the second
    pairs      (M, 2) filled with frames;  values (M,) with their distances

    A pair is a minimum if no neighbour in the same two phases is nearer; of equals the first
    counts.
    """
    rows, columns = tile.shape
    row, column = max(top - 1, 0), max(side - 1, 0)
    cut, every = limits[0], limits[1]
    found = 0
    for r in range(top - row, min(top + size, len(frame)) - row):
        p = phase[row + r]
        if p < 0:
            continue
        for c in range(side - column, min(side + size, len(frame)) - column):
            q, value = phase[column + c], tile[r, c]
            if q < 0 or not value <= cut or frame[column + c] < frame[row + r] + near:
                continue
            lowest = True
            for i in range(max(r - 1, 0), min(r + 2, rows)):
                if value <= every:
                    break
                if phase[row + i] != p:
                    continue
                for k in range(max(c - 1, 0), min(c + 2, columns)):
                    if (i == r and k == c) or phase[column + k] != q:
                        continue
                    before = i < r or (i == r and k < c)
                    if tile[i, k] < value or (before and tile[i, k] == value):
                        lowest = False
            if lowest:
                pairs[found, 0], pairs[found, 1] = frame[row + r], frame[column + c]
                values[found] = value
                found += 1
    return found


@kernel
def calm_pairs(rotations, pairs, tilts, clip, allowed, steps, out):  # type: ignore[no-untyped-def]
    """Fill which pairs of frames go over into each other without haste in any joint: out (N,).

    tilts    (N,) how far the roots are turned against each other, whatever they face
    clip     (F,) of each frame;  allowed (C, J) how much joints may turn in a frame in addition
    steps    (N,) the share of what differs that is made up for in one frame
    """
    for p in range(len(pairs)):
        a, b = pairs[p, 0], pairs[p, 1]
        calm, j = True, 0
        while calm and j < rotations.shape[1]:
            gap = tilts[p]
            if j > 0:
                cosine = 0.0
                for n in range(4):
                    cosine += rotations[a, j, n] * rotations[b, j, n]
                gap = 2.0 * math.acos(min(abs(cosine), 1.0))
            calm = gap * steps[p] <= max(allowed[clip[a], j], allowed[clip[b], j])
            j += 1
        out[p] = calm
