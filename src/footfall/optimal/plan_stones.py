"""A first path from stone to stone, where a task leads over small patches of ground."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.optimal.environment_stones import stone_constraints
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.options import OptimalOptions
from footfall.optimal.plan_legs import Joined
from footfall.optimal.plan_problem import PathProblem
from footfall.optimal.plan_search import begin_search, time_after
from footfall.optimal.search import LOOKS
from footfall.task import Watch

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
