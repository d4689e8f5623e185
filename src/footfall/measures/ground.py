"""Feet in the floor or above it, and bodies in obstacles.

Within 5 mm of the ground a sole counts as on it (PhysDiff, Yuan et al. 2023): no figure's sole is
known better. What is further off counts whole.
Where we differ: floating is asked of feet that should touch, by the contact labels, so that jumps
do not float.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.body.clip import Clip
from footfall.body.feet import mean_leg
from footfall.body.roles import SIDES
from footfall.body.skeleton import Skeleton
from footfall.maths.arrays import Floats
from footfall.maths.constants import MEAN_LEG_M
from footfall.measures.tracks import HEEL, PAPER_HZ, FootTracks, evenly, foot_tracks
from footfall.world.collision.queries import capsule_clearance
from footfall.world.scene import Scene

DEAD_ZONE_M = 0.005
OVER_NOTHING_M = 1.0
"""A foot that should touch where there is no ground counts as this high."""
TOUCH_M = 0.01
"""A body that is this deep in an obstacle brushes it: flesh and clothes give way."""
_LINES = (
    *((f"{s}_hip", f"{s}_knee", 0.066) for s in SIDES),
    *((f"{s}_knee", f"{s}_ankle", 0.045) for s in SIDES),
    *((f"{s}_shoulder", f"{s}_elbow", 0.042) for s in SIDES),
    *((f"{s}_elbow", f"{s}_wrist", 0.038) for s in SIDES),
    ("left_hip", "right_hip", 0.08), ("left_shoulder", "right_shoulder", 0.05),
    ("hips", "chest", 0.1), ("chest", "neck", 0.1), ("neck", "head", 0.08), ("head", "head", 0.09),
)  # fmt: skip
"""Lines from joint to joint and how thick they are, metres, of a slim adult with MEAN_LEG_M.
Feet are left out: they stand on obstacles."""


@dataclass(frozen=True)
class GroundContact:
    """How soles meet the ground.

    penetration_mean_mm  how deep the lowest point of the feet is in it, mean of all frames
    penetration_max_mm   the deepest
    penetrating_share    of frames in which a foot is in the ground, 0 to 1
    float_mean_mm        how high a foot that should touch is above it, mean of such feet and frames
    float_max_mm         the highest
    floating_share       of feet and frames that should touch and do not, 0 to 1
    """

    penetration_mean_mm: float
    penetration_max_mm: float
    penetrating_share: float
    float_mean_mm: float
    float_max_mm: float
    floating_share: float


def ground_contact(
    clip: Clip, scene: Scene | None = None, *, tracks: FootTracks | None = None
) -> GroundContact:
    """Return how the soles of a clip meet a scene's ground, or a plain at height 0."""
    tracks = tracks or foot_tracks(clip, scene)
    depth, gap = penetration(tracks), floating(tracks)
    gaps = gap[np.isfinite(gap)]
    return GroundContact(
        penetration_mean_mm=1000.0 * float(depth.mean()),
        penetration_max_mm=1000.0 * float(depth.max()),
        penetrating_share=float(np.mean(depth > 0.0)),
        float_mean_mm=1000.0 * float(gaps.mean()) if len(gaps) else 0.0,
        float_max_mm=1000.0 * float(gaps.max(initial=0.0)),
        floating_share=float(np.mean(gaps > 0.0)) if len(gaps) else 0.0,
    )


def penetration(tracks: FootTracks) -> Floats:
    """Return (T,) how deep the lowest point of both soles is in the ground, metres."""
    depth = -tracks.heights[:, :, HEEL:].min(axis=(1, 2))
    return np.where(depth > DEAD_ZONE_M, depth, 0.0)


def floating(tracks: FootTracks) -> Floats:
    """Return (T, 2) the height of each touching foot's lowest point, metres; else nan."""
    touches = tracks.contacts.reshape(-1, 2, 2).any(axis=2)
    gap = np.minimum(tracks.heights[:, :, HEEL:].min(axis=2), OVER_NOTHING_M)
    return np.where(touches, np.where(gap > DEAD_ZONE_M, gap, 0.0), np.nan)


@dataclass(frozen=True)
class Collisions:
    """The body, feet apart, and what stands in a scene.

    colliding_share   of frames, 0 to 1, in which it is deeper in something than a brush
    depth_max_cm      the deepest; no more than half the thickness of what hits
    depth_mean_cm     the mean over the frames in which it collides
    obstacles         the names of what is hit
    """

    colliding_share: float
    depth_max_cm: float
    depth_mean_cm: float
    obstacles: tuple[str, ...]


def collisions(clip: Clip, scene: Scene) -> Collisions:
    """Return what a clip's body hits in a scene, looked at 30 times a second."""
    depth, which = collision_depths(clip, scene)
    deep = depth > TOUCH_M
    hit = sorted({int(n) for n in which[deep]})
    names = tuple(scene.obstacles[n].name or f"obstacle {n + 1}" for n in hit)
    return Collisions(
        colliding_share=float(deep.mean()),
        depth_max_cm=100.0 * float(depth[deep].max(initial=0.0)),
        depth_mean_cm=100.0 * float(depth[deep].mean()) if deep.any() else 0.0,
        obstacles=names,
    )


def collision_depths(clip: Clip, scene: Scene) -> tuple[Floats, Floats]:
    """Return (F,) the body's depth in obstacles at 30 Hz, metres, and (F,) which, or -1."""
    if not scene.obstacles:
        frames = len(evenly(np.zeros(len(clip)), clip.fps, PAPER_HZ))
        return np.zeros(frames), np.full(frames, -1)
    poses = clip.world
    starts, ends, radii = _capsules(clip.skeleton)
    places = evenly(poses.positions, clip.fps, PAPER_HZ)
    lines = np.stack([places[:, starts], places[:, ends]], axis=2)
    frames, count = lines.shape[:2]
    times = np.repeat(np.linspace(0.0, clip.seconds, frames), count)
    gap, which = capsule_clearance(
        scene, lines.reshape(-1, 2, 3), np.tile(radii, frames), reach=0.5, time=times
    )
    gap, which = gap.reshape(frames, count), which.reshape(frames, count)
    worst = gap.argmin(axis=1)
    row = np.arange(frames)
    depth = np.maximum(-gap[row, worst], 0.0)
    return depth, np.where(depth > 0.0, which[row, worst], -1)


def _capsules(skeleton: Skeleton) -> tuple[list[int], list[int], Floats]:
    """Return the two joints of each part of the body that the skeleton has, and its radius."""
    roles, size = skeleton.roles, mean_leg(skeleton) / MEAN_LEG_M
    lines = [(roles[a], roles[b], r * size) for a, b, r in _LINES if a in roles and b in roles]
    return [a for a, *_ in lines], [b for _, b, _ in lines], np.array([r for *_, r in lines])
