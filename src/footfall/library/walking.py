"""The clips of a library that show walking, and what a body needs to walk: room, and turns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from footfall.body.capsules import body_capsules
from footfall.body.clip import Clip
from footfall.body.edit import slice_frames
from footfall.body.kinematics import world_poses
from footfall.gait.path import path_abstraction
from footfall.library.entry import Entry
from footfall.library.library import Library
from footfall.maths.arrays import Floats
from footfall.maths.runs import runs, without_short_runs

WALKING = "walk"
NOT_WALKING = frozenset(
    (
        "run", "backward", "sidestep_left", "sidestep_right", "jump", "hop", "hurdle", "step_over",
        "step_up", "step_down", "beam", "duck", "crouch", "pick", "sit", "sit_down", "stand_up",
    )
)  # fmt: skip
"""What a clip must not show besides, to be of use for following a path on level ground."""
SPEED_SHARE, USUAL_SHARE = 0.3, 0.5
"""Clips within this share of a speed that is wished for will do; if none is, of the median."""
_MOVING_M_S = 0.4
_STANDING_M_S, _STANDING_S, _SHORTEST_S = 0.3, 0.4, 1.0
_NARROW, _WIDE = 0.05, 0.9
_TIGHT = 0.95


@dataclass(frozen=True, eq=False)
class Walkers:
    """The clips to walk with.

    library        the stretches of them that go, as a library; None if there are none
    clips          the same, loaded
    starts, stops  whole clips that begin, or end, standing
    first_frames   by the name of a stretch, where it begins in the clip of that name
    reason         why there are none, or ""
    notes          one sentence for each thing worth knowing
    """

    library: Library | None = None
    clips: tuple[Clip, ...] = ()
    starts: tuple[Clip, ...] = ()
    stops: tuple[Clip, ...] = ()
    first_frames: Mapping[str, int] = field(default_factory=dict)
    reason: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Room:
    """How much room the walking of some clips takes, metres.

    half_width   from the path to the outermost hand, most of the time
    narrow       the same at the narrowest moments: a body that squeezes through
    height       of the body
    turn_radius  of the tightest curves
    """

    half_width: float
    narrow: float
    height: float
    turn_radius: float


def walkers_of(library: Library, speed: float | None = None) -> Walkers:
    """The walking clips of a library, those near `speed` m/s if there are any."""
    if not len(library):
        return Walkers(reason="the library holds no clips")
    chosen = [entry for entry in library.entries if _walks(entry)]
    if not chosen:
        seen = ", ".join(list(library.tags)[:6]) or "nothing known"
        reason = (
            f"none of the library's {len(library)} clips shows walking alone (they show {seen})"
        )
        return Walkers(reason=reason)
    clips = tuple(library.only(entry.name for entry in chosen))
    clips, notes = _near_speed(clips, speed)
    spans = {clip.name: going_span(clip) for clip in clips}
    parts = {c.name: slice_frames(c, *spans[c.name]) for c in clips if spans[c.name][1]}
    if not parts:
        return Walkers(reason=f"none of the library's {len(clips)} walking clips gets anywhere")
    return Walkers(
        library=_of_parts(library, parts, spans),
        clips=tuple(parts.values()),
        starts=tuple(clip for clip in clips if "start" in clip.tags),
        stops=tuple(clip for clip in clips if "stop" in clip.tags),
        first_frames={name: spans[name][0] for name in parts},
        notes=notes,
    )


def _of_parts(
    library: Library, parts: Mapping[str, Clip], spans: Mapping[str, tuple[int, int]]
) -> Library:
    """The stretches as a library; its keys say which part of a kept clip each of them is."""
    entries = []
    for name, part in parts.items():
        entry = library.entry(name)
        first, stop = spans[name]
        key = entry.key and f"{entry.key} {first}-{stop}"
        entries.append(replace(entry, key=key, frames=len(part), seconds=part.seconds))
    return replace(library, entries=tuple(entries), _load=lambda entry: parts[entry.name])


def going_span(clip: Clip) -> tuple[int, int]:
    """The frames of a clip, first and stop, that go on without standing; (0, 0) if none do.

    Standing in the middle of a walk that should go on is what nobody wants; the longest stretch
    without it is taken.
    """
    stands = without_short_runs(_speeds(clip) < _STANDING_M_S, round(_STANDING_S * clip.fps))
    found = runs(~stands)
    if not len(found):
        return 0, 0
    first, stop = found[int(np.argmax(found[:, 1] - found[:, 0]))].tolist()
    return (first, stop) if stop - first >= _SHORTEST_S * clip.fps else (0, 0)


def _walks(entry: Entry) -> bool:
    return WALKING in entry.tags and not NOT_WALKING & set(entry.tags)


def _near_speed(
    clips: tuple[Clip, ...], speed: float | None
) -> tuple[tuple[Clip, ...], tuple[str, ...]]:
    """The clips that go about as fast as wished, or as usual; else the nearest in speed."""
    speeds = np.maximum([walking_speed(clip) for clip in clips], 1e-3)
    wished = float(np.median(speeds)) if speed is None else speed
    off = np.abs(np.log(speeds / wished))
    near = off <= np.log(1.0 + (USUAL_SHARE if speed is None else SPEED_SHARE))
    notes: tuple[str, ...] = ()
    if not near.any():
        near = off <= off.min() + 0.05
        best = speeds[off.argmin()]
        notes = (f"no clip walks at {wished:.2f} m/s; the nearest does {best:.2f} m/s",)
    return tuple(c for c, n in zip(clips, near, strict=True) if n), notes


def walking_speed(clip: Clip) -> float:
    """The median speed over the ground while the clip goes, m/s; 0 if it never does."""
    speed = _speeds(clip)
    going = speed > _MOVING_M_S
    return float(np.median(speed[going])) if going.any() else 0.0


def room_of(clips: tuple[Clip, ...]) -> Room:
    """How much room the walking of these clips takes."""
    capsules = body_capsules(clips[0].skeleton)
    widths, bends, heights = [], [], []
    for clip in clips:
        ends = capsules.placed(world_poses(clip))
        path = path_abstraction(clip)
        ahead = _directions(path)
        aside = np.stack([ahead[:, 1], -ahead[:, 0]], axis=1)
        off = ends[..., [0, 2]] - path[:, None, None]
        across = np.abs(np.einsum("tbei,ti->tbe", off, aside)) + capsules.radii[:, None]
        going = _speeds(clip) > _MOVING_M_S
        widths.append(across.max(axis=(1, 2))[going])
        bends.append(_bends(path)[going])
        heights.append(float((ends[..., 1] + capsules.radii[:, None]).max()))
    width, bend = np.concatenate(widths), np.concatenate(bends)
    if not len(width):
        return Room(0.4, 0.3, max(heights), 1.0)
    return Room(
        half_width=float(np.quantile(width, _WIDE)),
        narrow=float(np.quantile(width, _NARROW)),
        height=float(np.median(heights)),
        turn_radius=float(np.clip(1.0 / max(np.quantile(bend, _TIGHT), 1e-3), 0.4, 1.5)),
    )


def _speeds(clip: Clip) -> Floats:
    """(T,) the speed of the root over the ground, without its sway, m/s."""
    if len(clip) < 2:
        return np.zeros(len(clip))
    from footfall.maths.signals import low_pass

    root = low_pass(clip.root[:, [0, 2]], clip.fps, 1.0)
    return np.asarray(np.linalg.norm(np.gradient(root, axis=0), axis=1) * clip.fps)


def _directions(path: Floats) -> Floats:
    """(T, 2) the unit direction of a path at every frame; where it rests, that of before."""
    if len(path) < 2:
        return np.tile([0.0, 1.0], (len(path), 1))
    step = np.gradient(path, axis=0)
    size = np.linalg.norm(step, axis=1, keepdims=True)
    known = size[:, 0] > 1e-4
    if not known.any():
        return np.tile([0.0, 1.0], (len(path), 1))
    last = np.maximum.accumulate(np.where(known, np.arange(len(path)), int(np.argmax(known))))
    unit: Floats = step[last] / size[last]
    return unit


def _bends(path: Floats) -> Floats:
    """(T,) the curvature of a path at every frame, 1/m."""
    if len(path) < 3:
        return np.zeros(len(path))
    first = np.gradient(path, axis=0)
    second = np.gradient(first, axis=0)
    speed = np.maximum(np.linalg.norm(first, axis=1), 1e-4)
    return np.asarray(np.abs(first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]) / speed**3)
