"""Clips made for these tests: a humanoid that strides, and a snake without roles."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.body.clip import Clip
from footfall.body.skeleton import Skeleton
from footfall.maths import quaternions as quat
from tests.clips import steady


def walk(seconds: float = 2.0, turn: float = 0.0) -> Clip:
    """A steady walk from the origin along +z."""
    return steady("walk", 1.3, turn, seconds=seconds, fps=60.0)


def moved(clip: Clip, by=(0.0, 0.0, 0.0), yaw: float = 0.0) -> Clip:
    """The clip, turned about the origin's vertical and then moved."""
    turn = quat.from_yaw(yaw)
    rotations = np.array(clip.rotations)
    rotations[:, 0] = quat.multiply(turn, rotations[:, 0])
    root = quat.rotate(turn, clip.root) + np.asarray(by)
    return replace(clip, root=root, rotations=quat.continuous(rotations))


def frames(clip: Clip, which) -> Clip:
    """Some frames of a clip."""
    return clip[which]


def standing(seconds: float = 2.0) -> Clip:
    """One pose, held."""
    clip = walk(1.0)
    return frames(clip, np.zeros(round(seconds * clip.fps), dtype=int))


def snake(count: int = 90) -> Clip:
    """Three joints in a row that wriggle along +x; not humanoid."""
    skeleton = Skeleton(
        ("head", "middle", "tail"), [-1, 0, 1], [[0.0, 0.1, 0.0], [-0.4, 0, 0], [-0.4, 0, 0]],
        [2], [[-0.3, 0.0, 0.0]],
    )  # fmt: skip
    time = np.arange(count) / 30.0
    root = np.stack([0.8 * time, np.full(count, 0.1), 0.05 * np.sin(5 * time)], axis=1)
    yaw = 0.5 * np.sin(5 * time[:, None] + np.arange(3))
    return Clip(skeleton, 30.0, root, quat.continuous(quat.from_yaw(yaw)), name="snake")
