"""Compiled steps of on-line retargeting, many characters at once. Import lazily (numba).

`carry` puts the frame on the figure as if it walked on flat ground at height 0 and says where
ground is asked for; `settle` then holds feet, follows with the body and solves the limbs.
"""

from __future__ import annotations

import math

import numba
import numpy as np

from footfall.adapt.limb_kernels import (
    about,
    add,
    against,
    bend_limb,
    between,
    conjugate,
    cross,
    dot,
    exp_half,
    length,
    log_half,
    multiply,
    normalise,
    put,
    quaternion,
    rotate,
    scale,
    slerp,
    sub,
    unit,
    vector,
)

_jit = numba.njit(cache=True, nogil=True, error_model="numpy")
_HEEL, _FLAT, _BALL = 1, 2, 3
_HEEL_POINT, _BALL_POINT, _BALL_JOINT = 0, 1, 2
_UP = (0.0, 1.0, 0.0)
_STEEPEST = math.sin(math.radians(35.0))
_SLIP_M = 1e-3
_ROUNDS = 8
_FULL_STRETCH = 0.9995
_BIAS_S = 0.05
_GAP_S = 0.08
_FALLING_M_S = 0.15


@_jit
def _smooth(u):  # type: ignore[no-untyped-def]
    u = min(max(u, 0.0), 1.0)
    return u * u * (3.0 - 2.0 * u)


@_jit
def _spring(x, speed, goal, half_life, dt):  # type: ignore[no-untyped-def]
    """A critically damped step towards `goal`: the new place and speed."""
    y = 2.0 * math.log(2.0) / half_life
    off = x - goal
    pull = speed + off * y
    fade = math.exp(-y * dt)
    return goal + fade * (off + pull * dt), fade * (speed - pull * y * dt)


@_jit
def _yaw(turn):  # type: ignore[no-untyped-def]
    """The turn about the vertical that faces where `turn` faces."""
    ahead = rotate(turn, (0.0, 0.0, 1.0))
    return about(_UP, math.atan2(ahead[0], ahead[2]))


# ----------------------------------------------------------------- carrying a frame over


@_jit
def _carry_one(figures, n, root, rotations, poses):  # type: ignore[no-untyped-def]
    """Source root (N, 3) and rotations (S, 4) onto the figure, on flat ground (`transfer`)."""
    places, turns = poses.source_places, poses.source_turns
    put(places, 0, vector(root, n))
    put(turns, 0, quaternion(rotations, 0))
    for j in range(1, len(figures.source_parents)):
        p = figures.source_parents[j]
        above = quaternion(turns, p)
        offset = vector(figures.source_offsets, j)
        put(places, j, add(vector(places, p), rotate(above, offset)))
        put(turns, j, multiply(above, quaternion(rotations, j)))
    world, local = poses.turns[n], poses.rotations[n]
    for j in range(len(figures.parents)):
        a, b, own = figures.follow[j, 0], figures.follow[j, 1], figures.follow[j, 2]
        above = quaternion(world, figures.parents[j]) if j > 0 else (1.0, 0.0, 0.0, 0.0)
        turn = above
        if a >= 0:
            turn = quaternion(turns, a)
            if figures.share[j] > 0.0:
                turn = slerp(turn, quaternion(turns, b), figures.share[j])
        elif own >= 0:
            turn = multiply(above, quaternion(rotations, own))
        put(world, j, turn)
        now = against(above, turn)
        # Signs follow the last frame's, as far as there was one.
        old = quaternion(local, j)
        if now[0] * old[0] + now[1] * old[1] + now[2] * old[2] + now[3] * old[3] < 0.0:
            now = (-now[0], -now[1], -now[2], -now[3])
        put(local, j, now)
    for k in range(2):
        put(poses.wrists[n], k, vector(places, figures.source_wrists[k]))


@_jit
def _place_one(figures, n, poses):  # type: ignore[no-untyped-def]
    """The root's way scaled by the legs, then every joint's place."""
    hips = figures.source_hips
    middle = scale(
        add(vector(poses.source_places, hips[0]), vector(poses.source_places, hips[1])), 0.5
    )
    height = (middle[1] - figures.source_ankle_m) * figures.factor + figures.ankle_m
    way = figures.way_factor
    arm = (figures.middle[0], figures.middle[1], figures.middle[2])
    places, turns = poses.places[n], poses.turns[n]
    root = sub((middle[0] * way, height, middle[2] * way), rotate(quaternion(turns, 0), arm))
    put(poses.root, n, root)
    put(places, 0, root)
    for j in range(1, len(figures.parents)):
        p = figures.parents[j]
        offset = rotate(quaternion(turns, p), vector(figures.offsets, j))
        put(places, j, add(vector(places, p), offset))


@_jit
def _footprint_goal(figures, feet, n, f, place, turn, poses):  # type: ignore[no-untyped-def]
    """How far, over the ground, the foot is from the source's; less the higher it is."""
    if figures.exact == 0.0:
        return (0.0, 0.0, 0.0)
    joint = figures.source_ankles[f]
    arm = rotate(quaternion(poses.source_turns, joint), vector(figures.source_middles, f))
    theirs = add(vector(poses.source_places, joint), arm)
    sole = figures.sole[f]
    middle = scale(add(vector(sole, _HEEL_POINT), vector(sole, _BALL_POINT)), 0.5)
    apart = sub(theirs, add(place, rotate(turn, middle)))
    return (apart[0] * feet.weight[n, f], 0.0, apart[2] * feet.weight[n, f])


@_jit
def carry(figures, tuning, feet, bodies, root, rotations, poses, samples):  # type: ignore[no-untyped-def]
    """Put N source poses on the figure; fill samples (N, 2, 3, 2): where ground is asked for.

    Samples are heel, ball joint and a point ahead of each foot, (x, z), as it would be unheld.
    """
    for n in range(len(root)):
        _carry_one(figures, n, root, rotations[n], poses)
        _place_one(figures, n, poses)
        for f in range(2):
            ankle = figures.limbs[f, 2]
            place, turn = vector(poses.places[n], ankle), quaternion(poses.turns[n], ankle)
            fade = 1.0 - _smooth((feet.age[n, f] + tuning.dt) / tuning.fade_s)
            above = (place[1] - figures.ankle_m) / tuning.near_m
            feet.weight[n, f] = 1.0 - _smooth(above)
            rest = 1.0 - feet.weight[n, f]
            aim = add(place, scale(vector(feet.place_off[n], f), fade))
            aim = add(aim, scale(vector(bodies.shift, n), rest))
            put(feet.goal[n], f, _footprint_goal(figures, feet, n, f, place, turn, poses))
            aim = add(aim, vector(feet.goal[n], f))
            turned = multiply(exp_half(scale(vector(feet.turn_off[n], f), fade)), turn)
            put(feet.aim[n], f, aim)
            put(feet.turn[n], f, turned)
            heel = add(aim, rotate(turned, vector(figures.sole[f], _HEEL_POINT)))
            ball = add(aim, rotate(turned, vector(figures.sole[f], _BALL_JOINT)))
            speed = (0.0, 0.0, 0.0)
            if bodies.frames[n] > 0:
                speed = scale(sub(place, vector(feet.raw_place[n], f)), tuning.ahead_s / tuning.dt)
            for k, point in enumerate((heel, ball, add(ball, speed))):
                samples[n, f, k, 0], samples[n, f, k, 1] = point[0], point[2]


# ----------------------------------------------------------------------- holding the feet


@_jit
def _sole_length(figures, f):  # type: ignore[no-untyped-def]
    """From heel to ball."""
    return figures.sole[f, _BALL_POINT, 2] - figures.sole[f, _HEEL_POINT, 2]


@_jit
def _ground_tilt(figures, f, forward, heights, normal):  # type: ignore[no-untyped-def]
    """How the ground tilts a foot that stands there, and whether it is too steep for that."""
    reach = _sole_length(figures, f)
    rise = heights[_BALL_POINT] - heights[_HEEL_POINT]
    if abs(rise) > _STEEPEST * reach:
        return (1.0, 0.0, 0.0, 0.0), True
    # A positive turn about the foot's own left axis lowers its ball.
    pitch = about(unit(cross(_UP, forward)), -math.asin(rise / reach))
    along = rotate(pitch, forward)
    up = rotate(pitch, _UP)
    side = unit(sub(normal, scale(along, dot(normal, along))))
    return multiply(between(up, side), pitch), False


@_jit
def _wanted_turn(phase, flat, tilt, raw):  # type: ignore[no-untyped-def]
    """A foot's orientation in a phase: flat on the ground, or as the source on tilted ground."""
    if phase == _FLAT:
        return flat
    return multiply(tilt, raw) if phase != 0 else raw


@_jit
def _change_phase(figures, feet, bodies, n, f, phase, samples, heights, normal):  # type: ignore[no-untyped-def]
    """Take a foot into another phase without a jump of what is put out."""
    before = feet.phase[n, f]
    if before == 0:  # it comes down: where it is now it stays, on the ground
        forward = rotate(_yaw(quaternion(feet.turn[n], f)), (0.0, 0.0, 1.0))
        tilt, steep = _ground_tilt(figures, f, forward, heights, normal)
        put(feet.tilt[n], f, tilt)
        feet.rank[n, f] = float(bodies.frames[n])
        feet.lowest[n, f, :] = np.inf
        point = _HEEL_POINT if phase == _HEEL else _BALL_POINT
        height = max(heights[_HEEL_POINT], heights[_BALL_POINT]) if steep else heights[point]
        spot = (samples[point, 0], height, samples[point, 1])
        feet.level[n, f], feet.level_speed[n, f] = height, 0.0
        if phase == _HEEL:
            feet.pivot[n, f] = _HEEL_POINT
        else:
            feet.pivot[n, f] = _BALL_JOINT
            level = multiply(tilt, _yaw(quaternion(feet.turn[n], f)))
            down = sub(vector(figures.sole[f], _BALL_JOINT), vector(figures.sole[f], _BALL_POINT))
            spot = add(spot, rotate(level, down))
        put(feet.spot[n], f, spot)
    elif phase != 0:  # another part carries: it stays where it has come to
        pivot = _HEEL_POINT if phase == _HEEL else feet.pivot[n, f]
        pivot = _BALL_JOINT if phase == _BALL else pivot
        if pivot != feet.pivot[n, f]:
            feet.pivot[n, f] = pivot
            arm = rotate(quaternion(feet.out_turn[n], f), vector(figures.sole[f], pivot))
            put(feet.spot[n], f, add(vector(feet.out_place[n], f), arm))
    if phase == _FLAT:
        turned = quaternion(feet.out_turn[n], f) if before != 0 else quaternion(feet.turn[n], f)
        put(feet.flat[n], f, multiply(quaternion(feet.tilt[n], f), _yaw(turned)))
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


@_jit
def _clearance(figures, feet, n, f, place, turn):  # type: ignore[no-untyped-def]
    """How high heel and ball are over the flat ground that the source walks on."""
    heel = place[1] + rotate(turn, vector(figures.sole[f], _HEEL_POINT))[1]
    ball = place[1] + rotate(turn, vector(figures.sole[f], _BALL_POINT))[1]
    return heel - feet.bias[n, f, _HEEL_POINT], ball - feet.bias[n, f, _BALL_POINT]


@_jit
def _learn_bias(tuning, feet, bodies, n, f, phase, heel, ball):  # type: ignore[no-untyped-def]
    """Learn by how much the source's heel and ball float or sink, from their lowest in a hold.

    The heel's is learnt while it stands alone, for that is how it comes down.
    """
    rate = 1.0 if bodies.frames[n] == 0 else 1.0 - math.exp(-tuning.dt / _BIAS_S)
    for point, over in ((_HEEL_POINT, heel), (_BALL_POINT, ball)):
        if (phase == _HEEL) == (point == _HEEL_POINT):
            height = over + feet.bias[n, f, point]
            feet.lowest[n, f, point] = min(feet.lowest[n, f, point], height)
            feet.bias[n, f, point] += rate * (feet.lowest[n, f, point] - feet.bias[n, f, point])


@_jit
def _follow_ground(figures, tuning, feet, bodies, n, f, over, low, heights):  # type: ignore[no-untyped-def]
    """The height of the ground under a swinging foot; high up it minds what lies ahead."""
    here = heights[low]
    if abs(heights[0] - heights[1]) > _STEEPEST * _sole_length(figures, f):
        here = max(heights[0], heights[1])  # over an edge it will stand on the upper side
    highest = max(heights[0], max(heights[1], heights[2]))
    goal = here + (highest - here) * _smooth(over / (3.0 * tuning.touch_m))
    if bodies.frames[n] == 0:
        feet.level[n, f] = here
    else:
        feet.level[n, f], feet.level_speed[n, f] = _spring(
            feet.level[n, f], feet.level_speed[n, f], goal, tuning.level_s, tuning.dt
        )


@_jit
def _update_foot(  # type: ignore[no-untyped-def]
    figures, tuning, feet, bodies, n, f, heel_on, toe_on, poses, samples, heights, normal,
    turn_out,
):  # fmt: skip
    """One foot's frame: phase, ground, and where its ankle should go. Returns that place."""
    ankle = figures.limbs[f, 2]
    raw, raw_turn = vector(poses.places[n], ankle), quaternion(poses.turns[n], ankle)
    phase = _FLAT if heel_on and toe_on else (_HEEL if heel_on else (_BALL if toe_on else 0))
    if feet.broken[n, f] != 0:
        feet.broken[n, f] = 1 if phase != 0 else 0
        phase = 0
    heel, ball = _clearance(figures, feet, n, f, raw, raw_turn)
    if phase != 0 and bodies.frames[n] == 0:
        feet.lowest[n, f, :] = np.inf
        _learn_bias(tuning, feet, bodies, n, f, phase, heel, ball)
        heel, ball = _clearance(figures, feet, n, f, raw, raw_turn)
    over, low = min(heel, ball), (_HEEL_POINT if heel < ball else _BALL_POINT)
    height = over + feet.bias[n, f, low]
    falls = bodies.frames[n] > 0 and feet.height[n, f] - height > _FALLING_M_S * tuning.dt
    if feet.phase[n, f] == 0 and over > tuning.touch_m and falls:
        phase = 0  # contacts are found a frame early now and then, while the foot still falls
    feet.height[n, f] = height
    if feet.phase[n, f] == 0:
        _follow_ground(figures, tuning, feet, bodies, n, f, over, low, heights)
    came_down = phase != 0 and feet.phase[n, f] == 0
    swung = scale(
        vector(feet.place_off[n], f),
        1.0 - _smooth((feet.age[n, f] + tuning.dt) / tuning.fade_s),
    )
    if phase != feet.phase[n, f]:
        _change_phase(figures, feet, bodies, n, f, phase, samples, heights, normal)
    feet.age[n, f] += tuning.dt
    step = tuning.dt / tuning.fade_s
    feet.lock[n, f] = min(max(feet.lock[n, f] + (step if phase != 0 else -step), 0.0), 1.0)
    feet.lying[n, f] = min(max(feet.lying[n, f] + (step if phase >= _FLAT else -step), 0.0), 1.0)
    feet.down[n, f] = tuning.dt if came_down else feet.down[n, f] + tuning.dt
    fade = 1.0 - _smooth(feet.age[n, f] / tuning.fade_s)
    fade_gap = 1.0 - _smooth((feet.down[n, f] - tuning.dt) / _GAP_S)
    wanted = _wanted_turn(phase, quaternion(feet.flat[n], f), quaternion(feet.tilt[n], f), raw_turn)
    turn = normalise(multiply(exp_half(scale(vector(feet.turn_off[n], f), fade)), wanted))
    put(turn_out, f, turn)
    # Near the ground small gaps, which are noise, close; what sinks in rises.
    drawn = max(over, 0.0) * _smooth(over / tuning.touch_m) if over < tuning.touch_m else over
    on_ball = _smooth(0.5 + (heel - ball) / (0.06 * figures.legs_m[f]))
    bias = feet.bias[n, f, _HEEL_POINT]
    bias += on_ball * (feet.bias[n, f, _BALL_POINT] - bias)
    lift = feet.level[n, f] + feet.weight[n, f] * (drawn - over - bias)
    rest = 1.0 - feet.weight[n, f]
    free = add(add(raw, (0.0, lift, 0.0)), scale(vector(bodies.shift, n), rest))
    free = add(free, vector(feet.goal[n], f))
    put(feet.free[n], f, free)
    put(feet.raw_place[n], f, raw)
    put(feet.raw_turn[n], f, raw_turn)
    if phase == 0:
        return add(free, scale(vector(feet.place_off[n], f), fade))
    _learn_bias(tuning, feet, bodies, n, f, phase, heel, ball)
    arm = vector(figures.sole[f], feet.pivot[n, f])
    place = sub(vector(feet.spot[n], f), rotate(turn, arm))
    if came_down:  # what is high above the ground when it is said to stand sinks there gently
        gap = free[1] + swung[1] - place[1]
        feet.gap[n, f] = gap if abs(gap) > tuning.snap_m and bodies.frames[n] > 0 else 0.0
    return add(place, (0.0, feet.gap[n, f] * fade_gap, 0.0))


# --------------------------------------------------------------------- moving the body


@_jit
def _follow_base(tuning, feet, bodies, n):  # type: ignore[no-untyped-def]
    """The height of the ground that the body goes over, from that under its feet."""
    total, weights = 0.0, 0.0
    for f in range(2):
        weight = 0.05 + _smooth(feet.lock[n, f])
        total += weight * feet.level[n, f]
        weights += weight
    if bodies.frames[n] == 0:
        bodies.base[n] = total / weights
    else:
        bodies.base[n], bodies.base_speed[n] = _spring(
            bodies.base[n], bodies.base_speed[n], total / weights, tuning.base_s, tuning.dt
        )


@_jit
def _hand_goal(figures, tuning, n, k, poses, source_objects, objects):  # type: ignore[no-untyped-def]
    """Where a hand is wanted, from its object, and how much that matters (Shin et al. 2001)."""
    if not math.isfinite(source_objects[n, k, 0] + objects[n, k, 0]):
        return (0.0, 0.0, 0.0), 0.0
    gap = sub(vector(poses.wrists[n], k), vector(source_objects[n], k))
    weight = 1.0 - _smooth(length(gap) / tuning.hand_m)
    return add(vector(objects[n], k), scale(gap, figures.factor)), weight


@_jit
def _longest(figures, tuning, f, own):  # type: ignore[no-untyped-def]
    """How far a leg may reach: a share of its length, or its own stretch where that is more."""
    return max(tuning.reach * figures.legs_m[f], min(own, _FULL_STRETCH * figures.legs_m[f]))


@_jit
def _pull(figures, tuning, feet, bodies, n, poses, aims):  # type: ignore[no-untyped-def]
    """Where the body should give way to legs that will soon be too short, before they are."""
    pull = (0.0, 0.0, 0.0)
    for f in range(2):
        limb = figures.limbs[f]
        hip = vector(poses.places[n], limb[0])
        own = length(sub(vector(poses.places[n], limb[2]), hip))
        rate = 0.0 if bodies.frames[n] == 0 else (own - feet.stretch[n, f]) / tuning.dt
        feet.stretch[n, f] = own
        start = add(add(hip, vector(bodies.shift, n)), (0.0, bodies.base[n], 0.0))
        line = sub(vector(aims, f), start)
        more = length(line) - own
        if more <= 0.0:  # the source's leg is as long: it will do what that does
            continue
        soon = own + tuning.body_s * max(rate, 0.0)
        margin = min(tuning.margin_m, 2.0 * more)
        over = soon + more - _longest(figures, tuning, f, soon) + margin
        if over > 0.0:
            eased = over * over / (4.0 * margin) if over < 2.0 * margin else over - margin
            # A foot about to come down counts already, so that nothing drops when it does.
            share = 1.0 if feet.phase[n, f] != 0 else feet.weight[n, f]
            pull = add(pull, scale(unit(line), share * eased))
    return pull


@_jit
def _move_body(figures, tuning, feet, bodies, n, poses, aims, hand_aims, hand_weights):  # type: ignore[no-untyped-def]
    """Shift the root by the weighted offsets of feet and hands, smoothly, then within reach."""
    base = (0.0, bodies.base[n], 0.0)
    total, weights = (0.0, 0.0, 0.0), tuning.idle
    for f in range(2):
        raw = add(vector(poses.places[n], figures.limbs[f, 2]), base)
        weight = max(_smooth(feet.lock[n, f]), feet.weight[n, f])
        total = add(total, scale(sub(vector(aims, f), raw), weight))
        weights += weight
        raw = add(vector(poses.places[n], figures.limbs[2 + f, 2]), base)
        total = add(total, scale(sub(vector(hand_aims, f), raw), hand_weights[f]))
        weights += hand_weights[f]
    goal = add(scale(total, 1.0 / weights), _pull(figures, tuning, feet, bodies, n, poses, aims))
    for i in range(3):
        if bodies.frames[n] == 0:
            bodies.shift[n, i] = goal[i]
        else:
            bodies.shift[n, i], bodies.shift_speed[n, i] = _spring(
                bodies.shift[n, i], bodies.shift_speed[n, i], goal[i], tuning.body_s, tuning.dt
            )
    newer = 1 if feet.rank[n, 1] >= feet.rank[n, 0] else 0
    for _ in range(_ROUNDS):
        moved = False
        for turn in range(2):
            f = 1 - newer if turn == 0 else newer  # the newer hold comes last and wins
            share = 1.0 if feet.phase[n, f] != 0 else feet.weight[n, f] ** 4
            hip = add(vector(poses.places[n], figures.limbs[f, 0]), base)
            line = sub(vector(aims, f), add(hip, vector(bodies.shift, n)))
            over = length(line) - _longest(figures, tuning, f, feet.stretch[n, f])
            if over > 1e-10 and share > 0.0:
                moved = True
                step = scale(unit(line), share * over)
                put(bodies.shift, n, add(vector(bodies.shift, n), step))
        if not moved:
            break


# ------------------------------------------------------------------------ solving the limbs


@_jit
def _toes(figures, feet, n, f, poses, turned):  # type: ignore[no-untyped-def]
    """Lay the toes of a standing foot on the ground."""
    toe = figures.toes[f]
    if toe >= 0 and feet.lying[n, f] > 0.0:
        level = multiply(quaternion(feet.tilt[n], f), _yaw(turned))
        now = quaternion(poses.rotations[n], toe)
        flat = against(turned, level)
        put(poses.rotations[n], toe, slerp(now, flat, _smooth(feet.lying[n, f])))


@_jit
def _solve_leg(figures, tuning, feet, bodies, n, f, poses, aim, turned, solved):  # type: ignore[no-untyped-def]
    """Bring the ankle to its aim; a hold that cannot be reached any more is given up."""
    limb, places = figures.limbs[f], poses.places[n]
    shift = vector(bodies.shift, n)
    shift = (shift[0], shift[1] + bodies.base[n], shift[2])
    hip = vector(places, limb[0])
    # Beyond its own stretch the leg gets soft; what the source does itself is left as it is.
    own = length(sub(vector(places, limb[2]), hip)) / figures.legs_m[f]
    soft = min(tuning.soft, max(1.0 - own, 0.0))
    short = bend_limb(
        limb, figures.parents, places, poses.turns[n], shift, vector(figures.hinges, f), aim,
        turned, soft, solved,
    )  # fmt: skip
    for k in range(3):
        put(poses.rotations[n], limb[k], quaternion(solved, k))
    line = sub(aim, add(hip, shift))
    put(feet.out_place[n], f, sub(aim, scale(unit(line), short)))
    put(feet.out_turn[n], f, turned)
    if feet.phase[n, f] != 0 and short > _SLIP_M:
        feet.broken[n, f] = 1
        bodies.slips[n] += 1
    _toes(figures, feet, n, f, poses, turned)


@_jit
def _solve_arm(figures, bodies, n, k, poses, goal, weight, solved):  # type: ignore[no-untyped-def]
    """Bring the wrist as far to its goal as it matters, turned as it is."""
    limb, places = figures.limbs[2 + k], poses.places[n]
    shift = vector(bodies.shift, n)
    shift = (shift[0], shift[1] + bodies.base[n], shift[2])
    now = add(vector(places, limb[2]), shift)
    aim = add(now, scale(sub(goal, now), weight))
    bend_limb(
        limb, figures.parents, places, poses.turns[n], shift, vector(figures.hinges, 2 + k), aim,
        quaternion(poses.turns[n], limb[2]), 0.0, solved,
    )  # fmt: skip
    for i in range(3):
        put(poses.rotations[n], limb[i], quaternion(solved, i))


@_jit
def settle(  # type: ignore[no-untyped-def]
    figures, tuning, feet, bodies, contacts, samples, heights, normals, source_objects, objects,
    poses,
):  # fmt: skip
    """Hold the feet of N carried poses on the ground, let the bodies follow, solve the limbs.

    contacts (N, 4) heel and toe of the left, of the right foot; heights (N, 2, 3) and normals
    (N, 2, 3) of the ground at `samples`; objects (N, 2, 3) what the hands reach for, not a number
    for none. Root and rotations of `poses` are what comes out.
    """
    aims, turned = np.empty((2, 3)), np.empty((2, 4))
    hand_aims, hand_weights = np.empty((2, 3)), np.empty(2)
    solved = np.empty((3, 4))
    for n in range(len(contacts)):
        old = vector(bodies.shift, n)
        for f in range(2):
            aim = _update_foot(
                figures, tuning, feet, bodies, n, f, contacts[n, 2 * f], contacts[n, 2 * f + 1],
                poses, samples[n, f], heights[n, f], vector(normals[n], f), turned,
            )  # fmt: skip
            put(aims, f, aim)
            goal, weight = _hand_goal(figures, tuning, n, f, poses, source_objects, objects)
            put(hand_aims, f, goal)
            hand_weights[f] = weight
        _follow_base(tuning, feet, bodies, n)
        _move_body(figures, tuning, feet, bodies, n, poses, aims, hand_aims, hand_weights)
        change = sub(vector(bodies.shift, n), old)
        for f in range(2):
            aim = vector(aims, f)
            if feet.phase[n, f] == 0:  # a swinging foot goes along with its body as far as it may
                rest = scale(change, 1.0 - feet.weight[n, f])
                aim = add(aim, rest)
                put(feet.free[n], f, add(vector(feet.free[n], f), rest))
            _solve_leg(
                figures, tuning, feet, bodies, n, f, poses, aim, quaternion(turned, f), solved
            )
            if hand_weights[f] > 0.0:
                _solve_arm(
                    figures, bodies, n, f, poses, vector(hand_aims, f), hand_weights[f], solved
                )
        shift = vector(bodies.shift, n)
        root = add(vector(poses.root, n), (shift[0], shift[1] + bodies.base[n], shift[2]))
        put(poses.root, n, root)
        bodies.frames[n] += 1
