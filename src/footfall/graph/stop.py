"""Beginning and ending at rest: a clip that starts or stops is blended onto a walk.

Of all pairs of windows near the end of the walk and in the stopping clips, the one is taken whose
bodies are alike and after which the character comes to stand near the goal; likewise at the start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from footfall.adapt.stitch import stitch
from footfall.body.clip import Clip
from footfall.body.edit import move, resample, slice_frames
from footfall.body.kinematics import joint_positions
from footfall.graph.motion import PASSING, Motion, cut_segments
from footfall.maths import planar
from footfall.maths.arrays import Floats, Ints
from footfall.task import Segment

STOP, START = "stop", "start"
"""Why a segment is there."""
_NEAR_S = 4.0
"""So long before its end a walk may pass to a stopping clip."""
_REST_S = 0.6
"""So long it stands at most."""
_RESTING_M_S = 0.08
_ALIKE_M, _NEAR_M = 0.04, 0.25
"""Bodies this unlike weigh as much as a goal missed by this much."""
_UNLIKE_M = 0.12
"""Bodies less alike than this, root mean square over joints, are not joined."""
_TRIED = 300


@dataclass(frozen=True)
class _Joint:
    """Where a walk and another clip are joined: frames of each, how well, how to lay them."""

    clip: int
    first: int
    second: int
    score: float
    pose: tuple[float, float, float]


def stop_standing(motion: Motion, stops: Sequence[Clip], goal: Floats, window: int) -> Motion:
    """The motion ended by the stopping clip that brings it to stand nearest to `goal` (2,).

    Unchanged if there is none that fits.
    """
    walk = motion.clip
    stops = [_until_rest(clip) for clip in _fitting(stops, walk, window)]
    near = max(0, len(walk) - round(_NEAR_S * walk.fps))
    leaves = np.arange(near, len(walk) - window + 1, dtype=np.int32)
    best: _Joint | None = None
    for number, clip in enumerate(stops):
        enters = np.arange(window - 1, max(window, len(clip) - window), dtype=np.int32)
        found = _best_pair(walk, clip, leaves, enters, window, clip.root[-1], goal, forward=True)
        if found is not None and (best is None or found[0] < best.score):
            best = _Joint(number, found[1], found[2], found[0], found[3])
    if best is None:
        return motion
    clip, leave, enter = stops[best.clip], best.first, best.second
    whole = stitch(walk, clip, leave=leave, enter=enter, seconds=window / walk.fps)
    own = motion.segments
    passing = Segment(leave, leave + window, f"{_name(own, leave)}+{clip.name}",
                      _source(own, leave), PASSING)  # fmt: skip
    last = Segment(leave + window, len(whole), clip.name, enter + 1, STOP)
    gone = np.cumsum(_steps(whole)[leave:])
    return Motion(
        whole.named(walk.name).tagged(()),
        (*cut_segments(own, 0, leave), passing, *([last] if last.first < last.stop else [])),
        np.concatenate([motion.ways[:leave], motion.ways[leave] + gone - gone[0]]),
    )


def start_standing(motion: Motion, starts: Sequence[Clip], begin: Floats, window: int) -> Motion:
    """The motion begun by the starting clip that stood nearest to `begin` (2,).

    Unchanged if there is none that fits.
    """
    walk = motion.clip
    starts = _fitting(starts, walk, window)
    skipped = [_resting_frames(clip) for clip in starts]
    starts = [slice_frames(c, first, len(c)) for c, first in zip(starts, skipped, strict=True)]
    near = min(len(walk), round(_NEAR_S * walk.fps))
    enters = np.arange(window - 1, near, dtype=np.int32)
    best: _Joint | None = None
    for number, clip in enumerate(starts):
        last = len(clip) - window
        leaves = np.arange(min(window, last), last + 1, dtype=np.int32)
        found = _best_pair(clip, walk, leaves, enters, window, clip.root[0], begin, forward=False)
        if found is not None and (best is None or found[0] < best.score):
            best = _Joint(number, found[1], found[2], found[0], found[3])
    if best is None:
        return motion
    clip, leave, enter = starts[best.clip], best.first, best.second
    # The walk stays where it is; the starting clip is laid on it.
    clip = move(clip, *best.pose)
    whole = stitch(clip, walk, leave=leave, enter=enter, seconds=window / walk.fps, align=False)
    own, moved = motion.segments, leave + window - enter - 1
    source = skipped[best.clip]
    passing = Segment(
        leave, leave + window, f"{clip.name}+{_name(own, enter)}", source + leave, PASSING
    )
    first = Segment(0, leave, clip.name, source, START)
    after = len(walk) - enter - 1
    gone = np.cumsum(_steps(whole)[: len(whole) - after])
    joined = float(motion.ways[enter])
    return Motion(
        whole.named(walk.name).tagged(()),
        (*([first] if leave else []), passing, *cut_segments(own, enter + 1, len(walk), moved)),
        np.concatenate([joined + gone - gone[-1], motion.ways[enter + 1 :]]),
    )


def _best_pair(
    first: Clip, second: Clip, leaves: Ints, enters: Ints, window: int,
    rest: Floats, wanted: Floats, *, forward: bool,
) -> tuple[float, int, int, tuple[float, float, float]] | None:  # fmt: skip
    """The frames at which to pass from `first` to `second`, with their score and alignment.

    rest     (3,) where the root of the clip that rests is, in its own coordinates; it is the
             second clip if `forward`, else the first
    wanted   (2,) where that should be
    """
    if len(leaves) == 0 or len(enters) == 0:
        return None
    a = _clouds(first, leaves, window)
    b = _clouds(second, enters - window + 1, window)
    alike = np.sqrt(planar.aligned_distances(a, b) / a.shape[1])
    order = np.argsort(alike, axis=None, kind="stable")[:_TRIED]
    i, j = np.unravel_index(order, alike.shape)
    fixed, moving = (a[i], b[j]) if forward else (b[j], a[i])
    poses = planar.align(fixed, moving).pose
    ends = planar.apply_to_ground(poses, rest[[0, 2]])
    score = alike[i, j] / _ALIKE_M + np.hypot(*(ends - wanted).T) / _NEAR_M
    score = np.where(alike[i, j] <= _UNLIKE_M, score, np.inf)
    n = int(np.argmin(score))
    if not np.isfinite(score[n]):
        return None
    x, z, yaw = poses[n].tolist()
    return float(score[n]), int(leaves[i[n]]), int(enters[j[n]]), (x, z, yaw)


def _clouds(clip: Clip, firsts: Ints, window: int) -> Floats:
    """(N, window * J, 3) the joints of the windows that begin at frames `firsts` (N,)."""
    low, high = int(firsts[0]), int(firsts[-1]) + window
    positions = joint_positions(slice_frames(clip, low, high))
    frames = (firsts - low)[:, None] + np.arange(window)
    return np.asarray(positions[frames].reshape(len(firsts), -1, 3))


def _fitting(clips: Sequence[Clip], walk: Clip, window: int) -> list[Clip]:
    """The clips that are on the walk's character and long enough, at its frame rate."""
    same = [clip for clip in clips if clip.skeleton == walk.skeleton]
    same = [clip if clip.fps == walk.fps else resample(clip, walk.fps) for clip in same]
    return [clip for clip in same if len(clip) > 2 * window]


def _until_rest(clip: Clip) -> Clip:
    """The clip without the time it stands at its end, but for a moment."""
    moving = np.flatnonzero(_steps(clip) * clip.fps > _RESTING_M_S)
    last = int(moving[-1]) if len(moving) else 0
    return slice_frames(clip, 0, min(len(clip), last + 2 + round(_REST_S * clip.fps)))


def _resting_frames(clip: Clip) -> int:
    """How many frames a clip stands at its beginning, but for a moment before it goes."""
    moving = np.flatnonzero(_steps(clip) * clip.fps > _RESTING_M_S)
    first = int(moving[0]) if len(moving) else 0
    return max(0, first - 1 - round(_REST_S * clip.fps))


def _steps(clip: Clip) -> Floats:
    """(T,) metres over the ground from the frame before."""
    return np.asarray(
        np.hypot(*np.diff(clip.root[:, [0, 2]], axis=0, prepend=clip.root[:1, [0, 2]]).T)
    )


def _name(segments: tuple[Segment, ...], frame: int) -> str:
    return next((s.clip for s in segments if s.first <= frame < s.stop), "")


def _source(segments: tuple[Segment, ...], frame: int) -> int:
    found = (s.source_first + frame - s.first for s in segments if s.first <= frame < s.stop)
    return next(found, 0)
