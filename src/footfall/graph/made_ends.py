"""Walks begun and ended by steps that nobody recorded, and what such segments are called."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from footfall.adapt.steps.footsteps import way_to_rest
from footfall.adapt.steps.standing import Standing
from footfall.adapt.steps.stepping import make_steps, peak_speeds
from footfall.body.clip import Clip
from footfall.body.edit import join
from footfall.graph.motion import cut_segments
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.maths.runs import runs
from footfall.task import Segment, SourceClip

START, STOP, TURN, STEPS = "start", "stop", "turn", "steps"
"""Why a segment is there; steps and turns are made, with the posture of their source."""
_REACH_S = 4.0
_HEADING_S = 0.5
_CALM, _TRIES, _FURTHER_M = 1.5, 3, 0.8
"""Made steps are calm if no joint is faster than this multiple of its speed in the walk. The second
is how many are tried; their ends are at most this much further off than the nearest."""
_SOONER = 0.65
"""Somebody comes to rest, or starts, within this share of the usual way if there is no more."""


@dataclass(frozen=True, eq=False)
class Motion:
    """A clip in the making, what it is made of, and how far along the path each frame is."""

    clip: Clip
    segments: tuple[Segment, ...]
    distances: Floats


def make_stop(motion: Motion, standing: Standing, length_m: float) -> Motion | None:
    """Return the walk brought to rest by a last few steps that nobody recorded."""
    clip, along = motion.clip, motion.distances
    first = max(len(clip) - round(_REACH_S * clip.fps), 1)
    chosen = [n for n in _single_supports(clip)[:, 0].tolist() if n >= first]

    def steps_from(frame: int, room_m: float) -> Clip:
        pose = _stand_ahead(clip, frame, room_m, standing, 1.0)
        return make_steps(clip[frame - 1 : frame + 1], pose)

    found = _calmest(clip, {n: float(length_m - along[n]) for n in chosen}, steps_from)
    if found is None:
        return None
    frame, steps = found
    whole = join_clips([clip[:frame], steps], clip.name)
    gone = np.cumsum(_ground_steps(steps))
    segment = made_segment(standing, frame, len(whole), STOP)
    return Motion(
        whole, (*cut_segments(motion.segments, 0, frame), segment),
        np.concatenate([along[:frame], along[frame] + gone]),
    )  # fmt: skip


def make_start(motion: Motion, standing: Standing) -> Motion | None:
    """Return the walk begun at rest by a first few steps that nobody recorded."""
    clip, along = motion.clip, motion.distances
    ends = [part.first for part in motion.segments if part.why == STOP]
    last = min(round(_REACH_S * clip.fps), len(clip) - 2, *ends)
    chosen = [n for n in (_single_supports(clip)[:, 1] - 1).tolist() if 0 < n < last]

    def steps_to(frame: int, room_m: float) -> Clip:
        pose = _stand_ahead(clip, frame, room_m, standing, -1.0)
        return make_steps(pose, clip[frame : frame + 2])

    found = _calmest(clip, {n: float(along[n]) for n in chosen}, steps_to)
    if found is None:
        return None
    frame, steps = found
    whole = join_clips([steps, clip[frame + 1 :]], clip.name)
    gone = np.cumsum(_ground_steps(steps))
    rest = cut_segments(motion.segments, frame + 1, len(clip), len(steps) - frame - 1)
    return Motion(
        whole, (made_segment(standing, 0, len(steps), START), *rest),
        np.concatenate([along[frame] + gone - gone[-1], along[frame + 1 :]]),
    )  # fmt: skip


def _calmest(
    clip: Clip, rooms: Mapping[int, float], make: Callable[[int, float], Clip]
) -> tuple[int, Clip] | None:
    """Return a frame of a walk and steps from it, or to it, that end near the wished place.

    rooms  by the frames that may be taken, how many metres there are
    """
    usual = np.maximum(peak_speeds(clip), math.radians(60.0))
    off = {n: round(_off(room, way_to_rest(_speed(clip, n))), 3) for n, room in rooms.items()}
    near = [
        n for n in sorted(off, key=lambda n: off[n]) if off[n] <= min(off.values()) + _FURTHER_M
    ]
    best, least = None, math.inf
    for frame in near[:_TRIES]:
        steps = make(frame, rooms[frame])
        hurry = float((peak_speeds(steps) / usual).max())
        if hurry < least - 0.1:
            best, least = (frame, steps), hurry
        if least <= _CALM:
            break
    return best


def _stand_ahead(clip: Clip, frame: int, room_m: float, standing: Standing, sign: float) -> Clip:
    """Return the stance that a walk reaches from a frame (`sign` 1), or starts from (-1)."""
    way = way_to_rest(_speed(clip, frame))
    way = float(np.clip(room_m, _SOONER * way, 1.2 * way))
    ahead = _heading_vector(clip, frame)
    x, z = (clip.root[frame, [0, 2]] + sign * way * ahead).tolist()
    return standing.at(x, z, math.atan2(*ahead))


def _off(room_m: float, way_m: float) -> float:
    """Return how far from the wished place a body comes to rest with that much room."""
    short = max(_SOONER * way_m - room_m, 0.0)
    return 10.0 * short + abs(room_m - way_m)


def _single_supports(clip: Clip) -> Ints:
    """Return (N, 2) the frames, first and stop, in which one foot alone stands."""
    assert clip.contacts is not None
    feet = clip.contacts[:, :2].any(axis=1), clip.contacts[:, 2:].any(axis=1)
    alone: Bools = feet[0] != feet[1]
    spans = runs(alone)
    inside = (spans[:, 0] > 0) & (spans[:, 1] < len(clip)) & (spans[:, 1] - spans[:, 0] > 2)
    return np.asarray(spans[inside])


def _speed(clip: Clip, frame: int) -> float:
    """Return how fast it goes around a frame, m/s."""
    return float(np.hypot(*_way_around(clip, frame)) / _HEADING_S)


def _heading_vector(clip: Clip, frame: int) -> Floats:
    """Return (2,) which way it goes around a frame."""
    way = _way_around(clip, frame)
    return np.asarray(way / max(float(np.hypot(*way)), 1e-9))


def _way_around(clip: Clip, frame: int) -> Floats:
    """Return (2,) how far it goes in half a second about a frame."""
    half = round(0.5 * _HEADING_S * clip.fps)
    low, high = max(frame - half, 0), min(frame + half, len(clip) - 1)
    way = clip.root[high, [0, 2]] - clip.root[low, [0, 2]]
    return np.asarray(way * (2.0 * half / max(high - low, 1)))


def join_clips(parts: Sequence[Clip], name: str) -> Clip:
    """Return the clips one after the other, as one walk."""
    return join(parts).derive(name=name, tags=())


def _ground_steps(clip: Clip) -> Floats:
    """Return (T,) metres over the ground from the frame before."""
    ground = clip.root[:, [0, 2]]
    return np.asarray(np.hypot(*np.diff(ground, axis=0, prepend=ground[:1]).T))


def made_segment(standing: Standing, first: int, stop: int, why: str) -> Segment:
    """Return a segment that is made; its source is the clip whose posture it has."""
    return Segment(first, stop, why, (SourceClip(standing.clip, standing.frame),))
