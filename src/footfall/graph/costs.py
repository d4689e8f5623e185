"""Costs of a walk through a motion graph beside its distance from the path.

A walk that keeps to its path by any means is choppy, changes its pace and its manner from step to
step, and does the same again and again. So transitions cost something, and more where the clips
are of another manner; frames cost what they are off the pace; segments that are left soon cost,
and source frames that are played again. Small random costs, by the seed, let near-equal choices
fall one way or the other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from footfall.body.feet import mean_leg
from footfall.body.skeleton import Skeleton
from footfall.graph.abstract import AbstractPaths, edge_frames_of
from footfall.graph.model import TRANSITION, MotionGraph
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.maths.rounding import round_to_grid
from footfall.search.beam import WalkCosts

USUAL_M_S, USUAL_LEG_M = 1.28, 0.83
"""How fast people walk who are not told to, with legs as long as this from hip to ankle; others by
Froude's law."""
SLOW_BEND_M = 2.0
"""In bends tighter than this people walk slower, by the cube root of the radius."""
SHORT_S, AGAIN_S = 0.8, 10.0
"""A segment this long is not short; what was played this long ago may be played again."""
_LOOK_S = 0.25
_SAME_MANNER, _OTHER_MANNER = math.radians(4.0), math.radians(14.0)
"""Mean postures of one performer differ by less than the first, of two by up to the second."""
_RANDOM_S = 1.0
_MOST_OFF = 0.5
_MOST_BEND = 8.0
_DIFFERENT = 0.1


@dataclass(frozen=True)
class Wishes:
    """What a walk should be like beside near its path; costs in m².

    speed       metres a second on straights; None for as people walk
    transition  for a transition at the graph's threshold
    pace        for a second off the pace, by the square of the share; from half on no more
    style       for passing between clips of quite another manner
    short       for a segment that is left at once
    again       for a second that was played within the last ten
    variety     the most that chance adds to a transition, or to a second
    """

    speed: float | None = None
    transition: float = 0.0
    pace: float = 0.0
    style: float = 0.0
    short: float = 0.0
    again: float = 0.0
    variety: float = 0.0


def slower_in_bends(curvature: Floats, leg: float = USUAL_LEG_M) -> Floats:
    """Return (...) which share of their pace people keep at these curvatures (...), 1/m."""
    tight = np.abs(curvature) * SLOW_BEND_M * leg / USUAL_LEG_M
    return np.asarray(np.cbrt(1.0 / np.clip(tight, 1.0, _MOST_BEND)))


def usual_pace(skeleton: Skeleton) -> float:
    """Return how fast people with such legs walk, metres a second."""
    return USUAL_M_S * math.sqrt(leg_m(skeleton) / USUAL_LEG_M)


def leg_m(skeleton: Skeleton) -> float:
    """Return how long legs are from hip to ankle, metres; as usual where nobody knows."""
    return mean_leg(skeleton) if skeleton.roles else USUAL_LEG_M


def wished_pace(graph: MotionGraph, paths: AbstractPaths, speed: float | None) -> float:
    """Return the pace of a walk on straights: the wished speed, or people's usual one.

    Clips that never go at the usual pace, runs or a slow performer's walks, go at their own.
    """
    if speed is not None:
        return speed
    speeds = _facts_of(graph, paths).speeds
    low, middle, high = np.quantile(speeds, (0.05, 0.5, 0.95)).tolist()
    usual = usual_pace(graph.skeleton)
    return usual if (1.0 - _DIFFERENT) * low <= usual <= (1.0 + _DIFFERENT) * high else middle


def walk_costs(
    graph: MotionGraph, paths: AbstractPaths, wishes: Wishes, seed: int = 0
) -> WalkCosts:
    """Return the costs of a graph's edges, for a beam."""
    facts = _facts_of(graph, paths)
    fps, chance = graph.fps, np.random.default_rng(seed)
    edge = round_to_grid(wishes.transition * facts.unlike + wishes.style * facts.manner)
    frame = np.zeros(len(graph.root))
    if wishes.pace > 0.0:
        pace = wished_pace(graph, paths, wishes.speed)
        off = np.minimum(np.abs(facts.speeds / (pace * facts.slower) - 1.0), _MOST_OFF)
        frame += round_to_grid(wishes.pace / fps * off**2)
    if wishes.variety > 0.0:
        edge = edge + wishes.variety * np.where(facts.passes, chance.random(graph.edges), 0.0)
        block = max(1, round(_RANDOM_S * fps))
        drawn = chance.random(len(frame) // block + 1)
        frame += wishes.variety / fps * np.repeat(drawn, block)[: len(frame)]
    return WalkCosts(
        edge, facts.sum_up(frame), facts.sources,
        again=wishes.again / fps, memory=round(AGAIN_S * fps),
        short=wishes.short, shortest=round(SHORT_S * fps),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Edges:
    """Arrays for the costs of a graph of F source frames, E edges and P points.

    speeds, slower  (F,) m/s; which share of their pace people keep in such a bend
    passes          (E,) whether an edge is a transition
    unlike          (E,) how unlike the ends of a transition are, 0.5 to 1; 0 for a piece
    manner          (E,) how unlike the manners of the clips are that it leads between, 0 to 1
    sources         (E, 3) see `WalkCosts`
    first, second   (P,) the source frames of each point      weight  (P,) of the first
    start           (E+1,) where the points of each edge begin
    """

    speeds: Floats
    slower: Floats
    passes: Bools
    unlike: Floats
    manner: Floats
    sources: Ints
    first: Ints
    second: Ints
    weight: Floats
    start: Ints

    def sum_up(self, frame: Floats) -> Floats:
        """Return (P,) costs (F,) of source frames, accumulated along each edge."""
        each = self.weight * frame[self.first] + (1.0 - self.weight) * frame[self.second]
        total = np.cumsum(each)
        counts = np.diff(self.start)
        before = total[self.start[:-1]] - each[self.start[:-1]]
        return np.asarray(total - np.repeat(before, counts))


_known: WeakKeyDictionary[AbstractPaths, _Edges] = WeakKeyDictionary()


def _facts_of(graph: MotionGraph, paths: AbstractPaths) -> _Edges:
    facts = _known.get(paths)
    if facts is None:
        facts = _known[paths] = _find_facts(graph, paths)
    return facts


def _find_facts(graph: MotionGraph, paths: AbstractPaths) -> _Edges:
    speeds, curvature = _speeds_and_bends(graph, paths)
    passes = graph.edge_kind == TRANSITION
    share = graph.edge_distance / graph.threshold if graph.threshold > 0.0 else 0.0
    clips = [
        np.searchsorted(graph.clip_start, frame, side="right") - 1
        for frame in (graph.edge_first, graph.edge_enter)
    ]
    apart = manner_distances(graph)[clips[0], clips[1]]
    manner = np.clip((apart - _SAME_MANNER) / (_OTHER_MANNER - _SAME_MANNER), 0.0, 1.0)
    start = paths.tracks.edge_start
    edge = np.repeat(np.arange(graph.edges, dtype=np.int32), np.diff(start))
    first, second, weight = edge_frames_of(graph, edge, np.arange(len(edge)) - start[edge])
    return _Edges(
        speeds, slower_in_bends(curvature, leg_m(graph.skeleton)), passes,
        np.where(passes, 0.5 + 0.5 * share, 0.0), np.where(passes, manner, 0.0),
        _sources(graph, passes), first, second, weight, start,
    )  # fmt: skip


def _sources(graph: MotionGraph, passes: Bools) -> Ints:
    """Return (E, 3) for `WalkCosts`; a transition belongs half to each segment."""
    half = graph.window // 2
    leaves = np.where(passes, graph.edge_first + half, -1)
    opens = np.where(passes, graph.edge_enter - graph.window + half, graph.edge_first)
    return np.stack([leaves, opens, graph.edge_enter], axis=1).astype(np.int32)


def _speeds_and_bends(graph: MotionGraph, paths: AbstractPaths) -> tuple[Floats, Floats]:
    """Return (F,) speed, m/s, and curvature, 1/m, of source frames over half a second."""
    reach = max(1, round(_LOOK_S * graph.fps))
    at = np.arange(len(paths.frames))
    clip = np.searchsorted(graph.clip_start, at, side="right") - 1
    before = np.maximum(at - reach, graph.clip_start[clip])
    after = np.minimum(at + reach, graph.clip_start[clip + 1] - 1)
    gone = np.hypot(*(paths.frames[after] - paths.frames[before]).T)
    speeds = gone * graph.fps / np.maximum(after - before, 1)
    turned = paths.headings[after] - paths.headings[before]
    turned = np.arctan2(np.sin(turned), np.cos(turned))
    return speeds, turned / np.maximum(gone, 0.05)


def manner_distances(graph: MotionGraph) -> Floats:
    """Return (C, C) how far apart the mean postures of the clips are, radians, over all joints.

    One performer's walks hardly differ, whichever way they turn; those of another do.
    """
    joints = [joint for joint in sorted(set(graph.skeleton.roles.values())) if joint > 0]
    joints = joints or list(range(1, len(graph.skeleton)))
    start = graph.clip_start[:-1]
    turns = graph.rotations[:, joints]
    reference = turns[0]
    signs = np.where(quat.dot(turns, reference) < 0.0, -1.0, 1.0)
    sums = np.add.reduceat(turns * signs[..., None], start, axis=0)
    means = sums / np.maximum(np.linalg.norm(sums, axis=-1, keepdims=True), 1e-9)
    angle = quat.angle_between(means[:, None], means[None])
    return np.asarray(np.sqrt((angle**2).mean(axis=-1)))
