"""A query answered by anytime search: a motion soon, better ones as time goes on, with a bound.

A task is searched as a whole; one that is longer than a window is searched window by window, each
going on from where the former was left, and what is proven is proven for each window.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from footfall.errors import InputError
from footfall.maths.arrays import Floats, Ints
from footfall.maths.polyline import distances_along
from footfall.optimal.environment import environment_constraints
from footfall.optimal.failures import explain_failure, find_barrier
from footfall.optimal.finish import Path, finish_motion
from footfall.optimal.goals import Constraint, make_constraints, make_goals
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.options import OptimalOptions
from footfall.optimal.problem import World
from footfall.optimal.search import Found, PathSearch, search_paths
from footfall.optimal.sketch import Sketch, make_sketch
from footfall.optimal.starts import Starts, face_seats, find_starts
from footfall.optimal.world import make_world, narrow_world, pack_body, pack_world
from footfall.task import NO_CLIP, OUT_OF_TIME, Plan, Query, Sit, Watch
from footfall.task.method import Refusal
from footfall.task.stages import Pick, PutDown

NARROWER_M = (0.0, 0.03, 0.06)
"""How much more room the body is given after a motion touched something."""
TRIES = ((0.0, 1000.0, 0.3), (0.0, 2.0, 0.6), (0.15, 2.0, 6.0))
"""How a task is tried until there is a motion: metres of more tolerance, the epsilon to begin
with at most (a large one may lead into a blind alley near the goal), and by when it has to be
found, in times that are given to better ones."""
_WIDER = 2.0
"""How many times as wide the corridor is made where nothing is found in it."""
_SEARCHED, _LEG = 0.95, 0.5
_NO_LIMIT = 2_000_000_000
_GAIN = 0.6
"""The share of a window that is kept before the next is searched from there."""
_AHEAD_M, _BEHIND_M = 0.6, 1.5


@dataclass(frozen=True, eq=False)
class Problem:
    """What is searched: a part of the sketch of a query, from some starts.

    constraints  those of the part, in order; `first` is the number of the first among all
    """

    query: Query
    sketch: Sketch
    world: World
    constraints: list[Constraint]
    starts: Starts


def solve_query(
    graph: InterpolatedGraph, query: Query, options: OptimalOptions, watch: Watch
) -> Iterator[Plan]:
    """Plans of a query, each cheaper than the one before, or better proven."""
    query = face_seats(query)
    if math.isfinite(watch.deadline):
        # All the time that there is, but for the last motion to be made.
        left = max(_SEARCHED * (watch.deadline - time.perf_counter()), 0.01)
        options = replace(options, search_s=left, expansions=_NO_LIMIT)
    try:
        sketch = make_sketch(query, options.corridor_m)
        problem = set_up(graph, query, sketch, options.window_m)
    except InputError as error:  # what moves, or a scene without any floor
        yield Plan(NO_CLIP, str(error))
        return
    if isinstance(problem, Refusal):
        yield replace(problem.plan(), path=sketch.points)
    elif sketch.length_m > 1.25 * options.window_m:
        yield from _solve_windows(graph, problem, options, watch)
    elif find_barrier(graph, problem.world, query, sketch.points) is None:
        yield from _solve_whole(graph, problem, options, watch)
    else:
        yield from _solve_wider(graph, problem, options, watch)


def set_up(
    graph: InterpolatedGraph, query: Query, sketch: Sketch, window_m: float = math.inf
) -> Problem | Refusal:
    """The whole of a query, ready to be searched; or why it cannot be done.

    window_m  of a sketch that is longer only the beginning is in the world
    """
    long = sketch.length_m > 1.25 * window_m
    part = _stretch(sketch, 0.0, window_m) if long else sketch
    world = _world(query, part)
    constraints: list[Constraint] = []
    for number in range(len(query.stages)):
        there = _world(query, _around(sketch, number)) if long else world
        made = make_constraints(graph, there, query, number, float(sketch.stages_m[number]))
        if isinstance(made, Refusal):
            return made
        constraints += made
    if not long:
        constraints = _with_environment(graph, world, sketch, constraints)
    ahead = _heading(sketch.points)
    starts = find_starts(graph, pack_world(world), pack_body(graph), query, ahead)
    if isinstance(starts, Refusal):
        return starts
    return Problem(query, sketch, world, constraints, starts)


def _with_environment(
    graph: InterpolatedGraph, world: World, sketch: Sketch, constraints: list[Constraint],
    first_m: float = 0.0,
) -> list[Constraint]:  # fmt: skip
    """The constraints with those that the scene puts on the sketch among them."""
    found = environment_constraints(graph, world, sketch.points, sketch.corridor_m, first_m=first_m)
    # Stages that are done at the same place come after: one jumps, then stands there.
    return sorted([*found, *constraints], key=lambda c: c.along_m)


def _world(query: Query, sketch: Sketch) -> World:
    return make_world(query.scene, sketch.points, sketch.corridor_m, _touched(query), sketch.rooms)


def _stretch(sketch: Sketch, first: float, last: float) -> Sketch:
    """A sketch between two distances along it, with the rooms that are near."""
    along = distances_along(sketch.points)
    first, last = max(first, 0.0), min(last, float(along[-1]))
    inside = (along > first) & (along < last)
    ends = [_at(sketch.points, along, d)[None] for d in (first, last)]
    points = np.concatenate([ends[0], sketch.points[inside], ends[1]])
    near = [room for room in sketch.rooms if _is_near(points, room)]
    return replace(sketch, points=points, rooms=np.array(near).reshape(-1, 3))


def _around(sketch: Sketch, stage: int) -> Sketch:
    """A sketch where a stage is done."""
    here = float(sketch.stages_m[stage])
    return _stretch(sketch, here - _BEHIND_M, here + _BEHIND_M)


def _is_near(points: Floats, room: Floats) -> bool:
    low, high = points.min(axis=0) - room[2], points.max(axis=0) + room[2]
    return bool((room[:2] >= low).all() and (room[:2] <= high).all())


def _touched(query: Query) -> list[Floats]:
    """The points that hands and seat are to be at."""
    out = []
    for stage in query.stages:
        if isinstance(stage, Pick | PutDown):
            out.append(np.array([stage.x, stage.y, stage.z]))
        elif isinstance(stage, Sit):
            ground = 0.0 if query.scene is None else _floor(query, stage)
            out.append(np.array([stage.x, ground + stage.height_m, stage.z]))
    return out


def _floor(query: Query, stage: Sit) -> float:
    assert query.scene is not None
    level = float(query.scene.height(np.array([[stage.x, stage.z]]))[0])
    return level if math.isfinite(level) else 0.0


def _heading(points: Floats) -> float:
    """Which way a path goes at its beginning."""
    away = points - points[0]
    far = np.flatnonzero(np.hypot(*away.T) > 0.3)
    x, z = away[far[0]] if len(far) else (0.0, 1.0)
    return math.atan2(x, z)


# ---- in one go ---------------------------------------------------------------------------


def _solve_whole(
    graph: InterpolatedGraph, problem: Problem, options: OptimalOptions, watch: Watch
) -> Iterator[Plan]:
    """Plans of a task that is searched as a whole, the first of them as soon as there is one.

    A motion that touches something is searched again with more room; where nothing meets the
    tolerances in time they are relaxed, and what is missed is spread over the steps before.
    """
    run = _Run(graph, problem, options, watch)
    for slack_m, epsilon, share in TRIES:
        for narrower in NARROWER_M:
            yield from run.improve(narrower, slack_m, epsilon, share * options.search_s)
            watch.check()
            if math.isfinite(run.best):
                return
            if not run.trouble or run.is_over:
                break
        if run.trouble or run.is_over or run.search.ending in ("no path", "out of memory"):
            break
        if slack_m == 0.0:
            made = _solve_legs(run)
            if made is not None:
                yield made
                return
    if run.trouble:
        yield Plan(NO_CLIP, run.trouble, path=problem.sketch.points)
    else:
        yield from _widen(run)


def _solve_legs(run: _Run) -> Plan | None:
    """A motion that does one thing after the other, each as cheaply as is soon found; or None.

    What is cheapest for one thing may be dear for the next: nothing is proven of the whole.
    """
    legs = _legs(run.problem.constraints)
    if len(legs) < 2:
        return None
    none: Ints = np.zeros(0, np.int32)
    kept = _Kept(none, none, np.zeros((0, 3)), none, (), 0.0)
    starts = run.problem.starts
    for number, leg in enumerate(legs):
        part = replace(run.problem, constraints=leg, starts=starts)
        deadline = min(run.watch.deadline, time.perf_counter() + _LEG * run.options.search_s)
        search = _begin_search(run.graph, part, run.options, deadline, run.watch)
        found = None
        for found in search:
            run.watch.tell(0.5, note=f"searching, {found.expansions:,} states expanded")
        run.watch.check()
        if found is None:
            return None
        note = f"leg {number + 1}: {_say_bound(found.bound)}"
        kept = _join(run.graph, kept, found, len(found.edges), found.met, note)
        starts = Starts(found.nodes[-1:], found.poses[-1:])
    path = Path(kept.edges, kept.nodes, kept.poses, kept.met)
    made = finish_motion(run.graph, path, run.problem.query, run.problem.constraints)
    if not made.found:
        return None
    notes = (*made.notes, "searched leg by leg, so nothing is proven of the whole", *kept.notes)
    return replace(made, cost=kept.cost, path=run.problem.sketch.points, notes=notes)


def _legs(constraints: list[Constraint]) -> list[list[Constraint]]:
    """The constraints in groups, each of which ends with an exact one."""
    out: list[list[Constraint]] = [[]]
    for constraint in constraints:
        out[-1].append(constraint)
        if constraint.is_exact:
            out.append([])
    return [leg for leg in out if leg]


class _Run:
    """A task being searched, with what is known so far.

    best     the cost of the best motion; inf before there is one
    trouble  what is wrong with the first motion, if anything is
    rows     how it got better
    """

    def __init__(
        self, graph: InterpolatedGraph, problem: Problem, options: OptimalOptions, watch: Watch
    ) -> None:
        self.graph, self.problem, self.options = graph, problem, options
        self.watch, self.began = watch, time.perf_counter()
        self.best, self.trouble = math.inf, ""
        self.rows: list[tuple[float, float, float, float]] = []
        self.search: PathSearch

    @property
    def is_over(self) -> bool:
        """Whether the time to find anything is over."""
        longest = self.began + TRIES[-1][2] * self.options.search_s
        return time.perf_counter() > min(self.watch.deadline, longest)

    def improve(
        self, narrower: float, slack_m: float, epsilon: float, until_s: float
    ) -> Iterator[Plan]:
        """Plans of one search, each better than the last, the first within `until_s`."""
        problem = self.problem
        options = replace(self.options, epsilon=min(epsilon, self.options.epsilon))
        eased = replace(problem, world=narrow_world(problem.world, narrower),
                        constraints=[c.relaxed(slack_m) for c in problem.constraints])  # fmt: skip
        deadline = min(self.watch.deadline, self.began + until_s)
        self.search = _begin_search(self.graph, eased, options, deadline, self.watch)
        made, known = None, np.zeros(0, np.int32)
        for found in self.search:
            # Once there is one there is time for better ones.
            self.search.anytime.deadline = min(self.watch.deadline, self.began + options.search_s)
            now = time.perf_counter() - self.began
            self.rows.append((now, found.cost, found.bound, float(found.expansions)))
            _tell(self.watch, found, now / options.search_s)
            if made is None or not np.array_equal(known, found.edges):
                path = Path(found.edges, found.nodes, found.poses, found.met)
                made = finish_motion(self.graph, path, problem.query, problem.constraints)
                known = found.edges
            if made.found:
                self.best, self.trouble = found.cost, ""
                yield self._plan(made, found, slack_m)
            elif not math.isfinite(self.best):
                self.trouble = self.trouble or made.reason
                if narrower < NARROWER_M[-1]:
                    return

    def _plan(self, made: Plan, found: Found, slack_m: float) -> Plan:
        """A motion as the plan that the search found it as."""
        notes = made.notes
        if slack_m > 0.0:
            notes = (*notes, f"searched with {100 * slack_m:.0f} cm more tolerance, which is "
                             "spread over the steps before")  # fmt: skip
        return replace(
            made, cost=found.cost, bound=max(found.bound, 1.0), notes=notes,
            path=self.problem.sketch.points, anytime=np.array(self.rows),
            timings={**made.timings, "search": self.rows[-1][0]},
        )  # fmt: skip


def _begin_search(
    graph: InterpolatedGraph, problem: Problem, options: OptimalOptions, deadline: float,
    watch: Watch,
) -> PathSearch:  # fmt: skip
    search = search_paths(
        graph, problem.world, make_goals(problem.constraints), problem.starts.nodes,
        problem.starts.poses, options.search, deadline=deadline, cancel=watch.flag,
    )  # fmt: skip
    # Counted in states, not in seconds, the same task has the same answer on any machine.
    search.anytime.most = float(options.expansions)
    return search


def _tell(watch: Watch, found: Found, share: float) -> None:
    note = f"searching, {found.expansions:,} states expanded"
    watch.tell(min(share, 0.99), cost=found.cost, bound=found.bound, note=note)


def _widen(run: _Run) -> Iterator[Plan]:
    """The same in a wider corridor, once, where the corridor is our own; else why there is none."""
    own = run.options.corridor_m is None and not run.problem.query.follows
    if own and run.search.ending == "no path":
        yield from _solve_wider(run.graph, run.problem, run.options, run.watch)
    else:
        yield _why_not(run.graph, run.problem, run.search)


def _solve_wider(
    graph: InterpolatedGraph, problem: Problem, options: OptimalOptions, watch: Watch
) -> Iterator[Plan]:
    """Plans in a wider corridor, where it is our own; else what closes the corridor."""
    if options.corridor_m is None and not problem.query.follows:
        wide = replace(problem.sketch, corridor_m=_WIDER * problem.sketch.corridor_m)
        again = set_up(graph, problem.query, wide)
        problem = problem if isinstance(again, Refusal) else again
    barrier = find_barrier(graph, problem.world, problem.query, problem.sketch.points)
    if barrier is not None:
        yield Plan(*barrier, path=problem.sketch.points)
    else:
        fixed = replace(options, corridor_m=problem.sketch.corridor_m)
        yield from _solve_whole(graph, problem, fixed, watch)


def _why_not(graph: InterpolatedGraph, problem: Problem, search: PathSearch) -> Plan:
    """Why a search found nothing."""
    if search.ending in ("out of time", "given up"):
        expanded = f"{search.expansions:,} states"
        reason = f"the time given was over before a motion was found; {expanded} were expanded"
        if search.ending == "given up":
            reason = f"no motion was found among {expanded}; more may do (option expansions)"
        return Plan(OUT_OF_TIME, reason, path=problem.sketch.points)
    if search.ending == "out of memory":
        megabytes = f"{search.memory / 1e6:,.0f} MB"
        reason = f"the search needs more than the {megabytes} that it may take (option memory_mb)"
        return Plan(NO_CLIP, reason, path=problem.sketch.points)
    closest = search.closest()
    status, reason = explain_failure(
        graph, problem.world, problem.query, problem.sketch.points, problem.constraints,
        None if closest is None else (closest.poses[-1], len(closest.met)),
    )  # fmt: skip
    return Plan(status, reason, path=problem.sketch.points)


# ---- window by window --------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Kept:
    """What of a long task is planned so far."""

    edges: Ints
    nodes: Ints
    poses: Floats
    met: Ints
    notes: tuple[str, ...]
    cost: float


def _solve_windows(
    graph: InterpolatedGraph, problem: Problem, options: OptimalOptions, watch: Watch
) -> Iterator[Plan]:
    """The plan of a task that is longer than a window."""
    windows = math.ceil(problem.sketch.length_m / (_GAIN * options.window_m))
    each_s = options.search_s / windows
    trouble = ""
    for narrower in NARROWER_M:
        kept = _search_windows(graph, problem, options, watch, each_s, narrower)
        if isinstance(kept, Plan):
            yield kept
            return
        path = Path(kept.edges, kept.nodes, kept.poses, kept.met)
        made = finish_motion(graph, path, problem.query, problem.constraints)
        watch.check()
        if made.found:
            yield replace(made, cost=kept.cost, bound=math.inf, path=problem.sketch.points,
                          notes=(*made.notes, *kept.notes))  # fmt: skip
            return
        trouble = trouble or made.reason
    yield Plan(NO_CLIP, trouble, path=problem.sketch.points)


def _search_windows(
    graph: InterpolatedGraph, problem: Problem, options: OptimalOptions, watch: Watch,
    each_s: float, narrower: float,
) -> _Kept | Plan:  # fmt: skip
    """All windows one after the other, or the plan that says why one has no path."""
    none: Ints = np.zeros(0, np.int32)
    kept = _Kept(none, none, np.zeros((0, 3)), none, (), 0.0)
    length, here, done, gone_s = problem.sketch.length_m, 0.0, 0, 0.0
    starts = problem.starts
    while True:
        end = here + options.window_m
        last = end > length - 0.25 * options.window_m
        part = _window(graph, problem, here, length if last else end, done, last, gone_s)
        part = replace(part, starts=starts, world=narrow_world(part.world, narrower))
        found = _best_in(graph, part, options, watch, each_s, here / length)
        if isinstance(found, Plan):
            return found
        count = len(found.edges) if last else _count_kept(problem, found, here, options)
        met = found.met[found.met <= count][: len(part.constraints) - (0 if last else 1)]
        note = f"{here:.0f} to {min(end, length):.0f} m: {_say_bound(found.bound)}"
        kept = _join(graph, kept, found, count, met, note)
        gone_s += float(graph.edge_seconds[found.edges[:count]].sum())
        done += len(met)
        if last:
            return kept
        starts = Starts(found.nodes[count : count + 1], found.poses[count : count + 1])
        here = max(_along(problem, found.poses[count, :2], here), here + 0.5)


def _say_bound(bound: float) -> str:
    if not math.isfinite(bound):
        return "nothing is proven of its cost"
    return f"it costs at most {max(bound, 1.0):.2f} times the least"


def _window(
    graph: InterpolatedGraph, problem: Problem, here: float, end: float, done: int, last: bool,
    gone_s: float,
) -> Problem:  # fmt: skip
    """The part of a problem between two distances along its sketch."""
    sketch = problem.sketch
    part = _stretch(sketch, here - _BEHIND_M, end + _AHEAD_M)
    left = [replace(c, by_s=c.by_s - gone_s) for c in problem.constraints[done:]]
    chosen = left if last else [c for c in left if c.along_m <= end - _AHEAD_M]
    if not last:
        at = _at(sketch.points, distances_along(sketch.points), end)
        chosen.append(replace(_end_of_window(graph, at), along_m=end))
    world = _world(problem.query, part)
    begins = max(here - _BEHIND_M, 0.0)
    chosen = _with_environment(graph, world, part, chosen, begins)
    chosen = [c for c in chosen if c.stage >= 0 or c.along_m > here]
    return Problem(problem.query, part, world, chosen, problem.starts)


def _end_of_window(graph: InterpolatedGraph, at: Floats) -> Constraint:
    """The root near a point of the sketch, on its feet."""
    count = len(graph.node_a)
    upright = (graph.node_signature & ~3) == 0
    return Constraint(
        -1, upright & (graph.node_signature > 0), np.zeros((count, 3)),
        np.array([at[0], math.nan, at[1]]), _AHEAD_M, np.zeros(count),
    )  # fmt: skip


def _at(points: Floats, along: Floats, distance: float) -> Floats:
    return np.array([np.interp(distance, along, points[:, k]) for k in range(2)])


def _best_in(
    graph: InterpolatedGraph, part: Problem, options: OptimalOptions, watch: Watch, each_s: float,
    share: float,
) -> Found | Plan:  # fmt: skip
    """The best path of a window in its time; as long as it takes for the first."""
    best: Found | None = None
    began = time.perf_counter()
    search = _begin_search(graph, part, options, watch.deadline, watch)
    for best in search:
        note = f"searching, {best.expansions:,} states expanded"
        watch.tell(share, cost=best.cost, bound=best.bound, note=note)
        if time.perf_counter() - began > each_s:
            break
    watch.check()
    return _why_not(graph, part, search) if best is None else best


def _count_kept(problem: Problem, found: Found, here: float, options: OptimalOptions) -> int:
    """How many edges of a window are kept: to the first node beyond a share of it."""
    for n in range(1, len(found.edges)):
        if _along(problem, found.poses[n, :2], here) > here + _GAIN * options.window_m:
            return n
    return len(found.edges)


def _along(problem: Problem, at: Floats, beyond: float) -> float:
    """How far along the sketch a place is, not before `beyond`."""
    points = problem.sketch.points
    along = distances_along(points)
    dense = np.arange(max(beyond - 1.0, 0.0), along[-1] + 0.1, 0.1)
    near = np.stack([np.interp(dense, along, points[:, k]) for k in range(2)], axis=1)
    window = dense <= beyond + 40.0
    return float(dense[window][np.hypot(*(near[window] - at).T).argmin()])


def _join(
    graph: InterpolatedGraph, kept: _Kept, found: Found, count: int, met: Ints, note: str
) -> _Kept:
    before = len(kept.edges)
    nodes, poses = found.nodes[: count + 1], found.poses[: count + 1]
    if before:
        nodes, poses = nodes[1:], poses[1:]
    edges = found.edges[:count]
    return _Kept(
        np.concatenate([kept.edges, edges]), np.concatenate([kept.nodes, nodes]),
        np.concatenate([kept.poses, poses]), np.concatenate([kept.met, met + before]),
        (*kept.notes, note), kept.cost + float(graph.edge_cost[edges].sum()),
    )  # fmt: skip
