"""Compiled blending of strides: weights, time, posture and contacts. Import lazily (numba)."""

from __future__ import annotations

from footfall.maths.jit_kernels import inner_kernel, lean_kernel
from footfall.maths.vector_kernels import exp_half, multiply, put, quaternion

HEEL_ON, HEEL_OFF, TOE_ON, TOE_OFF = range(4)


@inner_kernel
def step_seconds(weights, seconds):  # type: ignore[no-untyped-def]
    """How long the first and the second step of a blended stride take."""
    first = second = 0.0
    for e in range(len(weights)):
        first += weights[e] * seconds[e, 0]
        second += weights[e] * seconds[e, 1]
    return first, second


@lean_kernel
def advance_time(t, dt, weights, seconds):  # type: ignore[no-untyped-def]
    """The generic time `dt` seconds after t, each step as long as the weights say; it never runs
    backwards. Returns it between 0 and 1."""
    first, second = step_seconds(weights, seconds)
    rest = dt
    while rest > 0.0:
        pace = 2.0 * (first if t < 0.5 else second)
        knot = 0.5 if t < 0.5 else 1.0
        step = rest / pace
        if t + step < knot:
            return t + step
        rest -= (knot - t) * pace
        t = 0.5 if knot == 0.5 else 0.0
    return t


@inner_kernel
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


@lean_kernel
def play(times, weights, middle, reference, vectors, blended, places, rotations):  # type: ignore[no-untyped-def]
    """Write places (N, 3) and rotations (N, J, 4) at generic times (N,) with weights (N, E)."""
    for n in range(len(times)):
        blend_pose(times[n], weights[n], middle, reference, vectors, blended, rotations[n])
        for k in range(3):
            places[n, k] = blended[3 * len(middle) + k]
