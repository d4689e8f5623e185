"""The floor that is free for walking within limits, and why a place on it is not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from threading import Timer
from typing import Literal

import numpy as np

from footfall.errors import InputError
from footfall.maths.arrays import Floats
from footfall.search.shortest_path import Flag, cancel_flag
from footfall.world.collision.motion_check import obstacle_name
from footfall.world.collision.queries import body_clearance, is_under_water
from footfall.world.corridor.corridor_map import CorridorMap, corridor_map_of
from footfall.world.corridor.tangent_graph import SearchCancelled
from footfall.world.scene import Scene, SceneQuery

_EVERY_M, _MOST_PLACES = 0.02, 500_000
BODY_RADIUS_M = 0.25
"""Half the width of the mean body: maps and checks of a scene know no other."""


@dataclass(frozen=True)
class Blocked:
    """A blocked place: x, z in metres, the distance along a path, and the reason."""

    x: float
    z: float
    along_m: float
    why: str


@dataclass(frozen=True)
class RouteLimits:
    """What a route may ask of a body; the defaults are for a mean body that walks on the level.

    step_height_m  higher edges block              slope_rad  steeper ground blocks
    headroom_m     what hangs lower than this above the floor blocks
    """

    step_height_m: float = 0.05
    slope_rad: float = float(np.radians(20.0))
    headroom_m: float = 1.8

    def __post_init__(self) -> None:
        if not (np.isfinite(self.step_height_m) and self.step_height_m >= 0.0):
            raise InputError(f"step_height_m is {self.step_height_m}", remedy="it must be >= 0")
        if not 0.0 < self.slope_rad < 0.5 * np.pi:
            raise InputError(f"slope_rad is {self.slope_rad}", remedy="it must be in (0, pi / 2)")
        if not (np.isfinite(self.headroom_m) and self.headroom_m > self.step_height_m):
            raise InputError(
                f"headroom_m is {self.headroom_m}", remedy="it must be above step_height_m"
            )


def walking_corridors(
    scene: Scene, limits: RouteLimits | None = None, time: float | None = None
) -> CorridorMap:
    """Return the corridor map of the floor that can be walked within `limits`, at `time` seconds.

    The scene keeps the maps that were asked for last, so asking again costs nothing.
    """
    limits = limits or RouteLimits()
    moment = None if time is None or not scene.moves else float(time)
    return scene.keep(
        ("corridors", limits, moment),
        lambda: corridor_map_of(
            scene, moment, body_height=limits.headroom_m, step_height=limits.step_height_m,
            max_slope=limits.slope_rad,
        ),
    )  # fmt: skip


def why_not_free(
    scene: Scene, corridors: CorridorMap, point: Floats, limits: RouteLimits | None = None
) -> str:
    """Return what is wrong with a place (2,) on the floor: "lies under water"; "" if nothing is."""
    from shapely.geometry import Point, Polygon

    if float(corridors.clearances(point[None])[0]) >= 0.0:
        return ""
    here = Point(point)
    if not scene.bounds.covers(here):
        return f"is out of the scene {scene.name!r}"
    limits = limits or RouteLimits()
    clear, which = body_clearance(scene, point[None], limits.headroom_m, limits.step_height_m)
    if clear[0] <= 0.0:
        return f"lies in {obstacle_name(scene, int(which[0]))}"
    if any(Polygon(hole.polygon).covers(here) for hole in scene.holes):
        return "lies in a hole"
    if bool(is_under_water(scene, point[None])[0]):
        return "lies under water"
    return "lies on ground that is too steep, or too high to step on"


def first_blocked(
    scene: Scene, corridors: CorridorMap, path: Floats, limits: RouteLimits | None = None
) -> Blocked | None:
    """Return where a path (N, 2) first leaves the free floor; None if it never does."""
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
    count = int(np.clip(along[-1] / _EVERY_M, 2, _MOST_PLACES))
    at = np.union1d(along, np.linspace(0.0, along[-1], count))
    points = np.stack([np.interp(at, along, path[:, k]) for k in range(2)], axis=1)
    bad = np.flatnonzero(corridors.clearances(points) < -1e-9)
    if not len(bad):
        return None
    first = int(bad[0])
    why = why_not_free(scene, corridors, points[first], limits)
    return Blocked(float(points[first, 0]), float(points[first, 1]), float(at[first]), why)


# ---- the queries of a scene -------------------------------------------------------------


@dataclass(frozen=True)
class QueryRoute:
    """Whether a query of a scene has a route to walk, and if not, why, in words."""

    query: str
    status: Literal["route", "no route", "not known"]
    why: str = ""
    length_m: float = float("nan")


def walking_routes(
    scene: Scene,
    limits: RouteLimits | None = None,
    radius: float = BODY_RADIUS_M,
    time: float | None = None,
    seconds: float = np.inf,
) -> tuple[QueryRoute, ...]:
    """Return which queries of a scene somebody of `radius` metres can walk, within limits.

    seconds  what is not found out by then is "not known"
    """
    if not scene.queries:
        return ()
    limits = limits or RouteLimits()
    try:
        corridors = walking_corridors(scene, limits, time)
    except InputError as error:  # nothing of the floor is free
        return tuple(QueryRoute(q.name, "no route", error.problem) for q in scene.queries)
    cancel = cancel_flag()
    timer = Timer(seconds, cancel.fill, (1,)) if np.isfinite(seconds) else None
    if timer is not None:
        timer.daemon = True
        timer.start()
    try:
        ask = partial(_query_route, scene, corridors, limits, radius, cancel)
        return tuple(_with_needs(ask(query), query) for query in scene.queries)
    finally:
        if timer is not None:
            timer.cancel()


def _with_needs(route: QueryRoute, query: SceneQuery) -> QueryRoute:
    """Return the same, saying what the scene says is needed where there is no route to walk."""
    if route.status != "no route" or not query.needs:
        return route
    return replace(route, why=f"it needs {query.needed}: {route.why}")


def _query_route(
    scene: Scene, corridors: CorridorMap, limits: RouteLimits, radius: float, cancel: Flag,
    query: SceneQuery,
) -> QueryRoute:  # fmt: skip
    if cancel[0]:
        return QueryRoute(query.name, "not known", "the time is over")
    why = _end_not_free(scene, corridors, limits, radius, query)
    why = why or _apart(corridors, limits, query)
    if why:
        return QueryRoute(query.name, "no route", why)
    try:
        ends = query.start.point, query.goal.point
        route = corridors.tangents.shortest(*ends, radius, cancel)
        if route is not None:
            return QueryRoute(query.name, "route", "", float(route.ends[-1]))
        widest = corridors.tangents.widest_radius(*ends, radius, cancel)
    except SearchCancelled:
        return QueryRoute(query.name, "not known", "the time is over")
    why = "obstacles close off the goal from the start"
    if widest > 0.0:
        why = f"the widest passage is {2.0 * widest:.2f} m, the body {2.0 * radius:.2f} m wide"
    return QueryRoute(query.name, "no route", why)


def _end_not_free(
    scene: Scene, corridors: CorridorMap, limits: RouteLimits, radius: float, query: SceneQuery
) -> str:
    """Return what is wrong with the start or the goal, if anything is."""
    for what, end in (("start", query.start), ("goal", query.goal)):
        why = why_not_free(scene, corridors, end.point, limits)
        if why:
            return f"the {what} {why}"
        clear = float(corridors.clearances(end.point[None])[0])
        if clear < radius:
            return f"the {what} is {clear:.2f} m from what blocks, the body needs {radius:.2f} m"
    return ""


def _apart(corridors: CorridorMap, limits: RouteLimits, query: SceneQuery) -> str:
    """Return why start and goal are not on one island of the free floor, if so."""
    from shapely import get_parts, points

    islands = get_parts(corridors.free)
    of = [int(np.argmin([i.distance(points(end.point)) for i in islands]))
          for end in (query.start, query.goal)]  # fmt: skip
    if of[0] == of[1]:
        return ""
    sizes = " and ".join(f"{islands[n].area:.1f} m²" for n in of)
    return (
        f"start and goal lie on two of the {len(islands)} islands of the free floor ({sizes}), "
        f"parted by what stands or gapes there, by edges above {100 * limits.step_height_m:.0f} cm "
        f"or by slopes above {np.degrees(limits.slope_rad):.0f}°"
    )
