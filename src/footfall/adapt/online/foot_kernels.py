"""Compiled: how one foot is held on the ground, frame by frame. Import lazily (numba).

A foot in the air follows the ground under it; one that comes down stays, heel first, flat, or on
its ball, each turning about a point that does not move; what would jump is carried over and fades.
"""

from __future__ import annotations

import math

import numpy as np

from footfall.maths.jit_kernels import inner_kernel, lean_kernel
from footfall.maths.vector_kernels import (
    about,
    add,
    between,
    conjugate,
    cross,
    dot,
    exp_half,
    log_half,
    multiply,
    normalise,
    put,
    quaternion,
    rotate,
    scale,
    smooth,
    sub,
    unit,
    vector,
    yaw,
)

_HEEL, _FLAT, _BALL = 1, 2, 3
HEEL_POINT, BALL_POINT, BALL_JOINT = 0, 1, 2
"""Rows of `Rigs.sole`."""
_UP = (0.0, 1.0, 0.0)
_STEEPEST = math.sin(math.radians(35.0))
_BIAS_S = 0.05
_GAP_S = 0.08
_FALLING_M_S = 0.15
_ROLLS_S = 0.12
"""So long after it came down a foot may still roll onto its sole."""
_FORESEEN_S, _CLEAR_M = 0.025, 0.015
"""How closely the ground that is foreseen is followed, and how far above other ground feet pass."""


@inner_kernel
def spring(x, speed, goal, half_life, dt):  # type: ignore[no-untyped-def]
    """A critically damped step towards `goal`: the new place and speed."""
    y = 2.0 * math.log(2.0) / half_life
    off = x - goal
    pull = speed + off * y
    fade = math.exp(-y * dt)
    return goal + fade * (off + pull * dt), fade * (speed - pull * y * dt)


@lean_kernel
def _sole_length(rigs, f):  # type: ignore[no-untyped-def]
    """From heel to ball."""
    return rigs.sole[f, BALL_POINT, 2] - rigs.sole[f, HEEL_POINT, 2]


@lean_kernel
def _ground_tilt(rigs, f, forward, heights, normal):  # type: ignore[no-untyped-def]
    """How the ground tilts a foot that stands there, and whether it is too steep for that."""
    reach = _sole_length(rigs, f)
    rise = heights[BALL_POINT] - heights[HEEL_POINT]
    if abs(rise) > _STEEPEST * reach:
        return (1.0, 0.0, 0.0, 0.0), True
    # A positive turn about the foot's own left axis lowers its ball.
    pitch = about(unit(cross(_UP, forward)), -math.asin(rise / reach))
    along = rotate(pitch, forward)
    up = rotate(pitch, _UP)
    side = unit(sub(normal, scale(along, dot(normal, along))))
    return multiply(between(up, side), pitch), False


@lean_kernel
def _wanted_turn(phase, flat, tilt, raw):  # type: ignore[no-untyped-def]
    """A foot's orientation in a phase: flat on the ground, or as the source on tilted ground."""
    if phase == _FLAT:
        return flat
    return multiply(tilt, raw) if phase != 0 else raw


@lean_kernel
def _change_phase(rigs, feet, bodies, n, f, phase, samples, heights, normal):  # type: ignore[no-untyped-def]
    """Take a foot into another phase without a jump of what is put out."""
    before = feet.phase[n, f]
    if before == 0:  # it comes down: where it is now it stays, on the ground
        forward = rotate(yaw(quaternion(feet.turn[n], f)), (0.0, 0.0, 1.0))
        tilt, steep = _ground_tilt(rigs, f, forward, heights, normal)
        put(feet.tilt[n], f, tilt)
        feet.rank[n, f] = float(bodies.frames[n])
        feet.lowest[n, f, HEEL_POINT] = feet.lowest[n, f, BALL_POINT] = np.inf
        point = HEEL_POINT if phase == _HEEL else BALL_POINT
        height = max(heights[HEEL_POINT], heights[BALL_POINT]) if steep else heights[point]
        spot = (samples[point, 0], height, samples[point, 1])
        feet.level[n, f], feet.level_speed[n, f] = height, 0.0
        if phase == _HEEL:
            feet.pivot[n, f] = HEEL_POINT
        else:
            feet.pivot[n, f] = BALL_JOINT
            level = multiply(tilt, yaw(quaternion(feet.turn[n], f)))
            down = sub(vector(rigs.sole[f], BALL_JOINT), vector(rigs.sole[f], BALL_POINT))
            spot = add(spot, rotate(level, down))
        put(feet.spot[n], f, spot)
    elif phase != 0:  # another part carries: it stays where it has come to
        pivot = HEEL_POINT if phase == _HEEL else feet.pivot[n, f]
        pivot = BALL_JOINT if phase == _BALL else pivot
        if pivot != feet.pivot[n, f]:
            feet.pivot[n, f] = pivot
            arm = rotate(quaternion(feet.out_turn[n], f), vector(rigs.sole[f], pivot))
            put(feet.spot[n], f, add(vector(feet.out_place[n], f), arm))
    if phase == _FLAT:
        turned = quaternion(feet.out_turn[n], f) if before != 0 else quaternion(feet.turn[n], f)
        put(feet.flat[n], f, multiply(quaternion(feet.tilt[n], f), yaw(turned)))
    if bodies.frames[n] > 0:
        last = _wanted_turn(
            phase, quaternion(feet.flat[n], f), quaternion(feet.tilt[n], f),
            quaternion(feet.raw_turn[n], f),
        )  # fmt: skip
        off = log_half(multiply(quaternion(feet.out_turn[n], f), conjugate(last)))
        put(feet.turn_off[n], f, off)
        if phase == 0:
            put(feet.place_off[n], f, sub(vector(feet.out_place[n], f), vector(feet.free[n], f)))
        feet.age[n, f] = 0.0
    feet.phase[n, f] = phase


@lean_kernel
def _clearance(rigs, feet, n, f, place, turn):  # type: ignore[no-untyped-def]
    """How high heel and ball are over the flat ground that the source walks on."""
    heel = place[1] + rotate(turn, vector(rigs.sole[f], HEEL_POINT))[1]
    ball = place[1] + rotate(turn, vector(rigs.sole[f], BALL_POINT))[1]
    return heel - feet.bias[n, f, HEEL_POINT], ball - feet.bias[n, f, BALL_POINT]


@lean_kernel
def _learn_bias(tuning, feet, bodies, n, f, phase, heel, ball):  # type: ignore[no-untyped-def]
    """Learn by how much the source's heel and ball float or sink, from their lowest in a hold.

    The heel's is learnt while it stands alone, for that is how it comes down.
    """
    rate = 1.0 if bodies.frames[n] == 0 else 1.0 - math.exp(-tuning.dt / _BIAS_S)
    for point, over in ((HEEL_POINT, heel), (BALL_POINT, ball)):
        if (phase == _HEEL) == (point == HEEL_POINT):
            height = over + feet.bias[n, f, point]
            feet.lowest[n, f, point] = min(feet.lowest[n, f, point], height)
            feet.bias[n, f, point] += rate * (feet.lowest[n, f, point] - feet.bias[n, f, point])


@lean_kernel
def _foresee_ground(tuning, feet, bodies, n, f, heel, ball, heights):  # type: ignore[no-untyped-def]
    """The height that a swinging foot goes over, from the ground it left to that it will come to;
    higher where there is ground in between."""
    share = smooth(feet.forecast[n, f, 2])
    goal = feet.left_m[n, f] + share * (heights[2] - feet.left_m[n, f])
    clear = _CLEAR_M * math.sin(math.pi * share)
    need = max(heights[0] - max(heel, 0.0), heights[1] - max(ball, 0.0)) + clear
    feet.level[n, f], feet.level_speed[n, f] = spring(
        feet.level[n, f], feet.level_speed[n, f], max(goal, need), _FORESEEN_S, tuning.dt
    )


@lean_kernel
def _follow_ground(rigs, tuning, feet, bodies, n, f, over, low, heights):  # type: ignore[no-untyped-def]
    """The height of the ground under a swinging foot; high up it minds what lies ahead."""
    here = heights[low]
    if abs(heights[0] - heights[1]) > _STEEPEST * _sole_length(rigs, f):
        here = max(heights[0], heights[1])  # over an edge it will stand on the upper side
    highest = max(heights[0], max(heights[1], heights[2]))
    goal = here + (highest - here) * smooth(over / (3.0 * tuning.touch_m))
    if bodies.frames[n] == 0:
        feet.level[n, f] = here
    else:
        feet.level[n, f], feet.level_speed[n, f] = spring(
            feet.level[n, f], feet.level_speed[n, f], goal, tuning.level_s, tuning.dt
        )


@lean_kernel
def _phase_now(tuning, feet, bodies, n, f, heel_on, toe_on, heel, ball, height):  # type: ignore[no-untyped-def]
    """How the foot is to be held in this frame, from the contacts of its heel and toe."""
    over = min(heel, ball)
    phase = _FLAT if heel_on and toe_on else (_HEEL if heel_on else (_BALL if toe_on else 0))
    fresh = feet.phase[n, f] == 0 or (feet.phase[n, f] != _FLAT and feet.down[n, f] < _ROLLS_S)
    if phase == _FLAT and fresh and bodies.frames[n] > 0:
        # Contacts of both are found early where a foot still rolls from one onto the other.
        if ball - heel > tuning.touch_m:
            phase = _HEEL
        elif heel - ball > tuning.touch_m:
            phase = _BALL
    falls = bodies.frames[n] > 0 and feet.height[n, f] - height > _FALLING_M_S * tuning.dt
    feet.height[n, f] = height
    if feet.broken[n, f] != 0:  # given up until it lifts
        feet.broken[n, f] = 1 if phase != 0 else 0
        return 0
    if feet.phase[n, f] == 0 and over > tuning.touch_m and falls:
        return 0  # contacts are found a frame early now and then, while the foot still falls
    return phase


@lean_kernel
def _advance(tuning, feet, n, f, phase, came_down):  # type: ignore[no-untyped-def]
    """Let time pass: how long since, how firmly it stands, how flat the toes lie."""
    feet.age[n, f] += tuning.dt
    feet.down[n, f] = tuning.dt if came_down else feet.down[n, f] + tuning.dt
    step = tuning.dt / tuning.fade_s
    feet.lock[n, f] = min(max(feet.lock[n, f] + (step if phase != 0 else -step), 0.0), 1.0)
    feet.lying[n, f] = min(max(feet.lying[n, f] + (step if phase >= _FLAT else -step), 0.0), 1.0)


@lean_kernel
def _unheld_place(rigs, tuning, feet, bodies, n, f, raw, heel, ball):  # type: ignore[no-untyped-def]
    """Where the ankle would be without holds: over the ground under it, as much as it matters."""
    over = min(heel, ball)
    # Near the ground small gaps, which are noise, close; what sinks in rises.
    drawn = max(over, 0.0) * smooth(over / tuning.touch_m) if over < tuning.touch_m else over
    on_ball = smooth(0.5 + (heel - ball) / (0.06 * rigs.legs_m[f]))
    bias = feet.bias[n, f, HEEL_POINT]
    bias += on_ball * (feet.bias[n, f, BALL_POINT] - bias)
    weight = feet.weight[n, f]
    lift = feet.level[n, f] + weight * (drawn - over - bias)
    along = scale(vector(bodies.shift, n), 1.0 - weight)
    return add(add(add(raw, (0.0, lift, 0.0)), along), vector(feet.goal[n], f))


@inner_kernel
def update_foot(  # type: ignore[no-untyped-def]
    rigs, tuning, feet, bodies, n, f, heel_on, toe_on, poses, samples, heights, normal,
    turn_out,
):  # fmt: skip
    """One foot's frame: phase, ground, orientation. Returns where its ankle should go."""
    ankle = rigs.limbs[f, 2]
    raw, raw_turn = vector(poses.places[n], ankle), quaternion(poses.turns[n], ankle)
    heel, ball = _clearance(rigs, feet, n, f, raw, raw_turn)
    low = HEEL_POINT if heel < ball else BALL_POINT
    over = min(heel, ball)
    phase = _phase_now(
        tuning, feet, bodies, n, f, heel_on, toe_on, heel, ball, over + feet.bias[n, f, low]
    )
    foreseen = feet.forecast[n, f, 2] == feet.forecast[n, f, 2] and bodies.frames[n] > 0
    if feet.phase[n, f] == 0:
        if foreseen:
            _foresee_ground(tuning, feet, bodies, n, f, heel, ball, heights)
        else:
            _follow_ground(rigs, tuning, feet, bodies, n, f, over, low, heights)
    came_down = phase != 0 and feet.phase[n, f] == 0
    left = 1.0 - smooth((feet.age[n, f] + tuning.dt) / tuning.fade_s)
    swung = scale(vector(feet.place_off[n], f), left)
    if phase != feet.phase[n, f]:
        _change_phase(rigs, feet, bodies, n, f, phase, samples, heights, normal)
    _advance(tuning, feet, n, f, phase, came_down)
    fade = 1.0 - smooth(feet.age[n, f] / tuning.fade_s)
    wanted = _wanted_turn(phase, quaternion(feet.flat[n], f), quaternion(feet.tilt[n], f), raw_turn)
    turn = normalise(multiply(exp_half(scale(vector(feet.turn_off[n], f), fade)), wanted))
    put(turn_out, f, turn)
    free = _unheld_place(rigs, tuning, feet, bodies, n, f, raw, heel, ball)
    put(feet.free[n], f, free)
    put(feet.raw_place[n], f, raw)
    put(feet.raw_turn[n], f, raw_turn)
    if phase == 0:
        return add(free, scale(vector(feet.place_off[n], f), fade))
    feet.left_m[n, f] = feet.level[n, f]
    _learn_bias(tuning, feet, bodies, n, f, phase, heel, ball)
    arm = vector(rigs.sole[f], feet.pivot[n, f])
    place = sub(vector(feet.spot[n], f), rotate(turn, arm))
    if came_down:  # what is high above the ground when it is said to stand sinks there gently
        gap = free[1] + swung[1] - place[1]
        feet.gap[n, f] = gap if abs(gap) > tuning.snap_m and bodies.frames[n] > 0 else 0.0
    sinking = 1.0 - smooth((feet.down[n, f] - tuning.dt) / _GAP_S)
    return add(place, (0.0, feet.gap[n, f] * sinking, 0.0))
