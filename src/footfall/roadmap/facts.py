"""What a roadmap is like: how large, how well connected, and what it is made of."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from footfall.maths.arrays import Ints
from footfall.roadmap.model import Roadmap
from footfall.roadmap.posture_graph import BEHAVIOURS, OTHER, behaviour_of


@dataclass(frozen=True)
class RoadmapFacts:
    """A roadmap in figures.

    footholds, edges, states   its size; a state is a foothold in a posture
    clips, moves, postures     what it was made of
    edges_a_foothold           as the paper counts: edges by footholds
    components                 parts in which every foothold leads to every other, of two or more
    largest_share              the share of all footholds that the largest of them holds
    alone                      footholds that no edge leaves, or none reaches
    behaviours                 edges by what their clips show
    """

    footholds: int
    edges: int
    states: int
    clips: int
    moves: int
    postures: int
    edges_a_foothold: float
    components: int
    largest_share: float
    alone: int
    behaviours: dict[str, int]

    def as_dict(self) -> dict[str, Any]:
        """The same as plain values, for JSON."""
        return asdict(self)


def roadmap_facts(roadmap: Roadmap) -> RoadmapFacts:
    """The figures of a roadmap."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    edges, moves, count = roadmap.edges, roadmap.moves, len(roadmap.nodes)
    ones = np.ones(len(edges), np.int8)
    graph = coo_array((ones, (edges.tail, edges.head)), (count, count)).tocsr()
    _, labels = connected_components(graph, connection="strong")
    sizes = np.bincount(labels, minlength=1)
    left, reached = (np.bincount(ends, minlength=count) for ends in (edges.tail, edges.head))
    kinds = edge_behaviours(roadmap)
    names = (*BEHAVIOURS, OTHER)
    many = np.bincount(kinds, minlength=len(names)).tolist()
    return RoadmapFacts(
        footholds=count, edges=len(edges), states=roadmap.states, clips=len(moves.clips),
        moves=len(moves), postures=moves.postures, edges_a_foothold=len(edges) / max(count, 1),
        components=int((sizes > 1).sum()), largest_share=float(sizes.max() / max(count, 1)),
        alone=int(((left == 0) | (reached == 0)).sum()),
        behaviours={name: n for name, n in zip(names, many, strict=True) if n},
    )  # fmt: skip


def edge_behaviours(roadmap: Roadmap) -> Ints:
    """(E,) what the clip of each edge shows, as a number into BEHAVIOURS, or one beyond."""
    names = (*BEHAVIOURS, OTHER)
    of_clip = np.array([names.index(behaviour_of(c)) for c in roadmap.moves.clips], np.int32)
    return np.asarray(of_clip[roadmap.moves.clip[roadmap.edges.move]], np.int32)
