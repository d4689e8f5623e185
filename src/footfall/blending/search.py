"""Search by blending: a driver steers a live character along routes, walking or running.

A rejected motion is not tried again. If the scene rejected it, the next route has more room. Else
the character goes slower where it failed.
"""

from __future__ import annotations

import math
import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from footfall.blending.control import Controller
from footfall.blending.drive import FollowPath, turn_limits
from footfall.blending.model import BlendSpace
from footfall.blending.options import BlendingOptions
from footfall.blending.record import Recording, record
from footfall.errors import InputError, choices
from footfall.library.gaits import RUNNING, WALKING
from footfall.maths.arrays import Floats
from footfall.maths.polyline import SHORTEST_M, Polyline, distances_along, prepare_path
from footfall.task import Follow, Query, Segment, SourceClip, Watch
from footfall.task.draft import Draft, Finishing
from footfall.task.method import Refusal
from footfall.task.problem import Problem, Rejection
from footfall.task.routes import Route, Routes, follow_routes, needs_room
from footfall.world.scene import Scene

USUAL_M_S = 1.3
RUN_M_S = 2.8
_SLOW_SHARE = 0.35
"""A motion that takes longer than at this share of its speed, and some seconds, is lost."""
_SLOWER = (0.75, 0.5)
"""Shares of the speed that are tried where a motion failed."""
_AROUND_M, _EASE_M = 0.5, 0.5
"""How far around a failing span it goes slower, and over how much path the speed changes."""
_NOTED_SPEED = 0.9
_CUT_M, _CUT_S = 0.15, 0.12
"""How far corners are cut at most, and how much further at higher speeds."""
_LEAST_WEIGHT = 0.03
_STYLES = {WALKING: 0.0, RUNNING: 1.0}


@dataclass(frozen=True, eq=False)
class BlendingModel:
    """What the method prepares: a blend space, and the routes of a scene."""

    space: BlendSpace
    options: BlendingOptions
    fps: float
    routes: Routes | None = None


def search_blends(
    model: BlendingModel, problem: Problem, watch: Watch
) -> Iterator[Draft | Refusal]:
    """Return motions along routes from tight to wide, until one passes."""
    return follow_routes(
        model.routes, problem, watch, lambda route: _follow_route(model, problem, route)
    )


def _follow_route(
    model: BlendingModel, problem: Problem, route: Route
) -> Generator[Draft | Refusal, None, bool]:
    """Yield motions along one route, slower where they fail; return whether one passed."""
    slow: list[SlowSpan] = []
    for share in (*_SLOWER, None):
        made = draft_blend(model, problem.query, route.path, problem.scene, route.watch, slow)
        if isinstance(made, Refusal):
            yield made
            return False
        made = replace(made, notes=(*made.notes, *route.notes))
        yield made
        rejection = problem.rejection_of(made)
        if rejection is None:
            return True
        if share is None or needs_room(rejection):
            break
        slow = [*slow, *_slow_spans(made.made_of, rejection, share)]
    return False


SlowSpan = tuple[float, float, float]
"""From where to where along the path, metres, and the share of the speed to go there."""


def _slow_spans(along: Floats, rejection: Rejection, share: float) -> list[SlowSpan]:
    """Return where a motion failed, whose frames are at distances (T,) along its path."""
    spans = []
    for first, stop in rejection.spans:
        frames = along[max(first, 0) : max(stop, 1)]
        spans.append((float(frames.min()) - _AROUND_M, float(frames.max()) + _AROUND_M, share))
    return spans


def _speed_profile(speed: float, slow: Sequence[SlowSpan], length_m: float) -> float | Floats:
    """Return one speed, or rows (K, 2) of metres along the path and the speed there."""
    if not slow:
        return speed
    metres = np.linspace(0.0, length_m, max(2, math.ceil(length_m / (0.5 * _EASE_M))))
    shares = np.ones(len(metres))
    for first, last, share in slow:
        away = np.maximum(np.maximum(first - metres, metres - last), 0.0)
        shares = np.minimum(shares, share + (1.0 - share) * np.minimum(away / _EASE_M, 1.0))
    return np.column_stack([metres, speed * shares])


def draft_blend(
    model: BlendingModel, query: Query, path: Floats, scene: Scene | None, watch: Watch,
    slow: Sequence[SlowSpan] = (),
) -> Draft | Refusal:  # fmt: skip
    """Draft the motion along a path (N, 2), from standing to standing."""
    began = time.perf_counter()
    speed, style, notes = wished_gait(model.space, query)
    notes += _note_values(model.space, model.options)
    walker = Controller(model.space, None, scene, model.options.steering())
    goal = query.goal
    yaw = None if goal is None else goal.yaw
    line = _line(path)
    yaws = (None if query.start is None else query.start.yaw, line.heading(0.0))
    walker.put([[*line.points[0], next(yaw for yaw in yaws if yaw is not None)]])
    speeds = _speed_profile(speed, slow, line.length_m)
    limits = turn_limits(model.space, style=1.0 if speed > model.space.walk_run_m_s[0] else style)
    # The faster it goes, the further it cuts corners, within the corridors of paths to follow.
    corridors = [0.5 * stage.corridor_m for stage in query.stages if isinstance(stage, Follow)]
    cut_m = min(_CUT_M + _CUT_S * speed, model.options.cut_m, *corridors)
    driver = FollowPath(line.points, speeds, limits, yaw, cut_m)
    line = Polyline(driver.points)
    if query.speed is not None:
        notes += _note_bends(driver, speed)
    most_s = 8.0 + line.length_m / (_SLOW_SHARE * min(speed, 1.3)) + 4.0 * math.pi
    made = record(
        walker, driver, model.fps, most_s, style=style, own=model.options.wishes(), stop=watch
    )
    if not made.standing[-1]:
        walked = f"{driver.along:.1f} of {driver.length_m:.1f} m of the path"
        return Refusal(f"only {walked} were walked in {most_s:.0f} s: it is too steep or blocked")
    return Draft(
        made.clip, segments_of(model.space, made), path=line.points,
        cost=float(Polyline(line.points).gaps(made.path[:, :2]).mean()),
        finishing=Finishing(variation=model.options.variation, whole_body=False),
        notes=tuple(notes), timings={"blending": time.perf_counter() - began},
        made_of=_distances(line, made.path[:, :2]),
    )  # fmt: skip


def _distances(line: Polyline, points: Floats) -> Floats:
    """(T,) how far along the path points (T, 2) are, which follow it from end to end."""
    gone = distances_along(points)
    return line.nearest(points, near_m=gone * (line.length_m / max(float(gone[-1]), 1e-6)))


def _line(path: Floats) -> Polyline:
    if float(distances_along(path)[-1]) < SHORTEST_M:
        return Polyline(np.stack([path[0], path[0] + [0.0, 1e-3]]))
    return prepare_path(path)


def wished_gait(space: BlendSpace, query: Query) -> tuple[float, float | None, list[str]]:
    """Return the speed, the style (None goes by the speed) and notes for a query."""
    speeds, runs = space.basis.values[:, 0], space.basis.values[:, 2] >= 0.5
    walks = ~runs & (speeds > 0.0)
    fastest, notes = float(speeds.max()), []
    style, speed = _STYLES.get(query.style or ""), query.speed
    if style == 1.0:
        slowest = float(speeds[runs].min()) if runs.any() else 0.0
        speed = speed or (max(RUN_M_S, slowest) if runs.any() else fastest)
        if not runs.any():
            notes.append("no example runs")
        elif speed < 0.98 * slowest:
            notes.append(f"the examples run at {slowest:.2g} m/s or more: it walks for a part")
    speed = speed or min(USUAL_M_S, fastest)
    if style == 0.0 and not walks.any():
        notes.append("no example walks")
    elif style == 0.0 and speed > speeds[walks].max():
        speed = float(speeds[walks].max())
        notes.append(f"the examples walk at up to {speed:.2g} m/s")
    if speed > fastest:
        notes.append(f"the examples go at up to {fastest:.2g} m/s")
        speed = fastest
    return speed, style, notes


def check_wishes(space: BlendSpace, options: BlendingOptions) -> None:
    """Raise an InputError if values are wished for that are no parameters of the space."""
    own = space.basis.names[3:]
    for name in options.wishes():
        if name not in own:
            remedy = choices(own, name) if own else "give the clips of the library such values"
            raise InputError(f"the clips have no value {name!r}", remedy=remedy)


def _note_values(space: BlendSpace, options: BlendingOptions) -> list[str]:
    """Note values that are wished for, but that no example has."""
    notes = []
    for name, wish in options.wishes().items():
        column = space.basis.values[:, space.basis.names.index(name)]
        if not column.min() <= wish <= column.max():
            notes.append(f"the examples have {name} from {column.min():.3g} to {column.max():.3g}")
    return notes


def _note_bends(driver: FollowPath, speed: float) -> list[str]:
    """Return a note if the bends of a path do not allow a speed."""
    limits = driver.speed_limits
    slower = limits < _NOTED_SPEED * speed
    if not slower.any():
        return []
    metres = f"{slower.mean() * driver.length_m:.1f} of {driver.length_m:.1f} m"
    least, most = float(limits.min()), float(limits[slower].max())
    speeds = f"{least:.2f}" if most - least < 0.05 else f"{least:.2f} to {most:.2f}"
    return [f"over {metres} the bends of the path allow {speeds} m/s, not {speed:.2f}"]


def segments_of(space: BlendSpace, made: Recording) -> tuple[Segment, ...]:
    """Return which examples a motion is blended of, second by second, with their mean weights."""
    count, step = len(made.clip), max(1, round(made.clip.fps))
    bounds = [*range(0, max(count - step // 2, 0) + 1, step), count]  # the last is half a second
    return tuple(
        Segment(first, stop, "blend", _sources(space, made.weights[first:stop].mean(axis=0)))
        for first, stop in pairwise(bounds)
        if first < stop
    )


def _sources(space: BlendSpace, mean: Floats) -> tuple[SourceClip, ...]:
    rows = np.flatnonzero(mean > _LEAST_WEIGHT)
    if not len(rows):
        rows = np.array([int(np.argmax(mean))])
    share = mean[rows] / mean[rows].sum()
    sources = []
    for e, w in zip(rows[np.argsort(-share)].tolist(), np.sort(share)[::-1].tolist(), strict=True):
        example = space.examples[e]
        frame = round(example.begin_s * example.clip.fps)
        sources.append(SourceClip(example.clip.name, frame, w, example.mirrored))
    return tuple(sources)
