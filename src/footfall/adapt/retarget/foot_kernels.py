"""Compiled: how one foot is held on the ground, frame by frame. Import lazily (numba).

A foot in the air follows the ground under it; one that comes down stays, heel first, flat, or on
its ball, each turning about a point that does not move; what would jump is carried over and fades.
"""

from __future__ import annotations

import math

import numpy as np

from footfall.adapt.retarget.swing_kernels import (
    BALL_JOINT,
    BALL_POINT,
    FLAT,
    HEEL_POINT,
    LEAST_DT_S,
    STEEPEST,
    foresee_ground,
    is_foreseen,
    let_go_s,
    share_left,
    sole_length,
    spring,
    stand_height,
    swing_lift,
    tilt_below,
    write,
    wxyz,
    xyz,
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
def _keep_out(foot, turn):  # type: ignore[no-untyped-def]
    """A held foot's orientation in which what does not carry it is not below the ground: the ball
    of one that stands on its heel, the heel of one that stands on its ball."""
    tilt = wxyz(foot.tilt)
    level = multiply(conjugate(tilt), turn)
    sole = rotate(level, (0.0, 0.0, 1.0))
    if (sole[1] < 0.0) != (foot.pivot == HEEL_POINT):
        return turn
    side = unit(cross(_UP, sole))
    return multiply(tilt, multiply(about(side, math.asin(min(max(sole[1], -1.0), 1.0))), level))


@lean_kernel
def _change_phase(  # type: ignore[no-untyped-def]
    rig, tuning, foot, body, f, phase, heel_low,
):  # fmt: skip
    """Take a foot into another phase without a jump of what is put out."""
    before = foot.phase
    tilt, steep = wxyz(foot.tilt), False
    if before == 0 or (phase == _FLAT and tuning.foresees):
        turned = wxyz(foot.turn) if before == 0 else wxyz(foot.out_turn)
        forward = rotate(yaw(turned), (0.0, 0.0, 1.0))
        tilt, steep = tilt_below(rig, f, foot, forward)
        write(foot.tilt, tilt)
    if before == 0:  # it comes down: where it is now it stays, on the ground
        foot.rank = float(body.frames)
        foot.lowest[HEEL_POINT] = foot.lowest[BALL_POINT] = np.inf
        on_heel = phase == _HEEL or (phase == _FLAT and tuning.foresees and heel_low)
        point = HEEL_POINT if on_heel else BALL_POINT
        height = foot.heights[point]
        if steep:
            height = max(foot.heights[HEEL_POINT], foot.heights[BALL_POINT])
        spot = (foot.samples[point, 0], height, foot.samples[point, 1])
        foot.level, foot.level_speed = height, 0.0
        if on_heel:
            foot.pivot = HEEL_POINT
        else:
            foot.pivot = BALL_JOINT
            level = multiply(tilt, yaw(wxyz(foot.turn)))
            down = sub(vector(rig.sole[f], BALL_JOINT), vector(rig.sole[f], BALL_POINT))
            spot = add(spot, rotate(level, down))
        write(foot.spot, spot)
    elif phase != 0:  # another part carries: it stays where it has come to
        pivot = HEEL_POINT if phase == _HEEL else foot.pivot
        pivot = BALL_JOINT if phase == _BALL else pivot
        if pivot != foot.pivot:
            foot.pivot = pivot
            arm = rotate(wxyz(foot.out_turn), vector(rig.sole[f], pivot))
            write(foot.spot, add(xyz(foot.out_place), arm))
    if phase == _FLAT or (before == 0 and tuning.foresees):
        turned = wxyz(foot.out_turn) if before != 0 else wxyz(foot.turn)
        write(foot.flat, multiply(tilt, yaw(turned)))
    if phase == 0:
        foot.arch = foot.arch_speed = foot.lifted = 0.0
        write(foot.left_tilt, tilt)
        if not tuning.foresees:
            write(foot.tilt, (1.0, 0.0, 0.0, 0.0))
    if body.frames > 0:
        last = _wanted_turn(
            phase, wxyz(foot.flat), wxyz(foot.tilt),
            wxyz(foot.raw_turn),
        )  # fmt: skip
        off = log_half(multiply(wxyz(foot.out_turn), conjugate(last)))
        write(foot.turn_off, off)
        if phase == 0:
            write(foot.place_off, sub(xyz(foot.out_place), xyz(foot.free)))
            foot.off_speed[0] = math.nan  # not known before this frame's own place is
        foot.age = 0.0
    foot.phase = phase


@lean_kernel
def _clearance(rig, foot, f, place, turn):  # type: ignore[no-untyped-def]
    """How high heel and ball are over the flat ground that the source walks on."""
    heel = place[1] + rotate(turn, vector(rig.sole[f], HEEL_POINT))[1]
    ball = place[1] + rotate(turn, vector(rig.sole[f], BALL_POINT))[1]
    return heel - foot.bias[HEEL_POINT], ball - foot.bias[BALL_POINT]


@lean_kernel
def _learn_bias(tuning, foot, body, phase, heel, ball):  # type: ignore[no-untyped-def]
    """Learn by how much the source's heel and ball float or sink, from their lowest in a hold.

    The heel's is learnt while it stands alone, for that is how it comes down.
    """
    rate = 1.0 if body.frames == 0 else 1.0 - math.exp(-tuning.dt / _BIAS_S)
    for point, over in ((HEEL_POINT, heel), (BALL_POINT, ball)):
        if (phase == _HEEL) == (point == HEEL_POINT):
            height = over + foot.bias[point]
            foot.lowest[point] = min(foot.lowest[point], height)
            foot.bias[point] += rate * (foot.lowest[point] - foot.bias[point])


@lean_kernel
def _follow_ground(rig, tuning, foot, body, f, over, low):  # type: ignore[no-untyped-def]
    """The height of the ground under a swinging foot; high up it minds what lies ahead."""
    heel, ball = foot.heights[HEEL_POINT], foot.heights[BALL_POINT]
    here = foot.heights[low]
    if abs(heel - ball) > STEEPEST * sole_length(rig, f):
        here = max(heel, ball)  # over an edge it will stand on the upper side
    highest = max(heel, max(ball, foot.heights[2]))
    goal = here + (highest - here) * smooth(over / (3.0 * tuning.touch_m))
    if body.frames == 0:
        foot.level = here
    else:
        foot.level, foot.level_speed = spring(
            foot.level, foot.level_speed, goal, tuning.level_s, tuning.dt
        )


@lean_kernel
def _phase_now(tuning, foot, body, heel, ball, falls):  # type: ignore[no-untyped-def]
    """How the foot is to be held in this frame, from the contacts of its heel and toe."""
    over = min(heel, ball)
    before = foot.phase
    heel_on, toe_on = foot.touches[0] != 0, foot.touches[1] != 0
    phase = _FLAT if heel_on and toe_on else (_HEEL if heel_on else (_BALL if toe_on else 0))
    fresh = before == 0 or (before != _FLAT and foot.down < _ROLLS_S)
    lands = tuning.foresees and before == 0 and phase != 0
    if (phase == _FLAT or lands) and fresh and body.frames > 0:
        # Contacts of both are found early where a foot still rolls from one onto the other.
        phase = _FLAT if lands else phase
        if ball - heel > tuning.touch_m:
            phase = _HEEL
        elif heel - ball > tuning.touch_m:
            phase = _BALL
    if tuning.foresees and phase == _FLAT and before >= _FLAT:
        high = heel - ball > (2.0 if before == _FLAT else 1.0) * tuning.touch_m
        phase = _BALL if high else _FLAT  # the source's heel has left, whatever its contacts say
    if foot.broken != 0:  # given up until it lifts
        foot.broken = 1 if phase != 0 else 0
        return 0
    if before == 0 and over > tuning.touch_m and falls and not tuning.foresees:
        return 0  # contacts are found a frame early now and then, while the foot still falls
    return phase


@lean_kernel
def _is_down(rig, foot, f, point):  # type: ignore[no-untyped-def]
    """Whether heel or ball of a held foot has come to the ground."""
    arm = rotate(wxyz(foot.out_turn), vector(rig.sole[f], point))
    return foot.out_place[1] + arm[1] - foot.heights[point] < _DOWN_M


@lean_kernel
def _is_high(rig, tuning, foot, body, f):  # type: ignore[no-untyped-def]
    """Whether a foot that is to come down has fallen back too far above the ground for that."""
    lands = foot.phase == 0 and body.frames > 0 and is_foreseen(foot)
    if not (lands and tuning.foresees):
        return False
    turn, over = wxyz(foot.out_turn), math.inf
    for k in (HEEL_POINT, BALL_POINT):
        arm = rotate(turn, vector(rig.sole[f], k))
        over = min(over, foot.out_place[1] + arm[1] - foot.heights[k])
    return over > _HIGH_M + _COMES_M_S * tuning.dt


@lean_kernel
def _advance(tuning, foot, phase, came_down):  # type: ignore[no-untyped-def]
    """Let time pass: how long since, how firmly it stands, how flat the toes lie."""
    foot.age += tuning.dt
    foot.down = tuning.dt if came_down else foot.down + tuning.dt
    step = tuning.dt / tuning.fade_s
    foot.lock = min(max(foot.lock + (step if phase != 0 else -step), 0.0), 1.0)
    foot.lying = min(max(foot.lying + (step if phase >= _FLAT else -step), 0.0), 1.0)


@lean_kernel
def _unheld_place(rig, tuning, foot, body, f, raw, heel, ball):  # type: ignore[no-untyped-def]
    """Where the ankle would be without holds: over the ground under it, as much as it matters."""
    over = min(heel, ball)
    # Near the ground small gaps, which are noise, close; what sinks in rises.
    drawn = max(over, 0.0) * smooth(over / tuning.touch_m) if over < tuning.touch_m else over
    on_ball = smooth(0.5 + (heel - ball) / (0.06 * rig.legs_m[f]))
    bias = foot.bias[HEEL_POINT]
    bias += on_ball * (foot.bias[BALL_POINT] - bias)
    weight = foot.weight
    lift = foot.level + weight * (drawn - over - bias)
    along = scale(xyz(body.shift), 1.0 - weight)
    return add(add(add(raw, (0.0, lift, 0.0)), along), xyz(foot.goal))


@lean_kernel
def _lay_down(rig, foot, f, share):  # type: ignore[no-untyped-def]
    """Tilt a foot as the ground is where it comes to lie, by a share of what is left."""
    facing = yaw(wxyz(foot.flat))
    forward = rotate(facing, (0.0, 0.0, 1.0))
    tilt, _ = tilt_below(rig, f, foot, forward)
    if share < 1.0:
        tilt = slerp(wxyz(foot.tilt), tilt, share)
    write(foot.tilt, tilt)
    write(foot.flat, multiply(tilt, facing))


@lean_kernel
def _let_go(tuning, foot, free):  # type: ignore[no-untyped-def]
    """Let what is left of a hold fade, from the speed that the foot had."""
    slow = let_go_s(tuning, foot)
    if foot.off_speed[0] != foot.off_speed[0]:
        for k in range(3):
            own = (free[k] - foot.free[k]) / tuning.dt
            known = tuning.dt > LEAST_DT_S
            foot.off_speed[k] = foot.out_speed[k] - own if known else 0.0
    for i in range(3):
        foot.place_off[i], foot.off_speed[i] = spring(
            foot.place_off[i], foot.off_speed[i], 0.0, slow, tuning.dt
        )


@lean_kernel
def _learn_ground(rig, tuning, foot, body, f, over, low):  # type: ignore[no-untyped-def]
    """The height of the ground under a foot, as it was held or swings so far."""
    if foot.phase == 0:
        if body.frames == 0 or not is_foreseen(foot):
            _follow_ground(rig, tuning, foot, body, f, over, low)
    elif tuning.foresees:
        here = stand_height(rig, f, foot.heights[HEEL_POINT], foot.heights[BALL_POINT])
        foot.level, foot.level_speed = spring(
            foot.level, foot.level_speed, here, _HELD_S, tuning.dt
        )


@inner_kernel
def update_foot(rig, tuning, foot, body, f, raw, raw_turn):  # type: ignore[no-untyped-def]
    """Update one foot: phase, ground, orientation; return where its ankle goes, and how turned.

    raw, raw_turn  place and orientation of its ankle as transferred
    """
    heel, ball = _clearance(rig, foot, f, raw, raw_turn)
    low = HEEL_POINT if heel < ball else BALL_POINT
    over = min(heel, ball)
    height = over + foot.bias[low]
    rate = (height - foot.height) / tuning.dt if body.frames > 0 else 0.0
    foot.height = height
    phase = _phase_now(tuning, foot, body, heel, ball, rate < -_FALLING_M_S)
    if phase != 0 and _is_high(rig, tuning, foot, body, f):
        phase = 0
    if tuning.foresees and foot.phase != 0:  # what is to carry comes down first
        if phase == _BALL and not _is_down(rig, foot, f, BALL_POINT):
            phase = _BALL if foot.pivot == BALL_JOINT else _FLAT
        elif phase == _HEEL:
            on_ball = foot.pivot == BALL_JOINT
            if on_ball or _is_down(rig, foot, f, BALL_POINT):
                phase = _FLAT
    _learn_ground(rig, tuning, foot, body, f, over, low)
    came_down = phase != 0 and foot.phase == 0
    swung = scale(xyz(foot.place_off), share_left(tuning, foot, foot.age + tuning.dt))
    if phase != foot.phase:
        _change_phase(rig, tuning, foot, body, f, phase, heel < ball)
    foreseen = phase == 0 and is_foreseen(foot)
    if foreseen:
        foresee_ground(rig, tuning, foot, f, raw_turn, over)
    elif phase == _FLAT and tuning.foresees and foot.age < _LIES_S:
        _lay_down(rig, foot, f, 1.0)
    elif phase == _HEEL and tuning.foresees and not came_down:
        share = 1.0 - math.exp(-tuning.dt / _HELD_S)
        _lay_down(rig, foot, f, share)
    _advance(tuning, foot, phase, came_down)
    fade = share_left(tuning, foot, foot.age)
    wanted = _wanted_turn(phase, wxyz(foot.flat), wxyz(foot.tilt), raw_turn)
    turn = normalise(multiply(exp_half(scale(xyz(foot.turn_off), fade)), wanted))
    if phase != 0 and tuning.foresees:
        turn = _keep_out(foot, turn)
    if foreseen or (tuning.foresees and phase != 0):
        along = add(scale(xyz(body.shift), 1.0 - foot.weight), xyz(foot.goal))
        lift = swing_lift(rig, foot, body, f, raw, turn, over, rate)
        free = (raw[0] + along[0], raw[1] + lift, raw[2] + along[2])
    else:
        free = _unheld_place(rig, tuning, foot, body, f, raw, heel, ball)
    if foreseen:
        _let_go(tuning, foot, free)
    elif phase == 0:
        write(foot.off_speed, (0.0, 0.0, 0.0))
    write(foot.free, free)
    write(foot.raw_place, raw)
    write(foot.raw_turn, raw_turn)
    if phase == 0:
        return add(free, scale(xyz(foot.place_off), 1.0 if foreseen else fade)), turn
    foot.left_m = foot.level
    _learn_bias(tuning, foot, body, phase, heel, ball)
    arm = vector(rig.sole[f], foot.pivot)
    place = sub(xyz(foot.spot), rotate(turn, arm))
    if came_down:  # what is high above the ground when it is said to stand sinks there gently
        gap = free[1] + swung[1] - place[1]
        sinks = abs(gap) > tuning.snap_m and body.frames > 0 and not tuning.foresees
        foot.gap = gap if sinks else 0.0
    sinking = 1.0 - smooth((foot.down - tuning.dt) / _GAP_S)
    return add(place, (0.0, foot.gap * sinking, 0.0)), turn
