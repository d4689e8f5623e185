"""Compiled parts of a body's way over footprints: Choi, Lee & Shin 2003, Eqs. 11 to 13.

Import lazily: numba.
"""

from __future__ import annotations

import numpy as np

from footfall.maths.jit_kernels import inner_kernel, kernel
from footfall.maths.vector_kernels import (
    add,
    conjugate,
    exp_half,
    log_half,
    multiply,
    normalise,
    put,
    quaternion,
    rotate,
    scale,
    sub,
    vector,
)


@inner_kernel
def _fill_speeds(knots, steps, speeds):  # type: ignore[no-untyped-def]
    """Fill speeds (M, 3) at knots (M,) from the steps (M - 1, 3) between them.

    Resting at both ends joins the reference smoothly to the rigidly carried head and tail.
    """
    last = len(knots) - 1
    for i in range(3):
        speeds[0, i] = speeds[last, i] = 0.0
    for m in range(1, last):
        before, after = float(knots[m] - knots[m - 1]), float(knots[m + 1] - knots[m])
        for i in range(3):
            a, b = steps[m - 1, i] / before, steps[m, i] / after
            speeds[m, i] = (after * a + before * b) / (before + after)


@kernel
def go_through(knots, places, turns, out_places, out_turns):  # type: ignore[no-untyped-def]
    """Fill places (T, 3) and turns (T, 4) of the smooth way through knots (M,), rising frames.

    Cubic Hermite (Catmull-Rom) through the places (M, 3); through the turns (M, 4) by cumulative
    Bézier turns (Kim, Kim & Shin 1995). Before the first knot and after the last it stays.
    """
    many = len(knots)
    if many == 1:
        for t in range(len(out_places)):
            put(out_places, t, vector(places, 0))
            put(out_turns, t, quaternion(turns, 0))
        return
    steps, speeds = np.empty((many - 1, 3)), np.empty((many, 3))
    bends, paces = np.empty((many - 1, 3)), np.empty((many, 3))
    for m in range(many - 1):
        put(steps, m, sub(vector(places, m + 1), vector(places, m)))
        put(bends, m, log_half(multiply(conjugate(quaternion(turns, m)), quaternion(turns, m + 1))))
    _fill_speeds(knots, steps, speeds)
    _fill_speeds(knots, bends, paces)
    m = 0
    for t in range(len(out_places)):
        at = min(max(t, knots[0]), knots[many - 1])
        while m < many - 2 and at >= knots[m + 1]:
            m += 1
        wide = float(knots[m + 1] - knots[m])
        u = (at - knots[m]) / wide
        eased = u * u * (3.0 - 2.0 * u)
        a, b, k = vector(places, m), vector(places, m + 1), wide * u * (1.0 - u)
        place = add(scale(a, 1.0 - eased), scale(b, eased))
        place = add(place, scale(vector(speeds, m), k * (1.0 - u)))
        put(out_places, t, sub(place, scale(vector(speeds, m + 1), k * u)))
        first = scale(vector(paces, m), wide / 3.0)
        last = scale(vector(paces, m + 1), wide / 3.0)
        inner = multiply(exp_half(vector(bends, m)), exp_half(scale(last, -1.0)))
        middle = log_half(multiply(exp_half(scale(first, -1.0)), inner))
        turn = multiply(quaternion(turns, m), exp_half(scale(first, 1.0 - (1.0 - u) ** 3)))
        turn = multiply(turn, exp_half(scale(middle, eased)))
        put(out_turns, t, multiply(turn, exp_half(scale(last, u * u * u))))


@kernel
def carry(places, turns, to_places, to_turns, root, turned):  # type: ignore[no-untyped-def]
    """Put what a body is beyond one reference onto another: root (T, 3) and its turns (T, 4)."""
    for t in range(len(root)):
        back, there = conjugate(quaternion(turns, t)), quaternion(to_turns, t)
        beyond = rotate(back, sub(vector(root, t), vector(places, t)))
        put(root, t, add(vector(to_places, t), rotate(there, beyond)))
        turn = multiply(back, quaternion(turned, t))
        put(turned, t, normalise(multiply(there, turn)))
