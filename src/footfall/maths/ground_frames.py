"""Frames on the ground, (..., 4): x, height, z and yaw."""

from __future__ import annotations

import numpy as np

from footfall.maths import planar
from footfall.maths.arrays import Floats

LEVEL_M = 0.04
"""Frames whose heights differ by less are on one level."""


def relative_frames(a: Floats, b: Floats) -> Floats:
    """Frames `b` (..., 4) as seen from frames `a` (..., 4)."""
    return _with_height(planar.relative(_flat(a), _flat(b)), b[..., 1] - a[..., 1])


def compose_frames(a: Floats, b: Floats) -> Floats:
    """Return frames `b` (..., 4), given relative to frames `a` (..., 4), in the parent of `a`."""
    return _with_height(planar.compose(_flat(a), _flat(b)), a[..., 1] + b[..., 1])


def invert_frames(a: Floats) -> Floats:
    """Return the inverse of frames (..., 4): their parent as seen from them."""
    return _with_height(planar.inverse(_flat(a)), -a[..., 1])


def middle_frames(a: Floats, b: Floats) -> Floats:
    """Return (..., 4) the frames in the middle of two; its height is that of the lower one."""
    between = relative_frames(a, b)
    half = 0.5 * between
    half[..., 1] = np.minimum(between[..., 1], 0.0)
    level = np.abs(between[..., 1]) < LEVEL_M
    half[..., 1] = np.where(level, 0.5 * between[..., 1], half[..., 1])
    return compose_frames(a, half)


def frame_points(frame: Floats, points: Floats) -> Floats:
    """Return points (..., 3), given relative to frames (..., 4), in the parent of the frames."""
    out = planar.apply_to_points(_flat(frame), points)
    out[..., 1] += frame[..., 1]
    return out


def frame_turns(frame: Floats, turns: Floats) -> Floats:
    """Return orientations (..., 4), given relative to frames (..., 4), in their parent."""
    return planar.apply_to_rotations(_flat(frame), turns)


def _flat(frame: Floats) -> Floats:
    return frame[..., [0, 2, 3]]


def _with_height(pose: Floats, height: Floats) -> Floats:
    return np.stack([pose[..., 0], height, pose[..., 1], pose[..., 2]], axis=-1)
