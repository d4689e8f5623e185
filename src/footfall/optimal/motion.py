"""The motion of a path through the interpolated graph, and which clips it is made of."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from footfall.adapt.holds import Foot, foot_of
from footfall.adapt.legs import solve_leg
from footfall.body.clip import Clip
from footfall.body.feet import leg_length
from footfall.body.kinematics import WorldPoses, forward_kinematics
from footfall.body.roles import SIDES
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError
from footfall.gait.footprints import Footprint, footprints_of
from footfall.gait.signatures import LEFT_HAND, RIGHT_HAND, SEAT
from footfall.maths import planar
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.maths.easing import smoothstep
from footfall.maths.runs import runs
from footfall.optimal.interpolate import (
    FootColumns,
    SegmentRows,
    foot_columns,
    interpolate_edges,
    segment_rows,
)
from footfall.optimal.model import InterpolatedGraph
from footfall.task.plan import Segment, SourceClip

CLIP, BETWEEN = "clip", "interpolated"
"""Why a segment is there."""
_ON_M = 0.012
"""A heel or ball that is no higher than this above where its foot stands touches."""
_NO_OFFSET = 1e-6
_STRAIGHT, _SINK_FRAMES = 0.997, 4
"""A leg is stretched to this share of its length; for more the body sinks, within these frames."""


@dataclass(frozen=True, eq=False)
class PathMotion:
    """The motion of K edges.

    clip        with contacts
    signature   (T,) what touches in each frame
    segments    which clips it is made of
    footprints  where the feet stand
    nodes       (K + 1,) the frame, not always a whole one, at which each node is passed
    poses       (K + 1, 3) x, z, yaw of the ground frame of each node
    """

    clip: Clip
    signature: Ints
    segments: tuple[Segment, ...]
    footprints: tuple[Footprint, ...]
    nodes: Floats
    poses: Floats


def path_motion(
    graph: InterpolatedGraph, edges: Ints, start: Floats, poses: Floats | None = None,
    *, height: float = 0.0, name: str = "path",
) -> PathMotion:  # fmt: skip
    """The motion along edges that follow each other, at the frame rate of the clips.

    start   (3,) x, z, yaw of the ground frame of the first node;  height  of the ground there
    poses   (K + 1, 3) where the ground frames of all nodes are to be; by default each edge begins
            where the one before it ended. What differs is spread over the edge: the body goes
            along, feet that stand do not
    """
    edges = np.asarray(edges, np.int32)
    if not len(edges):
        raise InputError("the path has no edges", remedy="it needs at least one")
    fps = graph.phases.fps
    seconds = np.asarray(graph.edge_seconds)[edges]
    frames = max(round(float(seconds.sum()) * fps), 1) + 1
    # The few milliseconds that make a whole number of frames are spread over the motion.
    ends = np.concatenate([[0.0], np.cumsum(seconds)]) * ((frames - 1) / seconds.sum())
    owner = np.searchsorted(ends[1:-1], np.arange(frames), side="right").astype(np.int32)
    share = np.clip((np.arange(frames) - ends[owner]) / np.diff(ends)[owner], 0.0, 1.0)
    parts = _edge_motions(graph, edges, owner, share)
    places = _places(parts, start) if poses is None else np.asarray(poses, np.float64)
    signs = graph.phases.state_signature[graph.phases.edge_from[graph.edge_a[edges]]]
    signature = signs[owner]
    root, rotations = _lay(parts, places, height)
    wanted = forward_kinematics(graph.phases.skeleton, root, rotations)
    feet = [foot_columns(foot_of(graph.phases.skeleton, side), wanted) for side in SIDES]
    goals = _standing_feet(graph.phases.skeleton, parts, places, signs, height, feet)
    if _close_gaps(parts) or poses is not None:
        root, rotations = _lay(parts, places, height)
        root, rotations = _hold_feet(
            graph.phases.skeleton, root, rotations, signature, wanted, goals
        )
    clip = Clip(
        graph.phases.skeleton, fps, root, quat.continuous(rotations), name=name,
        contacts=_contacts(feet, signature),
        touches=(signature[:, None] & [LEFT_HAND, RIGHT_HAND, SEAT]) > 0,
    )  # fmt: skip
    segments = path_segments(graph, edges, owner, share)
    return PathMotion(clip, signature, segments, footprints_of(clip), ends, places)


# ---- edge by edge ---------------------------------------------------------------------------


@dataclass(eq=False)
class _Part:
    """The frames of one edge in the ground frame of its start: between them, its two ends.

    shares  (F,) of its time;  root (F, 3), rotations (F, J, 4)
    rise    how much higher the ground is at its end
    """

    shares: Floats
    root: Floats
    rotations: Floats
    rise: float


def _edge_motions(graph: InterpolatedGraph, edges: Ints, owner: Ints, share: Floats) -> list[_Part]:
    used = np.unique(np.concatenate([graph.edge_a[edges], graph.edge_b[edges]]))
    known: SegmentRows = segment_rows(graph.phases, used)
    parts = []
    for k, edge in enumerate(edges.tolist()):
        shares = np.concatenate([[0.0], share[owner == k], [1.0]])
        a, b = np.searchsorted(used, [graph.edge_a[edge], graph.edge_b[edge]])
        weight = float(graph.edge_weight[edge])
        motion = interpolate_edges(known, int(a), int(b), weight, shares)
        parts.append(_Part(shares, *motion, rise=float(graph.edge_rise[edge])))
    return parts


def _places(parts: list[_Part], start: Floats) -> Floats:
    """(K + 1, 3) where the ground frames are if each edge begins where the last one ended."""
    places = [np.asarray(start, np.float64)]
    for part in parts:
        move = planar.pose_of(part.root[-1], part.rotations[-1, 0])
        places.append(planar.compose(places[-1], move))
    return np.stack(places)


def _close_gaps(parts: list[_Part]) -> bool:
    """Let edges that meet in poses that differ a little meet halfway; whether any do."""
    found = False
    for before, after in pairwise(parts):
        facing = planar.pose_of(before.root[-1], before.rotations[-1, 0])
        end = np.array(before.rotations[-1])
        end[0] = planar.apply_to_rotations(planar.inverse(facing), end[0])
        gap = quat.to_rotation_vector(
            quat.multiply(after.rotations[0], quat.conjugate(quat.toward(end, after.rotations[0])))
        )
        drop = float(after.root[0, 1] + before.rise - before.root[-1, 1])
        if max(float(np.abs(gap).max()), abs(drop)) < _NO_OFFSET:
            continue
        turned = gap.copy()
        turned[0] = quat.rotate(quat.from_yaw(facing[2]), gap[0])
        for part, way, fade in (
            (before, 0.5 * turned, smoothstep(before.shares)),
            (after, -0.5 * gap, smoothstep(1.0 - after.shares)),
        ):
            turn = quat.from_rotation_vector(fade[:, None, None] * way)
            part.rotations = quat.normalise(quat.multiply(turn, part.rotations))
            part.root[:, 1] += (0.5 if part is before else -0.5) * fade * drop
        found = True
    return found


def _lay(parts: list[_Part], places: Floats, height: float) -> tuple[Floats, Floats]:
    """Root (T, 3) and rotations (T, J, 4) of all frames, with every edge in its place."""
    roots, turns, level = [], [], height
    for k, part in enumerate(parts):
        inside = slice(1, -1)
        end = planar.compose(places[k], planar.pose_of(part.root[-1], part.rotations[-1, 0]))
        off = places[k + 1] - end
        off[2] = planar.wrap_angle(off[2])
        ease = smoothstep(part.shares[inside])[:, None] * off
        laid = planar.apply_to_points(places[k], part.root[inside])
        # The turn that is left over is made about where the edge ends.
        arm = planar.apply_to_points(
            np.stack([0 * ease[:, 0], 0 * ease[:, 0], ease[:, 2]], axis=1),
            laid - [end[0], 0.0, end[1]],
        )
        laid = arm + np.array([end[0], level, end[1]])
        laid[:, [0, 2]] += ease[:, :2]
        turn = np.array(part.rotations[inside])
        yaw = np.zeros((len(turn), 3))
        yaw[:, 2] = places[k, 2] + ease[:, 2]
        turn[:, 0] = planar.apply_to_rotations(yaw, turn[:, 0])
        roots.append(laid)
        turns.append(turn)
        level += part.rise
    return np.concatenate(roots), np.concatenate(turns)


# ---- feet -----------------------------------------------------------------------------------


def _hold_feet(
    skeleton: Skeleton, root: Floats, rotations: Floats, signature: Ints, wanted: WorldPoses,
    goals: list[tuple[Floats, Floats]],
) -> tuple[Floats, Floats]:  # fmt: skip
    """Root and rotations with which feet that touch are where they are to be, the body too.

    wanted  the poses of the edges as they are laid;  goals  of each foot, see `_standing_feet`
    Where a leg would have to be longer than it is, the body sinks.
    """
    poses = forward_kinematics(skeleton, root, rotations)
    rotations = np.array(rotations)
    legs, short = [], np.zeros(len(root))
    for n, side in enumerate(SIDES):
        foot, on = foot_of(skeleton, side), (signature >> n & 1) > 0
        now, turned = poses.positions[:, foot.ankle], poses.rotations[:, foot.ankle]
        ankle, sole = goals[n]
        way = quat.multiply(sole, quat.conjugate(quat.toward(turned, sole)))
        off = _pass_on(np.hstack([ankle - now, quat.to_rotation_vector(way)]), on)
        turned = quat.multiply(quat.from_rotation_vector(off[:, 3:]), turned)
        legs.append((foot, now + off[:, :3], turned))
        lowered = _too_far(skeleton, foot, poses, wanted, now + off[:, :3])
        short = np.maximum(short, np.where(on, lowered, 0.0))
    sunk = np.zeros_like(root)
    sunk[:, 1] = _soften(short)
    poses = WorldPoses(poses.positions - sunk[:, None], poses.rotations)
    still = np.tile([1.0, 0.0, 0.0, 0.0], (len(root), 1))
    for foot, ankle, turned in legs:
        solve_leg(skeleton, poses, rotations, foot, ankle, turned, still)
    return root - sunk, rotations


def _too_far(
    skeleton: Skeleton, foot: Foot, poses: WorldPoses, wanted: WorldPoses, ankle: Floats
) -> Floats:
    """(T,) how much lower a hip would have to be for its foot to reach, metres."""
    line = ankle - poses.positions[:, foot.hip]
    before = wanted.positions[:, foot.ankle] - wanted.positions[:, foot.hip]
    longest = _STRAIGHT * leg_length(skeleton, foot.side)
    reach = np.maximum(np.linalg.norm(before, axis=1), longest)
    level = np.hypot(line[:, 0], line[:, 2])
    height = np.sqrt(np.maximum(reach**2 - level**2, 0.0))
    return np.asarray(np.maximum(-line[:, 1] - height, 0.0))


def _soften(short: Floats) -> Floats:
    """(T,) a smooth curve that is nowhere lower."""
    width = 2 * _SINK_FRAMES + 1
    padded = np.pad(short, 2 * _SINK_FRAMES, mode="edge")
    highest = np.lib.stride_tricks.sliding_window_view(padded, width).max(axis=1)
    bell = np.hanning(width + 2)[1:-1]
    return np.asarray(np.convolve(highest, bell / bell.sum(), mode="valid"))


def _standing_feet(
    skeleton: Skeleton, parts: list[_Part], places: Floats, signs: Ints, height: float,
    laid: list[FootColumns],
) -> list[tuple[Floats, Floats]]:  # fmt: skip
    """For each foot, ankles (T, 3) and rotations (T, 4) that stand where they stood before.

    A foot rolls as its edges have it. From edge to edge it goes on where it is; how it stands as
    a whole is the mean of where its edges are laid.
    signs  (K,) what touches along each edge
    """
    root, rotations = (
        np.concatenate([getattr(p, n) for p in parts]) for n in ("root", "rotations")
    )
    poses = forward_kinematics(skeleton, root, rotations)
    first = np.concatenate([[0], np.cumsum([len(p.shares) for p in parts])])
    shown = np.concatenate([np.arange(a + 1, b - 1) for a, b in pairwise(first.tolist())])
    counts = np.diff(first) - 2
    level = height + np.concatenate([[0.0], np.cumsum([p.rise for p in parts])[:-1]])
    goals = []
    for n, side in enumerate(SIDES):
        foot = foot_of(skeleton, side)
        columns = foot_columns(foot, poses)
        pose = np.repeat(
            _stance_poses(columns.stands, first, places, (signs >> n & 1) > 0, laid[n].stands),
            counts, axis=0,
        )  # fmt: skip
        ankle = planar.apply_to_points(pose, poses.positions[shown, foot.ankle])
        ankle[:, 1] += np.repeat(level, counts)
        goals.append((ankle, planar.apply_to_rotations(pose, columns.ankle[shown])))
    return goals


def _stance_poses(stands: Floats, first: Ints, places: Floats, on: Bools, laid: Floats) -> Floats:
    """(K, 3) where the frame of each edge is for a foot that stands on from edge to edge.

    stands  (F, 3) where it stands in the frames of the edges;  laid (T, 3) in the world
    """
    poses = np.array(places[:-1])
    begins = first[:-1] - 2 * np.arange(len(on))
    for a, b in runs(on).tolist():
        for k in range(a + 1, b):
            there = planar.compose(poses[k - 1], stands[first[k] - 1])
            poses[k] = planar.compose(there, planar.inverse(stands[first[k]]))
        spots = np.concatenate(
            [planar.compose(poses[k], stands[first[k] + 1 : first[k + 1] - 1]) for k in range(a, b)]
        )
        if not len(spots):
            continue
        off = laid[begins[a] : begins[a] + len(spots)] - spots
        off[:, 2] = planar.wrap_angle(off[:, 2])
        middle = np.append(spots[:, :2].mean(axis=0), 0.0)
        shift = planar.compose(middle + off.mean(axis=0), -middle)
        poses[a:b] = planar.compose(shift, poses[a:b])
    return poses


def _pass_on(off: Floats, on: Bools) -> Floats:
    """Offsets (T, C) as they are on the ground; in the air they pass from the last to the next."""
    spans, out = runs(on), np.zeros_like(off)
    if not len(spans):
        return out
    out[on] = off[on]
    out[: spans[0, 0]], out[spans[-1, 1] :] = off[spans[0, 0]], off[spans[-1, 1] - 1]
    for a, b in zip(spans[:-1, 1].tolist(), spans[1:, 0].tolist(), strict=True):
        u = smoothstep(np.arange(1, b - a + 1) / (b - a + 1))[:, None]
        out[a:b] = (1.0 - u) * off[a - 1] + u * off[b]
    return out


def _contacts(feet: list[FootColumns], signature: Ints) -> Bools:
    """(T, 4) which heels and toes touch, of feet that do."""
    columns = []
    for n, foot in enumerate(feet):
        on = (signature >> n & 1) > 0
        heel, ball = foot.heel[:, 1], foot.ball[:, 1]
        columns += [on & (heel <= ball + _ON_M), on & (ball <= heel + _ON_M)]
    return np.stack(columns, axis=1)


# ---- where it comes from --------------------------------------------------------------------


def path_segments(
    graph: InterpolatedGraph, edges: Ints, owner: Ints, share: Floats
) -> tuple[Segment, ...]:
    """Which clips a path is made of; stretches that go on as the clips do are one segment.

    owner, share  (T,) for each frame which of the edges it is in, and the share of its time
    """
    phases = graph.phases
    one, other = graph.edge_a[edges][owner], graph.edge_b[edges][owner]
    weight = graph.edge_weight[edges][owner]
    shown = np.stack([_source_frames(graph, edge, share) for edge in (one, other)], axis=1)
    clips, frames = phases.frame_clip[shown], phases.frame_source[shown]
    single = one == other
    opens = np.ones(len(owner), np.bool_)
    same = (clips[1:] == clips[:-1]).all(axis=1) & (weight[1:] == weight[:-1])
    opens[1:] = ~(same & _goes_on(frames, owner)[1:] & (single[1:] == single[:-1]))
    firsts = np.flatnonzero(opens)
    out = []
    for first, stop in zip(firsts.tolist(), [*firsts[1:].tolist(), len(owner)], strict=True):
        w = 1.0 if single[first] else float(weight[first])
        sources = [
            SourceClip(phases.names[int(clips[first, k])], int(frames[first, k]), part)
            for k, part in enumerate((w, 1.0 - w)) if part > 0.0
        ]  # fmt: skip
        out.append(Segment(first, stop, CLIP if single[first] else BETWEEN, tuple(sources)))
    return tuple(out)


def _source_frames(graph: InterpolatedGraph, edge: Ints, share: Floats) -> Ints:
    """(T,) the frame of the phase graph that each frame shows of an edge."""
    first = graph.phases.edge_first
    count = first[edge + 1] - first[edge]
    return np.asarray(first[edge] + np.rint(share * (count - 1)), np.int32)


def _goes_on(frames: Ints, owner: Ints) -> Bools:
    """(T,) whether both sources go on from the frame before, at about their own pace."""
    steps = np.diff(frames, axis=0, prepend=frames[:1])
    goes = ((steps >= 0) & (steps <= 3)).all(axis=1)
    new = np.diff(owner, prepend=owner[:1]) > 0
    return np.asarray(goes & (~new | (steps <= 2).all(axis=1)))
