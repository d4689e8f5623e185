"""A scene that stays as it is in many pictures, while bodies move through it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from footfall.maths.arrays import Bools, Ints
from footfall.render.camera import Camera, Size
from footfall.render.floor import draw_background
from footfall.render.lines import LineCover
from footfall.render.raster import DrawItem, Picture, Style, encode, light_direction, make_look
from footfall.render.stage import texel_size, view_along, with_windows
from footfall.render.surfaces import Assembled, Singles, Visible, assemble, find_visible

_TALL_M = 2.4
"""Bodies above everything that stays, up to this height, cast their whole shadow."""
_OFF_M = 0.012
"""Shadows are looked up this far off a surface; see `shade`."""


class StillScene:
    """Meshes that stay; a picture with more of them costs little where nothing changes.

    There is no floor beside the meshes, and creases are not darkened (`Style.occlusion`), so a
    pixel changes only where a body or its shadow comes or goes.
    """

    def __init__(
        self, meshes: Sequence[DrawItem], camera: Camera, size: Size, style: Style
    ) -> None:
        self._camera, self._size = camera, size
        self._fine = (size[0] * style.supersample, size[1] * style.supersample)
        self._scene = assemble(meshes)
        light = light_direction(camera, style)
        points = self._scene.vertices
        points = np.concatenate([points, points + np.array([0.0, _TALL_M, 0.0])])
        self._view = view_along(points, -light, texel_size(points, camera, size))
        self._look = make_look(camera, self._fine, style, light, self._view.to_texel)
        self._back = self._image = draw_background(size, style)
        self._seen = self._look_at(self._scene, None)
        self._casters = self._view.find_casters(self._scene, self._scene.strengths > 0.0)
        self._texels = self._find_texels()
        everywhere = np.ones(size[::-1], np.bool_)
        self._image = self._shade(self._scene, self._seen, self._casters, everywhere)

    def picture(self, more: Sequence[DrawItem], lines: LineCover | None = None) -> Picture:
        """Return a picture (H, W, 3), sRGB bytes, of the scene and of more meshes in it."""
        scene = assemble([self._scene, *more])
        seen = self._look_at(scene, self._seen)
        casters = self._view.find_casters(scene, scene.strengths > 0.0, before=self._casters)
        changed = self._reach_of(casters.depth != self._casters.depth).ravel()[self._texels]
        changed |= seen.faces != self._seen.faces
        factor = self._fine[0] // self._size[0]
        blocks = changed.reshape(self._size[1], factor, self._size[0], factor)
        only = np.asarray(blocks.any(axis=(1, 3)))
        image = self._shade(scene, seen, casters, only)
        if lines is not None:
            lines.blend(seen.depth, image)
        return encode(image)

    def _look_at(self, scene: Assembled, before: Visible | None) -> Visible:
        near = self._camera.near if self._camera.perspective else -1e30
        points = self._camera.homogeneous(scene.vertices, self._fine)
        return find_visible(points, scene.triangles, near, self._fine, before)

    def _shade(self, scene: Assembled, seen: Visible, casters: Visible, only: Bools) -> Singles:
        """Return the picture of the scene (H, W, 3), linear light, drawn anew where `only` says."""
        from footfall.render.kernels import shade

        image = np.where(only[..., None], self._back, self._image)
        shade(
            *seen, scene.triangles, scene.shading, scene.surfaces, with_windows(casters.depth),
            self._look, 0, self._size[1], only, image,
        )  # fmt: skip
        return image

    def _find_texels(self) -> Ints:
        """Return (H, W) which texel of the shadow map each fine pixel lies in."""
        u, v = np.arange(self._fine[0]) + 0.5, (np.arange(self._fine[1]) + 0.5)[:, None]
        rays = self._camera.rays(self._fine)
        depth = np.where(self._seen.faces == -1, 0.0, self._seen.depth)
        at = []
        for row, most in zip(self._view.to_texel[:2], self._view.size, strict=True):
            o, ox, oy, s, sx, sy = rays @ row[:3]
            place = o + u * ox + v * oy + depth * (s + u * sx + v * sy) + row[3]
            at.append(np.clip(place - 0.5, 0, most - 1).astype(np.int32))
        return np.asarray(at[1] * self._view.size[0] + at[0])

    def _reach_of(self, changed: Bools) -> Bools:
        """Return (N, M) where a pixel in a texel may see any of the changed texels."""
        reach = changed.astype(np.float32)
        for _ in range(1 + math.ceil((_OFF_M / self._view.texel + 1.0) / 2.0)):
            reach = with_windows(reach)[2]
        return reach > 0.0
