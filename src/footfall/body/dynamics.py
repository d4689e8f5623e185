"""What a motion costs: the torques of all joints, by inverse dynamics of the free-floating body.

Recursive Newton-Euler gives the force and moment that the root would have to be held with; the
ground gives them instead, to the feet that touch, as far as ground can: it pushes, within friction,
from within the soles. What it cannot give is the root residual. Over double support the load
passes evenly from foot to foot, and otherwise as the centre of pressure tells; a seat carries the
body, hands carry nothing, and in flight there is nothing to push from.

The effort of a motion is the sum of its squared torques over frames at 30 a second (Safonova &
Hodgins 2007), whatever its own rate, in N² m² of a body of 70 kg.
Where we differ: the share of a foot gives way where the centre of pressure asks for it, so that
what could be done has no residual; seated, a foot carries its leg.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from footfall.body.clip import Clip
from footfall.body.feet import foot_points, mean_leg
from footfall.body.mass import segments
from footfall.body.roles import SIDES
from footfall.body.skeleton import Skeleton
from footfall.body.touching import (
    FEET,
    FOOT_HALF_WIDTH,
    LEFT_FOOT,
    RIGHT_FOOT,
    SEAT,
    touching_bits,
)
from footfall.errors import InputError
from footfall.maths.arrays import Bytes, Floats, Ints
from footfall.maths.constants import GRAVITY
from footfall.maths.signals import low_pass, low_pass_rotations

WALK_HZ, RUN_HZ = 6.0, 12.0
EFFORT_HZ = 30.0
BODY_KG = 70.0


class BodyArrays(NamedTuple):
    """A body for the kernels: its K joints that carry mass, and the toes, parents first.

    joints       (K,) of the skeleton;  parents (K,) rows of these
    offsets      (K, 3) metres, in the parent's frame
    masses       (K,) kg that move with each;  below (K,) with all that hangs on it
    moments      (K, 3) mass times centre of mass, in its frame
    inertias     (K, 9) about its origin, row by row
    legs         (L,) rows from the root down to the toes, parents first
    leg_marks    (L,) the feet that stand below each down to the ankle, and the seat
    hips         (2,) rows of the left and right hip
    sole_joints  (2, 3) rows that heel, ball and tip move with;  soles (2, 3, 3) where in them
    half_width   (1,) of a sole, metres
    weight       (1,) N
    """

    joints: Ints
    parents: Ints
    offsets: Floats
    masses: Floats
    below: Floats
    moments: Floats
    inertias: Floats
    legs: Ints
    leg_marks: Ints
    hips: Ints
    sole_joints: Ints
    soles: Floats
    half_width: Floats
    weight: Floats


class Workspace(NamedTuple):
    """Memory for the kernels to work in, for a body of K joints and up to F frames at once."""

    rates: Floats
    changes: Floats
    turns: Floats
    spins: Floats
    gains: Floats
    pulls: Floats
    push: Floats
    torques: Floats
    leans: Floats
    world: Floats
    places: Floats
    sole_points: Floats
    soles: Floats
    pressures: Floats
    forces: Floats
    checks: Floats
    shares: Floats
    centres: Floats
    all_torques: Floats
    all_forces: Floats
    all_checks: Floats


@dataclass(frozen=True, eq=False)
class Dynamics:
    """What joints and ground do, frame by frame, for a body of 70 kg.

    torques          (T, J, 3) N m along the axes of each joint; none at the root
    forces           (T, 3, 3) N that the ground gives to left foot and right foot, and the seat
    residual         (T, 6) what the root would still have to be held with: N, and N m about it
    friction         (T,) horizontal by vertical force; 0 without load
    outside          (T,) metres that the centre of pressure would have to be outside of the soles
    """

    fps: float
    torques: Floats
    forces: Floats
    residual: Floats
    friction: Floats
    outside: Floats

    @property
    def squares(self) -> Floats:
        """(T,) the sum of squared torques at each frame, N² m²."""
        return np.asarray(np.einsum("tji,tji->t", self.torques, self.torques))

    @property
    def effort(self) -> Floats:
        """(T,) each frame's part of the effort: their sum does not depend on the frame rate."""
        parts = self.squares * (EFFORT_HZ / self.fps)
        parts[[0, -1]] *= 0.5
        return parts


@dataclass(frozen=True, eq=False)
class SegmentEfforts:
    """The effort of segments of motion and the worst of each.

    effort           (S,) N² m²
    residual_bw      (S,) force that no contact can give, body weights
    residual_bw_m    (S,) moment that no contact can give, body weights times metres
    friction         (S,) horizontal by vertical force
    outside_m        (S,) that the centre of pressure is outside of the soles
    flight_error     (S,) how far the acceleration in flight is off gravity, as a share of it
    """

    effort: Floats
    residual_bw: Floats
    residual_bw_m: Floats
    friction: Floats
    outside_m: Floats
    flight_error: Floats


def effort(clip: Clip, touching: Bytes | None = None) -> Floats:
    """(T,) each frame's part of what a clip costs, N² m²; see `inverse_dynamics`."""
    return inverse_dynamics(clip, touching).effort


def inverse_dynamics(
    clip: Clip, touching: Bytes | None = None, *, cutoff_hz: float | None = None
) -> Dynamics:
    """The torques and forces of a clip.

    touching   (T,) what touches, as bits; by default as the clip's contacts say
    cutoff_hz  what is faster is smoothed away first, since noise would drown all accelerations;
               by default 6 Hz, or 12 if the body flies; 0 smooths nothing
    """
    bits = _touching(clip, touching)
    root, rotations = _smooth(clip, bits, cutoff_hz)
    body = body_arrays(clip.skeleton)
    frames = len(clip)
    work = workspace(body, frames)
    _run(body, work, root, rotations, bits, np.array([0, frames]), np.array([1.0 / clip.fps]))
    forces, checks = work.all_forces, work.all_checks
    whole = np.zeros((frames, len(clip.skeleton), 3))
    whole[:, body.joints[1:]] = work.all_torques[:, 1:]
    return Dynamics(
        clip.fps, whole, forces[:, :3], forces[:, 3:].reshape(frames, 6), checks[:, 2], checks[:, 3]
    )


def segment_efforts(
    skeleton: Skeleton, root: Floats, rotations: Floats, touching: Bytes, first: Ints,
    step_s: Floats, *, before: int = 0, after: int = 0,
) -> SegmentEfforts:  # fmt: skip
    """The effort of S segments of frames that lie one behind the other, as they are: not smoothed.

    root, rotations  (F, 3), (F, J, 4) the frames of all segments
    touching         (F,) what touches, as bits
    first            (S + 1,) where segments begin
    step_s           (S,) seconds from frame to frame
    before, after    frames of margin that each segment has: they tell its derivatives, and how
                     load passes, but do not count
    """
    body = body_arrays(skeleton)
    work = workspace(body, int(np.diff(first).max(initial=1)))
    efforts, checks = _run(body, work, root, rotations, touching, first, step_s, before, after)
    return SegmentEfforts(efforts, *checks.T)


def _run(
    body: BodyArrays, work: Workspace, root: Floats, rotations: Floats, touching: Bytes,
    first: Ints, step_s: Floats, before: int = 0, after: int = 0,
) -> tuple[Floats, Floats]:  # fmt: skip
    """Return efforts (S,) and worst checks (S, 5) of segments; those of frames are in `work`."""
    from footfall.body.dynamics_kernels import segment_efforts as kernel

    efforts, checks = np.zeros(len(step_s)), np.zeros((len(step_s), 5))
    kernel(
        body, work,
        np.ascontiguousarray(root, np.float64), np.ascontiguousarray(rotations, np.float64),
        np.ascontiguousarray(touching, np.uint8), np.ascontiguousarray(first, np.int64),
        before, after, np.ascontiguousarray(step_s, np.float64), efforts, checks,
    )  # fmt: skip
    return efforts, checks


def workspace(body: BodyArrays, frames: int) -> Workspace:
    """Memory for segments of up to so many frames."""
    count = len(body.joints)
    rows = {"turns": (count, 9), "world": (count, 9), "sole_points": (3, 3),
            "soles": (2, 2, 3), "pressures": (2, 3), "forces": (5, 3), "checks": (4,),
            "shares": (frames,), "centres": (frames, 3), "all_torques": (frames, count, 3),
            "all_forces": (frames, 5, 3), "all_checks": (frames, 4)}  # fmt: skip
    return Workspace(*(np.zeros(rows.get(name, (count, 3))) for name in Workspace._fields))


@lru_cache(maxsize=32)
def body_arrays(skeleton: Skeleton) -> BodyArrays:
    """A skeleton with roles as the kernels want it, with masses after de Leva."""
    rows = _rows(skeleton)
    row = {joint: k for k, joint in enumerate(rows)}
    masses, moments, inertias = _masses(skeleton, rows)
    parents = np.array([row.get(int(skeleton.parents[j]), -1) for j in rows])
    below = masses.copy()
    for k in range(len(rows) - 1, 0, -1):
        below[parents[k]] += below[k]
    marks = _leg_marks(skeleton)
    legs = [k for k, joint in enumerate(rows) if joint in marks]
    points = [foot_points(skeleton).side(side) for side in SIDES]
    return BodyArrays(
        joints=np.array(rows),
        parents=parents,
        offsets=skeleton.offsets[rows],
        masses=masses,
        below=below,
        moments=moments,
        inertias=inertias,
        legs=np.array(legs),
        leg_marks=np.array([marks[rows[k]] for k in legs]),
        hips=np.array([row[skeleton.role(f"{side}_hip")] for side in SIDES]),
        sole_joints=np.array([[row[p.joint] for p in side] for side in points]),
        soles=np.array([[p.offset for p in side] for side in points]),
        half_width=np.array([FOOT_HALF_WIDTH * mean_leg(skeleton)]),
        weight=np.array([GRAVITY * below[0]]),
    )


def _rows(skeleton: Skeleton) -> list[int]:
    """The joints from the root down to segments of the body and to the points of the feet."""
    wanted = {part.joint for part in segments(skeleton, BODY_KG)}
    wanted |= {p.joint for side in SIDES for p in foot_points(skeleton).side(side)}
    return sorted({j for joint in wanted for j in skeleton.chain(0, joint)})


def _masses(skeleton: Skeleton, rows: Sequence[int]) -> tuple[Floats, Floats, Floats]:
    """(K,) masses, (K, 3) first moments, (K, 9) inertias about the joints' origins."""
    masses, moments = np.zeros(len(rows)), np.zeros((len(rows), 3))
    inertias = np.zeros((len(rows), 3, 3))
    for part in segments(skeleton, BODY_KG):
        k = rows.index(part.joint)
        centre = part.centre
        masses[k] += part.mass_kg
        moments[k] += part.mass_kg * centre
        shift = float(centre @ centre) * np.eye(3) - np.outer(centre, centre)
        inertias[k] += part.inertia + part.mass_kg * shift
    return masses, moments, inertias.reshape(-1, 9)


def _leg_marks(skeleton: Skeleton) -> dict[int, int]:
    """For each joint from the root down to the toes, what it carries the force of."""
    marks: dict[int, int] = {}
    for side, mark in zip(SIDES, (LEFT_FOOT, RIGHT_FOOT), strict=True):
        for point in foot_points(skeleton).side(side):
            for joint in skeleton.chain(0, point.joint):
                marks.setdefault(joint, 0)
        for joint in skeleton.chain(0, skeleton.role(f"{side}_ankle")):
            marks[joint] |= mark
    for joint in skeleton.chain(0, skeleton.role("hips")):
        marks[joint] = marks.get(joint, 0) | SEAT
    return marks


def _touching(clip: Clip, touching: Bytes | None) -> Bytes:
    if touching is not None:
        bits = np.ascontiguousarray(touching, np.uint8)
        if bits.shape != (len(clip),):
            raise InputError(f"there is what touches at {len(bits)} of {len(clip)} frames")
        return bits
    if clip.contacts is None:
        raise InputError(
            "the clip does not say what touches",
            where=clip.name,
            remedy="footfall.find_contacts(clip).with_contacts(clip) gives one that does",
        )
    return touching_bits(clip.contacts, clip.touches)


def _smooth(clip: Clip, bits: Bytes, cutoff_hz: float | None) -> tuple[Floats, Floats]:
    if cutoff_hz is None:
        flies = bool(((bits & (FEET | SEAT)) == 0).any())
        cutoff_hz = min(RUN_HZ if flies else WALK_HZ, 0.4 * clip.fps)
    if cutoff_hz == 0.0:
        return clip.root, clip.rotations
    root = low_pass(clip.root, clip.fps, cutoff_hz)
    return root, low_pass_rotations(clip.rotations, clip.fps, cutoff_hz)
