"""Polishing: seams smoothed, feet held, hands and seat brought exactly to their places.

Segments meet in one pose, but not at one speed: a joint that changes its speed from one frame to
the next takes torques that nobody has. There the motion is smoothed, and all of it a little if that
is not enough. Then it is displaced (Lee & Shin 1999) until feet stand where they stood, and hands
and seat are at their places to the millimetre. Flights are put back on their parabolas. A polished
motion must be no worse in effort, joint speed, free fall and feet; else less is done, or nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from footfall.adapt.edit.constraints import Constraint, hold_constraints
from footfall.adapt.edit.displace import DisplaceOptions, displace
from footfall.adapt.feet.holds import GroundSurface, hold_at
from footfall.adapt.feet.lock import follow_holds, holds_of
from footfall.body.capsules import touch_point
from footfall.body.clip import Clip
from footfall.body.dynamics import Dynamics, inverse_dynamics
from footfall.body.feet import foot_points, mean_leg
from footfall.body.mass import centre_of_mass
from footfall.body.mirror import partners
from footfall.body.roles import SIDES
from footfall.body.touching import FEET, PARTS, SEAT, touching_bits
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.maths.constants import GRAVITY, MEAN_LEG_M
from footfall.maths.filters import binomial_mask, filter_orientations, filter_positions
from footfall.maths.runs import runs
from footfall.task.draft import Aim
from footfall.task.finish import hold_feet

MOST_EFFORT, MOST_FOR_FEET = 1.0, 1.1
"""Times the effort: a motion that costs more is not better. But feet that slide are cheaper than
feet can be: where they did, holding them may cost more."""
MOST_SPEED, SLOW = 1.5, np.radians(80.0)
"""Times the fastest that a joint turns in the motion; slower than the second is never too fast."""
FLIGHT_ERROR = 1e-3
SMOOTHING = (0, 1, 2)
"""Half widths, in frames at 30 a second, of the binomial masks that all of a motion is smoothed
with: no more than it takes until nothing pops and it costs no more than before."""
_SMOOTH_HZ = 30.0
_FARTHEST_M = 0.12
"""What is further off is not where it was meant to be: no polish brings it there."""
_KINK = (4.0, 8000.0)
"""A frame whose squared torque is this multiple of that beside it, and N² m² more, is a
place where the motion was joined: with the root held, so that steps of the ground's force do not
count. Clips of walking have 25,000 N² m² at most, joins up to 700,000. Of a body with legs of mean
length; torques of one mass grow with the length of its legs."""
_KINK_AT_SEAM, _AT_SEAM_S = (2.0, 4000.0), 0.1
"""The same where it is known to be joined, with the ground's force."""
_JOLT = (2.0, 2.0, 12.0)
"""So is one with this multiple of the body's or the joints' acceleration beside it, and at least
these m/s² or rad/s²."""
POP = (3.0, 4.0, 15.0)
"""The same of what is seen as a pop."""
_ABOUT_S, _BESIDE_S, _NEAR_S, _SIGMA_S = 0.17, 0.15, 0.2, 0.055
_LANDING_S = 0.15
"""This near to a flight joints do take much torque."""
_ROUNDS = 3
_HELD_M = 1e-3
_FEET = ("ankle", "toe")
"""What strikes the ground at every step: beside it nothing else would be seen."""


@dataclass(frozen=True)
class Polished:
    """A polished motion, and what was done to it.

    done           "seams", "aims" or both, beside holding the feet; "feet" for that alone; or
                   nothing
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
    clip: Clip, aims: Sequence[Aim] = (), *, seams: Sequence[float] | Floats | None = (),
    ground: GroundSurface | None = None,
) -> Polished:  # fmt: skip
    """Smooth seams and meet aims exactly, if that makes nothing worse.

    clip    with contacts, its feet held
    seams   frames, not always whole ones, at which it was joined, as far as they are known; None:
            nothing is smoothed
    ground  what feet stand on; None: each foot stays at its own height
    """
    assert clip.contacts is not None
    signature = touching_bits(clip.contacts, clip.touches).astype(np.int32)
    old = _Trial(clip, signature, aims)
    limits = _speed_limits(clip, old.speeds)
    most = (MOST_EFFORT if old.drift <= _HELD_M else MOST_FOR_FEET) * old.effort
    done: tuple[str, ...] = ()
    best, least = old, old.faults(limits, old.effort)
    for what, made in _tries(clip, signature, aims, seams, ground, old):
        if least == NO_FAULTS:
            break
        new = _Trial(made, signature, aims)
        faults = new.faults(limits, most)
        if faults < least and not new.is_worse(old, limits):
            best, done, least = new, what, faults
    return Polished(best.clip, done, old.effort, best.effort, old.missed, best.missed)


def _tries(
    clip: Clip, signature: Ints, aims: Sequence[Aim], seams: Sequence[float] | Floats | None,
    ground: GroundSurface | None, old: _Trial,
) -> Iterator[tuple[tuple[str, ...], Clip]]:  # fmt: skip
    """Yield motions with more and more done to them, and what was done; all have feet held."""
    eased = clip if seams is None else smooth_seams(clip, signature, seams)
    wanted = _constraints(clip, signature, aims)
    keep = all(c.first > 0 and c.stop < len(clip) for c in wanted)
    bases = (clip,) if eased is clip else (eased, clip)
    for width, base in product(SMOOTHING[: 1 if seams is None else None], bases):
        smooth = smooth_motion(base, signature, width)
        start = clip if smooth is clip else _put_feet_back(smooth, clip)
        joined = () if smooth is clip else ("seams",)
        if wanted:
            constraints = [*hold_constraints(start), *wanted]
            bent = displace(start, constraints, DisplaceOptions(keep_ends=keep)).clip
            yield (*joined, "aims"), hold_feet(bent, ground).clip
        yield joined or ("feet",), hold_feet(start, ground).clip


def _speed_limits(clip: Clip, fastest: Floats) -> Floats:
    """Return (J,) how fast joints may turn, rad/s: what one side does the other may do as well."""
    either = np.maximum(fastest, fastest[partners(clip.skeleton)])
    return np.asarray(MOST_SPEED * np.maximum(either, SLOW))


# ---- what must not get worse ----------------------------------------------------------------


NO_FAULTS = (0.0, 0.0, 0, 0.0)


class _Trial:
    """A motion with the measures of its quality."""

    def __init__(self, clip: Clip, signature: Ints, aims: Sequence[Aim]) -> None:
        self.clip = clip
        self.speeds = joint_speeds(clip).max(axis=0, initial=0.0)
        self.effort = float(inverse_dynamics(clip, signature.astype(np.uint8)).effort.sum())
        self.flight = _flight_error(clip, signature)
        self.drift = _drift(clip)
        self.missed = max((_miss(clip, aim) for aim in aims), default=0.0)
        self.jolts = len(runs(find_jolts(clip, *POP)))

    def faults(self, limits: Floats, effort: float) -> tuple[float, float, int, float]:
        """Return what is wrong with it, the worst first: metres that feet slide, metres that aims
        are missed by, how often it pops, and times the effort that it may take; 0 is nothing."""
        return (
            self.drift if self.drift > _HELD_M else 0.0,
            self.missed if self.missed > _HELD_M else 0.0,
            self.jolts + int((self.speeds > limits + 1e-9).any()),
            max(self.effort / effort - 1.0, 0.0) if effort > 0.0 else 0.0,
        )

    def is_worse(self, old: _Trial, limits: Floats) -> bool:
        """Return whether this motion is worse than the old one in what none may get worse in."""
        return bool(
            (self.speeds > np.maximum(limits, old.speeds) + 1e-9).any()
            or self.flight > max(old.flight, FLIGHT_ERROR)
            or self.drift > max(old.drift, _HELD_M)
            or self.missed > old.missed + _HELD_M
        )


def joint_speeds(clip: Clip) -> Floats:
    """Return (T - 1, J) how fast each joint turns, rad/s."""
    return np.asarray(np.linalg.norm(joint_rates(clip), axis=-1))


def joint_rates(clip: Clip, joints: Sequence[int] | slice = slice(None)) -> Floats:
    """Return (T - 1, K, 3) rad/s that joints turn about the axes of their own frames."""
    turned = clip.rotations[:, joints]
    steps = quat.multiply(quat.conjugate(turned[:-1]), turned[1:])
    return np.asarray(2.0 * clip.fps * quat.log_half_angle(quat.toward(steps, quat.IDENTITY)))


def _flight_error(clip: Clip, signature: Ints) -> float:
    """Return the largest deviation of the centre of mass from free fall, as a share of g."""
    free = (signature & (FEET | SEAT)) == 0
    inside = free[:-2] & free[1:-1] & free[2:]
    if not inside.any():
        return 0.0
    fall = np.diff(centre_of_mass(clip), 2, axis=0)[inside] * clip.fps**2
    return float(np.linalg.norm(fall + np.array([0.0, GRAVITY, 0.0]), axis=1).max()) / GRAVITY


def _drift(clip: Clip) -> float:
    """Metres that a heel or ball moves along the ground at most while it touches."""
    assert clip.contacts is not None
    worst = 0.0
    for foot, side in enumerate(SIDES):
        heel, ball, _ = foot_points(clip.skeleton).side(side)
        for column, point in ((2 * foot, heel), (2 * foot + 1, ball)):
            there = clip.world.points(point.joint, point.offset)[:, [0, 2]]
            for first, stop in runs(clip.contacts[:, column]).tolist():
                worst = max(worst, float(np.ptp(there[first:stop], axis=0).max()))
    return worst


# ---- seams ----------------------------------------------------------------------------------


def smooth_seams(clip: Clip, signature: Ints, seams: Sequence[float] | Floats = ()) -> Clip:
    """Smooth a motion where a frame takes far more torque than those about it.

    Feet that stand may be moved by that, and are to be put back.
    """
    mask = binomial_mask(max(round(2.0 * (_SIGMA_S * clip.fps) ** 2), 1))
    airborne = (signature & (FEET | SEAT)) == 0
    grounded = _window(airborne, _LANDING_S * clip.fps) == 0.0
    known = np.zeros(len(clip), np.bool_)
    known[np.clip(np.rint(seams), 0, len(clip) - 1).astype(np.int64)] = True
    known = _window(known, _AT_SEAM_S * clip.fps) > 0.0
    larger = (mean_leg(clip.skeleton) / MEAN_LEG_M) ** 2
    for _ in range(_ROUNDS):
        held = inverse_dynamics(clip, np.zeros(len(clip), np.uint8), cutoff_hz=0.0)
        free = inverse_dynamics(clip, signature.astype(np.uint8), cutoff_hz=0.0)
        rough = (
            _kinks(held, _KINK[0], larger * _KINK[1])
            | (known & _kinks(free, _KINK_AT_SEAM[0], larger * _KINK_AT_SEAM[1]))
            | find_jolts(clip, *_JOLT)
        )
        rough &= grounded
        if not rough.any():
            break
        weight = _window(rough, _NEAR_S * clip.fps)
        root = filter_positions(clip.root, mask) - clip.root
        rotations = filter_orientations(clip.rotations, mask)
        share = np.broadcast_to(weight[:, None], rotations.shape[:2])
        clip = clip.derive(
            # In the air the body goes where it fell from.
            root=clip.root + np.where(airborne, 0.0, weight)[:, None] * root,
            rotations=quat.slerp(clip.rotations, rotations, share),
        )
    return clip


def smooth_motion(clip: Clip, signature: Ints, width: int) -> Clip:
    """Return a motion smoothed as a whole within a mask; flights stay as they are."""
    frames = round(width * clip.fps / _SMOOTH_HZ)
    if frames == 0:
        return clip
    mask = binomial_mask(frames)
    airborne = (signature & (FEET | SEAT)) == 0
    root = np.where(airborne[:, None], clip.root, filter_positions(clip.root, mask))
    return clip.derive(root=root, rotations=filter_orientations(clip.rotations, mask))


def _put_feet_back(eased: Clip, clip: Clip) -> Clip:
    """Return a motion that was eased with its feet where they stood in the clip as it was.

    They roll as in the motion that was eased.
    """
    assert clip.contacts is not None
    now, holds = eased.world, []
    feet, stood = holds_of(clip)
    for n, (foot, own) in enumerate(zip(feet, stood, strict=True)):
        touching = clip.contacts[:, 2 * n], clip.contacts[:, 2 * n + 1]
        holds.append(hold_at(foot, now, *touching, own.flat, own.spots))
    return follow_holds(eased, feet, holds)


def _kinks(found: Dynamics, ratio: float, least: float) -> Bools:
    """Return (T,) frames that take far more torque than most of those about them."""
    half = max(round(_ABOUT_S * found.fps), 2)
    longer = np.pad(found.squares, half, mode="edge")
    about = np.median(np.lib.stride_tricks.sliding_window_view(longer, 2 * half + 1), axis=1)
    return np.asarray(found.squares > ratio * about + least)


def find_jolts(clip: Clip, ratio: float, least_push: float, least_turn: float) -> Bools:
    """Return (T,) frames with far greater pushes or turns than before and after."""
    push, turn = np.zeros(len(clip)), np.zeros(len(clip))
    push[1:-1] = np.linalg.norm(np.diff(clip.root, 2, axis=0), axis=1) * clip.fps**2
    joints = [j for role, j in clip.skeleton.roles.items() if not role.endswith(_FEET)]
    rates = np.diff(joint_rates(clip, joints), axis=0) * clip.fps
    turn[1:-1] = np.sqrt(np.mean(np.sum(rates**2, axis=2), axis=1))
    return _stand_out(push, clip.fps, ratio, least_push) | _stand_out(
        turn, clip.fps, ratio, least_turn
    )


def _stand_out(strength: Floats, fps: float, ratio: float, least: float) -> Bools:
    """Return (T,) what exceeds `least` and far exceeds the values two frames off."""
    reach = max(round(_BESIDE_S * fps), 3)
    padded = np.pad(strength, reach + 2, mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, reach)
    beside = np.maximum(windows[: len(strength)].max(axis=1), windows[reach + 5 :].max(axis=1))
    return np.asarray((strength > ratio * beside) & (strength > least))


def _window(at: Bools, frames: float) -> Floats:
    """Return (T,) 1 where true, easing to 0 within `frames` on either side."""
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


def _constraints(clip: Clip, signature: Ints, aims: Sequence[Aim]) -> list[Constraint]:
    """Return what brings the aims to their places, as long as the parts touch."""
    found = []
    for aim in aims:
        touches = (signature >> PARTS.index(aim.part) & 1) > 0
        span = next((s for s in runs(touches).tolist() if s[0] <= aim.frame < s[1]), None)
        away = _offset(clip, aim)
        if span is None or float(np.linalg.norm(away)) > _FARTHEST_M:
            continue
        there = _point(clip, aim)
        place = there[span[0] : span[1]] + away
        if aim.part != "seat":  # what it takes holds still, and so does the hand
            place = np.tile(there[aim.frame] + away, (span[1] - span[0], 1))
        role, point = touch_point(clip.skeleton, aim.part)
        found.append(Constraint(role, span[0], span[1], place, None, point))
    return found


def _point(clip: Clip, aim: Aim) -> Floats:
    """Return (T, 3) the point that is to be at the aim's place."""
    role, point = touch_point(clip.skeleton, aim.part)
    return clip.world.points(clip.skeleton.role(role), point)


def _offset(clip: Clip, aim: Aim) -> Floats:
    """Return (3,) from where it is to where it is to be; no height where none is asked for."""
    away = np.asarray(aim.place, np.float64) - _point(clip, aim)[aim.frame]
    return np.where(np.isfinite(away), away, 0.0)


def _miss(clip: Clip, aim: Aim) -> float:
    return float(np.linalg.norm(_offset(clip, aim)))
