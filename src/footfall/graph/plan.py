"""A query answered by a motion graph: the path followed, the motion made, feet held."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from footfall.body.clip import Clip
from footfall.body.kinematics import joint_positions
from footfall.body.roles import SIDES
from footfall.errors import InputError
from footfall.gait.contacts import find_contacts
from footfall.gait.footprints import footprints
from footfall.graph.finish import FinishOptions, finish
from footfall.graph.follow import Followed, follow_path
from footfall.graph.model import MotionGraph
from footfall.graph.motion import Motion, walk_clip, walk_segments
from footfall.graph.path_input import prepare_path
from footfall.graph.stop import start_standing, stop_standing
from footfall.maths.arrays import Floats
from footfall.search.beam import WIDTH
from footfall.search.branch_and_bound import MOST_OPENED
from footfall.task import FOUND, NO_CLIP, NO_PATH, OUT_OF_TIME, Plan, Query

MOST_AHEAD, MOST_WIDTH, MOST_AT_ONCE = 20_000, 20_000, 2_000_000
"""How far, how wide, and how much of both together a search may look: some hundred megabytes."""
_NOTED_TURN = math.radians(15.0)
"""How far from the wished one the first heading may be before it is worth a word."""


@dataclass(frozen=True)
class GraphOptions:
    """How a motion graph answers.

    abstraction      the path abstraction that is searched with, one of `gait.path.METHODS`
    start_node       a node, "random" (by the query's seed), or None for the one that follows best
    search           "beam", or "branch_and_bound" as published
    ahead, keep      how many frames are searched, and kept, at a time; None for the usual
    at_node          keep up to the next node, instead of `keep` frames exactly
    cap              how many nodes one search opens at most, branch and bound
    width            how many walks go side by side, beam
    transition_cost_m2  what a transition at the graph's threshold costs, beam
    corner_radius_m  corners of the path are rounded by this; 0 leaves them sharp
    closed, rounds   the path leads back to its beginning, and is followed so many times
    far_off_m        further than this from the path, no clip can follow it
    edit_path        bring the walk onto the path after the search (Gleicher 2001)
    lock_feet        hold the feet where they stand
    """

    abstraction: str = "gaussian"
    start_node: int | str | None = None
    search: str = "beam"
    ahead: int | None = None
    keep: int | None = None
    at_node: bool = False
    cap: int = MOST_OPENED
    width: int = WIDTH
    transition_cost_m2: float = 0.05
    corner_radius_m: float = 0.0
    closed: bool = False
    rounds: int = 1
    far_off_m: float = 1.0
    edit_path: bool = True
    lock_feet: bool = True
    time_limit_s: float | None = None

    def __post_init__(self) -> None:
        # A beam remembers every walk it tried: so many frames times so many walks is its memory.
        at_once = max(self.ahead or 1, 1) * max(self.width, 1)
        for name, value, least, most in (
            ("ahead", self.ahead, 1, MOST_AHEAD),
            ("keep", self.keep, 1, MOST_AHEAD),
            ("cap", self.cap, 1, 1e9),
            ("width", self.width, 1, MOST_WIDTH),
            ("ahead times width", at_once, 1, MOST_AT_ONCE),
            ("transition_cost_m2", self.transition_cost_m2, 0, 1e9),
            ("corner_radius_m", self.corner_radius_m, 0, 1e9),
            ("rounds", self.rounds, 1, 1e6),
            ("far_off_m", self.far_off_m, 0, math.inf),
            ("time_limit_s", self.time_limit_s, 0, math.inf),
        ):
            if value is not None and not least <= value <= most:
                limit = f" and at most {most:g}" if math.isfinite(most) else ""
                raise InputError(f"{name} is {value}", remedy=f"it must be at least {least}{limit}")


def plan_on_graph(
    query: Query,
    graph: MotionGraph,
    options: GraphOptions = GraphOptions(),  # noqa: B008
    *,
    starts: Sequence[Clip] = (),
    stops: Sequence[Clip] = (),
    progress: Callable[[float], None] | None = None,
) -> Plan:
    """A motion that follows the query's path through a motion graph.

    starts, stops  clips from standing to going and from going to standing, on the graph's
                   character; the best is used to begin and to end at rest
    """
    began = time.perf_counter()
    try:
        line = prepare_path(
            _path_of(query), closed=options.closed, rounds=options.rounds,
            corner_radius_m=options.corner_radius_m,
        )  # fmt: skip
    except InputError as error:
        return Plan(NO_PATH, reason=str(error))
    # Editing lays the walk along the path from its first step on: to begin any other way would
    # only bend it before it is straightened.
    heading = None if query.start is None or options.edit_path else query.start.yaw
    found = follow_path(
        graph, line, abstraction=options.abstraction, start_node=options.start_node,
        seed=query.seed, search=options.search, ahead=options.ahead, keep=options.keep,
        at_node=options.at_node, cap=options.cap, width=options.width,
        transition_cost_m2=options.transition_cost_m2, heading=heading, give_up_m=options.far_off_m,
        time_limit_s=options.time_limit_s, progress=progress,
    )  # fmt: skip
    timings = dict(found.timings)
    reason = found.reason or _too_far(found, options.far_off_m)
    if reason and not (found.out_of_time and len(found)):
        status = OUT_OF_TIME if found.out_of_time else NO_CLIP
        return Plan(status, reason, path=line.points, timings=timings)
    made = time.perf_counter()
    motion, notes = _motion(graph, found, starts, stops)
    timings["motion"] = time.perf_counter() - made
    made = time.perf_counter()
    clip = finish(
        motion, line, FinishOptions(options.edit_path, options.lock_feet), ground=query.scene
    )
    prints = footprints(find_contacts(clip))
    timings |= {"finish": time.perf_counter() - made, "all": time.perf_counter() - began}
    status = FOUND if found.complete else OUT_OF_TIME
    return Plan(
        status, found.reason, clip, line.points, prints, motion.segments, found.cost, math.inf,
        timings, tuple(_notes(query, found, clip) + notes),
    )  # fmt: skip


def _too_far(found: Followed, far_off_m: float) -> str:
    """One sentence on where the walk strays further from the path than that, or ""."""
    off = found.off_m
    worst = int(np.argmax(off))
    if off[worst] <= far_off_m:
        return ""
    return (
        f"no clip turns as the path does: {off[worst]:.1f} m off it "
        f"after {found.ways[worst]:.1f} of {found.line.length_m:.1f} m"
    )


def _path_of(query: Query) -> Floats:
    """(N, 2) the points to follow."""
    if query.path is None and query.scene is not None:
        raise InputError("there is no path yet", remedy="plan one through the scene first")
    return query.whole


def _motion(
    graph: MotionGraph, found: Followed, starts: Sequence[Clip], stops: Sequence[Clip]
) -> tuple[Motion, list[str]]:
    """The walk, from standing and to standing if there are clips for it."""
    motion = Motion(walk_clip(graph, found.walk), walk_segments(graph, found.walk), found.ways)
    notes = []
    if stops and found.complete:
        stopped = stop_standing(motion, stops, found.line.points[-1], graph.window)
        if stopped is motion:
            notes.append("no clip that stops fits the end of the walk; it ends while walking")
        motion = stopped
    if starts:
        begun = start_standing(motion, starts, found.line.points[0], graph.window)
        if begun is motion:
            notes.append("no clip that starts fits the beginning; it begins while walking")
        motion = begun
    return motion, notes


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
