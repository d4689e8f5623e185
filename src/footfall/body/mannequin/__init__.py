"""A body for any skeleton, like an artist's mannequin: light shells, dark ball joints.

The mesh is built in the skeleton's rest pose (for a humanoid the T-pose facing +z) from joint
positions and roles alone, so that it fits CMU, Mixamo, SMPL or a skeleton of one's own.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from footfall.body.mannequin.bones import bones
from footfall.body.mannequin.feet import foot
from footfall.body.mannequin.hands import hand
from footfall.body.mannequin.limbs import limbs
from footfall.body.mannequin.proportions import is_humanoid, measure
from footfall.body.mannequin.shapes import Part, strongest_four
from footfall.body.mannequin.torso import collar, head, neck, torso
from footfall.body.mesh import Material, Mesh, SkinnedMesh
from footfall.body.skeleton import Skeleton
from footfall.maths.arrays import Floats, Ints

MATERIALS = (
    Material("body", (0.70, 0.64, 0.57), roughness=0.62),
    Material("joints", (0.048, 0.052, 0.060), roughness=0.45),
)
"""Light clay for the shells, graphite for the joints."""


@lru_cache(maxsize=8)
def mannequin(skeleton: Skeleton) -> SkinnedMesh:
    """The mannequin of a skeleton, in its rest pose; a character of bones if it is not humanoid."""
    if not is_humanoid(skeleton):
        return _assemble(bones(skeleton), np.zeros(3))
    character = measure(skeleton)
    parts = [*torso(character), neck(character), head(character)]
    for side in character.sides:
        parts += [*limbs(character, side), *hand(character, side)]
        parts += [collar(character, side), foot(character, side)]
    return _assemble(parts, character.middle)


def _assemble(parts: list[Part], origin: Floats) -> SkinnedMesh:
    sizes = [len(part.vertices) for part in parts]
    firsts = np.cumsum([0, *sizes[:-1]])
    vertices = np.concatenate([part.vertices for part in parts]) + origin
    triangles = np.concatenate(
        [p.triangles + first for p, first in zip(parts, firsts, strict=True)]
    )
    faces = np.concatenate([np.broadcast_to(p.material, len(p.triangles)) for p in parts])
    joints, weights = strongest_four(
        [p.joints for p in parts],
        [
            np.ones((n, 1)) if p.weights is None else p.weights
            for p, n in zip(parts, sizes, strict=True)
        ],
    )
    normals = vertex_normals(vertices, triangles)
    mesh = Mesh(vertices, normals, triangles, faces, MATERIALS)
    return SkinnedMesh(mesh, joints, weights)


def vertex_normals(vertices: Floats, triangles: Ints) -> Floats:
    """(V, 3) unit normals, the mean of the triangles around each vertex weighted by area."""
    a, b, c = (vertices[triangles[:, i]] for i in range(3))
    faces = np.cross(b - a, c - a)
    corners = triangles.T.reshape(-1)
    shared = np.concatenate([faces, faces, faces])
    normals = np.stack(
        [np.bincount(corners, shared[:, i], minlength=len(vertices)) for i in range(3)], axis=1
    )
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    return np.where(length > 1e-300, normals / np.where(length > 0, length, 1.0), [0.0, 1.0, 0.0])
