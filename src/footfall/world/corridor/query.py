"""Asking for a path: the shortest route at a clearance, then a smooth path near it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from footfall.errors import InputError
from footfall.maths.arrays import Bools, Floats, Ints, frozen_floats
from footfall.world.corridor.build import Outlines, seen_pairs
from footfall.world.corridor.smooth import Curve, is_clear, smooth

_MOST_REMEMBERED = 2_000_000

LONGEST_DETOUR = 1.1
"""How many times the shortest route a path may be long, if no turning radius asks for more."""

Status = Literal["found", "no path", "start blocked", "goal blocked", "too tight to turn"]


@dataclass(frozen=True, eq=False)
class CorridorPath:
    """What a corridor map answers.

    status: "found" or why there is no path, said in words by `reason`. points (N, 2): x, z in
    metres at even steps. headings (N,): yaw in radians. clearances (N,): metres to the nearest
    obstacle, so the corridor is the union of discs of that radius about the points. curvatures
    (N,): 1/m, positive to the left. shortest_m: length of the shortest route with that clearance.
    turn_radius_m: the tightest turn of the path; for "too tight to turn" it is the widest turn
    that could be had, and the points are that path.
    """

    status: Status
    reason: str
    points: Floats
    headings: Floats
    clearances: Floats
    curvatures: Floats
    length_m: float
    shortest_m: float
    turn_radius_m: float

    def __bool__(self) -> bool:
        return self.status == "found"


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


@dataclass(frozen=True, eq=False)
class Stretches:
    """The tangent stretches between corners for bodies of radius up to `widest` metres.

    known: which are clear (1) or not (2), for radii asked for before; it only saves time.
    """

    widest: float
    starts: Ints
    pairs: Ints
    known: dict[float, Any]

    def shortest(
        self, outlines: Outlines, start: Floats, goal: Floats, radius: float
    ) -> Route | None:
        """The shortest route of a disc of `radius` metres that is clear at both ends, if any."""
        from footfall.world.corridor import search_kernels

        if radius > self.widest:
            return self._for_wider(outlines, radius).shortest(outlines, start, goal, radius)
        known = self.known.get(radius)
        if known is None:
            if len(self.known) * len(self.pairs) >= _MOST_REMEMBERED:
                self.known.clear()
            marks, laid = np.zeros(len(self.pairs), np.int8), np.empty((len(self.pairs), 7))
            search_kernels.lay_stretches(radius, outlines.corners, self.pairs, marks, laid)
            known = self.known.setdefault(radius, (marks, laid))
        search = search_kernels.shortest_route
        stretches, turning = search(  # type: ignore[call-arg]
            start, goal, radius, outlines.corners, outlines.own, outlines.gaps,
            self.starts, self.pairs, *known, *outlines.grid,
        )  # fmt: skip
        if not len(stretches):
            return None
        return _route(outlines, stretches, turning, radius)

    def _for_wider(self, outlines: Outlines, radius: float) -> Stretches:
        """The stretches for a radius that is wider than these are for."""
        wider = self.known.get(-1.0)
        if wider is None or wider.widest < radius:
            widest = 2.0 * radius
            wider = Stretches(widest, *seen_pairs(outlines, widest), {})
            self.known[-1.0] = wider
        return wider  # type: ignore[no-any-return]


def _route(outlines: Outlines, stretches: Floats, turning: Any, radius: float) -> Route:
    """The route along stretches (K, 4), turning (K, 2) about which corner and which way."""
    centres, side = outlines.corners[turning[:-1, 0], :2], turning[:-1, 1]
    leave, reach = stretches[1:, :2] - centres, stretches[:-1, 2:] - centres
    first = np.arctan2(reach[:, 1], reach[:, 0])
    sweep = (side * (np.arctan2(leave[:, 1], leave[:, 0]) - first)) % (2.0 * np.pi)
    sweep = np.where(sweep > 2.0 * np.pi - 1e-3, 0.0, sweep) * side
    return Route(stretches, np.stack([centres[:, 0], centres[:, 1], first, sweep], axis=1), radius)


@dataclass(frozen=True)
class Wishes:
    """What a path is asked for; all in metres. See `CorridorMap.path`."""

    radius: float
    prefer: float
    turn_radius: float | None
    step: float

    def __post_init__(self) -> None:
        checks = [("radius", self.radius, 1e-3, 100.0), ("step", self.step, 1e-3, 100.0)]
        checks.append(("prefer", self.prefer, 0.0, 100.0))
        if self.turn_radius is not None:
            checks.append(("turn_radius", self.turn_radius, 1e-3, 1e3))
        for name, value, low, high in checks:
            if not (np.isfinite(value) and low <= value <= high):
                raise InputError(
                    f"{name} is {value} m", remedy=f"it must be from {low:g} to {high:g} m"
                )


def as_point(point: ArrayLike, name: str) -> Floats:
    """A ground point (2,) x, z in metres."""
    try:
        return frozen_floats(point, (2,), name)
    except (TypeError, ValueError):
        raise InputError(f"{name} is not a ground point", remedy="give x, z in metres") from None


def nothing(status: Status, reason: str) -> CorridorPath:
    """An answer without a path."""
    none = np.empty(0)
    return CorridorPath(status, reason, np.empty((0, 2)), none, none, none, 0.0, 0.0, 0.0)


def blocked_end(outlines: Outlines, ends: Floats, radius: float) -> CorridorPath | None:
    """The answer where the body cannot stand at the start or the goal, ends (2, 2)."""
    for name, clearance in zip(("start", "goal"), outlines.clearances(ends), strict=True):
        if clearance < radius - 1e-7:
            status: Status = "start blocked" if name == "start" else "goal blocked"
            if clearance <= 0.0:
                return nothing(status, f"the {name} is inside an obstacle or out of bounds")
            return nothing(
                status,
                f"the {name} is {clearance:.3f} m from an obstacle, the body needs {radius:g} m",
            )
    return None


def path_along(
    outlines: Outlines, route: Route, wishes: Wishes, wide: Route | None
) -> CorridorPath:
    """The smoothest path near the shortest route that does what is wished.

    `wide` is a route that turns no tighter than wished all along, if there is one.
    """
    shortest = float(route.ends[-1])
    if shortest < 1e-6:
        ends = Curve(route.stretches[0].reshape(2, 2), np.array([[0.0, 1.0]] * 2), np.zeros(2))
        return answer(outlines, ends, shortest)
    tightest: Curve | None = None
    for curve in _candidates(outlines, route, wishes, wide):
        if wishes.turn_radius is None:
            if curve.length_m <= LONGEST_DETOUR * shortest + 1e-9:
                return answer(outlines, curve, shortest)
        elif curve.turn_radius_m >= wishes.turn_radius * (1.0 - 1e-6):
            return answer(outlines, curve, shortest)
        if tightest is None or curve.turn_radius_m > tightest.turn_radius_m:
            tightest = curve
    exact = tightest if tightest is not None else _hugging(outlines, route, wishes.step)
    if wishes.turn_radius is None:
        return answer(outlines, _hugging(outlines, route, wishes.step), shortest)
    return answer(
        outlines, exact, shortest, "too tight to turn",
        f"the widest turns found on the route have a radius of {exact.turn_radius_m:.3f} m, "
        f"{wishes.turn_radius:g} m was asked for",
    )  # fmt: skip


def _candidates(
    outlines: Outlines, route: Route, wishes: Wishes, wide: Route | None
) -> Iterator[Curve]:
    """Smooth paths, the one that does most of what is wished first."""
    tries = [(route, wishes.prefer), (route, 0.3 * wishes.prefer), (route, 0.0)]
    if wide is not None:
        tries.insert(1, (wide, wishes.prefer))
    for near, prefer in tries:
        curve = smooth(
            outlines, near.every(min(0.1, 0.3 * near.radius)).points, wishes.radius,
            prefer=prefer, turn_radius=wishes.turn_radius, step=wishes.step,
        )  # fmt: skip
        if curve is not None:
            yield curve
    if wide is not None:
        curve = wide.every(wishes.step)
        if is_clear(outlines, curve.points, wishes.radius)[0]:
            yield curve


def _hugging(outlines: Outlines, route: Route, step: float) -> Curve:
    """The shortest route itself, in steps so short that no chord cuts a corner by a micrometre."""
    while True:
        curve = route.every(step)
        _, _, between = is_clear(outlines, curve.points, route.radius)
        if step < 1.5e-3 or (between >= route.radius - 5e-7).all():
            return curve
        step *= 0.5


def answer(
    outlines: Outlines, curve: Curve, shortest: float,
    status: Status = "found", reason: str = "",
) -> CorridorPath:  # fmt: skip
    """The curve as a frozen answer."""
    arrays = (
        curve.points,
        np.arctan2(curve.directions[:, 0], curve.directions[:, 1]),
        outlines.clearances(curve.points) if curve.clearances is None else curve.clearances,
        # seen from above, x to the right, z points down: a turn to the left has the other sign
        -curve.curvatures,
    )
    for array in arrays:
        array.setflags(write=False)
    points, headings, clearances, curvatures = arrays
    return CorridorPath(
        status, reason, points, headings, clearances, curvatures,
        curve.length_m, shortest, curve.turn_radius_m,
    )  # fmt: skip


def free_runs(free: Bools) -> list[tuple[int, int]]:
    """First and last index of every run of True."""
    edges = np.diff(np.concatenate([[0], free.astype(np.int8), [0]]))
    return list(zip(np.nonzero(edges == 1)[0], np.nonzero(edges == -1)[0] - 1, strict=True))
