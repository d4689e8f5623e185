"""Compiled steps of on-line retargeting, many rigs at once. Import lazily (numba).

`carry_poses` puts the frame on the character as if it walked on flat ground at height 0 and says
where ground is asked for; `settle_poses` then holds feet, follows with the body and solves limbs.
"""

from __future__ import annotations

import math

from footfall.adapt.carry_kernels import carry_turns, pose_source
from footfall.adapt.online.foot_kernels import update_foot
from footfall.adapt.online.leg_kernels import leg_range, longest, solve_leg
from footfall.adapt.online.swing_kernels import (
    BALL_JOINT,
    BALL_POINT,
    HEEL_POINT,
    ask_ahead,
    ask_below,
    is_foreseen,
    keep_above,
    keep_apart,
    next_off,
    share_left,
    sink_ahead,
    spring,
)
from footfall.maths.jit_kernels import inner_kernel, lean_kernel
from footfall.maths.limb_kernels import bend_limb
from footfall.maths.vector_kernels import (
    add,
    against,
    exp_half,
    length,
    multiply,
    put,
    quaternion,
    rotate,
    scale,
    smooth,
    sub,
    unit,
    vector,
)

_ROUNDS = 8
_FARTHEST = 0.3
"""How far bodies give way to feet whose landings are foreseen, leg lengths."""
_BASE_S = 0.03
"""How quickly the body follows ground that is foreseen (half-life)."""
_BESIDE = 0.25
"""Feet nearer than this to each other, leg lengths, count as beside each other."""


# ----------------------------------------------------------------- carrying a frame over


@lean_kernel
def _carry_one(rigs, n, root, rotations, poses):  # type: ignore[no-untyped-def]
    """Source root (N, 3) and rotations (S, 4) onto the character, on flat ground (`transfer`)."""
    rig, places, turns = rigs.carry, poses.source_places, poses.source_turns
    pose_source(rig, vector(root, n), rotations, places, turns)
    world, local = poses.turns[n], poses.rotations[n]
    carry_turns(rig, rotations, places, turns, world, poses.places[n])
    for j in range(len(rigs.parents)):
        above = quaternion(world, rigs.parents[j]) if j > 0 else (1.0, 0.0, 0.0, 0.0)
        now = against(above, quaternion(world, j))
        # Signs follow the last frame's, as far as there was one.
        old = quaternion(local, j)
        if now[0] * old[0] + now[1] * old[1] + now[2] * old[2] + now[3] * old[3] < 0.0:
            now = (-now[0], -now[1], -now[2], -now[3])
        put(local, j, now)
    for k in range(2):
        put(poses.wrists[n], k, vector(places, rigs.source_wrists[k]))


@lean_kernel
def _place_one(rigs, n, poses):  # type: ignore[no-untyped-def]
    """The root's way scaled by the legs, then every joint's place."""
    hips = rigs.source_hips
    middle = scale(
        add(vector(poses.source_places, hips[0]), vector(poses.source_places, hips[1])), 0.5
    )
    height = (middle[1] - rigs.source_ankle_m) * rigs.factor + rigs.ankle_m
    way = rigs.way_factor
    arm = (rigs.middle[0], rigs.middle[1], rigs.middle[2])
    places, turns = poses.places[n], poses.turns[n]
    root = sub((middle[0] * way, height, middle[2] * way), rotate(quaternion(turns, 0), arm))
    put(poses.root, n, root)
    put(places, 0, root)
    for j in range(1, len(rigs.parents)):
        p = rigs.parents[j]
        offset = rotate(quaternion(turns, p), vector(rigs.offsets, j))
        put(places, j, add(vector(places, p), offset))


@lean_kernel
def _footprint_goal(rigs, feet, n, f, place, turn, poses):  # type: ignore[no-untyped-def]
    """How far, over the ground, the foot is from the source's; less the higher it is."""
    if rigs.exact == 0.0:
        return (0.0, 0.0, 0.0)
    joint = rigs.source_ankles[f]
    arm = rotate(quaternion(poses.source_turns, joint), vector(rigs.source_middles, f))
    theirs = add(vector(poses.source_places, joint), arm)
    sole = rigs.sole[f]
    middle = scale(add(vector(sole, HEEL_POINT), vector(sole, BALL_POINT)), 0.5)
    apart = sub(theirs, add(place, rotate(turn, middle)))
    return (apart[0] * feet.weight[n, f], 0.0, apart[2] * feet.weight[n, f])


@inner_kernel
def carry_poses(rigs, tuning, feet, bodies, root, rotations, poses, samples):  # type: ignore[no-untyped-def]
    """Put N source poses on the character; fill samples (N, 2, 3, 2): where ground is asked for.

    Samples are heel, ball joint and a point ahead of each foot, (x, z), as it would be unheld.
    """
    for n in range(len(root)):
        _carry_one(rigs, n, root, rotations[n], poses)
        _place_one(rigs, n, poses)
        for f in range(2):
            ankle = rigs.limbs[f, 2]
            place, turn = vector(poses.places[n], ankle), quaternion(poses.turns[n], ankle)
            fade = share_left(tuning, feet, n, f, feet.age[n, f] + tuning.dt)
            above = (place[1] - rigs.ankle_m) / tuning.near_m
            feet.weight[n, f] = 1.0 - smooth(above)
            rest = 1.0 - feet.weight[n, f]
            if feet.phase[n, f] == 0 and is_foreseen(feet, n, f):
                aim = add(place, next_off(tuning, feet, n, f))
            else:
                aim = add(place, scale(vector(feet.place_off[n], f), fade))
            aim = add(aim, scale(vector(bodies.shift, n), rest))
            put(feet.goal[n], f, _footprint_goal(rigs, feet, n, f, place, turn, poses))
            aim = add(aim, vector(feet.goal[n], f))
            aim = (aim[0] + feet.astray[n, f, 0], aim[1], aim[2] + feet.astray[n, f, 2])
            if tuning.foresees:
                turn = multiply(quaternion(feet.tilt[n], f), turn)
            turned = multiply(exp_half(scale(vector(feet.turn_off[n], f), fade)), turn)
            put(feet.aim[n], f, aim)
            put(feet.turn[n], f, turned)
            heel = add(aim, rotate(turned, vector(rigs.sole[f], HEEL_POINT)))
            row = BALL_POINT if tuning.foresees else BALL_JOINT
            ball = add(aim, rotate(turned, vector(rigs.sole[f], row)))
            speed = (0.0, 0.0, 0.0)
            if bodies.frames[n] > 0:
                speed = scale(sub(place, vector(feet.raw_place[n], f)), tuning.ahead_s / tuning.dt)
            there = add(ball, speed)
            for k, point in enumerate((heel, ball, there)):
                samples[n, f, k, 0], samples[n, f, k, 1] = point[0], point[2]
            if tuning.foresees:
                if feet.phase[n, f] != 0:
                    ask_below(rigs, feet, n, f, samples[n, f])
                if is_foreseen(feet, n, f):
                    ask_ahead(rigs, tuning, feet, n, f, ball, turned, samples[n, f])


# --------------------------------------------------------------------- moving the body


@lean_kernel
def _ground_between(rigs, feet, n, hips, samples):  # type: ignore[no-untyped-def]
    """The height at the hips of the line from the ground under one foot to that under the other."""
    ax, az = samples[0, BALL_POINT, 0], samples[0, BALL_POINT, 1]
    bx, bz = samples[1, BALL_POINT, 0] - ax, samples[1, BALL_POINT, 1] - az
    beside = (_BESIDE * rigs.legs_m[0]) ** 2  # who stands on the spot stands between both
    way = (hips[0] - ax) * bx + (hips[2] - az) * bz
    share = (way + 0.5 * beside) / (bx * bx + bz * bz + beside)
    share = min(max(share, 0.0), 1.0)
    return feet.level[n, 0] + share * (feet.level[n, 1] - feet.level[n, 0])


@lean_kernel
def _follow_base(rigs, tuning, feet, bodies, n, hips, samples):  # type: ignore[no-untyped-def]
    """The height of the ground that the body goes over, from that under its feet."""
    if tuning.foresees:
        goal = _ground_between(rigs, feet, n, hips, samples)
    else:
        total, weights = 0.0, 0.0
        for f in range(2):
            weight = 0.05 + smooth(feet.lock[n, f])
            total += weight * feet.level[n, f]
            weights += weight
        goal = total / weights
    if bodies.frames[n] == 0:
        bodies.base[n] = goal
    else:
        if tuning.foresees:
            goal -= bodies.sunk[n]
        half_life = _BASE_S if tuning.foresees else tuning.base_s
        bodies.base[n], bodies.base_speed[n] = spring(
            bodies.base[n], bodies.base_speed[n], goal, half_life, tuning.dt
        )


@lean_kernel
def _hand_goal(rigs, tuning, n, k, poses, source_objects, objects):  # type: ignore[no-untyped-def]
    """Where a hand is wanted, from its object, and how much that matters (Shin et al. 2001)."""
    if not math.isfinite(source_objects[n, k, 0] + objects[n, k, 0]):
        return (0.0, 0.0, 0.0), 0.0
    gap = sub(vector(poses.wrists[n], k), vector(source_objects[n], k))
    weight = 1.0 - smooth(length(gap) / tuning.hand_m)
    return add(vector(objects[n], k), scale(gap, rigs.factor)), weight


@lean_kernel
def _pull(rigs, tuning, feet, bodies, n, poses, aims):  # type: ignore[no-untyped-def]
    """Where the body should give way to legs that will soon be too short, before they are."""
    pull = (0.0, 0.0, 0.0)
    for f in range(2):
        limb = rigs.limbs[f]
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
        over = soon + more - longest(rigs, tuning, f, soon) + margin
        if over > 0.0:
            eased = over * over / (4.0 * margin) if over < 2.0 * margin else over - margin
            # A foot about to come down counts already, so that nothing drops when it does.
            share = 1.0 if feet.phase[n, f] != 0 else feet.weight[n, f]
            pull = add(pull, scale(unit(line), share * eased))
    return pull


@lean_kernel
def _move_body(rigs, tuning, feet, bodies, n, poses, aims, hand_aims, hand_weights):  # type: ignore[no-untyped-def]
    """Shift the root by the weighted offsets of feet and hands, smoothly, then within reach."""
    base = (0.0, bodies.base[n], 0.0)
    total, weights = (0.0, 0.0, 0.0), tuning.idle
    for f in range(2):
        raw = add(vector(poses.places[n], rigs.limbs[f, 2]), base)
        weight = max(smooth(feet.lock[n, f]), feet.weight[n, f])
        total = add(total, scale(sub(vector(aims, f), raw), weight))
        weights += weight
        raw = add(vector(poses.places[n], rigs.limbs[2 + f, 2]), base)
        total = add(total, scale(sub(vector(hand_aims, f), raw), hand_weights[f]))
        weights += hand_weights[f]
    goal = add(scale(total, 1.0 / weights), _pull(rigs, tuning, feet, bodies, n, poses, aims))
    if tuning.foresees:
        far = length(goal) / (_FARTHEST * rigs.legs_m[0])
        goal = scale(goal, 1.0 / max(far, 1.0))
    for i in range(3):
        if bodies.frames[n] == 0:
            bodies.shift[n, i] = goal[i]
        else:
            bodies.shift[n, i], bodies.shift_speed[n, i] = spring(
                bodies.shift[n, i], bodies.shift_speed[n, i], goal[i], tuning.body_s, tuning.dt
            )
    newer = 1 if feet.rank[n, 1] >= feet.rank[n, 0] else 0
    ranges = (leg_range(rigs, tuning, feet, n, 0), leg_range(rigs, tuning, feet, n, 1))
    for _ in range(_ROUNDS):
        moved = False
        for turn in range(2):
            f = 1 - newer if turn == 0 else newer  # the newer hold comes last and wins
            share = 1.0 if feet.phase[n, f] != 0 else feet.weight[n, f] ** 4
            hip = add(vector(poses.places[n], rigs.limbs[f, 0]), base)
            line = sub(vector(aims, f), add(hip, vector(bodies.shift, n)))
            least, most = ranges[f]
            over = length(line) - most
            if over < 0.0:
                over = min(length(line) - least, 0.0)
            if abs(over) > 1e-10 and share > 0.0:
                moved = True
                step = scale(unit(line), share * over)
                put(bodies.shift, n, add(vector(bodies.shift, n), step))
        if not moved:
            break


# ------------------------------------------------------------------------ solving the limbs


@lean_kernel
def _solve_arm(rigs, bodies, n, k, poses, goal, weight, solved):  # type: ignore[no-untyped-def]
    """Bring the wrist as far to its goal as it matters, turned as it is."""
    limb, places = rigs.limbs[2 + k], poses.places[n]
    shift = vector(bodies.shift, n)
    shift = (shift[0], shift[1] + bodies.base[n], shift[2])
    now = add(vector(places, limb[2]), shift)
    aim = add(now, scale(sub(goal, now), weight))
    bend_limb(
        limb, rigs.parents, places, poses.turns[n], shift, vector(rigs.hinges, 2 + k), aim,
        quaternion(poses.turns[n], limb[2]), 0.0, solved,
    )  # fmt: skip
    for i in range(3):
        put(poses.rotations[n], limb[i], quaternion(solved, i))


@inner_kernel
def settle_poses(  # type: ignore[no-untyped-def]
    rigs, tuning, feet, bodies, contacts, samples, heights, normals, source_objects, objects,
    poses,
):  # fmt: skip
    """Hold the feet of N carried poses on the ground, let the bodies follow, solve the limbs.

    contacts (N, 4) heel and toe of the left, of the right foot; heights (N, 2, 3) and normals
    (N, 2, 3) of the ground at `samples`; objects (N, 2, 3) what the hands reach for, not a number
    for none. Root and rotations of `poses` are what comes out.
    """
    aims, turned, hand_aims = poses.aims, poses.turned, poses.hand_aims
    hand_weights, solved = poses.hand_weights, poses.solved
    for n in range(len(contacts)):
        old = vector(bodies.shift, n)
        for f in range(2):
            aim = update_foot(
                rigs, tuning, feet, bodies, n, f, contacts[n, 2 * f], contacts[n, 2 * f + 1],
                poses, samples[n, f], heights[n, f], vector(normals[n], f), turned,
            )  # fmt: skip
            put(aims, f, aim)
            goal, weight = _hand_goal(rigs, tuning, n, f, poses, source_objects, objects)
            put(hand_aims, f, goal)
            hand_weights[f] = weight
        if tuning.foresees:
            sink_ahead(rigs, tuning, feet, bodies, n, poses, samples[n], heights[n])
        _follow_base(rigs, tuning, feet, bodies, n, vector(poses.root, n), samples[n])
        _move_body(rigs, tuning, feet, bodies, n, poses, aims, hand_aims, hand_weights)
        change = sub(vector(bodies.shift, n), old)
        for f in range(2):
            aim = free = vector(aims, f)
            if feet.phase[n, f] == 0:  # a swinging foot goes along with its body as far as it may
                rest = scale(change, 1.0 - feet.weight[n, f])
                aim = free = add(aim, rest)
                put(feet.free[n], f, add(vector(feet.free[n], f), rest))
                if is_foreseen(feet, n, f):
                    aim = keep_apart(rigs, tuning, feet, n, f, aim, quaternion(poses.turns[n], 0))
                    aim = keep_above(
                        rigs,
                        tuning,
                        feet,
                        n,
                        f,
                        aim,
                        quaternion(turned, f),
                        samples[n, f],
                        heights[n, f],
                    )
            solve_leg(
                rigs, tuning, feet, bodies, n, f, poses, free, aim, quaternion(turned, f),
                samples[n, f], heights[n, f], solved,
            )  # fmt: skip
            if hand_weights[f] > 0.0:
                _solve_arm(rigs, bodies, n, f, poses, vector(hand_aims, f), hand_weights[f], solved)
        shift = vector(bodies.shift, n)
        root = add(vector(poses.root, n), (shift[0], shift[1] + bodies.base[n], shift[2]))
        put(poses.root, n, root)
        bodies.frames[n] += 1


@lean_kernel
def step(  # type: ignore[no-untyped-def]
    carries, settles, rigs, tuning, feet, bodies, root, rotations, contacts, samples, heights,
    normals, source_objects, objects, poses,
):  # fmt: skip
    """`carry_poses`, `settle_poses` or both in one call, where nobody is asked about the ground.

    The only way in from Python: unpacking so many arrays is much of what is compiled.
    """
    if carries:
        carry_poses(rigs, tuning, feet, bodies, root, rotations, poses, samples)
    if settles:
        settle_poses(
            rigs, tuning, feet, bodies, contacts, samples, heights, normals, source_objects,
            objects, poses,
        )  # fmt: skip
