"""A query answered by a motion graph: the path followed, the motion made, feet held."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from footfall.adapt.foot_lock import lock_feet
from footfall.adapt.meet import meet_places
from footfall.adapt.path_edit import PathEdit, find_path_edit
from footfall.adapt.rests import facings
from footfall.adapt.variation import vary_strides
from footfall.body.clip import Clip
from footfall.errors import InputError
from footfall.gait.footprints import footprints_of
from footfall.graph.abstract import abstract_paths
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
from footfall.graph.follow import Followed, follow_path
from footfall.graph.made_ends import Motion
from footfall.graph.model import MotionGraph
from footfall.graph.motion import walk_clip, walk_segments
from footfall.graph.options import GraphOptions
from footfall.graph.pace import keep_pace, walking_speed
from footfall.maths.arrays import Floats
from footfall.maths.polyline import EvenPolyline, Polyline, prepare_path
from footfall.maths.turning import loop_hairpins
from footfall.route import turns_in_place
from footfall.task import (
    CANCELLED,
    FOUND,
    NO_CLIP,
    NO_PATH,
    OUT_OF_TIME,
    Follow,
    Plan,
    Query,
    Watch,
)
from footfall.task.stages import WITHIN_M

FAR_OFF_M = 1.0
"""Further than this from a route, no clip can follow it; a path says it by its corridor."""
LOOP_M = 0.45
"""The radius by which people of usual size turn back on the way."""
_NOTED_TURN = math.radians(5.0)
"""How far from the wished one a heading may be before it is worth a word."""
_STRAYS_M = 0.3
"""Who walks leaves no short path by more, or steps along it."""
_NOTED_SPEED = 0.1
"""How far off, as a share, a speed may be before it is worth a word."""
_MET_M = 0.3
"""An end that is no further off is brought to where it was asked for."""


def plan_on_graph(
    query: Query,
    graph: MotionGraph,
    options: GraphOptions = GraphOptions(),  # noqa: B008
    *,
    path: Floats | None = None,
    ends: Ends | None = None,
    watch: Watch | None = None,
) -> Plan:
    """A motion that follows a path through a motion graph.

    path  (N, 2) what to follow; None: the points of the query
    ends  clips to begin and to end at rest with, on the graph's character
    """
    began = time.perf_counter()
    watch = watch or Watch()
    corridor = min((s.corridor_m for s in query.stages if isinstance(s, Follow)), default=FAR_OFF_M)
    try:
        drawn = query.points if path is None else path
        line, notes = _walkable_line(drawn, graph, options, corridor, turns_in_place(query))
    except InputError as error:
        return Plan(NO_PATH, reason=str(error))
    pace = wished_pace(graph, abstract_paths(graph, options.abstraction), query.speed)
    work = _Work(query, options, line, ends, began, pace, notes)
    if line.length_m <= SHORT_M:
        stepped = work.step()
        if stepped is not None:
            return work.plan(stepped, None, {})
    if turns_in_place(query):
        return Plan(NO_CLIP, "there is nothing to turn on the spot with", path=line.points)
    found = follow_path(
        graph, line, abstraction=options.abstraction, start_node=options.start_node,
        seed=query.seed, search=options.search, ahead=options.ahead, keep=options.keep,
        at_node=options.at_node, cap=options.cap, width=options.width,
        wishes=options.wishes(query.speed), heading=_first_heading(query, options),
        give_up_m=corridor, watch=watch,
    )  # fmt: skip
    timings = dict(found.timings)
    reason = found.reason or _too_far(found, corridor)
    if reason and not (found.stopped and watch.out_of_time and len(found)):
        # Time that is over leaves what there is; whoever cancels wants nothing, and at once.
        status = NO_CLIP
        if found.stopped:
            status = OUT_OF_TIME if watch.out_of_time else CANCELLED
        stepped = work.step() if status == NO_CLIP and line.length_m <= STEPPED_M else None
        if stepped is not None:
            return work.plan(stepped, None, timings)
        return Plan(status, reason, path=line.points, timings=timings)
    return work.plan(work.make_motion(graph, found), found, timings)


@dataclass(frozen=True, eq=False)
class _Made:
    """A motion, whether it still has to be brought onto the path, and what is worth a note.

    rests  whether it begins, and if it is complete ends, at rest, facing as it happens
    """

    motion: Motion
    to_edit: bool = False
    rests: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class _Work:
    """What a motion is made for and with, once its path is known."""

    query: Query
    options: GraphOptions
    line: EvenPolyline
    ends: Ends | None
    began: float
    pace_m_s: float
    notes: tuple[str, ...] = ()

    @property
    def headings(self) -> tuple[float | None, float | None]:
        """Which way to face at the beginning and at the end, if that matters."""
        start, goal = self.query.start, self.query.goal
        return None if start is None else start.yaw, None if goal is None else goal.yaw

    def step(self) -> _Made | None:
        """The path in a few steps, if it is short and straight enough."""
        if self.ends is None or self.ends.standing is None or not self.options.edit_path:
            return None
        stepped = step_along(self.line, self.ends.standing, *self.headings)
        return None if stepped is None else _Made(stepped)

    def make_motion(self, graph: MotionGraph, found: Followed) -> _Made:
        """The walk, from standing and to standing."""
        ends = self.ends
        segments = walk_segments(graph, found.walk, ends.origins if ends else None)
        walk = Motion(walk_clip(graph, found.walk), segments, found.distances)
        if ends is None:
            return _Made(walk, to_edit=True)
        joined = join_ends(walk, ends, self.line.length_m, found.complete)
        if joined is not None:
            return _Made(joined, to_edit=True, rests=True)
        stepped = None
        if found.complete and self.line.length_m <= MOST_STEPPED_M:
            stepped = self.step()
        note = "nothing that starts and stops fits this walk; it begins and ends while walking"
        return stepped or _Made(walk, to_edit=True, notes=(note,))

    def plan(self, made: _Made, found: Followed | None, timings: Mapping[str, float]) -> Plan:
        """The motion finished: on the path, facing as asked, feet held."""
        options, motion = self.options, made.motion
        times = dict(timings)
        times["motion"] = time.perf_counter() - self.began - sum(timings.values())
        finish, notes = time.perf_counter(), [*self.notes, *made.notes]
        complete = found is None or found.complete
        if made.to_edit and options.edit_path:
            edit = find_path_edit(motion.clip, self.line, motion.distances)
            clip = self._meet_places(edit.apply(motion.clip), complete)
            stepped = self.step() if complete and self._is_off(clip) else None
            if stepped is not None:
                return self.plan(stepped, None, timings)
            motion, notes = replace(motion, clip=clip), [*notes, *_note_eased(edit, clip.fps)]
        if made.to_edit:
            motion = keep_pace(motion, self.pace_m_s, options.retiming)
            notes += self._note_speed(motion)
        if made.rests and self.ends is not None and self.ends.standing is not None:
            begin, end = self.headings
            motion = face(motion, self.ends.standing, begin, end if complete else None)
        clip = vary_strides(
            motion.clip, self.query.seed, options.variation, move_feet=options.lock_feet
        )
        if options.lock_feet:
            clip = lock_feet(clip, self.query.scene)
        prints = footprints_of(clip)
        times |= {
            "finish": time.perf_counter() - finish, "all": time.perf_counter() - self.began,
        }  # fmt: skip
        off = clip.root[:, [0, 2]] - self.line.at(motion.distances) if found is None else 0.0
        return Plan(
            status=FOUND if complete else OUT_OF_TIME,
            reason="" if found is None else found.reason,
            clip=clip,
            path=self.line.points,
            footprints=prints,
            segments=motion.segments,
            cost=float(np.sum(off**2)) if found is None else found.cost,
            timings=times,
            notes=(*_notes(self.query, found), *self._note_headings(clip), *notes),
        )

    def _is_off(self, clip: Clip) -> bool:
        """Whether the ends of a path that could be stepped are missed, or bends of a short one."""
        root, length_m = clip.root[:, [0, 2]], self.line.length_m
        if length_m <= STEPPED_M and Polyline(self.line.points).gaps(root).max() > _STRAYS_M:
            return True
        off = np.hypot(*(self.line.points[[0, -1]] - root[[0, -1]]).T)
        return length_m <= MOST_STEPPED_M and float(off.max()) > WITHIN_M

    def _meet_places(self, clip: Clip, complete: bool) -> Clip:
        """The clip brought to the ends of the path, where it is near."""
        ends = self.line.points[[0, -1]]
        near = np.hypot(*(ends - clip.root[[0, -1]][:, [0, 2]]).T) <= _MET_M
        return meet_places(
            clip, ends[0] if near[0] else None, ends[1] if near[1] and complete else None
        )

    def _note_speed(self, motion: Motion) -> list[str]:
        asked = self.query.speed
        goes = walking_speed(motion)
        if asked is None or abs(goes / asked - 1.0) <= _NOTED_SPEED:
            return []
        return [f"it goes at {goes:.2f} m/s, for no clips that fit are as fast as {asked:.2f} m/s"]

    def _note_headings(self, clip: Clip) -> list[str]:
        own, notes = facings(clip), []
        for yaw, at, does in ((self.headings[0], 0, "begins"), (self.headings[1], -1, "ends")):
            off = 0.0 if yaw is None else abs(math.remainder(yaw - float(own[at]), math.tau))
            if off > _NOTED_TURN:
                far = f"{math.degrees(off):.0f}° from what was asked for"
                notes.append(f"it {does} facing along the path, {far}")
        return notes


def _walkable_line(
    path: Floats, graph: MotionGraph, options: GraphOptions, corridor_m: float, turns: bool
) -> tuple[EvenPolyline, tuple[str, ...]]:
    """The path as it is followed, with loops where it turns back, and what there is to say.

    turns  whether somebody only turns on the spot
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


def _note_eased(edit: PathEdit, fps: float) -> list[str]:
    if not edit.eased.any():
        return []
    seconds = f"for {edit.eased.sum() / fps:.1f} s"
    return [
        f"{seconds} it keeps less closely to the path, which turns there more quickly than the body"
    ]


def _first_heading(query: Query, options: GraphOptions) -> float | None:
    # Editing lays the walk along the path from its first step on: to begin any other way would
    # only bend it before it is straightened.
    return None if query.start is None or options.edit_path else query.start.yaw


def _too_far(found: Followed, far_off_m: float) -> str:
    """One sentence on where the walk strays further from the path than that, or ""."""
    off = found.off_m
    worst = int(np.argmax(off))
    if off[worst] <= far_off_m:
        return ""
    return (
        f"no clip turns as the path does: {off[worst]:.1f} m off it "
        f"after {found.distances[worst]:.1f} of {found.line.length_m:.1f} m"
    )


def _notes(query: Query, found: Followed | None) -> list[str]:
    notes = []
    if found is not None:
        notes.append(
            f"the walk's path is {100.0 * found.rms_m:.1f} cm (root mean square) and at most "
            f"{100.0 * float(found.off_m.max()):.0f} cm from the path before it was finished"
        )
    if found is not None and found.cap_hits:
        notes.append(
            f"{found.cap_hits} of {found.searches} searches ended at their cap; "
            "a better walk may exist"
        )
    if query.prefer:
        notes.append("a motion graph does not weigh preferences among the clips it uses")
    return notes
