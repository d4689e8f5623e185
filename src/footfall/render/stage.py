"""The stage that bodies stand on: what they darken of it, seen from the light and from above."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from footfall.maths.arrays import Floats
from footfall.render.camera import Camera, Size
from footfall.render.surfaces import Assembled, Visible, find_visible

if TYPE_CHECKING:
    from footfall.render.raster import Style

_TEXELS = 2048
"""The most texels along one side of a map."""

_HEIGHTS = (0.0, 0.1, 0.25, 0.5, 0.9, 1.5, 2.6)
"""Metres that the light travels from what blocks it to the floor: one layer of blur for each."""


@dataclass(frozen=True, eq=False)
class ShadowMaps:
    """What the light does not reach.

    blockers       (3, N, M) depth of the first surface along the light, metres, and the least and
                   the most of it in the window of 6 by 6 texels about each texel
    to_texel       (3, 4) from a world point (x, y, z, 1) to texel x, texel y and depth
    shadow         (N, M) darkness of the floor where each texel's ray of light meets it
    pool           (K, L) darkness of the floor under what is close above it
    to_pool        (2, 4) from a world point to texel x, texel y of `pool`
    """

    blockers: NDArray[np.float32]
    to_texel: Floats
    shadow: NDArray[np.float32]
    pool: NDArray[np.float32]
    to_pool: Floats


def cast_shadows(
    scene: Assembled, style: Style, towards_light: Floats, camera: Camera, size: Size
) -> ShadowMaps:
    """Return shadow maps of everything in the scene that casts a shadow."""
    nothing = np.zeros((0, 0), dtype=np.float32)
    shadow, pool, to_pool = nothing, nothing, np.zeros((2, 4))
    casting = scene.strengths > 0.0
    if not casting.any() or (style.shadow <= 0.0 and style.contact <= 0.0):
        none = np.zeros((3, 0, 0), dtype=np.float32)
        return ShadowMaps(none, np.zeros((3, 4)), shadow, pool, to_pool)
    is_used = np.zeros(len(scene.vertices), np.bool_)
    is_used[scene.triangles[casting]] = True
    used = scene.vertices[is_used]
    view = view_along(used, -towards_light, texel_size(used, camera, size))
    nearest = view.find_depths(scene, casting)[0]
    if style.ground is not None:  # else there is no floor that could be darkened
        shadow = np.zeros_like(nearest)
        if style.shadow > 0.0 and towards_light[1] > 0.05:
            shadow = _soft_shadow(view, scene, casting, style.floor)
        pool, to_pool = _contact_pool(scene, casting, used, view.texel, style)
    return ShadowMaps(with_windows(nearest), view.to_texel, shadow, pool, to_pool)


def with_windows(nearest: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return depths (3, N, M) with the least and the most of texels from 2 before to 3 after."""
    out = np.stack([nearest] * 3)
    for values, choose in ((out[1], np.minimum), (out[2], np.maximum)):
        for along in (values, values.T):
            two = choose(along[:-1], along[1:])
            four = choose(two[:-2], two[2:])
            along[2:-3] = choose(four[:-2], two[4:])
    return out


def texel_size(points: Floats, camera: Camera, size: Size) -> float:
    """Metres per texel: about one pixel of the picture where the casting things are."""
    pixel = camera.height / size[1]
    if camera.perspective:
        depth = camera.view(points)[:, 2]
        pixel *= float(np.clip(np.median(depth), camera.near, 1e4))
    return float(np.clip(1.2 * pixel, 0.003, 10.0))


class LightView(NamedTuple):
    """Parallel rays through a map of texels.

    to_texel  (3, 4) from a world point (x, y, z, 1) to texel x, texel y and depth
    texel     metres per texel
    size      texels across and down
    """

    to_texel: Floats
    texel: float
    size: tuple[int, int]

    def find_depths(
        self, scene: Assembled, casting: NDArray[np.bool_], last: bool = False
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the depth of the first surface along each ray, or the last, and its strength."""
        seen = self.find_casters(scene, casting, -1.0 if last else 1.0)
        faces = np.where(seen.faces < -1, -2 - seen.faces, seen.faces)
        strengths = np.append(scene.strengths[casting], 0.0).astype(np.float32)
        return (-seen.depth if last else seen.depth), strengths[faces]

    def find_casters(
        self, scene: Assembled, casting: NDArray[np.bool_], sign: float = 1.0,
        before: Visible | None = None,
    ) -> Visible:  # fmt: skip
        """Return the first surface along each ray, or the last if `sign` is -1."""
        points = np.ones((len(scene.vertices), 4))
        points[:, [0, 1, 3]] = scene.vertices @ self.to_texel[:, :3].T + self.to_texel[:, 3]
        points[:, 3] *= sign
        return find_visible(points, scene.triangles[casting], -1e30, self.size, before)


def view_along(points: Floats, along: Floats, texel: float) -> LightView:
    """Return the view along a direction (3,) of all points (N, 3), with room for blur."""
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
    return LightView(to_texel, texel, (columns, rows))


def _soft_shadow(
    view: LightView, scene: Assembled, casting: NDArray[np.bool_], floor: float
) -> NDArray[np.float32]:
    """(N, M) darkness of the floor, sharp where the blocking surface is near and soft where far.

    The blockers are cut into layers by how far the light still travels from them to the floor;
    each layer is blurred as wide as a broad lamp would blur it there.
    """
    furthest, strength = view.find_depths(scene, casting, last=True)
    to_texel, texel = view.to_texel, view.texel
    rows, columns = furthest.shape
    # A texel's ray is the set of points p with axes @ p = (x, y, depth); on the floor p.y is known.
    axes = to_texel[:, :3] * np.array([[texel], [texel], [1.0]])
    x = (np.arange(columns) + 0.5) * texel - to_texel[0, 3] * texel
    y = (np.arange(rows) + 0.5) * texel - to_texel[1, 3] * texel
    # p.y = x axes[0].y + y axes[1].y + depth axes[2].y
    at_floor = (floor - x[None, :] * axes[0, 1] - y[:, None] * axes[1, 1]) / axes[2, 1]
    travel = np.clip(at_floor - furthest, 0.0, _HEIGHTS[-1]).astype(np.float32)
    light = np.ones((rows, columns), dtype=np.float32)
    for k, height in enumerate(_HEIGHTS):
        before = _HEIGHTS[k - 1] if k else -1.0
        after = _HEIGHTS[k + 1] if k + 1 < len(_HEIGHTS) else height + 1.0
        share = np.minimum(
            (travel - before) / (height - before), (after - travel) / (after - height)
        )
        layer = np.clip(share, 0.0, 1.0) * strength
        if not layer.any():
            continue
        layer = blur(layer, max(1, round((0.006 + 0.035 * height) / texel)))
        light *= 1.0 - layer * (1.0 - 0.12 * height)
    return 1.0 - light


def _contact_pool(
    scene: Assembled, casting: NDArray[np.bool_], points: Floats, texel: float, style: Style
) -> tuple[NDArray[np.float32], Floats]:
    """(K, L) how much of the sky is hidden from the floor by what is close above it."""
    down = np.array([0.0, -1.0, 0.0])
    view = view_along(points, down, max(texel, 0.008))
    lowest, strength = view.find_depths(scene, casting, last=True)
    texel = view.texel
    height = np.clip(-lowest - style.floor, 0.0, 10.0)
    above = np.where(strength > 0.0, strength, 0.0)
    tight = (above * np.exp(-height / 0.05)).astype(np.float32)
    wide = (above * np.exp(-height / 0.3)).astype(np.float32)
    tight = blur(tight, max(1, round(0.012 / texel)))
    wide = blur(wide, max(1, round(0.07 / texel)))
    return np.clip(0.75 * tight + 0.7 * wide, 0.0, 1.0).astype(np.float32), view.to_texel[:2]


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
