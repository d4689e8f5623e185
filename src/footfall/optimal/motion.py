"""The motion of a path through the interpolated graph, and which clips it is made of."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from footfall.body.clip import Clip
from footfall.body.feet import foot_of
from footfall.body.kinematics import forward_kinematics
from footfall.body.roles import SIDES
from footfall.errors import InputError
from footfall.gait.signatures import LEFT_FOOT, LEFT_HAND, RIGHT_FOOT, RIGHT_HAND, SEAT
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
from footfall.optimal.made import STEPS, read_made
from footfall.optimal.model import InterpolatedGraph
from footfall.task.plan import Segment, SourceClip

CLIP, BETWEEN = "clip", "interpolated"
"""Why a segment is there."""
_ON_M, _LEAVING_M, _TILTED_M = 0.003, 0.012, 0.03
"""A heel that is no higher than the first above its ball, or the other way round, lies on the
ground; at the ends of a stance it is up if it gets higher than the second, in between only if it
is higher than the third."""
_NO_OFFSET = 1e-6


@dataclass(frozen=True, eq=False)
class PathMotion:
    """The motion of K edges.

    clip        with contacts; its feet are not held yet
    segments    which clips it is made of
    nodes       (K + 1,) the frame, not always a whole one, at which each node is passed
    poses       (K + 1, 3) x, z, yaw of the ground frame of each node
    """

    clip: Clip
    segments: tuple[Segment, ...]
    nodes: Floats
    poses: Floats


def path_motion(
    graph: InterpolatedGraph, edges: Ints, start: Floats, poses: Floats | None = None,
    *, height: float = 0.0, name: str = "path",
) -> PathMotion:  # fmt: skip
    """Return the motion along edges that follow each other, at the frame rate of the clips.

    start   (3,) x, z, yaw of the ground frame of the first node;  height  of the ground there
    poses   (K + 1, 3) where the ground frames of all nodes are to be; by default each edge begins
            where the one before it ended. What differs is spread over the edge
    Where edges do not meet exactly feet that touch slide a little, until they are held.
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
    _close_gaps(parts)
    root, rotations = _lay(parts, places, height)
    laid = forward_kinematics(graph.phases.skeleton, root, rotations)
    feet = [foot_columns(foot_of(graph.phases.skeleton, side), laid) for side in SIDES]
    clip = Clip(
        graph.phases.skeleton, fps, root, quat.continuous(rotations), name=name,
        contacts=_contacts(feet, (signature[:, None] & [LEFT_FOOT, RIGHT_FOOT]) > 0),
        touches=(signature[:, None] & [LEFT_HAND, RIGHT_HAND, SEAT]) > 0,
    )  # fmt: skip
    return PathMotion(clip, path_segments(graph, edges, owner, share), ends, places)


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


def _close_gaps(parts: list[_Part]) -> None:
    """Let edges that meet in poses that differ a little meet halfway."""
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


def _contacts(feet: list[FootColumns], planted: Bools) -> Bools:
    """(T, 4) which heels and toes touch, of feet that are planted (T, 2).

    A foot comes down heel first or toes first and leaves over its heel or its toes; in between it
    lies flat, unless it is clearly tilted.
    """
    contacts = np.zeros((len(planted), 4), np.bool_)
    for n, foot in enumerate(feet):
        tilt = foot.heel[:, 1] - foot.ball[:, 1]
        for first, stop in runs(planted[:, n]).tolist():
            own = slice(first, stop)
            contacts[own, 2 * n] = ~_is_up(tilt[own])
            contacts[own, 2 * n + 1] = ~_is_up(-tilt[own])
    return contacts


def _is_up(above: Floats) -> Bools:
    """(T,) whether one end of a sole that stands is up, by how far it is above the other (T,)."""
    up = above > _TILTED_M
    lies = np.flatnonzero(above <= _ON_M)
    first, last = (int(lies[0]), int(lies[-1])) if len(lies) else (len(above), -1)
    for edge in (slice(0, first), slice(last + 1, len(above))):
        up[edge] |= bool((above[edge] > _LEAVING_M).any())
    return np.asarray(up)


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
    frame = np.stack([_source_frames(graph, edge, share) for edge in (one, other)], axis=1)
    clips, frames = phases.frame_clip[frame], phases.frame_source[frame]
    single = one == other
    opens = np.ones(len(owner), np.bool_)
    same = (clips[1:] == clips[:-1]).all(axis=1) & (weight[1:] == weight[:-1])
    opens[1:] = ~(same & _goes_on(frames, owner)[1:] & (single[1:] == single[:-1]))
    firsts = np.flatnonzero(opens)
    out = []
    for first, stop in zip(firsts.tolist(), [*firsts[1:].tolist(), len(owner)], strict=True):
        w = 1.0 if single[first] else float(weight[first])
        shown = zip(clips[first].tolist(), frames[first].tolist(), (w, 1.0 - w), strict=True)
        out.append(_segment(phases.names, first, stop, [row for row in shown if row[2] > 0.0]))
    return tuple(out)


def _segment(
    names: tuple[str, ...], first: int, stop: int, shown: list[tuple[int, int, float]]
) -> Segment:
    """A segment of one or two sources, each a clip, the frame of it and its weight."""
    origins = [read_made(names[clip]) for clip, _, _ in shown]
    sources = tuple(
        SourceClip(made.clip, made.first if made.how == STEPS else made.first + frame, weight)
        for made, (_, frame, weight) in zip(origins, shown, strict=True)
    )
    why = BETWEEN if len(shown) > 1 else origins[0].how or CLIP
    return Segment(first, stop, why, sources)


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
