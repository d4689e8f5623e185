"""Blending as a planner: it follows paths, and routes through scenes, at any speed and style."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from footfall.blending.options import BlendingOptions
from footfall.blending.plan import BlendingModel, check_wishes, plan_by_blending
from footfall.blending.space import space_of_clips, walks_and_runs
from footfall.errors import InputError
from footfall.library.gaits import RUNNING, WALKING, describe_tags
from footfall.library.library import Library
from footfall.maths.arrays import Floats
from footfall.route import Routes, follow_plain, measure_room
from footfall.task import Follow, GoTo, Plan, Query, Via, Watch
from footfall.task.method import Refusal, Selection
from footfall.world.scene import Scene


@dataclass(frozen=True, eq=False)
class BlendingMethodModel:
    """What is ready before a query comes: the blend space and the routes of a scene."""

    blending: BlendingModel
    scene: Scene | None
    routes: Routes | None


class BlendingMethod:
    """Blending of example strides after Park, Shin & Shin 2002."""

    name = "blending"
    summary = "walks and runs along paths and routes at any speed, live"
    stages = (GoTo, Via, Follow)
    Options = BlendingOptions
    default_clips = "default:park"

    def suits(self, query: Query, library: Library) -> tuple[float, str]:
        """It suits who wants a speed, or a run."""
        if query.speed is not None or query.style == "run":
            return 0.45, "it meets any speed and style"
        return 0.3, "it follows paths by blending strides"

    def select(self, library: Library, query: Query) -> Selection | Refusal:
        """The clips that walk or run; those of a style, if one is asked for by its tag."""
        if not len(library):
            return Refusal("the library holds no clips")
        if query.style in (None, WALKING, RUNNING):
            try:
                return Selection(walks_and_runs(library))
            except InputError as error:
                return Refusal(error.problem)
        names = [e.name for e in library.entries if query.style in e.tags]
        if not names:
            return Refusal(
                f"none of the library's {len(library)} clips shows {query.style!r} "
                f"(they show {describe_tags(library)})"
            )
        return Selection(library.only(names))

    def prepare(
        self, library: Library, scene: Scene | None, options: BlendingOptions, watch: Watch
    ) -> BlendingMethodModel | Refusal:
        """The blend space of the clips."""
        watch.tell(0.1, note="cutting strides")
        try:
            space = space_of_clips(library, options.space())
            check_wishes(space, options)
        except InputError as error:
            return Refusal(str(error))
        routes = None
        if scene is not None:
            room = measure_room(tuple({e.clip.name: e.clip for e in space.examples}.values()))
            routes = Routes(scene, room)
        return BlendingMethodModel(BlendingModel(space, options, library.fps), scene, routes)

    def solve(self, model: BlendingMethodModel, query: Query, watch: Watch) -> Iterator[Plan]:
        """One plan: along the path, or along the first route where nothing is touched."""

        def follow(path: Floats, part: Watch) -> Plan:
            return plan_by_blending(model.blending, query, path, model.scene, part)

        if model.routes is None:
            yield follow_plain(query, follow, watch)
        else:
            yield model.routes.follow_routes(query, follow, watch)


METHOD = BlendingMethod()
