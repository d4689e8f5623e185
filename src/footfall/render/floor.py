"""What lies behind all bodies: the background and the floor with its grid and shadows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from footfall.maths.arrays import Floats
from footfall.render.camera import Camera, Size
from footfall.render.surfaces import Singles

if TYPE_CHECKING:
    from footfall.render.raster import Style
    from footfall.render.stage import ShadowMaps

_BAND = 64
"""Rows of the picture that are computed at a time: their arrays stay in the processor's cache."""

_FARTHEST = 1e6
"""The floor is not seen further away than this, metres."""

Segment = tuple[float, float, float, float]


def draw_backdrop(
    camera: Camera, size: Size, style: Style, segment: Segment, maps: ShadowMaps
) -> Singles:
    """Return the background and the floor (H, W, 3), linear light.

    segment  x, z of both ends of the line that the floor is seen round
    """
    image = draw_background(size, style)
    if style.ground is not None:
        for first in range(0, size[1], _BAND):
            _lay_floor(image, first, camera, style, segment, maps)
    return image


def draw_background(size: Size, style: Style) -> Singles:
    """Return the background alone (H, W, 3), linear light."""
    share = ((np.arange(size[1]) + 0.5) / size[1])[:, None, None]
    above, below = np.array(style.background), np.array(style.horizon)
    image = np.empty((size[1], size[0], 3), np.float32)
    image[:] = above + share * (below - above)
    return image


def _lay_floor(
    image: Singles, first: int, camera: Camera, style: Style, segment: Segment,
    maps: ShadowMaps,
) -> None:  # fmt: skip
    """Draw the floor over a band of rows of the picture."""
    assert style.ground is not None
    height, width = image.shape[:2]
    rows = np.arange(first, min(first + _BAND, height))
    x, z, seen = _meet_floor(camera, (width, height), rows, style.floor)
    at = x[:-1, :-1], z[:-1, :-1]
    columns = np.arange(width)
    across = np.minimum(columns, width - 1 - columns)
    inside = np.minimum(across, np.minimum(rows, height - 1 - rows)[:, None])
    border = _smooth_step(np.minimum(1.0, (inside + 0.5) / max(style.vignette, 1e-3), dtype="f4"))
    away = np.minimum(_distance(at, segment) / np.float32(style.stage_radius), 1.0)
    keep = seen * border * (1.0 - _smooth_step(away))
    light = 1.0 - style.shadow * _sample(maps.shadow, *_texels(maps.to_texel, at, style.floor))
    light *= 1.0 - style.contact * _sample(maps.pool, *_texels(maps.to_pool, at, style.floor))
    light = 1.0 - seen * border * (1.0 - light)
    lines = keep * _grid_cover(x, z, style) if style.grid > 0.0 else np.zeros_like(keep)
    weights = [w * light for w in (1.0 - keep, keep - lines, lines)]
    for channel in range(3):
        band = image[first : first + _BAND, :, channel]
        band *= weights[0]
        for weight, colour in zip(weights[1:], (style.ground, style.grid_colour), strict=True):
            band += weight * np.float32(colour[channel])


def _meet_floor(
    camera: Camera, size: Size, rows: NDArray[np.int_], floor: float
) -> tuple[Floats, Floats, Singles]:
    """Return x and z (R + 1, W + 1) where pixels' rays meet the floor, and (R, W) 1 where they do.

    One more row and column than pixels tell how far a pixel spreads on the floor.
    """
    u = np.arange(size[0] + 1) + 0.5
    v = (np.append(rows, rows[-1] + 1) + 0.5)[:, None]
    near = camera.near if camera.perspective else -1e30
    o, ox, oy, s, sx, sy = camera.rays(size)
    slope = s[1] + u * sx[1] + v * sy[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        hit = (floor - (o[1] + u * ox[1] + v * oy[1])) / slope
    seen = (hit > near) & (np.abs(hit) < _FARTHEST)
    hit = np.where(seen, hit, 0.0)
    x, z = (o[k] + u * ox[k] + v * oy[k] + hit * (s[k] + u * sx[k] + v * sy[k]) for k in (0, 2))
    return x, z, seen[:-1, :-1].astype(np.float32)


def _smooth_step(share: Singles) -> Singles:
    return np.asarray(share * share * (3.0 - 2.0 * share))


def _distance(at: tuple[Floats, Floats], segment: Segment) -> Singles:
    """Return how far points are from a segment, metres."""
    x, z = (at[k] - segment[k] for k in (0, 1))
    x, z = x.astype(np.float32), z.astype(np.float32)
    ex, ez = np.float32(segment[2] - segment[0]), np.float32(segment[3] - segment[1])
    span = ex * ex + ez * ez
    if span > 0.0:
        along = np.clip((x * ex + z * ez) / span, 0.0, 1.0)
        x, z = x - along * ex, z - along * ez
    return np.asarray(np.sqrt(x * x + z * z))


def _grid_cover(x: Floats, z: Floats, style: Style) -> Singles:
    """Return how much of each pixel (R, W) the lines of the grid cover, from corners x, z."""
    size = max(math.hypot(*style.grid_along), 1e-9)
    cos, sin = style.grid_along[0] / size, style.grid_along[1] / size
    most = np.zeros((x.shape[0] - 1, x.shape[1] - 1), np.float32)
    x, z = (x - style.grid_at[0]) / style.grid, (z - style.grid_at[1]) / style.grid
    for a, b in ((cos, sin), (-sin, cos)):
        place = x * a + z * b  # in units of the distance between lines, at the whole numbers
        here = place[:-1, :-1]
        wide = 1e-9 + np.abs(place[:-1, 1:] - here) + np.abs(place[1:, :-1] - here)
        wide = wide.astype(np.float32)
        off = np.abs(here - np.rint(here)).astype(np.float32)
        half = np.maximum(np.float32(0.5 * style.grid_width / style.grid), 0.6 * wide)
        reach = np.minimum(off + 0.5 * wide, half) - np.maximum(off - 0.5 * wide, -half)
        # Lines that come closer than a few pixels to each other fade out before they flicker.
        fade = np.clip(2.0 - 12.0 * wide, 0.0, 1.0)
        most = np.maximum(most, np.maximum(reach, 0.0) / wide * fade)
    return most


def _texels(matrix: Floats, at: tuple[Floats, Floats], floor: float) -> tuple[Floats, Floats]:
    """Return texel x and y of points of the floor, by the first two rows of a matrix (2, 4)."""
    x, y = (row[0] * at[0] + row[2] * at[1] + (row[1] * floor + row[3]) for row in matrix[:2])
    return x, y


def _sample(image: Singles, x: Floats, y: Floats) -> Singles:
    """Return the bilinear value of (N, M) at texel coordinates; 0 outside."""
    if not image.size:
        return np.zeros(x.shape, np.float32)
    out = np.zeros(x.shape, np.float32)
    near = (x > -0.5) & (y > -0.5) & (x < image.shape[1] + 0.5) & (y < image.shape[0] + 0.5)
    padded = np.pad(image, 1)
    x, y = x[near] + 0.5, y[near] + 0.5
    j, i = x.astype(np.int32), y.astype(np.int32)
    s, t = x - j, y - i
    upper = padded[i, j] * (1.0 - s) + padded[i, j + 1] * s
    lower = padded[i + 1, j] * (1.0 - s) + padded[i + 1, j + 1] * s
    out[near] = upper * (1.0 - t) + lower * t
    return out
