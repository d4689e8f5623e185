"""Steps made without a recording: from one pose to another elsewhere, with planted feet.

It serves where clips have none: short ways, turns on the spot, walks that nobody recorded the
beginning or the end of. Poses are the caller's, so that the body keeps its own posture; feet go
from footprint to footprint (`footsteps`), heel first off the ground; the body shifts its weight
over the foot that stands and turns with the feet, the head before it; legs are solved in closed
form. Where the motion before or after is under way, its velocities are met and die away.
"""

from __future__ import annotations

import math

import numpy as np

from footfall.adapt.feet import constants
from footfall.adapt.feet.legs import solve_leg
from footfall.adapt.steps.foot_paths import FADE_S, FootPath, PoseState, foot_path, pose_state
from footfall.adapt.steps.footsteps import FAST_M_S, LEAD_S, Footsteps, plan_footsteps
from footfall.body.clip import TOUCH_PARTS, Clip
from footfall.body.feet import Foot, foot_of, mean_leg
from footfall.body.kinematics import WorldPoses, forward_kinematics
from footfall.body.roles import SIDES
from footfall.body.skeleton import Skeleton
from footfall.maths import planar
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats
from footfall.maths.easing import fading_slope, quintic_through, smootherstep
from footfall.maths.filters import running_max, smooth_gaussian

_SHIFT = 0.4
"""How far towards the foot that stands the body goes, of half the distance between the feet."""
_BODY_S, _TURN_S, _LEADS_S = 0.15, 0.2, 0.06
"""How slowly the body follows its feet, and turns with them, and how long before them it does."""
_LEAST_SPEED, _HURRY, _SLOWEST = math.radians(60.0), 1.25, 1.5
"""Joints may turn at least this fast; this many times faster than they should is hurried, and
steps take this many times as long at most."""
_LOOK_S, _LOOKS = 0.16, (("spine", 0.15), ("chest", 0.3), ("neck", 0.3), ("head", 0.35))
"""So long before the hips the trunk and the head turn, and what share of it each joint does."""
_SWINGS = 0.3
"""How far an arm swings, radians per metre that the other foot is ahead."""
_SINK_S = 0.45
_PRE_BEND, _PRE_BEND_S = math.radians(25.0), (0.4, 0.12)
"""How far knees are bent before they are solved, and over how long at ends that stand or move."""


def make_steps(
    begin: Clip, end: Clip, *, name: str = "steps", most_speeds: Floats | None = None,
    longer: float = 1.0, first: int | None = None,
) -> Clip:  # fmt: skip
    """Steps from the last frame of `begin` to the first frame of `end`, where they are.

    most_speeds  (J,) radians a second that no joint should exceed by much: steps from one stand
                 to another take longer for it, up to half as long again
    longer, first  how many times as long as usual strides may be, and the foot (0 left, 1 right)
                 that steps first between two stands

    Both may be single frames that stand, or motions: then their velocities are met. The first
    frame is that of `begin`, the last that of `end`; contacts are those of the steps.
    """
    made = _make(begin, end, name, 1.0, longer, first)
    if most_speeds is None:
        return made
    hurry = float((peak_speeds(made) / np.maximum(most_speeds, _LEAST_SPEED)).max())
    if hurry <= _HURRY:
        return made
    return _make(begin, end, name, min(hurry / _HURRY, _SLOWEST), longer, first)


def peak_speeds(clip: Clip) -> Floats:
    """Return (J,) the fastest that each joint turns against its parent, radians a second."""
    turns = quat.angle_between(clip.rotations[:-1], clip.rotations[1:])
    return np.asarray(turns.max(axis=0) * clip.fps)


def _make(
    begin: Clip, end: Clip, name: str, slower: float, longer: float, first: int | None
) -> Clip:
    skeleton, fps = begin.skeleton, begin.fps
    feet = [foot_of(skeleton, side) for side in SIDES]
    states = pose_state(begin, -1, feet), pose_state(end, 0, feet)
    leg_m = mean_leg(skeleton)
    steps = plan_footsteps(states[0].footing, states[1].footing, leg_m, slower, longer, first)
    frames = max(round(steps.seconds * fps), 2) + 1
    times = np.arange(frames) / fps
    level = min(
        float(state.balls[k, 1] - (foot.ball_joint[1] - foot.ball[1]))
        for state in states if not state.moving or all(s.moving for s in states)
        for k, foot in enumerate(feet)
    )  # fmt: skip
    paths = [foot_path(k, feet[k], steps, states, times, level, leg_m) for k in range(2)]
    root, yaw = _body(paths, steps, states, times, fps)
    rotations = _postures(skeleton, paths, states, times, yaw, fps)
    rotations[:, 0] = _hips(states, times, yaw)
    runs = any(state.footing.speed > FAST_M_S for state in states)
    root[:, 1] -= _pelvis_drop(skeleton, root, rotations, feet, paths, fps, runs)
    _solve_legs(skeleton, root, rotations, feet, paths, states, yaw, times)
    contacts = np.concatenate([path.contacts for path in paths], axis=1)
    return Clip(
        skeleton, fps, root, quat.continuous(rotations), name=name, contacts=contacts,
        touches=np.zeros((len(root), len(TOUCH_PARTS)), np.bool_),
    )  # fmt: skip


# ---- body -------------------------------------------------------------------------------


def _body(
    paths: list[FootPath], steps: Footsteps, states: tuple[PoseState, PoseState], times: Floats,
    fps: float,
) -> tuple[Floats, Floats]:  # fmt: skip
    """Return where the root is (T, 3) and which way it faces (T,), unwrapped."""
    first, last = states
    ends = np.array([first.footing.body[2], last.footing.body[2]])
    mean = 0.5 * (paths[0].yaw + paths[1].yaw)
    whole = float(mean[-1] - mean[0])
    ends[1] += math.tau * round((ends[0] + whole - ends[1]) / math.tau)
    eased = smootherstep(times / times[-1])
    if first.moving or last.moving:
        begin, end = _while_moving(states, times)
        yaw = ends[0] + (ends[1] - ends[0]) * smootherstep((times - begin) / (end - begin))
        root = quintic_through(
            [begin, end], np.stack([first.root, last.root]),
            np.stack([first.velocity, last.velocity]), np.zeros((2, 3)), times,
        )  # fmt: skip
        # What goes up and down in a stride ends with it.
        root[:, 1] = first.root[1] + _ease(states, times) * (last.root[1] - first.root[1])
        root[:, 1] += FADE_S * first.velocity[1] * fading_slope(times / FADE_S)
        root[:, 1] -= FADE_S * last.velocity[1] * fading_slope((times[-1] - times) / FADE_S)
        return root, yaw
    ahead = np.interp(times + _LEADS_S, times, smooth_gaussian(mean, _TURN_S * fps))
    yaw = ends[0] + (ahead - ahead[0]) + eased * ((ends[1] - ends[0]) - (ahead[-1] - ahead[0]))
    left, right = (path.ball[:, [0, 2]] for path in paths)
    middle = smooth_gaussian(0.5 * (left + right), _BODY_S * fps)
    middle = middle[np.minimum(np.arange(len(times)) + round(_LEADS_S * fps), len(times) - 1)]
    weight = np.zeros(len(times))
    for step in steps.steps:
        busy = (times > step.lift_s - 0.14) & (times < step.land_s - 0.02)
        weight[busy] = 1.0 if step.foot == 1 else -1.0
    edge = np.minimum(times, times[-1] - times)
    weight = smooth_gaussian(weight, 0.1 * fps) * smootherstep(edge / LEAD_S)
    across = np.stack([np.cos(yaw), -np.sin(yaw)], axis=1)
    apart = np.einsum("ti,ti->t", left - right, across)
    ground = middle + (0.5 * _SHIFT * weight * apart)[:, None] * across
    offsets = [
        planar.apply_to_ground([0.0, 0.0, -ends[n]], state.root[[0, 2]] - middle[at])
        for n, (state, at) in enumerate(((first, 0), (last, -1)))
    ]
    mixed = offsets[0] + eased[:, None] * (offsets[1] - offsets[0])
    pose = np.stack([ground[:, 0], ground[:, 1], yaw], axis=1)
    ground = planar.apply_to_ground(pose, mixed)
    for at, state in ((0, first), (-1, last)):  # what smoothing and shifting leave over
        share = 1.0 - eased if at == 0 else eased
        ground = ground + share[:, None] * (state.root[[0, 2]] - ground[at])
    height = first.root[1] + eased * (last.root[1] - first.root[1])
    return np.stack([ground[:, 0], height, ground[:, 1]], axis=1), yaw


def _while_moving(states: tuple[PoseState, PoseState], times: Floats) -> tuple[float, float]:
    """Return the times between which a body that starts or stops moves, braking evenly."""
    first, last = states
    speed = max(first.footing.speed, last.footing.speed)
    way = float(np.hypot(*(last.root - first.root)[[0, 2]]))
    takes = min(max(2.0 * way / max(speed, 1e-6), FADE_S), float(times[-1]))
    if first.moving and last.moving:
        takes = float(times[-1])
    return (0.0, takes) if first.moving else (float(times[-1]) - takes, float(times[-1]))


def _ease(states: tuple[PoseState, PoseState], times: Floats) -> Floats:
    """Return (T,) how far along from the one posture to the other, 0 to 1."""
    begin, end = 0.0, float(times[-1])
    if states[0].moving or states[1].moving:
        begin, end = _while_moving(states, times)
    return smootherstep((times - begin) / (end - begin))


def _hips(states: tuple[PoseState, PoseState], times: Floats, yaw: Floats) -> Floats:
    """Return (T, 4) the root's orientation."""
    eased = _ease(states, times)
    first, last = (np.broadcast_to(state.tilt, (len(times), 4)) for state in states)
    base = quat.multiply(quat.from_yaw(yaw), quat.slerp(first, last, eased))
    return _meet_spins(base[:, None], states, times, [0])[:, 0]


def _postures(
    skeleton: Skeleton, paths: list[FootPath], states: tuple[PoseState, PoseState], times: Floats,
    yaw: Floats, fps: float,
) -> Floats:  # fmt: skip
    """Return (T, J, 4) all joints: from one posture to the other, the head ahead, arms swinging."""
    first, last = states
    eased = _ease(states, times)
    shape = (len(times), len(skeleton), 4)
    rotations = quat.slerp(
        np.broadcast_to(first.rotations, shape), np.broadcast_to(last.rotations, shape),
        eased[:, None],
    )  # fmt: skip
    rotations = _meet_spins(rotations, states, times, range(1, len(skeleton)))
    edge = np.minimum(times, times[-1] - times)
    looks = (np.interp(times + _LOOK_S, times, yaw) - yaw) * smootherstep(edge / LEAD_S)
    for role, share in _LOOKS:
        joint = skeleton.roles.get(role)
        if joint:
            turn = quat.from_yaw(share * looks)
            rotations[:, joint] = quat.multiply(turn, rotations[:, joint])
    if not (first.moving or last.moving):
        _swing_arms(skeleton, rotations, paths, yaw, fps)
    return rotations


def _meet_spins(
    rotations: Floats, states: tuple[PoseState, PoseState], times: Floats, joints: range | list[int]
) -> Floats:
    """Rotations (T, K, 4) of joints that turn at both ends as fast as the states do."""
    which = list(joints)
    out = np.array(rotations)
    part = out if len(which) == out.shape[1] else out[:, which]
    for state, since, sign in ((states[0], times, 1.0), (states[1], times[-1] - times, -1.0)):
        grows = sign * FADE_S * fading_slope(since / FADE_S)
        vectors = grows[:, None, None] * state.spins[which]
        part = quat.multiply(quat.from_rotation_vector(vectors), part)
    if len(which) == out.shape[1]:
        return np.asarray(part)
    out[:, which] = part
    return out


def _swing_arms(
    skeleton: Skeleton, rotations: Floats, paths: list[FootPath], yaw: Floats, fps: float
) -> None:
    """Arms go with the foot of the other side, a little."""
    facing = np.stack([np.sin(yaw), np.cos(yaw)], axis=1)
    lead = np.einsum("ti,ti->t", (paths[0].ball - paths[1].ball)[:, [0, 2]], facing)
    lead = smooth_gaussian(lead, 0.08 * fps)
    ends = np.linspace(lead[0], lead[-1], len(lead))
    for side, sign in (("left", 1.0), ("right", -1.0)):
        joint = skeleton.roles.get(f"{side}_shoulder")
        if joint is not None:
            turn = quat.about_axis(0, sign * _SWINGS * (lead - ends))
            rotations[:, joint] = quat.multiply(turn, rotations[:, joint])


# ---- legs -------------------------------------------------------------------------------


def _pelvis_drop(
    skeleton: Skeleton, root: Floats, rotations: Floats, feet: list[Foot],
    paths: list[FootPath], fps: float, runs: bool,
) -> Floats:  # fmt: skip
    """Return (T,) how far the body sinks so that both legs reach, smooth, none at the ends."""
    poses = forward_kinematics(skeleton, root, rotations)
    need, reach = np.zeros(len(root)), constants.FEET.reach
    edge = np.minimum(np.arange(len(root)), np.arange(len(root))[::-1]) / fps
    soft = smootherstep(edge / _SINK_S)
    ends = np.linspace(0.0, 1.0, len(root))
    for foot, path in zip(feet, paths, strict=True):
        hip, knee, ankle = (poses.positions[:, j] for j in (foot.hip, foot.knee, foot.ankle))
        leg = np.linalg.norm(knee - hip, axis=1) + np.linalg.norm(ankle - knee, axis=1)
        line = path.ankle(foot) - hip
        # Who stands on straighter legs than that stands so at the ends, and bends them in between.
        own = np.linalg.norm(line[[0, -1]], axis=1)
        own = np.maximum(own[0] + ends * (own[1] - own[0]), reach * leg)
        longest = own + soft * (reach * leg - own)
        level = np.hypot(line[:, 0], line[:, 2])
        short = -line[:, 1] - np.sqrt(np.maximum(longest**2 - level**2, 0.0))
        if runs:  # a foot in the air that the leg does not reach comes along
            short = np.where(path.contacts.any(axis=1), short, 0.0)
        need = np.maximum(need, short)
    width = max(1, round(0.1 * fps))
    low = smooth_gaussian(running_max(need, width), 0.6 * width)
    return np.asarray(low * smootherstep(edge / 0.2))


def _solve_legs(
    skeleton: Skeleton, root: Floats, rotations: Floats, feet: list[Foot],
    paths: list[FootPath], states: tuple[PoseState, PoseState], yaw: Floats, times: Floats,
) -> None:  # fmt: skip
    """Write the legs' rotations so that the feet are on their paths.

    A leg turns in the hip with its foot, so that neither knee nor ankle has to. Knees are bent a
    little beforehand: about which axis they bend, one that is straight does not say.
    """
    share = np.minimum(times / _PRE_BEND_S[states[0].moving],
                       (times[-1] - times) / _PRE_BEND_S[states[1].moving])  # fmt: skip
    bend = quat.about_axis(0, _PRE_BEND * smootherstep(share))
    for foot in feet:
        rotations[:, foot.knee] = quat.multiply(rotations[:, foot.knee], bend)
    poses = forward_kinematics(skeleton, root, rotations)
    eased = smootherstep(times / times[-1])
    for foot, path in zip(feet, paths, strict=True):
        opened = path.yaw - yaw
        opened = opened - (opened[0] + eased * (opened[-1] - opened[0]))
        _solve_leg(skeleton, poses, rotations, foot, path, quat.from_yaw(opened))


def _solve_leg(
    skeleton: Skeleton, poses: WorldPoses, rotations: Floats, foot: Foot, path: FootPath,
    turn: Floats,
) -> None:  # fmt: skip
    solve_leg(skeleton, poses, rotations, foot, path.ankle(foot), path.sole, turn)
    if foot.toe is not None:
        bend = quat.about_axis(0, -path.bent)
        rotations[:, foot.toe] = quat.multiply(bend, rotations[:, foot.toe])
