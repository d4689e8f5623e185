"""The clips that a motion graph is made of: those that walk, without what they do before and after.

Which clips of a library are wanted depends on the speed and the style that are asked for; what is
cut out of them does not.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np

from footfall.body.clip import Clip
from footfall.gait.speed import ground_speeds, usual_speed
from footfall.graph.costs import leg_m, usual_pace
from footfall.library.gaits import RUNNING, WALKING, describe_tags, names_of_gait
from footfall.library.library import Library
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats
from footfall.maths.runs import runs, without_short_runs
from footfall.maths.signals import low_pass
from footfall.task import Query
from footfall.task.method import Refusal, Selection

SPEED_SHARE, BEND_SHARE = 0.3, 0.55
"""Clips within this share of a speed that is wished for will do; bends, starts and stops, where
people are slower, if they are slower by the second."""
USUAL_SHARES = 0.7, 0.35
"""Where none is wished for, clips will do that are so much slower, or faster, than people walk."""
_SLOWER_TAGS = frozenset(
    ("curve_left", "curve_right", "turn_left", "turn_right", "start", "stop")
)  # fmt: skip
RUN_FROUDE = 0.5
"""From this Froude number on people run."""
_GRAVITY_M_S2 = 9.81
_STANDING_M_S, _STANDING_S, _SHORTEST_S = 0.3, 0.4, 1.0
_STALL_SHARE, _STRAIGHT_RAD_S = 0.45, math.radians(25.0)
"""Slower than this share of its usual speed without turning, a clip stalls."""

_speeds: WeakKeyDictionary[Library, dict[str, float]] = WeakKeyDictionary()


def select_walks(library: Library, query: Query) -> Selection | Refusal:
    """Return the clips of a library that walk, or run, near the speed that is wished for."""
    if not len(library):
        return Refusal("the library holds no clips")
    if query.style is not None and query.style != WALKING:
        gaits = {query.style: [e.name for e in library.entries if query.style in e.tags]}
    else:
        gaits = {gait: names_of_gait(library, gait) for gait in (WALKING, RUNNING)}
        if query.style is not None:
            del gaits[RUNNING]
    gaits = {gait: names for gait, names in gaits.items() if names}
    if not gaits:
        what = "walking alone" if query.style is None else f"{query.style!r}"
        return Refusal(
            f"none of the library's {len(library)} clips shows {what} "
            f"(they show {describe_tags(library)})"
        )
    gait = _choose_gait(library, gaits, query.speed)
    names, notes = _near_speed(library, gait, gaits[gait], query.speed)
    return Selection(library.only(names), notes)


def _choose_gait(library: Library, gaits: dict[str, list[str]], speed: float | None) -> str:
    """Return the gait of people at a speed, or the nearest that the library has."""
    first = next(iter(gaits))
    if speed is None or len(gaits) == 1:
        return first
    off = {gait: _off_speed(library, names, speed).min() for gait, names in gaits.items()}
    change = math.sqrt(RUN_FROUDE * _GRAVITY_M_S2 * leg_m(library.character))
    usual = RUNNING if speed > change else WALKING
    if off[usual] <= math.log(1.0 + SPEED_SHARE):
        return usual
    return min(off, key=lambda gait: off[gait])


def _speeds_of(library: Library, names: list[str]) -> Floats:
    """Return (N,) how fast the clips usually go, m/s; above 0."""
    known = _speeds.setdefault(library, {})
    for name in names:
        if name not in known:
            known[name] = usual_speed(library.clip(name))
    return np.maximum([known[name] for name in names], 1e-3)


def _off_speed(library: Library, names: list[str], speed: float) -> Floats:
    """Return (N,) how far off a speed the clips are, as the logarithm of the share."""
    return np.asarray(np.abs(np.log(_speeds_of(library, names) / speed)))


def _near_speed(
    library: Library, gait: str, names: list[str], speed: float | None
) -> tuple[list[str], tuple[str, ...]]:
    """Return the clips that go about as fast as wished, or as usual; else the nearest in speed."""
    speeds = _speeds_of(library, names)
    slower, faster = (SPEED_SHARE,) * 2 if speed is not None else USUAL_SHARES
    wished = usual_pace(library.character) if speed is None else speed
    near = (speeds * (1.0 + slower) >= wished) & (speeds <= wished * (1.0 + faster))
    if speed is None and (gait == RUNNING or not near.any()):
        wished = float(np.median(speeds))
        near = (speeds * (1.0 + slower) >= wished) & (speeds <= wished * (1.0 + faster))
    off = np.abs(np.log(speeds / wished))
    notes: tuple[str, ...] = ()
    if not near.any():
        near = off <= off.min() + 0.05
        best, does = speeds[off.argmin()], "runs" if gait == RUNNING else "walks"
        notes = (f"no clip {does} at {wished:.2f} m/s; the nearest does {best:.2f} m/s",)
    else:
        slow = [not _SLOWER_TAGS.isdisjoint(library.entry(name).tags) for name in names]
        near |= np.array(slow) & (speeds < wished) & (off <= math.log(1.0 + BEND_SHARE))
    return [name for name, fits in zip(names, near, strict=True) if fits], notes


@dataclass(frozen=True, eq=False)
class WalkingParts:
    """What there is to walk with.

    library        the parts of clips that go, as a library
    starts, stops  whole clips that begin, or end, standing
    origins        by the name of a part, which clip it is of and where it begins there
    """

    library: Library
    starts: tuple[Clip, ...]
    stops: tuple[Clip, ...]
    origins: Mapping[str, tuple[str, int]]


def cut_parts(library: Library) -> WalkingParts | Refusal:
    """Return the parts of walking clips without standing; a clip that stalls has several."""
    clips = tuple(library)
    parts: dict[str, Clip] = {}
    origins: dict[str, tuple[str, int]] = {}
    for clip in clips:
        spans = going_spans(clip)
        for number, (first, stop) in enumerate(spans, start=1):
            name = clip.name if len(spans) == 1 else f"{clip.name}, part {number}"
            parts[name] = clip[first:stop].named(name)
            origins[name] = clip.name, first
    if not parts:
        return Refusal(f"none of the library's {len(clips)} walking clips gets anywhere")
    return WalkingParts(
        library=_library_of_parts(library, parts, origins),
        starts=tuple(clip for clip in clips if "start" in clip.tags),
        stops=tuple(clip for clip in clips if "stop" in clip.tags),
        origins=origins,
    )


def _library_of_parts(
    library: Library, parts: Mapping[str, Clip], origins: Mapping[str, tuple[str, int]]
) -> Library:
    """Return the parts as a library; its keys say which part of a kept clip each of them is."""
    entries = []
    for name, part in parts.items():
        clip, first = origins[name]
        entry = library.entry(clip)
        key = entry.key and f"{entry.key} {first}-{first + len(part)}"
        entries.append(replace(entry, name=name, key=key, frames=len(part), seconds=part.seconds))
    return replace(library, entries=tuple(entries), _load=lambda entry: parts[entry.name])


def going_spans(clip: Clip) -> list[tuple[int, int]]:
    """Return the stretches of a clip, first frame and stop, without standing or stalling.

    Who slows down to turn goes on; who slows down for no reason, in the middle of a walk that
    should go on, does what nobody wants.
    """
    speed = ground_speeds(clip)
    ahead = np.unwrap(quat.yaw_of(clip.rotations[:, 0]))
    turning = np.abs(np.gradient(low_pass(ahead, clip.fps, 1.0))) * clip.fps if len(clip) > 1 else 0
    slow = _STALL_SHARE * usual_speed(clip)
    stalls = (speed < _STANDING_M_S) | ((speed < slow) & (turning < _STRAIGHT_RAD_S))
    stalls = without_short_runs(stalls, round(_STANDING_S * clip.fps))
    least = _SHORTEST_S * clip.fps
    return [(first, stop) for first, stop in runs(~stalls).tolist() if stop - first >= least]
