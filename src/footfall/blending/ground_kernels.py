"""Compiled: what live characters ask about the ground, under their feet and ahead. (numba)"""

from __future__ import annotations

import math

from footfall.adapt.lean import DOWNHILL, MOST_DOWN, MOST_UP, UPHILL
from footfall.adapt.online.swing_kernels import BALL_POINT, LANDING_BALL
from footfall.maths.jit_kernels import inner_kernel
from footfall.maths.vector_kernels import about, against, multiply, put, quaternion
from footfall.world.surface_kernels import surface, surface_heights

_STEP, _STEEPEST = 0.39, 0.45
"""How far up or down feet step at most, leg lengths, and how much more for all that they go."""
_SPACING = 0.3
"""How far apart ground is asked for along the course, leg lengths."""
_WALL = 0.35
"""What is so much higher or lower, leg lengths, from one such point to the next is a wall."""
_HEADROOM = 2.0
"""What is higher above the ground than this, leg lengths, is walked under."""
_CLIMB = 0.25
"""How far up or down the body goes in a step at most, leg lengths."""
_KEEP_OFF = 0.3
"""How far from walls it stops, leg lengths."""
_LAG_S = 0.3
"""How long it takes until a wish for another speed is felt."""
_HALVINGS = 4
_SLOPE_OVER = 3
"""Over so many points ahead the slope counts that it leans with."""
_LEANS_S, _STANDING_M_S = 0.35, 0.25
"""How slowly the lean changes; who is slower than this leans less, who stands not at all."""


@inner_kernel
def _carrier(feet, n, f):  # type: ignore[no-untyped-def]
    """The foot from which another one steps: itself while it stands."""
    return f if feet.phase[n, f] != 0 else 1 - f


@inner_kernel
def _sort_out(rigs, feet, bodies, n, f, found, heights, normals):  # type: ignore[no-untyped-def]
    """Take what was found for one foot; `heights` says how far from its carrier it may be."""
    carrier = _carrier(feet, n, f)
    first, per_foot = (2 * n + f) * len(heights), len(heights)
    old = feet.left_m[n, carrier] if bodies.frames[n] > 0 else bodies.base[n]
    for k in range(per_foot):
        height = found[0][first + k]
        # Over an edge, or where there is nothing, it goes on as it is.
        heights[k] = height if abs(height - old) <= heights[k] else old
    # The ground's own tilt counts where the ball stands, or will.
    ahead = feet.phase[n, f] == 0 and feet.forecast[n, f, 2] == feet.forecast[n, f, 2]
    k = LANDING_BALL if ahead else BALL_POINT
    if heights[k] == found[0][first + k]:
        for i in range(3):
            normals[i] = found[1][first + k, i]


@inner_kernel
def ask_ground(rigs, feet, bodies, state, samples, below, heights, normals, found, world):  # type: ignore[no-untyped-def]
    """Fill heights and normals of the ground under feet, and where they will come down.

    What is too far above or below to be stepped on in one step is no ground to step on.
    """
    count, per_foot = len(samples), samples.shape[2]
    for n in range(count):
        if bodies.frames[n] == 0:
            x, z = rigs.way_factor * state.course[n, 0], rigs.way_factor * state.course[n, 1]
            height = _height(world, x, z, math.inf)
            bodies.base[n] = height if math.isfinite(height) else 0.0
        for f in range(2):
            carrier = _carrier(feet, n, f)
            for k in range(per_foot):
                step = _STEP * rigs.legs_m[f]
                if bodies.frames[n] > 0:
                    x = samples[n, f, k, 0] - feet.spot[n, carrier, 0]
                    z = samples[n, f, k, 1] - feet.spot[n, carrier, 2]
                    step += _STEEPEST * math.sqrt(x * x + z * z)
                heights[n, f, k] = step
                below[(2 * n + f) * per_foot + k] = bodies.base[n] + step
    surface_heights(world, samples.reshape(-1, 2), below, found[0], found[1], found[2])
    for n in range(count):
        for f in range(2):
            _sort_out(rigs, feet, bodies, n, f, found, heights[n, f], normals[n, f])


@inner_kernel
def _height(world, x, z, below):  # type: ignore[no-untyped-def]
    meta, data, table, lattice, starts, items, points, rings, _, _, _ = world
    return surface(meta, data, table, lattice, starts, items, points, rings, x, z, below)[0]


@inner_kernel
def _along(place, turn, ahead):  # type: ignore[no-untyped-def]
    """Where a course leads: x and z after `ahead` metres, turning by `turn` a metre."""
    half = 0.5 * turn * ahead
    chord = ahead * (1.0 if half == 0.0 else math.sin(half) / half)
    return place[0] + chord * math.sin(place[2] + half), place[1] + chord * math.cos(
        place[2] + half
    )


@inner_kernel
def _wall_at(place, turn, near, step, level, leg_m, world):  # type: ignore[no-untyped-def]
    """How far ahead a wall is that lies between `near` and `near + step`."""
    far = near + step
    for _ in range(_HALVINGS):
        middle = 0.5 * (near + far)
        x, z = _along(place, turn, middle)
        height = _height(world, x, z, level + _HEADROOM * leg_m)
        if abs(height - level) <= _WALL * leg_m:
            near = middle
        else:
            far = middle
    return near


@inner_kernel
def look_ahead(rigs, bodies, n, state, step_s, brake, probes, world):  # type: ignore[no-untyped-def]
    """How fast a character may go for the ground ahead of it: slower the steeper it is, and not
    at all into walls, which are whatever is too high or too low to be stepped on.

    step_s  how long a step takes    brake  how quickly it slows down, m/s²
    probes  memory: as many heights as ground is asked for
    """
    factor, leg_m = rigs.way_factor, rigs.legs_m[0]
    place = (factor * state.course[n, 0], factor * state.course[n, 1], state.course[n, 2])
    speed = factor * state.achieved[n, 0]
    turn = state.achieved[n, 1] / max(speed, 0.3)
    turn = min(max(turn, -1.0), 1.0)
    step = _SPACING * leg_m
    level = _height(world, place[0], place[1], bodies.base[n] + _STEP * leg_m)
    state.allowed[n], state.slope[n] = math.inf, 0.0
    if not abs(level - bodies.base[n]) <= _STEP * leg_m:
        return  # it is off the ground, or on an edge: nothing is known of what it goes over
    allowed = math.inf
    probes[0] = level
    for k in range(1, len(probes)):
        x, z = _along(place, turn, k * step)
        height = _height(world, x, z, level + _HEADROOM * leg_m)
        if not abs(height - level) <= _WALL * leg_m:
            near = _wall_at(place, turn, (k - 1) * step, step, level, leg_m, world)
            left = near - _KEEP_OFF * leg_m - _LAG_S * speed
            allowed = min(allowed, math.sqrt(2.0 * brake * max(left, 0.0)))
            break
        probes[k] = height
        if k >= 2:
            slope = abs(height - probes[k - 2]) / (2.0 * step)
            most = _CLIMB * leg_m / max(step_s * slope, 1e-3)
            left = max((k - 2) * step - _LAG_S * speed, 0.0)
            allowed = min(allowed, math.sqrt(most * most + 2.0 * brake * left))
        if k == _SLOPE_OVER:
            state.slope[n] = math.atan2(height - probes[0], k * step)
        level = height
    state.allowed[n] = allowed / factor


@inner_kernel
def lean_with_slope(n, state, shares, parents, dt, rotations, turns):  # type: ignore[no-untyped-def]
    """Let a body on flat ground lean as people do on the slope that it goes over.

    shares  (J,) how much of the lean each joint turns by     turns  (J, 4) memory
    """
    speed = state.achieved[n, 0]
    slope = state.slope[n] * speed * speed / (speed * speed + _STANDING_M_S**2)
    goal = min(max((UPHILL if slope > 0.0 else DOWNHILL) * slope, -MOST_DOWN), MOST_UP)
    state.lean[n] += (1.0 - math.exp(-dt / _LEANS_S)) * (goal - state.lean[n])
    if abs(state.lean[n]) < 1e-5:
        return
    heading = state.course[n, 2]
    across = (math.cos(heading), 0.0, -math.sin(heading))
    for j in range(len(parents)):
        above = quaternion(turns, parents[j]) if j > 0 else (1.0, 0.0, 0.0, 0.0)
        own = quaternion(rotations, j)
        put(turns, j, multiply(above, own))
        if shares[j] != 0.0:
            world = about(across, shares[j] * state.lean[n])
            put(rotations, j, multiply(against(above, multiply(world, above)), own))
