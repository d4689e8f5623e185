"""Search a motion graph for drafts: walks along routes, from standing to standing, on the path.

A rejected walk is not tried again. If the scene rejected it, the next route has more room. Else
its failing edges cost more in a second search, and then a graph with more transitions is used.
"""

from __future__ import annotations

import math
import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace

import numpy as np

from footfall.adapt.edit.meet import meet_places
from footfall.adapt.edit.path_edit import PathEdit, find_path_edit
from footfall.body.clip import Clip
from footfall.errors import InputError
from footfall.gait.path import path_abstraction
from footfall.gait.turn_sides import hint_to_mirror, turn_rates
from footfall.graph.abstract import abstract_paths
from footfall.graph.build import GraphModel
from footfall.graph.costs import USUAL_LEG_M, leg_m, wished_pace
from footfall.graph.ends import (
    MOST_STEPPED_M,
    SHORT_M,
    STEPPED_M,
    Ends,
    face,
    join_ends,
    step_along,
)
from footfall.graph.follow import NO_EDGES, Followed, follow_path
from footfall.graph.made_ends import Motion
from footfall.graph.model import MotionGraph
from footfall.graph.motion import walk_clip, walk_segments
from footfall.graph.options import GraphOptions
from footfall.graph.pace import keep_pace
from footfall.maths.arrays import Floats, Ints
from footfall.maths.dubins import loop_hairpins
from footfall.maths.polyline import EvenPolyline, Polyline, prepare_path
from footfall.task import CANCELLED, NO_CLIP, NO_PATH, OUT_OF_TIME, Follow, Query, Watch
from footfall.task.draft import Draft, Finishing
from footfall.task.method import Refusal
from footfall.task.problem import Problem, Rejection
from footfall.task.routes import Route, follow_routes, needs_room, turns_in_place
from footfall.task.stages import WITHIN_M

FAR_OFF_M = 1.0
"""A walk further than this from a route does not follow it; a path has its corridor."""
EDITED_M = 0.6
"""Editing brings a walk onto the path from this far, whatever the corridor."""
LOOP_M = 0.45
"""The radius by which people of usual size turn back while walking."""
_TRIES = 2
"""How many walks are tried on one graph, the later ones without the edges that failed."""
_AROUND_M = 0.3
"""Edges that are played within this distance of a failing span are avoided as well."""
_STRAYS_M = 0.3
"""A walk that leaves a short path by more is replaced by steps along it."""
_MET_M = 0.3
"""An end that is no further off is brought to where it was asked for."""
_EDIT_SHARES = (1.0, 0.5, 0.25, 0.0)
"""Shares of a path edit that are tried until it brings no frame further off the path."""
_UNSEEN_M = 0.05
"""A walk that stays as close as this to its path is close enough."""


def search_all(model: GraphModel, problem: Problem, watch: Watch) -> Iterator[Draft | Refusal]:
    """Return walks along routes from tight to wide, until one passes."""
    return follow_routes(
        model.routes, problem, watch, lambda route: _follow_route(model, problem, route)
    )


def _follow_route(
    model: GraphModel, problem: Problem, route: Route
) -> Generator[Draft | Refusal, None, bool]:
    """Yield walks along one route on graphs from strict to lax; return whether to stop there."""
    made: Draft | Refusal = Refusal("no graph could be built")
    for rung in range(model.rungs):
        graph = model.graph(rung, route.watch)
        if isinstance(graph, str):
            continue
        avoided = NO_EDGES
        for _ in range(_TRIES):
            made = draft_walk(
                problem.query, graph, model.options, path=route.path, ends=model.ends,
                avoid=avoided, watch=route.watch,
            )  # fmt: skip
            if isinstance(made, Refusal):
                break
            made = replace(made, notes=(*made.notes, *model.note_rung(rung), *route.notes))
            yield made
            rejection = problem.rejection_of(made)
            if rejection is None or not made.complete:
                return True
            if made.made_of is None or needs_room(rejection):
                return False
            failing = _find_edges(made.made_of, rejection)
            if not len(np.setdiff1d(failing, avoided)):
                break
            avoided = np.union1d(avoided, failing).astype(np.int32)
        if isinstance(made, Refusal) and made.status != NO_CLIP:
            break
    if isinstance(made, Refusal):
        yield made
        return made.status != NO_CLIP
    return False


@dataclass(frozen=True, eq=False)
class _Shown:
    """The walk that a draft was made of, and how far along the path each frame of the draft is."""

    found: Followed
    distances: Floats


def _find_edges(played: _Shown, rejection: Rejection) -> Ints:
    """Find the edges that are played in the failing spans, if those are not most of the motion."""
    _, edges, _ = played.found.walk.spread()
    frames, failing = len(played.distances), np.zeros(len(edges), np.bool_)
    for first, stop in rejection.spans:
        if 2 * (stop - first) > frames:
            continue
        begin, end = played.distances[[min(max(n, 0), frames - 1) for n in (first, stop - 1)]]
        along = played.found.distances
        failing |= (along >= begin - _AROUND_M) & (along <= end + _AROUND_M)
    return np.unique(edges[failing]).astype(np.int32)


# ---- one walk -------------------------------------------------------------------------------


def draft_walk(
    query: Query,
    graph: MotionGraph,
    options: GraphOptions = GraphOptions(),  # noqa: B008
    *,
    path: Floats | None = None,
    ends: Ends | None = None,
    avoid: Ints = NO_EDGES,
    watch: Watch | None = None,
) -> Draft | Refusal:
    """Draft a walk along a path through a motion graph.

    path   (N, 2) the path to follow; None: the points of the query
    ends   clips to begin and to end at rest with, on the graph's character
    avoid  edges of the graph that cost more
    """
    watch = watch or Watch()
    corridor = min((s.corridor_m for s in query.stages if isinstance(s, Follow)), default=FAR_OFF_M)
    try:
        drawn = query.points if path is None else path
        line, notes = _walkable_line(drawn, graph, options, corridor, turns_in_place(query))
    except InputError as error:
        return Refusal(str(error), NO_PATH)
    work = _State(query, graph, options, line, ends, notes)
    stepped = work.step() if line.length_m <= SHORT_M else None
    if stepped is not None:
        return stepped
    if turns_in_place(query):
        return Refusal("there is nothing to turn on the spot with")
    far_m = max(corridor, EDITED_M) if options.edit_path else corridor
    found = follow_path(
        graph, line, abstraction=options.abstraction, start_node=options.start_node,
        seed=query.seed, search=options.search, ahead=options.ahead, keep=options.keep,
        at_node=options.at_node, cap=options.cap, width=options.width,
        wishes=options.wishes(query.speed), heading=_first_heading(query, options),
        give_up_m=far_m, avoid=avoid, watch=watch,
    )  # fmt: skip
    reason = found.reason or _describe_stray(found, far_m)
    if found.stopped and not (watch.out_of_time and len(found)):
        # If time is over, what was found so far is a draft; after cancelling nothing is wanted.
        return Refusal(reason, OUT_OF_TIME if watch.out_of_time else CANCELLED)
    if reason and not found.stopped:
        stepped = work.step() if line.length_m <= STEPPED_M else None
        return stepped or Refusal(reason + ("" if options.mirror else _hint(graph)))
    return work.walk(found)


def _hint(graph: MotionGraph) -> str:
    """Suggest mirrored clips if those of the graph turn to one side only."""
    clips = np.split(graph.root, graph.clip_start[1:-1])
    return hint_to_mirror(np.concatenate([turn_rates(root, graph.fps) for root in clips]))


@dataclass(frozen=True, eq=False)
class _State:
    """What a draft is made for and with, once its path is known."""

    query: Query
    graph: MotionGraph
    options: GraphOptions
    line: EvenPolyline
    ends: Ends | None
    notes: tuple[str, ...] = ()

    @property
    def headings(self) -> tuple[float | None, float | None]:
        """The headings at the beginning and at the end, if they matter."""
        start, goal = self.query.start, self.query.goal
        return None if start is None else start.yaw, None if goal is None else goal.yaw

    def step(self) -> Draft | None:
        """Draft a few steps along the path; None if it is not short and straight enough."""
        if self.ends is None or self.ends.standing is None or not self.options.edit_path:
            return None
        stepped = step_along(self.line, self.ends.standing, *self.headings)
        if stepped is None:
            return None
        off = stepped.clip.root[:, [0, 2]] - self.line.at(stepped.distances)
        return self._draft(stepped, cost=float(np.sum(off**2)))

    def walk(self, found: Followed) -> Draft:
        """Draft the walk that was found: from and to standing, on the path, at the wished pace."""
        began, options = time.perf_counter(), self.options
        notes = [*self.notes, *_note_walk(found)]
        motion, rests = self._join_ends(found)
        stepped = None
        if self.ends is not None and not rests:
            short = found.complete and self.line.length_m <= MOST_STEPPED_M
            stepped = self.step() if short else None
            notes.append("no start and stop fits this walk; it begins and ends while walking")
        if stepped is None and options.edit_path:
            clip, edit = self._edit(motion, found.complete)
            stepped = self.step() if found.complete and self._is_off(clip) else None
            motion, notes = replace(motion, clip=clip), [*notes, *_note_eased(edit, clip.fps)]
        if stepped is not None:
            return stepped
        paths = abstract_paths(self.graph, options.abstraction)
        pace_m_s = wished_pace(self.graph, paths, self.query.speed)
        motion = keep_pace(motion, pace_m_s, options.retiming)
        if rests and self.ends is not None and self.ends.standing is not None:
            begin, end = self.headings
            motion = face(motion, self.ends.standing, begin, end if found.complete else None)
        return replace(
            self._draft(motion, cost=found.cost),
            complete=found.complete,
            reason=found.reason,
            notes=tuple(notes),
            timings={**found.timings, "motion": time.perf_counter() - began},
            made_of=_Shown(found, motion.distances),
        )

    def _draft(self, motion: Motion, cost: float) -> Draft:
        options = self.options
        finishing = Finishing(
            variation=options.variation, move_feet=options.lock_feet, lock_feet=options.lock_feet
        )
        return Draft(
            motion.clip, motion.segments, cost, path=self.line.points, finishing=finishing,
            notes=self.notes,
        )  # fmt: skip

    def _join_ends(self, found: Followed) -> tuple[Motion, bool]:
        """Make the walk's motion, from and to standing if that can be; return whether it is."""
        ends = self.ends
        segments = walk_segments(self.graph, found.walk, ends.origins if ends else None)
        walk = Motion(walk_clip(self.graph, found.walk), segments, found.distances)
        joined = None
        if ends is not None:
            joined = join_ends(walk, ends, self.line.length_m, found.complete)
        return (walk, False) if joined is None else (joined, True)

    def _edit(self, motion: Motion, complete: bool) -> tuple[Clip, PathEdit]:
        """Bring the walk onto the path, by as much of the edit as brings it no further off."""
        edit = find_path_edit(motion.clip, self.line, motion.distances)
        allowed_m, best = max(self._stray(motion.clip), _UNSEEN_M), math.inf
        clip = motion.clip
        for share in _EDIT_SHARES:
            tried = self._meet_places(edit.scale(share).apply(motion.clip), complete)
            stray = self._stray(tried)
            if stray < best:
                clip, best = tried, stray
            if best <= allowed_m:
                break
        return clip, edit

    def _stray(self, clip: Clip) -> float:
        """Return how far the hips, with or without their sway, leave the path, metres."""
        asked = Polyline(self.query.points) if self.query.follows else self.line
        paths = clip.root[:, [0, 2]], path_abstraction(clip)
        return float(min(asked.gaps(points).max() for points in paths))

    def _is_off(self, clip: Clip) -> bool:
        """Return whether a path that could be stepped is missed at its ends or bends."""
        root, length_m = clip.root[:, [0, 2]], self.line.length_m
        if length_m <= STEPPED_M and Polyline(self.line.points).gaps(root).max() > _STRAYS_M:
            return True
        off = np.hypot(*(self.line.points[[0, -1]] - root[[0, -1]]).T)
        return length_m <= MOST_STEPPED_M and float(off.max()) > WITHIN_M

    def _meet_places(self, clip: Clip, complete: bool) -> Clip:
        """Bring the clip to the ends of the path, where it is near."""
        ends = self.line.points[[0, -1]]
        near = np.hypot(*(ends - clip.root[[0, -1]][:, [0, 2]]).T) <= _MET_M
        return meet_places(
            clip, ends[0] if near[0] else None, ends[1] if near[1] and complete else None
        )


def _walkable_line(
    path: Floats, graph: MotionGraph, options: GraphOptions, corridor_m: float, turns: bool
) -> tuple[EvenPolyline, tuple[str, ...]]:
    """Return the path with loops where it turns back, and notes on them.

    turns  whether the query only asks for another heading
    """
    if turns:  # the shortest of paths, for there has to be one
        return Polyline(np.stack([path[-1], path[-1] + [0.0, 0.01]])).resample(), ()
    line = prepare_path(
        path, closed=options.closed, rounds=options.rounds, corner_radius_m=options.corner_radius_m
    )
    radius = LOOP_M * leg_m(graph.skeleton) / USUAL_LEG_M
    looped = loop_hairpins(line, radius)
    if looped is line or line.gaps(looped.points).max() > corridor_m:
        return line, ()
    how = f"there it goes round a loop of {radius:.2f} m radius"
    return looped, (f"the path turns back more tightly than a body does: {how}",)


def _first_heading(query: Query, options: GraphOptions) -> float | None:
    # Editing lays the walk along the path from its first step on: to begin any other way would
    # only bend it before it is straightened.
    return None if query.start is None or options.edit_path else query.start.yaw


def _describe_stray(found: Followed, far_off_m: float) -> str:
    """Return one sentence on where the walk is further from the path than that, or ""."""
    off = found.stray_m if len(found) else found.off_m
    worst = int(np.argmax(off)) if len(off) else 0
    if not len(off) or off[worst] <= far_off_m:
        return ""
    return (
        f"no clip turns as the path does: {off[worst]:.1f} m off it "
        f"after {found.distances[worst]:.1f} of {found.line.length_m:.1f} m"
    )


def _note_eased(edit: PathEdit, fps: float) -> list[str]:
    if not edit.eased.any():
        return []
    seconds = f"for {edit.eased.sum() / fps:.1f} s"
    return [
        f"{seconds} it keeps less closely to the path, which turns there more quickly than the body"
    ]


def _note_walk(found: Followed) -> list[str]:
    notes = [
        f"the walk's path is {100.0 * found.rms_m:.1f} cm (root mean square) and at most "
        f"{100.0 * float(found.off_m.max()):.0f} cm from the path before it was finished"
    ]
    if found.cap_hits:
        notes.append(
            f"{found.cap_hits} of {found.searches} searches ended at their cap; "
            "a better walk may exist"
        )
    return notes
