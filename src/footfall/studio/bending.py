"""A planned motion bent where one of its places was moved: what lies before and after stays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from footfall.adapt.edit.path_edit import SMOOTHING_S, PathEdit
from footfall.body.clip import Clip
from footfall.gait.path import path_abstraction
from footfall.maths.arrays import Bools, Floats
from footfall.maths.easing import smoothstep
from footfall.maths.filters import smooth_gaussian
from footfall.task import Plan, Query
from footfall.task.draft import Draft
from footfall.task.pipeline import finish_and_verify
from footfall.task.plan import Segment, SourceClip
from footfall.task.problem import Problem

LEAST_S, SECONDS_PER_M = 1.2, 3.0
"""A bend takes so long before and after its place, and longer the farther the place is moved."""
_PASSES_M = 0.15
_STANDS_M_S = 0.2


def bend_way(
    clip: Clip, places: Sequence[Floats | None], stage: int, to: Floats
) -> tuple[Clip, tuple[float, float]]:
    """Return a motion that passes one of its places elsewhere, and the seconds that changed.

    places  where the stages lie on the ground (2,), in order; None for a stage without a place
    stage   the one that is moved to `to` (2,)
    """
    frames = _frames_of(clip, places)
    last = len(clip) - 1
    at = last if stage == len(places) - 1 else frames[stage]
    moved = np.asarray(to) - np.asarray(places[stage])
    reach = round((LEAST_S + SECONDS_PER_M * math.hypot(*moved)) * clip.fps)
    before = max([f for f in frames[:stage] if f < at], default=0)
    after = min([f for f in frames[stage + 1 :] if f > at], default=last)
    first, stop = max(before, at - reach), min(after, at + reach)
    rise = np.clip((np.arange(len(clip)) - first) / max(at - first, 1), 0.0, 1.0)
    fall = np.clip((stop - np.arange(len(clip))) / max(stop - at, 1), 0.0, 1.0)
    share = smoothstep(rise) * (1.0 if at == last else smoothstep(fall))
    own = path_abstraction(clip)
    away = share[:, None] * moved
    turn = _turns(own, away, clip.fps)
    still = np.zeros(len(clip), np.bool_)
    edit = PathEdit(own, away, turn, still)
    return edit.apply(clip), (first / clip.fps, stop / clip.fps)


def _frames_of(clip: Clip, places: Sequence[Floats | None]) -> list[int]:
    """Return the frame at which each place is passed, none before the one of the place before."""
    ground, frames, since = clip.root[:, [0, 2]], [], 0
    for place in places:
        if place is not None:
            gaps = np.hypot(*(ground[since:] - place).T)
            near = np.flatnonzero(gaps <= gaps.min() + _PASSES_M)
            group = near[: _first_break(near)]
            since += int(group[np.argmin(gaps[group])])
        frames.append(since)
    return frames


def _first_break(numbers: Any) -> int:
    gaps = np.flatnonzero(np.diff(numbers) > 1)
    return int(gaps[0]) + 1 if len(gaps) else len(numbers)


def _turns(own: Floats, away: Floats, fps: float) -> Floats:
    """Return by how much the way turns at each frame when it is moved, radians, smoothly."""
    old, new = np.gradient(own, axis=0), np.gradient(own + away, axis=0)
    moves: Bools = np.hypot(*old.T) * fps > _STANDS_M_S
    turned = np.arctan2(new[:, 0], new[:, 1]) - np.arctan2(old[:, 0], old[:, 1])
    turned = np.where(moves, np.arctan2(np.sin(turned), np.cos(turned)), 0.0)
    return smooth_gaussian(turned, 0.5 * SMOOTHING_S * fps)


def check_bent(
    clip: Clip, query: Query, facts: dict[str, Any], path: Floats | None = None
) -> Plan | None:
    """Return a bent motion as a plan, finished as drafts are, or None if it does not pass."""
    draft = Draft(clip, segments_of(facts), path=path)
    plan, report = finish_and_verify(draft, Problem(query, clip.skeleton))
    return plan if report.passed else None


def segments_of(facts: dict[str, Any]) -> tuple[Segment, ...]:
    """Return the segments that the facts of a plan hold."""
    return tuple(
        Segment(s["first"], s["stop"], s["why"], tuple(SourceClip(**each) for each in s["sources"]))
        for s in facts.get("segments", ())
    )
