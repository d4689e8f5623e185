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
    foresee_ground,
    ground_tilt,
    is_foreseen,
    let_go,
    share_left,
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
    rotate,
    scale,
    slerp,
    smooth,
    sub,
    unit,
    vector,
    write,
    wxyz,
    xyz,
    yaw,
)

_HEEL, _FLAT, _BALL = 1, FLAT, 3
_UP = (0.0, 1.0, 0.0)


@lean_kernel
def _change_phase(rig, foot, body, f, phase, heel_low):  # type: ignore[no-untyped-def]
    """Take a foot into another phase without a jump of what is put out."""
    before = foot.phase
    tilt, steep = wxyz(foot.tilt), False
    turned = wxyz(foot.turn) if before == 0 else wxyz(foot.out_turn)
    if before == 0 or phase == _FLAT:
        tilt, steep = _tilt_below(rig, foot, f, yaw(turned))
        write(foot.tilt, tilt)
    if before == 0:  # it comes down: where it is now it stays, on the ground
        foot.rank = float(body.frames)
        foot.lowest[HEEL_POINT] = foot.lowest[BALL_POINT] = np.inf
        on_heel = phase == _HEEL or (phase == _FLAT and heel_low)
        point = HEEL_POINT if on_heel else BALL_POINT
        height = foot.heights[point]
        if steep:
            height = max(foot.heights[HEEL_POINT], foot.heights[BALL_POINT])
        spot = (foot.samples[point, 0], height, foot.samples[point, 1])
        foot.level, foot.level_speed = height, 0.0
        foot.pivot = HEEL_POINT if on_heel else BALL_JOINT
        if not on_heel:
            level = multiply(tilt, yaw(turned))
            down = sub(vector(rig.sole[f], BALL_JOINT), vector(rig.sole[f], BALL_POINT))
            spot = add(spot, rotate(level, down))
        write(foot.spot, spot)
    elif phase != 0:  # another part carries: it stays where it has come to
        pivot = HEEL_POINT if phase == _HEEL else foot.pivot
        pivot = BALL_JOINT if phase == _BALL else pivot
        if pivot != foot.pivot:
            foot.pivot = pivot
            arm = rotate(turned, vector(rig.sole[f], pivot))
            write(foot.spot, add(xyz(foot.out_place), arm))
    if phase == _FLAT or before == 0:
        write(foot.flat, multiply(tilt, yaw(turned)))
    if phase == 0:
        foot.arch = foot.arch_speed = foot.lifted = 0.0
        write(foot.left_tilt, tilt)
    if body.frames > 0:
        last = wxyz(foot.flat)
        if phase != _FLAT:
            last = multiply(tilt, wxyz(foot.raw_turn))
        write(foot.turn_off, log_half(multiply(wxyz(foot.out_turn), conjugate(last))))
        if phase == 0:
            write(foot.place_off, sub(xyz(foot.out_place), xyz(foot.free)))
            foot.off_speed[0] = math.nan  # not known before this frame's own place is
        foot.age = 0.0
    foot.phase = phase


@inner_kernel
def _tilt_below(rig, foot, f, facing):  # type: ignore[no-untyped-def]
    """How the ground below a foot tilts it, and whether it is too steep for that."""
    forward = rotate(facing, (0.0, 0.0, 1.0))
    heel, ball = foot.heights[HEEL_POINT], foot.heights[BALL_POINT]
    return ground_tilt(rig, f, forward, heel, ball, xyz(foot.normal))


@lean_kernel
def _learn_bias(rig, foot, body, phase, heel, ball):  # type: ignore[no-untyped-def]
    """Learn by how much the source's heel and ball float or sink, from their lowest in a hold.

    The heel's is learnt while it stands alone, for that is how it comes down.
    """
    rate = 1.0 if body.frames == 0 else 1.0 - math.exp(-rig.dt / rig.bias_s)
    for point, over in ((HEEL_POINT, heel), (BALL_POINT, ball)):
        if (phase == _HEEL) == (point == HEEL_POINT):
            height = over + foot.bias[point]
            foot.lowest[point] = min(foot.lowest[point], height)
            foot.bias[point] += rate * (foot.lowest[point] - foot.bias[point])


@lean_kernel
def _learn_ground(rig, foot, body, f, over, low):  # type: ignore[no-untyped-def]
    """Learn the height of the ground under a foot, as it was held or swings so far.

    over, low  how high the source's sole is, and which point of it is the lower one
    """
    heel, ball = foot.heights[HEEL_POINT], foot.heights[BALL_POINT]
    goal, half_life = stand_height(rig, f, heel, ball), rig.held_s
    if foot.phase == 0:
        if body.frames > 0 and is_foreseen(foot):
            return
        here, half_life = foot.heights[low], rig.level_s
        if abs(heel - ball) > rig.edge_m[f]:
            here = max(heel, ball)  # over an edge it will stand on the upper side
        if body.frames == 0:
            foot.level = here
            return
        # High up it minds what lies ahead.
        highest = max(heel, max(ball, foot.heights[2]))
        goal = here + (highest - here) * smooth(over / (3.0 * rig.touch * rig.leg_m))
    foot.level, foot.level_speed = spring(foot.level, foot.level_speed, goal, half_life, rig.dt)


@lean_kernel
def _phase_now(rig, foot, body, f, heel, ball, falls):  # type: ignore[no-untyped-def]
    """How the foot is to be held in this frame, from the contacts of its heel and toe."""
    before, touch_m = foot.phase, rig.touch * rig.leg_m
    heel_on, toe_on = foot.touches[0] != 0, foot.touches[1] != 0
    phase = _FLAT if heel_on and toe_on else (_HEEL if heel_on else (_BALL if toe_on else 0))
    fresh = before == 0 or (before != _FLAT and foot.down < rig.rolls_s)
    lands = before == 0 and phase != 0
    if (phase == _FLAT or lands) and fresh and body.frames > 0:
        # Contacts of both are found early where a foot still rolls from one onto the other.
        phase = _FLAT if lands else phase
        if ball - heel > touch_m:
            phase = _HEEL
        elif heel - ball > touch_m:
            phase = _BALL
    if phase == _FLAT and before >= _FLAT:
        high = heel - ball > (2.0 if before == _FLAT else 1.0) * touch_m
        phase = _BALL if high else _FLAT  # the source's heel has left, whatever its contacts say
    if foot.broken != 0:  # given up until it lifts
        foot.broken = 1 if phase != 0 else 0
        return 0
    turn, place = wxyz(foot.out_turn), foot.out_place[1]
    over_heel = place + rotate(turn, vector(rig.sole[f], HEEL_POINT))[1] - foot.heights[HEEL_POINT]
    over_ball = place + rotate(turn, vector(rig.sole[f], BALL_POINT))[1] - foot.heights[BALL_POINT]
    if lands and is_foreseen(foot):  # one that has fallen back too far above the ground waits
        high = (
            body.frames > 0
            and min(over_heel, over_ball) > (rig.high + rig.comes * rig.dt) * rig.leg_m
        )
        return 0 if high else phase
    if lands and min(heel, ball) > touch_m and falls:
        return 0  # contacts are found a frame early now and then, while the foot still falls
    if before != 0:  # what is to carry comes down first
        on_ball, ball_down = foot.pivot == BALL_JOINT, over_ball < rig.down * rig.leg_m
        if phase == _BALL and not ball_down:
            phase = _BALL if on_ball else _FLAT
        elif phase == _HEEL and (on_ball or ball_down):
            phase = _FLAT
    return phase


@lean_kernel
def _unheld_place(rig, foot, body, f, raw, heel, ball):  # type: ignore[no-untyped-def]
    """Where the ankle would be without holds: over the ground under it, as much as it matters."""
    over = min(heel, ball)
    # Near the ground small gaps, which are noise, close; what sinks in rises.
    touch_m = rig.touch * rig.leg_m
    drawn = max(over, 0.0) * smooth(over / touch_m) if over < touch_m else over
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
    tilt, _ = _tilt_below(rig, foot, f, facing)
    if share < 1.0:
        tilt = slerp(wxyz(foot.tilt), tilt, share)
    write(foot.tilt, tilt)
    write(foot.flat, multiply(tilt, facing))


@lean_kernel
def _fade_hold(rig, foot, free):  # type: ignore[no-untyped-def]
    """Let what is left of a hold fade, from the speed that the foot had."""
    speed = xyz(foot.off_speed)
    if speed[0] != speed[0]:
        speed = (0.0, 0.0, 0.0)
        if rig.dt > LEAST_DT_S:
            way, dt = sub(free, xyz(foot.free)), rig.dt
            speed = sub(xyz(foot.out_speed), (way[0] / dt, way[1] / dt, way[2] / dt))
    left, speed = let_go(rig, foot, speed)
    write(foot.place_off, left)
    write(foot.off_speed, speed)


@lean_kernel
def _turn_foot(rig, foot, f, phase, raw_turn, over, came_down):  # type: ignore[no-untyped-def]
    """Let time pass, and lay the foot along its ground: how it is turned, what is left of its
    last phase."""
    if phase == 0 and is_foreseen(foot):
        foresee_ground(rig, foot, f, raw_turn, over)
    elif phase == _FLAT and foot.age < rig.lies_s:
        _lay_down(rig, foot, f, 1.0)
    elif phase == _HEEL and not came_down:
        _lay_down(rig, foot, f, 1.0 - math.exp(-rig.dt / rig.held_s))
    foot.age += rig.dt
    foot.down = rig.dt if came_down else foot.down + rig.dt
    step = rig.dt / rig.fade_s
    foot.lock = min(max(foot.lock + (step if phase != 0 else -step), 0.0), 1.0)
    foot.lying = min(max(foot.lying + (step if phase >= _FLAT else -step), 0.0), 1.0)
    fade = share_left(rig, foot, foot.age)
    wanted = wxyz(foot.flat)
    if phase != _FLAT:
        wanted = multiply(wxyz(foot.tilt), raw_turn)
    turn = normalise(multiply(exp_half(scale(xyz(foot.turn_off), fade)), wanted))
    tilt = wxyz(foot.tilt)
    level = multiply(conjugate(tilt), turn)
    sole = rotate(level, (0.0, 0.0, 1.0))
    if phase != 0 and (sole[1] < 0.0) == (foot.pivot == HEEL_POINT):
        # What does not carry a held foot does not go below the ground: the ball of one that
        # stands on its heel, the heel of one that stands on its ball.
        up = about(unit(cross(_UP, sole)), math.asin(min(max(sole[1], -1.0), 1.0)))
        turn = multiply(tilt, multiply(up, level))
    return turn, fade


@inner_kernel
def update_foot(rig, foot, body, f, raw, raw_turn):  # type: ignore[no-untyped-def]
    """Update one foot: phase, ground, orientation; return where its ankle goes, and how turned.

    raw, raw_turn  place and orientation of its ankle as transferred
    """
    # How high heel and ball are over the flat ground that the source walks on.
    heel = raw[1] + rotate(raw_turn, vector(rig.sole[f], HEEL_POINT))[1] - foot.bias[HEEL_POINT]
    ball = raw[1] + rotate(raw_turn, vector(rig.sole[f], BALL_POINT))[1] - foot.bias[BALL_POINT]
    low, over = HEEL_POINT if heel < ball else BALL_POINT, min(heel, ball)
    height = over + foot.bias[low]
    rate = (height - foot.height) / rig.dt if body.frames > 0 else 0.0
    foot.height = height
    phase = _phase_now(rig, foot, body, f, heel, ball, rate < -rig.falling * rig.leg_m)
    _learn_ground(rig, foot, body, f, over, low)
    came_down, foresaw = phase != 0 and foot.phase == 0, is_foreseen(foot)
    swung = scale(xyz(foot.place_off), share_left(rig, foot, foot.age + rig.dt))
    if phase != foot.phase:
        _change_phase(rig, foot, body, f, phase, heel < ball)
    foreseen = phase == 0 and foresaw
    turn, fade = _turn_foot(rig, foot, f, phase, raw_turn, over, came_down)
    if foreseen or phase != 0:
        along = add(scale(xyz(body.shift), 1.0 - foot.weight), xyz(foot.goal))
        lift = swing_lift(rig, foot, body, f, raw, turn, over, rate)
        free = (raw[0] + along[0], raw[1] + lift, raw[2] + along[2])
    else:
        free = _unheld_place(rig, foot, body, f, raw, heel, ball)
    if foreseen:
        _fade_hold(rig, foot, free)
    elif phase == 0:
        write(foot.off_speed, (0.0, 0.0, 0.0))
    write(foot.free, free)
    write(foot.raw_place, raw)
    write(foot.raw_turn, raw_turn)
    if phase == 0:
        return add(free, scale(xyz(foot.place_off), 1.0 if foreseen else fade)), turn
    foot.left_m = foot.level
    _learn_bias(rig, foot, body, phase, heel, ball)
    place = sub(xyz(foot.spot), rotate(turn, vector(rig.sole[f], foot.pivot)))
    if came_down:  # what is high above the ground when it is said to stand sinks there gently
        gap = free[1] + swung[1] - place[1]
        sinks = abs(gap) > rig.snap * rig.leg_m and body.frames > 0 and not foresaw
        foot.gap = gap if sinks else 0.0
    sinking = 1.0 - smooth((foot.down - rig.dt) / rig.gap_s)
    return add(place, (0.0, foot.gap * sinking, 0.0)), turn
