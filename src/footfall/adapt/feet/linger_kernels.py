"""Compiled parts of feet that stay over their places. Import lazily: numba."""

from __future__ import annotations

import math

import numpy as np

from footfall.adapt.feet.lock_kernels import BALL as AT_BALL
from footfall.adapt.feet.lock_kernels import FLAT, HEEL, JOINT, ON_BALL, ON_HEEL
from footfall.maths.jit_kernels import inner_kernel, kernel
from footfall.maths.vector_kernels import (
    about,
    add,
    conjugate,
    length,
    multiply,
    put,
    quaternion,
    rotate,
    smooth,
    sub,
    vector,
)


@inner_kernel
def _at(points, which, ankle, own, t):  # type: ignore[no-untyped-def]
    return add(vector(ankle, t), rotate(quaternion(own, t), vector(points, which)))


@inner_kernel
def _stays(points, which, ankle, own, edge, t, limits):  # type: ignore[no-untyped-def]
    """Whether a point of the sole is low and slow at a frame, and near where it is at an edge."""
    if t < 1 or t > len(ankle) - 2:
        return False
    off = sub(_at(points, which, ankle, own, t), _at(points, which, ankle, own, edge))
    step = sub(_at(points, which, ankle, own, t + 1), _at(points, which, ankle, own, t - 1))
    near = off[1] < limits[1] and math.hypot(off[0], off[2]) < limits[2]
    return near and 0.5 * length(step) < limits[0]


@inner_kernel
def _lasting(points, which, ankle, own, edge, ahead, most, limits):  # type: ignore[no-untyped-def]
    """How many frames after (before: ahead is -1) an edge a point of the sole stays."""
    k = 0
    while k < most and _stays(points, which, ankle, own, edge, edge + (k + 1) * ahead, limits):
        k += 1
    return k


@inner_kernel
def _room(spans, n, ahead, most):  # type: ignore[no-untyped-def]
    """How many frames a hold may be lengthened by: to the middle of a swing at most."""
    if ahead > 0 and n + 1 < len(spans):
        return min(most, (spans[n + 1, 0] - spans[n, 1]) // 2)
    if ahead < 0 and n > 0:
        return min(most, (spans[n, 0] - spans[n - 1, 1]) // 2)
    return most


@kernel
def lengthen(points, ankle, own, limits, longest, phases, spans, turns, rise, owner):  # type: ignore[no-untyped-def]
    """Lengthen holds at both ends by frames in which what carries the foot is low and slow.

    points      (4, 3) of the sole          ankle, own  (T, 3), (T, 4) where it is in the source
    limits      metres a frame below which a point is slow, how high it is low, how far it goes
    longest     frames that a hold is lengthened by at most
    Writes phases, turns, rise, owner (T, ...) and spans (N, 2).
    """
    old = spans.copy()
    for n in range(len(spans)):
        for ahead in (1, -1):
            edge = old[n, 1] - 1 if ahead > 0 else old[n, 0]
            most = _room(old, n, ahead, longest)
            heel = ball = -1
            if phases[edge] != ON_BALL:
                heel = _lasting(points, HEEL, ankle, own, edge, ahead, most, limits)
            if phases[edge] != ON_HEEL:
                ball = _lasting(points, JOINT, ankle, own, edge, ahead, most, limits)
            which, frames = (HEEL, heel) if heel > ball else (JOINT, ball)
            high = _at(points, which, ankle, own, edge)[1]
            for k in range(1, frames + 1):
                t = edge + k * ahead
                phases[t] = ON_HEEL if which == HEEL else ON_BALL
                since = multiply(conjugate(quaternion(own, edge)), quaternion(own, t))
                put(turns, t, multiply(quaternion(turns, edge), since))
                rise[t] = rise[edge] + max(_at(points, which, ankle, own, t)[1] - high, 0.0)
                owner[t] = n
            if ahead > 0:
                spans[n, 1] += frames
            else:
                spans[n, 0] -= frames


@kernel
def lie_down_early(points, ankle, own, limits, spans, flat, phases, turns):  # type: ignore[no-untyped-def]
    """Let soles that come down lie flat as soon as their free end is low and slow.

    limits  (2, 3) metres a frame below which it is slow, how high it is low, how far it may be:
            for balls, and for both ends
    Writes phases and turns (T, ...); what is rolled before that is rolled from there.
    """
    for n in range(len(spans)):
        first = spans[n, 0]
        lies = first
        while lies < spans[n, 1] and phases[lies] != FLAT:
            lies += 1
        if lies == spans[n, 1] or lies == first:
            continue
        early = lies
        while early > first:
            free = JOINT if phases[early - 1] == ON_HEEL else HEEL
            low = free == JOINT and _stays(points, free, ankle, own, lies, early - 1, limits[0])
            if not low and not _stays(points, free, ankle, own, lies, early - 1, limits[1]):
                break
            early -= 1
            phases[early] = FLAT
            put(turns, early, quaternion(flat, n))
        if early == lies:
            continue
        for t in range(first, early):
            since = multiply(conjugate(quaternion(own, early)), quaternion(own, t))
            put(turns, t, multiply(quaternion(flat, n), since))


@inner_kernel
def _swivel(points, lying, turn, phase, clear):  # type: ignore[no-untyped-def]
    """By how much a foot turns over the ground while the free end of its sole is not up."""
    arm = sub(vector(points, HEEL), vector(points, AT_BALL))
    up = rotate(turn, arm)[1] - rotate(lying, arm)[1]
    since = multiply(turn, conjugate(lying))
    angle = 2.0 * math.atan2(since[2], since[0])
    angle -= 2.0 * math.pi * round(angle / (2.0 * math.pi))
    return (1.0 - smooth((-up if phase == ON_HEEL else up) / clear)) * angle


@kernel
def stop_swivelling(points, spans, flat, phases, clear, step, turns):  # type: ignore[no-untyped-def]
    """Let feet turn over the ground (T, 4) only as far as the free end of their sole is up.

    clear  how far up that is      step  what they make up for from frame to frame, radians
    """
    back = np.zeros(len(phases))
    for n in range(len(spans)):
        first, stop = spans[n, 0], spans[n, 1]
        lies, last = stop, first - 1
        for t in range(first, stop):
            if phases[t] == FLAT:
                lies, last = min(lies, t), t
            else:
                back[t] = _swivel(
                    points, quaternion(flat, n), quaternion(turns, t), phases[t], clear
                )
        # What was held back is made up for slowly, and beyond the hold where need be.
        for t in range(max(last, first) + 1, stop):
            least = abs(back[t - 1]) - step
            if least > abs(back[t]):
                back[t] = math.copysign(least, back[t - 1])
        for t in range(min(lies, stop - 1) - 1, first - 1, -1):
            least = abs(back[t + 1]) - step
            if least > abs(back[t]) and lies < stop:
                back[t] = math.copysign(least, back[t + 1])
        for t in range(first, stop):
            if back[t] != 0.0:
                put(turns, t, multiply(about((0.0, 1.0, 0.0), -back[t]), quaternion(turns, t)))
