"""The clips that a motion graph is made of: those that walk, without what they do before and after.

Which clips of a library are wanted depends on the speed and the style that are asked for; what is
cut out of them does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np

from footfall.body.clip import Clip
from footfall.body.edit import slice_frames
from footfall.gait.speed import ground_speeds, usual_speed
from footfall.library.entry import Entry
from footfall.library.library import Library
from footfall.maths.runs import runs, without_short_runs
from footfall.task import Query
from footfall.task.method import Refusal, Selection

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
_STANDING_M_S, _STANDING_S, _SHORTEST_S = 0.3, 0.4, 1.0

_speeds: WeakKeyDictionary[Library, dict[str, float]] = WeakKeyDictionary()


def select_walks(library: Library, query: Query) -> Selection | Refusal:
    """The clips of a library that walk, near the speed that is wished for if there are any."""
    if not len(library):
        return Refusal("the library holds no clips")
    chosen = [entry for entry in library.entries if _walks(entry, query.style)]
    if not chosen:
        seen = ", ".join(list(library.tags)[:6]) or "nothing known"
        what = "walking alone" if query.style is None else f"{query.style!r}"
        return Refusal(
            f"none of the library's {len(library)} clips shows {what} (they show {seen})"
        )
    names, notes = _near_speed(library, [entry.name for entry in chosen], query.speed)
    return Selection(library.only(names), notes)


def _walks(entry: Entry, style: str | None) -> bool:
    if style is not None and style != WALKING:
        return style in entry.tags
    return WALKING in entry.tags and not NOT_WALKING & set(entry.tags)


def _near_speed(
    library: Library, names: list[str], speed: float | None
) -> tuple[list[str], tuple[str, ...]]:
    """The clips that go about as fast as wished, or as usual; else the nearest in speed."""
    known = _speeds.setdefault(library, {})
    for name in names:
        if name not in known:
            known[name] = usual_speed(library.clip(name))
    speeds = np.maximum([known[name] for name in names], 1e-3)
    wished = float(np.median(speeds)) if speed is None else speed
    off = np.abs(np.log(speeds / wished))
    near = off <= np.log(1.0 + (USUAL_SHARE if speed is None else SPEED_SHARE))
    notes: tuple[str, ...] = ()
    if not near.any():
        near = off <= off.min() + 0.05
        best = speeds[off.argmin()]
        notes = (f"no clip walks at {wished:.2f} m/s; the nearest does {best:.2f} m/s",)
    return [name for name, fits in zip(names, near, strict=True) if fits], notes


@dataclass(frozen=True, eq=False)
class WalkingParts:
    """What there is to walk with.

    library        the parts of clips that go, as a library
    starts, stops  whole clips that begin, or end, standing
    first_frames   by the name of a part, where it begins in the clip of that name
    """

    library: Library
    starts: tuple[Clip, ...]
    stops: tuple[Clip, ...]
    first_frames: Mapping[str, int]


def cut_parts(library: Library) -> WalkingParts | Refusal:
    """The parts of walking clips that go on without standing."""
    clips = tuple(library)
    spans = {clip.name: going_span(clip) for clip in clips}
    parts = {c.name: slice_frames(c, *spans[c.name]) for c in clips if spans[c.name][1]}
    if not parts:
        return Refusal(f"none of the library's {len(clips)} walking clips gets anywhere")
    return WalkingParts(
        library=_library_of_parts(library, parts, spans),
        starts=tuple(clip for clip in clips if "start" in clip.tags),
        stops=tuple(clip for clip in clips if "stop" in clip.tags),
        first_frames={name: spans[name][0] for name in parts},
    )


def _library_of_parts(
    library: Library, parts: Mapping[str, Clip], spans: Mapping[str, tuple[int, int]]
) -> Library:
    """The parts as a library; its keys say which part of a kept clip each of them is."""
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
    stands = without_short_runs(ground_speeds(clip) < _STANDING_M_S, round(_STANDING_S * clip.fps))
    found = runs(~stands)
    if not len(found):
        return 0, 0
    first, stop = found[int(np.argmax(found[:, 1] - found[:, 0]))].tolist()
    return (first, stop) if stop - first >= _SHORTEST_S * clip.fps else (0, 0)
