"""Compiled parts of foot locking: tracks of feet, heels that rise, legs. Import lazily: numba.

A foot's points are rows of (4, 3): heel, ball, the joint under which it bends, tip.
"""

from __future__ import annotations

import math

import numpy as np

from footfall.maths.jit_kernels import inner_kernel, kernel
from footfall.maths.limb_kernels import reach
from footfall.maths.vector_kernels import (
    add,
    against,
    conjugate,
    cross,
    dot,
    exp_half,
    length,
    log_half,
    multiply,
    put,
    quaternion,
    rotate,
    scale,
    sub,
    vector,
)

HEEL, BALL, JOINT, TIP = range(4)
ON_HEEL, FLAT, ON_BALL = 1, 2, 3


@inner_kernel
def _smooth(u):  # type: ignore[no-untyped-def]
    u = min(max(u, 0.0), 1.0)
    return u * u * (3.0 - 2.0 * u)


@inner_kernel
def _gaps(mask, out):  # type: ignore[no-untyped-def]
    """Fill (T,) how many frames the nearest true one is away."""
    last = -1000000000
    for t in range(len(mask)):
        if mask[t]:
            last = t
        out[t] = t - last
    last = 1000000000
    for t in range(len(mask) - 1, -1, -1):
        if mask[t]:
            last = t
        out[t] = min(out[t], last - t)


@inner_kernel
def _slerp(a, b, u):  # type: ignore[no-untyped-def]
    return multiply(a, exp_half(scale(log_half(multiply(conjugate(a), b)), u)))


@kernel
def roll_turns(own, phases, spans, flat, turns):  # type: ignore[no-untyped-def]
    """Write orientations (T, 4) while held: flat while flat, else turned from there as `own` is.

    A frame before or after a flat phase takes the source's turn since (or until) that phase;
    between two flat phases it goes over from the one to the other. A hold that is never flat
    keeps the source's own turn, but points where `flat` does.
    """
    for n in range(len(spans)):
        first, stop = spans[n, 0], spans[n, 1]
        lying, before = quaternion(flat, n), -1
        x = z = 0.0
        after = first - 1
        for t in range(first, stop):
            ahead = rotate(quaternion(own, t), (0.0, 0.0, 1.0))
            x, z = x + ahead[0], z + ahead[2]
        for t in range(first, stop):
            if phases[t] == FLAT:
                before = t
                put(turns, t, lying)
                continue
            if after < t:
                after = t
                while after < stop and phases[after] != FLAT:
                    after += 1
            turn = quaternion(own, t)
            if before < 0 and after == stop:
                half = 0.5 * math.atan2(x, z)
                level = (math.cos(half), 0.0, math.sin(half), 0.0)
                put(turns, t, multiply(multiply(lying, conjugate(level)), turn))
                continue
            since = before if before >= 0 else after
            until = after if after < stop else before
            u = min(max((t - since) / max(until - since, 1), 0.0), 1.0)
            one = multiply(lying, multiply(conjugate(quaternion(own, since)), turn))
            two = multiply(lying, multiply(conjugate(quaternion(own, until)), turn))
            put(turns, t, _slerp(one, two, u * u * (3.0 - 2.0 * u)))


@inner_kernel
def _toes_lie(own, turns, flat, owner, lie, fps, ease_s, limits, more, frames):  # type: ignore[no-untyped-def]
    """Fill `more` (T, 3), the half turns that lying flat takes, and how many frames they fade."""
    share, slowest, longest, rate = limits[0], limits[1], limits[2], limits[3]
    most, count = 0.0, len(own)
    for t in range(count):
        if lie[t]:
            along = against(quaternion(turns, t), quaternion(flat, owner[t]))
            half = log_half(multiply(conjugate(quaternion(own, t)), along))
            put(more, t, half)
            most = max(most, 2.0 * length(half))
        else:
            put(more, t, (0.0, 0.0, 0.0))
    if 1.5 * most <= share * slowest * ease_s:
        for t in range(count):
            frames[t] = ease_s * fps
        return
    step = max(1, round(fps / rate))
    fastest = slowest
    for t in range(step, count):
        turn = multiply(conjugate(quaternion(own, t)), quaternion(own, t - step))
        fastest = max(fastest, 2.0 * length(log_half(turn)) * fps / step)
    for t in range(count):
        angle = 2.0 * length(vector(more, t))
        frames[t] = fps * max(min(1.5 * angle / (share * fastest), longest), ease_s)


@kernel
def bend_toes(own, turns, flat, owner, lie, fps, ease_s, limits, bend):  # type: ignore[no-untyped-def]
    """Fill how toes are bent (T, 4): flat where they lie, else as their own, C¹ in between.

    own     (T, 4) how they are bent in the source      turns  (T, 4) the foot's orientation
    flat    (N, 4) it when flat, by `owner` (T,)        lie    (T,) where the toes lie
    limits  share, slowest, longest, rate of `toes`
    """
    count = len(own)
    more, frames = np.empty((count, 3)), np.empty(count)
    _toes_lie(own, turns, flat, owner, lie, fps, ease_s, limits, more, frames)
    after = np.empty(count, np.int64)
    known = -1
    for t in range(count - 1, -1, -1):
        if lie[t]:
            known = t
        after[t] = known
    known = -1
    for t in range(count):
        half = (0.0, 0.0, 0.0)
        if lie[t]:
            known = t
            half = vector(more, t)
        else:
            late = early = 0.0
            if known >= 0:
                late = _smooth(1.0 - (t - known) / frames[known])
                half = add(half, scale(vector(more, known), late))
            if after[t] >= 0:
                early = _smooth(1.0 - (after[t] - t) / frames[after[t]])
                half = add(half, scale(vector(more, after[t]), early))
            half = scale(half, 1.0 / max(late + early, 1.0))
        put(bend, t, multiply(quaternion(own, t), exp_half(half)))


@kernel
def hold_foot(points, phases, owner, flat, spots, turns, leaving, rise, bend, ankle, turned):  # type: ignore[no-untyped-def]
    """Write where the ankle (T, 3) is, and how the foot is turned (T, 4), while it is held."""
    for t in range(len(phases)):
        if phases[t] == 0:
            continue
        n = owner[t]
        lying, turn = quaternion(flat, n), quaternion(turns, t)
        origin = sub(vector(spots, n), rotate(lying, vector(points, BALL)))
        if leaving[t]:
            tip = add(origin, rotate(lying, vector(points, TIP)))
            toes = rotate(quaternion(bend, t), sub(vector(points, TIP), vector(points, JOINT)))
            place = sub(tip, rotate(turn, add(vector(points, JOINT), toes)))
        else:
            about = HEEL if phases[t] == ON_HEEL else JOINT
            pivot = add(origin, rotate(lying, vector(points, about)))
            place = sub(pivot, rotate(turn, vector(points, about)))
        put(ankle, t, add(place, (0.0, rise[t], 0.0)))
        put(turned, t, turn)


@kernel
def fill_swings(change, held, on_way):  # type: ignore[no-untyped-def]
    """Overwrite corrections (T, D) between holds by what joins C¹ at both ends.

    At the ends of a hold the slope is one-sided over the hold's own frames, and halved: the first
    and last frames of a contact are the least certain and a full slope would overshoot. Of a
    foot that is `on_way` there the correction goes as the foot does, and has no slope.
    """
    count, columns = change.shape
    first = 0
    while first < count and not held[first]:
        first += 1
    if first == count:
        return
    for t in range(first):
        for d in range(columns):
            change[t, d] = change[first, d]
    begin, t = first, first
    while t < count:
        while t < count and held[t]:
            t += 1
        last = t - 1
        after = t
        while after < count and not held[after]:
            after += 1
        if after == count:
            for k in range(t, count):
                for d in range(columns):
                    change[k, d] = change[last, d]
            return
        end = after
        while end < count and held[end]:
            end += 1
        span = float(after - last)
        leaves = last + 1 - begin > 2 and not on_way[last]
        comes = end - after > 2 and not on_way[after]
        for d in range(columns):
            a, b = change[last, d], change[after, d]
            slope_a = 0.5 * (a - change[last - 1, d]) if leaves else 0.0
            slope_b = 0.5 * (change[after + 1, d] - b) if comes else 0.0
            for k in range(t, after):
                u = (k - last) / span
                eased = u * u * (3.0 - 2.0 * u)
                bend = (1.0 - u) * u * span
                change[k, d] = (
                    (1.0 - eased) * a + eased * b + bend * ((1.0 - u) * slope_a - u * slope_b)
                )
        begin, t = after, after


@kernel
def carry_through_swings(raw, own, held, on_way, ankle, turned):  # type: ignore[no-untyped-def]
    """Write ankle (T, 3) and orientation (T, 4) between holds: the source's `raw` and `own` and a
    correction that joins C¹ at both ends."""
    count = len(raw)
    change = np.empty((count, 6))
    for t in range(count):
        if held[t]:
            half = log_half(multiply(quaternion(turned, t), conjugate(quaternion(own, t))))
            for i in range(3):
                change[t, i], change[t, 3 + i] = ankle[t, i] - raw[t, i], half[i]
    fill_swings(change, held, on_way)
    for t in range(count):
        if not held[t]:
            for i in range(3):
                ankle[t, i] = raw[t, i] + change[t, i]
            half = (change[t, 3], change[t, 4], change[t, 5])
            put(turned, t, multiply(exp_half(half), quaternion(own, t)))


@inner_kernel
def _least_turn(arm, to_hip, axis, longest):  # type: ignore[no-untyped-def]
    """By how much an arm turns about an axis to come within `longest` of the hip; negative where
    it is nearer already, or where turning upwards would lead away."""
    aside = dot(sub(arm, to_hip), axis)
    longest = math.sqrt(max(longest * longest - aside * aside, 0.0))
    arm = sub(arm, scale(axis, dot(arm, axis)))
    to_hip = sub(to_hip, scale(axis, dot(to_hip, axis)))
    near, far = length(arm), length(to_hip)
    angle = math.atan2(dot(cross(arm, to_hip), axis), dot(arm, to_hip))
    if angle <= 0.0:
        return -1.0
    cosine = (near * near + far * far - longest * longest) / max(2.0 * near * far, 1e-12)
    return angle - math.acos(min(max(cosine, -1.0), 1.0))


@kernel
def least_turns(joint, ankle, turned, hip, longest, may, most, out):  # type: ignore[no-untyped-def]
    """Fill (T,) by how much feet turn about their balls so that their legs reach; whether any."""
    found = False
    x = (1.0, 0.0, 0.0)
    for t in range(len(out)):
        out[t] = 0.0
        if not may[t]:
            continue
        turn = quaternion(turned, t)
        arm = scale(rotate(turn, vector(joint, 0)), -1.0)
        ball = sub(vector(ankle, t), arm)
        by = _least_turn(arm, sub(vector(hip, t), ball), rotate(turn, x), longest[t])
        if by > 0.0:
            out[t] = min(by, most)
            found = True
    return found


@kernel
def turn_about_balls(joint, turn, heel, ease, ankle, turned, bend):  # type: ignore[no-untyped-def]
    """Turn feet about their balls by `turn` (T,), less near frames on the `heel`; toes stay.

    Writes ankle (T, 3), turned (T, 4), bend (T, 4) and the turns that were made.
    """
    gaps = np.empty(len(turn))
    _gaps(heel, gaps)
    for t in range(len(turn)):
        turn[t] *= 1.0 - _smooth(1.0 - gaps[t] / max(ease, 1.0))
        if turn[t] == 0.0:
            continue
        old = quaternion(turned, t)
        up = exp_half(scale(rotate(old, (1.0, 0.0, 0.0)), 0.5 * turn[t]))
        arm = scale(rotate(old, vector(joint, 0)), -1.0)
        ball = sub(vector(ankle, t), arm)
        new = multiply(up, old)
        toes = multiply(old, quaternion(bend, t))
        put(ankle, t, add(ball, rotate(up, arm)))
        put(turned, t, new)
        put(bend, t, multiply(conjugate(new), toes))


@kernel
def solve_legs(parents, legs, places, turns, hips, ankles, turned, bends, tilt, soft, out):  # type: ignore[no-untyped-def]
    """Write the legs' rotations (T, J, 4) so that their feet follow their tracks.

    legs     (2, 4) hip, knee, ankle and toe of each, no toe: -1
    places, turns   the source's world poses (T, J, ...)
    hips, ankles    (2, T, 3) where they are to be         turned, bends  (2, T, 4) feet and toes
    tilt     (T, 4) how the pelvis is turned, or (0, 4)    soft  (2, T) share of the reach
    """
    for k in range(2):
        h, m, e, toe = legs[k, 0], legs[k, 1], legs[k, 2], legs[k, 3]
        for t in range(len(places)):
            place, turn, rotations = places[t], turns[t], out[t]
            shift = sub(vector(hips[k], t), vector(place, h))
            old_upper, old_lower = quaternion(turn, h), quaternion(turn, m)
            upper, lower, _ = reach(
                vector(hips[k], t), add(vector(place, m), shift), add(vector(place, e), shift),
                old_upper, old_lower, rotate(old_upper, (1.0, 0.0, 0.0)), vector(ankles[k], t),
                soft[k, t],
            )  # fmt: skip
            # Joints between (twist bones) turn along with the bone above them.
            above_knee = multiply(
                multiply(upper, conjugate(old_upper)), quaternion(turn, parents[m])
            )
            above_ankle = multiply(
                multiply(lower, conjugate(old_lower)), quaternion(turn, parents[e])
            )
            pelvis = quaternion(turn, parents[h])
            if len(tilt):
                pelvis = multiply(quaternion(tilt, t), pelvis)
            put(rotations, h, against(pelvis, upper))
            put(rotations, m, against(above_knee, lower))
            put(rotations, e, against(above_ankle, quaternion(turned[k], t)))
            if toe >= 0:
                put(rotations, toe, quaternion(bends[k], t))
