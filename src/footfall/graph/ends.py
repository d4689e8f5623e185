"""Walks that begin and end at rest, at the wished places and headings.

Recorded starts and stops are joined to a walk where they fit; where a library has none, they are
made step by step. Whoever is to face elsewhere turns on the spot, before the first step or after
the last; short paths are stepped altogether.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from footfall.adapt.edit.ends import (
    EndClips,
    Join,
    Joined,
    find_ends,
    prepare_starts,
    prepare_stops,
    start_standing,
    stop_standing,
)
from footfall.adapt.edit.meet import meet_headings
from footfall.adapt.edit.rests import facings
from footfall.adapt.steps.standing import Standing, plainest_stand, stand_at_origin, stand_like
from footfall.adapt.steps.stepping import make_steps, peak_speeds
from footfall.body.clip import Clip
from footfall.body.edit import place as lay
from footfall.body.edit import planar_pose
from footfall.graph.made_ends import (
    START,
    STEPS,
    STOP,
    TURN,
    Motion,
    join_clips,
    made_segment,
    make_start,
    make_stop,
)
from footfall.graph.motion import PASSING, cut_segments
from footfall.maths.arrays import Floats
from footfall.maths.polyline import SHORTEST_M, EvenPolyline
from footfall.task import Segment, SourceClip

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
"""How far steps may cut the bends of a path, and the most points they go through."""


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
    """Return a rest of the clips that start or stop, else one made from the longest walk."""
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
    """Return the walk from standing to standing, as long as the path; None if it cannot be.

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
        whole = None if ends.standing is None else make_stop(motion, ends.standing, length_m)
    if whole is None:
        return None
    if begin is not None:
        begun = start_standing(whole.clip, whole.distances, starts, begin)
        return _begun_by(whole, begun, starts)
    made = None if ends.standing is None else make_start(whole, ends.standing)
    if made is None or not complete:
        return made
    return made if _fits(float(made.distances[0]), float(made.distances[-1]), length_m) else None


def _fits(begin_m: float, end_m: float, length_m: float) -> bool:
    """Return whether a walk from here to there along its path can be made as long as that."""
    scale = length_m / max(end_m - begin_m, 1e-3)
    return 1.0 / MOST_SCALE <= scale <= MOST_SCALE


# ---- short paths and turns --------------------------------------------------------------


def step_along(
    line: EvenPolyline, standing: Standing, begin_yaw: float | None, end_yaw: float | None
) -> Motion | None:
    """Return a short path in a few steps, from corner to corner; None if it turns too often."""
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
        cut = part if n == 0 else part[1:]
        turns = stops[n][:2] == stops[n + 1][:2]
        segments.append(made_segment(standing, at, at + len(cut), TURN if turns else STEPS))
        clips.append(cut)
        at += len(cut)
    whole = join_clips(clips, "walk")
    along = line.nearest(whole.root[:, [0, 2]])
    return Motion(whole, tuple(segments), np.maximum.accumulate(along))


def _corners(line: EvenPolyline) -> list[Floats]:
    """Return the fewest points of a path, its ends included, that stay near it."""
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
    """Return the motion facing `begin` first and `end` last, radians; None: as it does."""
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
    pose = lay(clip[:1], [x, z, yaw + off])
    steps = make_steps(pose, clip[:2], most_speeds=standing.speeds)
    count = len(steps) - 1
    whole = join_clips([steps[:count], clip], clip.name)
    moved = cut_segments(motion.segments, 0, len(clip), count)
    along = np.concatenate([np.full(count, motion.distances[0]), motion.distances])
    return Motion(whole, (made_segment(standing, 0, count, TURN), *moved), along)


def _turn_last(motion: Motion, standing: Standing, off: float) -> Motion:
    clip, frames = motion.clip, len(motion.clip)
    x, z, yaw = planar_pose(clip, -1)
    pose = lay(clip[frames - 1 : frames], [x, z, yaw + off])
    steps = make_steps(clip[frames - 2 : frames], pose, most_speeds=standing.speeds)
    whole = join_clips([clip, steps[1:]], clip.name)
    along = np.append(motion.distances, np.full(len(steps) - 1, motion.distances[-1]))
    return Motion(
        whole, (*motion.segments, made_segment(standing, frames, len(whole), TURN)), along
    )


def _far(a: float, b: float) -> bool:
    """Return whether from one heading to the other is more than what is turned while stepping."""
    return abs(math.remainder(a - b, math.tau)) > _AT_ONCE


# ---- what it is made of -----------------------------------------------------------------


def _ended_by(motion: Motion, stopped: Joined, stops: EndClips) -> Motion:
    join_, own = stopped.join, motion.segments
    into = _end_source(stops, join_, join_.enter - join_.window + 1, 0.5)
    last = _end_source(stops, join_, join_.enter + 1, 1.0)
    after = join_.leave + join_.window
    segments = [
        *cut_segments(own, 0, join_.leave),
        *_share_with(cut_segments(own, join_.leave, after), into),
    ]
    if after < len(stopped.clip):
        segments.append(Segment(after, len(stopped.clip), STOP, (last,)))
    return Motion(stopped.clip, tuple(segments), stopped.distances)


def _begun_by(motion: Motion, begun: Joined, starts: EndClips) -> Motion:
    join_, own = begun.join, motion.segments
    first, out_of = (_end_source(starts, join_, *w) for w in ((0, 1.0), (join_.leave, 0.5)))
    after = join_.leave + join_.window
    moved = after - join_.enter - 1
    into = cut_segments(own, join_.leave - moved, join_.enter + 1, moved)
    segments = [Segment(0, join_.leave, START, (first,))] if join_.leave else []
    segments += _share_with(into, out_of)
    rest = cut_segments(own, join_.enter + 1, len(motion.clip), moved)
    return Motion(begun.clip, (*segments, *rest), begun.distances)


def _end_source(ends: EndClips, join_: Join, frame: int, weight: float) -> SourceClip:
    name, mirrored = ends.clips[join_.clip].name, ends.mirrored[join_.clip]
    return SourceClip(name, ends.skipped[join_.clip] + frame, weight, mirrored)


def _share_with(segments: tuple[Segment, ...], other: SourceClip) -> list[Segment]:
    """Segments in which another clip has half of the weight, from their beginning on."""
    return [
        replace(
            part, why=PASSING,
            sources=(
                *(replace(source, weight=0.5 * source.weight) for source in part.sources),
                replace(other, frame=other.frame + part.first - segments[0].first),
            ),
        )
        for part in segments
    ]  # fmt: skip
