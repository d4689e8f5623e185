"""Compiled loops over frames. Import this module lazily: it brings in numba."""

from __future__ import annotations

from footfall.maths.jit_kernels import kernel


@kernel
def mixed_points(positions, orientations, joints, offsets, weights, target, out):  # type: ignore[no-untyped-def]
    """Add to out (T, K, 3) at `target` (N,) the points fixed to `joints` (N,), times `weights`.

    positions (T, J, 3) and orientations (T, J, 4) in the world; offsets (N, 3) in the joints'.
    """
    for t in range(positions.shape[0]):
        for n in range(len(joints)):
            j, k, m = joints[n], target[n], weights[n]
            w, x, y, z = (
                orientations[t, j, 0], orientations[t, j, 1],
                orientations[t, j, 2], orientations[t, j, 3],
            )  # fmt: skip
            ox, oy, oz = offsets[n, 0], offsets[n, 1], offsets[n, 2]
            cx = 2.0 * (y * oz - z * oy)
            cy = 2.0 * (z * ox - x * oz)
            cz = 2.0 * (x * oy - y * ox)
            out[t, k, 0] += m * (positions[t, j, 0] + ox + w * cx + y * cz - z * cy)
            out[t, k, 1] += m * (positions[t, j, 1] + oy + w * cy + z * cx - x * cz)
            out[t, k, 2] += m * (positions[t, j, 2] + oz + w * cz + x * cy - y * cx)
