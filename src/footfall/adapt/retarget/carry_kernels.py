"""Compiled steps that carry a posture over to another body. Import lazily: it brings in numba."""

from __future__ import annotations

import math

from footfall.body.kernels import place_pose
from footfall.maths.jit_kernels import inner_kernel, kernel
from footfall.maths.vector_kernels import (
    add,
    against,
    between,
    conjugate,
    exp_half,
    length,
    log_half,
    multiply,
    put,
    quaternion,
    rotate,
    scale,
    slerp,
    sub,
    vector,
)

_ROUNDS = 8
_CLOSE_RAD = 1e-7
_STEEPEST = 0.9
"""Sine of the steepest clavicle against the chest."""
_LINE_RAD = 0.2
"""The line of the shoulders turns no farther than this against the chest for the source's sake."""


@kernel
def carry_clip(  # type: ignore[no-untyped-def]
    rig, root, rotations, source_places, source_turns, places, world, hips, out,
):  # fmt: skip
    """Carry T poses over: fill the target's local rotations out (T, J, 4) and hips (T, 3).

    root (T, 3), rotations (T, S, 4) of the source; hips are the middle of the source's hip
    joints; source_places (S, 3), source_turns (S, 4), places (J, 3), world (J, 4) are scratch.
    """
    for t in range(len(root)):
        place_pose(
            rig.source_parents, rig.source_offsets, vector(root, t), rotations[t], source_places,
            source_turns,
        )  # fmt: skip
        carry_turns(rig, rotations[t], source_places, source_turns, world, places)
        put(hips, t, _middle(source_places, rig.hips[0]))
        for j in range(len(rig.parents)):
            turn = quaternion(world, j)
            if j > 0:
                turn = against(quaternion(world, rig.parents[j]), turn)
            put(out[t], j, turn)


@inner_kernel
def carry_turns(rig, rotations, source_places, source_turns, world, places):  # type: ignore[no-untyped-def]
    """Fill world turns (J, 4) of the target from the source's pose; places (J, 3) is scratch."""
    for j in range(len(rig.parents)):
        a, b = rig.follow[j, 0], rig.follow[j, 1]
        if a < 0:
            _turn_along(rig, rotations, world, j)
            continue
        turn = quaternion(source_turns, a)
        if rig.share[j] > 0.0:
            turn = slerp(turn, quaternion(source_turns, b), rig.share[j])
        put(world, j, turn)
    for k in range(len(rig.neck)):
        j = rig.neck[k]
        put(world, j, multiply(quaternion(world, j), quaternion(rig.neck_tilt, 0)))
    _straighten_trunk(rig, rotations, source_places, source_turns, world, places)
    for j in range(len(rig.parents)):
        if rig.follow[j, 0] < 0:
            _turn_along(rig, rotations, world, j)


@inner_kernel
def _turn_along(rig, rotations, world, j):  # type: ignore[no-untyped-def]
    """Turn a joint without a counterpart as its parent is, or as its namesake against that."""
    above = quaternion(world, rig.parents[j]) if j > 0 else (1.0, 0.0, 0.0, 0.0)
    own = rig.follow[j, 2]
    put(world, j, multiply(above, quaternion(rotations, own)) if own >= 0 else above)


@inner_kernel
def _straighten_trunk(rig, rotations, source_places, source_turns, world, places):  # type: ignore[no-untyped-def]
    """Turn spine and clavicles until trunk and shoulders point as those of the source do."""
    wanted = _trunk_line(rig, source_places, 0)
    for _ in range(_ROUNDS):
        put(places, 0, (0.0, 0.0, 0.0))
        for k in range(len(rig.trunk)):
            j = rig.trunk[k]
            if rig.follow[j, 0] < 0:
                _turn_along(rig, rotations, world, j)
            p = rig.parents[j]
            arm = rotate(quaternion(world, p), vector(rig.offsets, j))
            put(places, j, add(vector(places, p), arm))
        _raise_shoulders(rig, source_places, source_turns, world, places)
        half = log_half(between(_trunk_line(rig, places, 1), wanted))
        if length(half) < _CLOSE_RAD or len(rig.spine) == 0:
            break
        for k in range(len(rig.spine)):
            j = rig.spine[k]
            turn = exp_half(scale(half, rig.spine_share[k]))
            put(world, j, multiply(turn, quaternion(world, j)))


@inner_kernel
def _raise_shoulders(rig, source_places, source_turns, world, places):  # type: ignore[no-untyped-def]
    """Turn the clavicles until both shoulders are as far off their rest as the source's.

    The line from one to the other points where the source's points.
    """
    there, here = rig.chests[0], rig.chests[1]
    back, middle, line = (
        conjugate(quaternion(source_turns, there)),
        (0.0, 0.0, 0.0),
        (0.0, 0.0, 0.0),
    )
    for side in range(2):  # where each is as far off its rest on the chest as in the source
        off = sub(vector(source_places, rig.shoulders[0, side]), vector(source_places, there))
        off = sub(rotate(back, off), vector(rig.on_chest[0], side))
        goal = add(vector(rig.on_chest[1], side), scale(off, rig.shoulder_factor))
        goal = rotate(quaternion(world, here), add(goal, vector(rig.shift, 0)))
        goal = scale(add(vector(places, here), goal), 0.5)
        middle = add(middle, goal)
        line = add(line, goal) if side == 0 else sub(line, goal)
    theirs = sub(
        vector(source_places, rig.shoulders[0, 0]), vector(source_places, rig.shoulders[0, 1])
    )
    half = log_half(between(line, theirs))
    most = 0.5 * _LINE_RAD / max(length(half), 1e-9)
    line = rotate(exp_half(scale(half, min(most, 1.0))), line)
    _aim_clavicle(rig, 0, add(middle, line), world, places)
    _aim_clavicle(rig, 1, sub(middle, line), world, places)


@inner_kernel
def _aim_clavicle(rig, side, goal, world, places):  # type: ignore[no-untyped-def]
    """Turn a clavicle towards where its shoulder should be, and place that.

    How high it is along the chest comes first; the rest of its length goes where it should.
    """
    clavicle, shoulder = rig.clavicles[side], rig.shoulders[1, side]
    if clavicle < 0:
        return
    chest = quaternion(world, rig.chests[1])
    base = vector(places, clavicle)
    bone = sub(vector(places, shoulder), base)
    line = rotate(conjugate(chest), sub(goal, base))
    long = length(bone)
    flat = math.sqrt(line[0] * line[0] + line[2] * line[2])
    if flat < 1e-3 * long:
        return
    up = min(max(line[1], -_STEEPEST * long), _STEEPEST * long)
    out = math.sqrt(long * long - up * up) / flat
    aim = rotate(chest, (line[0] * out, up, line[2] * out))
    put(world, clavicle, multiply(between(bone, aim), quaternion(world, clavicle)))
    put(places, shoulder, add(base, aim))


@inner_kernel
def _trunk_line(rig, places, which):  # type: ignore[no-untyped-def]
    """From the middle of the hips to the top of the trunk of source (0) or target (1)."""
    shoulders = _middle(places, rig.shoulders[which])
    neck = vector(places, rig.necks[which])
    top = add(scale(shoulders, 1.0 - rig.top), scale(neck, rig.top))
    return sub(top, _middle(places, rig.hips[which]))


@inner_kernel
def _middle(places, joints):  # type: ignore[no-untyped-def]
    """Return the middle of two joints."""
    return scale(add(vector(places, joints[0]), vector(places, joints[1])), 0.5)
