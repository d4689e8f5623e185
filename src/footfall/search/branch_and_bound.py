"""Walks through a graph that follow a line best, by incremental branch and bound.

Kovar, Gleicher & Pighin 2002, §4: each edge of a graph carries points, one per frame; a walk
strings them together, each edge in the coordinates in which the one before ended. The walk runs
beside a line: the i-th of its points is compared with the line's point at the way s_i that the
walk has gone until then, and the cost is the sum of squared distances. The best walk of n frames
is found depth first, of which the first m frames are kept; and so on from there.

Exact: equals trying every walk, unless the cap on opened nodes ends the search, which is said.
Where we differ: children are visited, and branches are cut, in the order of their cost *plus* a
lower bound of all that must follow (`reach_discs`: where a walk may be at all after k frames),
which is proven and cuts far more than the cost alone. Beyond its end the line goes on straight,
so that every walk compared has as many frames.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from footfall.errors import InputError
from footfall.maths.arrays import Floats, Ints, frozen_floats, frozen_ints
from footfall.maths.polyline import EvenPolyline
from footfall.maths.rounding import round_to_grid

MOST_OPENED = 200_000
"""How many nodes one search opens at most, by default."""
NO_FLAG: NDArray[np.uint8] = np.zeros(1, np.uint8)
"""For searches that nobody cancels."""
_FIRST_ROOM = 1024
"""How many walks a search has room for at first; it begins again with more where it is too few."""
BOUND_FRAMES = 60
"""How many frames ahead the lower bound looks: beyond, a walk may be nearly anywhere."""


EDGE = np.dtype([
    ("to", np.int32), ("first", np.int32), ("x", np.float64), ("z", np.float64),
    ("cosine", np.float64), ("sine", np.float64),
])  # fmt: skip
"""An edge of tracks: the node where it ends, its first point, and its change of coordinates."""
POINT = np.dtype([("x", np.float64), ("z", np.float64), ("way", np.float64)])
"""A point of tracks, and metres gone from the beginning of its edge."""
WALK = np.dtype([
    ("cost", np.float64), ("key", np.float64), ("x", np.float64), ("z", np.float64),
    ("cosine", np.float64), ("sine", np.float64), ("way", np.float64), ("edge", np.int32),
    ("node", np.int32), ("frames", np.int32), ("parent", np.int32), ("next", np.int32),
    ("first", np.int32), ("began", np.int32), ("closed", np.int32),
])  # fmt: skip
"""A walk under way: its cost, and with what must follow at least; its place, turn, and metres gone;
its last edge, and the node that this leads to; frames played. Of a beam also the walk that it goes
on from, the next one at the same frame, and the segment that it plays (`beam.Played`)."""


class Line(NamedTuple):
    """A line to follow: points (K, 2), and how many of them are on a metre."""

    points: Floats
    per_metre: float


def line_arrays(line: EvenPolyline) -> Line:
    """Return a line for the kernels."""
    return Line(line.points, 1.0 / line.spacing_m)


class TrackArrays(NamedTuple):
    """Tracks for the kernels: out_start (N + 1,), edges (E + 1,), points (P,), reach (N, K, 4)."""

    out_start: Ints
    edges: NDArray[np.void]
    points: NDArray[np.void]
    reach: Floats


@dataclass(frozen=True, eq=False)
class Tracks:
    """A graph of N nodes and E edges that carry P points in all.

    out_start   (N+1,) the edges that leave node n are out_start[n] up to out_start[n+1]
    edge_to     (E,) the node where each edge ends
    edge_start  (E+1,) the points of edge e are edge_start[e] up to edge_start[e+1]
    points      (P, 2) x and z, metres, each edge in the coordinates in which it begins
    way         (P,) metres gone from the beginning of the edge up to each point, rising
    change      (E, 4) x, z, cos, sin: takes the coordinates after the edge to those before
    reach       (N, K, 4) where a walk may be after k frames, see `branch_kernels.reach_discs`
    """

    out_start: Ints
    edge_to: Ints
    edge_start: Ints
    points: Floats
    way: Floats
    change: Floats
    reach: Floats

    def __post_init__(self) -> None:
        # All read-only, wherever they come from: kernels are compiled for one kind of arrays.
        for f in fields(self):
            getattr(self, f.name).flags.writeable = False

    @cached_property
    def arrays(self) -> TrackArrays:
        """The same for the kernels."""
        parts = _edges_and_points(self.edge_to, self.edge_start, self.points, self.way, self.change)
        return TrackArrays(self.out_start, *parts, self.reach)

    @cached_property
    def coarse_arrays(self) -> TrackArrays:
        """The same with the reach after every COARSE-th frame, close together in memory."""
        from footfall.search.branch_kernels import COARSE

        coarse = np.ascontiguousarray(self.reach[:, COARSE - 1 :: COARSE])
        return self.arrays._replace(reach=coarse)

    @property
    def nodes(self) -> int:
        return len(self.out_start) - 1

    @property
    def edges(self) -> int:
        return len(self.edge_to)


def tracks_of(
    edge_from: Ints, edge_to: Ints, edge_start: Ints, points: Floats, steps: Floats,
    change: Floats, nodes: int, bound_frames: int = BOUND_FRAMES,
) -> Tracks:  # fmt: skip
    """Return the tracks of a graph whose edges are sorted by the node they leave.

    edge_from, edge_to  (E,)    edge_start  (E+1,)    points  (P, 2)
    steps               (P,) metres each point is further than the one before it, not negative
    change              (E, 3) planar pose (x, z, yaw) that an edge composes with
    bound_frames        how many frames the lower bound looks ahead; 0 for a bound of 0
    """
    from footfall.search.branch_kernels import reach_discs

    points = frozen_floats(points, (None, 2), "points")
    steps = frozen_floats(steps, (len(points),), "steps")
    change = frozen_floats(change, (len(edge_to), 3), "change")
    counts = np.diff(edge_start)
    if len(counts) != len(edge_to) or len(counts) == 0 or int(edge_start[-1]) != len(points):
        raise InputError("the edges of the graph do not share out its points", remedy="check it")
    if counts.min() < 1 or np.any(steps < 0.0):
        raise InputError(
            "an edge of the graph plays no frame or goes back", remedy="each plays at least one"
        )
    # Summed edge by edge, so that equal edges have equal ways to the last bit.
    way = np.concatenate([np.cumsum(part) for part in np.split(steps, edge_start[1:-1])])
    out_start = frozen_ints(np.searchsorted(edge_from, np.arange(nodes + 1)), (None,), "out_start")
    to = frozen_ints(edge_to, (None,), "edge_to")
    start = frozen_ints(edge_start, (None,), "edge_start")
    # Rounded and made unit again, so that equal walks cost the same on every CPU.
    unit = round_to_grid(np.stack([np.cos(change[:, 2]), np.sin(change[:, 2])], axis=1))
    turn = np.hstack([change[:, :2], unit / np.sqrt((unit * unit).sum(axis=1, keepdims=True))])
    edges, marks = _edges_and_points(to, start, points, way, turn)
    reach = reach_discs(out_start, edges, marks, bound_frames)
    return Tracks(out_start, to, start, points, way, turn, reach)


def _edges_and_points(
    edge_to: Ints, edge_start: Ints, points: Floats, way: Floats, change: Floats
) -> tuple[NDArray[np.void], NDArray[np.void]]:
    """Edges (E + 1,), the last of which only ends the one before, and points (P,) as records."""
    edges, marks = np.zeros(len(edge_start), EDGE), np.zeros(len(way), POINT)
    edges["to"][:-1], edges["first"] = edge_to, edge_start
    for n, name in enumerate(("x", "z", "cosine", "sine")):
        edges[name][:-1] = change[:, n]
    marks["x"], marks["z"], marks["way"] = *points.T, way
    return edges, marks


@dataclass(frozen=True)
class GraphPlace:
    """A place on the way through a graph, and in the world.

    node          the node, if `edge` is -1
    edge, inside  else so many frames of this edge have been played
    pose          x, z, yaw: takes the coordinates of `edge` (or of the node) to the world
    way_m         how far along the line the last frame played was
    """

    node: int
    pose: tuple[float, float, float]
    way_m: float = 0.0
    edge: int = -1
    inside: int = 0


def start_walks(places: Sequence[GraphPlace]) -> NDArray[np.void]:
    """Return (S,) starting walks, each at a place (`WALK`); -1 where no edge is begun."""
    out = np.zeros(len(places), WALK)
    for row, place in zip(out, places, strict=True):
        row["x"], row["z"], yaw = place.pose
        row["cosine"], row["sine"], row["way"] = math.cos(yaw), math.sin(yaw), place.way_m
        row["node"], row["edge"], row["frames"] = max(place.node, 0), place.edge, place.inside
    out["parent"] = out["next"] = -1
    return out


@dataclass(frozen=True, eq=False)
class BestWalk:
    """The best walk of a number of frames from a place.

    edges   (W,) in order; the first may have begun before, the last may go on after
    cost    sum of squared distances, m²; inf if there is no such walk
    opened  how many nodes were opened
    capped  whether the cap ended the search, so that a better walk may exist
    """

    edges: Ints
    cost: float
    opened: int
    capped: bool

    @property
    def found(self) -> bool:
        return len(self.edges) > 0


def best_walk(
    tracks: Tracks, line: EvenPolyline, place: GraphPlace, frames: int,
    *, most: float = math.inf, cap: int = MOST_OPENED,
    flag: NDArray[np.uint8] | None = None,
) -> BestWalk:  # fmt: skip
    """Return the walk of `frames` frames from `place` that costs least, if less than `most`.

    At equal cost the one found first stays: edges are tried by cost, then by number. Once `flag`
    (1,) is not 0 the search ends as if its cap were reached.
    """
    from footfall.search import branch_kernels

    if frames < 1 or cap < 1:
        raise InputError(
            f"a walk of {frames} frames with {cap} nodes", remedy="both must be at least 1"
        )
    chosen, levels = np.zeros(frames + 1, np.int64), np.zeros((frames + 2, 3), np.int64)
    stop, room = NO_FLAG if flag is None else flag, _FIRST_ROOM
    while True:
        walks = np.empty(room, WALK)
        walks[:1] = start_walks([place])
        cost, count, opened, end = branch_kernels.best_walk(
            tracks.arrays, line_arrays(line), frames, float(most), cap, stop, walks,
            np.zeros(room + 1, np.int64), levels, chosen,
        )  # fmt: skip
        if end != branch_kernels.NO_ROOM:
            break
        room *= 4
    edges, capped = chosen[:count].astype(np.int32), end == branch_kernels.CAPPED
    return BestWalk(edges, float(cost) if count else math.inf, int(opened), capped)


@dataclass(frozen=True, eq=False)
class Kept:
    """The part of a walk that is kept: `stop - begin` frames of each of its edges.

    edges   (W,)    begin, stop   (W,) frames inside each edge
    poses   (W, 3)  world pose in which each edge begins
    place   where it ends
    """

    edges: Ints
    begin: Ints
    stop: Ints
    poses: Floats
    place: GraphPlace


def keep_walk(tracks: Tracks, place: GraphPlace, edges: Ints, keep: int, at_node: bool) -> Kept:
    """Return the first `keep` frames of a walk from `place`; with `at_node` up to the next node."""
    taken: list[tuple[int, int, int]] = []
    poses: list[tuple[float, float, float]] = []
    pose, way, left = place.pose, place.way_m, keep
    inside, end = place.inside, place
    for edge in edges.tolist():
        first = int(tracks.edge_start[edge])
        count = int(tracks.edge_start[edge + 1]) - first
        stop = count if at_node else min(count, inside + left)
        done = float(tracks.way[first + inside - 1]) if inside else 0.0
        taken.append((edge, inside, stop))
        poses.append(pose)
        way += float(tracks.way[first + stop - 1]) - done
        left -= stop - inside
        if stop < count:
            end = GraphPlace(-1, pose, way, edge, stop)
        else:
            pose = _after(pose, tracks.change[edge])
            end = GraphPlace(int(tracks.edge_to[edge]), pose, way)
        inside = 0
        if left <= 0:
            break
    numbers = np.array(taken, dtype=np.int32).reshape(-1, 3)
    return Kept(numbers[:, 0], numbers[:, 1], numbers[:, 2], np.array(poses).reshape(-1, 3), end)


def _after(pose: tuple[float, float, float], change: Floats) -> tuple[float, float, float]:
    x, z, yaw = pose
    cosine, sine = math.cos(yaw), math.sin(yaw)
    dx, dz = float(change[0]), float(change[1])
    yaw = math.remainder(yaw + math.atan2(float(change[3]), float(change[2])), 2.0 * math.pi)
    return x + sine * dz + cosine * dx, z + cosine * dz - sine * dx, yaw
