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
from footfall.roadmap.connect import connect
from footfall.roadmap.footholds import neighbour_pairs, sample_footholds, sample_near, sure_ground
from footfall.roadmap.model import Roadmap, assemble, join_edges
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
    pairs = neighbour_pairs(nodes, settings.neighbours)
    edges = connect(table, scene, nodes, nodes, pairs, sure=sure)
    progress(0.6)
    if settings.more:
        degree = np.bincount(edges.tail, minlength=len(nodes)).astype(np.float64)
        degree += np.bincount(edges.head, minlength=len(nodes))
        extra = sample_near(table, scene, nodes, degree, settings.more, rng)
        whole = np.concatenate([nodes, extra])
        pairs = neighbour_pairs(whole, settings.neighbours, since=len(nodes))
        added = connect(table, scene, whole, whole, pairs, sure=sure)
        nodes = whole
        edges = join_edges([edges, added])
    progress(0.95)
    return assemble(table, nodes, edges, sure)
