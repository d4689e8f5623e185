"""Compiled loops over frames. Import this module lazily: it brings in numba."""

from __future__ import annotations

from footfall.maths.jit_kernels import lean_kernel
from footfall.maths.vector_kernels import add, put, quaternion, rotate, scale, vector


@lean_kernel
def mixed_points(positions, orientations, joints, offsets, weights, target, out):  # type: ignore[no-untyped-def]
    """Add to out (T, K, 3) at `target` (N,) the points fixed to `joints` (N,), times `weights`.

    positions (T, J, 3) and orientations (T, J, 4) in the world; offsets (N, 3) in the joints'.
    """
    for t in range(positions.shape[0]):
        for n in range(len(joints)):
            turn, k = quaternion(orientations[t], joints[n]), target[n]
            point = add(vector(positions[t], joints[n]), rotate(turn, vector(offsets, n)))
            put(out[t], k, add(vector(out[t], k), scale(point, weights[n])))
