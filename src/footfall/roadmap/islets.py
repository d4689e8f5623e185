"""Islets: stones, columns and other small ground, to be crossed one after the other.

Few of the footholds that are spread evenly lie on them, and fewer point to the next. So some are
looked for there, pointing to what is near and away from it: from one islet on to another.
"""

from __future__ import annotations

import numpy as np

from footfall.body.size import MEAN_BODY, BodySize
from footfall.maths.arrays import Floats
from footfall.world.fields import height_field, level_patches, scene_grid
from footfall.world.scene import Scene

_CELL_M, _MOST_CELLS = 0.05, 300_000
_EACH = 10
_LOOSE, _LOOSE_RAD = 0.3, np.radians(14.0)
"""How loosely footholds lie on an islet, of its radius, and how they point."""


def sample_on_islets(
    scene: Scene, count: int, rng: np.random.Generator, size: BodySize = MEAN_BODY
) -> Floats:
    """(N, 3) x, z and yaw of up to `count` places for feet on islets; they may be bad."""
    middles, radii, ways = find_islets(scene, size)
    if not len(middles) or not count:
        return np.zeros((0, 3))
    each = max(1, min(_EACH, count // len(middles)))
    rows = []
    for middle, radius, yaws in zip(middles, radii, ways, strict=True):
        at = middle + rng.normal(size=(each, 2)) * (_LOOSE * radius)
        turn = rng.choice(yaws, each) + rng.normal(size=each) * _LOOSE_RAD
        rows.append(np.column_stack([at, (turn + np.pi) % (2.0 * np.pi) - np.pi]))
    return np.concatenate(rows)[:count]


def find_islets(scene: Scene, size: BodySize = MEAN_BODY) -> tuple[Floats, Floats, list[Floats]]:
    """Middles (N, 2) and radii (N,) of small ground, and the yaws to and from what is near each."""
    grid = scene_grid(scene, _CELL_M, _MOST_CELLS)
    if grid.cell_m > 3.0 * _CELL_M:  # too coarse to see a stone
        return np.zeros((0, 2)), np.zeros(0), []
    height = height_field(scene, grid)
    label = level_patches(height, size.level_m)
    area = np.bincount(label.ravel()) * grid.cell_m**2
    fine = np.isfinite(height).ravel()
    small = np.flatnonzero((area >= size.islet_least_m2) & (area <= size.islet_largest_m2))
    places, heights = grid.points[fine], height.ravel()[fine]
    owner = label.ravel()[fine]
    middles, radii, ways = [], [], []
    for which in small.tolist():
        own = owner == which
        if not own.any():
            continue
        middle, level = places[own].mean(axis=0), float(heights[own].mean())
        radius = float(np.sqrt(area[which] / np.pi))
        reach = radius + size.islet_near_m
        near = ~own & (np.abs(heights - level) < size.islet_rise_m)
        yaws = _ways(middle, reach, places[near], owner[near])
        if len(yaws):
            middles.append(middle)
            radii.append(radius)
            ways.append(np.concatenate([yaws, yaws + np.pi]))
    return np.array(middles).reshape(-1, 2), np.array(radii), ways


def _ways(middle: Floats, reach: float, places: Floats, owner: Floats) -> Floats:
    """The yaws (N,) to the ground near an islet: to the nearest point of every patch."""
    away = np.hypot(places[:, 0] - middle[0], places[:, 1] - middle[1])
    near = away < reach
    found = []
    for patch in np.unique(owner[near]):
        rows = np.flatnonzero(near & (owner == patch))
        if len(rows) < 4:
            continue
        line = places[rows[np.argmin(away[rows])]] - middle
        found.append(float(np.arctan2(line[0], line[1])))
    return np.array(found)
