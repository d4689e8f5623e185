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
from footfall.optimal.product_kernels import TRUNK_DISCS

_EVERY_M = 0.05
_SOLE_M = 0.05
"""Ground carries the middle of a sole where it goes on so far to all sides."""
_LEAST_GAP_M = 0.25
"""What is narrower is crossed by steps without being noticed."""
_USUAL = 0.15
"""What so large a share of all steps does needs no constraint: the search finds it by itself."""
_UPRIGHT_M = 1.8
_TRUNK_M = 0.1
"""How far the trunk moves within the part of an edge that tells where it is, at most."""
_ROUND_M = 5.0
"""How large the circle is that stands for what is beyond a line."""


def environment_constraints(
    graph: InterpolatedGraph, world: World, sketch: Floats, corridor_m: float, first_m: float = 0.0
) -> list[Constraint]:
    """The constraints that a world puts on a sketch (P, 2), in order along it.

    first_m  how far along the whole sketch this part begins
    """
    points, along = _stations(sketch)
    carries, open_m = _across(world, points, corridor_m)
    found = _gaps(graph, points, carries) + _bars(graph, points, open_m)
    placed = sorted(found, key=lambda pair: pair[0])
    return [
        replace(made, along_m=first_m + float(along[min(at, len(along) - 1)]))
        for at, made in placed
    ]


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
    offs = np.arange(-corridor_m - 0.1, corridor_m + 0.11, _EVERY_M)
    at = points[:, None] + offs[:, None] * aside[:, None]
    cells = np.rint((at - world.origin) / world.cell_m).astype(int)
    i, k = np.moveaxis(np.clip(cells, 0, np.array(world.corridor.shape) - 1), -1, 0)
    free = np.where(world.corridor[i, k], np.minimum(world.ceiling[i, k], 9.0), 0.0)
    return (world.foothold_m[i, k] > _SOLE_M).any(axis=1), free.max(axis=1)


def _gaps(graph: InterpolatedGraph, points: Floats, carries: Bools) -> list[tuple[int, Constraint]]:
    """Where nothing carries a sole from one side of the corridor to the other."""
    out = []
    steps, feet = landing_steps(graph)
    for first, stop in runs(~carries).tolist():
        gap = (stop - first) * _EVERY_M
        if gap < _LEAST_GAP_M or first == 0 or stop == len(points):
            continue
        # Soles may stand a little farther back than the last point that carries one.
        nodes = steps >= gap - 2.0 * _EVERY_M
        if not nodes.any() or nodes.sum() > _USUAL * np.isfinite(steps).sum():
            continue  # either the search will fail and say why, or a usual step does
        out.append((first, _beyond(graph, nodes, feet, points, stop, 2.0 * _SOLE_M)))
    return out


def _bars(graph: InterpolatedGraph, points: Floats, open_m: Floats) -> list[tuple[int, Constraint]]:
    """Where something overhead is lower than people are.

    Who passes is low when the trunk comes below it, which is before the root does, and still low
    when all of the trunk is beyond.
    """
    out = []
    trunk = _trunks(graph)
    middles = np.column_stack([trunk[:, 0], np.zeros(len(trunk)), trunk[:, 1]])
    for first, stop in runs((open_m < _UPRIGHT_M) & (open_m > 0.0)).tolist():
        begin, end = passing_nodes(graph, float(open_m[first:stop].max()) + 0.05)
        if not begin.any() or not end.any():
            continue
        before = float(trunk[begin, 2].max()) + _TRUNK_M
        after = _TRUNK_M - float(trunk[end, 2].min())
        out.append((first, _beyond(graph, begin, middles, points, first, before)))
        out.append((stop, _beyond(graph, end, middles, points, stop, after)))
    return out


def _trunks(graph: InterpolatedGraph) -> Floats:
    """(N, 3) x, z and radius of the trunk about each node, in its frame."""
    edges = np.minimum(graph.edge_start[:-1], len(graph.edge_to) - 1)
    return np.asarray(graph.edge_discs[edges, 0, :3], np.float64)


def _beyond(
    graph: InterpolatedGraph, nodes: Bools, point: Floats, sketch: Floats, at: int, margin_m: float
) -> Constraint:
    """A point (N, 3) of some nodes beyond a place of the sketch: in a circle so large that its
    border is nearly the line across."""
    at = min(at, len(sketch) - 1)
    first, last = max(at - 2, 0), min(at + 2, len(sketch) - 1)
    ahead = sketch[last] - sketch[first]
    ahead = ahead / max(float(np.hypot(*ahead)), 1e-9)
    x, z = sketch[at] + _ROUND_M * ahead
    return Constraint(
        -1, nodes, point, np.array([x, math.nan, z]), _ROUND_M + margin_m,
        np.zeros(len(graph.node_a)),
    )  # fmt: skip


def landing_steps(graph: InterpolatedGraph) -> tuple[Floats, Floats]:
    """(N,) how far the foot that lands in a node is from one that stood before, at most, metres.

    -inf for nodes in which no foot lands. And (N, 3) where that foot is: x, height, z.
    """
    start = np.repeat(np.arange(len(graph.node_a)), np.diff(graph.edge_start))
    to = np.asarray(graph.edge_to)
    touching = graph.node_signature[start] & FEET
    touching = np.where(touching == 0, graph.node_before[start] & FEET, touching)
    lands = graph.node_signature[to] & ~graph.node_signature[start] & FEET
    yaw = graph.edge_move[:, 2]
    out, where = np.full(len(graph.node_a), -np.inf), np.array(graph.node_feet[:, 0, :3])
    for stands, falls in ((0, 0), (0, 1), (1, 0), (1, 1)):
        rows = np.flatnonzero((touching >> stands & 1) & (lands >> falls & 1))
        foot = graph.node_feet[to[rows], falls]
        c, s = np.cos(yaw[rows]), np.sin(yaw[rows])
        x = graph.edge_move[rows, 0] + foot[:, 0] * c + foot[:, 2] * s
        z = graph.edge_move[rows, 1] - foot[:, 0] * s + foot[:, 2] * c
        here = graph.node_feet[start[rows], stands]
        step = np.full(len(out), -np.inf)
        np.maximum.at(step, to[rows], np.hypot(x - here[:, 0], z - here[:, 2]))
        where = np.where((step > out)[:, None], graph.node_feet[:, falls, :3], where)
        out = np.maximum(out, step)
    return out, where


def passing_nodes(graph: InterpolatedGraph, height_m: float) -> tuple[Bools, Bools]:
    """(N,) nodes in which the trunk came below a height, and those in which it has passed it.

    An edge is shorter than the trunk is long: who passes something is below it all along an edge
    after the one that leads there, and before the one that leads out.
    """
    low = graph.edge_discs[:, :TRUNK_DISCS, 4] <= height_m
    tails = np.repeat(np.arange(len(graph.node_a)), np.diff(graph.edge_start))
    below, entered = low.all(axis=1), low[:, -1]
    begin, inside, end = np.zeros((3, len(graph.node_a)), np.bool_)
    begin[graph.edge_to[entered]] = True
    stays = np.zeros(len(begin), np.bool_)
    stays[tails[below]] = True
    inside[graph.edge_to[below]] = True
    end[graph.edge_to[low[:, 0] & inside[tails]]] = True
    return begin & stays, end
