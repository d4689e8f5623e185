"""The exact shortest route of a disc: straight stretches tangent to corners, and arcs."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from footfall.maths.arrays import Bools, Floats, Ints
from footfall.search.shortest_path import Flag, cancel_flag
from footfall.world.corridor.build import Outlines
from footfall.world.corridor.smooth import Curve
from footfall.world.ground import sealed

_MOST_KEPT = 3_000_000


@dataclass(frozen=True, eq=False)
class Route:
    """The shortest route of a disc: stretches (K, 4) x0, z0, x1, z1, arcs of `radius` between them.

    arcs (K - 1, 4): centre x, z, first angle and sweep (radians in the plane x right, z up).
    """

    stretches: Floats
    arcs: Floats
    radius: float

    @property
    def ends(self) -> Floats:
        """Distance (2K - 1,) in metres along the route at which each stretch or arc ends."""
        straight = np.linalg.norm(self.stretches[:, 2:] - self.stretches[:, :2], axis=1)
        lengths = np.empty(2 * len(straight) - 1)
        lengths[::2], lengths[1::2] = straight, np.abs(self.arcs[:, 3]) * self.radius
        return np.cumsum(lengths)

    def at(self, along: Floats) -> Curve:
        """Points, directions and curvatures at distances `along` (N,) from the start."""
        ends = self.ends
        piece = np.minimum(np.searchsorted(ends, along, side="left"), len(ends) - 1)
        into = along - np.concatenate([[0.0], ends])[piece]
        line = self.stretches[piece // 2]
        direction = line[:, 2:] - line[:, :2]
        size = np.linalg.norm(direction, axis=1, keepdims=True)
        direction = direction / np.maximum(size, 1e-12)
        points = line[:, :2] + into[:, None] * direction
        curvature = np.zeros(len(along))
        bent = np.nonzero(piece % 2)[0]
        if len(bent):
            x, z, first, sweep = self.arcs[piece[bent] // 2].T
            side = np.sign(sweep)
            angle = first + side * into[bent] / self.radius
            points[bent, 0] = x + self.radius * np.cos(angle)
            points[bent, 1] = z + self.radius * np.sin(angle)
            direction[bent] = np.stack([-side * np.sin(angle), side * np.cos(angle)], axis=1)
            curvature[bent] = side / self.radius
        points[along <= 0.0] = self.stretches[0, :2]
        points[along >= ends[-1]] = self.stretches[-1, 2:]
        return Curve(points, direction, curvature)

    def every(self, step: float) -> Curve:
        """Return the route at even steps of at most `step` metres, ends included."""
        length = float(self.ends[-1])
        return self.at(np.linspace(0.0, length, max(2, int(np.ceil(length / step - 1e-9)) + 1)))


def _route_of(outlines: Outlines, stretches: Floats, turning: Any, radius: float) -> Route:
    """Return the route along stretches (K, 4), turning (K, 2) about which corner and which way."""
    centres, side = outlines.corners[turning[:-1, 0], :2], turning[:-1, 1]
    leave, reach = stretches[1:, :2] - centres, stretches[:-1, 2:] - centres
    first = np.arctan2(reach[:, 1], reach[:, 0])
    sweep = (side * (np.arctan2(leave[:, 1], leave[:, 0]) - first)) % (2.0 * np.pi)
    sweep = np.where(sweep > 2.0 * np.pi - 1e-3, 0.0, sweep) * side
    return Route(stretches, np.stack([centres[:, 0], centres[:, 1], first, sweep], axis=1), radius)


class SearchCancelled(Exception):
    """The search was ended by its flag."""


class Known(NamedTuple):
    """What searches found out so far; `status`, `laid` and `tight` are for one radius.

    pairs (P, 3): from corner, to corner, sides 2i + j, of which used (1,) many. rows (V, 2): the
    first and past the last pair of each corner, negative if not known. status (P,): what is known
    of a stretch. laid (P, 9): its shape, see `search_kernels.lay`. tight (V,): whether something
    is in the way of a disc that rolls about all of a corner, negative if not known.
    """

    rows: Ints
    pairs: Ints
    used: Any
    status: Any
    laid: Floats
    tight: Any


class Work(NamedTuple):
    """Memory for one search, for S states of which the stretches of start and goal come first.

    best, parent, closed (S,). ends (4V + 1, 9): these stretches as `laid`. least (V, 2, 2): cost
    less arc, and angle, of the best arrival at each side of a corner. keys, states: the heap.
    found (4V, 2): a row before it is kept.
    """

    best: Floats
    parent: Ints
    closed: Bools
    ends: Floats
    least: Floats
    keys: Floats
    states: Ints
    found: Ints


@dataclass(eq=False)
class TangentGraph:
    """The tangent stretches between the corners of outlines, found as searches come to them.

    widest  metres; for bodies of a larger radius another graph is made
    radii   what is known for each radius asked for before: status, laid and tight
    It only ever learns, so a search gives the same whatever was asked before. One search at a
    time: others wait for it.
    """

    outlines: Outlines
    widest: float
    radii: dict[float, tuple[Any, Any, Any]] = field(default_factory=dict)
    wider: TangentGraph | None = None
    _lock: Any = field(default_factory=Lock)

    def __post_init__(self) -> None:
        count = len(self.outlines.corners)
        self.rows, self.used = np.full((count, 2), -1, np.int32), np.zeros(1, np.int64)
        self.pairs = np.empty((1024 + 4 * count, 3), np.int32)
        self._heap_room = 4096 + 4 * count

    def shortest(
        self, start: Floats, goal: Floats, radius: float, cancel: Flag | None = None
    ) -> Route | None:
        """Return the shortest route of a disc of `radius` metres, if there is one.

        Once `cancel` is set, the search ends by raising `SearchCancelled`.
        """
        if radius > self.widest:
            return self._for_wider(radius).shortest(start, goal, radius, cancel)
        if not len(self.outlines.corners) or np.array_equal(start, goal):
            return _straight(self.outlines, start, goal, radius)
        flag = cancel_flag() if cancel is None else cancel
        with self._lock:
            return self._search(start, goal, radius, flag)

    def widest_radius(
        self, start: Floats, goal: Floats, below: float, cancel: Flag | None = None
    ) -> float:
        """Return the largest radius (m) below `below` with a route, to half a millimetre."""
        low, high = 1e-3, below
        asked = set(self.radii)
        if self.shortest(start, goal, low, cancel) is None:
            return 0.0
        while high - low > 5e-4:
            middle = 0.5 * (low + high)
            if self.shortest(start, goal, middle, cancel) is None:
                high = middle
            else:
                low = middle
        with self._lock:  # nobody asks for these radii again
            for radius in set(self.radii) - asked:
                del self.radii[radius]
        return low

    def _search(self, start: Floats, goal: Floats, radius: float, cancel: Flag) -> Route | None:
        from footfall.world.corridor import search_kernels as kernels

        ends = sealed(start), sealed(goal), float(radius), float(self.widest)
        while True:
            known, work = self._known_pairs(radius), self._work()
            arrived = kernels.shortest_route(
                *ends, self.outlines.corners, self.outlines.own, self.outlines.grid, known, work,
                cancel,
            )  # fmt: skip
            if arrived == kernels.PAIRS_FULL:
                more = np.empty_like(self.pairs)
                self.pairs = np.concatenate([self.pairs, more])
            elif arrived == kernels.HEAP_FULL:
                self._heap_room *= 2
            else:
                break
        if arrived == kernels.CANCELLED:
            raise SearchCancelled
        if arrived == kernels.NO_ROUTE:
            return None
        return self._trace(int(arrived), known, work, radius)

    def _trace(self, arrived: int, known: Known, work: Work, radius: float) -> Route:
        """Return the route that leads to the state arrived at."""
        states = [arrived]
        while work.parent[states[-1]] >= 0:
            states.append(int(work.parent[states[-1]]))
        base = len(work.ends)
        stretches, turns = [], []
        for state in reversed(states):
            if state >= base:
                _, corner, sides = known.pairs[state - base]
                laid = known.laid[state - base]
            else:
                corner, sides = state >> 1, state  # not used where it leads to the goal
                laid = work.ends[state]
            stretches.append(laid[5:])
            turns.append((corner, 1 - 2 * (sides & 1)))
        return _route_of(self.outlines, np.array(stretches), np.array(turns), radius)

    def _known_pairs(self, radius: float) -> Known:
        """Return what is known of each pair for this radius, with room for all pairs."""
        room = len(self.pairs)
        if radius not in self.radii and (len(self.radii) + 1) * room > _MOST_KEPT:
            self.radii.clear()
        nothing = np.empty(0, np.int8), np.empty((0, 9)), np.full(len(self.rows), -1, np.int8)
        status, laid, tight = self.radii.get(radius, nothing)
        if len(status) < room:
            more = room - len(status)
            status = np.concatenate([status, np.zeros(more, np.int8)])
            laid = np.concatenate([laid, np.empty((more, 9))])
        self.radii[radius] = status, laid, tight
        return Known(self.rows, self.pairs, self.used, status, laid, tight)

    def _work(self) -> Work:
        """Memory for one search."""
        count = len(self.rows)
        base = 4 * count + 1
        states = base + len(self.pairs)
        return Work(
            best=np.full(states, np.inf), parent=np.full(states, -1, np.int64),
            closed=np.zeros(states, np.bool_), ends=np.empty((base, 9)),
            least=np.full((count, 2, 2), np.inf), keys=np.empty(self._heap_room),
            states=np.empty(self._heap_room, np.int64), found=np.empty((4 * count, 2), np.int32),
        )  # fmt: skip

    def _for_wider(self, radius: float) -> TangentGraph:
        """Return the graph for a radius that is wider than this one is for."""
        if self.wider is None or self.wider.widest < radius:
            self.wider = TangentGraph(self.outlines, 2.0 * radius)
        return self.wider


def _straight(outlines: Outlines, start: Floats, goal: Floats, radius: float) -> Route | None:
    """Return the straight route: the only one where no corner juts out, or to where one is."""
    line = np.concatenate([start, goal])[None]
    if outlines.stretch_clearances(line, np.array([radius]))[0] < radius - 1e-7:
        return None
    return Route(line, np.empty((0, 4)), radius)
