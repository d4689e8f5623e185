"""Linear blend skinning: a skinned mesh carried along by a skeleton's world poses."""

from __future__ import annotations

import numpy as np

from footfall.body.kinematics import WorldPoses
from footfall.body.mesh import SkinnedMesh
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError
from footfall.maths.arrays import Floats


def skin_vertices(
    skinned: SkinnedMesh, poses: WorldPoses, skeleton: Skeleton
) -> tuple[Floats, Floats]:
    """Vertices and unit normals, each (T, V, 3), at every frame of `poses`.

    `skeleton` is the one that the mesh was built on; its rest pose is the binding pose. Memory
    is 48 bytes per vertex and frame: for a long clip, pass a few frames at a time.
    """
    from footfall.body.skinning_kernels import blend_skin

    frames, count = poses.positions.shape[:2]
    if count != len(skeleton) or (skinned.joints.size and skinned.joints.max() >= count):
        raise InputError(
            f"the poses have {count} joints, the skeleton {len(skeleton)} and the mesh names "
            f"joint {int(skinned.joints.max(initial=0))}",
            remedy="all three must belong to the same skeleton",
        )
    mesh = skinned.mesh
    vertices = np.empty((frames, len(mesh.vertices), 3))
    normals = np.empty_like(vertices)
    blend_skin(
        skeleton.rest_positions,
        np.ascontiguousarray(poses.positions),
        np.ascontiguousarray(poses.rotations),
        mesh.vertices, mesh.normals, skinned.joints, skinned.weights,
        vertices, normals,
    )  # fmt: skip
    return vertices, normals
