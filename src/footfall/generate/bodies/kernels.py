"""Compiled: bodies put over their feet.

Frame by frame. Import lazily: it brings in numba. Vectors are (x, y, z), quaternions (w, x, y, z);
places are in the world unless they are said to be from the root.
"""

from __future__ import annotations

import math

from footfall.maths.jit_kernels import lean_kernel
from footfall.maths.limb_kernels import reach, soft_reach
from footfall.maths.vector_kernels import (
    about,
    add,
    against,
    cross,
    dot,
    length,
    log_half,
    multiply,
    normalise,
    put,
    quaternion,
    rotate,
    scale,
    smooth,
    sub,
    vector,
    xyz,
)

_X, _Z = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
_STEP = 1.25
"""The centre of mass moves by about 0.8 of what the hips do: legs stay at their feet."""


@lean_kernel
def _swivel(axis, knee, toes, free):  # type: ignore[no-untyped-def]
    """The angle by which a leg turns about its `axis` (unit, hip to ankle) towards its toes.

    knee, toes  where knee and foot point. What the foot is turned by against the knee up to
                about `free` radians is the ankle's; the rest is the hip's
    """
    knee = sub(knee, scale(axis, dot(knee, axis)))
    toes = sub(toes, scale(axis, dot(toes, axis)))
    size = length(toes)
    if length(knee) < 0.05 or size < 0.05:
        return 0.0
    turn = math.atan2(dot(cross(knee, toes), axis), dot(knee, toes))
    # Where the foot points along the leg its direction says little.
    return smooth((size - 0.3) / 0.4) * (turn - free * math.tanh(turn / free))


@lean_kernel
def _limb(limb, parts, root):  # type: ignore[no-untyped-def]
    """Solve a limb; returns its share of the centre of mass, and how far it reached.

    limb  a record of `limbs.LIMB`;  parts  of `limbs.PARTS`
    """
    upper_at = add(root, vector(limb.from_root, 0))
    middle_at = add(root, vector(limb.from_root, 1))
    end_at = add(root, vector(limb.from_root, 2))
    line = sub(add(end_at, scale(sub(xyz(limb.end), end_at), limb.pull)), upper_at)
    far = length(line)
    near = soft_reach(far, limb.longest, limb.soft)
    target = add(upper_at, scale(line, near / max(far, 1e-9)))
    hinge = (limb.turns[4, 1], limb.turns[4, 2], limb.turns[4, 3])
    upper, lower, _ = reach(
        upper_at, middle_at, end_at, quaternion(limb.turns, 1), quaternion(limb.turns, 2), hinge,
        target, 0.0,
    )  # fmt: skip
    local = quaternion(limb.turns, 3)
    if limb.swivel > 0.0:
        line = sub(target, upper_at)
        axis = scale(line, 1.0 / max(length(line), 1e-9))
        turn = about(axis, _swivel(axis, rotate(lower, _Z), rotate(local, _Z), limb.swivel))
        upper, lower = normalise(multiply(turn, upper)), normalise(multiply(turn, lower))
    if limb.most > 0.0:
        local = against(lower, local)
        over = -2.0 * log_half(local)[0] - limb.free
        if over > 0.0:
            room = limb.most - limb.free
            local = multiply(local, about(_X, over - room * math.tanh(over / room)))
        aside = 2.0 * log_half(local)[2]
        over = abs(aside) - 0.6 * limb.free
        if over > 0.0:
            room = 0.6 * (limb.most - limb.free)
            less = over - room * math.tanh(over / room)
            local = multiply(local, about(_Z, -math.copysign(less, aside)))
    put(limb.out, 0, against(quaternion(limb.turns, 0), upper))
    put(limb.out, 1, against(upper, lower))
    put(limb.out, 2, local)
    middle = add(upper_at, rotate(upper, vector(parts.bones, 0)))
    end = add(middle, rotate(lower, vector(parts.bones, 1)))
    mass = scale(add(upper_at, rotate(upper, vector(parts.centres, 0))), parts.masses[0])
    shank = scale(add(middle, rotate(lower, vector(parts.centres, 1))), parts.masses[1])
    turn = multiply(lower, local)
    foot = scale(add(end, rotate(turn, vector(parts.centres, 2))), parts.masses[2])
    return add(add(mass, shank), foot), far


@lean_kernel
def settle(centre, free, trunk, share, limbs, parts, rounds, near, root):  # type: ignore[no-untyped-def]
    """Move the root (T, 3) until the centre of mass is at `centre` (T, 3), and solve the limbs.

    free    whether the root's height is as given, and only the level place is solved for
    trunk   (T, 3) the centre of mass of all but the limbs, from the root;  share  its mass
    limbs   (T, N) `limbs.LIMB`, whose `out` and `far` are filled;  parts  (N,) `limbs.PARTS`
    rounds  at most so many;  near  it is near enough, metres
    """
    moved = (0.0, 0.0, 0.0)
    for t in range(root.shape[0]):
        given = vector(root, t)
        # Neighbouring frames are alike.
        at = add(given, moved)
        for k in range(rounds):
            mass = scale(add(at, vector(trunk, t)), share)
            for n in range(len(parts)):
                part, far = _limb(limbs[t, n], parts[n], at)
                mass = add(mass, part)
                limbs[t, n].far = far
            error = sub(vector(centre, t), mass)
            if free:
                error = (error[0], 0.0, error[2])
            if length(error) < near or k == rounds - 1:
                break
            at = add(at, scale(error, _STEP))
        moved = sub(at, given)
        put(root, t, at)
