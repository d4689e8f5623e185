"""Segments between two of the same contact phase, after Safonova & Hodgins 2005.

A. Safonova, J. K. Hodgins, Analyzing the physical correctness of interpolated human motion, SCA
2005. Time is scaled uniformly, T² = w T₁² + (1 - w) T₂². In flight the centre of mass and the
joint rotations are interpolated, so that it falls with g; in contact the places of the feet, the
centre of mass and the joints that are free, and the legs follow in closed form. Where we differ:
everything is interpolated pose by pose in a frame that the two feet make, so that a pose where
contacts change depends on the two states and the weight alone and segments meet without a jump;
a leg that swings is led by its joints and, toward the ends of its swing, by where its foot stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from footfall.body.capsules import Capsules, body_capsules
from footfall.body.feet import Foot, foot_of
from footfall.body.kinematics import WorldPoses, forward_kinematics
from footfall.body.mass import mass_centres, segments
from footfall.body.roles import SIDES
from footfall.body.size import body_size
from footfall.body.skeleton import Skeleton, subtree
from footfall.gait.signatures import LEFT_FOOT, LEFT_HAND, RIGHT_FOOT, RIGHT_HAND
from footfall.maths import planar
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats, Ints
from footfall.maths.easing import spline_slopes
from footfall.maths.runs import rows_of_spans
from footfall.optimal.model import PhaseGraph

MARK = np.dtype([
    ("joint", np.int32), ("group", np.int32), ("size", np.float64),
    ("x", np.float64), ("y", np.float64), ("z", np.float64),
])  # fmt: skip
"""Something at a place of a joint. A segment of mass: its leg (-1 for none), its share of all mass,
its centre. A ball about the body: what it belongs to (feet and hands by their bits, the trunk 16),
its radius."""
EDGE = np.dtype([
    ("first", np.int32), ("count", np.int32), ("touching", np.int32), ("before", np.int32),
    ("after", np.int32), ("around_start", np.int32), ("around_end", np.int32),
    ("seconds", np.float64),
])  # fmt: skip
"""An edge: its first row and number of rows; what touches along it, before and after it, and around
its beginning and its end (`around_states`)."""
MIX = np.dtype([
    ("one", np.int32), ("other", np.int32), ("tail", np.int32), ("head", np.int32),
    ("frames", np.int32), ("weight", np.float64), ("step", np.float64),
])  # fmt: skip
"""Two edges or states that are mixed: the share of the first, the nodes that the edge leaves and
reaches, frames to look at and seconds between them."""


class BlendBody(NamedTuple):
    """What the kernels know of a body.

    parents, offsets  (J,), (J, 3) of its joints
    order    (2, L) the joints of each leg, -1 behind the last
    limbs    (2, 6) of each side hip, knee, ankle, toe (-1 without), wrist; and the pelvis
    points   (2, 5, 3) of each side: see `blend_kernels.HEEL`; the last row has the length of the
             sole, how far its middle is ahead of its ball, and one more: left, how much of its
             shank a swinging foot takes along; right, within how far of the root hands are where
             the trunk is
    parts    (S,) segments of mass;  balls (B,) about the body
    """

    parents: Ints
    offsets: Floats
    order: Ints
    limbs: Ints
    points: Floats
    parts: NDArray[np.void]
    balls: NDArray[np.void]


class BlendWork(NamedTuple):
    """Memory to work in: a pose, its world poses and those with solved legs, feet, masses, rows."""

    root: Floats
    local: Floats
    places: Floats
    turns: Floats
    bent: Floats
    feet: Floats
    masses: Floats
    samples: Floats


class SegmentRows(NamedTuple):
    """The frames of a phase graph's edges as the kernels interpolate them.

    rows, slopes   (F, C) numbers of each frame (`blend_kernels.ROOT` and on), and how they
                   change from frame to frame there
    edges          (E,) see `EDGE`
    """

    rows: Floats
    slopes: Floats
    edges: NDArray[np.void]
    body: BlendBody

    @property
    def seconds(self) -> Floats:
        """(E,) how long edges take."""
        return np.asarray(self.edges["seconds"])


def blend_work(known: SegmentRows, frames: int) -> BlendWork:
    """Return memory for segments of at most this number of frames."""
    joints, parts = len(known.body.parents), len(known.body.parts)
    return BlendWork(
        np.empty((1, 3)), np.empty((1, joints, 4)), np.empty((2, joints, 3)),
        np.empty((2, joints, 4)), np.empty((3, 4)), np.empty((2, 15)), np.empty((parts, 3)),
        np.empty((2, frames + 1, known.rows.shape[1])),
    )  # fmt: skip


def segment_rows(phases: PhaseGraph, edges: Ints | None = None) -> SegmentRows:
    """The rows of edges of a phase graph, in this order; of all by default."""
    if edges is None:
        edges = np.arange(len(phases.edge_from), dtype=np.int32)
    frames, first = rows_of_spans(phases.edge_first, edges)
    counts = np.diff(first)
    rows = pose_rows(
        phases.skeleton, phases.frame_root[frames], phases.frame_rotations[frames], first[:-1]
    )
    around = around_states(phases)
    tails, heads = phases.edge_from[edges], phases.edge_to[edges]
    table = np.zeros(len(edges), EDGE)
    table["first"], table["count"], table["seconds"] = first[:-1], counts, (counts - 1) / phases.fps
    table["touching"], table["before"] = phases.state_signature[tails], phases.state_before[tails]
    table["after"] = phases.state_signature[heads]
    table["around_start"], table["around_end"] = around[tails], around[heads]
    return SegmentRows(rows, row_slopes(rows, first), table, blend_body(phases.skeleton))


def around_states(phases: PhaseGraph) -> Ints:
    """(S,) what touches before or after states, with a bit of its own for a flight."""
    from footfall.optimal.blend_kernels import AIR

    before, after = np.asarray(phases.state_before), np.asarray(phases.state_signature)
    return np.asarray(before | after | np.where((before == 0) | (after == 0), AIR, 0))


def interpolated_seconds(first: Floats, second: Floats, weight: Floats) -> Floats:
    """How long segments between two take: T² = w T₁² + (1 - w) T₂²."""
    return np.asarray(np.sqrt(weight * first**2 + (1.0 - weight) * second**2))


def interpolate_edges(
    known: SegmentRows, a: int, b: int, weight: float, shares: Floats
) -> tuple[Floats, Floats]:
    """Root (K, 3) and rotations (K, J, 4) of the segment between edges `a` and `b`.

    weight  the share of `a`
    shares  (K,) of the segment's time, 0 to 1, at which the poses are wanted
    They are in the ground frame of the pose that the segment begins with.
    """
    from footfall.optimal.interpolate_kernels import fill_segment

    shares = np.ascontiguousarray(shares, np.float64)
    root = np.empty((len(shares), 3))
    rotations = np.empty((len(shares), len(known.body.parents), 4))
    work = blend_work(known, len(shares))
    fill_segment(known, a, b, float(weight), shares, len(shares), work, root, rotations)
    return root, rotations


# ---- rows -----------------------------------------------------------------------------------


def pose_rows(skeleton: Skeleton, root: Floats, rotations: Floats, begins: Ints) -> Floats:
    """(F, C) the numbers of poses, root (F, 3) and rotations (F, J, 4).

    begins  the frames that follow on none before them
    """
    poses = forward_kinematics(skeleton, root, rotations)
    feet = [foot_columns(foot_of(skeleton, side), poses) for side in SIDES]
    centre = mass_centres(poses, segments(skeleton))
    frame = _feet_frames(feet)
    back = planar.inverse(frame)

    def there(points: Floats) -> Floats:
        return planar.apply_to_points(back, points)

    def turned(rotations: Floats) -> Floats:
        return planar.apply_to_rotations(back, rotations)

    frame[:, 2] = _unwrap(frame[:, 2], begins)
    soles = [there(point) for foot in feet for point in (foot.heel, foot.ball)]
    ankles = [turned(turn) for foot in feet for turn in (foot.ankle, foot.toe)]
    local = [turned(rotations[:, 0]), *np.moveaxis(rotations[:, 1:], 1, 0)]
    legs = [
        poses.positions[:, skeleton.role(f"{side}_hip")]
        - poses.positions[:, skeleton.role(f"{side}_ankle")]
        for side in SIDES
    ]
    columns = [there(root), there(centre), frame, *soles, *map(_continuous, ankles), centre]
    columns += [np.linalg.norm(leg, axis=1, keepdims=True) for leg in legs]
    return np.concatenate([*columns, *map(_continuous, local)], axis=1)


@dataclass(frozen=True, eq=False)
class FootColumns:
    """One foot in F poses: points of its sole (F, 3), world rotations (F, 4), where it stands."""

    heel: Floats
    ball: Floats
    ankle: Floats
    toe: Floats
    stands: Floats


def foot_columns(foot: Foot, poses: WorldPoses) -> FootColumns:
    from footfall.optimal.blend_kernels import stand_feet

    ankle = poses.rotations[:, foot.ankle]
    toe = ankle if foot.toe is None else poses.rotations[:, foot.toe]
    heel = poses.positions[:, foot.ankle] + quat.rotate(ankle, foot.heel)
    bend = poses.positions[:, foot.ankle] + quat.rotate(ankle, foot.ball_joint)
    ball = bend + quat.rotate(toe, foot.ball - foot.ball_joint)
    stands = np.empty((len(heel), 3))
    stand_feet(heel, ball, ankle, foot.length, stands)
    return FootColumns(heel, ball, ankle, toe, stands)


def _feet_frames(feet: list[FootColumns]) -> Floats:
    """(F, 3) midway between both feet, and between where they point."""
    left, right = (foot.stands for foot in feet)
    frame = 0.5 * (left + right)
    frame[:, 2] = left[:, 2] + 0.5 * planar.wrap_angle(right[:, 2] - left[:, 2])
    return np.asarray(frame)


def _unwrap(yaw: Floats, begins: Ints) -> Floats:
    """Angles (F,) without jumps, but where a segment begins."""
    steps = planar.wrap_angle(np.diff(yaw, prepend=yaw[:1]))
    steps[begins] = 0.0
    whole = np.cumsum(steps)
    owner = np.searchsorted(begins, np.arange(len(yaw)), side="right") - 1
    return np.asarray(planar.wrap_angle(yaw[begins])[owner] + whole - whole[begins][owner])


def _continuous(rotations: Floats) -> Floats:
    """Rotations (F, 4) on one hemisphere from each to the next."""
    rotations = quat.normalise(rotations)
    flips = np.einsum("fi,fi->f", rotations[1:], rotations[:-1]) < 0.0
    signs = np.where(np.cumsum(np.concatenate([[False], flips])) % 2, -1.0, 1.0)
    return np.asarray(rotations * signs[:, None])


def row_slopes(rows: Floats, first: Ints) -> Floats:
    """(F, C) how rows change per frame, as cubic splines through each segment do.

    first  (E + 1,) where the rows of each segment begin
    """
    counts = np.diff(first)
    slopes = np.zeros_like(rows)
    for count in np.unique(counts[counts > 1]).tolist():
        at = first[:-1][counts == count][:, None] + np.arange(count)
        slopes[at] = spline_slopes(count) @ rows[at]
    return slopes


# ---- the body -------------------------------------------------------------------------------


def blend_body(skeleton: Skeleton) -> BlendBody:
    """A body as the kernels want it."""
    feet, size = [foot_of(skeleton, side) for side in SIDES], body_size(skeleton)
    legs = [subtree(skeleton, foot.hip) for foot in feet]
    wrists = [skeleton.role(f"{side}_wrist") for side in SIDES]
    capsules = body_capsules(skeleton)
    order = np.full((2, max(map(len, legs))), -1, np.int32)
    points, limbs = np.zeros((2, 5, 3)), np.empty((2, 6), np.int32)
    for n, (foot, wrist, more) in enumerate(
        zip(feet, wrists, (size.shank_m, size.hand_m), strict=True)
    ):
        order[n, : len(legs[n])] = legs[n]
        toe = -1 if foot.toe is None else foot.toe
        limbs[n] = foot.hip, foot.knee, foot.ankle, toe, wrist, skeleton.role("hips")
        ahead = 0.5 * (foot.tip[2] + foot.heel[2]) - foot.ball[2]
        palm = capsules.ends[capsules.joints == wrist].mean(axis=(0, 1))
        points[n] = (
            foot.heel, foot.ball_joint, foot.ball - foot.ball_joint, palm,
            (foot.length, ahead, more),
        )  # fmt: skip
    return BlendBody(
        skeleton.parents, skeleton.offsets, order, limbs, points, _parts(skeleton, legs),
        _balls(capsules),
    )  # fmt: skip


def _parts(skeleton: Skeleton, legs: Sequence[Sequence[int]]) -> NDArray[np.void]:
    """(S,) the segments of mass."""
    parts = segments(skeleton)
    out = np.zeros(len(parts), MARK)
    masses = np.array([part.mass_kg for part in parts])
    out["joint"], out["size"] = [part.joint for part in parts], masses / masses.sum()
    out["group"] = [next((n for n in range(2) if p.joint in legs[n]), -1) for p in parts]
    out["x"], out["y"], out["z"] = np.stack([part.centre for part in parts], axis=1)
    return out


def _balls(capsules: Capsules) -> NDArray[np.void]:
    """(B,) the ends of capsules about feet, forearms with hands, and trunk; none about legs."""
    from footfall.optimal.product_kernels import TRUNK

    feet, hands = (LEFT_FOOT, RIGHT_FOOT), (LEFT_HAND, RIGHT_HAND)
    groups = np.array([TRUNK, 0, 0, *feet, *hands])[capsules.parts]
    used = np.flatnonzero(groups)
    out = np.zeros(2 * len(used), MARK)
    out["joint"], out["group"] = np.repeat(capsules.joints[used], 2), np.repeat(groups[used], 2)
    out["size"] = np.repeat(capsules.radii[used], 2)
    out["x"], out["y"], out["z"] = capsules.ends[used].reshape(-1, 3).T
    return out
