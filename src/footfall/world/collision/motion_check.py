"""Whether a motion goes well in a scene: what the body touches, and what the feet step on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.maths.arrays import Bools, Floats
from footfall.world.collision.queries import REASONS, FootBox, capsule_clearance, foot_placements
from footfall.world.scene import Scene

_BLOCK = 200_000
_SOLE_M = 0.02
"""A foot may be this much nearer to what it stands on: soles are soft, floors are not."""


@dataclass(frozen=True)
class Trouble:
    """A place where a motion cannot be as it is.

    what     what happens, in words: "touches table 'desk'", "steps into water"
    x, z     where, metres       seconds  when
    depth_m  how deep, metres; nan if that has no meaning
    """

    what: str
    x: float
    z: float
    seconds: float
    depth_m: float = float("nan")

    def __str__(self) -> str:
        deep = f", {100.0 * self.depth_m:.0f} cm deep" if self.depth_m >= 0.005 else ""
        place = f"({self.x:.2f}, {self.z:.2f})"
        return f"the walk {self.what} at {place} after {self.seconds:.1f} s{deep}"


def body_troubles(
    scene: Scene, ends: Floats, radii: Floats, feet: Bools, fps: float, allowed_m: float = 0.0
) -> list[Trouble]:
    """What the capsules of a moving body touch, the deepest place for each obstacle.

    ends       (T, B, 2, 3) of their axes at every frame      radii  (B,) metres
    feet       (B,) which may touch what can be walked on
    allowed_m  touching less deep than this is no trouble
    """
    if not scene.obstacles:
        return []
    frames, count = ends.shape[:2]
    deepest: dict[int, tuple[float, int, int]] = {}
    walkable = np.array([any(p.walkable for p in o.parts) for o in scene.obstacles])
    step = max(1, _BLOCK // max(count, 1))
    for first in range(0, frames, step):
        part = ends[first : first + step]
        times = np.repeat((first + np.arange(len(part))) / fps, count) if scene.moves else None
        distance, which = capsule_clearance(
            scene, part.reshape(-1, 2, 3), np.tile(radii, len(part)), reach=0.05, time=times
        )
        hit = (distance < -allowed_m) & (which >= 0)
        stands = np.tile(feet, len(part)) & walkable[which] & (distance > -_SOLE_M - allowed_m)
        for n in np.flatnonzero(hit & ~stands).tolist():
            owner = int(which[n])
            if owner not in deepest or distance[n] < deepest[owner][0]:
                deepest[owner] = (float(distance[n]), first + n // count, n % count)
    found = []
    for owner, (depth, frame, capsule) in deepest.items():
        x, _, z = ends[frame, capsule].mean(axis=0)
        what = f"touches {obstacle_name(scene, owner)}"
        found.append(Trouble(what, float(x), float(z), frame / fps, -depth))
    return sorted(found, key=lambda t: t.seconds)


def foot_troubles(
    scene: Scene, prints: Floats, times: Floats, foot: FootBox | None = None
) -> list[Trouble]:
    """The footprints (N, 3: x, z, yaw) at `times` (N,) seconds that are not on good ground."""
    if len(prints) == 0:
        return []
    reason = foot_placements(scene, prints, foot, time=times if scene.moves else None).reason
    says = {
        "no ground": "steps where there is no ground", "water": "steps into water",
        "uneven": "steps on uneven ground", "too steep": "steps on ground that is too steep",
        "obstacle": "steps on something",
    }  # fmt: skip
    return [
        Trouble(says[REASONS[int(reason[n])]], prints[n, 0], prints[n, 1], float(times[n]))
        for n in np.flatnonzero(reason)
    ]


def obstacle_name(scene: Scene, index: int) -> str:
    """An obstacle as people call it: its kind and its name, or its number."""
    obstacle = scene.obstacles[index]
    if obstacle.name:
        return f"{obstacle.kind} {obstacle.name!r}"
    return f"{obstacle.kind} (obstacle {index + 1})"
