"""Compare bodies over windows of frames, for all pairs of windows of two motions.

Windows are compared as in Kovar et al. 2002, §3.1: joints as points, one window laid on the other
as well as a turn and a move on the ground allow. The sums of that closed form run over pairs of
frames, so that products of frames serve all pairs of windows. All pairs are compared in 32 bits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.maths.arrays import Floats

Singles = NDArray[np.float32]

_LEVEL_M = 0.9
"""About as high as joints are: heights are compared from here, so that numbers stay small."""
_SMALL = 1 << 18
_ROWS = 37


@dataclass(frozen=True, eq=False)
class Windows:
    """All windows of F frames of J joints, one frame after another, N of them, as compared.

    shape    (F, 2J) x and z of the joints about the mean of the frame      heights  (F, J) y
    path     (N, 2w) x and z of the means in each window, about their own mean
    turned   (F, 2J) and turned_path (N, 2w): the same, z and -x
    own      (N,) the sum of squares of all that; infinite where no window may be taken
    """

    shape: Singles
    turned: Singles
    heights: Singles
    path: Singles
    turned_path: Singles
    own: Singles

    def blocks(self, window: int) -> Iterator[Windows]:
        """Yield a few windows at a time, so that arrays over pairs fit into the CPU's cache."""
        for r in range(0, len(self.own), _ROWS):
            some, frames = slice(r, r + _ROWS), slice(r, r + _ROWS + window - 1)
            yield Windows(
                self.shape[frames], self.turned[frames], self.heights[frames], self.path[some],
                self.turned_path[some], self.own[some],
            )  # fmt: skip


def unlikeness(some: Windows, others: Windows, window: int) -> Singles:
    """Return (N, M) how unlike each pair of windows is, root mean square over joints, metres.

    This is `planar.align` of the joints of both windows, its sums shared by all pairs.
    """
    return np.concatenate([_unlikeness(block, others, window) for block in some.blocks(window)])


def _unlikeness(some: Windows, others: Windows, window: int) -> Singles:
    joints = np.float32(some.heights.shape[1])
    cosine = _diagonal_sums(_products(some.shape, others.shape), window)
    sine = _diagonal_sums(_products(some.shape, others.turned), window)
    cosine += joints * _products(some.path, others.path)
    sine += joints * _products(some.path, others.turned_path)
    size = np.sqrt(cosine * cosine + sine * sine)
    unlike = _diagonal_sums(_products(some.heights, others.heights), window)
    unlike += size
    unlike *= np.float32(-2.0)
    unlike += some.own[:, None]
    unlike += others.own
    np.maximum(unlike, np.float32(0.0), out=unlike)
    np.sqrt(unlike, out=unlike)
    unlike *= np.float32(1.0 / math.sqrt(window * float(joints)))
    return unlike


def _products(a: Singles, b: Singles) -> Singles:
    """Return (R, C) the scalar products of the rows of `a` (R, K) and `b` (C, K).

    So few rows at a time that OpenBLAS takes it for too small to wake threads for.
    """
    out = np.empty((len(a), len(b)), np.float32)
    step = max(1, _SMALL // b.size)
    for r in range(0, len(a), step):
        np.matmul(a[r : r + step], b.T, out=out[r : r + step])
    return out


def _diagonal_sums(matrix: Singles, window: int) -> Singles:
    """Return (F - w + 1, G - w + 1) the sums of w entries of (F, G) along its diagonals."""
    rows, columns = matrix.shape[0] - window + 1, matrix.shape[1] - window + 1
    total = np.zeros((rows, columns), np.float32)
    part, size, done, left = matrix, 1, 0, window
    while left:  # sums of 1, 2, 4, … entries; those are taken that make up the window
        if left & 1:
            total += part[done : done + rows, done : done + columns]
            done += size
        left >>= 1
        if left:
            part = part[:-size, :-size] + part[size:, size:]
            size *= 2
    return total


def windows_of(positions: Floats, window: int) -> Windows:
    """Return the windows of joints at positions (F, J, 3)."""
    x, y, z = (positions[..., k] for k in range(3))
    mean_x, mean_z = x.mean(axis=1), z.mean(axis=1)
    x, z = x - mean_x[:, None], z - mean_z[:, None]
    y = y - _LEVEL_M
    paths = [np.lib.stride_tricks.sliding_window_view(mean, window) for mean in (mean_x, mean_z)]
    middle_x, middle_z = (path.mean(axis=1) for path in paths)
    path_x, path_z = paths[0] - middle_x[:, None], paths[1] - middle_z[:, None]
    frames = (x * x + y * y + z * z).sum(axis=1)
    own = np.lib.stride_tricks.sliding_window_view(frames, window).sum(axis=1)
    own += positions.shape[1] * (path_x**2 + path_z**2).sum(axis=1)
    return Windows(
        _single(x, z), _single(z, -x), _single(y), _single(path_x, path_z),
        _single(path_z, -path_x), own.astype(np.float32),
    )  # fmt: skip


def _single(*parts: Floats) -> Singles:
    """Arrays (F, ·) beside each other, in 32 bits."""
    return np.concatenate(parts, axis=1, dtype=np.float32)
