"""The constraints that the scene itself puts on a sketch: gaps to cross, bars to duck under.

Whoever crosses a gap that reaches across the whole corridor lands beyond it, by an edge that is
long enough; whoever passes a low bar is low somewhere near it. So these constraints are met by
every motion that does the task: they change no bound, but they let the estimates know of the jump
before it has to be found by trying everything else.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from footfall.gait.signatures import FEET
from footfall.maths.arrays import Bools, Floats
from footfall.maths.polyline import distances_along
from footfall.maths.runs import runs
from footfall.optimal.goals import Constraint
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.problem import World

_EVERY_M = 0.05
_SOLE_M = 0.05
"""Ground carries the middle of a sole where it goes on so far to all sides."""
_LEAST_GAP_M = 0.25
"""What is narrower is crossed by steps without being noticed."""
_USUAL = 0.15
"""What so large a share of all steps does needs no constraint: the search finds it by itself."""
_UPRIGHT_M = 1.8
_BODY_M = 0.5
"""What reaches lower than this above the ground belongs to legs, not to trunk and head."""


def environment_constraints(
    graph: InterpolatedGraph, world: World, sketch: Floats, corridor_m: float, first_m: float = 0.0
) -> list[Constraint]:
    """The constraints that a world puts on a sketch (P, 2), in order along it.

    first_m  how far along the whole sketch this part begins
    """
    points, along = _stations(sketch)
    carries, open_m = _across(world, points, corridor_m)
    found = _gaps(graph, points, carries, corridor_m) + _bars(graph, points, open_m, corridor_m)
    placed = sorted(found, key=lambda pair: pair[0])
    return [replace(made, along_m=first_m + float(along[at])) for at, made in placed]


def _stations(sketch: Floats) -> tuple[Floats, Floats]:
    """Points (N, 2) close together along a sketch, and how far along they are."""
    along = distances_along(sketch)
    at = np.arange(0.0, float(along[-1]) + _EVERY_M, _EVERY_M)
    points = np.stack([np.interp(at, along, sketch[:, k]) for k in range(2)], axis=1)
    return points, at


def _across(world: World, points: Floats, corridor_m: float) -> tuple[Bools, Floats]:
    """(N,) whether ground carries a sole somewhere across the corridor, and the free height."""
    ahead = np.gradient(points, axis=0) if len(points) > 1 else np.array([[0.0, 1.0]])
    ahead /= np.maximum(np.hypot(*ahead.T), 1e-9)[:, None]
    aside = np.stack([ahead[:, 1], -ahead[:, 0]], axis=1)
    carries, height = np.zeros(len(points), np.bool_), np.zeros(len(points))
    for off in np.arange(-corridor_m - 0.1, corridor_m + 0.11, _EVERY_M):
        cells = np.rint((points + off * aside - world.origin) / world.cell_m).astype(int)
        i, k = np.clip(cells, 0, np.array(world.corridor.shape) - 1).T
        carries |= world.foothold_m[i, k] > _SOLE_M
        free = np.where(world.corridor[i, k], np.minimum(world.ceiling[i, k], 9.0), 0.0)
        height = np.maximum(height, free)
    return carries, height


def _gaps(
    graph: InterpolatedGraph, points: Floats, carries: Bools, corridor_m: float
) -> list[tuple[int, Constraint]]:
    """Where nothing carries a sole from one side of the corridor to the other."""
    out = []
    steps = landing_steps(graph)
    for first, stop in runs(~carries).tolist():
        gap = (stop - first) * _EVERY_M
        if gap < _LEAST_GAP_M or first == 0 or stop == len(points):
            continue
        # Soles may stand a little farther back than the last point that carries one.
        nodes = steps >= gap - 2.0 * _EVERY_M
        if not nodes.any() or nodes.sum() > _USUAL * np.isfinite(steps).sum():
            continue  # either the search will fail and say why, or a usual step does
        reach = float(steps[np.isfinite(steps)].max())
        beyond = min(stop + round(0.5 * reach / _EVERY_M), len(points) - 1)
        x, z = points[beyond]
        within = math.hypot(0.5 * reach + 0.3, corridor_m + 0.2)
        out.append((first, _near(graph, nodes, x, z, within)))
    return out


def _bars(
    graph: InterpolatedGraph, points: Floats, open_m: Floats, corridor_m: float
) -> list[tuple[int, Constraint]]:
    """Where something overhead is lower than people are."""
    out = []
    tops = lowest_passing(graph)
    for first, stop in runs((open_m < _UPRIGHT_M) & (open_m > 0.0)).tolist():
        nodes = tops <= float(open_m[first:stop].max()) + 0.05
        if not nodes.any():
            continue
        middle = (first + stop - 1) // 2
        x, z = points[middle]
        within = math.hypot(0.6 + 0.5 * (stop - first) * _EVERY_M, corridor_m)
        out.append((middle, _near(graph, nodes, x, z, within)))
    return out


def _near(
    graph: InterpolatedGraph, nodes: Bools, x: float, z: float, within_m: float
) -> Constraint:
    """The root near a place, in some nodes."""
    count = len(graph.node_a)
    return Constraint(
        -1, nodes, np.zeros((count, 3)), np.array([x, math.nan, z]), within_m, np.zeros(count)
    )


def landing_steps(graph: InterpolatedGraph) -> Floats:
    """(N,) how far the foot that lands in a node is from one that stood before, at most, metres.

    -inf for nodes in which no foot lands.
    """
    start = np.repeat(np.arange(len(graph.node_a)), np.diff(graph.edge_start))
    to = np.asarray(graph.edge_to)
    touching = graph.node_signature[start] & FEET
    touching = np.where(touching == 0, graph.node_before[start] & FEET, touching)
    lands = graph.node_signature[to] & ~graph.node_signature[start] & FEET
    yaw = graph.edge_move[:, 2]
    out = np.full(len(graph.node_a), -np.inf)
    for stands, falls in ((0, 0), (0, 1), (1, 0), (1, 1)):
        rows = np.flatnonzero((touching >> stands & 1) & (lands >> falls & 1))
        foot = graph.node_feet[to[rows], falls]
        c, s = np.cos(yaw[rows]), np.sin(yaw[rows])
        x = graph.edge_move[rows, 0] + foot[:, 0] * c + foot[:, 2] * s
        z = graph.edge_move[rows, 1] - foot[:, 0] * s + foot[:, 2] * c
        here = graph.node_feet[start[rows], stands]
        np.maximum.at(out, to[rows], np.hypot(x - here[:, 0], z - here[:, 2]))
    return out


def lowest_passing(graph: InterpolatedGraph) -> Floats:
    """(N,) the lowest that trunk and head get along some edge that leaves each node, metres."""
    discs = graph.edge_discs
    trunk = (discs[:, :, 2] > 0.0) & (discs[:, :, 4] > _BODY_M + 0.3)
    top = np.where(trunk, discs[:, :, 4], np.inf).min(axis=1, initial=np.inf)
    out = np.full(len(graph.node_a), np.inf)
    leaves = np.flatnonzero(np.diff(graph.edge_start) > 0)
    out[leaves] = np.minimum.reduceat(top, graph.edge_start[leaves])
    return out
