"""Motion of heel, ball and toe tip of each foot, and of the body above them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from footfall.body.clip import Clip
from footfall.body.feet import foot_points, leg_length
from footfall.body.mass import centre_of_mass
from footfall.body.roles import SIDES
from footfall.maths.arrays import Floats
from footfall.maths.signals import differentiate, low_pass

FOOT_CUTOFF_HZ = 10.0
"""What is faster than this in a foot's track is noise, so every frame rate shows the same."""
PACE_CUTOFF_HZ = 1.0
HEEL, BALL, TIP = range(3)


@dataclass(frozen=True, eq=False)
class FootMotion:
    """Tracks of both feet (0 left, 1 right) without lag and without noise.

    leg_m     hip to knee to ankle, metres
    points    (T, 2, 3, 3) heel, ball and tip of each foot in the world, metres
    speeds    (T, 2, 3) how fast each of them moves, m/s
    centre    (T, 3) the body's centre of mass
    hips      (T, 3) between the hip joints
    facing    (T,) where pelvis and shoulders face, radians left of +Z, whole turns counted
    pace      (T,) the body's speed over the ground, steps and sway averaged out, m/s
    """

    fps: float
    leg_m: float
    points: Floats
    speeds: Floats
    centre: Floats
    hips: Floats
    facing: Floats
    pace: Floats

    def __len__(self) -> int:
        return len(self.pace)

    @cached_property
    def slowest(self) -> Floats:
        """(T, 2) the speed of the slowest point of each foot, m/s."""
        return np.asarray(self.speeds.min(axis=2))

    @cached_property
    def lowest(self) -> Floats:
        """(T, 2) the height of the lowest point of each foot, metres."""
        return np.asarray(self.points[..., 1].min(axis=2))


def foot_motion(clip: Clip) -> FootMotion:
    """Return the motion of the feet, the centre of mass and the hips of a clip."""
    skeleton, poses = clip.skeleton, clip.world
    points = [p for side in SIDES for p in foot_points(skeleton).side(side)]
    across = [f"{side}_{part}" for part in ("hip", "shoulder") for side in SIDES]
    tracks = np.concatenate(
        [
            poses.points([p.joint for p in points], np.stack([p.offset for p in points])),
            centre_of_mass(clip)[:, None],
            poses.positions[:, [skeleton.role(role) for role in across]],
        ],
        axis=1,
    )
    tracks = low_pass(tracks, clip.fps, min(FOOT_CUTOFF_HZ, 0.4 * clip.fps))
    feet_tracks = tracks[:, :6].reshape(-1, 2, 3, 3)
    hips = 0.5 * (tracks[:, 7] + tracks[:, 8])
    return FootMotion(
        fps=clip.fps,
        leg_m=0.5 * sum(leg_length(skeleton, side) for side in SIDES),
        points=feet_tracks,
        speeds=_lengths(differentiate(feet_tracks, clip.fps)),
        centre=tracks[:, 6],
        hips=hips,
        facing=_facing_yaw(tracks[:, 7:]),
        pace=_pace(hips, clip.fps),
    )


def _facing_yaw(corners: Floats) -> Floats:
    """Return (T,) yaw across to the lines from right to left hip and shoulder (T, 4, 3), as one.

    Both sway against each other from step to step; their mean hardly does.
    """
    lines = corners[:, 0::2] - corners[:, 1::2]
    lines = lines[..., [0, 2]]
    lines = (lines / np.maximum(_lengths(lines), 1e-9)[..., None]).sum(axis=1)
    return np.asarray(np.unwrap(np.arctan2(-lines[:, 1], lines[:, 0])))


def _pace(hips: Floats, fps: float) -> Floats:
    """Return (T,) the speed of the hips over the ground without what a single step does to it."""
    velocity = differentiate(hips[:, [0, 2]], fps)
    return _lengths(low_pass(velocity, fps, min(PACE_CUTOFF_HZ, 0.2 * fps)))


def _lengths(vectors: Floats) -> Floats:
    return np.asarray(np.sqrt(np.einsum("...i,...i->...", vectors, vectors)))
