"""Compiled ground queries of live characters, under their feet and ahead (numba)."""

from __future__ import annotations

import math

from footfall.adapt.feet.lean import DOWNHILL, MOST_DOWN, MOST_UP, UPHILL
from footfall.adapt.retarget.swing_kernels import BALL_POINT, LANDING_BALL
from footfall.maths.jit_kernels import inner_kernel
from footfall.maths.vector_kernels import against, exp_half, multiply, put, quaternion, write
from footfall.world.surface_kernels import surface

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


_STEEP, _EASIEST = 1.75, 0.05
"""How much slower slopes make people, as in Tobler's hiking function with half its exponent, and
the slope down that is easiest."""
_ROLLS_S, _MOST_ROLL = 0.12, math.radians(20.0)
"""How slowly the lean into a curve changes, and how far bodies lean at most."""


@inner_kernel
def ask_ground(rig, feet, bodies, walkers, world):  # type: ignore[no-untyped-def]
    """Fill heights and normals of the ground under feet, and where they will come down.

    What is too far above or below to be stepped on in one step is no ground to step on.
    """
    for n in range(len(bodies)):
        body, course = bodies[n], walkers[n].course
        if body.frames == 0:
            x, z = rig.way_factor * course[0], rig.way_factor * course[1]
            height = surface(world, x, z, math.inf)[0]
            body.base = height if math.isfinite(height) else 0.0
        for f in range(2):
            foot = feet[n, f]
            # A foot steps from the other one; while it stands, from itself.
            carrier = foot if foot.phase != 0 else feet[n, 1 - f]
            old = carrier.left_m if body.frames > 0 else body.base
            # The ground's own tilt counts where the ball stands, or will.
            ahead = foot.phase == 0 and foot.forecast[2] == foot.forecast[2]
            row = LANDING_BALL if ahead else BALL_POINT
            for k in range(len(foot.heights)):
                at, step = foot.samples[k], _STEP * rig.legs_m[f]
                if body.frames > 0:
                    x, z = at[0] - carrier.spot[0], at[1] - carrier.spot[2]
                    step += _STEEPEST * math.sqrt(x * x + z * z)
                height, nx, ny, nz, _ = surface(world, at[0], at[1], body.base + step)
                if abs(height - old) <= step:
                    foot.heights[k] = height
                    if k == row:
                        write(foot.normal, (nx, ny, nz))
                else:  # over an edge, or where there is no ground, it goes on as it is
                    foot.heights[k] = old


@inner_kernel
def _along(place, turn, ahead):  # type: ignore[no-untyped-def]
    """Return x and z after `ahead` metres of a course that turns by `turn` a metre."""
    half = 0.5 * turn * ahead
    chord = ahead * (1.0 if half == 0.0 else math.sin(half) / half)
    return place[0] + chord * math.sin(place[2] + half), place[1] + chord * math.cos(
        place[2] + half
    )


@inner_kernel
def _wall_at(place, turn, near, step, level, leg_m, world):  # type: ignore[no-untyped-def]
    """Return how far ahead a wall is that lies between `near` and `near + step`."""
    far = near + step
    for _ in range(_HALVINGS):
        middle = 0.5 * (near + far)
        x, z = _along(place, turn, middle)
        height = surface(world, x, z, level + _HEADROOM * leg_m)[0]
        if abs(height - level) <= _WALL * leg_m:
            near = middle
        else:
            far = middle
    return near


@inner_kernel
def look_ahead(rig, body, walker, achieved, brake, world):  # type: ignore[no-untyped-def]
    """Write how fast a character may go for the ground ahead of it, and its slope.

    It goes slower the steeper it is, and not into walls: what is too high or low to step on.
    brake  how quickly it slows down, m/s²
    """
    step_s = 0.5 * (walker.steps_s[0] + walker.steps_s[1])
    factor, leg_m = rig.way_factor, rig.legs_m[0]
    place = (factor * walker.course[0], factor * walker.course[1], walker.course[2])
    speed = factor * achieved[0]
    turn = achieved[1] / max(speed, 0.3)
    turn = min(max(turn, -1.0), 1.0)
    step = _SPACING * leg_m
    level = surface(world, place[0], place[1], body.base + _STEP * leg_m)[0]
    walker.allowed, walker.slope, walker.ease = math.inf, 0.0, 1.0
    if not abs(level - body.base) <= _STEP * leg_m:
        return  # it is off the ground, or on an edge
    allowed, probes = math.inf, walker.probes
    probes[0] = level
    for k in range(1, len(probes)):
        x, z = _along(place, turn, k * step)
        height = surface(world, x, z, level + _HEADROOM * leg_m)[0]
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
            walker.slope = math.atan2(height - probes[0], k * step)
            steep = abs(math.tan(walker.slope) + _EASIEST) - _EASIEST
            walker.ease = min(math.exp(-_STEEP * steep), 1.0)
        level = height
    walker.allowed = allowed / factor


@inner_kernel
def lean_body(walker, speed, goal, steering, parents, dt, rotations, turns):  # type: ignore[no-untyped-def]
    """Let a body on flat ground lean with the slope that it goes over, and into a curve.

    speed   of the walker    goal  how far it is to lean into the curve, to the left
    turns   (J, 4) memory
    """
    goal = min(max(goal, -_MOST_ROLL), _MOST_ROLL)
    walker.roll += (1.0 - math.exp(-dt / _ROLLS_S)) * (goal - walker.roll)
    slope = walker.slope * speed * speed / (speed * speed + _STANDING_M_S**2)
    goal = min(max((UPHILL if slope > 0.0 else DOWNHILL) * slope, -MOST_DOWN), MOST_UP)
    walker.lean += (1.0 - math.exp(-dt / _LEANS_S)) * (goal - walker.lean)
    if abs(walker.lean) + abs(walker.roll) < 1e-5:
        return
    c, s = math.cos(walker.course[2]), math.sin(walker.course[2])
    for j in range(len(parents)):
        above = quaternion(turns, parents[j]) if j > 0 else (1.0, 0.0, 0.0, 0.0)
        own = quaternion(rotations, j)
        put(turns, j, multiply(above, own))
        lean, roll = steering.lean[j] * walker.lean, steering.roll[j] * walker.roll
        if lean != 0.0 or roll != 0.0:  # about what lies across, and against what lies ahead
            lean, roll = 0.5 * lean, 0.5 * roll
            world = exp_half((c * lean - s * roll, 0.0, -s * lean - c * roll))
            put(rotations, j, multiply(against(above, multiply(world, above)), own))
