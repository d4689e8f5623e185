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

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.body.feet import Foot, foot_of
from footfall.body.kinematics import WorldPoses, forward_kinematics
from footfall.body.mass import mass_centres, segments
from footfall.body.roles import SIDES
from footfall.body.skeleton import Skeleton, subtree
from footfall.maths import planar
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats, Ints
from footfall.maths.easing import spline_slopes
from footfall.optimal.model import PhaseGraph

Body = tuple[Any, ...]
"""What the kernels know of a body: see `body_arrays`."""


@dataclass(frozen=True, eq=False)
class SegmentRows:
    """The frames of a phase graph's edges as the kernels interpolate them.

    rows, slopes   (F, C) numbers of each frame (`blend_kernels.ROOT` and on), and how they
                   change from frame to frame there
    spans          (E, 2) first row and number of rows of each edge
    signatures     (E, 3) what touches along an edge, around its beginning, and around its end
                   (`around_states`)
    seconds        (E,)
    body           see `body_arrays`
    """

    rows: Floats
    slopes: Floats
    spans: Ints
    signatures: Ints
    seconds: Floats
    body: Body


def segment_rows(phases: PhaseGraph, edges: Ints | None = None) -> SegmentRows:
    """The rows of edges of a phase graph, in this order; of all by default."""
    if edges is None:
        edges = np.arange(len(phases.edge_from), dtype=np.int32)
    counts = np.diff(phases.edge_first)[edges]
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    frames = np.repeat(phases.edge_first[edges] - first[:-1], counts) + np.arange(first[-1])
    rows = pose_rows(
        phases.skeleton, phases.frame_root[frames], phases.frame_rotations[frames], first[:-1]
    )
    around = around_states(phases)
    tails, heads = phases.edge_from[edges], phases.edge_to[edges]
    signatures = np.stack([phases.state_signature[tails], around[tails], around[heads]], axis=1)
    return SegmentRows(
        rows, row_slopes(rows, first), np.stack([first[:-1], counts], axis=1).astype(np.int32),
        signatures.astype(np.int32), (counts - 1) / phases.fps, body_arrays(phases.skeleton),
    )  # fmt: skip


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
    from footfall.optimal.interpolate_kernels import interpolate_segment

    shares = np.ascontiguousarray(shares, np.float64)
    root = np.empty((len(shares), 3))
    rotations = np.empty((len(shares), len(known.body[0]), 4))
    interpolate_segment(
        known.rows, known.slopes, known.spans[a], known.spans[b], float(weight),
        known.signatures[a], shares, known.body, root, rotations,
    )  # fmt: skip
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


def body_arrays(skeleton: Skeleton) -> Body:
    """What the kernels know of a body.

    parents (J,), offsets (J, 3), hip, knee and ankle of both legs (2, 3), toes (2,; -1 without),
    joints of each leg (2, L; -1 behind the last), points of each foot (2, 3, 4: heel and ball
    joint from the ankle, ball from the toe; behind the first the length of the sole), and of the
    S segments of mass the joint, the share, the centre (S, 3) and the leg (-1 for none)
    """
    feet = [foot_of(skeleton, side) for side in SIDES]
    legs = [subtree(skeleton, foot.hip) for foot in feet]
    order = np.full((2, max(map(len, legs))), -1, np.int64)
    points = np.zeros((2, 3, 4))
    for n, foot in enumerate(feet):
        order[n, : len(legs[n])] = legs[n]
        points[n, :, :3] = foot.heel, foot.ball_joint, foot.ball - foot.ball_joint
        points[n, 0, 3] = foot.length
    parts = segments(skeleton)
    masses = np.array([part.mass_kg for part in parts])
    return (
        skeleton.parents.astype(np.int64), np.array(skeleton.offsets),
        _ints([foot.hip, foot.knee, foot.ankle] for foot in feet),
        _ints(-1 if foot.toe is None else foot.toe for foot in feet), order, points,
        _ints(part.joint for part in parts), masses / masses.sum(),
        np.stack([part.centre for part in parts]),
        _ints(next((n for n in range(2) if part.joint in legs[n]), -1) for part in parts),
    )  # fmt: skip


def _ints(values: Iterable[Any]) -> Any:
    return np.array(list(values), np.int64)
