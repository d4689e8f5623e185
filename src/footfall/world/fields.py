"""Fields of a scene on a grid: height, footing and clearance, each computed once per scene.

A `Grid` is square cells over the ground; a field holds one value per cell. The scene keeps the
fields that were asked for last, so methods that need the same field share it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from footfall.maths import planar
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.world.collision.queries import FootBox, Placements, body_clearance, foot_placements
from footfall.world.scene import Scene

_YAWS = tuple(np.pi * np.arange(4) / 4.0)
"""Directions of the soles that are tried in a cell, radians; a sole is the same both ways."""
_SURE_SLOPE, _SURE_M = 0.05, 0.01
"""How steep, radians, and how rough, metres, ground may be that carries a foot in any direction."""


@dataclass(frozen=True)
class Grid:
    """I x J square cells of `cell_m` metres, counted from a corner at (x, z).

    first   the column and row of the first cell; not 0 in a part of a larger grid
    middle_at  where in a cell its point is: 0.5 for the middle, 0 for the corner
    pose    x, z and yaw in the scene of the axes that cells lie along
    """

    x: float
    z: float
    cell_m: float
    shape: tuple[int, int]
    first: tuple[int, int] = (0, 0)
    middle_at: float = 0.5
    pose: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @property
    def low(self) -> Floats:
        """(2,) x and z of the corner that cells are counted from, metres."""
        return np.array([self.x, self.z])

    @cached_property
    def own_points(self) -> Floats:
        """(I * J, 2) the points of all cells along the axes of the grid, metres."""
        x, z = (
            low + (np.arange(first, first + count) + self.middle_at) * self.cell_m
            for low, first, count in zip((self.x, self.z), self.first, self.shape, strict=True)
        )
        return np.stack(np.meshgrid(x, z, indexing="ij"), axis=-1).reshape(-1, 2)

    @cached_property
    def points(self) -> Floats:
        """(I * J, 2) the points of all cells in the scene, metres."""
        return planar.apply_to_ground(np.array(self.pose), self.own_points)

    def cells(self, points: Floats) -> tuple[Ints, Ints]:
        """Return columns (N,) and rows (N,) of points (N, 2), or of the nearest cells."""
        at = np.floor((points - self.low) / self.cell_m).astype(int)
        i, j = np.clip(at, 0, np.array(self.shape) - 1).T
        return i, j

    def cell(self, x: float, z: float) -> tuple[int, int]:
        """Return the cell of a point, or the nearest cell."""
        i, j = self.cells(np.array([[x, z]]))
        return int(i[0]), int(j[0])

    def middle(self, cells: Ints) -> Floats:
        """Return the middles (..., 2) of cells (..., 2), metres."""
        return np.asarray(self.low + (cells + 0.5) * self.cell_m)

    def part(self, first: Ints, stop: Ints) -> Grid:
        """Return the cells from `first` up to `stop`, two numbers each."""
        (i, j), (k, l) = np.asarray(first).tolist(), np.asarray(stop).tolist()
        return replace(self, shape=(k - i, l - j), first=(i, j))


def scene_grid(scene: Scene, cell_m: float, most_cells: int) -> Grid:
    """Return a grid over the outline of a scene, coarser than asked if it is very large."""
    low, high = scene.outline.min(axis=0), scene.outline.max(axis=0)
    side = max(cell_m, float(np.sqrt(np.prod(high - low) / most_cells)))
    count = np.maximum(np.ceil((high - low) / side).astype(int), 2)
    return Grid(float(low[0]), float(low[1]), side, (int(count[0]), int(count[1])))


def height_field(scene: Scene, grid: Grid) -> Floats:
    """Return the height (I, J) of the highest surface, metres; NaN where there is none."""
    return scene.keep(
        ("height field", grid), lambda: np.asarray(scene.height(grid.points)).reshape(grid.shape)
    )


def placement_field(scene: Scene, grid: Grid, sole: FootBox, yaw: float) -> Placements:
    """Return what becomes of a sole that points to `yaw` on each of the I * J cells."""
    at = np.column_stack([grid.points, np.full(len(grid.points), yaw)])
    return foot_placements(scene, at, sole)


def footing_field(
    scene: Scene, grid: Grid, sole: FootBox, yaws: tuple[float, ...] = _YAWS
) -> Floats:
    """Return the height (I, J) of ground that carries a sole in one of some yaws; else NaN."""

    def make() -> Floats:
        found = np.full(len(grid.points), np.nan)
        for yaw in yaws:
            placed = placement_field(scene, grid, sole, yaw)
            found = np.where(placed.valid & np.isnan(found), placed.height, found)
        return found.reshape(grid.shape)

    return scene.keep(("footing field", grid, sole, yaws), make)


def sure_footing_field(scene: Scene, grid: Grid, sole: FootBox) -> Floats:
    """Return the height (I, J) of ground that carries a sole in any direction; else NaN.

    The ground around is level and dry, and nothing stands near.
    """
    # A foot of twice the reach in every direction stands for all of them.
    reach = float(np.hypot(sole.length, sole.width)) + 2.0 * grid.cell_m
    wide = FootBox(reach, reach, sole.height, _SURE_SLOPE, _SURE_M)
    found = placement_field(scene, grid, wide, 0.0)
    return np.where(found.valid, found.height, np.nan).reshape(grid.shape)


def clearance_field(
    scene: Scene, grid: Grid, height: Floats, band_m: tuple[float, float], reach_m: float = 1.0
) -> tuple[Floats, Ints]:
    """Return metres (I, J) to the nearest obstacle above the ground, and which that is.

    height  (I, J) of the ground      band_m  from where to where above it obstacles count
    reach_m farther obstacles do not count: the distance is `reach_m` and the obstacle -1
    """
    low, high = band_m
    away, owner = body_clearance(
        scene, grid.points, body_height=high, step_height=low, base=height.ravel(), reach=reach_m
    )
    return away.reshape(grid.shape), owner.reshape(grid.shape)


def inside_distance(inside: Bools, cell_m: float) -> Floats:
    """Return metres (I, J) from each cell to the nearest that is not inside, nor in the grid."""
    return outside_distance(~np.pad(inside, 1), cell_m)[1:-1, 1:-1]


def outside_distance(there: Bools, cell_m: float) -> Floats:
    """Return metres (I, J) from each cell to the nearest where `there`, of which there are any."""
    from scipy.ndimage import distance_transform_edt

    return np.ascontiguousarray(cell_m * distance_transform_edt(~there))


def find_patches(there: Bools) -> Ints:
    """Return the patch (I, J) of each cell where `there`, from 1 on; 0 for all others."""
    from scipy.ndimage import label

    return np.asarray(label(there)[0])


def level_patches(height: Floats, step_m: float) -> Ints:
    """Return the patch (I, J) of each cell; neighbours within `step_m` of height share one."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    number = np.arange(height.size).reshape(height.shape)
    pairs = []
    for a, b, ha, hb in (
        (number[:-1], number[1:], height[:-1], height[1:]),
        (number[:, :-1], number[:, 1:], height[:, :-1], height[:, 1:]),
    ):
        same: Bools = np.abs(ha - hb) < step_m
        pairs.append(np.stack([a[same], b[same]]))
    row, column = np.concatenate(pairs, axis=1)
    graph = coo_array((np.ones(len(row), np.int8), (row, column)), shape=(height.size,) * 2)
    return np.asarray(connected_components(graph, directed=False)[1]).reshape(height.shape)
