"""Compiled: pairs of alike frames inside contact phases. Import lazily: it brings in numba."""

from __future__ import annotations

import math

from footfall.maths.jit_kernels import inner_kernel, kernel


@kernel
def phase_minima(  # type: ignore[no-untyped-def]
    tile, phase, group, row, column, middle, cut, every, near, first, stop, left, right,
    pairs, values
):  # fmt: skip
    """Minima of a tile of distances within pairs of phases, how many; (N, 2) `pairs`, `values`.

    tile         (R, C) distances of windows, named by their first frames; the tile has a margin
                 of one row and column where there is one
    phase        (F,) the phase of each frame       group  (F,) what may go over into each other
    row, column  the windows of tile[0, 0]          middle  from a window's first frame to its own
    cut, every   minima up to the one, and all pairs up to the other
    near         frames of one clip so near are no pair
    first, stop  rows, and left, right columns to look at

    A pair is a minimum if no neighbour in the same two phases is nearer; of equals the first
    counts. Fills as many as there is room for, and returns how many there were.
    """
    rows, columns = tile.shape
    frames = len(phase)
    found = 0
    for r in range(first, stop):
        a = row + r + middle
        if a >= frames or group[a] < 0:
            continue
        for c in range(max(left, row + r + near - column), right):
            b = column + c + middle
            if b >= frames or group[b] != group[a]:
                continue
            value = tile[r, c]
            if not value <= cut:
                continue
            lowest = True
            for i in range(max(r - 1, 0), min(r + 2, rows)):
                if value <= every:
                    break
                if phase[min(row + i + middle, frames - 1)] != phase[a]:
                    continue
                for k in range(max(c - 1, 0), min(c + 2, columns)):
                    if (i == r and k == c) or phase[min(column + k + middle, frames - 1)] != phase[
                        b
                    ]:
                        continue
                    before = i < r or (i == r and k < c)
                    if tile[i, k] < value or (before and tile[i, k] == value):
                        lowest = False
            if lowest:
                if found < len(values):
                    pairs[found, 0], pairs[found, 1], values[found] = a, b, value
                found += 1
    return found


@inner_kernel
def _turned(a, i, b, k, j):  # type: ignore[no-untyped-def]
    """The angle between joint j of pose i and of pose k, radians."""
    dot = 0.0
    for n in range(4):
        dot += a[i, j, n] * b[k, j, n]
    return 2.0 * math.acos(min(abs(dot), 1.0))


@kernel
def fastest_turns(rotations, first, out):  # type: ignore[no-untyped-def]
    """Fill the most that each joint turns from frame to frame in each stretch: out (E, J).

    rotations  (F, J, 4);  first (E + 1,) where stretches begin
    """
    for e in range(len(first) - 1):
        for j in range(rotations.shape[1]):
            out[e, j] = 0.0
        for k in range(first[e] + 1, first[e + 1]):
            for j in range(rotations.shape[1]):
                out[e, j] = max(out[e, j], _turned(rotations, k - 1, rotations, k, j))


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
            gap = tilts[p] if j == 0 else _turned(rotations, a, rotations, b, j)
            calm = gap * steps[p] <= max(allowed[clip[a], j], allowed[clip[b], j])
            j += 1
        out[p] = calm
