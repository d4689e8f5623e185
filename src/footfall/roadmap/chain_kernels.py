"""Compiled parts of joining moves: what differs where two meet dies away on both sides.

Import lazily: numba.
"""

from __future__ import annotations

from footfall.maths.jit_kernels import lean_kernel
from footfall.maths.vector_kernels import (
    add,
    conjugate,
    exp_half,
    length,
    log_half,
    multiply,
    normalise,
    put,
    quaternion,
    scale,
    sub,
    vector,
)


@lean_kernel
def blend_seams(at, lengths, edge_root, edge_turns, edge_span, peaks, usual, most, root, rotations):  # type: ignore[no-untyped-def]
    """Blend root (T, 3) and rotations (T, J, 4) where moves meet, at frames `at` (S,).

    lengths     (S + 1,) frames of each move
    edge_root   (S + 1, 2, 3, 3) where the root is before, at and after both ends of each move
    edge_turns  (S + 1, 2, 3, J, 4) the same of rotations
    edge_span   (S + 1, 2) how many frames lie between before and after
    peaks       (S, J + 1) how far that may take the root, metres, and then each joint, half
                radians, in a frame
    usual, most how many frames it usually takes, and at most
    """
    joints = rotations.shape[1]
    for s in range(len(at)):
        for j in range(joints + 1):
            ka, kb = 1.0 / edge_span[s, 1], 1.0 / edge_span[s + 1, 0]
            if j == 0:
                a, b = edge_root[s, 1], edge_root[s + 1, 0]
                step = sub(vector(b, 1), vector(a, 1))
                one, two = sub(vector(a, 2), vector(a, 0)), sub(vector(b, 2), vector(b, 0))
            else:
                a, b = edge_turns[s, 1, :, j - 1], edge_turns[s + 1, 0, :, j - 1]
                step = log_half(multiply(quaternion(b, 1), conjugate(quaternion(a, 1))))
                one = log_half(multiply(quaternion(a, 2), conjugate(quaternion(a, 0))))
                two = log_half(multiply(quaternion(b, 2), conjugate(quaternion(b, 0))))
            fast = sub(scale(two, kb), scale(one, ka))
            size = length(step)
            for side in range(2):
                sign = -1.0 if side == 0 else 1.0
                room = lengths[s + side] - 1.0
                # So wide that it adds little to how fast things are.
                wide = max(min(max(usual, size / peaks[s, j]), most, room), 1.0)
                for k in range(side, int(wide) + 1):
                    u = k / wide
                    # Both are smooth at 0 and 1: half of the step dies away, and half the way
                    # that its speed leads.
                    fade = 0.5 * (1.0 - u * u * u * (10.0 - 15.0 * u + 6.0 * u * u))
                    drift = 0.5 * u * (1.0 - u * u * (6.0 - 8.0 * u + 3.0 * u * u))
                    by, more = -sign * fade, -drift * wide
                    move = add(scale(step, by), scale(fast, more))
                    t = at[s] + int(sign) * k
                    if j == 0:
                        put(root, t, add(vector(root, t), move))
                    else:
                        turned = multiply(exp_half(move), quaternion(rotations[t], j - 1))
                        put(rotations[t], j - 1, normalise(turned))
