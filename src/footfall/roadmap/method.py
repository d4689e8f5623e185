"""The foothold roadmap as a planner: from one place to another, whatever that takes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise

from footfall.errors import InputError
from footfall.library.library import Library
from footfall.maths.arrays import Floats
from footfall.roadmap.grow import grow_roadmap
from footfall.roadmap.joins import Ends
from footfall.roadmap.model import Roadmap
from footfall.roadmap.moves import Moves
from footfall.roadmap.options import RoadmapOptions
from footfall.roadmap.plan import Grow, answer
from footfall.roadmap.prefer import Wish, wish_of, with_wish
from footfall.roadmap.search import FootholdPath, NoPath
from footfall.roadmap.store import kept_moves, kept_roadmap
from footfall.roadmap.timed_plan import plan_in_time
from footfall.task import GoTo, Plan, Query, StandOn, Via, Watch
from footfall.task.method import Refusal, Selection
from footfall.world.changes import without_moving
from footfall.world.corridor.free_floor import walking_corridors
from footfall.world.fingerprint import scene_fingerprint
from footfall.world.scene import Scene, rectangle

_WALKING_RADIUS_M = 0.35
"""Half the width of a passage through which people walk and turn round freely."""
_AROUND_M = 4.0
"""Where there is no scene, so much ground is taken around start and goal."""
_MOST_WISHED = 4


@dataclass(eq=False)
class RoadmapModel:
    """Moves of a library, and roadmaps of scenes, made when they are first asked for.

    wished  roadmaps with the costs that wishes give them, those used last
    """

    moves: Moves
    options: RoadmapOptions
    scene: Scene | None
    roadmaps: dict[tuple[str, int], Roadmap] = field(default_factory=dict)
    wished: dict[tuple[Roadmap, Wish], Roadmap] = field(default_factory=dict)
    lock: threading.RLock = field(default_factory=threading.RLock)

    def roadmap(self, scene: Scene, seed: int, watch: Watch, wish: Wish | None = None) -> Roadmap:
        """The roadmap of a scene, with the costs that a wish gives it."""
        with self.lock:
            key = (scene_fingerprint(without_moving(scene)), seed)
            if key not in self.roadmaps:
                self.roadmaps[key] = kept_roadmap(
                    self.moves, self.options.settings(seed), scene,
                    lambda share: watch.tell(share, note="building the roadmap"),
                )  # fmt: skip
            plain = self.roadmaps[key]
            if wish is None:
                return plain
            if (plain, wish) not in self.wished:
                self.wished[plain, wish] = with_wish(plain, wish)
                while len(self.wished) > _MOST_WISHED:
                    self.wished.pop(next(iter(self.wished)))
            return self.wished[plain, wish]

    def grow(self, scene: Scene, seed: int, watch: Watch, wish: Wish | None) -> Grow:
        """What makes the roadmap of a scene denser; it stays so for the queries after."""
        key = (scene_fingerprint(without_moving(scene)), seed)

        def work(old: Roadmap, starts: Ends, goals: Ends, line: Floats) -> Roadmap:
            with self.lock:
                plain = self.roadmaps[key]
            # Where another query made it denser meanwhile that may be enough.
            if old in (plain, self.wished.get((plain, wish)) if wish else None):
                grown = grow_roadmap(plain, scene, starts, goals, line, seed, watch.check)
                with self.lock:
                    if self.roadmaps[key] is plain:
                        self.roadmaps[key] = grown
            return self.roadmap(scene, seed, watch, wish)

        return work


class RoadmapMethod:
    """Probabilistic roadmaps over footholds after Choi, Lee & Shin 2003."""

    name = "roadmap"
    summary = "goes to a place over footholds: around, through, over and across"
    stages = (GoTo, Via, StandOn)
    Options = RoadmapOptions
    default_clips = "default:choi"

    def suits(self, query: Query, library: Library | None) -> tuple[float, str]:
        """It suits where nobody can simply walk; where one can, others walk more freely."""
        if query.scene is None:
            return 0.1, "without a scene there is nothing to plan footholds for"
        if not _can_walk(query.scene, query.points):
            return 0.8, "nobody can simply walk there, and it plans over footholds"
        if query.scene.moves:
            return 0.6, "it keeps clear of what moves"
        return 0.4, "it plans footholds among obstacles"

    def select(self, library: Library, query: Query) -> Selection | Refusal:
        """All clips whose feet touch the ground."""
        if not len(library):
            return Refusal("the library holds no clips")
        wished = [query.style] if query.style else []
        shown = {tag for entry in library.entries for tag in entry.tags} if wished else set()
        notes = [f"no clip shows the style {s!r}" for s in wished if s not in shown]
        return Selection(library, tuple(notes))

    def prepare(
        self, library: Library, scene: Scene | None, options: RoadmapOptions, watch: Watch
    ) -> RoadmapModel | Refusal:
        """The moves of the clips."""
        watch.tell(0.1, note="finding moves")
        moves = kept_moves(tuple(library), options.posture_m)
        if not len(moves) or not len(moves.standing):
            return Refusal("no clip leads from standing somewhere to standing elsewhere")
        model = RoadmapModel(moves, options, scene)
        if scene is not None:
            try:
                model.roadmap(scene, 0, watch)
            except InputError as error:
                return Refusal(str(error))
        return model

    def solve(self, model: RoadmapModel, query: Query, watch: Watch) -> Iterator[Plan]:
        """Plans, each at least as good as the one before."""
        scene = query.scene or _around(query)
        wish = wish_of(query)
        if scene.moves:
            roadmap = model.roadmap(scene, query.seed, watch, wish)
            yield plan_in_time(roadmap, scene, query, watch, model.options.wishes)
            return
        plans: list[Plan] = []
        paths: list[FootholdPath] = []
        for _ in range(model.options.alternatives):
            roadmap = model.roadmap(scene, query.seed, watch, wish)
            grow = model.grow(scene, query.seed, watch, wish)
            made, path = answer(roadmap, scene, query, watch, model.options.wishes, paths, grow)
            plans.append(made)
            if isinstance(path, NoPath):
                break
            paths.append(path)
        yield from _dearest_first(plans)


def _dearest_first(plans: list[Plan]) -> list[Plan]:
    """Those that were found, the best last and with a note of the others; or the only one."""
    good = sorted((p for p in plans if p.found), key=lambda p: -p.cost)
    if len(good) > 1:
        others = ", ".join(f"{100.0 * (p.cost / good[-1].cost - 1.0):.0f} %" for p in good[-2::-1])
        note = f"there are other paths, dearer by {others}"
        good[-1] = replace(good[-1], notes=(*good[-1].notes, note))
    return good or plans


def _can_walk(scene: Scene, points: Floats) -> bool:
    """Whether level, wide floor leads from each point (N, 2) to the next."""
    try:
        corridors = walking_corridors(scene)
    except InputError:  # no floor is free
        return False
    return all(bool(corridors.path(a, b, _WALKING_RADIUS_M)) for a, b in pairwise(points))


def _around(query: Query) -> Scene:
    """Flat ground around the places of a query."""
    points = query.points
    return Scene("plain", rectangle(points.min(axis=0) - _AROUND_M, points.max(axis=0) + _AROUND_M))


METHOD = RoadmapMethod()
