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
def _weigh(at, turn, centres, masses, n, k):  # type: ignore[no-untyped-def]
    """The mass of part k of limb n times where its centre is."""
    centre = vector(centres[n], k)
    return scale(add(at, rotate(turn, centre)), masses[n, k])


@lean_kernel
def _limb(t, n, root, from_root, turns, bones, centres, masses, ends, pulls, limits, out):  # type: ignore[no-untyped-def]
    """Solve limb n in frame t; returns its share of the centre of mass, and how far it reached.

    from_root  (T, N, 3, 3) upper joint, middle joint, end of the limb before, from the root
    turns      (T, N, 5, 4) above the limb, upper, lower bone before, its end, hinge (0, x, y, z)
    ends       (T, N, 3) where the end is drawn to;  pulls (T, N) how far, 0 to 1
    limits     (T, N, 5) longest reach and the share in which it is neared; the most the end bends
               up, and from where on it resists (0.6 of both to its sides); 0 for both: the end
               stays as it is turned against the lower part, which its turn is then; what the end
               turns freely against the middle joint, 0: the limb does not turn with it
    out        (T, N, 3, 4) rotations against the parents
    """
    upper_at = add(root, vector(from_root[t, n], 0))
    middle_at = add(root, vector(from_root[t, n], 1))
    end_at = add(root, vector(from_root[t, n], 2))
    line = add(end_at, scale(sub(vector(ends[t], n), end_at), pulls[t, n]))
    line = sub(line, upper_at)
    far = length(line)
    near = soft_reach(far, limits[t, n, 0], limits[t, n, 1])
    target = add(upper_at, scale(line, near / max(far, 1e-9)))
    hinge = (turns[t, n, 4, 1], turns[t, n, 4, 2], turns[t, n, 4, 3])
    upper, lower, _ = reach(
        upper_at, middle_at, end_at, quaternion(turns[t, n], 1), quaternion(turns[t, n], 2),
        hinge, target, 0.0,
    )  # fmt: skip
    local = quaternion(turns[t, n], 3)
    if limits[t, n, 4] > 0.0:
        line = sub(target, upper_at)
        axis = scale(line, 1.0 / max(length(line), 1e-9))
        turn = about(axis, _swivel(axis, rotate(lower, _Z), rotate(local, _Z), limits[t, n, 4]))
        upper, lower = normalise(multiply(turn, upper)), normalise(multiply(turn, lower))
    most, free = limits[t, n, 2], limits[t, n, 3]
    if most > 0.0:
        local = against(lower, local)
        over = -2.0 * log_half(local)[0] - free
        if over > 0.0:
            room = most - free
            local = multiply(local, about(_X, over - room * math.tanh(over / room)))
        aside = 2.0 * log_half(local)[2]
        over = abs(aside) - 0.6 * free
        if over > 0.0:
            room = 0.6 * (most - free)
            less = over - room * math.tanh(over / room)
            local = multiply(local, about(_Z, -math.copysign(less, aside)))
    put(out[t, n], 0, against(quaternion(turns[t, n], 0), upper))
    put(out[t, n], 1, against(upper, lower))
    put(out[t, n], 2, local)
    middle = add(upper_at, rotate(upper, vector(bones[n], 0)))
    end = add(middle, rotate(lower, vector(bones[n], 1)))
    mass = add(
        _weigh(upper_at, upper, centres, masses, n, 0),
        _weigh(middle, lower, centres, masses, n, 1),
    )
    mass = add(mass, _weigh(end, multiply(lower, local), centres, masses, n, 2))
    return mass, far


@lean_kernel
def settle(  # type: ignore[no-untyped-def]
    centre, free, trunk, share, from_root, turns, bones, centres, masses, ends, pulls, limits,
    rounds, near, root, out, reached,
):  # fmt: skip
    """Move the root (T, 3) until the centre of mass is at `centre` (T, 3), and solve the limbs.

    free      whether the root's height is as given, and only the level place is solved for
    trunk     (T, 3) the centre of mass of all but the limbs, from the root;  share  its mass
    bones     (N, 2, 3) to the middle joint and to the end;  centres (N, 3, 3), masses (N, 3) of
              upper, lower part and end, as shares of the whole
    rounds    at most so many;  near  it is near enough, metres
    reached   (T, N) filled with how far each limb is to reach
    """
    moved = (0.0, 0.0, 0.0)
    for t in range(root.shape[0]):
        given = vector(root, t)
        # Neighbouring frames are alike.
        at = add(given, moved)
        for k in range(rounds):
            mass = scale(add(at, vector(trunk, t)), share)
            for n in range(from_root.shape[1]):
                part, far = _limb(
                    t, n, at, from_root, turns, bones, centres, masses, ends, pulls, limits, out
                )
                mass = add(mass, part)
                reached[t, n] = far
            error = sub(vector(centre, t), mass)
            if free:
                error = (error[0], 0.0, error[2])
            if length(error) < near or k == rounds - 1:
                break
            at = add(at, scale(error, _STEP))
        moved = sub(at, given)
        put(root, t, at)
