"""The exact shortest route of a disc: straight stretches tangent to corners, and arcs."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import numpy as np

from footfall.maths.arrays import Floats, Ints
from footfall.search.shortest_path import Flag, cancel_flag
from footfall.world.corridor.build import Outlines
from footfall.world.corridor.smooth import Curve
from footfall.world.ground import sealed

_MOST_KEPT = 4_000_000


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
        """The route at even steps of at most `step` metres, ends included."""
        length = float(self.ends[-1])
        return self.at(np.linspace(0.0, length, max(2, int(np.ceil(length / step - 1e-9)) + 1)))


def _route_of(outlines: Outlines, stretches: Floats, turning: Any, radius: float) -> Route:
    """The route along stretches (K, 4), turning (K, 2) about which corner and which way."""
    centres, side = outlines.corners[turning[:-1, 0], :2], turning[:-1, 1]
    leave, reach = stretches[1:, :2] - centres, stretches[:-1, 2:] - centres
    first = np.arctan2(reach[:, 1], reach[:, 0])
    sweep = (side * (np.arctan2(leave[:, 1], leave[:, 0]) - first)) % (2.0 * np.pi)
    sweep = np.where(sweep > 2.0 * np.pi - 1e-3, 0.0, sweep) * side
    return Route(stretches, np.stack([centres[:, 0], centres[:, 1], first, sweep], axis=1), radius)


class SearchCancelled(Exception):
    """The search was ended by its flag."""


@dataclass(eq=False)
class TangentGraph:
    """The tangent stretches between the corners of outlines, found as searches come to them.

    widest  metres; for bodies of a larger radius another graph is made
    rows, gaps, pairs, used  what is known of the corners, see `search_kernels`
    radii   what is known of the pairs, for each radius asked for before
    It only ever learns, so a search gives the same whatever was asked before. One search at a
    time: others wait for it.
    """

    outlines: Outlines
    widest: float
    rows: Ints = field(init=False)
    gaps: Floats = field(init=False)
    pairs: Ints = field(init=False)
    used: int = 0
    radii: dict[float, tuple[Any, Any]] = field(default_factory=dict)
    wider: TangentGraph | None = None
    _lock: Any = field(default_factory=Lock)

    def __post_init__(self) -> None:
        count = len(self.outlines.corners)
        self.rows, self.gaps = np.full((count, 2), -1, np.int32), np.full(count, -1.0)
        self.pairs = np.empty((1024, 3), np.int32)

    def shortest(
        self, start: Floats, goal: Floats, radius: float, cancel: Flag | None = None
    ) -> Route | None:
        """The shortest route of a disc of `radius` metres that is clear at both ends, if any.

        Once `cancel` is set, the search ends by raising `SearchCancelled`.
        """
        if radius > self.widest:
            return self._for_wider(radius).shortest(start, goal, radius, cancel)
        if not len(self.outlines.corners):
            return _straight(self.outlines, start, goal, radius)
        flag = cancel_flag() if cancel is None else cancel
        with self._lock:
            stretches, turning, cancelled = self._search(start, goal, radius, flag)
        if cancelled:
            raise SearchCancelled
        return _route_of(self.outlines, stretches, turning, radius) if len(stretches) else None

    def widest_radius(
        self, start: Floats, goal: Floats, below: float, cancel: Flag | None = None
    ) -> float:
        """The largest radius (m) less than `below` that has a route, to half a millimetre; or 0."""
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

    def _search(self, start: Floats, goal: Floats, radius: float, cancel: Flag) -> Any:
        from footfall.world.corridor import search_kernels

        outlines = self.outlines
        status, laid = self._known(radius)
        search: Any = search_kernels.shortest_route
        stretches, turning, cancelled, self.pairs, self.used, status, laid = search(
            sealed(start), sealed(goal), float(radius), self.widest, outlines.corners, outlines.own,
            self.gaps, self.rows, self.pairs, self.used, status, laid, cancel, *outlines.grid,
        )  # fmt: skip
        self.radii[radius] = status, laid
        return stretches, turning, cancelled

    def _known(self, radius: float) -> tuple[Any, Any]:
        """What is known of each pair for this radius, with room for all pairs."""
        room = len(self.pairs)
        if radius not in self.radii and (len(self.radii) + 1) * room > _MOST_KEPT:
            self.radii.clear()
        status, laid = self.radii.get(radius, (np.empty(0, np.int8), np.empty((0, 7))))
        if len(status) < room:
            more = room - len(status)
            status = np.concatenate([status, np.zeros(more, np.int8)])
            laid = np.concatenate([laid, np.empty((more, 7))])
        return status, laid

    def _for_wider(self, radius: float) -> TangentGraph:
        """The graph for a radius that is wider than this one is for."""
        if self.wider is None or self.wider.widest < radius:
            self.wider = TangentGraph(self.outlines, 2.0 * radius)
        return self.wider


def _straight(outlines: Outlines, start: Floats, goal: Floats, radius: float) -> Route | None:
    """The straight route, the only one where no corner juts out."""
    line = np.concatenate([start, goal])[None]
    if outlines.stretch_clearances(line, np.array([radius]))[0] < radius - 1e-7:
        return None
    return Route(line, np.empty((0, 4)), radius)
