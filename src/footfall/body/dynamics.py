"""Measure effort: torques of all joints by inverse dynamics of the free-floating body.

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
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from footfall.body.clip import Clip
from footfall.body.feet import foot_points, mean_leg
from footfall.body.mass import segments
from footfall.body.roles import SIDES
from footfall.body.skeleton import Skeleton
from footfall.body.touching import FEET, FOOT_HALF_WIDTH, LEFT_FOOT, RIGHT_FOOT, SEAT, touching_bits
from footfall.errors import InputError
from footfall.maths.arrays import Bytes, Floats, Ints
from footfall.maths.constants import GRAVITY
from footfall.maths.signals import low_pass, low_pass_rotations

WALK_HZ, RUN_HZ = 6.0, 12.0
EFFORT_HZ = 30.0
BODY_KG = 70.0


_POINT, _MATRIX = (np.float64, 3), (np.float64, 9)
JOINT = np.dtype([
    ("joint", np.int64), ("parent", np.int64), ("mark", np.int64), ("offset", *_POINT),
    ("mass", np.float64), ("below", np.float64), ("moment", *_POINT), ("inertia", *_MATRIX),
    *((name, *_POINT) for name in (
        "rate", "change", "spin", "gain", "pull", "push", "torque", "lean", "place",
    )), ("turn", *_MATRIX), ("world", *_MATRIX),
], align=True)  # fmt: skip
"""A joint that carries mass, or a toe; from `rate` on, memory of the kernels.

joint, parent  of the skeleton; the row of the joint above
mark           from the root down to the toes what it carries the force of, as bits; else -1
offset         metres, in the parent's frame
mass, below    kg that move with it; with all that hangs on it
moment         mass times centre of mass, in its frame
inertia        about its origin, row by row
"""
FEET_RECORD = np.dtype([
    ("hips", np.int64, 2), ("sole_joints", np.int64, (2, 3)),
    ("sole_offsets", np.float64, (2, 3, 3)), ("half_width", np.float64), ("weight", np.float64),
    ("sole_points", np.float64, (3, 3)), ("soles", np.float64, (2, 2, 3)),
    ("pressures", np.float64, (2, 3)), ("forces", np.float64, (5, 3)), ("checks", np.float64, 4),
], align=True)  # fmt: skip
"""Both feet; from `sole_points` on, memory of the kernels.

hips          rows of the left and right hip
sole_joints   rows that heel, ball and tip move with;  sole_offsets  where in them
half_width    of a sole, metres;  weight  of the body, N
"""
FRAME = np.dtype([
    ("share", np.float64), ("centre", *_POINT), ("forces", np.float64, (5, 3)),
    ("checks", np.float64, 4),
], align=True)  # fmt: skip
"""What the kernels find of a frame.

share   of the load that the left foot carries;  centre  of mass, metres
forces  on the left foot, the right foot and the seat, N, and the root residual: N and N m
checks  residual force and moment (body weights, and times metres), friction, and metres that the
        centre of pressure is outside
"""


class DynamicBody(NamedTuple):
    """A body for the kernels, and their memory for up to F frames at once.

    joints   (K,) `JOINT`, parents first;  feet  (1,) `FEET_RECORD`;  frames  (F,) `FRAME`
    torques  (F, K, 3) N m along the axes of each joint
    """

    joints: NDArray[Any]
    feet: NDArray[Any]
    frames: NDArray[Any]
    torques: Floats


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
    """Return (T,) each frame's part of what a clip costs, N² m²; see `inverse_dynamics`."""
    return inverse_dynamics(clip, touching).effort


def inverse_dynamics(
    clip: Clip, touching: Bytes | None = None, *, cutoff_hz: float | None = None
) -> Dynamics:
    """Return the torques and forces of a clip.

    touching   (T,) what touches, as bits; by default as the clip's contacts say
    cutoff_hz  what is faster is smoothed away first, since noise would drown all accelerations;
               by default 6 Hz, or 12 if the body flies; 0 smooths nothing
    """
    bits = _touching(clip, touching)
    root, rotations = _smooth(clip, bits, cutoff_hz)
    frames = len(clip)
    body = dynamic_body(clip.skeleton, frames)
    _run(body, root, rotations, bits, np.array([0, frames]), np.array([1.0 / clip.fps]))
    forces, checks = body.frames["forces"], body.frames["checks"]
    whole = np.zeros((frames, len(clip.skeleton), 3))
    whole[:, body.joints["joint"][1:]] = body.torques[:, 1:]
    return Dynamics(
        clip.fps, whole, forces[:, :3], forces[:, 3:].reshape(frames, 6), checks[:, 2], checks[:, 3]
    )


def segment_efforts(
    skeleton: Skeleton, root: Floats, rotations: Floats, touching: Bytes, first: Ints,
    step_s: Floats, *, before: int = 0, after: int = 0,
) -> SegmentEfforts:  # fmt: skip
    """Return the effort of S segments of frames, stored one after the other, without smoothing.

    root, rotations  (F, 3), (F, J, 4) the frames of all segments
    touching         (F,) what touches, as bits
    first            (S + 1,) where segments begin
    step_s           (S,) seconds from frame to frame
    before, after    frames of margin that each segment has: they tell its derivatives, and how
                     load passes, but do not count
    """
    body = dynamic_body(skeleton, int(np.diff(first).max(initial=1)))
    efforts, checks = _run(body, root, rotations, touching, first, step_s, before, after)
    return SegmentEfforts(efforts, *checks.T)


def _run(
    body: DynamicBody, root: Floats, rotations: Floats, touching: Bytes, first: Ints,
    step_s: Floats, before: int = 0, after: int = 0,
) -> tuple[Floats, Floats]:  # fmt: skip
    """Return efforts (S,) and worst checks (S, 5) of segments; those of frames are in `body`."""
    from footfall.body.dynamics_kernels import segment_efforts as kernel

    efforts, checks = np.zeros(len(step_s)), np.zeros((len(step_s), 5))
    kernel(
        body,
        np.ascontiguousarray(root, np.float64), np.ascontiguousarray(rotations, np.float64),
        np.ascontiguousarray(touching, np.uint8), np.ascontiguousarray(first, np.int64),
        before, after, np.ascontiguousarray(step_s, np.float64), efforts, checks,
    )  # fmt: skip
    return efforts, checks


def dynamic_body(skeleton: Skeleton, frames: int) -> DynamicBody:
    """Return the arrays of a skeleton with roles, and memory for a number of frames."""
    joints, feet = _body_records(skeleton)
    torques = np.zeros((frames, len(joints), 3))
    return DynamicBody(joints.copy(), feet.copy(), np.zeros(frames, FRAME), torques)


@lru_cache(maxsize=32)
def _body_records(skeleton: Skeleton) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return (K,) joints and (1,) feet of a body, with masses after de Leva."""
    rows = _rows(skeleton)
    row = {joint: k for k, joint in enumerate(rows)}
    joints, feet = np.zeros(len(rows), JOINT), np.zeros(1, FEET_RECORD)
    marks = _leg_marks(skeleton)
    joints["joint"], joints["offset"] = rows, skeleton.offsets[rows]
    joints["parent"] = [row.get(int(skeleton.parents[j]), -1) for j in rows]
    joints["mark"] = [marks.get(j, -1) for j in rows]
    joints["mass"], joints["moment"], joints["inertia"] = _masses(skeleton, rows)
    joints["below"] = joints["mass"]
    for k in range(len(rows) - 1, 0, -1):
        joints["below"][joints["parent"][k]] += joints["below"][k]
    points = [foot_points(skeleton).side(side) for side in SIDES]
    feet["hips"] = [row[skeleton.role(f"{side}_hip")] for side in SIDES]
    feet["sole_joints"] = [[row[p.joint] for p in side] for side in points]
    feet["sole_offsets"] = [[p.offset for p in side] for side in points]
    feet["half_width"] = FOOT_HALF_WIDTH * mean_leg(skeleton)
    feet["weight"] = GRAVITY * joints["below"][0]
    return joints, feet


def _rows(skeleton: Skeleton) -> list[int]:
    """Return the joints from the root to the body's segments and the points of the feet."""
    wanted = {part.joint for part in segments(skeleton, BODY_KG)}
    wanted |= {p.joint for side in SIDES for p in foot_points(skeleton).side(side)}
    return sorted({j for joint in wanted for j in skeleton.chain(0, joint)})


def _masses(skeleton: Skeleton, rows: Sequence[int]) -> tuple[Floats, Floats, Floats]:
    """Return (K,) masses, (K, 3) first moments, (K, 9) inertias about the joints' origins."""
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
    """Return, for each joint down to the toes, the segment whose force it carries."""
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
