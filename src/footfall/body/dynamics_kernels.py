"""Inverse dynamics frame by frame: recursive Newton-Euler, then the ground's force.

Import lazily: it brings in numba. A `body` is a `dynamics.BodyArrays`, whose K joints are the ones
of the skeleton that carry mass, and the toes; `work` is a `dynamics.Workspace` for it. Vectors of
a joint are along the joint's own axes: so are the rates of its rotation against its parent, and
its torque.
"""

from __future__ import annotations

import math

from footfall.body.ground_force_kernels import give_ground_force
from footfall.body.touching import FEET, LEFT_FOOT, RIGHT_FOOT, SEAT
from footfall.maths.constants import GRAVITY
from footfall.maths.jit_kernels import inner_kernel, lean_kernel
from footfall.maths.matrix_kernels import matrix, turn, unturn
from footfall.maths.vector_kernels import (
    add,
    conjugate,
    cross,
    dot,
    log_half,
    multiply,
    put,
    quaternion,
    scale,
    sub,
    vector,
)

BY_PRESSURE = -1.0
"""The share of the left foot where only the centre of pressure tells it."""
LONGEST_TRANSFER_S = 0.6
"""Who stands on both feet for longer does not just pass from one to the other."""


@lean_kernel
def segment_efforts(  # type: ignore[no-untyped-def]
    body, work, root, rotations, touching, first, before, after, step_s, efforts, checks
):
    """Fill efforts (S,) and worst checks (S, 5) of segments of frames; see `segment_effort`."""
    for s in range(efforts.shape[0]):
        efforts[s] = segment_effort(
            body, work, root, rotations, touching, first[s], first[s + 1], before, after,
            step_s[s], checks[s],
        )  # fmt: skip


@inner_kernel
def segment_effort(  # type: ignore[no-untyped-def]
    body, work, root, rotations, touching, first, stop, before, after, step_s, worst
):
    """The effort of frames `first` to `stop` without the margins of `before` and `after` frames.

    The two ends count half, so that efforts of segments that share a frame add up.
    worst  (5,) is filled with the largest residual force and moment, friction, metres that the
           centre of pressure is outside, and how far flight is off gravity, as a share of it
    `work.all_torques`, `all_forces` and `all_checks` are filled with those of each frame.
    """
    for i in range(worst.shape[0]):
        worst[i] = 0.0
    spread_load(touching, first, stop, step_s, work.shares)
    begin, end = first + before, stop - after
    flies = False
    for t in range(begin, end):
        flies = flies or not touching[t] & (FEET | SEAT)
    total = 0.0
    for t in range(max(begin - 1, first), min(end + 1, stop)):
        row = t - first
        drift = differentiate_frame(body, work, root, rotations, first, stop, t, step_s)
        newton_euler(body, work, rotations, t, drift)
        if flies:
            put(work.centres, row, add(vector(root, t), _centre_from_root(body, work)))
        if t < begin or t >= end:
            continue
        give_ground_force(body, work, root, t, touching[t], work.shares[row])
        part = 0.0
        for k in range(work.torques.shape[0]):
            torque = vector(work.torques, k)
            put(work.all_torques[row], k, torque)
            part += dot(torque, torque) if k > 0 else 0.0
        total += 0.5 * part if t in (begin, end - 1) else part
        for i in range(5):
            put(work.all_forces[row], i, vector(work.forces, i))
        for i in range(4):
            work.all_checks[row, i] = work.checks[i]
            worst[i] = max(worst[i], work.checks[i])
    worst[4] = _flight_error(work, touching, first, stop, begin, end, step_s) if flies else 0.0
    return total * step_s * 30.0


@inner_kernel
def _centre_from_root(body, work):  # type: ignore[no-untyped-def]
    """From the root to the centre of mass, world axes, after `newton_euler`."""
    for k in range(work.leans.shape[0]):
        put(work.leans, k, vector(body.moments, k))
    for k in range(work.leans.shape[0] - 1, 0, -1):
        p = body.parents[k]
        below = add(
            turn(work.turns, k, vector(work.leans, k)),
            scale(vector(body.offsets, k), body.below[k]),
        )
        put(work.leans, p, add(vector(work.leans, p), below))
    return turn(work.turns, 0, scale(vector(work.leans, 0), 1.0 / body.below[0]))


@inner_kernel
def _flight_error(work, touching, first, stop, begin, end, step_s):  # type: ignore[no-untyped-def]
    """How far the centre of mass is off free fall at worst, within flights; 0 without any."""
    worst = 0.0
    for t in range(max(begin, first + 1), min(end, stop - 1)):
        if (touching[t - 1] | touching[t] | touching[t + 1]) & (FEET | SEAT):
            continue
        i = t - first
        bend = sub(vector(work.centres, i + 1), vector(work.centres, i))
        bend = sub(bend, sub(vector(work.centres, i), vector(work.centres, i - 1)))
        off = scale(bend, 1.0 / (GRAVITY * step_s * step_s))
        worst = max(worst, math.sqrt(off[0] ** 2 + (off[1] + 1.0) ** 2 + off[2] ** 2))
    return worst


# ---- how the load passes from foot to foot ---------------------------------------------------


@inner_kernel
def spread_load(touching, first, stop, step_s, shares):  # type: ignore[no-untyped-def]
    """Fill the share of the load that the left foot carries, from frame `first` on.

    Between two single supports of different feet it passes evenly from one to the other.
    """
    t = first
    while t < stop:
        if touching[t] & FEET != FEET:
            shares[t - first] = 1.0 if touching[t] & LEFT_FOOT else 0.0
            t += 1
            continue
        begin = t
        while t < stop and touching[t] & FEET == FEET:
            t += 1
        leaving = touching[begin - 1] & FEET if begin > first else 0
        staying = touching[t] & FEET if t < stop else 0
        passes = leaving | staying == FEET and (t - begin) * step_s <= LONGEST_TRANSFER_S
        for i in range(begin, t):
            passed = (i - begin + 1.0) / (t - begin + 1.0)
            left = passed if leaving == RIGHT_FOOT else 1.0 - passed
            shares[i - first] = left if passes else BY_PRESSURE


# ---- rates of change -------------------------------------------------------------------------


@inner_kernel
def differentiate_frame(body, work, root, rotations, first, stop, t, step_s):  # type: ignore[no-untyped-def]
    """Fill the rates of frame t, and return its root's acceleration, world axes.

    They follow from the frames before and after it within first to stop. At an end the
    acceleration is that of the frame beside it.
    """
    b = max(min(t, stop - 2), first + 1)
    a, c = b - 1, b + 1
    if stop - first < 3:
        a, b, c = t, t, t
    per = 1.0 / step_s
    early, late = sub(vector(root, b), vector(root, a)), sub(vector(root, c), vector(root, b))
    nudge = (t - b) * 1.0
    for k in range(work.rates.shape[0]):
        j = body.joints[k]
        middle = quaternion(rotations[b], j)
        before = _turn(quaternion(rotations[a], j), middle)
        after = _turn(middle, quaternion(rotations[c], j))
        change = sub(after, before)
        rate = add(scale(add(before, after), 0.5), scale(change, nudge))
        put(work.rates, k, scale(rate, per))
        put(work.changes, k, scale(change, per * per))
    return scale(sub(late, early), per * per)


@inner_kernel
def _turn(q, after):  # type: ignore[no-untyped-def]
    """The rotation vector from q to the next, along its own axes."""
    step = multiply(conjugate(q), after)
    if step[0] < 0.0:
        step = (-step[0], -step[1], -step[2], -step[3])
    axis = (step[1], step[2], step[3])
    s = dot(axis, axis)
    if s > 0.02:
        return scale(log_half(step), 2.0)
    # asin(x) / x by its series: exact to 1e-13 below this angle, a third of a radian.
    tail = 35.0 / 1152.0 + s * (63.0 / 2816.0 + s * (231.0 / 13312.0 + s * 143.0 / 10240.0))
    series = 1.0 + s * (1.0 / 6.0 + s * (3.0 / 40.0 + s * (5.0 / 112.0 + s * tail)))
    return scale(axis, 2.0 * series)


# ---- Newton and Euler ------------------------------------------------------------------------


@inner_kernel
def newton_euler(body, work, rotations, t, drift):  # type: ignore[no-untyped-def]
    """Fill torques and the root's force of frame t from `work.rates` and `changes`.

    drift  acceleration of the root, world axes
    """
    count = work.rates.shape[0]
    for k in range(count):
        put(work.turns, k, matrix(quaternion(rotations[t], body.joints[k])))
        spin, gain = vector(work.rates, k), vector(work.changes, k)
        pull = (drift[0], drift[1] + GRAVITY, drift[2])
        if k > 0:
            p = body.parents[k]
            above, more, arm = vector(work.spins, p), vector(work.gains, p), vector(body.offsets, k)
            pull = add(
                vector(work.pulls, p), add(cross(more, arm), cross(above, cross(above, arm)))
            )
            rate = spin
            spin = add(unturn(work.turns, k, above), rate)
            gain = add(add(unturn(work.turns, k, more), cross(spin, rate)), gain)
        pull = unturn(work.turns, k, pull)
        put(work.spins, k, spin)
        put(work.gains, k, gain)
        put(work.pulls, k, pull)
        # What the joint's own mass asks for.
        moment = vector(body.moments, k)
        force = add(cross(gain, moment), cross(spin, cross(spin, moment)))
        put(work.push, k, add(scale(pull, body.masses[k]), force))
        own = add(turn(body.inertias, k, gain), cross(spin, turn(body.inertias, k, spin)))
        put(work.torques, k, add(own, cross(moment, pull)))
    for k in range(count - 1, 0, -1):
        p = body.parents[k]
        push = turn(work.turns, k, vector(work.push, k))
        moment = add(turn(work.turns, k, vector(work.torques, k)),
                     cross(vector(body.offsets, k), push))  # fmt: skip
        put(work.push, p, add(vector(work.push, p), push))
        put(work.torques, p, add(vector(work.torques, p), moment))
