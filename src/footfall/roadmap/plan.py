"""A query answered by a roadmap: a path over footholds, made straight, made a motion, checked."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from footfall.gait.footprints import footprints_of
from footfall.roadmap.model import Roadmap
from footfall.roadmap.motion import JoinedMotion, make_motion
from footfall.roadmap.refine import straighten_path
from footfall.roadmap.search import FootholdPath, find_path, path_prints
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
"""So often another path is looked for where the body touches something."""


def plan_on_roadmap(
    roadmap: Roadmap, scene: Scene, start: Place, goal: Place, watch: Watch, sweeps: int = 4
) -> Plan:
    """A motion from standing at the start to standing at the goal."""
    began = time.perf_counter()
    closed = np.zeros(len(roadmap.edges), np.bool_)
    trouble = ""
    for _ in range(_TRIES):
        watch.check()
        path = find_path(roadmap, scene, start, goal, watch.flag, closed)
        found = time.perf_counter()
        if isinstance(path, str):
            return Plan(_status(path), trouble or path)
        path = straighten_path(roadmap, scene, path, sweeps, start=start, goal=goal)
        refined = time.perf_counter()
        prints, starts = path_prints(roadmap.table, scene, path)
        motion = make_motion(roadmap.moves, path, prints, starts, scene)
        made = _plan(roadmap, path, motion)
        done = time.perf_counter()
        made = replace(
            made, timings={"search": found - began, "refining": refined - found,
                           "motion": done - refined, "all": done - began},
        )  # fmt: skip
        troubles = check_motion(made, scene)
        if not troubles:
            return made
        trouble = troubles[0]
        if not _close(closed, path, motion, trouble):
            return Plan(NO_CLIP, trouble)
    return Plan(NO_CLIP, trouble)


def _status(reason: str) -> str:
    if "stand at the start" in reason:
        return START_NOT_VALID
    return GOAL_NOT_VALID if "stand at the goal" in reason else NO_CLIP


def _close(closed: np.ndarray, path: FootholdPath, motion: JoinedMotion, trouble: str) -> bool:
    """Close the edges of a path that touch something, by when the check says they do."""
    import re

    found = re.search(r"after ([0-9.]+) s", trouble)
    if found is None:
        return False
    frame = float(found.group(1)) * motion.clip.fps
    n = int(np.searchsorted(motion.starts, frame, side="right")) - 1
    near = [k for k in (n - 1, n, n + 1) if 0 <= k < len(path) and path.edges[k] >= 0]
    inner = [k for k in near if k == n] or near
    for k in inner:
        closed[path.edges[k]] = True
    return bool(inner)


def _plan(roadmap: Roadmap, path: FootholdPath, motion: JoinedMotion) -> Plan:
    moves, clip = roadmap.moves, motion.clip
    segments = []
    for n, m in enumerate(path.moves.tolist()):
        first = int(motion.starts[n])
        stop = int(motion.starts[n + 1]) if n + 1 < len(path) else len(clip)
        if stop > first:
            source = SourceClip(moves.clips[moves.clip[m]].name, int(moves.first[m]))
            segments.append(Segment(first, stop, "clip", (source,)))
    return Plan(
        FOUND, clip=clip, footholds=roadmap.nodes[:, [0, 2, 3]], footprints=footprints_of(clip),
        segments=tuple(segments), cost=path.cost,
    )  # fmt: skip
