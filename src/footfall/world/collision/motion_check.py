"""Check a motion in a scene: collisions of the body, and footing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.maths.arrays import Bools, Floats
from footfall.world.collision.queries import capsule_clearance
from footfall.world.scene import Scene

_BLOCK = 200_000
_REACH_M = 1e-3
"""Only what is touched is looked for."""
_SINK_M = 0.10
"""A part of a mean body that leans on something may be so deep in it: flesh and cushions give."""
_SOLE_M = 0.02
"""The foot of a mean body may be so much nearer to what it stands on: soles are soft."""


@dataclass(frozen=True)
class Trouble:
    """A place where a motion cannot be as it is.

    what         what happens, in words: "touches table 'desk'", "steps into water"
    x, z         where, metres       seconds  when, where it is deepest
    depth_m      how deep, metres; nan if that has no meaning
    first, stop  the first frame of it, and the frame after its last
    capsule      the part of the body that is deepest; -1 for a footprint
    """

    what: str
    x: float
    z: float
    seconds: float
    depth_m: float = float("nan")
    first: int = -1
    stop: int = -1
    capsule: int = -1

    def __str__(self) -> str:
        deep = f", {100.0 * self.depth_m:.0f} cm deep" if self.depth_m >= 0.005 else ""
        place = f"({self.x:.2f}, {self.z:.2f})"
        return f"the walk {self.what} at {place} after {self.seconds:.1f} s{deep}"


def body_troubles(
    scene: Scene,
    ends: Floats,
    radii: Floats,
    feet: Bools,
    fps: float,
    allowed_m: float = 0.0,
    begins_s: float = 0.0,
    soles: Floats | None = None,
    resting: Bools | None = None,
    size: float = 1.0,
) -> list[Trouble]:
    """Return what the capsules of a moving body touch: each obstacle, as long as it is touched.

    ends       (T, B, 2, 3) of their axes at every frame      radii  (B,) metres
    feet       (B,) which may touch what can be walked on
    allowed_m  touching less deep than this is no trouble
    begins_s   the time of the first frame, for obstacles that move
    soles      (B,) radii of the feet against what can be walked on; None: as thick as elsewhere
    resting    (T, B) which capsules lean on something then, and sink in a little
    size       of the body against a mean one: it is soft in proportion
    """
    if not scene.obstacles:
        return []
    frames, count = ends.shape[:2]
    hits: list[Floats] = []
    step = max(1, _BLOCK // max(count, 1))
    for first in range(0, frames, step):
        part = ends[first : first + step]
        moments = begins_s + (first + np.arange(len(part))) / fps
        times = np.repeat(moments, count) if scene.moves else None
        distance, which = capsule_clearance(
            scene, part.reshape(-1, 2, 3), np.tile(radii, len(part)), reach=_REACH_M, time=times
        )
        rows = np.flatnonzero((distance < -allowed_m) & (which >= 0))
        where = which[rows], first + rows // count, rows % count, distance[rows]
        hits.append(np.stack(where, axis=1, dtype=np.float64))
    spare = np.zeros(count) if soles is None else radii - soles
    soft = allowed_m + size * _SOLE_M
    found = _without_standing(scene, np.concatenate(hits), feet, spare, soft)
    found = _without_resting(found, resting, size * _SINK_M)
    return _tell(scene, found, fps, ends)


def _without_standing(
    scene: Scene, hits: Floats, feet: Bools, spare: Floats, soft_m: float
) -> Floats:
    """Hits (H, 4: obstacle, frame, capsule, distance) but for feet that stand on what they touch.

    spare   (B,) how much further a capsule reaches than the sole in it
    soft_m  how deep a sole may be
    """
    if len(hits) == 0:
        return hits
    walkable = np.array([any(p.walkable for p in o.parts) for o in scene.obstacles])
    which, capsules = hits[:, 0].astype(np.intp), hits[:, 2].astype(np.intp)
    above = hits[:, 3] + spare[capsules] > -soft_m
    return np.asarray(hits[~(feet[capsules] & walkable[which] & above)])


def _without_resting(hits: Floats, resting: Bools | None, sink_m: float) -> Floats:
    """Hits (H, 4) but for parts of the body that lean on what they touch, no deeper than that."""
    if resting is None or len(hits) == 0:
        return hits
    frames, capsules = hits[:, 1].astype(np.intp), hits[:, 2].astype(np.intp)
    return np.asarray(hits[~(resting[frames, capsules] & (hits[:, 3] > -sink_m))])


def _tell(scene: Scene, hits: Floats, fps: float, ends: Floats) -> list[Trouble]:
    """Hits (H, 4) of capsules with ends (T, B, 2, 3) as troubles."""
    found = []
    for stretch in _stretches(hits):
        owner, frame, capsule, depth = stretch[np.argmin(stretch[:, 3])].tolist()
        x, _, z = ends[int(frame), int(capsule)].mean(axis=0).tolist()
        what = f"touches {obstacle_name(scene, int(owner))}"
        first, stop = int(stretch[0, 1]), int(stretch[-1, 1]) + 1
        found.append(Trouble(what, x, z, frame / fps, -depth, first, stop, int(capsule)))
    return sorted(found, key=lambda t: t.seconds)


def _stretches(hits: Floats) -> list[Floats]:
    """Hits (H, 4: obstacle, frame, capsule, distance), parted by obstacles and pauses."""
    if len(hits) == 0:
        return []
    hits = hits[np.argsort(hits[:, 0], kind="stable")]
    apart = (np.diff(hits[:, 0]) != 0.0) | (np.diff(hits[:, 1]) > 1.0)
    return np.split(hits, np.flatnonzero(apart) + 1)


def obstacle_name(scene: Scene, index: int) -> str:
    """Return an obstacle as people call it: its kind and its name, or its number."""
    obstacle = scene.obstacles[index]
    if obstacle.name:
        return f"{obstacle.kind} {obstacle.name!r}"
    return f"{obstacle.kind} (obstacle {index + 1})"
