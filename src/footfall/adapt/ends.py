"""Beginning and ending at rest: a clip that starts or stops is blended onto a walk.

Of all pairs of windows near the end of the walk and in the stopping clips, the one is taken whose
bodies are alike and after which the character comes to stand near the goal; likewise at the start.
What does not depend on the walk is worked out once (`prepare_starts`, `prepare_stops`).

Windows are compared as in Kovar et al. 2002, §3.1: joints as points, one window laid on the other
as well as a turn and a move on the ground allow. The sums of that closed form run over pairs of
frames, so one matrix product over frames serves all pairs of windows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.adapt.stitch import stitch
from footfall.body.clip import Clip
from footfall.body.edit import move, resample, slice_frames
from footfall.body.kinematics import joint_positions
from footfall.errors import InputError
from footfall.maths.arrays import Bools, Floats, Ints

NEAR_S = 4.0
"""So long before its end a walk may pass to a stopping clip, or after its beginning from one."""
REST_S = 0.6
"""So long it stands at most."""
UNLIKE_M = 0.12
"""Bodies less alike than this, root mean square over joints, are not joined."""
_RESTING_M_S = 0.08
_ALIKE_M, _NEAR_M = 0.04, 0.25
"""Bodies this unlike weigh as much as a goal missed by this much."""
_SCORE_DIGITS = 9
"""Scores that differ by less are equal: the sums behind them may be added in any order."""

_Complex = NDArray[np.complex128]


@dataclass(frozen=True, eq=False)
class _Windows:
    """F frames of all clips one after another, and the windows that may be joined.

    ground, heights  (F, J) each joint, z + ix and y, about the middle of its clip; metres
    clip, frame      (F,) which clip and frame of it each is      middles  (C,) z + ix
    allowed          (F,) whether a transition may take the window that begins here
    rests            (C,) where the character stands at rest, z + ix, about the clip's middle
    """

    ground: _Complex
    heights: Floats
    clip: Ints
    frame: Ints
    allowed: Bools
    middles: _Complex
    rests: _Complex


@dataclass(frozen=True, eq=False)
class EndClips:
    """C clips that start from standing, or that stop, ready to be joined to walks.

    clips    on one character, at one frame rate, without the time they stand but for a moment
    sources  (C,) which of the clips that were given each is
    skipped  (C,) how many frames of that were left out at its beginning
    window   how many frames a transition takes
    """

    clips: tuple[Clip, ...]
    sources: tuple[int, ...]
    skipped: tuple[int, ...]
    window: int
    windows: _Windows | None

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
    whole = _stitched(walk, clip, leave, enter, stops.window).named(walk.name)
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
    whole = _stitched(clip, walk, leave, enter, starts.window).named(walk.name)
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


def _best_pair(
    walk: Clip, first: int, stop: int, ends: EndClips, wanted: Floats
) -> _Pair | None:  # fmt: skip
    """The windows, of the walk's frames from `first` up to `stop`, that join best."""
    window, b = ends.window, ends.windows
    if b is None or stop - first < window:
        return None
    if ends.clips[0].skeleton != walk.skeleton or ends.clips[0].fps != walk.fps:
        raise InputError(
            "the walk and the clips that start or stop differ in character or frame rate",
            remedy="prepare the clips for this walk",
        )
    positions = joint_positions(slice_frames(walk, first, stop))
    ground, heights = positions[..., 2] + 1j * positions[..., 0], positions[..., 1]
    middle = complex(ground.mean())
    ground = ground - middle
    unlike, turn = _compare_windows(ground, heights, b.ground, b.heights, window)
    count = len(turn)
    own, their = _window_means(ground, window), _window_means(b.ground, window)
    columns = np.flatnonzero(b.allowed[: unlike.shape[1]])
    unlike, turn = unlike[:, columns], turn[:, columns]
    clip = b.clip[columns]
    place = own[:count, None] - their[columns] * turn
    away = place + b.rests[clip] * turn + (middle - complex(wanted[1], wanted[0]))
    off = np.sqrt(away.real**2 + away.imag**2)
    score = np.round(unlike / _ALIKE_M + off / _NEAR_M, _SCORE_DIGITS)
    score[unlike > UNLIKE_M] = np.inf
    row, column = np.unravel_index(int(np.argmin(score)), score.shape)
    if not np.isfinite(score[row, column]):
        return None
    spin, number = complex(turn[row, column]), int(clip[column])
    moved = complex(place[row, column]) + middle - complex(b.middles[number]) * spin
    return _Pair(
        number, int(b.frame[columns[column]]), first + int(row),
        (moved.imag, moved.real, float(np.angle(spin))),
        float(unlike[row, column]), float(off[row, column]),
    )  # fmt: skip


def _compare_windows(
    ground_a: _Complex, heights_a: Floats, ground_b: _Complex, heights_b: Floats, window: int
) -> tuple[Floats, _Complex]:
    """How unlike all pairs of windows are, metres, and how the second turns onto the first.

    Both (N, M) for the windows that begin at frames of a (F, J) and of b (G, J). This is
    `planar.align` of the joints of both windows, its sums shared by all pairs.
    """
    points = window * ground_a.shape[1]
    together = _diagonal_sums(ground_a @ ground_b.conj().T, window)
    mean_a, mean_b = _window_means(ground_a, window), _window_means(ground_b, window)
    together -= points * mean_a[:, None] * mean_b.conj()
    size = np.sqrt(together.real**2 + together.imag**2)
    level = float(heights_a.mean())
    ya, yb = heights_a - level, heights_b - level
    left = _diagonal_sums(ya @ yb.T, window)
    left += size
    left *= -2.0
    for axis, ground, height, mean in ((0, ground_a, ya, mean_a), (1, ground_b, yb, mean_b)):
        own = _sums(((ground.real**2 + ground.imag**2) + height**2).sum(axis=1), window)
        own = own - points * (mean.real**2 + mean.imag**2)
        left += own[:, None] if axis == 0 else own
    unlike = np.sqrt(np.maximum(left, 0.0) / points)
    turn = np.where(size > 0.0, together / np.where(size > 0.0, size, 1.0), 1.0)
    return unlike, turn


def _diagonal_sums(matrix: NDArray[Any], window: int) -> NDArray[Any]:
    """(F - w + 1, G - w + 1) the sums of w entries of (F, G) along its diagonals."""
    done, total, part, size = 0, None, matrix, 1
    rows, columns = matrix.shape[0] - window + 1, matrix.shape[1] - window + 1
    left = window
    while left:  # sums of 1, 2, 4, … entries, those taken that make up the window
        if left & 1:
            some = part[done : done + rows, done : done + columns]
            total = some.copy() if total is None else total + some
            done += size
        left >>= 1
        if left:
            part = part[:-size, :-size] + part[size:, size:]
            size *= 2
    assert total is not None
    return total


def _window_means(ground: _Complex, window: int) -> _Complex:
    """(F - w + 1,) the mean of all joints of each window."""
    return np.asarray(_sums(ground.mean(axis=1), window) / window)


def _sums(values: NDArray[Any], window: int) -> NDArray[Any]:
    """(F - w + 1,) the sums of w values in a row of (F,)."""
    return np.asarray(np.lib.stride_tricks.sliding_window_view(values, window).sum(axis=-1))


def _end_clips(
    cut: list[Clip], skipped: list[int], window: int, begins: Callable[[Clip], range],
    at_rest: int,
) -> EndClips:  # fmt: skip
    """The clips that are long enough, with all that comparing them with a walk needs."""
    kept = [n for n, clip in enumerate(cut) if len(clip) > 2 * window]
    clips = tuple(cut[n] for n in kept)
    if not clips:
        return EndClips((), (), (), window, None)
    if any(clip.skeleton != clips[0].skeleton for clip in clips):
        raise InputError("clips that start or stop differ in character", remedy="use one library")
    grounds, heights, allowed, middles, rests = [], [], [], [], []
    for clip in clips:
        positions = joint_positions(clip)
        ground = positions[..., 2] + 1j * positions[..., 0]
        middle = complex(ground.mean())
        may = np.zeros(len(clip), np.bool_)
        may[list(begins(clip))] = True
        grounds.append(ground - middle)
        heights.append(positions[..., 1])
        allowed.append(may)
        middles.append(middle)
        rests.append(complex(clip.root[at_rest, 2], clip.root[at_rest, 0]) - middle)
    lengths = [len(clip) for clip in clips]
    windows = _Windows(
        np.concatenate(grounds), np.concatenate(heights),
        np.repeat(np.arange(len(clips), dtype=np.int32), lengths),
        np.concatenate([np.arange(n, dtype=np.int32) for n in lengths]),
        np.concatenate(allowed), np.array(middles), np.array(rests),
    )  # fmt: skip
    return EndClips(clips, tuple(kept), tuple(skipped[n] for n in kept), window, windows)


def _stitched(first: Clip, second: Clip, leave: int, enter: int, window: int) -> Clip:
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
