"""The front door: a query in, a plan out, whatever the method.

    from footfall import Place, Query, plan

    walk = plan(Query(start=Place(0, 0), goal=Place(2, 6)))
    walk.clip

A path through a scene is planned with room for the body; the motion is then checked, the whole
body against every obstacle and the feet against water and holes, and planned again further away
from what it touches.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.errors import InputError, choices
from footfall.maths.arrays import Floats
from footfall.task import GOAL_NOT_VALID, NO_CLIP, NO_PATH, START_NOT_VALID, Plan, Query, Segment

if TYPE_CHECKING:
    from footfall.body.clip import Clip
    from footfall.body.skeleton import Skeleton
    from footfall.files.task.paths import PathData
    from footfall.files.task.read import Task
    from footfall.library.library import Library
    from footfall.library.walking import Room, Walkers
    from footfall.world.corridor.corridor_map import CorridorMap, CorridorPath
    from footfall.world.scene import Scene

METHODS = ("graph",)
"""The planners there are; "auto" chooses among them."""
WALKING_DEFAULT = "default:locomotion"
"""The part of the default library that methods which walk are given."""
WIDER_M = (0.0, 0.06, 0.14, 0.25)
"""How much more room each try is given after the one before touched something."""
SHORTEST_M = 0.05
_PREFER_M = 0.3
_WHOLE = ("start", "stop")
_ALLOWED_M = 0.01
"""Capsules are a little thicker than a body; touching less than this is none."""

Progress = Callable[[float], None]
Follow = Callable[[Query, Progress], Plan]
"""A planner that is ready: it follows the path of a query, knowing nothing of obstacles."""


def plan(
    query: Query,
    *,
    method: str = "auto",
    library: Library | str | Path = "default",
    character: Skeleton | str | Path | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Plan:
    """A motion that does what the query asks, or a status and a reason.

    method   one of METHODS, or "auto"
    library  the clips to make it of: a library, its name or folder, a folder of clips, one clip
    character   a skeleton, or a file with one, that the clips are put on before they are used
    options  more options of the method (see `options_of`)
    """
    from footfall.library.library import open_library
    from footfall.library.walking import room_of, walkers_of

    if not isinstance(query, Query):
        raise InputError(f"the query is {str(query)[:80]!r}", remedy="give a Query")
    tell = _only_forward(progress)
    began = time.perf_counter()
    chosen = _checked_method(method, options)
    walkers = walkers_of(
        open_library(_walking_part(library), lambda share: tell(0.3 * share)), query.speed
    )
    if walkers.reason:
        return Plan(NO_CLIP, walkers.reason)
    walkers = _on_character(walkers, character)
    opened = time.perf_counter()
    tell(0.3)
    follow: Follow = _planner(chosen).prepare(walkers, options, lambda s: tell(0.3 + 0.3 * s))
    ready = time.perf_counter()
    tell(0.6)

    def told(share: float) -> None:
        tell(0.6 + 0.4 * share)

    if query.scene is None:
        made = _on_a_plain(query, follow, told)
    else:
        made = _in_a_scene(query, query.scene, follow, room_of(walkers.clips), told)
    timings = {"library": opened - began, "prepare": ready - opened, **made.timings}
    timings["all"] = time.perf_counter() - began
    tell(1.0)
    segments = _in_whole_clips(made.segments, walkers.first_frames)
    notes = (*walkers.notes, *made.notes)
    return replace(made, segments=segments, timings=timings, notes=notes)


def _only_forward(progress: Progress | None) -> Progress:
    """Progress that never goes back, though work may be done again."""
    furthest = 0.0

    def tell(share: float) -> None:
        nonlocal furthest
        furthest = min(max(furthest, share), 1.0)
        if progress is not None:
            progress(furthest)

    return tell


def options_of(method: str = "auto") -> tuple[str, ...]:
    """The names of the options that a method takes beside those of `plan`."""
    names: tuple[str, ...] = _planner(_known_method(method)).option_names()
    return names


def _planner(method: str) -> Any:
    """The module of a method: `prepare` makes it ready, `option_names` says what it takes."""
    return import_module(f"footfall.{method}.planner")


def _known_method(method: str) -> str:
    if method not in ("auto", *METHODS):
        raise InputError(
            f"there is no method {method!r}", remedy=choices(("auto", *METHODS), str(method))
        )
    return METHODS[0] if method == "auto" else method


def _checked_method(method: str, options: Mapping[str, Any]) -> str:
    chosen = _known_method(method)
    known = options_of(chosen)
    for name in options:
        if name not in known:
            raise InputError(f"{chosen} has no option {name!r}", remedy=choices(known, name))
    return chosen


def _walking_part(library: Library | str | Path) -> Library | str | Path:
    return WALKING_DEFAULT if isinstance(library, str) and library == "default" else library


def _on_character(walkers: Walkers, character: Skeleton | str | Path | None) -> Walkers:
    """The clips on the character, so that steps, room and touching are the character's own."""
    from footfall.adapt.retarget import retarget
    from footfall.body.skeleton import Skeleton
    from footfall.library.library import library_of

    if character is None:
        return walkers
    if isinstance(character, str | Path):
        from footfall.files.formats import load

        character = load(character).skeleton
    if not isinstance(character, Skeleton):
        raise InputError(
            f"the character is {str(character)[:80]}", remedy="give a skeleton or a file with one"
        )

    def on(clips: tuple[Clip, ...]) -> tuple[Clip, ...]:
        return tuple(retarget(clip, character) for clip in clips)

    clips = on(walkers.clips)
    return replace(
        walkers, library=library_of(clips), clips=clips, starts=on(walkers.starts),
        stops=on(walkers.stops),
    )  # fmt: skip


def _in_whole_clips(segments: tuple[Segment, ...], first: Mapping[str, int]) -> tuple[Segment, ...]:
    """The segments with frames counted in the clips of the library, not in stretches of them."""
    out: list[Segment] = []
    for segment in segments:
        name = segment.clip.partition("+")[0].removesuffix(" mirrored")
        # Clips that start and stop are whole as they are, and so is what leads out of the first.
        whole = segment.why in _WHOLE or (bool(out) and out[-1].why == "start")
        add = 0 if whole else first.get(name, 0)
        out.append(replace(segment, source_first=segment.source_first + add))
    return tuple(out)


# ---- where to go ------------------------------------------------------------------------


def _on_a_plain(query: Query, follow: Follow, tell: Progress) -> Plan:
    refusal = _too_short(query)
    if refusal is not None:
        return refusal
    path = query.whole if query.path is None else query.path
    return follow(replace(query, path=path), tell)


def _too_short(query: Query) -> Plan | None:
    whole = query.whole
    length = float(np.linalg.norm(np.diff(whole, axis=0), axis=1).sum())
    if length >= SHORTEST_M:
        return None
    if query.path is None:
        return Plan(GOAL_NOT_VALID, f"the goal is {length:.2f} m from the start; nothing to walk")
    return Plan(NO_PATH, f"the path is {length:.2f} m long; it needs at least {SHORTEST_M:g} m")


@dataclass(frozen=True, eq=False)
class _Try:
    """A path to follow and how it came about."""

    path: Floats
    note: str = ""


def _in_a_scene(query: Query, scene: Scene, follow: Follow, room: Room, tell: Progress) -> Plan:
    """Follow ways with more and more room until the body touches nothing."""
    from footfall.world.corridor.free_floor import RouteLimits, walking_corridors

    corridors = walking_corridors(scene, RouteLimits(headroom_m=room.height))
    refusal = _ends_not_valid(query, scene, corridors, room)
    if refusal is None and query.path is not None:
        refusal = _path_not_valid(query.whole, scene, corridors)
    refusal = refusal or _too_short(query)
    if refusal is not None:
        return refusal
    trouble, before = "", np.zeros((0, 2))
    for number, way in enumerate(_tries(query, corridors, room)):
        if isinstance(way, Plan):
            return Plan(NO_CLIP, f"{trouble}; with more room, {way.reason}") if trouble else way
        if way.path.shape == before.shape and np.allclose(way.path, before):
            continue  # where there is room enough, more of it changes nothing
        before = way.path

        def told(share: float, number: int = number) -> None:
            tell((number + share) / (len(WIDER_M) + 1))

        made = follow(replace(query, path=way.path), told)
        if made.clip is None and made.status != NO_CLIP:
            return made
        found = check_motion(made, scene) if made.clip is not None else (made.reason,)
        if not found:
            return replace(made, notes=(*made.notes, *_scene_notes(scene, way, trouble)))
        trouble = found[0]
    return Plan(NO_CLIP, trouble, path=before)


def _scene_notes(scene: Scene, way: _Try, trouble: str) -> list[str]:
    from footfall.world.ground import FLAT

    notes = [way.note, f"planned again, because {trouble}" if trouble else ""]
    if scene.ground.kind != FLAT:
        notes.append("the ground is not level: the feet are put on it, the steps stay as they are")
    return [note for note in notes if note]


def _tries(query: Query, corridors: CorridorMap, room: Room) -> Iterator[_Try | Plan]:
    """Ways from tight to wide; a plan instead of a way says why there is none."""
    if query.path is not None:
        yield _Try(query.path)
    for wider in WIDER_M:
        half = round(room.half_width + wider, 3)
        way = _way(query, corridors, room, half)
        if way.status == "no path" and wider == 0.0:
            half = round(room.narrow, 3)
            way = _way(query, corridors, room, half)
        if not len(way.points):
            yield Plan(NO_PATH, f"there is no way for a body {2.0 * half:.2f} m wide: {way.reason}")
            return
        note = ""
        if query.path is not None:
            note = "the path is led a little further from what stands beside it"
        elif way.status == "too tight to turn":
            note = f"the way turns more tightly ({way.turn_radius_m:.2f} m) than most clips do"
        yield _Try(np.array(way.points), note)


def _way(query: Query, corridors: CorridorMap, room: Room, half: float) -> CorridorPath:
    """A way that keeps `half` metres clear, where start and goal allow it."""
    whole = query.whole
    # A start or goal beside a wall must not make the whole way narrow: there the room is a wish.
    radius = min(half, _free(corridors, whole[[0, -1]]))
    prefer = half - radius + _PREFER_M
    if query.path is not None:
        return corridors.follow(whole, radius, prefer=prefer)
    return corridors.path(whole[0], whole[1], radius, prefer=prefer, turn_radius=room.turn_radius)


def _free(corridors: CorridorMap, ends: Floats) -> float:
    return max(float(corridors.clearances(ends).min()) - 1e-6, 1e-3)


# ---- what is valid ----------------------------------------------------------------------


def _ends_not_valid(query: Query, scene: Scene, corridors: CorridorMap, room: Room) -> Plan | None:
    """Why somebody cannot stand at the start or the goal, if so."""
    from footfall.world.corridor.free_floor import why_not_free

    for place, what, status in (
        (query.start, "start", START_NOT_VALID), (query.goal, "goal", GOAL_NOT_VALID),
    ):  # fmt: skip
        if place is None:
            continue
        why = why_not_free(scene, corridors, place.point)
        if why:
            return Plan(status, f"the {what} ({place.x:g}, {place.z:g}) {why}")
        clear = float(corridors.clearances(place.point[None])[0])
        if clear < room.narrow:
            return Plan(
                status, f"the {what} ({place.x:g}, {place.z:g}) is {clear:.2f} m from what blocks "
                f"the way; the body needs {room.narrow:.2f} m",
            )  # fmt: skip
    return None


def _path_not_valid(path: Floats, scene: Scene, corridors: CorridorMap) -> Plan | None:
    """Where a given path leaves the free floor, if it does."""
    from footfall.world.corridor.free_floor import first_blocked

    bad = first_blocked(scene, corridors, path)
    if bad is None:
        return None
    where = f"at ({bad.x:.2f}, {bad.z:.2f}), {bad.along_m:.1f} m from its beginning"
    return Plan(NO_PATH, f"the path {bad.why} {where}", path=path)


def check_motion(made: Plan, scene: Scene) -> tuple[str, ...]:
    """What is wrong with a planned motion in a scene, one sentence each, the first in time first.

    The whole body, as capsules, against every obstacle; the feet against water, holes and the
    scene's border.
    """
    from footfall.body.capsules import body_capsules
    from footfall.body.kinematics import world_poses
    from footfall.world.collision.motion_check import body_troubles, foot_troubles
    from footfall.world.collision.queries import FootBox

    if made.clip is None:
        return ()
    clip = made.clip
    capsules = body_capsules(clip.skeleton)
    ends = capsules.placed(world_poses(clip))
    found = body_troubles(scene, ends, capsules.radii, capsules.feet, clip.fps, _ALLOWED_M)
    prints = np.array([(f.p[0], f.p[2], f.yaw) for f in made.footprints]).reshape(-1, 3)
    times = np.array([f.t for f in made.footprints])
    # The free box above a foot is left to the capsules, which know the foot's real shape.
    found += foot_troubles(scene, prints, times, FootBox(height=0.01))
    return tuple(str(trouble) for trouble in sorted(found, key=lambda t: t.seconds))


# ---- tasks ------------------------------------------------------------------------------


def query_of(task: Task) -> Query:
    """The query that a task file asks: its scene and path read, its names looked up."""
    from footfall.files.scene.read import load_scene
    from footfall.task import Place

    scene = None if task.scene is None else load_scene(task.scene)
    path = _path_of_task(task, scene)
    start, goal = (None if at is None else Place(*at) for at in (task.start, task.goal))
    if task.query is not None:
        if scene is None:
            raise InputError("a query is named without a scene", remedy="give the scene too")
        asked = scene.query(task.query)
        start = start or Place(asked.start.x, asked.start.z, asked.start.yaw)
        goal = goal or Place(asked.goal.x, asked.goal.z, asked.goal.yaw)
    points = None if path is None else path.points
    return Query(points, start, goal, scene, task.speed, task.seed)


def _path_of_task(task: Task, scene: Scene | None) -> PathData | None:
    """The task's path: its own, one of its scene's by name, a built-in one, or a file."""
    from footfall.files.task.paths import PathData
    from footfall.files.task.read import path_of_task

    if isinstance(task.path, str) and scene is not None:
        for own in scene.paths:
            if own.name == task.path:
                return PathData(own.name, own.points)
    return path_of_task(task)
