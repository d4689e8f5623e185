"""A query answered by a motion graph: the path followed, the motion made, feet held."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from footfall.adapt.ends import (
    EndClips,
    Join,
    Joined,
    find_ends,
    prepare_starts,
    prepare_stops,
    start_standing,
    stop_standing,
)
from footfall.adapt.foot_lock import lock_feet
from footfall.adapt.path_edit import edit_path
from footfall.body.clip import Clip
from footfall.body.kinematics import joint_positions
from footfall.body.roles import SIDES
from footfall.errors import InputError
from footfall.gait.footprints import footprints_of
from footfall.graph.follow import Followed, follow_path
from footfall.graph.model import MotionGraph
from footfall.graph.motion import PASSING, cut_segments, sources_at, walk_clip, walk_segments
from footfall.graph.options import GraphOptions
from footfall.maths.arrays import Floats
from footfall.maths.polyline import prepare_path
from footfall.task import (
    CANCELLED,
    FOUND,
    NO_CLIP,
    NO_PATH,
    OUT_OF_TIME,
    Follow,
    Plan,
    Query,
    Segment,
    SourceClip,
    Watch,
)

FAR_OFF_M = 1.0
"""Further than this from a route, no clip can follow it; a path says it by its corridor."""
_NOTED_TURN = math.radians(15.0)
"""How far from the wished one the first heading may be before it is worth a word."""


START, STOP = "start", "stop"
"""Why a segment is there."""


@dataclass(frozen=True, eq=False)
class Ends:
    """Clips from standing to going and from going to standing, and where parts of clips begin.

    first_frames  by name, where the graph's clip begins in the clip of the library
    """

    starts: EndClips
    stops: EndClips
    first_frames: Mapping[str, int] = field(default_factory=dict)


def prepare_walk_ends(
    starts: Sequence[Clip], stops: Sequence[Clip], fps: float, window: int,
    first_frames: Mapping[str, int] | None = None,
) -> Ends:  # fmt: skip
    """Clips to begin and to end at rest with, made ready for walks of a frame rate.

    window  how many frames transitions take
    """
    return Ends(
        prepare_starts(starts, fps, window), prepare_stops(stops, fps, window), first_frames or {}
    )


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
    try:
        line = prepare_path(
            query.points if path is None else path, closed=options.closed, rounds=options.rounds,
            corner_radius_m=options.corner_radius_m,
        )  # fmt: skip
    except InputError as error:
        return Plan(NO_PATH, reason=str(error))
    corridor = min((s.corridor_m for s in query.stages if isinstance(s, Follow)), default=FAR_OFF_M)
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
        return Plan(status, reason, path=line.points, timings=timings)
    made = time.perf_counter()
    motion, notes = _make_motion(graph, found, ends)
    timings["motion"] = time.perf_counter() - made
    made = time.perf_counter()
    clip = motion.clip
    if options.edit_path:
        clip = edit_path(clip, line, motion.distances)
    if options.lock_feet:
        clip = lock_feet(clip, query.scene)
    prints = footprints_of(clip)
    timings |= {"finish": time.perf_counter() - made, "all": time.perf_counter() - began}
    return Plan(
        status=FOUND if found.complete else OUT_OF_TIME,
        reason=found.reason,
        clip=clip,
        path=line.points,
        footprints=prints,
        segments=motion.segments,
        cost=found.cost,
        timings=timings,
        notes=tuple(_notes(query, found, clip) + notes),
    )


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


def _make_motion(
    graph: MotionGraph, found: Followed, ends: Ends | None
) -> tuple[_Motion, list[str]]:
    """The walk, from standing and to standing if there are clips for it."""
    segments = walk_segments(graph, found.walk, ends.first_frames if ends else None)
    motion = _Motion(walk_clip(graph, found.walk), segments, found.distances)
    notes: list[str] = []
    if ends is None:
        return motion, notes
    starts, stops = ends.starts, ends.stops if found.complete else None
    begin, end = find_ends(motion.clip, motion.distances, starts, stops, found.line.length_m)
    if stops is not None and end is not None:
        motion = _ended_by(motion, stop_standing(motion.clip, motion.distances, stops, end), stops)
    elif stops is not None:
        notes.append("no clip that stops fits the end of the walk; it ends while walking")
    if begin is not None:
        begun = start_standing(motion.clip, motion.distances, starts, begin)
        motion = _begun_by(motion, begun, starts)
    else:
        notes.append("no clip that starts fits the beginning; it begins while walking")
    return motion, notes


@dataclass(frozen=True, eq=False)
class _Motion:
    """A clip in the making, what it is made of, and how far along the path each frame is."""

    clip: Clip
    segments: tuple[Segment, ...]
    distances: Floats


def _ended_by(motion: _Motion, stopped: Joined, stops: EndClips) -> _Motion:
    join, own = stopped.join, motion.segments
    into = _end_source(stops, join, join.enter - join.window + 1, 0.5)
    last = _end_source(stops, join, join.enter + 1, 1.0)
    after = join.leave + join.window
    segments = [
        *cut_segments(own, 0, join.leave),
        Segment(join.leave, after, PASSING, (*_halve(own, join.leave), into)),
    ]
    if after < len(stopped.clip):
        segments.append(Segment(after, len(stopped.clip), STOP, (last,)))
    return _Motion(stopped.clip, tuple(segments), stopped.distances)


def _begun_by(motion: _Motion, begun: Joined, starts: EndClips) -> _Motion:
    join, own = begun.join, motion.segments
    first, out_of = (_end_source(starts, join, *w) for w in ((0, 1.0), (join.leave, 0.5)))
    into = _halve(own, join.enter - join.window + 1)
    after = join.leave + join.window
    segments = [Segment(0, join.leave, START, (first,))] if join.leave else []
    segments.append(Segment(join.leave, after, PASSING, (out_of, *into)))
    moved = after - join.enter - 1
    rest = cut_segments(own, join.enter + 1, len(motion.clip), moved)
    return _Motion(begun.clip, (*segments, *rest), begun.distances)


def _end_source(ends: EndClips, join: Join, frame: int, weight: float) -> SourceClip:
    name, mirrored = ends.clips[join.clip].name, ends.mirrored[join.clip]
    return SourceClip(name, ends.skipped[join.clip] + frame, weight, mirrored)


def _halve(segments: tuple[Segment, ...], frame: int) -> tuple[SourceClip, ...]:
    """The sources at a frame, with half their weight: the other half is somebody else's."""
    found = next((s for s in segments if s.first <= frame < s.stop), None)
    return tuple(
        replace(source, weight=0.5 * source.weight)
        for source in (() if found is None else sources_at(found, frame))
    )


def _notes(query: Query, found: Followed, clip: Clip) -> list[str]:
    notes = [
        f"the walk's path is {100.0 * found.rms_m:.1f} cm (root mean square) and at most "
        f"{100.0 * float(found.off_m.max()):.0f} cm from the path before it was finished"
    ]
    if found.cap_hits:
        notes.append(
            f"{found.cap_hits} of {found.searches} searches ended at their cap; "
            "a better walk may exist"
        )
    if query.prefer:
        notes.append("a motion graph does not weigh preferences among the clips it uses")
    if query.speed is not None:
        notes.append("the speed is what the clips do; a motion graph does not change it")
    asked = None if query.start is None else query.start.yaw
    off = 0.0 if asked is None else math.remainder(asked - _first_facing(clip), math.tau)
    if abs(off) > _NOTED_TURN:
        notes.append(
            f"it begins facing along the path, {math.degrees(abs(off)):.0f}° from what was asked "
            "for; a motion graph does not turn on the spot"
        )
    if query.goal is not None and query.goal.yaw is not None:
        notes.append("it ends facing along the path; a motion graph does not turn on the spot")
    return notes


def _first_facing(clip: Clip) -> float:
    """The way the hips face in the first frame, radians."""
    at = joint_positions(clip)[0]
    left, right = (at[clip.skeleton.role(f"{side}_hip")] for side in SIDES)
    return math.atan2(right[2] - left[2], left[0] - right[0])
