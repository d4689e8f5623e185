"""Compiled steps of live characters: steering, blending, feet and ground in one call (numba)."""

from __future__ import annotations

import math

from footfall.adapt.online.kernels import carry_poses, settle_poses
from footfall.adapt.online.swing_kernels import spring
from footfall.blending.ground_kernels import ask_ground, lean_with_slope, look_ahead
from footfall.blending.kernels import TOE_OFF, advance_time, blend_pose, step_seconds
from footfall.blending.weight_kernels import find_weights
from footfall.maths.jit_kernels import inner_kernel, lean_kernel
from footfall.maths.vector_kernels import multiply, put, quaternion, slerp, smooth

SPEED, TURN, STYLE = range(3)
STRIKES = (0.5, 0.0)
"""Generic times at which the left and the right foot come down."""
_REST_SPEED, _REST_TURN = 0.05, 0.05
"""Who is asked for less than this stands."""
_CALM_SPEED, _CALM_TURN = 0.2, 0.25
"""Slower than this, feet come down beside each other."""
_BESIDE = 0.07
"""Feet that are less than this ahead of each other, leg lengths, are side by side."""
_BY_SPEED_S = 0.06
"""How quickly the style follows the speed that it goes by (half-life)."""
_WAITS, _WAIT_S = 0.3, 0.05
"""How much slower it goes while a foot is late, and how soon."""
_BEFORE_LIFT = 0.02
_NOTHING = 1e-9
"""Weights below this are none."""
_HELD_BACK = 0.12
"""A foot that holds its body back by more than this, leg lengths, is lifted."""


@inner_kernel
def _steer(tuning, asked, n, state, dt):  # type: ignore[no-untyped-def]
    """Let the parameters follow what is asked for, no faster than the limits allow."""
    most_speed = state.allowed[n]
    for k in range(asked.shape[1]):
        goal = asked[n, k]
        half_life, most_rate = tuning.half_life_s[k], tuning.most_rate[k]
        if k == STYLE and goal != goal:  # it goes by the speed, as soon as that changes
            goal = state.parameters[n, SPEED] - tuning.gaits[0]
            goal = min(max(goal / (tuning.gaits[1] - tuning.gaits[0]), 0.0), 1.0)
            half_life, most_rate = _BY_SPEED_S, 1.0 / _BY_SPEED_S
        elif k == STYLE:  # nobody runs on the spot
            goal = min(goal, max(state.parameters[n, SPEED], 0.0) / tuning.gaits[1])
        if goal != goal:
            goal = state.parameters[n, k]
        if k == SPEED:
            goal = min(goal, most_speed)
        goal = min(max(goal, tuning.least[k]), tuning.most[k])
        old, rate = state.parameters[n, k], state.rates[n, k]
        new, speed = spring(old, rate, goal, half_life, dt)
        if abs(new - old) > most_rate * dt:
            speed = math.copysign(most_rate, new - old)
            new = old + speed * dt
        state.parameters[n, k], state.rates[n, k] = new, speed


@inner_kernel
def _are_beside(n, state, feet, leg_m):  # type: ignore[no-untyped-def]
    """Whether both feet stand, neither before the other."""
    if feet.phase[n, 0] == 0 or feet.phase[n, 1] == 0:
        return False
    x = feet.spot[n, 0, 0] - feet.spot[n, 1, 0]
    z = feet.spot[n, 0, 2] - feet.spot[n, 1, 2]
    heading = state.course[n, 2]
    ahead = math.sin(heading) * x + math.cos(heading) * z
    return abs(ahead) < _BESIDE * leg_m


@inner_kernel
def _update_rest(asked, n, state, feet, leg_m, contacts):  # type: ignore[no-untyped-def]
    """Whether the character stands: who is asked to goes on until its feet are side by side."""
    goes = abs(asked[n, SPEED]) >= _REST_SPEED and state.allowed[n] >= _REST_SPEED
    wants = not (goes or abs(asked[n, TURN]) >= _REST_TURN)
    slow = state.achieved[n, SPEED] < _CALM_SPEED and abs(state.achieved[n, TURN]) < _CALM_TURN
    if state.resting[n] == 1:
        if not wants:
            state.resting[n], state.calm[n] = 0, 0
            for f in range(2):
                state.left[n, f, 0] = state.left[n, f, 1] = 0
            # The foot on the side to which it turns goes first.
            left = asked[n, TURN] > 0.0
            foot = 0 if left else 1
            off = contacts[foot, TOE_OFF] + STRIKES[foot] - _BEFORE_LIFT
            state.time[n] = off - math.floor(off)
            state.ahead[n, foot] = 1
    elif not (wants and slow):
        state.calm[n] = 0
    elif state.calm[n] >= 2 or (state.calm[n] == 1 and _are_beside(n, state, feet, leg_m)):
        state.resting[n] = 1
        state.parameters[n, SPEED] = state.parameters[n, TURN] = 0.0
        state.rates[n, SPEED] = state.rates[n, TURN] = 0.0


@inner_kernel
def _move_along(n, state, dt):  # type: ignore[no-untyped-def]
    """Go on along the arc."""
    turn, speed = state.achieved[n, TURN], state.achieved[n, SPEED]
    middle = state.course[n, 2] + 0.5 * turn * dt
    half = 0.5 * turn * dt
    step = speed * dt * (1.0 if half == 0.0 else math.sin(half) / half)
    state.course[n, 0] += step * math.sin(middle)
    state.course[n, 1] += step * math.cos(middle)
    heading = state.course[n, 2] + turn * dt
    state.course[n, 2] = heading - 2.0 * math.pi * math.floor(heading / (2.0 * math.pi) + 0.5)


@inner_kernel
def _blend_contacts(weights, contacts, out):  # type: ignore[no-untyped-def]
    for f in range(2):
        for k in range(4):
            total = 0.0
            for e in range(len(weights)):
                total += weights[e] * contacts[e, f, k]
            out[f, k] = total


@inner_kernel
def _touch(n, before, state, times, out):  # type: ignore[no-untyped-def]
    """Which points touch: from their strike until they leave, and not again before the next."""
    t = state.time[n]
    for f in range(2):
        since = t - STRIKES[f]
        since -= math.floor(since)
        earlier = before - STRIKES[f]
        earlier -= math.floor(earlier)
        if since < earlier:  # a strike lies between
            state.left[n, f, 0] = state.left[n, f, 1] = 0
            state.ahead[n, f] = 0
            state.calm[n] += 1
        first = min(times[f, 0], times[f, 2])  # at the strike something touches
        for k in range(2):
            on, off = times[f, 2 * k] - first, times[f, 2 * k + 1]
            if since >= off:
                state.left[n, f, k] = 1
            # What has not come down yet does at the latest when the other part leaves.
            out[n, 2 * f + k] = state.left[n, f, k] == 0 and (
                since >= on or since >= times[f, 3 - 2 * k]
            )


@inner_kernel
def _let_go(n, state, feet, bodies, leg_m, contacts):  # type: ignore[no-untyped-def]
    """Lift the foot behind early where it holds back a body that goes on."""
    x, z = bodies.shift[n, 0], bodies.shift[n, 2]
    if feet.phase[n, 0] == 0 or feet.phase[n, 1] == 0 or state.resting[n] == 1:
        return
    if x * x + z * z > (_HELD_BACK * leg_m) ** 2:
        f = 0 if feet.rank[n, 0] < feet.rank[n, 1] else 1
        state.left[n, f, 0] = state.left[n, f, 1] = 1
        contacts[n, 2 * f] = contacts[n, 2 * f + 1] = False


@inner_kernel
def _wait(n, state, feet, dt):  # type: ignore[no-untyped-def]
    """Go slower while a foot that should stand has not come down yet."""
    goal = 1.0
    for f in range(2):
        if feet.phase[n, f] == 0 and feet.forecast[n, f, 2] <= 0.0:
            goal = _WAITS
    state.pace[n] += (1.0 - math.exp(-dt / _WAIT_S)) * (goal - state.pace[n])


@inner_kernel
def _foresee(n, space, state, feet, factor):  # type: ignore[no-untyped-def]
    """Where swinging feet will come down, and when."""
    seconds, landings, weights = space[5], space[9], state.weights[n]
    t = state.time[n]
    first, second = step_seconds(weights, seconds)
    for f in range(2):
        since = t - STRIKES[f]
        since -= math.floor(since)
        if state.resting[n] == 1 or state.left[n, f, 0] == 0 or state.left[n, f, 1] == 0:
            # Who is late comes down where it was foreseen.
            late = feet.phase[n, f] == 0 and feet.forecast[n, f, 2] == feet.forecast[n, f, 2]
            feet.forecast[n, f, 2] = 0.0 if late else math.nan
            continue
        left = 1.0 - since
        # The step that ends with this strike takes `last`; what is before it, the other.
        last, other = (first, second) if f == 0 else (second, first)
        rest = 2.0 * (min(left, 0.5) * last + max(left - 0.5, 0.0) * other)
        x = z = 0.0
        for e in range(len(weights)):
            x += weights[e] * landings[e, f, 0]
            z += weights[e] * landings[e, f, 1]
        turn, speed = state.achieved[n, TURN], state.achieved[n, SPEED]
        half = 0.5 * turn * rest
        step = speed * rest * (1.0 if half == 0.0 else math.sin(half) / half)
        middle, heading = state.course[n, 2] + half, state.course[n, 2] + 2.0 * half
        c, s = math.cos(heading), math.sin(heading)
        along_x, along_z = step * math.sin(middle), step * math.cos(middle)
        row = feet.forecast[n, f]
        row[0] = factor * (state.course[n, 0] + along_x + c * x + s * z)
        row[1] = factor * (state.course[n, 1] + along_z + c * z - s * x)
        row[2], row[3] = rest, 2.0 * half
        row[4], row[5] = factor * along_x, factor * along_z


@inner_kernel
def _blend_one(n, space, state, dt, root, rotations, contacts, sway, fade_s):  # type: ignore[no-untyped-def]
    """One character's frame on flat ground: root, rotations, contacts."""
    middle, reference, vectors, stand_turns, stand_place, seconds, points, values, basis, _ = space
    weights = state.weights[n]
    find_weights(state.parameters[n], basis, state.dual[n], state.memory, state.wished)
    # Where examples lie close to the rim of all others, weights turn over within a hair's breadth
    # of the parameters: they follow smoothly, and what is blended remains a mean of examples.
    share = 1.0 if state.fresh[n] == 1 else 1.0 - math.exp(-dt / fade_s)
    state.fresh[n] = 0
    for e in range(len(weights)):
        state.followed[n, e] += share * (state.wished[e] - state.followed[n, e])
        weights[e] += share * (state.followed[n, e] - weights[e])
        if weights[e] < _NOTHING and state.wished[e] == 0.0:  # what fades would never be gone
            weights[e] = state.followed[n, e] = 0.0
    for k in range(values.shape[1]):
        total = 0.0
        for e in range(len(weights)):
            total += weights[e] * values[e, k]
        state.achieved[n, k] = total
    _blend_contacts(weights, points, state.times)
    before = state.time[n]
    if state.resting[n] == 0:
        goes = dt * state.pace[n]
        state.time[n] = advance_time(before, goes, weights, seconds)
        _move_along(n, state, goes)
        _touch(n, before, state, state.times, contacts)
    else:
        for k in range(4):
            contacts[n, k] = True
    blend_pose(state.time[n], weights, middle, reference, vectors, state.blended, rotations[n])
    step = dt / 0.35 if state.resting[n] == 1 else -dt / 0.35
    state.standing[n] = min(max(state.standing[n] + step, 0.0), 1.0)
    share = smooth(state.standing[n])
    last = 3 * len(middle)
    x, y, z = sway * state.blended[last], state.blended[last + 1], sway * state.blended[last + 2]
    if share > 0.0:
        for j in range(len(middle)):
            put(
                rotations[n],
                j,
                slerp(quaternion(rotations[n], j), quaternion(stand_turns, j), share),
            )
        x += share * (stand_place[0] - x)
        y += share * (stand_place[1] - y)
        z += share * (stand_place[2] - z)
    heading = state.course[n, 2]
    c, s = math.cos(heading), math.sin(heading)
    root[n, 0] = state.course[n, 0] + c * x + s * z
    root[n, 1] = y
    root[n, 2] = state.course[n, 1] + c * z - s * x
    turn = (math.cos(0.5 * heading), 0.0, math.sin(0.5 * heading), 0.0)
    put(rotations[n], 0, multiply(turn, quaternion(rotations[n], 0)))


@lean_kernel
def step_walkers(  # type: ignore[no-untyped-def]
    dt, space, steering, asked, state, rigs, tuning, feet, bodies, root, rotations, contacts,
    samples, below, heights, normals, found, nothing, poses, probes, world, on_ground, sway,
):  # fmt: skip
    """One frame of N characters.

    asked     (N, P) parameters     steering  half-lives and limits
    nothing   (N, 2, 3) NaN: no hand reaches for anything
    world     what the feet stand on, where `on_ground` says that there is such
    """
    for n in range(len(asked)):
        _blend_contacts(state.weights[n], space[6], state.times)
        _update_rest(asked, n, state, feet, rigs.legs_m[0], state.times)
        _steer(steering, asked, n, state, dt)
        _wait(n, state, feet, dt)
        _blend_one(n, space, state, dt, root, rotations, contacts, sway, steering.weights_s)
        if on_ground:
            lean_with_slope(
                n, state, steering.lean, rigs.carry.source_parents, dt, rotations[n],
                poses.source_turns,
            )  # fmt: skip
        _let_go(n, state, feet, bodies, rigs.legs_m[0], contacts)
        _foresee(n, space, state, feet, rigs.way_factor)
    carry_poses(rigs, tuning, feet, bodies, root, rotations, poses, samples)
    if on_ground:
        ask_ground(rigs, feet, bodies, state, samples, below, heights, normals, found, world)
        for n in range(len(asked)):
            step_s = step_seconds(state.weights[n], space[5])
            brake = rigs.way_factor * steering.most_rate[SPEED]
            look_ahead(rigs, bodies, n, state, 0.5 * (step_s[0] + step_s[1]), brake, probes, world)
    settle_poses(
        rigs, tuning, feet, bodies, contacts, samples, heights, normals, nothing, nothing, poses
    )
