"""The last touch to a motion: joins eased, feet held, hand and seat exactly where they are to be.

Edges of the graph meet in one pose, but not at one speed: a joint that changes its speed from one
frame to the next takes torques that nobody has. There the motion is smoothed, and there alone.
Then it is bent (Lee & Shin 1999) until feet stand where they stood and hand and seat are at their
places to the millimetre, and flights are put back on their parabolas. What is polished has to be
no worse in any way: effort, speed of joints, free fall, feet. Else less is done, or nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from footfall.adapt.displace.constraints import Constraint, hold_constraints
from footfall.adapt.displace.displace import DisplaceOptions, displace
from footfall.adapt.flights import keep_free_falls
from footfall.adapt.foot_lock import follow_holds, holds_of, lock_feet
from footfall.adapt.foot_track import LockOptions
from footfall.body.clip import Clip
from footfall.body.dynamics import Dynamics, inverse_dynamics
from footfall.body.feet import foot_points
from footfall.body.kinematics import WorldPoses, world_poses
from footfall.body.mass import centre_of_mass
from footfall.body.roles import SIDES
from footfall.body.sides import partners
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError, choices
from footfall.gait.signatures import FEET, PARTS, SEAT
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.maths.constants import GRAVITY
from footfall.maths.filters import binomial_mask, filter_orientations, filter_positions
from footfall.maths.runs import runs
from footfall.optimal.product import body_points

AIMED = ("left_hand", "right_hand", "seat")
MOST_FOR_PLACES, MOST_FOR_FEET = 1.01, 1.1
"""Times the effort: a motion that costs more is not better. But a hand that reaches two centimetres
further is worth a hundredth. Feet that slide are cheaper than feet can be: against them, holding
them may cost more, and then what is held is what the rest is measured against."""
MOST_SPEED = 1.5
"""Times the fastest that a joint is in the motion as it was or in its sources."""
FLIGHT_ERROR = 1e-3
_FARTHEST_M = 0.12
"""What is further off is not where it was meant to be: no polish brings it there."""
_KINK = (4.0, 8000.0)
"""A frame that takes so many times the squared torque of those about it, and N² m² more, is a
place where the motion was joined: with the root held, so that steps of the ground's force do not
count. Clips of walking have 25,000 N² m² at most, joins up to 700,000."""
_KINK_AT_JOIN, _AT_JOIN_S = (2.0, 4000.0), 0.1
"""The same where it is known to be joined, with the ground's force."""
_JOLT, _JOLT_LEAST = 2.0, 2.0
"""So is one in which the root is pushed so many times harder than beside it, and by m/s²."""
_ABOUT_S, _NEAR_S, _SIGMA_S = 0.17, 0.2, 0.055
_LANDING_S = 0.15
"""This near to a flight joints do take much torque."""
_ROUNDS = 3
_HELD_M = 1e-3


@dataclass(frozen=True, eq=False)
class Aim:
    """Where a part of the body is to be while it touches.

    part   "left_hand", "right_hand" or "seat"
    frame  one at which it touches
    place  (3,) in the world, metres; the height may be nan: it stays as it is
    point  (3,) what is to be there, in the frame of the wrist or of the hips
    """

    part: str
    frame: int
    place: Floats
    point: Floats

    def __post_init__(self) -> None:
        if self.part not in AIMED:
            raise InputError(f"an aim for {self.part!r}", remedy=choices(AIMED, self.part))


@dataclass(frozen=True)
class Polished:
    """A motion that was polished, and what came of it.

    done           what was done beside holding the feet: "joins", "places", both; "feet" for that
                   alone; or nothing
    effort_before, effort_after   N² m²
    missed_before, missed_after   metres that the worst aim is missed by
    """

    clip: Clip
    done: tuple[str, ...]
    effort_before: float
    effort_after: float
    missed_before: float
    missed_after: float


def polish_motion(
    clip: Clip, signature: Ints, aims: Sequence[Aim] = (), *,
    joins: Sequence[float] | Floats = (), fastest: Floats | None = None,
) -> Polished:  # fmt: skip
    """A motion with its joins eased and its aims met exactly, if that makes nothing worse.

    clip       with contacts
    signature  (T,) what touches (bits of `gait.signatures`)
    joins      frames, not always whole ones, at which it was joined, as far as that is known
    fastest    (J,) rad/s that joints have in the clips it is made of; by default as in itself
    """
    old = _Look(clip, signature, aims)
    limits = _speed_limits(clip, old.speeds, fastest)
    done: tuple[str, ...] = ()
    best, most = old, old.effort
    if old.drift > _HELD_M:
        held = _Look(keep_free_falls(lock_feet(clip)), signature, aims)
        if not held.is_worse(old, limits, MOST_FOR_FEET * old.effort):
            best, done, most = held, ("feet",), held.effort
    eased = ease_joins(clip, signature, joins)
    wanted = _constraints(clip, signature, aims, old.poses)
    keep = all(c.first > 0 and c.stop < len(clip) for c in wanted)
    tries: list[tuple[tuple[str, ...], list[Constraint], float]] = [(("joins",), [], most)]
    if wanted:
        tries = [(("joins", "places"), wanted, MOST_FOR_PLACES * most),
                 (("places",), wanted, MOST_FOR_PLACES * most), *tries]  # fmt: skip
    for what, constraints, effort in tries:
        if "joins" in what and eased is clip:
            continue
        start = best.clip if "joins" not in what else _put_feet_back(eased, clip, old.poses)
        if constraints:
            constraints = [*hold_constraints(start), *constraints]
            start = displace(start, constraints, DisplaceOptions(keep_ends=keep)).clip
        new = _Look(keep_free_falls(lock_feet(start)), signature, aims)
        if not new.is_worse(old, limits, effort):
            best, done = new, what
            break
    return Polished(best.clip, done, old.effort, best.effort, old.missed, best.missed)


def _speed_limits(clip: Clip, speeds: Floats, fastest: Floats | None) -> Floats:
    """(J,) how fast joints may turn, rad/s: what one side does the other may do as well."""
    own = speeds if fastest is None else np.maximum(speeds, fastest)
    return np.asarray(MOST_SPEED * np.maximum(own, own[partners(clip.skeleton)]))


# ---- what must not get worse ----------------------------------------------------------------


class _Look:
    """A motion, and what is told of how good it is."""

    def __init__(self, clip: Clip, signature: Ints, aims: Sequence[Aim]) -> None:
        self.clip = clip
        self.poses = world_poses(clip)
        self.speeds = joint_speeds(clip).max(axis=0, initial=0.0)
        self.effort = float(inverse_dynamics(clip, signature.astype(np.uint8)).effort.sum())
        self.flight = _flight_error(clip, self.poses, signature)
        self.drift = _drift(clip, self.poses)
        self.missed = max((_miss(clip, self.poses, aim) for aim in aims), default=0.0)

    def is_worse(self, old: _Look, limits: Floats, effort: float) -> bool:
        """Whether this motion costs more than that, or is worse than the old one in anything."""
        return bool(
            self.effort > effort
            or (self.speeds > limits + 1e-9).any()
            or self.flight > max(old.flight, FLIGHT_ERROR)
            or self.drift > max(old.drift, _HELD_M)
            or self.missed > old.missed + _HELD_M
        )


def joint_speeds(clip: Clip) -> Floats:
    """(T - 1, J) how fast each joint turns, rad/s."""
    steps = quat.multiply(quat.conjugate(clip.rotations[:-1]), clip.rotations[1:])
    turns = quat.log_half_angle(quat.toward(steps, quat.IDENTITY))
    return np.asarray(2.0 * clip.fps * np.linalg.norm(turns, axis=-1))


def _flight_error(clip: Clip, poses: WorldPoses, signature: Ints) -> float:
    """How far the centre of mass is off free fall at worst within flights, as a share of g."""
    free = (signature & (FEET | SEAT)) == 0
    inside = free[:-2] & free[1:-1] & free[2:]
    if not inside.any():
        return 0.0
    fall = np.diff(centre_of_mass(clip, poses), 2, axis=0)[inside] * clip.fps**2
    return float(np.linalg.norm(fall + np.array([0.0, GRAVITY, 0.0]), axis=1).max()) / GRAVITY


def _drift(clip: Clip, poses: WorldPoses) -> float:
    """Metres that a heel or ball moves along the ground at most while it touches."""
    assert clip.contacts is not None
    worst = 0.0
    for foot, side in enumerate(SIDES):
        heel, ball, _ = foot_points(clip.skeleton).side(side)
        for column, point in ((2 * foot, heel), (2 * foot + 1, ball)):
            turned = quat.rotate(poses.rotations[:, point.joint], point.offset)
            there = (poses.positions[:, point.joint] + turned)[:, [0, 2]]
            for first, stop in runs(clip.contacts[:, column]).tolist():
                worst = max(worst, float(np.ptp(there[first:stop], axis=0).max()))
    return worst


# ---- joins ----------------------------------------------------------------------------------


def ease_joins(clip: Clip, signature: Ints, joins: Sequence[float] | Floats = ()) -> Clip:
    """A motion that is smoothed where a frame takes far more torque than those about it.

    Feet that stand may be moved by that, and are to be put back. Without joins it is the same.
    """
    mask = binomial_mask(max(round(2.0 * (_SIGMA_S * clip.fps) ** 2), 1))
    airborne = (signature & (FEET | SEAT)) == 0
    grounded = _window(airborne, _LANDING_S * clip.fps) == 0.0
    known = np.zeros(len(clip), np.bool_)
    known[np.clip(np.rint(joins), 0, len(clip) - 1).astype(np.int64)] = True
    known = _window(known, _AT_JOIN_S * clip.fps) > 0.0
    for _ in range(_ROUNDS):
        held = inverse_dynamics(clip, np.zeros(len(clip), np.uint8), cutoff_hz=0.0)
        free = inverse_dynamics(clip, signature.astype(np.uint8), cutoff_hz=0.0)
        rough = _kinks(held, *_KINK) | (known & _kinks(free, *_KINK_AT_JOIN)) | _jolts(clip)
        rough &= grounded
        if not rough.any():
            break
        weight = _window(rough, _NEAR_S * clip.fps)
        root = filter_positions(clip.root, mask) - clip.root
        rotations = filter_orientations(clip.rotations, mask)
        share = np.broadcast_to(weight[:, None], rotations.shape[:2])
        clip = replace(
            clip,
            # In the air the body goes where it fell from.
            root=clip.root + np.where(airborne, 0.0, weight)[:, None] * root,
            rotations=quat.slerp(clip.rotations, rotations, share),
        )
    return clip


def _put_feet_back(eased: Clip, clip: Clip, poses: WorldPoses) -> Clip:
    """A motion that was eased with its feet where they stood in the clip as it was."""
    feet, holds = holds_of(clip, poses)
    return follow_holds(eased, world_poses(eased), feet, holds, None, LockOptions())


def _kinks(found: Dynamics, ratio: float, least: float) -> Bools:
    """(T,) frames that take far more torque than most of those about them."""
    half = max(round(_ABOUT_S * found.fps), 2)
    longer = np.pad(found.squares, half, mode="edge")
    about = np.median(np.lib.stride_tricks.sliding_window_view(longer, 2 * half + 1), axis=1)
    return np.asarray(found.squares > ratio * about + least)


def _jolts(clip: Clip) -> Bools:
    """(T,) frames in which the root is pushed far harder than before and after."""
    push = np.zeros(len(clip))
    push[1:-1] = np.linalg.norm(np.diff(clip.root, 2, axis=0), axis=1) * clip.fps**2
    reach = max(round(_ABOUT_S * clip.fps), 3)
    padded = np.pad(push, reach + 2, mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, reach)
    beside = np.maximum(windows[: len(push)].max(axis=1), windows[reach + 5 :].max(axis=1))
    return np.asarray((push > _JOLT * beside) & (push > _JOLT_LEAST))


def _window(at: Bools, frames: float) -> Floats:
    """(T,) 1 where true, easing to 0 within so many frames on either side."""
    places = np.flatnonzero(at)
    if not len(places):
        return np.zeros(len(at))
    times = np.arange(len(at))
    after = np.searchsorted(places, times)
    before = places[np.maximum(after - 1, 0)]
    after = places[np.minimum(after, len(places) - 1)]
    away = np.minimum(np.abs(times - before), np.abs(after - times)) / frames
    return np.where(away < 1.0, 0.5 + 0.5 * np.cos(np.pi * np.minimum(away, 1.0)), 0.0)


# ---- places ---------------------------------------------------------------------------------


def _constraints(
    clip: Clip, signature: Ints, aims: Sequence[Aim], poses: WorldPoses
) -> list[Constraint]:
    """What brings the aims to their places, as long as the parts touch."""
    found = []
    for aim in aims:
        touches = (signature >> PARTS.index(aim.part) & 1) > 0
        span = next((s for s in runs(touches).tolist() if s[0] <= aim.frame < s[1]), None)
        away = _offset(clip, poses, aim)
        if span is None or float(np.linalg.norm(away)) > _FARTHEST_M:
            continue
        there = _point(clip, poses, aim)
        place = there[span[0] : span[1]] + away
        if aim.part != "seat":  # what it takes holds still, and so does the hand
            place = np.tile(there[aim.frame] + away, (span[1] - span[0], 1))
        part = "hips" if aim.part == "seat" else f"{aim.part.removesuffix('_hand')}_wrist"
        found.append(Constraint(part, span[0], span[1], place, None, aim.point))
    return found


def _point(clip: Clip, poses: WorldPoses, aim: Aim) -> Floats:
    """(T, 3) where what is to be at the aim's place is."""
    role = "hips" if aim.part == "seat" else f"{aim.part.removesuffix('_hand')}_wrist"
    joint = clip.skeleton.role(role)
    return np.asarray(poses.positions[:, joint] + quat.rotate(poses.rotations[:, joint], aim.point))


def _offset(clip: Clip, poses: WorldPoses, aim: Aim) -> Floats:
    """(3,) from where it is to where it is to be; no height where none is asked for."""
    away = np.asarray(aim.place, np.float64) - _point(clip, poses, aim)[aim.frame]
    return np.where(np.isfinite(away), away, 0.0)


def _miss(clip: Clip, poses: WorldPoses, aim: Aim) -> float:
    return float(np.linalg.norm(_offset(clip, poses, aim)))


def touching_point(skeleton: Skeleton, part: str) -> Floats:
    """(3,) the point that touches: of the hand in the frame of the wrist, of the seat the middle
    of the hip joints in the frame of the hips."""
    if part == "seat":
        rest = skeleton.rest_positions
        hips = [rest[skeleton.role(f"{side}_hip")] for side in SIDES]
        return np.asarray(0.5 * (hips[0] + hips[1]) - rest[skeleton.role("hips")])
    offsets = body_points(skeleton)[1]
    return np.asarray(offsets[AIMED.index(part)])
