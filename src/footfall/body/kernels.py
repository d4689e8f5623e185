"""Compiled loops over frames and joints. Import this module lazily: it brings in numba."""

from __future__ import annotations

import math

import numpy as np

from footfall.maths.jit_kernels import inner_kernel, kernel, lean_kernel
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


@kernel
def rewrite_rotations(rotations, keep, left, right, plain, out):  # type: ignore[no-untyped-def]
    """out[t, k] = left[k] rotations[t, keep[k]] right[k], unit, one hemisphere along time.

    rotations  (T, J, 4); keep (K,) rising joint indices; left, right (K, 4); plain (K,) says
    where both are the identity; out (T, K, 4) may share its memory with `rotations` from the
    first element on, because every value is read before its place is written.
    """
    frames, count = rotations.shape[0], keep.shape[0]
    before = np.zeros((count, 4))
    before[:, 0] = 1.0
    for t in range(frames):
        for k in range(count):
            q = quaternion(rotations[t], keep[k])
            if not plain[k]:
                q = multiply(multiply(quaternion(left, k), q), quaternion(right, k))
            w, x, y, z = q
            square = w * w + x * x + y * y + z * z
            scale = 1.0
            if not abs(square - 1.0) < 1e-12:
                if square < 1e-20:
                    w, x, y, z = 1.0, 0.0, 0.0, 0.0
                else:
                    scale = 1.0 / math.sqrt(square)
            if w * before[k, 0] + x * before[k, 1] + y * before[k, 2] + z * before[k, 3] < 0.0:
                scale = -scale
            q = (w * scale, x * scale, y * scale, z * scale)
            put(before, k, q)
            put(out[t], k, q)


@kernel
def blend_skin(  # type: ignore[no-untyped-def]
    rest, positions, orientations, vertices, normals, joints, weights, out_vertices, out_normals
):
    """Fill out_vertices and out_normals (T, V, 3) by linear blend skinning.

    rest (J, 3), positions (T, J, 3), orientations (T, J, 4), vertices and normals (V, 3),
    joints and weights (V, 4), weights sorted from the largest.
    """
    frames, count = positions.shape[0], positions.shape[1]
    moves = np.empty((count, 12))
    for t in range(frames):
        for j in range(count):
            w, x, y, z = (
                orientations[t, j, 0], orientations[t, j, 1],
                orientations[t, j, 2], orientations[t, j, 3],
            )  # fmt: skip
            m = moves[j]
            m[0], m[1], m[2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
            m[4], m[5], m[6] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
            m[8], m[9], m[10] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)
            for i in range(3):
                k = 4 * i
                m[k + 3] = positions[t, j, i] - (
                    m[k] * rest[j, 0] + m[k + 1] * rest[j, 1] + m[k + 2] * rest[j, 2]
                )
        blend = np.empty(12)
        for v in range(vertices.shape[0]):
            a = weights[v, 0]
            m = moves[joints[v, 0]]
            for k in range(12):
                blend[k] = a * m[k]
            for i in range(1, 4):
                a = weights[v, i]
                if a > 0.0:
                    m = moves[joints[v, i]]
                    for k in range(12):
                        blend[k] += a * m[k]
            x, y, z = vertices[v, 0], vertices[v, 1], vertices[v, 2]
            p, q, r = normals[v, 0], normals[v, 1], normals[v, 2]
            nx = blend[0] * p + blend[1] * q + blend[2] * r
            ny = blend[4] * p + blend[5] * q + blend[6] * r
            nz = blend[8] * p + blend[9] * q + blend[10] * r
            length = math.sqrt(nx * nx + ny * ny + nz * nz)
            scale = 1.0 / length if length > 1e-12 else 0.0
            out_vertices[t, v, 0] = blend[0] * x + blend[1] * y + blend[2] * z + blend[3]
            out_vertices[t, v, 1] = blend[4] * x + blend[5] * y + blend[6] * z + blend[7]
            out_vertices[t, v, 2] = blend[8] * x + blend[9] * y + blend[10] * z + blend[11]
            out_normals[t, v, 0] = nx * scale
            out_normals[t, v, 1] = ny * scale
            out_normals[t, v, 2] = nz * scale
