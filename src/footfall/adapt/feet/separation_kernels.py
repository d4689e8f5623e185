"""Compiled steps that keep two legs apart. Import lazily: it brings in numba."""

from __future__ import annotations

import math

from footfall.maths.jit_kernels import inner_kernel, kernel
from footfall.maths.limb_kernels import bend_limb
from footfall.maths.vector_kernels import (
    about,
    add,
    against,
    cross,
    dot,
    length,
    multiply,
    put,
    quaternion,
    rotate,
    scale,
    sub,
    unit,
    vector,
)

_HINGE = (1.0, 0.0, 0.0)
_STEEPEST_RAD = 0.3
"""A knee swivels no farther than this about the line from hip to ankle."""
_LITTLE_M = 0.03
_FREE = 1e-6


@inner_kernel
def _between_segments(a, b, c, d):  # type: ignore[no-untyped-def]
    """Shares along the segments from a to b and c to d at which they are nearest."""
    u, v, w = sub(b, a), sub(d, c), sub(a, c)
    uu, uv, vv = dot(u, u), dot(u, v), dot(v, v)
    uw, vw = dot(u, w), dot(v, w)
    full = uu * vv - uv * uv
    s = min(max((uv * vw - vv * uw) / full, 0.0), 1.0) if full > 1e-12 else 0.0
    t = min(max((uv * s + vw) / max(vv, 1e-12), 0.0), 1.0)
    s = min(max((uv * t - uw) / max(uu, 1e-12), 0.0), 1.0)
    t = min(max((uv * s + vw) / max(vv, 1e-12), 0.0), 1.0)
    return s, t


@inner_kernel
def _nearest(places, legs):  # type: ignore[no-untyped-def]
    """The least distance of the legs, from the right one to the left (3,), and where on each.

    legs  (2, 4) hip, knee, ankle and ball of each; places along a leg: 0 at the knee, 1 at the
    ankle, 2 at the ball
    """
    least, apart, left, right = 1e9, (0.0, 0.0, 0.0), 0.0, 0.0
    for i in range(1, 3):
        for k in range(1, 3):
            a, b = vector(places, legs[0, i]), vector(places, legs[0, i + 1])
            c, d = vector(places, legs[1, k]), vector(places, legs[1, k + 1])
            s, t = _between_segments(a, b, c, d)
            here, there = add(a, scale(sub(b, a), s)), add(c, scale(sub(d, c), t))
            gap = length(sub(here, there))
            if gap < least:
                least, apart, left, right = gap, sub(here, there), i - 1 + s, k - 1 + t
    return least, apart, left, right


@kernel
def leg_gaps(places, legs, gaps, apart, along):  # type: ignore[no-untyped-def]
    """Fill gaps (T,), apart (T, 3) and along (T, 2) from places (T, J, 3), see `_nearest`."""
    for t in range(len(places)):
        gap, line, left, right = _nearest(places[t], legs)
        gaps[t] = gap
        put(apart, t, line)
        along[t, 0], along[t, 1] = left, right


@kernel
def find_needs(gaps, apart, along, first, stop, limit, free, pushes, swivels):  # type: ignore[no-untyped-def]
    """How far feet must be pushed and knees swivelled in frames first to stop, a run too close.

    Legs part along the level direction in which they are apart before and after, turned evenly
    from the one to the other: one passes the other on the side it comes and goes. Fills pushes
    (2, 2, T), metres along x and z for each foot, and swivels (2, 2, T) likewise for each knee.
    free  (2, T) how far a foot may leave its way, 0 to 1
    """
    start = _heading(apart, max(first - 1, 0))
    turn = _heading(apart, min(stop, len(gaps) - 1)) - start
    turn -= 2.0 * math.pi * round(turn / (2.0 * math.pi))
    for t in range(first, stop):
        angle = start + turn * (t - first + 1) / (stop - first + 1)
        x, z = math.sin(angle), math.cos(angle)
        level = math.sqrt(max(limit * limit - apart[t, 1] * apart[t, 1], 0.0))
        need = max(level - apart[t, 0] * x - apart[t, 2] * z, 0.0)
        both = free[0, t] + free[1, t]
        for side in range(2):
            sign = 1.0 if side == 0 else -1.0
            low = min(along[t, side], 1.0)
            knee = sign * min((1.0 - low) * need * (0.5 if both > _FREE else 1.0), limit)
            swivels[side, 0, t], swivels[side, 1, t] = knee * x, knee * z
            if both > _FREE:
                foot = free[side, t] / both * need / (0.5 + 0.5 * low)
                foot = sign * min(foot, 2.0 * limit)
                pushes[side, 0, t], pushes[side, 1, t] = foot * x, foot * z


@inner_kernel
def _heading(apart, t):  # type: ignore[no-untyped-def]
    """The level direction from the right leg to the left one."""
    return math.atan2(apart[t, 0], apart[t, 2])


@kernel
def spread_needs(needs, first, stop, wide, out, scratch):  # type: ignore[no-untyped-def]
    """Add to out (T,) what needs (T,) ask for in frames first to stop, smoothly, no less anywhere.

    That is the largest need within `wide` frames, averaged over half as many with weights that
    fall off to both sides. scratch (T,) is overwritten.
    """
    frames, half = len(needs), max(wide // 2, 1)
    for t in range(first, stop):
        most = 0.0
        for u in range(max(t - wide, 0), min(t + wide + 1, frames)):
            if abs(needs[u]) > abs(most):
                most = needs[u]
        scratch[t] = most
    for t in range(first, stop):
        total, weights = 0.0, 0
        for u in range(max(t - half, 0), min(t + half + 1, frames)):
            weight = half + 1 - abs(u - t)
            weights += weight
            if first <= u < stop:
                total += weight * scratch[u]
        out[t] += total / weights


@kernel
def move_legs(  # type: ignore[no-untyped-def]
    first, stop, parents, offsets, legs, lower, before, turns, free, pushes, swivels, places, world,
    rotations, solved,
):  # fmt: skip
    """Solve both legs in frames first to stop with their feet pushed and their knees swivelled.

    before (T, J, 3) and turns (T, J, 4) are the world as it was; places (T, J, 3) and rotations
    (T, J, 4) are written; lower (2, L) are the joints below each hip as far as the ball, parents
    first, -1 for none; pushes and swivels (2, 2, T) along x and z, metres, pushes as far as a foot
    is free (2, T); world (J, 4) and solved (3, 4) are scratch.
    """
    for t in range(first, stop):
        for side in range(2):
            share = free[side, t]
            push = (share * pushes[side, 0, t], 0.0, share * pushes[side, 1, t])
            out = (swivels[side, 0, t], 0.0, swivels[side, 1, t])
            if length(push) + length(out) < 1e-6:
                continue
            limb, foot = legs[side], quaternion(turns[t], legs[side, 2])
            # Round the hip: a leg that had to reach farther would snap straight, or could not.
            hip = vector(before[t], limb[0])
            line = sub(vector(before[t], limb[2]), hip)
            aim = add(hip, scale(unit(add(line, push)), length(line)))
            bend_limb(
                limb, parents, before[t], turns[t], (0.0, 0.0, 0.0), _HINGE, aim, foot, 0.0, solved
            )
            for k in range(3):
                _turn(rotations[t], limb[k], quaternion(solved, k))
            _place_leg(t, side, parents, offsets, legs, lower, turns, rotations, places, world)
            if length(out) >= 1e-6:
                _swivel(t, limb, parents, turns, out, foot, places, world, rotations)
                _place_leg(t, side, parents, offsets, legs, lower, turns, rotations, places, world)


@inner_kernel
def _swivel(t, limb, parents, turns, out, foot, places, world, rotations):  # type: ignore[no-untyped-def]
    """Swivel a knee about the line from hip to ankle, outward by `out`, its foot as it is."""
    hip, knee, ankle = limb[0], limb[1], limb[2]
    base = vector(places[t], hip)
    axis = unit(sub(vector(places[t], ankle), base))
    moves = cross(axis, sub(vector(places[t], knee), base))
    size = length(out)
    # A knee that is nearly straight hardly moves, and the less it moves the less it is turned.
    rate = dot(moves, out) / size
    angle = _STEEPEST_RAD * math.tanh(size * rate / (rate * rate + _LITTLE_M**2) / _STEEPEST_RAD)
    turn = about(axis, angle)
    upper = multiply(turn, quaternion(world, hip))
    _turn(rotations[t], hip, against(quaternion(turns[t], parents[hip]), upper))
    above = multiply(turn, quaternion(world, parents[ankle]))
    _turn(rotations[t], ankle, against(above, foot))


@inner_kernel
def _place_leg(t, side, parents, offsets, legs, lower, turns, rotations, places, world):  # type: ignore[no-untyped-def]
    """Fill the world's places and turns of a leg from its rotations, its hip where it is."""
    hip = legs[side, 0]
    put(world, hip, multiply(quaternion(turns[t], parents[hip]), quaternion(rotations[t], hip)))
    for n in range(lower.shape[1]):
        j = lower[side, n]
        if j < 0:
            break
        p = parents[j]
        above = quaternion(world, p)
        put(places[t], j, add(vector(places[t], p), rotate(above, vector(offsets, j))))
        put(world, j, multiply(above, quaternion(rotations[t], j)))


@inner_kernel
def _turn(rotations, j, q):  # type: ignore[no-untyped-def]
    """Write a rotation with the sign that is nearer to the old one."""
    old = quaternion(rotations, j)
    if q[0] * old[0] + q[1] * old[1] + q[2] * old[2] + q[3] * old[3] < 0.0:
        q = (-q[0], -q[1], -q[2], -q[3])
    put(rotations, j, q)
