"""Whether a motion goes well in a scene: what the body touches, and what the feet step on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from footfall.maths.arrays import Bools, Floats, Ints
from footfall.maths.quaternions import rotate
from footfall.world.collision.queries import capsule_clearance
from footfall.world.ground import sealed
from footfall.world.scene import Scene
from footfall.world.snapshot import scratch

_BLOCK = 200_000
_SINK_M = 0.10
"""A part of the body that leans on something may be this deep in it: flesh and cushions give."""
_SOLE_M = 0.02
"""A foot may be this much nearer to what it stands on: soles are soft, floors are not."""


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
) -> list[Trouble]:
    """What the capsules of a moving body touch: each obstacle, as long as it is touched.

    ends       (T, B, 2, 3) of their axes at every frame      radii  (B,) metres
    feet       (B,) which may touch what can be walked on
    allowed_m  touching less deep than this is no trouble
    begins_s   the time of the first frame, for obstacles that move
    soles      (B,) radii of the feet against what can be walked on; None: as thick as elsewhere
    resting    (T, B) which capsules lean on something then, and sink in a little
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
            scene, part.reshape(-1, 2, 3), np.tile(radii, len(part)), reach=0.05, time=times
        )
        rows = np.flatnonzero((distance < -allowed_m) & (which >= 0))
        where = which[rows], first + rows // count, rows % count, distance[rows]
        hits.append(np.stack(where, axis=1, dtype=np.float64))
    spare = np.zeros(count) if soles is None else radii - soles
    found = _without_standing(scene, np.concatenate(hits), feet, spare, allowed_m)
    found = _without_resting(found, resting)
    return _tell(scene, found, fps, lambda t, k: np.asarray(ends[t, k].mean(axis=0)))


def jointed_troubles(
    scene: Scene,
    places: Floats,
    turns: Floats,
    capsules: tuple[Ints, Floats, Floats, Bools, Floats],
    fps: float,
    allowed_m: float = 0.0,
    resting: Bools | None = None,
) -> list[Trouble]:
    """The same as `body_troubles`, of a body on joints, in a scene in which nothing moves.

    places, turns  (T, J, 3), (T, J, 4) the joints in the world
    capsules       (B,) the joint that carries each, (B, 2, 3) its axis as told from there, (B,)
                   radii, feet and soles
    """
    from footfall.world.collision.query_kernels import CAPSULE, nearest_all

    if not scene.obstacles:
        return []
    joints, ends, radii, feet, soles = capsules
    probes = places[:, joints, None] + rotate(turns[:, joints, None], ends)
    reaches = np.tile(radii - allowed_m, len(places))
    distance, owner = np.empty(len(reaches)), np.empty(len(reaches), np.int32)
    nearest_all(
        scene.snapshot().world, CAPSULE, sealed(probes.reshape(-1, 6)), reaches, scratch(),
        distance, owner,
    )  # fmt: skip
    hit = np.flatnonzero((owner >= 0) & (distance < reaches))
    frames, parts = np.divmod(hit, len(radii))
    hits = np.column_stack([owner[hit], frames, parts, distance[hit] - radii[parts]])

    def middle(t: int, k: int) -> Floats:
        return np.asarray(probes[t, k].mean(axis=0))

    found = _without_standing(scene, hits, feet, radii - soles, allowed_m)
    found = _without_resting(found, resting)
    return _tell(scene, found, fps, middle)


def _without_standing(
    scene: Scene, hits: Floats, feet: Bools, spare: Floats, allowed_m: float
) -> Floats:
    """Hits (H, 4: obstacle, frame, capsule, distance) but for feet that stand on what they touch.

    spare  (B,) how much further a capsule reaches than the sole in it
    """
    if len(hits) == 0:
        return hits
    walkable = np.array([any(p.walkable for p in o.parts) for o in scene.obstacles])
    which, capsules = hits[:, 0].astype(np.intp), hits[:, 2].astype(np.intp)
    above = hits[:, 3] + spare[capsules] > -_SOLE_M - allowed_m
    return np.asarray(hits[~(feet[capsules] & walkable[which] & above)])


def _without_resting(hits: Floats, resting: Bools | None) -> Floats:
    """Hits (H, 4) but for parts of the body that lean on what they touch, as a seat or a table."""
    if resting is None or len(hits) == 0:
        return hits
    frames, capsules = hits[:, 1].astype(np.intp), hits[:, 2].astype(np.intp)
    return np.asarray(hits[~(resting[frames, capsules] & (hits[:, 3] > -_SINK_M))])


def _tell(
    scene: Scene, hits: Floats, fps: float, middle: Callable[[int, int], Floats]
) -> list[Trouble]:
    """Hits (H, 4) as troubles; `middle` says where a capsule is at a frame."""
    found = []
    for stretch in _stretches(hits):
        owner, frame, capsule, depth = stretch[np.argmin(stretch[:, 3])].tolist()
        x, _, z = middle(int(frame), int(capsule)).tolist()
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
    """An obstacle as people call it: its kind and its name, or its number."""
    obstacle = scene.obstacles[index]
    if obstacle.name:
        return f"{obstacle.kind} {obstacle.name!r}"
    return f"{obstacle.kind} (obstacle {index + 1})"
