"""`fit`: a clip from a file on a scene's ground, as the verb and the library offer it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from footfall.adapt.fit import fit as fit_to_ground
from footfall.body.clip import Clip
from footfall.errors import InputError
from footfall.files.formats import load
from footfall.files.options import ReadOptions
from footfall.files.scene.read import load_scene
from footfall.report.render.in_scene import save_in_scene
from footfall.world.collision.queries import is_under_water
from footfall.world.scene import Scene


@dataclass(frozen=True)
class FittedToScene:
    """A clip that stands on a scene's ground; see `footfall.adapt.fit.Fitted`.

    in_water  how many footprints lie under water
    """

    clip: Clip
    scene: Scene
    strides: float
    climb_m: float
    rise_m: float
    off_ground: int
    in_water: int = 0
    problem: str = ""

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
             with yaw in degrees; None is the start of the scene's first query
    strides  how long strides are against the source's; None shortens them where the ground asks
    """
    clip = clip if isinstance(clip, Clip) else load(clip, read)
    scene = scene if isinstance(scene, Scene) else load_scene(scene)
    done = fit_to_ground(clip, scene, _start(at, scene), strides)
    wet = int(is_under_water(scene, done.spots[:, [0, 2]]).sum()) if len(done.spots) else 0
    return FittedToScene(
        clip=done.clip,
        scene=scene,
        strides=done.strides,
        climb_m=done.climb_m,
        rise_m=done.rise_m,
        off_ground=done.off_ground,
        in_water=wet,
        problem=done.problem,
    )


def _start(at: str | tuple[float, ...] | None, scene: Scene) -> tuple[float, float, float]:
    if at is None:
        if not scene.queries:
            return 0.0, 0.0, 0.0
        place = scene.queries[0].start
        return place.x, place.z, place.yaw
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
