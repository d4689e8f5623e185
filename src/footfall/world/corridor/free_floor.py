"""The floor that is free for walking within limits, and why a place on it is not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.errors import InputError
from footfall.maths.arrays import Floats
from footfall.world.collision.motion_check import obstacle_name
from footfall.world.collision.queries import body_clearance, is_under_water
from footfall.world.corridor.corridor_map import CorridorMap, corridor_map_of
from footfall.world.scene import Scene

_EVERY_M, _MOST_PLACES = 0.02, 500_000


@dataclass(frozen=True)
class Blocked:
    """A place that is not free: x, z in metres, how far along a path, and why, in words."""

    x: float
    z: float
    along_m: float
    why: str


@dataclass(frozen=True)
class RouteLimits:
    """What a route may ask of whoever walks it; the defaults are for walking on the level.

    step_height_m  higher edges block              slope_rad  steeper ground blocks
    headroom_m     what hangs lower than this above the floor blocks
    """

    step_height_m: float = 0.05
    slope_rad: float = float(np.radians(20.0))
    headroom_m: float = 1.8

    def __post_init__(self) -> None:
        if not (np.isfinite(self.step_height_m) and self.step_height_m >= 0.0):
            raise InputError(f"step_height_m is {self.step_height_m}", remedy="it must be >= 0")
        if not 0.0 < self.slope_rad < 0.5 * np.pi:
            raise InputError(f"slope_rad is {self.slope_rad}", remedy="it must be in (0, pi / 2)")
        if not (np.isfinite(self.headroom_m) and self.headroom_m > self.step_height_m):
            raise InputError(
                f"headroom_m is {self.headroom_m}", remedy="it must be above step_height_m"
            )


def walking_corridors(
    scene: Scene, limits: RouteLimits | None = None, time: float | None = None
) -> CorridorMap:
    """The corridor map of the floor that can be walked within `limits`, at `time` seconds.

    The scene keeps the maps that were asked for last, so asking again costs nothing.
    """
    limits = limits or RouteLimits()
    moment = None if time is None or not scene.moves else float(time)
    return scene.keep(
        ("corridors", limits, moment),
        lambda: corridor_map_of(
            scene, moment, body_height=limits.headroom_m, step_height=limits.step_height_m,
            max_slope=limits.slope_rad,
        ),
    )  # fmt: skip


def why_not_free(
    scene: Scene, corridors: CorridorMap, point: Floats, limits: RouteLimits | None = None
) -> str:
    """What is wrong with a place (2,) on the floor: "lies under water"; "" if nothing is."""
    from shapely.geometry import Point, Polygon

    if float(corridors.clearances(point[None])[0]) >= 0.0:
        return ""
    here = Point(point)
    if not scene.bounds.covers(here):
        return f"is out of the scene {scene.name!r}"
    step = (limits or RouteLimits()).step_height_m
    clear, which = body_clearance(scene, point[None], step_height=step)
    if clear[0] <= 0.0:
        return f"lies in {obstacle_name(scene, int(which[0]))}"
    if any(Polygon(hole.polygon).covers(here) for hole in scene.holes):
        return "lies in a hole"
    if bool(is_under_water(scene, point[None])[0]):
        return "lies under water"
    return "lies on ground that is too steep, or too high to step on"


def first_blocked(
    scene: Scene, corridors: CorridorMap, path: Floats, limits: RouteLimits | None = None
) -> Blocked | None:
    """Where a path (N, 2) first leaves the free floor; None if it never does."""
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
    count = int(np.clip(along[-1] / _EVERY_M, 2, _MOST_PLACES))
    at = np.union1d(along, np.linspace(0.0, along[-1], count))
    points = np.stack([np.interp(at, along, path[:, k]) for k in range(2)], axis=1)
    bad = np.flatnonzero(corridors.clearances(points) < -1e-9)
    if not len(bad):
        return None
    first = int(bad[0])
    why = why_not_free(scene, corridors, points[first], limits)
    return Blocked(float(points[first, 0]), float(points[first, 1]), float(at[first]), why)
