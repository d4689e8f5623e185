"""Compiled: legs of whole clips brought to their feet. Import lazily: it brings in numba."""

from __future__ import annotations

import numpy as np

from footfall.maths.jit_kernels import kernel
from footfall.maths.limb_kernels import bend_limb
from footfall.maths.vector_kernels import against, multiply, put, quaternion, sub, vector

_HINGE = (1.0, 0.0, 0.0)
"""The axis about which knees bend, in the frame of the thigh."""


@kernel
def solve_legs(parents, legs, places, turns, hips, ankles, soles, toes, tilt, soft, out):  # type: ignore[no-untyped-def]
    """Write the rotations out (T, J, 4) of L legs whose feet are where they are to be.

    legs     (L, 4) hip, knee, ankle and toe of each, no toe: -1
    places, turns   world poses before, (T, J, 3) and (T, J, 4)
    hips, ankles    (L, T, 3) where they are to be
    soles, toes     (L, T, 4) how feet are turned in the world, and toes against their feet
    tilt     (T, 4) how the pelvis is turned as well, or (0, 4)
    soft     (L, T) the last share of the leg's length in which it straightens smoothly
    """
    solved = np.empty((3, 4))
    for k in range(len(legs)):
        limb = legs[k, :3]
        for t in range(len(places)):
            shift = sub(vector(hips[k], t), vector(places[t], limb[0]))
            bend_limb(
                limb, parents, places[t], turns[t], shift, _HINGE, vector(ankles[k], t),
                quaternion(soles[k], t), soft[k, t], solved,
            )  # fmt: skip
            if len(tilt):
                above = quaternion(turns[t], parents[limb[0]])
                hip = multiply(above, quaternion(solved, 0))
                put(solved, 0, against(multiply(quaternion(tilt, t), above), hip))
            for i in range(3):
                put(out[t], limb[i], quaternion(solved, i))
            if legs[k, 3] >= 0:
                put(out[t], legs[k, 3], quaternion(toes[k], t))
