"""A query answered by a roadmap: a way over footholds, made straight, made a motion, checked."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from footfall.gait.footprints import footprints_of
from footfall.roadmap.build import Roadmap
from footfall.roadmap.motion import JoinedMotion, make_motion
from footfall.roadmap.refine import straighten_way
from footfall.roadmap.search import Way, find_way, way_prints
from footfall.task import (
    FOUND,
    GOAL_NOT_VALID,
    NO_CLIP,
    START_NOT_VALID,
    Plan,
    Segment,
    SourceClip,
    Watch,
)
from footfall.task.check import check_motion
from footfall.task.stages import Place
from footfall.world.scene import Scene

_TRIES = 8
"""So often another way is looked for where the body touches something."""


def plan_on_roadmap(
    roadmap: Roadmap, scene: Scene, start: Place, goal: Place, watch: Watch, sweeps: int = 4
) -> Plan:
    """A motion from standing at the start to standing at the goal."""
    began = time.perf_counter()
    closed = np.zeros(len(roadmap.edges), np.bool_)
    trouble = ""
    for _ in range(_TRIES):
        watch.check()
        way = find_way(roadmap, scene, start, goal, watch.flag, closed)
        found = time.perf_counter()
        if isinstance(way, str):
            return Plan(_status(way), trouble or way)
        way = straighten_way(roadmap, scene, way, sweeps)
        refined = time.perf_counter()
        prints, starts = way_prints(roadmap.table, scene, way)
        motion = make_motion(roadmap.moves, way, prints, starts, scene)
        made = _plan(roadmap, way, motion)
        done = time.perf_counter()
        made = replace(
            made, timings={"search": found - began, "refining": refined - found,
                           "motion": done - refined, "all": done - began},
        )  # fmt: skip
        troubles = check_motion(made, scene)
        if not troubles:
            return made
        trouble = troubles[0]
        if not _close(closed, way, motion, trouble):
            return Plan(NO_CLIP, trouble)
    return Plan(NO_CLIP, trouble)


def _status(reason: str) -> str:
    if "stand at the start" in reason:
        return START_NOT_VALID
    return GOAL_NOT_VALID if "stand at the goal" in reason else NO_CLIP


def _close(closed: np.ndarray, way: Way, motion: JoinedMotion, trouble: str) -> bool:
    """Close the edges of a way that touch something, by when the check says they do."""
    import re

    found = re.search(r"after ([0-9.]+) s", trouble)
    if found is None:
        return False
    frame = float(found.group(1)) * motion.clip.fps
    n = int(np.searchsorted(motion.starts, frame, side="right")) - 1
    near = [k for k in (n - 1, n, n + 1) if 0 <= k < len(way) and way.edges[k] >= 0]
    inner = [k for k in near if k == n] or near
    for k in inner:
        closed[way.edges[k]] = True
    return bool(inner)


def _plan(roadmap: Roadmap, way: Way, motion: JoinedMotion) -> Plan:
    moves, clip = roadmap.moves, motion.clip
    segments = []
    for n, m in enumerate(way.moves.tolist()):
        first = int(motion.starts[n])
        stop = int(motion.starts[n + 1]) if n + 1 < len(way) else len(clip)
        if stop > first:
            source = SourceClip(moves.clips[moves.clip[m]].name, int(moves.first[m]))
            segments.append(Segment(first, stop, "clip", (source,)))
    return Plan(
        FOUND, clip=clip, path=way.footholds[:, [0, 2]], footprints=footprints_of(clip),
        segments=tuple(segments), cost=way.cost,
    )  # fmt: skip
