"""The stage that bodies stand on: what they darken of it, seen from the light and from above."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from footfall.maths.arrays import Floats
from footfall.render.camera import Camera, Size

if TYPE_CHECKING:
    from footfall.render.raster import Assembled, Style

_TEXELS = 2048
"""The most texels along one side of a map."""

_HEIGHTS = (0.0, 0.1, 0.25, 0.5, 0.9, 1.5, 2.6)
"""Metres that the light travels from what blocks it to the floor: one layer of blur for each."""


@dataclass(frozen=True, eq=False)
class ShadowMaps:
    """What the light does not reach.

    towards_light  (3,) unit vector
    nearest        (N, M) depth of the first surface along the light, metres
    to_texel       (3, 4) from a world point (x, y, z, 1) to texel x, texel y and depth
    shadow         (N, M) darkness of the floor where each texel's ray of light meets it
    pool           (K, L) darkness of the floor under what is close above it
    to_pool        (2, 4) from a world point to texel x, texel y of `pool`
    """

    towards_light: Floats
    nearest: NDArray[np.float32]
    to_texel: Floats
    shadow: NDArray[np.float32]
    pool: NDArray[np.float32]
    to_pool: Floats


def cast_shadows(
    scene: Assembled, style: Style, towards_light: Floats, camera: Camera, size: Size
) -> ShadowMaps:
    """Shadow maps for everything in the scene that casts a shadow."""
    casting = scene.triangles[scene.strengths > 0.0]
    if not casting.size or (style.shadow <= 0.0 and style.contact <= 0.0):
        nothing = np.zeros((0, 0), dtype=np.float32)
        return ShadowMaps(
            towards_light, nothing, np.zeros((3, 4)), nothing, nothing, np.zeros((2, 4))
        )
    used = scene.vertices[np.unique(casting)]
    texel = _texel(used, camera, size)
    nearest, furthest, strength, to_texel, texel = _ranges(scene, used, -towards_light, texel)
    shadow = np.zeros_like(nearest)
    if style.ground is not None and style.shadow > 0.0 and towards_light[1] > 0.05:
        shadow = _soft_shadow(furthest, strength, to_texel, texel, towards_light, style.floor)
    if style.ground is None:  # no floor that could be darkened
        return ShadowMaps(
            towards_light, nearest, to_texel, shadow, np.zeros((0, 0), np.float32), np.zeros((2, 4))
        )
    pool, to_pool = _contact_pool(scene, used, texel, style)
    return ShadowMaps(towards_light, nearest, to_texel, shadow, pool, to_pool)


def _texel(points: Floats, camera: Camera, size: Size) -> float:
    """Metres per texel: about one pixel of the picture where the casting things are."""
    pixel = camera.height / size[1]
    if camera.perspective:
        depth = camera.view(points)[:, 2]
        pixel *= float(np.clip(np.median(depth), camera.near, 1e4))
    return float(np.clip(1.2 * pixel, 0.003, 10.0))


def _ranges(
    scene: Assembled, points: Floats, along: Floats, texel: float
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32], Floats, float]:
    """Nearest and furthest depth, strength, world to texels, and metres per texel, for light
    that travels `along` (3,), over all `points` (N, 3) with room round them for blur."""
    from footfall.render.raster_kernels import fill_range

    aside = np.cross(along, [0.0, 0.0, 1.0] if abs(along[2]) < 0.9 else [1.0, 0.0, 0.0])
    aside /= np.linalg.norm(aside)
    axes = np.stack([aside, np.cross(along, aside), along])
    flat = points @ axes.T
    room = 0.45
    low, high = flat.min(axis=0)[:2] - room, flat.max(axis=0)[:2] + room
    texel = max(texel, float((high - low).max()) / _TEXELS)
    columns, rows = (int(n) for n in np.ceil((high - low) / texel))
    to_texel = np.concatenate([axes, np.zeros((3, 1))], axis=1)
    to_texel[:2] /= texel
    to_texel[:2, 3] = -low / texel
    mapped = scene.vertices @ to_texel[:, :3].T + to_texel[:, 3]
    nearest = np.full((rows, columns), np.inf, dtype=np.float32)
    furthest = np.full((rows, columns), -np.inf, dtype=np.float32)
    strength = np.zeros((rows, columns), dtype=np.float32)
    fill_range(mapped, scene.triangles, scene.strengths, nearest, furthest, strength)
    return nearest, furthest, strength, to_texel, texel


def _soft_shadow(
    furthest: NDArray[np.float32], strength: NDArray[np.float32], to_texel: Floats, texel: float,
    towards_light: Floats, floor: float,
) -> NDArray[np.float32]:  # fmt: skip
    """(N, M) darkness of the floor, sharp where the blocking surface is near and soft where far.

    The blockers are cut into layers by how far the light still travels from them to the floor;
    each layer is blurred as wide as a broad lamp would blur it there.
    """
    rows, columns = furthest.shape
    # A texel's ray is the set of points p with axes @ p = (x, y, depth); on the floor p.y is known.
    axes = to_texel[:, :3] * np.array([[texel], [texel], [1.0]])
    x = (np.arange(columns) + 0.5) * texel - to_texel[0, 3] * texel
    y = (np.arange(rows) + 0.5) * texel - to_texel[1, 3] * texel
    # p.y = x axes[0].y + y axes[1].y + depth axes[2].y
    at_floor = (floor - x[None, :] * axes[0, 1] - y[:, None] * axes[1, 1]) / axes[2, 1]
    travel = np.clip(at_floor - furthest, 0.0, _HEIGHTS[-1])
    light = np.ones((rows, columns), dtype=np.float32)
    blocked = strength > 0.0
    for k, height in enumerate(_HEIGHTS):
        before = _HEIGHTS[k - 1] if k else -1.0
        after = _HEIGHTS[k + 1] if k + 1 < len(_HEIGHTS) else height + 1.0
        share = np.interp(travel, [before, height, after], [0.0, 1.0, 0.0])
        layer = np.where(blocked, share * strength, 0.0).astype(np.float32)
        if not layer.any():
            continue
        layer = blur(layer, max(1, round((0.006 + 0.035 * height) / texel)))
        light *= 1.0 - layer * (1.0 - 0.12 * height)
    return 1.0 - light


def _contact_pool(
    scene: Assembled, points: Floats, texel: float, style: Style
) -> tuple[NDArray[np.float32], Floats]:
    """(K, L) how much of the sky is hidden from the floor by what is close above it."""
    down = np.array([0.0, -1.0, 0.0])
    _, lowest, strength, to_texel, texel = _ranges(scene, points, down, max(texel, 0.008))
    height = np.clip(-lowest - style.floor, 0.0, 10.0)
    above = np.where(strength > 0.0, strength, 0.0)
    tight = (above * np.exp(-height / 0.05)).astype(np.float32)
    wide = (above * np.exp(-height / 0.3)).astype(np.float32)
    tight = blur(tight, max(1, round(0.012 / texel)))
    wide = blur(wide, max(1, round(0.07 / texel)))
    return np.clip(0.75 * tight + 0.7 * wide, 0.0, 1.0).astype(np.float32), to_texel[:2].copy()


def blur(image: NDArray[np.float32], radius: int) -> NDArray[np.float32]:
    """Blur (N, M) by three box filters of `radius` texels each way.

    Three boxes are a fair Gaussian of standard deviation sqrt(radius (radius + 1)); running
    sums make the cost independent of the radius. Outside the map there is nothing.
    """
    out = np.zeros(image.shape, np.float32)
    rows, columns = np.flatnonzero(image.any(axis=1)), np.flatnonzero(image.any(axis=0))
    if not len(rows):
        return out
    # Only what the blur can reach is looked at.
    inside = tuple(
        slice(max(at[0] - 3 * radius, 0), at[-1] + 3 * radius + 1) for at in (rows, columns)
    )
    part = image[inside].astype(np.float64)
    for _ in range(2):  # along the columns, then along the rows
        part = np.ascontiguousarray(part.T)
        length = len(part)
        last = np.minimum(np.arange(length) + radius, length - 1) + 1
        first = np.maximum(np.arange(length) - radius, 0)
        sums = np.zeros((length + 1, part.shape[1]))
        for _ in range(3):
            np.cumsum(part, axis=0, out=sums[1:])
            part = (sums[last] - sums[first]) / (2 * radius + 1)
    out[inside] = np.maximum(part, 0.0)
    return out
