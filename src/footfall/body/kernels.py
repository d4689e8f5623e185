"""Compiled loops over frames and joints. Import this module lazily: it brings in numba."""

from __future__ import annotations

import math

import numpy as np

from footfall.maths.jit_kernels import kernel


@kernel
def world_poses(parents, offsets, root, rotations, positions, orientations):  # type: ignore[no-untyped-def]
    """Fill world positions (T, J, 3) and orientations (T, J, 4), parents first."""
    frames, joints = rotations.shape[0], rotations.shape[1]
    for t in range(frames):
        for i in range(3):
            positions[t, 0, i] = root[t, i]
        for i in range(4):
            orientations[t, 0, i] = rotations[t, 0, i]
        for j in range(1, joints):
            p = parents[j]
            w, x, y, z = (
                orientations[t, p, 0], orientations[t, p, 1],
                orientations[t, p, 2], orientations[t, p, 3],
            )  # fmt: skip
            ox, oy, oz = offsets[j, 0], offsets[j, 1], offsets[j, 2]
            cx = 2.0 * (y * oz - z * oy)
            cy = 2.0 * (z * ox - x * oz)
            cz = 2.0 * (x * oy - y * ox)
            positions[t, j, 0] = positions[t, p, 0] + ox + w * cx + y * cz - z * cy
            positions[t, j, 1] = positions[t, p, 1] + oy + w * cy + z * cx - x * cz
            positions[t, j, 2] = positions[t, p, 2] + oz + w * cz + x * cy - y * cx
            a, b, c, d = (
                rotations[t, j, 0], rotations[t, j, 1], rotations[t, j, 2], rotations[t, j, 3],
            )  # fmt: skip
            orientations[t, j, 0] = w * a - x * b - y * c - z * d
            orientations[t, j, 1] = w * b + x * a + y * d - z * c
            orientations[t, j, 2] = w * c - x * d + y * a + z * b
            orientations[t, j, 3] = w * d + x * c - y * b + z * a


@kernel
def world_positions(parents, offsets, root, rotations, positions):  # type: ignore[no-untyped-def]
    """Fill world positions (T, J, 3) alone, one frame's orientations held at a time."""
    frames, joints = rotations.shape[0], rotations.shape[1]
    orientations = np.empty((1, joints, 4))
    for t in range(frames):
        world_poses(
            parents, offsets, root[t : t + 1], rotations[t : t + 1],
            positions[t : t + 1], orientations,
        )  # fmt: skip


@kernel
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
            # The rotation from a to b in world axes: q_b q_a*, brought to the short way round.
            aw, ax, ay, az = (
                orientations[a, j, 0], -orientations[a, j, 1],
                -orientations[a, j, 2], -orientations[a, j, 3],
            )  # fmt: skip
            bw, bx, by, bz = (
                orientations[b, j, 0], orientations[b, j, 1],
                orientations[b, j, 2], orientations[b, j, 3],
            )  # fmt: skip
            w = bw * aw - bx * ax - by * ay - bz * az
            x = bw * ax + bx * aw + by * az - bz * ay
            y = bw * ay - bx * az + by * aw + bz * ax
            z = bw * az + bx * ay - by * ax + bz * aw
            if w < 0.0:
                w, x, y, z = -w, -x, -y, -z
            s = math.sqrt(x * x + y * y + z * z)
            k = (2.0 * math.atan2(s, w) / s if s > 1e-12 else 2.0) * rate
            angular[t, j, 0] = x * k
            angular[t, j, 1] = y * k
            angular[t, j, 2] = z * k
