"""The motion graph as a planner: it follows paths, and routes through scenes, walking or running.

Graphs are tried from strict to lax: the first holds the transitions that people do not notice; a
path that it cannot follow is given to one with more of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from footfall.graph.build import GraphModel, build_model
from footfall.graph.clips import select_walks
from footfall.graph.options import GraphOptions
from footfall.graph.search import search_all
from footfall.library.library import Library
from footfall.task import Follow, GoTo, Query, Via, Watch
from footfall.task.draft import Draft
from footfall.task.method import Refusal, Selection
from footfall.task.problem import Problem
from footfall.world.scene import Scene


class GraphMethod:
    """Motion graphs after Kovar et al. 2002 and van Basten & Egges."""

    name = "graph"
    summary = "follows a path, or a route through a scene, by walking"
    stages = (GoTo, Via, Follow)
    Options = GraphOptions
    default_clips = "default:locomotion"
    ignores = ("prefer",)

    def suits(self, query: Query, library: Library | None) -> tuple[float, str]:
        """Return 0.5: it suits every walk."""
        return 0.5, "it is the most natural where one walks along paths and routes"

    def select(self, library: Library, query: Query) -> Selection | Refusal:
        """Return the walking clips near the speed and the style that are asked for."""
        return select_walks(library, query)

    def prepare(
        self, library: Library, scene: Scene | None, options: GraphOptions, watch: Watch
    ) -> GraphModel | Refusal:
        """Build the first graph that the clips make, and all else that no query changes."""
        return build_model(library, scene, options, watch)

    def search(
        self, model: GraphModel, problem: Problem, watch: Watch
    ) -> Iterator[Draft | Refusal]:
        """Yield walks along the path, or along routes from tight to wide, until one passes."""
        return search_all(model, problem, watch)


METHOD = GraphMethod()
