"""Compiled: how one foot is held on the ground, frame by frame. Import lazily (numba).

A foot in the air follows the ground under it; one that comes down stays, heel first, flat, or on
its ball, each turning about a point that does not move; what would jump is carried over and fades.
"""

from __future__ import annotations

import math

import numpy as np

from footfall.adapt.online.swing_kernels import (
    BALL_JOINT,
    BALL_POINT,
    FLAT,
    HEEL_POINT,
    LEAST_DT_S,
    STEEPEST,
    foresee_ground,
    ground_tilt,
    is_foreseen,
    let_go_s,
    share_left,
    sole_length,
    spring,
    stand_height,
    swing_lift,
)
from footfall.maths.jit_kernels import inner_kernel, lean_kernel
from footfall.maths.vector_kernels import (
    about,
    add,
    conjugate,
    cross,
    exp_half,
    log_half,
    multiply,
    normalise,
    put,
    quaternion,
    rotate,
    scale,
    slerp,
    smooth,
    sub,
    unit,
    vector,
    yaw,
)

_HEEL, _FLAT, _BALL = 1, FLAT, 3
_UP = (0.0, 1.0, 0.0)
_BIAS_S = 0.05
_GAP_S = 0.08
_FALLING_M_S = 0.15
_ROLLS_S = 0.12
"""So long after it came down a foot may still roll onto its sole."""
_HELD_S = 0.03
"""How quickly the height of the ground is learnt that a held foot rolls onto (half-life)."""
_LIES_S = 0.1
"""So long a foot that lies down learns how the ground is there."""
_HIGH_M, _COMES_M_S = 0.01, 1.0
"""A foot comes down from no higher than this above the ground, and what it falls in a frame."""
_DOWN_M = 0.002
"""A ball so near the ground is down."""


@lean_kernel
def _wanted_turn(phase, flat, tilt, raw):  # type: ignore[no-untyped-def]
    """A foot's orientation in a phase: flat on the ground, or as the source on tilted ground."""
    if phase == _FLAT:
        return flat
    return multiply(tilt, raw)


@lean_kernel
def _keep_out(feet, n, f, turn):  # type: ignore[no-untyped-def]
    """A held foot's orientation in which what does not carry it is not below the ground: the ball
    of one that stands on its heel, the heel of one that stands on its ball."""
    tilt = quaternion(feet.tilt[n], f)
    level = multiply(conjugate(tilt), turn)
    sole = rotate(level, (0.0, 0.0, 1.0))
    if (sole[1] < 0.0) != (feet.pivot[n, f] == HEEL_POINT):
        return turn
    side = unit(cross(_UP, sole))
    return multiply(tilt, multiply(about(side, math.asin(min(max(sole[1], -1.0), 1.0))), level))


@lean_kernel
def _change_phase(  # type: ignore[no-untyped-def]
    rigs, tuning, feet, bodies, n, f, phase, heel_low, samples, heights, normal,
):  # fmt: skip
    """Take a foot into another phase without a jump of what is put out."""
    before = feet.phase[n, f]
    tilt, steep = quaternion(feet.tilt[n], f), False
    if before == 0 or (phase == _FLAT and tuning.foresees):
        turned = quaternion(feet.turn[n], f) if before == 0 else quaternion(feet.out_turn[n], f)
        forward = rotate(yaw(turned), (0.0, 0.0, 1.0))
        tilt, steep = ground_tilt(
            rigs, f, forward, heights[HEEL_POINT], heights[BALL_POINT], normal
        )
        put(feet.tilt[n], f, tilt)
    if before == 0:  # it comes down: where it is now it stays, on the ground
        feet.rank[n, f] = float(bodies.frames[n])
        feet.lowest[n, f, HEEL_POINT] = feet.lowest[n, f, BALL_POINT] = np.inf
        on_heel = phase == _HEEL or (phase == _FLAT and tuning.foresees and heel_low)
        point = HEEL_POINT if on_heel else BALL_POINT
        height = max(heights[HEEL_POINT], heights[BALL_POINT]) if steep else heights[point]
        spot = (samples[point, 0], height, samples[point, 1])
        feet.level[n, f], feet.level_speed[n, f] = height, 0.0
        if on_heel:
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
    if phase == _FLAT or (before == 0 and tuning.foresees):
        turned = quaternion(feet.out_turn[n], f) if before != 0 else quaternion(feet.turn[n], f)
        put(feet.flat[n], f, multiply(tilt, yaw(turned)))
    if phase == 0:
        feet.arch[n, f] = feet.arch_speed[n, f] = feet.lifted[n, f] = 0.0
        put(feet.left_tilt[n], f, tilt)
        if not tuning.foresees:
            put(feet.tilt[n], f, (1.0, 0.0, 0.0, 0.0))
    if bodies.frames[n] > 0:
        last = _wanted_turn(
            phase, quaternion(feet.flat[n], f), quaternion(feet.tilt[n], f),
            quaternion(feet.raw_turn[n], f),
        )  # fmt: skip
        off = log_half(multiply(quaternion(feet.out_turn[n], f), conjugate(last)))
        put(feet.turn_off[n], f, off)
        if phase == 0:
            put(feet.place_off[n], f, sub(vector(feet.out_place[n], f), vector(feet.free[n], f)))
            feet.off_speed[n, f, 0] = math.nan  # not known before this frame's own place is
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
def _follow_ground(rigs, tuning, feet, bodies, n, f, over, low, heights):  # type: ignore[no-untyped-def]
    """The height of the ground under a swinging foot; high up it minds what lies ahead."""
    here = heights[low]
    if abs(heights[0] - heights[1]) > STEEPEST * sole_length(rigs, f):
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
def _phase_now(tuning, feet, bodies, n, f, heel_on, toe_on, heel, ball, falls):  # type: ignore[no-untyped-def]
    """How the foot is to be held in this frame, from the contacts of its heel and toe."""
    over = min(heel, ball)
    before = feet.phase[n, f]
    phase = _FLAT if heel_on and toe_on else (_HEEL if heel_on else (_BALL if toe_on else 0))
    fresh = before == 0 or (before != _FLAT and feet.down[n, f] < _ROLLS_S)
    lands = tuning.foresees and before == 0 and phase != 0
    if (phase == _FLAT or lands) and fresh and bodies.frames[n] > 0:
        # Contacts of both are found early where a foot still rolls from one onto the other.
        phase = _FLAT if lands else phase
        if ball - heel > tuning.touch_m:
            phase = _HEEL
        elif heel - ball > tuning.touch_m:
            phase = _BALL
    if tuning.foresees and phase == _FLAT and before >= _FLAT:
        high = heel - ball > (2.0 if before == _FLAT else 1.0) * tuning.touch_m
        phase = _BALL if high else _FLAT  # the source's heel has left, whatever its contacts say
    if feet.broken[n, f] != 0:  # given up until it lifts
        feet.broken[n, f] = 1 if phase != 0 else 0
        return 0
    if before == 0 and over > tuning.touch_m and falls and not tuning.foresees:
        return 0  # contacts are found a frame early now and then, while the foot still falls
    return phase


@lean_kernel
def _is_down(rigs, feet, n, f, point, heights):  # type: ignore[no-untyped-def]
    """Whether heel or ball of a held foot has come to the ground."""
    arm = rotate(quaternion(feet.out_turn[n], f), vector(rigs.sole[f], point))
    return feet.out_place[n, f, 1] + arm[1] - heights[point] < _DOWN_M


@lean_kernel
def _is_high(rigs, tuning, feet, bodies, n, f, heights):  # type: ignore[no-untyped-def]
    """Whether a foot that is to come down has fallen back too far above the ground for that."""
    lands = feet.phase[n, f] == 0 and bodies.frames[n] > 0 and is_foreseen(feet, n, f)
    if not (lands and tuning.foresees):
        return False
    turn, over = quaternion(feet.out_turn[n], f), math.inf
    for k in (HEEL_POINT, BALL_POINT):
        arm = rotate(turn, vector(rigs.sole[f], k))
        over = min(over, feet.out_place[n, f, 1] + arm[1] - heights[k])
    return over > _HIGH_M + _COMES_M_S * tuning.dt


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


@lean_kernel
def _lay_down(rigs, feet, n, f, share, heights, normal):  # type: ignore[no-untyped-def]
    """Tilt a foot as the ground is where it comes to lie, by a share of what is left."""
    facing = yaw(quaternion(feet.flat[n], f))
    forward = rotate(facing, (0.0, 0.0, 1.0))
    tilt, _ = ground_tilt(rigs, f, forward, heights[HEEL_POINT], heights[BALL_POINT], normal)
    if share < 1.0:
        tilt = slerp(quaternion(feet.tilt[n], f), tilt, share)
    put(feet.tilt[n], f, tilt)
    put(feet.flat[n], f, multiply(tilt, facing))


@lean_kernel
def _let_go(tuning, feet, n, f, free):  # type: ignore[no-untyped-def]
    """Let what is left of a hold fade, from the speed that the foot had."""
    slow = let_go_s(tuning, feet, n, f)
    if feet.off_speed[n, f, 0] != feet.off_speed[n, f, 0]:
        for k in range(3):
            own = (free[k] - feet.free[n, f, k]) / tuning.dt
            known = tuning.dt > LEAST_DT_S
            feet.off_speed[n, f, k] = feet.out_speed[n, f, k] - own if known else 0.0
    for i in range(3):
        feet.place_off[n, f, i], feet.off_speed[n, f, i] = spring(
            feet.place_off[n, f, i], feet.off_speed[n, f, i], 0.0, slow, tuning.dt
        )


@lean_kernel
def _learn_ground(rigs, tuning, feet, bodies, n, f, over, low, heights):  # type: ignore[no-untyped-def]
    """The height of the ground under a foot, as it was held or swings so far."""
    if feet.phase[n, f] == 0:
        if bodies.frames[n] == 0 or not is_foreseen(feet, n, f):
            _follow_ground(rigs, tuning, feet, bodies, n, f, over, low, heights)
    elif tuning.foresees:
        here = stand_height(rigs, f, heights[HEEL_POINT], heights[BALL_POINT])
        feet.level[n, f], feet.level_speed[n, f] = spring(
            feet.level[n, f], feet.level_speed[n, f], here, _HELD_S, tuning.dt
        )


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
    height = over + feet.bias[n, f, low]
    rate = (height - feet.height[n, f]) / tuning.dt if bodies.frames[n] > 0 else 0.0
    feet.height[n, f] = height
    phase = _phase_now(
        tuning, feet, bodies, n, f, heel_on, toe_on, heel, ball, rate < -_FALLING_M_S
    )
    if phase != 0 and _is_high(rigs, tuning, feet, bodies, n, f, heights):
        phase = 0
    if tuning.foresees and feet.phase[n, f] != 0:  # what is to carry comes down first
        if phase == _BALL and not _is_down(rigs, feet, n, f, BALL_POINT, heights):
            phase = _BALL if feet.pivot[n, f] == BALL_JOINT else _FLAT
        elif phase == _HEEL:
            on_ball = feet.pivot[n, f] == BALL_JOINT
            if on_ball or _is_down(rigs, feet, n, f, BALL_POINT, heights):
                phase = _FLAT
    _learn_ground(rigs, tuning, feet, bodies, n, f, over, low, heights)
    came_down = phase != 0 and feet.phase[n, f] == 0
    swung = scale(
        vector(feet.place_off[n], f), share_left(tuning, feet, n, f, feet.age[n, f] + tuning.dt)
    )
    if phase != feet.phase[n, f]:
        _change_phase(
            rigs, tuning, feet, bodies, n, f, phase, heel < ball, samples, heights, normal
        )
    foreseen = phase == 0 and is_foreseen(feet, n, f)
    if foreseen:
        foresee_ground(rigs, tuning, feet, n, f, raw_turn, over, samples, heights, normal)
    elif phase == _FLAT and tuning.foresees and feet.age[n, f] < _LIES_S:
        _lay_down(rigs, feet, n, f, 1.0, heights, normal)
    elif phase == _HEEL and tuning.foresees and not came_down:
        share = 1.0 - math.exp(-tuning.dt / _HELD_S)
        _lay_down(rigs, feet, n, f, share, heights, normal)
    _advance(tuning, feet, n, f, phase, came_down)
    fade = share_left(tuning, feet, n, f, feet.age[n, f])
    wanted = _wanted_turn(phase, quaternion(feet.flat[n], f), quaternion(feet.tilt[n], f), raw_turn)
    turn = normalise(multiply(exp_half(scale(vector(feet.turn_off[n], f), fade)), wanted))
    if phase != 0 and tuning.foresees:
        turn = _keep_out(feet, n, f, turn)
    put(turn_out, f, turn)
    if foreseen or (tuning.foresees and phase != 0):
        along = add(
            scale(vector(bodies.shift, n), 1.0 - feet.weight[n, f]), vector(feet.goal[n], f)
        )
        lift = swing_lift(rigs, tuning, feet, bodies, n, f, raw, turn, over, rate, heights)
        free = (raw[0] + along[0], raw[1] + lift, raw[2] + along[2])
    else:
        free = _unheld_place(rigs, tuning, feet, bodies, n, f, raw, heel, ball)
    if foreseen:
        _let_go(tuning, feet, n, f, free)
    elif phase == 0:
        put(feet.off_speed[n], f, (0.0, 0.0, 0.0))
    put(feet.free[n], f, free)
    put(feet.raw_place[n], f, raw)
    put(feet.raw_turn[n], f, raw_turn)
    if phase == 0:
        return add(free, scale(vector(feet.place_off[n], f), 1.0 if foreseen else fade))
    feet.left_m[n, f] = feet.level[n, f]
    _learn_bias(tuning, feet, bodies, n, f, phase, heel, ball)
    arm = vector(rigs.sole[f], feet.pivot[n, f])
    place = sub(vector(feet.spot[n], f), rotate(turn, arm))
    if came_down:  # what is high above the ground when it is said to stand sinks there gently
        gap = free[1] + swung[1] - place[1]
        sinks = abs(gap) > tuning.snap_m and bodies.frames[n] > 0 and not tuning.foresees
        feet.gap[n, f] = gap if sinks else 0.0
    sinking = 1.0 - smooth((feet.down[n, f] - tuning.dt) / _GAP_S)
    return add(place, (0.0, feet.gap[n, f] * sinking, 0.0))
