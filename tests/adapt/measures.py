"""What a fitted clip must keep: planted feet, the ground, the source's smoothness."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.adapt.feet.holds import GroundSurface
from footfall.body.clip import Clip
from footfall.body.feet import Foot, foot_of
from footfall.maths import quaternions as quat

CLIPS = {
    "walk": ("accad_male1/Male1_B3_Walk.bvh", "cmu/16_16.bvh"),
    "run": ("accad_male1/Male1_C03_Run.bvh", "cmu/16_45.bvh"),
    "turn": ("accad_male1/Male1_B9_WalkToTurnLeft90.bvh", "cmu/16_18.bvh"),
    "start": ("accad_male1/Male1_B1_StandToWalk.bvh", "cmu/16_31.bvh"),
    "stop": ("accad_male1/Male1_B2_WalkToStand.bvh", "cmu/16_33.bvh"),
    "jump": ("accad_male1/Male1_B18_Walk2Leap2Walk.bvh", "cmu/16_09.bvh"),
}
TRIALS = [trial for pair in CLIPS.values() for trial in pair]


@dataclass(frozen=True)
class Quality:
    """drift_m, off_ground_m: worst of planted points; *_ratio: against the source clip."""

    drift_m: float
    off_ground_m: float
    step_ratio: float
    acceleration_ratio: float
    least_knee_rad: float


def quality(
    clip: Clip, source: Clip, ground: GroundSurface | None = None, scale: float = 1.0
) -> Quality:
    """Measured independently of the code that made the clip; `scale` is that of the character."""
    assert clip.contacts is not None
    poses = clip.world
    drift = off = 0.0
    for k, side in enumerate(("left", "right")):
        foot = foot_of(clip.skeleton, side)
        points = _sole_points(foot, poses.positions, poses.rotations)
        for contact, track in zip(clip.contacts[:, 2 * k : 2 * k + 2].T, points, strict=True):
            edges = np.flatnonzero(np.diff(np.concatenate([[0], contact, [0]]).astype(np.int8)))
            for first, stop in edges.reshape(-1, 2):
                held = track[first:stop]
                away = np.linalg.norm(held - held.mean(axis=0), axis=1)
                drift = max(drift, float(away.max()))
                if ground is not None:
                    floor = ground.height(held[:, [0, 2]])
                    gap = np.abs(held[:, 1] - floor)[np.isfinite(floor)]
                    off = max(off, float(gap.max()) if gap.size else 0.0)
    return Quality(
        drift,
        off,
        _largest_step(clip) / _largest_step(source),
        _acceleration(clip) / (scale * _acceleration(source)),
        _least_knee(clip),
    )


def _sole_points(
    foot: Foot, places: np.ndarray, turns: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    heel = places[:, foot.ankle] + quat.rotate(turns[:, foot.ankle], foot.heel)
    if foot.toe is None:
        return heel, places[:, foot.ankle] + quat.rotate(turns[:, foot.ankle], foot.ball)
    return heel, places[:, foot.toe] + quat.rotate(turns[:, foot.toe], foot.ball - foot.ball_joint)


def _largest_step(clip: Clip) -> float:
    """The largest turn of a joint that plays a role from one frame to the next, radians."""
    joints = sorted(set(clip.skeleton.roles.values()))
    turns = quat.angle_between(clip.rotations[1:, joints], clip.rotations[:-1, joints])
    return float(turns.max())


def _acceleration(clip: Clip) -> float:
    """The 95th percentile of the root's acceleration, m/s²."""
    size = np.linalg.norm(np.diff(clip.root, 2, axis=0), axis=1) * clip.fps**2
    return float(np.percentile(size, 95))


def _least_knee(clip: Clip) -> float:
    """The least bend of either knee about its hinge, radians; negative is bent backwards."""
    least = np.inf
    for side in ("left", "right"):
        turn = quat.to_rotation_vector(clip.rotations[:, clip.skeleton.role(f"{side}_knee")])
        least = min(least, float(turn[:, 0].min()))
    return least
