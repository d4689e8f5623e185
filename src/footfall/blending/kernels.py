"""Compiled blending of strides: generic time and posture. Import lazily (numba)."""

from __future__ import annotations

from footfall.maths.jit_kernels import lean_kernel
from footfall.maths.vector_kernels import exp_half, multiply, put, quaternion

HEEL_ON, HEEL_OFF, TOE_ON, TOE_OFF = range(4)


@lean_kernel
def advance_time(t, dt, steps_s):  # type: ignore[no-untyped-def]
    """Return the generic time, between 0 and 1, `dt` seconds after t.

    steps_s  (2,) how long the first and the second step of the stride take
    """
    rest = dt
    while rest > 0.0:
        pace = 2.0 * (steps_s[0] if t < 0.5 else steps_s[1])
        knot = 0.5 if t < 0.5 else 1.0
        step = rest / pace
        if t + step < knot:
            return t + step
        rest -= (knot - t) * pace
        t = 0.5 if knot == 0.5 else 0.0
    return t


@lean_kernel
def blend_pose(t, weights, middle, reference, vectors, blended, rotations):  # type: ignore[no-untyped-def]
    """Write rotations (J, 4) at a generic time; `blended` (3 J + 3,) ends with the root's place.

    Both are cubic B-splines over the generic time.
    """
    count, many, size = vectors.shape
    at = t * count
    n = int(at)
    u, v = at - n, 1.0 - (at - n)
    square = u * u
    taps = (
        v * v * v / 6.0, (4.0 - 6.0 * square + 3.0 * square * u) / 6.0,
        (1.0 + 3.0 * u + 3.0 * square - 3.0 * square * u) / 6.0, square * u / 6.0,
    )  # fmt: skip
    for d in range(size):
        blended[d] = 0.0
    for k in range(4):
        rows = vectors[(n + k - 1) % count]
        for e in range(many):
            w = weights[e] * taps[k]
            if w != 0.0:
                row = rows[e]
                for d in range(size):
                    blended[d] += w * row[d]
    a, b, c, last = taps
    first, second = reference[(n - 1) % count], reference[n % count]
    third, fourth = reference[(n + 1) % count], reference[(n + 2) % count]
    for j in range(len(middle)):
        x = a * first[j, 0] + b * second[j, 0] + c * third[j, 0] + last * fourth[j, 0]
        y = a * first[j, 1] + b * second[j, 1] + c * third[j, 1] + last * fourth[j, 1]
        z = a * first[j, 2] + b * second[j, 2] + c * third[j, 2] + last * fourth[j, 2]
        mean = multiply(quaternion(middle, j), exp_half((x, y, z)))
        v = (blended[3 * j], blended[3 * j + 1], blended[3 * j + 2])
        put(rotations, j, multiply(mean, exp_half(v)))
