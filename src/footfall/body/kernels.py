"""Compiled loops over frames and joints. Import this module lazily: it brings in numba."""

from __future__ import annotations

from footfall.maths.jit_kernels import inner_kernel, lean_kernel
from footfall.maths.vector_kernels import (
    add,
    conjugate,
    log_half,
    multiply,
    put,
    quaternion,
    rotate,
    scale,
    vector,
)


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


@lean_kernel
def world_velocities(positions, orientations, fps, linear, angular):  # type: ignore[no-untyped-def]
    """Fill linear (T, J, 3) and angular (T, J, 3) velocities from world poses.

    Central differences over two frames; over one frame at the ends; zero for a single frame.
    """
    frames, joints = positions.shape[0], positions.shape[1]
    for t in range(frames):
        a, b = max(t - 1, 0), min(t + 1, frames - 1)
        if a == b:
            continue
        rate = fps / (b - a)
        for j in range(joints):
            for i in range(3):
                linear[t, j, i] = (positions[b, j, i] - positions[a, j, i]) * rate
            # In world axes, the short way round.
            before, after = quaternion(orientations[a], j), quaternion(orientations[b], j)
            put(angular[t], j, scale(log_half(multiply(after, conjugate(before))), 2.0 * rate))
