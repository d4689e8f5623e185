"""What the ground gives to feet and seat, so that a body can do what it does.

Import lazily: it brings in numba. `body` and `work` are those of `dynamics_kernels`. Before, `work`
holds the torques that joints would need if the root alone were held; after, those that they need
on the ground, and what is still left for the root to be held with.
"""

from __future__ import annotations

import math

from footfall.body.touching import (
    FEET,
    LEFT_FOOT,
    LOADED,
    MOST_FRICTION,
    RIGHT_FOOT,
    SEAT,
)
from footfall.maths.jit_kernels import inner_kernel
from footfall.maths.matrix_kernels import compose, turn, unturn
from footfall.maths.vector_kernels import add, cross, dot, length, put, scale, sub, vector

SOLE_LIFT_M = 0.03
"""A point of the sole this far above the lowest one does not touch."""
ROUNDS = 3
LEAST_FORCE = 1e-9

LEFT, RIGHT, SEATED, ROOT_FORCE, ROOT_MOMENT = range(5)
"""The rows of `work.forces`."""


@inner_kernel
def give_ground_force(body, work, root, t, touching, share):  # type: ignore[no-untyped-def]
    """Fill `work.forces` and `work.checks` of frame t, and take the forces into the torques."""
    for i in range(5):
        put(work.forces, i, (0.0, 0.0, 0.0))
    for i in range(4):
        work.checks[i] = 0.0
    for i in range(9):
        work.world[0, i] = work.turns[0, i]
    put(work.places, 0, vector(root, t))
    for i in range(1, body.legs.shape[0]):
        k = body.legs[i]
        p = body.parents[k]
        put(work.world, k, compose(work.world, p, work.turns, k))
        arm = turn(work.world, p, vector(body.offsets, k))
        put(work.places, k, add(vector(work.places, p), arm))
    force = turn(work.turns, 0, vector(work.push, 0))
    moment = turn(work.turns, 0, vector(work.torques, 0))
    if touching & SEAT:
        _sit(body, work, touching, force, moment)
    elif touching & FEET:
        _stand(body, work, touching, share, force, moment)
    else:
        put(work.forces, ROOT_FORCE, force)
        put(work.forces, ROOT_MOMENT, moment)
    weight = body.weight[0]
    work.checks[0] = length(vector(work.forces, ROOT_FORCE)) / weight
    work.checks[1] = length(vector(work.forces, ROOT_MOMENT)) / weight


# ---- standing --------------------------------------------------------------------------------


@inner_kernel
def _stand(body, work, touching, share, force, moment):  # type: ignore[no-untyped-def]
    """Let the feet that touch carry what they can, and the root be held with the rest.

    share  of the left foot; negative where the centre of pressure tells it
    """
    given = _possible(force)
    put(work.forces, ROOT_FORCE, sub(force, given))
    both = touching & FEET == FEET
    if touching & LEFT_FOOT:
        _find_sole(body, work, 0)
    if touching & RIGHT_FOOT:
        _find_sole(body, work, 1)
    if both:
        share, outside = _share_load(body, work, share, given, moment)
    else:
        foot = 0 if touching & LEFT_FOOT else 1
        share = 1.0 - foot
        wanted = _pressure(work, share, given, moment)
        found = _clamp(work, foot, wanted, body.half_width[0])
        put(work.pressures, foot, found)
        outside = math.hypot(wanted[0] - found[0], wanted[2] - found[2])
    across = _push_across(body, work, share, given) if both else (0.0, 0.0, 0.0)
    left = moment
    for foot in range(2):
        part = share if foot == 0 else 1.0 - share
        if part > 0.0 and given[1] > LEAST_FORCE:
            own = add(scale(given, part), scale(across, 1.0 - 2.0 * foot))
            put(work.forces, foot, own)
            arm = sub(vector(work.pressures, foot), vector(work.places, 0))
            left = sub(left, cross(arm, own))
    # What is left about the vertical the soles hold by friction.
    twist = left[1] if given[1] > LEAST_FORCE else 0.0
    for foot in range(2):
        part = share if foot == 0 else 1.0 - share
        if part > 0.0:
            _relieve_leg(body, work, foot, vector(work.forces, foot), part * twist)
    put(work.forces, ROOT_MOMENT, (left[0], left[1] - twist, left[2]))
    if given[1] > LOADED * body.weight[0]:
        work.checks[2] = math.hypot(force[0], force[2]) / given[1]
        work.checks[3] = outside


@inner_kernel
def _possible(force):  # type: ignore[no-untyped-def]
    """The part of a force that ground can give: a push, within friction."""
    if force[1] <= 0.0:
        return (0.0, 0.0, 0.0)
    level = math.hypot(force[0], force[2])
    most = MOST_FRICTION * force[1]
    part = 1.0 if level <= most else most / level
    return (force[0] * part, force[1], force[2] * part)


@inner_kernel
def _pressure(work, share, given, moment):  # type: ignore[no-untyped-def]
    """Where a force must act so that its moment is right but for the vertical.

    share  of the left foot: the place is as high as the soles, in that proportion
    """
    left = 0.5 * (work.soles[0, 0, 1] + work.soles[0, 1, 1])
    right = 0.5 * (work.soles[1, 0, 1] + work.soles[1, 1, 1])
    height = share * left + (1.0 - share) * right
    root = vector(work.places, 0)
    up = max(given[1], LEAST_FORCE)
    drop = height - root[1]
    x = root[0] + (moment[2] + drop * given[0]) / up
    return (x, height, root[2] + (drop * given[2] - moment[0]) / up)


@inner_kernel
def _share_load(body, work, share, given, moment):  # type: ignore[no-untyped-def]
    """Find the centre of pressure of both feet, and how much of the load the left one carries.

    The share is as wanted if the centre of pressure of both together can then be where it must;
    else as near to it as that lets it be. Also metres that the centre of pressure is outside.
    """
    free = share < 0.0
    share = 0.5 if free else share
    x, z, outside = 0.0, 0.0, 0.0
    for again in range(ROUNDS + 2):
        wanted = _pressure(work, share, given, moment)
        last = again == ROUNDS + 1
        for foot in range(2):
            if again == 0:
                put(work.pressures, foot, _clamp(work, foot, wanted, 0.0))
            elif not last:
                moved = add(vector(work.pressures, foot), (x, 0.0, z))
                put(work.pressures, foot, _clamp(work, foot, moved, body.half_width[0]))
        left, right = vector(work.pressures, 0), vector(work.pressures, 1)
        if last or (free and again == 0):
            line = sub(left, right)
            along = line[0] * (wanted[0] - right[0]) + line[2] * (wanted[2] - right[2])
            share = min(max(along / max(line[0] ** 2 + line[2] ** 2, 1e-12), 0.0), 1.0)
        if last:
            wanted = _pressure(work, share, given, moment)
        both = add(scale(left, share), scale(right, 1.0 - share))
        x, z = wanted[0] - both[0], wanted[2] - both[2]
        outside = math.hypot(x, z)
        if outside < 1e-6 and not last:
            return share, 0.0
    return share, outside


@inner_kernel
def _push_across(body, work, share, given):  # type: ignore[no-untyped-def]
    """What the left foot pushes toward the right one, and the right one back.

    It cancels out but for the legs, and lets the force of each foot point at its own hip.
    """
    left, right = vector(work.pressures, 0), vector(work.pressures, 1)
    one, other = vector(work.places, body.hips[0]), vector(work.places, body.hips[1])
    between = sub(right, left)
    apart = length(between)
    if apart < 1e-6:
        return (0.0, 0.0, 0.0)
    line = scale(between, 1.0 / apart)
    spread = dot(line, add(between, sub(one, other)))
    # Never beyond friction, however wide the stride.
    height = max(0.5 * (one[1] + other[1] - left[1] - right[1]), abs(spread) / MOST_FRICTION)
    return scale(line, share * (1.0 - share) * given[1] * spread / max(height, 1e-6))


# ---- soles -----------------------------------------------------------------------------------


@inner_kernel
def _find_sole(body, work, foot):  # type: ignore[no-untyped-def]
    """Fill the two ends of the line of the sole that touches: of heel, ball and tip the low."""
    lowest = 1e9
    for i in range(3):
        k = body.sole_joints[foot, i]
        place = add(vector(work.places, k), turn(work.world, k, vector(body.soles[foot], i)))
        put(work.sole_points, i, place)
        lowest = min(lowest, place[1])
    first, last = -1, -1
    for i in range(3):
        if work.sole_points[i, 1] < lowest + SOLE_LIFT_M:
            first = i if first < 0 else first
            last = i
    put(work.soles[foot], 0, vector(work.sole_points, first))
    put(work.soles[foot], 1, vector(work.sole_points, last))


@inner_kernel
def _clamp(work, foot, place, half_width):  # type: ignore[no-untyped-def]
    """The place of a sole nearest to `place`, as seen from above; at the height of the sole."""
    a, b = vector(work.soles[foot], 0), vector(work.soles[foot], 1)
    x, z = b[0] - a[0], b[2] - a[2]
    u = (x * (place[0] - a[0]) + z * (place[2] - a[2])) / max(x * x + z * z, 1e-12)
    u = min(max(u, 0.0), 1.0)
    near = add(a, scale(sub(b, a), u))
    off = math.hypot(place[0] - near[0], place[2] - near[2])
    part = min(half_width / max(off, 1e-12), 1.0)
    height = 0.5 * (a[1] + b[1])
    return (
        near[0] + part * (place[0] - near[0]), height, near[2] + part * (place[2] - near[2])
    )  # fmt: skip


# ---- sitting ---------------------------------------------------------------------------------


@inner_kernel
def _sit(body, work, touching, force, moment):  # type: ignore[no-untyped-def]
    """Let the seat carry the body; a foot that touches carries its leg, the seat the rest."""
    left, rest = force, moment
    for foot in range(2):
        if touching & (LEFT_FOOT if foot == 0 else RIGHT_FOOT):
            _find_sole(body, work, foot)
            middle = scale(add(vector(work.soles[foot], 0), vector(work.soles[foot], 1)), 0.5)
            put(work.pressures, foot, middle)
            # Upright, and what holds the leg about its hip.
            hip = body.hips[foot]
            turning = turn(work.world, hip, vector(work.torques, hip))
            arm = sub(middle, vector(work.places, hip))
            lever = (-arm[2], 0.0, arm[0])
            upright = dot(turning, lever) / max(dot(lever, lever), 1e-4)
            own = (0.0, min(max(upright, 0.0), 0.3 * body.weight[0]), 0.0)
            put(work.forces, foot, own)
            _relieve_leg(body, work, foot, own, 0.0)
            left = sub(left, own)
            rest = sub(rest, cross(sub(middle, vector(work.places, 0)), own))
    given = _possible(left)
    put(work.forces, SEATED, given)
    put(work.forces, ROOT_FORCE, sub(left, given))
    for i in range(body.legs.shape[0]):
        k = body.legs[i]
        if k > 0 and body.leg_marks[i] & SEAT:
            arm = sub(vector(work.places, 0), vector(work.places, k))
            took = add(rest, cross(arm, given))
            put(work.torques, k, sub(vector(work.torques, k), unturn(work.world, k, took)))


@inner_kernel
def _relieve_leg(body, work, foot, force, twist):  # type: ignore[no-untyped-def]
    """Take a force at a foot's centre of pressure, and a vertical moment, into its joints."""
    mark = LEFT_FOOT if foot == 0 else RIGHT_FOOT
    place = vector(work.pressures, foot)
    for i in range(body.legs.shape[0]):
        k = body.legs[i]
        if k > 0 and body.leg_marks[i] & mark:
            moment = cross(sub(place, vector(work.places, k)), force)
            moment = (moment[0], moment[1] + twist, moment[2])
            put(work.torques, k, sub(vector(work.torques, k), unturn(work.world, k, moment)))
