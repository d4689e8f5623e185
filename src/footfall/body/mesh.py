"""Triangle meshes, plain and skinned, as frozen arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.body.kinematics import WorldPoses
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError
from footfall.maths.arrays import Floats, Ints, frozen_floats, frozen_ints


@dataclass(frozen=True)
class Material:
    """A surface: base colour (linear r, g, b, each 0 to 1), roughness and metalness."""

    name: str
    colour: tuple[float, float, float]
    roughness: float = 0.8
    metalness: float = 0.0


@dataclass(frozen=True, eq=False)
class Mesh:
    """V vertices and F triangles, counter-clockwise seen from outside.

    vertices   (V, 3) metres        normals         (V, 3) unit
    triangles  (F, 3) vertex index  face_materials  (F,) index into `materials`
    """

    vertices: Floats
    normals: Floats
    triangles: Ints
    face_materials: Ints
    materials: tuple[Material, ...]

    def __post_init__(self) -> None:
        vertices = frozen_floats(self.vertices, (None, 3), "vertices")
        triangles = frozen_ints(self.triangles, (None, 3), "triangles")
        if triangles.size and (triangles.min() < 0 or triangles.max() >= len(vertices)):
            raise InputError("a triangle names a vertex that is not there")
        faces = frozen_ints(self.face_materials, (len(triangles),), "face_materials")
        if faces.size and (faces.min() < 0 or faces.max() >= len(self.materials)):
            raise InputError("a triangle names a material that is not there")
        put = object.__setattr__
        put(self, "vertices", vertices)
        put(self, "normals", frozen_floats(self.normals, vertices.shape, "normals"))
        put(self, "triangles", triangles)
        put(self, "face_materials", faces)


@dataclass(frozen=True, eq=False)
class SkinnedMesh:
    """A mesh in a skeleton's rest pose, each vertex bound to up to four joints.

    joints   (V, 4) joint indices      weights  (V, 4) non-negative, each row sums to 1
    """

    mesh: Mesh
    joints: Ints
    weights: Floats

    def __post_init__(self) -> None:
        count = len(self.mesh.vertices)
        weights = frozen_floats(self.weights, (count, 4), "weights")
        if count and (weights.min() < 0 or abs(weights.sum(axis=1) - 1.0).max() > 1e-6):
            raise InputError("skin weights must be non-negative and sum to 1 for each vertex")
        object.__setattr__(self, "joints", frozen_ints(self.joints, (count, 4), "joints"))
        object.__setattr__(self, "weights", weights)


# Linear blend skinning: a skinned mesh carried along by a skeleton's world poses.


def skin_vertices(
    skinned: SkinnedMesh, poses: WorldPoses, skeleton: Skeleton
) -> tuple[Floats, Floats]:
    """Vertices and unit normals, each (T, V, 3), at every frame of `poses`.

    `skeleton` is the one that the mesh was built on; its rest pose is the binding pose. Memory
    is 48 bytes per vertex and frame: for a long clip, pass a few frames at a time.
    """
    from footfall.body.kernels import blend_skin

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
