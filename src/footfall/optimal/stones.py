"""Stones to step on: small patches of ground along a sketch, and a first path from one to the next.

Nobody has to step on each of them, and nothing is proven with these constraints. But a motion that
does gets across, and looks that know which stone comes next find how to land on it.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from footfall.gait.signatures import FEET
from footfall.maths.arrays import Bools, Floats
from footfall.maths.polyline import Polyline
from footfall.optimal.goals import Constraint
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.options import OptimalOptions
from footfall.optimal.plan_legs import Joined
from footfall.optimal.plan_problem import PathProblem, begin_search, time_after
from footfall.optimal.problem import World
from footfall.optimal.search import LOOKS
from footfall.task import Watch
from footfall.world.fields import find_patches

_SHARE = 0.25
"""The share of the time that it may take."""
_EASY, _ON_STONES = 2, 6
"""First looks that show whether stones lie as steps do anyway, and whether steps fit them."""


def search_stones(
    graph: InterpolatedGraph, problem: PathProblem, options: OptimalOptions, watch: Watch
) -> Joined | None:
    """A path over the stones on the way; None where there are none, or none is soon found.

    At first without asking for anything, as steps fall; then a foot has to land on each stone.
    """
    stones = stone_constraints(graph, problem.world, problem.sketch.points)
    if not stones:
        return None
    deadline = time_after(watch, _SHARE)
    own = problem.constraints
    both = sorted([*own, *stones], key=lambda c: c.along_m)
    for asked, looks in ((own, LOOKS[:_EASY]), (both, LOOKS[:_ON_STONES])):
        part = replace(problem, constraints=asked)
        search = begin_search(graph, part, options, deadline, watch)
        search.looks, search.anytime.most = looks, 0.0
        found = next(iter(search), None)
        watch.check()
        if found is not None:
            mine = np.array([any(c is one for one in own) for c in asked])
            cost = float(graph.edge_cost[found.edges].sum())
            return Joined(found.edges, found.nodes, found.poses, found.met[mine], (), cost,
                          found.expansions)  # fmt: skip
    return None


def stone_constraints(graph: InterpolatedGraph, world: World, sketch: Floats) -> list[Constraint]:
    """A foot lands on each small patch of ground along a sketch (P, 2), in their order."""
    lands = graph.node_signature & ~graph.node_before & FEET
    nodes: Bools = lands > 0
    side = np.where(lands & 1, 0, 1)
    feet = graph.node_feet[np.arange(len(side)), side]
    out: list[Constraint] = []
    last = -math.inf
    for at, middle, radius in _stones(world, sketch):
        if at - last >= world.size.beside_m:
            place = np.array([middle[0], math.nan, middle[1]])
            out.append(Constraint(-1, nodes, feet[:, :3], place, radius, feet[:, 3], along_m=at))
            last = at
    return out


def has_stones(world: World, sketch: Floats) -> bool:
    """Whether there are small patches of ground along a sketch."""
    return bool(_stones(world, sketch))


def _stones(world: World, sketch: Floats) -> list[tuple[float, Floats, float]]:
    """Small patches of ground: how far along the sketch, their middle (2,), and their radius."""
    path, found, size = Polyline(sketch), [], world.size
    half_length, half_width = size.half_sole
    patch = find_patches(world.foothold_m > half_width)
    for number in range(1, int(patch.max(initial=0)) + 1):
        cells = np.argwhere(patch == number)
        if len(cells) * world.cell_m**2 > size.islet_largest_m2:
            continue
        inside = world.foothold_m[cells[:, 0], cells[:, 1]]
        middle = world.places(cells[inside >= inside.max() - 1e-9].mean(axis=0))
        if path.gaps([middle])[0] <= size.beside_m and inside.max() > half_length:
            found.append((float(path.nearest([middle])[0]), middle, float(inside.max())))
    return sorted(found, key=lambda stone: stone[0])
