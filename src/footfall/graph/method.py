"""The motion graph as a planner: it follows paths, and routes through scenes, walking or running.

Graphs are tried from strict to lax: the first holds the transitions that people do not notice; a
path that it cannot follow is given to one with more of them.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from footfall.errors import InputError
from footfall.graph.abstract import abstract_paths
from footfall.graph.build import build_graph
from footfall.graph.clips import WalkingParts, cut_parts, select_walks
from footfall.graph.ends import Ends, prepare_walk_ends
from footfall.graph.model import MotionGraph
from footfall.graph.options import GraphOptions
from footfall.graph.plan import plan_on_graph
from footfall.library.library import Library
from footfall.maths.arrays import Floats
from footfall.route import Room, Routes, follow_plain, measure_room
from footfall.task import NO_CLIP, Follow, GoTo, Plan, Query, Via, Watch
from footfall.task.method import Refusal, Selection
from footfall.world.scene import Scene

PERCENTILES = (2.0, 5.0, 10.0)
"""How many percent of all pairs of frames are near enough for a transition, from strict to lax."""


@dataclass(eq=False)
class GraphModel:
    """What is ready before a query comes: graphs from strict to lax, ends, room, routes.

    Graphs are built when they are first needed, each once, whichever thread needs it.
    """

    parts: WalkingParts
    options: GraphOptions
    ends: Ends
    room: Room
    routes: Routes | None
    graphs: dict[int, MotionGraph | str] = field(default_factory=dict)
    strictest: int = 0
    lock: threading.RLock = field(default_factory=threading.RLock)

    @property
    def rungs(self) -> int:
        """How many graphs there are to try."""
        return 1 if self.options.stated else len(PERCENTILES)

    def graph(self, rung: int, watch: Watch) -> MotionGraph | str:
        """One of the graphs, or why it cannot be made."""
        with self.lock:
            if rung not in self.graphs:
                self.graphs[rung] = self._build(rung, watch)
            return self.graphs[rung]

    def _build(self, rung: int, watch: Watch) -> MotionGraph | str:
        library, options = self.parts.library, self.options
        settings = options.settings(library.fps, PERCENTILES[rung])
        try:
            graph = build_graph(
                library, settings=settings, mirror=options.mirror,
                progress=lambda share: watch.tell(share, note="building the motion graph"),
            )  # fmt: skip
        except InputError as error:
            return str(error)
        kept = all(entry.key for entry in library.entries)
        abstract_paths(graph, options.abstraction, keep=kept)
        return graph


class GraphMethod:
    """Motion graphs after Kovar et al. 2002 and van Basten & Egges."""

    name = "graph"
    summary = "follows a path, or a route through a scene, by walking"
    stages = (GoTo, Via, Follow)
    Options = GraphOptions
    default_clips = "default:locomotion"

    def suits(self, query: Query, library: Library | None) -> tuple[float, str]:
        """It suits whoever wants to walk somewhere."""
        return 0.5, "it walks along paths and routes"

    def select(self, library: Library, query: Query) -> Selection | Refusal:
        """The walking clips near the speed and the style that are asked for."""
        return select_walks(library, query)

    def prepare(
        self, library: Library, scene: Scene | None, options: GraphOptions, watch: Watch
    ) -> GraphModel | Refusal:
        """The first graph that the clips make, and all else that no query changes."""
        parts = cut_parts(library)
        if isinstance(parts, Refusal):
            return parts
        room = measure_room(tuple(parts.library))
        routes = None if scene is None else Routes(scene, room)
        window = options.settings(library.fps).window
        ends = prepare_walk_ends(
            parts.starts, parts.stops, library.fps, window, parts.origins,
            tuple(parts.library),
        )  # fmt: skip
        model = GraphModel(parts, options, ends, room, routes)
        made: MotionGraph | str = ""
        for rung in range(model.rungs):
            made = model.graph(rung, watch)
            if not isinstance(made, str):
                model.strictest = rung
                return model
        return Refusal(f"the clips make no motion graph: {made}")

    def solve(self, model: GraphModel, query: Query, watch: Watch) -> Iterator[Plan]:
        """One plan: the walk along the path, or along the first route where nothing is touched."""

        def follow(path: Floats, part: Watch) -> Plan:
            return _follow(model, query, path, part)

        if model.routes is None:
            yield follow_plain(query, follow, watch)
        else:
            yield model.routes.follow_routes(query, follow, watch)


def _follow(model: GraphModel, query: Query, path: Floats, watch: Watch) -> Plan:
    """The walk along a path on the strictest graph that can follow it."""
    made = Plan(NO_CLIP, "nothing was tried")
    for rung in range(model.strictest, model.rungs):
        graph = model.graph(rung, watch)
        if isinstance(graph, str):
            continue
        made = plan_on_graph(query, graph, model.options, path=path, ends=model.ends, watch=watch)
        if made.status != NO_CLIP:
            # What fewer transitions could not do, they will not on the next path like it.
            return _note_rung(made, 0.0 if model.options.stated else PERCENTILES[rung])
    return made


def _note_rung(made: Plan, percentile: float) -> Plan:
    if percentile <= PERCENTILES[0]:
        return made
    note = f"the path asked for more transitions: those nearer than {percentile:g} % of all pairs"
    return replace(made, notes=(*made.notes, note))


METHOD = GraphMethod()
