"""Turn a walk through a motion graph into a clip with its sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from footfall.body.clip import Clip
from footfall.errors import InputError
from footfall.graph.abstract import edge_frames_of
from footfall.graph.model import MIRRORED, TRANSITION, MotionGraph
from footfall.maths import planar
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats, Ints, frozen_floats, frozen_ints
from footfall.task import Segment, SourceClip

CLIP, PASSING = "clip", "transition"
"""Why a segment is there."""


@dataclass(frozen=True, eq=False)
class Walk:
    """W edges of a graph in the order in which they are played.

    edges        (W,) their numbers
    begin, stop  (W,) of each edge the frames from `begin` up to `stop` are played
    poses        (W, 3) x, z, yaw: takes the coordinates in which an edge begins to the world
    """

    edges: Ints
    begin: Ints
    stop: Ints
    poses: Floats

    def __post_init__(self) -> None:
        count = len(self.edges)
        put = object.__setattr__
        for name in ("edges", "begin", "stop"):
            put(self, name, frozen_ints(getattr(self, name), (count,), name))
        put(self, "poses", frozen_floats(self.poses, (count, 3), "poses"))

    def __len__(self) -> int:
        """Return how many frames it has."""
        return int((self.stop - self.begin).sum())

    def spread(self) -> tuple[Ints, Ints, Ints]:
        """Return for each frame (T,) the place in the walk, the edge, and the frame in it."""
        counts = self.stop - self.begin
        step = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
        before = np.cumsum(counts) - counts
        inside = np.arange(len(step)) - (before - self.begin)[step]
        return step, self.edges[step], inside.astype(np.int32)

    def cut(self, frames: int) -> Walk:
        """Return its first frames alone."""
        counts = self.stop - self.begin
        left = np.clip(frames - (np.cumsum(counts) - counts), 0, counts)
        some = left > 0
        stop = (self.begin + left)[some]
        return Walk(self.edges[some], self.begin[some], stop, self.poses[some])


def joined_walk(parts: list[tuple[Ints, Ints, Ints, Floats]]) -> Walk:
    """Return one walk of parts (edges, begin, stop, poses), joining what was cut inside edges."""
    if not parts:
        none = np.zeros(0, np.int32)
        return Walk(none, none, none, np.zeros((0, 3)))
    edges, begin, stop = (np.concatenate([p[k] for p in parts]) for k in range(3))
    poses = np.concatenate([p[3] for p in parts])
    # Only an edge that was cut begins elsewhere than at 0.
    opens = np.flatnonzero((begin == 0) | (np.arange(len(edges)) == 0))
    closes = np.append(opens[1:], len(edges)) - 1
    return Walk(edges[opens], begin[opens], stop[closes], poses[opens])


def walk_points(walk: Walk, edge_start: Ints, points: Floats) -> Floats:
    """Return (T, 2) what points (P, 2) that edges carry are along a walk, in the world."""
    step, edge, inside = walk.spread()
    return planar.apply_to_ground(walk.poses[step], points[edge_start[edge] + inside])


def walk_clip(graph: MotionGraph, walk: Walk, name: str = "walk") -> Clip:
    """Return the motion of a walk: segments as they are, transitions after Kovar et al., §3.2.

    Contacts are those of the first clip while it weighs more than half, then the second's.
    """
    if len(walk) == 0:
        raise InputError("the walk has no frames", remedy="it needs at least one")
    step, edge, inside = walk.spread()
    first, second, weight = edge_frames_of(graph, edge, inside)
    pose = walk.poses[step]
    root = planar.apply_to_points(pose, graph.root[first])
    rotations = graph.rotations[first]
    rotations[:, 0] = planar.apply_to_rotations(pose, rotations[:, 0])
    mixed = np.flatnonzero(graph.edge_kind[edge] == TRANSITION)
    share = 1.0 - weight[mixed]
    there = planar.compose(pose[mixed], graph.edge_alignment[edge[mixed]])
    root[mixed] += share[:, None] * (
        planar.apply_to_points(there, graph.root[second[mixed]]) - root[mixed]
    )
    other = graph.rotations[second[mixed]]
    other[:, 0] = planar.apply_to_rotations(there, other[:, 0])
    rotations[mixed] = quat.slerp(rotations[mixed], other, share[:, None])
    contacts = np.where((weight > 0.5)[:, None], graph.contacts[first], graph.contacts[second])
    return Clip(
        graph.skeleton, graph.fps, root, quat.continuous(rotations), name=name, contacts=contacts
    )


def walk_segments(
    graph: MotionGraph, walk: Walk, origins: Mapping[str, tuple[str, int]] | None = None
) -> tuple[Segment, ...]:
    """Return which clips a walk plays, in order; pieces that follow each other in a clip are one.

    origins  by the name of a graph's clip, which clip it is a part of and where it begins there
    """
    origins = origins or {}
    passing = graph.edge_kind[walk.edges] == TRANSITION
    first = graph.edge_first[walk.edges] + walk.begin
    clip = np.searchsorted(graph.clip_start, first, side="right") - 1
    # A segment begins where a transition does, and where a piece does not go on from the last.
    goes_on = np.zeros(len(first), np.bool_)
    ends = first + (walk.stop - walk.begin)
    goes_on[1:] = ~passing[1:] & ~passing[:-1] & (ends[:-1] == first[1:]) & (clip[:-1] == clip[1:])
    opens = np.flatnonzero(~goes_on)
    played = np.concatenate([[0], np.cumsum(walk.stop - walk.begin)])
    stops = played[np.append(opens[1:], len(first))]
    out = []
    for n, stop in zip(opens.tolist(), stops.tolist(), strict=True):
        frames = [int(first[n])]
        if passing[n]:
            edge = walk.edges[n]
            frames.append(int(graph.edge_enter[edge]) - graph.window + int(walk.begin[n]))
        share = 1.0 / len(frames)
        sources = tuple(_source(graph, frame, share, origins) for frame in frames)
        out.append(Segment(int(played[n]), stop, PASSING if passing[n] else CLIP, sources))
    return tuple(out)


def _source(
    graph: MotionGraph, frame: int, share: float, origins: Mapping[str, tuple[str, int]]
) -> SourceClip:
    clip = graph.clip_of(frame)
    part = graph.names[clip].removesuffix(MIRRORED)
    name, skipped = origins.get(part, (part, 0))
    first = int(graph.clip_start[clip]) - skipped
    return SourceClip(name, frame - first, share, part != graph.names[clip])


def cut_segments(
    segments: tuple[Segment, ...], first: int, stop: int, moved: int = 0
) -> tuple[Segment, ...]:
    """Return the segments within frames `first` to `stop`, shifted by `moved`."""
    out = []
    for part in segments:
        begin, end = max(part.first, first), min(part.stop, stop)
        if begin < end:
            sources = sources_at(part, begin)
            out.append(Segment(begin + moved, end + moved, part.why, sources))
    return tuple(out)


def sources_at(segment: Segment, frame: int) -> tuple[SourceClip, ...]:
    """Return the sources of a segment from a frame of it on."""
    return tuple(replace(s, frame=s.frame + frame - segment.first) for s in segment.sources)
