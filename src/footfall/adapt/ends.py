"""Beginning and ending at rest: a clip that starts or stops is blended onto a walk.

Of all pairs of windows near the end of the walk and in the stopping clips, the one is taken whose
bodies are alike and after which the character comes to stand near the goal; likewise at the start.
What does not depend on the walk is worked out once (`prepare_starts`, `prepare_stops`).

Windows are compared as in Kovar et al. 2002, §3.1: joints as points, one window laid on the other
as well as a turn and a move on the ground allow. The sums of that closed form run over pairs of
frames, so that products of frames serve all pairs of windows. All pairs are compared in 32 bits,
the one that is taken is aligned again in 64.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from footfall.adapt.stitch import stitch
from footfall.body.clip import Clip
from footfall.body.edit import move, resample, slice_frames
from footfall.body.kinematics import joint_positions
from footfall.errors import InputError
from footfall.maths import planar
from footfall.maths.arrays import Floats, Ints

NEAR_S = 4.0
"""So long before its end a walk may pass to a stopping clip, or after its beginning from one."""
REST_S = 0.6
"""So long it stands at most."""
UNLIKE_M = 0.12
"""Bodies less alike than this, root mean square over joints, are not joined."""
_RESTING_M_S = 0.08
_ALIKE_M, _NEAR_M = 0.04, 0.25
"""Bodies this unlike weigh as much as a goal missed by this much."""
_SCORE_DIGITS = 3
"""Scores that differ by less are equal: the sums behind them may be added in any order."""
_LEVEL_M = 0.9
"""About as high as joints are: heights are compared from here, so that numbers stay small."""
_SMALL = 1 << 18
_ROWS = 37

_Singles = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class _Windows:
    """All windows of F frames of J joints, one frame after another, N of them, as compared.

    shape    (F, 2J) x and z of the joints about the mean of the frame      heights  (F, J) y
    path     (N, 2w) x and z of the means in each window, about their own mean
    turned   (F, 2J) and turned_path (N, 2w): the same, z and -x
    own      (N,) the sum of squares of all that; infinite where no window may be taken
    middles  (2, N) x and z of the mean of each window
    """

    shape: _Singles
    turned: _Singles
    heights: _Singles
    path: _Singles
    turned_path: _Singles
    own: _Singles
    middles: _Singles

    def blocks(self, window: int) -> Iterator[_Windows]:
        """The windows, a few at a time: arrays over pairs stay small enough for a core's cache."""
        for r in range(0, len(self.own), _ROWS):
            some, frames = slice(r, r + _ROWS), slice(r, r + _ROWS + window - 1)
            yield _Windows(
                self.shape[frames], self.turned[frames], self.heights[frames], self.path[some],
                self.turned_path[some], self.own[some], self.middles[:, some],
            )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Choices:
    """The windows of all clips that start or stop, one clip after another.

    windows      each clip about the place where its character stands
    clip, frame  (N,) which clip, and which frame of it, each window begins at
    """

    windows: _Windows
    clip: Ints
    frame: Ints


@dataclass(frozen=True, eq=False)
class EndClips:
    """C clips that start from standing, or that stop, ready to be joined to walks.

    clips    on one character, at one frame rate, without the time they stand but for a moment
    sources  (C,) which of the clips that were given each is
    skipped  (C,) how many frames of that were left out at its beginning
    window   how many frames a transition takes
    at_rest  the frame in which they stand: 0 or -1
    """

    clips: tuple[Clip, ...]
    sources: tuple[int, ...]
    skipped: tuple[int, ...]
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
    off_m   how far from the wished place the character stands
    """

    clip: int
    leave: int
    enter: int
    window: int
    pose: tuple[float, float, float]
    unlike_m: float
    off_m: float


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
    """Clips from standing to going, ready to begin walks of this frame rate.

    window  how many frames a transition takes; clips too short for two of them are left out
    """
    ready = [resample(clip, fps) if clip.fps != fps else clip for clip in clips]
    skipped = [_resting_frames(clip) for clip in ready]
    cut = [slice_frames(clip, n, len(clip)) for clip, n in zip(ready, skipped, strict=True)]

    def begins(clip: Clip) -> range:
        last = len(clip) - window
        return range(min(window, last), last + 1)

    return _end_clips(cut, skipped, window, begins, at_rest=0)


def prepare_stops(clips: Sequence[Clip], fps: float, window: int) -> EndClips:
    """Clips from going to standing, ready to end walks of this frame rate; see above."""
    ready = [resample(clip, fps) if clip.fps != fps else clip for clip in clips]
    cut = [_until_rest(clip) for clip in ready]

    def begins(clip: Clip) -> range:
        return range(max(1, len(clip) - 2 * window + 1))

    return _end_clips(cut, [0] * len(cut), window, begins, at_rest=-1)


def stop_standing(walk: Clip, distances: Floats, stops: EndClips, goal: Floats) -> Joined | None:
    """The walk ended by the clip that brings it to stand nearest to `goal` (2,), x and z.

    distances  (T,) how far along its path each frame of the walk is

    None if no clip fits.
    """
    first = max(0, len(walk) - round(NEAR_S * walk.fps))
    found = _best_pair(walk, first, len(walk), stops, goal)
    if found is None:
        return None
    leave, enter = found.walk_frame, found.clip_frame + stops.window - 1
    clip = move(stops.clips[found.clip], *found.pose)
    whole = _stitch(walk, clip, leave, enter, stops.window).named(walk.name)
    gone = np.cumsum(_steps(whole)[leave:])
    along = np.concatenate([distances[:leave], distances[leave] + gone - gone[0]])
    return Joined(whole, along, found.join(leave, enter, stops.window))


def start_standing(
    walk: Clip, distances: Floats, starts: EndClips, begin: Floats
) -> Joined | None:  # fmt: skip
    """The walk begun by the clip that stood nearest to `begin` (2,), x and z; None if none fits.

    The walk stays where it is.
    """
    stop = min(len(walk), round(NEAR_S * walk.fps))
    found = _best_pair(walk, 0, stop, starts, begin)
    if found is None:
        return None
    leave, enter = found.clip_frame, found.walk_frame + starts.window - 1
    clip = move(starts.clips[found.clip], *found.pose)
    whole = _stitch(clip, walk, leave, enter, starts.window).named(walk.name)
    gone = np.cumsum(_steps(whole)[: leave + starts.window])
    along = np.concatenate([distances[enter] + gone - gone[-1], distances[enter + 1 :]])
    return Joined(whole, along, found.join(leave, enter, starts.window))


@dataclass(frozen=True)
class _Pair:
    """A window of a walk and one of a clip, named by their first frames, and how to lay them."""

    clip: int
    clip_frame: int
    walk_frame: int
    pose: tuple[float, float, float]
    unlike_m: float
    off_m: float

    def join(self, leave: int, enter: int, window: int) -> Join:
        return Join(self.clip, leave, enter, window, self.pose, self.unlike_m, self.off_m)


def _best_pair(walk: Clip, first: int, stop: int, ends: EndClips, wanted: Floats) -> _Pair | None:
    """The windows, of the walk's frames from `first` up to `stop`, that join best."""
    window, choices = ends.window, ends.choices
    if choices is None or stop - first < window:
        return None
    if ends.clips[0].skeleton != walk.skeleton or ends.clips[0].fps != walk.fps:
        raise InputError(
            "the walk and the clips that start or stop differ in character or frame rate",
            remedy="prepare the clips for this walk",
        )
    positions = joint_positions(slice_frames(walk, first, stop))
    about_goal = positions - [wanted[0], 0.0, wanted[1]]
    blocks = _windows_of(about_goal, window).blocks(window)
    score = np.concatenate([_scores(block, choices.windows, window) for block in blocks])
    row, column = (int(n) for n in np.unravel_index(int(np.argmin(score)), score.shape))
    if not np.isfinite(score[row, column]):
        return None
    number, frame = int(choices.clip[column]), int(choices.frame[column])
    return _pair(positions, first, row, ends, number, frame, wanted)


def _pair(
    positions: Floats, first: int, row: int, ends: EndClips, number: int, frame: int,
    wanted: Floats,
) -> _Pair:  # fmt: skip
    """A window of the walk, whose joints are at `positions`, and one of a clip, aligned."""
    clip, window = ends.clips[number], ends.window
    here = positions[row : row + window].reshape(-1, 3)
    there = joint_positions(slice_frames(clip, frame, frame + window)).reshape(-1, 3)
    fit = planar.align(here, there)
    rest = planar.apply_to_ground(fit.pose, clip.root[ends.at_rest, [0, 2]])
    x, z, yaw = fit.pose.tolist()
    return _Pair(
        number, frame, first + row, (x, z, yaw),
        math.sqrt(float(fit.distance) / len(here)), float(np.hypot(*(rest - wanted))),
    )  # fmt: skip


def _scores(walk: _Windows, ends: _Windows, window: int) -> _Singles:
    """(N, M) how badly each pair of windows joins; infinite where it may not.

    walk  about the place where the character is to stand
    ends  about the place where it stands

    This is `planar.align` of the joints of both windows, its sums shared by all pairs, and where
    that takes the origin of `ends`.
    """
    joints = np.float32(walk.heights.shape[1])
    cosine = _diagonal_sums(_products(walk.shape, ends.shape), window)
    sine = _diagonal_sums(_products(walk.shape, ends.turned), window)
    cosine += joints * _products(walk.path, ends.path)
    sine += joints * _products(walk.path, ends.turned_path)
    size = np.sqrt(cosine * cosine + sine * sine)
    np.maximum(size, np.float32(1e-20), out=size)
    unlike = _diagonal_sums(_products(walk.heights, ends.heights), window)
    unlike += size
    unlike *= np.float32(-2.0)
    unlike += walk.own[:, None]
    unlike += ends.own
    np.maximum(unlike, np.float32(0.0), out=unlike)
    np.sqrt(unlike, out=unlike)
    unlike *= np.float32(1.0 / math.sqrt(window * float(joints)))
    cosine /= size
    sine /= size
    (from_x, from_z), (mid_x, mid_z) = ends.middles, walk.middles[..., None]
    x = mid_x - (cosine * from_x + sine * from_z)
    z = mid_z - (cosine * from_z - sine * from_x)
    off = np.sqrt(x * x + z * z)
    score = unlike * np.float32(1.0 / _ALIKE_M) + off * np.float32(1.0 / _NEAR_M)
    score[unlike > UNLIKE_M] = np.inf
    return np.asarray(np.round(score, _SCORE_DIGITS))


def _products(a: _Singles, b: _Singles) -> _Singles:
    """(R, C) the scalar products of the rows of `a` (R, K) and `b` (C, K).

    So few rows at a time that OpenBLAS takes it for too small to wake threads for.
    """
    out = np.empty((len(a), len(b)), np.float32)
    step = max(1, _SMALL // b.size)
    for r in range(0, len(a), step):
        np.matmul(a[r : r + step], b.T, out=out[r : r + step])
    return out


def _diagonal_sums(matrix: _Singles, window: int) -> _Singles:
    """(F - w + 1, G - w + 1) the sums of w entries of (F, G) along its diagonals."""
    rows, columns = matrix.shape[0] - window + 1, matrix.shape[1] - window + 1
    total = np.zeros((rows, columns), np.float32)
    part, size, done, left = matrix, 1, 0, window
    while left:  # sums of 1, 2, 4, … entries; those are taken that make up the window
        if left & 1:
            total += part[done : done + rows, done : done + columns]
            done += size
        left >>= 1
        if left:
            part = part[:-size, :-size] + part[size:, size:]
            size *= 2
    return total


def _windows_of(positions: Floats, window: int) -> _Windows:
    """The windows of joints at positions (F, J, 3)."""
    x, y, z = (positions[..., k] for k in range(3))
    mean_x, mean_z = x.mean(axis=1), z.mean(axis=1)
    x, z = x - mean_x[:, None], z - mean_z[:, None]
    y = y - _LEVEL_M
    paths = [np.lib.stride_tricks.sliding_window_view(mean, window) for mean in (mean_x, mean_z)]
    middle_x, middle_z = (path.mean(axis=1) for path in paths)
    path_x, path_z = paths[0] - middle_x[:, None], paths[1] - middle_z[:, None]
    frames = (x * x + y * y + z * z).sum(axis=1)
    own = np.lib.stride_tricks.sliding_window_view(frames, window).sum(axis=1)
    own += positions.shape[1] * (path_x**2 + path_z**2).sum(axis=1)
    middles = np.stack([middle_x, middle_z])
    return _Windows(
        _single(x, z), _single(z, -x), _single(y), _single(path_x, path_z),
        _single(path_z, -path_x), own.astype(np.float32), middles.astype(np.float32),
    )  # fmt: skip


def _single(*parts: Floats) -> _Singles:
    """Arrays (F, ·) beside each other, in 32 bits."""
    return np.concatenate(parts, axis=1, dtype=np.float32)


def _end_clips(
    cut: list[Clip], skipped: list[int], window: int, begins: Callable[[Clip], range],
    at_rest: int,
) -> EndClips:  # fmt: skip
    """The clips that are long enough, with all that comparing them with a walk needs."""
    kept = [n for n, clip in enumerate(cut) if len(clip) > 2 * window]
    clips = tuple(cut[n] for n in kept)
    if not clips:
        return EndClips((), (), (), window, at_rest, None)
    if any(clip.skeleton != clips[0].skeleton for clip in clips):
        raise InputError("clips that start or stop differ in character", remedy="use one library")
    lengths = [len(clip) for clip in clips]
    # Each clip about where it rests, so that numbers stay small in 32 bits.
    rests = [clip.root[at_rest] * [1.0, 0.0, 1.0] for clip in clips]
    places = [joint_positions(clip) - rest for clip, rest in zip(clips, rests, strict=True)]
    windows = _windows_of(np.concatenate(places), window)
    starts = np.cumsum([0, *lengths[:-1]]).tolist()
    own = np.full(len(windows.own), np.inf, np.float32)
    for start, clip in zip(starts, clips, strict=True):
        allowed = start + np.array(begins(clip))
        own[allowed] = windows.own[allowed]
    choices = _Choices(
        replace(windows, own=own),
        np.repeat(np.arange(len(clips), dtype=np.int32), lengths),
        np.concatenate([np.arange(n, dtype=np.int32) for n in lengths]),
    )
    return EndClips(clips, tuple(kept), tuple(skipped[n] for n in kept), window, at_rest, choices)


def _stitch(first: Clip, second: Clip, leave: int, enter: int, window: int) -> Clip:
    seconds = window / first.fps
    whole = stitch(first, second, leave=leave, enter=enter, seconds=seconds, align=False)
    return replace(whole, tags=())


def _until_rest(clip: Clip) -> Clip:
    """The clip without the time it stands at its end, but for a moment."""
    moving = np.flatnonzero(_steps(clip) * clip.fps > _RESTING_M_S)
    last = int(moving[-1]) if len(moving) else 0
    return slice_frames(clip, 0, min(len(clip), last + 2 + round(REST_S * clip.fps)))


def _resting_frames(clip: Clip) -> int:
    """How many frames a clip stands at its beginning, but for a moment before it goes."""
    moving = np.flatnonzero(_steps(clip) * clip.fps > _RESTING_M_S)
    first = int(moving[0]) if len(moving) else 0
    return max(0, first - 1 - round(REST_S * clip.fps))


def _steps(clip: Clip) -> Floats:
    """(T,) metres over the ground from the frame before."""
    ground = clip.root[:, [0, 2]]
    return np.asarray(np.hypot(*np.diff(ground, axis=0, prepend=ground[:1]).T))
