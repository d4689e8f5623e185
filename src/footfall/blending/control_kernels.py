"""Compiled steps of live characters: steering, blending, feet and ground in one call (numba)."""

from __future__ import annotations

import math

from footfall.adapt.retarget.step_kernels import carry_poses, settle_poses
from footfall.adapt.retarget.swing_kernels import spring
from footfall.blending.ground_kernels import ask_ground, lean_body, look_ahead
from footfall.blending.kernels import TOE_OFF, advance_time, blend_pose
from footfall.blending.weight_kernels import find_weights
from footfall.maths.jit_kernels import inner_kernel, lean_kernel
from footfall.maths.vector_kernels import multiply, put, quaternion, slerp, smooth

SPEED, TURN, STYLE = range(3)
STRIKES = (0.5, 0.0)
"""Generic times at which the left and the right foot come down."""
_REST_SPEED, _REST_TURN = 0.05, 0.05
"""A character that is asked for less stands."""
_CALM_SPEED, _CALM_TURN = 0.2, 0.25
"""Slower than this, feet come down beside each other."""
_BESIDE = 0.07
"""Feet that are less than this ahead of each other, leg lengths, are side by side."""
_BY_SPEED_S = 0.06
"""Half-life with which the style follows the speed."""
_WAITS, _WAIT_S = 0.3, 0.05
"""The pace of time while a foot is late, and how soon it is reached."""
_BEFORE_LIFT = 0.02
_GRAVITY_M_S2 = 9.81
_LEAST_WEIGHT = 1e-9
"""Smaller weights are set to zero."""
_HELD_BACK = 0.12
"""A foot that holds its body back by more than this, leg lengths, is lifted."""


@inner_kernel
def _steer(steering, asked, n, state, feet, dt):  # type: ignore[no-untyped-def]
    """Let the parameters follow what is asked for, no faster than the limits allow.

    Time passes more slowly while a foot that should stand has not come down yet.
    """
    most_speed = state.walkers[n].allowed
    for k in range(asked.shape[1]):
        goal = asked[n, k]
        half_life, most_rate = steering.half_life_s[k], steering.most_rate[k]
        if k == STYLE and goal != goal:  # it goes by the speed, as soon as that changes
            goal = state.parameters[n, SPEED] - steering.gaits[0]
            goal = min(max(goal / (steering.gaits[1] - steering.gaits[0]), 0.0), 1.0)
            half_life, most_rate = _BY_SPEED_S, 1.0 / _BY_SPEED_S
        elif k == STYLE:  # nobody runs on the spot
            goal = min(goal, max(state.parameters[n, SPEED], 0.0) / steering.gaits[1])
        if goal != goal:
            goal = state.parameters[n, k]
        if k == SPEED:
            goal = min(goal * state.walkers[n].ease, most_speed)
        elif k == TURN:  # no further than examples show, or than people bear
            most = steering.lateral / max(state.parameters[n, SPEED], 1e-3)
            most = max(most, _shown_turn(steering, n, state))
            goal = min(max(goal, -most), most)
        goal = min(max(goal, steering.least[k]), steering.most[k])
        old, rate = state.parameters[n, k], state.rates[n, k]
        new, speed = spring(old, rate, goal, half_life, dt)
        if abs(new - old) > most_rate * dt:
            speed = math.copysign(most_rate, new - old)
            new = old + speed * dt
        state.parameters[n, k], state.rates[n, k] = new, speed
    late = False
    for f in range(2):
        late = late or (feet[f].phase == 0 and feet[f].forecast[2] <= 0.0)
    walker = state.walkers[n]
    walker.pace += (1.0 - math.exp(-dt / _WAIT_S)) * ((_WAITS if late else 1.0) - walker.pace)


@inner_kernel
def _shown_turn(steering, n, state):  # type: ignore[no-untyped-def]
    """Return the most turn that the examples show at the present speed."""
    at = max(state.parameters[n, SPEED], 0.0) / steering.turns_m_s
    k = min(int(at), len(steering.turns) - 2)
    return steering.turns[k] + min(at - k, 1.0) * (steering.turns[k + 1] - steering.turns[k])


@inner_kernel
def _update_rest(space, asked, n, state, feet, leg_m):  # type: ignore[no-untyped-def]
    """Update whether the character stands: it stops once its feet are side by side."""
    walker, left, right = state.walkers[n], feet[0], feet[1]
    heading = walker.course[2]
    x, z = left.spot[0] - right.spot[0], left.spot[2] - right.spot[2]
    ahead = math.sin(heading) * x + math.cos(heading) * z
    beside = left.phase != 0 and right.phase != 0 and abs(ahead) < _BESIDE * leg_m
    goes = abs(asked[n, SPEED]) >= _REST_SPEED and walker.allowed >= _REST_SPEED
    wants = not (goes or abs(asked[n, TURN]) >= _REST_TURN)
    slow = state.achieved[n, SPEED] < _CALM_SPEED and abs(state.achieved[n, TURN]) < _CALM_TURN
    if walker.resting == 1:
        if not wants:
            walker.resting = walker.calm = 0
            for f in range(2):
                walker.left[f, 0] = walker.left[f, 1] = 0
            # The foot on the side to which it turns goes first.
            foot = 0 if asked[n, TURN] > 0.0 else 1
            off = 0.0
            for e in range(len(space.contacts)):
                off += state.weights[n, e] * space.contacts[e, foot, TOE_OFF]
            off = off + STRIKES[foot] - _BEFORE_LIFT
            walker.time = off - math.floor(off)
    elif not (wants and slow):
        walker.calm = 0
    elif walker.calm >= 2 or (walker.calm == 1 and beside):
        walker.resting = 1
        state.parameters[n, SPEED] = state.parameters[n, TURN] = 0.0
        state.rates[n, SPEED] = state.rates[n, TURN] = 0.0


@inner_kernel
def _touch(walker, feet, before, times):  # type: ignore[no-untyped-def]
    """Write which points touch: from their strike until they leave, once per stride."""
    t = walker.time
    for f in range(2):
        left = walker.left[f]
        since = t - STRIKES[f]
        since -= math.floor(since)
        earlier = before - STRIKES[f]
        earlier -= math.floor(earlier)
        if since < earlier:  # a strike lies between
            left[0] = left[1] = 0
            walker.calm += 1
        first = min(times[f, 0], times[f, 2])  # at the strike something touches
        for k in range(2):
            on, off = times[f, 2 * k] - first, times[f, 2 * k + 1]
            if since >= off:
                left[k] = 1
            # What has not come down yet does at the latest when the other part leaves.
            comes = since >= on or since >= times[f, 3 - 2 * k]
            feet[f].touches[k] = 1 if left[k] == 0 and comes else 0


@inner_kernel
def _predict_landings(space, state, n, feet, body, rig):  # type: ignore[no-untyped-def]
    """Predict where and when swinging feet come down; lift a foot that holds back its body."""
    walker, weights = state.walkers[n], state.weights[n]
    t, course, factor = walker.time, walker.course, rig.way_factor
    if feet[0].phase != 0 and feet[1].phase != 0 and walker.resting == 0:
        x, z = body.shift[0], body.shift[2]
        if x * x + z * z > (_HELD_BACK * rig.legs_m[0]) ** 2:
            f = 0 if feet[0].rank < feet[1].rank else 1
            walker.left[f, 0] = walker.left[f, 1] = 1
            feet[f].touches[0] = feet[f].touches[1] = 0
    first, second = walker.steps_s[0], walker.steps_s[1]
    for f in range(2):
        row = feet[f].forecast
        since = t - STRIKES[f]
        since -= math.floor(since)
        if walker.resting == 1 or walker.left[f, 0] == 0 or walker.left[f, 1] == 0:
            # A late foot comes down where it was predicted.
            late = feet[f].phase == 0 and row[2] == row[2]
            row[2] = 0.0 if late else math.nan
            continue
        left = 1.0 - since
        # The step that ends with this strike takes `last`; what is before it, the other.
        last, other = (first, second) if f == 0 else (second, first)
        rest = 2.0 * (min(left, 0.5) * last + max(left - 0.5, 0.0) * other)
        x = z = 0.0
        for e in range(len(weights)):
            x += weights[e] * space.landings[e, f, 0]
            z += weights[e] * space.landings[e, f, 1]
        x -= space.stand_place[1] * math.sin(walker.roll)  # feet come down outside the curve
        turn, speed = state.achieved[n, TURN], state.achieved[n, SPEED]
        half = 0.5 * turn * rest
        step = speed * rest * (1.0 if half == 0.0 else math.sin(half) / half)
        middle, heading = course[2] + half, course[2] + 2.0 * half
        c, s = math.cos(heading), math.sin(heading)
        along_x, along_z = step * math.sin(middle), step * math.cos(middle)
        row[0] = factor * (course[0] + along_x + c * x + s * z)
        row[1] = factor * (course[1] + along_z + c * z - s * x)
        row[2], row[3] = rest, 2.0 * half
        row[4], row[5] = factor * along_x, factor * along_z


@inner_kernel
def _follow_weights(space, state, n, share):  # type: ignore[no-untyped-def]
    """Let the weights follow the wished ones, and blend parameters, contacts and durations.

    Where examples lie close to the rim of all others, weights turn over within a hair's breadth
    of the parameters: they follow smoothly, and what is blended remains a mean of examples.
    """
    weights, followed = state.weights[n], state.followed[n]
    for e in range(len(weights)):
        followed[e] += share * (state.wished[e] - followed[e])
        weights[e] += share * (followed[e] - weights[e])
        if weights[e] < _LEAST_WEIGHT and state.wished[e] == 0.0:  # else it fades for ever
            weights[e] = followed[e] = 0.0
    for k in range(space.values.shape[1]):
        total = 0.0
        for e in range(len(weights)):
            total += weights[e] * space.values[e, k]
        state.achieved[n, k] = total
    for f in range(2):
        for k in range(4):
            total = 0.0
            for e in range(len(weights)):
                total += weights[e] * space.contacts[e, f, k]
            state.times[f, k] = total
    first = second = 0.0
    for e in range(len(weights)):
        first += weights[e] * space.seconds[e, 0]
        second += weights[e] * space.seconds[e, 1]
    state.walkers[n].steps_s[0], state.walkers[n].steps_s[1] = first, second


@inner_kernel
def _blend_one(space, steering, state, n, feet, dt, root, rotations):  # type: ignore[no-untyped-def]
    """Blend one character's frame on flat ground: root, rotations (J, 4), contacts."""
    walker, weights = state.walkers[n], state.weights[n]
    # A body turns further than its examples do, which follow it as far as they can.
    turn, shown = state.parameters[n, TURN], _shown_turn(steering, n, state)
    state.parameters[n, TURN] = min(max(turn, -shown), shown)
    find_weights(state.parameters[n], space.basis, state.dual[n], state.memory, state.wished)
    state.parameters[n, TURN] = turn
    share = 1.0 if walker.fresh == 1 else 1.0 - math.exp(-dt / steering.weights_s)
    walker.fresh = 0
    old_speed, old_turn = state.achieved[n, SPEED], state.achieved[n, TURN]
    _follow_weights(space, state, n, share)
    state.achieved[n, TURN] = turn
    before = walker.time
    if walker.resting == 0:
        passed = dt * walker.pace
        walker.time = advance_time(before, passed, walker.steps_s)
        # Move on along an arc, at the means of before and now: frames may be long or short.
        course, half = walker.course, 0.25 * (old_turn + turn) * passed
        middle = course[2] + half
        step = 0.5 * (old_speed + state.achieved[n, SPEED]) * passed
        step *= 1.0 if half == 0.0 else math.sin(half) / half
        course[0] += step * math.sin(middle)
        course[1] += step * math.cos(middle)
        heading = course[2] + 2.0 * half
        course[2] = heading - 2.0 * math.pi * math.floor(heading / (2.0 * math.pi) + 0.5)
        _touch(walker, feet, before, state.times)
    else:
        for f in range(2):
            feet[f].touches[0] = feet[f].touches[1] = 1
    blended = state.blended
    blend_pose(
        walker.time, weights, space.middle, space.reference, space.vectors, blended, rotations
    )
    step = dt / 0.35 if walker.resting == 1 else -dt / 0.35
    walker.standing = min(max(walker.standing + step, 0.0), 1.0)
    share = smooth(walker.standing)
    last, sway = 3 * len(space.middle), steering.sway
    x, y, z = sway * blended[last], blended[last + 1], sway * blended[last + 2]
    if share > 0.0:
        for j in range(len(space.middle)):
            stands = quaternion(space.stand_turns, j)
            put(rotations, j, slerp(quaternion(rotations, j), stands, share))
        x += share * (space.stand_place[0] - x)
        y += share * (space.stand_place[1] - y)
        z += share * (space.stand_place[2] - z)
    heading = walker.course[2]
    c, s = math.cos(heading), math.sin(heading)
    root[n, 0] = walker.course[0] + c * x + s * z
    root[n, 1] = y * math.cos(walker.roll)
    root[n, 2] = walker.course[1] + c * z - s * x
    turn = (math.cos(0.5 * heading), 0.0, math.sin(0.5 * heading), 0.0)
    put(rotations, 0, multiply(turn, quaternion(rotations, 0)))


@lean_kernel
def step_walkers(  # type: ignore[no-untyped-def]
    dt, space, steering, asked, state, live, world, on_ground,
):  # fmt: skip
    """Compute one frame of N characters.

    asked     (N, P) parameters     steering  half-lives and limits
    live      feet, bodies and poses of the characters (`Live`)
    world     what the feet stand on, where `on_ground` says that there is such
    """
    rigs, feet, bodies = live.rigs, live.feet, live.bodies
    rig = rigs.fixed[0]
    rig.dt, leg_m = max(dt, 1e-6), rig.legs_m[0]
    for n in range(len(asked)):
        walker, pair, rotations = state.walkers[n], feet[n], live.rotations[n]
        _update_rest(space, asked, n, state, pair, leg_m)
        _steer(steering, asked, n, state, pair, dt)
        _blend_one(space, steering, state, n, pair, dt, live.root, rotations)
        speed, lean = state.achieved[n, SPEED], 0.0
        for e in range(len(space.leans)):
            lean -= state.weights[n, e] * space.leans[e]
        lean += math.atan(speed * state.achieved[n, TURN] / _GRAVITY_M_S2)
        lean_body(
            walker, speed, lean if walker.resting == 0 else 0.0, steering,
            rigs.carry.source_parents, dt, rotations, live.poses.source.turns,
        )  # fmt: skip
        _predict_landings(space, state, n, pair, bodies[n], rig)
    carry_poses(rigs, feet, bodies, live.root, live.rotations, live.poses)
    if on_ground:
        ask_ground(rig, feet, bodies, state.walkers, world)
        brake = rig.way_factor * steering.most_rate[SPEED]
        for n in range(len(asked)):
            look_ahead(rig, bodies[n], state.walkers[n], state.achieved[n], brake, world)
    settle_poses(rigs, feet, bodies, live.poses)
