"""Waiting in a motion: time is stretched where a body is at rest, and runs on as before."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from footfall.body.clip import Clip
from footfall.maths.arrays import Floats, Ints
from footfall.maths.quaternions import slerp

_EASE_S = 0.2
"""Over so much of the motion before and after a wait time slows down and picks up again."""


def wait_in_clip(
    clip: Clip, frames: Sequence[int], seconds: Sequence[float]
) -> tuple[Clip, Floats]:
    """The clip with waits at some frames, and the frame of the old clip (T,) that each shows.

    frames  in rising order, at which the body is at rest     seconds  how long each wait is
    """
    times: list[Floats] = []
    at, last = 0, len(clip) - 1
    waits = [(f, round(s * clip.fps)) for f, s in zip(frames, seconds, strict=True)]
    waits = [(f, n) for f, n in waits if n > 0]
    if not waits:
        return clip, np.arange(len(clip), dtype=float)
    for number, (frame, count) in enumerate(waits):
        end = waits[number + 1][0] if number + 1 < len(waits) else last
        ease = min(round(_EASE_S * clip.fps), count // 2)
        before, after = min(ease, (frame - at) // 2), min(ease, (end - frame) // 2)
        slow, quick = np.arange(1, 2 * before + 1), np.arange(1, 2 * after + 1)
        times.append(np.arange(at, frame - before + 1, dtype=float))
        times.append(frame - before + slow - slow**2 / (4.0 * max(before, 1)))
        times.append(np.full(count - before - after, float(frame)))
        times.append(frame + quick**2 / (4.0 * max(after, 1)))
        at = frame + after + 1
    times.append(np.arange(at, last + 1, dtype=float))
    return _sample(clip, np.concatenate(times)), np.concatenate(times)


def place_frames(times: Floats, frames: Ints) -> Ints:
    """Where old frames are in a clip that shows `times` (T,): the first that is as late."""
    found: Ints = np.searchsorted(times, frames - 1e-9).astype(np.int32)
    return found


def _sample(clip: Clip, times: Floats) -> Clip:
    """The clip at frames that need not be whole."""
    first = np.minimum(times.astype(int), len(clip) - 1)
    after = np.minimum(first + 1, len(clip) - 1)
    share = times - first
    root = clip.root[first] + share[:, None] * (clip.root[after] - clip.root[first])
    rotations = slerp(clip.rotations[first], clip.rotations[after], share[:, None])
    nearest = np.rint(times).astype(int)
    return clip.derive(root=root, rotations=rotations, **clip.labels_at(nearest))
