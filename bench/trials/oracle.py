"""Whether a way exists, by flood fill over a fine raster of the floor.

Every cell holds its highest surface. Three floods say what is surely or likely possible, each
less strict than the one before; the last says what is surely impossible:

walk     a body 0.8 m wide on nearly level ground, edges up to 4 cm
step     a body 0.6 m wide, slopes up to 25°, steps up to 0.2 m
narrow   a body 0.4 m wide, sideways if need be; steps up to 0.2 m
generous whoever leaps 2.5 m, over anything that is lower than the hips, as thin as a lath
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from scipy import ndimage

from bench.trials.world import Bools, Floats, World, world_of

WALK, STEP, NARROW, LEAP, IMPOSSIBLE = "walk", "step", "narrow", "leap", "impossible"
BAD_START, BAD_GOAL = "bad start", "bad goal"
GRADES = (WALK, STEP, NARROW, LEAP, IMPOSSIBLE, BAD_START, BAD_GOAL)
_MOST_CELLS, _LEAST_CELL_M = 700_000, 0.05
_HEAD_M, _CHEST_M, _HIPS_M, _INSIDE_M = 1.9, 1.2, 0.9, 0.06
_FURTHEST_LEAP_M = 2.5
_REACH_M = 0.3
"""Feet of somebody who stands are no further from the middle than this."""


@dataclass(frozen=True)
class Walker:
    """Half the width of a body, the highest step and the steepest slope it is sure of."""

    half_m: float
    step_m: float
    slope: float


WALKERS = {
    WALK: Walker(0.40, 0.04, float(np.tan(np.radians(12.0)))),
    STEP: Walker(0.30, 0.20, float(np.tan(np.radians(25.0)))),
    NARROW: Walker(0.20, 0.20, float(np.tan(np.radians(25.0)))),
}


@dataclass(frozen=True, eq=False)
class Raster:
    """Cells (I, J) over a scene.

    heights  the highest surface, NaN where nobody can stand
    tall     whether something solid is there as high as hips and chest
    filled   the same, and no less than 6 cm inside of it
    """

    low: Floats
    side: float
    heights: Floats
    tall: Bools
    filled: Bools

    def cell(self, at: Floats) -> tuple[int, int]:
        """The cell of a point (2,)."""
        found = ((at - self.low) / self.side).astype(int)
        i, j = np.clip(found, 0, np.array(self.heights.shape) - 1)
        return int(i), int(j)


class Oracle:
    """What a scene lets a body do."""

    def __init__(self, scene: Any) -> None:
        self.world: World = world_of(scene)
        self.raster = _raster(self.world)
        self.floods = {name: _flood(self.raster, walker) for name, walker in WALKERS.items()}
        self.crossings = _crossings(self.raster)
        near = ndimage.distance_transform_edt(np.isnan(self.raster.heights)) * self.raster.side
        self._to_ground = np.asarray(near)

    def grade(self, start: Floats, goal: Floats) -> str:
        """The strictest grade by which a way from start to goal surely exists."""
        cells = [self.raster.cell(np.asarray(p)) for p in (start, goal)]
        for point, cell, name in zip((start, goal), cells, (BAD_START, BAD_GOAL), strict=True):
            if self._is_bad(np.asarray(point), cell):
                return name
        for name, labels in self.floods.items():
            first, last = (labels[cell] for cell in cells)
            if first and first == last:
                return name
        first, last = (self.crossings[cell] for cell in cells)
        return IMPOSSIBLE if first and last and first != last else LEAP

    def is_sure(self, point: Floats) -> bool:
        """Whether somebody can surely stand at a point, whichever way they face."""
        return bool(self.floods[WALK][self.raster.cell(np.asarray(point))])

    def _is_bad(self, point: Floats, cell: tuple[int, int]) -> bool:
        """Whether nobody can stand at a point: no ground in reach, or the trunk in something."""
        if self._to_ground[cell] > _REACH_M + self.raster.side:
            return True
        return bool(self.raster.filled[cell])


def _raster(world: World) -> Raster:
    low, high = (np.asarray(f(world.scene.outline, axis=0)) for f in (np.min, np.max))
    side = max(_LEAST_CELL_M, float(np.sqrt((high - low).prod() / _MOST_CELLS)))
    shape = tuple(np.maximum(np.ceil((high - low) / side).astype(int), 1))
    x, z = (low[k] + (np.arange(shape[k]) + 0.5) * side for k in (0, 1))
    at = np.stack(np.meshgrid(x, z, indexing="ij"), axis=-1).reshape(-1, 2)
    heights = world.surface(at)
    heights[heights <= world.water_level(at)] = np.nan
    floor = np.where(np.isnan(heights), 0.0, heights)
    solid, tall, filled = (np.zeros(len(at), np.bool_) for _ in range(3))
    for one in world.solids:
        outline = one.outline()
        rows = np.flatnonzero(shapely.contains_xy(outline, at))
        bottom, top = one.centre[1] - one.reach[1], one.centre[1] + one.reach[1]
        if one.walkable:  # its own top is floor; what is below that is not in the way
            own = one.top(at[rows])
            top = np.where(np.isnan(own), top, own)
        here = (top > floor[rows] + 0.04) & (bottom < floor[rows] + _HEAD_M)
        solid[rows[here]] = True
        trunk = (top > floor[rows] + _CHEST_M) & (bottom < floor[rows] + _HIPS_M)
        tall[rows[trunk]] = True
        inner = shapely.contains_xy(outline.buffer(-_INSIDE_M), at[rows])
        filled[rows[trunk & inner]] = True
    heights[solid] = np.nan
    grids = (grid.reshape(shape) for grid in (heights, tall, filled))
    return Raster(low, side, *grids)


def _flood(raster: Raster, walker: Walker) -> Any:
    """(I, J) which part of the floor each cell belongs to that a walker can use; 0 for none."""
    heights, side = raster.heights, raster.side
    bad = np.isnan(heights)
    for axis in (0, 1):
        step = np.abs(np.diff(heights, axis=axis))
        # A step shows between two cells; a slope does over the length of a foot.
        edge = step > np.maximum(walker.step_m, walker.slope * side)
        before, after = _pair(axis)
        bad[before] |= edge
        bad[after] |= edge
        reach = max(2, round(0.3 / side))
        if walker.step_m < 0.1 and heights.shape[axis] > reach:
            ahead = np.abs(_shifted(heights, axis, reach))
            steep = ahead > walker.slope * reach * side + walker.step_m
            bad[_part(axis, 0, -reach)] |= steep
    padded = np.pad(~bad, 1)
    away = ndimage.distance_transform_edt(padded)[1:-1, 1:-1] - 0.5
    free = away * side > walker.half_m
    return ndimage.label(free, np.ones((3, 3)))[0]


def _pair(axis: int) -> tuple[Any, Any]:
    return _part(axis, 0, -1), _part(axis, 1, None)


def _part(axis: int, first: int, stop: int | None) -> Any:
    cut = [slice(None), slice(None)]
    cut[axis] = slice(first, stop)
    return tuple(cut)


def _shifted(heights: Floats, axis: int, by: int) -> Floats:
    return np.asarray(heights[_part(axis, by, None)] - heights[_part(axis, 0, -by)])


def _crossings(raster: Raster) -> Any:
    """(I, J) which cells even the furthest leap joins; cells beyond any ground are 0."""
    stands = ~np.isnan(raster.heights)
    away = ndimage.distance_transform_edt(~stands) * raster.side
    over = (away <= 0.5 * _FURTHEST_LEAP_M) & ~raster.tall
    return ndimage.label(over | stands, np.ones((3, 3)))[0]
