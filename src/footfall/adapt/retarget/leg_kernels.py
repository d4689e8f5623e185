"""Compiled: legs that bring feet to where they go, no faster than they can. Import lazily (numba).

How fast the joints of a leg may turn is known where somebody said so (`Rigs.most_rad_s`): a leg
that stands then lets its body follow no faster than its knee bends, and a foot that swings falls
back behind its aim and catches up.
"""

from __future__ import annotations

import math

from footfall.adapt.retarget.swing_kernels import LEAST_DT_S, depth, is_foreseen
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
    write,
    wxyz,
    xyz,
)

_FLAT = 2
_KNEE = 1
_TRIES = 3


@lean_kernel
def longest(rig, f, own):  # type: ignore[no-untyped-def]
    """How far a leg may reach: a share of its length, or its own stretch where that is more."""
    return max(rig.reach * rig.legs_m[f], min(own, rig.straightest * rig.legs_m[f]))


@lean_kernel
def leg_range(rig, foot, f):  # type: ignore[no-untyped-def]
    """From hip to ankle, how short and how long a leg may be in this frame."""
    most = longest(rig, f, foot.stretch)
    if foot.phase == 0 or not foot.span > 0.0 or not math.isfinite(rig.most_rad_s[0]):
        return 0.0, most
    a, b, span = rig.bones_m[f, 0], rig.bones_m[f, 1], foot.span
    squares, twice = a * a + b * b, 2.0 * a * b
    bent = math.acos(min(max((squares - span * span) / twice, -1.0), 1.0))
    step = rig.most_rad_s[_KNEE] * rig.dt
    near = math.sqrt(squares - twice * math.cos(max(bent - step, 0.0)))
    far = math.sqrt(squares - twice * math.cos(min(bent + step, math.pi)))
    return near, max(min(most, far), near)


@lean_kernel
def _share_of_turn(rig, dt, before, solved):  # type: ignore[no-untyped-def]
    """How much of the way from one frame's rotations of a leg to the next its joints may go."""
    share = 1.0
    for k in range(3):
        a, b = quaternion(before, k), quaternion(solved, k)
        dot = abs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3])
        angle = 2.0 * math.acos(min(dot, 1.0))
        most = rig.most_rad_s[k] * dt
        if angle > most:
            share = min(share, most / angle)
    return share


@lean_kernel
def _fall_back(  # type: ignore[no-untyped-def]
    rig, foot, f, pose, shift, reached, turned, solved,
):  # fmt: skip
    """Turn the joints of a swinging leg no faster than they may; what the foot falls back by is
    made up for later."""
    share = _share_of_turn(rig, rig.dt, foot.leg, solved)
    if share >= 1.0:
        return reached, turned
    limb = rig.limbs[f]
    before, was = xyz(foot.out_place), wxyz(foot.out_turn)
    went, place, now = 1.0, reached, turned
    for _ in range(_TRIES):  # it goes less far on its way
        went *= max(share, 0.3)
        now = slerp(was, turned, went)
        place = add(before, scale(sub(reached, before), went))
        place = add(place, (0.0, max(depth(rig, foot, f, place, now), 0.0), 0.0))
        bend_limb(
            limb, pose.parents, pose.places, pose.turns, shift, vector(rig.hinges, f), place, now,
            0.0, solved,
        )  # fmt: skip
        share = _share_of_turn(rig, rig.in_need * rig.dt, foot.leg, solved)
        if share >= 1.0:
            break
    for k in range(3):
        put(solved, k, slerp(quaternion(foot.leg, k), quaternion(solved, k), share))
    # Where the ankle is then, and how it is turned.
    r, m, e = limb[0], limb[1], limb[2]
    parents, places, turns = pose.parents, pose.places, pose.turns
    upper = multiply(quaternion(turns, parents[r]), quaternion(solved, 0))
    moved = multiply(upper, conjugate(quaternion(turns, r)))
    above = upper if parents[m] == r else multiply(moved, quaternion(turns, parents[m]))
    lower = multiply(above, quaternion(solved, 1))
    knee = add(vector(places, r), shift)
    knee = add(knee, rotate(moved, sub(vector(places, m), vector(places, r))))
    moved = multiply(lower, conjugate(quaternion(turns, m)))
    place = add(knee, rotate(moved, sub(vector(places, e), vector(places, m))))
    above = lower if parents[e] == m else multiply(moved, quaternion(turns, parents[e]))
    now = multiply(above, quaternion(solved, 2))
    write(foot.place_off, add(xyz(foot.place_off), sub(place, reached)))
    return place, now


@lean_kernel
def solve_leg(rig, foot, body, f, pose, free, aim, turned):  # type: ignore[no-untyped-def]
    """Bring the ankle to its aim; a hold that cannot be reached any more is given up.

    free  where it would go if nothing were in its way
    """
    limb, solved = rig.limbs[f], body.solved
    shift = (body.shift[0], body.shift[1] + body.base, body.shift[2])
    hip = vector(pose.places, limb[0])
    # Beyond its own stretch the leg gets soft; what the source does itself is left as it is.
    own = length(sub(vector(pose.places, limb[2]), hip)) / rig.legs_m[f]
    soft = rig.soft
    if foot.phase == 0 and is_foreseen(foot):
        soft += rig.air_soft * smooth(min(foot.forecast[2], foot.age) / rig.firm_s)
    short = bend_limb(
        limb, pose.parents, pose.places, pose.turns, shift, vector(rig.hinges, f), aim, turned,
        min(soft, max(1.0 - own, 0.0)), solved,
    )  # fmt: skip
    reached = sub(aim, scale(unit(sub(aim, add(hip, shift))), short))
    write(foot.astray, sub(reached, free) if foot.phase == 0 else (0.0, 0.0, 0.0))
    if body.frames > 0 and foot.phase == 0:
        reached, turned = _fall_back(rig, foot, f, pose, shift, reached, turned, solved)
    for k in range(3):
        put(pose.rotations, limb[k], quaternion(solved, k))
        put(foot.leg, k, quaternion(solved, k))
    foot.span = length(sub(reached, add(hip, shift)))
    known = body.frames > 0 and rig.dt > LEAST_DT_S
    per_s = 1.0 / rig.dt if known else 0.0
    write(foot.out_speed, scale(sub(reached, xyz(foot.out_place)), per_s))
    write(foot.out_place, reached)
    write(foot.out_turn, turned)
    if foot.phase != 0 and short > rig.slip * rig.leg_m:
        foot.broken = 1
        body.slips += 1
    toe = rig.toes[f]
    if toe >= 0 and foot.lying > 0.0:  # toes of a standing foot lie; lifted, they go over to theirs
        if foot.phase >= _FLAT:
            write(foot.toes, against(turned, wxyz(foot.flat)))
        now = quaternion(pose.rotations, toe)
        put(pose.rotations, toe, slerp(now, wxyz(foot.toes), smooth(foot.lying)))
