"""How close to a wall the clips of a graph can go along it."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np

from footfall.body.capsules import body_capsules
from footfall.body.clip import Clip
from footfall.body.feet import mean_leg
from footfall.body.size import BodySize
from footfall.maths.arrays import Bools, Floats
from footfall.optimal.model import InterpolatedGraph, PhaseGraph

_STEP = 0.25
"""Edges that lead less far, in leg lengths, shuffle in place: they lead past nothing."""
_MOVING_M_S = 0.2


def least_room(graph: InterpolatedGraph) -> float:
    """Return how near to a wall at most the root comes, step after step, in metres.

    It is the least width at which edges whose body is no wider lead round in a circle with a step
    in it. Nothing goes on for longer than a few edges in less room.
    """
    return graph.keep("least room", lambda: _find_least_room(graph))


def _find_least_room(graph: InterpolatedGraph) -> float:
    steps = np.hypot(*graph.edge_move[:, :2].T) > _STEP * mean_leg(graph.phases.skeleton)
    least = []
    for aside in _edge_widths(graph.phases, graph.size):  # a wall is on one side, all along
        share = graph.edge_weight
        width = share * aside[graph.edge_a] + (1.0 - share) * aside[graph.edge_b]
        choices = np.unique(np.round(width, 2))
        first = bisect_left(
            range(len(choices)), True, key=lambda n: _goes_on(graph, width <= choices[n], steps)
        )
        least.append(float(choices[first]) if first < len(choices) else 0.0)
    return min(least)


def _goes_on(graph: InterpolatedGraph, allowed: Bools, steps: Bools) -> bool:
    """Whether allowed edges lead round in a circle that has a step in it."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    count = len(graph.node_a)
    tails = np.repeat(np.arange(count), np.diff(graph.edge_start))
    ends = (tails[allowed], graph.edge_to[allowed])
    links = csr_array((np.ones(len(ends[0]), np.int8), ends), (count, count))
    label = connected_components(links, directed=True, connection="strong")[1]
    return bool((label[tails] == label[graph.edge_to])[allowed & steps].any())


def _edge_widths(phases: PhaseGraph, size: BodySize) -> Floats:
    """(2, E) metres from the root to the outermost part on the left and on the right of where it
    goes, as high as walls stand; 0 where the root stays."""
    capsules = body_capsules(phases.skeleton)
    frames = np.arange(len(phases.frame_root) - 1)
    edge = np.searchsorted(phases.edge_first, frames, side="right") - 1
    way = np.diff(phases.frame_root[:, [0, 2]], axis=0)
    length = np.hypot(*way.T)
    # The next frame after the last of an edge is of another edge, in another frame of reference.
    moves = (frames + 1 < phases.edge_first[edge + 1]) & (length * phases.fps > _MOVING_M_S)
    frames, edge, way = frames[moves], edge[moves], way[moves] / length[moves, None]
    body = Clip(
        phases.skeleton, phases.fps, phases.frame_root[frames], phases.frame_rotations[frames]
    )
    ends, radius = capsules.placed(body.world), capsules.radii[:, None]
    high, low = (ends[..., 1] + radius).max(axis=-1), (ends[..., 1] - radius).min(axis=-1)
    met = ((high > size.wall_low_m) & (low < size.wall_high_m))[..., None]
    off = ends[..., [0, 2]] - body.root[:, None, None, [0, 2]]
    across = off[..., 0] * way[:, 1, None, None] - off[..., 1] * way[:, 0, None, None]
    sides = np.zeros((2, len(phases.edge_from)))
    for side, sign in enumerate((1.0, -1.0)):
        reach = np.where(met, sign * across + radius, 0.0).max(axis=(1, 2))
        np.maximum.at(sides[side], edge, reach)
    return sides
