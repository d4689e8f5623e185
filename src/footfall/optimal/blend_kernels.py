"""Compiled mixing of two poses of one contact phase. Import lazily: it brings in numba.

Poses are rows of numbers (see `interpolate.py`), in coordinates of the *feet frame*: its origin is
midway between both soles, its heading midway between theirs. It does not change while both feet
stand, so that feet that stand in both segments stand in what lies between.
"""

from __future__ import annotations

import math

from footfall.maths.jit_kernels import inner_kernel, kernel
from footfall.maths.limb_kernels import bend_limb
from footfall.maths.vector_kernels import (
    add,
    against,
    dot,
    multiply,
    put,
    quaternion,
    rotate,
    scale,
    slerp,
    sub,
    vector,
)

ROOT, MASS, FRAME, SOLES, ANKLES, WORLD, LEGS, TURNS = 0, 3, 6, 9, 21, 37, 40, 42
"""Where things begin in a row: the root, the centre of mass, the feet frame (x, z, yaw), heel and
ball of both feet, world rotations of ankle and toe of both feet, the centre of mass in the
segment's frame, how long both legs are from hip to ankle, rotations of the joints against their
parents."""
AIR = 32
"""The bit, among what touches around an end of a segment, of a flight before or after it."""
_LEVEL_M = 0.002
"""Heel and ball that differ by less in height carry the foot together."""
_ROUNDS, _NEAR_M = 5, 5e-6
_SPARED_M = 0.003
"""Legs may be shorter by this than in both of two poses, and by twice this at most."""
_GAIN = 1.15
"""A body that is shifted takes its feet along with a seventh less than all of its mass."""


# ---- the plane ------------------------------------------------------------------------------


@inner_kernel
def compose(a, b):  # type: ignore[no-untyped-def]
    """The planar pose that maps by `b` first, then by `a`."""
    c, s = math.cos(a[2]), math.sin(a[2])
    return (a[0] + c * b[0] + s * b[1], a[1] + c * b[1] - s * b[0], a[2] + b[2])


@inner_kernel
def relative(a, b):  # type: ignore[no-untyped-def]
    """Pose `b` as seen from pose `a`."""
    c, s = math.cos(a[2]), math.sin(a[2])
    x, z = b[0] - a[0], b[1] - a[1]
    return (c * x - s * z, c * z + s * x, b[2] - a[2])


@inner_kernel
def inverse(pose):  # type: ignore[no-untyped-def]
    return relative(pose, (0.0, 0.0, 0.0))


@inner_kernel
def mix(a, b, w):  # type: ignore[no-untyped-def]
    return (
        w * a[0] + (1.0 - w) * b[0],
        w * a[1] + (1.0 - w) * b[1],
        w * a[2] + (1.0 - w) * b[2],
    )


@inner_kernel
def heading(turn):  # type: ignore[no-untyped-def]
    """Where something turned by `turn` faces."""
    ahead = rotate(turn, (0.0, 0.0, 1.0))
    return math.atan2(ahead[0], ahead[2])


@inner_kernel
def _foot_yaw(turn):  # type: ignore[no-untyped-def]
    """Where a foot points, from the axis across it: known however far its heel is up."""
    across = rotate(turn, (1.0, 0.0, 0.0))
    return math.atan2(-across[2], across[0])


# ---- rows -----------------------------------------------------------------------------------


@inner_kernel
def triple(row, at):  # type: ignore[no-untyped-def]
    return (row[at], row[at + 1], row[at + 2])


@inner_kernel
def four(row, at):  # type: ignore[no-untyped-def]
    return (row[at], row[at + 1], row[at + 2], row[at + 3])


@inner_kernel
def _unit_four(row, at):  # type: ignore[no-untyped-def]
    size = 0.0
    for i in range(at, at + 4):
        size += row[i] * row[i]
    k = 1.0 / math.sqrt(size)
    for i in range(at, at + 4):
        row[i] *= k


@inner_kernel
def _within(value, a, b):  # type: ignore[no-untyped-def]
    return min(max(value, min(a, b)), max(a, b))


@inner_kernel
def sample(rows, slopes, first, count, u, out):  # type: ignore[no-untyped-def]
    """Write what the segment of rows `first` to `first + count` is at share `u` of its time."""
    at = min(max(u, 0.0), 1.0) * (count - 1)
    k = max(min(int(at), count - 2), 0)
    t = at - k
    i = first + k
    j = min(i + 1, first + count - 1)
    a, b = t * t * (3.0 - 2.0 * t), t * (1.0 - t) * (1.0 - t)
    c = t * t * (t - 1.0)
    for n in range(rows.shape[1]):
        out[n] = rows[i, n] + a * (rows[j, n] - rows[i, n]) + b * slopes[i, n] + c * slopes[j, n]
    # Between a frame in which a foot lies and one in which it rises a spline would swing below.
    for n in range(SOLES + 1, ANKLES, 3):
        out[n] = _within(out[n], rows[i, n], rows[j, n])
    for n in range(ANKLES, WORLD):
        out[n] = _within(out[n], rows[i, n], rows[j, n])
    for n in range(ANKLES, WORLD, 4):
        _unit_four(out, n)
    for n in range(TURNS, rows.shape[1], 4):
        _unit_four(out, n)


@inner_kernel
def _sole(heel, ball, turn, length):  # type: ignore[no-untyped-def]
    """Where a foot stands: x, height and z of the ball of its flat sole, its yaw, and how much
    of it the heel tells (else the ball)."""
    yaw = _foot_yaw(turn)
    by_heel = min(max((ball[1] - heel[1]) / (2.0 * _LEVEL_M) + 0.5, 0.0), 1.0)
    by_ball = 1.0 - by_heel
    return (
        by_heel * (heel[0] + length * math.sin(yaw)) + by_ball * ball[0],
        by_heel * heel[1] + by_ball * ball[1],
        by_heel * (heel[2] + length * math.cos(yaw)) + by_ball * ball[2],
        yaw,
        by_heel,
    )


@inner_kernel
def row_sole(row, foot, length):  # type: ignore[no-untyped-def]
    """x, z and yaw of a foot of a row, in the segment's frame."""
    at = SOLES + 6 * foot
    stands = _sole(triple(row, at), triple(row, at + 3), four(row, ANKLES + 8 * foot), length)
    return compose(triple(row, FRAME), (stands[0], stands[2], stands[3]))


@inner_kernel
def row_seat(row):  # type: ignore[no-untyped-def]
    """x, z and yaw of the pelvis of a row, in the segment's frame."""
    here = (row[ROOT], row[ROOT + 2], heading(four(row, TURNS)))
    return compose(triple(row, FRAME), here)


# ---- one pose -------------------------------------------------------------------------------


@inner_kernel
def _mix_foot(a, b, w, foot, body, targets, soles):  # type: ignore[no-untyped-def]
    """Write where a foot that is placed is between two rows.

    targets  (2, 11) ankle, its rotation, the toe's      soles  (2, 4) x, height, z, yaw
    """
    at, turned = SOLES + 6 * foot, ANKLES + 8 * foot
    heel, ball = (
        mix(triple(a, at), triple(b, at), w),
        mix(triple(a, at + 3), triple(b, at + 3), w),
    )
    ankle = slerp(four(b, turned), four(a, turned), w)
    toe = slerp(four(b, turned + 4), four(a, turned + 4), w)
    points = body[5][foot]
    stands = _sole(heel, ball, ankle, points[0, 3])
    from_heel = sub(heel, rotate(ankle, vector(points, 0)))
    bend = sub(ball, rotate(toe, vector(points, 2)))
    from_ball = sub(bend, rotate(ankle, vector(points, 1)))
    place = mix(from_heel, from_ball, stands[4])
    for i in range(3):
        targets[foot, i] = place[i]
    for i in range(4):
        targets[foot, 3 + i] = ankle[i]
        targets[foot, 7 + i] = toe[i]
        soles[foot, i] = stands[i]


@inner_kernel
def pose_joints(body, root, local, places, turns):  # type: ignore[no-untyped-def]
    """Fill the world places (J, 3) and turns (J, 4) of a pose."""
    parents, offsets = body[0], body[1]
    put(places, 0, root)
    put(turns, 0, quaternion(local, 0))
    for j in range(1, local.shape[0]):
        above = quaternion(turns, parents[j])
        put(places, j, add(vector(places, parents[j]), rotate(above, vector(offsets, j))))
        put(turns, j, multiply(above, quaternion(local, j)))


@inner_kernel
def part_mass(part, shift, body, places, turns):  # type: ignore[no-untyped-def]
    """What a leg (0, 1), or all but the legs (-1), adds to the centre of mass, moved by `shift`."""
    joint, share, centre, of_leg = body[6], body[7], body[8], body[9]
    total = (0.0, 0.0, 0.0)
    for s in range(len(joint)):
        if of_leg[s] == part:
            j = joint[s]
            here = add(vector(places, j), rotate(quaternion(turns, j), vector(centre, s)))
            total = add(total, scale(add(here, shift), share[s]))
    return total


@inner_kernel
def _solve_leg(foot, share, shift, body, free, made, targets, local):  # type: ignore[no-untyped-def]
    """Bring a foot by `share` to its target from a body moved by `shift`; writes its rotations.

    free   world places and turns without that; made  the same of the leg, filled
    Returns what stays off, metres.
    """
    parents, offsets, limb, toe = body[0], body[1], body[2][foot], body[3][foot]
    places, turns = free
    target = mix(triple(targets[foot], 0), add(vector(places, limb[2]), shift), share)
    turned = slerp(quaternion(turns, limb[2]), four(targets[foot], 3), share)
    bent = made[2]
    short = bend_limb(
        limb, parents, places, turns, shift, (1.0, 0.0, 0.0), target, turned, 0.0, bent
    )
    for i in range(3):
        put(local, limb[i], quaternion(bent, i))
    if toe >= 0:
        lies = slerp(quaternion(turns, toe), four(targets[foot], 7), share)
        put(local, toe, against(turned, lies))
    order = body[4]
    for n in range(order.shape[1]):
        j = order[foot, n]
        if j < 0:
            break
        p = parents[j]
        if n == 0:
            above, start = quaternion(turns, p), add(vector(places, p), shift)
        else:
            above, start = quaternion(made[1], p), vector(made[0], p)
        put(made[0], j, add(start, rotate(above, vector(offsets, j))))
        put(made[1], j, multiply(above, quaternion(local, j)))
    return short


@inner_kernel
def _meet_mass(wanted, left, right, body, memory, local):  # type: ignore[no-untyped-def]
    """How far the body has to move for its centre of mass to be where it is wanted, on its legs."""
    places, turns, made_places, made_turns, bent, targets = memory
    free, made = (places, turns), (made_places, made_turns, bent)
    shift = (0.0, 0.0, 0.0)
    for _ in range(_ROUNDS):
        total = part_mass(-1, shift, body, places, turns)
        for foot in range(2):
            placed = left if foot == 0 else right
            if placed > 0.0:
                _solve_leg(foot, placed, shift, body, free, made, targets, local)
                leg = part_mass(foot, (0.0, 0.0, 0.0), body, made_places, made_turns)
            else:
                leg = part_mass(foot, shift, body, places, turns)
            total = add(total, leg)
        off = sub(wanted, total)
        shift = add(shift, scale(off, _GAIN if left + right > 0.0 else 1.0))
        if dot(off, off) < _NEAR_M**2:
            break
    return shift


@inner_kernel
def _lift(a, b, left, right, shift, body, places, targets):  # type: ignore[no-untyped-def]
    """How much higher a body moved by `shift` must be for its knees not to bend out of turn.

    Who bows on straight legs and who stands on them have centres of mass on an arc; halfway on
    the line between them both knees would bend.
    """
    lift = 0.0
    for foot in range(2):
        placed, limb = left if foot == 0 else right, body[2][foot]
        if placed > 0.0:
            hip = add(vector(places, limb[0]), shift)
            free = add(vector(places, limb[2]), shift)
            leg = sub(hip, mix(triple(targets[foot], 0), free, placed))
            least = min(a[LEGS + foot], b[LEGS + foot]) - 2.0 * _SPARED_M
            upright = least * least - leg[0] * leg[0] - leg[2] * leg[2]
            more = math.sqrt(max(upright, 0.0)) - leg[1]
            if more > _SPARED_M:
                lift += placed * more
            elif more > -_SPARED_M:
                lift += placed * (more + _SPARED_M) ** 2 / (4.0 * _SPARED_M)
    return lift / max(left + right, 1.0)


@inner_kernel
def blend(a, b, w, left, right, seat, air, body, memory, local, soles):  # type: ignore[no-untyped-def]
    """The pose between two rows; returns its root and writes rotations and soles.

    w      the share of `a`
    left, right, seat  how much each is placed: 1 where it touches, else the joints alone decide
    air    1 where a flight begins or ends: there the centre of mass is exactly between the two
    memory   arrays to work in: world places and turns, the same of solved legs, (3, 4), (2, 11)
    local    (J, 4) filled: rotations against the parents
    soles    (2, 4) filled: where placed feet stand
    """
    places, turns, made_places, made_turns, bent, targets = memory
    for j in range(local.shape[0]):
        at = TURNS + 4 * j
        put(local, j, slerp(four(b, at), four(a, at), w))
    root = mix(triple(a, ROOT), triple(b, ROOT), w)
    pose_joints(body, root, local, places, turns)
    for foot in range(2):
        _mix_foot(a, b, w, foot, body, targets, soles)
    wanted = mix(triple(a, MASS), triple(b, MASS), w)
    shift = _meet_mass(wanted, left, right, body, memory, local)
    lift = (1.0 - air) * _lift(a, b, left, right, shift, body, places, targets)
    shift = scale(add(shift, (0.0, lift, 0.0)), 1.0 - seat)
    for foot in range(2):
        placed = left if foot == 0 else right
        if placed > 0.0:
            made = (made_places, made_turns, bent)
            _solve_leg(foot, placed, shift, body, (places, turns), made, targets, local)
    return add(root, shift)


@kernel
def stand_feet(heel, ball, turns, length, out):  # type: ignore[no-untyped-def]
    """Write x, z and yaw (F, 3) of where a foot stands: heel and ball (F, 3), turns (F, 4)."""
    for f in range(len(heel)):
        sole = _sole(vector(heel, f), vector(ball, f), quaternion(turns, f), length)
        out[f, 0], out[f, 1], out[f, 2] = sole[0], sole[2], sole[3]
