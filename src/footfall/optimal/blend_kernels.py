"""Compiled mixing of two poses of one contact phase. Import lazily: it brings in numba.

Poses are rows of numbers (see `interpolate.py`), in coordinates of the *feet frame*: its origin is
midway between both soles, its heading midway between theirs. It does not change while both feet
stand, so that feet that stand in both segments stand in what lies between.

`body` is an `interpolate.BlendBody`, `work` an `interpolate.BlendWork` for it.
"""

from __future__ import annotations

import math

from footfall.body.kernels import world_poses
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
HIP, KNEE, ANKLE, TOE, WRIST, PELVIS = range(6)
"""Columns of `body.limbs`."""
HEEL, BALL_JOINT, BALL, PALM, LENGTHS = range(5)
"""Rows of `body.points`: heel and ball joint from the ankle, ball from the ball joint, what the
hand holds from the wrist; then the length of the sole."""
_TARGET, _ANKLE, _TOE, SOLE = 0, 3, 7, 11
"""Where things begin in a row of `work.feet`: the ankle's place, the rotations of ankle and toe,
and where the foot stands (x, height, z, yaw)."""
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
def mix(a, b, w):  # type: ignore[no-untyped-def]
    u = 1.0 - w
    return (w * a[0] + u * b[0], w * a[1] + u * b[1], w * a[2] + u * b[2])


@inner_kernel
def heading(turn):  # type: ignore[no-untyped-def]
    """Where something turned by `turn` faces."""
    ahead = rotate(turn, (0.0, 0.0, 1.0))
    return math.atan2(ahead[0], ahead[2])


# ---- rows -----------------------------------------------------------------------------------


@inner_kernel
def triple(row, at):  # type: ignore[no-untyped-def]
    return (row[at], row[at + 1], row[at + 2])


@inner_kernel
def four(row, at):  # type: ignore[no-untyped-def]
    return (row[at], row[at + 1], row[at + 2], row[at + 3])


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
    for m in range(4 + WORLD - ANKLES):  # heights of the soles, rotations of ankles and toes
        n = SOLES + 1 + 3 * m if m < 4 else ANKLES + m - 4
        low, high = min(rows[i, n], rows[j, n]), max(rows[i, n], rows[j, n])
        out[n] = min(max(out[n], low), high)
    for m in range(4 + (rows.shape[1] - TURNS) // 4):
        n = ANKLES + 4 * m if m < 4 else TURNS + 4 * (m - 4)
        size = 0.0
        for q in range(n, n + 4):
            size += out[q] * out[q]
        size = 1.0 / math.sqrt(size)
        for q in range(n, n + 4):
            out[q] *= size


@inner_kernel
def _sole(heel, ball, turn, length):  # type: ignore[no-untyped-def]
    """Where a foot stands: x, height and z of the ball of its flat sole, its yaw, and how much
    of it the heel tells (else the ball)."""
    # From the axis across it a foot's yaw is known however far its heel is up.
    across = rotate(turn, (1.0, 0.0, 0.0))
    yaw = math.atan2(-across[2], across[0])
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
def row_anchor(row, side, body):  # type: ignore[no-untyped-def]
    """x, z and yaw of a foot of a row, or of the pelvis (side -1), in the segment's frame."""
    if side < 0:
        here = (row[ROOT], row[ROOT + 2], heading(four(row, TURNS)))
    else:
        at = SOLES + 6 * side
        length = body.points[side, LENGTHS, 0]
        stands = _sole(triple(row, at), triple(row, at + 3), four(row, ANKLES + 8 * side), length)
        here = (stands[0], stands[2], stands[3])
    return compose(triple(row, FRAME), here)


# ---- one pose -------------------------------------------------------------------------------


@inner_kernel
def pose_body(root, body, work):  # type: ignore[no-untyped-def]
    """Fill the world poses of `work.local` with its root at a place, and where its masses are."""
    put(work.root, 0, root)
    world_poses(body.parents, body.offsets, work.root, work.local, work.places[:1], work.turns[:1])
    places, turns = work.places[0], work.turns[0]
    for s in range(len(body.parts)):
        part = body.parts[s]
        arm = rotate(quaternion(turns, part.joint), (part.x, part.y, part.z))
        put(work.masses, s, add(vector(places, part.joint), arm))


@inner_kernel
def centre_of_mass(shift, placed, body, work):  # type: ignore[no-untyped-def]
    """The centre of mass of a body moved by `shift`, with the legs solved that are placed."""
    trunk, left, right = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for s in range(len(body.parts)):
        part = body.parts[s]
        if part.group >= 0 and placed[part.group] > 0.0:
            arm = rotate(quaternion(work.turns[1], part.joint), (part.x, part.y, part.z))
            here = add(vector(work.places[1], part.joint), arm)
        else:
            here = add(vector(work.masses, s), shift)
        here = scale(here, part.size)
        if part.group < 0:
            trunk = add(trunk, here)
        elif part.group == 0:
            left = add(left, here)
        else:
            right = add(right, here)
    return add(add(trunk, left), right)


@inner_kernel
def _aim_foot(a, b, w, side, share, body, work):  # type: ignore[no-untyped-def]
    """Write where a foot that is placed by `share` is to be between two rows: `work.feet`."""
    at, turned = SOLES + 6 * side, ANKLES + 8 * side
    heel, ball = (
        mix(triple(a, at), triple(b, at), w),
        mix(triple(a, at + 3), triple(b, at + 3), w),
    )
    ankle = slerp(four(b, turned), four(a, turned), w)
    toe = slerp(four(b, turned + 4), four(a, turned + 4), w)
    points, out = body.points[side], work.feet[side]
    stands = _sole(heel, ball, ankle, points[LENGTHS, 0])
    from_heel = sub(heel, rotate(ankle, vector(points, HEEL)))
    bend = sub(ball, rotate(toe, vector(points, BALL)))
    from_ball = sub(bend, rotate(ankle, vector(points, BALL_JOINT)))
    place = mix(from_heel, from_ball, stands[4])
    if share > 0.0:
        ankle = slerp(quaternion(work.turns[0], body.limbs[side, ANKLE]), ankle, share)
        if body.limbs[side, TOE] >= 0:
            toe = slerp(quaternion(work.turns[0], body.limbs[side, TOE]), toe, share)
    for i in range(3):
        out[_TARGET + i] = place[i]
    for i in range(4):
        out[_ANKLE + i], out[_TOE + i], out[SOLE + i] = ankle[i], toe[i], stands[i]


@inner_kernel
def _solve_leg(side, share, shift, body, work):  # type: ignore[no-untyped-def]
    """Bring a foot by `share` to its target from a body moved by `shift`.

    Writes its rotations, and the world poses of the leg (`work.places[1]`, `work.turns[1]`).
    """
    limb, foot, local = body.limbs[side], work.feet[side], work.local[0]
    free, turns, solved, solved_turns = work.places[0], work.turns[0], work.places[1], work.turns[1]
    target = mix(triple(foot, _TARGET), add(vector(free, limb[ANKLE]), shift), share)
    turned = four(foot, _ANKLE)
    bend_limb(
        limb, body.parents, free, turns, shift, (1.0, 0.0, 0.0), target, turned, 0.0, work.bent
    )
    for i in range(3):
        put(local, limb[i], quaternion(work.bent, i))
    if limb[TOE] >= 0:
        put(local, limb[TOE], against(turned, four(foot, _TOE)))
    for n in range(body.order.shape[1]):
        j = body.order[side, n]
        if j < 0:
            break
        p = body.parents[j]
        if n == 0:
            above, start = quaternion(turns, p), add(vector(free, p), shift)
        else:
            above, start = quaternion(solved_turns, p), vector(solved, p)
        put(solved, j, add(start, rotate(above, vector(body.offsets, j))))
        put(solved_turns, j, multiply(above, quaternion(local, j)))


@inner_kernel
def _lift(a, b, placed, shift, body, work):  # type: ignore[no-untyped-def]
    """How much higher a body moved by `shift` must be for its knees not to bend out of turn.

    Who bows on straight legs and who stands on them have centres of mass on an arc; halfway on
    the line between them both knees would bend.
    """
    lift, places = 0.0, work.places[0]
    for side in range(2):
        limb, share = body.limbs[side], placed[side]
        if share > 0.0:
            hip = add(vector(places, limb[HIP]), shift)
            free = add(vector(places, limb[ANKLE]), shift)
            leg = sub(hip, mix(triple(work.feet[side], _TARGET), free, share))
            least = min(a[LEGS + side], b[LEGS + side]) - 2.0 * _SPARED_M
            upright = least * least - leg[0] * leg[0] - leg[2] * leg[2]
            more = math.sqrt(max(upright, 0.0)) - leg[1]
            if more > _SPARED_M:
                lift += share * more
            elif more > -_SPARED_M:
                lift += share * (more + _SPARED_M) ** 2 / (4.0 * _SPARED_M)
    return lift / max(placed[0] + placed[1], 1.0)


@inner_kernel
def blend(a, b, w, placed, body, work):  # type: ignore[no-untyped-def]
    """The pose between two rows; returns its root, writes `work.local` and soles (`work.feet`).

    w       the share of `a`
    placed  how much the left foot, the right foot and the seat are placed: 1 where they touch,
            else the joints alone decide; and 1 where a flight begins or ends: there the centre of
            mass is exactly between the two
    """
    local = work.local[0]
    for j in range(local.shape[0]):
        at = TURNS + 4 * j
        put(local, j, slerp(four(b, at), four(a, at), w))
    root = mix(triple(a, ROOT), triple(b, ROOT), w)
    pose_body(root, body, work)
    for side in range(2):
        _aim_foot(a, b, w, side, placed[side], body, work)
    # Move the body until its centre of mass is where it is wanted, on its legs.
    wanted = mix(triple(a, MASS), triple(b, MASS), w)
    shift, met = (0.0, 0.0, 0.0), False
    gain = _GAIN if placed[0] + placed[1] > 0.0 else 1.0
    for turn in range(_ROUNDS + 1):
        if met or turn == _ROUNDS:
            met = True
            lift = (1.0 - placed[3]) * _lift(a, b, placed, shift, body, work)
            shift = scale(add(shift, (0.0, lift, 0.0)), 1.0 - placed[2])
        for side in range(2):
            if placed[side] > 0.0:
                _solve_leg(side, placed[side], shift, body, work)
        if met:
            break
        off = sub(wanted, centre_of_mass(shift, placed, body, work))
        shift = add(shift, scale(off, gain))
        met = dot(off, off) < _NEAR_M**2
    return add(root, shift)


@kernel
def stand_feet(heel, ball, turns, length, out):  # type: ignore[no-untyped-def]
    """Write x, z and yaw (F, 3) of where a foot stands: heel and ball (F, 3), turns (F, 4)."""
    for f in range(len(heel)):
        sole = _sole(vector(heel, f), vector(ball, f), quaternion(turns, f), length)
        out[f, 0], out[f, 1], out[f, 2] = sole[0], sole[2], sole[3]
