"""Surfaces that a camera or a lamp sees: meshes joined into arrays, and the nearest triangles.

A triangle is seen through three planes, one for each edge and all through the eye (Olano & Greer
1997). So a triangle that reaches behind the eye is drawn without clipping, and the weights of its
corners are right in perspective.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from footfall.maths.arrays import Floats, Ints

if TYPE_CHECKING:
    from footfall.render.raster import DrawItem

Singles = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Assembled:
    """All items of a picture as one set of arrays.

    vertices   (V, 3) metres, world
    triangles  (F, 3)
    shading    (V, 6) float32: normal, colour
    surfaces   (F, 6) float32: colour, fade, uses the vertices' colours, is lit
    strengths  (F,) how dark the shadow of each triangle is, 0 to 1
    """

    vertices: Floats
    triangles: Ints
    shading: Singles
    surfaces: Singles
    strengths: Floats


def assemble(items: Sequence[DrawItem | Assembled]) -> Assembled:
    """Join items into one set of arrays; items without normals get corners of their own."""
    rows = [item if isinstance(item, Assembled) else _arrays(item) for item in items]
    counts = np.cumsum([0, *(len(row.vertices) for row in rows)])
    empty = Assembled(
        np.zeros((0, 3)), np.zeros((0, 3), np.int32), np.zeros((0, 6), np.float32),
        np.zeros((0, 6), np.float32), np.zeros(0),
    )  # fmt: skip
    moved = [row.triangles + n for row, n in zip(rows, counts[:-1], strict=True)]
    parts = [empty, *rows]
    return Assembled(
        np.concatenate([part.vertices for part in parts]),
        np.concatenate([empty.triangles, *moved]).astype(np.int32),
        np.concatenate([part.shading for part in parts]),
        np.concatenate([part.surfaces for part in parts]),
        np.concatenate([part.strengths for part in parts]),
    )  # fmt: skip


def _arrays(item: DrawItem) -> Assembled:
    vertices, triangles, normals = item.vertices, item.triangles, item.normals
    colours = item.vertex_colours
    if normals is None:  # every face has three corners of its own, and its normal at each
        colours = None if colours is None else colours[triangles].reshape(-1, 3)
        corners = vertices[triangles]
        across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        across /= np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-300)
        vertices, normals = corners.reshape(-1, 3), np.repeat(across, 3, axis=0)
        triangles = np.arange(len(vertices), dtype=np.int32).reshape(-1, 3)
    shading = np.zeros((len(vertices), 6), np.float32)
    shading[:, :3] = normals
    if colours is not None:
        shading[:, 3:] = colours
    surfaces = np.empty((len(triangles), 6), np.float32)
    surfaces[:, :3] = item.colours
    surfaces[:, 3:] = item.fade, colours is not None, item.lit
    strength = 1.0 - item.fade if item.casts_shadow else 0.0
    return Assembled(vertices, triangles, shading, surfaces, np.full(len(triangles), strength))


class Visible(NamedTuple):
    """What is seen in each pixel.

    depth   (H, W) float32, infinity where there is nothing
    faces   (H, W) int32: f from the front of a triangle, -2 - f from its back, -1 for none
    planes  (F, 12): of each triangle the planes of its edges, then the depths of its corners
    """

    depth: Singles
    faces: Ints
    planes: Floats


def find_visible(
    points: Floats, triangles: Ints, near: float, size: tuple[int, int],
    before: Visible | None = None,
) -> Visible:  # fmt: skip
    """Return the nearest triangle in each pixel.

    points  (V, 4) rows (x w, y w, w, depth); see `Camera.homogeneous`
    near    nothing nearer than this is seen
    size    width and height, pixels
    before  what was found with the first of the triangles alone
    """
    from footfall.render.kernels import fill

    if before is None:
        nothing = np.full(size[::-1], np.inf, np.float32), np.full(size[::-1], -1, np.int32)
        before = Visible(*nothing, np.empty((0, 12)))
    depth, faces, known = before.depth.copy(), before.faces.copy(), len(before.planes)
    rest = triangles[known:]
    planes, boxes = np.empty((len(triangles), 12)), np.empty((len(rest), 4), np.int32)
    planes[:known] = before.planes
    for axis, (low, high) in enumerate(_bounds(points, rest, max(near, 1e-9))):
        boxes[:, 2 * axis] = np.clip(low - 0.5, 0.0, size[axis])
        boxes[:, 2 * axis + 1] = np.clip(high + 0.5, -1.0, size[axis] - 1.0)
    fill(points, rest, boxes, near, planes[known:], depth, faces, known)
    return Visible(depth, faces, planes)


def _bounds(points: Floats, triangles: Ints, near: float) -> list[tuple[Floats, Floats]]:
    """Return the least and the most pixel x, then y, of triangles' parts before w = near.

    Without the plane, what reaches behind the eye might cover the whole picture.
    """
    columns = np.ascontiguousarray(points[:, :3].T)
    corners = [columns[:, triangles[:, n]] for n in range(3)]  # (3, F) each
    before = [corner[2] >= near for corner in corners]
    whole = before[0] & before[1] & before[2]
    cut = np.flatnonzero((before[0] | before[1] | before[2]) & ~whole)
    found = []
    for axis in range(2):
        with np.errstate(divide="ignore", invalid="ignore"):
            at = [corner[axis] / corner[2] for corner in corners]
        low, high = np.minimum(*at[:2]), np.maximum(*at[:2])
        low, high = np.minimum(low, at[2]), np.maximum(high, at[2])
        low[~whole], high[~whole] = np.inf, -np.inf
        for n in range(3 if len(cut) else 0):
            a, b = corners[n][:, cut], corners[(n + 1) % 3][:, cut]
            kept = np.where(before[n][cut], at[n][cut], np.nan)
            meets = before[n][cut] != before[(n + 1) % 3][cut]  # where an edge meets the plane
            share = (near - a[2]) / np.where(meets, b[2] - a[2], 1.0)
            there = np.where(meets, (a[axis] + share * (b[axis] - a[axis])) / near, np.nan)
            low[cut] = np.fmin(low[cut], np.fmin(kept, there))
            high[cut] = np.fmax(high[cut], np.fmax(kept, there))
        found.append((low, high))
    return found
