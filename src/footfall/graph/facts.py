"""Figures of a motion graph, as van Basten & Egges compare graphs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from footfall.graph.model import TRANSITION, MotionGraph
from footfall.maths.arrays import Floats, Ints, frozen_ints

MOST_CYCLES = 1024
"""How many nodes, spread evenly, are searched for their shortest cycle."""


@dataclass(frozen=True, eq=False)
class GraphFacts:
    """Counts and figures of a graph.

    nodes, edges, frames  as the paper counts them: frames are those that all edges play
    transitions, pieces   the two kinds of edges
    minima                local minima of the metric that there were to choose from
    clips_used            how many clips have a node
    seconds               how long all frames of the clips that lie on edges last
    out_degree            edges that leave a node, on average
    most_out_degree       … and at most
    cycle_edges           edges of the shortest way from a node back to it, on average
    self_share            transitions that stay in their clip, of all transitions
    into_clip             (C,) of the transitions between clips, the share that enters each
    between               (C, C) how many transitions lead from each clip to each
    distance              (5,) least, quartiles and largest distance of transitions
    """

    nodes: int
    edges: int
    frames: int
    transitions: int
    pieces: int
    minima: int
    clips_used: int
    seconds: float
    out_degree: float
    most_out_degree: int
    cycle_edges: float
    self_share: float
    into_clip: Floats
    between: Ints
    distance: Floats

    def as_dict(self) -> dict[str, Any]:
        """Return the same as plain values, for JSON."""
        return {
            name: value.tolist() if isinstance(value, np.ndarray) else value
            for name, value in asdict(self).items()
        }


def graph_facts(graph: MotionGraph) -> GraphFacts:
    """Return the figures of a graph (van Basten & Egges, §5.2.2 and §5.3.3)."""
    crossing = graph.edge_kind == TRANSITION
    clips = len(graph.names)
    leaves = _clips(graph, graph.edge_first[crossing])
    enters = _clips(graph, graph.edge_enter[crossing])
    between = np.bincount(leaves * clips + enters, minlength=clips * clips).reshape(clips, clips)
    total, inside = int(between.sum()), int(np.trace(between))
    into = (between.sum(axis=0) - np.diagonal(between)) / max(total - inside, 1)
    degree = np.diff(graph.out_start)
    distances = graph.edge_distance[crossing]
    played = graph.edge_frames[~crossing].sum()
    return GraphFacts(
        nodes=graph.nodes,
        edges=graph.edges,
        frames=graph.frames,
        transitions=total,
        pieces=graph.edges - total,
        minima=graph.minima,
        clips_used=len(np.unique(_clips(graph, graph.node_frame))),
        seconds=float(played) / graph.fps,
        out_degree=float(degree.mean()) if len(degree) else 0.0,
        most_out_degree=int(degree.max(initial=0)),
        cycle_edges=float(shortest_cycles(graph).mean()) if graph.nodes else 0.0,
        self_share=inside / max(total, 1),
        into_clip=np.asarray(into, dtype=np.float64),
        between=frozen_ints(between, (clips, clips), "between"),
        distance=np.quantile(distances, np.linspace(0.0, 1.0, 5)) if total else np.zeros(5),
    )


def shortest_cycles(graph: MotionGraph, most: int = MOST_CYCLES) -> Floats:
    """Return (M,) edges of the shortest way from a node back to itself, for up to `most` nodes."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    count = min(graph.nodes, most)
    asked = np.linspace(0, graph.nodes - 1, count).round().astype(np.int64)
    ones = np.ones(graph.edges)
    back = csr_array((ones, (graph.edge_to, graph.edge_from)), shape=(graph.nodes, graph.nodes))
    back.sum_duplicates()
    out = np.empty(count)
    start = graph.out_start
    for begin in range(0, count, 256):
        part = asked[begin : begin + 256]
        steps = dijkstra(back, directed=True, indices=part, unweighted=True)
        for row, node in enumerate(part.tolist()):
            onward = graph.edge_to[start[node] : start[node + 1]]
            out[begin + row] = 1.0 + steps[row, onward].min(initial=np.inf)
    return out


def _clips(graph: MotionGraph, frames: Ints) -> Ints:
    place = np.searchsorted(graph.clip_start, frames, side="right") - 1
    return place.astype(np.int32)
