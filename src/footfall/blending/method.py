"""Blending as a planner: it follows paths, and routes through scenes, at any speed and style."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from footfall.blending.options import BlendingOptions
from footfall.blending.search import BlendingModel, check_wishes, search_blends
from footfall.blending.space import space_of_clips, walks_and_runs
from footfall.errors import InputError
from footfall.library.gaits import RUNNING, WALKING, describe_tags
from footfall.library.library import Library
from footfall.task import Follow, GoTo, Query, Via, Watch
from footfall.task.draft import Draft
from footfall.task.method import Refusal, Selection
from footfall.task.problem import Problem
from footfall.task.routes import Routes, measure_room
from footfall.world.scene import Scene

_LEAN_M = 0.06
"""How much further shoulders reach into a curve than they do in clips that go straight."""


class BlendingMethod:
    """Blending of example strides after Park, Shin & Shin 2002."""

    name = "blending"
    summary = "walks and runs along paths and routes at any speed, live"
    stages = (GoTo, Via, Follow)
    Options = BlendingOptions
    default_clips = "default:park"
    ignores = ("prefer",)

    def suits(self, query: Query, library: Library) -> tuple[float, str]:
        """Return how well it suits a query: better if a speed or a run is asked for."""
        if query.speed is not None or query.style == "run":
            return 0.45, "it meets any speed and style"
        return 0.3, "it follows paths by blending strides"

    def select(self, library: Library, query: Query) -> Selection | Refusal:
        """Return the clips that walk or run, or those with the tag that is asked for."""
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
    ) -> BlendingModel | Refusal:
        """Build the blend space of the clips and the corridor map of the scene."""
        watch.tell(0.1, note="cutting strides")
        try:
            space = space_of_clips(library, options.space())
            check_wishes(space, options)
        except InputError as error:
            return Refusal(str(error))
        routes = None
        if scene is not None:
            room = measure_room(tuple({e.clip.name: e.clip for e in space.examples}.values()))
            routes = Routes(scene, replace(room, half_width=room.half_width + _LEAN_M))
        return BlendingModel(space, options, library.fps, routes)

    def search(
        self, model: BlendingModel, problem: Problem, watch: Watch
    ) -> Iterator[Draft | Refusal]:
        """Yield motions along the path, or along routes from tight to wide, until one passes."""
        return search_blends(model, problem, watch)


METHOD = BlendingMethod()
