"""Reproduce Figures 2, 12 and 13 of Safonova & Hodgins: the course, the columns, the curve."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from footfall.files.scene.read import load_scene
from footfall.optimal.method import METHOD, OptimalModel
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.options import OptimalOptions
from footfall.optimal.search import SearchOptions
from footfall.papers.safonova_problems import make_problem, winding_path
from footfall.papers.safonova_runs import Solution, TimedSearch, best_of, describe_solution
from footfall.task import OUT_OF_TIME, Follow, GoTo, Place, Plan, Query, Sit, Watch
from footfall.task.method import Refusal
from footfall.task.pipeline import solve
from footfall.task.problem import Problem
from footfall.world.scene import Scene

CORRIDORS_M = (0.04, 0.05, 0.06, 0.08, 0.10, 0.15, 0.20, 0.30, 0.50)
"""How far from the curve the root may be; the narrowest, which leaves room for the sway of walking,
is tried first."""
_NEAR = 1.5
"""The proven ratio to the least cost at which the course is near enough to the best."""


@dataclass(frozen=True, eq=False)
class CompareRun:
    """One task with interpolation and without: what was found, or why nothing was.

    corridors_m  how far from the sketch the root may be, in each
    """

    query: Query
    interpolated: Solution | None
    plain: Solution | None
    reasons: tuple[str, str]
    corridors_m: tuple[float, float] = (0.5, 0.5)


def cross_columns(
    graphs: tuple[InterpolatedGraph, InterpolatedGraph], seconds: float
) -> CompareRun:
    """Figure 12: three columns in a pit, crossed with interpolation and without."""
    scene = load_scene("columns")
    ends = next(q for q in scene.queries if q.name == "three")
    query = Query(
        Place(ends.start.x, ends.start.z, ends.start.yaw), GoTo(ends.goal.x, ends.goal.z),
        replace(scene, queries=(), paths=()),
    )  # fmt: skip
    found = [_solve(graph, query, None, seconds) for graph in graphs]
    return CompareRun(query, found[0][0], found[1][0], (found[0][1], found[1][1]))


def follow_curve(
    graphs: tuple[InterpolatedGraph, InterpolatedGraph], seconds: float, step: Callable[[], None]
) -> CompareRun:
    """Figure 13: a curve, in the narrowest corridor that it is found in, with and without."""
    found, widths = [], []
    query = Query(stages=Follow(winding_path(), corridor_m=CORRIDORS_M[0]))
    for graph in graphs:
        one: tuple[Solution | None, str] = None, ""
        width = math.nan
        for corridor_m in CORRIDORS_M:
            asked = Query(stages=Follow(winding_path(), corridor_m=corridor_m))
            one = _solve(graph, asked, corridor_m, seconds)
            if one[0] is not None:
                width = corridor_m
                break
        found.append(one)
        widths.append(width)
        step()
    return CompareRun(
        query, found[0][0], found[1][0], (found[0][1], found[1][1]), (widths[0], widths[1])
    )


def _solve(
    graph: InterpolatedGraph, query: Query, corridor_m: float | None, seconds: float
) -> tuple[Solution | None, str]:
    """Return the best motion of a task in its time, or why there is none."""
    problem = make_problem(graph, query, corridor_m)
    if isinstance(problem, Refusal):
        return None, problem.reason
    began = time.thread_time()
    search = TimedSearch(graph, problem, SearchOptions(), seconds)
    found = best_of(search, 1.0)
    if found is None:
        return None, f"none among {search.search.expansions:,} states"
    took = time.thread_time() - began
    return describe_solution(graph, problem, found, took, found.epsilon), ""


@dataclass(frozen=True, eq=False)
class CourseRun:
    """The obstacle course: the last plan, when the first came, the tags of clips it uses."""

    scene: Scene
    plan: Plan
    first_s: float
    tags: frozenset[str]


def run_course(
    graph: InterpolatedGraph, tags: Callable[[str], tuple[str, ...]], states: int
) -> CourseRun:
    """Figure 2: beam, holes, bar and chair, planned as anybody's task is.

    tags    of a clip by its name
    states  that one search expands at most
    """
    scene = load_scene("course")
    start = scene.queries[0].start
    chair = next(o for o in scene.obstacles if "seat" in o.points).point("seat")
    query = Query(
        Place(start.x, start.z, start.yaw),
        Sit(float(chair[0]), float(chair[2]), height_m=float(chair[1])), scene,
    )  # fmt: skip
    # Counted in states, not in seconds of a clock, a busy machine finds what an idle one does.
    options = OptimalOptions(near_enough=_NEAR, expansions=states)
    began, first_s = time.process_time(), math.nan
    last = Plan(OUT_OF_TIME, "nothing was tried")
    asked = Problem(query, graph.phases.skeleton)
    for plan in solve(METHOD, OptimalModel(graph, options), asked, Watch()):
        if plan.found and not last.found:
            first_s = time.process_time() - began
        last = plan if plan.found or not last.found else last
    names = {source.clip for segment in last.segments for source in segment.sources}
    used = frozenset(tag for name in names for tag in tags(name))
    return CourseRun(replace(scene, queries=(), paths=()), last, first_s, used)
