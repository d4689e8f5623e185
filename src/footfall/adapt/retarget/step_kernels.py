"""Compiled steps of on-line retargeting, many rigs at once. Import lazily (numba).

`carry_poses` puts the frame on the character as if it walked on flat ground at height 0 and says
where ground is asked for; `settle_poses` then holds feet, follows with the body and solves limbs.
"""

from __future__ import annotations

import math

from footfall.adapt.retarget.carry_kernels import carry_turns
from footfall.adapt.retarget.foot_kernels import update_foot
from footfall.adapt.retarget.leg_kernels import leg_range, longest, solve_leg
from footfall.adapt.retarget.state import RigPose
from footfall.adapt.retarget.swing_kernels import (
    BALL_POINT,
    HEEL_POINT,
    ask_ahead,
    is_foreseen,
    keep_above,
    keep_apart,
    let_go,
    share_left,
    sink_ahead,
    spring,
)
from footfall.body.kernels import place_pose
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
    write,
    wxyz,
    xyz,
    yaw,
)

_ROUNDS = 8


# ----------------------------------------------------------------- carrying a frame over


@lean_kernel
def _carry_pose(rigs, body, root, rotations, source, pose):  # type: ignore[no-untyped-def]
    """Put source root and rotations (S, 4) on the character, on flat ground (`transfer`).

    Fills its pose and returns where its root is, whose way is scaled by the legs.
    """
    carry, rig, theirs = rigs.carry, rigs.fixed[0], source.places
    place_pose(carry.source_parents, carry.source_offsets, root, rotations, theirs, source.turns)
    places, turns, local = pose.places, pose.turns, pose.rotations
    carry_turns(carry, rotations, theirs, source.turns, turns, places)
    middle = add(vector(theirs, rig.source_hips[0]), vector(theirs, rig.source_hips[1]))
    middle = scale(middle, 0.5)
    height = (middle[1] - rig.source_ankle_m) * rig.factor + rig.ankle_m
    at = (middle[0] * rig.way_factor, height, middle[2] * rig.way_factor)
    at = sub(at, rotate(quaternion(turns, 0), xyz(rig.middle)))
    for j in range(len(pose.parents)):
        p, above, place = pose.parents[j], (1.0, 0.0, 0.0, 0.0), at
        if j > 0:
            above = quaternion(turns, p)
            place = add(vector(places, p), rotate(above, vector(rigs.offsets, j)))
        put(places, j, place)
        now = against(above, quaternion(turns, j))
        # Signs follow the last frame's, as far as there was one.
        old = quaternion(local, j)
        if now[0] * old[0] + now[1] * old[1] + now[2] * old[2] + now[3] * old[3] < 0.0:
            now = (-now[0], -now[1], -now[2], -now[3])
        put(local, j, now)
    for k in range(2):
        put(body.wrists, k, vector(theirs, rig.source_wrists[k]))
    return at


@lean_kernel
def _aim_foot(rig, foot, body, f, source, pose):  # type: ignore[no-untyped-def]
    """Fill where a foot would go unheld, and where ground is asked for.

    That is (x, z) of its heel, its ball and a point ahead of it, or where it will come down.
    """
    ankle, sole = rig.limbs[f, 2], rig.sole[f]
    place, turn = vector(pose.places, ankle), quaternion(pose.turns, ankle)
    fade = share_left(rig, foot, foot.age + rig.dt)
    foot.weight = 1.0 - smooth((place[1] - rig.ankle_m) / (rig.near * rig.leg_m))
    rest = 1.0 - foot.weight
    aim = scale(xyz(foot.place_off), fade)
    if foot.phase == 0 and is_foreseen(foot):
        aim, _ = let_go(rig, foot, xyz(foot.off_speed))
    aim = add(add(place, aim), scale(xyz(body.shift), rest))
    if rig.exact:
        # How far, over the ground, the foot is from the source's; less the higher it is.
        joint = rig.source_ankles[f]
        arm = rotate(quaternion(source.turns, joint), vector(rig.source_middles, f))
        middle = scale(add(vector(sole, HEEL_POINT), vector(sole, BALL_POINT)), 0.5)
        apart = sub(add(vector(source.places, joint), arm), add(place, rotate(turn, middle)))
        write(foot.goal, (apart[0] * foot.weight, 0.0, apart[2] * foot.weight))
    aim = add(aim, xyz(foot.goal))
    aim = (aim[0] + foot.astray[0], aim[1], aim[2] + foot.astray[2])
    turn = multiply(wxyz(foot.tilt), turn)
    turned = multiply(exp_half(scale(xyz(foot.turn_off), fade)), turn)
    write(foot.aim, aim)
    write(foot.turn, turned)
    heel = add(aim, rotate(turned, vector(sole, HEEL_POINT)))
    ball = add(aim, rotate(turned, vector(sole, BALL_POINT)))
    speed = (0.0, 0.0, 0.0)
    if body.frames > 0:
        speed = scale(sub(place, xyz(foot.raw_place)), rig.ahead_s / rig.dt)
    for k, point in enumerate((heel, ball, add(ball, speed))):
        foot.samples[k, 0], foot.samples[k, 1] = point[0], point[2]
    if foot.phase != 0:  # under a held foot, as if it lay there flat
        level = multiply(wxyz(foot.tilt), yaw(wxyz(foot.out_turn)))
        arm = vector(sole, foot.pivot)
        for k in range(2):
            point = add(xyz(foot.spot), rotate(level, sub(vector(sole, k), arm)))
            foot.samples[k, 0], foot.samples[k, 1] = point[0], point[2]
    if is_foreseen(foot):
        ask_ahead(rig, foot, f, ball, turned)


@inner_kernel
def carry_poses(rigs, feet, bodies, root, rotations, poses):  # type: ignore[no-untyped-def]
    """Put N source poses on the character, and fill where ground is asked for."""
    rig, source = rigs.fixed[0], poses.source
    for n in range(len(root)):
        body = bodies[n]
        pose = RigPose(rigs.parents, poses.places[n], poses.turns[n], poses.rotations[n])
        put(poses.root, n, _carry_pose(rigs, body, vector(root, n), rotations[n], source, pose))
        for f in range(2):
            _aim_foot(rig, feet[n, f], body, f, source, pose)


# --------------------------------------------------------------------- moving the body


@lean_kernel
def _follow_base(rig, feet, body, hips):  # type: ignore[no-untyped-def]
    """The height of the ground that the body goes over.

    It is that at the hips of the line from the ground under one foot to that under the other.
    """
    left, right = feet[0].samples[BALL_POINT], feet[1].samples[BALL_POINT]
    ax, az = left[0], left[1]
    bx, bz = right[0] - ax, right[1] - az
    beside = (rig.beside * rig.legs_m[0]) ** 2  # who stands on the spot stands between both
    way = (hips[0] - ax) * bx + (hips[2] - az) * bz
    share = (way + 0.5 * beside) / (bx * bx + bz * bz + beside)
    share = min(max(share, 0.0), 1.0)
    goal = feet[0].level + share * (feet[1].level - feet[0].level)
    if body.frames == 0:
        body.base = goal
    else:
        goal -= body.sunk
        body.base, body.base_speed = spring(body.base, body.base_speed, goal, rig.base_s, rig.dt)


@lean_kernel
def _pull(rig, feet, body, places):  # type: ignore[no-untyped-def]
    """Where the body should give way to legs that will soon be too short, before they are."""
    pull = (0.0, 0.0, 0.0)
    for f in range(2):
        foot, limb = feet[f], rig.limbs[f]
        hip = vector(places, limb[0])
        own = length(sub(vector(places, limb[2]), hip))
        rate = 0.0 if body.frames == 0 else (own - foot.stretch) / rig.dt
        foot.stretch = own
        start = add(add(hip, xyz(body.shift)), (0.0, body.base, 0.0))
        line = sub(vector(body.aims, f), start)
        more = length(line) - own
        if more <= 0.0:  # the source's leg is as long: it will do what that does
            continue
        soon = own + 0.5 * rig.body_smoothing_s * max(rate, 0.0)
        margin = min(rig.margin * rig.leg_m, 2.0 * more)
        over = soon + more - longest(rig, f, soon) + margin
        if over > 0.0:
            eased = over * over / (4.0 * margin) if over < 2.0 * margin else over - margin
            # A foot about to come down counts already, so that nothing drops when it does.
            share = 1.0 if foot.phase != 0 else foot.weight
            pull = add(pull, scale(unit(line), share * eased))
    return pull


@lean_kernel
def _move_body(rig, feet, body, places):  # type: ignore[no-untyped-def]
    """Shift the root by the weighted offsets of feet and hands, smoothly, then within reach."""
    base = (0.0, body.base, 0.0)
    total, weights = (0.0, 0.0, 0.0), rig.idle
    for f in range(2):
        raw = add(vector(places, rig.limbs[f, 2]), base)
        weight = max(smooth(feet[f].lock), feet[f].weight)
        total = add(total, scale(sub(vector(body.aims, f), raw), weight))
        weights += weight
        raw = add(vector(places, rig.limbs[2 + f, 2]), base)
        # Where a hand is wanted, and how much that matters (Shin et al. 2001).
        aim, weight = (0.0, 0.0, 0.0), 0.0
        if math.isfinite(body.source_objects[f, 0] + body.objects[f, 0]):
            gap = sub(vector(body.wrists, f), vector(body.source_objects, f))
            weight = 1.0 - smooth(length(gap) / (rig.hand * rig.leg_m))
            aim = add(vector(body.objects, f), scale(gap, rig.factor))
        put(body.hand_aims, f, aim)
        body.hand_weights[f] = weight
        total = add(total, scale(sub(aim, raw), weight))
        weights += weight
    goal = add(scale(total, 1.0 / weights), _pull(rig, feet, body, places))
    far = length(goal) / (rig.farthest * rig.legs_m[0])
    goal = scale(goal, 1.0 / max(far, 1.0))
    for i in range(3):
        if body.frames == 0:
            body.shift[i] = goal[i]
        else:
            body.shift[i], body.shift_speed[i] = spring(
                body.shift[i], body.shift_speed[i], goal[i], 0.5 * rig.body_smoothing_s, rig.dt
            )
    newer = 1 if feet[1].rank >= feet[0].rank else 0
    ranges = (leg_range(rig, feet[0], 0), leg_range(rig, feet[1], 1))
    for _ in range(_ROUNDS):
        moved = False
        for turn in range(2):
            f = 1 - newer if turn == 0 else newer  # the newer hold comes last and wins
            share = 1.0 if feet[f].phase != 0 else feet[f].weight ** 4
            hip = add(vector(places, rig.limbs[f, 0]), base)
            line = sub(vector(body.aims, f), add(hip, xyz(body.shift)))
            least, most = ranges[f]
            over = length(line) - most
            if over < 0.0:
                over = min(length(line) - least, 0.0)
            if abs(over) > 1e-10 and share > 0.0:
                moved = True
                step = scale(unit(line), share * over)
                write(body.shift, add(xyz(body.shift), step))
        if not moved:
            break


# ------------------------------------------------------------------------ solving the limbs


@lean_kernel
def _solve_arm(rig, body, k, pose):  # type: ignore[no-untyped-def]
    """Bring the wrist as far to its goal as it matters, turned as it is."""
    limb, places = rig.limbs[2 + k], pose.places
    shift = (body.shift[0], body.shift[1] + body.base, body.shift[2])
    now = add(vector(places, limb[2]), shift)
    aim = add(now, scale(sub(vector(body.hand_aims, k), now), body.hand_weights[k]))
    bend_limb(
        limb, pose.parents, places, pose.turns, shift, vector(rig.hinges, 2 + k), aim,
        quaternion(pose.turns, limb[2]), 0.0, body.solved,
    )  # fmt: skip
    for i in range(3):
        put(pose.rotations, limb[i], quaternion(body.solved, i))


@inner_kernel
def settle_poses(rigs, feet, bodies, poses):  # type: ignore[no-untyped-def]
    """Hold the feet of N carried poses on the ground, let the bodies follow, solve the limbs.

    Touches, heights and normal of each foot say what it stands on; objects of each body what its
    hands reach for, not a number for none. Root and rotations of `poses` are what comes out.
    """
    rig = rigs.fixed[0]
    for n in range(len(bodies)):
        body, pair = bodies[n], feet[n]
        pose = RigPose(rigs.parents, poses.places[n], poses.turns[n], poses.rotations[n])
        old = xyz(body.shift)
        for f in range(2):
            ankle = rig.limbs[f, 2]
            raw, raw_turn = vector(pose.places, ankle), quaternion(pose.turns, ankle)
            aim, turned = update_foot(rig, pair[f], body, f, raw, raw_turn)
            put(body.aims, f, aim)
            put(body.turned, f, turned)
        sink_ahead(rig, pair, body, pose.places)
        _follow_base(rig, pair, body, vector(poses.root, n))
        _move_body(rig, pair, body, pose.places)
        change = sub(xyz(body.shift), old)
        for f in range(2):
            foot, turned = pair[f], quaternion(body.turned, f)
            aim = free = vector(body.aims, f)
            if foot.phase == 0:  # a swinging foot goes along with its body as far as it may
                rest = scale(change, 1.0 - foot.weight)
                aim = free = add(aim, rest)
                write(foot.free, add(xyz(foot.free), rest))
                if is_foreseen(foot):  # clear of the ground and of the other leg
                    aim = keep_apart(rig, foot, pair[1 - f], f, aim, quaternion(pose.turns, 0))
                    aim = keep_above(rig, foot, f, aim, turned)
            solve_leg(rig, foot, body, f, pose, free, aim, turned)
            if body.hand_weights[f] > 0.0:
                _solve_arm(rig, body, f, pose)
        shift = xyz(body.shift)
        root = add(vector(poses.root, n), (shift[0], shift[1] + body.base, shift[2]))
        put(poses.root, n, root)
        body.frames += 1


@lean_kernel
def step(carries, settles, rigs, feet, bodies, root, rotations, poses):  # type: ignore[no-untyped-def]
    """Run `carry_poses`, `settle_poses` or both: between them ground may be asked for."""
    if carries:
        carry_poses(rigs, feet, bodies, root, rotations, poses)
    if settles:
        settle_poses(rigs, feet, bodies, poses)
