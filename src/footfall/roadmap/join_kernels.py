"""Compiled parts of joining moves: what differs where two meet dies away on both sides.

Import lazily: numba.
"""

from __future__ import annotations

import math

from footfall.maths.jit_kernels import inner_kernel, kernel
from footfall.maths.vector_kernels import (
    conjugate,
    exp_half,
    log_half,
    multiply,
    normalise,
    quaternion,
)


@inner_kernel
def _fade(u):  # type: ignore[no-untyped-def]
    """Half at 0, none at 1, smooth at both."""
    return 0.5 * (1.0 - u * u * u * (10.0 - 15.0 * u + 6.0 * u * u))


@inner_kernel
def _drift(u):  # type: ignore[no-untyped-def]
    """Half the way that a speed of 1 leads from 0, none at 1, smooth at both."""
    return 0.5 * u * (1.0 - u * u * (6.0 - 8.0 * u + 3.0 * u * u))


@kernel
def blend_seams(at, lengths, edge_root, edge_turns, edge_span, peaks, usual, most, root, rotations):  # type: ignore[no-untyped-def]
    """Blend root (T, 3) and rotations (T, J, 4) where moves meet, at frames `at` (S,).

    lengths     (S + 1,) frames of each move
    edge_root   (S, 2, 3, 3) where the root is before, at and after the seam: in the move that
                ends there, and in the one that begins
    edge_turns  (S, 2, 3, J, 4) the same of rotations
    edge_span   (S, 2) how many frames lie between before and after
    peaks       (S, J + 1) how far that may take the root, metres, and then each joint, half
                radians, in a frame
    usual, most how many frames it usually takes, and at most
    """
    joints = rotations.shape[1]
    for s in range(len(at)):
        for j in range(joints + 1):
            if j == 0:
                step = (
                    edge_root[s, 1, 1, 0] - edge_root[s, 0, 1, 0],
                    edge_root[s, 1, 1, 1] - edge_root[s, 0, 1, 1],
                    edge_root[s, 1, 1, 2] - edge_root[s, 0, 1, 2],
                )
                a, b = edge_root[s, 0], edge_root[s, 1]
                fast = (
                    (b[2, 0] - b[0, 0]) / edge_span[s, 1] - (a[2, 0] - a[0, 0]) / edge_span[s, 0],
                    (b[2, 1] - b[0, 1]) / edge_span[s, 1] - (a[2, 1] - a[0, 1]) / edge_span[s, 0],
                    (b[2, 2] - b[0, 2]) / edge_span[s, 1] - (a[2, 2] - a[0, 2]) / edge_span[s, 0],
                )
            else:
                before, after = edge_turns[s, 0, :, j - 1], edge_turns[s, 1, :, j - 1]
                step = log_half(multiply(quaternion(after, 1), conjugate(quaternion(before, 1))))
                one = log_half(multiply(quaternion(before, 2), conjugate(quaternion(before, 0))))
                two = log_half(multiply(quaternion(after, 2), conjugate(quaternion(after, 0))))
                ka, kb = 1.0 / edge_span[s, 0], 1.0 / edge_span[s, 1]
                fast = (
                    kb * two[0] - ka * one[0],
                    kb * two[1] - ka * one[1],
                    kb * two[2] - ka * one[2],
                )
            size = math.sqrt(step[0] ** 2 + step[1] ** 2 + step[2] ** 2)
            for side in range(2):
                sign = -1.0 if side == 0 else 1.0
                room = lengths[s + side] - 1.0
                # So wide that it adds little to how fast things are.
                wide = max(min(max(usual, size / peaks[s, j]), most, room), 1.0)
                for k in range(side, int(wide) + 1):
                    u = k / wide
                    by, more = -sign * _fade(u), -_drift(u) * wide
                    move = (
                        by * step[0] + more * fast[0],
                        by * step[1] + more * fast[1],
                        by * step[2] + more * fast[2],
                    )
                    t = at[s] + int(sign) * k
                    if j == 0:
                        for i in range(3):
                            root[t, i] += move[i]
                    else:
                        turned = multiply(exp_half(move), quaternion(rotations[t], j - 1))
                        turned = normalise(turned)
                        for i in range(4):
                            rotations[t, j - 1, i] = turned[i]
