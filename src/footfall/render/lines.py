"""Lines drawn over a picture, hidden by surfaces that are nearer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from footfall.maths.arrays import Bools, Floats, Ints
from footfall.render.camera import Camera, Size

if TYPE_CHECKING:
    from footfall.render.raster import DrawnLine

_BIAS_M = 0.02
"""A line is still seen this far behind a surface: it may lie on it."""
_FARTHEST = 1e7
"""Segments that reach more pixels away than this are left out."""


class LineCover:
    """The pixels that lines cover, seen by one camera; it serves any number of pictures."""

    def __init__(self, lines: Sequence[DrawnLine], camera: Camera, size: Size) -> None:
        parts = [_cover(camera.project(line.points, size), line, size) for line in lines]
        self._lines, pixels = lines, size[0] * size[1]
        self._x, self._y, self._share, self._far = (
            np.concatenate(column) for column in zip(*parts, strict=True)
        )
        owner = np.repeat(np.arange(len(lines)), [len(part[0]) for part in parts])
        places = owner * pixels + self._y * size[0] + self._x
        places, self._number = np.unique(places, return_inverse=True)
        self._places = places % pixels
        self._ends = np.searchsorted(places, pixels * np.arange(len(lines) + 1)).tolist()

    def blend(self, depth: NDArray[np.float32], image: NDArray[np.float32]) -> None:
        """Draw the lines over `image` (H, W, 3).

        depth  of what is seen, finer than `image` by a whole factor: a pixel may be hidden in part
        """
        factor = depth.shape[0] // image.shape[0]
        share = np.zeros(len(self._share))
        for y in range(factor):
            for x in range(factor):
                share += self._far < depth[self._y * factor + y, self._x * factor + x]
        cover = np.zeros(len(self._places))
        np.maximum.at(cover, self._number, share * self._share / factor**2)
        flat = image.reshape(-1, 3)
        for line, first, stop in zip(self._lines, self._ends, self._ends[1:], strict=False):
            pixels = self._places[first:stop]
            weight = (line.opacity * cover[first:stop])[:, None]
            flat[pixels] += weight * (np.array(line.colour) - flat[pixels])


def _cover(points: Floats, line: DrawnLine, size: Size) -> tuple[Ints, Ints, Floats, Floats]:
    """Return pixels x, y that a line covers, the share of each, and from where on it is hidden.

    points  (N, 3) pixel x, y and depth (not a number: behind the eye)
    """
    half = 0.5 * line.width
    near: Bools = np.asarray((np.abs(points[:, :2]) < _FARTHEST).all(axis=1))
    a, b = (p[near[:-1] & near[1:]] for p in (points[:-1], points[1:]))
    steep = np.abs(b - a)[:, 1] > np.abs(b - a)[:, 0]
    a, b = (np.where(steep[:, None], p[:, [1, 0, 2]], p) for p in (a, b))
    limits = np.where(steep[:, None], size[::-1], size)
    # Along its longer side a segment has a few pixels in each row or column that it crosses.
    first = np.clip(np.minimum(a[:, 0], b[:, 0]) - half - 1.0, 0.0, limits[:, 0]).astype(int)
    last = np.clip(np.maximum(a[:, 0], b[:, 0]) + half + 1.0, -1.0, limits[:, 0] - 1).astype(int)
    counts = np.maximum(last - first + 1, 0)
    row = np.repeat(np.arange(len(a)), counts)
    along = first[row] + np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
    a, b, steep, limits = a[row], b[row], steep[row], limits[row]
    step = np.where(b[:, 0] == a[:, 0], 1.0, b[:, 0] - a[:, 0])
    middle = a[:, 1] + np.clip((along + 0.5 - a[:, 0]) / step, 0.0, 1.0) * (b[:, 1] - a[:, 1])
    reach = int(np.ceil(1.5 * (half + 0.5))) + 1
    beside = np.floor(middle).astype(int)[:, None] + np.arange(-reach, reach + 1)
    ends = (b - a)[:, None, :2]
    off = np.stack(np.broadcast_arrays(along[:, None] + 0.5, beside + 0.5), axis=2) - a[:, None, :2]
    span = (ends**2).sum(axis=2)
    t = np.clip((off * ends).sum(axis=2) / np.where(span > 0.0, span, 1.0), 0.0, 1.0)
    away = np.hypot(*np.moveaxis(off - t[..., None] * ends, 2, 0))
    share = np.minimum(1.0, half + 0.5 - away)
    here, there = a[:, 2:], b[:, 2:]
    with np.errstate(divide="ignore", invalid="ignore"):
        ahead = 1.0 / ((1.0 - t) / here + t / there)
    far = np.where((here > 0.0) & (there > 0.0), ahead, here + t * (there - here))
    kept = (share > 0.0) & (beside >= 0) & (beside < limits[:, 1:])
    along, steep = (np.broadcast_to(v[:, None], kept.shape)[kept] for v in (along, steep))
    beside = beside[kept]
    x, y = np.where(steep, beside, along), np.where(steep, along, beside)
    return x, y, share[kept], (np.full(len(x), -np.inf) if line.on_top else far[kept] - _BIAS_M)
