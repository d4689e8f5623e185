"""The floor that is free for walking on the level, and why a place on it is not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.maths.arrays import Floats
from footfall.world.collision.motion_check import obstacle_name
from footfall.world.collision.queries import body_clearance, is_under_water
from footfall.world.corridor.corridor_map import CorridorMap, corridor_map_of
from footfall.world.scene import Scene

STEP_M, SLOPE_DEG = 0.05, 20.0
"""Higher edges and steeper ground than this are no floor for walking on the level."""
_EVERY_M, _MOST_PLACES = 0.02, 500_000


@dataclass(frozen=True)
class Blocked:
    """A place that is not free: x, z in metres, how far along a path, and why, in words."""

    x: float
    z: float
    along_m: float
    why: str


def walking_corridors(scene: Scene, body_height: float) -> CorridorMap:
    """The corridor map of a scene for somebody `body_height` metres high who walks on the level."""
    return corridor_map_of(
        scene, body_height=body_height, step_height=STEP_M,
        max_slope=float(np.radians(SLOPE_DEG)),
    )  # fmt: skip


def why_not_free(scene: Scene, corridors: CorridorMap, point: Floats) -> str:
    """What is wrong with a place (2,) on the floor: "lies under water"; "" if nothing is."""
    from shapely.geometry import Point, Polygon

    if float(corridors.clearances(point[None])[0]) >= 0.0:
        return ""
    here = Point(point)
    if not scene.bounds.covers(here):
        return f"is out of the scene {scene.name!r}"
    clear, which = body_clearance(scene, point[None], step_height=STEP_M)
    if clear[0] <= 0.0:
        return f"lies in {obstacle_name(scene, int(which[0]))}"
    if any(Polygon(hole.polygon).covers(here) for hole in scene.holes):
        return "lies in a hole"
    if bool(is_under_water(scene, point[None])[0]):
        return "lies under water"
    return "lies on ground that is too steep, or too high to step on"


def first_blocked(scene: Scene, corridors: CorridorMap, path: Floats) -> Blocked | None:
    """Where a path (N, 2) first leaves the free floor; None if it never does."""
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
    count = int(np.clip(along[-1] / _EVERY_M, 2, _MOST_PLACES))
    at = np.union1d(along, np.linspace(0.0, along[-1], count))
    points = np.stack([np.interp(at, along, path[:, k]) for k in range(2)], axis=1)
    bad = np.flatnonzero(corridors.clearances(points) < -1e-9)
    if not len(bad):
        return None
    first = int(bad[0])
    why = why_not_free(scene, corridors, points[first])
    return Blocked(float(points[first, 0]), float(points[first, 1]), float(at[first]), why)
