"""Forward kinematics: from joint rotations to positions and orientations in the world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from footfall.body.skeleton import Skeleton
from footfall.maths.arrays import Bools, Floats, Ints

if TYPE_CHECKING:
    from footfall.body.clip import Clip


@dataclass(frozen=True, eq=False)
class WorldPoses:
    """positions (T, J, 3) and rotations (T, J, 4) of every joint in the world."""

    positions: Floats
    rotations: Floats

    def at(self, frames: NDArray[np.integer[Any]] | Bools | list[int] | slice) -> WorldPoses:
        """Return the poses of these frames."""
        return WorldPoses(
            np.ascontiguousarray(self.positions[frames]),
            np.ascontiguousarray(self.rotations[frames]),
        )

    def points(self, joints: int | Ints | list[int], offsets: Floats) -> Floats:
        """Return (T, ..., 3) world positions of points given in the frames of joints."""
        from footfall.maths.quaternions import rotate

        return np.asarray(self.positions[:, joints] + rotate(self.rotations[:, joints], offsets))


@dataclass(frozen=True, eq=False)
class WorldVelocities:
    """linear (T, J, 3) in m/s and angular (T, J, 3) in rad/s of every joint, world axes."""

    linear: Floats
    angular: Floats


def forward_kinematics(skeleton: Skeleton, root: Floats, rotations: Floats) -> WorldPoses:
    """World poses of all joints; `root` (T, 3), `rotations` (T, J, 4) against the parents."""
    from footfall.body.kernels import world_poses

    frames, joints = rotations.shape[:2]
    positions = np.empty((frames, joints, 3))
    orientations = np.empty((frames, joints, 4))
    world_poses(
        skeleton.parents, skeleton.offsets,
        np.ascontiguousarray(root), np.ascontiguousarray(rotations),
        positions, orientations,
    )  # fmt: skip
    return WorldPoses(positions, orientations)


def world_velocities(clip: Clip) -> WorldVelocities:
    """Linear and angular velocities by central differences (one-sided at the two ends)."""
    from footfall.maths.quaternions import conjugate, multiply, to_rotation_vector

    places, turns = clip.positions, clip.world.rotations
    frames = np.arange(len(clip))
    before, after = np.maximum(frames - 1, 0), np.minimum(frames + 1, len(clip) - 1)
    gaps = (after - before)[:, None, None]
    rate = np.where(gaps > 0, clip.fps / np.maximum(gaps, 1), 0.0)  # a single frame is still
    steps = multiply(turns[after], conjugate(turns[before]))  # in world axes
    return WorldVelocities(
        (places[after] - places[before]) * rate, to_rotation_vector(steps) * rate
    )
