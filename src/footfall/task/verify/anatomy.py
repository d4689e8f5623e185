"""Values of the body, frame by frame, that a viewer judges: joint angles, gaps, speeds, drift.

The greater a value, the worse. Both sides of the body give values of the same name, so limits
measured on a clip hold for its mirror image too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from footfall.body.posture import segment_distances
from footfall.body.roles import SIDES
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats
from footfall.maths.runs import means, runs, widen
from footfall.task.verify.motion import BALL, HEEL, Motion
from footfall.world.scene import Scene

RATE_HZ = 30.0
"""Speeds are taken over 1/30 s, so that clips of any frame rate compare."""
FAST_M_S = 1.5
"""Above this pace of a mean body nobody ducks or squats."""
_LOWEST_LEGS, _OF_USUAL = 0.62, 0.8
"""Viewers see a squat where hips are lower above the lower ankle, in leg lengths; or, of a person
who crouches all the time, lower than this share of how high its hips come."""
_LANDS_S = 0.1
"""So long before a foot stands, and after, the body is not in flight either."""
_HANGS_LEGS, _NEAR_LEGS = (0.5, 2.2), 1.0
"""What hangs so high above the ankle, and is so near, is a reason to squat."""
_LEVEL = 0.5
"""A foot has a direction while at least this share of its length is seen from above."""
_SPREAD_DEG = 45.0
_UPPER = ("spine", "chest", "neck", "head", "clavicle", "shoulder", "elbow", "wrist")
"""Joints whose angles are compared with the sources'; legs have values of their own."""
_SIGNS = np.array([1.0, -1.0])
"""Outward is left for the left foot and right for the right one."""


@dataclass(frozen=True, eq=False)
class Legs:
    """K values of one unit over the frames of a clip.

    names   (K) what is measured, like "foot yaw out"; the same for both sides
    whats   (K) the part of the body, like "left foot"
    values  (T, K) the greater, the worse; -inf where a value does not apply
    """

    names: tuple[str, ...]
    whats: tuple[str, ...]
    values: Floats
    unit: str


def anatomy_tracks(motion: Motion) -> Iterator[Legs]:
    """Yield every value of the body that has limits."""
    yield from foot_tracks(motion)
    yield from _knee_tracks(motion)
    yield from _hip_tracks(motion)
    yield _gap_tracks(motion)
    yield _crouch_tracks(motion)
    yield _drift_tracks(motion)
    yield from _speed_tracks(motion)
    yield _jolt_tracks(motion)
    yield _angle_tracks(motion)


def _pair(name: str, part: str, values: Floats, unit: str = "°") -> Legs:
    """Return a value of both sides, (T, 2)."""
    return Legs((name, name), (f"left {part}", f"right {part}"), values, unit)


def foot_tracks(motion: Motion) -> Iterator[Legs]:
    """Yield the yaw of standing feet against the pelvis, and their twist against the thighs."""
    sole = motion.soles[:, :, BALL] - motion.soles[:, :, HEEL]
    level = np.hypot(sole[..., 0], sole[..., 2])
    stands = motion.flat & (level > _LEVEL * np.sqrt(np.einsum("tfi,tfi->tf", sole, sole)))
    yaw = _SIGNS * wrap(np.arctan2(sole[..., 0], sole[..., 2]) - motion.facing[:, None])
    for values, what in ((yaw, "foot yaw"), (_SIGNS * _twists(motion), "foot twist")):
        degrees = np.degrees(values)
        yield _pair(f"{what} in", "foot", _where(stands, -degrees))
        yield _pair(f"{what} out", "foot", _where(stands, degrees))


def _twists(motion: Motion) -> Floats:
    """Return (T, 2) the yaw of each foot against the thigh about the shank, radians, left > 0."""
    skeleton = motion.clip.skeleton
    rest, out = skeleton.rest_positions, np.zeros((len(motion), 2))
    for foot, side in enumerate(SIDES):
        hip, knee, ankle = (skeleton.role(f"{side}_{part}") for part in ("hip", "knee", "ankle"))
        shank = rest[knee] - rest[ankle]
        axis = shank / max(float(np.linalg.norm(shank)), 1e-9)
        for parent, child in ((hip, knee), (knee, ankle)):
            turns = motion.clip.world.rotations
            relative = quat.multiply(quat.conjugate(turns[:, parent]), turns[:, child])
            out[:, foot] += 2.0 * np.arctan2(relative[:, 1:] @ axis, relative[:, 0])
    return wrap(out)


def _knee_tracks(motion: Motion) -> Iterator[Legs]:
    knees, step = knee_angles(motion), step_frames(motion)
    yield _pair("knee hyperextension", "knee", -knees)
    yield _pair("knee flexion", "knee", knees)
    yield _pair("knee flexion, standing", "knee", _where(motion.foot_contacts, knees))
    yield _pair("knee jump", "knee", _pad_first(np.abs(knees[step:] - knees[:-step]), len(motion)))


def knee_angles(motion: Motion) -> Floats:
    """Return (T, 2) flexion of the knees, degrees; negative for one that bends the wrong way."""
    hip, knee, ankle = (_both(motion, part) for part in ("hip", "knee", "ankle"))
    thigh, shank = knee - hip, ankle - knee
    normal = quat.cross(thigh, shank)
    size = np.sqrt(np.einsum("tfi,tfi->tf", normal, normal))
    bend = np.degrees(np.arctan2(size, np.einsum("tfi,tfi->tf", thigh, shank)))
    # The hinge is the thigh's lateral axis; a nearly straight leg has no plane of its own.
    joints = [motion.clip.skeleton.role(f"{side}_hip") for side in SIDES]
    hinge = quat.rotate(motion.clip.world.rotations[:, joints], np.array([1.0, 0.0, 0.0]))
    backward = np.einsum("tfi,tfi->tf", normal, hinge) < -0.5 * size
    return np.asarray(np.where(backward & (bend < 90.0), -bend, bend))


def _hip_tracks(motion: Motion) -> Iterator[Legs]:
    """Yield how far the thighs point forward and outward of straight down, in the pelvis."""
    thigh = _both(motion, "knee") - _both(motion, "hip")
    local = quat.rotate(quat.conjugate(motion.turns("hips"))[:, None], thigh)
    length = np.maximum(np.sqrt(np.einsum("tfi,tfi->tf", local, local)), 1e-9)
    forward = np.degrees(np.arctan2(local[..., 2], -local[..., 1]))
    # A knee drawn up to the chest is no leg stretched behind.
    forward = np.where(forward < -135.0, forward + 360.0, forward)
    aside = np.degrees(_SIGNS * np.arcsin(np.clip(local[..., 0] / length, -1.0, 1.0)))
    # A leg spread far to the side points neither forward nor backward.
    known = np.abs(aside) < _SPREAD_DEG
    yield _pair("hip flexion", "hip", _where(known, forward))
    yield _pair("hip extension", "hip", _where(known, -forward))
    yield _pair("hip abduction", "hip", aside)
    yield _pair("hip adduction", "hip", -aside)


def _gap_tracks(motion: Motion) -> Legs:
    """Return how near the legs come, as negative gaps in centimetres of a mean body."""
    gaps = segment_distances(*motion.leg_pairs).reshape(4, -1)
    shanks, feet = gaps[0], gaps[1:].min(axis=0)
    values = np.stack([shanks, feet], axis=1) * (-100.0 / motion.size)
    return Legs(("leg gap", "foot gap"), ("shanks", "feet"), values, "cm")


def legs_crossing(motion: Motion) -> Bools:
    """Return (T,) whether a shank or foot passes through the other leg before the next frame."""
    out = np.zeros((4, len(motion)), np.bool_)
    passes = _passes_through(*motion.leg_pairs)
    out.reshape(-1)[:-1] = passes
    out[:, -1] = False  # from the last frame of one pair to the first of the next is no motion
    return np.asarray(out.any(axis=0))


def _passes_through(a: Floats, b: Floats, c: Floats, d: Floats) -> Bools:
    """Return (T - 1,) whether segments a-b and c-d (T, 3) pass through each other."""
    u, v, w = b - a, d - c, c - a
    normal = quat.cross(u, v)
    side = np.einsum("ti,ti->t", normal, w)
    full = np.maximum(np.einsum("ti,ti->t", normal, normal), 1e-12)
    # Where each segment crosses the other, seen along the common perpendicular.
    s = np.einsum("ti,ti->t", quat.cross(w, v), normal) / full
    t = np.einsum("ti,ti->t", quat.cross(w, u), normal) / full
    inside = (s > 0.0) & (s < 1.0) & (t > 0.0) & (t < 1.0)
    same_turn = np.einsum("ti,ti->t", normal[1:], normal[:-1]) > 0.0
    return np.asarray(inside[1:] & inside[:-1] & same_turn & (side[1:] * side[:-1] < 0.0))


def hip_heights(motion: Motion) -> Floats:
    """Return (T,) the hips above the lower standing foot, in leg lengths; inf while none stands."""
    low = motion.soles[..., 1].min(axis=2)
    floor = np.where(motion.foot_contacts, low, np.inf).min(axis=1)
    height = (motion.hips[:, 1] - floor) / motion.leg_m
    return np.where(np.isfinite(floor), height, np.inf)


def _crouch_tracks(motion: Motion) -> Legs:
    """Return how low the hips are, as negative heights in leg lengths."""
    low = -hip_heights(motion)
    values = np.stack([low, _where(motion.pace > FAST_M_S, low)], axis=1)
    return Legs(("crouch", "crouch, fast"), ("hips", "hips"), values, "legs")


def squat_tracks(motion: Motion, scene: Scene | None) -> tuple[Legs, float]:
    """Return how low the hips are above the lower ankle while a foot stands, and the limit.

    Limits of a crouch follow the sources, which may squat, sit and pick things up. A viewer who
    sees a person go from one place to another accepts none of that, unless something hangs low.
    """
    ankles = _both(motion, "ankle")[..., 1].min(axis=1)
    depth = (ankles - motion.hips[:, 1]) / motion.leg_m
    stands = widen(np.asarray(motion.foot_contacts.any(axis=1)), round(_LANDS_S * motion.fps))
    depth, limit = _where(stands, depth), -_LOWEST_LEGS
    if stands.any():
        limit = max(limit, -_OF_USUAL * round(float(np.quantile(-depth[stands], 0.9)), 3))
    low = depth > limit
    if scene is not None and low.any():
        depth[low] = _where(~_hangs_low(motion, scene, low, ankles[low]), depth[low])
    return Legs(("squat",), ("hips",), depth[:, None], "legs"), limit


def _hangs_low(motion: Motion, scene: Scene, rows: Bools, ankles: Floats) -> Bools:
    """Return (N,) whether something hangs over or beside the body, lower than it stands high."""
    solids = scene.snapshot().solids
    low, high = solids.low[solids.solid], solids.high[solids.solid]
    at = motion.hips[rows]
    apart = np.maximum(np.maximum(low - at[:, None], at[:, None] - high), 0.0)
    above = low[:, 1] - ankles[:, None]
    hangs = (above > _HANGS_LEGS[0] * motion.leg_m) & (above < _HANGS_LEGS[1] * motion.leg_m)
    near = np.hypot(apart[..., 0], apart[..., 2]) < _NEAR_LEGS * motion.leg_m
    return np.asarray((hangs & near).any(axis=1))


def _drift_tracks(motion: Motion) -> Legs:
    """Return how far touching heels and balls stray from their mean place, mm of a mean body."""
    out = np.full((len(motion), 4), -np.inf)
    for foot, point in product(range(2), (HEEL, BALL)):
        spans = runs(motion.point_contacts[:, foot, point])
        if len(spans) == 0:
            continue
        track = motion.soles[:, foot, point][:, [0, 2]]
        places = np.repeat(means(track, spans), spans[:, 1] - spans[:, 0], axis=0)
        inside = motion.point_contacts[:, foot, point]
        away = track[inside] - places
        out[inside, 2 * foot + point] = np.hypot(away[:, 0], away[:, 1]) * (1000.0 / motion.size)
    whats = ("left heel", "left toes", "right heel", "right toes")
    return Legs(("drift",) * 4, whats, out, "mm")


def _speed_tracks(motion: Motion) -> Iterator[Legs]:
    """Yield speed, acceleration and pops of every joint that plays a role.

    A pop is how much faster a joint is than it was 2/30 s before and is 2/30 s later.
    """
    step, frames = step_frames(motion), len(motion)
    if frames <= 5 * step:
        return
    rates = joint_rates(motion, step)
    speed = np.degrees(np.sqrt(np.einsum("tji,tji->tj", rates, rates)))
    jolt = (rates[step:] - rates[:-step]) * (motion.fps / step)
    change = np.degrees(np.sqrt(np.einsum("tji,tji->tj", jolt, jolt)))
    pop = speed[2 * step : -2 * step] - np.maximum(speed[: -4 * step], speed[4 * step :])
    pop = np.concatenate([pop, np.zeros((2 * step, pop.shape[1]))])
    roles = motion.clip.skeleton.roles
    whats = tuple(role.replace("_", " ") for role in roles)
    for kind, values, unit in (
        ("joint speed", speed, "°/s"), ("joint acceleration", change, "°/s²"),
        ("joint pop", pop, "°/s"),
    ):  # fmt: skip
        names = tuple(f"{kind}: {role.split('_')[-1]}" for role in roles)
        yield Legs(names, whats, _pad_first(values, frames), unit)


def _jolt_tracks(motion: Motion) -> Legs:
    """Return how much the speed of the hips changes in 1/30 s, m/s²."""
    step, values = step_frames(motion), np.zeros((len(motion), 1))
    if len(motion) > 2 * step:
        moves = (motion.hips[step:] - motion.hips[:-step]) * (motion.fps / step)
        changes = (moves[step:] - moves[:-step]) * (motion.fps / step)
        values[step:-step, 0] = np.sqrt(np.einsum("ti,ti->t", changes, changes))
    return Legs(("body jolt",), ("hips",), values, "m/s²")


def _angle_tracks(motion: Motion) -> Legs:
    """Return how far joints of trunk, head and arms are turned from the skeleton's rest pose."""
    skeleton = motion.clip.skeleton
    roles = {r: j for r, j in skeleton.roles.items() if r.split("_")[-1] in _UPPER}
    turns = motion.clip.rotations[:, list(roles.values())]
    angles = np.degrees(2.0 * np.arccos(np.clip(np.abs(turns[..., 0]), 0.0, 1.0)))
    names = tuple(f"joint angle: {role.split('_')[-1]}" for role in roles)
    return Legs(names, tuple(role.replace("_", " ") for role in roles), angles, "°")


def joint_rates(motion: Motion, step: int) -> Floats:
    """Return (T - step, R, 3) rad/s that the joints of roles turn, over `step` frames, own axes."""
    turned = motion.clip.rotations[:, list(motion.clip.skeleton.roles.values())]
    turns = quat.multiply(quat.conjugate(turned[:-step]), turned[step:])
    angles = quat.log_half_angle(quat.toward(turns, quat.IDENTITY))
    return np.asarray(2.0 * motion.fps / step * angles)


def wrap(angle: Floats) -> Floats:
    """Return angles between -π and π."""
    return np.asarray((angle + np.pi) % (2.0 * np.pi) - np.pi)


def step_frames(motion: Motion) -> int:
    """Return how many frames are about 1/30 s."""
    return max(1, round(motion.fps / RATE_HZ))


def _both(motion: Motion, part: str) -> Floats:
    """Return (T, 2, 3) the left and the right joint of a role."""
    joints = [motion.clip.skeleton.role(f"{side}_{part}") for side in SIDES]
    return motion.clip.positions[:, joints]


def _pad_first(values: Floats, frames: int) -> Floats:
    """Return (T, K) values of the last frames, with zeros for the first."""
    return np.concatenate([np.zeros((frames - len(values), values.shape[1])), values])


def _where(mask: Bools, values: Floats) -> Floats:
    return np.where(mask, values, -np.inf)
