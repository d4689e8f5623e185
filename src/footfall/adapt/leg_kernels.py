"""Compiled: both legs of a character reach for their feet. Import lazily: it brings in numba."""

from __future__ import annotations

import math

from footfall.adapt.limb_kernels import (
    about,
    against,
    cross,
    dot,
    length,
    multiply,
    normalise,
    put,
    quaternion,
    reach,
    rotate,
    scale,
    sub,
    vector,
)
from footfall.maths.jit_kernels import kernel


@kernel
def swivel_of(axis, knee, toes, free):  # type: ignore[no-untyped-def]
    """The angle by which a leg turns about its `axis` (unit, hip to ankle) towards its toes.

    knee, toes  where knee and foot point. What the foot is turned by against the knee up to
    about `free` radians is the ankle's; the rest is the hip's.
    """
    knee = sub(knee, scale(axis, dot(knee, axis)))
    toes = sub(toes, scale(axis, dot(toes, axis)))
    size = length(toes)
    if length(knee) < 0.05 or size < 0.05:
        return 0.0
    turn = math.atan2(dot(cross(knee, toes), axis), dot(knee, toes))
    # Where the foot points along the leg its direction says little.
    u = min(max((size - 0.3) / 0.4, 0.0), 1.0)
    sure = u * u * (3.0 - 2.0 * u)
    return sure * (turn - free * math.tanh(turn / free))


@kernel
def legs_to_feet(joints, parents, places, turns, shift, ankles, turned, toes_up, free, rotations):  # type: ignore[no-untyped-def]
    """Bend and turn both legs so that ankles come to `ankles` and feet are turned as `turned`.

    joints     (2, 4) hip, knee, ankle and toe joint of the left and the right leg; no toe is -1
    places     (T, J, 3) and turns (T, J, 4): the character in the world before; shift (T, 3) is
               added to all places
    ankles     (2, T, 3), turned (2, T, 4), toes_up (2, T)
    free       radians, as in `swivel_of`
    rotations  (T, J, 4) against the parents; those of legs and feet are written
    """
    forward = (0.0, 0.0, 1.0)
    for leg in range(2):
        hip, knee, ankle, toe = joints[leg, 0], joints[leg, 1], joints[leg, 2], joints[leg, 3]
        for t in range(len(places)):
            root, upper = vector(places[t], hip), quaternion(turns[t], hip)
            lower, foot = quaternion(turns[t], knee), quaternion(turned[leg], t)
            target = sub(vector(ankles[leg], t), vector(shift, t))
            upper, lower, _ = reach(
                root, vector(places[t], knee), vector(places[t], ankle),
                upper, lower, rotate(upper, (1.0, 0.0, 0.0)), target, 0.0,
            )  # fmt: skip
            line = sub(target, root)
            axis = scale(line, 1.0 / max(length(line), 1e-9))
            angle = swivel_of(axis, rotate(lower, forward), rotate(foot, forward), free)
            turn = about(axis, angle)
            upper, lower = normalise(multiply(turn, upper)), normalise(multiply(turn, lower))
            put(rotations[t], hip, against(quaternion(turns[t], parents[hip]), upper))
            put(rotations[t], knee, against(upper, lower))
            put(rotations[t], ankle, against(lower, foot))
            if toe >= 0:
                half = -0.5 * toes_up[leg, t]
                put(rotations[t], toe, (math.cos(half), math.sin(half), 0.0, 0.0))


@kernel
def nearest_balls(one, two, radii, others, out):  # type: ignore[no-untyped-def]
    """The least gap out (T,) between balls one (T, N, 3) and two (T, M, 3); below 0 they meet.

    radii  (N,) and others (M,)
    """
    for t in range(len(one)):
        least = 1e300
        for n in range(one.shape[1]):
            for m in range(two.shape[1]):
                x = one[t, n, 0] - two[t, m, 0]
                y = one[t, n, 1] - two[t, m, 1]
                z = one[t, n, 2] - two[t, m, 2]
                gap = math.sqrt(x * x + y * y + z * z) - radii[n] - others[m]
                least = min(least, gap)
        out[t] = least
