"""Forward kinematics: from joint rotations to positions and orientations in the world."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.body.clip import Clip
from footfall.body.skeleton import Skeleton
from footfall.maths.arrays import Floats


@dataclass(frozen=True, eq=False)
class WorldPoses:
    """positions (T, J, 3) and rotations (T, J, 4) of every joint in the world."""

    positions: Floats
    rotations: Floats


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


def world_poses(clip: Clip) -> WorldPoses:
    """World poses of all joints at all frames of a clip."""
    return forward_kinematics(clip.skeleton, clip.root, clip.rotations)


def joint_positions(clip: Clip) -> Floats:
    """(T, J, 3) world positions alone, at less memory than `world_poses`."""
    from footfall.body.kernels import world_positions

    positions = np.empty((len(clip), len(clip.skeleton), 3))
    world_positions(
        clip.skeleton.parents, clip.skeleton.offsets, clip.root, clip.rotations, positions
    )
    return positions


def end_positions(clip: Clip, poses: WorldPoses) -> Floats:
    """(T, E, 3) world positions of the skeleton's end sites."""
    from footfall.maths.quaternions import rotate

    joints = clip.skeleton.end_joints
    return poses.positions[:, joints] + rotate(
        poses.rotations[:, joints], clip.skeleton.end_offsets
    )


def world_velocities(clip: Clip, poses: WorldPoses | None = None) -> WorldVelocities:
    """Linear and angular velocities by central differences (one-sided at the two ends)."""
    from footfall.body.kernels import world_velocities as kernel

    poses = poses or world_poses(clip)
    linear, angular = np.zeros_like(poses.positions), np.zeros_like(poses.positions)
    kernel(poses.positions, poses.rotations, clip.fps, linear, angular)
    return WorldVelocities(linear, angular)
