"""The optimal search as a planner: everything that a task may ask, with the least effort."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from footfall.library.library import Library
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.options import OptimalOptions
from footfall.optimal.starts import check_order
from footfall.task import STAGES, Duck, Pick, PutDown, Query, Sit, StandUp, Watch
from footfall.task.draft import Draft
from footfall.task.method import Refusal, Selection
from footfall.task.problem import Problem
from footfall.world.scene import Scene

_OWN = (Pick, PutDown, Sit, StandUp, Duck)


@dataclass(frozen=True, eq=False)
class OptimalModel:
    """The interpolated graph of a library, and how it is to be searched."""

    graph: InterpolatedGraph
    options: OptimalOptions


class OptimalMethod:
    """Anytime search of an interpolated motion graph after Safonova & Hodgins 2007."""

    name = "optimal"
    summary = "picks, jumps, ducks, sits: the motion of least effort, with a proven bound"
    stages = tuple(STAGES.values())
    Options = OptimalOptions
    default_clips = "default:safonova"
    ignores = ("speed", "style", "prefer", "seed")

    def suits(self, query: Query, library: Library | None) -> tuple[float, str]:
        """It suits where something is to be done by the way; where one only goes, others do."""
        if query.scene is not None and query.scene.moves:
            return 0.0, "it plans among things that stand still"
        if any(isinstance(stage, _OWN) for stage in query.stages):
            return 0.9, "it does more than walk on the way, with the least effort"
        return 0.15, "it finds the least effort, if it is given time"

    def select(self, library: Library, query: Query) -> Selection | Refusal:
        """All clips."""
        check_order(query)
        if not len(library):
            return Refusal("the library holds no clips")
        return Selection(library)

    def prepare(
        self, library: Library, scene: Scene | None, options: OptimalOptions, watch: Watch
    ) -> OptimalModel | Refusal:
        """The interpolated graph of the clips, built once and kept."""
        from footfall.optimal.store import make_graph

        watch.tell(0.01, note="building the graph of the clips, once")
        # It takes a minute the first time: who gives ten seconds to plan means the search.
        with watch.untimed():
            graph = make_graph(
                library, settings=options.product, progress=lambda share: watch.tell(0.99 * share)
            )
        if not graph.node_rest.any():
            return Refusal("no clip leads from rest to rest")
        return OptimalModel(graph, options)

    def search(
        self, model: OptimalModel, problem: Problem, watch: Watch
    ) -> Iterator[Draft | Refusal]:
        """Yield drafts, each cheaper than the one before, or better proven."""
        from footfall.optimal.plan import search_drafts

        yield from search_drafts(model.graph, problem, model.options, watch)


METHOD = OptimalMethod()
