"""Walks that begin and end at rest, where and as they were asked to.

Recorded starts and stops are joined to a walk where they fit; where a library has none, they are
made step by step. Whoever is to face elsewhere turns on the spot, before the first step or after
the last; short paths are stepped altogether.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from footfall.adapt.ends import (
    EndClips,
    Join,
    Joined,
    find_ends,
    prepare_starts,
    prepare_stops,
    start_standing,
    stop_standing,
)
from footfall.adapt.footsteps import way_to_rest
from footfall.adapt.meet import meet_headings
from footfall.adapt.rests import facings
from footfall.adapt.standing import Standing, plainest_stand, stand_at_origin, stand_like
from footfall.adapt.stepping import make_steps, peak_speeds
from footfall.body.clip import Clip
from footfall.body.edit import join, planar_pose, slice_frames
from footfall.body.edit import place as lay
from footfall.graph.motion import PASSING, cut_segments, sources_at
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.maths.polyline import SHORTEST_M, EvenPolyline
from footfall.maths.runs import runs
from footfall.task import Segment, SourceClip

START, STOP, TURN, STEPS = "start", "stop", "turn", "steps"
"""Why a segment is there; steps and turns are made, with the posture of their source."""
SHORT_M, STEPPED_M, MOST_STEPPED_M = 1.1, 2.6, 6.0
"""Paths up to this are stepped; up to this where no recorded start and stop fit between; and up
to this where none can be made either, as for runs."""
MOST_SCALE = 1.2
"""Strides are made longer or shorter by this factor at most, so that a walk fits its path."""
ABSORBED = (math.radians(35.0), math.radians(25.0))
"""A heading that is off by less is made up in the first steps, or in the last."""
_EXACT = math.radians(1.0)
_AT_ONCE_M, _AT_ONCE = 0.7, math.radians(60.0)
"""Smaller turns are made while stepping; on shorter paths it may face elsewhere than it goes."""
_STRAIGHT_M, _MOST_CORNERS = 0.12, 6
"""So far from the path steps may cut its bends, and so many points they go through at most."""
_REACH_S = 4.0
_HEADING_S = 0.5
_CALM, _TRIES, _FURTHER_M = 1.5, 3, 0.8
"""Made steps are calm if no joint is so many times faster than in the walk; so many are tried,
whose ends are so much further off than those of the nearest at most."""
_SOONER = 0.65
"""Somebody comes to rest, or starts, within this share of the usual way if there is no more."""


@dataclass(frozen=True, eq=False)
class Ends:
    """Clips from standing to going and from going to standing, and where parts of clips begin.

    origins  by the name of a graph's clip, which clip it is a part of and where it begins there
    standing  how the character stands
    """

    starts: EndClips
    stops: EndClips
    origins: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    standing: Standing | None = None


@dataclass(frozen=True, eq=False)
class Motion:
    """A clip in the making, what it is made of, and how far along the path each frame is."""

    clip: Clip
    segments: tuple[Segment, ...]
    distances: Floats


def prepare_walk_ends(
    starts: Sequence[Clip], stops: Sequence[Clip], fps: float, window: int,
    origins: Mapping[str, tuple[str, int]] | None = None, walks: Sequence[Clip] = (),
) -> Ends:  # fmt: skip
    """Clips to begin and to end at rest with, made ready for walks of a frame rate.

    window  how many frames transitions take
    walks   clips that walk, to know how the character stands if none of the others does
    """
    begins, ends = prepare_starts(starts, fps, window), prepare_stops(stops, fps, window)
    standing = _standing(begins, ends, walks)
    if standing is not None and origins and standing.clip in origins:
        name, first = origins[standing.clip]
        standing = replace(standing, clip=name, frame=first + standing.frame)
    return Ends(begins, ends, origins or {}, standing)


def _standing(starts: EndClips, stops: EndClips, walks: Sequence[Clip]) -> Standing | None:
    """A rest of the clips that start or stop; if there is none, made from the longest walk."""
    rests = [
        (ends, n, ends.at_rest % len(clip))
        for ends in (starts, stops)
        for n, clip in enumerate(ends.clips) if not ends.mirrored[n]
    ]  # fmt: skip
    if rests:
        ends, n, frame = rests[plainest_stand([(e.clips[k], f) for e, k, f in rests])]
        clip = ends.clips[n]
        pose = stand_at_origin(clip, frame)
        return Standing(pose, clip.name, ends.skipped[n] + frame, peak_speeds(clip))
    if not walks:
        return None
    longest = max(walks, key=len)
    return Standing(stand_like(longest), longest.name, 0, peak_speeds(longest))


def join_ends(motion: Motion, ends: Ends, length_m: float, complete: bool) -> Motion | None:
    """The walk from standing to standing, as long as the path; None if it cannot be.

    On a path that is short enough to be stepped nothing is made where clips do not fit.

    complete  whether the walk goes to the end of the path; if not, it ends where it ends
    """
    starts, stops = ends.starts, ends.stops if complete else None
    begin, end = find_ends(motion.clip, motion.distances, starts, stops, length_m)
    if begin is not None and end is not None and not _fits(begin.stands_m, end.stands_m, length_m):
        begin, end = None, None
    if length_m <= STEPPED_M and complete and (begin is None or end is None):
        return None
    whole: Motion | None = motion
    if end is not None:
        stopped = stop_standing(motion.clip, motion.distances, ends.stops, end)
        whole = _ended_by(motion, stopped, ends.stops)
    elif complete:
        whole = None if ends.standing is None else _make_stop(motion, ends.standing, length_m)
    if whole is None:
        return None
    if begin is not None:
        begun = start_standing(whole.clip, whole.distances, starts, begin)
        return _begun_by(whole, begun, starts)
    made = None if ends.standing is None else _make_start(whole, ends.standing)
    if made is None or not complete:
        return made
    return made if _fits(float(made.distances[0]), float(made.distances[-1]), length_m) else None


def _fits(begin_m: float, end_m: float, length_m: float) -> bool:
    """Whether a walk from here to there along its path can be made as long as that."""
    scale = length_m / max(end_m - begin_m, 1e-3)
    return 1.0 / MOST_SCALE <= scale <= MOST_SCALE


# ---- made starts and stops --------------------------------------------------------------


def _make_stop(motion: Motion, standing: Standing, length_m: float) -> Motion | None:
    """The walk brought to rest by a last few steps that nobody recorded."""
    clip, along = motion.clip, motion.distances
    first = max(len(clip) - round(_REACH_S * clip.fps), 1)
    chosen = [n for n in _single_supports(clip)[:, 0].tolist() if n >= first]

    def steps_from(frame: int, room_m: float) -> Clip:
        pose = _stand_ahead(clip, frame, room_m, standing, 1.0)
        return make_steps(slice_frames(clip, frame - 1, frame + 1), pose)

    found = _calmest(clip, {n: float(length_m - along[n]) for n in chosen}, steps_from)
    if found is None:
        return None
    frame, steps = found
    whole = _joined([slice_frames(clip, 0, frame), steps], clip.name)
    gone = np.cumsum(_ground_steps(steps))
    segment = _made(standing, frame, len(whole), STOP)
    return Motion(
        whole, (*cut_segments(motion.segments, 0, frame), segment),
        np.concatenate([along[:frame], along[frame] + gone]),
    )  # fmt: skip


def _make_start(motion: Motion, standing: Standing) -> Motion | None:
    """The walk begun at rest by a first few steps that nobody recorded."""
    clip, along = motion.clip, motion.distances
    ends = [part.first for part in motion.segments if part.why == STOP]
    last = min(round(_REACH_S * clip.fps), len(clip) - 2, *ends)
    chosen = [n for n in (_single_supports(clip)[:, 1] - 1).tolist() if 0 < n < last]

    def steps_to(frame: int, room_m: float) -> Clip:
        pose = _stand_ahead(clip, frame, room_m, standing, -1.0)
        return make_steps(pose, slice_frames(clip, frame, frame + 2))

    found = _calmest(clip, {n: float(along[n]) for n in chosen}, steps_to)
    if found is None:
        return None
    frame, steps = found
    whole = _joined([steps, slice_frames(clip, frame + 1, len(clip))], clip.name)
    gone = np.cumsum(_ground_steps(steps))
    rest = cut_segments(motion.segments, frame + 1, len(clip), len(steps) - frame - 1)
    return Motion(
        whole, (_made(standing, 0, len(steps), START), *rest),
        np.concatenate([along[frame] + gone - gone[-1], along[frame + 1 :]]),
    )  # fmt: skip


def _calmest(
    clip: Clip, rooms: Mapping[int, float], make: Callable[[int, float], Clip]
) -> tuple[int, Clip] | None:
    """A frame of a walk and the steps made from it, or to it: near the wished place, unhurried.

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
    """The stand to which a walk comes from a frame (`sign` 1), or from which it came (-1)."""
    way = way_to_rest(_speed(clip, frame))
    way = float(np.clip(room_m, _SOONER * way, 1.2 * way))
    ahead = _heading_vector(clip, frame)
    x, z = (clip.root[frame, [0, 2]] + sign * way * ahead).tolist()
    return standing.at(x, z, math.atan2(*ahead))


def _off(room_m: float, way_m: float) -> float:
    """How far from the wished place one comes to rest who has so much room, and would use it."""
    short = max(_SOONER * way_m - room_m, 0.0)
    return 10.0 * short + abs(room_m - way_m)


def _single_supports(clip: Clip) -> Ints:
    """(N, 2) the frames, first and stop, in which one foot alone stands."""
    assert clip.contacts is not None
    feet = clip.contacts[:, :2].any(axis=1), clip.contacts[:, 2:].any(axis=1)
    alone: Bools = feet[0] != feet[1]
    spans = runs(alone)
    inside = (spans[:, 0] > 0) & (spans[:, 1] < len(clip)) & (spans[:, 1] - spans[:, 0] > 2)
    return np.asarray(spans[inside])


def _speed(clip: Clip, frame: int) -> float:
    """How fast it goes around a frame, m/s."""
    return float(np.hypot(*_way_around(clip, frame)) / _HEADING_S)


def _heading_vector(clip: Clip, frame: int) -> Floats:
    """(2,) which way it goes around a frame."""
    way = _way_around(clip, frame)
    return np.asarray(way / max(float(np.hypot(*way)), 1e-9))


def _way_around(clip: Clip, frame: int) -> Floats:
    """(2,) how far it goes in half a second about a frame."""
    half = round(0.5 * _HEADING_S * clip.fps)
    low, high = max(frame - half, 0), min(frame + half, len(clip) - 1)
    way = clip.root[high, [0, 2]] - clip.root[low, [0, 2]]
    return np.asarray(way * (2.0 * half / max(high - low, 1)))


# ---- short paths and turns --------------------------------------------------------------


def step_along(
    line: EvenPolyline, standing: Standing, begin_yaw: float | None, end_yaw: float | None
) -> Motion | None:
    """A short path in a few steps, from corner to corner; None if it turns too often."""
    corners = _corners(line)
    if len(corners) > _MOST_CORNERS:
        return None
    ahead = [math.atan2(*(b - a)) for a, b in pairwise(corners)]
    first, last = ahead[0], ahead[-1]
    begins = first if begin_yaw is None else begin_yaw
    ends = last if end_yaw is None else end_yaw
    if line.length_m < SHORTEST_M:  # to turn on the spot no way ahead matters
        first = last = ends = begins if end_yaw is None else end_yaw
        begins = ends if begin_yaw is None else begin_yaw
    # A short way is stepped sideways or back, too, by who is to face the same way all along.
    turns = line.length_m > _AT_ONCE_M or _far(begins, ends)
    stops = [(*corners[0], begins)]
    if turns and line.length_m >= SHORTEST_M and _far(begins, first):
        stops.append((*corners[0], first))
    for corner, into, out in zip(corners[1:-1], ahead, ahead[1:], strict=False):
        stops.append((*corner, into + 0.5 * math.remainder(out - into, math.tau)))
    if turns and _far(last, ends):
        stops.append((*corners[-1], last))
    stops.append((*corners[-1], ends))
    return _step_from_stop_to_stop(line, standing, [(float(x), float(z), y) for x, z, y in stops])


def _step_from_stop_to_stop(
    line: EvenPolyline, standing: Standing, stops: list[tuple[float, float, float]]
) -> Motion:
    poses = [standing.at(*stop) for stop in stops]
    segments: list[Segment] = []
    clips: list[Clip] = []
    at = 0
    for n, (a, b) in enumerate(pairwise(poses)):
        part = make_steps(a, b, most_speeds=standing.speeds)
        cut = part if n == 0 else slice_frames(part, 1, len(part))
        turns = stops[n][:2] == stops[n + 1][:2]
        segments.append(_made(standing, at, at + len(cut), TURN if turns else STEPS))
        clips.append(cut)
        at += len(cut)
    whole = _joined(clips, "walk")
    along = line.nearest(whole.root[:, [0, 2]])
    return Motion(whole, tuple(segments), np.maximum.accumulate(along))


def _corners(line: EvenPolyline) -> list[Floats]:
    """The fewest points of a path, its ends among them, from which it strays but a little."""
    points = line.points

    def between(first: int, last: int) -> list[int]:
        way = points[last] - points[first]
        off = points[first : last + 1] - points[first]
        size = float(np.hypot(*way))
        if size > _STRAIGHT_M:
            gaps = np.abs(off[:, 0] * way[1] - off[:, 1] * way[0]) / size
        else:
            gaps = np.hypot(*off.T)
        worst = int(np.argmax(gaps))
        if gaps[worst] <= _STRAIGHT_M or worst in (0, last - first):
            return [first]
        return [*between(first, first + worst), *between(first + worst, last)]

    last = len(points) - 1
    return [points[n] for n in (*between(0, last), last)]


def face(motion: Motion, standing: Standing, begin: float | None, end: float | None) -> Motion:
    """The motion facing `begin` first and `end` last, radians; None: as it does."""
    own = facings(motion.clip)
    offs = [0.0 if yaw is None else math.remainder(yaw - float(own[at]), math.tau)
            for yaw, at in ((begin, 0), (end, -1))]  # fmt: skip
    little = [off if abs(off) <= most else 0.0 for off, most in zip(offs, ABSORBED, strict=True)]
    if any(little):
        motion = replace(motion, clip=meet_headings(motion.clip, little[0], little[1]))
    if end is not None and not little[1] and abs(offs[1]) > _EXACT:
        motion = _turn_last(motion, standing, offs[1])
    if begin is not None and not little[0] and abs(offs[0]) > _EXACT:
        motion = _turn_first(motion, standing, offs[0])
    return motion


def _turn_first(motion: Motion, standing: Standing, off: float) -> Motion:
    clip = motion.clip
    x, z, yaw = planar_pose(clip, 0)
    pose = lay(slice_frames(clip, 0, 1), [x, z, yaw + off])
    steps = make_steps(pose, slice_frames(clip, 0, 2), most_speeds=standing.speeds)
    count = len(steps) - 1
    whole = _joined([slice_frames(steps, 0, count), clip], clip.name)
    moved = cut_segments(motion.segments, 0, len(clip), count)
    along = np.concatenate([np.full(count, motion.distances[0]), motion.distances])
    return Motion(whole, (_made(standing, 0, count, TURN), *moved), along)


def _turn_last(motion: Motion, standing: Standing, off: float) -> Motion:
    clip, frames = motion.clip, len(motion.clip)
    x, z, yaw = planar_pose(clip, -1)
    pose = lay(slice_frames(clip, frames - 1, frames), [x, z, yaw + off])
    steps = make_steps(slice_frames(clip, frames - 2, frames), pose, most_speeds=standing.speeds)
    whole = _joined([clip, slice_frames(steps, 1, len(steps))], clip.name)
    along = np.append(motion.distances, np.full(len(steps) - 1, motion.distances[-1]))
    return Motion(whole, (*motion.segments, _made(standing, frames, len(whole), TURN)), along)


def _far(a: float, b: float) -> bool:
    """Whether from one heading to the other is more than what is turned while stepping."""
    return abs(math.remainder(a - b, math.tau)) > _AT_ONCE


def _joined(parts: Sequence[Clip], name: str) -> Clip:
    return replace(join(parts), name=name, tags=())


def _ground_steps(clip: Clip) -> Floats:
    """(T,) metres over the ground from the frame before."""
    ground = clip.root[:, [0, 2]]
    return np.asarray(np.hypot(*np.diff(ground, axis=0, prepend=ground[:1]).T))


# ---- what it is made of -----------------------------------------------------------------


def _made(standing: Standing, first: int, stop: int, why: str) -> Segment:
    return Segment(first, stop, why, (SourceClip(standing.clip, standing.frame),))


def _ended_by(motion: Motion, stopped: Joined, stops: EndClips) -> Motion:
    join_, own = stopped.join, motion.segments
    into = _end_source(stops, join_, join_.enter - join_.window + 1, 0.5)
    last = _end_source(stops, join_, join_.enter + 1, 1.0)
    after = join_.leave + join_.window
    segments = [
        *cut_segments(own, 0, join_.leave),
        Segment(join_.leave, after, PASSING, (*_halve(own, join_.leave), into)),
    ]
    if after < len(stopped.clip):
        segments.append(Segment(after, len(stopped.clip), STOP, (last,)))
    return Motion(stopped.clip, tuple(segments), stopped.distances)


def _begun_by(motion: Motion, begun: Joined, starts: EndClips) -> Motion:
    join_, own = begun.join, motion.segments
    first, out_of = (_end_source(starts, join_, *w) for w in ((0, 1.0), (join_.leave, 0.5)))
    into = _halve(own, join_.enter - join_.window + 1)
    after = join_.leave + join_.window
    segments = [Segment(0, join_.leave, START, (first,))] if join_.leave else []
    segments.append(Segment(join_.leave, after, PASSING, (out_of, *into)))
    moved = after - join_.enter - 1
    rest = cut_segments(own, join_.enter + 1, len(motion.clip), moved)
    return Motion(begun.clip, (*segments, *rest), begun.distances)


def _end_source(ends: EndClips, join_: Join, frame: int, weight: float) -> SourceClip:
    name, mirrored = ends.clips[join_.clip].name, ends.mirrored[join_.clip]
    return SourceClip(name, ends.skipped[join_.clip] + frame, weight, mirrored)


def _halve(segments: tuple[Segment, ...], frame: int) -> tuple[SourceClip, ...]:
    """The sources at a frame, with half their weight: the other half is somebody else's."""
    found = next((s for s in segments if s.first <= frame < s.stop), None)
    return tuple(
        replace(source, weight=0.5 * source.weight)
        for source in (() if found is None else sources_at(found, frame))
    )
