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

_PLACE, _TURN = 1, 2
_ROUNDS = 20
_FULL_STRETCH = 0.9995
_SPINE_MOST_RAD = 0.1


@kernel
def _aim(e, joint, what, goals, goal_turns, points, places, turns):  # type: ignore[no-untyped-def]
    """Where the joint itself must go and how turned, and how far its point and turn are off."""
    now = quaternion(turns, joint)
    turn = quaternion(goal_turns, e) if what[e] & _TURN else now
    goal, point = vector(goals, e), vector(points, e)
    off = length(sub(add(vector(places, joint), rotate(now, point)), goal))
    angle = 2.0 * length(log_half(multiply(conjugate(now), turn)))
    return sub(goal, rotate(turn, point)), turn, off, angle


@kernel
def _longest(limb, places, share):  # type: ignore[no-untyped-def]
    """How far a limb may reach: a share of its length, or its own stretch where that is more."""
    root, middle, end = vector(places, limb[0]), vector(places, limb[1]), vector(places, limb[2])
    whole = length(sub(middle, root)) + length(sub(end, middle))
    return max(share * whole, min(length(sub(end, root)), _FULL_STRETCH * whole))


@kernel
def _bend_spine(spine, over, way, at, places, turns, parents, rotations):  # type: ignore[no-untyped-def]
    """Turn each spine joint a little so that the point `at` goes `over` metres along `way`.

    One Gauss-Newton step with the least turn in all. Returns how far the point should come.
    """
    total = 0.0
    for n in range(len(spine)):
        axis = cross(sub(at, vector(places, spine[n])), way)
        total += axis[0] ** 2 + axis[1] ** 2 + axis[2] ** 2
    if total < 1e-6:
        return 0.0
    step = over / total
    for n in range(len(spine)):
        j = spine[n]
        turn = scale(cross(sub(at, vector(places, j)), way), step)
        size = length(turn)
        if size > _SPINE_MOST_RAD:
            turn = scale(turn, _SPINE_MOST_RAD / size)
        world = multiply(exp_half(scale(turn, 0.5)), quaternion(turns, j))
        put(rotations, j, against(quaternion(turns, parents[j]), world))
    return over


@kernel
def _move_body(  # type: ignore[no-untyped-def]
    limbs, arms, spine, order, parents, offsets, fixed, wanted, aims, longest, root,
    rotations, places, turns,
):  # fmt: skip
    """Move root and spine so that every wanted limb reaches, as little as it takes.

    Legs move the root by projection onto the ball from which they reach; arms bend the spine.
    Legs come last in each round, so feet win where not all can be had. Returns the new root.
    """
    count = len(limbs)
    for turn in range(_ROUNDS):
        worst = 0.0
        for n in range(count):
            e = count - 1 - n  # legs come before arms, so go backward
            if not wanted[e]:
                continue
            hip = vector(places, limbs[e, 0])
            line = sub(vector(aims, e), hip)
            span = length(line)
            over = span - longest[e]
            if over <= 1e-9:
                continue
            worst = max(worst, over)
            way = scale(line, 1.0 / span)
            if arms[e]:
                _bend_spine(spine, over, way, hip, places, turns, parents, rotations)
                if not fixed and turn > _ROUNDS // 4:
                    root = add(root, scale(way, 0.3 * over))
            elif not fixed:
                root = add(root, scale(way, over))
            if arms[e] or not fixed:
                place_pose(parents, offsets, root, rotations, places, turns)
        if worst <= 1e-9:
            break
    return root


@kernel
def _set_aims(  # type: ignore[no-untyped-def]
    limbs, what, goals, goal_turns, points, share, places, turns, wanted, aims, aim_turns,
    longest, missing,
):  # fmt: skip
    """Where every constrained limb must end in this frame; adds up what it lacks in `missing`."""
    for e in range(len(limbs)):
        wanted[e] = what[e] != 0
        if wanted[e]:
            place, turn, off, angle = _aim(
                e, limbs[e, 2], what, goals, goal_turns, points, places, turns
            )
            put(aims, e, place)
            put(aim_turns, e, turn)
            longest[e] = _longest(limbs[e], places, share)
            _note(missing, off, angle)


@kernel
def _note(missing, off, angle):  # type: ignore[no-untyped-def]
    """Worst distance, sum of its squares, worst angle, sum of its squares, how many."""
    missing[0], missing[2] = max(missing[0], off), max(missing[2], angle)
    missing[1] += off * off
    missing[3] += angle * angle
    missing[4] += 1.0


@kernel
def _place_pelvis(place, turn, hips, places, turns, rotations):  # type: ignore[no-untyped-def]
    """Carry the whole body rigidly to where its pelvis is wanted. Returns the new root."""
    whole = normalise(multiply(turn, conjugate(quaternion(turns, hips))))
    arm = rotate(whole, sub(vector(places, 0), vector(places, hips)))
    put(rotations, 0, normalise(multiply(whole, quaternion(turns, 0))))
    return add(place, arm)


@kernel
def _write_body(joints, count, root, rotations, body_root, body, data):  # type: ignore[no-untyped-def]
    """The displacement of the root and of the first `count` joints."""
    put(data, 0, sub(body_root, root))
    for m in range(count):
        j = joints[m]
        now = conjugate(quaternion(rotations, j))
        put(data, 1 + m, log_half(multiply(now, quaternion(body, j))))


@kernel
def _write_limb(limb, rotations, solved, data, row):  # type: ignore[no-untyped-def]
    """The displacement of a limb's three joints."""
    for k in range(3):
        now = conjugate(quaternion(rotations, limb[k]))
        put(data, row + k, log_half(multiply(now, quaternion(solved, k))))


@kernel
def measure(  # type: ignore[no-untyped-def]
    limbs, arms, hinges, hips, joints, spine, order, parents, offsets, share, root, rotations,
    what, goals, goal_turns, points, missing, has, data,
):  # fmt: skip
    """What each constrained frame lacks: fills data (T, 1 + M, 3) with displacements to its pose.

    has (T, 1 + E) says which groups of a frame hold data; missing (5,) is filled as in `_note`.
    With data of no rows nothing is solved.
    """
    frames, ends, count = what.shape[0], limbs.shape[0], rotations.shape[1]
    places, turns = np.empty((count, 3)), np.empty((count, 4))
    aims, aim_turns, longest = np.empty((ends, 3)), np.empty((ends, 4)), np.empty(ends)
    wanted, solved = np.zeros(ends, np.bool_), np.empty((3, 4))
    body = np.empty((count, 4))
    for t in range(frames):
        has[t] = 0
        if not what[t].any():
            continue
        body_root = vector(root, t)
        place_pose(parents, offsets, body_root, rotations[t], places, turns)
        _set_aims(
            limbs, what[t], goals[t], goal_turns[t], points[t], share, places, turns, wanted,
            aims, aim_turns, longest, missing,
        )  # fmt: skip
        for n in range(len(order)):
            put(body, order[n], quaternion(rotations[t], order[n]))
        fixed = what[t, ends] != 0
        if fixed:
            place, turn, off, angle = _aim(
                ends, hips, what[t], goals[t], goal_turns[t], points[t], places, turns
            )
            _note(missing, off, angle)
            body_root = _place_pelvis(place, turn, hips, places, turns, body)
            place_pose(parents, offsets, body_root, body, places, turns)
        if data.shape[1] == 0:
            continue
        body_root = _move_body(
            limbs, arms, spine, order, parents, offsets, fixed, wanted, aims, longest,
            body_root, body, places, turns,
        )  # fmt: skip
        has[t, 0] = 1
        _write_body(joints, 1 + len(spine), vector(root, t), rotations[t], body_root, body, data[t])
        for e in range(ends):
            if wanted[e]:
                has[t, 1 + e] = 1
                bend_limb(
                    limbs[e], parents, places, turns, (0.0, 0.0, 0.0), vector(hinges, e),
                    vector(aims, e), quaternion(aim_turns, e), 0.0, solved,
                )  # fmt: skip
                _write_limb(limbs[e], rotations[t], solved, data[t], 2 + len(spine) + 3 * e)


@kernel
def set_limbs(  # type: ignore[no-untyped-def]
    limbs, hinges, order, parents, offsets, root, rotations, what, goals, goal_turns, points,
):  # fmt: skip
    """Set the limbs of constrained frames exactly, the body left where it is."""
    frames, ends, count = what.shape[0], limbs.shape[0], rotations.shape[1]
    places, turns, solved = np.empty((count, 3)), np.empty((count, 4)), np.empty((3, 4))
    for t in range(frames):
        if not what[t, :ends].any():
            continue
        place_pose(parents, offsets, vector(root, t), rotations[t], places, turns)
        for e in range(ends):
            if what[t, e] == 0:
                continue
            place, turn, _, _ = _aim(
                e, limbs[e, 2], what[t], goals[t], goal_turns[t], points[t], places, turns
            )
            bend_limb(
                limbs[e], parents, places, turns, (0.0, 0.0, 0.0), vector(hinges, e),
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
