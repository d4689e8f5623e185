"""A roadmap over footholds: sampled, connected by moves, made denser where it is thin.

Nodes are footholds on valid ground. An edge says that some move leads from one foothold to
another in this scene: its footprints have ground to stand on, and no part of the body sweeps
through an obstacle. Of all moves between two footholds that begin and end in the same postures
only the cheapest is kept.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from footfall.errors import InputError
from footfall.maths.arrays import Bools, Floats
from footfall.roadmap.connect import connect
from footfall.roadmap.footholds import (
    Pairs,
    SureGround,
    neighbour_pairs,
    sample_footholds,
    sample_near,
    sure_ground,
)
from footfall.roadmap.model import Edges, Roadmap, assemble, join_edges
from footfall.roadmap.table import MoveTable
from footfall.world.scene import Scene


def build_roadmap(
    table: MoveTable, scene: Scene, progress: Callable[[float], None] = lambda share: None
) -> Roadmap:
    """A roadmap of a scene."""
    settings = table.settings
    rng = np.random.default_rng(settings.seed)
    nodes = sample_footholds(table, scene, settings.nodes, rng)
    if not len(nodes):
        raise InputError("the scene has no foothold that is valid", remedy="it needs free ground")
    progress(0.05)
    sure = sure_ground(scene, table.moves.foot_box)
    pairs = neighbour_pairs(nodes, settings.neighbours, size=table.moves.size)
    known = usual_states(table, len(nodes))
    edges, known = connect_known(table, scene, nodes, pairs, sure, known)
    progress(0.6)
    if settings.more:
        degree = np.bincount(edges.tail, minlength=len(nodes)).astype(np.float64)
        degree += np.bincount(edges.head, minlength=len(nodes))
        extra = sample_near(table, scene, nodes, degree, settings.more, rng)
        since, nodes = len(nodes), np.concatenate([nodes, extra])
        known = np.concatenate([known, usual_states(table, len(extra))])
        added = neighbour_pairs(nodes, settings.neighbours, since, table.moves.size)
        more, _ = connect_known(table, scene, nodes, added, sure, known)
        edges = join_edges([edges, more])
    progress(0.95)
    return assemble(table, nodes, edges, sure)


def usual_states(table: MoveTable, count: int) -> Bools:
    """(N, postures) those that usual moves begin in, at every foothold."""
    every = np.arange(table.moves.postures)
    own = np.isin(every, table.moves.begins[table.moves.usual]) | np.isin(
        every, table.moves.standing
    )
    return np.repeat(own[None], count, axis=0)


def connect_known(
    table: MoveTable, scene: Scene, nodes: Floats, pairs: Pairs, sure: SureGround, known: Bools
) -> tuple[Edges, Bools]:
    """Edges in the postures that are known, and which are known now that these edges lead there."""
    edges = connect(table, scene, nodes, nodes, pairs, sure=sure, states=known)
    known = known.copy()
    known[edges.head, table.moves.ends[edges.move]] = True
    return edges, known
