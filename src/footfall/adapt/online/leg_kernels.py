"""Compiled: legs that bring feet to where they go, no faster than they can. Import lazily (numba).

How fast the joints of a leg may turn is known where somebody said so (`Rigs.most_rad_s`): a leg
that stands then lets its body follow no faster than its knee bends, and a foot that swings falls
back behind its aim and catches up.
"""

from __future__ import annotations

import math

from footfall.adapt.online.swing_kernels import (
    LEAST_DT_S,
    depth,
    is_foreseen,
)
from footfall.maths.jit_kernels import lean_kernel
from footfall.maths.limb_kernels import bend_limb
from footfall.maths.vector_kernels import (
    add,
    against,
    conjugate,
    length,
    multiply,
    put,
    quaternion,
    rotate,
    scale,
    slerp,
    smooth,
    sub,
    unit,
    vector,
    yaw,
)

_FLAT = 2
_SLIP_M = 1e-3
_FULL_STRETCH = 0.9995
_AIR_SOFT, _FIRM_S = 0.11, 0.1
"""How soft the leg of a swinging foot gets, as a share of its length, and how long
after it was let go and before its foot comes down it is firm."""
_KNEE = 1
_IN_NEED = 1.08
"""How much faster joints of a foot that falls back may turn, so that it is out of the ground."""
_TRIES = 3


@lean_kernel
def longest(rigs, tuning, f, own):  # type: ignore[no-untyped-def]
    """How far a leg may reach: a share of its length, or its own stretch where that is more."""
    return max(tuning.reach * rigs.legs_m[f], min(own, _FULL_STRETCH * rigs.legs_m[f]))


@lean_kernel
def leg_range(rigs, tuning, feet, n, f):  # type: ignore[no-untyped-def]
    """From hip to ankle, how short and how long a leg may be in this frame."""
    most = longest(rigs, tuning, f, feet.stretch[n, f])
    if feet.phase[n, f] == 0 or not feet.span[n, f] > 0.0 or not math.isfinite(rigs.most_rad_s[0]):
        return 0.0, most
    a, b, span = rigs.bones_m[f, 0], rigs.bones_m[f, 1], feet.span[n, f]
    squares, twice = a * a + b * b, 2.0 * a * b
    bent = math.acos(min(max((squares - span * span) / twice, -1.0), 1.0))
    step = rigs.most_rad_s[_KNEE] * tuning.dt
    near = math.sqrt(squares - twice * math.cos(max(bent - step, 0.0)))
    far = math.sqrt(squares - twice * math.cos(min(bent + step, math.pi)))
    return near, max(min(most, far), near)


@lean_kernel
def _toes(rigs, foresees, feet, n, f, poses, turned):  # type: ignore[no-untyped-def]
    """Lay the toes of a standing foot on the ground; lifted, they go over to the source's bend."""
    toe = rigs.toes[f]
    if toe < 0 or feet.lying[n, f] <= 0.0:
        return
    if feet.phase[n, f] >= _FLAT:
        level = quaternion(feet.flat[n], f)
        if not foresees:
            level = multiply(quaternion(feet.tilt[n], f), yaw(turned))
        put(feet.toes[n], f, against(turned, level))
    now = quaternion(poses.rotations[n], toe)
    bent = slerp(now, quaternion(feet.toes[n], f), smooth(feet.lying[n, f]))
    put(poses.rotations[n], toe, bent)


@lean_kernel
def _share_of_turn(rigs, dt, before, solved):  # type: ignore[no-untyped-def]
    """How much of the way from one frame's rotations of a leg to the next its joints may go."""
    share = 1.0
    for k in range(3):
        a, b = quaternion(before, k), quaternion(solved, k)
        dot = abs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3])
        angle = 2.0 * math.acos(min(dot, 1.0))
        most = rigs.most_rad_s[k] * dt
        if angle > most:
            share = min(share, most / angle)
    return share


@lean_kernel
def _pose_leg(limb, parents, places, turns, shift, solved):  # type: ignore[no-untyped-def]
    """Where the ankle is, and how it is turned, with these three rotations of a leg."""
    r, m, e = limb[0], limb[1], limb[2]
    old_upper, old_lower = quaternion(turns, r), quaternion(turns, m)
    upper = multiply(quaternion(turns, parents[r]), quaternion(solved, 0))
    moved = multiply(upper, conjugate(old_upper))
    above = upper if parents[m] == r else multiply(moved, quaternion(turns, parents[m]))
    lower = multiply(above, quaternion(solved, 1))
    knee = add(vector(places, r), shift)
    knee = add(knee, rotate(moved, sub(vector(places, m), vector(places, r))))
    moved = multiply(lower, conjugate(old_lower))
    ankle = add(knee, rotate(moved, sub(vector(places, e), vector(places, m))))
    above = lower if parents[e] == m else multiply(moved, quaternion(turns, parents[e]))
    return ankle, multiply(above, quaternion(solved, 2))


@lean_kernel
def _fall_back(  # type: ignore[no-untyped-def]
    rigs, tuning, feet, n, f, poses, shift, reached, turned, samples, heights, solved,
):  # fmt: skip
    """Turn the joints of a swinging leg no faster than they may; what the foot falls back by is
    made up for later."""
    share = _share_of_turn(rigs, tuning.dt, feet.leg[n, f], solved)
    if share >= 1.0:
        return reached, turned
    limb, places, turns = rigs.limbs[f], poses.places[n], poses.turns[n]
    before, was = vector(feet.out_place[n], f), quaternion(feet.out_turn[n], f)
    went, place, now = 1.0, reached, turned
    for _ in range(_TRIES):  # it goes less far on its way
        went *= max(share, 0.3)
        now = slerp(was, turned, went)
        place = add(before, scale(sub(reached, before), went))
        place = add(
            place, (0.0, max(depth(rigs, feet, n, f, place, now, samples, heights), 0.0), 0.0)
        )
        bend_limb(
            limb,
            rigs.parents,
            places,
            turns,
            shift,
            vector(rigs.hinges, f),
            place,
            now,
            0.0,
            solved,
        )
        share = _share_of_turn(rigs, _IN_NEED * tuning.dt, feet.leg[n, f], solved)
        if share >= 1.0:
            break
    for k in range(3):
        put(solved, k, slerp(quaternion(feet.leg[n, f], k), quaternion(solved, k), share))
    place, now = _pose_leg(limb, rigs.parents, places, turns, shift, solved)
    put(feet.place_off[n], f, add(vector(feet.place_off[n], f), sub(place, reached)))
    return place, now


@lean_kernel
def _reach(rigs, tuning, feet, bodies, n, f, poses, shift, aim, turned, solved):  # type: ignore[no-untyped-def]
    """Solve a leg: where its ankle comes to, and by how much it is too short."""
    limb, places = rigs.limbs[f], poses.places[n]
    hip = vector(places, limb[0])
    # Beyond its own stretch the leg gets soft; what the source does itself is left as it is.
    own = length(sub(vector(places, limb[2]), hip)) / rigs.legs_m[f]
    soft = tuning.soft
    if feet.phase[n, f] == 0 and is_foreseen(feet, n, f):
        soft += _AIR_SOFT * smooth(min(feet.forecast[n, f, 2], feet.age[n, f]) / _FIRM_S)
    soft = min(soft, max(1.0 - own, 0.0))
    short = bend_limb(
        limb, rigs.parents, places, poses.turns[n], shift, vector(rigs.hinges, f), aim,
        turned, soft, solved,
    )  # fmt: skip
    line = sub(aim, add(hip, shift))
    return sub(aim, scale(unit(line), short)), short


@lean_kernel
def solve_leg(  # type: ignore[no-untyped-def]
    rigs, tuning, feet, bodies, n, f, poses, free, aim, turned, samples, heights, solved,
):  # fmt: skip
    """Bring the ankle to its aim; a hold that cannot be reached any more is given up.

    free  where it would go if nothing were in its way    heights  of the ground at samples
    """
    limb = rigs.limbs[f]
    shift = vector(bodies.shift, n)
    shift = (shift[0], shift[1] + bodies.base[n], shift[2])
    reached, short = _reach(
        rigs, tuning, feet, bodies, n, f, poses, shift, aim, turned, solved
    )  # fmt: skip
    swings = feet.phase[n, f] == 0 and tuning.foresees
    put(feet.astray[n], f, sub(reached, free) if swings else (0.0, 0.0, 0.0))
    if bodies.frames[n] > 0 and feet.phase[n, f] == 0:
        reached, turned = _fall_back(
            rigs, tuning, feet, n, f, poses, shift, reached, turned, samples, heights, solved
        )
    for k in range(3):
        put(poses.rotations[n], limb[k], quaternion(solved, k))
        put(feet.leg[n, f], k, quaternion(solved, k))
    feet.span[n, f] = length(sub(reached, add(vector(poses.places[n], limb[0]), shift)))
    known = bodies.frames[n] > 0 and tuning.dt > LEAST_DT_S
    per_s = 1.0 / tuning.dt if known else 0.0
    put(feet.out_speed[n], f, scale(sub(reached, vector(feet.out_place[n], f)), per_s))
    put(feet.out_place[n], f, reached)
    put(feet.out_turn[n], f, turned)
    if feet.phase[n, f] != 0 and short > _SLIP_M:
        feet.broken[n, f] = 1
        bodies.slips[n] += 1
    _toes(rigs, tuning.foresees, feet, n, f, poses, turned)
