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
    join_pairs,
    neighbour_pairs,
    sample_footholds,
    sample_near,
    sure_ground,
)
from footfall.roadmap.model import Edges, Roadmap, assemble, join_edges
from footfall.roadmap.table import MoveTable
from footfall.world.scene import Scene

_ROUNDS = 3
"""So often postures that were reached newly are gone on from."""


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
    pairs = neighbour_pairs(nodes, settings.neighbours)
    known = usual_states(table, len(nodes))
    edges, known = connect_reached(table, scene, nodes, pairs, pairs, sure, known)
    progress(0.6)
    if settings.more:
        degree = np.bincount(edges.tail, minlength=len(nodes)).astype(np.float64)
        degree += np.bincount(edges.head, minlength=len(nodes))
        extra = sample_near(table, scene, nodes, degree, settings.more, rng)
        since, nodes = len(nodes), np.concatenate([nodes, extra])
        known = np.concatenate([known, usual_states(table, len(extra))])
        added = neighbour_pairs(nodes, settings.neighbours, since=since)
        pairs = join_pairs(pairs, added, len(nodes))
        more, _ = connect_reached(table, scene, nodes, added, pairs, sure, known)
        edges = join_edges([edges, more])
    progress(0.95)
    return assemble(table, nodes, edges, sure)


def usual_states(table: MoveTable, count: int) -> Bools:
    """(N, postures) those that usual moves begin in, at every foothold."""
    every = np.arange(table.moves.postures)
    own = np.isin(every, table.moves.begins[table.usual]) | np.isin(every, table.moves.standing)
    return np.repeat(own[None], count, axis=0)


def connect_reached(
    table: MoveTable, scene: Scene, nodes: Floats, first: Pairs, pairs: Pairs, sure: SureGround,
    known: Bools,
) -> tuple[Edges, Bools]:  # fmt: skip
    """Edges by the `first` pairs in the postures that are known, then by all pairs in those that
    are reached newly; and which postures are known in the end."""
    moves = table.moves
    parts = [connect(table, scene, nodes, nodes, first, sure=sure, states=known)]
    for _ in range(_ROUNDS):
        reached = np.zeros_like(known)
        reached[parts[-1].head, moves.ends[parts[-1].move]] = True
        reached &= ~known
        if not reached.any():
            break
        parts.append(connect(table, scene, nodes, nodes, pairs, sure=sure, states=reached))
        known = known | reached
    return join_edges(parts), known
