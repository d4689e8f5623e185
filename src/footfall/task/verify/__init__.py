"""Verify a finished motion by its kinematics alone.

    report = verify(clip, query, scene, limits=anatomy_limits(sources))
    report.passed, report.failures, report.notes, report.values

It shares no code with the searches. Stages are checked in order and in time, each with its own
tolerance; the whole body against obstacles, whole soles against the ground; the body's values
against limits measured from the source clips; and whether it rests at both ends.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from footfall.body.clip import Clip
from footfall.maths.arrays import Floats
from footfall.maths.constants import GRAVITY
from footfall.maths.polyline import Polyline
from footfall.maths.runs import runs
from footfall.task.query import Query
from footfall.task.stages import Duck, Pick, PutDown, Sit, StandUp
from footfall.task.verify.anatomy import Legs, anatomy_tracks, legs_crossing, squat_tracks
from footfall.task.verify.limits import AnatomyLimits, anatomy_limits
from footfall.task.verify.motion import Motion, motion_of, worst_span
from footfall.task.verify.people import Others, check_people
from footfall.task.verify.report import Finding, Report, Values
from footfall.task.verify.stages import check_stages
from footfall.task.verify.surroundings import check_collisions, check_footing, check_swings
from footfall.world.scene import Scene

__all__ = ["NEGATED", "AnatomyLimits", "Finding", "Report", "anatomy_limits", "verify"]

DIGITS = 6
"""The decimals to which values are rounded before they decide: the last bits differ by machine."""
_LOW_STAGES = (Pick, PutDown, Sit, StandUp, Duck)
"""Stages that a person squats for."""
REST_S = 0.1
"""The time at an end over which speeds are averaged."""
REST_M_S, REST_HARD_M_S = 0.15, 0.3
"""Hips and feet of a body at rest are slower than the first; above the second it moves."""

UNSUPPORTED_S, UNSUPPORTED_HARD_S = 0.4, 0.75
"""A body with no foot on the ground falls. What does not, for so long, slides or hovers."""
_FALLS = 0.4 * GRAVITY
"""Recorded flights and runs fall by at least 8 m/s²; sitting people who lift their feet do not."""


def verify(
    clip: Clip, query: Query | None = None, scene: Scene | None = None, *,
    limits: AnatomyLimits | None = None, path: Floats | None = None, begins_s: float = 0.0,
    rests: tuple[bool, bool] = (True, True), others: Others = (),
) -> Report:  # fmt: skip
    """Check a finished motion.

    query     what was asked; None checks the body and the scene alone
    scene     the world; None: that of the query, or, with a query, a plain at height 0
    limits    of the body's values, measured from the sources; None: those of people in general
    path      (N, 2) the planner's own path: how far it is left is reported, not judged
    begins_s  the time of the first frame, for obstacles that move
    rests     whether it has to rest at its beginning and at its end
    others    the clips of other people, which are not to be touched, and when these begin
    """
    motion, values = motion_of(clip), Values()
    scene = query.scene if scene is None and query is not None else scene
    if path is not None and len(path) > 1:
        values.enter("planned path: m", float(Polyline(path).gaps(motion.ground).max()))
    found: list[Finding] = []
    if query is not None:
        found += check_stages(motion, query, scene, values)
    if scene is not None:
        found += check_collisions(motion, scene, begins_s, values)
    if scene is not None or query is not None:
        found += check_footing(motion, scene, begins_s, values)
        found += check_swings(motion, scene, values)
    limits = limits or AnatomyLimits()
    found += _check_anatomy(motion, limits, values)
    if (
        query is not None
        and query.style is None
        and not any(isinstance(stage, _LOW_STAGES) for stage in query.stages)
    ):
        tracks, least = squat_tracks(motion, scene)
        found += _check_tracks(motion, tracks, lambda _: (least, least), values)
    found += _check_support(motion, values)
    found += _check_rests(motion, rests, values)
    found += check_people(clip, others, begins_s)
    found.sort(key=lambda f: (f.seconds, f.check))
    return Report(tuple(found), values.worst, values.limits, limits.extremes)


def _check_anatomy(motion: Motion, limits: AnatomyLimits, values: Values) -> Iterator[Finding]:
    """Yield the body's values beyond their limits, one for each part of the body."""
    for tracks in anatomy_tracks(motion):
        yield from _check_tracks(motion, tracks, limits.of, values)
    crossing = np.flatnonzero(legs_crossing(motion))
    values.enter("legs crossing", float(len(crossing)), 0.0)
    if len(crossing):
        first = int(crossing[0])
        yield Finding(
            "legs crossing", "shanks and feet", first / motion.fps, first, first + 2,
            float(len(crossing)), 0.0, "frames", True, motion.place(first),
            "one leg passes through the other in", name="legs crossing",
        )  # fmt: skip


def _check_tracks(
    motion: Motion, tracks: Legs, limits: Callable[[str], tuple[float, float]], values: Values
) -> Iterator[Finding]:
    """Yield the values of some tracks beyond their soft and hard limits."""
    worst = tracks.values.max(axis=0).tolist()
    for column, (name, value) in enumerate(zip(tracks.names, worst, strict=True)):
        if not math.isfinite(value):
            continue
        value = round(value, DIGITS)
        soft, hard = limits(name)
        values.enter(name, value, soft)
        if value > soft:
            yield _exceeds(motion, tracks, column, soft, hard)


NEGATED = {"leg gap", "foot gap", "crouch", "crouch, fast", "squat"}
"""Values whose lesser is worse: their tracks are negated."""


def _exceeds(motion: Motion, tracks: Legs, column: int, soft: float, hard: float) -> Finding:
    """Return the finding of a value beyond its soft or hard limit."""
    values, name = tracks.values[:, column], tracks.names[column]
    at = int(values.argmax())
    value = round(float(values[at]), DIGITS)
    is_hard = value > hard
    limit = hard if is_hard else soft
    sign = -1.0 if name in NEGATED else 1.0
    first, stop = worst_span(values, limit, at)
    return Finding(
        name.split(":")[0], tracks.whats[column], at / motion.fps, first, stop, sign * value,
        sign * limit, tracks.unit, is_hard, motion.place(at), least=sign < 0.0, name=name,
    )  # fmt: skip


def _check_support(motion: Motion, values: Values) -> Iterator[Finding]:
    """Yield the longest time in which no foot stands and the body does not fall."""
    longest, first, stop = 0.0, 0, 1
    hangs = np.logical_not(motion.foot_contacts.any(axis=1))
    for a, b in runs(hangs).tolist():
        seconds = (b - a) / motion.fps
        if seconds <= max(longest, UNSUPPORTED_S):
            continue
        falls = -2.0 * np.polyfit(np.arange(b - a) / motion.fps, motion.hips[a:b, 1], 2)[0]
        if falls < _FALLS:
            longest, first, stop = seconds, a, b
    values.enter("unsupported: s", longest, UNSUPPORTED_S)
    if longest > UNSUPPORTED_S:
        hard, at = longest > UNSUPPORTED_HARD_S, (first + stop) // 2
        limit = UNSUPPORTED_HARD_S if hard else UNSUPPORTED_S
        yield Finding(
            "support", "feet", at / motion.fps, first, stop, longest, limit, "s", hard,
            motion.place(at), "no foot stands, and the body does not fall, for",
            name="unsupported: s",
        )  # fmt: skip


def _check_rests(motion: Motion, rests: tuple[bool, bool], values: Values) -> Iterator[Finding]:
    """Yield the ends at which hips or feet move."""
    reach = min(max(1, round(REST_S * motion.fps)), len(motion) - 1)
    if reach < 1:
        return
    for name, wanted, a, b in (
        ("begin", rests[0], 0, reach), ("end", rests[1], len(motion) - 1 - reach, len(motion) - 1),
    ):  # fmt: skip
        moved = [np.linalg.norm(motion.hips[b] - motion.hips[a])]
        moved += [
            np.linalg.norm(motion.soles[b, k] - motion.soles[a, k], axis=1).min() for k in (0, 1)
        ]
        speed = float(max(moved)) * motion.fps / reach / math.sqrt(motion.size)
        key = f"rest at the {name}: m/s"
        values.enter(key, speed, REST_M_S if wanted else math.inf)
        if wanted and speed > REST_M_S:
            hard = speed > REST_HARD_M_S
            limit = REST_HARD_M_S if hard else REST_M_S
            frame = 0 if name == "begin" else len(motion) - 1
            yield Finding(
                "rest", name, frame / motion.fps, a, b + 1, speed, limit, "m/s", hard,
                motion.place(frame), "hips or feet still move at", name=key,
            )  # fmt: skip
