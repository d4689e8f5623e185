"""Compiled levels of displacement mapping over whole clips. Import lazily: it brings in numba.

A displacement has 1 + M rows of three: the root's move, then a half-angle vector for each of the
M joints that may turn; splines take them as C = 3 + 3 M columns. Columns come in groups that
share their data: the body first, then one limb after the other.
"""

from __future__ import annotations

import math

import numpy as np

from footfall.body.kernels import place_pose
from footfall.maths.jit_kernels import kernel
from footfall.maths.limb_kernels import bend_limb
from footfall.maths.vector_kernels import (
    add,
    against,
    conjugate,
    cross,
    exp_half,
    length,
    log_half,
    multiply,
    normalise,
    put,
    quaternion,
    rotate,
    scale,
    sub,
    vector,
)

_TURN = 2
"""The bit of an orientation in what a frame constrains."""
_ROUNDS = 20
_SPINE_MOST_RAD = 0.1


@kernel
def _aim(targets, t, e, joint, places, turns, missing):  # type: ignore[no-untyped-def]
    """Where a joint itself must go and how turned, for what is wanted of it in a frame.

    Adds to missing (5,) how far its point and turn are off: worst distance, sum of its squares,
    worst angle, sum of its squares, how many.
    """
    now = quaternion(turns, joint)
    turn = quaternion(targets.turns[t], e) if targets.what[t, e] & _TURN else now
    goal, point = vector(targets.places[t], e), vector(targets.points[t], e)
    off = length(sub(add(vector(places, joint), rotate(now, point)), goal))
    angle = 2.0 * length(log_half(multiply(conjugate(now), turn)))
    missing[0], missing[2] = max(missing[0], off), max(missing[2], angle)
    missing[1] += off * off
    missing[3] += angle * angle
    missing[4] += 1.0
    return sub(goal, rotate(turn, point)), turn


@kernel
def _bend_spine(body, over, way, at, places, turns, rotations):  # type: ignore[no-untyped-def]
    """Turn each spine joint a little so that the point `at` goes `over` metres along `way`.

    One Gauss-Newton step with the least turn in all.
    """
    total, spine = 0.0, body.spine
    for n in range(len(spine)):
        axis = cross(sub(at, vector(places, spine[n])), way)
        total += axis[0] ** 2 + axis[1] ** 2 + axis[2] ** 2
    if total < 1e-6:
        return
    for n in range(len(spine)):
        j = spine[n]
        turn = scale(cross(sub(at, vector(places, j)), way), over / total)
        size = length(turn)
        if size > _SPINE_MOST_RAD:
            turn = scale(turn, _SPINE_MOST_RAD / size)
        world = multiply(exp_half(scale(turn, 0.5)), quaternion(turns, j))
        put(rotations, j, against(quaternion(turns, body.parents[j]), world))


@kernel
def _move_body(body, targets, t, aims, longest, root, rotations, places, turns):  # type: ignore[no-untyped-def]
    """Move root and spine so that every wanted limb reaches, as little as it takes.

    Legs move the root by projection onto the ball from which they reach; arms bend the spine.
    Legs come last in each round, so feet win where not all can be had. Returns the new root.
    """
    count = len(targets.limbs)
    fixed = targets.what[t, count] != 0
    for turn in range(_ROUNDS):
        worst = 0.0
        for n in range(count):
            e = count - 1 - n  # legs come before arms, so go backward
            if targets.what[t, e] == 0:
                continue
            hip = vector(places, targets.limbs[e, 0])
            line = sub(vector(aims, e), hip)
            span = length(line)
            over = span - longest[e]
            if over <= 1e-9:
                continue
            worst = max(worst, over)
            way = scale(line, 1.0 / span)
            if targets.arms[e]:
                _bend_spine(body, over, way, hip, places, turns, rotations)
                if not fixed and turn > _ROUNDS // 4:
                    root = add(root, scale(way, 0.3 * over))
            elif not fixed:
                root = add(root, scale(way, over))
            if targets.arms[e] or not fixed:
                place_pose(body.parents, body.offsets, root, rotations, places, turns)
        if worst <= 1e-9:
            break
    return root


@kernel
def _write_turns(joints, rotations, wanted, data):  # type: ignore[no-untyped-def]
    """Fill data (N, 3) with the displacements of N joints to rotations that are wanted (N, 4)."""
    for m in range(len(joints)):
        now = conjugate(quaternion(rotations, joints[m]))
        put(data, m, log_half(multiply(now, quaternion(wanted, m))))


@kernel
def measure(body, targets, root, rotations, missing, has, data):  # type: ignore[no-untyped-def]
    """What each constrained frame lacks: fills data (T, 1 + M, 3) with displacements to its pose.

    has (T, 1 + E) says which groups of a frame hold data; missing (5,) is filled as in `_aim`.
    With data of no rows nothing is solved.
    """
    limbs, what, parents, offsets = targets.limbs, targets.what, body.parents, body.offsets
    ends, count, spine = len(limbs), len(parents), len(body.spine)
    places, turns, posed = np.empty((count, 3)), np.empty((count, 4)), np.empty((count, 4))
    aims, aim_turns, longest = np.empty((ends, 3)), np.empty((ends, 4)), np.empty(ends)
    solved, fixed = np.empty((3, 4)), body.joints[: 1 + spine]
    for t in range(len(what)):
        has[t] = 0
        if not what[t].any():
            continue
        at = vector(root, t)
        place_pose(parents, offsets, at, rotations[t], places, turns)
        for e in range(ends):
            if what[t, e] != 0:
                place, turn = _aim(targets, t, e, limbs[e, 2], places, turns, missing)
                put(aims, e, place)
                put(aim_turns, e, turn)
                # A share of its length, or its own stretch where that is more.
                first, middle = vector(places, limbs[e, 0]), vector(places, limbs[e, 1])
                end = vector(places, limbs[e, 2])
                whole = length(sub(middle, first)) + length(sub(end, middle))
                own = min(length(sub(end, first)), body.straightest * whole)
                longest[e] = max(body.reach * whole, own)
        for j in range(len(posed)):
            put(posed, j, quaternion(rotations[t], j))
        if what[t, ends] != 0:  # the whole body goes rigidly to where its pelvis is wanted
            hips = body.hips
            place, turn = _aim(targets, t, ends, hips, places, turns, missing)
            whole_turn = normalise(multiply(turn, conjugate(quaternion(turns, hips))))
            put(posed, 0, normalise(multiply(whole_turn, quaternion(turns, 0))))
            arm = rotate(whole_turn, sub(vector(places, 0), vector(places, hips)))
            at = add(place, arm)
            place_pose(parents, offsets, at, posed, places, turns)
        if data.shape[1] == 0:
            continue
        at = _move_body(body, targets, t, aims, longest, at, posed, places, turns)
        has[t, 0] = 1
        put(data[t], 0, sub(at, vector(root, t)))
        _write_turns(fixed, rotations[t], posed[fixed], data[t, 1:])
        for e in range(ends):
            if what[t, e] != 0:
                has[t, 1 + e] = 1
                bend_limb(
                    limbs[e], parents, places, turns, (0.0, 0.0, 0.0), vector(targets.hinges, e),
                    vector(aims, e), quaternion(aim_turns, e), 0.0, solved,
                )  # fmt: skip
                _write_turns(limbs[e], rotations[t], solved, data[t, 2 + spine + 3 * e :])


@kernel
def set_limbs(body, targets, root, rotations):  # type: ignore[no-untyped-def]
    """Set the limbs of constrained frames exactly, the body left where it is."""
    limbs, what, parents = targets.limbs, targets.what, body.parents
    ends, count = len(limbs), len(parents)
    places, turns, solved = np.empty((count, 3)), np.empty((count, 4)), np.empty((3, 4))
    missing = np.zeros(5)
    for t in range(len(what)):
        if not what[t, :ends].any():
            continue
        place_pose(parents, body.offsets, vector(root, t), rotations[t], places, turns)
        for e in range(ends):
            if what[t, e] == 0:
                continue
            place, turn = _aim(targets, t, e, limbs[e, 2], places, turns, missing)
            bend_limb(
                limbs[e], parents, places, turns, (0.0, 0.0, 0.0), vector(targets.hinges, e),
                place, turn, 0.0, solved,
            )  # fmt: skip
            for k in range(3):
                put(rotations[t], limbs[e, k], quaternion(solved, k))


@kernel
def _bases(u):  # type: ignore[no-untyped-def]
    v = 1.0 - u
    return (
        v * v * v / 6.0,
        (3.0 * u * u * u - 6.0 * u * u + 4.0) / 6.0,
        (-3.0 * u * u * u + 3.0 * u * u + 3.0 * u + 1.0) / 6.0,
        u * u * u / 6.0,
    )


@kernel
def fit(wanted, data, starts, spacing, keep_ends, control, weights):  # type: ignore[no-untyped-def]
    """Fill control points (K, C) by the local least-squares fit of Lee, Wolberg & Shin 1997.

    starts   (G + 1,) where each group's columns start
    spacing  frames between knots, the first knot at frame 0
    With keep_ends the first and last frame keep place, velocity and acceleration.
    """
    frames, groups = wanted.shape
    spans = control.shape[0] - 3
    control[:] = 0.0
    weights[:] = 0.0
    for t in range(frames):
        first = min(int(t / spacing), spans - 1)
        b = _bases(t / spacing - first)
        norm = b[0] ** 2 + b[1] ** 2 + b[2] ** 2 + b[3] ** 2
        for g in range(groups):
            if wanted[t, g] == 0:
                continue
            for k in range(4):
                weights[first + k, g] += b[k] ** 2
                factor = b[k] ** 3 / norm
                for c in range(starts[g], starts[g + 1]):
                    control[first + k, c] += factor * data[t, c]
    for i in range(control.shape[0]):
        last_span = (frames - 1) / spacing
        held = keep_ends and (i < 3 or i >= math.floor(last_span - 1e-9))
        for g in range(groups):
            share = 1.0 / weights[i, g] if weights[i, g] > 1e-30 and not held else 0.0
            for c in range(starts[g], starts[g + 1]):
                control[i, c] *= share


@kernel
def apply(joints, spacing, control, root, rotations):  # type: ignore[no-untyped-def]
    """Add the displacement to root (T, 3) and rotations (T, J, 4): p + u, q exp(v).

    Returns the sum of squared turns (radians squared) that were added.
    """
    frames, columns = root.shape[0], control.shape[1]
    spans = control.shape[0] - 3
    live = np.zeros(control.shape[0], np.bool_)
    for i in range(control.shape[0]):
        for c in range(columns):
            if control[i, c] != 0.0:
                live[i] = True
                break
    rows = np.empty((columns // 3, 3))
    d = rows.reshape(-1)
    total = 0.0
    for t in range(frames):
        first = min(int(t / spacing), spans - 1)
        if not (live[first] or live[first + 1] or live[first + 2] or live[first + 3]):
            continue
        b = _bases(t / spacing - first)
        for c in range(columns):
            d[c] = (
                b[0] * control[first, c] + b[1] * control[first + 1, c]
                + b[2] * control[first + 2, c] + b[3] * control[first + 3, c]
            )  # fmt: skip
        put(root, t, add(vector(root, t), vector(rows, 0)))
        for m in range(len(joints)):
            turn = vector(rows, 1 + m)
            size = turn[0] ** 2 + turn[1] ** 2 + turn[2] ** 2
            if size > 0.0:
                total += 4.0 * size
                q = quaternion(rotations[t], joints[m])
                put(rotations[t], joints[m], normalise(multiply(q, exp_half(turn))))
    return total
