"""Routes through a scene for a body of some size, from tight to wide.

A method that follows paths gives the `Room` that its body takes. It follows the routes one after
the other, each further away from obstacles, until a draft passes. Methods that plan over
footholds need no routes.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from footfall.body.capsules import body_capsules
from footfall.body.clip import Clip
from footfall.body.size import BodySize, body_size
from footfall.gait.path import path_abstraction
from footfall.gait.speed import MOVING_M_S, ground_speeds
from footfall.maths.arrays import Floats
from footfall.maths.polyline import SHORTEST_M, curvatures, directions, distances_along
from footfall.task.draft import Draft
from footfall.task.method import Refusal
from footfall.task.plan import GOAL_NOT_VALID, NO_PATH, START_NOT_VALID
from footfall.task.problem import Problem, Rejection
from footfall.task.query import Query
from footfall.task.stages import Follow, GoTo, Place, Via
from footfall.task.watch import Watch
from footfall.world.corridor.corridor_map import CorridorMap, CorridorPath
from footfall.world.corridor.free_floor import (
    RouteLimits,
    first_blocked,
    walking_corridors,
    why_not_free,
)
from footfall.world.ground import FLAT
from footfall.world.scene import Scene

WIDER_M = (0.0, 0.06, 0.14, 0.25)
"""How much more room each route has than the first."""
_PREFER_M = 0.3
_BESIDE_M = 0.1
_SAME_M = 0.05
_NARROW, _WIDE, _TIGHT = 0.05, 0.9, 0.95
_OF_SCENE = ("collision", "footing")
"""Checks of `verify` whose failures more room can cure."""


@dataclass(frozen=True)
class Room:
    """How much room the motion of some clips takes, metres.

    half_width   from the path to the outermost hand, most of the time
    narrow       the same at the narrowest moments
    height       of the body
    turn_radius  of the tightest curves
    """

    half_width: float
    narrow: float
    height: float
    turn_radius: float


def walking_limits(size: BodySize) -> RouteLimits:
    """Return what a route may ask of a body that walks on the level."""
    return RouteLimits(size.edge_m, headroom_m=size.upright_m)


def measure_room(clips: Sequence[Clip]) -> Room:
    """Measure how much room the walking of clips takes."""
    capsules = body_capsules(clips[0].skeleton)
    widths, bends, heights = [], [], []
    for clip in clips:
        ends = capsules.placed(clip.world)
        path = path_abstraction(clip)
        ahead = directions(path)
        aside = np.stack([ahead[:, 1], -ahead[:, 0]], axis=1)
        off = ends[..., [0, 2]] - path[:, None, None]
        across = np.abs(np.einsum("tbei,ti->tbe", off, aside)) + capsules.radii[:, None]
        going = ground_speeds(clip) > MOVING_M_S
        widths.append(across.max(axis=(1, 2))[going])
        bends.append(np.abs(curvatures(path))[going])
        heights.append(float((ends[..., 1] + capsules.radii[:, None]).max()))
    width, bend = np.concatenate(widths), np.concatenate(bends)
    if not len(width):
        size = body_size(clips[0].skeleton)
        return Room(size.turning_m, size.elbow_room_m, max(heights), size.turn_room_m)
    return Room(
        half_width=float(np.quantile(width, _WIDE)),
        narrow=float(np.quantile(width, _NARROW)),
        height=float(np.median(heights)),
        turn_radius=float(np.clip(1.0 / max(np.quantile(bend, _TIGHT), 1e-3), 0.4, 1.5)),
    )


@dataclass(frozen=True, eq=False)
class Route:
    """A path (N, 2) to follow, notes on how it was found, and the watch of its part of the work."""

    path: Floats
    watch: Watch
    notes: tuple[str, ...] = ()


def find_routes(routes: Routes | None, problem: Problem, watch: Watch) -> Iterator[Route | Refusal]:
    """Yield each different route once, from tight to wide; or why there is none.

    Without a scene the points of the query are the only route. A search that has a passing
    draft takes no further route.
    """
    query = problem.query
    refusal = refuse_short(query) if routes is None else routes.refuse(query)
    if refusal is not None:
        yield refusal
        return
    detours = tuple(note_detours(query))
    if routes is None:
        yield Route(query.points, watch, detours)
        return
    before, tries = np.zeros((0, 2)), len(WIDER_M) + 1
    for number, route in enumerate(routes.routes(query, watch)):
        if isinstance(route, Refusal):
            if not len(before):
                yield route
            return
        if route.path.shape == before.shape and np.allclose(route.path, before):
            continue  # where there is room enough, more of it changes nothing
        before = route.path
        again = [f"planned again, because {reason}" for reason in problem.reasons()[-1:]]
        notes = (*route.notes, *again, *routes.note_ground(), *detours)
        part = watch.part(number / tries, (number + 1) / tries)
        yield replace(route, watch=part, notes=notes)


def follow_routes(
    routes: Routes | None, problem: Problem, watch: Watch,
    follow: Callable[[Route], Generator[Draft | Refusal, None, bool]],
) -> Iterator[Draft | Refusal]:  # fmt: skip
    """Yield drafts along routes from tight to wide, until `follow` returns that it is done."""
    for route in find_routes(routes, problem, watch):
        if isinstance(route, Refusal):
            yield route
        elif (yield from follow(route)):
            return


def needs_room(rejection: Rejection) -> bool:
    """Return whether a draft failed only by what a wider route can cure."""
    return all(finding.check in _OF_SCENE for finding in rejection.report.failures)


class Routes:
    """The routes of one kind of body through one scene; its corridor map is built once."""

    def __init__(self, scene: Scene, room: Room, limits: RouteLimits | None = None) -> None:
        self.scene, self.room = scene, room
        self.limits = replace(limits or RouteLimits(), headroom_m=room.height)
        self.corridors: CorridorMap = walking_corridors(scene, self.limits)

    def routes(self, query: Query, watch: Watch) -> Iterator[Route | Refusal]:
        """Yield routes from tight to wide; a refusal says why there is none, or none so wide."""
        if query.follows or turns_in_place(query):
            yield Route(query.points, watch)
        if turns_in_place(query):
            return
        for wider in WIDER_M:
            half = round(self.room.half_width + wider, 3)
            legs = self._legs(query, half, watch)
            if any(leg.status == "no path" for leg in legs) and wider == 0.0:
                half = round(self.room.narrow, 3)
                legs = self._legs(query, half, watch)
            missing = next((leg for leg in legs if not len(leg.points)), None)
            if missing is not None:
                wide = f"there is no route for a body {2.0 * half:.2f} m wide"
                yield Refusal(f"{wide}: {missing.reason}{self._needs(query)}", NO_PATH)
                return
            points = [legs[0].points, *(leg.points[1:] for leg in legs[1:])]
            yield Route(np.concatenate(points), watch, _note_legs(query, legs))

    def _needs(self, query: Query) -> str:
        """Return what the query needs beside walking, if it is one of the scene's."""
        ends = query.points[[0, -1]]
        for known in self.scene.queries:
            apart = np.abs(ends - np.stack([known.start.point, known.goal.point])).max()
            if known.needs and apart < _SAME_M:
                return f"; {known.name!r} needs {known.needed}, and this method only walks"
        return ""

    def _legs(self, query: Query, half: float, watch: Watch) -> list[CorridorPath]:
        """Return the legs of a route that keeps `half` metres clear, where the ends allow it."""
        points = query.points
        if query.follows:
            # An end beside a wall must not make the whole route narrow: there room is a wish.
            radius = min(half, self._free(points[[0, -1]]))
            prefer = half - radius + _PREFER_M
            return [self.corridors.follow(points, radius, prefer=prefer, cancel=watch.flag)]
        legs = []
        for a, b in pairwise(points):
            radius = min(half, self._free(np.array([a, b])))
            legs.append(
                self.corridors.path(
                    a, b, radius, prefer=half - radius + _PREFER_M,
                    turn_radius=self.room.turn_radius, cancel=watch.flag,
                )
            )  # fmt: skip
        watch.check()
        return legs

    def _free(self, ends: Floats) -> float:
        return max(float(self.corridors.clearances(ends).min()) - 1e-6, 1e-3)

    def note_ground(self) -> list[str]:
        """Return a note if the ground is not level."""
        if self.scene.ground.kind == FLAT:
            return []
        return ["the ground is not level: the feet are put on it, the steps stay as they are"]

    # ---- what is valid ------------------------------------------------------------------

    def refuse(self, query: Query) -> Refusal | None:
        """Return why a place of the query is not free, or why its path cannot be walked."""
        refusal = self._refuse_places(query)
        if refusal is None and query.follows:
            refusal = self._refuse_path(query.points)
        return refusal or refuse_short(query)

    def _refuse_places(self, query: Query) -> Refusal | None:
        places: list[tuple[Place, str, str]] = []
        if query.start is not None:
            places.append((query.start, "start", START_NOT_VALID))
        for stage in query.stages:
            if isinstance(stage, GoTo | Via):
                last = stage is query.stages[-1]
                places.append((stage.place, "goal" if last else stage.kind, GOAL_NOT_VALID))
        for place, what, status in places:
            why = self._why_not(place)
            if why:
                return Refusal(f"the {what} ({place.x:g}, {place.z:g}) {why}", status)
        return None

    def _why_not(self, place: Place) -> str:
        why = why_not_free(self.scene, self.corridors, place.point, self.limits)
        if why:
            return why
        clear = float(self.corridors.clearances(place.point[None])[0])
        if clear >= self.room.narrow:
            return ""
        return f"is {clear:.2f} m from what blocks the way; the body needs {self.room.narrow:.2f} m"

    def _refuse_path(self, path: Floats) -> Refusal | None:
        """Return where a given path leaves the free floor, if it does."""
        bad = first_blocked(self.scene, self.corridors, path, self.limits)
        if bad is None:
            return None
        where = f"at ({bad.x:.2f}, {bad.z:.2f}), {bad.along_m:.1f} m from its beginning"
        return Refusal(f"the path {bad.why} {where}", NO_PATH)


def turns_in_place(query: Query) -> bool:
    """Return whether a query only wishes another heading at the start."""
    goal = query.goal
    return (
        goal is not None and goal.yaw is not None and not query.follows
        and float(distances_along(query.points)[-1]) < SHORTEST_M
    )  # fmt: skip


def refuse_short(query: Query) -> Refusal | None:
    """Return a refusal if there is nothing to walk."""
    length = float(distances_along(query.points)[-1])
    if length >= SHORTEST_M or turns_in_place(query):
        return None
    if not query.follows:
        return Refusal(
            f"the goal is {length:.2f} m from the start; nothing to walk", GOAL_NOT_VALID
        )
    return Refusal(f"the path is {length:.2f} m long; it needs at least {SHORTEST_M:g} m", NO_PATH)


def _note_legs(query: Query, legs: Sequence[CorridorPath]) -> tuple[str, ...]:
    """Return a note if a route differs from the path to follow, or turns tightly."""
    if query.follows:
        return ("the path is led a little further from obstacles beside it",)
    tight = next((leg for leg in legs if leg.status == "too tight to turn"), None)
    if tight is None:
        return ()
    return (f"the route turns more tightly ({tight.turn_radius_m:.2f} m) than most clips do",)


def note_detours(query: Query) -> list[str]:
    """Note what is walked beside the path to follow: to its beginning, and from its end."""
    notes = []
    first, last = query.stages[0], query.stages[-1]
    if query.start is not None and isinstance(first, Follow):
        away = float(np.hypot(*(first.path[0] - query.start.point)))
        if away > _BESIDE_M:
            notes.append(f"from the start it goes on to the path, {away:.1f} m away")
    if len(query.stages) > 1 and isinstance(query.stages[-2], Follow) and isinstance(last, GoTo):
        away = float(np.hypot(*(query.stages[-2].path[-1] - last.place.point)))
        if away > _BESIDE_M:
            notes.append(f"from the end of the path it goes on to the goal, {away:.1f} m away")
    return notes
