"""Plans for several people, one after the other, each keeping clear of those before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice, permutations

from footfall.body.clip import Clip
from footfall.errors import InputError
from footfall.roadmap.method import plan_on_roadmap
from footfall.roadmap.model import Roadmap
from footfall.roadmap.options import RoadmapOptions
from footfall.task import GOAL_NOT_VALID, START_NOT_VALID, Plan, Query, Watch
from footfall.world.scene import Scene

_MOST_ORDERS = 12
"""So many orders of going first are tried."""


def plan_together(
    roadmap: Roadmap, scene: Scene, queries: Sequence[Query], watch: Watch | None = None,
    options: RoadmapOptions | None = None,
) -> tuple[Plan, ...]:  # fmt: skip
    """Plan for each query, all beginning at once, so that no two people touch each other.

    The order is that of the queries; each plan keeps clear of those before. Where one is not
    found another order is tried. The plans of the best order are returned.
    """
    if not queries:
        raise InputError("there are no queries to plan together", remedy="give at least one")
    watch = watch or Watch()
    best: tuple[Plan, ...] = ()
    for order in islice(permutations(range(len(queries))), _MOST_ORDERS):
        watch.check()
        found = _plan_in_order(roadmap, scene, queries, order, watch, options)
        if not best or sum(p.found for p in found) > sum(p.found for p in best):
            best = found
        if all(p.found or p.status in (START_NOT_VALID, GOAL_NOT_VALID) for p in found):
            break  # no order changes the others
    return best


def _plan_in_order(
    roadmap: Roadmap, scene: Scene, queries: Sequence[Query], order: Sequence[int], watch: Watch,
    options: RoadmapOptions | None,
) -> tuple[Plan, ...]:  # fmt: skip
    """Plan for the queries in an order; each plan keeps clear of those before."""
    plans: dict[int, Plan] = {}
    others: list[tuple[Clip, float]] = []
    for n in order:
        query = replace(queries[n], scene=scene)
        plans[n] = plan_on_roadmap(roadmap, query, watch, options, others)
        clip = plans[n].clip
        if clip is not None:
            others.append((clip, 0.0))
    return tuple(plans[n] for n in range(len(queries)))
