"""Beginning and ending at rest: a clip that starts or stops is blended onto a walk.

Starts and stops are cut out of clips at their essence (`rests`). Of all pairs of windows near the
end of the walk and in the stops those are looked at whose bodies are alike (`windows`), likewise
at the start; taken are the start and the stop between which the way is as long as the path. What
does not depend on the walk is worked out once (`prepare_starts`, `prepare_stops`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from footfall.adapt.edit.rests import start_spans, stop_spans
from footfall.adapt.edit.stitch import stitch
from footfall.adapt.edit.windows import Windows, unlikeness, windows_of
from footfall.body.clip import Clip
from footfall.body.edit import mirror, move, resample
from footfall.errors import InputError
from footfall.maths import planar
from footfall.maths.arrays import Floats, Ints

NEAR_S = 4.0
"""So long before its end a walk may pass to a stopping clip, or after its beginning from one."""
UNLIKE_M = 0.09
"""Bodies less alike than this, root mean square over joints, are not joined."""
FEW = 4
"""Where fewer clips than this start, or stop, their mirror images do so as well."""
_ALIKE_M, _OFF_M, _LEAST_OFF_M, _OFF_SHARE = 0.04, 0.25, 0.06, 0.08
"""Bodies this unlike weigh as much as a path missed by this much, or by this share of it; those
that are twice as unlike weigh four times as much."""
_APART_M = 1.0
"""An end that stands this far from that of the path, though its length is right, weighs as much."""
_BIN_M = 0.05
"""Of all joins that come to stand within so much of each other the most alike is looked at."""
_DIGITS, _SCORE_DIGITS = 5, 3
"""What differs by less is equal: the sums behind it may be added in any order."""


@dataclass(frozen=True, eq=False)
class _Choices:
    """The windows of all clips that start or stop, one clip after another, N in all.

    windows      each clip about the place where its character stands
    clip, frame  (N,) which clip, and which frame of it, each window begins at
    to_rest_m    (N,) how far it is between the place where it stands and the window's outer frame
    """

    windows: Windows
    clip: Ints
    frame: Ints
    to_rest_m: Floats


@dataclass(frozen=True, eq=False)
class EndClips:
    """C clips that start from standing, or that stop, ready to be joined to walks.

    clips    on one character, at one frame rate, each cut to its essence
    skipped  (C,) how many frames of the clip that was given were left out at its beginning
    mirrored (C,) whether each is the mirror image of what was given
    window   how many frames a transition takes
    at_rest  the frame in which they stand: 0 or -1
    """

    clips: tuple[Clip, ...]
    skipped: tuple[int, ...]
    mirrored: tuple[bool, ...]
    window: int
    at_rest: int
    choices: _Choices | None

    def __len__(self) -> int:
        return len(self.clips)


@dataclass(frozen=True)
class Join:
    """Where a walk and a clip that starts or stops are joined.

    clip    which of `EndClips.clips`
    leave   the first frame of the transition, in the clip that is played first
    enter   the last frame of the transition, in the clip that is played second
    window  how many frames the transition takes
    pose    x, z, yaw: lays the clip that starts or stops on the walk
    unlike_m  how unlike the bodies are, root mean square over the joints of the window
    stands_m  how far along the path the character stands
    """

    clip: int
    leave: int
    enter: int
    window: int
    pose: tuple[float, float, float]
    unlike_m: float
    stands_m: float


@dataclass(frozen=True, eq=False)
class Joined:
    """A walk joined to a clip that starts or stops.

    clip       T frames, under the name of the walk
    distances  (T,) how far along its path each frame is
    join       where they are joined
    """

    clip: Clip
    distances: Floats
    join: Join


def prepare_starts(clips: Sequence[Clip], fps: float, window: int) -> EndClips:
    """Return the starts in these clips, ready to begin walks of this frame rate.

    window  how many frames a transition takes; starts too short for two of them are left out
    """

    def begins(clip: Clip) -> range:
        last = len(clip) - window
        return range(min(window, last), last + 1)

    return _end_clips(clips, fps, window, start_spans, begins, at_rest=0)


def prepare_stops(clips: Sequence[Clip], fps: float, window: int) -> EndClips:
    """Return the stops in these clips, ready to end walks of this frame rate; see above."""

    def begins(clip: Clip) -> range:
        return range(max(1, len(clip) - 2 * window + 1))

    return _end_clips(clips, fps, window, stop_spans, begins, at_rest=-1)


def find_ends(
    walk: Clip, distances: Floats, starts: EndClips | None, stops: EndClips | None, length_m: float
) -> tuple[Join | None, Join | None]:
    """Return where a start and a stop are joined to a walk, so that it goes from 0 to `length_m`.

    distances  (T,) how far along its path each frame of the walk is
    starts, stops  None to leave that end as it is

    None at an end where nothing fits.
    """
    near = min(len(walk), round(NEAR_S * walk.fps))
    first = None if starts is None else _options(walk, 0, near, starts, distances)
    last = None if stops is None else _options(walk, len(walk) - near, len(walk), stops, distances)
    if first is None or last is None:
        begin, end = _best_alone(first, 0.0), _best_alone(last, length_m)
    else:
        begin, end = _best_together(first, last, length_m)
    return (
        None if first is None or begin is None else first.join(begin),
        None if last is None or end is None else last.join(end),
    )


def stop_standing(walk: Clip, distances: Floats, stops: EndClips, join: Join) -> Joined:
    """Return the walk ended by a clip that stops, joined there."""
    leave = join.leave
    clip = move(stops.clips[join.clip], *join.pose)
    whole = stitch(walk, clip, leave, join.enter, stops.window).derive(name=walk.name, tags=())
    gone = np.cumsum(_steps(whole)[leave:])
    along = np.concatenate([distances[:leave], distances[leave] + gone - gone[0]])
    return Joined(whole, along, join)


def start_standing(walk: Clip, distances: Floats, starts: EndClips, join: Join) -> Joined:
    """Return the walk begun by a clip that starts, joined there. The walk stays where it is."""
    leave, enter = join.leave, join.enter
    clip = move(starts.clips[join.clip], *join.pose)
    whole = stitch(clip, walk, leave, enter, starts.window).derive(name=walk.name, tags=())
    gone = np.cumsum(_steps(whole)[: leave + starts.window])
    along = np.concatenate([distances[enter] + gone - gone[-1], distances[enter + 1 :]])
    return Joined(whole, along, join)


@dataclass(frozen=True, eq=False)
class _Options:
    """K joins of a walk with clips that start, or that stop, the most alike of each place.

    row, column  (K,) windows of the walk and of the clips
    unlike_m     (K,) how unlike the bodies are      stands_m  (K,) how far along one stands
    frame        (K,) the walk's frame at the outer end of each window, seen from the rest
    """

    ends: EndClips
    positions: Floats
    first: int
    row: Ints
    column: Ints
    frame: Ints
    unlike_m: Floats
    stands_m: Floats

    def join(self, option: int) -> Join:
        """Return one of them, aligned in 64 bits."""
        ends, window = self.ends, self.ends.window
        assert ends.choices is not None
        row, column = int(self.row[option]), int(self.column[option])
        number, frame = int(ends.choices.clip[column]), int(ends.choices.frame[column])
        here = self.positions[row : row + window].reshape(-1, 3)
        part = ends.clips[number][frame : frame + window]
        fit = planar.align(here, part.positions.reshape(-1, 3))
        x, z, yaw = fit.pose.tolist()
        leaves = (frame, self.first + row) if ends.at_rest == 0 else (self.first + row, frame)
        return Join(
            number, leaves[0], leaves[1] + window - 1, window, (x, z, yaw),
            math.sqrt(float(fit.distance) / len(here)), float(self.stands_m[option]),
        )  # fmt: skip


def _options(
    walk: Clip, first: int, stop: int, ends: EndClips, distances: Floats
) -> _Options | None:
    """Return the joins with the walk's frames from `first` up to `stop`; None if there are none."""
    window, choices = ends.window, ends.choices
    if choices is None or stop - first < window:
        return None
    if ends.clips[0].skeleton != walk.skeleton or ends.clips[0].fps != walk.fps:
        raise InputError(
            "the walk and the clips that start or stop differ in character or frame rate",
            remedy="prepare the clips for this walk",
        )
    positions = walk[first:stop].positions
    # About its own place, so that numbers stay small in 32 bits.
    about = positions - positions[len(positions) // 2].mean(axis=0) * [1.0, 0.0, 1.0]
    unlike = unlikeness(windows_of(about, window), choices.windows, window)
    row, column = np.nonzero(unlike <= UNLIKE_M)
    if not len(row):
        return None
    size = np.asarray(np.round(unlike[row, column], _DIGITS), dtype=np.float64)
    frame = first + row + (window - 1 if ends.at_rest == 0 else 0)
    away = choices.to_rest_m[column]
    stands = distances[frame] + (away if ends.at_rest else -away)
    bins = np.round(stands / _BIN_M).astype(np.int64)
    # By place, then by likeness: one number for both sorts much faster than two keys.
    order = np.argsort(bins + 0.5 * size / UNLIKE_M, kind="stable")
    kept = order[np.flatnonzero(np.diff(bins[order], prepend=bins[order[0]] - 1))]
    return _Options(
        ends, positions, first, row[kept].astype(np.int32), column[kept].astype(np.int32),
        frame[kept].astype(np.int32), size[kept], stands[kept],
    )  # fmt: skip


def _best_alone(options: _Options | None, wanted_m: float) -> int | None:
    """Return the option that stands near a place and is alike."""
    if options is None:
        return None
    off = np.abs(options.stands_m - wanted_m)
    score = (options.unlike_m / _ALIKE_M) ** 2 + off / _OFF_M
    return int(np.argmin(np.round(score, _SCORE_DIGITS)))


def _best_together(first: _Options, last: _Options, length_m: float) -> tuple[int | None, ...]:
    """Return the start and stop that match best, with a path of the wished length between."""
    begin, end = first.stands_m[:, None], last.stands_m - length_m
    much = min(max(_OFF_SHARE * length_m, _LEAST_OFF_M), _OFF_M)
    score = (first.unlike_m[:, None] / _ALIKE_M) ** 2 + (last.unlike_m / _ALIKE_M) ** 2
    score = score + np.abs(end - begin) / much + (np.abs(begin) + np.abs(end)) / _APART_M
    score[first.frame[:, None] >= last.frame] = np.inf
    best = int(np.argmin(np.round(score, _SCORE_DIGITS)))
    row, column = divmod(best, len(last.frame))
    return (row, column) if np.isfinite(score[row, column]) else (None, None)


def _end_clips(
    given: Sequence[Clip], fps: float, window: int,
    spans: Callable[[Clip], list[tuple[int, int]]], begins: Callable[[Clip], range], at_rest: int,
) -> EndClips:  # fmt: skip
    """Return the cuts of clips that are long enough, prepared for comparison with a walk."""
    clips: list[Clip] = []
    skipped: list[int] = []
    for clip in given:
        ready = resample(clip, fps) if clip.fps != fps else clip
        for first, stop in spans(ready):
            if stop - first > 2 * window:
                clips.append(ready[first:stop])
                skipped.append(first)
    if any(clip.skeleton != clips[0].skeleton for clip in clips):
        raise InputError("clips that start or stop differ in character", remedy="use one library")
    images = [False] * len(clips)
    if len(clips) < FEW:
        images += [True] * len(clips)
        clips += [mirror(clip, keep_skeleton=True) for clip in clips]
        skipped += skipped
    choices = _choices(clips, window, begins, at_rest) if clips else None
    return EndClips(tuple(clips), tuple(skipped), tuple(images), window, at_rest, choices)


def _choices(
    clips: list[Clip], window: int, begins: Callable[[Clip], range], at_rest: int
) -> _Choices:
    lengths = [len(clip) for clip in clips]
    # Each clip about where it rests, so that numbers stay small in 32 bits.
    rests = [clip.root[at_rest] * [1.0, 0.0, 1.0] for clip in clips]
    places = [clip.positions - rest for clip, rest in zip(clips, rests, strict=True)]
    windows = windows_of(np.concatenate(places), window)
    own = np.full(len(windows.own), np.inf, np.float32)
    to_rest = np.zeros(len(windows.own))
    outer = window - 1 if at_rest == 0 else 0
    start = 0
    for clip, rest in zip(clips, rests, strict=True):
        frames = np.array(begins(clip))
        own[start + frames] = windows.own[start + frames]
        way = clip.root[frames + outer][:, [0, 2]] - rest[[0, 2]]
        to_rest[start + frames] = np.hypot(*way.T)
        start += len(clip)
    return _Choices(
        replace(windows, own=own),
        np.repeat(np.arange(len(clips), dtype=np.int32), lengths),
        np.concatenate([np.arange(n, dtype=np.int32) for n in lengths]),
        to_rest,
    )


def _steps(clip: Clip) -> Floats:
    """Return (T,) metres over the ground from the frame before."""
    ground = clip.root[:, [0, 2]]
    return np.asarray(np.hypot(*np.diff(ground, axis=0, prepend=ground[:1]).T))
