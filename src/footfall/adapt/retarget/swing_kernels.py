"""Compiled: how a foot swings whose landing is foreseen. Import lazily (numba).

Where and when it will come down is known, so that the ground there, and between, can be asked for:
the foot is already tilted as that ground is when it arrives, it goes over what lies in between, and
what it is too high or too low by then is made up for on its way.
"""

from __future__ import annotations

import math

from footfall.maths.jit_kernels import inner_kernel, lean_kernel
from footfall.maths.vector_kernels import (
    about,
    add,
    between,
    cross,
    dot,
    length,
    multiply,
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

HEEL_POINT, BALL_POINT, BALL_JOINT = 0, 1, 2
"""Rows of `Rigs.sole`."""
LANDING_BALL, LANDING_HEEL, BETWEEN = 2, 3, 4
"""Rows of the samples: where the foot will stand, then points from where it stood to there."""
_ALONG = (0.25, 0.5, 0.75)
_SHAPES = (0.75, 1.0, 0.75)
"""How far along these points are, and how high an arch is when the foot is over them."""
_UP = (0.0, 1.0, 0.0)
FLAT = 2
"""The phase of a foot that stands on heel and ball."""
LEAST_DT_S = 1e-3
"""Speeds are not told from frames that are closer together than this."""


@inner_kernel
def spring(x, speed, goal, half_life, dt):  # type: ignore[no-untyped-def]
    """A critically damped step towards `goal`: the new place and speed."""
    y = 2.0 * math.log(2.0) / half_life
    off = x - goal
    pull = speed + off * y
    fade = math.exp(-y * dt)
    return goal + fade * (off + pull * dt), fade * (speed - pull * y * dt)


@lean_kernel
def ground_tilt(rig, f, forward, heel, ball, normal):  # type: ignore[no-untyped-def]
    """How ground with these heights tilts a foot, and whether it is too steep for that."""
    rise = ball - heel
    if abs(rise) > rig.edge_m[f]:
        return (1.0, 0.0, 0.0, 0.0), True
    # A positive turn about the foot's own left axis lowers its ball.
    pitch = about(unit(cross(_UP, forward)), -math.asin(rise / rig.sole_m[f]))
    along = rotate(pitch, forward)
    up = rotate(pitch, _UP)
    side = unit(sub(normal, scale(along, dot(normal, along))))
    return multiply(between(up, side), pitch), False


@inner_kernel
def is_foreseen(foot):  # type: ignore[no-untyped-def]
    return foot.forecast[2] == foot.forecast[2]


@inner_kernel
def swing_share(foot, dt):  # type: ignore[no-untyped-def]
    """How much of a foreseen swing will be over in this frame."""
    gone = foot.age + dt
    return gone / (gone + max(foot.forecast[2], 0.0))


@lean_kernel
def share_left(rig, foot, age):  # type: ignore[no-untyped-def]
    """What is left of an offset that old."""
    fade_s = rig.fade_s
    if foot.phase == 0 and is_foreseen(foot):
        fade_s = max(fade_s, rig.swung * (age + foot.forecast[2]))
    elif foot.phase == FLAT:
        fade_s = rig.lies_s
    return 1.0 - smooth(age / fade_s)


@lean_kernel
def let_go(rig, foot, speed):  # type: ignore[no-untyped-def]
    """What will be left of a hold in this frame, from the speed that it has, and its speed then."""
    swing = foot.age + rig.dt + max(foot.forecast[2], 0.0)
    slow = min(max(rig.let_go * swing, 0.05), 0.15)
    x, vx = spring(foot.place_off[0], speed[0], 0.0, slow, rig.dt)
    y, vy = spring(foot.place_off[1], speed[1], 0.0, slow, rig.dt)
    z, vz = spring(foot.place_off[2], speed[2], 0.0, slow, rig.dt)
    return (x, y, z), (vx, vy, vz)


@lean_kernel
def ask_ahead(rig, foot, f, ball, turned):  # type: ignore[no-untyped-def]
    """Fill where ground is asked for: under the foot when it will stand, and on its way there."""
    near = swing_share(foot, rig.dt) ** 3  # in the end it counts where it is
    x, z = foot.forecast[0], foot.forecast[1]
    x, z = x + near * (ball[0] - x), z + near * (ball[2] - z)
    forward = rotate(multiply(about(_UP, foot.forecast[3]), yaw(turned)), (0.0, 0.0, 1.0))
    reach = rig.sole_m[f]
    foot.samples[LANDING_BALL, 0], foot.samples[LANDING_BALL, 1] = x, z
    foot.samples[LANDING_HEEL, 0] = x - reach * forward[0]
    foot.samples[LANDING_HEEL, 1] = z - reach * forward[2]
    for k in range(3):
        share = _ALONG[k]
        foot.samples[BETWEEN + k, 0] = foot.spot[0] + share * (x - foot.spot[0])
        foot.samples[BETWEEN + k, 1] = foot.spot[2] + share * (z - foot.spot[2])


@lean_kernel
def stand_height(rig, f, heel, ball):  # type: ignore[no-untyped-def]
    """The height at which a foot stands on ground with these heights; on edges the upper."""
    if abs(ball - heel) > rig.edge_m[f]:
        return max(heel, ball)
    return 0.5 * (heel + ball)


@lean_kernel
def foresee_ground(rig, foot, f, turned, over):  # type: ignore[no-untyped-def]
    """Let the ground that a swinging foot goes over pass from what it left to what it comes to.

    over  how high the source's foot is; it comes down from there
    """
    eased = smooth(swing_share(foot, rig.dt))
    # How far over the ground it has come from where it stood to where it will.
    x, z = foot.spot[0], foot.spot[2]
    dx, dz = foot.samples[LANDING_BALL, 0] - x, foot.samples[LANDING_BALL, 1] - z
    come = (foot.samples[BALL_POINT, 0] - x) * dx + (foot.samples[BALL_POINT, 1] - z) * dz
    short = (rig.short * rig.legs_m[f]) ** 2  # feet that come down where they were go by time
    share = min(max((come + short * eased) / (dx * dx + dz * dz + short), 0.0), 1.0)
    heel, ball = foot.heights[LANDING_HEEL], foot.heights[LANDING_BALL]
    land = stand_height(rig, f, heel, ball)
    if foot.age <= 0.0:
        foot.land_m = land
    most = rig.land * rig.leg_m * rig.dt
    foot.land_m += min(max(land - foot.land_m, -most), most)
    land = foot.land_m  # on stairs the foothold may pass from one step to the next
    # How high above the line from ground to ground it must go to clear what is between.
    most = 0.0
    for k in range(3):
        if _ALONG[k] > share - 0.1:
            after = foot.heights[BETWEEN + k + 1] if k < 2 else foot.heights[LANDING_BALL]
            line = foot.left_m + _ALONG[k] * (land - foot.left_m)
            line += max(over, 0.0) * min((1.0 - _ALONG[k]) / max(1.0 - share, 0.1), 1.0)
            most = max(most, (max(foot.heights[BETWEEN + k], after) - line) / _SHAPES[k])
    most = min(most, rig.highest * rig.legs_m[f])
    foot.arch, foot.arch_speed = spring(foot.arch, foot.arch_speed, most, rig.arch_s, rig.dt)
    foot.way = share
    foot.level = foot.left_m + share * (land - foot.left_m)
    forward = rotate(multiply(about(_UP, foot.forecast[3]), yaw(turned)), (0.0, 0.0, 1.0))
    tilt, _ = ground_tilt(rig, f, forward, heel, ball, xyz(foot.normal))
    write(foot.tilt, slerp(wxyz(foot.left_tilt), tilt, eased))


@lean_kernel
def swing_lift(rig, foot, body, f, raw, turn, over, rate):  # type: ignore[no-untyped-def]
    """How far above the source's place a foreseen foot goes, so that it arrives on its ground.

    turn  how the foot is turned    over, rate  how high the source's sole is, how quickly it rises
    """
    bias = 0.5 * (foot.bias[HEEL_POINT] + foot.bias[BALL_POINT])
    lift = foot.level - bias
    if foot.phase != 0:
        return lift
    left_s = max(foot.forecast[2], 0.0)
    count = 1.0 - smooth(left_s / rig.landing_s)
    # High up a foot goes with its body, which on slopes is above or below its ground.
    apart = max(body.base - foot.level, -rig.room * max(over, 0.0))
    lift += apart * (1.0 - max(count, 1.0 - smooth(foot.age / rig.landing_s)))
    if count > 0.0:
        heel, ball = foot.heights[LANDING_HEEL], foot.heights[LANDING_BALL]
        land = stand_height(rig, f, heel, ball)
        if abs(ball - heel) > rig.edge_m[f]:
            heel = ball = land
        heel, ball = heel + foot.land_m - land, ball + foot.land_m - land
        land = foot.land_m
        low = min(
            rotate(turn, vector(rig.sole[f], HEEL_POINT))[1] - heel,
            rotate(turn, vector(rig.sole[f], BALL_POINT))[1] - ball,
        )
        # It goes down with the ground on its way; what else it is off is made up for.
        low += land - foot.level
        lift -= count * (raw[1] + foot.level - bias + low + 0.5 * min(rate, 0.0) * left_s)
    share = foot.way
    return lift + foot.arch * 4.0 * share * (1.0 - share)


@lean_kernel
def depth(rig, foot, f, place, turn):  # type: ignore[no-untyped-def]
    """How deep the sole of a foot is in the ground; less than 0 above it.

    Where the foot is not quite where ground was asked for, that goes on as it is tilted.
    """
    up = rotate(wxyz(foot.tilt), _UP)
    deep = -math.inf
    for k in (HEEL_POINT, BALL_POINT):
        point = add(place, rotate(turn, vector(rig.sole[f], k)))
        x, z = point[0] - foot.samples[k, 0], point[2] - foot.samples[k, 1]
        deep = max(deep, foot.heights[k] - (up[0] * x + up[2] * z) / up[1] - point[1])
    return deep


@lean_kernel
def keep_above(rig, foot, f, aim, turn):  # type: ignore[no-untyped-def]
    """Where the ankle goes so that a swinging foot does not go through the ground."""
    left_s = foot.forecast[2]
    point = add(aim, rotate(turn, vector(rig.sole[f], foot.pivot)))
    x, z = point[0] - foot.spot[0], point[2] - foot.spot[2]
    # It is lifted before it goes along.
    clear = min(rig.peel * math.sqrt(x * x + z * z), rig.clear * rig.legs_m[f])
    clear *= smooth((left_s - rig.dt) / rig.landing_s)
    need = max(depth(rig, foot, f, aim, turn) + clear, 0.0)
    old = foot.lifted
    rest = min(old - rig.drop * rig.leg_m * rig.dt, old * left_s / (left_s + rig.dt))
    now = min(max(need, rest), old + rig.lift * rig.leg_m * rig.dt)
    foot.lifted = now
    return add(aim, (0.0, now, 0.0))


@lean_kernel
def keep_apart(rig, foot, other, f, aim, facing):  # type: ignore[no-untyped-def]
    """Where the ankle goes so that a swinging leg does not come through the one that stands.

    facing  how the body is turned
    """
    if other.phase == 0:
        return aim
    leg_m = rig.legs_m[f]
    out = rotate(yaw(facing), (1.0 if f == 0 else -1.0, 0.0, 0.0))
    x, z = aim[0] - other.out_place[0], aim[2] - other.out_place[2]
    aside, ahead = x * out[0] + z * out[2], abs(x * out[2] - z * out[0])
    need = max(rig.ankle_gap * leg_m - aside, 0.0) * (1.0 - smooth(ahead / (rig.past * leg_m)))
    before = max(foot.astray[0] * out[0] + foot.astray[2] * out[2], 0.0)
    return add(
        aim, scale(out, min(need, rig.ankle_gap * leg_m, before + rig.aside * leg_m * rig.dt))
    )


@lean_kernel
def sink_ahead(rig, feet, body, places):  # type: ignore[no-untyped-def]
    """Let the body go down in time for a foot that will have to reach far, as down a slope."""
    goal = 0.0
    for f in range(2):
        foot = feet[f]
        if foot.phase == 0 and is_foreseen(foot):
            hip = vector(places, rig.limbs[f, 0])
            line = sub(vector(body.aims, f), add(hip, (0.0, body.base, 0.0)))
            goal = max(goal, length(line) - rig.easy * rig.legs_m[f])
            # How much too short it will be when it comes down, counted the more the sooner.
            other, ahead = feet[1 - f], foot.forecast
            count = 1.0 - smooth(ahead[2] / rig.sinks_s)
            heel, ball = foot.samples[LANDING_HEEL], foot.samples[LANDING_BALL]
            land = stand_height(rig, f, foot.heights[LANDING_HEEL], foot.heights[LANDING_BALL])
            stands = other.level if other.phase != 0 else other.left_m
            back = rig.sole[f, BALL_JOINT, 2] / rig.sole_m[f]  # from the ball to below the ankle
            x, z = ball[0] + back * (heel[0] - ball[0]), ball[1] + back * (heel[1] - ball[1])
            y = land + rig.ankle_m - hip[1] - 0.5 * (land + stands)
            line = (x - hip[0] - ahead[4], y, z - hip[2] - ahead[5])
            if count > 0.0:
                goal = max(goal, count * max(length(line) - rig.easy * rig.legs_m[f], 0.0))
    goal = min(goal, rig.deepest * rig.legs_m[0])
    body.sunk, body.sunk_speed = spring(body.sunk, body.sunk_speed, goal, rig.sink_s, rig.dt)
