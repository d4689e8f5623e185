"""The ground as cells, and the line over them that leads to a goal with the least in its way.

A cell is free where a foot may stand and a body has room. Where no line over free cells leads to
the goal, the best line shows what is in the way: an obstacle, a gap, or a step.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.body.size import BodySize
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.roadmap.table import MoveTable
from footfall.search.cell_path import Slices, find_cell_path
from footfall.world.collision.queries import FootBox
from footfall.world.fields import Grid, clearance_field, footing_field, height_field, scene_grid
from footfall.world.scene import Scene

_CELL_M, _MOST_CELLS = 0.1, 100_000
_GAP, _WALL = 30.0, 1000.0
"""What a metre over a gap, and through a wall, costs beside one over free ground."""
_NEAR_CELLS = 4
"""So many cells around start and goal are free, since somebody stands there."""


@dataclass(frozen=True, eq=False)
class GroundCells:
    """The ground of a scene on a grid of I x J cells.

    free        (I, J) where a foot may stand and a body has room
    wall        (I, J) the obstacle that leaves no room for a body; -1 for none
    height      (I, J) of the ground, metres; NaN for none
    """

    grid: Grid
    free: Bools
    wall: Ints
    height: Floats


@dataclass(frozen=True, eq=False)
class GroundLine:
    """L cells (L, 2) from a start to a goal: their middles, and whether each is free."""

    points: Floats
    free: Bools
    wall: Ints
    height: Floats


def cells_of(table: MoveTable, scene: Scene) -> GroundCells:
    """Return the ground of a scene for the body of these moves; computed once."""
    sole, size = table.moves.foot_box, table.moves.size
    return scene.keep(("roadmap cells", sole, size), lambda: _find_cells(sole, size, scene))


def _find_cells(sole: FootBox, size: BodySize, scene: Scene) -> GroundCells:
    grid = scene_grid(scene, _CELL_M, _MOST_CELLS)
    footing = footing_field(scene, grid, sole)
    stands = np.isfinite(footing)
    height = np.where(stands, footing, height_field(scene, grid))
    away, owner = clearance_field(scene, grid, height, (size.hurdle_m, size.shoulder_m))
    wall = np.where(away < max(size.slim_m, 0.6 * grid.cell_m), owner, -1)
    return GroundCells(grid, stands & (wall < 0), wall, height)


def find_line(cells: GroundCells, start: Floats, goal: Floats, step_m: float) -> GroundLine:
    """The line from start to goal, x and z, that leads over the least of gaps, steps and walls.

    step_m  what is higher between two free cells counts as a gap
    """
    free = cells.free.copy()
    ends = [cells.grid.cell(*map(float, p)) for p in (start, goal)]
    for i, j in ends:
        near = (
            slice(max(i - _NEAR_CELLS, 0), i + _NEAR_CELLS + 1),
            slice(max(j - _NEAR_CELLS, 0), j + _NEAR_CELLS + 1),
        )
        free[near] |= cells.wall[near] < 0
        free[i, j] = True
    dear = np.where(free, 1.0, np.where(cells.wall >= 0, _WALL, _GAP))

    def climb(a: Slices, b: Slices) -> Floats:
        rise = np.abs(cells.height[a] - cells.height[b])
        return np.where(free[a] & free[b] & (rise > step_m), _GAP * rise, 0.0)

    rows = find_cell_path(dear, cells.grid.cell_m, ends[0], ends[1], surcharge=climb)
    own = tuple(rows.T)
    return GroundLine(cells.grid.middle(rows), free[own], cells.wall[own], cells.height[own])
