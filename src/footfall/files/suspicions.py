"""What a motion gives away about its file: an inserted first frame, a wrong frame rate."""

from __future__ import annotations

import numpy as np

from footfall.body.roles import SIDES
from footfall.body.skeleton import Skeleton
from footfall.files.sampling import sampled_positions
from footfall.maths.arrays import Floats


def begins_with_t_pose(
    skeleton: Skeleton, keep: Floats, root: Floats, rotations: Floats, axes: Floats
) -> bool:
    """Whether frame 0 is a T-pose that the motion does not continue.

    Arms level and sideways, legs straight and down, and a jump to frame 1 that is far larger
    than the step from frame 1 to frame 2.
    axes  (3, 3) turns the file's world to y up
    """
    if len(root) < 3:
        return False
    parts = ("hip", "knee", "ankle", "shoulder", "elbow", "wrist")
    joints = [skeleton.roles[f"{side}_{part}"] for side in SIDES for part in parts]
    places = sampled_positions(skeleton, keep, root, rotations, np.arange(3), joints) @ axes.T
    size = float(np.linalg.norm(places[0, 0] - places[0, 2]))
    inner = places - places[:, :1]
    jump, step = (float(np.abs(inner[k + 1] - inner[k]).max()) for k in (0, 1))
    if jump < 0.1 * size or jump < 5.0 * step:
        return False
    left = places[0, 3] - places[0, 9]
    left = left / max(float(np.linalg.norm(left)), 1e-12)
    for start, sign in ((0, 1.0), (6, -1.0)):
        hip, knee, ankle, shoulder, elbow, wrist = places[0, start : start + 6]
        straight = [_along(knee - hip, ankle - knee), _along(elbow - shoulder, wrist - elbow)]
        down = -_along(ankle - hip, np.array([0.0, 1.0, 0.0]))
        sideways = sign * _along(wrist - shoulder, left)
        level = abs(_along(wrist - shoulder, np.array([0.0, 1.0, 0.0])))
        if min(straight) < 0.94 or down < 0.9 or sideways < 0.9 or level > 0.35:
            return False
    return True


def rate_suspicion(skeleton: Skeleton, root: Floats, rotations: Floats, fps: float) -> list[str]:
    """A sentence if free fall says the frame rate is double or half of the true one."""
    return []


def _along(a: Floats, b: Floats) -> float:
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / size if size > 0.0 else 0.0
