"""`fit`: put a clip on a scene's ground."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from footfall.adapt.feet.fit import fit as fit_to_ground
from footfall.body.clip import Clip
from footfall.errors import InputError
from footfall.files.formats import as_clip
from footfall.files.options import ReadOptions
from footfall.files.scene.read import load_scene
from footfall.render.in_scene import save_in_scene
from footfall.world.collision.queries import is_under_water
from footfall.world.scene import Scene

Start = tuple[float, float, float]
"""x, z in metres and yaw in radians."""

_LOOK_AHEAD_M, _LOOK_EVERY_M = 20.0, 0.05
_LEVEL_M = 0.05
"""Ground that differs by less is as good as level."""
_RUN_UP_M = 0.4
"""How far before the change a short clip starts at least."""


@dataclass(frozen=True)
class FittedToScene:
    """A clip that stands on a scene's ground; see `footfall.adapt.feet.fit.Fitted`.

    in_water  how many footprints lie under water
    """

    clip: Clip
    scene: Scene
    strides: float
    climb_m: float
    rise_m: float
    off_ground: int
    depth_m: float = 0.0
    in_water: int = 0
    problem: str = ""

    @property
    def notes(self) -> list[str]:
        """What a user should know about the result, in sentences."""
        notes = [self.problem] if self.problem else []
        if self.off_ground:
            notes.append(f"{self.off_ground} footprints had no ground under them")
        if self.in_water:
            notes.append(f"{self.in_water} footprints lie under water")
        return notes

    def save_with_scene(self, path: str | Path) -> Path:
        """Write clip and scene as one GLB file."""
        return save_in_scene(self.clip, self.scene, path)


def fit(
    clip: str | Path | Clip,
    scene: str | Path | Scene,
    *,
    at: str | tuple[float, ...] | None = None,
    strides: float | None = None,
    read: ReadOptions | None = None,
) -> FittedToScene:
    """Put a clip on a scene's ground with locked feet.

    at       where it starts: (x, z) or (x, z, yaw) in metres and radians, or as text "x,z,yaw"
             with yaw in degrees; None is where the scene's first query or path starts, or
             further ahead, where the ground begins to rise or fall, if the clip is too short to
             come there
    strides  how long strides are against the source's; None shortens them where the ground asks
    """
    clip = as_clip(clip, read)
    scene = scene if isinstance(scene, Scene) else load_scene(scene)
    start = _first_start(clip, scene) if at is None else _stated_start(at)
    if not np.isfinite(scene.height([start[:2]])).all():
        x0, z0, x1, z1 = scene.bounds.bounds
        raise InputError(
            f"there is no ground at {start[0]:g},{start[1]:g}", where=scene.name,
            remedy=f"start within x {x0:g} to {x1:g}, z {z0:g} to {z1:g}, clear of holes",
        )  # fmt: skip
    done = fit_to_ground(clip, scene, start, strides)
    wet = int(is_under_water(scene, done.spots[:, [0, 2]]).sum()) if len(done.spots) else 0
    return FittedToScene(
        clip=done.clip,
        scene=scene,
        strides=done.strides,
        climb_m=done.climb_m,
        rise_m=done.rise_m,
        off_ground=done.off_ground,
        depth_m=done.depth_m,
        in_water=wet,
        problem=done.problem,
    )


def _first_start(clip: Clip, scene: Scene) -> Start:
    """Return where the scene's first query or path starts, or ahead of it near changing ground."""
    if scene.queries:
        place = scene.queries[0].start
        start = (place.x, place.z, place.yaw)
    elif scene.paths:
        points = scene.paths[0].points
        along = points[1] - points[0]
        yaw = float(np.arctan2(along[0], along[1]))
        start = (float(points[0, 0]), float(points[0, 1]), yaw)
    else:
        start = (0.0, 0.0, 0.0)
    return _where_the_ground_changes(start, _travel(clip), scene)


def _where_the_ground_changes(start: Start, travel_m: float, scene: Scene) -> Start:
    """Ahead of a start, so far that a clip of this travel comes to where the ground changes.

    The start itself if it comes there anyway, if the ground stays level, or if something is in
    the way.
    """
    x, z, yaw = start
    ahead = np.array([np.sin(yaw), np.cos(yaw)])
    points = np.array([x, z]) + np.arange(0.0, _LOOK_AHEAD_M, _LOOK_EVERY_M)[:, None] * ahead
    heights = scene.height(points)
    changed = np.flatnonzero(np.abs(heights - heights[0]) > _LEVEL_M)
    if not np.isfinite(heights[0]) or len(changed) == 0:
        return start
    steps = int(changed[0]) - round(max(_RUN_UP_M, 0.25 * travel_m) / _LOOK_EVERY_M)
    if steps <= 0 or not np.isfinite(heights[: steps + 1]).all():
        return start
    from shapely import LineString

    if LineString(points[: steps + 2]).intersects(scene.blocked_polygons()):
        return start
    return float(points[steps, 0]), float(points[steps, 1]), yaw


def _travel(clip: Clip) -> float:
    """Return how far the clip's end is from its start over the ground, metres."""
    return float(np.linalg.norm(clip.root[-1, [0, 2]] - clip.root[0, [0, 2]]))


def _stated_start(at: str | tuple[float, ...]) -> Start:
    if isinstance(at, str):
        try:
            numbers = [float(word) for word in at.split(",")]
        except ValueError:
            numbers = []
        numbers[2:] = [float(np.radians(n)) for n in numbers[2:]]
    else:
        numbers = [float(n) for n in at]
    if len(numbers) not in (2, 3) or not np.isfinite(numbers).all():
        raise InputError(f"the start is {at!r}", remedy="say x,z or x,z,yaw, like 0,2.5,90")
    x, z, yaw = (*numbers, 0.0)[:3]
    return x, z, yaw
