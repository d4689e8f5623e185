"""Searches of a problem: how they begin, what is told of them, why they found nothing."""

from __future__ import annotations

import math
import time

from footfall.optimal.avoid import Avoided
from footfall.optimal.failures import explain_failure
from footfall.optimal.goals import make_goals
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.options import OptimalOptions
from footfall.optimal.plan_problem import PathProblem
from footfall.optimal.search import Found, PathSearch
from footfall.task import NO_CLIP, OUT_OF_TIME, Watch
from footfall.task.method import Refusal

_SEARCHED = 0.95


def begin_search(
    graph: InterpolatedGraph, problem: PathProblem, options: OptimalOptions, deadline: float,
    watch: Watch, avoided: Avoided | None = None,
) -> PathSearch:  # fmt: skip
    """Return a search of a problem, about to begin, that keeps away from what is avoided."""
    watch.check()
    avoided = avoided or Avoided()
    search = PathSearch(
        graph, avoided.narrow(problem.world), make_goals(problem.constraints),
        problem.starts.nodes, problem.starts.poses, options.search, deadline=deadline,
        cancel=watch.flag, forbidden=avoided.edges(graph),
    )  # fmt: skip
    # Counted in states, not in seconds, the same task has the same answer on any machine.
    search.anytime.most = float(options.expansions)
    return search


def time_after(watch: Watch, share: float) -> float:
    """Return when a share of the time that is left is over; inf where the query has no `time_s`.

    The last motion is to be made in what remains.
    """
    now = time.perf_counter()
    return now + min(share, 1.0) * _SEARCHED * (watch.deadline - now)


def tell_found(watch: Watch, found: Found, share: float) -> None:
    """Pass on that a better path is found."""
    note = f"searching, {found.expansions:,} states expanded"
    watch.tell(min(share, 0.99), cost=found.cost, bound=found.bound, note=note)


def explain_ending(graph: InterpolatedGraph, problem: PathProblem, search: PathSearch) -> Refusal:
    """Return why a search found nothing."""
    if search.ending in ("out of time", "given up"):
        expanded = f"{search.expansions:,} states"
        reason = f"the time given was over before a motion was found; {expanded} were expanded"
        if search.ending == "given up":
            reason = f"no motion was found among {expanded}; more may do (option expansions)"
        return Refusal(reason, OUT_OF_TIME)
    if search.ending == "out of memory":
        megabytes = f"{search.memory / 1e6:,.0f} MB"
        reason = f"the search needs more than the {megabytes} that it may take (option memory_mb)"
        return Refusal(reason)
    closest = search.closest()
    status, reason = explain_failure(
        graph, problem.world, problem.query, problem.sketch, problem.constraints,
        None if closest is None else (closest.poses[-1], len(closest.met)),
    )  # fmt: skip
    times = [c.by_s for c in problem.constraints if math.isfinite(c.by_s)]
    if times and status == NO_CLIP:
        reason = f"{reason}; it is to be done within {times[-1]:g} s, perhaps more time helps"
    return Refusal(reason, status)


def say_bound(bound: float) -> str:
    """What is proven, in words."""
    if not math.isfinite(bound):
        return "nothing is proven of its cost"
    return f"it costs at most {max(bound, 1.0):.2f} times the least"
