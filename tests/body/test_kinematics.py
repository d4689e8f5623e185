"""Forward kinematics and velocities against independent calculations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from footfall.body.clip import Clip
from footfall.body.edit import move
from footfall.body.kinematics import forward_kinematics, world_velocities
from footfall.body.skeleton import Skeleton
from footfall.maths import planar
from footfall.maths import quaternions as qs
from tests.clips import real_clip

seeds = st.integers(0, 2**32 - 1)


def random_clip(seed: int, joints: int = 9, frames: int = 4) -> Clip:
    rng = np.random.default_rng(seed)
    parents = np.array([-1, *(rng.integers(0, j) for j in range(1, joints))])
    skeleton = Skeleton(
        tuple(f"joint{j}" for j in range(joints)),
        parents,
        rng.normal(size=(joints, 3)) * rng.integers(0, 2, (joints, 1)),  # some have no length
        end_joints=np.array([joints - 1, 0]),
        end_offsets=rng.normal(size=(2, 3)),
    )
    rotations = qs.random_rotations(rng, (frames, joints))
    return Clip(skeleton, 30.0, rng.normal(size=(frames, 3)), rotations)


@given(seeds)
def test_world_poses_agree_with_matrices_multiplied_down_the_tree(seed):
    clip = random_clip(seed)
    skeleton, poses = clip.skeleton, clip.world
    ends = clip.end_positions
    for frame in range(len(clip)):
        matrices: list[np.ndarray] = []
        for joint, parent in enumerate(skeleton.parents):
            local = np.eye(4)
            local[:3, :3] = Rotation.from_quat(
                clip.rotations[frame, joint], scalar_first=True
            ).as_matrix()
            local[:3, 3] = clip.root[frame] if joint == 0 else skeleton.offsets[joint]
            matrices.append(local if joint == 0 else matrices[parent] @ local)
        for joint, matrix in enumerate(matrices):
            np.testing.assert_allclose(poses.positions[frame, joint], matrix[:3, 3], atol=1e-13)
            np.testing.assert_allclose(
                qs.to_matrix(poses.rotations[frame, joint]), matrix[:3, :3], atol=1e-13
            )
        for end, joint in enumerate(skeleton.end_joints):
            expected = matrices[joint] @ np.append(skeleton.end_offsets[end], 1.0)
            np.testing.assert_allclose(ends[frame, end], expected[:3], atol=1e-13)


@given(seeds)
def test_positions_alone_are_those_of_the_poses(seed):
    clip = random_clip(seed, frames=7)
    np.testing.assert_array_equal(clip.positions, clip.positions)


@given(seeds)
def test_bones_keep_their_lengths(seed):
    clip = random_clip(seed)
    positions = clip.positions
    bones = np.linalg.norm(positions[:, 1:] - positions[:, clip.skeleton.parents[1:]], axis=-1)
    expected = np.linalg.norm(clip.skeleton.offsets[1:], axis=-1)
    np.testing.assert_allclose(bones, np.tile(expected, (len(clip), 1)), atol=1e-13)


@given(seeds, st.floats(-5, 5), st.floats(-5, 5), st.floats(-4, 4))
def test_a_moved_clip_has_moved_poses(seed, x, z, yaw):
    clip = random_clip(seed)
    before, after = clip.world, move(clip, x, z, yaw).world
    pose = np.array([x, z, yaw])
    np.testing.assert_allclose(
        after.positions, planar.apply_to_points(pose, before.positions), atol=1e-12
    )
    np.testing.assert_allclose(
        after.rotations, planar.apply_to_rotations(pose, before.rotations), atol=1e-12
    )


@given(seeds)
def test_a_rotated_root_turns_everything_about_it(seed):
    clip = random_clip(seed)
    turn = qs.random_rotations(np.random.default_rng(seed + 1))
    rotations = np.array(clip.rotations)
    rotations[:, 0] = qs.multiply(turn, rotations[:, 0])
    before = clip.world
    after = forward_kinematics(clip.skeleton, clip.root, rotations)
    about = clip.root[:, None]
    np.testing.assert_allclose(
        after.positions, about + qs.rotate(turn, before.positions - about), atol=1e-12
    )


def test_the_rest_pose_stands_at_the_summed_offsets():
    clip = random_clip(3, frames=1)
    skeleton = clip.skeleton
    rest = forward_kinematics(
        skeleton, skeleton.offsets[:1], np.tile(qs.IDENTITY, (1, len(skeleton), 1))
    )
    np.testing.assert_allclose(rest.positions[0], skeleton.rest_positions, atol=1e-15)


def test_joints_without_length_share_their_parents_place_but_turn():
    skeleton = Skeleton(("a", "b", "c"), np.array([-1, 0, 1]), [[0, 0, 0], [0, 0, 0], [0, 1, 0]])
    quarter = qs.from_axis_angle([1.0, 0.0, 0.0], np.pi / 2)
    clip = Clip(skeleton, 30.0, np.zeros((1, 3)), [[qs.IDENTITY, quarter, qs.IDENTITY]])
    positions = clip.positions[0]
    np.testing.assert_array_equal(positions[1], positions[0])
    np.testing.assert_allclose(positions[2], [0.0, 0.0, 1.0], atol=1e-15)


def spinning(rate: np.ndarray, speed: np.ndarray, frames: int = 60, fps: float = 120.0) -> Clip:
    skeleton = Skeleton(("hub", "tip"), np.array([-1, 0]), [[0, 1, 0], [0.5, 0, 0.2]])
    times = np.arange(frames)[:, None] / fps
    rotations = np.tile(qs.IDENTITY, (frames, 2, 1))
    rotations[:, 0] = qs.from_rotation_vector(times * rate)
    return Clip(skeleton, fps, times * speed, rotations)


def test_velocities_of_a_spinning_joint_are_the_analytic_ones():
    rate, speed = np.array([1.0, -2.0, 0.5]), np.array([0.3, 0.0, 1.2])
    clip = spinning(rate, speed)
    poses = clip.world
    velocities = world_velocities(clip)
    np.testing.assert_allclose(velocities.angular, np.broadcast_to(rate, (60, 2, 3)), atol=1e-10)
    arm = poses.positions[:, 1] - poses.positions[:, 0]
    expected = speed + np.cross(rate, arm)
    np.testing.assert_allclose(velocities.linear[1:-1, 1], expected[1:-1], atol=1e-4)
    np.testing.assert_allclose(velocities.linear[:, 0], np.tile(speed, (60, 1)), atol=1e-12)


def test_angular_velocity_ignores_the_signs_of_the_quaternions(rng):
    clip = spinning(np.array([3.0, 1.0, 2.0]), np.zeros(3))
    signs = rng.choice([-1.0, 1.0], (60, 2, 1))
    flipped = Clip(clip.skeleton, clip.fps, clip.root, clip.rotations * signs)
    np.testing.assert_allclose(
        world_velocities(flipped).angular, world_velocities(clip).angular, atol=1e-10
    )


def test_a_single_frame_does_not_move():
    clip = random_clip(5, frames=1)
    velocities = world_velocities(clip)
    np.testing.assert_array_equal(velocities.linear, 0.0)
    np.testing.assert_array_equal(velocities.angular, 0.0)
    assert clip.positions.shape == (1, 9, 3)


@pytest.mark.mocap
def test_a_real_clip_keeps_its_bones(mocap):

    clip = real_clip(mocap / "cmu" / "16_16.bvh")
    positions = clip.positions
    bones = np.linalg.norm(positions[:, 1:] - positions[:, clip.skeleton.parents[1:]], axis=-1)
    assert np.ptp(bones, axis=0).max() < 1e-12
