"""Linear blend skinning against a plain numpy oracle and the laws it must keep."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from footfall.body.kinematics import WorldPoses, forward_kinematics
from footfall.body.mesh import Material, Mesh, SkinnedMesh, skin_vertices
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError

seeds = st.integers(0, 2**32 - 1)


def random_rotations(rng: np.random.Generator, *shape: int) -> np.ndarray:
    q = rng.normal(size=(*shape, 4))
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def random_chain(rng: np.random.Generator, joints: int = 6) -> Skeleton:
    parents = [-1] + [int(rng.integers(0, j)) for j in range(1, joints)]
    return Skeleton(tuple("abcdef"[:joints]), parents, rng.normal(size=(joints, 3)))


def random_skin(rng: np.random.Generator, joints: int = 6, count: int = 40) -> SkinnedMesh:
    normals = rng.normal(size=(count, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    triangles = rng.integers(0, count, size=(10, 3))
    mesh = Mesh(
        rng.normal(size=(count, 3)),
        normals,
        triangles,
        np.zeros(10, int),
        (Material("m", (1, 1, 1)),),
    )
    weights = rng.random((count, 4)) * (rng.random((count, 4)) < 0.6)
    weights[:, 0] += 0.1
    weights /= weights.sum(axis=1, keepdims=True)
    return SkinnedMesh(mesh, rng.integers(0, joints, size=(count, 4)), weights)


def random_poses(rng: np.random.Generator, skeleton: Skeleton, frames: int = 3) -> WorldPoses:
    return forward_kinematics(
        skeleton, rng.normal(size=(frames, 3)), random_rotations(rng, frames, len(skeleton))
    )


@given(seeds)
def test_it_is_the_weighted_mean_of_what_each_joint_does(seed):
    rng = np.random.default_rng(seed)
    skeleton, skinned = random_chain(rng), random_skin(rng)
    poses = random_poses(rng, skeleton)
    vertices, normals = skin_vertices(skinned, poses, skeleton)
    for t in range(3):
        turn = Rotation.from_quat(poses.rotations[t], scalar_first=True).as_matrix()
        local = skinned.mesh.vertices[:, None] - skeleton.rest_positions[skinned.joints]
        moved = np.einsum("vkij,vkj->vki", turn[skinned.joints], local)
        moved += poses.positions[t][skinned.joints]
        expected = (skinned.weights[..., None] * moved).sum(axis=1)
        assert np.allclose(vertices[t], expected, atol=1e-12)
        blend = np.einsum("vk,vkij->vij", skinned.weights, turn[skinned.joints])
        expected = np.einsum("vij,vj->vi", blend, skinned.mesh.normals)
        expected /= np.linalg.norm(expected, axis=1, keepdims=True)
        assert np.allclose(normals[t], expected, atol=1e-9)


@given(seeds)
def test_the_rest_pose_gives_the_mesh_back(seed):
    rng = np.random.default_rng(seed)
    skeleton, skinned = random_chain(rng), random_skin(rng)
    still = np.zeros((1, len(skeleton), 4))
    still[..., 0] = 1.0
    poses = forward_kinematics(skeleton, skeleton.offsets[:1], still)
    vertices, normals = skin_vertices(skinned, poses, skeleton)
    assert np.allclose(vertices[0], skinned.mesh.vertices, atol=1e-12)
    assert np.allclose(normals[0], skinned.mesh.normals, atol=1e-12)


@given(seeds)
def test_moving_the_whole_character_moves_every_vertex_alike(seed):
    rng = np.random.default_rng(seed)
    skeleton, skinned = random_chain(rng), random_skin(rng)
    poses = random_poses(rng, skeleton)
    turn, shift = Rotation.from_quat(random_rotations(rng)), rng.normal(size=3)
    spun = turn * Rotation.from_quat(poses.rotations.reshape(-1, 4), scalar_first=True)
    moved = WorldPoses(
        turn.apply(poses.positions.reshape(-1, 3)).reshape(poses.positions.shape) + shift,
        spun.as_quat(scalar_first=True).reshape(poses.rotations.shape),
    )
    before, before_normals = skin_vertices(skinned, poses, skeleton)
    after, after_normals = skin_vertices(skinned, moved, skeleton)
    assert np.allclose(after.reshape(-1, 3), turn.apply(before.reshape(-1, 3)) + shift, atol=1e-9)
    assert np.allclose(
        after_normals.reshape(-1, 3), turn.apply(before_normals.reshape(-1, 3)), atol=1e-9
    )


def test_frames_can_be_skinned_a_few_at_a_time(rng):
    skeleton, skinned = random_chain(rng), random_skin(rng)
    poses = random_poses(rng, skeleton, frames=7)
    whole, normals = skin_vertices(skinned, poses, skeleton)
    part = WorldPoses(poses.positions[2:5], poses.rotations[2:5])
    vertices, part_normals = skin_vertices(skinned, part, skeleton)
    assert np.array_equal(vertices, whole[2:5])
    assert np.array_equal(part_normals, normals[2:5])


def test_poses_of_another_skeleton_are_refused_in_one_sentence(rng):
    skeleton, other, skinned = random_chain(rng), random_chain(rng, 4), random_skin(rng)
    with pytest.raises(InputError, match="same skeleton"):
        skin_vertices(skinned, random_poses(rng, other), skeleton)
    with pytest.raises(InputError, match="same skeleton"):
        skin_vertices(skinned, random_poses(rng, other), other)
