"""Cameras: from metres in the world to pixels, and back along rays.

Pixel coordinates grow to the right and downwards; the centre of the first pixel is (0.5, 0.5).
Depth is the distance from the eye along the viewing axis, in metres.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from footfall.errors import InputError, check_range
from footfall.maths.arrays import Floats, frozen_floats

Size = tuple[int, int]
"""Width and height of a picture in pixels."""


@dataclass(frozen=True, eq=False)
class Camera:
    """An eye that looks along an axis, in perspective or orthographically.

    eye     (3,) where it stands, metres
    axes    (3, 3) rows: right, up and forward, unit and at right angles, world coordinates
    height  metres seen from the bottom of the picture to its top: everywhere if orthographic,
            at a distance of one metre if in perspective
    near    nothing nearer than this is drawn, metres (perspective alone)
    """

    eye: Floats
    axes: Floats
    height: float
    perspective: bool = True
    near: float = 0.05

    def __post_init__(self) -> None:
        object.__setattr__(self, "eye", frozen_floats(self.eye, (3,), "eye"))
        axes = frozen_floats(self.axes, (3, 3), "axes")
        if np.abs(axes @ axes.T - np.eye(3)).max() > 1e-6:
            raise InputError("the camera's axes are not unit vectors at right angles")
        object.__setattr__(self, "axes", axes)
        check_range("the height that the camera sees", self.height, above=0.0, unit="m")

    @property
    def forward(self) -> Floats:
        """(3,) the unit vector along which the camera looks."""
        forward: Floats = self.axes[2]
        return forward

    def view(self, points: ArrayLike) -> Floats:
        """(N, 3) points in the camera's own axes: right, up, depth, in metres."""
        out: Floats = (np.asarray(points, dtype=np.float64) - self.eye) @ self.axes.T
        return out

    def homogeneous(self, points: ArrayLike, size: Size) -> Floats:
        """(N, 4) rows (x w, y w, w, depth): x, y in pixels once divided by w.

        w is the depth in perspective and one otherwise, so points behind the eye stay exact.
        """
        seen = self.view(points)
        scale = size[1] / self.height
        w = seen[:, 2] if self.perspective else np.ones(len(seen))
        x = seen[:, 0] * scale + 0.5 * size[0] * w
        y = 0.5 * size[1] * w - seen[:, 1] * scale
        return np.stack([x, y, w, seen[:, 2]], axis=1)

    def project(self, points: ArrayLike, size: Size) -> Floats:
        """(N, 3) pixel x, pixel y and depth; not a number for points behind the eye."""
        flat = self.homogeneous(np.asarray(points, dtype=np.float64).reshape(-1, 3), size)
        w = np.where(flat[:, 2] > 0.0, flat[:, 2], np.nan)
        return np.stack([flat[:, 0] / w, flat[:, 1] / w, flat[:, 3]], axis=1)

    def rays(self, size: Size) -> Floats:
        """(6, 3) how pixels become rays, as three rows for the origin and three for the slope.

        A pixel (x, y) at depth d is the point o + x ox + y oy + d (s + x sx + y sy).
        """
        right, up, forward = self.axes
        scale = self.height / size[1]
        across, down = right * scale, -up * scale
        corner = -0.5 * (size[0] * across + size[1] * down)
        zero = np.zeros(3)
        if self.perspective:
            return np.stack([self.eye, zero, zero, forward + corner, across, down])
        return np.stack([self.eye + corner, across, down, forward, zero, zero])


def look_at(
    eye: ArrayLike, target: ArrayLike, *, field_of_view: float, up: ArrayLike = (0.0, 1.0, 0.0)
) -> Camera:
    """A perspective camera; `field_of_view` is from bottom to top, in radians."""
    check_range("the field of view", field_of_view, above=0.0, below=math.pi, unit="radians")
    axes = _axes(np.subtract(target, eye), up)
    return Camera(np.asarray(eye, dtype=np.float64), axes, 2.0 * math.tan(field_of_view / 2.0))


def orthographic(
    target: ArrayLike, direction: ArrayLike, *, height: float, up: ArrayLike = (0.0, 1.0, 0.0)
) -> Camera:
    """A camera without perspective that looks along `direction`, `target` in the middle."""
    axes = _axes(direction, up)
    return Camera(np.asarray(target, dtype=np.float64), axes, height, perspective=False)


def fit_camera(
    points: ArrayLike, direction: ArrayLike, *, size: Size, field_of_view: float,
    margin: float = 0.05, up: ArrayLike = (0.0, 1.0, 0.0),
) -> Camera:  # fmt: skip
    """The nearest perspective camera looking along `direction` that sees all `points` (N, 3).

    `margin` is the share of the picture left free on each side. The points' outermost rays
    touch the margins on the tighter pair of sides and lie evenly between the other two.
    """
    axes = _axes(direction, up)
    points = np.asarray(points, dtype=np.float64).reshape(-1, 3)
    middle = points.mean(axis=0)
    x, y, z = ((points - middle) @ axes.T).T
    slope_y = math.tan(field_of_view / 2.0) * (1.0 - 2.0 * margin)
    slope_x = math.tan(field_of_view / 2.0) * size[0] / size[1] - math.tan(
        field_of_view / 2.0
    ) * 2.0 * margin * min(1.0, size[0] / size[1])
    # Every point asks for |x - cx| <= slope (z - cz): the two extreme planes of each pair meet
    # in the eye that is right for that pair, and the further of the two eyes serves both.
    across = (np.max(x - slope_x * z), np.max(-x - slope_x * z))
    along = (np.max(y - slope_y * z), np.max(-y - slope_y * z))
    depth = min(-(across[0] + across[1]) / (2 * slope_x), -(along[0] + along[1]) / (2 * slope_y))
    depth = min(depth, float(z.min()) - 0.2)
    eye = middle + np.array(
        [(across[0] - across[1]) / 2, (along[0] - along[1]) / 2, depth]
    ) @ axes  # fmt: skip
    return Camera(eye, axes, 2.0 * math.tan(field_of_view / 2.0))


def _axes(direction: ArrayLike, up: ArrayLike) -> Floats:
    forward = np.asarray(direction, dtype=np.float64)
    length = float(np.linalg.norm(forward))
    if not (math.isfinite(length) and length > 1e-12):
        raise InputError("the camera looks nowhere", remedy="its target must differ from its eye")
    forward = forward / length
    right = np.cross(forward, np.asarray(up, dtype=np.float64))
    if np.linalg.norm(right) < 1e-9:  # looking straight up or down: any right will do
        right = np.cross(forward, [0.0, 0.0, -1.0] if abs(forward[2]) < 0.9 else [1.0, 0.0, 0.0])
    right = right / np.linalg.norm(right)
    return np.stack([right, np.cross(right, forward), forward])
