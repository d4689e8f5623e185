"""Following a path through a motion graph: van Basten & Egges §3 on Kovar et al. 2002, §4-5.

The abstract path of the walk, not the pelvis with its sway, is held to the path (unless the
abstraction is "pelvis", which is Kovar's and van Basten's standard method). The best walk of
`ahead` frames is looked for, its first `keep` frames are kept, and so on to the end.

A second way of searching, "beam", sees far ahead and is not exact: where turns are
few and long, as in most recordings, a walk must be chosen long before its corner.

Where we differ: a search may go on inside an edge (`at_node=False`), so that long pieces of clip
do not carry the walk past what was searched; the first clip is chosen among all, not at random,
unless asked; beyond its end the path goes on straight.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from footfall.errors import InputError, choices
from footfall.graph.abstract import AbstractPaths, abstract_paths
from footfall.graph.costs import Wishes, walk_costs, wished_pace
from footfall.graph.model import MotionGraph
from footfall.graph.motion import Walk, joined_walk, walk_points
from footfall.maths import planar
from footfall.maths.arrays import Floats, Ints
from footfall.maths.polyline import EvenPolyline, prepare_path
from footfall.search.beam import NOTHING_PLAYED, WIDTH, Played, WalkCosts, beam_walk, played_by
from footfall.search.branch_and_bound import MOST_OPENED, GraphPlace, Tracks, best_walk, keep_walk
from footfall.task import Cancelled, Watch

SEARCHES = ("branch_and_bound", "beam")
AHEAD, KEEP = 80, 25
"""Frames searched and frames kept, of van Basten & Egges, at 30 a second."""
BEAM_AHEAD_S, BEAM_KEEP_S = 10.0, 6.0
"""The same for a beam, seconds."""
SLOWER, BEYOND_END = 0.15, 25
"""Near the end: the share of the usual speed that a walk may lack, and the frames beyond it."""
NO_WISHES = Wishes()
NO_EDGES: Ints = np.zeros(0, np.int32)
AVOIDED_M2 = 2.0
"""What an edge costs that is to be avoided, m²: as much as ten seconds 8 cm off the path."""
MOST_STARTS = 400
"""The most nodes that are tried as beginnings, evenly spread."""


_LAG_M, _LAG_SHARE = 0.5, 0.01
"""How far behind the way gone a walk may be, in metres and as a share of the path's length."""


@dataclass(frozen=True, eq=False)
class Followed:
    """A walk that follows a path.

    walk      the edges it plays, T frames in all
    line      the path, sampled
    abstraction  which path abstraction was searched with
    points    (T, 2) its abstract path, x and z, metres
    distances  (T,) how far along the path each frame is
    cost      sum of squared distances of all frames, m²
    opened    how many nodes the searches opened      searches  how many there were
    cap_hits  how many of them the cap ended, so that a better walk may exist
    complete  whether it goes to the end of the path
    reason    one sentence on why it does not, or ""; stopped: whether it was told to stop
    timings   seconds by the name of the work
    """

    walk: Walk
    line: EvenPolyline
    abstraction: str
    points: Floats
    distances: Floats
    cost: float
    opened: int
    searches: int
    cap_hits: int
    complete: bool
    reason: str = ""
    stopped: bool = False
    timings: Mapping[str, float] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.points)

    @property
    def off_m(self) -> Floats:
        """(T,) how far the abstract path is from the path, matched by the way gone, metres."""
        return np.asarray(np.hypot(*(self.points - self.line.at(self.distances)).T))

    @property
    def stray_m(self) -> Floats:
        """(T,) how far the abstract path is to either side of the path, metres."""
        return distances_aside(self.line, self.points, self.distances)

    @property
    def rms_m(self) -> float:
        """Root mean square of `off_m`."""
        return math.sqrt(self.cost / max(len(self), 1))


def distances_aside(line: EvenPolyline, points: Floats, along_m: Floats) -> Floats:
    """Return (T,) metres from points (T, 2) to a path near the distances `along_m` (T,).

    A body that sways goes further than its path is long, so it lags behind by a small share of
    the way; to lag is not to stray.
    """
    lag_m = _LAG_M + _LAG_SHARE * line.length_m
    nearest = line.nearest(points, near_m=along_m, within_m=lag_m, beyond_ends=True)
    return np.asarray(np.hypot(*(points - line.at(nearest)).T))


def follow_path(
    graph: MotionGraph,
    path: ArrayLike | EvenPolyline,
    *,
    abstraction: str = "gaussian",
    start_node: int | str | None = None,
    seed: int = 0,
    search: str = "branch_and_bound",
    ahead: int | None = None,
    keep: int | None = None,
    at_node: bool = False,
    cap: int = MOST_OPENED,
    width: int = WIDTH,
    wishes: Wishes = NO_WISHES,
    heading: float | None = None,
    stop_at_goal: bool = True,
    give_up_m: float = math.inf,
    avoid: Ints = NO_EDGES,
    watch: Watch | None = None,
) -> Followed:
    """Find the walk through `graph` that follows a path (N, 2), x and z, or a prepared line.

    abstraction   the path abstraction that is searched with, one of `gait.path.METHODS`
    start_node    a node, "random" (by `seed`), or None for the one that follows best
    search        one of SEARCHES
    ahead, keep   how many frames are searched, and kept; by default 80 and 25, or 10 s and 5 s
    at_node       keep up to the node after `keep` frames, instead of `keep` frames exactly
    cap           how many nodes one search opens at most, branch and bound
    width         how many walks go side by side, beam
    wishes        what the walk should be like besides, beam
    heading       the way to begin, radians; None for that of the path
    stop_at_goal  cut at the end of the path; else end with the last frames that were kept
    give_up_m     stop where the walk is further from the path than this
    avoid         edges that cost AVOIDED_M2 more, beam
    """
    if search not in SEARCHES:
        raise InputError(f"there is no search {search!r}", remedy=choices(SEARCHES, search))
    ahead, keep = _frames(graph.fps, search, ahead, keep)
    _check(graph, start_node, ahead, keep)
    started = time.perf_counter()
    line = path if isinstance(path, EvenPolyline) else prepare_path(path)
    paths = abstract_paths(graph, abstraction)
    read = time.perf_counter()
    watch = watch or Watch()
    look: _View = _Exactly(paths.tracks, line, cap, watch)
    usual_m = float(np.median(paths.steps))
    if search == "beam":
        costs = walk_costs(graph, paths, wishes, seed)
        if len(avoid):
            edge = np.array(costs.edge)
            edge[avoid] += AVOIDED_M2
            costs = costs._replace(edge=edge)
        look = _Far(paths.tracks, line, width, costs, watch)
        if wishes.pace > 0.0:
            # A pace that no clip has is not kept, however much it is wished for.
            pace_m = wished_pace(graph, paths, wishes.speed) / graph.fps
            usual_m = min(pace_m, float(np.quantile(paths.steps, 0.9)))
    horizon = _Horizon(ahead, keep, at_node, search == "beam", usual_m)
    run = _Run(paths, line, look, horizon, give_up_m, watch)
    heading = line.heading(0.0) if heading is None else heading
    first = run.begin(graph, _start_nodes(graph, start_node, seed), heading)
    begun = time.perf_counter()
    if first is not None:
        run.go_on(*first)
    timings = {"path abstraction": read - started, "first search": begun - read,
               "search": time.perf_counter() - begun}  # fmt: skip
    return run.result(stop_at_goal, timings)


def _frames(fps: float, search: str, ahead: int | None, keep: int | None) -> tuple[int, int]:
    far = search == "beam"
    ahead = (round(BEAM_AHEAD_S * fps) if far else AHEAD) if ahead is None else ahead
    usual = round(BEAM_KEEP_S * fps) if far else KEEP
    return ahead, min(usual, ahead) if keep is None else keep


def _check(graph: MotionGraph, start_node: int | str | None, ahead: int, keep: int) -> None:
    if not 1 <= keep <= ahead:
        raise InputError(
            f"{keep} of {ahead} frames are kept", remedy="keep at least 1 and at most all of them"
        )
    if isinstance(start_node, str) and start_node != "random":
        raise InputError(f"the start is {start_node!r}", remedy='a node, "random" or nothing')
    if isinstance(start_node, int) and not 0 <= start_node < graph.nodes:
        raise InputError(
            f"the start is node {start_node}", remedy=f"the graph has nodes 0 to {graph.nodes - 1}"
        )


def _start_nodes(graph: MotionGraph, start_node: int | str | None, seed: int) -> list[int]:
    if isinstance(start_node, str):
        return [int(np.random.default_rng(seed).integers(graph.nodes))]
    if start_node is not None:
        return [int(start_node)]
    count = min(graph.nodes, MOST_STARTS)
    return [int(n) for n in np.unique(np.linspace(0, graph.nodes - 1, count).round())]


Part = tuple[Ints, Ints, Ints, Floats]
"""Edges of a walk that was kept, the frames of them that it plays, and their poses."""


class _View(Protocol):
    """A way of searching: the best place to begin at and the edges from there; None if none.

    parts  what the walk has played before
    """

    opened: int
    searches: int
    cap_hits: int

    def __call__(
        self, places: list[GraphPlace], frames: int, parts: Sequence[Part] = ()
    ) -> tuple[GraphPlace, Ints] | None: ...


class _Exactly:
    """Branch and bound from each place in turn; what costs more than the best so far is cut."""

    def __init__(self, tracks: Tracks, line: EvenPolyline, cap: int, watch: Watch) -> None:
        self.tracks, self.line, self.cap, self.watch = tracks, line, cap, watch
        self.opened = self.searches = self.cap_hits = 0

    def __call__(
        self, places: list[GraphPlace], frames: int, parts: Sequence[Part] = ()
    ) -> tuple[GraphPlace, Ints] | None:
        found, least = None, math.inf
        for place in places:
            walk = best_walk(
                self.tracks, self.line, place, frames, most=least, cap=self.cap,
                flag=self.watch.flag,
            )  # fmt: skip
            self.searches += 1
            self.opened += walk.opened
            self.cap_hits += walk.capped
            if walk.found:
                found, least = (place, walk.edges), walk.cost
            if self.watch.is_over:
                break
        return found


class _Far:
    """A beam from all places at once."""

    def __init__(
        self, tracks: Tracks, line: EvenPolyline, width: int, costs: WalkCosts, watch: Watch
    ) -> None:
        self.tracks, self.line, self.watch = tracks, line, watch
        self.width, self.costs = width, costs
        self.opened = self.searches = self.cap_hits = 0

    def __call__(
        self, places: list[GraphPlace], frames: int, parts: Sequence[Part] = ()
    ) -> tuple[GraphPlace, Ints] | None:
        walk = beam_walk(
            self.tracks, self.line, places, frames, costs=self.costs,
            played=self.played(parts), width=self.width, flag=self.watch.flag,
        )  # fmt: skip
        self.searches += 1
        self.opened += walk.opened
        return (places[walk.start], walk.edges) if walk.found else None

    def played(self, parts: Sequence[Part]) -> Played:
        """Return what the last of the parts that a walk was kept in have played."""
        frames, first = 0, len(parts)
        while first > 0 and frames < self.costs.memory:
            first -= 1
            frames += int((parts[first][2] - parts[first][1]).sum())
        if first == len(parts):
            return NOTHING_PLAYED
        edges, begin, stop = (np.concatenate([p[k] for p in parts[first:]]) for k in range(3))
        return played_by(edges, stop - begin, self.costs)


@dataclass(frozen=True)
class _Horizon:
    """How far is searched, and how much of that is kept.

    ahead, keep  frames
    at_node      keep up to the next node
    to_end       where the end of the path is nearer than `ahead`, search up to it and keep all
    usual_m      how far a walk goes in a frame
    """

    ahead: int
    keep: int
    at_node: bool
    to_end: bool
    usual_m: float

    def frames(self, left_m: float) -> int:
        """Return how many frames are searched where `left_m` metres of the path are left."""
        return min(self.ahead, self._to_end(left_m)) if self.to_end else self.ahead

    def frames_kept(self, left_m: float) -> int:
        """Return how many of them are kept."""
        frames = self.frames(left_m)
        return frames if frames < self.ahead else min(self.keep, frames)

    def _to_end(self, left_m: float) -> int:
        return math.ceil(left_m / max(self.usual_m, 1e-4) * (1.0 + SLOWER)) + BEYOND_END


class _Run:
    """One walk in the making."""

    def __init__(
        self, paths: AbstractPaths, line: EvenPolyline, look: _View, horizon: _Horizon,
        give_up_m: float, watch: Watch,
    ) -> None:  # fmt: skip
        self.paths, self.tracks, self.line = paths, paths.tracks, line
        self.look, self.horizon = look, horizon
        self.give_up_m, self.watch = give_up_m, watch
        self.parts: list[Part] = []
        self.reason, self.stopped = "", False
        self.start_way = 0.0

    def begin(
        self, graph: MotionGraph, nodes: list[int], heading: float
    ) -> tuple[GraphPlace, Ints] | None:
        """Return the best first walk from any of the nodes, laid at the beginning of the path."""
        frames = np.minimum(graph.node_frame[nodes], len(self.paths.frames) - 1)
        own = np.column_stack([self.paths.frames[frames], self.paths.headings[frames]])
        poses = planar.compose([*self.line.points[0], heading], planar.inverse(own)).tolist()
        ways = (-self.paths.steps[frames]).tolist()
        places = [
            GraphPlace(node, (x, z, yaw), way)
            for node, (x, z, yaw), way in zip(nodes, poses, ways, strict=True)
        ]
        first = self.look(places, self.horizon.frames(self.line.length_m))
        if self.watch.is_over:
            self.stop_early()
            return None
        if first is None:
            self.reason = "no walk through the graph is long enough to search"
        return first

    def go_on(self, place: GraphPlace, edges: Ints) -> None:
        """Keep, search from there, keep, … up to the end of the path."""
        length, self.start_way = self.line.length_m, place.way_m
        while True:
            left = length - place.way_m
            keep = self.horizon.frames_kept(left)
            kept = keep_walk(self.tracks, place, edges, keep, self.horizon.at_node)
            if self.horizon.frames(left) == keep and kept.place.way_m < length:
                # Slower than expected: what lies beyond the frames searched was not looked at.
                keep = max(keep // 2, 1)
                kept = keep_walk(self.tracks, place, edges, keep, self.horizon.at_node)
            self.parts.append((kept.edges, kept.begin, kept.stop, kept.poses))
            place = kept.place
            if place.way_m >= length:
                return
            off = self.distance(kept.edges[-1], kept.stop[-1] - 1, kept.poses[-1], place.way_m)
            if off > self.give_up_m:
                self.reason = (
                    f"no clip turns as the path does: {off:.1f} m off it "
                    f"after {place.way_m:.1f} of {length:.1f} m"
                )
                return
            found = None
            if not self.is_over(place.way_m / length):
                frames = self.horizon.frames(length - place.way_m)
                found = self.look([place], frames, self.parts)
            if self.watch.is_over:
                self.stop_early()
                return
            if found is None:
                self.reason = f"the graph has no way on after {place.way_m:.1f} of {length:.1f} m"
                return
            edges = found[1]

    def distance(self, edge: int, inside: int, pose: Floats, way_m: float) -> float:
        point = self.tracks.points[int(self.tracks.edge_start[edge]) + int(inside)]
        place = planar.apply_to_ground(pose, point)[None]
        return float(distances_aside(self.line, place, np.array([way_m]))[0])

    def is_over(self, share: float) -> bool:
        """Report how far along it is; whether the work is to stop."""
        with suppress(Cancelled):
            self.watch.tell(min(share, 1.0), note="following the path")
        return self.watch.is_over

    def stop_early(self) -> None:
        self.stopped = True
        why = "the time given was over" if self.watch.out_of_time else "it was cancelled"
        self.reason = f"{why} before the end of the path was reached"

    def result(self, stop_at_goal: bool, timings: dict[str, float]) -> Followed:
        walk = joined_walk(self.parts)
        ways = self.ways(walk)
        if stop_at_goal and len(ways) and not self.reason:
            frames = min(int(np.searchsorted(ways, self.line.length_m)) + 1, len(ways))
            walk, ways = walk.cut(frames), ways[:frames]
        points = walk_points(walk, self.tracks.edge_start, self.tracks.points)
        cost = float(((points - self.line.at(ways)) ** 2).sum())
        return Followed(
            walk, self.line, self.paths.abstraction, points, ways, cost,
            self.look.opened, self.look.searches, self.look.cap_hits,
            not self.reason, self.reason, self.stopped, timings,
        )  # fmt: skip

    def ways(self, walk: Walk) -> Floats:
        """Return (T,) how far along the path each frame of a walk is; the first at about 0."""
        _, edge, inside = walk.spread()
        start = self.tracks.edge_start[edge]
        way = self.tracks.way[start + inside]
        steps = np.where(inside > 0, way - self.tracks.way[start + np.maximum(inside - 1, 0)], way)
        return np.asarray(self.start_way + np.cumsum(steps))
