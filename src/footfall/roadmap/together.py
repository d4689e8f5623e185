"""Several people planned for one after the other, each keeping clear of those before."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, permutations

from footfall.body.clip import Clip
from footfall.errors import InputError
from footfall.roadmap.model import Roadmap
from footfall.roadmap.plan import Wishes
from footfall.roadmap.timed_plan import plan_in_time
from footfall.task import NO_PATH, Plan, Query, Watch
from footfall.world.scene import Scene

_MOST_ORDERS = 12
"""So many orders of going first are tried."""


def plan_together(
    roadmap: Roadmap, scene: Scene, queries: Sequence[Query], watch: Watch | None = None,
    wishes: Wishes | None = None,
) -> tuple[Plan, ...]:  # fmt: skip
    """A plan for each query, all beginning at once; no two people touch each other.

    They are planned for in the order given, each keeping clear of those before. Where one finds no
    way another order is tried. The plans of the best order are given: those
    that are not found say why.
    """
    if not queries:
        raise InputError("there are no queries to plan together", remedy="give at least one")
    watch = watch or Watch()
    best: tuple[Plan, ...] = ()
    for order in islice(permutations(range(len(queries))), _MOST_ORDERS):
        watch.check()
        found = _plan_in_order(roadmap, scene, queries, order, watch, wishes)
        if not best or sum(p.found for p in found) > sum(p.found for p in best):
            best = found
        if all(p.found or p.status != NO_PATH for p in found):
            break  # what is left no order changes
    return best


def _plan_in_order(
    roadmap: Roadmap, scene: Scene, queries: Sequence[Query], order: Sequence[int], watch: Watch,
    wishes: Wishes | None,
) -> tuple[Plan, ...]:  # fmt: skip
    """Plans for the queries; those that come later in the order keep clear of those before."""
    plans: dict[int, Plan] = {}
    others: list[tuple[Clip, float]] = []
    for n in order:
        plans[n] = plan_in_time(roadmap, scene, queries[n], watch, wishes, others)
        clip = plans[n].clip
        if clip is not None:
            others.append((clip, 0.0))
    return tuple(plans[n] for n in range(len(queries)))
