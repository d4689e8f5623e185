"""Plans by each method with options that make them soon: few footholds, the first motion found."""

from __future__ import annotations

from typing import Any

from footfall import Plan, Query, planner
from footfall.library.library import Library
from footfall.verbs.planner import Planner

QUICK: dict[str, dict[str, Any]] = {
    "roadmap": {"nodes": 400, "more": 100, "neighbours": 60},
    "optimal": {"near_enough": 1000.0},
}
_planners: dict[tuple[str, int], tuple[Planner, Library]] = {}


def quick_plan(query: Query, method: str, library: Library) -> Plan:
    """Plan a query with the planner that all tests share."""
    return shared_planner(method, library).plan(query)


def shared_planner(method: str, library: Library) -> Planner:
    """Return the one planner of a method and a library, made when it is first asked for."""
    key = method, id(library)
    if key not in _planners:
        _planners[key] = quick_planner(method, library=library), library
    return _planners[key][0]


def quick_planner(method: str, **more: Any) -> Planner:
    """Return a planner of its own; see `footfall.planner`."""
    return planner(method, **{**QUICK.get(method, {}), **more})
