"""A path walked, or run, by blending: a driver steers a live character along it."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace

import numpy as np

from footfall.adapt.foot_lock import lock_feet
from footfall.adapt.variation import vary_strides
from footfall.blending.control import Controller
from footfall.blending.drive import FollowPath, turn_limits
from footfall.blending.model import BlendSpace
from footfall.blending.options import BlendingOptions
from footfall.blending.record import Recording, record
from footfall.body.clip import Clip
from footfall.body.roles import SIDES
from footfall.errors import InputError, choices
from footfall.gait.footprints import footprints_of
from footfall.library.gaits import RUNNING, WALKING
from footfall.maths.arrays import Floats
from footfall.maths.polyline import SHORTEST_M, Polyline, distances_along, prepare_path
from footfall.task import FOUND, NO_CLIP, Plan, Query, Segment, SourceClip, Watch
from footfall.world.scene import Scene

USUAL_M_S = 1.3
RUN_M_S = 2.8
_SLOW_SHARE = 0.35
"""A motion that takes longer than at this share of its speed, and some seconds, is lost."""
_LEAST_WEIGHT = 0.03
_STYLES = {WALKING: 0.0, RUNNING: 1.0}


@dataclass(frozen=True, eq=False)
class BlendingModel:
    """A blend space, and what it is blended in."""

    space: BlendSpace
    options: BlendingOptions
    fps: float


def plan_by_blending(
    model: BlendingModel, query: Query, path: Floats, scene: Scene | None, watch: Watch
) -> Plan:
    """The motion along a path (N, 2), from standing to standing."""
    began = time.perf_counter()
    speed, style, notes = wished_gait(model.space, query)
    notes += _note_values(model.space, model.options)
    walker = Controller(model.space, None, scene, model.options.steering())
    goal = query.goal
    yaw = None if goal is None else goal.yaw
    line = _line(path, model.options)
    walker.put([[*line.points[0], _first_heading(query, line)]])
    driver = FollowPath(line.points, speed, turn_limits(model.space, style=style), yaw)
    most_s = 8.0 + line.length_m / (_SLOW_SHARE * min(speed, 1.3)) + 4.0 * math.pi
    made = record(
        walker, driver, model.fps, most_s, style=style, own=model.options.wishes(), stop=watch
    )
    done = time.perf_counter()
    if not made.standing[-1]:
        return Plan(NO_CLIP, _lost(driver), notes=tuple(notes))
    varied = _vary_upper_body(made.clip, query.seed, model.options.variation)
    held = lock_feet(varied, scene)
    return Plan(
        FOUND, clip=held.named("blend"), path=line.points, footprints=footprints_of(held),
        segments=segments_of(model.space, made),
        cost=float(Polyline(line.points).gaps(made.path[:, :2]).mean()),
        timings={"blending": done - began}, notes=tuple(notes),
    )  # fmt: skip


def _line(path: Floats, options: BlendingOptions) -> Polyline:
    if float(distances_along(path)[-1]) < SHORTEST_M:
        return Polyline(np.stack([path[0], path[0] + [0.0, 1e-3]]))
    return prepare_path(path, corner_radius_m=options.corner_radius_m)


def _first_heading(query: Query, line: Polyline) -> float:
    if query.start is not None and query.start.yaw is not None:
        return query.start.yaw
    return line.heading(0.0)


def wished_gait(space: BlendSpace, query: Query) -> tuple[float, float | None, list[str]]:
    """Speed, style (None goes by the speed) and notes for what a query wishes for."""
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
    """Where values are wished for that no example has."""
    notes = []
    for name, wish in options.wishes().items():
        column = space.basis.values[:, space.basis.names.index(name)]
        if not column.min() <= wish <= column.max():
            notes.append(f"the examples have {name} from {column.min():.3g} to {column.max():.3g}")
    return notes


def _lost(driver: FollowPath) -> str:
    return (
        f"the examples cannot turn enough to follow the path: {driver.along:.1f} of "
        f"{driver.length_m:.1f} m were gone"
    )


def _vary_upper_body(clip: Clip, seed: int, amount: float) -> Clip:
    """Trunk and arms as they differ from stride to stride; hips, legs and feet stay."""
    varied = vary_strides(clip, seed, amount, move_feet=False)
    rotations = np.array(varied.rotations)
    skeleton = clip.skeleton
    legs = {0}
    for side in SIDES:
        legs.add(skeleton.role(f"{side}_hip"))
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent in legs - {0}:
            legs.add(joint)
    kept = sorted(legs)
    rotations[:, kept] = clip.rotations[:, kept]
    return replace(clip, rotations=rotations)


def segments_of(space: BlendSpace, made: Recording) -> tuple[Segment, ...]:
    """Which examples a motion is blended of, stretch by stretch, with their mean weights."""
    fps = made.clip.fps
    count = len(made.clip)
    step = max(1, round(fps))
    found = []
    for first in range(0, count, step):
        stop = min(first + step, count)
        if count - stop < step // 2:
            stop = count
        mean = made.weights[first:stop].mean(axis=0)
        found.append(Segment(first, stop, "blend", _sources(space, mean)))
        if stop == count:
            break
    return tuple(found)


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
