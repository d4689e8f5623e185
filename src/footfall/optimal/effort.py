"""What motion costs: effort, frame by frame, the same whatever the frame rate."""

from __future__ import annotations

import numpy as np

from footfall.body.clip import Clip
from footfall.body.kinematics import world_poses
from footfall.body.mass import segments
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats
from footfall.maths.constants import GRAVITY

REFERENCE_FPS = 30.0


def frame_efforts(clip: Clip) -> Floats:
    """(T,) the effort of each frame, so that sums are those of 30 frames a second; positive.

    Squared forces that move the segments of the body, with a share of their weight.
    """
    poses, parts = world_poses(clip), segments(clip.skeleton)
    joints = [part.joint for part in parts]
    centres = np.stack([part.centre for part in parts])
    places = poses.positions[:, joints] + quat.rotate(poses.rotations[:, joints], centres)
    speed = np.gradient(places, axis=0) * clip.fps if len(clip) > 1 else np.zeros_like(places)
    rate = np.gradient(speed, axis=0) * clip.fps if len(clip) > 1 else np.zeros_like(places)
    masses = np.array([part.mass_kg for part in parts])
    rate[..., 1] += 0.1 * GRAVITY
    force = masses[:, None] * rate
    return np.asarray((force**2).sum(axis=(1, 2)) * REFERENCE_FPS / clip.fps)
