"""Compiled loops over frames and joints. Import this module lazily: it brings in numba."""

from __future__ import annotations

from footfall.maths.jit_kernels import inner_kernel, lean_kernel
from footfall.maths.vector_kernels import add, multiply, put, quaternion, rotate, vector


@inner_kernel
def place_pose(parents, offsets, root, rotations, places, turns):  # type: ignore[no-untyped-def]
    """Fill places (J, 3) and turns (J, 4) in the world of one pose, its root at a tuple."""
    put(places, 0, root)
    put(turns, 0, quaternion(rotations, 0))
    for j in range(1, len(parents)):
        above = quaternion(turns, parents[j])
        offset = rotate(above, vector(offsets, j))
        put(places, j, add(vector(places, parents[j]), offset))
        put(turns, j, multiply(above, quaternion(rotations, j)))


@lean_kernel
def world_poses(parents, offsets, root, rotations, positions, orientations):  # type: ignore[no-untyped-def]
    """Fill world positions (T, J, 3) and orientations (T, J, 4), parents first."""
    for t in range(len(root)):
        place_pose(parents, offsets, vector(root, t), rotations[t], positions[t], orientations[t])
