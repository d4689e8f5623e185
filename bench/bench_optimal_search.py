"""Search of the interpolated graph: successors, first paths, what is proven of them, memory.

A successor is generated when the place and the cell of an edge's end are known: every edge that
leaves an expanded state counts once, those that are then dropped (out of the world, no better than
what is known, no ground for feet, too dear, not free) as well as those that become states. Those
that are no better than what is known are not estimated. States are those of the default clips; the
graph is made before anything is measured.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import cache

from bench.harness import BenchRow, quick
from footfall import GoTo, Place, Query, Sit, load_scene, open_library
from footfall.optimal.goals import make_goals
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.plan_problem import PathProblem, set_up
from footfall.optimal.search import Found, PathSearch, SearchOptions
from footfall.optimal.sketch import make_sketch
from footfall.optimal.starts import make_definite
from footfall.optimal.store import make_graph
from footfall.optimal.touching import graph_for
from footfall.task.stages import Pick

SECONDS, STATES = 5.0, 100_000


def rows() -> list[BenchRow]:
    """What was promised of the search."""
    out = [_successors(name, query) for name, query in _searched().items()]
    out += [_set_up(name, query) for name, query in _searched().items()]
    for name, query in _queries().items():
        out += _first_and_best(name, query)
    return out


@cache
def _graph() -> InterpolatedGraph:
    return make_graph(open_library("default:safonova"))


def _queries() -> dict[str, Callable[[], Query]]:
    start = Place(0.0, 0.0, 0.0)
    tasks: dict[str, Callable[[], Query]] = {
        "walk 4 m": lambda: Query(start, GoTo(0.0, 4.0)),
        "pick": lambda: Query(start, Pick(0.3, 0.7, 2.5)),
    }
    if not quick():
        tasks["sit facing back"] = lambda: Query(start, Sit(0.0, 3.0, yaw=math.pi))
        tasks["obstacle course"] = lambda: Query(
            Place(0.0, -8.0, 0.0), GoTo(0.0, 6.2), load_scene("course")
        )
    return tasks


def _search(query: Query, options: SearchOptions, seconds: float) -> PathSearch:
    query = make_definite(query)
    graph = graph_for(_graph(), query)
    problem = set_up(graph, query, make_sketch(query, None))
    assert isinstance(problem, PathProblem), problem
    return PathSearch(
        graph, problem.world, make_goals(problem.constraints), problem.starts.nodes,
        problem.starts.poses, options, deadline=time.perf_counter() + seconds,
    )  # fmt: skip


def _searched() -> dict[str, Callable[[], Query]]:
    """Tasks of different kinds: many ways to few places, few to many, and where most is barred."""
    start = Place(0.0, 0.0, 0.0)
    tasks: dict[str, Callable[[], Query]] = {"pick": lambda: Query(start, Pick(0.3, 0.7, 2.5))}
    if not quick():
        tasks["walk 12 m"] = lambda: Query(start, GoTo(0.0, 12.0))
        tasks["obstacle course"] = lambda: Query(
            Place(0.0, -8.0, 0.0), Sit(0.0, 7.4), load_scene("course")
        )
    return tasks


def _successors(name: str, query: Callable[[], Query]) -> BenchRow:
    """The processor's time for ten million of them, with the estimates of the search proper."""
    options = SearchOptions(epsilons=(10.0,), memory_mb=4000.0, look=False)
    best, bytes_each = math.inf, 0.0
    for _ in range(2 if quick() else 4):  # the first time kernels are loaded
        domain = _search(query(), options, SECONDS).domain
        domain.begin(10.0)
        began = time.process_time()
        domain.expand(STATES)
        spent = time.process_time() - began
        best = min(best, spent / domain.generated * 1e7)
        bytes_each = domain.memory / domain.count
    told = f"{name}: 10 million successors, one core; {bytes_each:.0f} bytes a state"
    return BenchRow(told, best, goal="<= 1 s; <= 64 bytes")


def _set_up(name: str, query: Callable[[], Query]) -> BenchRow:
    """The processor's time from a query to the first state, of a graph that is in use already."""
    best = math.inf
    for _ in range(2 if quick() else 4):
        began = time.process_time()
        _search(query(), SearchOptions(), SECONDS)
        best = min(best, time.process_time() - began)
    return BenchRow(f"{name}: world, constraints and tables of estimates", best, goal="<= 0.2 s")


def _first_and_best(name: str, query: Callable[[], Query]) -> list[BenchRow]:
    """When the first path is there, and what is proven after some seconds."""
    list(_search(query(), SearchOptions(), 0.5))
    search = _search(query(), SearchOptions(memory_mb=4000.0), SECONDS)
    began, found = time.process_time(), list[Found]()
    first = math.nan
    for one in search:
        first = time.process_time() - began if not found else first
        found.append(one)
    told = f"bound {found[0].bound:.2f}" if found else "none found"
    last = f"bound {search.bound:.3f}" if found else "none found"
    return [
        BenchRow(f"{name}: first path ({told})", first, goal="<= 0.2 s"),
        BenchRow(f"{name}: {last}", time.process_time() - began, goal="bound <= 1.5 in 5 s"),
    ]
