"""What the ground gives to feet and seat, so that a body can do what it does.

Import lazily: it brings in numba. `joints` and `feet` are those of a `dynamics.DynamicBody`. Before
that, joints have the torques that they would need if the root alone were held; after, those they
need on the ground, and feet what is still left for the root to be held with.
"""

from __future__ import annotations

import math

from footfall.body.touching import FEET, LEFT_FOOT, LOADED, MOST_FRICTION, RIGHT_FOOT, SEAT
from footfall.maths.jit_kernels import inner_kernel
from footfall.maths.matrix_kernels import compose, turn, unturn
from footfall.maths.vector_kernels import (
    add,
    cross,
    dot,
    length,
    put,
    scale,
    sub,
    vector,
    write,
    xyz,
)

SOLE_LIFT_M = 0.03
"""A point of the sole this far above the lowest one does not touch."""
ROUNDS = 3
LEAST_FORCE = 1e-9

LEFT, RIGHT, SEATED, ROOT_FORCE, ROOT_MOMENT = range(5)
"""The rows of `forces` of the feet."""


@inner_kernel
def give_ground_force(joints, feet, root, touching, share):  # type: ignore[no-untyped-def]
    """Fill forces and checks of a frame whose root is at a tuple; take the forces into torques."""
    for i in range(5):
        put(feet.forces, i, (0.0, 0.0, 0.0))
    for i in range(4):
        feet.checks[i] = 0.0
    hips = joints[0]
    for i in range(9):
        hips.world[i] = hips.turn[i]
    write(hips.place, root)
    for k in range(1, len(joints)):
        joint = joints[k]
        if joint.mark >= 0:
            above = joints[joint.parent]
            write(joint.world, compose(above.world, joint.turn))
            write(joint.place, add(xyz(above.place), turn(above.world, xyz(joint.offset))))
    force, moment = turn(hips.turn, xyz(hips.push)), turn(hips.turn, xyz(hips.torque))
    if touching & SEAT:
        _sit(joints, feet, touching, force, moment)
    elif touching & FEET:
        _stand(joints, feet, touching, share, force, moment)
    else:
        put(feet.forces, ROOT_FORCE, force)
        put(feet.forces, ROOT_MOMENT, moment)
    feet.checks[0] = length(vector(feet.forces, ROOT_FORCE)) / feet.weight
    feet.checks[1] = length(vector(feet.forces, ROOT_MOMENT)) / feet.weight


# ---- standing --------------------------------------------------------------------------------


@inner_kernel
def _stand(joints, feet, touching, share, force, moment):  # type: ignore[no-untyped-def]
    """Let the feet that touch carry what they can, and the root be held with the rest.

    share  of the left foot; negative where the centre of pressure tells it
    """
    given = _possible(force)
    put(feet.forces, ROOT_FORCE, sub(force, given))
    both = touching & FEET == FEET
    if touching & LEFT_FOOT:
        _find_sole(joints, feet, 0)
    if touching & RIGHT_FOOT:
        _find_sole(joints, feet, 1)
    if both:
        share, outside = _share_load(joints, feet, share, given, moment)
    else:
        foot = 0 if touching & LEFT_FOOT else 1
        share = 1.0 - foot
        wanted = _pressure(joints, feet, share, given, moment)
        found = _clamp(feet, foot, wanted, feet.half_width)
        put(feet.pressures, foot, found)
        outside = math.hypot(wanted[0] - found[0], wanted[2] - found[2])
    across = _push_across(joints, feet, share, given) if both else (0.0, 0.0, 0.0)
    left = moment
    for foot in range(2):
        part = share if foot == 0 else 1.0 - share
        if part > 0.0 and given[1] > LEAST_FORCE:
            own = add(scale(given, part), scale(across, 1.0 - 2.0 * foot))
            put(feet.forces, foot, own)
            arm = sub(vector(feet.pressures, foot), xyz(joints[0].place))
            left = sub(left, cross(arm, own))
    # What is left about the vertical the soles hold by friction.
    twist = left[1] if given[1] > LEAST_FORCE else 0.0
    for foot in range(2):
        part = share if foot == 0 else 1.0 - share
        if part > 0.0:
            _relieve_leg(joints, feet, foot, vector(feet.forces, foot), part * twist)
    put(feet.forces, ROOT_MOMENT, (left[0], left[1] - twist, left[2]))
    if given[1] > LOADED * feet.weight:
        feet.checks[2] = math.hypot(force[0], force[2]) / given[1]
        feet.checks[3] = outside


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
def _pressure(joints, feet, share, given, moment):  # type: ignore[no-untyped-def]
    """Where a force must act so that its moment is right but for the vertical.

    share  of the left foot: the place is as high as the soles, in that proportion
    """
    left = 0.5 * (feet.soles[0, 0, 1] + feet.soles[0, 1, 1])
    right = 0.5 * (feet.soles[1, 0, 1] + feet.soles[1, 1, 1])
    height = share * left + (1.0 - share) * right
    root = xyz(joints[0].place)
    up = max(given[1], LEAST_FORCE)
    drop = height - root[1]
    x = root[0] + (moment[2] + drop * given[0]) / up
    return (x, height, root[2] + (drop * given[2] - moment[0]) / up)


@inner_kernel
def _share_load(joints, feet, share, given, moment):  # type: ignore[no-untyped-def]
    """Find the centre of pressure of both feet, and how much of the load the left one carries.

    The share is as wanted if the centre of pressure of both together can then be where it must;
    else as near to it as that lets it be. Also metres that the centre of pressure is outside.
    """
    free = share < 0.0
    share = 0.5 if free else share
    x, z, outside = 0.0, 0.0, 0.0
    for again in range(ROUNDS + 2):
        wanted = _pressure(joints, feet, share, given, moment)
        last = again == ROUNDS + 1
        for foot in range(2):
            if again == 0:
                put(feet.pressures, foot, _clamp(feet, foot, wanted, 0.0))
            elif not last:
                moved = add(vector(feet.pressures, foot), (x, 0.0, z))
                put(feet.pressures, foot, _clamp(feet, foot, moved, feet.half_width))
        left, right = vector(feet.pressures, 0), vector(feet.pressures, 1)
        if last or (free and again == 0):
            line = sub(left, right)
            along = line[0] * (wanted[0] - right[0]) + line[2] * (wanted[2] - right[2])
            share = min(max(along / max(line[0] ** 2 + line[2] ** 2, 1e-12), 0.0), 1.0)
        if last:
            wanted = _pressure(joints, feet, share, given, moment)
        both = add(scale(left, share), scale(right, 1.0 - share))
        x, z = wanted[0] - both[0], wanted[2] - both[2]
        outside = math.hypot(x, z)
        if outside < 1e-6 and not last:
            return share, 0.0
    return share, outside


@inner_kernel
def _push_across(joints, feet, share, given):  # type: ignore[no-untyped-def]
    """What the left foot pushes toward the right one, and the right one back.

    It cancels out but for the legs, and lets the force of each foot point at its own hip.
    """
    left, right = vector(feet.pressures, 0), vector(feet.pressures, 1)
    one, other = xyz(joints[feet.hips[0]].place), xyz(joints[feet.hips[1]].place)
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
def _find_sole(joints, feet, foot):  # type: ignore[no-untyped-def]
    """Fill the two ends of the line of the sole that touches: of heel, ball and tip the low."""
    lowest = 1e9
    for i in range(3):
        joint = joints[feet.sole_joints[foot, i]]
        place = add(xyz(joint.place), turn(joint.world, vector(feet.sole_offsets[foot], i)))
        put(feet.sole_points, i, place)
        lowest = min(lowest, place[1])
    first, last = -1, -1
    for i in range(3):
        if feet.sole_points[i, 1] < lowest + SOLE_LIFT_M:
            first = i if first < 0 else first
            last = i
    put(feet.soles[foot], 0, vector(feet.sole_points, first))
    put(feet.soles[foot], 1, vector(feet.sole_points, last))


@inner_kernel
def _clamp(feet, foot, place, half_width):  # type: ignore[no-untyped-def]
    """The place of a sole nearest to `place`, as seen from above; at the height of the sole."""
    a, b = vector(feet.soles[foot], 0), vector(feet.soles[foot], 1)
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
def _sit(joints, feet, touching, force, moment):  # type: ignore[no-untyped-def]
    """Let the seat carry the body; a foot that touches carries its leg, the seat the rest."""
    left, rest = force, moment
    for foot in range(2):
        if touching & (LEFT_FOOT if foot == 0 else RIGHT_FOOT):
            _find_sole(joints, feet, foot)
            middle = scale(add(vector(feet.soles[foot], 0), vector(feet.soles[foot], 1)), 0.5)
            put(feet.pressures, foot, middle)
            # Upright, and what holds the leg about its hip.
            hip = joints[feet.hips[foot]]
            turning = turn(hip.world, xyz(hip.torque))
            arm = sub(middle, xyz(hip.place))
            lever = (-arm[2], 0.0, arm[0])
            upright = dot(turning, lever) / max(dot(lever, lever), 1e-4)
            own = (0.0, min(max(upright, 0.0), 0.3 * feet.weight), 0.0)
            put(feet.forces, foot, own)
            _relieve_leg(joints, feet, foot, own, 0.0)
            left = sub(left, own)
            rest = sub(rest, cross(sub(middle, xyz(joints[0].place)), own))
    given = _possible(left)
    put(feet.forces, SEATED, given)
    put(feet.forces, ROOT_FORCE, sub(left, given))
    for k in range(1, len(joints)):
        joint = joints[k]
        if joint.mark > 0 and joint.mark & SEAT:
            arm = sub(xyz(joints[0].place), xyz(joint.place))
            took = add(rest, cross(arm, given))
            write(joint.torque, sub(xyz(joint.torque), unturn(joint.world, took)))


@inner_kernel
def _relieve_leg(joints, feet, foot, force, twist):  # type: ignore[no-untyped-def]
    """Take a force at a foot's centre of pressure, and a vertical moment, into its joints."""
    mark = LEFT_FOOT if foot == 0 else RIGHT_FOOT
    place = vector(feet.pressures, foot)
    for k in range(1, len(joints)):
        joint = joints[k]
        if joint.mark > 0 and joint.mark & mark:
            moment = cross(sub(place, xyz(joint.place)), force)
            moment = (moment[0], moment[1] + twist, moment[2])
            write(joint.torque, sub(xyz(joint.torque), unturn(joint.world, moment)))
