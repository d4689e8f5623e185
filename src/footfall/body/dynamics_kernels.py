"""Inverse dynamics frame by frame: recursive Newton-Euler, then the ground's force.

Import lazily: it brings in numba. A `body` is a `dynamics.DynamicBody`: its K `joints` are the ones
of the skeleton that carry mass, and the toes. Vectors of a joint are along the joint's own axes: so
are the rates of its rotation against its parent, and its torque.
"""

from __future__ import annotations

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
    length,
    log_half,
    multiply,
    put,
    quaternion,
    scale,
    sub,
    vector,
    write,
    xyz,
)

BY_PRESSURE = -1.0
"""The share of the left foot where only the centre of pressure tells it."""
LONGEST_TRANSFER_S = 0.6
"""Who stands on both feet for longer does not just pass from one to the other."""


@lean_kernel
def segment_efforts(  # type: ignore[no-untyped-def]
    body, root, rotations, touching, first, before, after, step_s, efforts, checks
):
    """Fill efforts (S,) and worst checks (S, 5) of segments of frames; see `segment_effort`."""
    for s in range(efforts.shape[0]):
        efforts[s] = segment_effort(
            body, root, rotations, touching, first[s], first[s + 1], before, after, step_s[s],
            checks[s],
        )  # fmt: skip


@inner_kernel
def segment_effort(  # type: ignore[no-untyped-def]
    body, root, rotations, touching, first, stop, before, after, step_s, worst
):
    """The effort of frames `first` to `stop` without the margins of `before` and `after` frames.

    The two ends count half, so that efforts of segments that share a frame add up.
    worst  (5,) is filled with the largest residual force and moment, friction, metres that the
           centre of pressure is outside, and how far flight is off gravity, as a share of it
    `body.frames` and `body.torques` are filled with what each frame, from `first` on, needs.
    """
    joints, feet, frames = body.joints, body.feet[0], body.frames
    for i in range(worst.shape[0]):
        worst[i] = 0.0
    spread_load(touching, first, stop, step_s, frames)
    begin, end = first + before, stop - after
    total = 0.0
    for t in range(max(begin - 1, first), min(end + 1, stop)):
        frame, at = frames[t - first], vector(root, t)
        drift = differentiate_frame(joints, root, rotations, first, stop, t, step_s)
        centre = newton_euler(joints, rotations[t], drift)
        write(frame.centre, add(at, centre))
        if t < begin or t >= end:
            continue
        give_ground_force(joints, feet, at, touching[t], frame.share)
        part = 0.0
        for k in range(len(joints)):
            torque = xyz(joints[k].torque)
            put(body.torques[t - first], k, torque)
            part += dot(torque, torque) if k > 0 else 0.0
        total += 0.5 * part if t in (begin, end - 1) else part
        for i in range(5):
            put(frame.forces, i, vector(feet.forces, i))
        for i in range(4):
            frame.checks[i] = feet.checks[i]
            worst[i] = max(worst[i], feet.checks[i])
    for t in range(max(begin, first + 1), min(end, stop - 1)):
        if (touching[t - 1] | touching[t] | touching[t + 1]) & (FEET | SEAT):
            continue
        i = t - first
        centre = xyz(frames[i].centre)
        bend = sub(xyz(frames[i + 1].centre), centre)
        bend = sub(bend, sub(centre, xyz(frames[i - 1].centre)))
        off = scale(bend, 1.0 / (GRAVITY * step_s * step_s))
        worst[4] = max(worst[4], length((off[0], off[1] + 1.0, off[2])))
    return total * step_s * 30.0


# ---- how the load passes from foot to foot ---------------------------------------------------


@inner_kernel
def spread_load(touching, first, stop, step_s, frames):  # type: ignore[no-untyped-def]
    """Fill the share of the load that the left foot carries at each frame from `first` on.

    Between two single supports of different feet it passes evenly from one to the other.
    """
    t = first
    while t < stop:
        if touching[t] & FEET != FEET:
            frames[t - first].share = 1.0 if touching[t] & LEFT_FOOT else 0.0
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
            frames[i - first].share = left if passes else BY_PRESSURE


# ---- rates of change -------------------------------------------------------------------------


@inner_kernel
def differentiate_frame(joints, root, rotations, first, stop, t, step_s):  # type: ignore[no-untyped-def]
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
    for k in range(len(joints)):
        joint = joints[k]
        j = joint.joint
        middle = quaternion(rotations[b], j)
        before = _turn(quaternion(rotations[a], j), middle)
        after = _turn(middle, quaternion(rotations[c], j))
        change = sub(after, before)
        rate = add(scale(add(before, after), 0.5), scale(change, nudge))
        write(joint.rate, scale(rate, per))
        write(joint.change, scale(change, per * per))
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
def newton_euler(joints, rotations, drift):  # type: ignore[no-untyped-def]
    """Fill torques and the root's force of a frame from the joints' rates and changes.

    rotations  (J, 4) of the skeleton;  drift  acceleration of the root, world axes
    Returns where the centre of mass is from the root, world axes.
    """
    for k in range(len(joints)):
        joint = joints[k]
        write(joint.turn, matrix(quaternion(rotations, joint.joint)))
        spin, gain = xyz(joint.rate), xyz(joint.change)
        pull = (drift[0], drift[1] + GRAVITY, drift[2])
        if k > 0:
            above = joints[joint.parent]
            around, more, arm = xyz(above.spin), xyz(above.gain), xyz(joint.offset)
            swing = add(cross(more, arm), cross(around, cross(around, arm)))
            pull = add(xyz(above.pull), swing)
            rate = spin
            spin = add(unturn(joint.turn, around), rate)
            gain = add(add(unturn(joint.turn, more), cross(spin, rate)), gain)
        pull = unturn(joint.turn, pull)
        write(joint.spin, spin)
        write(joint.gain, gain)
        write(joint.pull, pull)
        # What the joint's own mass asks for.
        moment = xyz(joint.moment)
        write(joint.lean, moment)
        force = add(cross(gain, moment), cross(spin, cross(spin, moment)))
        write(joint.push, add(scale(pull, joint.mass), force))
        own = add(turn(joint.inertia, gain), cross(spin, turn(joint.inertia, spin)))
        write(joint.torque, add(own, cross(moment, pull)))
    for k in range(len(joints) - 1, 0, -1):
        joint, above = joints[k], joints[joints[k].parent]
        push = turn(joint.turn, xyz(joint.push))
        moment = add(turn(joint.turn, xyz(joint.torque)), cross(xyz(joint.offset), push))
        below = add(turn(joint.turn, xyz(joint.lean)), scale(xyz(joint.offset), joint.below))
        write(above.push, add(xyz(above.push), push))
        write(above.torque, add(xyz(above.torque), moment))
        write(above.lean, add(xyz(above.lean), below))
    hips = joints[0]
    return turn(hips.turn, scale(xyz(hips.lean), 1.0 / hips.below))
