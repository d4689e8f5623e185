"""The part of an interpolated graph that a task may use: hands and seat touch only what they are
asked to.

Who walks about and happens to come by a clip that sits down, or takes something, may not use it
where there is nothing to sit on or to take. And steps from a stand to the same stand elsewhere are
for stones: where there is a floor one walks.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.gait.signatures import HANDS, SEAT
from footfall.maths.arrays import Bools
from footfall.optimal.made import ACROSS, read_made
from footfall.optimal.model import InterpolatedGraph, PhaseGraph
from footfall.task import Pick, PutDown, Query, Sit, StandUp

_BY_EDGE = (
    "edge_to", "edge_cost", "edge_length", "edge_seconds", "edge_move", "edge_rise", "edge_a",
    "edge_b", "edge_weight", "edge_discs",
)  # fmt: skip


def graph_for(graph: InterpolatedGraph, query: Query, across: bool = False) -> InterpolatedGraph:
    """The graph with the edges that a query may use; its nodes keep their numbers.

    across  whether there are stones to step across
    """
    touches = 0
    for stage in query.stages:
        touches |= HANDS if isinstance(stage, Pick | PutDown) else 0
        touches |= SEAT if isinstance(stage, Sit | StandUp) else 0
    return graph_with(graph, touches, across)


def graph_with(graph: InterpolatedGraph, touches: int, across: bool = False) -> InterpolatedGraph:
    """The graph without edges along which other hands or seats touch than some (bits); kept.

    across  whether it has steps across too
    """
    unwanted = (HANDS | SEAT) & ~touches
    key = "without", unwanted, across
    return graph.keep(key, lambda: _without(graph, unwanted, across))


def _without(graph: InterpolatedGraph, unwanted: int, across: bool) -> InterpolatedGraph:
    tails = np.repeat(np.arange(len(graph.node_a)), np.diff(graph.edge_start))
    touching = graph.node_signature & unwanted > 0
    keep = ~(touching[tails] | touching[graph.edge_to])
    if not across:
        steps = shown_made(graph.phases, (ACROSS,))
        keep &= ~(steps[graph.edge_a] | steps[graph.edge_b])
    if keep.all():
        return graph
    counts = np.bincount(tails[keep], minlength=len(graph.node_a))
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(graph.edge_start.dtype)
    return replace(
        graph, edge_start=starts, **{name: getattr(graph, name)[keep] for name in _BY_EDGE}
    )


def shown_made(phases: PhaseGraph, hows: tuple[str, ...]) -> Bools:
    """(E,) which edges of a phase graph show something that was made in one of some ways."""
    clips = np.array([read_made(name).how in hows for name in phases.names], np.bool_)
    shown = np.append(0, np.cumsum(clips[phases.frame_clip]))
    return np.asarray(shown[phases.edge_first[1:]] > shown[phases.edge_first[:-1]])
