"""Asking for a path: the shortest route at a clearance, then a smooth path near it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from footfall.errors import InputError
from footfall.maths.arrays import Bools, Floats, frozen_floats
from footfall.world.corridor.build import Outlines
from footfall.world.corridor.smooth import Curve, is_clear, smooth
from footfall.world.corridor.tangent_graph import Route

LONGEST_DETOUR = 1.1
"""How many times the shortest route a path may be long, if no turning radius asks for more."""

Status = Literal[
    "found", "no path", "start blocked", "goal blocked", "too tight to turn", "cancelled"
]
WideRoute = Callable[[], Route | None]


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
    """Return a ground point (2,): x and z in metres."""
    return frozen_floats(point, (2,), name)


def nothing(status: Status, reason: str) -> CorridorPath:
    """Return an answer without a path."""
    none = np.empty(0)
    return CorridorPath(status, reason, np.empty((0, 2)), none, none, none, 0.0, 0.0, 0.0)


def blocked_end(outlines: Outlines, ends: Floats, radius: float) -> CorridorPath | None:
    """Return the answer where the body cannot stand at the start or the goal, ends (2, 2)."""
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


def path_along(outlines: Outlines, route: Route, wishes: Wishes, wide: WideRoute) -> CorridorPath:
    """Return the smoothest path near the shortest route that does what is wished.

    `wide` finds a route that turns no tighter than wished all along, if there is one; it is
    asked only where the smooth path near the shortest route does not do.
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
    exact = tightest if tightest is not None else _shortest_route(outlines, route, wishes.step)
    if wishes.turn_radius is None:
        return answer(outlines, _shortest_route(outlines, route, wishes.step), shortest)
    return answer(
        outlines, exact, shortest, "too tight to turn",
        f"the widest turns found on the route have a radius of {exact.turn_radius_m:.3f} m, "
        f"{wishes.turn_radius:g} m was asked for",
    )  # fmt: skip


def _candidates(
    outlines: Outlines, route: Route, wishes: Wishes, wide: WideRoute
) -> Iterator[Curve]:
    """Smooth paths, the one that does most of what is wished first."""

    def smooth_near(near: Route, prefer: float) -> Iterator[Curve]:
        curve = smooth(
            outlines, near.every(min(0.1, 0.3 * near.radius)).points, wishes.radius,
            prefer=prefer, turn_radius=wishes.turn_radius, step=wishes.step,
        )  # fmt: skip
        if curve is not None:
            yield curve

    yield from smooth_near(route, wishes.prefer)
    wider = wide()
    if wider is not None:
        yield from smooth_near(wider, wishes.prefer)
    yield from smooth_near(route, 0.3 * wishes.prefer)
    yield from smooth_near(route, 0.0)
    if wider is not None:
        curve = wider.every(wishes.step)
        if is_clear(outlines, curve.points, wishes.radius)[0]:
            yield curve


def _shortest_route(outlines: Outlines, route: Route, step: float) -> Curve:
    """Return the shortest route in steps so short that no chord cuts a corner by 1 µm."""
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
    """Return the curve as a frozen answer."""
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
