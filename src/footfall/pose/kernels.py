"""Compiled loops over tiles of all pairs. Import this module lazily: it brings in numba.

A tile holds the pairs of a run of rows with a run of columns. *Frame tiles* are about single
frames; the window that starts at the pair (r, c) sums its diagonal (r, c), (r+1, c+1), …, so a
frame tile has `window - 1` rows and columns more than a tile of windows. Inner loops run along
columns without a branch, for the compiler to do many at a time. Distances are 32 bits wide; what
is kept in the end is computed again in 64 bits.
"""

from __future__ import annotations

import math

import numpy as np

from footfall.maths.jit_kernels import kernel

_SMALL = 1 << 18


@kernel
def product_tile(a, b, out):  # type: ignore[no-untyped-def]
    """Fill `out` (R, C), 32 bits, with scalar products of the rows of `a` (R, K) and `b` (C, K).

    In so few rows at a time that OpenBLAS takes the work as too small for threads of its own:
    tiles are computed in parallel already. `a` and `b` have 64 bits (see `exact_factors`).
    """
    step = max(1, _SMALL // (b.shape[0] * b.shape[1] + 1))
    exact = np.empty((min(step, a.shape[0]), b.shape[0]))
    for r in range(0, a.shape[0], step):
        rows = min(step, a.shape[0] - r)
        np.dot(a[r : r + rows], b.T, exact[:rows])
        for n in range(rows):
            for c in range(b.shape[0]):
                out[r + n, c] = exact[n, c]


@kernel
def cloud_tile(  # type: ignore[no-untyped-def]
    real, imaginary, heights, way_real, way_imaginary,
    own_rows, own_columns, window, floor, out
):  # fmt: skip
    """Fill `out` (R, C) with point-cloud distances of windows.

    real, imaginary, heights  frame tiles (R+window-1, C+window-1) of sums over points
    way_real, way_imaginary   (R, C) the same sums of the windows' mean points; overwritten
    own_rows, own_columns     (R,), (C,) the windows' own spread; infinite where there is none
    """
    two, zero = np.float32(2.0), np.float32(0.0)
    columns = out.shape[1]
    for r in range(len(out)):
        re, im, up = way_real[r], way_imaginary[r], out[r]
        for c in range(columns):
            up[c] = zero
        for p in range(window):
            a, b, h = real[r + p], imaginary[r + p], heights[r + p]
            for c in range(columns):
                re[c] += a[c + p]
                im[c] += b[c + p]
                up[c] += h[c + p]
        own = own_rows[r]
        for c in range(columns):
            flat = np.sqrt(re[c] * re[c] + im[c] * im[c])
            value = own + own_columns[c] - two * (flat + up[c])
            up[c] = value if value > floor else zero


@kernel
def angle_tile(turns, rates, row, columns, weights, series, out):  # type: ignore[no-untyped-def]
    """Fill `out` (R, C) with joint-angle distances of frames.

    turns    (K, 4, F) the rotations of the K joints that count
    rates    (K, 3, F) their velocities, times the roots of their weights
    row      the first row's frame      columns  the first column's frame
    weights  (K,) of the rotations
    series   (10,) acos(1 - t)² = t (series[0] + series[1] t + …) for t from 0 to 1
    """
    zero, half, two = np.float32(0.0), np.float32(0.5), np.float32(2.0)
    s0, s1, s2, s3, s4 = series[0], series[1], series[2], series[3], series[4]
    s5, s6, s7, s8, s9 = series[5], series[6], series[7], series[8], series[9]
    joints, width = turns.shape[0], out.shape[1]
    for r in range(len(out)):
        line = out[r]
        for c in range(width):
            line[c] = zero
        for k in range(joints):
            w, x, y, z = (
                turns[k, 0, row + r], turns[k, 1, row + r],
                turns[k, 2, row + r], turns[k, 3, row + r],
            )  # fmt: skip
            u, v, o = rates[k, 0, row + r], rates[k, 1, row + r], rates[k, 2, row + r]
            ws, xs = turns[k, 0, columns:], turns[k, 1, columns:]
            ys, zs = turns[k, 2, columns:], turns[k, 3, columns:]
            us, vs, os = rates[k, 0, columns:], rates[k, 1, columns:], rates[k, 2, columns:]
            weight = weights[k]
            for c in range(width):
                # 1 - |q·q'|, by differences: near 0 the product itself would lose all digits.
                d0, d1, d2, d3 = w - ws[c], x - xs[c], y - ys[c], z - zs[c]
                t = half * (d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3)
                t = min(t, abs(two - t))
                high = s5 + t * (s6 + t * (s7 + t * (s8 + t * s9)))
                squared = t * (s0 + t * (s1 + t * (s2 + t * (s3 + t * (s4 + t * high)))))
                e0, e1, e2 = u - us[c], v - vs[c], o - os[c]
                line[c] += weight * squared + (e0 * e0 + e1 * e1 + e2 * e2)


@kernel
def root_tile(products, own_rows, own_columns, floor):  # type: ignore[no-untyped-def]
    """Turn scalar products (R, C) into distances, in place; below `floor`² it is 0."""
    zero, two = np.float32(0.0), np.float32(2.0)
    for r in range(len(products)):
        line, own = products[r], own_rows[r]
        for c in range(products.shape[1]):
            squared = own + own_columns[c] - two * line[c]
            line[c] = np.sqrt(squared if squared > floor else zero)


@kernel
def sum_windows(frames, pad_rows, pad_columns, window, out):  # type: ignore[no-untyped-def]
    """Fill `out` (R, C) with the means of `frames` (R+window-1, C+window-1) over windows.

    pad_rows, pad_columns  (R,), (C,) added: infinite where there is no window
    """
    share, zero = np.float32(1.0 / window), np.float32(0.0)
    for r in range(len(out)):
        line = out[r]
        for c in range(out.shape[1]):
            line[c] = zero
        for p in range(window):
            more = frames[r + p]
            for c in range(out.shape[1]):
                line[c] += more[c + p]
        for c in range(out.shape[1]):
            line[c] = line[c] * share + pad_rows[r] + pad_columns[c]


@kernel
def tile_minima(tile, bits, clip, top, side, size, window, cut, counts, pairs, values):  # type: ignore[no-untyped-def]
    """Local minima of a tile, how many; their places go to `pairs` (N, 2), `values` (N,).

    tile         (R, C) distances of windows, with a margin of one row and column where there is
                 one; what lies beyond it does not exist
    bits         (R, C) the same memory, read as whole numbers
    clip         (F,) the clip of each frame
    cut          only minima up to this
    top, side    the first row and column to look at, each with `size` - 1 after it
    counts       (65536,) how often the leading 16 bits of a distance occur; added to

    A pair counts if its second window comes after its first and, in one clip, at least `window`
    frames after it. A minimum is below its eight neighbours; of equals the first counts.
    """
    rows, columns = tile.shape
    row, column, found = max(top - 1, 0), max(side - 1, 0), 0
    for r in range(top - row, min(top + size, len(clip)) - row):
        a = row + r
        for c in range(max(side, a + 1) - column, min(side + size, len(clip)) - column):
            b = column + c
            value = tile[r, c]
            if not value < np.inf or (b - a < window and clip[a] == clip[b]):
                continue
            counts[bits[r, c] >> 15] += 1
            if value > cut or (c > 0 and tile[r, c - 1] <= value):
                continue
            if c + 1 < columns and tile[r, c + 1] < value:
                continue
            lowest = True
            for n in range(max(c - 1, 0), min(c + 2, columns)):
                if (r > 0 and tile[r - 1, n] <= value) or (r + 1 < rows and tile[r + 1, n] < value):
                    lowest = False
            if lowest:
                pairs[found, 0], pairs[found, 1], values[found] = a, b, value
                found += 1
    return found


@kernel
def align_windows(points, weights, first, second, window, poses, distances):  # type: ignore[no-untyped-def]
    """The planar poses (N, 3) that lay windows on windows, and the mean squared distances (N,).

    points         (F, P, 3) metres      weights  (P,)
    first, second  (N,) the frames at which the windows start
    """
    count = points.shape[1]
    for n in range(len(first)):
        a, b = first[n], second[n]
        w = ax = az = bx = bz = 0.0
        for p in range(window):
            for m in range(count):
                k = weights[m]
                w += k
                ax += k * points[a + p, m, 0]
                az += k * points[a + p, m, 2]
                bx += k * points[b + p, m, 0]
                bz += k * points[b + p, m, 2]
        ax, az, bx, bz = ax / w, az / w, bx / w, bz / w
        sine = cosine = spread = up = 0.0
        for p in range(window):
            for m in range(count):
                k = weights[m]
                x, z = points[a + p, m, 0] - ax, points[a + p, m, 2] - az
                u, v = points[b + p, m, 0] - bx, points[b + p, m, 2] - bz
                h = points[a + p, m, 1] - points[b + p, m, 1]
                sine += k * (x * v - z * u)
                cosine += k * (x * u + z * v)
                spread += k * (x * x + z * z + u * u + v * v)
                up += k * h * h
        yaw = math.atan2(sine, cosine)
        s, c = math.sin(yaw), math.cos(yaw)
        poses[n, 0] = ax - (bx * c + bz * s)
        poses[n, 1] = az - (bz * c - bx * s)
        poses[n, 2] = yaw
        distances[n] = (max(spread - 2.0 * math.hypot(sine, cosine), 0.0) + up) / w


@kernel
def angle_windows(turns, rates, weights, share, first, second, window, out):  # type: ignore[no-untyped-def]
    """Joint-angle distances (N,) of windows, in full.

    turns  (F, K, 4)      rates  (F, K, 3) rad/s      weights  (K,)
    share  how much squared velocities count against squared half angles
    """
    for n in range(len(first)):
        total = 0.0
        for p in range(window):
            a, b = first[n] + p, second[n] + p
            for k in range(len(weights)):
                minus = plus = speed = 0.0
                for i in range(4):
                    minus += (turns[a, k, i] - turns[b, k, i]) ** 2
                    plus += (turns[a, k, i] + turns[b, k, i]) ** 2
                for i in range(3):
                    speed += (rates[a, k, i] - rates[b, k, i]) ** 2
                # The half angle of the rotation is the angle between the quaternions.
                half = 2.0 * math.atan2(math.sqrt(min(minus, plus)), math.sqrt(max(minus, plus)))
                total += weights[k] * (half * half + share * speed)
        out[n] = total / window


@kernel
def component_windows(values, weights, first, second, window, out):  # type: ignore[no-untyped-def]
    """Mean weighted distances (N,) of windows of `values` (F, D), in full; weights (D,)."""
    for n in range(len(first)):
        total = 0.0
        for p in range(window):
            squared = 0.0
            for i in range(len(weights)):
                gap = values[first[n] + p, i] - values[second[n] + p, i]
                squared += weights[i] * gap * gap
            total += math.sqrt(squared)
        out[n] = total / window
